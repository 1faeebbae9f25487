"""What a fused function gets in place of its arguments: CuPy's placeholders, each with the array that it stands for.

CuPy calls the function once, with objects that have a dtype and few methods, and makes a kernel of what they are used for
[cupy/_core/_fusion_interface.py].  These have the same operators and methods and no others, so that what is refused there is
refused here; the operations are done at once.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from . import launch
from .reduction import cub

CUB_LEAST = 128
"""Numbers to each result from which on CuPy gives a reduction to CUB [cupy/_core/_cub_reduction.pyx:29]."""


class Trace:
    """A call of a fused function: what its placeholders were used for.

    CuPy has two ways to fuse.  The first makes an elementwise or a reduction kernel of it; where that fails, the second is
    tried, which knows more [cupy/_core/fusion.pyx, Fusion.__call__].
    """

    def __init__(self, args: tuple) -> None:
        self.args = [a for a in args if a is not None]
        self.first = True  # the first way knows all that was done so far
        self.reduced: tuple[np.dtype, Any] | None = None  # of the reduction, the result's dtype and the axis

    def placeholder(self, value: Any) -> Any:
        """What the function gets for an argument."""
        if value is None:
            return None
        return (_ArrayProxy if isinstance(value, launch.array_class) else _ScalarProxy)(value, self)

    def call(self, function: Callable, args: tuple, kwargs: dict) -> Any:
        """Call a function with what placeholders stand for; it may have no other arrays."""
        for each in (*args, *kwargs.values()):
            if isinstance(each, _VariableProxy):
                self.first &= each.after is (self.reduced is not None)
            elif isinstance(each, (launch.array_class, np.ndarray)):
                raise TypeError("Concrete ndarray is not supported in fusion.")
        made = function(*map(_content, args), **{name: _content(value) for name, value in kwargs.items()})
        return _map(made, lambda each: _ArrayProxy(each, self) if isinstance(each, launch.array_class) else each)

    def reduce(self, function: Callable, args: tuple, kwargs: dict) -> Any:
        """Call a function that reduces an array."""
        self.first &= self.reduced is None and kwargs.get("out") is None and len(args) < 3
        made = self.call(function, args, kwargs)
        self.reduced = made.dtype, kwargs.get("axis", args[1] if len(args) > 1 else None)
        made.after = True
        return made

    def refused(self, result: Any) -> str:
        """NVRTC's words, where it refuses the kernel: CUB names the types of input and output, and so does the fused source.

        [cupy/_core/_cub_reduction.pyx:671, cupy/_core/fusion.pyx:778; an H200 said it of inputs]
        """
        if not (self.first and self.reduced) or len(self.args) != 1 or not isinstance(result, launch.array_class):
            return ""
        (x,), (dtype, axis) = self.args, self.reduced
        if not cub(x, axis) or x.size < CUB_LEAST * max(result.size, 1):
            return ""
        named = [name for name, other in (("type_in0_raw", x.dtype), ("type_out0_raw", result.dtype)) if other != dtype]
        return f'error: invalid redeclaration of type name "{named[0]}"' if named else ""


def content(value: Any) -> Any:
    """What a fused function's result stands for: None, an array, or a tuple of arrays."""
    if value is not None and not isinstance(value, (_VariableProxy, tuple)):
        raise ValueError("The return value of fused functions must be `None`, ndarray or a tuple of ndarays.")
    return _map(value, _content)


def _content(value: Any) -> Any:
    return value.content if isinstance(value, _VariableProxy) else value


def _map(value: Any, function: Callable) -> Any:
    return tuple(map(function, value)) if isinstance(value, tuple) else function(value)


