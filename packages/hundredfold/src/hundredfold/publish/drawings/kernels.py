"""Drawings of how a kernel runs: grid, block, warp and thread; what a warp asks memory for; races, and branches."""

from __future__ import annotations

from .canvas import Canvas
from .registry import drawing


@drawing(
    "grid-block-warp",
    "An array of 1000 elements under a grid of eight blocks of 128 threads; the last block reaches beyond the array's end. One block is four warps of 32 threads. "
    "Thread 5 of the second warp of block 2 has the index 2 times 128 plus 32 plus 5, which is 293.",
    350,
)
def grid_block_warp(c: Canvas) -> None:
    x0, w = 14, 472
    block = w / 8
    c.text(x0, 26, "array", bold=True)
    c.text(x0 + 56, 26, "1000 elements")
    c.box(x0, 34, w * 1000 / 1024, 24, "memory", round=0)
    c.text(x0, 82, "grid", bold=True)
    c.text(x0 + 56, 82, "8 blocks")
    for k in range(8):
        c.box(x0 + k * block, 90, block - 3, 32, "block", str(k), strong=k == 2, round=3)
    c.hatch(x0 + w * 1000 / 1024, 90, w * 24 / 1024 - 3, 32, step=5)
    c.line((x0 + 2 * block, 124), (x0, 152))
    c.line((x0 + 3 * block - 3, 124), (x0 + w, 152))
    warp = w / 4
    c.text(x0, 172, "block 2", bold=True)
    c.text(x0 + 78, 172, "4 warps of 32 threads")
    for k in range(4):
        c.box(x0 + k * warp, 180, warp - 4, 34, "warp", f"warp {k}", strong=k == 1, round=3)
    c.line((x0 + warp, 216), (x0, 244))
    c.line((x0 + 2 * warp - 4, 216), (x0 + w, 244))
    thread = w / 32
    c.text(x0, 264, "warp 1", bold=True)
    c.text(x0 + 78, 264, "its threads are 32 … 63 of the block")
    c.cells(x0, 272, thread, 30, ["thread!" if k == 5 else "thread" for k in range(32)])
    c.arrow(x0 + 5.5 * thread, 334, x0 + 5.5 * thread, 306)
    c.text(x0 + 5.5 * thread + 14, 332, "i = 2 · 128 + 37 = 293", mono=True, bold=True)


@drawing(
    "guard",
    "The last of eight blocks of 128 threads over an array of 1000 elements. Its first 104 threads have an element each; the last 24 point behind the array, "
    "at memory that belongs to others, and the guard sends them away.",
    196,
)
def guard(c: Canvas) -> None:
    x0, w = 14, 472
    inside = w * 104 / 128
    c.text(x0, 26, "block 7", bold=True)
    c.text(x0 + 72, 26, "128 threads")
    c.box(x0, 36, inside, 34, "thread", "104 with an element", round=2)
    c.box(x0 + inside, 36, w - inside, 34, "empty", "24 idle", round=2)
    for x in (x0 + 20, x0 + inside - 20):
        c.arrow(x, 72, x, 112)
    c.arrow(x0 + w - 44, 72, x0 + w - 44, 112)
    c.cross(x0 + w - 44, 92, 9)
    c.box(x0, 116, inside, 34, "memory", "elements 896 … 999", round=2)
    c.waste(x0 + inside, 116, w - inside, 34)
    c.text(x0, 180, "if i < x.size:", mono=True, bold=True)
    c.text(486, 180, "another array", at="end")


