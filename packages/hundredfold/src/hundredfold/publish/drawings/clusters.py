"""Drawings of clusters: processes, GPUs, a pool, a screenshot of the dashboard, spilling, what travels, a search, an actor, a worker's death."""

from __future__ import annotations

from .canvas import Canvas
from .registry import drawing


@drawing(
    "cluster-processes",
    "The processes of a cluster with two GPUs. The client, your notebook, sends tasks to the scheduler. The scheduler hands them to two workers. Each worker "
    "computes with its GPU and keeps results. Results go from worker to worker, and through the scheduler to the client. Around each worker is its nanny.",
    318,
)
def cluster_processes(c: Canvas) -> None:
    c.box(14, 18, 160, 64, "host", "client", "your notebook", strong=True, bold=True)
    c.box(326, 18, 160, 64, "host", "scheduler", "keeps no results", strong=True, bold=True)
    c.text(250, 30, "tasks", at="middle", size="small")
    c.arrow(176, 38, 324, 38)
    c.arrow(324, 62, 176, 62)
    c.text(250, 82, "results", at="middle", size="small")
    c.text(240, 108, "tasks and results", at="middle", size="small")
    for k, x in enumerate((14, 286)):
        c.box(x, 140, 200, 162, dashed=True, round=8)
        c.text(x + 10, 162, f"nanny {k}", bold=True)
        c.frame(x + 14, 172, 172, 116, "host", f"worker {k}")
        c.box(x + 24, 202, 152, 76, "device")
        c.text(x + 34, 222, f"GPU {k}: results", size="small")
        for j in range(4):
            c.box(x + 34 + j * 34, 234, 29, 30, "memory", strong=True, round=0)
    c.arrow(406, 84, 406, 172, both=True)
    c.line((356, 98), (356, 116), (114, 116), (114, 158), look="mark", thick=2)
    c.arrow(356, 112, 356, 84)
    c.arrow(114, 146, 114, 172)
    c.text(250, 226, "results", at="middle", size="small")
    c.arrow(200, 236, 300, 236, both=True)


@drawing(
    "one-worker-per-gpu",
    "Two workers on a machine with two GPUs. Worker 0 has CUDA_VISIBLE_DEVICES set to 0,1 and worker 1 to 1,0. The first number of the list is the GPU that the "
    "worker calls GPU 0. So each worker has a GPU of its own.",
    232,
)
def one_worker_per_gpu(c: Canvas) -> None:
    for k, order in enumerate(("0,1", "1,0")):
        y = 16 + k * 100
        c.frame(14, y, 272, 84, "host", f"worker {k}")
        c.text(24, y + 46, "CUDA_VISIBLE_DEVICES", size="small", mono=True)
        c.text(24, y + 70, f"= {order}", size="small", mono=True)
        c.arrow(290, y + 42, 378, y + 42)
        c.text(334, y + 28, "its 0", at="middle", size="small")
        c.box(382, y + 6, 104, 72, "device", f"GPU {k}", strong=True, bold=True)
    c.text(14, 222, "Each worker calls its own GPU number 0.", size="small")


@drawing(
    "context-too-early",
    "The start of worker 1 in four steps. It runs your script again. The script makes an array, and with it a context on GPU 0. Then Dask-CUDA names GPU 1 as "
    "the worker's own. The process stays on GPU 0. GPU 0 now has two workers, and GPU 1 is idle.",
    290,
)
def context_too_early(c: Canvas) -> None:
    c.text(14, 26, "worker 1 starts", bold=True)
    steps = (
        ("empty", ("runs the script again",), False),
        ("device", ("cupy.arange(1000)", "context on GPU 0"), True),
        ("empty", ("Dask-CUDA:", "“your GPU is 1”"), False),
        ("block", ("too late: on GPU 0",), True),
    )
    y = 38.0
    for k, (thing, lines, strong) in enumerate(steps):
        high = 30 + 20 * (len(lines) - 1)
        c.box(14, y, 230, high, thing, *lines, strong=strong, size="small")
        y += high
        if k < len(steps) - 1:
            c.arrow(129, y + 1, 129, y + 21)
            y += 22
    c.frame(300, 38, 186, 106, "device", "GPU 0")
    c.box(314, 70, 158, 28, "host", "worker 0", strong=True, size="small")
    c.box(314, 106, 158, 28, "host", "worker 1", strong=True, size="small")
    c.box(300, 160, 186, 76)
    c.hatch(300, 160, 186, 76)
    c.box(350, 184, 86, 28, "empty", "GPU 1", bold=True)
    c.text(300, 262, "hatched: idle", size="small")


