"""A simulated CuPy that computes on the CPU and keeps CuPy's rules.

The arrays lie in simulated device memory, the work waits in the engine's queue until something synchronises, and the
host is kept apart.  What the real CuPy has and this has not raises ``NotSimulatedError`` by name.
"""

from __future__ import annotations

from ._core import ndarray, ufunc  # isort: skip  (first: it sets what the others build arrays of)
from gpusim.importing.names import refuser

from . import (
    _creation,
    _gone,
    _host,
    _logic,
    _manipulation,
    _math,
    _misc,
    _passed,
    _piecewise,
    _poly,
    _searching,
    _statistics,
    _vectorize,
    cuda,
    exceptions,
    fft,
    lib,
    linalg,
    random,
)
from ._core.flatiter import flatiter
from ._core.fusion import fuse
from ._core.ufuncs import by_name as _ufuncs
from ._util import clear_memo, memoize
from .exceptions import (
    AxisError,
    ComplexWarning,
    ModuleDeprecationWarning,
    RankWarning,
    TooHardError,
    VisibleDeprecationWarning,
)

__version__ = "14.2.0+gpusim"

_functions = {
    **{name: getattr(_creation, name) for name in _creation.__all__},
    **_manipulation.made,
    **_math.made,
    **_statistics.made,
    **_logic.made,
    **_searching.made,
    **_misc.made,
    **_piecewise.made,
    **_poly.made,
    **_gone.made,
    **_vectorize.made,
    **_ufuncs,
}
_functions = {name: _host.hosted(name, function) for name, function in _functions.items()}
globals().update(_passed.passed | _functions)

__all__ = [
    *_passed.passed, *_functions, "AxisError", "ComplexWarning", "ModuleDeprecationWarning", "RankWarning", "TooHardError",
    "VisibleDeprecationWarning", "clear_memo", "cuda", "exceptions", "fft", "flatiter", "fuse", "lib", "linalg", "memoize",
    "ndarray", "polynomial", "random", "testing", "typing", "ufunc",
]  # fmt: skip
_refuse = refuser("cupy")


def __getattr__(name: str):
    if name in (
        "polynomial",
        "testing",
        "typing",
    ):  # at their first use: they take as long to import as half of the rest
        import importlib

        return importlib.import_module(f"cupy.{name}")
    return _refuse(name)


def _tell_dask() -> None:
    """Dask asks for CuPy when it is imported; without a GPU it may have been there before its simulated version."""
    import sys

    chunks = sys.modules.get("dask.array.chunk_types")
    if hasattr(chunks, "register_chunk_type"):
        chunks.register_chunk_type(ndarray)


_tell_dask()


def _take_rmm() -> None:
    """After `import cudf`, memory comes from RMM."""
    import sys

    if hasattr(cudf := sys.modules.get("cudf"), "_use_rmm"):
        cudf._use_rmm("cupy")


_take_rmm()
