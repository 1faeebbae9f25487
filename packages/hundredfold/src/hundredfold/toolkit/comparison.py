"""`compare`: one workload as published, as measured here, as recorded on real machines, beside its limit; and three ratios."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kernellens import plot
from kernellens.plot import quantities as text

from . import measurement_log, recorded
from .bounds import Limit
from .bounds import limit as limit_of
from .result import Measurement, place

Timed = Measurement | float


@dataclass(frozen=True, eq=False)
class Ratios:
    """How one way compares, in the order of honesty; None where that was not given.

    `limit` is the share of the limit that was reached (1.0 is the limit); `strongest` and `naive` say how many times faster it
    is than the strongest and than the naive way on a CPU (below 1: slower).
    """

    limit: float | None
    strongest: float | None
    naive: float | None

    def __str__(self) -> str:
        parts = []
        if self.limit is not None:
            parts.append(f"{text.share(self.limit)} of the limit")
        if self.strongest is not None:
            parts.append(f"{text.ratio(self.strongest)} the strongest CPU way")
        if self.naive is not None:
            parts.append(f"{text.ratio(self.naive)} the naive one")
        return ", ".join(parts)


class Comparison:
    """What `compare` returns; a notebook shows it as a figure, everything else as a table.

    Attributes
    ----------
    workload : str
        The id of the recorded rows.
    ratios : dict of str to Ratios
        For each way measured here.
    figure : kernellens.plot.Figure
        *published | here | recorded | limit* on a logarithmic axis, with a text alternative.
    measured : list of hundredfold.toolkit.measurement_log.Entry
        The measurements among what was compared; a time that was given as a number alone says nothing of where it was taken.
    """

    def __init__(
        self,
        workload: str,
        ratios: dict[str, Ratios],
        marks: list[Any],
        head: str,
        notes: list[str],
        measured: list[measurement_log.Entry],
    ) -> None:
        self.workload = workload
        self.ratios = ratios
        self.measured = measured
        self._head, self._marks, self._notes = head, marks, notes

    @property
    def figure(self) -> Any:
        """The picture, made when it is asked for."""

        said = [f"{label}: {ratios}." for label, ratios in self.ratios.items() if str(ratios)]
        drawn = plot.times(self._marks, title=self._head, note=" · ".join(self._notes), below=said)
        drawn.text = str(self)  # aligned
        return drawn

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return self.figure._repr_mimebundle_(include, exclude)

    def __str__(self) -> str:
        from kernellens.plot.dots import table

        rows = [*table(self._marks)]
        wide = max((len(label) for label in self.ratios), default=0)
        ratios = [f"{label:<{wide}}  {each}" for label, each in self.ratios.items() if str(each)]
        return "\n".join(
            [self._head, "", *rows, *(["", *ratios] if ratios else []), *(["", *self._notes] if self._notes else [])]
        )

    __repr__ = __str__


def compare(
    workload: str,
    here: Timed | Mapping[str, Timed],
    *,
    naive: Timed | None = None,
    strongest: Timed | None = None,
    limit: Limit | None = None,
    n: int | None = None,
) -> Comparison:
    """Put times measured here beside the published and recorded ones of the same workload, and beside the limit.

    Parameters
    ----------
    workload : str
        The id of its row in the recordings, such as "arrays.sincos".
    here : Measurement, seconds, or dict of label to either
        What was measured here.
    naive, strongest : Measurement or seconds, optional
        The plain way and the fastest known one, on this CPU: what the ratios are to.
    limit : Limit, optional
        The least time here; by default that of the first measurement that has one.
    n : int, optional
        Number of elements here, where that is not the published one: then the picture says so.

    Returns
    -------
    Comparison
        Shows itself as a figure; `print` gives a table and the three ratios; `.ratios` has them as numbers.

    Raises
    ------
    KeyError
        If nothing is kept for `workload`; the message names the nearest.
    TypeError
        If what should be a time is neither a Measurement nor a number.
    ValueError
        If a time is not positive, or `here` is empty.
    """
    found = recorded.rows(workload)
    timed = {str(k): v for k, v in here.items()} if isinstance(here, Mapping) else {_label(here): here}
    if not timed:
        raise ValueError("compare needs at least one time measured here.")
    seconds = {label: _seconds(label, value) for label, value in timed.items()}
    slow = None if naive is None else _seconds("naive", naive)
    strong = None if strongest is None else _seconds("strongest", strongest)
    bound = limit or next((v.limit for v in timed.values() if isinstance(v, Measurement) and v.limit is not None), None)
    if bound is not None and not isinstance(bound, Limit):
        raise TypeError(f"limit must be what limit(...) returns, not {type(bound).__name__}.")
    if bound is not None:
        bound = bound.confirmed(min(seconds.values()))  # our own rates are doubted before the learner's time is

    ratios = {
        label: Ratios(
            limit=None if bound is None else bound.share(value),
            strongest=None if strong is None or value == strong and len(timed) > 1 else strong / value,
            naive=None if slow is None or value == slow and len(timed) > 1 else slow / value,
        )
        for label, value in seconds.items()
    }
    marks = _marks(found, timed, seconds, bound)
    head = f"{found[0].id}: {found[0].what}"
    # Of another size than the published work, a time is none of this workload's.
    same = n is None or found[0].n is None or n == found[0].n
    given = [*timed.values(), strongest, naive] if same else []
    measured = [measurement_log.entry(each) for each in given if isinstance(each, Measurement)]
    compared = Comparison(workload, ratios, marks, head, _notes(found, timed, n), measured)
    measurement_log.record_comparison(compared)
    return compared


def _label(value: Any) -> str:
    return value.name if isinstance(value, Measurement) else "here"


def _seconds(label: str, value: Any) -> float:
    if isinstance(value, Measurement):
        return value.median
    try:
        if isinstance(value, str):
            raise TypeError
        seconds = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{label}: a Measurement or seconds are needed, not {type(value).__name__}.") from None
    if not 0 < seconds < math.inf:
        raise ValueError(f"{label}: a positive number of seconds is needed, not {seconds!r}.")
    return seconds


def _marks(
    found: list[recorded.Row], timed: Mapping[str, Timed], seconds: dict[str, float], bound: Limit | None
) -> list:
    from gpusim.hardware import gpus
    from kernellens.plot.dots import Row

    marks, elsewhere = [], {}
    for kind in ("published", "recorded"):
        for row in found:
            for time in row.times if row.kind == kind else ():
                if kind == "recorded" and time.gpu is None:
                    continue  # another machine's CPU alone: beside this one's it says nothing of a GPU
                on = f" ({time.gpu or time.machine})" if time.device == "gpu" else ""
                said = "" if time.verdict == "possible" else time.verdict
                marks.append(Row(f"{kind}: {time.way}{on}", time.seconds, kind, said, time.verdict != "possible"))
                if on and time.gpu:
                    elsewhere.setdefault(time.gpu, row)
        if kind == "published":
            for label, value in seconds.items():
                given = timed[label]
                wrong = given.suspicious if isinstance(given, Measurement) else None
                wrong = wrong or (None if bound is None else bound.impossible(value))
                marks.append(
                    Row(
                        "here" if label == "here" else f"here: {label}",
                        value,
                        "here",
                        "impossible" if wrong else "",
                        bool(wrong),
                    )
                )
    for name, row in elsewhere.items():
        least = row.least_bytes or row.bytes
        if least is not None and row.n is not None:
            dtype = "float32" if row.dtype == "float32" else "float64"
            its = limit_of(bytes=least, flops=row.flops, machine=name, dtype=dtype)
            once = "byte" if its.binds == "memory" else "operation"
            marks.append(Row(f"limit: {gpus.find(name).name}, each {once} once", its.seconds, "limit"))
    if bound is not None:
        marks.append(Row(f"limit: {bound.machine}", bound.seconds, "limit"))
    return marks


def _notes(found: list[recorded.Row], timed: Mapping[str, Timed], n: int | None) -> list[str]:
    """Return the lines under the picture: where the times here come from, who published the others, and what differs in their work."""
    from gpusim import hardware

    row = found[0]

    places = [place(value.device).strip("()") for value in timed.values() if isinstance(value, Measurement)]
    measured_on_cpu = all(isinstance(value, Measurement) and value.device == "CPU" for value in timed.values())
    if hardware.mode() == "simulated" and not measured_on_cpu:
        # All of it, also a time that was taken by hand. Only where every one is known to be the CPU's own is nothing simulated.
        places = ["simulated on this CPU"]
    notes = [f"Times taken here ({', '.join(dict.fromkeys(places))})"] if places else []
    if n is not None and row.n is not None and n != row.n:
        notes.append(
            f"Here {text.count(n)} elements, published {text.count(row.n)}: compare the ratios, not the times."
        )
    return notes + [note for each in found if each.kind == "published" and (note := _publishers(each, row))]


def _publishers(row: recorded.Row, first: recorded.Row) -> str:
    """Who published a row's times and when, and the work, where it is not that of the title."""
    who = dict.fromkeys(
        f"by {time.source['author']}, {time.year}"
        if "author" in time.source
        else f"in “{time.source['title']}”, {time.year}"
        for time in row.times
    )
    if not who:
        return ""
    other = "" if row.what == first.what else f". Their work: {row.what}"
    return f"Published {'; '.join(who)}{other}"