@drawing(
    "x-is-column",
    "A picture of rows and columns with one block of threads on it. threadIdx.x counts columns along a row, so that the threads of a warp lie side by side "
    "in memory; threadIdx.y counts rows. The block begins in row 2 and column 8. The warp is drawn with 8 threads instead of 32.",
    300,
    touch="Point at a thread of the block, or tap it, to see its pixel.",
)
def x_is_column(c: Canvas) -> None:
    x0, y0, s = 92, 52, 24
    rows, columns = (2, 4), (8, 16)  # of the block
    for i in range(7):
        for j in range(16):
            inside = rows[0] <= i < rows[1] and j >= columns[0]
            first = i == rows[0] and inside
            thing = "warp" if first else "block" if inside else "memory"
            c.box(x0 + j * s, y0 + i * s, s, s, thing, strong=first, round=0)
    c.text(x0, 26, "j: columns, threadIdx.x", bold=True)
    c.arrow(x0 + 232, 20, x0 + 330, 20)
    c.text(x0 + s / 2, 46, "0", at="middle", size="small")
    c.text(x0 + (columns[0] + 0.5) * s, 46, "8", at="middle", size="small")
    c.text(12, y0 + 40, "i: rows,", bold=True)
    c.text(12, y0 + 60, "thread-", bold=True)
    c.text(12, y0 + 80, "Idx.y", bold=True)
    c.text(88, y0 + 18, "0", at="end", size="small")
    c.text(88, y0 + rows[0] * s + 18, "2", at="end", size="small")
    c.arrow(40, y0 + 94, 40, y0 + 166)
    with c.still():
        c.key(x0, 234, 20, 20, "warp", "one warp, drawn with 8 of its 32 threads", strong=True)
        c.key(x0, 264, 20, 20, "block", "the rest of its block")
    for ty in range(2):
        for tx in range(8):
            i, j = rows[0] + ty, columns[0] + tx
            x, y = x0 + j * s, y0 + i * s
            with c.spot(f"Thread {tx}, {ty} of its block has the pixel in row {i}, column {j}.", (x, y, s, s)):
                c.line((x, y), (x + s, y), (x + s, y + s), (x, y + s), (x, y - 1.5), look="mark", thick=3)
                c.text(x0, 250, f"threadIdx.x = {tx}, threadIdx.y = {ty}", mono=True)
                c.text(x0, 280, f"j = 8 + {tx} = {j}, i = 2 + {ty} = {i}: x[{i}, {j}]", mono=True)


@drawing(
    "sectors",
    "What one warp's request brings from memory in sectors of 32 bytes. Side by side and aligned, its 32 numbers of four bytes fill four sectors. Shifted by one "
    "number they touch five. With every second number they need eight, and half of what comes is not used.",
    330,
)
def sectors(c: Canvas) -> None:
    x0, cell = 14, 11.8
    per = 8 * cell

    def row(y: float, title: str, cost: str, used: list[int], come: int) -> None:
        c.text(x0, y - 10, title, bold=True)
        c.text(486, y - 10, cost, at="end")
        for k in range(40):
            here = k // 8 < come
            thing = "warp!" if k in used else "waste" if here else ""
            c.cells(x0 + k * cell, y, cell, 30, [thing])
        for s in range(5):
            if s < come:
                c.line(
                    (x0 + s * per, y - 3),
                    (x0 + s * per, y + 33),
                    (x0 + (s + 1) * per, y + 33),
                    (x0 + (s + 1) * per, y - 3),
                    look="mark",
                    thick=2,
                )

    row(44, "aligned", "4 sectors, all used", list(range(32)), 4)
    row(132, "shifted by one", "5 sectors, 80 % used", list(range(1, 33)), 5)
    row(220, "every second", "8 sectors, 50 % used", list(range(0, 40, 2)), 5)
    c.text(486, 274, "… and three more sectors like these", at="end", size="small")
    c.key(x0, 294, 18, 20, "warp", "asked for", strong=True)
    c.waste(x0 + 120, 294, 18, 20)
    c.text(x0 + 146, 310, "comes along unused")


