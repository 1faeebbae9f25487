"""Drawings of a decomposed matrix: TSQR on blocks, a tree of triangles, what crosses the wire, squared digits, a random sample.

Blue are matrices, a triangle is an R, a green frame is a GPU with its worker, and grey is what is on the wire.
"""

from __future__ import annotations

from math import log10

from .canvas import Canvas
from .registry import drawing


def _triangle(c: Canvas, x: float, y: float, side: float, thing: str = "memory") -> None:
    """An upper triangle, in the square that it is kept in."""
    c.box(x, y, side, side, "empty", round=0)
    c.area((x, y), (x + side, y), (x + side, y + side), thing=thing, strong=True)


def _towards(c: Canvas, x1: float, y1: float, x2: float, y2: float) -> None:
    """A line that ends in an arrow to the right."""
    c.line((x1, y1), (x2 - 14, y2), look="mark", thick=1.5)
    c.arrow(x2 - 16, y2, x2, y2, thick=1.5)


@drawing(
    "tsqr-blocks",
    "TSQR of a matrix X in four blocks of rows. Each block is decomposed where it lies, into a tall Q and a small triangle R. The four triangles are stacked, and the "
    "small stack is decomposed once more. Its triangle is the R of X. Each tall Q is multiplied by its part of the second Q.",
    340,
)
def tsqr_blocks(c: Canvas) -> None:
    top, high, side = 42, 58, 38
    stack = top + 2 * high - 2 * side
    for x, name in ((38, "X"), (187, "R₁ … R₄"), (283, "stack"), (397, "Q′"), (461, "R")):
        c.text(x, 28, name, at="middle", bold=True)
    for k in range(4):
        y = top + k * high
        c.box(14, y, 48, high - 6, "memory", f"X{'₁₂₃₄'[k]}", round=0)
        c.arrow(66, y + (high - 6) / 2, 100, y + (high - 6) / 2)
        c.box(104, y, 48, high - 6, "memory", f"Q{'₁₂₃₄'[k]}", round=0)
        _triangle(c, 168, y + 7, side)
        _towards(c, 208, y + 26, 262, stack + (k + 0.5) * side)
        _triangle(c, 264, stack + k * side, side)
        c.box(378, stack + k * side, side, side, "memory", f"Q′{'₁₂₃₄'[k]}", size="small", round=0)
    c.arrow(306, top + 2 * high, 374, top + 2 * high)
    c.text(83, top + 17, "QR", at="middle", size="small")
    c.text(340, top + 2 * high - 12, "QR", at="middle", size="small")
    _triangle(c, 442, top + 2 * high - side / 2, side)
    c.text(110, 300, "each block where it lies", at="middle")
    c.text(376, 300, "the triangles in one place", at="middle")
    c.text(250, 328, "X = Q R with Q in the blocks Q₁Q′₁, Q₂Q′₂, …", at="middle", bold=True)


@drawing(
    "tree-of-r",
    "Eight triangles become one, in two ways. At once: one worker decomposes a stack of eight. As a tree: workers decompose stacks of two at the same time, "
    "so that eight triangles become four, then two, then one.",
    270,
)
def tree_of_r(c: Canvas) -> None:
    c.text(14, 28, "one stack of 8", bold=True)
    c.text(190, 28, "a tree: stacks of 2", bold=True)
    side = 22
    for k in range(8):
        _triangle(c, 14, 42 + k * 25, side)
        c.line((38, 53 + k * 25), (66, 53 + k * 25), look="mark")
    c.line((66, 53), (66, 228), look="mark")
    c.arrow(66, 140, 110, 140)
    _triangle(c, 114, 129, side)
    places = [53 + k * 25 for k in range(8)]
    for step in range(4):
        x = 200 + step * 76
        for y in places:
            _triangle(c, x, y - side / 2, side)
        if step == 3:
            break
        pairs = list(zip(places[::2], places[1::2], strict=True))
        for upper, lower in pairs:
            for y in (upper, lower):
                c.line((x + 24, y), (x + 44, y), look="mark")
            c.line((x + 44, upper), (x + 44, lower), look="mark")
            c.arrow(x + 44, (upper + lower) / 2, x + 72, (upper + lower) / 2, thick=1.5)
        places = [(upper + lower) / 2 for upper, lower in pairs]
    c.text(14, 262, "on one worker", size="small")
    c.text(200, 262, "on several workers at the same time", size="small")


