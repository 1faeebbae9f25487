"""Drawings of Dask arrays: chunks, a task graph, client, scheduler and workers, the task stream and a screenshot of one, chunk sizes, a reduction, rechunking, margins."""

from __future__ import annotations

from .canvas import Canvas
from .registry import drawing


@drawing(
    "dask-chunks",
    "A Dask array of 500 000 by 500 000 numbers, 2 TB, cut into a grid of 50 by 50 chunks. One chunk has 10 000 by 10 000 numbers, 800 MB. It becomes an "
    "ordinary array of NumPy or CuPy when its task runs.",
    306,
)
def dask_chunks(c: Canvas) -> None:
    x0, y0, side = 14, 40, 225
    step = side / 50
    c.text(x0, 27, "Dask array: a plan", bold=True)
    c.box(x0, y0, side, side, "memory", round=0)
    for k in range(1, 50):
        c.line((x0 + k * step, y0), (x0 + k * step, y0 + side), thick=0.4)
        c.line((x0, y0 + k * step), (x0 + side, y0 + k * step), thick=0.4)
    column, row = 38, 16
    left, top = x0 + column * step, y0 + row * step
    c.box(left, top, step, step, "memory", strong=True, round=0)
    c.outline(left, top, step, step, thick=1.5)
    c.line((left + step, top), (330, 62), look="mark", dashed=True)
    c.line((left + step, top + step), (330, 202), look="mark", dashed=True)
    c.text(330, 48, "one chunk", bold=True)
    c.box(330, 62, 140, 140, "memory", "10 000", "× 10 000", "800 MB", strong=True, round=0)
    c.text(486, 230, "later an array of", at="end")
    c.text(486, 250, "NumPy or CuPy", at="end")
    c.text(x0, 292, "500 000 × 500 000 numbers, 2 TB")


@drawing(
    "task-graph",
    "A task graph of two chunks. For each chunk the tasks normal, plus 1, every second element, and sum follow each other. One more task adds up the two "
    "sums. A dashed frame around the tasks of a chunk marks what Dask fuses into one task.",
    212,
)
def task_graph(c: Canvas) -> None:
    tasks = (("normal", 72, False), ("+ 1", 50, True), ("[::2, ::2]", 104, True), ("sum", 54, False))
    for k, y in enumerate((32, 122)):
        c.text(24, y - 8, f"chunk {k}", bold=True)
        c.box(20, y, 370, 54, "empty", dashed=True)
        x = 32.0
        for name, wide, mono in tasks:
            if x > 32:
                c.arrow(x - 24, y + 27, x, y + 27)
            c.box(x, y + 8, wide, 38, "thread", name, size="small", mono=mono, strong=True)
            x += wide + 24
        c.line((390, y + 27), (448, y + 27), look="mark", thick=2)
    c.arrow(448, 59, 448, 83)
    c.arrow(448, 149, 448, 125)
    c.box(412, 83, 72, 42, "thread", "sum", strong=True, size="small")
    c.text(24, 202, "dashed: fused into one task", size="small")


@drawing(
    "client-scheduler-workers",
    "The processes of a Dask cluster with two GPUs. The client, your notebook, sends the graph to the scheduler and gets the result from it. The scheduler "
    "gives tasks to two workers, one for each GPU, and they report that a task is done. Each worker keeps chunks. A chunk goes directly from one worker to another.",
    346,
)
def client_scheduler_workers(c: Canvas) -> None:
    c.box(14, 24, 160, 66, "host", "client", "your notebook", strong=True, bold=True)
    c.box(326, 24, 160, 66, "host", "scheduler", "one process", strong=True, bold=True)
    c.text(250, 40, "graph", at="middle", size="small")
    c.arrow(176, 48, 324, 48)
    c.arrow(324, 70, 176, 70)
    c.text(250, 90, "result", at="middle", size="small")
    c.arrow(390, 92, 390, 180)
    c.arrow(440, 180, 440, 92)
    c.line((340, 92), (340, 120), (74, 120), look="mark", thick=2)
    c.arrow(74, 120, 74, 180)
    c.line((124, 180), (124, 152), (356, 152), look="mark", thick=2)
    c.line((356, 152), (356, 130), look="mark", thick=2)
    c.arrow(356, 130, 356, 92)
    c.text(225, 112, "tasks", at="middle", size="small")
    c.text(225, 145, "done", at="middle", size="small")
    for k, x in enumerate((14, 326)):
        c.frame(x, 182, 160, 112, "device", f"worker {k}")
        c.text(x + 10, 226, f"with GPU {k}", size="small")
        for j in range(4):
            c.box(x + 12 + j * 35, 242, 30, 38, "memory", strong=True, round=0)
    c.arrow(176, 260, 324, 260, both=True)
    c.text(250, 250, "chunks", at="middle", size="small")
    c.key(14, 310, 18, 18, "memory", "a chunk, an array in a worker's memory", strong=True, size="small")


