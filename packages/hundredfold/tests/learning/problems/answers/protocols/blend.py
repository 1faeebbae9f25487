"""``protocols.blend``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from typing import Any

import numpy as np

from hundredfold.learning.problems import devices
from hundredfold.learning.problems.devices import cp

from ..edits import Wrong

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


WRONG = {
    "traffic": Wrong(_generic, "traffic"),
    "only-cupy": Wrong(_only_cupy, "exception"),
    "numba": Wrong(_no_numba, "backend"),
    "frozen": Wrong(_numpy_too, "backend"),
    "operands": Wrong(_changed("T v = b + T(t) * (a - b); y = v < T(0) ? T(0) : (v > T(1) ? T(1) : v)"), "operands"),
    "overflow": Wrong(_changed("y = a + T(t) * (b - a)"), "overflow"),
    "border": Wrong(_changed("T v = a + T(t) * (b - a); y = v > T(1) ? T(1) : v"), "overflow"),
    "sign": Wrong(_changed("T v = a + T(t) * (a - b); y = v < T(0) ? T(0) : (v > T(1) ? T(1) : v)"), "sign"),
    "dtype": Wrong(_changed("float v = a + float(t) * (b - a); y = v < 0 ? 0 : (v > 1 ? 1 : v)"), "dtype"),
    "aliasing": Wrong(_into_a, "aliasing"),
    "host": Wrong(_host, "host"),
    "transfer": Wrong(_by_the_host, "transfer"),
}
RIGHT = {"one kernel": _kernel, "fused": _fused}
