"""What is wrong with the accesses of a launch."""

from __future__ import annotations

import ast
import dataclasses
import itertools
import re
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gpusim.device.indices import indices

from ..driver_errors import LaunchError
from ..faults import DeadlockError, KernelError, OutOfBoundsError, element, who
from ..limits import three
from . import messages, races, uninitialized
from .fences import Fences
from .memory import memories
from .out_of_bounds import outside
from .reading import Log
from .records import ATOMIC, FLAGGED_AXES, FROM_THE_END, NEGATIVE, NEGATIVE_AXIS, RECORD, WRITE, Site
from .warp_syncs import WarpSyncs

MOST = 20
"""Findings kept of each kind."""
WILD = 1 << 28
"""An index that no program means."""
_BEGIN_LATER = "If that is not meant, let the loop or the threads begin later, or guard the line."
_TAKE_OUT = "Take the barrier out of the branch, so that all threads of the block meet at the same one."


class Thread(NamedTuple):
    """``threadIdx`` and ``blockIdx`` of a thread."""

    thread: tuple[int, int, int]
    block: tuple[int, int, int]


@dataclass(frozen=True)
class Finding:
    """Something wrong, or doubtful, that a launch did.

    Attributes
    ----------
    kind : str
        ``"out-of-bounds"``, ``"negative-index"``, ``"race"``, ``"barrier-divergence"``, ``"uninitialised-shared"``,
        ``"uninitialised-local"``, ``"uncompilable"`` or ``"launch"``.
    severity : str
        ``"error"`` or ``"warning"``.
    array : str or None
    index : tuple of int or None
        The element of the example.
    line : int or None
        1-based, in the kernel's own source (or that of `function`).
    threads : tuple of Thread
        Of the example.
    sentence : str
        What happens, where, and what fixes it.
    other_line : int or None
        The second line of a race.
    function : str
        The device function the line is in; empty for the kernel.
    elements : int
        How many elements it was seen on.
    cause : str
        Of the kinds that mean more than one thing, which.  A launch: ``"refused"``, by the device; ``"endless"``, a thread
        that does not come to an end; ``"too-long"``, a grid that this CPU would not get through.  A barrier: ``"deadlock"``,
        threads that wait for others that never come.  Empty otherwise.
    cure : str
        The end of `sentence`, which says what fixes it; empty where it has none.
    """

    kind: str
    severity: str
    array: str | None
    index: tuple[int, ...] | None
    line: int | None
    threads: tuple[Thread, ...]
    sentence: str
    other_line: int | None = None
    function: str = ""
    elements: int = 1
    cure: str = ""
    cause: str = ""

    def __str__(self) -> str:
        return self.sentence

    @property
    def diagnosis(self) -> str:
        """`sentence` without what fixes it: for who is to find that out."""
        return self.sentence.removesuffix(self.cure).rstrip()


def examine(log: Log) -> list[Finding]:
    """Everything that is wrong with a launch, errors first.

    Returns
    -------
    list of Finding
        One for each two lines that race, and for each line that reads what nobody wrote, uses a negative index or is a
        barrier at which a block parts.

    Notes
    -----
    A race is two accesses by two threads to one element, one of them a write and not both atomic, that nothing orders:
    barriers order a block, ``syncwarp`` a warp, a grid sync all.  That threads of a warp run in step is no order.
    """
    found: list[Finding] = []
    log = log.before_wrapping()
    counts = _counts(log)
    fences, warp_syncs = Fences(log), WarpSyncs(log)
    for memory in memories(log):
        accesses, stored, atomics = (int(counts[memory.arrays, k].sum()) for k in range(3))
        if memory.space == "const" or not accesses:
            continue
        if stored and atomics < accesses and memory.space != "local":  # which no two threads share
            found += [_race(log, race) for race in races.races(log, memory, accesses, fences, warp_syncs)]
        if memory.space in ("shared", "local") and (stored < accesses or atomics):
            found += [_stale(log, item) for item in uninitialized.stale(log, memory, accesses)]
    found += _negative(log)
    found += [dataclasses.replace(of_fault(item.error), elements=item.elements) for item in outside(log)]
    found += _divergent_barriers(log)
    found += _invalid_warp_syncs(log)
    found += _unnamed(log)
    return arrange(found)


def arrange(found: list[Finding]) -> list[Finding]:
    """Errors first, then by line; not more of a kind than anybody reads.

    What others follow from comes before them: behind a barrier at which a block parts nothing is in order, and what is read
    from outside of an array is made up.
    """
    first = ("barrier-divergence", "out-of-bounds", "")

    def order(f: Finding) -> tuple:
        return f.severity != "error", first.index(f.kind if f.kind in first else ""), f.line or 0, f.other_line or 0

    seen: dict[str, int] = {}
    result = []
    for finding in sorted(found, key=order):
        seen[finding.kind] = seen.get(finding.kind, 0) + 1
        if seen[finding.kind] <= MOST:
            result.append(finding)
    return result


