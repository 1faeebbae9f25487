"""Drawings of fast kernels: a step of the heat equation, rooflines, tiles and their halo, banks, a tree of additions, and how many blocks fit.

The data of a V100 are those of `machine.gpus`. Those of an RTX A6000 are published: its roofs by NVIDIA's data sheet, the times of its kernels by
S. Boehm (github.com/siboehm/SGEMM_CUDA, README at commit 60cba6f9b2).
"""

from __future__ import annotations

from math import log10

from gpusim.hardware import gpus
from kernellens.plot.quantities import byte_rate, flop_rate

from .canvas import Canvas
from .registry import drawing

CARD = "V100"


@drawing(
    "heat-step",
    "A plate as a grid of numbers on the left, and the plate after one step on the right. One thread reads the four neighbours 8, 3, 5 and 4 of its cell, and writes "
    "their mean, 5, into the new plate. Cells at the edge stay as they are.",
    288,
)
def heat_step(c: Canvas) -> None:
    s, y0 = 34, 42
    c.text(14, 28, "u", mono=True, bold=True)
    c.text(318, 28, "out", mono=True, bold=True)
    around = {(1, 2): "8", (2, 1): "3", (2, 3): "5", (3, 2): "4"}
    for i in range(5):
        for j in range(5):
            edge = i in (0, 4) or j in (0, 4)
            number = around.get((i, j))
            x, y = 14 + j * s, y0 + i * s
            said = [number] if number else []
            c.box(x, y, s, s, "empty" if edge else "memory", *said, strong=bool(number), bold=True, round=0)
            new = (i, j) == (2, 2)
            said = ["5"] if new else []
            c.box(x + 302, y, s, s, "empty" if edge else "memory", *said, strong=new, bold=True, round=0)
    c.box(198, y0 + 2 * s - 8, 100, 50, "thread", "one thread", "20 / 4", size="small")
    c.arrow(186, y0 + 2 * s + 17, 197, y0 + 2 * s + 17)
    c.arrow(299, y0 + 2 * s + 17, 315, y0 + 2 * s + 17)
    c.key(14, 230, 20, 20, "empty", "edge: stays as it is")
    c.key(14, 258, 20, 20, "memory", "inside: one thread a cell")
    c.key(262, 230, 20, 20, "memory", "this thread's cells", strong=True)


class Roof:
    """Logarithmic axes with the two roofs of a GPU: operations for each byte across, operations a second up."""

    LEFT, RIGHT, TOP, BOTTOM = 62, 474, 60, 250

    def __init__(self, c: Canvas, title: str, bandwidth: float, peak: float, ends: tuple[float, float, float, float]):
        self.c, self.ends = c, ends
        low, high, bottom, _ = ends
        c.text(14, 26, title, bold=True)
        c.text(14, 48, "operations a second, logarithmic", size="small")
        c.line((self.LEFT, self.TOP), (self.LEFT, self.BOTTOM), (self.RIGHT, self.BOTTOM))
        c.text(self.RIGHT, self.BOTTOM + 42, "operations for each byte, logarithmic", at="end", size="small")
        ridge = peak / bandwidth
        first = max(low, bottom / bandwidth)
        roofs = [self.at(first, first * bandwidth), self.at(ridge, peak), self.at(high, peak)]
        c.line(*roofs, look="mark", thick=3)

    def at(self, across: float, up: float) -> tuple[float, float]:
        """Where a point is on the paper."""
        low, high, bottom, top = self.ends
        x = self.LEFT + (self.RIGHT - self.LEFT) * log10(across / low) / log10(high / low)
        y = self.BOTTOM - (self.BOTTOM - self.TOP) * log10(up / bottom) / log10(top / bottom)
        return x, y

    def ticks(self, across: list[tuple[float, str]], up: list[tuple[float, str]]) -> None:
        """Numbers at the axes."""
        for value, said in across:
            x, _ = self.at(value, self.ends[2])
            self.c.line((x, self.BOTTOM), (x, self.BOTTOM + 5))
            self.c.text(x, self.BOTTOM + 21, said, at="middle", size="small")
        for value, said in up:
            _, y = self.at(self.ends[0], value)
            self.c.line((self.LEFT - 5, y), (self.LEFT, y))
            self.c.text(self.LEFT - 9, y + 5, said, at="end", size="small")

    def point(self, across: float, up: float) -> tuple[float, float]:
        """A kernel, with a dashed line down to its intensity."""
        x, y = self.at(across, up)
        self.c.line((x, y), (x, self.BOTTOM), dashed=True)
        self.c.box(x - 7, y - 7, 14, 14, round=7)
        self.c.box(x - 7, y - 7, 14, 14, "block", strong=True, round=7)
        return x, y


