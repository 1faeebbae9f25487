"""NVIDIA's runtime compiler is not simulated; kernels of C++ go through cupy.RawKernel."""

from __future__ import annotations


class NVRTCError(RuntimeError):
    """What NVRTC raises; nothing here does."""


def getVersion() -> tuple[int, int]:
    """The version whose libraries are simulated."""
    return 13, 0
