"""Benign races: every thread that reads the old value stores what all others store.

``if dist[v] < 0: dist[v] = level + 1`` of a breadth-first search is one.  Two threads may both find that nobody was there; both
write the same number, and no thread does anything else on the strength of what it read.
"""

from __future__ import annotations

import ast
import copy
import operator
from typing import Any, NamedTuple

from .reading import Log

_SAMPLES = (-1, 0, 1, 2, 3, 255, 2**31 - 1, float("inf"))
"""Values of an element that two tests are tried with."""
_OPPOSITE = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt}
_MIRRORED = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
_COMPARED = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip


class _If(NamedTuple):
    """A conditional: its test, the lines of it, and those to which a thread goes on where it holds, or where it does not."""

    test: ast.expr
    lines: range
    body: range
    holds: bool


class _Source(NamedTuple):
    """What a function consists of, as far as it matters here."""

    ifs: list[_If]
    assigned: list[ast.Assign]
    calls: list[tuple[int, str]]


class _Predicate(NamedTuple):
    """A comparison that an element has to pass."""

    compare: type[ast.cmpop]
    other: ast.expr

    def __call__(self, value: float) -> bool | None:
        """Whether a value passes; None where it is compared with a variable."""
        try:
            return bool(_COMPARED[self.compare](value, ast.literal_eval(self.other)))
        except ValueError:
            return None


class Conditionals:
    """The conditionals of a launch's functions.

    Parameters
    ----------
    log : Log
        Its `function` says what the source is; without it nothing is found.
    """

    def __init__(self, log: Log) -> None:
        self.log = log
        self._sources: dict[str, _Source] = {}
        pending = [log.function] if log.function is not None else []
        while pending:
            function = pending.pop()
            if function.name not in self._sources:
                called = {name: each.name for name, each in function.functions.items()}
                self._sources[function.name] = _source(function.node, called)
                pending += function.functions.values()

    def harmless(self, write: int, read: int, value: float) -> bool:
        """Whether it makes no difference which value a read gives: the old one, or that which all writers store.

        Parameters
        ----------
        write, read : int
            Sites: a plain write, and a plain read of the same element by another thread.
        value : number
            What is written.
        """
        here, there = self.log.sites[write], self.log.sites[read]
        source, reader = self._sources.get(here.function), self._sources.get(there.function)
        if source is None or reader is None:
            return False
        inside = {here.line} if reader is source else {line for line, name in reader.calls if name == here.function}
        outer = [each for each in reader.ifs if not inside.isdisjoint(each.body) and _reads(each, there.line, reader)]
        around = [each for each in source.ifs if here.line in each.body]
        reads = {s.line for s in self.log.sites if (s.kind, s.function, s.array) == ("read", here.function, here.array)}
        inner = [each for each in around if any(_reads(each, line, source) for line in reads)]
        if not outer or not inner:
            return False
        test, mine = (min(some, key=_length) for some in (inner, outer))
        if self._counts(here.function, test.body, min(around, key=_length).body):
            return False
        if mine is test:
            return True
        old, new = _predicate(test, here.array, source), _predicate(mine, there.array, reader)
        if old is None or new is None:
            return False
        passes = new(value)
        if passes is None:
            # Compared with a variable, such as the level of a search: what is stored has to be another number.
            return new.compare is ast.Eq and _another(_stored(here.line, here.array, source), new.other)
        return not passes and not any(old(sample) is not False and new(sample) for sample in _SAMPLES)

    def _counts(self, function: str, lines: range, writing: range) -> bool:
        """Whether it matters, other than for the write, how many threads come to some lines."""
        kinds: dict[tuple[int, str], set[str]] = {}
        for site in self.log.sites:
            if site.function == function and site.line in lines:
                kinds.setdefault((site.line, site.array), set()).add(site.kind)
        return any(
            "atomic" in found or {"read", "write"} <= found or ("write" in found and line not in writing)
            for (line, _), found in kinds.items()
        )


def _length(each: _If) -> int:
    return len(each.body)