def _roof_alt() -> str:
    gpu = gpus.find(CARD)
    return (
        f"The roofline of a {CARD}, on logarithmic axes. Up to {gpu.fp32 / gpu.bandwidth:.0f} operations for each byte the roof rises: the memory's {byte_rate(gpu.bandwidth)} limit a kernel. "
        f"Beyond, the roof is flat: the arithmetic's {flop_rate(gpu.fp32)} limit it. A step of the plate has 0.5 operations for each byte and lies under the rising part; "
        "a product of two matrices of 1024 by 1024 has 171 and lies under the flat part."
    )


@drawing("roofline", _roof_alt(), 300)
def roofline(c: Canvas) -> None:
    gpu = gpus.find(CARD)
    roof = Roof(c, f"{CARD}, float32", gpu.bandwidth, gpu.fp32, (0.1, 1000, 5e10, 5e13))
    roof.ticks(
        [(0.1, "0.1"), (1, "1"), (17, "17"), (100, "100"), (1000, "1000")],
        [(1e11, "0.1 T"), (1e12, "1 T"), (1e13, "10 T")],
    )
    x, y = roof.point(0.5, 0.5 * gpu.bandwidth)
    c.text(x + 16, y + 14, "a step of the plate", room=200)
    x, y = roof.point(1024 / 6, gpu.fp32)
    c.text(x - 12, y + 36, "a product of", at="end")
    c.text(x - 12, y + 56, "1024 × 1024", at="end")
    x, y = roof.at(3, 3 * gpu.bandwidth)
    c.text(x - 24, y - 6, byte_rate(gpu.bandwidth), at="end", bold=True)
    c.text(x - 24, y - 26, "memory", at="end", bold=True)
    x, y = roof.at(1000, gpu.fp32)
    c.text(x, y - 12, f"arithmetic {flop_rate(gpu.fp32)}", at="end", bold=True)


PRODUCT = 2 * 4096**3
MEASURED = {
    "one thread an element": (0.4, 69.2e-3),
    "tiles of 32 × 32": (8, 46.1e-3),
    "and 8 × 8 in registers": (32, 8.61e-3),
}
A6000 = {"bandwidth": 768e9, "peak": 38.7e12}


@drawing(
    "roofline-product",
    "Three products of matrices of 4096 by 4096 under the roofline of an RTX A6000, by the operations for each byte of their requests' sectors and by their measured speed. One "
    "thread for each element: 0.4 and 1.99 TFLOP/s, above the roof of the memory because caches serve it. Tiles of 32 by 32: 8 and 2.98 TFLOP/s. With 8 by 8 results in the registers "
    "of each thread: 32 and 16 TFLOP/s. A dashed line shows cuBLAS at 23.2 TFLOP/s.",
    326,
)
def roofline_product(c: Canvas) -> None:
    roof = Roof(c, "RTX A6000, float32, measured", **A6000, ends=(0.1, 1000, 1e11, 1e14))
    roof.ticks(
        [(0.1, "0.1"), (1, "1"), (10, "10"), (100, "100"), (1000, "1000")],
        [(1e11, "0.1 T"), (1e12, "1 T"), (1e13, "10 T")],
    )
    (x1, y1), (x2, y2), (x3, y3) = (roof.point(a, PRODUCT / t) for a, t in MEASURED.values())
    c.text(x1, y1 - 14, "plain", at="middle", bold=True)
    c.text(x2 + 14, y2 + 20, "tiles", bold=True)
    c.text(x3 + 14, y3 + 34, "8 × 8 in registers", bold=True)
    _, y = roof.at(100, PRODUCT / 5.91e-3)
    x, _ = roof.at(32, 1e12)
    c.line((x, y), (roof.RIGHT, y), dashed=True, look="mark")
    c.text(roof.RIGHT, y - 28, "arithmetic 38.7 TFLOP/s", at="end", size="small")
    c.text(roof.RIGHT, y + 16, "cuBLAS", at="end", size="small")
    x, y = roof.at(1.2, 1.2 * 768e9)
    c.text(x + 8, y + 22, "memory", size="small")
    c.text(x + 8, y + 40, "768 GB/s", size="small")
    c.text(14, 316, "bytes: in the sectors of all requests, caches or not", size="small")


