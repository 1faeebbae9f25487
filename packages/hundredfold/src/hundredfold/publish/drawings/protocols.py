"""Drawings of arrays across libraries: who is asked, what describes an array, who shares a buffer, and the way to another process."""

from __future__ import annotations

from .canvas import Canvas
from .registry import drawing


@drawing(
    "numpy-asks",
    "Three calls of NumPy's functions with a CuPy array. np.sin asks the array by __array_ufunc__ and np.mean by __array_function__: CuPy answers both with its "
    "own function on the device, and the result is a CuPy array. np.asarray asks for the numbers on the host, and CuPy raises a TypeError.",
    276,
)
def numpy_asks(c: Canvas) -> None:
    rows = (
        ("np.sin(x_gpu)", "__array_ufunc__", "CuPy's sin"),
        ("np.mean(x_gpu, axis=0)", "__array_function__", "CuPy's mean"),
        ("np.asarray(x_gpu)", "__array__", "refuses"),
    )
    for k, (call, asked, answer) in enumerate(rows):
        y = 24 + k * 90
        c.text(14, y, call, mono=True, bold=True, size="small")
        c.box(14, y + 10, 78, 42, "host", "NumPy")
        c.text(183, y + 22, asked, at="middle", mono=True, size="small")
        c.arrow(94, y + 31, 274, y + 31)
        c.text(183, y + 49, "asks the array", at="middle", size="small")
        c.box(276, y + 10, 116, 42, "empty" if k == 2 else "device", answer)
        if k < 2:
            c.arrow(393, y + 31, 412, y + 31)
            c.box(414, y + 10, 74, 42, "memory", "CuPy", "array", size="small")
        else:
            c.text(397, y + 36, "TypeError", size="small", bold=True)


@drawing(
    "find-functions",
    "A choice. If an array has __array_namespace__, as the arrays of NumPy and JAX have, it returns the module with its functions. If it has not, as those of CuPy and Dask, "
    "NumPy's functions are called, and these ask the array.",
    204,
)
def find_functions(c: Canvas) -> None:
    c.box(100, 12, 300, 44, "empty", "has __array_namespace__?", mono=True, size="small")
    for x, said in ((124, "yes"), (376, "no")):
        c.arrow(x, 58, x, 96)
        c.text(x + (10 if said == "no" else -10), 82, said, bold=True, at="start" if said == "no" else "end")
    for x, lines, libraries in (
        (14, ("use the module", "that it returns"), "NumPy, JAX"),
        (258, ("use NumPy's functions,", "which ask the array"), "CuPy, Dask"),
    ):
        c.box(x, 98, 228, 92)
        for k, line in enumerate(lines):
            c.text(x + 114, 122 + 20 * k, line, at="middle", room=224)
        c.text(x + 114, 174, libraries, at="middle", bold=True)


@drawing(
    "dask-asks-again",
    "A Dask array of two chunks, each of them a CuPy array. np.minimum asks Dask, which only records one step for each chunk. compute runs the steps: there np.minimum asks each chunk, "
    "and CuPy does the work on the device.",
    262,
)
def dask_asks_again(c: Canvas) -> None:
    c.text(14, 28, "Dask array", bold=True)
    c.text(184, 28, "its plan", bold=True)
    c.text(370, 28, "compute()", mono=True, bold=True, size="small")
    for k in range(2):
        y = 42 + k * 72
        c.box(14, y, 124, 56, "memory", f"chunk {k}:", "CuPy array", size="small")
        c.arrow(139, y + 28, 182, y + 28)
        c.box(184, y, 146, 56, "empty", "np.minimum of", f"chunk {k}", size="small", dashed=True)
        c.arrow(331, y + 28, 368, y + 28)
        c.box(370, y, 116, 56, "device", "CuPy's", "minimum", size="small")
    c.text(14, 212, "first, np.minimum asks Dask, which records the steps", size="small")
    c.text(14, 240, "later, np.minimum asks each chunk, and CuPy does the work", size="small")


@drawing(
    "array-description",
    "Twelve numbers of a matrix with three rows and four columns, side by side in one buffer. The description of matrix with every second column points to the first number. "
    "Its strides are 32 bytes to the next row and 16 bytes to the next column, and they step over the odd columns.",
    286,
)
def array_description(c: Canvas) -> None:
    x0, cell, y = 14, 39.0, 146
    c.box(x0, 12, 472, 92, "empty", dashed=True)
    c.text(x0 + 14, 36, "matrix[:, ::2]", mono=True, bold=True)
    c.text(x0 + 460, 36, "the description", at="end", colour="muted")
    for x, said in ((14, "dtype float64"), (158, "shape (3, 2)"), (286, "strides (32, 16)")):
        c.text(x0 + x, 62, said)
    c.text(x0 + 14, 90, "address of the first number")
    c.arrow(x0 + 4, 104, x0 + 4, y - 3)
    c.text(486, 134, "the buffer: row by row, 8 bytes a number", at="end", colour="muted", size="small")
    for k in range(12):
        shown = k % 2 == 0
        c.box(x0 + k * cell, y, cell, 36, "memory" if shown else "empty", str(k), strong=shown, round=0)
    for r in range(4):
        c.line((x0 + r * 4 * cell, y - 4), (x0 + r * 4 * cell, y + 40), look="mark", thick=3)
    c.span(x0 + 2, x0 + 2 * cell, y + 52)
    c.text(x0 + 2 * cell + 10, y + 58, "16 bytes: the next column", size="small")
    c.span(x0 + 2, x0 + 4 * cell, y + 84)
    c.text(x0 + 4 * cell + 10, y + 90, "32 bytes: the next row", size="small")
    c.key(x0, 256, 22, 18, "memory", "shown by matrix[:, ::2]", strong=True, size="small")
    c.key(x0 + 240, 256, 22, 18, "empty", "stepped over", size="small")


