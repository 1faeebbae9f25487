"""The parameters of CuPy's elementwise and reduction kernels: how they are written, and which types they get."""

from __future__ import annotations

import functools
import math
import re
from typing import Any, NamedTuple

import numpy as np

from gpusim.device import queue
from gpusim.importing.errors import NotSimulatedError
from gpusim.kernels import reported
from gpusim.kernels.frontend.cuda_cpp import headers
from gpusim.kernels.frontend.cuda_cpp.c_types import OF_DTYPE
from gpusim.kernels.frontend.cuda_cpp.errors import Code

_NOT_PLAIN = re.compile(
    r"\[|\b(thread|block)(Idx|Dim)\b|\bgridDim\b|__\w|atomic|\bassert\b|\b_(ind|raw_\w+)\b|printf|asm\b|\bgoto\b|(^|[^\w)&\s])\s*&(?!&)"
)
_LEAVES = re.compile(r"\b(return|break)\b")
_QUALIFIERS = re.compile(r"__(device|host|forceinline|noinline|inline)__")


def plain(operation: str, preamble: str) -> bool:
    """Whether C++ does the same in a thread of many elements, and has nothing that has to be checked, such as an address."""
    of_functions = _QUALIFIERS.sub("", preamble)
    return not (_NOT_PLAIN.search(operation) or _NOT_PLAIN.search(of_functions) or _LEAVES.search(operation))


def unwatched() -> bool:
    """Whether nobody wants to see a launch's accesses, so that what cannot go wrong need not be checked or logged."""
    return reported.tracing() in ("warn", "first", "off") and not reported.watchers


FLOAT16 = np.dtype(np.float16)


def code(text: str, name: str) -> Code:
    """The C++ of a kernel, behind CuPy's own headers."""
    made = Code(text, name)
    made.bare = True
    made.included |= headers.OF_CUPY.keys()
    return made


class Parameter(NamedTuple):
    """One of ``'T x, raw int32 y'``.

    Attributes
    ----------
    name : str
    dtype : numpy.dtype or None
        None for a placeholder.
    ctype : str
        The type's name in C, or the placeholder.
    raw, is_const : bool
    """

    name: str
    dtype: np.dtype | None
    ctype: str
    raw: bool
    is_const: bool


class Number:
    """A number among the arguments: its dtype is known, and it fits any parameter that can hold it."""

    def __init__(self, value: Any):
        kinds = {bool: np.bool_, float: np.float64, complex: np.complex128}
        if type(value) in kinds:
            self.dtype = np.dtype(kinds[type(value)])
        elif type(value) is int:
            self.dtype = np.dtype(np.uint64 if value >= 2**63 else np.int64)
        elif isinstance(value, np.generic):
            self.dtype = value.dtype
        else:
            raise TypeError(f"Unsupported type {type(value)}")
        self.value = value

    def of(self, dtype: np.dtype) -> np.generic:
        """The number in a type, as NumPy's assignment converts it."""
        made = np.empty((), dtype)
        made[()] = self.value
        return made[()]


@functools.cache
def parsed(text: str, is_const: bool) -> tuple[Parameter, ...]:
    """Read a list of parameters.

    Raises
    ------
    Exception
        As CuPy raises it, of this very class.
    """
    if not text:
        return ()
    return tuple(_parameter(part, is_const) for part in text.strip().split(","))


def _parameter(text: str, is_const: bool) -> Parameter:
    words = text.split()
    if len(words) < 2:
        raise Exception(f"Syntax error: {text}")  # noqa: TRY002
    kind, name = words[-2:]
    dtype, raw = None, False
    if len(kind) > 1:
        dtype = np.dtype(kind)
        if dtype not in OF_DTYPE and dtype != FLOAT16:
            raise ValueError(f"Unsupported dtype {dtype}")
        kind = spelled(dtype)
    for word in words[:-2]:
        if word == "raw":
            raw = True
        elif word == "_non_const":
            is_const = False
        else:
            raise Exception(f'Unknown keyword "{word}"')  # noqa: TRY002
    return Parameter(name, dtype, kind, raw, is_const)


def spelled(dtype: np.dtype) -> str:
    """A dtype as C names it; float16 is computed as float, as its own operators do."""
    return "float" if dtype == FLOAT16 else str(OF_DTYPE[dtype])


def decide(
    in_params: tuple[Parameter, ...], out_params: tuple[Parameter, ...], in_types: list, out_types: list
) -> tuple[list[np.dtype], list[np.dtype], dict[str, np.dtype]]:
    """Which type each parameter has, and what the placeholders stand for.

    Raises
    ------
    TypeError, KeyError
        As CuPy raises them.
    """
    found: dict[str, np.dtype] = {}
    if out_types:
        _match(out_params, out_types, found, wanted=True)
    _match(in_params, in_types, found, wanted=False)
    chosen = [[found[p.ctype] if p.dtype is None else p.dtype for p in each] for each in (in_params, out_params)]
    return chosen[0], chosen[1], dict(sorted(found.items()))


def _match(params: tuple[Parameter, ...], types: list, found: dict[str, np.dtype], *, wanted: bool) -> None:
    for p, t in zip(params, types, strict=True):
        if t is None:
            if wanted:
                raise TypeError("Output arguments must be cupy.ndarray")
            continue
        shown = t if wanted else t
        if p.dtype is not None:
            if t != p.dtype:
                raise TypeError(f"Type is mismatched. {p.name} {shown} {p.dtype}")
        elif p.ctype in found:
            if found[p.ctype] != t:
                raise TypeError(f"Type is mismatched. {p.name} {shown} {found[p.ctype]} {p.ctype}")
        else:
            found[p.ctype] = t