@drawing(
    "two-steps",
    "How one block makes two steps of its tile of 8 by 8 cells in one launch. It reads 12 by 12 cells, the tile with a halo of two cells on each side. The first step gives the tile with "
    "a halo of one cell. The second step gives the tile, which is written.",
    238,
)
def two_steps(c: Canvas) -> None:
    s = 12
    for k, (title, halo, below) in enumerate(
        (("read", 2, "12 × 12 cells"), ("first step", 1, "10 × 10"), ("second step", 0, "8 × 8, written"))
    ):
        x0, y0 = 14 + k * 166, 40
        c.text(x0, 26, title, bold=True)
        for i in range(12):
            for j in range(12):
                x, y = x0 + j * s, y0 + i * s
                out = max(2 - i, i - 9, 2 - j, j - 9, 0)  # cells beyond the tile
                if not out:
                    c.box(x, y, s, s, "block", strong=True, round=0)
                elif out <= halo:
                    c.box(x, y, s, s, "block", round=0)
                    c.hatch(x, y, s, s, 5)
        c.text(x0, y0 + 12 * s + 20, below)
    c.key(14, 214, 16, 16, "block", "the block's tile", strong=True)
    c.box(190, 214, 16, 16, "block", round=0)
    c.hatch(190, 214, 16, 16, 5)
    c.text(214, 228, "halo: other blocks' cells")


@drawing(
    "transpose-tile",
    "A block transposes one tile through shared memory. The tile is the upper right one of x. First a warp reads a row of it and writes it as a row of the tile in shared memory. All threads "
    "wait at a barrier. Then a warp reads a column of the tile and writes it as a row of out, in the lower left, where the tile belongs.",
    372,
)
def transpose_tile(c: Canvas) -> None:
    s, n, whole = 18, 6, 36

    def matrix(x: float, y: float, name: str, block: tuple[int, int], row: int) -> float:
        """Three by three blocks, of which one is meant; how far down its row is."""
        c.text(x, y - 10, name, mono=True, bold=True)
        for i in range(3):
            for j in range(3):
                c.box(x + j * whole, y + i * whole, whole, whole, "block" if (i, j) == block else "memory", round=0)
        top = y + block[0] * whole + row * whole / n
        c.box(x + block[1] * whole, top, whole, whole / n, "warp", strong=True, round=0)
        return top + whole / n / 2

    def tile(x: float, y: float, row: int | None, column: int | None) -> None:
        for i in range(n):
            for j in range(n):
                meant = i == row or j == column
                c.box(x + j * s, y + i * s, s, s, "warp" if meant else "block", strong=meant, round=0)

    c.text(14, 22, "1  a row of x becomes a row of the tile", bold=True)
    y = matrix(14, 62, "x", (0, 2), 2)
    c.text(196, 52, "tile, in shared memory", size="small")
    tile(196, 62, 2, None)
    c.arrow(126, y, 192, 62 + 2.5 * s)
    c.text(14, 196, "2  barrier: all threads wait until the tile is full", bold=True)
    c.line((14, 206), (486, 206), look="mark", dashed=True)
    c.text(14, 228, "3  a column of the tile becomes a row of out", bold=True)
    tile(196, 244, None, 3)
    y = matrix(372, 254, "out", (2, 0), 3)
    c.arrow(308, 244 + 3.5 * s, 368, y)
    c.key(14, 264, 16, 16, "warp", "one warp,", strong=True, size="small")
    c.text(38, 298, "6 of its 32 threads", size="small")
    c.key(14, 318, 16, 16, "block", "the block's tile", size="small")


