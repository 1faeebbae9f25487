"""What the real compiler says of a simulated kernel, for `inspect_asm` and `get_regs_per_thread`: gpusim finds this by the entry point ``gpusim.compiler``."""

from __future__ import annotations

import re
from typing import Any

from gpusim.importing.errors import NotSimulatedError

from . import ptxas
from .entry import compile, of_source

_FIGURES = {"registers": "the number of registers of a kernel", "stack": "the local memory of a kernel"}


def code(kernel: Any, kinds: tuple, what: str, cc: tuple[int, int] | None = None) -> str | int:
    """The code that the real compiler makes of a kernel, or how much it takes of something.

    Parameters
    ----------
    kernel : CUDADispatcher or cupy.RawKernel
    kinds : tuple of numba types
        Of its arguments; of a raw kernel none.
    what : str
        ``"llvm"``, ``"asm"`` or ``"sass"``; ``"registers"`` of a thread, or ``"stack"`` for bytes of local memory of a thread.
    cc : tuple of int, optional
        The compute capability; the chosen GPU's if left out.

    Raises
    ------
    NotSimulatedError
        Without the compiler, or what takes machine code apart: with the command that installs it.
    """
    if hasattr(kernel, "name_expressions"):
        return _of_source(kernel, what)
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


def _of_source(kernel: Any, what: str) -> int:
    """How much a kernel of CUDA C++ takes of something."""
    answer = of_source(kernel.code, kernel.name, kernel.options)
    parts = re.split(r"(?m)^.*Compiling entry function ", answer["log"]) if answer["ok"] else []
    own = next((part for part in parts if part.startswith(f"'{kernel.name}'")), "")
    used = ptxas.usage(own, kernel.name)
    if used is None:
        why = answer["text"].splitlines()[0] if not answer["ok"] else 'Its name is mangled: declare it extern "C".'
        raise NotSimulatedError(_FIGURES[what], "kernel.shared_size_bytes", why)
    return used.registers if what == "registers" else used.stack