def typedefs(found: dict[str, np.dtype], half: str = "float") -> str:
    """The placeholders as typedefs, one a line; `half` is what float16 is."""
    for dtype in found.values():
        if dtype not in OF_DTYPE and dtype != FLOAT16:
            raise NotSimulatedError(f"a kernel of C++ on {dtype}")
    return "".join(f"typedef {half if dtype == FLOAT16 else spelled(dtype)} {name};\n" for name, dtype in found.items())


def refuse_half(found: dict[str, np.dtype], *texts: str) -> None:
    """Refuse float16 where a value would be kept in it between two operations: only loads and stores round here."""
    names = {name for name, dtype in found.items() if dtype == FLOAT16} | {"float16"}
    for text in texts:
        for name in names:
            if re.search(rf"\b{name}\b", text):
                raise NotSimulatedError("a variable of float16 in a kernel's C++ code", "float32")


def prepared(args: tuple) -> list[Any]:
    """Arguments as device arrays and numbers.

    Raises
    ------
    TypeError
        For what is neither.
    """
    from .._core import launch

    made = []
    for arg in args:
        if isinstance(arg, launch.array_class):
            made.append(arg)
        elif hasattr(arg, "__cupy_get_ndarray__"):
            made.append(arg.__cupy_get_ndarray__())
        elif hasattr(arg, "__cuda_array_interface__"):
            from .._core.convert import asarray

            made.append(asarray(arg))
        else:
            made.append(Number(arg))
    return made


def broadcast(args: list, params: tuple[Parameter, ...], use_size: bool) -> tuple[list, tuple[int, ...]]:
    """Broadcast what is not raw; returns NumPy views in the arrays' places, and the shape.

    Raises
    ------
    ValueError
        As CuPy raises it.
    """
    from .._core import launch

    plain = [
        k for k, (a, p) in enumerate(zip(args, params, strict=False)) if isinstance(a, launch.array_class) and not p.raw
    ]
    if use_size:
        if plain:
            raise ValueError("Specified 'size' can be used only if all of the ndarray are 'raw'.")
    elif not plain:
        raise ValueError("Loop size is undecided.")
    shape: tuple[int, ...] = ()
    if plain:
        try:
            shape = np.broadcast_shapes(*(args[k].shape for k in plain))
        except ValueError:
            shapes = " ".join(str(args[k].shape) for k in plain)
            raise ValueError(f"operands could not be broadcast together with shapes {shapes}") from None
    views = list(args)
    for k in plain:  # NumPy's broadcast views cannot be written to, so that a kernel would get a copy
        views[k] = args[k]._a if args[k].shape == shape else np.broadcast_to(args[k]._a, shape)
    return views, shape


def outputs(given: list, params: tuple[Parameter, ...], dtypes: list, shape: tuple[int, ...], sized: bool) -> list:
    """The arrays that a kernel writes: those that were given, checked, or new ones.

    Raises
    ------
    TypeError, ValueError
        As CuPy raises them; `sized` says that a size was given for raw ones.
    """
    from .._core import launch

    if not given:
        if any(p.raw for p in params) and not sized:
            raise ValueError("Output array size is Undecided")
        return [launch.empty(shape, np.dtype(t)) for t in dtypes]
    for p, a in zip(params, given, strict=True):
        if not isinstance(a, launch.array_class):
            raise TypeError("Output arguments type must be cupy.ndarray")
        if not p.raw and a.shape != shape:
            raise ValueError("Out shape is mismatched")
    return given


class Operands:
    """The arrays of one launch as flat memory: what is not contiguous, or float16, is copied there and back, in stream order."""

    def __init__(self) -> None:
        self._read = self._written = 0  # bytes
        self._reads: list[np.ndarray] = []
        self._writes: list[np.ndarray] = []
        self._back: list[tuple[np.ndarray, np.ndarray]] = []
        self._copies: dict[tuple, np.ndarray] = {}

    def taken(self, view: np.ndarray, *, read: bool = True, written: bool = False) -> np.ndarray:
        """A flat array with an array's elements in C order."""
        nbytes = _distinct(view)
        if read:
            self._read += nbytes
            self._reads.append(view)
        if written:
            self._written += nbytes
            self._writes.append(view)
        dtype = np.dtype(np.float32) if view.dtype == FLOAT16 else view.dtype
        if view.flags.c_contiguous and view.flags.writeable and dtype == view.dtype:
            return view.reshape(-1)
        at = view.ctypes.data, view.shape, view.strides, view.dtype
        copy = self._copies.get(at)  # an input that is the output is one array for the kernel
        if copy is None:
            copy = self._copies[at] = np.empty(view.shape, dtype)
            queue.submit_uncounted("cupy_copy", np.copyto, (copy, view, "unsafe"))
        if written:
            self._back.append((view, copy))
        return copy.reshape(-1)

    def count(self, kernel: Any) -> None:
        """Enter the launch in the account."""
        queue.count(kernel.name, self._read, self._written, by=kernel, reads=self._reads, writes=self._writes)

    def put_back(self) -> None:
        """Copy back what was written to copies."""
        for view, copy in self._back:
            queue.submit_uncounted("cupy_copy", np.copyto, (view, copy, "unsafe"))


def _distinct(view: np.ndarray) -> int:
    """Bytes of a view's elements, one that broadcasting repeats counted once: it is read once, then it is in the cache."""
    steps = zip(view.shape, view.strides, strict=True)
    return math.prod(n for n, stride in steps if stride or not n) * view.itemsize
