"""Run the code of a cell, and look at what it does."""

from __future__ import annotations

import ast
import contextlib
from typing import Any

from gpusim.device import queue, shapes
from gpusim.hardware import gpus

from .account import Account
from .entry import finish
from .recording import Recorder


def run(
    tree: ast.Module,
    source: str,
    filename: str,
    names: dict[str, Any],
    gpu: gpus.GPU,
    offset: int = 0,
    name: str = "this cell",
) -> tuple[Account, Any]:
    """Run code with some names around it; what it assigns is put among them.

    Parameters
    ----------
    tree : ast.Module
        The code.
    source : str
        Its text.
    filename : str
        What tracebacks call it.
    names : dict
        Its globals.
    gpu : GPU
    offset : int
        Added to the numbers of its lines in the account.
    name : str
        What the account is said to be of.

    Returns
    -------
    account : Account
    value : object
        Of its last line, if that is an expression; else None.
    """
    __tracebackhide__ = True
    before = _plain(names)
    seen = Recorder(filename, offset)
    value = watched(tree, filename, names, seen)
    lines = source.splitlines()
    named = {each.line for each in (*seen.events, *seen.allocations) if each.line is not None}
    text = {line: lines[line - offset - 1].strip() for line in named if 0 < line - offset <= len(lines)}
    found = finish(seen, gpu, name, text, tree, before | _plain(names), offset)
    if not shapes.on:
        queue.drain()
    return found, value


def watched(tree: ast.Module, filename: str, names: dict[str, Any], recorder: contextlib.AbstractContextManager) -> Any:
    """Run code under a recorder; returns the value of its last line, if that is an expression."""
    __tracebackhide__ = True
    last = None
    body = list(tree.body)
    if body and isinstance(ending := body[-1], ast.Expr):
        body.pop()
        last = ast.copy_location(ast.Expression(ending.value), ending)
    statements = compile(ast.Module(body, []), filename, "exec")
    expression = compile(last, filename, "eval") if last is not None else None
    with recorder:
        exec(statements, names)
        return eval(expression, names) if expression is not None else None


def _plain(names: dict[str, Any]) -> set[str]:
    return {name for name, value in names.items() if not hasattr(value, "__cuda_array_interface__")}
