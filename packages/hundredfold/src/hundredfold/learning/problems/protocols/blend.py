"""``protocols.blend``: any library's arrays, and where they are CuPy's or Numba's one kernel: as near the limit as can be."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from .. import devices, guard
from ..cases import Case, uniform
from ..device_memory import Traffic, keeping_digits
from ..devices import cp
from ..differences import same
from ..facts import crossings
from ..functions import FunctionJudge
from ..guard import article
from ..problem import Mistake, Problem
from ..properties import Drawn, Property, Strategy, constants, dtypes, layouts, other_data, second_call, sizes, tiny
from ..traffic import spell, watch
from ..verdict import in_case, refuse
from .frozen import Frozen, bare


def blend(a: np.ndarray, b: np.ndarray, t: float) -> np.ndarray:
    """The specification: a + t (b - a), cut off at 0 and 1; for two arrays of the same shape and dtype (float32 or float64),
    computed in float64 and returned in their dtype."""
    wide, other = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return np.clip(wide + t * (other - wide), 0, 1).astype(a.dtype)


_SHARES = (0.25, 0.0, 1.0, -0.5, 1.5, 1, 0)
"""Python numbers: also whole ones, and beyond a and b."""


def _others(problem: Problem, function: Any) -> None:
    """The same function with the arrays of three other libraries."""
    for dtype in ("float64", "float32"):
        for t in _SHARES:
            for backend in (
                ("NumPy arrays", lambda x: x, lambda got: isinstance(got, np.ndarray)),
                ("immutable arrays, like JAX's", Frozen, lambda got: isinstance(got, Frozen)),
                ("Numba device arrays", _numba, devices.is_device),
            ):
                with in_case(f"{backend[0]} of {dtype} and {t}"):
                    _other(problem, function, *backend, dtype, t)


def _other(problem: Problem, function: Any, name: str, bring: Any, own: Any, dtype: str, t: float) -> None:
    hosts = [(uniform(5, 3, seed=seed) * 3 - 1).astype(dtype) for seed in (10, 11)]
    expected = blend(*hosts, t)
    a, b = (bring(host.copy()) for host in hosts)
    trips = Frozen.trips
    with watch() as moved:
        got = guard.call(function, a, b, t, limit=problem.time_limit).value
    if not own(got):
        wanted = "a CuPy array" if "Numba" in name else "of the same library"
        hint = "`cp.asarray` adopts a Numba device array." if "Numba" in name else ""
        refuse("backend", f"the result should be {wanted}; it is {article(got)}.", advice=hint)
    if Frozen.trips != trips:
        refuse("backend", "a NumPy function took the numbers to the host, and said nothing.")
    if moved.bus > 16:
        refuse("transfer", f"{spell(moved.bus)} crossed the bus. The numbers should stay where they are.", advice=_STAY)
    result = devices.to_host(bare(got))
    if result.dtype != dtype:
        refuse("dtype", f"the result's dtype is {result.dtype}; it should be {dtype}.")
    if not same(result, expected, *((1e-12, 1e-15) if dtype == "float64" else (1e-5, 3e-7))):
        refuse("value", "the numbers are others than with CuPy's arrays.")
    for before, after in zip(hosts, (a, b), strict=True):
        if not np.array_equal(before, devices.to_host(cp.asarray(after) if "Numba" in name else bare(after))):
            refuse("aliasing", "the result is right, but an argument was changed by the call.")


def _with_numba(problem: Problem, function: Any) -> str:
    """The traffic with Numba's arrays: they lie on a device too."""
    return _TRAFFIC(problem, lambda a, b, t: function(_as_numba(a), _as_numba(b), t))


def _numba(x: np.ndarray) -> Any:
    return _as_numba(devices.to_device(x))


def _as_numba(x: Any) -> Any:
    from numba import cuda

    return cuda.as_cuda_array(x)


def _shares(rng: np.random.Generator, arguments: tuple[Any, ...], t: float) -> tuple[Any, ...]:
    return (*arguments[:2], t)


def _pair(*shape: int, seed: int = 0, dtype: str = "float64") -> tuple[np.ndarray, np.ndarray]:
    return (uniform(*shape, seed=seed) * 3 - 1).astype(dtype), (uniform(*shape, seed=seed + 50) * 3 - 1).astype(dtype)


