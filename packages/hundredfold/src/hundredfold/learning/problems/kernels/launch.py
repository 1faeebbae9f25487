"""``kernels.launch``: how many blocks and threads a launch has, which thread has which pixel, and what a warp asks for."""

from __future__ import annotations

from ..numbers import Quantity, mistake, predict

ROWS, COLUMNS, THREADS = 1000, 750, (32, 8)
ACROSS, DOWN = -(-COLUMNS // THREADS[0]), -(-ROWS // THREADS[1])  # 24, 125
BLOCKS = ACROSS * DOWN
IDLE = BLOCKS * THREADS[0] * THREADS[1] - ROWS * COLUMNS
BLOCK, THREAD = (3, 20), (5, 7)
ROW = BLOCK[1] * THREADS[1] + THREAD[1]  # 167
COLUMN = BLOCK[0] * THREADS[0] + THREAD[0]  # 101
SECTORS = 32 * 4 // 32
COLUMN_SECTORS = 32


LAUNCH = predict(
    "kernels.launch",
    "Who does what?",
    (
        Quantity("blocks", float(BLOCKS), "blocks", "24 across (750 / 32, rounded up) times 125 down: 3000", 1e-6),
        Quantity(
            "idle", float(IDLE), "threads", "3000 · 256 = 768 000 threads for 750 000 pixels: 18 000 too many", 1e-6
        ),
        Quantity("row", float(ROW), "rows", "y counts rows: 20 · 8 + 7 = 167", 1e-6),
        Quantity(
            "sectors_along",
            float(SECTORS),
            "sectors",
            "32 neighbours of 4 bytes are 128 bytes, 4 sectors of 32",
            1e-6,
        ),
        Quantity(
            "sectors_down",
            float(COLUMN_SECTORS),
            "sectors",
            "each of the 32 lies in another row, 3000 bytes further: 32 sectors, of each of which 4 bytes are used",
            1e-6,
        ),
    ),
    lines=5,
    hints=(
        "`blocks`: along x there are 750 columns, and a block has 32 threads along x. A block that is needed in part is needed.",
        "`idle`: all threads of the launch, less one for each pixel.",
        "`row`: y counts rows. How many rows do the blocks above have, and how many lie above within its own?",
        "`sectors_along`: memory comes in sectors of 32 bytes. Into how many of them do 32 neighbours of 4 bytes fall?",
        "`sectors_down`: how many bytes lie between a pixel and the one below it?",
    ),
    mistakes={
        "rounded down": mistake(
            "remainder",
            "750 / 32 was rounded down: the last 14 columns would have no thread.",
            "Round up: `-(-750 // 32)` or `math.ceil(750 / 32)`.",
            blocks=(COLUMNS // 32) * (ROWS // 8),
        ),
        "exchanged": mistake(
            "transposed",
            "that is with x along the rows. Here x counts columns: a block is 32 columns wide and 8 rows high.",
            blocks=-(-ROWS // 32) * -(-COLUMNS // 8),
        ),
        "threads": mistake("factor", "those are all threads. A block has 32 · 8 = 256 of them.", blocks=BLOCKS * 256),
        "as one line": mistake(
            "shape",
            "that is for 750 000 pixels in one line. Blocks of 32 × 8 do not fit into 750 columns without a rest.",
            blocks=-(-ROWS * COLUMNS // 256),
        ),
        "none idle": mistake(
            "per-element",
            "that is the number of columns too many. Each of them has 1000 threads.",
            idle=24 * 32 - COLUMNS,
        ),
        "a block": mistake("count", "those are all threads. Most of them have a pixel to do.", idle=BLOCKS * 256),
        "column": mistake("transposed", "that is its column. Rows are counted by y.", row=COLUMN),
        "within the block": mistake(
            "offset", "that is its row within the block. 20 blocks lie above it.", row=THREAD[1]
        ),
        "blocks of x": mistake(
            "operands", "a block is 8 rows high; 32 is how wide it is.", row=BLOCK[1] * THREADS[0] + THREAD[1]
        ),
        "one a thread": mistake(
            "coalescing",
            "a sector holds 8 float32 that lie side by side, and comes once for all of them.",
            sectors_along=32,
        ),
        "bytes": mistake("unit", "those are the bytes. A sector has 32.", sectors_along=128),
        "as along": mistake(
            "coalescing",
            "that would be so if the 32 lay side by side. From one row to the next it is 3000 bytes.",
            "How many bytes lie between x[i, j] and x[i + 1, j]?",
            sectors_down=SECTORS,
        ),
    },
)
