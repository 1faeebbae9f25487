"""How often each part of a kernel's source was carried out, by the threads and by the warps of each traced block.

A trace logs which way each thread goes at every conditional and turn of a loop.  With what comes in at the top, that is
all: a statement is carried out as often as the way it lies on is taken, less those who left by ``return``, ``break`` or
``continue`` before it.  Where a way was not logged (a wait that spins, a kernel that only the interpreter can run), the
accesses in it tell, or the numbers of a ``range``; and where nothing does, it is said.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

import numpy as np

from gpusim.device.indices import indices
from gpusim.kernels.frontend.python.resolve import Function
from gpusim.kernels.sanitizer.log import Log
from kernellens.requests import together

Key = tuple[int, str, int, int]
"""A node of the syntax tree by its function's id, its type and its place."""


def key(function: Function, node: ast.AST) -> Key:
    """What the counts of a node are kept under: the engine copies nodes, with their places."""
    return id(function), type(node).__name__, getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


@dataclass
class Counts:
    """How often, by node.

    Attributes
    ----------
    at : dict
        By key an array of shape (2, blocks): threads, and warps, that come to the node, in each traced block.
    turns : dict
        By key of a loop the same for the turns it makes.
    unsure : set
        Keys of expressions that may not be carried out each time: behind ``and`` and ``or``, or on a side of ``a if b else c``.
    calls : dict
        By id of a device function, from how many places it is called, those of its callers counted as often as they are.
    constant : set
        Keys of loops whose number of turns stands in the source.
    inferred : list of int
        Lines whose counts were not logged.
    """

    at: dict[Key, np.ndarray] = field(default_factory=dict)
    turns: dict[Key, np.ndarray] = field(default_factory=dict)
    unsure: set[Key] = field(default_factory=set)
    calls: dict[int, int] = field(default_factory=dict)
    constant: set[Key] = field(default_factory=set)
    inferred: list[int] = field(default_factory=list)


