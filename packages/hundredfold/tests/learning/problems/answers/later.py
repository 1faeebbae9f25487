"""Kernels of known answers: written as a learner writes them, compiled when they are first used.

The tests choose the device, so a module of answers is imported before there is a `numba.cuda`. Its kernels are decorated with
`later` instead of ``@cuda.jit``, and use the `cuda` of this module:

>>> from ..later import cuda, later
>>> @later
... def kernel(x, out): ...
>>> kernel.ready()[blocks, threads](x, out)
"""

from __future__ import annotations

import importlib
from types import FunctionType
from typing import Any

from hundredfold.learning.problems.devices import LazyModule

cuda: Any = LazyModule("numba.cuda")
"""The `numba.cuda` that is in use when something of it is asked for."""


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
        """Return the kernel as ``@cuda.jit`` makes it, with the `numba.cuda` that is in use now.

        The compilers want the module itself. So the kernel gets names of its own, in which `cuda` is that module.
        """
        module, function = importlib.import_module("numba.cuda"), self.py_func
        names = {**function.__globals__, "cuda": module}
        return module.jit(FunctionType(function.__code__, names, function.__name__, function.__defaults__))


def later(function: FunctionType) -> Later:
    """Decorate a kernel of a module that is imported before `numba.cuda`."""
    return Later(function)


def ready(answer: Any) -> Any:
    """The answer itself, or the kernel that it is, ready to be launched."""
    return answer.ready() if isinstance(answer, Later) else answer
