"""Kernels of known answers: written as a learner writes them, compiled when they are first used.

Problem modules must import where there is no `numba.cuda`, and before the stand-in takes its place. So a module of
answers has ``cuda = None`` at its top, and its kernels are decorated with `later` instead of ``@cuda.jit``.
"""

from __future__ import annotations

import importlib
from types import FunctionType
from typing import Any


class Later:
    """A kernel that is compiled when it is launched.

    Attributes
    ----------
    py_func : function
        As with ``@cuda.jit``: what was decorated.
    """

    def __init__(self, function: FunctionType) -> None:
        self.py_func = function
        self.__name__ = function.__name__

    def ready(self) -> Any:
        """Return the kernel as ``@cuda.jit`` makes it, with the `numba.cuda` that is in use now."""
        cuda = importlib.import_module("numba.cuda")
        self.py_func.__globals__["cuda"] = cuda
        return cuda.jit(self.py_func)


def later(function: FunctionType) -> Later:
    """Decorate a kernel of a module in which `cuda` is not imported yet."""
    return Later(function)


def ready(answer: Any) -> Any:
    """The answer itself, a kernel of a known answer made ready."""
    return answer.ready() if isinstance(answer, Later) else answer