def with_fault(error: KernelError, found: list[Finding]) -> list[Finding]:
    """What stopped a traced launch, among all else that was found in it.

    An index that is far beyond any array comes from memory that nobody set, where there is some: that is told first then.
    """
    fault = of_fault(error)
    others = []
    for other in found:
        if not _alike(fault, other):
            others.append(other)
        elif fault.kind == "out-of-bounds":  # found in the log too, where it is known how often
            fault = dataclasses.replace(fault, elements=other.elements)
    found = arrange([fault, *others])
    if fault.kind == "out-of-bounds" and any(abs(i) >= WILD for i in fault.index or ()):
        found.sort(key=lambda f: (f.severity != "error", not f.kind.startswith("uninitialised")))
    return found


def of_fault(error: KernelError) -> Finding:
    """The finding that a fault of a traced launch is: out of bounds, a launch that is refused, or a barrier."""
    kind = "launch"
    if isinstance(error, OutOfBoundsError):
        kind = "out-of-bounds"
    elif isinstance(error, DeadlockError):
        kind = "barrier-divergence"
    elif not isinstance(error, LaunchError):
        kind = "uncompilable" if "ncompilable" in "".join(c.__name__ for c in type(error).__mro__) else "launch"
    threads = (Thread(three(error.thread), three(error.block or (0, 0, 0))),) if error.thread is not None else ()
    array, index = getattr(error, "array", None), getattr(error, "index", None)
    cure = error.cure() if isinstance(error, OutOfBoundsError) and error.sentence is None else ""
    cause = error.cause or ("refused" if kind == "launch" else "")
    place: dict[str, Any] = {"function": error.function or "", "cure": cure, "cause": cause}
    return Finding(kind, "error", array, index, error.line, threads, str(error), **place)


def _alike(fault: Finding, other: Finding) -> bool:
    """Whether two findings are about the same access; the log has a negative index as it was taken, from the end."""
    one, two = ((f.kind, f.line, f.function, f.array, f.threads) for f in (fault, other))
    index = zip(fault.index or (), other.index or (), strict=False)
    return one == two and all(i == j or i < 0 <= j for i, j in index)


def _counts(log: Log) -> np.ndarray:
    """Accesses, writes and atomics, and atomics, of each array."""
    kinds = log.kinds.astype(np.int64)
    table = np.zeros((len(log.arrays), 8), np.int64)
    for _, records in log.pieces():
        array = records["array"].astype(np.int64)
        which = np.bincount(indices(array * 8 + kinds[records["site"]]), minlength=table.size)
        table += which[: table.size].reshape(table.shape)
    return np.stack([table[:, :3].sum(1), table[:, WRITE] + table[:, ATOMIC], table[:, ATOMIC]], 1)


def _race(log: Log, race: races.Race) -> Finding:
    first, second = race.first, race.second
    if log.sites[first.site].kind == "atomic":  # the other access is the one that is out of line
        first, second = second, first
    site, other = log.sites[first.site], log.sites[second.site]
    what, cure = messages.race(log, race)
    return Finding(
        kind="race",
        severity=race.severity,
        array=log.arrays[first.array].name,
        index=log.index_of(first.array, first.element),
        line=site.line,
        threads=(_thread(log, first.thread), _thread(log, second.thread)),
        sentence=f"{what} {cure}".rstrip(),
        cure=cure,
        other_line=other.line,
        function=_function(log, site.function),
        elements=race.elements,
    )


def _stale(log: Log, found: uninitialized.Stale) -> Finding:
    site = log.sites[found.site]
    what, cure = messages.stale(log, found)
    return Finding(
        kind=f"uninitialised-{log.arrays[found.array].space}",
        severity="error",
        array=log.arrays[found.array].name,
        index=log.index_of(found.array, found.element),
        line=site.line,
        threads=(_thread(log, found.thread),),
        sentence=f"{what} {cure}",
        cure=cure,
        function=_function(log, site.function),
        elements=found.elements,
    )


def _negative(log: Log) -> list[Finding]:
    """Negative indices, but for those that are written as such."""
    found = []
    flagged = [r[r["flags"] & NEGATIVE > 0] for _, r in log.pieces()]
    records = np.concatenate(flagged) if flagged else np.empty(0, RECORD)
    if not len(records):
        return []
    for number in np.unique(records["site"]):
        mine = records[records["site"] == number]
        record, site = mine[0], log.sites[number]
        array = log.arrays[record["array"]]
        if _written_so(site):
            continue
        index = array.index_of(int(record["element"]))
        asked = _asked(index, array.shape, int(record["flags"]))
        name = array.name or site.array
        verb = {"read": "reads", "write": "writes"}.get(site.kind, "updates")
        thread = _thread(log, int(record["thread"]))
        what = f"asks for {element(name, asked)} and " if asked else "uses a negative index and "
        sentence = (
            f"{who(*thread)} {what}{verb} {element(name, index)} {messages.place(log, int(number))}: Numba takes a negative "
            f"index from the end, as NumPy does, on a GPU too. {_BEGIN_LATER}"
        )
        found.append(
            Finding(
                kind="negative-index",
                severity="warning",
                array=name,
                index=asked or index,
                line=site.line,
                threads=(thread,),
                sentence=sentence,
                cure=_BEGIN_LATER,
                function=_function(log, site.function),
                elements=len(np.unique(mine["element"])),
            )
        )
    return found