def fusible(function: Callable, reduces: bool = False) -> Callable:
    """A function of CuPy that a fused function may call."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for each in (*args, *kwargs.values()):
            if isinstance(each, _VariableProxy):
                return (each.trace.reduce if reduces else each.trace.call)(function, args, kwargs)
        return function(*args, **kwargs)

    return call


class _VariableProxy:
    def __init__(self, content: Any, trace: Trace) -> None:
        self.content, self.trace, self.after = content, trace, trace.reduced is not None

    def __cupy_override_elementwise_kernel__(self, function: Callable, *args: Any, **kwargs: Any) -> Any:
        self.trace.first &= "dtype" not in kwargs
        return self.trace.call(function, args, kwargs)

    def copy(self) -> Any:
        return self.trace.call(lambda x: x.copy(), (self,), {})

    def astype(self, dtype: Any, order: Any = None, casting: Any = None, subok: Any = None, copy: bool = True) -> Any:
        for name, value in (("order", order), ("casting", casting), ("subok", subok)):
            if value is not None:
                raise TypeError(f"{name} is not supported yet")
        return self.trace.call(lambda x: x.astype(dtype, copy=copy), (self,), {})

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(type(self.content)) if isinstance(self, _ScalarProxy) else self.content.dtype

    @property
    def ndim(self) -> int:
        return np.ndim(self.content) if isinstance(self, _ScalarProxy) else self.content.ndim

    @property
    def shape(self) -> Any:
        raise NotImplementedError("`shape` is not supported, currently.")


def _operators(cls: type) -> None:
    def ufunc(name: str) -> Callable:
        from .ufuncs import by_name

        return by_name[name]

    def binary(name: str) -> None:
        def forward(self: Any, other: Any) -> Any:
            return ufunc(name)(self, other)

        def backward(self: Any, other: Any) -> Any:
            return ufunc(name)(other, self)

        def in_place(self: Any, other: Any) -> Any:
            return ufunc(name)(self, other, self)

        method = {
            "true_divide": "truediv",
            "floor_divide": "floordiv",
            "remainder": "mod",
            "power": "pow",
            "subtract": "sub",
        }
        method |= {"multiply": "mul", "left_shift": "lshift", "right_shift": "rshift", "less": "lt", "less_equal": "le"}
        method |= {"equal": "eq", "not_equal": "ne", "greater": "gt", "greater_equal": "ge"}
        short = method.get(name, name).removeprefix("bitwise_")
        setattr(cls, f"__{short}__", forward)
        if name not in ("power", "less", "less_equal", "equal", "not_equal", "greater", "greater_equal"):
            setattr(cls, f"__r{short}__", backward)
        if hasattr(operator, f"__i{short}__"):
            setattr(_ArrayProxy, f"__i{short}__", in_place)

    def unary(short: str, name: str) -> None:
        setattr(cls, f"__{short}__", lambda self: ufunc(name)(self))

    def reduction(name: str) -> None:
        def method(self: Any, *args: Any, **kwargs: Any) -> Any:
            self.trace.first = False  # its variables have no such methods
            return self.trace.reduce(getattr(launch.array_class, name), (self, *args), kwargs)

        setattr(cls, name, method)

    def no_number(self: Any) -> Any:
        raise TypeError("Cannot convert to Python scalar in cupy.fuse")

    for name in (
        "add subtract multiply true_divide floor_divide remainder power left_shift right_shift bitwise_and bitwise_or bitwise_xor "
        "less less_equal equal not_equal greater greater_equal"
    ).split():
        binary(name)
    unary("neg", "negative")
    unary("invert", "invert")
    for name in ("sum", "prod", "max", "min", "all", "any"):
        reduction(name)
    for name in ("bool", "int", "float", "complex"):
        setattr(cls, f"__{name}__", no_number)
    cls.__hash__ = None  # type: ignore[assignment]


class _ScalarProxy(_VariableProxy):
    pass


class _ArrayProxy(_VariableProxy):
    def __getitem__(self, index: Any) -> Any:
        self.trace.first = False
        for each in index if isinstance(index, tuple) else (index,):
            if isinstance(each, slice) and not (each.start is each.stop is None and each.step in (1, -1, None)):
                raise NotImplementedError(
                    "Only full range ``x[::]`` or reverse ``x[::-1]`` is supported for basic slicing in CuPy fusion."
                )
            if not (isinstance(each, (int, slice)) or each is None or each is Ellipsis):
                raise IndexError("Indices must be integers, slices, ellipsis, None or integer or boolean arrays.")
        return self.trace.call(operator.getitem, (self, index), {})

    def __setitem__(self, index: Any, value: Any) -> None:
        if index is not Ellipsis and index != slice(None):
            raise ValueError("The fusion supports `[...]` or `[:]`.")
        self.trace.call(operator.setitem, (self, index, value), {})


_operators(_VariableProxy)
for _cls in (_VariableProxy, _ScalarProxy, _ArrayProxy):
    _cls.__module__ = "cupy._core._fusion_interface"  # as CuPy's errors name them
