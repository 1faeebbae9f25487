"""Errors of launches under their real names."""

from __future__ import annotations

from typing import Any

from numba.core.errors import LoweringError, UnsupportedBytecodeError

from gpusim.kernels.limits import MISSING as missing_launch_config_msg
from gpusim.kernels.limits import normalize as normalize_kernel_dimensions


class KernelRuntimeError(RuntimeError):
    """An exception that was raised in a kernel.

    Attributes
    ----------
    msg : str
    tid, ctaid : tuple of int
        The thread and its block.
    """

    def __init__(self, msg: str, tid: Any = None, ctaid: Any = None):
        self.tid, self.ctaid, self.msg = tid, ctaid, msg
        super().__init__(f"An exception was raised in thread={tid} block={ctaid}\n\t{msg}")


class CudaLoweringError(LoweringError):
    """Python that cannot be compiled for a GPU."""


__all__ = [
    "CudaLoweringError", "KernelRuntimeError", "LoweringError", "UnsupportedBytecodeError",
    "missing_launch_config_msg", "normalize_kernel_dimensions",
]  # fmt: skip
