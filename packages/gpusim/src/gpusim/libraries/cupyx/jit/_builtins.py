"""The functions that a JIT kernel calls, in C."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from gpusim.importing.errors import NotSimulatedError

from . import _types
from ._objects import Array, Builtin, Constant, Dim3, Group, Method, Number, Pointer, Range, Tuple

_ATOMICS = {
    "Add": "int32 uint32 uint64 float32 float64", "Sub": "int32 uint32", "Exch": "int32 uint32 uint64 float32",
    "Min": "int32 uint32 uint64", "Max": "int32 uint32 uint64", "Inc": "uint32", "Dec": "uint32",
    "CAS": "int32 uint32 uint64", "And": "int32 uint32 uint64", "Or": "int32 uint32 uint64", "Xor": "int32 uint32 uint64",
}  # fmt: skip
_SHUFFLED = "int32 uint32 int64 float32 float64 uint64 float16"


def call(t: Any, function: Builtin, args: list, kwargs: dict) -> Any:
    """A call of a function of ``cupyx.jit`` or a known one of Python's."""
    return globals()[f"_{function.name}"](t, function.argument, *args, **kwargs)


def _range(t: Any, _: Any, *args: Any, unroll: Any = None) -> Range:
    if not 1 <= len(args) <= 3:
        few = "at least 1 argument, got 0" if not args else f"at most 3 argument, got {len(args)}"
        raise TypeError(f"range expected {few}")
    start, stop, step = (
        (Constant(0), args[0], Constant(1)) if len(args) == 1 else (*args, Constant(1)) if len(args) == 2 else args
    )
    if unroll is not None:
        if not all(isinstance(x, Constant) for x in (start, stop, step, unroll)):
            raise TypeError("loop unrolling requires constant start, stop, step and unroll value")
        if not isinstance(unroll.obj, int):
            raise TypeError(f"unroll value expected to be of type int, got {type(unroll.obj).__name__}")
        if unroll.obj is not True and unroll.obj is not False and not 0 < unroll.obj < 1 << 31:
            import warnings

            warnings.warn(
                "loop unrolling is ignored as the unroll value is non-positive or greater than INT_MAX", stacklevel=2
            )
    positive = step.obj >= 0 if isinstance(step, Constant) else True if step.dtype.kind == "u" else None
    numbers = [t.number(x) for x in (start, stop, step)]
    if any(n.dtype.kind not in "iu" for n in numbers):
        raise TypeError("range supports only for integer type.")
    return Range(*numbers, np.dtype(np.int64) if t.mode == "numpy" else numbers[1].dtype, positive)


def _len(t: Any, _: Any, *args: Any, **kwargs: Any) -> Number:
    if len(args) != 1:
        raise TypeError(f"len() expects only 1 argument, got {len(args)}")
    if kwargs:
        raise TypeError("keyword arguments are not supported")
    if not isinstance(args[0], Array):
        raise TypeError("len() supports only array type")
    if not args[0].ndim:
        raise TypeError("len() of unsized array")
    return t.of_array(args[0], "shape").items[0]


