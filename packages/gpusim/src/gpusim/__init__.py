"""The GPU PyData stack on a CPU: CuPy, cuDF, cuML, RMM, Numba's CUDA, Dask-CUDA, under their real names.

>>> import gpusim
>>> gpusim.activate()                    # before the first import of one of them, here and in child processes
>>> import cupy                          # doctest: +SKIP
>>> cupy.arange(3).sum()                 # doctest: +SKIP
array(3)

``python -m gpusim script.py`` runs a program that way without a change. Importing this package does nothing but make its names
known: they are looked up when they are first used.

PYTEST_DONT_REWRITE: a simulating process has imported this before pytest starts, which would warn of it.
"""

__version__ = "0.2.0"

# Where each public name lives. No module beside this one may be called like one of them: the import system binds a submodule to
# its package as soon as anything imports it, in place of the function.
_HOMES = {
    "NotSimulatedAttribute": "importing",
    "NotSimulatedError": "importing",
    "NotSimulatedImport": "importing",
    "TooLateError": "importing",
    "activate": "importing",
    "active": "importing",
}
_MODULES = ("device", "hardware", "importing", "kernels")

__all__ = [
    "NotSimulatedAttribute",
    "NotSimulatedError",
    "NotSimulatedImport",
    "TooLateError",
    "__version__",
    "activate",
    "active",
    "device",
    "hardware",
    "importing",
    "kernels",
]

TYPE_CHECKING = False  # typing's own takes longer to import than all of this
if TYPE_CHECKING:
    from . import device, hardware, importing, kernels
    from .importing import (
        NotSimulatedAttribute,
        NotSimulatedError,
        NotSimulatedImport,
        TooLateError,
        activate,
        active,
    )


def __getattr__(name):
    import importlib

    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__():
    return sorted({*globals(), *__all__})
