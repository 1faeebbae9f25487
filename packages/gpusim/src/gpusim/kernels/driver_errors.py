"""Launches that the driver, or ptxas, refuses: the errors that programs know from ``numba.cuda`` and cuda-core."""

from __future__ import annotations

from .faults import KernelError


class CudaDriverError(Exception):
    """What the simulated library shows as ``numba.cuda.cudadrv.driver.CudaDriverError``."""


class CudaAPIError(CudaDriverError):
    """What the simulated library shows as ``numba.cuda.cudadrv.driver.CudaAPIError``.

    Parameters
    ----------
    code : int
        The driver's: 1 is CUDA_ERROR_INVALID_VALUE.
    msg : str
    """

    def __init__(self, code: int, msg: str) -> None:
        self.code = code
        self.msg = msg
        super().__init__(code, msg)

    def __str__(self) -> str:
        return f"[{self.code}] {self.msg}"


class CUDAError(Exception):
    """What the simulated library shows as ``cuda.core._utils.cuda_utils.CUDAError``, which launches of numba-cuda 0.30 raise."""


class LaunchError(KernelError, CudaAPIError, CUDAError):
    """A launch that the driver refuses, with its code and words and one sentence more.

    Attributes
    ----------
    code : int
    error : str
        ``"CUDA_ERROR_INVALID_VALUE"``.
    call : str
        ``"cuLaunchKernel"``.
    reason : str
        What is wrong and what to do.
    """

    fields = (*KernelError.fields, "code", "error", "call", "reason")
    error: str | None
    call: str | None
    reason: str | None

    @property
    def msg(self) -> str:
        """The driver's words, as Numba puts them."""
        return f"Call to {self.call or 'cuLaunchKernel'} results in {self.error}"

    def describe(self) -> str:
        return f"[{self.code}] {self.msg}" + (f"\n{self.reason}" if self.reason else "")


class LinkerError(KernelError):
    """A kernel that ptxas refuses; ``numba.cuda.cudadrv.driver.LinkerError`` is a RuntimeError too."""
