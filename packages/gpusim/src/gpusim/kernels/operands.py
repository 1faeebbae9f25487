"""Which of its array arguments a kernel reads, and which it writes: what its source does with their names."""

from __future__ import annotations

import ast
import weakref
from collections.abc import Iterator

import numpy as np

from .frontend.python.resolve import Function


def declared(function: Function, args: tuple) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The arrays among a launch's arguments that the kernel reads, and those that it writes."""
    how = accesses(function).how
    reads: list[np.ndarray] = []
    writes: list[np.ndarray] = []
    for name, value in zip(function.params, args, strict=False):
        if not isinstance(value, (np.ndarray, tuple, list)):
            continue
        done = how.get(name, "")
        if "r" in done:
            reads.extend(views(value))
        if "w" in done:
            writes.extend(views(value))
    return reads, writes


def views(value: object) -> Iterator[np.ndarray]:
    """The arrays in an argument."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from views(item)


def accesses(function: Function) -> Accesses:
    """What a kernel or device function does with its parameters."""
    found = _known.get(function.pyfunc)
    if found is None:
        found = Accesses(function)
        _known[function.pyfunc] = found
    return found


class Accesses(ast.NodeVisitor):
    """What a function does with its parameters.

    Attributes
    ----------
    how : dict of str to str
        By parameter: "r", "w" or "rw".
    places : dict of str to int
        At how many places of the source.
    loops : bool
        Whether a thread may come to a place more than once.  What is handed on to something whose source is not known may be
        read and written, and as often as that likes; so it counts as a loop.
    """

    def __init__(self, function: Function):
        self.function = function
        self.how: dict[str, str] = {}
        self.places: dict[str, int] = {}
        self.loops = False
        self._names = {name: name for name in function.params}  # and what a part of a parameter was called: row = a[i]
        for statement in function.node.body:
            self.visit(statement)
        del (
            self.function
        )  # `_known` keeps this as long as the function lives: with it, it would live for ever, and what it closes over

    def note(self, name: str, how: str, places: int = 1) -> None:
        name = self._names.get(name, "")
        if name:
            self.how[name] = "".join(sorted(set(self.how.get(name, "") + how)))
            self.places[name] = self.places.get(name, 0) + places

    def visit_For(self, node: ast.For) -> None:
        self.loops = True
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self.loops = True
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        root = _root(node.value)
        if isinstance(node.value, (ast.Subscript, ast.Attribute)) and root in self._names:
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id not in self.function.params:
                    self._names[target.id] = self._names[root]
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        root = _root(node)
        if root:
            self.note(root, "r" if isinstance(node.ctx, ast.Load) else "w")
        else:
            self.visit(node.value)
        self._visit_indices(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if not isinstance(node.target, ast.Name) and (root := _root(node.target)):
            self.note(root, "rw")
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        root = _root(node)
        if root and isinstance(node.ctx, ast.Store):  # a record's field
            self.note(root, "w")
            self._visit_indices(node)
        elif not isinstance(node.value, ast.Name):  # a.shape touches nothing
            self.visit(node.value)

    def _visit_indices(self, node: ast.expr) -> None:
        while isinstance(node, (ast.Subscript, ast.Attribute)):
            if isinstance(node, ast.Subscript):
                self.visit(node.slice)
            node = node.value

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "len":
            return
        callee = self.function.functions.get(name)
        if callee is None or node.keywords or len(node.args) > len(callee.params):
            self.generic_visit(node)
            return
        _known.setdefault(self.function.pyfunc, self)  # one that calls itself finds what is known of it so far
        inside = accesses(callee)
        self.loops = self.loops or inside.loops
        for param, value in zip(callee.params, node.args, strict=False):
            if inside is not self and isinstance(value, ast.Name) and value.id in self._names:
                if param in inside.how:
                    self.note(value.id, inside.how[param], inside.places[param])
            else:
                self.visit(value)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in self.function.params:
            self.loops = True
            self.note(node.id, "rw")


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


_known: weakref.WeakKeyDictionary[object, Accesses] = weakref.WeakKeyDictionary()