def _asked(index: tuple[int, ...], shape: tuple[int, ...], flags: int) -> tuple[int, ...] | None:
    """The index as it was used, if the flags say along which axes it was negative, or there is only one."""
    axes = [axis for axis in range(min(len(shape), FLAGGED_AXES)) if flags & NEGATIVE_AXIS << axis]
    axes = axes or ([0] if len(shape) == 1 else [])
    if not axes:
        return None
    return tuple(i - n if axis in axes else i for axis, (i, n) in enumerate(zip(index, shape, strict=True)))


def _written_so(site: Site) -> bool:
    """Whether a place in the source has a negative number for an index, as in ``x[-1]``: then it is meant.

    Of a line that has several, as ``r[0] = r[-1]``, the backend says which it is.  Where only the line is known, all but those
    that are never negative have to be written so.
    """
    if site.operation == FROM_THE_END:
        return True
    whole = _expression(site.text)
    if isinstance(whole, ast.Subscript) and ast.unparse(whole.value) == site.array:
        found = [whole.slice]
    else:
        starts = re.finditer(rf"(?<![\w.]){re.escape(site.array)}\[", site.text)
        found = [_index(_bracketed(site.text[start.end() :])) for start in starts]
        found = [index for index in found if index is None or not _never_negative(index)]
    return bool(found) and all(index is not None and _literally_negative(index) for index in found)


def _index(text: str) -> ast.expr | None:
    """What stands between the brackets of a subscript; None where that is not all of it."""
    whole = _expression(f"x[{text}]")
    return whole.slice if isinstance(whole, ast.Subscript) else None


def _expression(text: str) -> ast.expr | None:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return None


def _never_negative(index: ast.expr) -> bool:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(isinstance(part, ast.Constant) for part in parts)


def _bracketed(text: str) -> str:
    """What stands before the bracket that closes."""
    depth = 1
    for at, character in enumerate(text):
        depth += (character in "[(") - (character in "])")
        if depth == 0:
            return text[:at]
    return text


def _literally_negative(index: ast.expr) -> bool:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(
        isinstance(p, ast.UnaryOp) and isinstance(p.op, ast.USub) and isinstance(p.operand, ast.Constant) for p in parts
    )


def _divergent_barriers(log: Log) -> list[Finding]:
    """Barriers at which the threads of a block part.

    Threads that have ended do not count: since Volta a barrier waits for those that have not (CUDA C++ Programming
    Guide, *Independent Thread Scheduling*).
    """
    groups: dict[tuple[int, int], dict[int, int]] = {}
    for arrival in log.arrivals:
        if arrival.sync >= 0:
            block = arrival.thread // log.threads_per_block
            groups.setdefault((block, arrival.interval), {}).setdefault(arrival.sync, arrival.thread)
    found: dict[tuple[int, int], Finding] = {}
    first_of: dict[int, int] = {}  # where a block diverged once, all that follows is out of step
    for block, interval in groups:
        first_of[block] = min(first_of.get(block, interval), interval)
    for (block, interval), by_sync in groups.items():
        if interval != first_of[block]:
            continue
        for first, second in itertools.pairwise(sorted(by_sync, key=lambda sync: log.syncs[sync][:1])):
            here, there = log.syncs[first], log.syncs[second]
            one, other = _thread(log, by_sync[first]), _thread(log, by_sync[second])
            sentence = (
                f"The threads of a block part at a barrier: {who(*one)} waits in line {here.line}, {who(other.thread)} in line "
                f"{there.line}. What a GPU does then is undefined. {_TAKE_OUT}"
            )
            found.setdefault(
                (first, second),
                Finding(
                    kind="barrier-divergence",
                    severity="error",
                    array=None,
                    index=None,
                    line=here.line,
                    threads=(one, other),
                    sentence=sentence,
                    cure=_TAKE_OUT,
                    other_line=there.line,
                    function=_function(log, here.function),
                ),
            )
    return list(found.values())


_REACH = "Let all lanes reach the line, and guard only what is done with the value."
_SAME = "Give all lanes that meet the same mask, which names them and no others."
_NAMED = "Name in the mask all lanes that come to the line, as `cuda.ballot_sync(0xffffffff, condition)` before the branch does."
_READ = "Let the mask name each lane that is read from, and let these take part."