@drawing(
    "worker-pool",
    "The memory of one GPU as a bar. At the left is the worker's context, then a pool, then memory for other processes. In the pool are four arrays, "
    "with free pieces between them. A new array gets a free piece of the pool, without a call of the driver.",
    218,
)
def worker_pool(c: Canvas) -> None:
    c.text(14, 26, "memory of one GPU", bold=True)
    c.box(14, 40, 60, 84, "wire", strong=True, round=0)
    c.box(74, 40, 262, 84, "memory", round=0)
    c.box(336, 40, 150, 84, "empty", dashed=True, round=0)
    for x, wide in ((78, 62), (158, 44), (202, 56), (286, 30)):
        c.box(x, 46, wide, 72, "memory", strong=True, round=0)
    c.span(14, 72, 140)
    c.text(14, 164, "context", size="small")
    c.span(76, 334, 140)
    c.text(205, 164, "the worker's pool", at="middle", size="small")
    c.span(338, 486, 140)
    c.text(412, 164, "for others", at="middle", size="small")
    c.key(14, 186, 18, 18, "memory", "array", strong=True, size="small")
    c.key(110, 186, 18, 18, "memory", "free piece of the pool", size="small")


@drawing(
    "dask-gpu-memory",
    "A screenshot of the panel GPU Memory, before any task has run. Its axis goes to 244 MiB. One green bar for each of two workers ends at 122 MiB. "
    "The title gives the sum, 244.14 MiB of 488.28 MiB.",
    168,
)
def dask_gpu_memory(c: Canvas) -> None:
    c.screenshot(
        "dask-gpu-memory",
        32,
        "GPU Memory: 244.14 MiB / 488.28 MiB",
        {2: "0.0", 238: "64.0 MiB", 475: "128.0 MiB", 710: "192.0 MiB"},
    )


@drawing(
    "spilling-levels",
    "Where a worker keeps its results, in three levels: on the GPU, in main memory, on disk. When a level reaches its limit, its least recently used result goes one level "
    "down. A task that needs a spilled result brings it up to the GPU again.",
    288,
)
def spilling_levels(c: Canvas) -> None:
    levels = (
        ("device", "on the GPU", "device_memory_limit", 3),
        ("host", "in main memory", "memory_limit", 4),
        ("wire", "on disk", "no limit", 6),
    )
    for k, (thing, name, limit, held) in enumerate(levels):
        y = 14 + k * 92
        c.box(14, y, 330, 68, thing, round=8)
        c.text(26, y + 24, name, bold=True)
        c.text(334, y + 24, limit, at="end", size="small", mono=limit != "no limit")
        for j in range(held):
            c.box(26 + j * 50, y + 34, 44, 26, "memory", strong=True, round=0)
    for y in (84, 176):
        c.arrow(80, y, 80, y + 20, thick=3)
        c.text(100, y + 17, "least recently used", size="small")
    c.line((348, 232), (400, 232), look="mark", thick=2)
    c.line((348, 140), (400, 140), look="mark", thick=2)
    c.line((400, 232), (400, 48), look="mark", thick=2)
    c.arrow(400, 48, 348, 48)
    for y, words in ((100, "up again"), (120, "for a task"), (140, "that"), (160, "needs it")):
        c.text(410, y, words, size="small")


@drawing(
    "what-travels",
    "Two ways to give eight tasks a table of 16 MB. As an argument the table leaves the notebook with each of the eight tasks. With scatter it leaves the notebook "
    "once, and worker 1 gets its copy from worker 0. The eight tasks carry only a future. All that leaves the notebook goes through the scheduler.",
    412,
)
def what_travels(c: Canvas) -> None:
    for half, (title, copies) in enumerate((("submit(score, table, k)", 8), ("submit(score, there, k)", 1))):
        y = 10 + half * 176
        middle = y + 94
        c.text(14, y + 20, title, mono=True, bold=True)
        c.box(14, y + 34, 90, 120, "host", "notebook", strong=True)
        c.box(266, y + 34, 90, 120, "host", "scheduler", strong=True)
        for k in range(2):
            top = y + 34 + k * 76
            c.box(396, top, 90, 44, "host", f"worker {k}", strong=True)
            c.arrow(358, top + 22, 394, top + 22)
        c.arrow(106, middle, 264, middle)
        for k in range(8):
            x, top = 110 + k % 4 * 37, middle - 32 + k // 4 * 42
            if k < copies:
                c.box(x, top, 20, 20, "memory", strong=True, round=0)
            c.box(x + 22, top + 4, 12, 12, "thread", strong=True, round=0)
        if copies == 1:
            c.arrow(441, y + 80, 441, y + 108)
            c.box(452, y + 84, 20, 20, "memory", strong=True, round=0)
    c.box(14, 366, 20, 20, "memory", strong=True, round=0)
    c.text(44, 382, "the table, 16 MB", size="small")
    c.box(214, 370, 12, 12, "thread", strong=True, round=0)
    c.text(236, 382, "a task", size="small")


