"""A kernel as basic blocks of single-assignment values.

Variables become values while the tree is lowered, after Braun et al., "Simple and Efficient Construction of Static Single
Assignment Form" (CC 2013): Numba types each assignment of a variable by itself, and so does :mod:`.infer`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from gpusim.kernels.frontend.python.resolve import Function


class Place(NamedTuple):
    """Where in the learner's source an instruction comes from."""

    function: Function
    node: ast.AST


class Access(NamedTuple):
    """A place in the source that touches an array."""

    place: object
    array: str
    kind: str
    operation: str = ""


class Allocation(NamedTuple):
    """A ``shared.array`` or ``local.array`` in the source."""

    key: tuple
    name: str
    shape: tuple[int, ...]
    dtype: np.dtype


def _untyped(names: Any) -> str:
    raise AssertionError("the type of this instruction has not been inferred")


class Value:
    """One instruction and its result.

    Attributes
    ----------
    op : str
        What to do; :mod:`.infer` has a method ``op_<op>`` for each.
    args : list of Value
    extra : object
        What is not a value: an operator's name, a constant, an attribute.
    names : tuple of str
        Names of the last arguments, where they are keyword arguments.
    """

    __slots__ = ("op", "args", "extra", "names", "place", "id", "block", "type", "emit", "uses")

    def __init__(self, op: str, args: list, extra: Any, place: Place, number: int, block: Block, names=()):
        self.op, self.args, self.extra, self.names = op, args, extra, names
        self.place, self.id, self.block = place, number, block
        self.type: Any = None  # a Type, when it has been inferred
        self.emit: Callable[[Any], str] = _untyped
        self.uses = 0

    def __repr__(self) -> str:
        return f"v{self.id}={self.op}({self.extra}, {[a.id for a in self.args]}): {self.type}"


class Loop:
    """A loop; the scheduler wants to know whether it may wait for another thread."""

    def __init__(self, place: Place, counted: bool):
        self.place, self.counted = place, counted
        self.waits = False  # reads memory or does atomics, so that another thread may end it


class Block:
    """Instructions that are carried out one after the other by the same lanes.

    Attributes
    ----------
    phis, body : list of Value
    sync : Value or None
        What its lanes wait for before the body.
    cond : Value or None
        Decides between the two `successors`.
    """

    def __init__(self, number: int):
        self.number = number
        self.phis: list[Value] = []
        self.body: list[Value] = []
        self.sync: Value | None = None
        self.cond: Value | None = None
        self.successors: list[Block] = []
        self.predecessors: list[Block] = []
        self.ended = False
        self.left = ""
        self.sealed = False
        self.loop: Loop | None = None  # of which this block's jump is a back-edge
        self.defs: dict[str, Value] = {}
        self.open: dict[str, Value] = {}


class Graph:
    """Builds the blocks of a kernel."""

    def __init__(self):
        self.blocks: list[Block] = []
        self.count = 0
        self.forward: dict[Value, Value] = {}
        self.current = self.block()
        self.current.sealed = True
        self.entry = self.current

    def block(self) -> Block:
        """A new block, not yet in order: `place` puts it there."""
        made = Block(-1)
        if not self.blocks:
            self._order(made)
        return made

    def _order(self, block: Block) -> None:
        block.number = len(self.blocks)
        self.blocks.append(block)

    def start(self, block: Block, seal: bool = True) -> None:
        """Go on in this block; `seal` if all its predecessors are known."""
        self._order(block)
        self.current = block
        if seal:
            self.seal(block)

    def value(self, op: str, args: list, extra: object, place: Place, names=()) -> Value:
        made = Value(op, args, extra, place, self.count, self.current, names)
        self.count += 1
        self.current.body.append(made)
        return made

    def jump(self, target: Block, loop: Loop | None = None) -> None:
        if not self.current.ended:
            self.current.loop = loop
            self._end([target])

    def branch(self, cond: Value, yes: Block, no: Block) -> None:
        if not self.current.ended:
            self.current.cond = cond
            self._end([yes, no])

    def leave(self, how: str = "") -> None:
        """The thread ends here: `"early"`, by a return in the middle of the source, or `"looped"`, out of a loop."""
        if not self.current.ended:
            self.current.left = how
            self._end([])

    def _end(self, targets: list[Block]) -> None:
        self.current.ended = True
        self.current.successors = targets
        for target in targets:
            target.predecessors.append(self.current)

    # Variables

    def write(self, name: str, value: Value) -> None:
        self.current.defs[name] = value

    def read(self, name: str, place: Place) -> Value:
        return self._read(name, self.current, place)

    def _read(self, name: str, block: Block, place: Place) -> Value:
        if name in block.defs:
            return self.final(block.defs[name])
        if not block.sealed:
            value = block.open[name] = self._phi(block, name, place)
        elif not block.predecessors:
            value = Value("undefined", [], name, place, self.count, block)
            self.count += 1
            block.body.insert(0, value)
        elif len(block.predecessors) == 1:
            value = self._read(name, block.predecessors[0], place)
        else:
            value = block.defs[name] = self._phi(block, name, place)
            value = self._complete(name, value)
        block.defs[name] = value
        return value

    def _phi(self, block: Block, name: str, place: Place) -> Value:
        phi = Value("phi", [], name, place, self.count, block)
        self.count += 1
        block.phis.append(phi)
        return phi

    def seal(self, block: Block) -> None:
        """All predecessors of the block are known."""
        block.sealed = True
        for name, phi in block.open.items():
            self._complete(name, phi)
        block.open = {}

    def _complete(self, name: str, phi: Value) -> Value:
        phi.args = [self._read(name, block, phi.place) for block in phi.block.predecessors]
        others = {self.final(a) for a in phi.args} - {phi}
        if len(others) == 1:
            (same,) = others
            phi.block.phis.remove(phi)
            self.forward[phi] = same
            return same
        return phi

    def final(self, value: Value) -> Value:
        while value in self.forward:
            value = self.forward[value]
        return value

    def finish(self) -> None:
        """Forget blocks that cannot be reached, and phis that are only other names for one value."""
        reached, todo = {self.entry}, [self.entry]
        while todo:
            for block in todo.pop().successors:
                if block not in reached:
                    reached.add(block)
                    todo.append(block)
        self.blocks = [b for b in self.blocks if b in reached]
        for number, block in enumerate(self.blocks):
            block.number = number
            kept = [k for k, p in enumerate(block.predecessors) if p in reached]
            for phi in block.phis:
                phi.args = [phi.args[k] for k in kept]
            block.predecessors = [block.predecessors[k] for k in kept]
        changed = True
        while changed:
            changed = False
            for block in self.blocks:
                for phi in list(block.phis):
                    others = {self.final(a) for a in phi.args} - {phi}
                    if len(others) == 1:
                        self.forward[phi] = others.pop()
                        block.phis.remove(phi)
                        changed = True
        for block in self.blocks:
            for value in (*block.phis, *block.body, *([block.sync] if block.sync else [])):
                value.args = [self.final(a) for a in value.args]
            if block.cond is not None:
                block.cond = self.final(block.cond)
