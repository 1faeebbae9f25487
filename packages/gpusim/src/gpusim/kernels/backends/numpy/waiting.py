"""Lanes that wait: at barriers of a block, of the grid, and within a warp.

Barriers count arrivals, as the hardware does: a lane that has ended holds nobody, and lanes that wait at different barriers
of the source still meet.
"""

from __future__ import annotations

import numpy as np

from ...faults import GRID_BARRIER, DeadlockError, for_block
from ...frontend.intrinsics import EXCHANGING
from . import warps
from .group import Group

BLOCK = ("syncthreads", "syncthreads_count", "syncthreads_and", "syncthreads_or")


class Waiting:
    """The groups that wait."""

    def __init__(self, scheduler):
        self.scheduler = scheduler
        self.groups: list[Group] = []

    def __bool__(self) -> bool:
        return bool(self.groups)

    def add(self, group: Group) -> None:
        self.groups.append(group)

    def _step(self, group: Group):
        return self.scheduler.steps[group.at]

    def _args(self, group: Group) -> list:
        return [group.E[i] if i is not None else c for i, c in self._step(group).wait_args]

    def pass_at_once(self, group: Group, step) -> bool:
        """Let a group through if nobody is missing: all lanes of its chunk that have not ended are in it."""
        chunk = group.chunk
        if group.n != chunk.living:
            return False
        if step.wait.extra == "grid.sync" and not (self.scheduler.run.whole(chunk) and self._missing(chunk) is None):
            return False
        self._meet([group], step.wait.extra)
        return True

    def release(self) -> bool:
        """Let those go on that miss nobody any more, once nobody else can move."""
        if not self.groups:
            return False
        return self._warps(alike=True) or self._blocks() or self._grid() or self._warps(alike=False)

    def _pass(self, group: Group) -> None:
        group.passed = True
        self.scheduler.put(group)

    def _by_chunk(self, groups):
        found: dict[int, list[Group]] = {}
        for group in groups:
            found.setdefault(id(group.chunk), []).append(group)
        return found.values()

    def _divide(self, groups: list[Group], may_go: np.ndarray) -> list[Group]:
        """Of groups of one chunk the parts whose lanes, marked in an array over the chunk's, may go on."""
        going = []
        for group in groups:
            mine = may_go[group.lanes]
            if mine.all():
                self.groups.remove(group)
                going.append(group)
            elif mine.any():
                self.groups.remove(group)
                live = self._step(group).live
                going.append(group.part(np.flatnonzero(mine), live, group.at))
                self.groups.append(group.part(np.flatnonzero(~mine), live, group.at))
        return going

    def _warps(self, *, alike: bool) -> bool:
        """Shuffles, votes and syncwarp: those whose mask is complete, with lanes of the same mask or, if need be, with any."""
        inside = [g for g in self.groups if self._step(g).wait.extra not in (*BLOCK, "grid.sync")]
        released = False
        for groups in self._by_chunk(inside):
            names = {self._step(g).wait.extra for g in groups}
            for name in names:
                same = [g for g in groups if self._step(g).wait.extra == name]
                chunk = same[0].chunk
                here, masks = np.zeros(chunk.n, bool), np.zeros(chunk.n, np.int64)
                for g in same:
                    here[g.lanes] = True
                    args = self._args(g)
                    masks[g.lanes] = np.asarray(args[0]).astype(np.int64) if args else 0xFFFFFFFF
                lanes = np.flatnonzero(here)
                fine = np.zeros(chunk.n, bool)
                fine[lanes] = warps.complete(chunk, lanes, masks[lanes], alike=alike)
                going = self._divide(same, fine)
                if going:
                    self._meet(going, name)
                    for group in going:
                        self._pass(group)
                    released = True
        return released

    def _blocks(self) -> bool:
        released = False
        for groups in self._by_chunk([g for g in self.groups if self._step(g).wait.extra in BLOCK]):
            chunk = groups[0].chunk
            n = len(chunk.blocks)
            come = np.zeros(n, np.int64)
            for g in groups:
                come += np.bincount(chunk.block_of[g.lanes], minlength=n)
            living = np.bincount(chunk.block_of, chunk.alive, n)
            free = (come > 0) & (come == living)
            if not free.any():
                continue
            going = self._divide(groups, free[chunk.block_of])
            self._meet(going, "block")
            for group in going:
                self._pass(group)
            released = True
        return released

    def _grid(self) -> bool:
        groups = [g for g in self.groups if self._step(g).wait.extra == "grid.sync"]
        if not groups or len(groups) != len(self.groups) or self.scheduler.asleep:
            return False
        chunks = {id(g.chunk): g.chunk for g in groups}
        if sum(g.n for g in groups) != sum(c.living for c in chunks.values()):
            return False
        if len(chunks) != 1 or not self.scheduler.run.whole(groups[0].chunk):
            return False
        if self._missing(groups[0].chunk) is not None:
            return False
        self.groups = []
        self._meet(groups, "grid.sync")
        for group in groups:
            self._pass(group)
        return True

    def _missing(self, chunk) -> int | None:
        """A lane whose block nobody announces at a barrier of the grid: the first thread of each does, and it has ended."""
        gone = np.flatnonzero(~chunk.alive[:: chunk.threads])
        return int(gone[0]) * chunk.threads if len(gone) else None

    def _meet(self, groups: list[Group], name: str) -> None:
        """What the operation gives to each of the lanes that have met; all are of one chunk."""
        chunk = groups[0].chunk
        log = self.scheduler.run.log
        if name in BLOCK:
            name = "block"
        if log is not None:
            self.scheduler.run.tracer.met(groups, name, [self._step(g).wait for g in groups])
            if name in EXCHANGING or name == "syncwarp":
                self._examine(chunk, groups, name)
        if name == "block":
            self._reduce(chunk, groups)
        elif name not in ("grid.sync", "syncwarp"):
            self._exchange(chunk, groups, name)
        if name in ("block", "grid.sync"):
            self.scheduler.progress()

    def _reduce(self, chunk, groups) -> None:
        """syncthreads_count, _and and _or."""
        wants = [g for g in groups if self._step(g).wait.extra != "syncthreads"]
        if not wants:
            return
        n = len(chunk.blocks)
        true, come = np.zeros(n, np.int64), np.zeros(n, np.int64)
        for g in wants:
            blocks = chunk.block_of[g.lanes]
            predicate = np.broadcast_to(np.asarray(self._args(g)[0]) != 0, g.n)
            true += np.bincount(blocks, predicate, n).astype(np.int64)
            come += np.bincount(blocks, minlength=n)
        for g in wants:
            step, blocks = self._step(g), chunk.block_of[g.lanes]
            result = {
                "syncthreads_count": true,
                "syncthreads_and": true == come,
                "syncthreads_or": true > 0,
            }[step.wait.extra].astype(np.int32)
            g.E[step.wait.id] = result[0] if n == 1 else result[blocks]

    def _examine(self, chunk, groups, name) -> None:
        """Note the first lanes that do not act together, and what orders the lanes of a warp."""
        lanes = np.concatenate([g.lanes for g in groups])
        owner = np.repeat(np.arange(len(groups)), [g.n for g in groups])
        given = [self._args(g) or [0xFFFFFFFF] for g in groups]
        columns = zip(*given, strict=True)
        args = [np.concatenate([np.broadcast_to(v, g.n) for v, g in zip(c, groups, strict=True)]) for c in columns]
        order = np.argsort(lanes)
        lanes, args = lanes[order], [column[order] for column in args]
        waits = [self._step(groups[k]).wait for k in owner[order]]
        at = dict(zip(lanes.tolist(), waits, strict=True))
        tracer = self.scheduler.run.tracer
        for what, one, other, lane in warps.invalid_syncs(name, chunk, lanes, args):
            tracer.invalid_warp_sync(chunk, what, (int(lanes[one]), other), (waits[one], at.get(other)), lane)
        if name == "syncwarp":
            tracer.ordered(chunk, lanes, waits, *warps.met(chunk, lanes, args[0]))
        elif name.startswith("shfl"):
            where, source = warps.outside(name, chunk, lanes, args)
            if len(where):
                tracer.enter(chunk, lanes[where], [waits[k] for k in where], source)

    def _exchange(self, chunk, groups, name) -> None:
        if len(groups) == 1:
            group = groups[0]
            group.E[self._step(group).wait.id] = warps.exchange(name, chunk, group.lanes, self._args(group))
            return
        lanes = np.concatenate([g.lanes for g in groups])
        columns = []
        for values in zip(*(self._args(g) for g in groups), strict=True):
            columns.append(np.concatenate([np.broadcast_to(v, g.n) for v, g in zip(values, groups, strict=True)]))
        order = np.argsort(lanes)
        result = warps.exchange(name, chunk, lanes[order], [c[order] for c in columns])
        for g in groups:
            at = np.searchsorted(lanes[order], g.lanes)
            mine = tuple(r[at] for r in result) if isinstance(result, tuple) else result[at]
            g.E[self._step(g).wait.id] = mine

    def stuck(self) -> None:
        """Nobody can move any more.

        Raises
        ------
        DeadlockError
        """
        group = min(self.groups, key=lambda group: self._step(group).wait.place[1].lineno)
        wait = self._step(group).wait
        chunk = group.chunk
        missing = self._missing(chunk) if wait.extra == "grid.sync" else None
        if missing is not None and all(self._step(other).wait.extra == "grid.sync" for other in self.groups):
            block = chunk.alive[missing : missing + chunk.threads]
            reason = for_block(chunk.thread(missing)[1], bool(block.any()))
            raise DeadlockError(**group.where(wait.place, 0), waiting=GRID_BARRIER, reason=reason)
        raise DeadlockError(**group.where(wait.place, 0), waiting=f"cuda.{wait.extra}")
