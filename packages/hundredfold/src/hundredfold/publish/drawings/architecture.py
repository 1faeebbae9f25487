"""Drawings for maintainers and doubters: the three packages with their groups, the way of a learner's cell to its answer, and what is held against what.

Green is the simulator, purple the lens, orange the course.
"""

from __future__ import annotations

from .canvas import Canvas
from .registry import drawing

GPUSIM, KERNELLENS, COURSE = "device", "warp", "host"


@drawing(
    "three-packages",
    "Three packages, one below the other, with their groups. hundredfold has learning, toolkit, notebook, classroom, publish, setup and data. It imports kernellens, "
    "which has tracing, ordering, times, compiling, arrays, pictures, plot, check, trial and port. kernellens imports gpusim, which has libraries, importing, kernels, device and hardware.",
    474,
)
def three_packages(c: Canvas) -> None:
    packages = (
        (
            COURSE,
            "hundredfold: the course",
            (("learning", "toolkit", "notebook", "publish"), ("classroom", "setup", "data")),
        ),
        (
            KERNELLENS,
            "kernellens: what a kernel does",
            (("tracing", "ordering", "times", "compiling", "arrays"), ("pictures", "plot", "check", "trial", "port")),
        ),
        (GPUSIM, "gpusim: GPU libraries on a CPU", (("libraries", "importing"), ("kernels", "device", "hardware"))),
    )
    for k, (thing, title, rows) in enumerate(packages):
        y = 8 + k * 158
        c.frame(10, y, 480, 126, thing, title)
        for r, names in enumerate(rows):
            wide = 464 / len(names)
            for n, name in enumerate(names):
                c.box(20 + n * wide, y + 34 + r * 43, wide - 6, 37, "empty", name, size="small")
        if k < 2:
            c.arrow(250, y + 128, 250, y + 156)
            c.text(262, y + 147, "imports", size="small")


@drawing(
    "way-of-a-cell",
    "On the left the lines of a learner's cell, on the right what each does, with its folder. import cupy: the finder loads the simulated library. cp.sin: shape and type are known at once, memory is "
    "counted, the work waits in the queue. A kernel: its source is read, compiled for the CPU, and its first launch searched for mistakes. get: the queue runs. "
    "lens.trace: each access is drawn. check: cases are drawn and the answer is judged.",
    606,
)
def way_of_a_cell(c: Canvas) -> None:
    cell = (
        ("import cupy", GPUSIM, (("the finder loads the library", "importing/finder.py"),)),
        (
            "y = cp.sin(x)",
            GPUSIM,
            (
                ("its shape and type are known", "libraries/cupy/"),
                ("memory is counted, and taken", "device/memory.py"),
                ("the work waits in the queue", "device/queue.py"),
            ),
        ),
        (
            "kernel[8, 64](y)",
            GPUSIM,
            (
                ("its source is read", "kernels/frontend/"),
                ("it is compiled for this CPU", "kernels/backends/numba/"),
                ("its first launch is checked", "kernels/sanitizer/"),
            ),
        ),
        ("y.get()", GPUSIM, (("the queue runs", "device/queue.py"),)),
        ("lens.trace(…)", KERNELLENS, (("each access is drawn", "kernellens/pictures/"),)),
        ("check(…, y)", COURSE, (("the answer is judged", "learning/problems/judging.py"),)),
    )
    y = 8
    for line, thing, steps in cell:
        high = 60 * len(steps)
        c.box(10, y, 166, high - 8, "empty", line, mono=True, size="small")
        for k, (what, where) in enumerate(steps):
            c.box(206, y + 60 * k, 284, 52, thing)
            c.text(216, y + 60 * k + 21, what, room=270)
            c.text(216, y + 60 * k + 43, where, mono=True, size="small", room=270)
            if k:
                c.arrow(348, y + 60 * k - 9, 348, y + 60 * k, thick=1.2)
        c.arrow(177, y + 26, 205, y + 26)
        y += high


_HELD = (
    (GPUSIM, "answers of arrays", "NumPy and CuPy's tests"),
    (GPUSIM, "names, refusals", "the real packages' names"),
    (GPUSIM, "what a kernel computes", "NVIDIA's compiled code"),
    (GPUSIM, "which kernels it refuses", "NVIDIA's compiler"),
    (KERNELLENS, "a kernel's least time", "times published on GPUs"),
    (KERNELLENS, "which kernels are wrong", "planted mistakes"),
    (COURSE, "which answers are wrong", "language models, mutants"),
    (COURSE, "a hub keeps users apart", "real users, one machine"),
)


@drawing(
    "how-we-know",
    "On the left what we say, on the right what it is held against. "
    + " ".join(f"{said[0].upper()}{said[1:]}: {against}." for _, said, against in _HELD)
    + " Below, in a dashed box, not proven without a GPU: real times, order of racing threads, drivers, NVLink.",
    494,
)
def how_we_know(c: Canvas) -> None:
    c.text(10, 26, "We say", bold=True)
    c.text(262, 26, "It is held against", bold=True)
    for k, (thing, said, against) in enumerate(_HELD):
        y = 40 + k * 46
        c.box(10, y, 226, 36, thing, said, size="small")
        c.arrow(237, y + 18, 261, y + 18)
        c.box(262, y, 228, 36, "empty", against, size="small")
    y = 40 + 46 * len(_HELD) + 6
    c.box(
        10,
        y,
        480,
        66,
        "empty",
        "Not proven without a GPU:",
        "real times, order of racing threads, drivers, NVLink",
        bold=True,
        dashed=True,
    )