@drawing(
    "whole-rows",
    "A matrix cut in two ways. In chunks of half rows each block has only half of the columns, and TSQR is not possible. In one column of chunks each block has whole "
    "rows, and TSQR is possible.",
    216,
)
def whole_rows(c: Canvas) -> None:
    for left, across, title in ((60, 2, "two columns of chunks"), (310, 1, "one column of chunks")):
        c.text(left + 65, 28, title, at="middle", bold=True)
        for r in range(4):
            for k in range(across):
                wide = 130 / across
                c.box(left + k * wide, 42 + r * 32, wide, 32, "memory", round=0)
    c.cross(40, 106)
    c.tick(290, 106)
    c.text(125, 200, "half rows", at="middle")
    c.text(375, 200, "whole rows", at="middle")


@drawing(
    "wire-triangles",
    "Two GPUs with a worker each. Each has four blocks of X and of Q, which can stay there. The triangles of the second worker cross the wire to the first, which stacks all eight. "
    "As many small parts of the second Q come back.",
    318,
)
def wire_triangles(c: Canvas) -> None:
    for x, name in ((10, "worker 0"), (322, "worker 1")):
        c.frame(x, 10, 168, 298, "device", name)
        for k in range(4):
            y = 44 + k * 44
            c.box(x + 12, y, 34, 40, "memory", "X", strong=True, round=0)
            c.box(x + 52, y, 34, 40, "memory", "Q", strong=True, round=0)
            _triangle(c, x + 96, y + 10, 20)
        c.text(x + 84, 242, "X and Q can stay", at="middle", bold=True)
    for k in range(8):
        _triangle(c, 142, 44 + k * 21, 20)
    c.text(250, 40, "to worker 0", at="middle", size="small")
    for k in range(4):
        _triangle(c, 192 + k * 30, 48, 24, "wire")
    c.arrow(318, 90, 182, 90, thick=3)
    c.text(250, 116, "4 triangles", at="middle", size="small")
    c.text(250, 158, "back", at="middle", size="small")
    for k in range(4):
        c.box(192 + k * 30, 166, 24, 24, "wire", round=0, strong=True)
    c.arrow(182, 206, 318, 206, thick=3)
    c.text(250, 232, "4 parts of Q′", at="middle", size="small")
    c.text(94, 270, "stacks 8 triangles,", at="middle", size="small")
    c.text(94, 290, "makes Q′ and R", at="middle", size="small")
    c.text(406, 270, "its blocks of Q", at="middle", size="small")
    c.text(406, 290, "times its parts of Q′", at="middle", size="small")


@drawing(
    "transfer-waits",
    "A timeline of one block. The sender's task only starts the QR and ends, while its GPU computes for a long time. The receiver asks for R, waits until the GPU is done, and then R crosses the wire in "
    "a short time. Dask records a short task of the sender and a long transfer of the receiver.",
    310,
)
def transfer_waits(c: Canvas) -> None:
    x0 = 112
    for name, y in (("sender", 40), ("its GPU", 86), ("receiver", 132)):
        c.text(12, y + 25, name, bold=True)
    c.box(x0, 40, 62, 38, "host", "start", strong=True, size="small", round=2)
    c.box(x0 + 40, 86, 254, 38, "device", "computes Q and R", strong=True, round=2)
    c.waste(x0 + 64, 132, 230, 38)
    c.box(x0 + 106, 138, 146, 26, "empty", "waits for R", size="small", round=2)
    c.box(x0 + 296, 132, 70, 38, "wire", "R", strong=True, round=2)
    c.line((10, 184), (490, 184), look="rule faint")
    c.text(12, 206, "Dask’s record", bold=True)
    for name, y in (("sender", 216), ("receiver", 260)):
        c.text(12, y + 25, name)
    c.box(x0, 216, 62, 38, "host", "task", strong=True, size="small", round=2)
    c.box(x0 + 64, 260, 302, 38, "wire", "transfer (red in Dask)", strong=True, round=2)
    for x in (x0 + 63, x0 + 367):
        c.line((x, 32), (x, 304), look="mark", dashed=True)
    c.text(x0 + 218, 26, "time →", at="middle", colour="muted", size="small")


