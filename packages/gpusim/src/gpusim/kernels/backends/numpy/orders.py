"""Threads in other orders: after every access of memory another warp may go on, and which one a seed decides.

A GPU promises no order between warps, nor between the lanes of a warp since Volta [CUDA C++ Programming Guide,
"Independent Thread Scheduling"].  A kernel whose result depends on one is wrong, though most orders may hide it; a
`Shuffled` scheduler runs it in orders that a GPU may take as well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...ir.graph import Block, Graph
from ...ir.types import Array, Record
from .group import Group
from .lanes import Unmergeable
from .program import END
from .schedule import Scheduler

MOST = 1 << 14
"""Lanes of blocks that run at the same time."""
PATIENCE = 5
"""Times as long as otherwise a thread may go on without an end: many small turns take longer than few large ones."""


class Order(NamedTuple):
    """A way to take turns.

    Attributes
    ----------
    seed : int
        Of all that is left to chance.
    blocks : int
        Blocks at most that run at the same time; 0 for as many as there is room for.
    burst : int
        Accesses that a warp makes before another goes on, about; 0 for all up to its next barrier.
    apart : bool
        Whether the lanes of a warp go on in parts, each by itself.
    shuffled : bool
        Whether blocks begin in another order than that of their ids.
    """

    seed: int = 0
    blocks: int = 0
    burst: int = 1
    apart: bool = False
    shuffled: bool = True

    @property
    def sentence(self) -> str:
        """What is special about it, for people."""
        together = "one block after another" if self.blocks == 1 else "blocks beside each other"
        if self.burst == 0:
            turns = "a warp runs to its next barrier"
        else:
            turns = f"warps take turns after {'each access' if self.burst == 1 else f'about {self.burst} accesses'}"
        said = f"{together}{', in a shuffled order' if self.shuffled else ''}; {turns}"
        return said + (", and the lanes of a warp run separately" if self.apart else "")


def some(count: int) -> list[Order]:
    """Return orders of different kinds: the plainest first, then ones that a seed each decides.

    Parameters
    ----------
    count : int
        At least 2.
    """
    kinds = [
        {"burst": 1},
        {"burst": 4},
        {"burst": 0},
        {"burst": 1, "apart": True},
        {"burst": 16, "blocks": 4},
        {"burst": 2, "apart": True, "blocks": 1},
        {"burst": 0, "apart": True},
    ]
    plain = Order(0, blocks=1, burst=0, shuffled=False)
    return [plain, *(Order(seed, **kinds[(seed - 1) % len(kinds)]) for seed in range(1, count))]


def cut(graph: Graph) -> None:
    """Let each access of memory begin a block of its own, so that others may go on before it."""
    blocks: list[Block] = []
    for block in graph.blocks:
        parts, body = [block], block.body
        block.body = []
        for value in body:
            if _accesses(value) and (parts[-1].body or parts[-1].sync is not None):
                parts.append(Block(-1))
            value.block = parts[-1]
            parts[-1].body.append(value)
        if len(parts) > 1:
            _chain(block, parts)
        blocks += parts
    for number, block in enumerate(blocks):
        block.number = number
    graph.blocks = blocks


def _accesses(value) -> bool:
    if value.op in ("setitem", "setattr"):
        return True
    if value.op in ("getitem", "getattr"):
        return isinstance(value.args[0].type, Array | Record)
    return value.op == "icall" and str(value.extra).startswith("atomic.")


def _chain(block: Block, parts: list[Block]) -> None:
    last = parts[-1]
    last.successors, last.cond, last.loop, last.ended = block.successors, block.cond, block.loop, True
    for successor in set(last.successors):
        successor.predecessors = [last if p is block else p for p in successor.predecessors]
    block.cond = block.loop = None
    for here, onward in zip(parts, parts[1:], strict=False):
        here.successors, onward.predecessors = [onward], [here]
        here.ended = onward.sealed = True


class Shuffled(Scheduler):
    """Runs the chunks of a launch in an order that a seed decides."""

    def __init__(self, run, steps, order: Order):
        super().__init__(run, steps)
        self.order = order
        self.random = np.random.default_rng(order.seed)
        self.left = 0
        self._names: list[tuple] = []  # the keys of `ready`, to choose among

    def start(self, chunk) -> None:
        whole = Group(chunk, chunk.lanes, dict(self.run.arguments), 0)
        warp = chunk.slots(chunk.lanes) >> 5
        part = self.random.integers(0, 3, chunk.n) if self.order.apart else np.zeros(chunk.n, np.int64)
        lanes = warp * 4 + part
        order = np.argsort(lanes, kind="stable")
        for at in np.split(order, np.flatnonzero(np.diff(lanes[order])) + 1):
            self.put(whole.part(at, tuple(whole.E), 0))

    def put(self, group: Group) -> None:
        key = self._key(group)
        if key not in self.ready:
            self.ready[key] = []
            self._names.append(key)
        self.ready[key].append(group)

    def _next(self) -> None:
        if self.order.burst == 0 and not self.order.shuffled:
            at = 0
        else:
            at = int(self.random.integers(len(self._names)))
        key = self._names.pop(at)
        groups = self.ready.pop(key)
        first = min(group.at for group in groups)
        here = [group for group in groups if group.at == first]
        for group in groups:
            if group.at != first:
                self.put(group)
        if first >= END:
            for group in here:
                self._end(group)
            return
        group = here[0]
        same = [g for g in here if g.passed == group.passed]
        rest = [g for g in here if g.passed != group.passed]
        if len(same) > 1:
            try:
                group = Group.together(same, self.steps[first].live)
            except Unmergeable:
                rest += same[1:]
        for other in rest:
            self.put(other)
        burst = self.order.burst
        self.left = 1 << 30 if burst == 0 else 1 if burst == 1 else int(self.random.geometric(1 / burst))
        self.count += 1
        if not self.count % 64:
            self.run.should_stop()
        self._advance(group)

    def yields(self, group: Group) -> bool:
        self.left -= 1
        return (
            self.left <= 0
            or bool(self.ready)
            and any(other.at <= group.at for other in self.ready.get(self._key(group), ()))
        )

    def _key(self, group: Group) -> tuple:
        # Lanes of a warp that went different ways are one again where they meet; parts that run apart are not.
        warp = int(group.chunk.slots(group.lanes[:1])[0]) >> 5
        return id(group.chunk), warp, int(group.lanes[0]) if self.order.apart else 0
