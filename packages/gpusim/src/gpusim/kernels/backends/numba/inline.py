"""Put device functions that wait for other threads into the kernel that calls them.

A generator hands over only from its own body, so a barrier or a shuffle must stand in the kernel itself.  A call becomes the
function's statements, with its names made unique, in front of the statement that holds it; what is evaluated before the
call is kept in a temporary, so that the order of evaluation stays Python's.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import replace
from typing import Any

from ...frontend.python.desugar import at
from ...frontend.python.resolve import FUNCTION_PREFIX, PREFIX, Function
from .diagnostics import TypingError
from .waiting import CannotCompile, waits


def inline(function: Function) -> Function:
    """Return a kernel that calls no function that waits; itself if it calls none.

    Raises
    ------
    CannotCompile
        For a call in a place from which it cannot be taken out.
    """
    if not any(waits(callee) for callee in every(function)):
        return function
    made = replace(
        function, node=copy.deepcopy(function.node), env=dict(function.env), functions=dict(function.functions)
    )
    made.node.body = _Inliner(made).block(made.node.body)
    ast.fix_missing_locations(made.node)
    left = {node.id for node in ast.walk(made.node) if isinstance(node, ast.Name)}
    made.functions = {name: callee for name, callee in made.functions.items() if name in left}
    return made


def every(function: Function) -> list[Function]:
    """The device functions that a kernel calls, also through others."""
    return [callee for direct in function.functions.values() for callee in (direct, *every(direct))]


class _Inliner:
    def __init__(self, made: Function):
        self.made = made
        self.count = 0

    def waiting(self, node: ast.AST) -> bool:
        """Whether a piece of the kernel holds a call that must be taken out."""
        return any(self.callee(inner) is not None for inner in ast.walk(node))

    def callee(self, node: ast.AST) -> Function | None:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.startswith(FUNCTION_PREFIX):
            function = self.made.functions[node.func.id]
            return function if waits(function) else None
        return None

    # Statements

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        return [made for statement in statements for made in self.statement(statement)]

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        if not self.waiting(node):
            return [node]
        if isinstance(node, ast.If):
            before, node.test = self.lift(node.test)
            node.body, node.orelse = self.block(node.body), self.block(node.orelse)
            return [*before, node]
        if isinstance(node, ast.While):
            return self.loop(node)
        if isinstance(node, ast.For):
            before, node.iter = self.lift(node.iter)
            node.body, node.orelse = self.block(node.body), self.block(node.orelse)
            return [*before, node]
        if isinstance(node, ast.Expr):
            before, value = self.lift(node.value)
            return before if isinstance(value, ast.Name | ast.Constant) else [*before, at(ast.Expr(value), node)]
        if isinstance(node, ast.Return | ast.Assign | ast.AnnAssign):
            if node.value is None or any(self.waiting(t) for t in getattr(node, "targets", ())):
                raise CannotCompile("a waiting call in the place that is assigned to")
            before, node.value = self.lift(node.value)
            return [*before, node]
        if isinstance(node, ast.AugAssign) and not self.waiting(node.target):
            # The target is read before the value is computed, and a function that waits may change it.
            if isinstance(node.target, ast.Name):
                before, node.value = self.lift(node.value)
                return [*before, node]
            base, index = self.temporary(), self.temporary()
            done = [_assign(base, node.target.value, node)]
            if isinstance(node.target, ast.Subscript):
                done.append(_assign(index, node.target.slice, node))
                place = ast.Subscript(_load(base), _load(index), ast.Load())
                target = ast.Subscript(_load(base), _load(index), ast.Store())
            else:
                place = ast.Attribute(_load(base), node.target.attr, ast.Load())
                target = ast.Attribute(_load(base), node.target.attr, ast.Store())
            old = self.temporary()
            before, value = self.lift(node.value)
            done += [_assign(old, place, node), *before]
            return [*done, at(ast.Assign([target], ast.BinOp(_load(old), node.op, value)), node)]
        raise CannotCompile(f"a waiting call in a {type(node).__name__}")

    def loop(self, node: Any) -> list[ast.stmt]:
        if not self.waiting(node.test):
            node.body, node.orelse = self.block(node.body), self.block(node.orelse)
            return [node]
        if node.orelse:
            raise CannotCompile("a waiting call in the test of a while with an else")
        before, test = self.lift(node.test)
        leave = at(ast.If(ast.UnaryOp(ast.Not(), test), [ast.Break()], []), node)
        node.test = at(ast.Constant(True), node)
        node.body = [*before, leave, *self.block(node.body)]
        return [node]

    # Expressions

    def lift(self, node: Any) -> tuple[list[ast.stmt], ast.expr]:
        """Return the statements that must run before, and what is left of an expression."""
        if not self.waiting(node):
            return [], node
        if isinstance(node, ast.IfExp):
            before, test = self.lift(node.test)
            result = self.temporary()
            branches = []
            for part in (node.body, node.orelse):
                inner, value = self.lift(part)
                branches.append([*inner, _assign(result, value, node)])
            return [*before, at(ast.If(test, *branches), node)], at(_load(result), node)
        if isinstance(node, ast.BoolOp):
            before, value = self.lift(node.values[0])
            result = self.temporary()
            done = [*before, _assign(result, value, node)]
            into: list[ast.stmt] = done
            for part in node.values[1:]:
                inner, value = self.lift(part)
                test: ast.expr = _load(result)
                if isinstance(node.op, ast.Or):
                    test = ast.UnaryOp(ast.Not(), test)
                branch = at(ast.If(test, [*inner, _assign(result, value, node)], []), node)
                into.append(branch)
                into = branch.body
            return done, at(_load(result), node)
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            raise CannotCompile("a waiting call in a chain of comparisons")
        return self.children(node)

    def children(self, node: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
        places = _places(node)
        last = (
            max(k for k, (_, _, child) in enumerate(places) if self.waiting(child))
            if any(self.waiting(child) for _, _, child in places)
            else -1
        )
        done: list[ast.stmt] = []
        for k, (owner, key, child) in enumerate(places):
            if k > last:
                break
            before, value = self.lift(child)
            done += before
            if k < last and not isinstance(value, ast.Constant | ast.Name):
                name = self.temporary()
                done.append(_assign(name, value, node))
                value = at(_load(name), node)
            _put(owner, key, value)
        callee = self.callee(node)
        if callee is None:
            return done, node
        body, result = self.body(callee, node)
        return [*done, *body], at(result, node)

    def body(self, callee: Function, call: Any) -> tuple[list[ast.stmt], ast.expr]:
        """The statements of a function for one call, and what it returns."""
        self.count += 1
        mark = f"_hf_i{self.count}_"
        node = copy.deepcopy(callee.node)
        values = dict(zip(callee.params, call.args, strict=False)) | {k.arg: k.value for k in call.keywords}
        for name, default in zip(reversed(callee.params), reversed(callee.defaults), strict=False):
            if name not in values:
                self.made.env[f"{mark}default_{name}"] = default
                values[name] = _load(f"{mark}default_{name}")
        if set(values) != set(callee.params) or len(call.args) > len(callee.params):
            raise self.made.error(f"{callee.name} takes ({', '.join(callee.params)}).", call, TypingError)
        done: list[ast.stmt] = [_assign(mark + name, values[name], call) for name in callee.params]
        names = _Renamed(self.made, callee, mark)
        shift = callee.firstlineno - self.made.firstlineno
        statements = [names.visit(statement) for statement in node.body]
        for statement in statements:
            inner: Any
            for inner in ast.walk(statement):
                if hasattr(inner, "lineno") and not hasattr(inner, "origin"):
                    inner.origin, inner.origin_line = callee, inner.lineno
                    inner.lineno += shift
                    inner.end_lineno = (inner.end_lineno or inner.lineno) + shift
        result = mark + "returned"
        returns = [inner for s in statements for inner in ast.walk(s) if isinstance(inner, ast.Return)]
        if not returns:
            return [*done, *self.block(statements)], ast.Constant(None)
        if returns == [statements[-1]]:
            end = statements.pop()
            done += self.block(statements)
            before, value = self.lift(end.value) if end.value is not None else ([], ast.Constant(None))
            return [*done, *before, _assign(result, value, end)], _load(result)
        ended = mark + "ended"
        done.append(_assign(ended, ast.Constant(False), call))
        once: Any = at(ast.While(ast.Constant(True), _leave(statements, result, ended, inside=False), []), call)
        once.body.append(at(ast.Break(), call))
        once.once = True
        once.body = self.block(once.body)
        done.append(once)
        valued = any(r.value is not None for r in returns)
        return done, _load(result) if valued else ast.Constant(None)

    def temporary(self) -> str:
        self.count += 1
        return f"_hf_i{self.count}"


def _leave(statements: list[ast.stmt], result: str, ended: str, *, inside: bool) -> list[ast.stmt]:
    """Make returns leave the one turn of the loop that stands for a function's body."""
    done: list[ast.stmt] = []
    for node in statements:
        if isinstance(node, ast.Return):
            if node.value is not None:
                done.append(_assign(result, node.value, node))
            done.append(_assign(ended, ast.Constant(True), node))
            done.append(at(ast.Break(), node))
            break
        if isinstance(node, ast.If):
            node.body = _leave(node.body, result, ended, inside=inside)
            node.orelse = _leave(node.orelse, result, ended, inside=inside)
        elif isinstance(node, ast.While | ast.For):
            returns = any(isinstance(inner, ast.Return) for inner in ast.walk(node))
            node.body = _leave(node.body, result, ended, inside=True)
            node.orelse = _leave(node.orelse, result, ended, inside=inside)
            done.append(node)
            if returns:
                done.append(at(ast.If(_load(ended), [ast.Break()], []), node))
            continue
        done.append(node)
    return done


