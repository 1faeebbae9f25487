"""``protocols.blend``: any library's arrays, and where they are CuPy's or Numba's one kernel: as near the limit as can be."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import devices, guard
from ..cases import Case, uniform
from ..devices import cp
from ..differences import same
from ..functions import FunctionJudge
from ..guard import article
from ..memory.account import Traffic, keeping_digits
from ..problem import Problem, Wrong
from ..verdict import refuse
from .frozen import Frozen, bare


def blend(a: np.ndarray, b: np.ndarray, t: float) -> np.ndarray:
    """The specification: a + t (b - a), cut off at 0 and 1; for two arrays of the same shape and dtype (float32 or float64),
    reckoned in float64 and returned in their dtype."""
    wide, other = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return np.clip(wide + t * (other - wide), 0, 1).astype(a.dtype)


def _others(problem: Problem, function: Any) -> None:
    """The same function with the arrays of three other libraries."""
    a, b, t = uniform(5, 3, seed=10) * 2, uniform(5, 3, seed=11), 0.25
    expected = blend(a, b, t)
    for name, bring, own in (
        ("NumPy arrays", lambda x: x, lambda got: isinstance(got, np.ndarray)),
        ("immutable arrays, like JAX's", Frozen, lambda got: isinstance(got, Frozen)),
        ("Numba device arrays", _numba, devices.is_device),
    ):
        trips = Frozen.trips
        got = guard.call(function, bring(a), bring(b), t, limit=problem.time_limit).value
        if not own(got):
            wanted = "a CuPy array" if "Numba" in name else "of the same library"
            refuse("backend", f"the result should be {wanted}; it is {article(got)}.", case=name)
        if Frozen.trips != trips:
            refuse("backend", "a NumPy function took the numbers to the host, and said nothing.", case=name)
        if not same(devices.to_host(bare(got)), expected, 1e-12, 1e-15):
            refuse("value", "the numbers are others than with CuPy's arrays.", case=name)


def _numba(x: np.ndarray) -> Any:
    from numba import cuda

    return cuda.as_cuda_array(devices.to_device(x))


def _pair(*shape: int, seed: int = 0, dtype: str = "float64") -> tuple[np.ndarray, np.ndarray]:
    return (uniform(*shape, seed=seed) * 3 - 1).astype(dtype), (uniform(*shape, seed=seed + 50) * 3 - 1).astype(dtype)


_LARGE = Case("two arrays of 200 000 and 0.3", lambda: (*_pair(200_000), 0.3))
_CODE = "T v = a + T(t) * (b - a); y = v < T(0) ? T(0) : (v > T(1) ? T(1) : v)"


def _adopted(x):
    return cp.asarray(x) if hasattr(x, "__cuda_array_interface__") else x


def _namespace(x):
    return x.__array_namespace__() if hasattr(x, "__array_namespace__") else np


def _generic(a, b, t):
    a, b = _adopted(a), _adopted(b)
    return _namespace(a).clip(a + t * (b - a), 0, 1)


def _kernel(a, b, t):
    if not hasattr(a, "__cuda_array_interface__"):
        return _generic(a, b, t)
    kernel = cp.ElementwiseKernel("T a, T b, float64 t", "T y", _CODE, "blend")
    return kernel(cp.asarray(a), cp.asarray(b), t)


def _fused(a, b, t):
    if not hasattr(a, "__cuda_array_interface__"):
        return _generic(a, b, t)
    whole = cp.fuse(kernel_name="blend")(lambda a, b, t: cp.minimum(cp.maximum(a + t * (b - a), 0), 1))
    return whole(cp.asarray(a), cp.asarray(b), t)


def _only_cupy(a, b, t):
    return cp.ElementwiseKernel("T a, T b, float64 t", "T y", _CODE, "blend")(a, b, t)


def _no_numba(a, b, t):
    return _kernel(a, b, t) if devices.is_device(a) or not hasattr(a, "copy_to_host") else a.copy_to_host()


def _numpy_too(a, b, t):
    if hasattr(a, "__cuda_array_interface__"):
        return _kernel(a, b, t)
    return np.clip(np.asarray(a) + t * (np.asarray(b) - np.asarray(a)), 0, 1)


def _changed(code: str) -> Any:
    def answer(a, b, t):
        if not hasattr(a, "__cuda_array_interface__"):
            return _generic(a, b, t)
        return cp.ElementwiseKernel("T a, T b, float64 t", "T y", code, "blend")(cp.asarray(a), cp.asarray(b), t)

    return answer


def _into_a(a, b, t):
    result = _kernel(a, b, t)
    a[...] = result
    return result


def _host(a, b, t):
    return devices.to_host(_kernel(a, b, t))


def _by_the_host(a, b, t):
    if devices.is_device(a):
        return cp.asarray(_generic(a.get(), b.get(), t))
    return _generic(a, b, t)


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
        compare=keeping_digits(1e-12, 1e-15, advice="Let the kernel reckon in the type of a: `T`, and no `float`."),
        fresh=True,
        after=(
            _others,
            Traffic(
                _LARGE,
                allowed=40,
                limit=24,
                means="a and b read once, the result written once",
                large=lambda n: (cp.random.random(n), cp.random.random(n), 0.3),
                near=True,
            ),
        ),
        verified="and NumPy's arrays, Numba's device arrays, and immutable ones as JAX has them",
    ),
    hints=(
        "The version as given makes four kernels: what each reads and writes comes to 80 bytes for each pair. Fuse them where "
        "the arrays are on a device; elsewhere the general line is what you have.",
        "Two branches: `if hasattr(a, '__cuda_array_interface__')`, adopt both with `cp.asarray` and launch one kernel; "
        "otherwise the line as it was.",
        "`@cp.fuse()` above a function of its own, `cp.minimum(cp.maximum(a + t * (b - a), 0), 1)`; or an `ElementwiseKernel` with "
        "the types `T a, T b, float64 t`.",
    ),
    wrong={
        "traffic": Wrong(_generic, "traffic", hint="Each operation is a kernel. `cp.fuse` makes one of them."),
        "only-cupy": Wrong(_only_cupy, "exception", hint="A kernel of CuPy's takes CuPy's arrays. What of the others?"),
        "numba": Wrong(_no_numba, "backend", hint="`cp.asarray` adopts a Numba device array."),
        "frozen": Wrong(_numpy_too, "backend", hint="Ask a for its `__array_namespace__`."),
        "operands": Wrong(
            _changed("T v = b + T(t) * (a - b); y = v < T(0) ? T(0) : (v > T(1) ? T(1) : v)"),
            "operands",
            lambda a, b, t: blend(b, a, t),
            "a and b are exchanged: at t = 0 the result should be a.",
        ),
        "overflow": Wrong(
            _changed("y = a + T(t) * (b - a)"),
            "overflow",
            lambda a, b, t: a + t * (b - a),
            "nothing was cut off at 0 and 1.",
        ),
        "border": Wrong(
            _changed("T v = a + T(t) * (b - a); y = v > T(1) ? T(1) : v"),
            "overflow",
            lambda a, b, t: np.minimum(a + t * (b - a), 1),
            "only what is over 1 was cut off; what is under 0 was not.",
        ),
        "sign": Wrong(
            _changed("T v = a + T(t) * (a - b); y = v < T(0) ? T(0) : (v > T(1) ? T(1) : v)"),
            "sign",
            lambda a, b, t: np.clip(a + t * (a - b), 0, 1),
            "the way leads from b to a and beyond: b - a is meant.",
        ),
        "dtype": Wrong(
            _changed("float v = a + float(t) * (b - a); y = v < 0 ? 0 : (v > 1 ? 1 : v)"),
            "dtype",
        ),
        "aliasing": Wrong(_into_a, "aliasing", hint="The caller still needs a."),
        "host": Wrong(_host, "host", hint="Leave out what fetches it."),
        "transfer": Wrong(_by_the_host, "transfer", hint="Adopt the arrays where they lie."),
    },
    right={"one kernel": _kernel, "fused": _fused},
)
