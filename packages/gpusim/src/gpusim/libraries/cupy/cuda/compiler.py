"""What CUDA's compiler refuses; CuPy's own compiling is not simulated, its kernels are (see ``_c_kernels``)."""

from __future__ import annotations

import re

from gpusim.kernels.frontend.cuda_cpp.errors import CompileException as CompileException


class JitifyException(Exception):
    """What CuPy's use of Jitify raises; nothing here does."""


def is_valid_kernel_name(name: str) -> bool:
    """Whether C takes a name for a kernel."""
    return re.match("^[a-zA-Z_][a-zA-Z_0-9]*$", name) is not None
