"""``arrays.possible``: is a published time possible? Bytes first, then the least time for them."""

from __future__ import annotations

from ..numbers import NumbersJudge, Quantity
from ..problem import Problem, Wrong
from .v100 import BANDWIDTH

ELEMENTS = 10_000 * 10_000
FLOAT64, BOOL = 8, 1
PUBLISHED = 746e-6  # s; M. Rocklin, "First Impressions of GPUs and PyData", December 2018

# Arrays read and written by each kernel of (cp.sin(x)**2 + cp.cos(x)**2 == 1).all(), in bytes per element.
KERNELS = {
    "sin": (FLOAT64, FLOAT64),
    "**2": (FLOAT64, FLOAT64),
    "cos": (FLOAT64, FLOAT64),
    "**2 ": (FLOAT64, FLOAT64),
    "+": (2 * FLOAT64, FLOAT64),
    "== 1": (FLOAT64, BOOL),
    "all": (BOOL, 0),
}
NBYTES = ELEMENTS * sum(read + written for read, written in KERNELS.values())
T_SEVEN = NBYTES / BANDWIDTH
T_ONCE = ELEMENTS * FLOAT64 / BANDWIDTH

_READS = float(ELEMENTS * sum(read for read, _ in KERNELS.values()))
_WIDE_BOOL = float(ELEMENTS * (NBYTES // ELEMENTS + 2 * (FLOAT64 - BOOL)))
_ONE_OPERAND = float(NBYTES - ELEMENTS * FLOAT64)
_INPUT = float(ELEMENTS * FLOAT64)


def _wrong(nbytes: float, reason: str, why: str, hint: str = "") -> Wrong:
    """A wrong number of bytes, and the times that follow from it."""
    return Wrong((nbytes, nbytes / BANDWIDTH, T_ONCE), reason, why=why, hint=hint)


POSSIBLE = Problem(
    id="arrays.possible",
    title="Is the published time possible?",
    kind="predict",
    answers=("nbytes", "t_seven", "t_once"),
    lines=3,
    judge=NumbersJudge(
        (
            Quantity("nbytes", float(NBYTES), "bytes", "9.8 GB for seven kernels, each operand read or written once"),
            Quantity("t_seven", T_SEVEN, "s", "9.8 GB at 900 GB/s take at least 10.9 ms"),
            Quantity(
                "t_once", T_ONCE, "s", "to read x once takes 0.889 ms, longer than the 0.746 ms that were published"
            ),
        )
    ),
    hints=(
        "Write the seven kernels below each other: sin, **2, cos, **2, +, ==, all. Beside each write how many bytes "
        "per element it reads and how many it writes.",
        "sin reads 8 bytes and writes 8; + reads two arrays and writes one; == writes a bool, of 1 byte; all reads "
        "that.",
        "The least time is bytes over bandwidth, in seconds: `nbytes / 900e9`. For t_once count x alone, read once: 8 "
        "bytes per element.",
    ),
    wrong={
        "writes": _wrong(
            _READS,
            "writes",
            "that is what the kernels read. Each also writes its result, and the next one reads it again.",
            "A kernel without a fused neighbour writes its whole result to memory.",
        ),
        "item-size": _wrong(
            _WIDE_BOOL,
            "item-size",
            "the result of == was counted as 8 bytes per element. It is a bool: 1 byte, written once and read once.",
        ),
        "once": _wrong(
            _INPUT,
            "once",
            "that is x, read once. Seven kernels run, and each reads and writes whole arrays of its own.",
        ),
        "operand": _wrong(_ONE_OPERAND, "reads", "that is one array short: + reads two arrays and writes a third."),
        "bits": _wrong(NBYTES * 8.0, "unit", "that is in bits. Asked for: bytes."),
        "gibibytes": _wrong(NBYTES / 2**30, "unit", "that is in GiB. Asked for: bytes, 9-something times 10⁹ of them."),
        "gigabytes": _wrong(NBYTES / 1e9, "unit", "that is in GB. Asked for: bytes."),
        "elements": _wrong(
            float(NBYTES / 8),
            "item-size",
            "those are elements, not bytes: a float64 has 8 bytes.",
            "`x.itemsize` is 8.",
        ),
        "milliseconds": Wrong(
            (float(NBYTES), T_SEVEN * 1e3, T_ONCE * 1e3), "unit", why="that is in milliseconds. Asked for: seconds."
        ),
        "published": Wrong(
            (float(NBYTES), PUBLISHED, PUBLISHED),
            "published",
            why="that is the published time. Asked for: the least that the bytes allow. Then compare the two.",
        ),
        "once-written": Wrong(
            (float(NBYTES), T_SEVEN, 2 * T_ONCE),
            "writes",
            why="x is only to be read here, once; nothing is written.",
        ),
        "host": Wrong(
            (float(NBYTES), NBYTES / 12e9, T_ONCE),
            "residency",
            why="that is the time over the bus, at 12 GB/s. x is on the device already, whose memory gives 900 GB/s.",
        ),
    },
    right={
        "exact": (9_800_000_000, 9.8e9 / 900e9, 0.8e9 / 900e9),
        "by head": (10e9, 0.011, 0.0009),
    },
)
