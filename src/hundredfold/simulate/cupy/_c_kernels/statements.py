"""Statements of C as statements of Python."""

from __future__ import annotations

import ast

from pycparser import c_ast

from .declarations import Declarations
from .kinds import VOID, Scalar
from .values import binary, convert


class Statements(Declarations):
    """The part of a function's translation that is about statements and declarations.

    Attributes
    ----------
    returns
        The type that the function returns.
    shared_bytes : int
        Of static shared memory, in this function and those it calls.
    """

    returns: object = VOID
    shared_bytes: int = 0

    def block(self, node: c_ast.Node | None) -> list[ast.stmt]:
        """The statements that a statement becomes, in a scope of their own."""
        self.scope.push()
        try:
            made, _ = self.apart(lambda: self.statement(node))
        finally:
            self.scope.pop()
        return made or [self.stamp(ast.Pass())]

    def statement(self, node: c_ast.Node | None) -> None:
        """Translate one statement, on to the end of those there are."""
        if node is None:
            return
        if node.coord is not None:
            self.line, self.column = node.coord.line, node.coord.column or 0
        method = getattr(self, f"do_{type(node).__name__}", None)
        if method is not None:
            method(node)
        else:
            self.run(node)

    def do_Compound(self, node: c_ast.Compound) -> None:
        self.scope.push()
        for inner in node.block_items or ():
            self.statement(inner)
        self.scope.pop()

    def do_EmptyStatement(self, node: c_ast.EmptyStatement) -> None:
        pass

    def do_Pragma(self, node: c_ast.Pragma) -> None:
        pass

    def do_Label(self, node: c_ast.Label) -> None:
        self.refuse("a label", node)

    def do_Typedef(self, node: c_ast.Typedef) -> None:
        self.module.typedefs[node.name] = self.module.resolve(node.type, self)

    def do_DeclList(self, node: c_ast.DeclList) -> None:
        for inner in node.decls:
            self.statement(inner)

    # Control

    def do_If(self, node: c_ast.If) -> None:
        test = self.truth(node.cond)
        if test.const is not None:  # also how `if constexpr` chooses
            self.out += self.block(node.iftrue if test.const else node.iffalse)
            return
        line = self.line, self.column
        body = self.block(node.iftrue)
        other = self.block(node.iffalse) if node.iffalse is not None else []
        self.line, self.column = line
        self.emit(ast.If(test.node, body, other))

    def do_While(self, node: c_ast.While) -> None:
        self.loop(node, None)

    def do_For(self, node: c_ast.For) -> None:
        self.scope.push()
        if isinstance(node.init, c_ast.DeclList):
            self.do_DeclList(node.init)
        elif node.init is not None:
            self.run(node.init)
        self.loop(node, node.next)
        self.scope.pop()

    def loop(self, node: c_ast.Node, step: c_ast.Node | None) -> None:
        line = self.line, self.column
        before, test = self.apart(lambda: self.truth(node.cond)) if node.cond is not None else ([], None)
        always = test is None or (test.const is not None and bool(test.const))
        self.loops.append(lambda: self.apart(lambda: self.run(step))[0] if step is not None else [])
        body = self.block(node.stmt)
        self.loops.pop()
        if not _leaves(body):
            body += self.apart(lambda: self.run(step))[0] if step is not None else []
        self.line, self.column = line
        if before:
            leave = ast.If(ast.UnaryOp(ast.Not(), test.node), [ast.Break()], [])
            made = ast.While(ast.Constant(True), [*before, leave, *body], [])
        else:
            made = ast.While(ast.Constant(True) if always else test.node, body, [])
        if step is not None and not before and _counts(node, step):
            made.counted = True
        self.emit(made)

    def do_DoWhile(self, node: c_ast.DoWhile) -> None:
        line = self.line, self.column

        def ending() -> list[ast.stmt]:
            before, test = self.apart(lambda: self.truth(node.cond))
            if test.const is not None and test.const:
                return before
            leave = ast.If(ast.UnaryOp(ast.Not(), test.node), [ast.Break()], [])
            return [*before, self.stamp(leave)]

        self.loops.append(ending)
        body = self.block(node.stmt)
        self.loops.pop()
        body += [] if _leaves(body) else ending()
        self.line, self.column = line
        made = ast.While(ast.Constant(True), body, [])
        if isinstance(node.cond, c_ast.Constant) and not any(isinstance(n, ast.Continue) for n in ast.walk(made)):
            made.once = node.cond.value == "0"
            if not made.once:
                del made.once
        self.emit(made)

    def do_Break(self, node: c_ast.Break) -> None:
        if not self.loops:
            self.wrong("a break statement may only be used within a loop or switch", node)
        if self.loops[-1] is None:
            self.refuse("a break inside an if of a switch", node)
        self.emit(ast.Break())

    def do_Continue(self, node: c_ast.Continue) -> None:
        around = [each for each in self.loops if each is not None]
        if not around:
            self.wrong("a continue statement may only be used within a loop", node)
        self.out += around[-1]()
        self.emit(ast.Continue())

    def do_Return(self, node: c_ast.Return) -> None:
        if self.returns is VOID:
            if node.expr is not None:
                self.wrong("return value type does not match the function type", node)
            self.emit(ast.Return())
            return
        if node.expr is None:
            self.wrong("missing return value", node)
        made = self.value(node.expr)
        if not isinstance(self.returns, Scalar):
            self.refuse(f"a function that returns {self.returns}", node)
        self.emit(ast.Return(self.converted(made, self.returns, node.expr).node))

    def do_Switch(self, node: c_ast.Switch) -> None:
        """Each case as an if, with the statements it runs into copied behind it."""
        chosen = self.kept(self.whole(node.cond))
        items = node.stmt.block_items if isinstance(node.stmt, c_ast.Compound) else None
        if items is None:
            self.refuse("this switch", node)
        labels, bodies = [], []
        for item in items:
            if not isinstance(item, c_ast.Case | c_ast.Default):
                self.refuse("a statement in front of the cases of a switch", item)
            labels.append(item)
            bodies.append(list(item.stmts or ()))
        self.loops.append(None)
        branches: list[tuple[ast.expr | None, list[ast.stmt]]] = []
        for k, label in enumerate(labels):
            run: list[c_ast.Node] = []
            for later in bodies[k:]:
                ended = next((j for j, s in enumerate(_flat(later)) if isinstance(s, c_ast.Break)), None)
                run += _flat(later)[:ended] if ended is not None else _flat(later)
                if ended is not None or (run and isinstance(run[-1], c_ast.Return | c_ast.Continue)):
                    break
            made = self.block(c_ast.Compound(run, label.coord))
            if isinstance(label, c_ast.Case):
                value = self.number(label.expr)
                branches.append((binary("==", chosen, convert(value, chosen.type)).node, made))
            else:
                branches.append((None, made))
        self.loops.pop()
        other = next((made for test, made in branches if test is None), [])
        for test, made in reversed([b for b in branches if b[0] is not None]):
            other = [self.stamp(ast.If(test, made, other))]
        self.out += other

    loops: list


