"""What the launches of array libraries calculate: which can be fused, how many operations each does.

Elementwise functions cost what `times.costs` says of the same function in a kernel.  Products of matrices count a
multiplication and an addition for each pair; factorisations what LAPACK's working notes count [LAPACK Users' Guide, "Operation
Counts for the BLAS and LAPACK"]; a Fourier transform 5 n log2 n, which is not certain: other splittings need fewer.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection
from typing import Any

import numpy as np

from kernellens.times import costs

from .operands import Sides

BLOCK = 128
"""Threads of a block in CuPy's elementwise kernels [cupy/_core/_kernel.pyx, block_size=128]."""

_ENDS = frozenset("cupy_sum cupy_prod cupy_max cupy_min cupy_all cupy_any".split())
"""Reductions that `cupy.fuse` takes as the last operation [cupy/_core/_fusion_interface.py, read]."""
_BINARY = {
    **{"add": "add", "subtract": "sub", "multiply": "mul", "true_divide": "truediv", "floor_divide": "floordiv"},
    **{"remainder": "mod", "power": "pow", "maximum": "max", "minimum": "min", "equal": "eq", "not_equal": "ne"},
    **{"less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "negative": "sub", "square": "mul"},
}
_MOVING = frozenset("copy where clip positive real imag conjugate isnan isinf isfinite logical_not sign".split())


def is_fusable(name: str, by: Any) -> bool:
    """Whether a launch works element by element, so that `cupy.fuse` can put it into one kernel with others."""
    return name == "cupy_copy" or (name in _ufuncs() and type(by).__name__ != "Fusion")


def may_end(name: str) -> bool:
    """Whether a launch is a reduction that a fused kernel may end with."""
    return name.removesuffix("_with_dtype") in _ENDS


def _ufuncs() -> Any:
    module = sys.modules.get("cupy._core.ufuncs")
    return module.by_kernel if module is not None else ()


def distinct(view: np.ndarray) -> int:
    """Bytes of a view's elements, one that broadcasting repeats counted once."""
    steps = zip(view.shape, view.strides, strict=True)
    return math.prod(n for n, step in steps if step or not n) * view.itemsize


def shape(writes: list[np.ndarray], reads: list[np.ndarray]) -> tuple[int, ...]:
    """What a launch goes over: the largest of its operands."""
    largest = max((*writes, *reads), key=lambda view: view.size, default=None)
    return () if largest is None else largest.shape


def counted(name: str, by: Any, found: Sides, args: tuple, reads: Collection[np.ndarray]) -> dict[str, Any]:
    """The operations of a launch, as keywords for an `Event`: of what runs, its arguments, and what it reads in their order."""
    if found.numba:
        return {
            "threads": by.blocks * math.prod(by.blockdim),
            "block": math.prod(by.blockdim),
            "blocks": by.blocks,
        }
    if name in _ufuncs():
        return _elementwise(name.removeprefix("cupy_"), found, args)
    # A product or factorisation is queued with its NumPy function as an argument.
    function = next((value for value in args[:2] if callable(value)), None)
    if reads and function is not None:
        products = _product(function, list(reads), found)
        if products:
            return {"products": products}
    if name.startswith(("cufft", "cupy_fft")) and found.writes:
        n = max((v.size for v in (*found.writes, *found.reads)), default=0)
        kind = _kind(found.writes[0].dtype)
        return {"operations": {kind: 5.0 * n * math.log2(max(n, 2))}} if kind else {}
    if may_end(name) and found.reads:
        kind = _kind(found.reads[0].dtype) or "int32"
        return {"operations": {kind: float(found.reads[0].size)}}
    return {}


def _kind(dtype: np.dtype) -> str | None:
    return costs.FLOATS.get(dtype.char)


def _elementwise(name: str, found: Sides, args: tuple) -> dict[str, Any]:
    views = found.reads or found.writes
    if not views or not found.writes:
        return {}
    n = found.writes[0].size
    letter = max((*found.reads, *found.writes), key=lambda v: (v.dtype.kind in "fc", v.itemsize)).dtype.char
    constant = next((float(o) for o in args[1:2] if isinstance(o, (int, float, np.floating, np.integer))), None)
    if name in _MOVING:
        cost = costs.Cost({})
    elif name in _BINARY:
        cost = costs.binary(_BINARY[name], letter, constant)
    elif letter in costs.FLOATS:
        cost = costs.function(name, letter)
    else:
        cost = costs.Cost({"int32": 1.0})
    kind = costs.FLOATS.get(letter, "int32")
    return {
        "operations": {unit: n * slots for unit, slots in cost.slots.items() if slots},
        "certain": {kind: n * cost.certain} if cost.certain else {},
        "threads": n,
        "block": BLOCK,
        "blocks": -(-n // BLOCK),
    }


def _product(function: Any, views: list[np.ndarray], found: Sides) -> dict[str, float]:
    kind = _kind(np.result_type(*views))
    if kind is None or not found.writes:
        return {}
    a = views[0]
    flops = 0.0
    if function in (np.matmul, np.dot, np.inner, np.vdot) and len(views) > 1 and a.ndim:
        flops = 2.0 * sum(w.size for w in found.writes) * (a.size if function is np.vdot else a.shape[-1])
    elif function is np.tensordot and found.writes[0].size:
        flops = 2.0 * math.sqrt(float(a.size) * views[1].size * found.writes[0].size)
    elif a.ndim >= 2 and getattr(function, "__module__", "") == "numpy.linalg":
        m, n = sorted(a.shape[-2:], reverse=True)
        flops = float(math.prod(a.shape[:-2])) * _FACTORISATIONS.get(function.__name__, lambda m, n: 0.0)(m, n)
    return {kind: flops * (4 if a.dtype.kind == "c" else 1)} if flops else {}


_FACTORISATIONS = {
    "solve": lambda m, n: 2 / 3 * n**3,
    "inv": lambda m, n: 2.0 * n**3,
    "det": lambda m, n: 2 / 3 * n**3,
    "slogdet": lambda m, n: 2 / 3 * n**3,
    "cholesky": lambda m, n: n**3 / 3,
    "qr": lambda m, n: 2.0 * m * n**2 - 2 / 3 * n**3,
    "eigvalsh": lambda m, n: 4 / 3 * n**3,
    "eigh": lambda m, n: 4 / 3 * n**3,
    "svd": lambda m, n: 4.0 * m * n**2 - 4 / 3 * n**3,
}
"""Least operations for an m by n matrix, m >= n: of symmetric eigenvalues and singular values, the reduction alone."""