@drawing(
    "task-stream",
    "The task stream of two workers, time from left to right. Each rectangle is a task, and its colour is the kind of task. An orange piece before a task is the "
    "time in which a worker fetches data from the other. White is time without a task.",
    244,
)
def task_stream(c: Canvas) -> None:
    lanes = (
        (
            "worker 0",
            ((86, 90, "thread"), (178, 90, "thread"), (270, 64, "thread"), (336, 28, "block"), (366, 60, "warp")),
        ),
        ("worker 1", ((86, 84, "thread"), (172, 96, "thread"), (270, 90, "thread"))),
    )
    for k, (name, tasks) in enumerate(lanes):
        y = 22 + k * 52
        c.text(12, y + 25, name, size="small")
        c.box(84, y - 4, 402, 46, round=0)
        for x, wide, thing in tasks:
            c.box(x, y, wide, 38, thing, strong=True, round=0)
    c.text(84, 142, "time →", colour="muted", size="small")
    for k, (thing, words) in enumerate(
        (("thread", "random numbers"), ("warp", "sum"), ("block", "fetches data"), ("empty", "no task"))
    ):
        x, y = 84 + k % 2 * 200, 164 + k // 2 * 34
        c.box(x, y, 24, 20, thing, strong=thing != "empty", round=0)
        c.text(x + 34, y + 16, words, size="small")


@drawing(
    "dask-task-stream",
    "A screenshot of Dask's task stream with two rows, one for each worker. Wide green tasks come first, in each row. Narrow blue and purple tasks follow. "
    "Then there are red pieces, in which data moves, with narrow tasks and white gaps between them.",
    214,
)
def dask_task_stream(c: Canvas) -> None:
    c.screenshot(
        "dask-task-stream", 32, "Task Stream", {95: "00:00:00", 263: "00:00:02", 432: "00:00:04", 602: "00:00:06"}
    )


@drawing(
    "three-streams",
    "Three task streams of two workers, a, b and c, time from left to right. In a, each task comes after an orange piece that is as long as the task. In b, long tasks follow "
    "each other without a gap. In c, short tasks are far apart, with white between them.",
    290,
)
def three_streams(c: Canvas) -> None:
    for k, name in enumerate("abc"):
        top = 14 + k * 92
        c.text(14, top + 44, f"({name})", bold=True)
        for lane in range(2):
            y = top + lane * 38
            c.box(56, y, 430, 34, round=0)
            if name == "a":
                for j in range(3):
                    x = 58 + j * 142 + 26 * lane
                    c.box(x, y + 3, 56, 28, "block", strong=True, round=0)
                    c.box(x + 58, y + 3, 56, 28, "thread", strong=True, round=0)
            elif name == "b":
                for j in range(4):
                    c.box(58 + j * 107, y + 3, 104, 28, "thread", strong=True, round=0)
            else:
                for j in range(10 - lane):
                    c.box(60 + j * 44 + 22 * lane, y + 3, 7, 28, "thread", strong=True, round=0)


@drawing(
    "chunk-sizes",
    "The same array cut in three ways for four workers. In 256 chunks, too small: the workers wait for the scheduler between short tasks. In 16 chunks, good: all "
    "workers are busy. In one chunk, too large: one worker is busy and three are idle.",
    330,
)
def chunk_sizes(c: Canvas) -> None:
    for k, (name, cuts) in enumerate((("too small", 16), ("good", 4), ("too large", 1))):
        x, side = 14 + k * 164, 144
        c.text(x, 27, name, bold=True)
        c.box(x, 38, side, side, "memory", strong=True, round=0)
        for j in range(1, cuts):
            step = side / cuts
            c.line((x + j * step, 38), (x + j * step, 38 + side), thick=1, look="mark")
            c.line((x, 38 + j * step), (x + side, 38 + j * step), thick=1, look="mark")
        for lane in range(4):
            y = 206 + lane * 24
            c.box(x, y, side, 20, round=0)
            if cuts == 16:
                for j in range(5):
                    c.box(x + 3 + j * 28 + lane * 5, y + 2, 5, 16, "thread", strong=True, round=0)
            elif cuts == 4:
                for j in range(4):
                    c.box(x + 2 + j * 35.3, y + 2, 33, 16, "thread", strong=True, round=0)
            elif not lane:
                c.box(x + 2, y + 2, side - 4, 16, "thread", strong=True, round=0)
    c.text(14, 320, "four workers over time; white: idle", size="small")


