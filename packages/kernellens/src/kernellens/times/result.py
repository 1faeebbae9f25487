"""A bound and an estimate of a time: what they are made of, and how they say that they are no measured time."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpusim.hardware.gpus import GPU
from kernellens.plot import quantities

from .work import Work


@dataclass(frozen=True, repr=False)
class _Time:
    """A time by reckoning.

    Attributes
    ----------
    seconds : float
    binds : str
        The limit that takes longest.
    parts : dict of str to float
        Seconds of each limit, were it the only one.
    gpu : GPU
    work : Work or None
        What it was computed from; None for several kernels together.
    name : str
    advice : str
        One sentence: which limit binds, and what would change it.
    """

    seconds: float
    binds: str
    parts: dict[str, float]
    gpu: GPU
    work: Work | None = None
    name: str = ""
    advice: str = ""

    def __str__(self) -> str:
        return repr(self)

    def _parts(self) -> str:
        order = sorted(self.parts.items(), key=lambda item: -item[1])
        return ", ".join(f"{kind} {quantities.seconds(value)}" for kind, value in order if value > 0)

    def _lines(self, head: str) -> str:
        notes = "".join(f"\n  {note}" for note in (self.work.notes if self.work else ()))
        return f"{head}\n  {self._parts()}\n  {self.advice}{notes}"


@dataclass(frozen=True, repr=False)
class Bound(_Time):
    """The time that no run on this GPU can beat.

    `binds` is "memory", "arithmetic", "atomics", "launch" or "link".
    """

    def __repr__(self) -> str:
        of = f"{self.name} " if self.name else ""
        head = f"{of}on {_article(self.gpu)}: {quantities.seconds(self.seconds)} at least, a bound, not a time: {self.binds} binds"
        return self._lines(head)

    def allows(self, seconds: float) -> bool:
        """Whether a measured time of so many seconds is possible."""
        return seconds >= self.seconds


@dataclass(frozen=True, repr=False)
class Estimate(_Time):
    """About the time of a run on this GPU, as a plain model has it.

    `binds` is one of a bound's, or "L1", "L2", "latency", "shared memory", "issue".

    Attributes
    ----------
    calibrated : str or None
        Where the GPU's factors were measured; None where they were not.
    occupancy : float or None
        Share of an SM's warps that the launch keeps resident, 0 to 1; None where threads and blocks are not known.
    waves : float or None
        How many times over the grid fills the GPU.
    """

    calibrated: str | None = None
    occupancy: float | None = None
    waves: float | None = field(default=None)

    def __repr__(self) -> str:
        of = f"{self.name} " if self.name else ""
        how = f"calibrated: {self.calibrated}" if self.calibrated else "not calibrated"
        head = f"{of}on {_article(self.gpu)}: about {quantities.seconds(self.seconds, 2)}, an estimate, not a time ({how}): {self.binds} binds"
        return self._lines(head)


def _article(gpu: GPU) -> str:
    vowel = gpu.name[0] in "AEFHILMNORSX" and not gpu.name.startswith("Radeon")
    return f"{'an' if vowel else 'a'} {gpu.name}"
