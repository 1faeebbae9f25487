"""What was measured in this process: the last measurement of each name, and the last comparison of each workload.

`measure` and `compare` enter it; a page about what was measured (`hundredfold.learning.reporting`) reads it. It holds numbers and words, never what a
measured function returned: a log must keep no array alive.
"""

from __future__ import annotations

import contextlib
import contextvars
import datetime
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .comparison import Comparison
    from .result import Measurement

MOST = 200
"""Names that are kept; the oldest go first."""

UNNAMED = "expression"
"""What a lambda is called. Whoever wants it on a page gives it a name."""

_silent: contextvars.ContextVar[bool] = contextvars.ContextVar("silent", default=False)


@dataclass(frozen=True)
class Entry:
    """One measurement, as it is kept.

    Attributes
    ----------
    name : str
    seconds, spread, first : float
        Median and interquartile range of the samples, and the first call, in seconds; NaN where there is none.
    samples : int
    device, mode : str
        As of a `Measurement`.
    bytes, flops : float or None
        What the work must at least move and do.
    limit : float or None
        The least seconds that it could take.
    binds, of : str
        What makes that limit ("memory", "arithmetic"), and of which machine it is; empty without one.
    doubt : str
        Why the time should not be believed; empty where it may be.
    verdict : {"possible", "doubtful", "impossible"}
        The same in a word, as recordings have it: impossible is what is below its limit.
    when : str
        In UTC, as ISO 8601.
    versions : dict of str to str
    """

    name: str
    seconds: float
    spread: float
    first: float
    samples: int
    device: str
    mode: str
    bytes: float | None = None
    flops: float | None = None
    limit: float | None = None
    binds: str = ""
    of: str = ""
    doubt: str = ""
    verdict: str = "possible"
    when: str = ""
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def share(self) -> float | None:
        """How much of the limit was reached, 1.0 is all; None without a limit."""
        return None if self.limit is None or not self.seconds > 0 else self.limit / self.seconds


_entries: dict[str, Entry] = {}
_comparisons: dict[str, Comparison] = {}
_unnamed = 0


def entry(measurement: Measurement) -> Entry:
    """Return what is kept of a measurement."""
    limit = measurement.limit
    return Entry(
        name=measurement.name,
        seconds=measurement.median,
        spread=measurement.spread,
        first=float(measurement.first) if measurement.first is not None else math.nan,
        samples=len(measurement.times),
        device=measurement.device,
        mode=measurement.mode,
        bytes=measurement.bytes,
        flops=measurement.flops,
        limit=None if limit is None else limit.seconds,
        binds="" if limit is None else limit.binds,
        of="" if limit is None else limit.machine,
        doubt=measurement.suspicious or measurement.noisy or "",
        verdict="impossible" if measurement.suspicious else "doubtful" if measurement.noisy else "possible",
        when=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        versions=dict(measurement.versions),
    )


def record(measurement: Measurement) -> None:
    """Keep a measurement; one of the same name before it is forgotten, and so is what has no name of its own."""
    global _unnamed
    if _silent.get():
        return
    if measurement.name == UNNAMED:
        _unnamed += 1
        return
    _entries.pop(measurement.name, None)  # the new one stands last
    _entries[measurement.name] = entry(measurement)
    while len(_entries) > MOST:
        del _entries[next(iter(_entries))]


def record_comparison(comparison: Comparison) -> None:
    """Keep a comparison; one of the same workload before it is forgotten."""
    if not _silent.get():
        _comparisons.pop(comparison.workload, None)
        _comparisons[comparison.workload] = comparison
        while len(_comparisons) > MOST:
            del _comparisons[next(iter(_comparisons))]


def entries() -> list[Entry]:
    """Return what was measured, in the order in which it was."""
    return list(_entries.values())


def comparisons() -> list[Comparison]:
    """Return what was compared, in the order in which it was."""
    return list(_comparisons.values())


def unnamed() -> int:
    """Return how many measurements were not kept, since nobody had named them."""
    return _unnamed


def forget(*names: str) -> None:
    """Forget the measurements and comparisons of these names; all of them, if none is given."""
    global _unnamed
    if not names:
        _entries.clear()
        _comparisons.clear()
        _unnamed = 0
    for name in names:
        _entries.pop(name, None)
        _comparisons.pop(name, None)


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """Keep nothing of what is measured inside of the block: a check's own measurements are not the learner's."""
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)
