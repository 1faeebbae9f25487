"""Drawings of compiled loops: what the interpreter does, versions by type, the order of additions, cores that share a loop, what is not checked, and a picture."""

from __future__ import annotations

from .canvas import Canvas
from .registry import drawing


@drawing(
    "interpreter-turn",
    "What one turn of the loop does, in the interpreter and in machine code. The interpreter finds the element, makes a Python object of it, looks up what plus "
    "means, adds, makes an object of the sum, and drops two objects. Machine code loads eight bytes and adds.",
    310,
)
def interpreter_turn(c: Canvas) -> None:
    x0, w = 14, 236
    steps = (
        "find x[i]",
        "make an object of it",
        "look up what + means",
        "add",
        "make an object of the sum",
        "drop two objects",
    )
    c.text(x0, 26, "interpreter", bold=True)
    for k, step in enumerate(steps):
        c.box(x0, 38 + k * 42, w, 30, "host", step, strong=step == "add", bold=step == "add")
        if k:
            c.arrow(x0 + w / 2, 26 + k * 42, x0 + w / 2, 37 + k * 42, thick=1)
    x1, w1 = 290, 196
    c.text(x1, 26, "machine code", bold=True)
    c.box(x1, 38, w1, 30, "host", "load the 8 bytes of x[i]", size="small")
    c.arrow(x1 + w1 / 2, 68, x1 + w1 / 2, 79, thick=1)
    c.box(x1, 80, w1, 30, "host", "add", strong=True, bold=True)
    c.line((270, 14), (270, 296), look="rule faint")
    c.text(x1, 150, "all that happens")
    c.text(x1, 172, "for one number")


@drawing(
    "first-call",
    "Three calls of a compiled function on a line of time. The first call, with float64, compiles for a long time and then runs. The second call with float64 runs at "
    "once. The first call with float32 compiles again.",
    246,
)
def first_call(c: Canvas) -> None:
    x0, long, run = 14, 300, 46
    rows = (
        ("f(x)", "float64, the first time", True),
        ("f(x)", "float64 again", False),
        ("f(x32)", "float32, the first time", True),
    )
    for k, (call, said, compiles) in enumerate(rows):
        y = 40 + k * 74
        c.text(x0, y - 10, call, mono=True, bold=True)
        c.text(x0 + 84, y - 10, said)
        if compiles:
            c.box(x0, y, long, 34, "host", "compile: types, then machine code", size="small", round=2)
        at = x0 + (long + 3 if compiles else 0)
        c.box(at, y, run, 34, "host", "run", strong=True, bold=True, size="small", round=2)
    c.text(x0 + 406, 24, "time", at="end", size="small")
    c.arrow(x0 + 416, 19, 484, 19)
    c.text(x0 + long + run + 14, 62, "version 1", size="small")
    c.text(x0 + run + 14, 136, "version 1", size="small")
    c.text(x0 + long + run + 14, 210, "version 2", size="small")


@drawing(
    "addition-order",
    "Eight numbers are added. In order, each addition waits for the one before: eight steps. In another order, four sums grow at the same time, and are then added up: "
    "four steps.",
    352,
)
def addition_order(c: Canvas) -> None:
    x0, w, step = 14, 42, 59.5
    c.text(x0, 26, "in order", bold=True)
    c.text(486, 26, "8 steps", at="end", bold=True)
    for k in range(8):
        c.box(x0 + k * step, 38, w, 32, "host", f"+ x{k}", size="small", round=3)
        if k:
            c.arrow(x0 + k * step - (step - w) + 1, 54, x0 + k * step - 1, 54, thick=1)
    c.text(x0, 92, "Each step waits for the sum of the step before.", size="small")
    c.line((10, 110), (490, 110), look="rule faint")
    c.text(x0, 140, "four sums at once", bold=True)
    c.text(486, 140, "4 steps", at="end", bold=True)
    for lane in range(4):
        y = 154 + lane * 44
        for turn in range(2):
            c.box(x0 + turn * step, y, w, 32, "host", f"+ x{lane + 4 * turn}", size="small", round=3)
        c.arrow(x0 + w + 1, y + 16, x0 + step - 1, y + 16, thick=1)
    for pair in range(2):
        y = 176 + pair * 88
        joint = x0 + step + w + 5
        c.line(
            (joint - 5, 170 + pair * 88),
            (joint, 170 + pair * 88),
            (joint, 214 + pair * 88),
            (joint - 5, 214 + pair * 88),
            look="mark",
            thick=1,
        )
        c.arrow(joint, y + 16, x0 + 2 * step - 1, y + 16, thick=1)
        c.box(x0 + 2 * step, y, w, 32, "host", "+", strong=True, size="small", round=3)
        c.line(
            (x0 + 2 * step + w, y + 16),
            (x0 + 2 * step + w + 5, y + 16),
            (x0 + 2 * step + w + 5, 236),
            look="mark",
            thick=1,
        )
    c.arrow(x0 + 2 * step + w + 5, 236, x0 + 3 * step - 1, 236, thick=1)
    c.box(x0 + 3 * step, 220, w, 32, "host", "+", strong=True, size="small", round=3)
    c.text(x0 + 4 * step + 6, 232, "another order,")
    c.text(x0 + 4 * step + 6, 254, "perhaps another last digit")
    c.text(x0, 343, "Boxes in one column run at the same time.", size="small")