@drawing(
    "squared-digits",
    "Two logarithmic scales from 1 down to 10 to the minus 20. Four singular values of X lie at 1, a thousandth, a millionth and a billionth of the largest, all above the rounding of float64 at 2 times 10 to "
    "the minus 16. Their squares in the Gram matrix lie twice as low. The last square lies below the rounding and is lost.",
    286,
)
def squared_digits(c: Canvas) -> None:
    x0, w, low = 20.0, 460.0, -20.0

    def at(exponent: float) -> float:
        return x0 + w * exponent / low

    edge = at(log10(2.2e-16))
    for y, title, factor, power in ((62, "X: its singular values", 1, ""), (170, "XᵀX: their squares", 2, "²")):
        c.text(14, y - 20, title, bold=True)
        c.box(x0, y, edge - x0, 34, "memory", round=0)
        c.waste(edge, y, x0 + w - edge, 34)
        for k in range(4):
            x = at(-3.0 * k * factor)
            lost = x > edge
            c.line((x, y - 6), (x, y + 40), look="mark", thick=4)
            name = f"σ{'₁₂₃₄'[k]}{power}"
            c.text(x + (0 if k else 4), y + 57, name, at="middle" if k else "start", bold=lost)
            if lost:
                c.cross(x, y + 17)
    c.text(486, 28, "lost in the rounding", at="end", size="small")
    c.text(edge + 4, 50, "ε", bold=True)
    c.text(14, 252, "1", size="small")
    c.text(at(-10), 252, "10⁻¹⁰", at="middle", size="small")
    c.text(486, 252, "10⁻²⁰", at="end", size="small")
    c.text(250, 276, "size relative to the largest, logarithmic", at="middle", size="small")


@drawing(
    "decay",
    "A sketch: two bar charts of singular values, the largest first. Those of pictures fall fast, so that the first few are enough. Those of noise are "
    "nearly alike, so that the first few are not enough.",
    236,
)
def decay(c: Canvas) -> None:
    foot = 186.0
    falling = [130 * 0.68**k for k in range(16)]
    flat = [130 - 3.2 * k for k in range(16)]
    for left, title, values in ((14, "pictures", falling), (266, "noise", flat)):
        c.text(left, 30, title, bold=True)
        for k, value in enumerate(values):
            c.box(left + k * 13.5, foot - value, 11, value, "memory", strong=k < 5, round=0)
        c.line((left - 4, foot), (left + 220, foot), look="mark")
        c.span(left, left + 4 * 13.5 + 11, foot + 14)
        c.text(left + 76, foot + 22, "the first k", size="small")
    c.text(250, 230, "a sketch of singular values, the largest first", at="middle", size="small")


@drawing(
    "random-sample",
    "Compressed SVD in four steps. The matrix X times a random matrix of k plus 10 columns gives a narrow sample Y. A QR decomposition of Y gives Q. Q transposed times X gives B, which has only "
    "k plus 10 rows. The small B is decomposed exactly.",
    432,
)
def random_sample(c: Canvas) -> None:
    c.text(14, 28, "1  sample", bold=True)
    c.box(14, 40, 120, 150, "memory", "X", "m × n", strong=True, round=0)
    c.text(149, 122, "×", at="middle", bold=True)
    c.box(164, 40, 32, 120, "thread", "Ω", strong=True, round=0)
    c.text(180, 182, "random", at="middle", size="small")
    c.text(214, 122, "=", at="middle", bold=True)
    c.box(230, 40, 32, 150, "memory", "Y", strong=True, round=0)
    c.text(276, 28, "2  QR of Y", bold=True)
    c.arrow(268, 116, 306, 116)
    c.box(312, 40, 32, 150, "memory", "Q", strong=True, round=0)
    c.text(360, 104, "k + 10 columns", size="small")
    c.text(360, 124, "in Ω, Y and Q", size="small")
    c.line((10, 206), (490, 206), look="rule faint")
    c.text(14, 234, "3  project", bold=True)
    c.box(14, 262, 150, 32, "memory", "Qᵀ", strong=True, round=0)
    c.text(176, 283, "×", at="middle", bold=True)
    c.box(188, 244, 120, 150, "memory", "X", strong=True, round=0)
    c.text(320, 283, "=", at="middle", bold=True)
    c.box(332, 262, 120, 32, "memory", "B", strong=True, round=0)
    c.text(392, 312, "k + 10 rows", at="middle", size="small")
    c.text(332, 234, "4  SVD of B", bold=True)
    c.text(332, 354, "gives σ₁ … σₖ")
    c.text(14, 418, "steps 1 and 3 each read X once: two passes")
