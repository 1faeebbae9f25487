"""What CuPy's JIT knows inside a kernel: values, constants, and the functions of ``cupyx.jit``."""

from __future__ import annotations

from typing import Any

import numpy as np


class Constant:
    """Something that is known while a kernel is translated."""

    def __init__(self, obj: Any):
        self.obj = obj


class Number:
    """A number that a kernel computes: C code and its dtype."""

    def __init__(self, code: str, dtype: Any):
        self.code, self.dtype = code, np.dtype(dtype)


class Array:
    """An array argument, or, with some indices, a part of it."""

    def __init__(self, name: str, dtype: np.dtype, ndim: int, indices: tuple[str, ...] = ()):
        self.name, self.dtype, self.full, self.indices = name, np.dtype(dtype), ndim, indices

    @property
    def ndim(self) -> int:
        return self.full - len(self.indices)

    @property
    def code(self) -> str:
        return self.name + "".join(f"[{index}]" for index in self.indices)


class Pointer:
    """Shared memory, or a place in it."""

    def __init__(self, code: str, dtype: np.dtype):
        self.code, self.dtype = code, np.dtype(dtype)


class Tuple:
    """Several values."""

    def __init__(self, items: list):
        self.items = items


class Range:
    """What a loop runs over."""

    def __init__(self, start: Number, stop: Number, step: Number, dtype: np.dtype, positive: bool | None):
        self.start, self.stop, self.step, self.dtype, self.positive = start, stop, step, dtype, positive


class Group:
    """A cooperative group, ``"grid"`` or ``"block"``."""

    def __init__(self, kind: str):
        self.kind = kind


class Method:
    """A method of a group."""

    def __init__(self, group: Group, name: str):
        self.group, self.name = group, name


class Dim3:
    """``threadIdx`` and its like."""

    def __init__(self, code: str):
        self.code = code

    def __repr__(self) -> str:
        return f"<Data code = {self.code!r}, type = dim3>"


class Builtin:
    """A function that is called in kernels only.

    Attributes
    ----------
    name : str
    argument
        What tells it from others of its kind.
    """

    def __init__(self, name: str, argument: Any = None, doc: str = ""):
        self.name, self.argument = name, argument
        self.__doc__ = doc or f"``{name}``, to be called in a kernel."

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("Cannot call this function from Python layer.")

    def __repr__(self) -> str:
        return "<cupyx.jit function>"