@drawing(
    "shared-loop",
    "An array is cut into four parts, one for each of four cores. Each core adds up its part in a total of its own. At the end the four totals are added to one.",
    290,
)
def shared_loop(c: Canvas) -> None:
    x0, part = 14, 118
    c.text(x0, 26, "x", mono=True, bold=True)
    c.text(x0 + 24, 26, "in memory, in parts")
    for k in range(4):
        x = x0 + k * part
        c.box(x, 36, part - 4, 32, "memory", f"part {k}", round=0)
        c.arrow(x + part / 2 - 2, 70, x + part / 2 - 2, 102)
        c.frame(x, 106, part - 4, 78, "host", f"core {k}")
        c.box(x + 12, 140, part - 28, 32, "empty", "own total", size="small", round=3)
        c.line((x + part / 2 - 2, 184), (x + part / 2 - 2, 206), (250, 206), (250, 222))
    c.arrow(250, 206, 250, 232)
    c.box(190, 234, 120, 38, "memory", "total", strong=True, mono=True, bold=True)
    c.text(324, 258, "added at the end")


@drawing(
    "lost-count",
    "Two cores count the same grey value. With one shared count of 5 both read 5 and both write 6, so one pixel is lost. With a count of its own for each core, 3 becomes "
    "4 and 2 becomes 3, and their sum is 7.",
    276,
)
def lost_count(c: Canvas) -> None:
    def side(x: float, title: str, steps: list[tuple[int, str]]) -> None:
        c.text(x, 28, title, bold=True)
        for t in (0, 1):
            c.text(x + 4 + t * 112, 54, f"core {t}", size="small")
        for k, (t, words) in enumerate(steps):
            c.box(x + t * 112, 64 + k * 36, 104, 30, "host", words, size="small", strong="write" in words)

    side(14, "one count, 5 so far", [(0, "reads 5"), (1, "reads 5"), (0, "writes 6"), (1, "writes 6")])
    c.box(14, 222, 150, 38, "memory", "count = 6", bold=True)
    c.cross(190, 241)
    c.line((252, 14), (252, 262), look="rule faint")
    side(270, "own counts, 3 + 2", [(0, "reads 3"), (1, "reads 2"), (0, "writes 4"), (1, "writes 3")])
    c.box(270, 222, 150, 38, "memory", "4 + 3 = 7", bold=True)
    c.tick(446, 241)


@drawing(
    "no-bounds",
    "Memory with the five elements of whole; the first four of them are part. Index 4 of part reads the number behind it, 999, without an error. Index -1 reads the last "
    "element of part, 40.",
    222,
)
def no_bounds(c: Canvas) -> None:
    x0, w, y = 20, 88, 84
    for k, number in enumerate(("10", "20", "30", "40", "999")):
        c.box(x0 + k * w, y, w, 42, "memory", number, strong=k < 4, round=0)
        c.text(x0 + (k + 0.5) * w, y - 10, str(k), at="middle", size="small")
    c.text(x0, 28, "whole", mono=True, bold=True)
    c.text(x0 + 58, 28, "has 5 elements,")
    c.text(x0 + 190, 28, "part", mono=True, bold=True)
    c.text(x0 + 238, 28, "the first 4 of them")
    c.line((x0 + 4 * w, 50), (x0 + 4 * w, 134), look="mark", thick=3)
    for k, code, words in ((3, "part[-1]: 40", "the last element"), (4, "part[4]: 999", "no error")):
        right = x0 + (k + 1) * w - 30 + 44 * (k - 3)
        c.arrow(x0 + (k + 0.5) * w, 160, x0 + (k + 0.5) * w, 130)
        c.text(right, 182, code, at="end", mono=True, bold=True)
        c.text(right, 203, words, at="end", size="small")