@drawing(
    "banks",
    "The 32 banks of shared memory side by side, and the first seven rows of 32 words below each other. In a tile with 32 columns, all words of the tile's first column are in bank 0. In a tile with 33 "
    "columns, each row begins one bank further, so that the words of the column are in different banks. The 33rd column is not used.",
    444,
)
def banks(c: Canvas) -> None:
    x0, w, h = 14, 14.75, 15

    def panel(y: float, columns: int, title: str, cost: str) -> None:
        c.text(x0, y, title, bold=True)
        c.text(486, y, cost, at="end", bold=True)
        c.text(x0, y + 22, "bank 0", size="small")
        c.text(486, y + 22, "bank 31", at="end", size="small")
        c.text(250, y + 28 + 7 * h + 18, "… and 25 more rows", at="middle", size="small")
        for r in range(7):
            for b in range(32):
                row, column = divmod(32 * r + b, columns)
                x, top = x0 + b * w, y + 28 + r * h
                if column == 32:
                    c.waste(x, top, w, h, step=5)
                else:
                    c.box(x, top, w, h, "warp" if column == 0 else "block", strong=column == 0, round=0)

    panel(22, 32, "32 columns", "all in bank 0: 32 cycles")
    panel(214, 33, "33 columns", "in 32 banks: 1 cycle")
    c.text(x0, 404, "a row here: 32 words of shared memory, one in each bank", size="small")
    c.key(x0, 418, 16, 16, "warp", "the tile's first column", strong=True)
    c.waste(x0 + 226, 418, 16, 16, step=5)
    c.text(x0 + 250, 432, "33rd column, not used")


@drawing(
    "atomic-queue",
    "A timeline of eight threads that add to one sum, each with one atomic addition. The additions come one after the other, and the last thread waits for seven others.",
    240,
)
def atomic_queue(c: Canvas) -> None:
    x0, w, h = 92, 36, 15
    c.text(14, 26, "eight threads add to one sum", bold=True)
    c.text(486, 26, "a queue of 8", at="end")
    for t in range(8):
        y = 36 + t * 18
        c.text(14, y + 13, f"thread {t}", size="small")
        if t:
            c.waste(x0, y, t * w, h)
        c.box(x0 + t * w, y, w, h, "thread", strong=True, round=2)
    y = 194
    c.key(14, y, 20, 16, "thread", "atomic addition", strong=True, round=2, size="small")
    c.waste(202, y, 20, 16)
    c.text(230, y + 14, "waits", size="small")
    c.text(14, 232, "time", size="small")
    c.arrow(56, 227, 120, 227)


@drawing(
    "reduction-tree",
    "A tree adds eight numbers in three steps. In the first step four threads add the numbers that are four places further: 3 and 4 make 7, 1 and 1 make 2, 7 and 6 make 13, 0 and 3 make 3. In the second step "
    "two threads make 20 and 5, in the third one thread makes 25. Between the steps all threads wait at a barrier.",
    316,
)
def reduction_tree(c: Canvas) -> None:
    x0, w, h, gap = 92, 49, 30, 70
    rows = [[3, 1, 7, 0, 4, 1, 6, 3]]
    while len(rows[-1]) > 1:
        half = len(rows[-1]) // 2
        rows.append([a + b for a, b in zip(rows[-1][:half], rows[-1][half:], strict=True)])
    for level, row in enumerate(rows):
        y = 34 + level * gap
        if level:
            c.text(14, y + 20, f"step = {8 >> level}", size="small")
            c.line((14, y - gap + h + 7), (486, y - gap + h + 7), dashed=True)
            for k in range(len(row)):
                to = (x0 + k * w + 21, y)
                c.line((x0 + k * w + 21, y - gap + h), to)
                c.line((x0 + (k + len(row)) * w + 21, y - gap + h), to)
        for k, value in enumerate(row):
            c.box(
                x0 + k * w,
                y,
                42,
                h,
                "block",
                str(value),
                strong=bool(level),
                bold=True,
                round=3,
            )
    c.text(14, 54, "part", mono=True, bold=True)
    c.text(x0, 24, "thread 0", size="small")
    c.text(486, 24, "thread 7", at="end", size="small")
    c.line((14, 302), (60, 302), dashed=True)
    c.text(70, 308, "barrier")
    c.text(486, 308, "256 numbers take 8 steps", at="end")