def _invalid_warp_syncs(log: Log) -> list[Finding]:
    """Lanes of a warp that do not act together."""
    found: dict[tuple[int, int], Finding] = {}
    # A lane that passed by is not told twice: that its value was asked for says more.
    for invalid in sorted(log.invalid_warp_syncs, key=lambda each: each.what == "passed"):
        here, there = log.syncs[invalid.sync], log.syncs[invalid.other_sync] if invalid.other_sync >= 0 else None
        threads = tuple(_thread(log, thread) for thread in (invalid.thread, invalid.other) if thread >= 0)
        one, at = who(*threads[0]), f"in line {here.line}" + (f" (`{here.text.strip()}`)" if here.text else "")
        if invalid.what == "absent":
            cure = _REACH
            what = (
                f"{one} asks for the value of lane {invalid.lane} of its warp {at}. The mask names that lane, but it does not take "
                "part: it has ended, or went another way, or the block has not so many threads. What comes is undefined."
            )
        elif invalid.what == "own":
            cure = _NAMED
            what = (
                f"{one} is lane {invalid.lane} of its warp, and the mask that it gives {at} does not name that lane. What a GPU "
                "does then is undefined."
            )
        elif invalid.what == "passed":
            cure = _NAMED
            what = (
                f"The mask that {one} gives {at} names lane {invalid.lane}, which does not come there: {who(threads[1].thread)} "
                "went past to the end of the kernel. What a GPU does then is undefined: it may wait for ever."
            )
        else:
            cure = _SAME
            where = f"{who(threads[1].thread)} in line {there.line}" if there is not None else who(threads[1].thread)
            what = f"The lanes of a warp meet with different masks: {one} {at}, {where}. What a GPU does then is undefined."
        made = Finding(
            kind="barrier-divergence",
            severity="error",
            array=None,
            index=None,
            line=here.line,
            threads=threads,
            sentence=f"{what} {cure}",
            cure=cure,
            other_line=there.line if there is not None else None,
            function=_function(log, here.function),
        )
        if not (invalid.what == "passed" and any(line == here.line for line, _ in found)):
            found[here.line, len(found)] = made
    return list(found.values())


def _unnamed(log: Log) -> list[Finding]:
    """Shuffles that read from a lane that the mask does not name, which leaves the value undefined.

    Half a warp that adds up its values by ``shfl_down_sync`` does so in lanes whose sums nobody uses: where a lane does not store
    the value in the line that reads it, that is a warning.
    """
    shuffles = [n for n, s in enumerate(log.sites) if s.kind == "sync" and s.operation.startswith("shfl")]
    if not shuffles:
        return []
    records, places = [], []
    lines = {(log.sites[n].line, log.sites[n].function) for n in shuffles}
    last = {line: np.full(len(log.blocks) * log.threads_per_block, -1, np.int64) for line in lines}
    writes = np.isin(log.kinds, (WRITE, ATOMIC))
    stores = {line: writes & np.array([(s.line, s.function) == line for s in log.sites]) for line in lines}
    local = np.array([array.space == "local" for array in log.arrays] or [False])
    for first, piece in log.pieces():
        mine = np.flatnonzero(np.isin(piece["site"], shuffles))
        records.append(piece[mine])
        places.append(first + mine)
        for line in lines:
            stored = np.flatnonzero(stores[line][piece["site"]])
            stored = stored[~local[piece["array"][stored]]]
            last[line][piece["thread"][stored]] = first + stored
    read, at = np.concatenate(records), np.concatenate(places)
    found = []
    for number in np.unique(read["site"]):
        site, mine = log.sites[number], np.flatnonzero(read["site"] == number)
        used = last[site.line, site.function][read["thread"][mine]] > at[mine]
        grave = used | (site.operation in ("shfl_sync", "shfl_xor_sync"))
        example = read[mine[int(np.argmax(grave))]]
        thread = _thread(log, int(example["thread"]))
        text = f" (`{site.text.strip()}`)" if site.text else ""
        sentence = (
            f"{who(*thread)} asks for the value of lane {int(example['element'])} of its warp in line {site.line}{text}, which "
            f"the mask does not name: what comes is undefined. {_READ}"
        )
        found.append(
            Finding(
                kind="barrier-divergence",
                severity="error" if grave.any() else "warning",
                array=None,
                index=None,
                line=site.line,
                threads=(thread,),
                sentence=sentence,
                cure=_READ,
                function=_function(log, site.function),
            )
        )
    return found


def _thread(log: Log, thread: int) -> Thread:
    return Thread(log.thread_of(thread), log.block_of(thread))


def _function(log: Log, name: str) -> str:
    return "" if name == log.kernel else name
