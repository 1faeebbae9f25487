"""From a Python kernel to C++, statement by statement, on the same lines; expressions have the types that CuPy gives them."""

from __future__ import annotations

import ast
import inspect
import numbers
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gpusim.importing.errors import NotSimulatedError

from . import _builtins, _types
from ._objects import Array, Builtin, Constant, Dim3, Group, Method, Number, Pointer, Range, Tuple
from ._rawkernel import JitRawKernel
from ._types import ctype

_C_WORDS = frozenset(
    "auto bool break case char const continue default do double else enum extern float for goto if inline int long "
    "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while "
    "class new delete operator template this throw try catch namespace using".split()
)


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


class Transpiler:
    """The translation of one function for some argument types.

    Attributes
    ----------
    lines : list of (int, str)
        C code and the line of the Python source that it comes from.
    externals : dict
        Device functions it calls, by their names in C.
    cooperative : bool
        Whether it synchronises the grid.
    """

    def __init__(
        self, tree: ast.FunctionDef, mode: str, scope: dict[str, Any], params: dict[str, Any], device: Callable
    ):
        self.tree, self.mode, self.device = tree, mode, device
        self.constants = {name: Constant(value) for name, value in scope.items()}
        self.params = params
        self.locals: dict[str, Any] = {}
        self.declared: list[str] = []
        self.lines: list[tuple[int, str]] = []
        self.returns: np.dtype | None = None
        self.externals: dict[str, Any] = {}
        self.cooperative = False
        self.count = 0
        self.line = tree.lineno

    def text(self, name: str, head: str, declared: list[str]) -> str:
        """The whole function in C."""
        for statement in self.tree.body:
            self.statement(statement, True)
        kind = "void" if self.returns is None else ctype(self.returns)
        made, line = [], 1
        first = f"{head} {kind} {name}({', '.join(declared)}) {{ {' '.join(self.declared)}"
        for number, code in [(self.tree.lineno, first), *self.lines, (0, "}")]:
            if number > line:
                made.append("\n" * (number - line))
                line = number
            made.append(code + " ")
        return "".join(made)

    def emit(self, code: str) -> None:
        self.lines.append((self.line, code))

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def find(self, name: str) -> Any:
        for table in (self.locals, self.params, self.constants):
            if name in table:
                return table[name]
        return None

    # Statements

    def statement(self, node: ast.stmt, top: bool) -> None:
        try:
            self.line = node.lineno
            method = getattr(self, f"do_{type(node).__name__}", None)
            if method is None:
                raise ValueError(f"Not supported: type {type(node)}")
            method(node, top)
        except JitError:
            raise
        except Exception as error:
            raise JitError(error, node) from error

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self.statement(statement, False)

    def do_Return(self, node: ast.Return, top: bool) -> None:
        value = self.value(node.value) if node.value is not None else Constant(None)
        if isinstance(value, Constant) and value.obj is None:
            self.emit("return;")
            return
        number = self.number(value)
        if self.returns is None:
            self.returns = number.dtype
        elif self.returns != number.dtype:
            raise ValueError(f"Failed to infer the return type: {ctype(self.returns)} or {ctype(number.dtype)}")
        self.emit(f"return {number.code};")

    def do_Assign(self, node: ast.Assign, top: bool) -> None:
        if len(node.targets) != 1:
            raise NotImplementedError("Not implemented.")
        value, target = self.value(node.value), node.targets[0]
        if isinstance(value, Constant) and isinstance(target, ast.Name) and not isinstance(value.obj, TYPES):
            if not top:
                raise TypeError("Cannot assign constant value not at top-level.")
            if target.id in self.locals or target.id in self.params:
                raise TypeError(f"Type mismatch of variable: `{target.id}`")
            self.constants[target.id] = value
            return
        self.assign(target, value)

    def assign(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Tuple):
            if isinstance(value, Constant) and isinstance(value.obj, tuple):
                value = Tuple([Constant(item) for item in value.obj])
            if not isinstance(value, Tuple):
                kind = ctype(value.dtype) if isinstance(value, Number) else type(value).__name__
                raise ValueError(f"{kind} cannot be unpack")
            if len(value.items) != len(target.elts):
                few = "too many values" if len(value.items) > len(target.elts) else "not enough values"
                raise ValueError(f"{few} to unpack (expected {len(target.elts)})")
            kept = [self.kept(item) for item in value.items]
            for inner, item in zip(target.elts, kept, strict=True):
                self.assign(inner, item)
        elif isinstance(target, ast.Name):
            self.assign_name(target.id, value)
        elif isinstance(target, ast.Subscript):
            place = self.value(target)
            if not isinstance(place, Number):
                raise TypeError("lvalue of assignment must be an element")
            self.emit(f"{place.code} = {self.cast(self.number(value), place.dtype, 'same_kind').code};")
        else:
            raise ValueError(f"Not supported: type {type(target)}")

    def kept(self, value: Any) -> Any:
        """A number in a variable of its own, so that assigning one item changes no other."""
        if not isinstance(value, Number):
            return value
        name = self.fresh("_temp")
        self.declared.append(f"{ctype(value.dtype)} {name};")
        self.emit(f"{name} = {value.code};")
        return Number(name, value.dtype)

    def assign_name(self, name: str, value: Any) -> None:
        known = self.locals.get(name) or self.params.get(name)
        if known is None and name in self.constants:
            raise TypeError("lvalue of assignment must not be constant value")
        if not isinstance(value, Number | Constant):
            if known is not None and (type(known) is not type(value)):
                raise TypeError(f"Data type mismatch of variable: `{name}`")
            self.locals[name] = Tuple([self.kept(item) for item in value.items]) if isinstance(value, Tuple) else value
            return
        number = self.number(value)
        if known is None:
            own = f"{name}_" if name in _C_WORDS or name in self.reserved() else name
            known = self.locals[name] = Number(own, number.dtype)
            self.declared.append(f"{ctype(number.dtype)} {own};")
        if not isinstance(known, Number):
            raise TypeError(f"Data type mismatch of variable: `{name}`")
        self.emit(f"{known.code} = {self.cast(number, known.dtype, 'same_kind').code};")

    def reserved(self) -> frozenset[str]:
        return frozenset(("threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "true", "false"))

    def do_AugAssign(self, node: ast.AugAssign, top: bool) -> None:
        value = self.value(node.value)
        if isinstance(node.target, ast.Subscript):  # an index that calls something is computed once
            owner, at = self.value(node.target.value), self.value(node.target.slice)
            if isinstance(at, Tuple):
                at = Tuple([self.kept(item) for item in at.items])
            target = self.element(owner, self.kept(at))
        else:
            target = self.value(node.target)
        if not isinstance(target, Number):
            raise TypeError("Cannot augassign to a constant")
        result = self.number(self.operation(node.op, [target, self.number(value)]))
        self.emit(f"{target.code} = {self.cast(result, target.dtype, 'same_kind').code};")

    def do_For(self, node: ast.For, top: bool) -> None:
        if node.orelse:
            raise NotImplementedError("while-else is not supported.")
        run = self.value(node.iter)
        if not isinstance(run, Range):
            raise NotImplementedError("for-loop is supported only for range iterator.")
        name = node.target.id
        known = self.locals.get(name) or self.params.get(name)
        if known is None:
            own = f"{name}_" if name in _C_WORDS else name
            known = self.locals[name] = Number(own, run.dtype)
            self.declared.append(f"{ctype(run.dtype)} {own};")
        elif known.dtype != run.dtype:
            raise TypeError(f"Data type mismatch of variable: `{name}`: {ctype(known.dtype)} != {ctype(run.dtype)}")
        test = {True: "__it < __stop", False: "__it > __stop"}.get(
            run.positive, "__step >= 0 ? __it < __stop : __it > __stop"
        )
        self.emit(
            f"for ({ctype(run.dtype)} __it = {run.start.code}, __stop = {run.stop.code}, __step = {run.step.code}; "
            f"{test}; __it += __step) {{ {known.code} = __it;"
        )
        self.block(node.body)
        self.emit("}")

    def do_While(self, node: ast.While, top: bool) -> None:
        if node.orelse:
            raise NotImplementedError("while-else is not supported.")
        self.emit(f"while ({self.truth(self.value(node.test)).code}) {{")
        self.block(node.body)
        self.emit("}")

    def do_If(self, node: ast.If, top: bool) -> None:
        test = self.value(node.test)
        if isinstance(test, Constant):
            for statement in node.body if test.obj else node.orelse:
                self.statement(statement, top)
            return
        self.emit(f"if ({self.truth(test).code}) {{")
        self.block(node.body)
        self.emit("} else {")
        self.block(node.orelse)
        self.emit("}")

    def do_Expr(self, node: ast.Expr, top: bool) -> None:
        value = self.value(node.value)
        if isinstance(value, Number) and value.code:
            self.emit(f"{value.code};")

    def do_Pass(self, node: ast.Pass, top: bool) -> None:
        pass

    def do_Break(self, node: ast.Break, top: bool) -> None:
        self.emit("break;")

    def do_Continue(self, node: ast.Continue, top: bool) -> None:
        self.emit("continue;")

    def do_Assert(self, node: ast.Assert, top: bool) -> None:
        value = self.value(node.test)
        if isinstance(value, Constant):
            assert value.obj
        else:
            raise NotSimulatedError("assert in a JIT kernel")

    def _refused(error: type, message: str):  # noqa: N805
        def do(self, node: ast.stmt, top: bool) -> None:
            raise error(message)

        return do

    do_ClassDef = _refused(NotImplementedError, "class is not supported currently.")
    do_FunctionDef = _refused(NotImplementedError, "Nested functions are not supported currently.")
    do_Delete = _refused(NotImplementedError, "`del` is not supported currently.")
    do_With = _refused(ValueError, "Switching contexts are not allowed.")
    do_Raise = do_Try = _refused(ValueError, "throw/catch are not allowed.")
    do_Import = do_ImportFrom = _refused(ValueError, "Cannot import modules from the target functions.")
    do_Global = do_Nonlocal = _refused(ValueError, "Cannot use global/nonlocal in the target functions.")

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
