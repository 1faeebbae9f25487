"""``compiling.types``: what small integers come to in NumPy and in compiled code, and what it costs in bytes."""

from __future__ import annotations

import numpy as np

from ..numbers import Quantity, mistake, predict

GREY, WINDOW = 40, 9
PIXELS = 10_000 * 10_000
INT8, INT64 = 1, 8
BANDWIDTH = 50e9  # B/s, a laptop's memory

SUM = WINDOW * GREY  # 360
WRAPPED = int(np.array([SUM]).astype(np.int8)[0])  # 104
NUMPY_MEAN, NUMBA_MEAN = WRAPPED // WINDOW, SUM // WINDOW  # 11 and 40
STENCIL = PIXELS * (INT8 + INT64)
LOOPS = PIXELS * (INT8 + INT8)


TYPES = predict(
    "compiling.types",
    "What do nine pixels come to?",
    (
        Quantity(
            "numpy_mean",
            float(NUMPY_MEAN),
            "grey values",
            "the int8 array stays int8: 9 · 40 = 360 goes round to 360 - 256 = 104, and 104 // 9 is 11",
            rtol=0.01,
        ),
        Quantity(
            "numba_mean",
            float(NUMBA_MEAN),
            "grey values",
            "Numba adds whole numbers as int64, whatever they were: 360 // 9 is 40",
            rtol=0.01,
        ),
        Quantity(
            "stencil_bytes",
            float(STENCIL),
            "bytes",
            "1 byte of each pixel is read and 8 are written, since the mean of an int64 is an int64: 900 MB",
            rtol=1e-4,  # the border is 0.04 %
        ),
        Quantity(
            "loop_seconds",
            LOOPS / BANDWIDTH,
            "s",
            "1 byte is read and 1 is written: 200 MB at 50 GB/s take at least 4 ms",
        ),
    ),
    lines=4,
    hints=(
        "`numpy_mean`: int8 array + int8 array gives an int8 array, which holds -128 to 127. What is above comes in again from below: "
        "subtract 256 until it fits.",
        "`numba_mean`: adding two single whole numbers gives an int64, unless they are larger or unsigned.",
        "`stencil_bytes`: each pixel is read once (the neighbours come from the cache, not from memory), each result written once. "
        "Which type has a mean of int64?",
        "`loop_seconds`: bytes over bandwidth. How many bytes has a result in an int8 array?",
    ),
    mistakes={
        "promotes": mistake(
            "promotion",
            "that would be so if NumPy made the sum wider. An int8 array plus an int8 array is an int8 array.",
            "9 · 40 = 360. What is left of 360 in an int8?",
            numpy_mean=NUMBA_MEAN,
        ),
        "not divided": mistake(
            "divisor", "that is what is left of the sum; it is still to be divided by 9.", numpy_mean=WRAPPED
        ),
        "saturates": mistake(
            "saturation",
            "that is 127 // 9: the sum does not stop at 127, it goes round.",
            "360 - 256 is what is left.",
            numpy_mean=127 // WINDOW,
        ),
        "wraps": mistake(
            "overflow",
            "that is NumPy's. Numba adds integers as int64, in which nothing goes round here.",
            numba_mean=NUMPY_MEAN,
        ),
        "not divided in Numba": mistake("divisor", "that is the sum; it is still to be divided by 9.", numba_mean=SUM),
        "narrow result": mistake(
            "item-size",
            "that is with a result of 1 byte. `@stencil` makes the array of its results itself, and they are int64.",
            stencil_bytes=LOOPS,
        ),
        "wide on both sides": mistake(
            "item-size",
            "the pixels were counted with 8 bytes as well: they are read as int8, 1 byte each.",
            stencil_bytes=PIXELS * 2 * INT64,
        ),
        "written only": mistake(
            "reads", "that is what is written. The pixels are read, too.", stencil_bytes=PIXELS * INT64
        ),
        "every neighbour": mistake(
            "cache",
            "each pixel was counted nine times, or the zeros of the new pages were. A pixel comes from memory once, and these zeros do not "
            "count.",
            stencil_bytes=PIXELS * (WINDOW + INT64),
        ),
        "per pixel": mistake(
            "per-element", "that is for one pixel. Asked for: all 10⁸ of them.", stencil_bytes=INT8 + INT64
        ),
        "border": mistake(
            "border",
            "that is not quite all. The border counts like the other pixels.",
            stencil_bytes=9_998 * 9_998 * (INT8 + INT64),
        ),
        "four bytes": mistake(
            "item-size", "that is with results of 4 bytes; an int64 has 8.", stencil_bytes=PIXELS * 5
        ),
        "one way": mistake(
            "writes", "that is for reading alone. The means are written, too.", loop_seconds=PIXELS / BANDWIDTH
        ),
        "as the stencil": mistake(
            "item-size",
            "those are the 900 MB of `@stencil`. The loop writes into an int8 array.",
            loop_seconds=STENCIL / BANDWIDTH,
        ),
        "milliseconds": mistake(
            "unit",
            "that is a thousand times too large: milliseconds? Asked for: seconds.",
            loop_seconds=LOOPS / BANDWIDTH * 1e3,
        ),
    },
)
