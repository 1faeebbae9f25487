"""Drawings of a whole problem: its path, its places, a window of time, days as shapes, a sum over chunks, a queue, how it is judged, and the map of the two tracks.

Orange is the host, green a device, blue are arrays, light blue a report or a flight.
"""

from __future__ import annotations

from .canvas import Canvas
from .registry import drawing


@drawing(
    "capstone-path",
    "The path of the data in this lecture, from top to bottom. Reports are read as a table and repaired, as in units 07 and 08. A kernel finds the strongest wind of 24 hours, "
    "as in unit 05. The table becomes a matrix of days by hours, and an SVD finds its shapes, as in unit 12. Chunks do the same for an archive, as in units 10 and 11. "
    "A picture and a page are the result.",
    404,
)
def capstone_path(c: Canvas) -> None:
    steps = (
        ("host", "plan", "bytes, limits, opponent", "units 01, 02"),
        ("device", "1 clean", "26 115 reports, one wind wrong", "units 07, 08"),
        ("device", "2 kernel", "the strongest wind of 24 hours", "unit 05"),
        ("device", "3 SVD", "days × hours, and their shapes", "unit 12"),
        ("device", "4 chunks", "an archive in chunks", "units 10, 11"),
        ("host", "report", "a picture and a page", "new"),
    )
    for k, (thing, name, what, unit) in enumerate(steps):
        y = 14 + k * 64
        c.box(14, y, 116, 44, thing, name, strong=True, bold=True)
        c.text(144, y + 28, what, size="small")
        c.text(486, y + 28, unit, at="end", size="small", colour="muted")
        if k:
            c.arrow(72, y - 19, 72, y - 1)
    c.text(144, 396, "orange: host, green: device", size="small", colour="muted")


