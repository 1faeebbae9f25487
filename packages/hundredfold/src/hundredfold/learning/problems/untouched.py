"""Has the learner written anything yet?"""

from __future__ import annotations

import dis
import types
from typing import Any

# What surrounds a body without being part of it.
_FRAME = {"RESUME", "NOP", "COPY_FREE_VARS", "MAKE_CELL", "CACHE"}


def missing(answer: Any) -> bool:
    """True for the gap itself: ``...`` or None."""
    return answer is None or answer is ...


def untouched(answer: Any) -> bool:
    """True for ``...``, None, and a function with nothing in it but ``...``, ``pass``, a docstring or comments."""
    return missing(answer) or empty(answer)


def empty(function: Any) -> bool:
    """True for a Python function whose body only returns None or ``...``.

    The compiled body is looked at, not the source: it has no comments and no docstring, and it is there even where the
    source is not (a function made by `exec`, a deleted cell).
    """
    function = getattr(function, "py_func", function)  # what numba.jit and cuda.jit have compiled
    if not isinstance(function, types.FunctionType):
        return False
    body = [step for step in dis.get_instructions(function.__code__) if step.opname not in _FRAME]
    if [step.opname for step in body] not in (["LOAD_CONST", "RETURN_VALUE"], ["RETURN_CONST"]):
        return False
    return missing(body[0].argval)