_STAY = "Adopt the arrays where they lie: `cp.asarray` of a device array copies nothing."
_LARGE = Case("two arrays of 200 000 and 0.3", lambda: (*_pair(200_000), 0.3))
_TABLE = Case("two arrays of 300 × 500 and 0.3", lambda: (*_pair(300, 500), 0.3))
_TRAFFIC = Traffic(
    _LARGE,
    allowed=40,
    limit=24,
    means="a and b read once, the result written once",
    near=True,
)


BLEND = Problem(
    id="protocols.blend",
    title="Any arrays, and fast where it can be",
    kind="open",
    answers=("blend",),
    specification=blend,
    lines=8,
    judge=FunctionJudge(
        cases=(
            Case("seven pairs of numbers", lambda: (*_pair(7), 0.25)),
            Case("1009 pairs in float32", lambda: (*_pair(1009, seed=1, dtype="float32"), 0.7), None, 1e-5, 2e-7),
            Case("one pair", lambda: (np.array([0.25]), np.array([0.75]), 0.5)),
            Case("every other column", lambda: (*_pair(6, 8, seed=4), 0.3), lambda x: x[:, ::2]),
            Case("transposed arrays", lambda: (*_pair(3, 7, seed=6), 0.9), lambda x: x.T),
            Case("no numbers", lambda: (np.empty(0), np.empty(0), 0.5)),
        ),
        unlisted=(Case("other pairs", lambda: (*_pair(7, seed=8), 0.6)),),
        drawn=Drawn(
            lambda rng, size: (3 * rng.random(size) - 1, 3 * rng.random(size) - 1, 0.35),
            (7,),
            sizes((1,), (257,), (3, 5, 7), words="arrays of shape {}"),
            Property(
                tuple(Strategy(f"a share of {t!r}", change=partial(_shares, t=t)) for t in _SHARES),
                "`t` is any Python number: a whole one, one under 0, one over 1. What is cut off is the result.",
            ),
            tiny(atol=1e-23),
            constants(),
            dtypes("float32", rtol=1e-5, atol=3e-7),
            layouts(),
            other_data(),
            second_call(hint="Make a new array in each call: whoever kept the last result still needs it."),
        ),
        facts=(crossings("at most 16 bytes over the bus", hint=_STAY),),
        compare=keeping_digits(1e-12, 1e-15, advice="Let the kernel compute in the type of a: `T`, and no `float`."),
        fresh=True,
        after=(
            _others,
            lambda problem, function: _with_numba(problem, function) and None,
            replace(_TRAFFIC, case=_TABLE, near=False),
            _TRAFFIC,
        ),
        verified="and NumPy's arrays, Numba's device arrays, and immutable ones as JAX has them, in both dtypes",
    ),
    hints=(
        "The version as given makes four kernels: what each reads and writes comes to 80 bytes for each pair. Fuse them where "
        "the arrays are on a device; elsewhere the general line is what you have.",
        "Two branches: `if hasattr(a, '__cuda_array_interface__')`, adopt both with `cp.asarray` and launch one kernel; "
        "otherwise the line as it was.",
        "`@cp.fuse()` above a function of its own, `cp.minimum(cp.maximum(a + t * (b - a), 0), 1)`; or an `ElementwiseKernel` with "
        "the types `T a, T b, float64 t`.",
    ),
    advice={
        "traffic": "Each operation is a kernel. `cp.fuse` makes one of them.",
        "exception": "Numba's arrays have no `-` and no `*`, a kernel of CuPy's takes CuPy's arrays, and an array like JAX's cannot be written. And `float64 a` takes float64 and nothing else; `T a` takes any type.",
        "backend": "Only what has `__cuda_array_interface__` is for CuPy. For all else take the functions of its own `__array_namespace__()`.",
        "aliasing": "The caller still needs a.",
        "host": "Leave out what fetches it.",
        "transfer": _STAY,
    },
    mistakes={
        "operands": Mistake(
            "operands", "a and b are exchanged: at t = 0 the result should be a.", lambda a, b, t: blend(b, a, t)
        ),
        "overflow": Mistake("overflow", "nothing was cut off at 0 and 1.", lambda a, b, t: a + t * (b - a)),
        "border": Mistake(
            "overflow",
            "only what is over 1 was cut off; what is under 0 was not.",
            lambda a, b, t: np.minimum(a + t * (b - a), 1),
        ),
        "sign": Mistake(
            "sign",
            "the way leads from b to a and beyond: b - a is meant.",
            lambda a, b, t: np.clip(a + t * (a - b), 0, 1),
        ),
    },
)
