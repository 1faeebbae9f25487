"""CuPy's ufunc: its types, its arguments, its errors, on NumPy's loops and the queue."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gpusim.device import device, queue
from gpusim.importing.errors import NotSimulatedError
from gpusim.importing.names import extension_type

from . import launch
from .casting import convert
from .checks import broadcast, check_devices, check_output, may_share_bounds, raise_if_invalid_cast
from .convert import array as as_array
from .convert import from_like
from .promote import BIG, Loop, choose, kind_if_scalar, kind_of_scalar

_submit = queue.submit
# Hidden ones included: which are visible is read when a device is first used, and this at the import.
_several_devices = device.asked_for() > 1
_new = object.__new__
_view = np.ndarray


@extension_type("cupy._core._kernel")
class ufunc:
    """A function that works element by element on device arrays.

    Attributes
    ----------
    name : str
        The kernel's name, such as ``cupy_add``.
    nin, nout, nargs : int
        Numbers of inputs, outputs, and both.
    types : list of str
        The loops, such as ``dd->d``.
    """

    def __init__(self, name: str, types: str, function: Callable, nin: int, refused: dict[str, str] | None = None):
        self.name = self.__name__ = name
        self._loops = tuple(Loop(t) for t in types.split())
        self.nin = nin
        self.nout = len(self._loops[0].outs)
        self.nargs = self.nin + self.nout
        self._function = function
        self._refused = refused or {}
        self._plans: dict[Any, Plan] = {}
        self.__doc__ = getattr(function, "__doc__", None)

    def __repr__(self) -> str:
        return f"<ufunc '{self.name}'>"

    def __reduce__(self):
        from .ufuncs import lookup

        return lookup, (self.name,)

    @property
    def types(self) -> list[str]:
        """The loops, inputs and outputs as type characters."""
        return [loop.signature for loop in self._loops]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Enqueue the function on arrays and scalars.

        Parameters
        ----------
        *args
            ``nin`` inputs, then optionally outputs.
        out : cupy.ndarray or tuple, optional
            Where to write.
        dtype : optional
            The output's type: picks the loop.
        casting : str
            What casts to ``out`` are allowed.

        Returns
        -------
        cupy.ndarray or tuple of them
        """
        if kwargs or len(args) != self.nin or self.nout != 1 or self.nin > 2:
            return self._full_call(args, kwargs)
        # The path of most calls, written for speed: one or two inputs, a new output.
        array_class = launch.array_class
        x = args[0]
        if type(x) is array_class:
            x = x._a
            kind = x.dtype
            shape = x.shape
            moved = x.nbytes
        elif isinstance(x, array_class):
            return self._full_call(args, kwargs)
        else:
            kind = kind_if_scalar(x)
            if kind is None:
                return self._full_call(args, kwargs)
            shape = None
            moved = 0
        if self.nin == 1:
            plan = self._plans.get(kind) or self._remember(kind, (kind,))
            views = (x if shape is not None else plan.scalars[0](x),)
            reads = views if shape is not None else ()
        else:
            y = args[1]
            if type(y) is array_class:
                if shape is not None:
                    return self.on_arrays(args[0], y)
                y = y._a
                kind = (kind, y.dtype)
                plan = self._plans.get(kind) or self._remember(kind, kind)
                moved = y.nbytes
                reads = (y,)
                x = plan.scalars[0](x)
                shape = y.shape
            elif isinstance(y, array_class):
                return self._full_call(args, kwargs)
            else:
                other = kind_if_scalar(y)
                if other is None:
                    return self._full_call(args, kwargs)
                kind = (kind, other)
                plan = self._plans.get(kind) or self._remember(kind, kind)
                y = plan.scalars[1](y)
                reads = (x,)
                if shape is None:
                    reads = ()
                    x = plan.scalars[0](x)
                    shape = ()
            views = (x, y)
        if shape is None:
            shape = ()
        if _several_devices:
            check_devices(args)
        dtype = plan.out
        nbytes = math.prod(shape) * dtype.itemsize
        block = launch.allocate(nbytes)
        out = _new(array_class)
        out._a = a = _view(shape, dtype, block.raw)
        out._block = block
        out.base = None
        if nbytes:
            _submit(self.name, plan.call, (*views, a), reads, (a,), moved, nbytes)
        return out

    def on_arrays(self, x: Any, y: Any) -> Any:
        """The call on two device arrays with a new output; operators come straight here."""
        if type(x) is not launch.array_class or _several_devices:
            return self._full_call((x, y), {})
        a, b = x._a, y._a
        kind = (a.dtype, b.dtype)
        plan = self._plans.get(kind) or self._remember(kind, kind)
        shape = a.shape
        if shape != b.shape:
            shape = broadcast(a, b)
        block = launch.allocate(math.prod(shape) * plan.out.itemsize)
        out = _new(launch.array_class)
        out._a = c = _view(shape, plan.out, block.raw)
        out._block = block
        out.base = None
        nbytes = c.nbytes
        if nbytes:
            # An array that is both operands comes from memory once: the second read of an element finds it in a register.
            moved = a.nbytes if a is b else a.nbytes + b.nbytes
            _submit(self.name, plan.call, (a, b, c), (a, b), (c,), moved, nbytes)
        return out

    def in_place(self, x: Any, y: Any) -> Any:
        """``x op= y``; quick for an array of the same device, or a scalar, that leaves the type of ``x`` as it is."""
        whole = type(x) is launch.array_class and (type(y) is type(x) or not isinstance(y, launch.array_class))
        if whole and not _several_devices:
            a = x._a
            if type(y) is launch.array_class:
                b = y._a
                kind = (a.dtype, b.dtype)
                # Overlapping memory needs a copy, and a larger shape an error.
                simple = (y._block is not x._block or y is x) and a.shape == b.shape
                moved = a.nbytes if a is b else a.nbytes + b.nbytes
                reads = (a, b)
            else:
                reads = (a,)
                other = kind_if_scalar(y)
                if other is None:
                    return self._full_call((x, y, x), {})
                kind, simple, moved = (a.dtype, other), True, a.nbytes
            plan = self._plans.get(kind)
            if simple and plan is not None and plan.out is a.dtype and a.size:
                b = y._a if type(y) is launch.array_class else plan.scalars[1](y)
                _submit(self.name, plan.call, (a, b, a), reads, (a,), moved, a.nbytes)
                return x
        return self._full_call((x, y, x), {})

    def _remember(self, key: Any, kinds: tuple) -> Plan:
        plan = self._plans[key] = self._plan(kinds)
        return plan

    def _full_call(self, args: tuple, kwargs: dict) -> Any:
        for each in (*args, kwargs.get("out")):
            if hasattr(type(each), "__cupy_override_elementwise_kernel__"):
                return each.__cupy_override_elementwise_kernel__(self, *args, **kwargs)
        args = tuple(map(from_like, args))
        outs, where, dtype, casting = self._parse(args, kwargs)
        ins = args[: self.nin]
        arrays = [isinstance(x, launch.array_class) for x in ins]
        kinds = tuple(x._a.dtype if is_array else kind_of_scalar(x) for x, is_array in zip(ins, arrays, strict=True))
        given = [o for o in outs if o is not None]
        for o in given:
            check_output(o)
        operands = [x for x, is_array in zip(ins, arrays, strict=True) if is_array]
        masks = [where] if isinstance(where, launch.array_class) else []
        if _several_devices:
            check_devices([*operands, *given])
        operands_now = [self._without_overlap(x, given) for x in operands]
        shape = broadcast(*(x._a for x in [*operands_now, *masks, *given]))
        plan = self._plan(kinds) if dtype is None else self._plan_for_output(dtype, kinds)
        results = []
        for i, o in enumerate(outs):
            if o is None:
                results.append(launch.empty(shape, plan.outs[i]))
                continue
            if o.shape != shape:
                raise ValueError("Out shape is mismatched")
            raise_if_invalid_cast(plan.outs[i], o.dtype, casting)
            results.append(o)
        if math.prod(shape):
            it = iter(operands_now)
            views = [
                next(it)._a if is_array else scalar(x)
                for x, is_array, scalar in zip(ins, arrays, plan.scalars, strict=True)
            ]
            self._launch(plan, views, [r._a for r in results], where)
        return results[0] if self.nout == 1 else tuple(results)

    def _launch(self, plan: Plan, views: list, outs: list[np.ndarray], where: Any) -> None:
        reads = [v for v in views if isinstance(v, np.ndarray)]
        same = all(o.dtype == wanted for o, wanted in zip(outs, plan.outs, strict=True))
        if where is None and same:
            _submit(self.name, plan.call, (*views, *outs), reads, outs)
            return
        mask = where._a if isinstance(where, launch.array_class) else (True if where is None else bool(where))
        if isinstance(mask, np.ndarray):
            reads.append(mask)
        _submit(self.name, cast_and_mask, (plan, views, outs, mask), reads, outs)

    def _parse(self, args: tuple, kwargs: dict) -> tuple:
        out = kwargs.pop("out", None)
        where = kwargs.pop("_where", None)
        dtype = kwargs.pop("dtype", None)
        casting = kwargs.pop("casting", "same_kind")
        if kwargs:
            raise TypeError(f"Wrong arguments {kwargs}")
        if not self.nin <= len(args) <= self.nargs:
            raise TypeError(
                f"Wrong number of arguments for {self.name!r}. It must be either {self.nin} or {self.nargs} "
                f"(with outputs), but given {len(args)}."
            )
        outs = list(args[self.nin :])
        if out is not None:
            if outs:
                raise ValueError("Cannot specify 'out' as both a positional and keyword argument")
            if isinstance(out, tuple):
                if len(out) != self.nout:
                    raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
                outs = list(out)
            elif self.nout != 1:
                raise ValueError("'out' must be a tuple of arrays")
            else:
                outs = [out]
        outs = [*map(from_like, outs), *[None] * (self.nout - len(outs))]
        where = from_like(where)
        if where is not None:
            if isinstance(where, launch.array_class):
                if where.dtype != bool:
                    raise TypeError(
                        f"Cannot cast array data from {where.dtype!r} to {np.dtype(bool)!r} according to the rule 'safe'"
                    )
            else:
                kind_of_scalar(where)
        return outs, where, None if dtype is None else np.dtype(dtype), casting

    @staticmethod
    def _without_overlap(x: Any, outs: list) -> Any:
        """CuPy copies an input that may share memory with an output, unless it is that very array."""
        if any(x is not o and may_share_bounds(x, o) for o in outs):
            return x.copy()
        return x

    def _plan(self, kinds: tuple) -> Plan:
        plan = self._plans.get(kinds)
        if plan is None:
            loop = choose(self._loops, kinds)
            if loop is None:
                raise TypeError(f"Wrong type ({tuple(_shown(k) for k in kinds)}) of arguments for {self.name}")
            self._check(loop)
            plan = self._plans[kinds] = Plan(self.name, self._function, loop, kinds)
        return plan

    def _plan_for_output(self, dtype: np.dtype, kinds: tuple) -> Plan:
        key = (dtype, kinds, "output")
        plan = self._plans.get(key)
        if plan is None:
            loop = next((loop for loop in self._loops if all(o == dtype for o in loop.outs)), None)
            if loop is None:
                raise TypeError(f"Wrong type ({dtype}) of arguments for {self.name}")
            self._check(loop)
            plan = self._plans[key] = Plan(self.name, self._function, loop, kinds)
        return plan

    def _check(self, loop: Loop) -> None:
        message = self._refused.get(loop.signature)
        if message is not None:
            raise TypeError(message)

    def outer(self, A: Any, B: Any, **kwargs: Any) -> Any:
        """Apply to all pairs of elements."""
        A, B = as_array(A), as_array(B)
        return self(A.reshape(A.shape + (1,) * B.ndim), B.reshape((1,) * A.ndim + B.shape), **kwargs)

    def at(self, a: Any, indices: Any, b: Any = None) -> None:
        """Apply in place at some indices, each as often as it occurs."""
        from .indexing import scatter

        operation = _SCATTER.get(self.name)
        if operation is None:
            raise NotImplementedError(f"`{self.name}.at` is not supported yet")
        scatter(a, indices, b, operation)

    def reduce(self, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """Reduce along an axis."""
        if self.name == "cupy_add":
            return array.sum(axis, dtype, out, keepdims)
        if self.name == "cupy_multiply":
            return array.prod(axis, dtype, out, keepdims)
        raise NotImplementedError(f"`{self.name}.reduce` is not supported yet")

    def accumulate(self, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
        """Accumulate along an axis."""
        if self.name == "cupy_add":
            return array.cumsum(axis, dtype, out)
        if self.name == "cupy_multiply":
            return array.cumprod(axis, dtype, out)
        raise NotImplementedError(f"`{self.name}.accumulate` is not supported yet")

    def reduceat(self, array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """Reduce slices along an axis."""
        if self.name == "cupy_add":
            return launch.now("cupy_add_reduceat", np.add.reduceat, array, indices, axis=axis, dtype=dtype)
        raise NotImplementedError(f"`{self.name}.reduceat` is not supported yet")


_SCATTER = {
    "cupy_add": "add", "cupy_subtract": "sub", "cupy_maximum": "max", "cupy_minimum": "min",
    "cupy_bitwise_and": "and", "cupy_bitwise_or": "or", "cupy_bitwise_xor": "xor",
}  # fmt: skip


def _shown(kind: Any) -> Any:
    return {int: np.dtype(int), float: np.dtype(float), complex: np.dtype(complex), BIG: np.dtype("uint64")}.get(
        kind, kind
    )


# Running one of CuPy's loops with NumPy's: the conversions it takes, and what has no loop of the same types.

_CANONICAL = {c: np.dtype(c).str for c in "?bhilqBHILQefdFD"}
_native: dict[np.ufunc, frozenset] = {}


def native_loops(function: np.ufunc) -> frozenset:
    """The loops NumPy has, spelled without regard to which of two same C types it names."""
    found = _native.get(function)
    if found is None:
        found = _native[function] = frozenset(
            _spell(t) for t in function.types if set(t) <= _CANONICAL.keys() | {"-", ">"}
        )
    return found


def _spell(types: str) -> tuple:
    ins, _, outs = types.partition("->")
    return tuple(_CANONICAL[c] for c in ins), tuple(_CANONICAL[c] for c in outs)


def _named_out(function: np.ufunc) -> Callable:
    def run(x: Any, y: Any, out: np.ndarray) -> None:
        function(x, y, out=out)

    return run


# NumPy deprecates a third positional argument of these two.
_OUT_BY_NAME = {f: _named_out(f) for f in (np.maximum, np.minimum)}


def _as_it_is(value: int) -> int:
    return value


def _for_bools(value: int) -> int:
    # NumPy compares bools with int64 only; no bool tells numbers beyond -1 and 2 apart.
    return max(-1, min(value, 2))


_COMPARISONS = frozenset([np.less, np.less_equal, np.equal, np.not_equal, np.greater, np.greater_equal])


def runner(name: str, function: Callable, loop: Loop, given: tuple[np.dtype | None, ...]) -> Callable:
    """A function of inputs and outputs that computes in the loop's types."""
    # A scalar is converted to the loop's type before the call; an array may still need it.
    as_given = all(g is None or g == wanted for g, wanted in zip(given, loop.ins, strict=True))
    if not isinstance(function, np.ufunc):
        return _converting(function, loop, as_given)
    if "V" in loop.signature:
        return _structured(function, given)
    spelled = _spell(loop.signature)
    if function in _COMPARISONS:  # NumPy compares any two types exactly, Python ints of any size included
        return function
    if spelled in native_loops(function):
        if as_given:
            return _OUT_BY_NAME.get(function, function)
        return _with_signature(function, loop)
    if all(o.kind == "b" for o in loop.outs):  # of mixed integers
        return function
    same_out = [t for t in native_loops(function) if t[1] == spelled[1] and len(t[0]) == len(spelled[0])]
    if same_out:  # true_divide of integers is NumPy's loop for doubles
        return _with_signature(function, loop, tuple(np.dtype(s) for s in (*same_out[-1][0], *same_out[-1][1])))

    raise NotSimulatedError(f"{name} on {loop.signature}")


def _structured(function: np.ufunc, given: tuple[np.dtype | None, ...]) -> Callable:
    """Comparing structures: NumPy's operators do, its ufuncs do not."""
    if any(d is None or d.kind != "V" for d in given):
        raise TypeError("Cannot compare structured or void to non-void arrays.")
    if any(d.names and any(f[0].subdtype is not None for f in d.fields.values()) for d in given):
        raise ValueError("comparing structures with subarray dtypes is not supported")
    if any(d.names for d in given):
        if any(d.names != given[0].names for d in given):
            raise TypeError(
                "Cannot compare structured arrays unless they have a common dtype.  I.e. `np.result_type(arr1, arr2)` "
                "must be defined."
            )
        np.result_type(*given)  # raises a TypeError if there is no common type

    def run(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
        np.copyto(out, x == y if function is np.equal else x != y)

    return run


def _with_signature(function: np.ufunc, loop: Loop, types: tuple | None = None) -> Callable:
    types = types or (*loop.ins, *loop.outs)

    nin = len(loop.ins)

    def run(*operands: Any) -> None:
        function(*operands[:nin], out=operands[nin:], signature=types, casting="unsafe")

    return run


def _converting(function: Callable, loop: Loop, as_given: bool) -> Callable:
    if as_given:
        return function

    def run(*operands: Any) -> None:
        function(*(x.astype(t) for x, t in zip(operands, loop.ins, strict=False)), *operands[len(loop.ins) :])

    return run


def cast_and_mask(plan: Plan, views: list, outs: list[np.ndarray], where: Any) -> None:
    results = [np.empty(o.shape, t) for o, t in zip(outs, plan.outs, strict=True)]
    plan.call(*views, *results)
    for o, result in zip(outs, results, strict=True):
        if result.dtype.kind == "f" and o.dtype.kind in "iu" and result.size:
            fitting = np.empty(o.shape, o.dtype)
            convert(fitting, result)
            result = fitting
        if result.dtype.kind == "c" and o.dtype.kind not in "cb":
            result = result.real  # of which the call has warned
        np.copyto(o, result, "unsafe", where=where)


class Plan:
    """How one combination of argument types runs."""

    __slots__ = ("call", "ins", "out", "outs", "scalars")

    def __init__(self, name: str, function: Callable, loop: Loop, kinds: tuple):
        self.ins, self.outs, self.out = loop.ins, loop.outs, loop.outs[0]
        # Makes a NumPy scalar of the loop's type of a Python one.  A comparison takes Python ints of any size as they are.
        compares = function in _COMPARISONS
        bools = any(isinstance(k, np.dtype) and k.kind == "b" for k in kinds)
        self.scalars = tuple(
            (_for_bools if bools else _as_it_is) if compares and (k is int or k is BIG) else d.type
            for d, k in zip(loop.ins, kinds, strict=True)
        )
        given = tuple(k if isinstance(k, np.dtype) else None for k in kinds)
        self.call = runner(name, function, loop, given)
