"""Kernels of the simulated device: any ``numba.cuda`` kernel, on the CPU, right and at full size.

A kernel's source is :mod:`resolved <.resolve>`, and then either :mod:`compiled <.compiled>` by the real Numba for the CPU or
:mod:`interpreted <.interpreted>` on NumPy arrays, which needs no Numba.  Either way its accesses can be
:mod:`logged <.trace>`; the first launch is, on a sample of its blocks, and what a GPU would get wrong is raised there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .launch import Kernel

__all__ = ["Kernel"]


def __getattr__(name: str) -> object:
    if name == "Kernel":
        from .launch import Kernel

        return Kernel
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