def _source(function: ast.FunctionDef, called: dict[str, str]) -> _Source:
    found = _Source([], [], [])
    for parent in ast.walk(function):
        if isinstance(parent, ast.Assign):
            found.assigned.append(parent)
        elif isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id in called:
            found.calls.append((parent.lineno, called[parent.func.id]))
        for _, block in ast.iter_fields(parent):
            for k, node in enumerate(block if isinstance(block, list) else ()):
                if not isinstance(node, ast.If):
                    continue
                leaves = isinstance(node.body[-1], ast.Return | ast.Continue | ast.Break) and not node.orelse
                body = block[k + 1 :] if leaves else node.body
                if body:
                    found.ifs.append(_If(node.test, _lines([node.test]), _lines(body), not leaves))
    return found


def _lines(nodes: list[Any]) -> range:
    numbers = [vars(each)["lineno"] for node in nodes for each in ast.walk(node) if hasattr(each, "lineno")]
    return range(min(numbers), max(numbers) + 1)


def _reads(conditional: _If, line: int, source: _Source) -> bool:
    """Whether what a line reads is what a conditional tests: it is a line of the test, or puts it into a variable that is tested."""
    tested = {each.id for each in ast.walk(conditional.test) if isinstance(each, ast.Name)}
    targets = [each.targets[0] for each in source.assigned if each.lineno == line]
    return line in conditional.lines or any(isinstance(each, ast.Name) and each.id in tested for each in targets)


def _predicate(conditional: _If, array: str, source: _Source) -> _Predicate | None:
    """The comparison that an element has to pass for a thread to go on to the conditional's lines; None if there is no one such."""
    pending, holds = [conditional.test], conditional.holds
    while pending:
        test: ast.expr = pending.pop()
        joined = ast.And if holds else ast.Or
        if isinstance(test, ast.BoolOp) and isinstance(test.op, joined):
            pending += test.values
            continue
        passes, element = holds, _Element(array, source)
        test = element.visit(copy.deepcopy(test))
        while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test, passes = test.operand, not passes
        if not element.found:
            continue
        if _is_element(test):
            test = ast.Compare(test, [ast.NotEq()], [ast.Constant(0)])
        if not isinstance(test, ast.Compare) or len(test.ops) > 1:
            return None
        one, kind, other = test.left, type(test.ops[0]), test.comparators[0]
        if not _is_element(one):
            one, kind, other = other, _MIRRORED.get(kind, kind), one
        if not _is_element(one) or kind not in _OPPOSITE:
            return None
        return _Predicate(kind if passes else _OPPOSITE[kind], other)
    return None


def _stored(line: int, array: str, source: _Source) -> ast.expr | None:
    """What a line stores into an array."""
    here = [each for each in source.assigned if each.lineno == line]
    values = {each.targets[0].id: each.value for each in here if isinstance(each.targets[0], ast.Name)}
    for each in here:
        target, value = each.targets[0], each.value
        if isinstance(target, ast.Subscript) and ast.unparse(target.value) == array:
            named = values.get(value.id, value) if isinstance(value, ast.Name) else value
            return _Element("", source).visit(copy.deepcopy(named))
    return None


def _another(stored: ast.expr | None, number: ast.expr) -> bool:
    """Whether one expression is the other and a constant more, or less."""
    return (
        isinstance(stored, ast.BinOp)
        and isinstance(stored.op, ast.Add | ast.Sub)
        and isinstance(stored.right, ast.Constant)
        and bool(stored.right.value)
        and ast.unparse(stored.left) == ast.unparse(number)
    )


def _is_element(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == ""


class _Element(ast.NodeTransformer):
    """Puts a nameless variable in the place of an array's element, and leaves out the conversions of C."""

    def __init__(self, array: str, source: _Source) -> None:
        self.array, self.found = array, False
        self.names = {
            each.targets[0].id
            for each in source.assigned
            if isinstance(each.targets[0], ast.Name) and self._reads(each.value)
        }

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return self._element() if self._reads(node) else node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._element() if node.id in self.names else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id.startswith("_c_") and len(node.args) == 1:
            return self.visit(node.args[0])
        return self.generic_visit(node)

    def _reads(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Subscript) and ast.unparse(node.value) == self.array

    def _element(self) -> ast.Name:
        self.found = True
        return ast.Name("", ast.Load())
