"""The variables of a C function, and what is said of them before its translation: which are moved, which have an address."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from .cpp_to_c import LAMBDA, OPERATOR, OPERATORS, REFERENCE
from .device_library import python_name

CALL = OPERATOR + OPERATORS["()"]


@dataclass
class Variable:
    """A name of C in its scope.

    Attributes
    ----------
    type
    name : str
        Of the Python variable.
    const : int, float or None
        Its value, if it is a constant that is known.
    boxed : bool
        Whether it lies in memory, in an array of one element, because something takes its address.
    reference : bool
        Whether it stands for what a pointer points to.
    array : ast.expr or None
        Of a pointer: the array it points into, where that is always the same.
    still : bool
        Whether a pointer always points to the start of its array.
    flat : bool
        Whether an array of several dimensions is kept as one of one.
    readonly : bool
        Whether it is declared const.
    captured : list or None
        Of a lambda, the expressions that it captured.
    shared : bool
        Whether it lies in shared memory: a lambda need not capture it.
    """

    type: Any
    name: str
    const: Any = None
    boxed: bool = False
    reference: bool = False
    array: ast.expr | None = None
    still: bool = False
    flat: bool = True
    readonly: bool = False
    captured: Any = None
    shared: bool = False


class Usage(c_ast.NodeVisitor):
    """How a function uses its names.

    Attributes
    ----------
    assigned, moved, addressed, partly : set of str
        Assigned with ``=``; changed by ``+=`` or ``++``; with their address taken; arrays that are used otherwise than with
        all their indices.

    Parameters
    ----------
    node
        The function.
    references : callable, optional
        Which parameters of a function, by its name, are references: what is passed to them has its address taken.
    captured : callable, optional
        What a lambda captures, by the name that stands for it: what it may change has its address taken.
    """

    def __init__(
        self,
        node: c_ast.Node,
        references: Callable[[str], set[int]] | None = None,
        captured: Callable[[str], Any] | None = None,
    ):
        self.references = references or (lambda name: set())
        self.captured = captured
        self.lambdas: dict[str, str] = {}  # those that are variables
        self.assigned: set[str] = set()
        self.moved: set[str] = set()
        self.addressed: set[str] = set()
        self.partly: set[str] = set()
        self.shapes = _shapes(node)
        self.visit(node)

    def visit_Assignment(self, node: c_ast.Assignment) -> None:
        if isinstance(node.lvalue, c_ast.ID):
            (self.assigned if node.op == "=" else self.moved).add(node.lvalue.name)
        if node.op in OPERATORS and 0 in self.references(OPERATOR + OPERATORS[node.op]):
            self.addressed |= _whose(node.lvalue)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: c_ast.UnaryOp) -> None:
        if isinstance(node.expr, c_ast.ID):
            if node.op in ("++", "--", "p++", "p--"):
                self.moved.add(node.expr.name)
            elif node.op == "&":
                self.addressed.add(node.expr.name)
        elif node.op == "&" and isinstance(node.expr, c_ast.StructRef):
            self.addressed |= _whose(node.expr)
        elif node.op == "&" and isinstance(node.expr, c_ast.ArrayRef):
            base, _ = chain(node.expr)
            if isinstance(base, c_ast.ID):
                self.partly.add(base.name)
        self.generic_visit(node)

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        name = getattr(node.name, "name", "")
        if self.captured is not None and isinstance(name, str) and name.startswith(LAMBDA):
            found = self.captured(name)
            self.partly |= {*found.names}
            self.addressed |= found.changed | found.reached
            return
        if isinstance(node.name, c_ast.FuncCall):  # a lambda that is called where it is written
            name = getattr(node.name.name, "name", "")
        name = self.lambdas.get(name, name) if isinstance(name, str) else name
        if isinstance(name, str) and (name.startswith("atomic") or name == "__ldg"):
            for argument in node.args.exprs if node.args else ():
                whole = isinstance(argument, c_ast.UnaryOp) and argument.op == "&"
                self.visit(argument.expr if whole and isinstance(argument.expr, c_ast.ArrayRef) else argument)
            return
        given = list(node.args.exprs) if node.args else []
        if isinstance(node.name, c_ast.StructRef):
            own = node.name.name if node.name.type == "." else c_ast.Constant("int", "0")
            name, given = f".{node.name.field.name}", [own, *given]
        if isinstance(name, str) and 0 in self.references(CALL):
            self.addressed.add(name)  # where it is a variable
        for place in self.references(name) if isinstance(name, str) and given else ():
            if place < len(given):
                self.refer(given[place])
        self.generic_visit(node)

    def refer(self, node: c_ast.Node) -> None:
        """Note that there is a reference to something."""
        self.addressed |= _whose(node)
        if isinstance(node, c_ast.ArrayRef) and isinstance(base := chain(node)[0], c_ast.ID):
            self.partly.add(base.name)

    def visit_Decl(self, node: c_ast.Decl) -> None:
        if node.name and node.name.startswith(REFERENCE):
            self.refer(node.init)
        called = getattr(getattr(node.init, "name", None), "name", "")
        if node.name and isinstance(called, str) and called.startswith(LAMBDA):
            self.lambdas[node.name] = called
        self.generic_visit(node)

    def visit_ArrayRef(self, node: c_ast.ArrayRef) -> None:
        base, indices = chain(node)
        if isinstance(base, c_ast.ID):
            if len(indices) != self.shapes.get(base.name, len(indices)):
                self.partly.add(base.name)
        else:
            self.visit(base)
        for index in indices:
            self.visit(index)

    def visit_ID(self, node: c_ast.ID) -> None:
        self.partly.add(node.name)


def _whose(node: c_ast.Node) -> set[str]:
    """The variable that ``a`` or ``a.x.y`` is, or is a part of."""
    while isinstance(node, c_ast.StructRef) and node.type == ".":
        node = node.name
    return {node.name} if isinstance(node, c_ast.ID) else set()


def _shapes(node: c_ast.Node) -> dict[str, int]:
    found: dict[str, int] = {}

    class Declarations(c_ast.NodeVisitor):
        def visit_Decl(self, decl: c_ast.Decl) -> None:
            kind, count = decl.type, 0
            while isinstance(kind, c_ast.ArrayDecl):
                kind, count = kind.type, count + 1
            if count:
                found[decl.name] = count
            self.generic_visit(decl)

    Declarations().visit(node)
    return found


def chain(node: c_ast.Node) -> tuple[c_ast.Node, list[c_ast.Node]]:
    """What ``a[i][j]`` indexes, and its indices."""
    indices: list[c_ast.Node] = []
    while isinstance(node, c_ast.ArrayRef):
        indices.insert(0, node.subscript)
        node = node.name
    return node, indices


class Scope:
    """Names in nested blocks; each gets a Python name of its own, since Python has no blocks."""

    def __init__(self) -> None:
        self.levels: list[dict[str, Variable]] = [{}, {}]  # the module's variables, the function's
        self.taken: set[str] = set()

    def push(self) -> None:
        self.levels.append({})

    def pop(self) -> None:
        self.levels.pop()

    def find(self, name: str) -> Variable | None:
        for level in reversed(self.levels):
            if name in level:
                return level[name]
        return None

    def own(self, name: str) -> str:
        """A Python name that is free."""
        made, k = python_name(name), 2
        while made in self.taken:
            made, k = f"{python_name(name)}__{k}", k + 1
        self.taken.add(made)
        return made

    def declare(self, name: str, variable: Variable) -> Variable:
        self.levels[-1][name] = variable
        return variable
