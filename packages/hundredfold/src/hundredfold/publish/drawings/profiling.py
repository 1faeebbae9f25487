"""Drawings of profiling: the rows of a timeline, three patterns in it, copies beside kernels, and what a faster kernel saves."""

from __future__ import annotations

from .canvas import Canvas
from .registry import drawing


@drawing(
    "timeline-rows",
    "Two rows along the time. The host launches three kernels, one after the other, and then waits. The device begins the first kernel a little after its launch and runs all "
    "three, each after the one before. The host's wait ends when the last kernel ends.",
    226,
)
def timeline_rows(c: Canvas) -> None:
    x0, y1, y2, h = 84, 62, 128, 34
    c.text(14, y1 + 22, "host", bold=True)
    c.text(14, y2 + 22, "device", bold=True)
    starts = (x0, x0 + 34, x0 + 68)
    kernels = ((x0 + 46, 92), (x0 + 142, 92), (x0 + 238, 124))
    for k, x in enumerate(starts):
        c.box(x, y1, 30, h, "host", "abc"[k], strong=True, round=2)
    for k, (x, w) in enumerate(kernels):
        c.box(x, y2, w, h, "device", f"kernel {'abc'[k]}", strong=True, round=2)
    c.arrow(x0 + 15, y1 + h + 2, x0 + 48, y2 - 2)
    c.waste(x0 + 102, y1, 260, h)
    c.box(x0 + 182, y1 + 5, 84, 24, "empty", "waits", round=3)
    c.line((x0 + 362, y1 - 4), (x0 + 362, y2 + h + 4), dashed=True)
    c.text(x0, 34, "launches")
    c.text(x0 + 400, 34, "done", at="end")
    c.text(x0, 204, "time", size="small")
    c.arrow(x0 + 36, 199, x0 + 130, 199)


@drawing(
    "timeline-patterns",
    "Three pairs of rows, host above device. A: the host computes for long between short kernels, and the device is idle. B: the host waits for each kernel before it "
    "launches the next, and the device is idle in between. C: the host launches ahead, and the kernels follow each other without a gap.",
    366,
)
def timeline_patterns(c: Canvas) -> None:
    def pair(y: float, name: str) -> None:
        c.text(14, y, name, bold=True)
        c.text(14, y + 30, "host", size="small")
        c.text(14, y + 60, "device", size="small")

    x0, h = 78, 22
    pair(26, "A")
    for k in range(4):
        x = x0 + k * 102
        c.box(x, 40, 64, h, "wire", "Python", size="small", round=2)
        c.box(x + 66, 40, 22, h, "host", strong=True, round=2)
        c.box(x + 90, 70, 12, h, "device", strong=True, round=2)
    pair(138, "B")
    for k in range(4):
        x = x0 + k * 102
        c.box(x, 152, 22, h, "host", strong=True, round=2)
        c.waste(x + 24, 152, 70, h)
        c.box(x + 24, 182, 70, h, "device", strong=True, round=2)
    pair(250, "C")
    for k in range(4):
        c.box(x0 + k * 26, 264, 22, h, "host", strong=True, round=2)
        c.box(x0 + 24 + k * 74, 294, 70, h, "device", strong=True, round=2)
    c.waste(x0 + 106, 264, 212, h)
    c.key(x0, 342, 20, 16, "host", "launch", strong=True, round=2)
    c.waste(x0 + 104, 342, 20, 16)
    c.text(x0 + 132, 356, "wait")
    c.key(x0 + 196, 342, 20, 16, "device", "kernel", strong=True, round=2)


@drawing(
    "copies-beside-kernels",
    "Four blocks, each a copy and a kernel. With one stream, copy and kernel take turns, and the work takes eight steps. With two streams, the copy of the next block "
    "runs while the kernel of this block computes, and the work takes five steps.",
    300,
)
def copies_beside_kernels(c: Canvas) -> None:
    x0, w, h = 110, 46, 26
    c.text(14, 26, "one stream", bold=True)
    for k in range(4):
        c.box(x0 + 2 * k * w, 40, w - 3, h, "wire", str(k), size="small", round=2)
        c.box(x0 + (2 * k + 1) * w, 40, w - 3, h, "device", str(k), strong=True, round=2)
    c.text(14, 58, "stream 1", size="small")
    c.text(14, 108, "two streams", bold=True)
    for k in range(4):
        y = 122 + 36 * (k % 2)
        c.box(x0 + k * w, y, w - 3, h, "wire", str(k), size="small", round=2)
        c.box(x0 + (k + 1) * w, y, w - 3, h, "device", str(k), strong=True, round=2)
    for k in range(2):
        c.text(14, 140 + 36 * k, f"stream {k + 1}", size="small")
    c.line((x0 + 5 * w, 112), (x0 + 5 * w, 192), dashed=True)
    c.line((x0 + 8 * w, 30), (x0 + 8 * w, 192), dashed=True)
    c.arrow(x0 + 8 * w - 2, 156, x0 + 5 * w + 2, 156)
    c.text(x0 + 6.5 * w, 148, "saved", at="middle")
    c.key(x0, 214, 20, 16, "wire", "copy to the device", round=2)
    c.key(x0 + 186, 214, 20, 16, "device", "kernel", strong=True, round=2)
    c.text(14, 260, "Needed: pinned memory, two streams,", size="small")
    c.text(14, 282, "and no wait inside of the loop.", size="small")


@drawing(
    "faster-kernel",
    "Three bars of a program's 342 ms. As measured: the longest kernel takes 267 ms, everything else 75 ms. With that kernel twice as fast 208 ms remain. With "
    "that kernel gone 75 ms remain.",
    236,
)
def faster_kernel(c: Canvas) -> None:
    x0, scale, h = 14, 1.36, 34
    for k, (name, kernel, rest) in enumerate(
        (
            ("as measured: 342 ms", 267, 75),
            ("the kernel twice as fast: 208 ms", 133.5, 75),
            ("the kernel gone: 75 ms", 0, 75),
        )
    ):
        y = 14 + 72 * k
        c.text(x0, y + 16, name, bold=True)
        c.box(x0, y + 24, rest * scale, h, "wire", "the rest", round=2)
        if kernel:
            c.box(x0 + rest * scale, y + 24, kernel * scale, h, "device", "longest kernel", strong=True, round=2)


@drawing(
    "pool-and-driver",
    "A loop asks for memory. On the left the pool hands out the block that the last pass gave back; the driver is not asked. On the right free_all_blocks gives the block to the "
    "driver in each pass: cudaFree waits for the device, and cudaMalloc brings the block back.",
    262,
)
def pool_and_driver(c: Canvas) -> None:
    c.text(30, 28, "the pool keeps it", bold=True)
    c.box(30, 42, 170, 44, "host", "pass of the loop")
    c.box(30, 132, 170, 44, "memory", "memory pool", strong=True)
    c.arrow(80, 128, 80, 90)
    c.arrow(150, 90, 150, 128)
    c.text(40, 116, "block", at="start", size="small")
    c.box(30, 212, 170, 38, "wire", "driver")
    c.text(270, 28, "free_all_blocks", bold=True)
    c.box(270, 42, 200, 44, "host", "pass of the loop")
    c.box(270, 132, 200, 44, "memory", "memory pool")
    c.arrow(320, 128, 320, 90)
    c.arrow(420, 90, 420, 128)
    c.box(270, 212, 200, 38, "wire", "driver", strong=True)
    c.arrow(320, 208, 320, 180)
    c.arrow(420, 180, 420, 208)
    c.text(330, 200, "malloc", size="small")
    c.text(430, 200, "free", size="small")
