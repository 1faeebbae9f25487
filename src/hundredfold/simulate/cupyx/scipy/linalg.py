"""Linear algebra beyond NumPy's.  It waits for the device and runs at once."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
import scipy.linalg as _scipy
from cupy._core.names import refuser
from cupyx._bridge import functions, takes
from cupyx._bridge.convert import call
from cupyx._bridge.functions import function

from ._uarray import backend

_MODULE = "cupyx.scipy.linalg"


def _no_halves(given: dict) -> None:
    for value in given.values():
        if getattr(value, "dtype", None) == np.float16:
            raise NotImplementedError(
                f"Only float32, float64, complex64 and complex128 are supported, got {value.dtype}"
            )


_made = functions(
    _MODULE, _scipy,
    expm={}, lu={"before": _no_halves}, lu_factor={"before": _no_halves},
)  # fmt: skip
_made["kron"] = function(_MODULE, "kron", np.kron)  # SciPy gave it up


@takes(_MODULE)
def companion(a: Any) -> Any:
    """The companion matrix of a polynomial."""
    if a.ndim != 1:
        raise ValueError(f"`a` must be one-dimensional.  `a` has shape {a.shape}")
    return call("cupyx_companion", _scipy.companion, (a,), {})


@takes(_MODULE)
def bandwidth(a: Any) -> tuple[int, int]:
    """Lower and upper bandwidth."""
    return tuple(int(n) for n in call("cupyx_bandwidth", _scipy.bandwidth, (a,), {}))


_made |= {"companion": companion, "bandwidth": bandwidth}
globals().update(_made)
_arrays = "eigh eigvalsh cholesky qr svd norm det solve lstsq inv pinv"
globals().update(backend("numpy.scipy.linalg", _scipy, {n: getattr(cupy.linalg, n) for n in _arrays.split()} | _made))
__all__ = list(_made)
__getattr__ = refuser(_MODULE)
