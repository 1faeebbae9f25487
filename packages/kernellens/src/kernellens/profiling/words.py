"""A timeline in words: its title, its notes, a table for a terminal, and a sentence for who cannot see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernellens.arrays.sentences import article, many
from kernellens.plot import quantities

from .entries import HOST

if TYPE_CHECKING:
    from .timeline import Timeline

SHOWN = 8
"""Kernels that the table names."""
HOST_WORDS = {
    "python": "Python",
    "launch": "launches",
    "driver": "calls for memory",
    "wait": "waits for the device",
}


def title(timeline: Timeline) -> str:
    """What it is of."""
    what = f"Timeline of {timeline.name}" if timeline.name else "Timeline"
    return f"{what} on {article(timeline.gpu)}: {time(timeline, timeline.seconds)}"


def note(timeline: Timeline) -> str:
    """Where its times come from."""
    if timeline.measured:
        said = f"All times were measured on {article(timeline.gpu)} by nsys."
    else:
        python = "was measured on this CPU" if timeline.host else "is left out"
        said = (
            f"The device's times are estimates for {article(timeline.gpu)}, not measurements. The host's Python {python}; a launch, "
            "a copy's start and a call for memory take fixed, estimated times."
        )
    return " ".join([said, *timeline.notes])


def time(timeline: Timeline, seconds: float) -> str:
    """A time; of an estimate, two digits."""
    return quantities.seconds(seconds, 3 if timeline.measured else 2)


def host(timeline: Timeline) -> list[tuple[str, int, float]]:
    """What the host does: a word, how often, and the seconds added up."""
    found = []
    for kind, word in HOST_WORDS.items():
        mine = [entry for entry in timeline.entries if entry.row == HOST and entry.kind == kind]
        if mine:
            found.append((word, len(mine), sum(entry.seconds for entry in mine)))
    return found


def ranges(timeline: Timeline) -> list[tuple[str, int, float]]:
    """The ranges by name, in order: how often, and the seconds added up; the first ones."""
    named: dict[str, list[float]] = {}
    for entry in timeline.ranges:
        named.setdefault(entry.name, []).append(entry.seconds)
    return [(name, len(each), sum(each)) for name, each in named.items()][:SHOWN]


def below(timeline: Timeline) -> list[str]:
    """What it comes to, a line each."""
    total = timeline.seconds
    if not (timeline.kernels or timeline.copies):
        return ["The device has nothing to do."]
    lines = [
        f"The device computes for {time(timeline, timeline.busy)}, which is {quantities.share(timeline.busy / total if total else 0)} of the time."
    ]
    if timeline.copies:
        spent = sum(entry.seconds for entry in timeline.copies)
        lines.append(f"{many(len(timeline.copies), 'copy', 'copies')}: {time(timeline, spent)}, {_beside(timeline)}.")
    waits = timeline.waits
    if waits:
        spent = sum(entry.seconds for entry in waits)
        lines.append(f"The host waits for the device {times(len(waits))}: {time(timeline, spent)}.")
    lines += [f"{said}: on a GPU the second may run first." for said in timeline.unordered[:2]]
    lines += [f"{said}: on a GPU the result may be wrong." for said in timeline.reused[:2]]
    if timeline.unjoined:
        lines.append(f"Nobody waited for {' and '.join(timeline.unjoined)}: what it writes may not be there yet.")
    return lines


def _beside(timeline: Timeline) -> str:
    overlap = timeline.overlap
    return f"of which {time(timeline, overlap)} beside a kernel" if overlap else "none of it beside a kernel"


def times(number: int) -> str:
    """How often, in a word where it is few."""
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def alt(timeline: Timeline) -> str:
    """The picture as a paragraph."""
    said = [f"{title(timeline)}."]
    did = ", ".join(f"{word} {time(timeline, spent)}" for word, _, spent in host(timeline))
    if did:
        said.append(f"Row host: {did}.")
    for row in rows(timeline):
        mine = [entry for entry in timeline.entries if entry.row == row]
        kinds = [
            f"{many(len(these), *word)} {time(timeline, sum(entry.seconds for entry in these))}"
            for kind, word in (("kernel", ("kernel",)), ("copy", ("copy", "copies")))
            if (these := [entry for entry in mine if entry.kind == kind])
        ]
        said.append(f"Row {row}: {', '.join(kinds)}.")
    if timeline.ranges:
        shown = ", ".join(
            f"{name}{f' ({times(number)})' if number > 1 else ''} {time(timeline, spent)}"
            for name, number, spent in ranges(timeline)
        )
        said.append(f"Row ranges: {shown}.")
    return " ".join([*said, *below(timeline), note(timeline)])


def rows(timeline: Timeline) -> list[str]:
    """The device's rows, in the order in which they are first used."""
    return list(dict.fromkeys(entry.row for entry in timeline.entries if entry.kind in ("kernel", "copy")))


def text(timeline: Timeline) -> str:
    """The timeline as a table for a terminal. Times come last in a line, so that their width moves nothing."""
    lines = [title(timeline), ""]
    # How often the host's own code is cut by calls says nothing.
    table = [
        (f"host: {word}", "" if word == "Python" else f"{number}", spent) for word, number, spent in host(timeline)
    ]
    table += [(f"range: {name}", f"{number}", spent) for name, number, spent in ranges(timeline)]
    for row in rows(timeline):
        named: dict[str, list[float]] = {}
        for entry in timeline.entries:
            if entry.row == row:
                named.setdefault(entry.name, []).append(entry.seconds)
        found = sorted(named.items(), key=lambda item: -round(sum(item[1]), 12))
        table += [(f"{row}: {name}", f"{len(each)}", sum(each)) for name, each in found[:SHOWN]]
        rest = [each for _, each in found[SHOWN:]]
        if rest:
            table.append((f"{row}: {len(rest)} others", f"{sum(map(len, rest))}", sum(map(sum, rest))))
    wide = max((len(name) for name, _, _ in table), default=0)
    lines += [f"  {name:<{wide}}  {number:>5}  {time(timeline, spent)}" for name, number, spent in table]
    return "\n".join([*lines, "", *below(timeline), note(timeline)])
