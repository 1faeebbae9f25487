"""``arrays.possible``: would float32 save the published time? Bytes first, then the least time for them."""

from __future__ import annotations

from ..numbers import Quantity, mistake, predict
from ..problem import Mistake
from .v100 import BANDWIDTH

ELEMENTS = 10_000 * 10_000
FLOAT32, FLOAT64, BOOL = 4, 8, 1
PUBLISHED = 746e-6  # s; M. Rocklin, "First Impressions of GPUs and PyData", December 2018


def moved(item: int, boolean: int = BOOL) -> int:
    """Bytes that the seven kernels of (cp.sin(x)**2 + cp.cos(x)**2 == 1).all() read and write, at `item` bytes a number."""
    kernels = {
        "sin": (item, item),
        "sin ** 2": (item, item),
        "cos": (item, item),
        "cos ** 2": (item, item),
        "+": (2 * item, item),
        "== 1": (item, boolean),
        "all": (boolean, 0),
    }
    return ELEMENTS * sum(read + written for read, written in kernels.values())


NBYTES = moved(FLOAT32)
T_SEVEN = NBYTES / BANDWIDTH
T_ONCE = ELEMENTS * FLOAT32 / BANDWIDTH

_READS = ELEMENTS * (6 * FLOAT32 + FLOAT32 + BOOL)  # what the kernels read, without what they write
_HALF = moved(FLOAT64) / 2


def _bytes(nbytes: float, reason: str, why: str, hint: str = "") -> Mistake:
    """A wrong number of bytes, and the time that follows from it."""
    return mistake(reason, why, hint, nbytes=float(nbytes), t_seven=nbytes / BANDWIDTH)


POSSIBLE = predict(
    "arrays.possible",
    "Would float32 save the published time?",
    (
        Quantity(
            "nbytes",
            float(NBYTES),
            "bytes",
            "5 GB for seven kernels, each operand read or written once, a bool of one byte",
            rtol=0.01,  # near enough to tell 5.0 from the 4.9 of halving the bools as well
        ),
        Quantity("t_seven", T_SEVEN, "s", "5 GB at 900 GB/s take at least 5.56 ms, seven times what was published"),
        Quantity(
            "t_once",
            T_ONCE,
            "s",
            "to read x once takes 0.444 ms. That alone would fit, but the seven kernels do not",
        ),
    ),
    lines=4,
    hints=(
        "Write the seven kernels below each other: sin, **2, cos, **2, +, ==, all. Beside each write how many bytes "
        "per element it reads and how many it writes.",
        "sin reads 4 bytes and writes 4; + reads two arrays and writes one; == writes a bool, of 1 byte; all reads "
        "that.",
        "The least time is bytes over bandwidth, in seconds: `nbytes / 900e9`. For t_once count x alone, read once: 4 "
        "bytes per element.",
    ),
    mistakes={
        "float64": mistake(
            "item-size",
            "that is for float64, as in the lecture. A float32 has 4 bytes.",
            nbytes=float(moved(FLOAT64)),
            t_seven=moved(FLOAT64) / BANDWIDTH,
            t_once=ELEMENTS * FLOAT64 / BANDWIDTH,
        ),
        "halved": _bytes(
            _HALF,
            "item-size",
            "that is 0.1 GB short. Either the bools were halved as well, and a bool is one byte, whatever the floats are; "
            "or the last kernel, `all`, was left out, which reads them.",
            "Which two kernels touch the array of bools?",
        ),
        "writes": _bytes(
            _READS,
            "writes",
            "that is what the kernels read. Each also writes its result, and the next one reads it again.",
            "A kernel without a fused neighbour writes its whole result to memory.",
        ),
        "wide-bool": _bytes(
            moved(FLOAT32, boolean=FLOAT32),
            "item-size",
            "that is 56 bytes per element, six too many. Either the result of == was counted as 4 bytes, and it is a bool of 1 "
            "byte; or each of the seven kernels was counted as reading one float32 and writing one.",
        ),
        "once": _bytes(
            ELEMENTS * FLOAT32,
            "once",
            "that is x, read once. Seven kernels run, and each reads and writes whole arrays of its own.",
        ),
        "operand": _bytes(
            NBYTES - ELEMENTS * FLOAT32, "reads", "that is one array short: + reads two arrays and writes a third."
        ),
        "per-element": _bytes(
            NBYTES / ELEMENTS, "per-element", "that is for one element. Asked for: all 10⁸ of them together."
        ),
        "bits": _bytes(NBYTES * 8, "unit", "that is in bits. Asked for: bytes."),
        "gibibytes": _bytes(NBYTES / 2**30, "unit", "that is in GiB. Asked for: bytes, some 10⁹ of them."),
        "gigabytes": _bytes(NBYTES / 1e9, "unit", "that is in GB. Asked for: bytes."),
        "elements": _bytes(
            NBYTES / FLOAT32,
            "item-size",
            "those are elements, not bytes: a float32 has 4 bytes.",
            "`x.itemsize` is 4.",
        ),
        "milliseconds": mistake(
            "unit",
            "that is a thousand times too large: in milliseconds, or at 900 MB/s? Asked for: seconds, at 900 GB/s.",
            t_seven=T_SEVEN * 1e3,
            t_once=T_ONCE * 1e3,
        ),
        "giga": mistake(
            "unit",
            "the bytes were divided by 900. The bandwidth is 900 GB/s: `900e9` bytes a second.",
            t_seven=NBYTES / 900,
            t_once=T_ONCE * 1e9,
        ),
        "published": mistake(
            "published",
            "that is the published time. Asked for: the least that the bytes allow. Then compare the two.",
            t_seven=PUBLISHED,
            t_once=PUBLISHED,
        ),
        "host": mistake(
            "residency",
            "that is the time over the bus, at 12 GB/s. x is on the device already, whose memory gives 900 GB/s.",
            t_seven=NBYTES / 12e9,
        ),
    },
)
