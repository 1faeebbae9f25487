"""An account in sentences, for its text and for its table in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernellens.plot import quantities
from kernellens.times import bound_of, estimate_of

if TYPE_CHECKING:
    from .account import Account
    from .fusing import Group

FUSED = 3
"""Groups that are told of; more are counted."""


def head(account: Account) -> str:
    """What it is of."""
    what = f"The account of {account.name}" if account.name else "The account of this code"
    how = ", from shapes alone: nothing was calculated" if account.shapes else ""
    return f"{what} on {article(account.gpu.name)}{how}"


def kernels(account: Account) -> str:
    """How many kernels, and what they move."""
    made = account.kernels
    if not made:
        return "No kernel was launched."
    one = len(made) == 1
    parts = []
    if account.read or not account.written:
        parts.append(f"{'reads' if one else 'read'} {quantities.size(account.read)}")
    if account.written or not account.read:
        parts.append(f"{'writes' if one else 'write'} {quantities.size(account.written)}")
    return f"{many(len(made), 'kernel')} {' and '.join(parts)}."


def memory(account: Account) -> str:
    """Temporaries and the peak."""
    gone = account.temporaries
    if gone:
        parts = [f"{many(len(gone), 'temporary', 'temporaries')}, {quantities.size(account.temporary_bytes)} in all"]
    else:
        parts = ["No temporaries"]
    peak = f"device memory at its peak {quantities.size(account.peak)}"
    if account.before:
        peak += f", of which {quantities.size(account.before)} were there before"
    if account.peak_line is not None:
        peak += f", in line {account.peak_line}"
    text = f"{'; '.join([*parts, peak])}."
    if not account.fits:
        text += f" That does not fit: {article(account.gpu.name)} has {quantities.size(account.gpu.memory)}."
    return text


def transfers(account: Account) -> str:
    """What crosses between host and device."""
    if not account.transfers:
        return "Nothing crosses between host and device."
    gpu = account.gpu
    parts = []
    for kind, nbytes, where in (("h2d", account.to_device, "to the device"), ("d2h", account.to_host, "to the host")):
        each = [event for event in account.events if event.kind == kind]
        if each:
            parts.append(f"{quantities.size(nbytes)} {where} in {many(len(each), 'copy', 'copies')}")
    copies = [work for work in account.works if work.copies]
    least, about = bound_of(copies, gpu).seconds, estimate_of(copies, gpu).seconds
    return (
        f"{' and '.join(parts)}: {quantities.seconds(least)} at least, about {quantities.seconds(about, 2)} (estimate) over this GPU's link "
        f"of {quantities.byte_rate(gpu.link_peak)} at most."
    )


def bound(account: Account) -> str:
    """The least for what the code gives."""
    found, flow = account.bound, account.flow
    link = account.to_device + account.to_host
    binds = "the link" if found.binds == "link" else found.binds
    crossing = f"{quantities.size(link)} over the link" if link else ""
    must = _must(flow.read, flow.written)
    if must and crossing:
        crossing = f", and {crossing} beside it"
    elif crossing:
        must, crossing = f"{crossing.replace(' over', ' must go over')}", ""
    elif not must:
        return f"{quantities.seconds(found.seconds)}: nothing must be read or written. No run is faster; {binds} binds."
    kernel = ", were it all one kernel" if flow.read or flow.written else ""
    return f"{quantities.seconds(found.seconds)}: {must}{kernel}{crossing}. No run is faster; {binds} binds."


def _must(read: int, written: int) -> str:
    """What must be read and written once: what is nothing is not said."""
    if read and written:
        return f"{quantities.size(read)} must be read once and {quantities.size(written)} written once"
    if read or written:
        return f"{quantities.size(read or written)} must be {'read' if read else 'written'} once"
    return ""


def launched(account: Account) -> str:
    """The least as it is written."""
    found = account.launched
    return f"{quantities.seconds(found.seconds)}, {many(len(account.events), 'launch or copy', 'launches and copies')} one after the other."


def estimate(account: Account) -> str:
    """About what it takes as it is written."""
    found = account.estimate
    how = "calibrated" if found.calibrated else "not calibrated on this GPU"
    return f"about {quantities.seconds(found.seconds, 2)} as it is launched ({how}): {'the link' if found.binds == 'link' else found.binds} takes the most. A model's figure, not a measured time."


def fusing(account: Account) -> list[tuple[str, str]]:
    """For each group of kernels that could be one: what that saves, and the code that does it, or an empty text."""
    alike: dict[tuple, list[Group]] = {}
    for group in account.groups:
        alike.setdefault(group.kind, []).append(group)
    said = [(_group(same, account), same[0].code) for same in list(alike.values())[:FUSED]]
    more = [group for same in list(alike.values())[FUSED:] for group in same]
    if more:
        saved = sum(group.saved for group in more)
        said.append(
            (f"{many(len(more), 'more group')} of kernels could be one each and save {quantities.size(saved)}.", "")
        )
    return said


def _group(same: list[Group], account: Account) -> str:
    group = same[0]
    first, last = group.events[0].index + 1, group.events[-1].index + 1
    where = ""
    if group.lines:
        where = (
            f" (line {group.lines[0]})" if len(group.lines) == 1 else f" (lines {group.lines[0]} to {group.lines[-1]})"
        )
    times = f", and so {quantities.count(len(same))} times," if len(same) > 1 else ""
    kernel = "cupy.ElementwiseKernel" if group.events[-1].fused else "cupy.ReductionKernel"
    by_hand = f"put them into a function under @cupy.fuse(), or write one {kernel}"
    how = f"as below, or as one {kernel}" if group.code else by_hand
    launches = many(len(same) * (len(group.events) - 1), "launch", "launches")
    now, then = sum(each.moved for each in same), sum(each.flow.moved for each in same)
    return (
        f"Launches {first} to {last}{where}{times} can be one kernel that moves {quantities.size(then)} instead of "
        f"{quantities.size(now)}, {quantities.ratio(now / then) if then else 'all'} fewer, and saves {launches}: {how}."
    )


def left(account: Account) -> str:
    """What was assumed."""
    return "".join(f" {text[0].upper()}{text[1:]} (assumed)." for text in account.assumed).strip()


def many(number: int, one: str, several: str | None = None) -> str:
    """A number and its noun."""
    noun = one if number == 1 else several or one + "s"
    return f"{quantities.count(number)} {noun}"


def article(name: str) -> str:
    """A GPU's name with its article."""
    return f"{'an' if name[0] in 'AEFHILMNORSX' else 'a'} {name}"


def parts(account: Account) -> list[tuple[str, str]]:
    """The sentences under their headings."""
    found = [("Kernels", kernels(account)), ("Memory", memory(account)), ("Transfers", transfers(account))]
    if account.events:
        found += [("Bound", bound(account)), ("Bound as launched", launched(account)), ("Estimate", estimate(account))]
    return found
