"""Testing with CuPy: assertions, tests that compare with NumPy, tests for many dtypes and parameters."""

from . import _arrays, _dtypes, _helpers, _loops, _parameterized, _random

_MODULES = (_arrays, _dtypes, _helpers, _loops, _parameterized, _random)
_PREFIXES = ("assert_", "for_", "numpy_cupy_", "shaped_", "Numpy", "product", "AssertFunction")
_NAMES = "fix_random generate_matrix generate_seed installed multi_gpu numpy_satisfies parameterize slow with_requires".split()
__all__ = []
for _module in _MODULES:
    for _name in vars(_module):
        if _name.startswith(_PREFIXES) or _name in _NAMES:
            globals()[_name] = getattr(_module, _name)
            __all__.append(_name)
