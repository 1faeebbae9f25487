"""CuPy's compiler is not simulated; kernels of C++ go through cupy.RawKernel."""

from __future__ import annotations

from .._core.names import refuser


class CompileException(Exception):
    """What CuPy's compiler raises; nothing here does."""


class JitifyException(Exception):
    """What CuPy's compiler raises; nothing here does."""


__getattr__ = refuser("cupy.cuda.compiler")
