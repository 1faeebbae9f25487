"""Drawings of a launch: where its blocks run, which thread does which element, what a warp asks for in two orders, and how threads add to one number."""

from __future__ import annotations

from .canvas import Canvas
from .registry import drawing


@drawing(
    "multiprocessors",
    "The blocks of a grid wait in a queue and are handed out to the multiprocessors of an H200. Each of the 132 multiprocessors holds several blocks at once, "
    "up to 64 warps together; a block stays where it is until it ends.",
    292,
)
def multiprocessors(c: Canvas) -> None:
    x0 = 14
    c.text(x0, 26, "grid", bold=True)
    c.text(x0 + 48, 26, "its blocks wait for a place")
    for k in range(12):
        c.box(x0 + k * 40, 36, 34, 28, "block", round=3)
    for k, name in enumerate(("0", "1", "131")):
        x = x0 + (0, 142, 336)[k]
        c.arrow(x + 68, 68, x + 68, 96)
        c.frame(x, 100, 136, 138, "device", f"SM {name}")
        for b in range(8):
            c.box(x + 10 + b % 2 * 60, 132 + b // 2 * 25, 56, 20, "block", strong=True, round=3)
    c.text(x0 + 307, 176, "…", at="middle", bold=True)
    c.text(x0, 264, "SM: streaming multiprocessor, 132 of them", bold=True)
    c.text(x0, 286, "8 blocks of 8 warps: these are full")


@drawing(
    "latency",
    "Two timelines of one multiprocessor. With one warp it computes a little, waits long for memory, and computes again. With eight warps another warp computes "
    "while the first one waits, so that the multiprocessor is never idle.",
    312,
)
def latency(c: Canvas) -> None:
    x0, work, rest = 86, 24, 168
    c.text(14, 26, "one warp", bold=True)
    c.text(110, 26, "the SM waits most of the time")
    c.text(14, 60, "warp 0", size="small")
    for k in range(2):
        x = x0 + k * (work + rest)
        c.box(x, 40, work, 28, "warp", strong=True, round=2)
        c.waste(x + work, 40, rest, 28)
    c.text(14, 106, "eight warps", bold=True)
    c.text(130, 106, "another warp computes meanwhile")
    for k in range(8):
        y = 118 + k * 18
        c.text(14, y + 13, f"warp {k}", size="small")
        for turn in range(2):
            x = x0 + k * work + turn * (work + rest)
            c.box(x, y, work, 15, "warp", strong=True, round=2)
        if k:
            c.line((x0, y + 7), (x0 + k * work, y + 7), look="rule faint")
        c.line((x0 + (k + 1) * work, y + 7), (x0 + k * work + work + rest, y + 7), dashed=True)
    c.box(x0, 280, work, 20, "warp", strong=True, round=2)
    c.text(x0 + 32, 296, "computes")
    c.waste(x0 + 124, 280, work, 20)
    c.text(x0 + 156, 296, "SM idle")
    c.line((x0 + 244, 291), (x0 + 274, 291), dashed=True)
    c.text(x0 + 282, 296, "warp waits")
    c.text(392, 26, "time", size="small")
    c.arrow(430, 21, 482, 21)


@drawing(
    "mean-of-nine",
    "A picture of numbers on the left, its smoothed copy on the right. The nine pixels in a square come to 54; their mean, 6, becomes the pixel in the middle of "
    "the square in the copy.",
    226,
)
def mean_of_nine(c: Canvas) -> None:
    s, y0 = 34, 42
    numbers = ((2, 4, 6, 8, 6), (4, 9, 3, 6, 8), (6, 3, 12, 3, 6), (8, 6, 3, 9, 4), (6, 8, 6, 4, 2))
    c.text(14, 28, "x", mono=True, bold=True)
    c.text(318, 28, "out", mono=True, bold=True)
    for i, row in enumerate(numbers):
        for j, number in enumerate(row):
            inside = 1 <= i <= 3 and 1 <= j <= 3
            c.box(14 + j * s, y0 + i * s, s, s, "memory", str(number), strong=inside, round=0)
            middle = i == 2 and j == 2
            c.box(
                316 + j * s, y0 + i * s, s, s, "memory", *(["6"] if middle else []), strong=middle, bold=True, round=0
            )
    c.outline(14 + s, y0 + s, 3 * s, 3 * s)
    c.box(198, y0 + 2 * s - 8, 100, 50, "thread", "one thread", "54 // 9", size="small")
    c.arrow(186, y0 + 2 * s + 17, 197, y0 + 2 * s + 17)
    c.arrow(299, y0 + 2 * s + 17, 315, y0 + 2 * s + 17)


@drawing(
    "two-orders",
    "The pixels that one warp of a block of 16 by 16 threads reads, in a picture whose rows are 32 bytes, one sector each. Where x is the row the warp covers 16 "
    "rows and two columns: 16 sectors come, of each of which two bytes are used. Where x is the column it covers two rows of 16 pixels: two sectors come, half used.",
    306,
)
def two_orders(c: Canvas) -> None:
    cell, high, y0 = 7, 13, 62

    def panel(x: float, names: str, title: str, rows: int, columns: int, below: str) -> None:
        c.text(x, 26, names, mono=True, bold=True)
        c.text(x, 50, title)
        for i in range(16):
            y = y0 + i * high
            if i < rows:
                c.waste(x + columns * cell, y, (32 - columns) * cell, high - 2, step=11)
                c.box(x, y, columns * cell, high - 2, "warp", strong=True, round=0)
            else:
                c.box(x, y, 32 * cell, high - 2, "memory", round=0)
        c.text(x, y0 + 16 * high + 22, below, bold=True)

    panel(14, "i, j = cuda.grid(2)", "threadIdx.x is the row", 16, 2, "16 sectors")
    panel(262, "j, i = cuda.grid(2)", "threadIdx.x is the column", 2, 16, "2 sectors")
    c.waste(106, 276, 18, 18, step=11)
    c.text(130, 292, "unused", size="small")
    c.box(366, 276, 18, 18, "warp", strong=True, round=0)
    c.text(390, 292, "asked for", size="small")


@drawing(
    "lens-request",
    "How to read the picture of a request. Each line is 128 bytes of memory, cut into four sectors of 32 bytes. Coloured are the bytes that the warp asked for, "
    "hatched those that are moved and not used; a sector that is left out does not move. The line is named after the first element asked for.",
    236,
)
def lens_request(c: Canvas) -> None:
    x0, y, sector = 100, 84, 96
    c.text(8, y + 23, "x[4, 16]", mono=True)
    for s in range(3):
        x = x0 + s * sector
        c.waste(x, y, sector, 34)
        c.box(x + sector / 2, y, sector / 16, 34, "warp", strong=True, round=0)
    c.line((x0, y + 44), (x0 + 4 * sector, y + 44))
    for s in range(5):
        c.line((x0 + s * sector, y + 40), (x0 + s * sector, y + 48))
        c.text(x0 + s * sector - (8 if s == 4 else 0), y + 66, str(32 * s), at="middle", size="small")
    c.text(x0, 26, "2 bytes asked for", bold=True)
    c.arrow(x0 + sector / 2 + 3, 34, x0 + sector / 2 + 3, y - 2)
    c.text(x0 + 186, 58, "moved, not used", bold=True)
    c.arrow(x0 + 176, 54, x0 + 176, y - 2)
    c.text(x0 + 3.5 * sector, y + 22, "not moved", at="middle", size="small")
    c.text(8, 186, "x[4, 16]", mono=True)
    c.text(100, 186, "the first element asked for in this line")
    c.text(8, 214, "0 … 128", mono=True)
    c.text(100, 214, "bytes; every 32 of them are one sector")


@drawing(
    "clamp",
    "The top left corner of a picture and the 3 by 3 neighbours of its first pixel. Five of them lie outside. Each index is clamped, so that the nearest pixel at "
    "the border is read in their place: the corner pixel counts four times.",
    244,
)
def clamp(c: Canvas) -> None:
    x0, y0, s = 66, 50, 46
    for i in range(4):
        for j in range(4):
            x, y = x0 + j * s, y0 + i * s
            if i == 0 or j == 0:
                if i < 3 and j < 3:
                    near = f"{max(i - 1, 0)},{max(j - 1, 0)}"
                    c.box(x, y, s, s, "empty", near, size="small", dashed=True, round=0)
            else:
                c.box(x, y, s, s, "memory", f"{i - 1},{j - 1}", size="small", strong=i == j == 1, round=0)
    c.outline(x0, y0, 3 * s, 3 * s)
    c.text(x0, 32, "row,column that is read", size="small")
    x = 276
    c.box(x, 54, 26, 26, "memory", round=0)
    c.text(x + 36, 72, "a pixel of the picture")
    c.box(x, 96, 26, 26, "empty", dashed=True, round=0)
    c.text(x + 36, 114, "outside")
    c.outline(x, 140, 26, 26)
    c.text(x + 36, 158, "neighbours of 0,0")
    c.text(x, 204, "max(i - 1, 0)", mono=True, bold=True)


@drawing(
    "grid-stride",
    "An array of 22 elements and a grid of 8 threads. In its first turn thread 2 does element 2, in its second element 10, in its third element 18: each time it "
    "goes on by 8. In the last turn two threads have nothing to do.",
    234,
    touch="Point at an element, or tap it, to see all elements of its thread.",
)
def grid_stride(c: Canvas) -> None:
    x0, cell, y = 18, 21, 54
    c.text(x0, 26, "array", bold=True)
    c.text(x0 + 56, 26, "22 elements, each with the number of its thread")

    def element(k: int) -> None:
        c.box(x0 + k * cell, y, cell, 34, "thread", str(k % 8), size="small", round=0)

    def thread(t: int) -> None:
        y2, own = 172, range(t, 22, 8)
        for k in own:
            element(k)  # twice, and so darker
            c.text(x0 + (k + 0.5) * cell, y2, str(k), at="middle", bold=True)
        for k in own[1:]:
            a, b = (x0 + (each + 0.5) * cell for each in (k - 8, k))
            c.arrow(a + 14, y2 - 5, b - 14, y2 - 5)
            c.text((a + b) / 2, y2 + 14, "+ 8", at="middle", mono=True)
        c.text(x0, 222, f"thread {t}:", bold=True)
        c.text(x0 + 84, 222, f"range({t}, 22, 8)", mono=True)

    for k in range(22):
        element(k)
    for turn in range(3):
        first, last = turn * 8, min(turn * 8 + 8, 22)
        c.span(x0 + first * cell + 2, x0 + last * cell - 2, y + 46)
        c.text(x0 + (first + last) / 2 * cell, y + 66, f"turn {turn + 1}", at="middle")
    with c.still():
        thread(2)
    for t in range(8):
        own = range(t, 22, 8)
        with c.spot(
            f"Thread {t} does the elements {', '.join(map(str, own))}.", *((x0 + k * cell, y, cell, 34) for k in own)
        ):
            thread(t)


@drawing(
    "one-counter",
    "Three ways for a launch of 80 blocks of 128 threads to sum 100 000 numbers. If every number is added to the result atomically, 100 000 additions wait for each "
    "other. If each thread adds up its own numbers first, 10 240 do. If each block does, 80 do.",
    344,
)
def one_counter(c: Canvas) -> None:
    def way(y: float, title: str, cost: str, stages: list[tuple[str, int]]) -> None:
        c.text(14, y, title, bold=True)
        c.text(486, y, cost, at="end")
        top = y + 12
        ends = [top + 34]
        c.box(404, top + 18, 82, 32, "memory", "result", round=3)
        x = 404.0
        for thing, count in reversed(stages):
            left = {"memory": 14, "thread": 150, "block": 280}[thing]
            wide = 60 if thing != "memory" else 40
            step = 68 / count
            middles = [top + step * (k + 0.5) for k in range(count)]
            for k, middle in enumerate(middles):
                end = ends[k * len(ends) // count]
                c.line((left + wide, middle), (x, end), look="rule")
            for middle in middles:
                c.box(left, middle - step / 2 + 1, wide, step - 2, thing, strong=thing != "memory", round=2)
            x, ends = left, middles

    way(24, "every number", "100 000 atomic additions", [("memory", 12)])
    way(128, "each thread first", "10 240", [("memory", 12), ("thread", 6)])
    way(232, "each block first", "80", [("memory", 12), ("thread", 6), ("block", 2)])
    for x, words in ((14, "numbers"), (150, "threads"), (280, "blocks")):
        c.text(x, 334, words, size="small")
