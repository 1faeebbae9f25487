"""Expressions of a Python kernel in C++, with the types that CuPy gives them."""

from __future__ import annotations

import ast
import inspect
import numbers
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _builtins, _types
from ._objects import Array, Builtin, Constant, Dim3, Group, Method, Number, Pointer, Tuple
from ._types import ctype

TYPES = (bool, np.bool_, numbers.Number)


class JitError(Exception):
    """Something wrong in a kernel, with the place."""

    def __init__(self, error: Exception, node: ast.AST):
        self.error, self.node = error, node

    def reraised(self, source: str) -> Exception:
        """The error with the source, the lines it is about marked."""
        start = getattr(self.node, "lineno", 1)
        end = getattr(self.node, "end_lineno", start)
        shown = "\n".join(
            (f"> {line}" if start <= k <= end else f"  {line}").rstrip() for k, line in enumerate(source.split("\n"), 1)
        )
        try:
            return type(self.error)(f"{self.error}\n\n{shown}")
        except TypeError:
            return self.error


class Values:
    """The part of a translation that is about expressions; a subclass gives `mode`, `find` and `device`."""

    mode: str
    device: Callable
    find: Callable[[str], Any]

    def number(self, value: Any) -> Number:
        """A value as a number."""
        if isinstance(value, Number):
            return value
        if isinstance(value, Constant):
            dtype = _types.constant_type(self.mode, value.obj)
            return Number(_types.written(value.obj, dtype), dtype)
        raise TypeError(f"'{type(value).__name__}' is not scalar type.")

    def cast(self, value: Number, dtype: np.dtype, casting: str) -> Number:
        """A number in another type.

        Raises
        ------
        TypeError
            If the casting rule forbids it.
        """
        if value.dtype == dtype:
            return value
        if not np.can_cast(value.dtype, dtype, casting):
            raise TypeError(f"Cannot cast from '{value.dtype}' to {dtype} with casting rule {casting}.")
        if value.dtype.kind == "c" and dtype.kind != "c":
            if dtype.kind != "b":
                from cupy.exceptions import ComplexWarning

                warnings.warn(
                    "Casting complex values to real discards the imaginary part", ComplexWarning, stacklevel=6
                )
            return Number(f"({ctype(dtype)})({value.code}.real())", dtype)
        return Number(f"(({ctype(dtype)})({value.code}))", dtype)

    def truth(self, value: Any) -> Number:
        return self.cast(self.number(value), np.dtype(np.bool_), "unsafe")

    def operation(self, operator: ast.AST, args: list[Any], dtype: Any = None) -> Any:
        """An operator on values."""
        name, function = _types.OPERATORS[type(operator)]
        if all(isinstance(a, Constant) for a in args):
            return Constant(function(*(a.obj for a in args)))
        if any(isinstance(a, Pointer) for a in args) and isinstance(operator, ast.Add | ast.Sub):
            return self.moved(operator, args)
        return self.ufunc(name, args, dtype)

    def moved(self, operator: ast.AST, args: list[Any]) -> Any:
        mark = "+" if isinstance(operator, ast.Add) else "-"
        pointer = next(a for a in args if isinstance(a, Pointer))
        a, b = (x if isinstance(x, Pointer) else self.number(x) for x in args)
        if isinstance(a, Pointer) and isinstance(b, Pointer):
            return Number(f"({a.code} - {b.code})", np.int64)
        return Pointer(f"({a.code} {mark} {b.code})", pointer.dtype)

    def ufunc(self, name: str, args: list[Any], dtype: Any = None) -> Number:
        """A ufunc on values, in the types of one of its loops."""
        types = [
            _types.constant_type(self.mode, a.obj) if isinstance(a, Constant) else self.number(a).dtype for a in args
        ]
        ins, out = _types.loop(name, types, self.mode, dtype)
        cast = []
        for a, t in zip(args, ins, strict=True):
            if isinstance(a, Constant):
                cast.append(_types.written(t.type(a.obj), t))
            else:
                cast.append(self.cast(self.number(a), t, "same_kind").code)
        return Number(_types.code(name, out, ins, cast), out)

    def value(self, node: ast.expr | None) -> Any:
        """An expression's value."""
        try:
            method = getattr(self, f"value_{type(node).__name__}", None)
            if method is None:
                raise ValueError(f"Not supported: type {type(node)}")
            made = method(node)
            if isinstance(made, Constant) and isinstance(made.obj, Number | Dim3 | Builtin):
                return made.obj
            return made
        except JitError:
            raise
        except Exception as error:
            raise JitError(error, node) from error

    def value_Constant(self, node: ast.Constant) -> Any:
        return Constant(node.value)

    def value_Name(self, node: ast.Name) -> Any:
        found = self.find(node.id)
        if found is None:
            raise NameError(f"Unbound name: {node.id}")
        return found

    def value_BoolOp(self, node: ast.BoolOp) -> Any:
        values = [self.value(each) for each in node.values]
        made = values[0]
        for each in values[1:]:
            made = self.operation(node.op, [made, each])
        return made

    def value_BinOp(self, node: ast.BinOp) -> Any:
        return self.operation(node.op, [self.value(node.left), self.value(node.right)])

    def value_UnaryOp(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.UAdd):
            raise KeyError(ast.UAdd)
        return self.operation(node.op, [self.value(node.operand)])

    def value_Compare(self, node: ast.Compare) -> Any:
        if len(node.comparators) != 1:
            raise NotImplementedError("Comparison of 3 or more values is not implemented.")
        return self.operation(node.ops[0], [self.value(node.left), self.value(node.comparators[0])])

    def value_IfExp(self, node: ast.IfExp) -> Any:
        test, a, b = self.value(node.test), self.value(node.body), self.value(node.orelse)
        if isinstance(test, Number) and test.dtype.kind == "c":
            raise TypeError("Complex type value cannot be boolean condition.")
        a, b = self.hinted(a, b), self.hinted(b, a)
        if a.dtype != b.dtype:
            raise TypeError(f"Type mismatch in conditional expression.: {a.dtype} != {b.dtype}")
        return Number(f"({self.truth(test).code} ? {a.code} : {b.code})", a.dtype)

    def hinted(self, a: Any, b: Any) -> Number:
        """A constant in the type of what it is an alternative to."""
        if not isinstance(a, Constant) or isinstance(a.obj, np.generic):
            return self.number(a)
        wanted = self.number(b).dtype
        if not np.can_cast(_types.constant_type(self.mode, a.obj), wanted, "same_kind"):
            return self.number(a)
        return Number(_types.written(a.obj, wanted), wanted)

    def value_Tuple(self, node: ast.Tuple) -> Any:
        items = [self.value(each) for each in node.elts]
        if all(isinstance(item, Constant) for item in items):
            return Constant(tuple(item.obj for item in items))
        return Tuple(items)

    def value_Attribute(self, node: ast.Attribute) -> Any:
        owner, name = self.value(node.value), node.attr
        if isinstance(owner, Constant):
            return Constant(getattr(owner.obj, name))
        if isinstance(owner, Dim3) and name in ("x", "y", "z"):
            return Number(f"{owner.code}.{name}", np.uint32)
        if isinstance(owner, Array) and name in ("size", "shape", "strides", "ndim"):
            return self.of_array(owner, name)
        if isinstance(owner, Group):
            return Method(owner, name)
        if isinstance(owner, Pointer) and name == "ndim":
            return Constant(1)
        raise AttributeError(f"Unknown attribute: {name}")

    def of_array(self, owner: Array, name: str) -> Any:
        if name == "ndim":
            return Constant(owner.ndim)
        skipped = len(owner.indices)
        lengths = [Number(f"{owner.name}.shape()[{k}]", np.int64) for k in range(skipped, owner.full)]
        if name == "size":
            if not skipped:
                return Number(f"{owner.name}.size()", np.int64)
            return Number("(" + " * ".join(n.code for n in lengths) + ")", np.int64)
        if name == "shape":
            return Tuple(lengths)
        return Tuple([Number(f"{owner.name}.strides()[{k}]", np.int64) for k in range(skipped, owner.full)])

    def value_Subscript(self, node: ast.Subscript) -> Any:
        owner, at = self.value(node.value), self.value(node.slice)
        if isinstance(owner, Constant):
            if not isinstance(at, Constant):
                raise TypeError(f"{type(owner.obj)} is not subscriptable with non-constants.")
            return Constant(owner.obj[at.obj])
        return self.element(owner, at)

    def element(self, owner: Any, at: Any) -> Any:
        """``owner[at]``."""
        if isinstance(owner, Tuple):
            if not isinstance(at, Constant):
                raise TypeError("Tuple is not subscriptable with non-constants.")
            return owner.items[at.obj]
        if not isinstance(owner, Array | Pointer):
            raise TypeError(f"{getattr(owner, 'code', owner)} is not subscriptable.")
        several = isinstance(at, Tuple) or (isinstance(at, Constant) and isinstance(at.obj, tuple))
        items = ([Constant(i) for i in at.obj] if isinstance(at, Constant) else at.items) if several else [at]
        if any(isinstance(item, Array) for item in items):
            raise TypeError("Advanced indexing is not supported.")
        ndim = owner.ndim if isinstance(owner, Array) else 1
        if not ndim and not several:
            raise TypeError("Scalar indexing is not supported for 0-dim array.")
        if len(items) > ndim:
            raise IndexError(f"The number of indices is beyond array dim: {ndim}")
        numbers = [self.number(item) for item in items]
        for each in numbers:
            if each.dtype.kind not in "iu":
                raise TypeError("Array indices must be integer." if several else "Array indices must be integers.")
        codes = tuple(each.code for each in numbers)
        if isinstance(owner, Pointer):
            return Number(f"{owner.code}[{codes[0]}]", owner.dtype)
        made = Array(owner.name, owner.dtype, owner.full, owner.indices + codes)
        if made.ndim:
            return made
        return Number(made.code if made.full else f"{made.name}[0]", made.dtype)

    def value_Call(self, node: ast.Call) -> Any:
        function = self.value(node.func)
        args = [self.value(each) for each in node.args]
        kwargs = {each.arg: self.value(each.value) for each in node.keywords}
        if isinstance(function, Constant) and _hashable(function.obj) and function.obj in _builtins.PYTHON:
            function = _builtins.PYTHON[function.obj]
        if isinstance(function, Builtin):
            return _builtins.call(self, function, args, kwargs)
        if isinstance(function, Method):
            return _builtins.method(self, function, args)
        if not isinstance(function, Constant):
            raise TypeError(f"'{function}' is not callable.")
        called = function.obj
        from ._rawkernel import JitRawKernel

        if isinstance(called, JitRawKernel):
            return self.device(self, called, args)
        from cupy import ufunc

        if isinstance(called, ufunc):
            dtype = kwargs.pop("dtype", Constant(None)).obj
            if kwargs:
                raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword to ufunc {called.name}")
            if len(args) != called.nin:
                raise ValueError("invalid number of arguments")
            return self.ufunc(called.name, args, dtype)
        if all(isinstance(v, Constant) for v in (*args, *kwargs.values())):
            return Constant(called(*(a.obj for a in args), **{k: v.obj for k, v in kwargs.items()}))
        if inspect.isclass(called) and issubclass(called, TYPES):
            if len(args) != 1:
                raise TypeError(f"function takes {called} invalid number of argument")
            return self.cast(self.number(args[0]), np.dtype(called), "unsafe")
        raise TypeError(f"Invalid function call '{getattr(called, '__name__', called)}'.")


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
