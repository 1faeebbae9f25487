"""Typing of what only a kernel can do: indices of threads, shared arrays, atomics, barriers, shuffles."""

from __future__ import annotations

import ast

import numpy as np

from ..intrinsics import VECTOR_BASES
from . import atomics, bits, promotion, scalars, warps
from .chunk import Allocation
from .ir import Value
from .types import (
    BOOL,
    COMPLEXES,
    INT32,
    INT64,
    INTEGERS,
    NONE,
    SCALARS,
    UINT32,
    Array,
    Record,
    Scalar,
    Thing,
    Tuple,
    Type,
    TypingError,
    dtype_of_thing,
    thing,
)

SPECIAL = {f"{name}.{axis}" for name in ("threadIdx", "blockIdx", "blockDim", "gridDim") for axis in "xyz"} | {"laneid"}
ATOMIC_NUMBERS, ATOMIC_INTEGERS = "ilILfd", "ilIL"
ATOMIC_TYPES = {
    **dict.fromkeys(("add", "sub", "max", "min", "nanmax", "nanmin"), ATOMIC_NUMBERS),
    **dict.fromkeys(("and_", "or_", "xor", "exch", "cas", "compare_and_swap"), ATOMIC_INTEGERS),
    **dict.fromkeys(("inc", "dec"), "IL"),
}
WAIT_TYPES = {
    **{"syncthreads": NONE, "syncwarp": NONE, "grid.sync": NONE, "ballot_sync": INT32, "match_any_sync": INT32},
    **{"syncthreads_count": INT32, "syncthreads_and": INT32, "syncthreads_or": INT32},
    **{"all_sync": BOOL, "any_sync": BOOL, "eq_sync": BOOL, "match_all_sync": Tuple((INT32, BOOL))},
}
COUNTS = {
    "syncthreads": (0,), "syncthreads_count": (1,), "syncthreads_and": (1,), "syncthreads_or": (1,), "grid.sync": (1,),
    "syncwarp": (0, 1), "shfl_sync": (3,), "shfl_up_sync": (3,), "shfl_down_sync": (3,), "shfl_xor_sync": (3,),
}  # fmt: skip
SMALL = {"b": "bhil", "h": "hil"}