@drawing(
    "int8-wrap",
    "What 100 plus 100 is. In arrays of int8 it goes on from 100 by 27 steps to 127, by one step to -128, and by 72 steps to -56. As single integers in Numba it is an "
    "int64, 200.",
    286,
)
def int8_wrap(c: Canvas) -> None:
    x0, w = 30, 440

    def at(value: float) -> float:
        return x0 + w * (value + 128) / 255

    c.text(14, 28, "arrays of int8:", bold=True)
    c.text(150, 28, "100 + 100 is -56")
    c.box(x0, 96, w, 24, "memory", round=0)
    for value in (-128, -56, 100, 127):
        c.line((at(value), 92), (at(value), 124), look="mark")
    c.text(at(100), 144, "100", at="middle", size="small", bold=True)
    c.text(at(-56) + 8, 86, "-56", size="small", bold=True)
    c.text(at(-128), 86, "-128", at="middle", size="small")
    c.text(at(127), 144, "127", at="middle", size="small")
    c.arrow(at(100), 80, at(127), 80, thick=3)
    c.text(488, 66, "1: + 27", at="end", size="small")
    c.line((at(127), 150), (at(127), 166), (at(-128), 166), look="mark", dashed=True)
    c.arrow(at(-128), 166, at(-128), 126, thick=2)
    c.text(at(0), 186, "2: + 1, from 127 to -128", at="middle", size="small")
    c.arrow(at(-128), 108, at(-56), 108, thick=3)
    c.text(at(-50), 113, "3: + 72", size="small")
    c.line((10, 206), (490, 206), look="rule faint")
    c.text(14, 236, "single integers in Numba:", bold=True)
    c.text(236, 236, "100 + 100 is 200")
    c.text(14, 264, "They are added as int64, which can hold 200.", size="small")


@drawing(
    "relative-index",
    "The nine pixels of a stencil with their relative indices: 0, 0 is the middle, -1, -1 is above and to the left, 1, 1 below and to the right. Their mean becomes the pixel "
    "at the same place in the result.",
    210,
)
def relative_index(c: Canvas) -> None:
    x0, y0, w, h = 14, 42, 98, 46
    c.text(x0, 28, "x", mono=True, bold=True)
    c.text(x0 + 22, 28, "nine pixels, seen from the middle")
    for i in (-1, 0, 1):
        for j in (-1, 0, 1):
            middle = i == j == 0
            c.box(
                x0 + (j + 1) * w,
                y0 + (i + 1) * h,
                w,
                h,
                "memory",
                f"x[{i}, {j}]",
                strong=middle,
                mono=True,
                size="small",
                round=0,
            )
    c.arrow(x0 + 3 * w + 8, y0 + 1.5 * h, x0 + 3 * w + 66, y0 + 1.5 * h)
    c.text(x0 + 3 * w + 37, y0 + 1.5 * h - 12, "mean", at="middle", bold=True)
    c.box(x0 + 3 * w + 72, y0 + h, w, h, "memory", "result", strong=True, round=0)
    c.text(x0 + 3 * w + 72 + w / 2, y0 + 2 * h + 20, "same place", at="middle", size="small")
    c.text(x0, 201, "x[-1, 0] is the pixel above, x[0, 1] the one to the right.", size="small")


@drawing(
    "new-pages",
    "Bytes for each pixel. The stencil as published reads 1 byte and writes 8 bytes of a new array; the loops read 1 and write 1 in an array that is there. Below, what happens "
    "to each page of new memory: the system hands it out, fills it with zeros, and only then are the results written.",
    318,
)
def new_pages(c: Canvas) -> None:
    x0, byte = 14, 44
    c.text(x0, 26, "@stencil, as published", bold=True)
    c.text(486, 26, "9 bytes for each pixel", at="end", bold=True)
    c.box(x0, 36, byte, 34, "memory", "read", size="small", round=0)
    for k in range(8):
        c.box(x0 + 54 + k * byte, 36, byte, 34, "memory", strong=True, round=0)
    c.text(x0 + 54, 92, "written to a new array of int64", size="small")
    c.text(x0, 126, "loops", bold=True)
    c.text(486, 126, "2 bytes for each pixel", at="end", bold=True)
    c.box(x0, 136, byte, 34, "memory", "read", size="small", round=0)
    c.box(x0 + 54, 136, byte, 34, "memory", strong=True, round=0)
    c.text(x0 + 54 + byte + 12, 158, "written to an array of int8 that is there", size="small")
    c.line((10, 194), (490, 194), look="rule faint")
    c.text(x0, 222, "each new page of memory", bold=True)
    for k, (words, thing) in enumerate(
        (("handed out", "wire"), ("filled with zeros", "wire"), ("results written", "memory"))
    ):
        c.box(x0 + k * 160, 234, 144, 38, thing, words, strong=k == 2, size="small")
        if k:
            c.arrow(x0 + k * 160 - 15, 253, x0 + k * 160 - 1, 253, thick=1)
    c.span(x0, x0 + 304, 286)
    c.text(x0, 307, "the operating system does this, in every call", size="small")