@drawing(
    "branch-and-bound",
    "A square cut into 16 small squares, each with its bound. The best known value is minus 3.0. Twelve bounds are above it, so their squares are hatched and left out. One of the four others "
    "is cut into 16 again.",
    286,
)
def branch_and_bound(c: Canvas) -> None:
    bounds = ((-2.1, -1.4, -3.2, -2.8), (-0.9, -2.2, -1.7, -3.9), (-3.1, -2.6, -1.1, -0.4), (-1.8, -3.5, -2.4, -0.7))
    for row in range(4):
        for column in range(4):
            x, y, bound = 14 + column * 60, 36 + row * 48, bounds[row][column]
            if bound < -3.0:
                c.box(x, y, 60, 48, "memory", strong=True, round=0)
            else:
                c.waste(x, y, 60, 48)
                c.box(x + 9, y + 12, 42, 24, round=0)
            c.text(x + 30, y + 30, f"{bound:.1f}".replace("-", "−"), at="middle", size="small")
    step = 48
    for row in range(4):
        for column in range(4):
            x, y = 294 + column * step, 36 + row * step
            if (row, column) in {(1, 1), (2, 1)}:
                c.box(x, y, step, step, "memory", strong=True, round=0)
            else:
                c.waste(x, y, step, step)
    x, y = 14 + 3 * 60, 36 + 48
    c.outline(x, y, 60, 48)
    c.line((x + 60, y), (294, 36), look="mark", dashed=True)
    c.line((x + 60, y + 48), (294, 228), look="mark", dashed=True)
    c.text(14, 26, "one step, with bounds", bold=True)
    c.text(294, 26, "the next", bold=True)
    c.text(14, 252, "best known value: −3.0", size="small")
    c.text(14, 276, "hatched: the bound is above it, left out", size="small")


@drawing(
    "actor",
    "An actor on worker 0: an object with an array of ten counts on the worker's GPU. The notebook calls its method add. The scheduler passes the call on to "
    "worker 0. It makes no task of it.",
    234,
)
def actor(c: Canvas) -> None:
    c.box(14, 20, 130, 60, "host", "notebook", strong=True)
    c.box(14, 146, 130, 60, "host", "scheduler", strong=True)
    c.arrow(79, 82, 79, 144)
    c.text(92, 118, "add", mono=True, size="small")
    c.frame(250, 20, 236, 190, "host", "worker 0")
    c.box(266, 56, 204, 138, "thread", round=8)
    c.text(280, 82, "tally", mono=True, bold=True)
    c.text(280, 110, "ten counts on its GPU:", size="small")
    for k in range(10):
        c.box(278 + k * 18, 124, 18, 36, "memory", strong=True, round=0)
    c.arrow(146, 176, 264, 176)
    c.text(176, 166, "add", mono=True, size="small")
    c.text(14, 226, "passed on, not a task", size="small")


@drawing(
    "worker-death",
    "Four parts, each loaded, cleaned and weighed. The loaded parts were released, the cleaned ones are kept. Worker 0 dies with the cleaned parts 0 and 1. Both are loaded and cleaned again. Part 0 had been weighed, and is weighed "
    "again. Part 1 is weighed for the first time. The cleaned parts of worker 1 are still there.",
    306,
)
def worker_death(c: Canvas) -> None:
    rows = (
        ("again", "again", "again"),
        ("again", "again", "first time"),
        ("released", "kept", "done"),
        ("released", "kept", "first time"),
    )
    for k, x in enumerate((112, 236, 360)):
        c.text(x + 50, 28, ("load", "clean", "weigh")[k], at="middle", mono=True)
    for part, row in enumerate(rows):
        y = 40 + part * 54 + (14 if part > 1 else 0)
        c.text(14, y + 25, f"part {part}", size="small")
        for k, (x, word) in enumerate(zip((112, 236, 360), row, strict=True)):
            thing = {"again": "block", "kept": "memory", "done": "memory"}.get(word, "empty")
            c.box(x, y, 100, 38, thing, strong=thing != "empty")
            c.text(x + 50, y + 25, word, at="middle", size="small")
            if k:
                c.arrow(x - 22, y + 19, x - 2, y + 19)
    c.line((10, 148), (490, 148), look="rule faint")
    c.text(14, 276, "parts 0 and 1 were on worker 0, which died", size="small")
    c.key(14, 284, 16, 16, "block", "runs again", strong=True, size="small")
    c.key(150, 284, 16, 16, "memory", "result still on worker 1", strong=True, size="small")
