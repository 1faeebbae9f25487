"""What CuPy takes from NumPy as it is: types, constants, and functions about them."""

import numpy as np

_NAMES = """
bool_ byte cdouble complex128 complex64 complexfloating csingle double dtype finfo float16 float32 float64 floating
generic half iinfo inexact int16 int32 int64 int8 int_ intc integer intp long longlong ndindex number short
signedinteger single ubyte uint uint16 uint32 uint64 uint8 uintc uintp ulong ulonglong unsignedinteger ushort
e euler_gamma inf nan newaxis pi index_exp s_ base_repr binary_repr broadcast_shapes format_float_positional
format_float_scientific get_printoptions isdtype isscalar issubdtype iterable mintypecode printoptions promote_types
set_printoptions typename can_cast
"""
_GONE_FROM_NUMPY_2 = {
    "Inf": np.inf, "Infinity": np.inf, "infty": np.inf, "NAN": np.nan, "NaN": np.nan, "PINF": np.inf, "NINF": -np.inf,
    "PZERO": 0.0, "NZERO": -0.0, "float_": np.float64, "complex_": np.complex128, "cfloat": np.complex128,
    "singlecomplex": np.complex64,
}  # fmt: skip

passed = {name: getattr(np, name) for name in _NAMES.split() if hasattr(np, name)} | _GONE_FROM_NUMPY_2
passed["bool"] = np.bool_