@drawing(
    "divergence",
    "A warp at an if. When some of its threads take it and some do not, both ways run one after the other, and each time the other threads are idle. "
    "When all threads of a warp take the same way, only that way runs.",
    300,
)
def divergence(c: Canvas) -> None:
    def warp(x: float, title: str, end: str, rows: list[tuple[str, list[bool]]]) -> None:
        c.text(x, 28, title, bold=True)
        for r, (name, on) in enumerate(rows):
            y = 44 + r * 50
            c.text(x, y + 24, name, mono=True, size="small")
            for k, busy in enumerate(on):
                c.cells(x + 48 + k * 20, y, 20, 36, ["warp!" if busy else "waste"])
        c.text(x, 44 + len(rows) * 50 + 20, end)

    every, odd, even = [True] * 8, [k % 2 == 1 for k in range(8)], [k % 2 == 0 for k in range(8)]
    warp(14, "diverged", "4 steps", [("if", every), ("then", even), ("else", odd), ("end", every)])
    warp(272, "together", "3 steps", [("if", every), ("then", every), ("end", every)])
    c.waste(272, 252, 20, 20)
    c.text(300, 268, "idle")


@drawing(
    "race",
    "Two threads add one to the same count of 5. Both read 5, both write 6, and one addition is lost. With an atomic addition the second thread reads only "
    "after the first has written, and the count becomes 7.",
    270,
)
def race(c: Canvas) -> None:
    def side(x: float, title: str, steps: list[tuple[int, str]], last: str, right: bool) -> None:
        c.text(x, 28, title, bold=True)
        for t in (0, 1):
            c.text(x + 4 + t * 112, 56, f"thread {t}", size="small")
        for k, (t, words) in enumerate(steps):
            c.box(x + t * 112, 66 + k * 36, 104, 30, "thread", words, size="small", strong="write" in words)
        c.box(x, 222, 130, 34, "memory", f"count = {last}", bold=True)
        (c.tick if right else c.cross)(x + 152, 239)

    side(14, "race", [(0, "reads 5"), (1, "reads 5"), (0, "writes 6"), (1, "writes 6")], "6", False)
    c.line((250, 14), (250, 256), look="rule faint")
    side(270, "atomic", [(0, "reads 5"), (0, "writes 6"), (1, "reads 6"), (1, "writes 7")], "7", True)


@drawing(
    "tile-halo",
    "A picture cut into tiles, one for each block. To compute the pixels of its tile a block also reads a border one pixel wide around it, the halo; "
    "a pixel at the tile's edge has neighbours there.",
    292,
)
def tile_halo(c: Canvas) -> None:
    x0, y0, s = 12, 14, 25
    for i in range(10):
        for j in range(10):
            x, y = x0 + j * s, y0 + i * s
            if 3 <= i < 7 and 3 <= j < 7:
                c.box(x, y, s, s, "block", strong=True, round=0)
            elif 2 <= i < 8 and 2 <= j < 8:
                c.box(x, y, s, s, "block", round=0)
                c.hatch(x, y, s, s, 6)
            else:
                c.box(x, y, s, s, "memory", round=0)
    c.outline(x0 + 5 * s, y0 + 2 * s, 3 * s, 3 * s)
    c.box(x0 + 6 * s + 6, y0 + 3 * s + 6, 14, 14, round=7)
    c.box(x0 + 6 * s + 6, y0 + 3 * s + 6, 14, 14, "thread", strong=True, round=7)
    x = 272
    c.box(x, 40, 22, 22, "block", strong=True, round=0)
    c.text(x + 32, 57, "the block's tile")
    c.box(x, 84, 22, 22, "block", round=0)
    c.hatch(x, 84, 22, 22, 6)
    c.text(x + 32, 101, "halo: read, not written")
    c.box(x, 128, 22, 22, "memory", round=0)
    c.text(x + 32, 145, "other blocks' pixels")
    c.box(x + 4, 176, 14, 14, "thread", strong=True, round=7)
    c.text(x + 32, 189, "one thread's pixel")
    c.outline(x, 216, 22, 22)
    c.text(x + 32, 233, "its 3 × 3 neighbours")
