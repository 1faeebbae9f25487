"""Special functions, elementwise and queued: CuPy's types, SciPy's values."""

from __future__ import annotations

import json
from pathlib import Path

import cupy._core as _core
import numpy as np
import scipy.special as _scipy
from cupy._core.adapt import running, table
from cupy._core.kernel import ufunc
from cupy._core.names import refuser
from cupy._core.ufuncs import by_kernel

_made = {}
for _kernel, _entry in json.loads((Path(_core.__file__).parent / "special.json").read_text()).items():
    for _name in _entry["names"]:
        # Under SCIPY_ARRAY_API SciPy hides its ufuncs behind functions of the same names.
        _function = next((f for n in (_name, *_entry["names"]) if (f := getattr(_scipy._ufuncs, n, None))), None)
        _function = _function or getattr(np, _name, None)
        if isinstance(_function, np.ufunc) and _function.nin == _entry["nin"]:
            # CuPy gives two kernels each other's names (ellipk and ellipkm1); what is computed goes by the public name.
            _made[_name] = by_kernel[f"{_kernel}:{_name}"] = ufunc(_kernel, _entry["types"], _function, _entry["nin"])
# Not ufuncs in SciPy, or not in this shape: at once, on host views.
_made |= (
    table(
        _scipy,
        "softmax log_softmax logsumexp sph_harm_y multigammaln polygamma zeta zetac xlogy xlog1py rel_entr sinc round",
        running,
    )
    | _made
)
globals().update(_made)
__all__ = list(_made)
__getattr__ = refuser("cupyx.scipy.special")
