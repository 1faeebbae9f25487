"""All of CuPy's ufuncs: the table read from the real library, and what computes each of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .kernel import ufunc

_HERE = Path(__file__).parent

# What CuPy refuses although its table has the loop (cupy/_core/_routines_math.pyx).
_REFUSED = {
    "cupy_subtract": {
        "??->?": "cupy boolean subtract, the `-` operator, is deprecated, use the bitwise_xor, the `^` operator, or the "
        "logical_xor function instead."
    },
    "cupy_negative": {
        "?->?": "The cupy boolean negative, the `-` operator, is not supported, use the `~` operator or the logical_not "
        "function instead."
    },
    "cupy_positive": {"?->?": "The cupy boolean positive, the `+` operator, is not supported."},
}


def _power(x: Any, y: Any, out: np.ndarray) -> None:
    """Integers to negative powers are 0, 1 or -1 (`integral_power`), where NumPy raises."""
    if out.dtype.kind not in "iu":
        # complex 0 ** 0 is 1 in both.
        np.power(x, y, out=out, casting="unsafe")
        return
    x, y = np.asarray(x, out.dtype), np.asarray(y, out.dtype)
    if out.dtype.kind == "u" or not (y < 0).any():
        np.power(x, y, out=out)
        return
    result = np.power(x, np.maximum(y, 0))
    one = np.where(x == -1, np.where(y % 2 == 0, 1, -1), np.where(x == 1, 1, 0))
    np.copyto(out, np.where(y < 0, one, result), "unsafe")


def _positive(x: Any, out: np.ndarray) -> None:
    np.copyto(out, x, "unsafe")


def _fix(x: Any, out: np.ndarray) -> None:
    np.trunc(x, out=out, casting="unsafe")


def _sinc(x: Any, out: np.ndarray) -> None:
    np.copyto(out, np.sinc(x), "unsafe")


def _i0(x: Any, out: np.ndarray) -> None:
    from scipy import special

    if np.iscomplexobj(x):
        np.copyto(out, special.iv(0, x), "unsafe")
    else:
        special.i0(x, out=out, casting="unsafe")


def _integer(function: np.ufunc) -> Callable:
    """For bool, which NumPy has no loop for: 0 and 1 are numbers to CuPy."""

    def run(x: Any, y: Any, out: np.ndarray) -> None:
        if out.dtype == bool:
            np.copyto(out, function(np.asarray(x, np.int8), np.asarray(y, np.int8)), "unsafe")
        else:
            function(x, y, out=out, casting="unsafe")

    return run


_OWN: dict[str, Callable] = {
    "cupy_power": _power,
    "cupy_positive": _positive,
    "cupy_fix": _fix,
    "cupy_sinc": _sinc,
    "cupy_i0": _i0,
    "cupy_gcd": _integer(np.gcd),
    "cupy_lcm": _integer(np.lcm),
}


def _make() -> tuple[dict[str, ufunc], dict[str, ufunc]]:
    by_kernel, by_name = {}, {}
    for kernel, entry in json.loads((_HERE / "ufuncs.json").read_text()).items():
        function = _OWN.get(kernel) or getattr(np, entry["names"][0])
        made = ufunc(kernel, entry["types"], function, entry["nin"], _REFUSED.get(kernel))
        by_kernel[kernel] = made
        for name in entry["names"]:
            by_name[name] = made
    return by_kernel, by_name


def _select(condition: Any, x: Any, y: Any, out: np.ndarray) -> None:
    np.copyto(out, y, "unsafe")
    np.copyto(out, x, "unsafe", where=condition)


def _clip(x: Any, low: Any, high: Any, out: np.ndarray) -> None:
    np.clip(x, low, high, out=out)


by_kernel, by_name = _make()
# Two that CuPy keeps to itself, behind cupy.clip and cupy.where.
clip = by_kernel["cupy_clip"] = ufunc(
    "cupy_clip",
    "???->? bbb->b BBB->B hhh->h HHH->H iii->i III->I lll->l LLL->L qqq->q QQQ->Q eee->e fff->f ddd->d",
    _clip,
    3,
)
where = by_kernel["cupy_where"] = ufunc(
    "cupy_where",
    "???->? ?bb->b ?BB->B ?hh->h ?HH->H ?ii->i ?II->I ?ll->l ?LL->L ?qq->q ?QQ->Q ?ee->e ?ff->f ?dd->d ?FF->F ?DD->D",
    _select,
    3,
)


def lookup(kernel: str) -> ufunc:
    """The ufunc of a kernel's name; how a ufunc is pickled."""
    return by_kernel[kernel]