@drawing(
    "product-tiles",
    "A block computes one tile of out. It needs the row of tiles of a to the left and the column of tiles of b above. In each turn it fetches one tile of a and one tile of b into shared "
    "memory, and each number is used by a whole row or column of threads.",
    406,
)
def product_tiles(c: Canvas) -> None:
    s = 36

    def matrix(
        x: float, y: float, name: str, rows: int, columns: int, meant: set[tuple[int, int]], now: tuple[int, int]
    ) -> None:
        c.text(x, y - 8, name, mono=True, bold=True)
        for i in range(rows):
            for j in range(columns):
                thing = ("thread" if name == "out" else "block") if (i, j) in meant else "memory"
                c.box(x + j * s, y + i * s, s, s, thing, strong=(i, j) == now, round=0)

    matrix(252, 34, "b", 4, 4, {(k, 2) for k in range(4)}, (1, 2))
    matrix(60, 214, "a", 3, 4, {(1, k) for k in range(4)}, (1, 1))
    matrix(252, 214, "out", 3, 4, {(1, 2)}, (1, 2))
    c.arrow(60 + 4 * s + 4, 214 + 1.5 * s, 248, 214 + 1.5 * s)
    c.arrow(252 + 2.5 * s, 34 + 4 * s + 4, 252 + 2.5 * s, 210)
    c.text(14, 54, "in each turn:")
    c.text(14, 78, "one tile of a,", bold=True)
    c.text(14, 100, "one tile of b", bold=True)
    c.text(14, 124, "into shared memory")
    c.key(14, 336, 18, 18, "block", "the tiles of this turn", strong=True, size="small")
    c.key(252, 336, 18, 18, "block", "those of other turns", size="small")
    c.key(14, 370, 18, 18, "thread", "the block's result, one element a thread", strong=True, size="small")


@drawing(
    "occupancy",
    "The 65 536 registers of a multiprocessor, filled with blocks whose threads take 40 registers each. Of blocks with 256 threads six fit, which are 48 of 64 warps. Of blocks with 1024 "
    "threads only one fits, which is 32 warps; the registers that are left are too few for another block.",
    232,
)
def occupancy(c: Canvas) -> None:
    x0, w, total, each = 14, 472, 65_536, 40

    def bar(y: float, title: str, threads: int, fits: str) -> None:
        c.text(x0, y, title, bold=True)
        c.text(486, y, fits, at="end", bold=True)
        wide = w * each * threads / total
        count = total // (each * threads)
        for k in range(count):
            c.box(
                x0 + k * wide,
                y + 12,
                wide - 2,
                40,
                "block",
                f"{each * threads:,}".replace(",", " "),
                strong=True,
                round=3,
            )
        c.waste(x0 + count * wide, y + 12, w - count * wide, 40)

    bar(26, "blocks of 16 × 16 threads", 256, "48 of 64 warps")
    bar(108, "blocks of 32 × 32 threads", 1024, "32 of 64 warps")
    c.span(x0, x0 + w, 174)
    c.text(250, 194, "65 536 registers; in each box those of a block", at="middle")
    c.waste(x0, 206, 18, 18)
    c.text(x0 + 26, 221, "left over: too few for another block", size="small")
