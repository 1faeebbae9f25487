"""Who runs next: groups of lanes, the one that is furthest behind in the source first, so that lanes meet again.

A group parts where its lanes disagree, and groups at one place join.  Where lanes have to wait they are put aside until all
that they wait for have come.  A group whose turn of a loop changed nothing it can see is put aside too, and those that have
left the loop go on: so a thread gets to release the lock that its warp spins on.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ...faults import EndlessError
from .chunk import Chunk
from .group import Group
from .lanes import Unmergeable
from .program import EARLY, END, LOOPED
from .waiting import Waiting

TURNS = 4096  # of a loop, after which others that wait for their turn get it
LOOK = 64  # turns between two looks at the clock


class Scheduler:
    """Runs the chunks of a launch."""

    def __init__(self, run, steps):
        self.run, self.steps = run, steps
        self.ready: dict[Any, list[Group]] = {}  # by place; of `Shuffled` also by warp
        self.asleep: list[Group] = []
        self.waiting = Waiting(self)
        self.more = True  # chunks that have not begun
        self.moved = False  # since the sleepers were last woken
        self.count = 0
        self.begun = time.monotonic()

    def go(self, chunks) -> None:
        """Run chunks, an iterator: the next begins when one has ended, or when it can only go on with the help of others."""
        chunks = iter(chunks)
        while True:
            if self.ready:
                self._next()
            elif self.waiting.release():
                self.progress()
            elif self.asleep and self.moved:
                self._wake()
            else:
                chunk = next(chunks, None)
                self.more = chunk is not None
                if chunk is not None:
                    self.start(chunk)
                elif self.asleep:
                    self._wake()
                    self._patience(self.asleep_since)
                elif not self.waiting:
                    return
                else:
                    self.waiting.stuck()

    def start(self, chunk: Chunk) -> None:
        self.begun = time.monotonic()
        group = Group(chunk, chunk.lanes, dict(self.run.arguments), 0)
        group.since = self.begun
        self.put(group)

    def put(self, group: Group) -> None:
        self.ready.setdefault(group.at, []).append(group)

    def progress(self) -> None:
        """Lanes have ended, met at a barrier or left a loop."""
        self.moved = True
        self.begun = time.monotonic()

    def _wake(self) -> None:
        for group in self.asleep:
            group.turns = 0
            self.put(group)
        self.asleep = []
        self.asleep_since = self.begun
        self.moved = False

    def _patience(self, since: float) -> None:
        self.run.should_stop()
        if time.monotonic() - since > self.run.seconds:
            group = next(iter(self.ready.values()))[0]
            raise EndlessError(**group.where(self.place(group), 0), seconds=self.run.seconds)

    def place(self, group: Group):
        """The loop that a group is in."""
        at = group.at
        for step in self.steps:
            if step.loop is not None and step.targets[0] == at:
                return step.loop.place
        return self.run.program.graph.blocks[at].body[0].place if self.run.program.graph.blocks[at].body else None

    def _next(self) -> None:
        at = min(self.ready)
        groups = self.ready.pop(at)
        if at >= END:
            for group in groups:
                self._end(group)
            return
        group = groups[0]
        if len(groups) > 1:
            same = [g for g in groups if g.chunk is group.chunk and g.passed == group.passed]
            rest = [g for g in groups if not (g.chunk is group.chunk and g.passed == group.passed)]
            if len(same) > 1:
                try:
                    group = Group.together(same, self.steps[at].live)
                except Unmergeable:
                    rest += same[1:]
            if rest:
                self.ready[at] = rest
        self._advance(group)

    def _advance(self, group: Group) -> None:
        steps = self.steps
        while True:
            if group.at >= END:
                self._end(group)
                return
            step = steps[group.at]
            if step.wait is not None and not group.passed and not self.waiting.pass_at_once(group, step):
                self.waiting.add(group)
                return
            group.passed = False
            condition = step.run(group)
            targets = step.targets
            if not targets:
                group.at = step.end
                self._end(group)
                return
            if len(targets) == 1:
                edge = step.edges[0]
                if step.loop is not None:
                    if not self._turn(group, step, edge):
                        return
                elif edge is not None:
                    edge(group)
                group.at = targets[0]
            elif type(condition) is not np.ndarray:
                side = 0 if condition else 1
                if step.edges[side] is not None:
                    step.edges[side](group)
                group.at = targets[side]
            else:
                chosen = self._part(group, step, condition)
                if chosen is None:
                    return
                group = chosen
            if self.yields(group):
                self.put(group)
                return

    def yields(self, group: Group) -> bool:
        """Whether others go on before this group does."""
        return bool(self.ready) and min(self.ready) <= group.at

    def _part(self, group: Group, step, condition) -> Group | None:
        """Send lanes their ways; return the group if all go the same."""
        yes = np.flatnonzero(condition)
        if len(yes) == group.n or len(yes) == 0:
            side = 0 if len(yes) else 1
            if step.edges[side] is not None:
                step.edges[side](group)
            group.at = step.targets[side]
            return group
        wanted = self.run.program.edge_live
        here = group.at
        for side, at in ((0, yes), (1, np.flatnonzero(~condition))):
            target = step.targets[side]
            made = group.part(at, wanted[here][side], target)
            if step.edges[side] is not None:
                step.edges[side](made)
            made.turns = 0
            self.put(made)
        return None

    def _end(self, group: Group) -> None:
        if self.run.program.waits:  # else nobody asks
            group.chunk.ended(group.lanes, early=group.at == EARLY, looped=group.at == LOOPED)
        self.progress()

    def _turn(self, group: Group, step, edge) -> bool:
        """A back-edge; False if the group is put to sleep instead of going round."""
        loop = step.loop
        self.count += 1
        if not self.count % LOOK:
            self.run.should_stop()
        if loop.counted:
            if edge is not None:
                edge(group)
            return True
        phis = self.steps[step.targets[0]].phis
        before = [group.E.get(k) for k in phis]
        if edge is not None:
            edge(group)
        group.turns += 1
        if not self.count % LOOK and time.monotonic() - self.begun > self.run.seconds:
            raise EndlessError(**group.where(loop.place, 0), seconds=self.run.seconds)
        spins = loop.waits and all(map(_same, before, (group.E.get(k) for k in phis)))
        if spins and group.turns > 1 or group.turns >= TURNS:
            group.turns = 0
            if self.ready or self.asleep or self.waiting or self.more:
                group.at = step.targets[0]
                self.asleep.append(group)
                return False
        return True


def _same(a, b) -> bool:
    if a is b:
        return True
    if type(a) is np.ndarray or type(b) is np.ndarray:
        return np.shape(a) == np.shape(b) and bool(np.array_equal(a, b))
    return type(a) is type(b) and not isinstance(a, tuple) and bool(a == b)
