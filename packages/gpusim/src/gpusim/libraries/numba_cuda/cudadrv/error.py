"""The driver's errors under their real names."""

from __future__ import annotations

from gpusim.kernels.driver_errors import CudaDriverError

__all__ = [
    "CCSupportError", "CudaDriverError", "CudaRuntimeError", "CudaSupportError", "NvrtcBuiltinOperationFailure",
    "NvrtcCompilationError", "NvrtcError", "NvrtcSupportError", "NvvmError", "NvvmSupportError", "NvvmWarning",
]  # fmt: skip


class CudaRuntimeError(Exception):
    """An error of the CUDA runtime."""


class CudaSupportError(ImportError):
    """There is no driver, or it cannot be used."""


class NvvmError(Exception):
    """An error of the compiler library NVVM."""

    def __str__(self) -> str:
        return "\n".join(map(str, self.args))


class NvvmSupportError(ImportError):
    """There is no NVVM."""


class NvvmWarning(Warning):
    """A warning of NVVM."""


class NvrtcError(Exception):
    """An error of the run-time compiler NVRTC."""

    def __str__(self) -> str:
        return "\n".join(map(str, self.args))


class NvrtcCompilationError(NvrtcError):
    """CUDA C++ that does not compile."""


class NvrtcBuiltinOperationFailure(NvrtcError):
    """NVRTC failed inside."""


class NvrtcSupportError(ImportError):
    """There is no NVRTC."""


class CCSupportError(RuntimeError):
    """A compute capability that is not supported."""
