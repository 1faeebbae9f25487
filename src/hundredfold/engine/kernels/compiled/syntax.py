"""Pieces of syntax tree that the rewriting needs again and again."""

from __future__ import annotations

import ast
import copy
import re

from ..resolve import FUNCTION_PREFIX, PREFIX

C, M = "_hf_c", "_hf_m"
"""The two parameters that every rewritten function gets."""

REFUSED = {
    ast.Try: "try and except",
    ast.With: "with",
    ast.ListComp: "A list comprehension",
    ast.List: "A list",
    ast.Dict: "A dictionary",
    ast.Set: "A set",
    ast.DictComp: "A dictionary",
    ast.SetComp: "A set",
    ast.GeneratorExp: "A generator expression",
    ast.JoinedStr: "An f-string",
    ast.Lambda: "A lambda",
    ast.FunctionDef: "A function definition",
    ast.ClassDef: "A class definition",
    ast.Yield: "yield",
    ast.YieldFrom: "yield from",
    ast.Global: "global",
    ast.Nonlocal: "nonlocal",
    ast.Import: "import",
    ast.ImportFrom: "import",
    ast.Match: "match",
    ast.Delete: "del of an element",
}


def is_field(node: ast.Subscript) -> bool:
    return isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)


def field_of_element(node: ast.AST) -> str | None:
    """The name of the field in ``x[i].a`` and ``x[i]["a"]``; None for anything else."""
    if not isinstance(node, ast.Attribute | ast.Subscript) or not isinstance(node.value, ast.Subscript):
        return None
    if is_field(node.value) or isinstance(node.value.value, ast.Attribute):
        return None
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.slice.value if is_field(node) else None


def items(node: ast.FunctionDef) -> dict[str, ast.expr]:
    """The variables that a function sets to an item of an array, ``p = x[i]``, each with the array."""
    found: dict[str, ast.expr] = {}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Assign) and len(inner.targets) == 1:
            target, value = inner.targets[0], inner.value
            pairs = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
                pairs = list(zip(target.elts, value.elts, strict=True))
            for name, item_ in pairs:
                if isinstance(name, ast.Name) and isinstance(item_, ast.Subscript) and not is_field(item_):
                    found.setdefault(name.id, copy.deepcopy(item_.value))
    return found


def readable(node: ast.AST) -> str:
    """An expression of a resolved kernel as its author wrote it."""
    text = re.sub(rf"{PREFIX}(\w+)", lambda match: "cuda." + match[1].replace("__", "."), ast.unparse(node))
    return re.sub(rf"{FUNCTION_PREFIX}\d+_|_hf_i\d+_(g_)?", "", text)


def load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def store(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


def item(index: int) -> ast.expr:
    return ast.Subscript(load(C), ast.Constant(int(index)), ast.Load())


def at(made: ast.AST, node: ast.AST) -> ast.AST:
    """Give new nodes the place of the one they stand for."""
    for inner in ast.walk(made):
        if not hasattr(inner, "lineno") and "lineno" in inner._attributes:
            ast.copy_location(inner, node)
    return made
