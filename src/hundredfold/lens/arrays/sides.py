"""Which of its operands a launch reads, and which it writes."""

from __future__ import annotations

import ast
import math
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hundredfold.engine.counters import Launch

_FIRST = frozenset(
    "copyto convert store _store fill sort _set _combine _copy_where _putmask _put _put_along fill_diagonal".split()
)
"""What the stand-ins queue with the array that is written in front; everything else has it last."""


@dataclass
class Sides:
    """The views that a launch reads and writes, and how many bytes.

    `known` is False where the launch may touch memory that is not among them; `most` are the bytes of a view, by its id,
    of which not all are touched.
    """

    reads: list[np.ndarray] = field(default_factory=list)
    writes: list[np.ndarray] = field(default_factory=list)
    read: int = 0
    written: int = 0
    known: bool = True
    numba: bool = False
    most: dict[int, int] = field(default_factory=dict)


def sides(entry: Launch, by: Any, operands: Any, results: tuple | None, fresh: Callable[[np.ndarray], bool]) -> Sides:
    """Tell the sides of a launch apart.

    Parameters
    ----------
    entry : Launch
    by
        What runs: a function on views, or one of the engine's launches of a kernel.
    operands
        Its arguments.
    results : tuple of numpy.ndarray, optional
        What it writes, where the caller said so.
    fresh : callable
        Whether nothing was written yet where a view lies: what is new can only be written.
    """
    found = Sides(read=entry.bytes_read, written=entry.bytes_written)
    if results is not None:
        found.writes = list(results)
        found.reads = [view for view in _views(operands) if not any(view is r for r in results)]
    elif is_kernel(by):
        _of_kernel(found, by)
    else:
        views = list(_views(operands))
        found.known = bool(views) or not entry.bytes_read + entry.bytes_written
        if entry.bytes_written:
            found.writes = _written(entry.bytes_written, by, operands, views, fresh)
        for view in views:
            # By identity, and once: an array that is both operand and result is read too.
            if not any(view is w for w in found.writes) or sum(view is v for v in views) > 1:
                found.reads.append(view)
    if not entry.bytes_read and entry.kind == "kernel":
        found.reads = []
    found.reads = _distinct(found.reads)
    if entry.kind == "kernel" and not found.numba:
        # Where fewer bytes are read than the operands have (a gather), which of them is not known.
        while found.reads and sum(_bytes(view) for view in found.reads) > entry.bytes_read:
            found.reads.remove(max(found.reads, key=_bytes))
    return found


def is_kernel(by: Any) -> bool:
    """Whether this is one of the engine's launches of a kernel."""
    return hasattr(by, "kernel") and hasattr(by, "args") and hasattr(by, "blockdim")


def _views(value: Any):
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _views(item)
    elif isinstance(value, dict):
        yield from _views(list(value.values()))


def _bytes(view: np.ndarray) -> int:
    return view.nbytes if 0 not in view.strides else view.itemsize


def _distinct(views: list[np.ndarray]) -> list[np.ndarray]:
    return list({id(view): view for view in views}.values())


def _written(nbytes: int, by: Any, operands: Any, views: list, fresh: Callable) -> list[np.ndarray]:
    new = _distinct([view for view in views if fresh(view)])
    if new:
        return new
    if not views:
        return []
    name = getattr(by, "__name__", "")
    if name == "cast_and_mask":
        return list(operands[2])
    if name in _FIRST:
        return views[:1]
    fitting = [view for view in views if view.nbytes == nbytes]
    return [(fitting or views)[-1]]


def _of_kernel(found: Sides, run: Any) -> None:
    """A kernel's arguments, by what its source does with their names."""
    touched = _accesses(run.function)
    found.numba = True
    found.read = found.written = 0
    threads = run.blocks * math.prod(run.blockdim)
    for name, value in zip(run.function.params, run.args, strict=False):
        places = touched.places.get(name, 0)
        for view in _views(value):
            how = touched.how.get(name, "")
            # Without a loop a thread comes to each place once: more elements than threads times places are not touched.
            most = view.nbytes if touched.loops else min(view.nbytes, threads * places * view.itemsize)
            found.most[id(view)] = most
            if "r" in how:
                found.reads.append(view)
                found.read += most
            if "w" in how:
                found.writes.append(view)
                found.written += most


def _accesses(function: Any) -> _Accesses:
    """What a kernel does with its parameters."""
    if function.pyfunc not in _known:
        found = _Accesses(set(function.params))
        for statement in function.node.body:
            found.visit(statement)
        _known[function.pyfunc] = found
    return _known[function.pyfunc]


_known: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


class _Accesses(ast.NodeVisitor):
    """By parameter: "r", "w" or "rw", and at how many places of the source.

    What a kernel hands on to a function may be both, and as often as that likes; so it counts as a loop.
    """

    def __init__(self, params: set[str]):
        self.params = params
        self.how: dict[str, str] = {}
        self.places: dict[str, int] = {}
        self.loops = False

    def note(self, name: str, how: str) -> None:
        if name in self.params:
            self.how[name] = "".join(sorted(set(self.how.get(name, "") + how)))
            self.places[name] = self.places.get(name, 0) + 1

    def visit_For(self, node: ast.For) -> None:
        self.loops = True
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self.loops = True
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        root = node.value
        while isinstance(root, (ast.Subscript, ast.Attribute)):
            root = root.value
        if isinstance(root, ast.Name):
            self.note(root.id, "r" if isinstance(node.ctx, ast.Load) else "w")
        else:
            self.visit(node.value)
        self.visit(node.slice)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        root = node.target
        while isinstance(root, (ast.Subscript, ast.Attribute)):
            root = root.value
        if isinstance(root, ast.Name) and isinstance(node.target, ast.Subscript):
            self.note(root.id, "rw")
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.value, ast.Name):  # a.shape touches nothing
            self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id == "len":
            return
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in self.params:
            self.loops = True
            self.note(node.id, "rw")
