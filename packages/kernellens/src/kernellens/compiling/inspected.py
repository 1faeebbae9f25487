"""What a simulated kernel's `inspect_llvm`, `inspect_asm` and `inspect_sass` give: gpusim finds this by the entry point ``gpusim.compiler``."""

from __future__ import annotations

from typing import Any

from gpusim.importing.errors import NotSimulatedError

from .entry import compile


def code(kernel: Any, kinds: tuple, what: str, cc: tuple[int, int] | None = None) -> str:
    """The code that the real compiler makes of a kernel.

    Parameters
    ----------
    kernel : CUDADispatcher
    kinds : tuple of numba types
        Of its arguments.
    what : str
        ``"llvm"``, ``"asm"`` or ``"sass"``.
    cc : tuple of int, optional
        The compute capability; the chosen GPU's if left out.

    Raises
    ------
    NotSimulatedError
        Without the compiler, or what takes machine code apart: with the command that installs it.
    """
    made = compile(kernel, *kinds, gpu=cc, raise_on_error=True)
    found = made.missing or {"llvm": made.llvm, "asm": made.ptx}.get(what) or made.sass
    if made.missing or found is None:
        raise NotSimulatedError(
            f"inspect_{what}()", "inspect_types()", made.missing or "It takes the program nvdisasm."
        )
    return found
