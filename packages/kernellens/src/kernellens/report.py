"""A trace in words, for a terminal and as the text of a cell's output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .result import Trace

WIDTH = 60
"""Characters of a source line that are shown."""


def text(trace: Trace) -> str:
    """Return the report: what is wrong first, then what each line moves, conflicts and branches."""
    total = trace.griddim[0] * trace.griddim[1] * trace.griddim[2]
    parts = [launched(trace)]
    if trace.blocks:
        parts[0] += f", {count(trace.blocks)} of {count(total)} traced"
    parts += [_findings(trace)]
    if trace.traffic:
        parts += [_traffic(trace)]
    if trace.conflicts:
        parts += [_conflicts(trace)]
    if trace.branches:
        parts += [_branches(trace)]
    elif trace.branches is None and trace.blocks:
        parts += ["Branches: not known. This kernel is interpreted, and only compiled ones tell which way threads go."]
    return "\n".join(parts)


def _findings(trace: Trace) -> str:
    if not trace.errors:
        return "Nothing wrong was found." if trace.blocks else "No thread ran."
    return "\n".join(
        f"{finding.severity}: {finding.kind}: {finding.sentence}"
        + (f" Seen on {count(finding.elements)} elements." if finding.elements > 1 else "")
        for finding in trace.errors
    )


def _traffic(trace: Trace) -> str:
    asked = sum(item.asked for item in trace.traffic)
    rows = [f"Global memory: {_bytes(asked)} asked for, {_bytes(trace.moved)} moved ({_percent(trace.efficiency)})"]
    rows.append("  line     requests  sectors each  at best  useful")
    for item in trace.traffic:
        each, best = item.per_request, item.fewest / item.requests
        where = f"{item.function + ' ' if item.function else ''}{item.line}"
        rows.append(
            f"  {where:<6} {count(item.requests):>10}  {each:>12.3g}  {best:>7.3g}  {_percent(item.efficiency):>6}"
            f"  {item.kind} {', '.join(item.arrays)}: {_source(item.text)}"
        )
    return "\n".join(rows)


def _conflicts(trace: Trace) -> str:
    if not trace.bank_conflicts:
        return "Shared memory: no bank conflicts"
    rows = [f"Shared memory: {count(trace.bank_conflicts)} extra cycles by bank conflicts"]
    for item in trace.conflicts:
        if item.extra:
            where = f"{item.function + ' ' if item.function else ''}{item.line}"
            rows.append(
                f"  {where:<6} {count(item.extra):>10}  up to {item.worst}-way  {', '.join(item.arrays)}: {_source(item.text)}"
            )
    return "\n".join(rows)


def _branches(trace: Trace) -> str:
    if not trace.divergent_branches:
        return "Branches: no warp diverged"
    rows = ["Branches at which threads of a warp diverged"]
    for item in trace.branches or ():
        if item.diverged:
            where = f"{item.function + ' ' if item.function else ''}{item.line}"
            rows.append(f"  {where:<6} {count(item.diverged):>10}  of {count(item.times)}  {_source(item.text)}")
    return "\n".join(rows)


def launched(of: Any) -> str:
    """The kernel of a trace or of schedules, its blocks and their threads."""
    return f"{of.kernel}: {dims(of.griddim)} blocks of {dims(of.blockdim)} threads"


def dims(numbers: tuple[int, ...]) -> str:
    """``16 × 16``: without the ones at the end."""
    shown = numbers
    while len(shown) > 1 and shown[-1] == 1:
        shown = shown[:-1]
    return " × ".join(map(count, shown))


def count(number: int) -> str:
    """A number whose digits are in groups of three."""
    return f"{number:,}".replace(",", "\N{NO-BREAK SPACE}")


def _bytes(number: int) -> str:
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= factor:
            return f"{number / factor:.3g} {unit}"
    return f"{number} bytes"


def _percent(share: float) -> str:
    # Not rounded up to a hundred: that is said where nothing is wasted.
    return f"{min(share, 0.99) if share < 1 else 1:.0%}"


def _source(line: str) -> str:
    line = line.strip()
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"
