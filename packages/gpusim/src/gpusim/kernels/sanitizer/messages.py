"""What a finding says: what happens, where, in which threads; and apart from it, what fixes it."""

from __future__ import annotations

import re

from ..faults import element, who
from .conflicts import BLOCKS
from .races import Access, Race
from .reading import Log
from .records import ATOMIC, READ, WRITE
from .uninitialized import Stale

_SWAP = re.compile(r"\b(cas|compare_and_swap|atomicCAS)\s*\(")


def race(log: Log, found: Race) -> tuple[str, str]:
    """A race in words, and what fixes it."""
    first, second = found.first, found.second
    name = item(log, first)
    one, other = _pair(log, first.thread, second.thread)
    here, there = place(log, first.site), place(log, second.site)
    same_line = _line(log, first) == _line(log, second)
    kinds = (_kind(log, first), _kind(log, second))
    if found.same:
        return (
            f"{name} is written by several threads at once, among them {one} and {other}, {here}. They all write the same "
            "value, so the result is right.",
            "Let one thread do it, as with `if cuda.grid(1) == 0`.",
        )
    if same_line and found.changing:
        what = (
            f"{name} is read, changed and written back by {one} and by {other} at once, {here}: when both read before "
            "either writes, one change is lost."
        )
    elif kinds == (WRITE, WRITE) and same_line:
        what = f"{name} is written by {one} and by {other}, both {here}, with nothing to say whose value stays."
    elif kinds == (WRITE, WRITE):
        what = f"{name} is written by {one} {here} and by {other} {there}, with nothing to say whose value stays."
    elif kinds == (ATOMIC, READ):
        what = (
            f"{name} is updated atomically by {one} {here} and read without it by {other} {there}: nothing says which of the "
            "updates the read sees."
        )
    elif ATOMIC in kinds:
        what = (
            f"{name} is written by {one} {here} and updated atomically by {other} {there}, in no order: the plain write may "
            "wipe out the update."
        )
    else:
        also = "also " if same_line else ""
        what = (
            f"{name} is written by {one} {here} and read by {other} {also}{'there' if same_line else there}, in no order: "
            "the read gives the old value or the new one."
        )
    if found.ordered:
        what = what.partition(", in no order")[0]
        return (
            f"{what}, with no barrier between. A fence and an atomic seem to order the two; whether they always do, the trace "
            "cannot tell.",
            "",
        )
    if found.benign:
        return (
            f"{what} All that write it store the same value, and only where this test holds: right if it makes no difference how "
            "many threads do so.",
            "",
        )
    if found.checked:
        if any(site.kind == "atomic" and _SWAP.search(f"{site.operation}( {site.text}") for site in log.sites):
            what += (
                " The compare-and-swap that follows fails if it was stale, so this is right if it is then tried again."
            )
        else:
            what += (
                " The atomic maximum or minimum that follows looks again: a stale value does no harm if it only decides "
                "whether that is done."
            )
        return what, ""
    return what, _cure(log, found, same_line, kinds)


def stale(log: Log, found: Stale) -> tuple[str, str]:
    """A read of shared or local memory that nobody had written, in words, and what fixes it."""
    access = Access(found.array, found.element, found.site, found.thread, 0)
    thread = who(log.thread_of(found.thread), log.block_of(found.thread))
    local = log.arrays[found.array].space == "local"
    writer = "it" if local else "no thread of its block"
    when = (
        f"{writer} {'never' if local else 'ever'} writes it"
        if found.never
        else f"{writer} has {'not ' if local else ''}written it yet"
    )
    verb = "updates" if log.sites[found.site].kind == "atomic" else "reads"
    if local:
        return (
            f"{thread} {verb} {item(log, access)} {place(log, found.site)}, but {when}: a local array begins with whatever was "
            "left in its memory.",
            f"Set every element before it is read, as in `for k in range(n): {_base(log, access)}[k] = 0`.",
        )
    return (
        f"{thread} {verb} {item(log, access)} {place(log, found.site)}, but {when}: shared memory begins with whatever was "
        "left in it.",
        f"Set every element that is read, also where the data end (`else: {_base(log, access)}[…] = 0`), and "
        "put cuda.syncthreads() in between.",
    )


def item(log: Log, access: Access) -> str:
    """The element, as the learner writes it."""
    array = log.arrays[access.array]
    return element(_base(log, access), array.index_of(access.element))


def place(log: Log, site: int) -> str:
    """``in line 4 (`hist[b] += 1`)``, with the function if it is not the kernel."""
    found = log.sites[site]
    inside = f" of {found.function}" if found.function and log.kernel and found.function != log.kernel else ""
    text = f" (`{found.text.strip()}`)" if found.text and "_hf_" not in found.text else ""
    return f"in line {found.line}{inside}{text}"


def _cure(log: Log, found: Race, same_line: bool, kinds: tuple[int, int]) -> str:
    first, second = found.first, found.second
    name = item(log, first)
    between = found.widest == BLOCKS
    if same_line and found.changing:
        return f"Use an atomic, as in `cuda.atomic.add({_base(log, first)}, …, …)`."
    if kinds == (WRITE, WRITE):
        return "Give each thread an element of its own, or combine the values with an atomic such as cuda.atomic.add."
    if kinds == (WRITE, ATOMIC):
        return f"Let every thread change {name} with an atomic" + (
            ", or set it before the launch."
            if between
            else ", and put cuda.syncthreads() after a line that only sets it."
        )
    if between:
        if kinds == (ATOMIC, READ):
            return "Use the value that the atomic returns, or read it in a later launch."
        return (
            "Blocks run in any order and cuda.syncthreads() does not reach other blocks: write to a second array, or do the "
            "two steps in two launches."
        )
    lines = sorted((_line(log, first)[1], _line(log, second)[1]))
    if same_line:
        cure = "Read into a variable, call cuda.syncthreads(), and only then write."
    elif found.again:
        cure = f"Put cuda.syncthreads() at the end of the loop, after line {_line(log, second)[1]}."
    else:
        cure = f"Put cuda.syncthreads() between line {lines[0]} and line {lines[1]}."
    if found.widest == 0:
        cure += " (Threads of one warp do not wait for each other by themselves; cuda.syncwarp() would do here.)"
    return cure


def _pair(log: Log, first: int, second: int) -> tuple[str, str]:
    """Two threads in words, the block named once where it is the same."""
    blocks = log.block_of(first), log.block_of(second)
    threads = log.thread_of(first), log.thread_of(second)
    if blocks[0] == blocks[1]:
        return who(threads[0]), who(threads[1], blocks[1])
    return who(threads[0], blocks[0]), who(threads[1], blocks[1])


def _base(log: Log, access: Access) -> str:
    return log.arrays[access.array].name or log.sites[access.site].array


def _line(log: Log, access: Access) -> tuple[str, int]:
    return log.sites[access.site].function, log.sites[access.site].line


def _kind(log: Log, access: Access) -> int:
    return {"write": WRITE, "atomic": ATOMIC}.get(log.sites[access.site].kind, READ)
