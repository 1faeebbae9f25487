"""Drawings of dataframes: the buffers of a column, nulls, groups in a hash table, a Parquet file, a compiled function, a fallback."""

from __future__ import annotations

from .canvas import Canvas
from .registry import drawing


@drawing(
    "column-buffers",
    "Two columns of a table in the device's memory. A column of whole numbers is one buffer of 4 bytes for each row, and one bit for each row that tells "
    "whether the row is known. A column of strings is one buffer of letters, and one of offsets, 4 bytes each, that tell where each string begins.",
    346,
)
def column_buffers(c: Canvas) -> None:
    x0, cell = 14, 58.0
    c.text(x0, 26, "delay: int32", bold=True)
    c.text(486, 26, "5 rows", at="end")
    c.text(x0, 58, "values")
    c.text(486, 58, "4 bytes each", at="end", size="small")
    c.text(x0, 104, "mask")
    c.text(486, 104, "1 bit each", at="end", size="small")
    for k, (value, known) in enumerate((("11", 1), ("20", 1), ("", 0), ("-18", 1), ("-25", 1))):
        x = 78 + k * cell
        if known:
            c.box(x, 38, cell, 32, "memory", value, strong=True, round=0)
        else:
            c.waste(x, 38, cell, 32)
        c.box(x + cell / 2 - 12, 86, 24, 26, "memory" if known else "empty", str(known), round=0)
    c.text(78 + 2.5 * cell, 132, "null", at="middle", size="small")
    c.text(486, 132, "hatched: means nothing", at="end", size="small", colour="muted")
    c.line((10, 148), (490, 148), look="rule faint")
    names = ("Delta", "JetBlue", "United")
    c.text(x0, 178, "airline: strings", bold=True)
    c.text(486, 178, "3 rows", at="end")
    c.text(x0, 214, "offsets")
    c.text(486, 214, "4 bytes each", at="end", size="small")
    letters = "".join(names)
    unit = 472 / len(letters)
    at = 0
    starts = [at := at + len(name) for name in ("", *names)]
    for k, start in enumerate(starts):
        c.box(84 + k * 66, 194, 58, 30, "memory", str(start), round=0)
        foot = min(x0 + start * unit, x0 + 472)
        c.line((84 + k * 66 + 29, 226), (foot, 270))
    c.text(x0, 332, "letters, 1 byte each", size="small")
    c.text(486, 332, "18 letters without a gap", at="end", size="small")
    for k, letter in enumerate(letters):
        c.box(x0 + k * unit, 274, unit, 34, "memory", letter, strong=True, round=0, mono=True)
    for start in starts:
        c.line((x0 + start * unit, 270), (x0 + start * unit, 312), look="mark", thick=3)


@drawing(
    "null-or-nan",
    "Four rows under the condition delay greater than 0 and under its opposite. 5 is selected by the condition, and minus 3 by the opposite. A null is "
    "selected by neither, because both conditions are null. NaN is selected by the opposite, because NaN greater than 0 is False.",
    262,
)
def null_or_nan(c: Canvas) -> None:
    c.text(14, 28, "delay", bold=True)
    c.text(220, 28, "delay > 0", at="middle", mono=True, size="small")
    c.text(400, 28, "~(delay > 0)", at="middle", mono=True, size="small")
    rows = (("5", "True", "False"), ("-3", "False", "True"), ("<NA>", "<NA>", "<NA>"), ("NaN", "False", "True"))
    for k, (value, first, second) in enumerate(rows):
        y = 42 + k * 46
        if value == "<NA>":
            c.waste(14, y, 96, 36)
            c.box(32, y + 7, 60, 22, "empty", "null", round=0, size="small")
        else:
            c.box(14, y, 96, 36, "memory", value, strong=True, round=0)
        for x, said in ((160, first), (340, second)):
            chosen = said == "True"
            c.box(x, y, 120, 36, "memory" if chosen else "empty", said, strong=chosen, round=3, mono=said == "<NA>")
            if chosen:
                c.tick(x + 140, y + 18)
    c.text(14, 250, "ticked: the row is selected", colour="muted", size="small")


@drawing(
    "hash-groups",
    "Seven rows with three keys. A thread for each row computes a slot of a hash table from the row's key, and adds its value there. The groups come "
    "back in the order of the slots, here SFO, ATL and LAX: neither in alphabetical order nor in that of the rows.",
    360,
)
def hash_groups(c: Canvas) -> None:
    keys = ("LAX", "ATL", "SFO", "LAX", "ATL", "LAX", "SFO")
    slots = {"SFO": 1, "ATL": 3, "LAX": 4}
    step = 67.5
    c.text(14, 26, "rows, a thread for each", bold=True)
    for k, key in enumerate(keys):
        c.box(14 + k * step, 36, step - 8, 34, "thread", key, round=3)
    width, x0 = 78, 16
    c.text(14, 186, "hash table", bold=True)
    c.text(486, 186, "slots 0 to 5", at="end", size="small")
    for slot in range(6):
        name = next((key for key, at in slots.items() if at == slot), "")
        c.box(x0 + slot * width, 196, width, 38, "memory" if name else "empty", name, strong=bool(name), round=0)
    for k, key in enumerate(keys):
        target = x0 + slots[key] * width + width / 2 + (k - 3) * 5
        c.line((14 + k * step + (step - 8) / 2, 72), (target, 194), look="mark", thick=1.5)
    c.text(14, 272, "result, in the order of the slots", bold=True)
    for k, key in enumerate(sorted(slots, key=slots.get)):
        c.box(14 + k * 158, 284, 150, 34, "memory", key, strong=True, round=3)
    c.text(14, 346, "pandas would sort them: ATL, LAX, SFO", size="small")


