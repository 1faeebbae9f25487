"""``memory.passes``: count the kernels, the bytes and the memory of a line before it runs."""

from __future__ import annotations

from ..numbers import Quantity, mistake, predict

ELEMENTS = 10_000 * 10_000
ITEM = 4  # float32
KERNELS = {"x - y": (2, 1), "… ** 2": (1, 1), "… * w": (2, 1), ".sum()": (1, 0)}
"""Arrays that each kernel of ``((x - y) ** 2 * w).sum()`` reads and writes."""

NKERNELS = len(KERNELS)
NBYTES = ELEMENTS * ITEM * sum(read + written for read, written in KERNELS.values())
ALIVE = (1, 2, 2, 1)
"""Temporaries that lie in memory while each kernel runs: what it reads of them, and what it writes."""
PEAK = ELEMENTS * ITEM * max(ALIVE)
FUSED = ELEMENTS * ITEM * 3
_ARRAY = ELEMENTS * ITEM


PASSES = predict(
    "memory.passes",
    "Count before it runs",
    (
        Quantity("kernels", NKERNELS, "kernels", "4: x - y, ** 2, * w and the sum", rtol=0.01),
        Quantity(
            "nbytes",
            float(NBYTES),
            "bytes",
            "3.6 GB, nine arrays of 0.4 GB: the kernels read and write 3, 2, 3 and 1 of them",
            rtol=0.02,
        ),
        Quantity(
            "peak",
            float(PEAK),
            "bytes",
            "0.8 GB, two arrays: what a kernel reads must live until its result is written, and no longer",
            rtol=0.02,
        ),
        Quantity(
            "fused",
            float(FUSED),
            "bytes",
            "1.2 GB, x, y and w read once each; the sum is one number. A third of the traffic, and no temporary",
            rtol=0.02,
        ),
    ),
    lines=5,
    hints=(
        "Write the kernels below each other: one for each operation that touches whole arrays. Beside each, the arrays "
        "it reads and the arrays it writes.",
        "One array is 10⁸ float32: 0.4 GB. `x - y` reads two of them and writes one. The sum reads one and writes a single number.",
        "For the peak, follow the temporaries: when `** 2` has read the difference, nobody needs the difference any "
        "more, and its memory goes back to the pool. But while the kernel runs, both are there.",
    ),
    mistakes={
        "three": mistake(
            "kernels", "that is one short: a sum has to read its array as well, which takes a kernel.", kernels=3
        ),
        "five": mistake(
            "kernels",
            "that is one too many: each operation on whole arrays is one kernel. There are x - y, ** 2, * w and the sum.",
            kernels=5,
        ),
        "one": mistake(
            "kernels",
            "that is what it would be if the line were fused. As it stands each operation is a kernel of its own.",
            kernels=1,
        ),
        "float64": mistake(
            "item-size",
            "that is for float64. A float32 has 4 bytes.",
            nbytes=2.0 * NBYTES,
            peak=2.0 * PEAK,
            fused=2.0 * FUSED,
        ),
        "reads": mistake(
            "writes", "that is what the kernels read. Three of them also write an array.", nbytes=6.0 * _ARRAY
        ),
        "no-sum": mistake("reads", "that leaves out the sum, which reads an array.", nbytes=8.0 * _ARRAY),
        "one-operand": mistake(
            "reads",
            "that counts one operand for x - y and for * w. Each of them reads two arrays.",
            nbytes=7.0 * _ARRAY,
        ),
        "inputs": mistake(
            "once",
            "that is x, y and w, read once. But the temporaries are written and read again.",
            nbytes=3.0 * _ARRAY,
        ),
        "sum-writes": mistake(
            "writes",
            "that is one array too many. The sum writes one number, and ** 2 reads one array, not two.",
            nbytes=10.0 * _ARRAY,
        ),
        "all-alive": mistake(
            "lifetime",
            "that keeps all three temporaries until the end. Nobody has a name for them: as soon as the kernel that "
            "reads one has been ordered, Python drops it, and its memory goes back to the pool.",
            peak=3.0 * _ARRAY,
        ),
        "one-alive": mistake(
            "lifetime",
            "that is one array. But while ** 2 runs, what it reads and what it writes are both there.",
            peak=1.0 * _ARRAY,
        ),
        "with-inputs": mistake(
            "residency", "that counts x, y and w as well. Asked for: what is taken beside them.", peak=5.0 * _ARRAY
        ),
        "fused-result": mistake(
            "writes",
            "that writes an array. A fused sum writes one number: x, y and w are read, and that is all.",
            fused=4.0 * _ARRAY,
        ),
        "fused-x": mistake("reads", "that is x alone. y and w have to be read as well.", fused=1.0 * _ARRAY),
        "per-element": mistake(
            "per-element",
            "that is for one element. Asked for: all 10⁸ of them together.",
            nbytes=36.0,
            peak=8.0,
            fused=12.0,
        ),
        "gigabytes": mistake("unit", "that is in GB. Asked for: bytes.", nbytes=3.6, peak=0.8, fused=1.2),
        "gibibytes": mistake(
            "unit", "that is in GiB. Asked for: bytes.", nbytes=NBYTES / 2**30, peak=PEAK / 2**30, fused=FUSED / 2**30
        ),
    },
)
