"""Drawings of where data lie and how they travel: host and device, queue and bus, caches, the pool, pinned copies.

Figures of a GPU are those of `machine.gpus`.
"""

from __future__ import annotations

from gpusim.hardware import capabilities, gpus
from kernellens.plot.quantities import byte_rate, seconds, size

from .canvas import Canvas
from .registry import drawing

CARD = "H200"  #: whose figures are written in these drawings
NUMBERS = 100_000_000  #: the elements of the famous line, float64
SEVEN, ONE = 98 * NUMBERS, 8 * NUMBERS  #: bytes that its seven kernels move, and that one fused kernel must read


@drawing(
    "host-device",
    f"On the left the host with Python and its memory, on the right the device with its processors and its own memory. Launches go from Python "
    f"through a queue to the processors. cp.asarray and cp.asnumpy carry arrays over the bus, which on an {CARD} is about a hundred times slower than the device's memory.",
    318,
)
def host_device(c: Canvas) -> None:
    gpu = gpus.find(CARD)
    c.frame(10, 10, 172, 298, "host", "Host")
    c.frame(318, 10, 172, 298, "device", f"Device ({CARD})")
    c.box(24, 48, 144, 58, "empty", "Python, NumPy")
    c.box(332, 48, 144, 58, "empty", f"{gpu.sms} processors")
    c.text(250, 46, "queue", at="middle", bold=True)
    for k in range(3):
        c.box(207 + k * 30, 62, 26, 30, "device", strong=True, round=3)
    c.arrow(168, 77, 204, 77)
    c.arrow(296, 77, 330, 77)
    c.text(250, 114, "launches", at="middle")
    for x, lines in ((24, ("host memory", "x")), (332, ("device memory", "x_gpu"))):
        c.box(x, 212, 144, 80)
        c.box(x, 212, 144, 80, "memory", *lines)
    c.arrow(446, 110, 446, 208, both=True, thick=9)
    c.text(426, 165, byte_rate(gpu.bandwidth), at="end", size="small", bold=True, room=100)
    c.arrow(96, 110, 96, 208, both=True, thick=4)
    c.text(250, 188, "bus", at="middle", bold=True)
    c.text(250, 208, byte_rate(gpu.link), at="middle", size="small", bold=True)
    c.text(250, 238, "cp.asarray", at="middle", size="small", mono=True)
    c.arrow(170, 247, 330, 247)
    c.arrow(330, 263, 170, 263)
    c.text(250, 285, "cp.asnumpy", at="middle", size="small", mono=True)


@drawing(
    "two-clocks",
    "A timeline with two lanes. Python launches seven kernels within a moment and goes on; the GPU works on them long after. A clock that stops when "
    "Python goes on has timed the launches, one that stops after synchronize has timed the work.",
    250,
)
def two_clocks(c: Canvas) -> None:
    left, launched, right = 96, 194, 476
    c.text(12, 58, "Python", bold=True)
    c.text(12, 128, "GPU", bold=True)
    for x, y1, y2 in ((launched, 30, 98), (launched, 146, 176), (right, 30, 176)):
        c.line((x, y1), (x, y2), look="mark", dashed=True)
    for k in range(7):
        c.box(left + k * 14, 36, 12, 36, "host", strong=True, round=2)
    c.box(launched + 6, 36, right - launched - 6, 36, "empty", "synchronize(): waits", dashed=True)
    work = (right - left - 8) / 7
    for k, name in enumerate(("sin", "**2", "cos", "**2", "+", "==", "all")):
        c.box(left + 8 + k * work, 104, work - 3, 38, "device", name, strong=True, size="small", round=2)
    c.text(left, 26, "launches")
    c.span(left, launched, 180)
    c.cross(left + 12, 203)
    c.text(left + 28, 208, "stopped at once: launches only", bold=True)
    c.span(left, right, 222)
    c.tick(left + 12, 236)
    c.text(left + 28, 242, "stopped after synchronize(): all work", bold=True)


