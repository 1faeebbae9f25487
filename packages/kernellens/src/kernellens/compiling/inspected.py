"""What the real compiler says of a simulated kernel, for `inspect_asm` and `get_regs_per_thread`: gpusim finds this by the entry point ``gpusim.compiler``."""

from __future__ import annotations

from typing import Any

from gpusim.importing.errors import NotSimulatedError

from .entry import compile

_FIGURES = {"registers": "the number of registers of a kernel", "stack": "the local memory of a kernel"}


def code(kernel: Any, kinds: tuple, what: str, cc: tuple[int, int] | None = None) -> str | int:
    """The code that the real compiler makes of a kernel, or how much it takes of something.

    Parameters
    ----------
    kernel : CUDADispatcher
    kinds : tuple of numba types
        Of its arguments.
    what : str
        ``"llvm"``, ``"asm"`` or ``"sass"``; ``"registers"`` of a thread, or ``"stack"`` for bytes of local memory of a thread.
    cc : tuple of int, optional
        The compute capability; the chosen GPU's if left out.

    Raises
    ------
    NotSimulatedError
        Without the compiler, or what takes machine code apart: with the command that installs it.
    """
    made = compile(kernel, *kinds, gpu=cc, raise_on_error=True)
    if what in _FIGURES:
        figure = getattr(made, what)
        if figure is None:
            raise NotSimulatedError(_FIGURES[what], "get_shared_mem_per_block()", made.missing)
        return figure
    found = made.missing or {"llvm": made.llvm, "asm": made.ptx}.get(what) or made.sass
    if made.missing or found is None:
        raise NotSimulatedError(
            f"inspect_{what}()", "inspect_types()", made.missing or "It takes the program nvdisasm."
        )
    return found
