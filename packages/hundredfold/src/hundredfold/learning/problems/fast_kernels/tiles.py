"""``fast-kernels.tiles``: what a tile costs and saves: banks, its rim, bytes, and how many blocks fit."""

from __future__ import annotations

from ..numbers import Quantity, mistake, predict

BANKS = 32


def ways(columns: int) -> int:
    """Cycles in which a warp reads one column of a tile of 4-byte numbers: the most of its 32 words in one bank."""
    banks = [row * columns % BANKS for row in range(32)]
    return max(banks.count(bank) for bank in banks)


STRAIGHT, PADDED = ways(32), ways(34)  # 32, 2
TILE, RIM = (32, 8), 1
FETCHED = (TILE[0] + 2 * RIM) * (TILE[1] + 2 * RIM)  # 340
N, SIDE, ITEM = 4096, 16, 4
BYTES = 2 * N**3 // SIDE * ITEM  # 34 359 738 368
THREADS, REGISTERS, SHARED = 256, 40, 12 * 1024
BY_THREADS, BY_REGISTERS, BY_SHARED = 2048 // THREADS, 65_536 // (REGISTERS * THREADS), 96 * 1024 // SHARED  # 8, 6, 8
BLOCKS = min(BY_THREADS, BY_REGISTERS, BY_SHARED)


TILES = predict(
    "fast-kernels.tiles",
    "What does a tile cost?",
    (
        Quantity(
            "cycles_32",
            STRAIGHT,
            "cycles",
            "from row to row it is 32 words, so all 32 lie in one bank",
            1e-6,
        ),
        Quantity(
            "cycles_34",
            PADDED,
            "cycles",
            "the words lie in the banks 0, 2, 4 … 30, 0, 2, …: two of them in each of 16 banks",
            1e-6,
        ),
        Quantity(
            "fetched",
            FETCHED,
            "cells",
            "(32 + 2) · (8 + 2) = 340, which is 1.33 for each of 256 threads",
            1e-6,
        ),
        Quantity(
            "bytes_read",
            BYTES,
            "bytes",
            "4096³ / 16 elements of each of the two matrices, 4 bytes each: 34.4 GB, where 0.13 GB would do",
            0.01,
        ),
        Quantity(
            "blocks",
            BLOCKS,
            "blocks",
            "threads and shared memory allow 8, registers 6.4, so 6 fit: 48 of 64 warps",
            1e-6,
        ),
    ),
    lines=5,
    hints=(
        "`cycles_32`: the bank of a word is its number modulo 32. In a tile 32 words wide, how far apart are two words of one column?",
        "`cycles_34`: from row to row it is 34 words. Write down the banks, modulo 32, until one comes again.",
        "`fetched`: which cells do the block's first and last row need, and its first and last column?",
        "`bytes_read`: a thread reads one element of each matrix for each of n / 16 pairs of tiles, and there are n² threads.",
        "`blocks`: divide each of the three stores of a multiprocessor by what a block needs of it. The smallest counts, rounded down.",
    ),
    mistakes={
        "no conflict": mistake(
            "banks",
            "that would be so along a row. Down a column of this tile it is 32 words from one to the next.",
            "32 modulo 32 is 0.",
            cycles_32=1,
        ),
        "as if 33": mistake(
            "shifted",
            "with 33 columns all 32 would lie in different banks. With 34 the banks are 0, 2, 4 and so on.",
            cycles_34=1,
        ),
        "half": mistake("count", "that many banks are used. Asked for are the words in one of them.", cycles_34=16),
        "no rim": mistake(
            "border",
            "those are the block's own cells. The ones at its rim have neighbours beyond.",
            fetched=TILE[0] * TILE[1],
        ),
        "one side": mistake("border", "a tile has a rim on all four sides.", fetched=(TILE[0] + 1) * (TILE[1] + 1)),
        "untiled": mistake(
            "reads",
            "that is what 256 threads read without a tile: five each. Of those, most are the same cells.",
            fetched=5 * TILE[0] * TILE[1],
        ),
        "no tiles": mistake(
            "traffic",
            "that is without tiles. Of 16 threads in a row of the block, each uses what one has fetched.",
            bytes_read=2 * N**3 * ITEM,
        ),
        "one matrix": mistake(
            "reads", "that is one of the two matrices.", "a and b are both read.", bytes_read=N**3 // SIDE * ITEM
        ),
        "elements": mistake("item-size", "those are elements; float32 has 4 bytes.", bytes_read=2 * N**3 // SIDE),
        "each once": mistake(
            "once",
            "that is each element once. A tile of 16 × 16 serves one block, and 256 blocks need the same row of a.",
            bytes_read=2 * N * N * ITEM,
        ),
        "threads only": mistake(
            "occupancy",
            "threads and shared memory allow that many; what of the registers?",
            "256 threads of 40 registers take 10 240 of them.",
            blocks=BY_THREADS,
        ),
        "in fractions": mistake("rounding", "a block is resident whole or not at all.", blocks=6.4),
    },
)