@drawing(
    "capstone-places",
    "Three places for a step. The host reads the files, checks, and draws. One GPU does what is large and already there: kernel and SVD. A cluster of GPUs does what falls into "
    "independent parts. The way to the GPU is the bus, and costs time. A cluster needs time to start.",
    260,
)
def capstone_places(c: Canvas) -> None:
    c.frame(12, 14, 128, 190, "host", "host")
    for k, name in enumerate(("read files", "small tables", "compare", "draw")):
        c.box(22, 46 + k * 38, 108, 31, "empty", name, size="small")
    c.frame(190, 14, 120, 190, "device", "one GPU")
    for k, name in enumerate(("kernel", "SVD", "data stays")):
        c.box(200, 46 + k * 38, 100, 31, "empty", name, size="small")
    c.frame(360, 14, 128, 190, "device", "many GPUs")
    for k in range(4):
        c.box(370 + k % 2 * 56, 46 + k // 2 * 38, 52, 31, "memory", "chunk", size="small", strong=True, round=0)
    c.text(424, 148, "independent", at="middle", size="small")
    c.text(424, 168, "parts", at="middle", size="small")
    c.arrow(142, 110, 188, 110, both=True)
    c.arrow(312, 110, 358, 110, both=True)
    c.text(165, 230, "bus", at="middle", bold=True)
    c.text(165, 249, "bytes / 25 GB/s", at="middle", size="small")
    c.text(335, 230, "start", at="middle", bold=True)
    c.text(335, 249, "seconds", at="middle", size="small")
    c.line((165, 122), (165, 214), dashed=True)
    c.line((335, 122), (335, 214), dashed=True)


@drawing(
    "capstone-window",
    "Two rows of reports along the time, from 24 hours ago to now. In the first row there is a report for each hour. The window holds those less than 24 hours old. The one that is exactly 24 hours old "
    "lies outside. In the second row all reports between are missing, and the window holds only the newest one.",
    232,
)
def capstone_window(c: Canvas) -> None:
    x0, step = 40, 17.6
    for row, (name, kept) in enumerate((("a report each hour", range(25)), ("a gap", (0, 24)))):
        y = 60 + row * 84
        c.text(x0, y - 14, name, bold=True, size="small")
        c.box(x0 + step * 0.9, y - 7, step * 24 + 4, 46, "warp", round=3)
        for k in range(25):
            x = x0 + k * step
            if 24 - k in kept:
                c.box(x, y, step - 4, 32, "thread" if k else "empty", strong=True, round=2)
            else:
                c.box(x, y, step - 4, 32, "empty", round=2, dashed=True)
    c.text(486, 26, "now", at="end", size="small")
    c.text(14, 26, "exactly 24 hours ago: outside", size="small")
    c.text(14, 212, "frame: the window, less than 24 hours ago", size="small")


@drawing(
    "capstone-days",
    "A matrix with 1035 rows, one for each day at an airport, and 24 columns, one for each hour, after the mean day was subtracted. It is about a tall matrix of 1035 by 2 amounts "
    "times a flat matrix of 2 by 24: two shapes of a day.",
    250,
)
def capstone_days(c: Canvas) -> None:
    c.text(84, 28, "days × hours", at="middle", bold=True)
    for row in range(9):
        for column in range(12):
            high = (row * 5 + 2) % 9 > 4
            late = (row * 7 + 1) % 9 > 5
            c.box(24 + column * 10, 42 + row * 19, 10, 19, "memory", strong=(high != (late and column > 6)), round=0)
    c.text(84, 236, "1035 × 24", at="middle", size="small")
    c.text(176, 136, "≈", at="middle", size="large", bold=True)
    c.text(236, 28, "amounts", at="middle", bold=True)
    for column, thing in enumerate(("block", "warp")):
        c.box(216 + column * 20, 42, 20, 171, thing, strong=True, round=0)
    c.text(236, 236, "1035 × 2", at="middle", size="small")
    c.text(284, 136, "×", at="middle", size="large", bold=True)
    c.text(390, 78, "two shapes", at="middle", bold=True)
    for row, thing in enumerate(("block", "warp")):
        c.box(312, 92 + row * 36, 160, 30, thing, round=0)
    c.line((318, 104), (352, 108), (392, 96), (430, 104), (466, 100), look="mark")
    c.line((318, 152), (352, 148), (392, 140), (430, 133), (466, 131), look="mark")
    c.text(392, 182, "2 × 24", at="middle", size="small")


@drawing(
    "capstone-gram",
    "Eight chunks of an archive on two workers, four on each. Each chunk of 50 000 days by 24 hours gives a matrix of 24 by 24. One worker adds these small matrices. The chunks stay "
    "where they are, and only small matrices cross the wire.",
    296,
)
def capstone_gram(c: Canvas) -> None:
    for w, x in enumerate((12, 262)):
        c.frame(x, 12, 226, 168, "device", f"worker {w}")
        for k in range(4):
            left = x + 14 + k * 52
            c.box(left, 44, 36, 70, "memory", strong=True, round=0)
            c.arrow(left + 18, 116, left + 18, 142, thick=1.5)
            c.box(left + 6, 144, 24, 24, "warp", strong=True, round=0)
            c.line((left + 18, 170), (250, 236), look="mark", thick=1)
    c.box(234, 236, 32, 32, "warp", "+", strong=True, round=0, bold=True)
    c.text(218, 258, "added on one worker", at="end", size="small")
    c.text(282, 258, "back to you: 4.6 kB", size="small")
    c.text(250, 288, "blue: 50 000 days × 24 hours, 9.6 MB", at="middle", size="small")


@drawing(
    "capstone-queue",
    "Two ways to find the strongest of the last 24 reports. In the kernel, each thread looks at up to 24 reports. In the queue, one core goes through the reports once. A new report removes all weaker "
    "ones from the end of the queue. The strongest is always at the front.",
    268,
)
def capstone_queue(c: Canvas) -> None:
    c.text(14, 28, "kernel: each thread looks back", bold=True)
    for k in range(16):
        c.box(14 + k * 29.6, 92, 25, 26, "memory", strong=True, round=0)
    for k in (7, 9, 11, 13, 15):
        x = 26.5 + k * 29.6
        c.box(x - 9, 40, 18, 18, "thread", strong=True, round=9)
        for back in range(6):
            c.line((x, 58), (x - back * 29.6, 91), look="mark", thick=0.9)
    c.text(14, 158, "queue: each report enters once, leaves once", bold=True)
    for k, wind in enumerate((21, 16, 13, 9, 7)):
        gone = wind < 14
        c.box(60 + k * 54, 176, 46, 34, "empty" if gone else "memory", str(wind), strong=not gone, dashed=gone, round=0)
    c.box(420, 176, 46, 34, "thread", "14", strong=True, round=0)
    c.arrow(416, 193, 336, 193)
    c.text(83, 236, "front:", at="middle", size="small")
    c.text(83, 255, "strongest", at="middle", size="small")
    c.text(245, 236, "weaker: taken out", at="middle", size="small")
    c.text(443, 236, "new", at="middle", size="small")


@drawing(
    "capstone-judged",
    "How a step is judged, from top to bottom. First: is it right? The answer is compared with a specification on the host, on awkward data too. If not, stop there. Second: is it near its limit? The time is "
    "beside the least time. Third: is the opponent strong? Last, it can be told on one page.",
    300,
)
def capstone_judged(c: Canvas) -> None:
    rows = (
        ("right?", "equal to the specification", "host"),
        ("near the limit?", "time beside the least time", "device"),
        ("strong opponent?", "the best way on a CPU", "host"),
        ("can be told?", "one page, with what is unknown", "wire"),
    )
    for k, (name, what, thing) in enumerate(rows):
        y = 14 + k * 74
        c.box(14, y, 172, 46, thing, name, strong=True, bold=True)
        if k:
            c.arrow(100, y - 27, 100, y - 1)
        c.text(200, y + 18, what, size="small")
        if k == 0:
            c.text(222, y + 42, "yes: go on", size="small")
            c.tick(204, y + 36, 6)
            c.text(360, y + 42, "no: stop", size="small")
            c.cross(344, y + 37, 6)
        elif k == 1:
            c.box(196, y + 28, 60, 14, "device", strong=True, round=0)
            c.box(256, y + 28, 120, 14, "empty", round=0)
            c.text(386, y + 41, "33 %", size="small")


@drawing(
    "capstone-map",
    "A map of the six milestones. The first two are for both tracks: 1, a budget, and 2, where each step belongs. Then choose one track. Track A: A3 repairs a table, A4 is a kernel for delays, "
    "A5 finds the shapes of bad days, A6 computes many futures. Track B: B3 turns numbers into light, B4 is a kernel for a median, B5 finds eigen-images, B6 cleans a wall of pictures. Both end in a picture and a page.",
    452,
)
def capstone_map(c: Canvas) -> None:
    c.box(60, 12, 380, 38, "host", "1  a budget of bytes and seconds", strong=True)
    c.box(60, 66, 380, 38, "host", "2  host, GPU or cluster?", strong=True)
    c.arrow(250, 51, 250, 65)
    c.text(120, 136, "track A: flights", at="middle", bold=True)
    c.text(380, 136, "track B: pictures", at="middle", bold=True)
    c.text(250, 136, "or", at="middle")
    tracks = (
        (
            14,
            (
                ("A3  repair a table", "units 07, 08"),
                ("A4  delays: kernel", "unit 05"),
                ("A5  bad days: SVD", "unit 12"),
                ("A6  many futures", "units 10, 11"),
            ),
        ),
        (
            266,
            (
                ("B3  light: repair", "units 01, 02"),
                ("B4  median: kernel", "unit 05"),
                ("B5  tiles: SVD", "unit 12"),
                ("B6  wall of chunks", "unit 10"),
            ),
        ),
    )
    for x, steps in tracks:
        for k, (name, unit) in enumerate(steps):
            y = 148 + k * 62
            c.box(x, y, 220, 48, "device", name, unit, strong=True, size="small")
            if k:
                c.arrow(x + 110, y - 13, x + 110, y - 1)
        c.arrow(x + 110, 383, x + 110, 403)
    c.box(60, 404, 380, 38, "host", "picture, page, rubric", strong=True)


@drawing(
    "capstone-planes",
    "Three flights of one plane in one future, from left to right. The first is 40 minutes late by itself. The time between the flights takes 25 of them away, so 15 are handed on. The second adds 10 of its own "
    "and is 25 late. The next buffer takes all of them, and the third is late only by its own 5.",
    256,
)
def capstone_planes(c: Canvas) -> None:
    late = ((0, 40), (15, 10), (0, 5))
    buffers = ("− 25", "− 30")
    base, scale = 190, 3.2
    for k, (brought, own) in enumerate(late):
        x = 40 + k * 165
        if brought:
            c.box(
                x,
                base - brought * scale,
                70,
                brought * scale,
                "block",
                str(brought),
                strong=True,
                round=0,
                size="small",
            )
        c.box(
            x,
            base - (brought + own) * scale,
            70,
            own * scale,
            "thread",
            str(own) if own > 6 else "",
            strong=True,
            round=0,
            size="small",
        )
        c.text(
            x + 35, base - (brought + own) * scale - 8, f"{brought + own} late", at="middle", size="small", bold=True
        )
        c.text(x + 35, base + 22, f"flight {k + 1}", at="middle", size="small")
    for k, words in enumerate(buffers):
        c.arrow(118 + k * 165, 176, 196 + k * 165, 176)
        c.text(157 + k * 165, 166, words, at="middle", size="small")
    c.key(40, 228, 18, 16, "thread", "own", strong=True, size="small")
    c.key(140, 228, 18, 16, "block", "brought along", strong=True, size="small")
    c.text(300, 242, "arrow: buffer", size="small")


@drawing(
    "capstone-tiles",
    "A picture is cut into tiles of p by p pixels, from the upper left. What fills no tile is left out, and is hatched. Each tile becomes one row of p squared numbers. The rows are a matrix with one row for each tile.",
    228,
)
def capstone_tiles(c: Canvas) -> None:
    c.text(20, 28, "picture", bold=True)
    cell = 42
    for row in range(3):
        for column in range(4):
            c.box(20 + column * cell, 42 + row * cell, cell, cell, "memory", strong=(row, column) == (0, 1), round=0)
    c.waste(20 + 4 * cell, 42, 18, 3 * cell + 14)
    c.waste(20, 42 + 3 * cell, 4 * cell, 14)
    c.arrow(216, 106, 268, 106)
    c.text(285, 28, "matrix of tiles", bold=True)
    for row in range(12):
        c.box(285, 40 + row * 12, 190, 12, "memory", strong=row == 1, round=0)
    c.text(20, 212, "p × p pixels a tile", size="small")
    c.text(380, 212, "p² numbers a row", at="middle", size="small")