def _extreme(t: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    if len(args) < 2:
        raise TypeError(f"{name}() expects at least 2 arguments, got {len(args)}")
    if kwargs:
        raise TypeError("keyword arguments are not supported")
    made = args[0]
    for each in args[1:]:
        made = t.ufunc(f"cupy_{name}imum", [made, each])
    return made


def _syncthreads(t: Any, _: Any) -> Number:
    return Number("__syncthreads()", np.int32)


def _syncwarp(t: Any, _: Any, *, mask: Any = None) -> Number:
    if mask is None:
        return Number("__syncwarp()", np.int32)
    if isinstance(mask, Constant) and not 0 <= mask.obj <= 0xFFFFFFFF:
        raise ValueError("mask is out of range")
    return Number(f"__syncwarp({t.number(mask).code})", np.int32)


def _shared_memory(t: Any, _: Any, dtype: Any, size: Any, alignment: Any = None) -> Pointer:
    if not all(isinstance(x, Constant) for x in (dtype, size, *([alignment] if alignment else []))):
        raise TypeError("Arguments must be constants.")
    kind, name = np.dtype(dtype.obj), t.fresh("_smem")
    if size.obj is None:
        t.declared.append(f"extern __shared__ {_types.ctype(kind)} {name}[];")
    else:
        t.declared.append(f"__shared__ {_types.ctype(kind)} {name}[{int(size.obj)}];")
    return Pointer(name, kind)


def _atomic(t: Any, op: str, array: Any, index: Any, value: Any, value2: Any = None, alt_value: Any = None) -> Number:
    if not isinstance(array, Array | Pointer):
        raise TypeError("The first argument must be of array type.")
    target = t.element(array, index)
    if op == "CAS" and isinstance(target, Number) and target.dtype == np.uint16:
        raise NotSimulatedError("atomic_cas of uint16", "uint32")
    if not isinstance(target, Number) or target.dtype.name not in _ATOMICS[op].split():
        raise TypeError(f"`atomic{op}` does not support {target.dtype} input.")
    values = [v for v in (value, value2 or alt_value) if v is not None]
    assert len(values) == (2 if op == "CAS" else 1)
    codes = []
    for v in values:
        if isinstance(v, Constant):
            codes.append(_types.written(target.dtype.type(v.obj), target.dtype))
        else:
            codes.append(t.cast(t.number(v), target.dtype, "same_kind").code)
    return Number(f"atomic{op}(&{target.code}, {', '.join(codes)})", target.dtype)


def _grid(t: Any, size: bool, ndim: Any) -> Any:
    if not isinstance(ndim, Constant):
        raise TypeError("Arguments must be constants.")
    if not isinstance(ndim.obj, int):
        raise TypeError("ndim must be an integer")
    if ndim.obj not in (1, 2, 3):
        raise ValueError("Only ndim=1,2,3 are supported")
    text = "(blockDim.{0} * gridDim.{0})" if size else "(threadIdx.{0} + blockIdx.{0} * blockDim.{0})"
    items = [Number(text.format(axis), np.uint32) for axis in "xyz"[: ndim.obj]]
    return items[0] if ndim.obj == 1 else Tuple(items)


def _laneid(t: Any, _: Any) -> Number:
    return Number("_hf_laneid()", np.uint32)


def _shuffle(t: Any, op: str, mask: Any, var: Any, val_id: Any, *, width: Any = None) -> Number:
    name = f"__shfl_{op + '_' if op else ''}sync"
    value = t.number(var)
    if value.dtype.name not in _SHUFFLED.split():
        raise TypeError(f"`{name}` does not support {value.dtype} input.")
    if not isinstance(mask, Constant):
        raise TypeError("mask must be an integer")
    if not 0 <= mask.obj <= 0xFFFFFFFF:
        raise ValueError("mask is out of range")
    if isinstance(width, Constant) and width.obj not in (2, 4, 8, 16, 32):
        raise ValueError("width needs to be power of 2")
    kind = np.dtype(np.uint32 if op in ("up", "down") else np.int32)
    lane = _types.written(val_id.obj, kind) if isinstance(val_id, Constant) else t.cast(val_id, kind, "same_kind").code
    wide = "32" if width is None else t.number(width).code
    return Number(f"{name}({mask.obj:#x}, {value.code}, {lane}, {wide})", value.dtype)


def _group(t: Any, kind: str) -> Group:
    return Group(kind)


def _group_sync(t: Any, _: Any, group: Any) -> Number:
    if not isinstance(group, Group):
        raise ValueError("group must be a valid cooperative group")
    return method(t, Method(group, "sync"), [])


def _refused(t: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    raise NotSimulatedError(f"cupyx.jit.{name}")


_BLOCK = "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))"
_SIZE = "(blockDim.x * blockDim.y * blockDim.z)"
_RANK = "((unsigned long long)blockIdx.x + gridDim.x * ((unsigned long long)blockIdx.y + gridDim.y * blockIdx.z))"
_BLOCKS = "((unsigned long long)gridDim.x * gridDim.y * gridDim.z)"


def method(t: Any, function: Method, args: list) -> Any:
    """A method of a group, or what it returns."""

    grid, name = function.group.kind == "grid", function.name
    if name == "sync":
        if not grid:
            return Number("__syncthreads()", np.int32)
        t.cooperative = True
        return Number("_hf_grid_sync()", np.int32)
    if grid:
        known = {
            "is_valid": ("true", np.bool_), "block_rank": (_RANK, np.uint64), "num_blocks": (_BLOCKS, np.uint64),
            "thread_rank": (f"({_RANK} * {_SIZE} + {_BLOCK})", np.uint64), "num_threads": (f"({_BLOCKS} * {_SIZE})", np.uint64),
            "size": (f"({_BLOCKS} * {_SIZE})", np.uint64),
        }  # fmt: skip
        dims = {"dim_blocks": "gridDim", "block_index": "blockIdx"}
    else:
        known = {"thread_rank": (_BLOCK, np.uint32), "num_threads": (_SIZE, np.uint32), "size": (_SIZE, np.uint32)}
        dims = {
            "group_index": "blockIdx",
            "thread_index": "threadIdx",
            "dim_threads": "blockDim",
            "group_dim": "blockDim",
        }
    if name in known:
        return Number(*known[name])
    if name in dims:
        return Dim3(dims[name])
    raise AttributeError(f"Unknown attribute: {name}")


PYTHON = {
    builtins.range: Builtin("range"), builtins.len: Builtin("len"), builtins.min: Builtin("extreme", "min"),
    builtins.max: Builtin("extreme", "max"),
}  # fmt: skip
