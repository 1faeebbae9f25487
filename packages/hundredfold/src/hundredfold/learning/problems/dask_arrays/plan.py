"""``dask-arrays.plan``: what chunks will take in memory and in the scheduler's time, before there are any."""

from __future__ import annotations

from ..numbers import Quantity, mistake, predict

SHAPE, CHUNK, ITEM = (80_000, 50_000), 5_000, 4  # float32
WORKERS, TASK = 8, 2e-3  # workers of one thread; seconds that the scheduler needs for a task

NCHUNKS = (SHAPE[0] // CHUNK) * (SHAPE[1] // CHUNK)
CHUNK_BYTES = CHUNK * CHUNK * ITEM
HELD = WORKERS * 2 * CHUNK_BYTES
FLOOR = NCHUNKS * TASK
COLUMN = SHAPE[0] * CHUNK * 2 * ITEM
MARGIN = ((CHUNK + 2) ** 2 - CHUNK**2) * ITEM


PLAN = predict(
    "dask-arrays.plan",
    "Before there is a chunk",
    (
        Quantity("nchunks", NCHUNKS, "chunks", "160: 16 down and 10 across", rtol=0.001),
        Quantity(
            "held",
            float(HELD),
            "bytes",
            "1.6 GB: eight workers, each with a chunk of x and one of x * 2, of 100 MB",
            rtol=0.02,
        ),
        Quantity(
            "floor",
            FLOOR,
            "s",
            "0.32 s: 160 tasks of 2 ms, one after the other, however many workers there are",
            rtol=0.02,
        ),
        Quantity(
            "column",
            float(COLUMN),
            "bytes",
            "3.2 GB: 80 000 rows of 5 000 columns, and a complex64 has 8 bytes",
            rtol=0.02,
        ),
        Quantity(
            "margin",
            float(MARGIN),
            "bytes",
            "80 016 with the four corners: a frame one pixel wide around 5 000 × 5 000, which is nothing beside 100 MB",
            rtol=0.01,
        ),
    ),
    lines=5,
    hints=(
        "`nchunks`: how many chunks lie along each axis?",
        "`held`: one chunk has 5 000 × 5 000 numbers of 4 bytes. While a fused task runs, what its second step reads and what it writes are both there.",
        "`floor`: the scheduler is one process, and its time does not shrink with the number of workers.",
        "`column`: an FFT down the columns needs chunks that go from the top to the bottom; what comes out is complex.",
        "`margin`: (5 002² − 5 000²) numbers, the four corners among them.",
    ),
    mistakes={
        "sum": mistake(
            "chunks", "that is the chunks along one axis plus those along the other. They make a grid.", nchunks=26
        ),
        "one axis": mistake(
            "chunks", "that counts one row or column of the grid. The array is cut along both axes.", nchunks=16
        ),
        "across": mistake(
            "chunks", "that counts one row or column of the grid. The array is cut along both axes.", nchunks=10
        ),
        "one array": mistake(
            "lifetime",
            "that is one chunk for each worker. `x * 2` is a second one, and both are there while it is made.",
            held=HELD / 2,
        ),
        "one worker": mistake(
            "workers",
            "that is what one worker holds. There are eight, each busy with a chunk of its own.",
            held=HELD / WORKERS,
        ),
        "one chunk": mistake(
            "workers", "that is one chunk. Eight workers are busy, each with two.", held=float(CHUNK_BYTES)
        ),
        "everything": mistake(
            "lifetime",
            "that is all of x and all of x * 2. A worker lets go of a chunk when its sum is known.",
            held=2.0 * SHAPE[0] * SHAPE[1] * ITEM,
        ),
        "divided": mistake(
            "workers",
            "that divides by the workers. One scheduler hands out all tasks, one after the other: more workers do not help it.",
            floor=FLOOR / WORKERS,
        ),
        "not fused": mistake(
            "fused",
            "that counts `x`, `* 2` and `sum` as three tasks. They are fused: one for each chunk.",
            floor=3 * FLOOR,
        ),
        "two tasks": mistake(
            "fused", "that counts two tasks for each chunk. They are fused: one for each chunk.", floor=2 * FLOOR
        ),
        "milliseconds": mistake(
            "unit", "that is a thousand times too large: milliseconds? Asked for: seconds.", floor=FLOOR * 1e3
        ),
        "not rechunked": mistake(
            "rechunk",
            "that is a chunk as it was. An FFT down the columns needs whole columns: the chunk grows to 80 000 rows.",
            column=2.0 * CHUNK_BYTES,
        ),
        "wrong axis": mistake(
            "axis",
            "that makes the rows whole. Axis 0 goes down the columns: 80 000 rows, 5 000 columns.",
            column=SHAPE[1] * CHUNK * 8.0,
        ),
        "real": mistake(
            "item-size",
            "that is the chunk that goes in. What comes out is complex: two float32 for each number.",
            column=COLUMN / 2,
        ),
        "double": mistake(
            "item-size", "that is complex128. float32 becomes complex64, with 8 bytes.", column=COLUMN * 2.0
        ),
        "two sides": mistake(
            "border",
            "that is two sides of the frame, and a chunk has four neighbours and four corners.",
            margin=2.0 * CHUNK * ITEM,
        ),
        "whole neighbours": mistake(
            "transfer",
            "that fetches the eight neighbours whole. Only the pixels next to the seam are needed.",
            margin=8.0 * CHUNK_BYTES,
        ),
        "numbers": mistake("per-element", "that is the count of numbers; each has 4 bytes.", margin=MARGIN / ITEM),
        "one side": mistake(
            "per-element",
            "that is one side of the frame, or all four without their 4 bytes for each number.",
            margin=5_000.0 * ITEM,
        ),
        "gigabytes": mistake("unit", "that is in GB. Asked for: bytes.", held=1.6, column=3.2, margin=80e-6),
    },
)
