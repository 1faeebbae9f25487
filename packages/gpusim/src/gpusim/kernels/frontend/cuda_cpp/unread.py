"""Numbers of copied structs that nothing uses, and that NVRTC does not load.

Of ``float4 v = p[i]`` NVRTC 13 loads one member alone, if the kernel uses no other, and else all four at once; of a struct that has
no alignment of its own, the members that the kernel uses.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

_EFFECTS = frozenset(("_c_printf", "_c_assertion"))


class _Uses(ast.NodeVisitor):
    """Which variables each variable is computed from, and which the function itself needs.

    The order of the statements does not count: what is overwritten before it is read counts as used.
    """

    def __init__(self, called: Mapping[str, Any]) -> None:
        self.called = called
        self.variable = ""
        """The one that is being computed; none where something is stored, decided, returned or passed on."""
        self.needs: dict[str, set[str]] = {}
        self.copied: list[tuple[str, Any]] = []

    def visit_Assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if isinstance(target, ast.Name) and not self._acts(node.value):
            self._visit(node.value, target.id)
        else:
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        unread = _unread(self.called.get(node.func.id)) if isinstance(node.func, ast.Name) else ()
        self.visit(node.func)
        for k, each in enumerate(node.args):
            self._visit(each, f"({k})" if k in unread else self.variable)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.needs.setdefault(self.variable, set()).add(node.id)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if getattr(node, "copied", False):
            self.copied.append((self.variable, node))
        self.generic_visit(node)

    def _visit(self, node: ast.expr, variable: str) -> None:
        before, self.variable = self.variable, variable
        self.visit(node)
        self.variable = before

    def _acts(self, node: ast.expr) -> bool:
        """Whether computing a value may do more than that."""
        calls = [each.func for each in ast.walk(node) if isinstance(each, ast.Call)]
        return any(
            not isinstance(each, ast.Name)
            or each.id in _EFFECTS
            or not each.id.startswith("_c_")
            or each.id.startswith("_c_fn_")
            for each in calls
        )


def mark(made: ast.FunctionDef, called: Mapping[str, Any]) -> frozenset[int]:
    """Mark the reads that NVRTC leaves out of a copy; returns the positions of the parameters that nothing uses.

    Parameters
    ----------
    made : ast.FunctionDef
        A translated function.
    called : mapping
        The functions that it calls, by name.
    """
    uses = _Uses(called)
    for statement in made.body:
        uses.visit(statement)
    used, found = {""}, [""]
    while found:
        new = uses.needs.get(found.pop(), set()) - used
        used |= new
        found += new
    loads: dict[int, list[tuple[str, Any]]] = {}
    for variable, node in uses.copied:
        loads.setdefault(node.copied, []).append((variable, node))
    for parts in loads.values():
        if len({_member(node) for variable, node in parts if variable in used} - {""}) < 2:
            for variable, node in parts:
                vars(node)["unread"] = variable not in used
    return frozenset(k for k, each in enumerate(made.args.args) if each.arg not in used)


def _member(node: ast.Subscript) -> str:
    """The name in ``p['x']``; nothing of another subscript."""
    name = node.slice.value if isinstance(node.slice, ast.Constant) else ""
    return name if isinstance(name, str) else ""


def _unread(device: Any) -> frozenset[int]:
    return getattr(getattr(device, "__gpusim_device__", None), "unread", frozenset())
