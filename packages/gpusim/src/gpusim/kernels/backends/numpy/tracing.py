"""Accesses, written down while a kernel runs."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ...sanitizer.records import ENDED, GUARDED, NO_ARRAY


class Tracer:
    """Fills a :class:`..trace.log.Recorder`."""

    def __init__(self, recorder, threads: int):
        self.recorder, self.threads = recorder, threads
        self._sites: dict[tuple[int, int, int], int] = {}
        self._arrays: dict[int, int] = {}
        self._kept: list = []  # so that no id is used twice

    def access(self, group, a, at, access, used):
        """Write down an access of a group; of a write the values come later, and this returns what they need."""
        if group.log.full:
            return None
        memory = a.memory
        number = self._arrays.get(id(memory))
        if number is None:
            number = self._arrays[id(memory)] = self._array(group, memory)
            self._kept.append(memory)
        size = memory.root.dtype.itemsize if memory.root is not None else memory.flat.dtype.itemsize
        part = a.flat.dtype.itemsize
        if part >= size:
            site = self._site(access, 0, 0)
            if a.unit != size or a.base:
                at = (np.asarray(at) * a.unit + a.base) // size
        elif a.unit % size == 0:
            site = self._site(access, a.base % size, part)
            at = (np.asarray(at) * a.unit + a.base) // size
        else:  # an array in a record, or a pointer to smaller numbers: each lane may touch another part of the item
            at, offset = np.divmod(np.asarray(at) * a.unit + a.base, size)
            parts, which = np.unique(offset, return_inverse=True)
            site = np.array([self._site(access, int(start), part) for start in parts])[which].reshape(offset.shape)
        chunk, lanes = group.chunk, group.lanes
        record = (
            np.broadcast_to(at, group.n),
            lanes + chunk.first * self.threads,
            site,
            number,
            chunk.intervals[lanes],
            chunk.warped[lanes],
            chunk.epochs[lanes],
            used,
        )
        if access.kind == "read":
            self.recorder.append(*record)
            return None
        return record

    def values(self, group, record, value) -> None:
        if record is not None:
            self.recorder.append(*record, values=np.broadcast_to(value, group.n))

    def _site(self, access, offset: int, nbytes: int) -> int:
        number = self._sites.get((id(access), offset, nbytes))
        if number is None:
            function, node = access.place
            number = self.recorder.site(
                node.lineno,
                node.col_offset,
                access.array,
                access.kind,
                function.name,
                _text(function, node),
                access.operation,
                offset,
                nbytes,
            )
            self._sites[id(access), offset, nbytes] = number
            self._kept.append(access)
        return number

    def _array(self, group, memory) -> int:
        if memory.root is not None:
            return self.recorder.argument(memory.name, memory.root, memory.space)
        return self.recorder.array(memory.name, memory.space, memory.flat.dtype, memory.shape)

    def fence(self, group, place, name) -> None:
        function, node = place
        site = self.recorder.site(
            node.lineno, node.col_offset, "", "fence", function.name, function.line(node.lineno), name
        )
        chunk, lanes = group.chunk, group.lanes
        self.recorder.fence(
            lanes + chunk.first * self.threads, site, chunk.intervals[lanes], chunk.warped[lanes], chunk.epochs[lanes]
        )

    def met(self, groups, name, waits) -> None:
        """Lanes have met; note it if a block diverged there."""
        chunk = groups[0].chunk
        if name == "block" and (len(groups) > 1 or groups[0].n != chunk.n):
            self._note_divergence(chunk, groups, waits)
        counter = {"block": chunk.intervals, "grid.sync": chunk.epochs}.get(name)
        if counter is not None:
            for group in groups:
                counter[group.lanes] += 1

    def ordered(self, chunk, lanes, places, whole, group) -> None:
        """Lanes have met at a ``syncwarp``: with the whole of their warp, or only with some, which are the bits of `group`."""
        chunk.warped[lanes[whole]] += 1
        self.enter(
            chunk,
            lanes[~whole],
            [place for place, all_of in zip(places, whole, strict=True) if not all_of],
            group[~whole],
        )

    def enter(self, chunk, lanes, places, what) -> None:
        """Enter in the log that lanes were where they wait, and a number about that."""
        sites = np.array([self._sync(place) for place in places], np.int64)
        self.recorder.append(
            *(what, lanes + chunk.first * self.threads, sites, NO_ARRAY),
            *(chunk.intervals[lanes], chunk.warped[lanes], chunk.epochs[lanes]),
        )

    def _sync(self, wait) -> int:
        function, node = wait.place
        text = function.line(node.lineno)
        return self.recorder.site(node.lineno, node.col_offset, "", "sync", function.name, text, wait.extra)

    def invalid_warp_sync(self, chunk, what, threads, waits, lane) -> None:
        """Lanes of a warp do not act together; the first time is noted."""
        if any(each.what == what for each in self.recorder.log().invalid_warp_syncs):
            return
        syncs = [ENDED, ENDED]
        for k, wait in enumerate(waits):
            if wait is not None:
                function, node = wait.place
                syncs[k] = self.recorder.sync(node.lineno, "warp", function.line(node.lineno), function.name)
        one, other = (t + chunk.first * self.threads if t >= 0 else -1 for t in threads)
        self.recorder.invalid_warp_sync(what, one, syncs[0], other, syncs[1], lane)

    def _note_divergence(self, chunk, groups, waits) -> None:
        site = np.where(chunk.early, GUARDED, ENDED)
        for group, wait in zip(groups, waits, strict=True):
            function, node = wait.place
            site[group.lanes] = self.recorder.sync(node.lineno, wait.extra, function.line(node.lineno), function.name)
        per_block = site.reshape(len(chunk.blocks), self.threads)
        here = np.zeros(len(chunk.blocks), bool)
        for group in groups:
            here[np.unique(chunk.block_of[group.lanes])] = True
        for block in np.flatnonzero(here & (per_block != per_block[:, :1]).any(axis=1)):
            lanes = np.arange(block * self.threads, (block + 1) * self.threads)
            interval = chunk.intervals[lanes[per_block[block] >= 0][0]]
            self.recorder.arrived(lanes + chunk.first * self.threads, per_block[block], interval)


def _text(function, node: Any) -> str:
    """An access as it is written; the line, where it is more than that."""
    if isinstance(node, ast.Subscript | ast.Attribute | ast.Call):
        return " ".join((ast.get_source_segment(function.source, node) or "").split()) or function.line(node.lineno)
    return function.line(node.lineno)
