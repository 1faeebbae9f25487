"""From a Python kernel to C++, statement by statement, on the same lines."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from ._objects import Constant, Number, Range, Tuple
from ._types import ctype
from ._values import TYPES, JitError, Values

_C_WORDS = frozenset(
    "auto bool break case char const continue default do double else enum extern float for goto if inline int long "
    "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while "
    "class new delete operator template this throw try catch namespace using".split()
)


class Transpiler(Values):
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
            from hundredfold.simulate.errors import NotSimulatedError

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


__all__ = ["JitError", "Transpiler"]
