"""``@njit`` and its like: what they make can be called by kernels; on the CPU it would need the compiler, and is refused."""

from __future__ import annotations

import functools
from typing import Any


class NoCompilerError(RuntimeError):
    """What would compile for the CPU, where there is no compiler."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} compiles for the CPU, and Numba's compiler cannot run in a browser: use NumPy here, or write a kernel with "
            "@cuda.jit. In the lab on a computer it works."
        )


class Dispatcher:
    """A function that would be compiled; a kernel can call it."""

    def __init__(self, function: Any) -> None:
        self.py_func = function
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NoCompilerError(f"@njit, with which {self.py_func.__name__} is decorated,")


def njit(*args: Any, **options: Any) -> Any:
    """Mark a function for the compiler that is not there."""
    if len(args) == 1 and callable(args[0]) and not isinstance(args[0], str) and not options:
        return Dispatcher(args[0])
    return Dispatcher


jit = njit


def vectorize(ftylist_or_function: Any = (), target: str = "cpu", **options: Any) -> Any:
    """Make a function on arrays of one on elements, for ``target="cuda"``."""
    from numba.cuda.vectorizers import CUDAVectorize

    return _builder(CUDAVectorize, (), ftylist_or_function, target, options)


def guvectorize(ftylist: Any, signature: str, target: str = "cpu", **options: Any) -> Any:
    """Make a function on arrays of one on inner arrays, for ``target="cuda"``."""
    from numba.cuda.vectorizers import CUDAGUFuncVectorize

    return _builder(CUDAGUFuncVectorize, (signature,), ftylist, target, options)


def _builder(made_by: type, more: tuple, signatures: Any, target: str, options: dict) -> Any:
    if target != "cuda":
        raise NoCompilerError(f"@vectorize(target={target!r})")

    def decorate(function: Any) -> Any:
        made = made_by(function, *more, targetoptions=options)
        for each in [signatures] if isinstance(signatures, str) else signatures:
            made.add(each)
        return made.build_ufunc()

    return decorate