@drawing(
    "seven-kernels",
    "Bytes that move through memory for each number. Seven kernels read their operands and write their results each, 98 bytes together; one fused kernel "
    "reads the number once, 8 bytes, and nothing else goes to memory.",
    336,
)
def seven_kernels(c: Canvas) -> None:
    steps = (
        ("sin(x)", 8, 8),
        ("… ** 2", 8, 8),
        ("cos(x)", 8, 8),
        ("… ** 2", 8, 8),
        ("… + …", 16, 8),
        ("… == 1", 8, 1),
        (".all()", 1, 0),
    )
    x0, unit = 112, 11.4
    c.box(x0, 12, 20, 18, "memory", round=2)
    c.text(x0 + 28, 26, "read")
    c.box(x0 + 92, 12, 20, 18, "memory", strong=True, round=2)
    c.text(x0 + 120, 26, "written")
    c.text(488, 26, "bytes", at="end")
    for k, (name, reads, writes) in enumerate(steps):
        y = 40 + k * 30
        c.text(12, y + 17, name, mono=True, size="small")
        c.box(x0, y, reads * unit, 23, "memory", round=2)
        if writes:
            c.box(x0 + reads * unit + 3, y, writes * unit, 23, "memory", strong=True, round=2)
        c.text(488, y + 17, str(reads + writes), at="end")
    total = sum(reads + writes for _, reads, writes in steps)
    c.line((10, 255), (490, 255))
    c.text(12, 278, "seven kernels", bold=True)
    c.text(488, 278, str(total), at="end", bold=True)
    c.text(12, 316, "fused", bold=True)
    c.box(x0, 299, 8 * unit, 23, "memory", round=2)
    c.text(x0 + 8 * unit + 12, 316, "the rest needs no memory")
    c.text(488, 316, "8", at="end", bold=True)


def _least(name: str) -> dict[str, float]:
    """The least seconds that a GPU needs to get the numbers over the bus, for the seven kernels, and for one."""
    gpu = gpus.find(name)
    return {"bus": ONE / gpu.link, "seven kernels": SEVEN / gpu.bandwidth, "one kernel": ONE / gpu.bandwidth}


def _said(name: str) -> str:
    bus, seven, one = (seconds(least, 2) for least in _least(name).values())
    return f"the bus takes {bus}, the seven kernels {seven} and one fused kernel {one}"


@drawing(
    "bus-trip",
    f"Bars of the least times for 100 million numbers. On a V100 {_said('V100')}; on an {CARD} {_said(CARD)}. The bus has the longest bar on both.",
    262,
)
def bus_trip(c: Canvas) -> None:
    x0, room = 146, 250
    most = _least("V100")["bus"]
    for row, name in enumerate(("V100", CARD)):
        y = 12 + row * 124
        c.text(12, y + 17, f"{name}: 100 million numbers, at least", bold=True)
        for k, (label, least) in enumerate(_least(name).items()):
            top = y + 28 + k * 28
            c.text(12, top + 17, label, room=x0 - 14)
            c.box(
                x0, top, max(room * least / most, 2), 22, "wire" if label == "bus" else "device", strong=True, round=2
            )
            c.text(x0 + room * least / most + 8, top + 17, seconds(least, 2))


@drawing(
    "launch-cost",
    "Two timelines of seven kernels on a V100. With a thousand numbers nearly all the time goes into launches and the work can hardly be seen; with a "
    "hundred million numbers the work fills the line and the launches vanish.",
    206,
)
def launch_cost(c: Canvas) -> None:
    x0, step, gpu = 14, 67, gpus.find("V100")
    c.text(x0, 28, "V100: 1 000 numbers", bold=True)
    c.text(486, 28, f"{seconds(7 * gpu.launch, 2)}, nearly all launches", at="end")
    for k in range(7):
        c.waste(x0 + k * step, 40, step - 6, 34)
        c.box(x0 + k * step + step - 6, 40, 3, 34, "device", strong=True, round=0)
    c.text(x0, 118, "V100: 100 million", bold=True)
    c.text(486, 118, f"{seconds(SEVEN / gpu.bandwidth, 2)}, nearly all work", at="end")
    widths = [1.6, 1.6, 1.6, 1.6, 2.4, 0.9, 0.1]
    unit = (472 - 7 * 3) / sum(widths)
    x = float(x0)
    for w in widths:
        c.box(x, 130, w * unit, 34, "device", strong=True, round=0)
        x += w * unit + 3
    c.waste(x0, 178, 26, 18)
    c.text(x0 + 34, 193, "launch")
    c.key(x0 + 110, 178, 26, 18, "device", "work", strong=True)


