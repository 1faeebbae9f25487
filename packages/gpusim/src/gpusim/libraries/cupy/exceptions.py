"""CuPy's exceptions and warnings: NumPy's own."""

from numpy.exceptions import (
    AxisError,
    ComplexWarning,
    ModuleDeprecationWarning,
    TooHardError,
    VisibleDeprecationWarning,
)

try:
    from numpy.exceptions import RankWarning
except ImportError:  # NumPy before 2.0
    from numpy.polynomial.polyutils import RankWarning

__all__ = [
    "AxisError", "ComplexWarning", "ModuleDeprecationWarning", "RankWarning", "TooHardError",
    "VisibleDeprecationWarning",
]  # fmt: skip
