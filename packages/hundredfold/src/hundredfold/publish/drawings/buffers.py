"""Drawings of what arrays take and move: operations for each byte, temporaries, the pool, views, types, and when a trip pays.

Figures of a GPU are those of `machine.gpus`.
"""

from __future__ import annotations

from math import log10

from gpusim.hardware import gpus
from kernellens.plot.quantities import byte_rate

from .canvas import Canvas
from .registry import drawing

CARD, DESK = "H200", "RTX 4090"  #: the GPUs whose figures are written in these drawings
PROCESSOR = 150e9  #: bytes per second from the memory of a good server's CPU


@drawing(
    "operations-per-byte",
    "A scale of operations for each byte, from 0.03 to 3000. On an H200 in float64 memory binds below 7.1, on an RTX 4090 in float64 below 1.3 and in float32 "
    "below 82; above that arithmetic binds. x + 1 lies far to the left, a large matrix product far to the right.",
    290,
)
def operations_per_byte(c: Canvas) -> None:
    x0, w, low, high = 118, 370, 0.03, 3000

    def at(value: float) -> float:
        return x0 + w * log10(value / low) / log10(high / low)

    for value, name, end in ((1 / 16, "x + 1", "start"), (2e12 / 2.4e9, "x @ x", "middle")):
        c.text(at(value) - (8 if end == "start" else 0), 24, name, mono=True, size="small", at=end)
        c.arrow(at(value), 30, at(value), 50)
    rows = ((CARD, "float64"), (DESK, "float64"), (DESK, "float32"))
    for k, (name, dtype) in enumerate(rows):
        gpu, y = gpus.find(name), 56 + k * 58
        balance = (gpu.fp64 if dtype == "float64" else gpu.fp32) / gpu.bandwidth
        c.text(12, y + 18, name, bold=True)
        c.text(12, y + 38, f"{dtype}: {balance:.2g}", size="small", room=x0 - 14)
        c.box(x0, y, at(balance) - x0, 44, "memory", "memory binds", size="small", round=0)
        c.box(at(balance), y, x0 + w - at(balance), 44, "device", "arithmetic", size="small", round=0)
    c.line((x0, 234), (x0 + w, 234), look="mark")
    for value, name in ((0.1, "0.1"), (1, "1"), (10, "10"), (100, "100"), (1000, "1000")):
        c.line((at(value), 229), (at(value), 239), look="mark")
        c.text(at(value), 256, name, at="middle", size="small")
    c.text(x0 + w / 2, 280, "operations for each byte", at="middle", colour="muted")


@drawing(
    "temporaries",
    "Which arrays are in memory while the five kernels of one line run. The sine is needed until its square is written; that square waits until the end. "
    "While the cosine is squared, and while the two squares are added, three arrays are there at once.",
    318,
)
def temporaries(c: Canvas) -> None:
    x0, step = 148, 68
    c.text(12, 30, "kernel", bold=True)
    for k, name in enumerate(("sin", "** 2", "cos", "** 2", "+")):
        c.box(x0 + k * step, 12, step - 6, 28, "device", name, strong=True, size="small", mono=True, round=3)
    rows = (("sin(x)", 0, 2), ("sin(x) ** 2", 1, 5), ("cos(x)", 2, 4), ("cos(x) ** 2", 3, 5), ("… + …", 4, 5))
    for k, (name, made, gone) in enumerate(rows):
        y = 56 + k * 40
        c.text(12, y + 19, name, mono=True, size="small")
        c.box(x0 + made * step, y, step - 6, 28, "memory", "written", strong=True, size="small", round=2)
        if gone - made > 1:
            c.box(x0 + (made + 1) * step - 6, y, (gone - made - 1) * step, 28, "memory", round=2)
    c.line((10, 262), (490, 262))
    c.text(12, 290, "arrays at once", bold=True)
    for k, many in enumerate((1, 2, 2, 3, 3)):
        c.text(x0 + k * step + 31, 290, str(many), at="middle", bold=many == 3)
    c.text(12, 311, "x itself is not counted", colour="muted", size="small")


@drawing(
    "pool-life",
    "Three pictures of the device's memory. After t = x + 1 both arrays are in use. After del t the place of t belongs to the pool: nvidia-smi still shows two arrays. "
    "After free_all_blocks it is free for all programs again.",
    274,
)
def pool_life(c: Canvas) -> None:
    x0, w, one = 14, 472, 150
    rows = (
        ("t = x + 1", "use", "2 arrays"),
        ("del t", "pool", "2 arrays"),
        ("pool.free_all_blocks()", "free", "1 array"),
    )
    for k, (code, state, shown) in enumerate(rows):
        y = 36 + k * 76
        c.text(x0, y - 10, code, mono=True, bold=True, size="small")
        c.text(486, y - 10, f"nvidia-smi: {shown}", at="end")
        c.box(x0, y, w, 36, "empty", round=2)
        c.box(x0, y, one, 36, "memory", "x", strong=True, round=2, mono=True)
        if state == "use":
            c.box(x0 + one, y, one, 36, "memory", "t", strong=True, round=2, mono=True)
        elif state == "pool":
            c.box(x0 + one, y, one, 36, "memory", round=2)
            c.hatch(x0 + one, y, one, 36)
    c.key(x0, 242, 22, 18, "memory", "in use", strong=True, round=2)
    c.box(x0 + 118, 242, 22, 18, "memory", round=2)
    c.hatch(x0 + 118, 242, 22, 18)
    c.text(x0 + 148, 257, "kept by the pool")
    c.key(x0 + 300, 242, 22, 18, "empty", "free", round=2)


