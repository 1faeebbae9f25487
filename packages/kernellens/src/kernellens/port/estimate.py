"""From an account to a sentence: what a GPU is bound by at this, what it takes at best, and below which size it cannot pay."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gpusim.hardware import gpus
from kernellens.plot import quantities as text

GPUS = ("T4", "A100", "H200")
COPY = 10e-6
"""Seconds that a copy over the bus takes at least, however small (the driver's call and the link's latency)."""
SMALL = 64 * 1024
"""Bytes: an operation that moves less takes the time that calling it takes, and hardly any for its data."""
CPU_RATE = 4e9
"""Bytes per second at which such data is taken to be worked on."""
MOST = 1e12
SHORTEST = 5e-3
"""Seconds of NumPy and pandas below which a run's times are mostly those of first calls, and no ratio is told from them."""

ASSUMPTIONS = (
    "The bound counts each array that a kernel reads or writes once, at the data sheet's bandwidth, and matrix products "
    "at the data sheet's rate: no program is faster.",
    "Launches and copies are added to it and overlap with nothing. Copies go at the rate of pinned memory, each at least 10 µs.",
    "A result that is a single number is taken to be read on the host where it is made.",
    "What the device does not do stays on the CPU and takes as long as now, beside the copies.",
    "Bytes and times grow in proportion to N, matrix products with its power of 1.5; the number of operations stays.",
    "Operations that move less than 64 kB are taken to cost their call, and 0.25 ns for each byte.",
    "The CPU's time is that of the NumPy and pandas calls, measured here in this run; the Python around them costs both alike.",
    "What CuPy's and cuDF's own Python costs for each call is not counted, nor that a join or a group-by of cuDF is several "
    "kernels: take the times as floors, and each N, too.",
)


@dataclass(frozen=True)
class Estimate:
    """What one GPU could do at best.

    Attributes
    ----------
    gpu : str
    memory, arithmetic, launches, transfers : float
        Seconds at least.
    host : float
        Seconds that the CPU still works, on what the device does not do.
    worth_from : float or None
        The least N from which it takes less time than the CPU; None if there is none.
    fits : bool
        Whether the arrays alive at once fit its memory.
    """

    gpu: str
    memory: float
    arithmetic: float
    launches: float
    transfers: float
    host: float
    worth_from: float | None
    fits: bool

    @property
    def seconds(self) -> float:
        """All together."""
        return max(self.memory, self.arithmetic) + self.launches + self.transfers + self.host

    @property
    def bound_by(self) -> str:
        """What most of the seconds go to."""
        parts = {
            "its memory": self.memory if self.memory >= self.arithmetic else 0.0,
            "its arithmetic": self.arithmetic if self.arithmetic > self.memory else 0.0,
            "launches": self.launches,
            "transfers": self.transfers,
            "what stays on the CPU": self.host,
        }
        return max(parts, key=parts.__getitem__)


def estimates(report: dict) -> list[Estimate]:
    """The GPUs of `GPUS` for an account."""
    return [estimate(report, name) for name in GPUS]


def estimate(report: dict, name: str) -> Estimate:
    """One GPU for an account."""
    gpu = gpus.find(name)
    total = {
        key: sum(line[key] for line in report["lines"])
        for key in ("kernels", "moved", "h2d", "d2h", "h2d_count", "d2h_count", "flops", "calls")
    }
    host = sum(line["host_seconds"] for line in report["lines"])
    fixed = others = products = 0.0
    for line in report["lines"]:
        grows = _grows(line)
        fixed += line["seconds"] - line["host_seconds"] - grows
        if line["flops"]:
            products += grows
        else:
            others += grows

    def on_gpu(scale: float) -> tuple[float, float, float, float]:
        return (
            total["moved"] * scale / gpu.bandwidth,
            total["flops"] * scale**1.5 / gpu.gemm64,
            total["kernels"] * gpu.launch,
            (total["h2d"] + total["d2h"]) * scale / gpu.link + (total["h2d_count"] + total["d2h_count"]) * COPY,
        )

    def faster(scale: float) -> bool:
        memory, arithmetic, launches, transfers = on_gpu(scale)
        cpu = fixed + others * scale + products * scale**1.5
        return max(memory, arithmetic) + launches + transfers < cpu

    worth = _least(faster, report["largest"]) if total["kernels"] else None
    return Estimate(gpu.name, *on_gpu(1.0), host, worth, report["peak"] <= gpu.memory)


def _grows(line: dict) -> float:
    """The part of a line's time on the CPU that grows with the data."""
    seconds = line["seconds"] - line["host_seconds"]
    if line["moved"] >= SMALL * max(line["calls"], 1):
        return seconds
    return min(seconds, line["moved"] / CPU_RATE)


def _least(faster, largest: int) -> float | None:
    """The least size from which on it pays, by bisection; None if it does not at any that a machine could hold."""
    if not largest:
        return None
    low, high = 1.0, MOST
    if not faster(high / largest):
        return None
    if faster(low / largest):
        return low
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if faster(middle / largest) else (middle, high)
    return high


def sentence(estimate: Estimate, largest: int, cpu: float) -> str:
    """What is known of one GPU, and no more than that."""
    if not largest:
        return f"{estimate.gpu}: no work on arrays or frames was seen."
    if estimate.worth_from is None:
        if not estimate.launches:
            return f"{estimate.gpu}: it cannot pay at any N. None of the work would be done there."
        return f"{estimate.gpu}: it cannot pay at any N. Bound by {estimate.bound_by}, it takes longer than the CPU."
    if estimate.worth_from <= 1 and cpu < SHORTEST:
        return (
            f"{estimate.gpu}: {text.seconds(cpu)} of work are too short a run to tell from which N it can pay. Run it "
            "with the sizes that take you long."
        )
    said = f"{estimate.gpu}: bound by {estimate.bound_by}; at best {text.seconds(estimate.seconds)} in place of {text.seconds(cpu)}."
    if estimate.worth_from > 1:
        said += f" Below N = {number(estimate.worth_from)} it cannot pay; here N = {number(largest)}."
    return said if estimate.fits else f"{said} Its memory does not hold the arrays of this run at once."


def number(value: float) -> str:
    """A size with two digits: 3 200, 1.4 million."""
    for factor, word in ((1e9, " billion"), (1e6, " million")):
        if value >= factor:
            return f"{value / factor:.3g}{word}"
    return f"{float(f'{value:.2g}'):,.0f}".replace(",", " ") if value > 100 else f"{value:.0f}"
