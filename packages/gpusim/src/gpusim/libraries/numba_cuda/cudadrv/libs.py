"""Where CUDA's libraries lie: nowhere, there is no CUDA installation."""

from __future__ import annotations

from .error import CudaSupportError


def get_cudalib(lib: str, static: bool = False) -> None:
    """There is no CUDA installation to point at."""
    return None


def test() -> bool:
    """Say what can be found: kernels are simulated, and no library is looked for."""
    print("CUDA is simulated on this CPU by gpusim: no library of it is used.")
    return True


__all__ = ["CudaSupportError", "get_cudalib", "test"]