def _flat(statements: list[c_ast.Node]) -> list[c_ast.Node]:
    if (
        len(statements) >= 1
        and isinstance(statements[0], c_ast.Compound)
        and all(isinstance(s, c_ast.Break) for s in statements[1:])
    ):
        return [*(statements[0].block_items or ()), *statements[1:]]
    return statements


def _leaves(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Break | ast.Continue | ast.Return)


def _counts(node: c_ast.For, step: c_ast.Node) -> bool:
    """Whether a loop only counts: its condition reads variables, of which its step changes one."""
    if node.cond is None:
        return False
    read: set[str] = set()
    plain = True

    class Reads(c_ast.NodeVisitor):
        def visit_ID(self, inner):
            read.add(inner.name)

        def generic_visit(self, inner):
            nonlocal plain
            if isinstance(inner, c_ast.ArrayRef | c_ast.FuncCall | c_ast.Assignment) or (
                isinstance(inner, c_ast.UnaryOp) and inner.op == "*"
            ):
                plain = False
            super().generic_visit(inner)

    Reads().visit(node.cond)
    changed: set[str] = set()

    class Changes(c_ast.NodeVisitor):
        def visit_Assignment(self, inner):
            changed.add(getattr(inner.lvalue, "name", ""))

        def visit_UnaryOp(self, inner):
            changed.add(getattr(inner.expr, "name", ""))

    Changes().visit(step)
    return plain and bool(read & changed)