def counts(log: Log, function: Function) -> Counts:
    """Return how often each part of a traced kernel and of the device functions it calls was carried out."""
    walk = _Walk(log, function)
    warps = -(-log.threads_per_block // 32)
    start = np.array([[log.threads_per_block], [warps]], float) * np.ones(len(log.blocks))
    entering = {id(function): start}
    walk.done.calls[id(function)] = 1
    order = _callers_first(function)
    for each in order:
        walk.function, walk.entering = each, entering
        walk.namesakes = sum(other.name == each.name for other in order)
        walk.block(each.node.body, entering.get(id(each), np.zeros_like(start)))
    return walk.done


def _callers_first(function: Function) -> list[Function]:
    order: list[Function] = []

    def visit(each: Function) -> None:
        if each not in order:
            # Not those that only stand in the table: a function that is given others is called in forms of its own.
            named = {node.id for node in ast.walk(each.node) if isinstance(node, ast.Name)}
            for name, callee in each.functions.items():
                if name in named:
                    visit(callee)
            order.append(each)

    visit(function)
    return order[::-1]


@dataclass
class _Flow:
    """How many leave a piece of source: at its end, by break, by continue."""

    out: np.ndarray
    broken: np.ndarray
    continued: np.ndarray


class _Walk:
    def __init__(self, log: Log, function: Function):
        self.log, self.done = log, Counts()
        self.function = function
        self.namesakes = 1
        self.entering: dict[int, np.ndarray] = {}
        self.sites: dict[tuple, list[int]] = {}
        for number, site in enumerate(log.sites):
            self.sites.setdefault((site.function, site.line, site.column, site.kind), []).append(number)
        self.logs_ways = any(site.kind in ("taken", "passed") for site in log.sites)
        self._seen: dict[tuple, np.ndarray] = {}

    def block(self, statements: list[ast.stmt], n: np.ndarray) -> _Flow:
        broken, continued = np.zeros_like(n), np.zeros_like(n)
        for node in statements:
            self.note(node, n)
            flow = self.statement(node, n)
            n, broken, continued = flow.out, broken + flow.broken, continued + flow.continued
        return _Flow(n, broken, continued)

    def statement(self, node: ast.stmt, n: np.ndarray) -> _Flow:
        none = np.zeros_like(n)
        if isinstance(node, ast.If):
            return self.conditional(node, n)
        if isinstance(node, ast.For | ast.While):
            return self.loop(node, n)
        for inner in ast.iter_child_nodes(node):
            self.expression(inner, n)
        if isinstance(node, ast.Return | ast.Raise):
            return _Flow(none, none, none)
        if isinstance(node, ast.Break):
            return _Flow(none, n, none)
        if isinstance(node, ast.Continue):
            return _Flow(none, none, n)
        return _Flow(n, none, none)

    def conditional(self, node: ast.If, n: np.ndarray) -> _Flow:
        self.expression(node.test, n)
        taken, passed = self.ways(node, n)
        body, other = self.block(node.body, taken), self.block(node.orelse, passed)
        return _Flow(_met(n, body.out + other.out), body.broken + other.broken, body.continued + other.continued)

    def loop(self, node: ast.For | ast.While, n: np.ndarray) -> _Flow:
        turns, passed = self.turns(node, n)
        at = key(self.function, node)
        self.add(self.done.turns, at, turns)
        if isinstance(node, ast.For):
            self.expression(node.iter, n)
            self.expression(node.target, turns)
            if _written(node.iter) is not None:
                self.done.constant.add(at)
        else:
            self.expression(node.test, n + turns)
        body = self.block(node.body, turns)
        other = self.block(node.orelse, passed)
        return _Flow(_met(n, other.out + body.broken), other.broken, other.continued)

    # What the log says

    def ways(self, node: ast.If, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        taken, passed = self.logged(node, "taken"), self.logged(node, "passed")
        if taken is not None or passed is not None:
            none = np.zeros_like(n)
            return (none if taken is None else taken), (none if passed is None else passed)
        body, other = self.inside(node.body), self.inside(node.orelse)
        if body is None and other is None and self.logs_ways and n.any():
            return np.zeros_like(n), n.copy()  # nobody came by the end of either side: a condition known beforehand
        if n.any():
            self.done.inferred.append(node.lineno)
        if body is None:
            body = n.copy() if other is None else n - other
        return body, np.maximum(n - body, 0) if other is None else other

    def turns(self, node: ast.For | ast.While, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        taken, passed = self.logged(node, "taken"), self.logged(node, "passed")
        if taken is not None or passed is not None:
            none = np.zeros_like(n)
            return (none if taken is None else taken), (none if passed is None else passed)
        times = _written(node.iter) if isinstance(node, ast.For) else None
        found = n * times if times is not None else self.inside(node.body)
        if n.any():
            self.done.inferred.append(node.lineno)
        return (n if found is None else found), n

    def logged(self, node: ast.stmt, kind: str) -> np.ndarray | None:
        numbers = self.sites.get((self.function.name, node.lineno, node.col_offset, kind))
        # A log names functions; one that was given different functions as arguments is several of a name.
        return self.records(tuple(numbers)) / self.namesakes if numbers else None

    def inside(self, statements: list[ast.stmt]) -> np.ndarray | None:
        """How often a piece of source was carried out, by the first access that is made each time; None if there is none."""
        for node in statements:
            if isinstance(node, ast.If | ast.For | ast.While | ast.Return | ast.Break | ast.Continue):
                return None
            for inner in ast.walk(node):
                if isinstance(inner, ast.IfExp | ast.BoolOp):
                    break
                for kind in ("read", "write", "atomic"):
                    place = (self.function.name, getattr(inner, "lineno", 0), getattr(inner, "col_offset", 0), kind)
                    if len(self.sites.get(place, ())) == 1:
                        return self.records(tuple(self.sites[place]))
        return None

    def records(self, numbers: tuple[int, ...]) -> np.ndarray:
        """Records of some sites by block: of threads, and of the warps that they are requests of."""
        found = self._seen.get(numbers)
        if found is not None:
            return found
        records = np.concatenate([self.log.at_site(number) for number in numbers])
        blocks, each = len(self.log.blocks), self.log.threads_per_block
        found = np.zeros((2, blocks))
        if len(records):
            block = records["thread"].astype(np.int64) // each
            found[0] = np.bincount(indices(block), minlength=blocks)
            request, _ = together(self.log, records)
            owner = np.zeros(int(request.max()) + 1, np.int64)
            owner[request] = block
            found[1] = np.bincount(indices(owner), minlength=blocks)
        self._seen[numbers] = found
        return found

    # Expressions

    def expression(self, node: ast.AST, n: np.ndarray, unsure: bool = False) -> None:
        self.note(node, n, unsure)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self.function.functions:
            callee = self.function.functions[node.func.id]
            self.entering[id(callee)] = self.entering.get(id(callee), 0) + n
            here = self.done.calls.get(id(self.function), 1)
            self.done.calls[id(callee)] = self.done.calls.get(id(callee), 0) + here
        for name, value in ast.iter_fields(node):
            inner = value if isinstance(value, list) else [value]
            for k, each in enumerate(inner):
                if isinstance(each, ast.AST):
                    side = isinstance(node, ast.IfExp) and name in ("body", "orelse")
                    later = isinstance(node, ast.BoolOp) and name == "values" and k > 0
                    chained = isinstance(node, ast.Compare) and name == "comparators" and k > 0
                    self.expression(each, n, unsure or side or later or chained)

    def note(self, node: ast.AST, n: np.ndarray, unsure: bool = False) -> None:
        at = key(self.function, node)
        self.done.at[at] = n
        if unsure or self.namesakes > 1:
            self.done.unsure.add(at)

    def add(self, table: dict[Key, np.ndarray], at: Key, n: np.ndarray) -> None:
        table[at] = n


def _met(n: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Those who go on behind a conditional: all threads that come out of it, in no more warps than came."""
    out[1] = np.minimum(out[1], n[1])
    return out


def _written(iterated: ast.expr) -> int | None:
    """How many turns a loop over a `range` of literal numbers makes; None for any other."""
    if not (isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) and iterated.func.id == "range"):
        return None
    try:
        return len(range(*[ast.literal_eval(argument) for argument in iterated.args]))
    except (ValueError, TypeError):
        return None