@drawing(
    "groups-at-random",
    "A mean reads its column from one end to the other, and uses all 32 bytes of each sector. A groupby also changes the group of each row. The groups of "
    "neighbouring rows lie far apart, so that for each 8 bytes a whole sector of 32 bytes moves.",
    318,
)
def groups_at_random(c: Canvas) -> None:
    x0, cell = 14, 472 / 24
    c.text(x0, 26, "mean: sector after sector", bold=True)
    c.text(486, 26, "32 of 32 bytes used", at="end", size="small")
    c.cells(x0, 36, cell, 30, ["memory!"] * 24)
    for s in range(6):
        _sector(c, x0 + s * 4 * cell, 36, 4 * cell)
    c.arrow(x0, 84, x0 + 472, 84)
    c.line((10, 104), (490, 104), look="rule faint")
    c.text(x0, 132, "groupby: rows in order …", bold=True)
    c.cells(x0, 142, cell, 30, ["memory!"] * 24)
    touched = {0: 10, 1: 1, 2: 22, 3: 17}
    for k in range(24):
        s = k // 4
        here = k in touched.values()
        moved = any(t // 4 == s for t in touched.values())
        c.cells(x0 + k * cell, 218, cell, 30, ["memory!" if here else "waste" if moved else "empty"])
    for s in range(6):
        _sector(c, x0 + s * 4 * cell, 142, 4 * cell)
    for row, group in touched.items():
        c.line((x0 + (row + 0.5) * cell, 174), (x0 + (group + 0.5) * cell, 216), look="mark", thick=1.5)
    for s in {t // 4 for t in touched.values()}:
        _sector(c, x0 + s * 4 * cell, 218, 4 * cell)
    c.text(x0, 272, "… groups anywhere", bold=True)
    c.text(486, 272, "8 of 32 bytes used", at="end", size="small")
    c.waste(x0, 290, 18, 18)
    c.text(x0 + 26, 305, "moves, and is not used")
    c.text(486, 305, "framed: one sector", at="end", size="small")


def _sector(c: Canvas, x: float, y: float, w: float) -> None:
    c.outline(x, y, w, 30, thick=2.5)


@drawing(
    "row-groups",
    "A Parquet file of flights, drawn as 12 row groups below each other, one for each month, each cut into 19 columns. The footer at the end tells where each "
    "piece lies and which months a row group has. For two columns of July a reader needs the footer and two pieces.",
    330,
)
def row_groups(c: Canvas) -> None:
    x0, y0, w, h = 86, 44, 21.0, 17.0
    c.text(x0, 30, "19 columns", bold=True)
    c.arrow(x0 + 100, 24, x0 + 19 * w, 24)
    for month in range(12):
        for column in range(19):
            wanted = month == 6 and column in (8, 9)
            c.box(x0 + column * w, y0 + month * h, w, h, "device" if wanted else "memory", strong=wanted, round=0)
    c.text(12, y0 + 14, "January", size="small", room=70)
    c.text(12, y0 + 6 * h + 13, "July", size="small", bold=True)
    c.text(12, y0 + 11 * h + 13, "Dec.", size="small")
    footer = ("footer: where each piece begins,", "its smallest and its largest value")
    c.box(x0, y0 + 12 * h + 8, 19 * w, 46, "device", *footer, strong=True, size="small")
    c.box(x0, y0 + 12 * h + 64, 18, 16, "device", strong=True, round=0)
    c.text(x0 + 26, y0 + 12 * h + 77, "has to be read: carrier, arr_delay of July", size="small")


@drawing(
    "compiled-function",
    "Two ways to apply a function to each row. In pandas Python calls the function for one row after the other. cuDF compiles the function once, and then "
    "one thread runs it for each row, all at the same time.",
    236,
)
def compiled_function(c: Canvas) -> None:
    c.text(14, 28, "pandas", bold=True)
    c.text(486, 28, "Python calls f for each row", at="end")
    for k in range(7):
        c.box(14 + k * 58, 40, 52, 38, "host", f"f({k})", strong=True, size="small", mono=True, round=2)
    c.text(424, 64, "… … …", size="small")
    c.line((10, 100), (490, 100), look="rule faint")
    c.text(14, 130, "cuDF", bold=True)
    c.text(486, 130, "a thread for each row", at="end")
    c.box(14, 142, 110, 76, "host", "compile f", "once", strong=True)
    c.arrow(126, 180, 160, 180)
    for r in range(2):
        for k in range(8):
            c.box(164 + k * 40.5, 142 + r * 40, 36, 36, "thread", f"{8 * r + k}", strong=True, size="small", round=2)


@drawing(
    "fallback-trip",
    "A timeline of three steps under cudf.pandas. The first step runs on the GPU. The second one is unknown to cuDF: the table goes over the bus to the host, "
    "pandas does the step on the CPU, and the result goes over the bus again. Then the GPU does the third step.",
    212,
)
def fallback_trip(c: Canvas) -> None:
    lanes = (("GPU", 40), ("bus", 88), ("CPU", 136))
    for name, y in lanes:
        c.text(14, y + 24, name, bold=True)
    parts = (
        (66, 70, "GPU", "device", "step 1"),
        (140, 62, "bus", "wire", "down"),
        (206, 130, "CPU", "host", "pandas: step 2"),
        (340, 62, "bus", "wire", "up"),
        (406, 80, "GPU", "device", "step 3"),
    )
    top = dict(lanes)
    for x, w, lane, thing, words in parts:
        c.box(x, top[lane], w - 4, 36, thing, words, strong=True, size="small", round=2)
    c.text(271, 26, "step 2 falls back", at="middle", size="small")
    for x in (138, 404):
        c.line((x, 14), (x, 184), look="mark", dashed=True)
    c.text(66, 204, "time →", colour="muted")