@drawing(
    "one-buffer",
    "Five descriptions, a cuDF column, a CuPy array, a Numba array and two more CuPy arrays, point to the start of the same buffer of 8 MB.",
    190,
)
def one_buffer(c: Canvas) -> None:
    c.text(14, 26, "five descriptions, one address", bold=True)
    for k, names in enumerate((("cuDF",), ("CuPy",), ("Numba",), ("CuPy", "again"), ("CuPy, by", "DLPack"))):
        x = 14 + k * 96
        c.box(x, 38, 88, 42, "empty", *names, size="small", dashed=True)
        c.line((x + 44, 80), (x + 44, 102), look="mark", thick=2)
    c.line((18, 102), (442, 102), look="mark", thick=2)
    c.arrow(18, 101, 18, 132)
    c.box(14, 134, 472, 44, "memory", "one buffer, 8 MB", strong=True, round=2)


@drawing(
    "which-stream",
    "Two timelines with the streams of the giver and the taker. Handed over inside the with block, the array names the stream mine: the taker's kernel waits until sqrt has written it. "
    "Handed over after the block it names the default stream: the taker's kernel does not wait, and reads numbers that are not there yet.",
    284,
)
def which_stream(c: Canvas) -> None:
    x0, work = 140, 166
    for k, (title, named) in enumerate((("inside", "mine"), ("after", "the default stream"))):
        y = 26 + k * 132
        c.text(14, y, f"{title} the with block: names {named}", bold=True)
        c.text(14, y + 34, "stream mine")
        c.text(14, y + 72, "taker's stream", room=x0 - 16)
        c.box(x0, y + 14, work, 30, "device", "sqrt writes it", strong=True, round=2)
        if k == 0:
            c.box(x0, y + 52, work, 30, "empty", "waits", dashed=True, round=2)
            c.box(x0 + work + 2, y + 52, 130, 30, "device", "reads it", strong=True, round=2)
            c.tick(x0 + work + 152, y + 67)
            c.line((x0 + work + 1, y + 8), (x0 + work + 1, y + 90), look="mark", dashed=True)
        else:
            c.box(x0 + 14, y + 52, 130, 30, "device", "reads it", strong=True, round=2)
            c.cross(x0 + 166, y + 67)
            c.text(x0 + 182, y + 72, "too early")
    c.text(14, 274, "time →", colour="muted")


@drawing(
    "pickle-trip",
    "Two processes, each with a host memory above and a device below. An array goes up over the bus to the host of your process, as bytes to the other process, and down over the bus to its "
    "device. The result goes back the same way. The four crossings of a bus are numbered.",
    300,
)
def pickle_trip(c: Canvas) -> None:
    for x, title in ((14, "your process"), (306, "other process")):
        c.text(x + 90, 26, title, at="middle", bold=True)
        c.box(x, 38, 180, 74, "host", "host memory:", "bytes of a pickle")
        c.box(x, 214, 180, 74, "device")
    c.text(104, 246, "device:", at="middle")
    c.text(104, 268, "x_gpu, the result", at="middle")
    c.text(396, 246, "device:", at="middle")
    c.text(396, 268, "copies of both", at="middle")
    c.text(250, 54, "sent back", at="middle", size="small")
    c.arrow(304, 62, 196, 62)
    c.arrow(196, 90, 304, 90)
    c.text(250, 110, "sent", at="middle", size="small")
    for x, down, up, there, back in ((14, 46, 134, "1", "4"), (306, 46, 134, "2", "3")):
        first = x == 14
        c.arrow(x + down, 114, x + down, 212, thick=4)
        c.arrow(x + up, 212, x + up, 114, thick=4)
        c.text(x + down + 14, 168, back if first else there, bold=True, size="large")
        c.text(x + up + 14, 168, there if first else back, bold=True, size="large")
    c.text(250, 168, "bus", at="middle", bold=True)


@drawing(
    "one-by-one",
    "Two timelines of a V100, drawn to scale. Read one by one, each of 100 000 numbers is a trip of its own over the bus and takes 30 microseconds, together 3 seconds. Fetched at once they "
    "need one trip of 110 microseconds, and a loop on the host follows.",
    174,
)
def one_by_one(c: Canvas) -> None:
    x0, trip, all_of_them = 14, 33, 121  # 1.1 for each microsecond
    c.text(x0, 28, "V100: one by one", bold=True)
    c.text(486, 28, "100 000 trips of 30 µs: 3 s", at="end")
    for k in range(13):
        c.box(x0 + k * trip, 40, trip - 3, 34, "wire", strong=True, round=0)
    c.text(x0 + 13 * trip + 8, 62, "…", bold=True)
    c.text(x0, 116, "V100: all at once", bold=True)
    c.text(486, 116, "one trip of 110 µs, then the loop", at="end")
    c.box(x0, 128, all_of_them - 3, 34, "wire", "one trip", strong=True, size="small", round=0)
    c.box(x0 + all_of_them, 128, 300, 34, "host", "the loop on the host", strong=True, size="small", round=0)
    c.text(x0 + all_of_them + 308, 150, "…", bold=True)