@drawing(
    "memory-ladder",
    f"The memories that a thread of an {CARD} can reach, from near to far: registers, shared memory with L1, the L2 cache, the device's "
    "memory, and the host's memory behind the bus. Beside each are its size and the bytes that it delivers in a second: the nearer, the faster.",
    310,
)
def memory_ladder(c: Canvas) -> None:
    gpu = gpus.find(CARD)
    registers = gpu.sms * capabilities.of(gpu.cc).registers_per_sm * 4
    near = gpu.sms * 128 * gpu.clock  # 128 bytes a cycle from the L1 of each SM
    rows = (
        ("registers", "thread", size(registers), "highest", 150),
        ("shared, L1", "block", size(gpu.sms * gpu.l1), byte_rate(near), 150),
        ("L2", "device", size(gpu.l2), byte_rate(gpu.l2_bandwidth), 175),
        ("device memory", "memory", size(gpu.memory), byte_rate(gpu.bandwidth), 210),
        ("host memory", "host", "over the bus", byte_rate(gpu.link), 230),
    )
    c.text(12, 26, f"memory of an {CARD}", bold=True)
    c.text(375, 26, "size", at="end", size="small")
    c.text(490, 26, "bandwidth", at="end", size="small")
    for k, (name, thing, large, rate, wide) in enumerate(rows):
        y = 38 + k * 54
        c.box(12, y, wide, 46, thing, name, bold=True)
        c.text(375, y + 29, large, at="end", room=375 - 14 - wide)
        c.text(490, y + 29, rate, at="end", bold=True, room=112)


@drawing(
    "pool-holes",
    "Two pictures of the device's memory. First three arrays lie side by side in one block of the pool. After the outer two are deleted the pool keeps the "
    "whole block, because b is in it. An array as large as both holes together does not fit, because they do not lie side by side.",
    300,
)
def pool_holes(c: Canvas) -> None:
    x0, w = 14, 472
    parts = ((0.3, "a"), (0.2, "b"), (0.3, "c"))

    def bar(y: float, title: str, live: str) -> None:
        c.text(x0, y - 12, title, bold=True)
        c.box(x0, y, w, 38, "empty", round=2)
        x = float(x0)
        for share, name in parts:
            if name in live:
                c.box(x, y, share * w, 38, "memory", name, strong=True, round=2, mono=True)
            else:
                c.box(x, y, share * w, 38, "memory", round=2)
                c.hatch(x, y, share * w, 38)
            x += share * w
        c.text((x + x0 + w) / 2, y + 25, "free", at="middle")
        c.span(x0, x, y + 48)

    bar(38, "three arrays", "abc")
    c.text(x0 + 0.4 * w, 106, "one block of the pool", at="middle")
    bar(148, "del a, c", "b")
    c.text(x0 + 0.4 * w, 216, "still one block: b is in it", at="middle")
    c.box(x0, 234, 0.6 * w, 38, "memory", "d", dashed=True, mono=True)
    c.cross(x0 + 0.6 * w + 26, 253, 9)
    c.text(x0 + 0.6 * w + 46, 259, "fits nowhere")
    c.text(x0, 293, "hatched: kept by the pool, not in use", colour="muted", size="small")


@drawing(
    "pinned-copy",
    "Two timelines of a copy to the device. From ordinary memory the CPU first copies each piece into a pinned buffer, and the bus waits in between. "
    "From pinned memory the bus sends everything without a pause, and the CPU is free for other work.",
    266,
)
def pinned_copy(c: Canvas) -> None:
    x0, one = 64, 70
    c.text(12, 26, "from ordinary memory", bold=True)
    c.text(486, 26, "copy: into a pinned buffer", at="end", size="small")
    c.text(12, 56, "CPU")
    c.text(12, 92, "bus")
    for k in range(3):
        x = x0 + 2 * k * one
        c.box(x, 38, one - 2, 26, "host", "copy", strong=True, size="small", round=2)
        c.box(x, 74, one - 2, 26, "empty", "waits", size="small", dashed=True, round=2)
        c.box(x + one, 74, one - 2, 26, "wire", "sends", strong=True, size="small", round=2)
    c.line((10, 124), (490, 124), look="rule faint")
    c.text(12, 154, "from pinned memory", bold=True)
    c.text(12, 184, "CPU")
    c.text(12, 220, "bus")
    c.box(x0, 166, 52, 26, "host", "call", strong=True, size="small", round=2)
    c.box(x0 + 54, 166, 3 * one - 8, 26, "empty", "free for other work", size="small", dashed=True)
    c.box(x0 + 54, 202, 3 * one - 8, 26, "wire", "sends all", strong=True, size="small", round=2)
    done = x0 + 54 + 3 * one - 8
    c.line((done, 162), (done, 234), look="mark", dashed=True)
    c.text(done + 10, 220, "done")
    c.text(x0, 256, "time →", colour="muted")