class IntrinsicTyping:
    """Handlers of intrinsics; mixed into :class:`.infer.Inference`."""

    def op_intrinsic(self, v: Value) -> Type:
        name = v.extra
        if name in SPECIAL:
            v.emit = lambda _: f"g.special({name!r})"
            return INT32
        if name == "warpsize":
            v.emit = lambda _: self.literal(32, INT32)
            return INT32
        v.emit = lambda _: "None"
        return thing("cuda." + name)

    def op_icall(self, v: Value) -> Type:
        name, args = v.extra, v.args
        family, _, member = name.partition(".")
        if family == "atomic":
            return self._atomic(v, member)
        if family == "fp16":
            return self._half(v, member)
        base, _, width = name.rpartition("x")
        if base in VECTOR_BASES and width.isdigit():
            return self._vector(v, base, int(width))
        method = getattr(self, "i_" + name.replace(".", "_"), None)
        if method is None:
            raise TypingError(f"cuda.{name} is not simulated in the interpreted backend")
        return method(v, args)

    def _want(self, v: Value, *counts: int) -> None:
        if len(v.args) not in counts:
            raise TypingError(f"cuda.{v.extra} takes {' or '.join(map(str, counts))} arguments, not {len(v.args)}")

    def _axes(self, v: Value, name: str) -> Type:
        self._want(v, 1)
        n = self.constant(v.args[0])
        if n not in (1, 2, 3):
            raise TypingError(f"cuda.{name} takes 1, 2 or 3")
        if n == 1:
            v.emit = lambda _: f"g.special('{name}.x')"
            return INT64
        v.emit = lambda _: "(" + ", ".join(f"g.special('{name}.{axis}')" for axis in "xyz"[:n]) + ")"
        return Tuple((INT64,) * n)

    def i_grid(self, v, args):
        return self._axes(v, "grid")

    def i_gridsize(self, v, args):
        return self._axes(v, "gridsize")

    # Memory

    def _allocation(self, v: Value, args):
        named = dict(zip(v.names, args[len(args) - len(v.names) :], strict=True))
        given = dict(zip(("shape", "dtype", "alignment"), args[: len(args) - len(v.names)], strict=False)) | named
        if "shape" not in given or "dtype" not in given:
            raise TypingError(f"cuda.{v.extra} takes a shape and a dtype")
        shape = self.constant(given["shape"])
        if isinstance(shape, int | np.integer):
            shape = (shape,)
        if not isinstance(shape, tuple) or not all(isinstance(n, int | np.integer) and n >= 0 for n in shape):
            raise TypingError(
                f"The shape given to cuda.{v.extra} is not a constant: it has to be known when the kernel is compiled, "
                "as a number in the source or a variable outside the kernel"
            )
        t = given["dtype"].type
        item = t.value if isinstance(t, Thing) and isinstance(t.value, Type) else None
        if item is None and isinstance(t, Thing) and not (isinstance(t.value, str) and t.value.startswith("cuda.")):
            item = dtype_of_thing(t.value)
        if item is None:
            raise TypingError(f"cuda.{v.extra} needs a type such as np.float32, not {t}")
        return tuple(int(n) for n in shape), item

    def _allocate(self, v, args, method):
        shape, item = self._allocation(v, args)
        node = v.place.node
        # A device function that is called twice has one shared array, as in Numba.
        key = (v.place.function.pyfunc, node.lineno, node.col_offset, shape, str(item))
        info = Allocation(key, self._assigned_name(v), shape, item.dtype)
        self.allocations[v] = info
        v.emit = lambda _: f"g.{method}({self.k(info)})"
        return Array(item, len(shape))

    def _assigned_name(self, v: Value) -> str:
        for node in ast.walk(v.place.function.node):
            if isinstance(node, ast.Assign) and node.value is v.place.node:
                return ast.unparse(node.targets[0])
        return ast.unparse(v.place.node)

    def i_shared_array(self, v, args):
        return self._allocate(v, args, "shared")

    def i_local_array(self, v, args):
        return self._allocate(v, args, "local")

    def i_const_array_like(self, v, args):
        self._want(v, 1)
        if not isinstance(args[0].type, Array):
            raise TypingError("cuda.const.array_like takes an array from outside the kernel")
        v.emit = lambda n: n[0]
        return args[0].type

    def _atomic(self, v: Value, name: str) -> Type:
        args = v.args
        if name == "compare_and_swap":
            self._want(v, 3)
            base, index, operands = args[0], None, args[1:]
        else:
            self._want(v, 4 if name == "cas" else 3)
            base, index, operands = args[0], args[1], args[2:]
        t = base.type
        if not isinstance(t, Array) or not isinstance(t.item, Scalar):
            raise TypingError(f"cuda.atomic.{name} works on an element of an array, not on {t}")
        if t.item.letter not in ATOMIC_TYPES[name]:
            allowed = ", ".join(str(SCALARS[c]) for c in ATOMIC_TYPES[name])
            raise TypingError(f"cuda.atomic.{name} works on arrays of {allowed}, not of {t.item}")
        if index is not None and not self._index(t, index)[1]:
            raise TypingError(f"cuda.atomic.{name} wants {t.ndim} whole number{'s' * (t.ndim != 1)} as the index")
        for operand in operands:
            if not isinstance(operand.type, Scalar) or operand.type.letter in COMPLEXES:
                raise TypingError(f"cuda.atomic.{name} does not take {operand.type}")
        access = self.access(v, base, "atomic", name)
        function = self.k(getattr(atomics, name.rstrip("_") + "_"))

        def emit(n):
            values = [self.cast(x, o.type, t.item) for x, o in zip(n[len(n) - len(operands) :], operands, strict=True)]
            at = self._tupled(index, n[1]) if index is not None else f"({'0, ' * t.ndim})"
            return f"{function}(g, {n[0]}, {at}, {', '.join(values)}, {self.k(access)}, {v.uses > 0})"

        v.emit = emit
        return t.item

    # Waiting

    def op_wait(self, v: Value) -> Type:
        name, args = v.extra, v.args
        if name == "grid.sync":
            if args[0].type != thing("cuda.cg.this_grid()"):
                raise TypingError(f"{args[0].type} has no method sync: only cuda.cg.this_grid() has")
            return NONE
        if name in COUNTS and len(args) not in COUNTS[name]:
            raise TypingError(f"cuda.{name} takes {COUNTS[name][-1]} arguments, not {len(args)}")
        if name not in COUNTS and len(args) != 2:
            raise TypingError(f"cuda.{name} takes a mask and a value")
        for a in args:
            if not isinstance(a.type, Scalar) or a.type.letter in COMPLEXES:
                raise TypingError(f"cuda.{name} does not take {a.type}")
        if name.startswith("shfl"):
            if args[1].type.letter not in "ilILfd":
                raise TypingError(
                    f"cuda.{name} only supports int32, int64, float32 and float64 values, not {args[1].type}"
                )
            return args[1].type
        return WAIT_TYPES[name]

    def i_activemask(self, v, args):
        v.emit = lambda _: f"{self.k(warps.active)}(g)"
        return UINT32

    def i_lanemask_lt(self, v, args):
        v.emit = lambda _: f"{self.k(warps.below)}(g)"
        return UINT32

    def _fence(self, v):
        name = v.extra
        v.emit = lambda _: f"g.fence({self.k(v.place)}, {name!r})"
        return NONE

    def i_threadfence(self, v, args):
        return self._fence(v)

    i_threadfence_block = i_threadfence_system = i_threadfence

    def i_nanosleep(self, v, args):
        v.emit = lambda _: "None"
        return NONE

    # Arithmetic

    def _integer(self, v: Value, function, result=None) -> Type:
        self._want(v, 1)
        t = v.args[0].type
        if not isinstance(t, Scalar) or t.letter not in INTEGERS:
            raise TypingError(f"cuda.{v.extra} takes an integer, not {t}")
        if v.extra == "brev":
            wide = SCALARS["L" if t.letter in "lL" else "I"]
            v.emit = lambda n: f"{self.k(function)}({self.cast(n[0], t, wide)})"
            return wide
        v.emit = lambda n: f"{self.k(function)}({n[0]}).astype({self.k((result or t).dtype)}, copy=False)"
        return result or t

    def i_popc(self, v, args):
        return self._integer(v, bits.popc)

    def i_clz(self, v, args):
        return self._integer(v, bits.clz)

    def i_brev(self, v, args):
        return self._integer(v, bits.brev)

    def i_ffs(self, v, args):
        return self._integer(v, bits.ffs, UINT32)

    def i_cbrt(self, v, args):
        self._want(v, 1)
        t = args[0].type
        result = SCALARS["f"] if t == SCALARS["f"] else SCALARS["d"]
        v.emit = lambda n: f"{self.k(np.cbrt)}({self.cast(n[0], t, result)})"
        return result

    def i_fma(self, v, args):
        self._want(v, 3)
        result = SCALARS["f"] if all(a.type == SCALARS["f"] for a in args) else SCALARS["d"]
        types = [a.type for a in args]
        v.emit = lambda n: (
            f"{self.k(bits.fma)}({', '.join(self.cast(x, t, result) for x, t in zip(n, types, strict=True))})"
        )
        return result

    def i_selp(self, v, args):
        self._want(v, 3)
        test, a, b = args
        result, truth = promotion.unify(a.type, b.type), self._truth(test.type)
        v.emit = lambda n: (
            f"{self.k(scalars.select)}({truth(n[0])}, {self.cast(n[1], a.type, result)}, {self.cast(n[2], b.type, result)})"
        )
        return result

    def _half(self, v: Value, name: str) -> Type:
        function, count = bits.HALF.get(name, (None, 0))
        if function is None:
            raise TypingError(f"cuda.fp16.{name} is not simulated in the interpreted backend")
        self._want(v, count)
        half, result = SCALARS["e"], BOOL if name in bits.HALF_COMPARISONS else SCALARS["e"]
        types = [a.type for a in v.args]
        v.emit = lambda n: (
            f"{self.k(function)}({', '.join(self.cast(x, t, half) for x, t in zip(n, types, strict=True))})"
        )
        return result

    def _vector(self, v: Value, base: str, width: int) -> Type:
        item = next(t for t in SCALARS.values() if str(t) == base)
        parts = []  # (argument, which of its items, type)
        for k, a in enumerate(v.args):
            if isinstance(a.type, Tuple):
                parts += [(k, j, t) for j, t in enumerate(a.type.items)]
            else:
                parts.append((k, None, a.type))
        if len(parts) == 1 and width > 1:
            parts *= width
        if len(parts) != width or not all(isinstance(t, Scalar) for _, _, t in parts):
            raise TypingError(f"{base}x{width} takes {width} numbers")

        def emit(n):
            texts = [self.cast(n[k] if j is None else f"{n[k]}[{j}]", t, item) for k, j, t in parts]
            return "(" + "".join(t + ", " for t in texts) + ")"

        v.emit = emit
        return Tuple((item,) * width, None, tuple("xyzw"[:width]))


__all__ = ["INT64", "IntrinsicTyping", "Record"]
