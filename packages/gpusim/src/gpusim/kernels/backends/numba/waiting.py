"""Which kernels have threads that wait for others, and at what."""

from __future__ import annotations

import ast

from ...frontend.intrinsics import SYNCHRONISING
from ...frontend.python.resolve import PREFIX, Function


class CannotCompile(Exception):
    """The compiled way does not reach this kernel; the interpreter may."""


def waits(function: Function) -> bool:
    """Whether a thread of a kernel may have to wait for others: then it is compiled as a generator."""
    used = function.intrinsics & SYNCHRONISING
    if used == {"cg.this_grid"} and not syncs(function.node):  # asked for, and never waited for
        used = frozenset()
    return bool(used) or spins(function.node)


def syncs(node: ast.AST) -> bool:
    """Whether ``sync()`` is called on anything: in a kernel, on the grid."""
    calls = (inner.func for inner in ast.walk(node) if isinstance(inner, ast.Call))
    return any(isinstance(called, ast.Attribute) and called.attr == "sync" for called in calls)


def only_barriers(function: Function) -> bool:
    """Whether the threads of a kernel that waits wait at ``syncthreads`` only."""
    return not function.intrinsics & (SYNCHRONISING - {"syncthreads"}) and not spins(function.node)


def spins(node: ast.AST) -> bool:
    """Whether a while loop may wait for what another thread writes; one that is marked as counting does not."""
    for loop in ast.walk(node):
        if isinstance(loop, ast.While) and not hasattr(loop, "once") and not hasattr(loop, "counted"):
            for inner in ast.walk(loop):
                if isinstance(inner, ast.Name) and inner.id.startswith(f"{PREFIX}atomic__"):
                    return True
            if any(isinstance(inner, ast.Subscript) for inner in ast.walk(loop.test)) and not _writes(loop):
                return True
    return False


def _writes(loop: ast.While) -> bool:
    """Whether a loop's body assigns anything its own test may depend on (else it waits for somebody else)."""
    read = {n.id for n in ast.walk(loop.test) if isinstance(n, ast.Name)}
    for statement in loop.body:
        for inner in ast.walk(statement):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store) and inner.id in read:
                return True
            if isinstance(inner, ast.Subscript) and isinstance(inner.ctx, ast.Store):
                return True
            if isinstance(inner, ast.Break | ast.Return):
                return True
    return False