class _Renamed(ast.NodeTransformer):
    """Give the names of a function a mark of their own, in the kernel it is put into."""

    def __init__(self, made: Function, callee: Function, mark: str):
        self.made, self.callee, self.mark = made, callee, mark

    def visit_Name(self, node: ast.Name) -> ast.AST:
        name = node.id
        if name.startswith(PREFIX):
            return node
        if name in self.callee.functions:
            function = self.callee.functions[name]
            for known, other in self.made.functions.items():
                if other is function:
                    node.id = known
                    return node
            node.id = f"{FUNCTION_PREFIX}{len(self.made.functions)}_{function.node.name}"
            self.made.functions[node.id] = function
        elif name in self.callee.env:
            node.id = f"{self.mark}g_{name}"
            self.made.env[node.id] = self.callee.env[name]
        elif name in self.locals():
            node.id = self.mark + name
        return node

    def locals(self) -> set[str]:
        stored = {n.id for n in ast.walk(self.callee.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        return stored | set(self.callee.params)


def _places(node: ast.expr) -> list[tuple[Any, Any, ast.expr]]:
    """The expressions in an expression, in the order in which Python evaluates them, and where they stand."""
    places: list[tuple[Any, Any, ast.expr]] = []
    for name, value in ast.iter_fields(node):
        if isinstance(value, list):
            for k, item in enumerate(value):
                if isinstance(item, ast.keyword):
                    places.append((item, "value", item.value))
                elif isinstance(item, ast.expr):
                    places.append((value, k, item))
        elif isinstance(value, ast.expr) and not (
            isinstance(node, ast.Call) and name == "func" and isinstance(value, ast.Name)
        ):
            places.append((node, name, value))
    return places


def _put(owner: Any, key: Any, value: ast.expr) -> None:
    if isinstance(owner, list):
        owner[key] = value
    else:
        setattr(owner, key, value)


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _assign(name: str, value: ast.expr, node: ast.AST) -> ast.Assign:
    return at(ast.Assign([ast.Name(name, ast.Store())], value), node)
