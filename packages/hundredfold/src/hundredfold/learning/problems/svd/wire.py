"""``svd.wire``: what TSQR sends between the workers, before it runs."""

from __future__ import annotations

from ..numbers import Quantity, mistake, predict

ROWS, COLUMNS, BLOCKS, WORKERS = 4_000_000, 500, 40, 4
RATE, BANDWIDTH = 5e12, 2e9
"""A worker's float64 operations a second; the wire's bytes a second."""

TRIANGLE = 8.0 * COLUMNS**2
AWAY = BLOCKS * (WORKERS - 1) // WORKERS  # blocks on other workers than the one that stacks
UP = AWAY * TRIANGLE
SENT = 2 * UP
MATRIX = 8.0 * ROWS * COLUMNS * (WORKERS - 1) / WORKERS
TALL = 2 * RATE / BANDWIDTH


WIRE = predict(
    "svd.wire",
    "What goes over the wire?",
    (
        Quantity("triangle", TRIANGLE, "bytes", "2 MB: 500 × 500 float64, the zeros below the diagonal too", 0.01),
        Quantity("up", UP, "bytes", "60 MB: 30 triangles; the ten of the worker that stacks are there already", 0.01),
        Quantity("sent", SENT, "bytes", "120 MB: for each triangle a part of Q of the same size comes back", 0.01),
        Quantity(
            "matrix", MATRIX, "bytes", "12 GB, a hundred times as much: three quarters of all rows would move", 0.01
        ),
        Quantity(
            "tall",
            TALL,
            "rows",
            "5 000: 8 h n² operations and 16 n² bytes, so 2 F / B. If the blocks of three workers come over one wire, 15 000. The blocks have 100 000 rows: the wire is no limit here",
            0.01,
        ),
    ),
    lines=5,
    hints=(
        "A QR decomposition of a block with 500 columns gives an R of 500 × 500, however many rows the block has. It is sent as an array.",
        "Ten of the forty blocks lie on the worker that stacks the triangles: nothing of them is sent. What comes back to a block is "
        "its part of the second Q, 500 × 500 as well.",
        "For the last: a block of h rows takes 8 h n² / F seconds of arithmetic and 16 n² / B seconds of wire. For which h are they equal?",
    ),
    mistakes={
        "upper half": mistake(
            "packed",
            "that is the upper half alone. An array is sent with its zeros.",
            triangle=8.0 * COLUMNS * (COLUMNS + 1) / 2,
        ),
        "a block": mistake(
            "blocks",
            "that is a block. Its R has as many rows as columns, however tall the block is.",
            triangle=8.0 * ROWS / BLOCKS * COLUMNS,
        ),
        "float32": mistake("item-size", "that is for float32. A float64 has 8 bytes.", matrix=MATRIX / 2),
        "a triangle of float32": mistake(
            "item-size", "that is for float32. A float64 has 8 bytes.", triangle=TRIANGLE / 2
        ),
        "all forty": mistake(
            "there",
            "that sends all forty. Ten are on the worker that wants them.",
            hint="Count the blocks of the other three workers.",
            up=BLOCKS * TRIANGLE,
            sent=2 * BLOCKS * TRIANGLE,
        ),
        "one each": mistake(
            "once",
            "that is one triangle for each of the other workers. Each has ten blocks.",
            hint="Count blocks, not workers: each block has a triangle of its own.",
            up=(WORKERS - 1) * TRIANGLE,
            sent=2 * (WORKERS - 1) * TRIANGLE,
        ),
        "to everybody": mistake(
            "everybody",
            "that sends each triangle to every other worker. One worker stacks them.",
            hint="Each triangle travels once, to the worker that stacks, unless it is there.",
            up=BLOCKS * (WORKERS - 1) * TRIANGLE,
        ),
        "nothing back": mistake(
            "back",
            "that leaves out the way back: each block needs its part of the second Q.",
            hint="A part of Q is as large as a triangle.",
            sent=UP,
        ),
        "whole matrix": mistake(
            "there",
            "that is all of the matrix. A quarter is on that worker already.",
            matrix=8.0 * ROWS * COLUMNS,
        ),
        "one share": mistake(
            "workers",
            "that is one worker's share of the rows. Three of them have to send theirs.",
            matrix=8.0 * ROWS * COLUMNS / WORKERS,
        ),
        "without the two": mistake(
            "back", "that counts 8 n² bytes for a block. They go there *and* back: 16 n².", tall=RATE / BANDWIDTH
        ),
        "upside down": mistake("operands", "that is B / F, upside down, or nearly.", tall=2 * BANDWIDTH / RATE),
        "megabytes": mistake(
            "unit",
            "that is in MB. Asked for: bytes.",
            triangle=TRIANGLE / 1e6,
            up=UP / 1e6,
            sent=SENT / 1e6,
            matrix=MATRIX / 1e6,
        ),
    },
)
