"""What a lambda uses of the function around it, and what it may change of that.

A use counts as a change unless it is known to be a mere read: then the lambda is given the variable itself, and no copy.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pycparser import c_ast

from . import cpp_to_c
from .cpp_to_c import LAMBDA, OPERATOR, OPERATORS, REFERENCE
from .tokens import written


class Captured(NamedTuple):
    """The names that a lambda uses and does not declare.

    Attributes
    ----------
    names : tuple of str
        In the order in which they occur.
    changed : frozenset of str
        Those of variables that it may change.
    reached : frozenset of str
        Those it may change if they are structs: what follows is an index, a call or a function of theirs.
    """

    names: tuple[str, ...]
    changed: frozenset[str]
    reached: frozenset[str]


def of(module: Any, number: int) -> Captured:
    """What a lambda of a module captures, by its number."""
    taken = module.unit.lambdas[number]
    line = taken.body[0].line
    (function,) = module.parsed(written(line, "void _hf_probe(", taken.params, ")", taken.body))
    found = _Uses(module)
    found.visit(function)
    return Captured(tuple(found.names), frozenset(found.changed), frozenset(found.reached))


class _Uses(c_ast.NodeVisitor):
    def __init__(self, module: Any):
        self.module = module
        self.names: dict[str, None] = {}
        self.changed: set[str] = set()
        self.reached: set[str] = set()
        self.declared: list[set[str]] = [set()]
        self.kind = "changed"  # how what is visited is used

    def uses(self, kind: str, *nodes: c_ast.Node | None) -> None:
        before, self.kind = self.kind, kind
        for node in nodes:
            if node is not None:
                self.visit(node)
        self.kind = before

    def note(self, name: str, kind: str) -> None:
        if any(name in level for level in self.declared):
            return
        self.names[name] = None
        if kind == "changed":
            self.changed.add(name)
        elif kind == "reached":
            self.reached.add(name)

    def inside(self, *nodes: c_ast.Node | None) -> None:
        self.declared.append(set())
        self.uses("read", *nodes)
        self.declared.pop()

    def visit_ID(self, node: c_ast.ID) -> None:
        self.note(node.name, self.kind)

    # Statements

    def visit_FuncDef(self, node: c_ast.FuncDef) -> None:
        for param in node.decl.type.args.params if node.decl.type.args is not None else ():
            if param.name:
                self.declared[-1].add(cpp_to_c.bare(param.name))
        self.visit(node.body)

    def visit_Compound(self, node: c_ast.Compound) -> None:
        self.inside(*(node.block_items or ()))

    def visit_For(self, node: c_ast.For) -> None:
        self.inside(node.init, node.cond, node.next, node.stmt)

    def visit_If(self, node: c_ast.Node) -> None:
        self.uses("read", *(each for _, each in node.children()))

    visit_While = visit_DoWhile = visit_Switch = visit_Case = visit_Default = visit_Return = visit_InitList = visit_If
    visit_TypeDecl = visit_ArrayDecl = visit_PtrDecl = visit_Typename = visit_DeclList = visit_If

    def visit_Decl(self, node: c_ast.Decl) -> None:
        name = node.name or ""
        self.uses("changed" if name.startswith(REFERENCE) else "read", node.init)
        self.uses("read", node.type)
        self.declared[-1].add(cpp_to_c.bare(name))

    # Expressions

    def visit_BinaryOp(self, node: c_ast.BinaryOp) -> None:
        self.operands(node.op, node.left, node.right)

    def operands(self, op: str, *nodes: c_ast.Node) -> None:
        changed = self.module.references(OPERATOR + OPERATORS.get(op, ""))
        for k, each in enumerate(nodes):
            self.uses("changed" if k in changed else "read", each)

    def visit_UnaryOp(self, node: c_ast.UnaryOp) -> None:
        if node.op in ("&", "++", "--", "p++", "p--"):
            self.uses("changed", node.expr)
        elif node.op == "*":
            self.uses("reached", node.expr)
        else:
            self.operands(node.op, node.expr)

    def visit_Assignment(self, node: c_ast.Assignment) -> None:
        self.uses("changed", node.lvalue)
        changed = self.module.references(OPERATOR + OPERATORS.get(node.op, ""))
        self.uses("changed" if 1 in changed else "read", node.rvalue)

    def visit_ArrayRef(self, node: c_ast.ArrayRef) -> None:
        self.uses("reached", node.name)
        self.uses("read", node.subscript)

    def visit_StructRef(self, node: c_ast.StructRef) -> None:
        self.uses("reached" if node.type == "->" else self.kind, node.name)

    def visit_TernaryOp(self, node: c_ast.TernaryOp) -> None:
        self.uses("read", node.cond)
        self.uses(self.kind, node.iftrue, node.iffalse)

    def visit_Cast(self, node: c_ast.Cast) -> None:
        self.uses("read", node.expr)

    def visit_CompoundLiteral(self, node: c_ast.CompoundLiteral) -> None:
        self.uses("read", node.init)

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        module, given = self.module, list(node.args.exprs) if node.args is not None else []
        called: Any = node.name.name if isinstance(node.name, c_ast.ID) else None
        if called is not None and called.startswith(LAMBDA):
            inner = module.captured(called)
            for name in inner.names:
                kinds = {"changed": inner.changed, "reached": inner.reached}
                self.note(name, next((kind for kind, names in kinds.items() if name in names), "read"))
            return
        if isinstance(node.name, c_ast.StructRef):
            name = node.name.field.name
            known = any(name in each for each in module.unit.methods.values())
            changed = module.references(f".{name}")
            stored = any(each.endswith(f"_{name}") for each in module.unit.places)
            self.uses("changed" if stored or 0 in changed else "reached", node.name.name)
            changed = {k - 1 for k in changed} if known else set()
        elif called is None:
            self.uses("reached", node.name)
            changed = set(range(len(given)))  # it may be a lambda, or a struct's operator()
        elif (base := cpp_to_c.decoded(called)[0]) in module.unit.templates or module.defines(base):
            changed = module.references(called)
        elif module.builtins.knows(called):
            changed = set()
        else:
            self.uses("reached", node.name)
            changed = set(range(len(given)))
        for k, each in enumerate(given):
            self.uses("changed" if k in changed else "read", each)
