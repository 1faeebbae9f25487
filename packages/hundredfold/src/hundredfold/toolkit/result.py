"""What a measurement returns, and how it reads."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from kernellens.plot import quantities as text

if TYPE_CHECKING:
    from .bounds import Limit

NOISY = 0.25  # an interquartile range above this share of the median says that the machine was busy


@dataclass(eq=False)
class Measurement:
    """The time of a function, with all that is needed to judge it.

    Attributes
    ----------
    name : str
        What was measured.
    first : float
        Seconds of the first call, which may compile, plan and allocate.
    times : numpy.ndarray of float64
        Seconds per call, one for each sample; the median and the spread are over these.
    loops : int
        Calls in each sample.
    value : object
        What the function returned last.
    device : str
        "CPU", "simulated GPU" or the name of the GPU.
    mode : str
        "gpu", "simulated" or "none", as `gpusim.hardware.mode()`.
    versions : dict of str to str
        Python and the array libraries in use.
    bytes, flops : float or None
        Bytes the function must at least move, floating-point operations it must at least do, as the caller said.
    limit : Limit or None
        The least time that these take on this machine; None where neither was given.
    host : float or None
        On a real GPU, the median of what the host spent per call. Near `median` it means that launching is the limit.
    load : float or None
        Other work per core on this machine while it was measured: its load average over its cores.
    """

    name: str
    first: float
    times: np.ndarray
    loops: int = 1
    value: Any = None
    device: str = "CPU"
    mode: str = "none"
    versions: dict[str, str] = field(default_factory=dict)
    bytes: float | None = None
    flops: float | None = None
    limit: Limit | None = None
    host: float | None = None
    load: float | None = None

    @property
    def median(self) -> float:
        """Median of the samples in seconds."""
        return float(np.median(self.times))

    @property
    def spread(self) -> float:
        """Interquartile range of the samples in seconds; NaN for a single one."""
        if len(self.times) < 2:
            return math.nan
        low, high = np.quantile(self.times, [0.25, 0.75])
        return float(high - low)

    @property
    def rate(self) -> float | None:
        """Bytes per second if `bytes` was given, else floating-point operations per second if `flops` was, else None."""
        if self.bytes is not None:
            return self.bytes / self.median
        return None if self.flops is None else self.flops / self.median

    @property
    def fraction(self) -> float | None:
        """How much of what the machine can do was reached: the limit over the median; None without a limit."""
        return None if self.limit is None else self.limit.seconds / self.median

    @property
    def suspicious(self) -> str | None:
        """Why the time cannot be right (it is below the limit); None where it may be."""
        return None if self.limit is None else self.limit.impossible(self.median)

    @property
    def noisy(self) -> str | None:
        """Why the time should not be trusted: samples that differ too much. None where they agree."""
        if len(self.times) < 2:
            return None
        busy = (
            ""
            if self.load is None or self.load < 1.2
            else f"; this machine has {self.load:.1f} times the work it has cores for, measure again when it is quiet"
        )
        if self.times.std() > self.times.mean():
            return f"distrust this time: its samples differ by more than their mean{busy}"
        if self.spread > NOISY * self.median:
            return f"the samples differ by {text.share(self.spread / self.median)} of their median{busy}"
        return None

    @property
    def place(self) -> str:
        """Where it ran, as it stands in parentheses behind every time."""
        return place(self.device)

    def __str__(self) -> str:
        spread = "" if math.isnan(self.spread) else f" ± {text.seconds(self.spread, 2)}"
        parts = [
            f"{self.name}: {text.seconds(self.median)}{spread}"
            f" (median of {len(self.times)}, first call {text.seconds(self.first)})"
        ]
        if self.bytes is not None:
            parts.append(text.byte_rate(self.bytes / self.median))
        if self.flops is not None:
            parts.append(text.flop_rate(self.flops / self.median))
        if self.limit is not None:
            parts.append(self.limit.share_text(self.median))
        line = f"{', '.join(parts)} {self.place}"
        # One doubt is enough, and a time that cannot be is the graver one.
        doubt = self.suspicious or self.noisy
        return line if doubt is None else f"{line} ⚠ {doubt}"

    __repr__ = __str__  # a notebook shows it as a cell's value


def place(device: str) -> str:
    """Return "(simulated on this CPU)", "(on this CPU)" or "(on NVIDIA H200)"."""
    if device == "simulated GPU":
        return "(simulated on this CPU)"
    return "(on this CPU)" if device == "CPU" else f"(on {device})"


class MeasurementInterrupted(KeyboardInterrupt):
    """`Ctrl-C` in a measurement. `.partial` is the Measurement so far, None if no sample was complete.

    A KeyboardInterrupt, so that "Run all" stops as it should.
    """

    def __init__(self, name: str, partial: Measurement | None) -> None:
        self.partial = partial
        if partial is None:
            so_far = "no sample was complete"
        else:
            # Its last words, without the name that stands in front already.
            so_far = "so far " + str(partial).removeprefix(f"{partial.name}: ")
        super().__init__(f"The measurement of {name} was interrupted: {so_far}. Run it again for the whole of it.")

    def _render_traceback_(self) -> list[str]:
        # A notebook shows this sentence in place of a stack of frames that are not the learner's.
        return [str(self)]