@drawing(
    "tree-or-shuffle",
    "Two ways in which chunks meet. A sum is a tree: each chunk is summed where it is, one task adds the sums of four chunks, a second those of the other four, and a last one adds the two. "
    "From chunks of rows to chunks of columns every new chunk needs a piece of every old one: 16 pieces for four chunks.",
    458,
    touch="Point at a chunk, or tap it, to see what moves.",
)
def tree_or_shuffle(c: Canvas) -> None:
    step, wide = 59.8, 53

    def leaf(k: int) -> float:
        return 14 + k * step + wide / 2

    def middle(group: int) -> float:
        return leaf(0) + (group * 4 + 1.5) * step

    def column(k: int) -> float:
        return 64 + k * 124

    c.text(14, 26, "sum: a tree", bold=True)
    for k in range(8):
        c.box(leaf(k) - wide / 2, 38, wide, 34, "memory", "chunk", strong=True, round=0, size="small")
        c.box(leaf(k) - 22.5, 78, 45, 28, "thread", "sum", strong=True, size="small")
    for group in range(2):
        for k in range(4):
            c.line((leaf(group * 4 + k), 108), (middle(group), 146), look="mark")
        c.box(middle(group) - 32, 146, 64, 32, "thread", "sum", strong=True, size="small")
        c.line((middle(group), 180), (250, 212), look="mark")
    c.box(218, 212, 64, 32, "thread", "sum", strong=True, size="small")
    c.line((10, 262), (490, 262), look="rule faint")
    c.text(14, 290, "rows to columns: all to all", bold=True)
    for k in range(4):
        c.box(column(k) - 50, 302, 100, 30, "memory", f"rows {k}", strong=True, round=0, size="small")
        c.box(column(k) - 50, 412, 100, 30, "memory", f"columns {k}", strong=True, round=0, size="small")
        for j in range(4):
            c.line((column(k), 334), (column(j), 410), look="mark", thick=1.2)
    with c.still():
        c.text(486, 26, "numbers move", at="end", size="small")
        c.text(486, 290, "pieces move", at="end", size="small")
    for k in range(8):
        with c.spot(f"Chunk {k}: only its sum moves.", (leaf(k) - wide / 2, 38, wide, 68)):
            c.line((leaf(k), 108), (middle(k // 4), 146), look="mark", thick=4)
            c.line((middle(k // 4), 180), (250, 212), look="mark", thick=4)
            c.text(486, 26, "this chunk: only its sum moves", at="end", size="small")
    for k in range(4):
        with c.spot(f"Rows {k}: a piece goes to each new chunk.", (column(k) - 50, 302, 100, 30)):
            for j in range(4):
                c.line((column(k), 334), (column(j), 410), look="mark", thick=4)
            c.text(486, 290, f"rows {k}: a piece to each", at="end", size="small")
        with c.spot(f"Columns {k}: a piece comes from each old chunk.", (column(k) - 50, 412, 100, 30)):
            for j in range(4):
                c.line((column(j), 334), (column(k), 410), look="mark", thick=4)
            c.text(486, 290, f"columns {k}: a piece of each", at="end", size="small")


@drawing(
    "rechunk",
    "Rechunking for a function that needs whole columns. On the left an array in 4 by 4 square chunks. On the right the same array in four chunks, each as tall as the "
    "array. The four old chunks of the first column become one new chunk.",
    262,
)
def rechunk(c: Canvas) -> None:
    side, cell = 176, 44
    c.text(24, 27, "16 chunks", bold=True)
    c.text(300, 27, "4 chunks", bold=True)
    for row in range(4):
        for column in range(4):
            c.box(24 + column * cell, 40 + row * cell, cell, cell, "memory", strong=column == 0, round=0)
    for column in range(4):
        c.box(300 + column * cell, 40, cell, side, "memory", strong=column == 0, round=0)
    c.arrow(210, 128, 290, 128, thick=3)
    c.text(250, 112, "rechunk", at="middle", size="small")
    c.text(24, 246, "marked: four old chunks, one new one", size="small")


@drawing(
    "overlap-margins",
    "A map_overlap in three steps. A chunk of 200 by 200 pixels gets a margin of one pixel from the chunks around it, and has 202 by 202 pixels. The function runs "
    "on it. Then the margin is cut off, and 200 by 200 pixels remain.",
    270,
)
def overlap_margins(c: Canvas) -> None:
    cell = 58
    c.text(14, 27, "nine chunks", bold=True)
    for row in range(3):
        for column in range(3):
            middle = row == column == 1
            c.box(14 + column * cell, 40 + row * cell, cell, cell, "memory", strong=middle, round=0)
    ring = 9
    x, y = 14 + cell, 40 + cell
    for left, top, wide, high in (
        (x - ring, y - ring, cell + 2 * ring, ring),
        (x - ring, y + cell, cell + 2 * ring, ring),
        (x - ring, y, ring, cell),
        (x + cell, y, ring, cell),
    ):
        c.box(left, top, wide, high, "wire", strong=True, round=0)
    c.arrow(196, 127, 226, 127)
    c.box(232, 89, 76, 76, "wire", strong=True, round=0)
    c.box(241, 98, 58, 58, "empty", round=0)
    c.box(241, 98, 58, 58, "memory", strong=True, round=0)
    c.text(270, 74, "202²", at="middle")
    c.arrow(314, 127, 396, 127)
    c.text(355, 114, "function,", at="middle", size="small")
    c.text(355, 150, "cut off", at="middle", size="small")
    c.box(402, 98, 58, 58, "thread", strong=True, round=0)
    c.text(431, 74, "200²", at="middle")
    c.key(14, 236, 18, 18, "wire", "margin of one pixel, from the neighbours", strong=True, size="small")