@drawing(
    "view-base",
    "The array big of three rows and four columns, row by row in one buffer of twelve numbers. The view of the first three numbers of its first row has no buffer: it points "
    "into that of big, and keeps all of it in memory. The copy owns a buffer of three numbers.",
    300,
)
def view_base(c: Canvas) -> None:
    x0, cell = 14, 39.0
    c.text(x0, 28, "big", mono=True, bold=True)
    c.text(486, 28, "3 × 4 of float64: one buffer, 96 bytes", at="end")
    for r in range(3):
        c.text(x0 + (r + 0.5) * 4 * cell, 56, f"row {r}", at="middle", size="small")
    c.cells(x0, 64, cell, 34, ["memory!"] * 12)
    for r in range(4):
        c.line((x0 + r * 4 * cell, 60), (x0 + r * 4 * cell, 102), look="mark", thick=3)
    c.span(x0 + 3, x0 + 3 * cell - 3, 112)
    c.arrow(x0 + 1.5 * cell, 148, x0 + 1.5 * cell, 114)
    c.box(x0, 150, 472, 54, "empty", dashed=True)
    c.text(x0 + 14, 172, "big[0, :3]", mono=True, bold=True)
    c.text(474, 172, "a view: no buffer of its own", at="end")
    c.text(x0 + 14, 194, "starts at number 0, has 3 numbers; keeps all of big", size="small")
    c.text(x0, 240, "big[0, :3].copy()", mono=True, bold=True)
    c.text(486, 240, "its own buffer, 24 bytes", at="end")
    c.cells(x0, 252, cell, 34, ["memory!"] * 3)


@drawing(
    "float-bits",
    "A float64 has 64 bits, 52 of them for about 16 digits; a float32 has 32 bits, 23 of them for about 7 digits. An H200 has one arithmetic unit of float64 for "
    "every two of float32; an RTX 4090 has one for every 64.",
    332,
)
def float_bits(c: Canvas) -> None:
    x0, bit = 14, 472 / 64
    for k, (name, exponent, digits, many) in enumerate((("float64", 11, 52, 16), ("float32", 8, 23, 7))):
        y = 36 + k * 70
        c.text(x0, y - 9, f"{name}: {(1 + exponent + digits) // 8} bytes", bold=True)
        c.box(x0, y, bit, 32, "empty", round=0)
        c.box(x0 + bit, y, exponent * bit, 32, "empty", "range", size="small", round=0)
        c.box(x0 + (1 + exponent) * bit, y, digits * bit, 32, "memory", f"{many} digits", strong=True, round=0)
    c.line((10, 156), (490, 156), look="rule faint")
    for k, name in enumerate((CARD, DESK)):
        gpu, y = gpus.find(name), 186 + k * 78
        ratio = round(gpu.fp32 / gpu.fp64)
        c.text(x0, y - 6, f"{name}: ratio of arithmetic units", bold=True)
        for line, (dtype, units) in enumerate((("float32", ratio), ("float64", 1))):
            c.text(x0, y + 17 + line * 26, dtype, size="small")
            wide = 5.75
            for n in range(units):
                c.box(x0 + 66 + n * wide, y + 4 + line * 26, wide, 18, "device", strong=True, round=0)
            c.text(x0 + 66 + units * wide + 10, y + 18 + line * 26, str(units), size="small")


@drawing(
    "pays-after",
    f"Two timelines of four passes over data that is on the host. The server's CPU needs four equal times. The {CARD} first waits for the bus, as long as three such "
    "passes, then does its four passes almost at once and is first. With three passes the CPU would have been first.",
    220,
)
def pays_after(c: Canvas) -> None:
    gpu = gpus.find(CARD)
    x0, one = 14, 112.0
    trip, here = PROCESSOR / gpu.link * one, PROCESSOR / gpu.bandwidth * one
    c.text(x0, 28, "CPU of a server", bold=True)
    c.text(486, 28, f"{byte_rate(PROCESSOR)} from its memory", at="end")
    for k in range(4):
        c.box(x0 + k * one, 40, one - 3, 36, "host", f"pass {k + 1}", strong=True, round=2)
    c.text(x0, 118, CARD, bold=True)
    c.text(486, 118, f"{byte_rate(gpu.link)} over the bus, then {byte_rate(gpu.bandwidth)}", at="end")
    c.box(x0, 130, trip - 3, 36, "wire", "to the device", strong=True, round=2)
    for k in range(4):
        c.box(x0 + trip + k * (here + 1.5), 130, here, 36, "device", strong=True, round=0)
    c.text(x0 + trip + 4 * (here + 1.5) + 10, 154, "4 passes")
    for top, bottom in ((36, 84), (126, 186)):
        c.line((x0 + trip - 1.5, top), (x0 + trip - 1.5, bottom), look="mark", dashed=True)
    c.text(486, 206, "with 3 passes the CPU is first", at="end", colour="muted")
