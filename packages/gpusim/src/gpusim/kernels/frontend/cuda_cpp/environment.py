"""The names that translated kernels use: NumPy's types, the engine's intrinsics, the device functions of C."""

from __future__ import annotations

import builtins
import keyword
import math

import numpy as np

from .. import intrinsics
from .inverse import INVERSE
from .support import FUNCTIONS

ENVIRONMENT: dict[str, object] = {
    **{f"_c_{np.dtype(t).kind}{np.dtype(t).itemsize}": t for t in (
        np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64,
        np.complex64, np.complex128,
    )},
    "_c_b1": np.bool_,
    **{f"_c_{name}": value for name, value in intrinsics.TOP.items()},
    "_c_math": math,
    "_c_np": np,
    **FUNCTIONS,
    **INVERSE,
}  # fmt: skip


def python_name(name: str) -> str:
    """A C variable's name, where Python can have it; else with an underscore."""
    taken = keyword.iskeyword(name) or hasattr(builtins, name) or name.startswith(("_c_", "_hf_"))
    return f"{name}_" if taken else name
