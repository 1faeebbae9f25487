"""``capstone.budget``: what a run at full size will need, worked out before there is any code.

Both tracks come to the same array: 320 000 flights in 10 000 futures, or 8 000 photographs of 800 × 500 pixels. The rates are an
H200's memory (4.8 TB/s, its data sheet) and a bus of 25 GB/s (PCIe 4.0 x16 gets about that); the workers are made up.
"""

from __future__ import annotations

import math

from ..numbers import Quantity, mistake, predict

NUMBERS = 320_000 * 10_000
BANDWIDTH, LINK = 4.8e12, 25e9  # bytes per second
WORKERS, MEMORY = 4, 16e9  # and bytes of each
HALF, HELD = 0.5, 3  # the share of it that a task may use, and how many chunks it holds at once
ALONE, WHOLE = 6.0, 40.0  # seconds that cannot be shared, of all on one worker

NBYTES = 4 * NUMBERS
KERNEL = 2 * NBYTES / BANDWIDTH
BUS = NBYTES / LINK
CHUNKS = WORKERS * math.ceil(NBYTES * HELD / (HALF * MEMORY) / WORKERS)
FOUR = ALONE + (WHOLE - ALONE) / WORKERS


BUDGET = predict(
    "capstone.budget",
    "A budget, before there is code",
    (
        Quantity("nbytes", float(NBYTES), "bytes", "3.2 thousand million numbers of 4 bytes, 12.8 GB", rtol=0.01),
        Quantity("kernel", KERNEL, "s", "read once and written once, 25.6 GB at 4.8 TB/s: 5.33 ms"),
        Quantity("bus", BUS, "s", "12.8 GB at 25 GB/s: 0.512 s, 96 times what the kernel takes. Make the numbers where they are used"),
        Quantity(
            "chunks",
            CHUNKS,
            "a whole number",
            "three chunks in 8 GB leave 2.67 GB for one: at least 4.8 of them, so 5, and 8 are the first that four workers share",
            rtol=1e-6,
        ),
        Quantity("four", FOUR, "s", "6 s alone and a fourth of 34 s: 14.5 s, 2.8 times as fast with four times the workers", rtol=0.01),
    ),
    lines=5,
    hints=(
        "Count the numbers first, then their bytes: a float32 has four.",
        "A kernel that reads each number once and writes each once moves the array twice. The bus is crossed once.",
        "A chunk may have a third of half a worker's memory. Round up, then to the next multiple of the workers. And only what can be shared "
        "is divided by four.",
    ),
    mistakes={
        "float64": mistake(
            "item-size",
            "a number of 8 bytes each; these are float32, of 4.",
            "`np.dtype('float32').itemsize`",
            nbytes=2.0 * NBYTES,
        ),
        "reads-only": mistake(
            "writes",
            "the array is read in that time; the kernel writes as many numbers again.",
            "Bytes read *and* bytes written, over the memory's rate.",
            kernel=NBYTES / BANDWIDTH,
        ),
        "kernel-over-the-bus": mistake(
            "transfer",
            "that is the bus's rate. A kernel reads and writes the device's own memory.",
            "4.8 TB/s, not 25 GB/s.",
            kernel=2 * NBYTES / LINK,
        ),
        "there-and-back": mistake(
            "crossing",
            "the array would cross the bus twice; it was asked for one way.",
            "Bytes of the array over the bus's rate, once.",
            bus=2 * NBYTES / LINK,
        ),
        "memory-for-bus": mistake(
            "transfer",
            "that is the device memory's rate. The bus moves 25 GB/s.",
            "Which of the two rates lies between the host and the device?",
            bus=NBYTES / BANDWIDTH,
        ),
        "five": mistake(
            "remainder",
            "five chunks are small enough, but of four workers one would have two of them, and three would wait for it.",
            "The next multiple of the workers.",
            chunks=5,
        ),
        "one-chunk-held": mistake(
            "held",
            "a chunk of 3.2 GB fits once; but what a task reads, what it writes and what it works in are there at the same time.",
            "Three chunks must fit into half of the memory.",
            chunks=WORKERS,
        ),
        "all-shared": mistake(
            "amdahl",
            "all 40 s were divided, also the 6 s that only one can do.",
            "6 s stay; divide the rest.",
            four=WHOLE / WORKERS,
        ),
        "nothing-but-shared": mistake(
            "amdahl", "the 6 s that only one can do were left out.", "They come on top.", four=(WHOLE - ALONE) / WORKERS
        ),
    },
)  # fmt: skip
