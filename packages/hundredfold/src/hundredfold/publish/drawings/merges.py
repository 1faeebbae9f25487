"""Drawings of merges: how many rows and which, nulls, keys in a hash table, two clocks, the search of an as-of join, windows in time."""

from __future__ import annotations

from .canvas import Canvas
from .registry import drawing


@drawing(
    "join-multiplicity",
    "An inner join of a left table with the keys A, A, B and a right table with the keys A, A, A, C. Each of the two left rows with A is put together with each of "
    "the three right rows with A, so that six rows come out. B and C match nothing, and are not in the result.",
    276,
)
def join_multiplicity(c: Canvas) -> None:
    left, right, step, h = (
        (("A", "1"), ("A", "2"), ("B", "3")),
        (("A", "x"), ("A", "y"), ("A", "z"), ("C", "w")),
        46,
        34,
    )
    c.text(14, 28, "left", bold=True)
    c.text(172, 28, "right", bold=True)
    c.text(330, 28, "result", bold=True)
    for x, rows in ((14, left), (172, right)):
        for k, (key, value) in enumerate(rows):
            c.box(x, 42 + k * step, 40, h, "memory", key, strong=key == "A", round=0)
            c.box(x + 40, 42 + k * step, 40, h, "memory", value, round=0)
    for i in range(2):
        for j in range(3):
            c.line((96, 42 + i * step + h / 2), (170, 42 + j * step + h / 2), look="mark")
            y = 42 + (3 * i + j) * 30
            c.box(330, y, 40, 26, "memory", "A", strong=True, round=0)
            c.box(370, y, 40, 26, "memory", left[i][1], round=0)
            c.box(410, y, 40, 26, "memory", right[j][1], round=0)
    c.text(330, 240, "2 · 3 = 6 rows")
    c.text(14, 264, "B and C match nothing: they are not in an inner join", size="small")


@drawing(
    "join-tables",
    "Three tables. Each flight has a tail number, an airport of origin and the hour in which it was due. The table of planes has one row for each tail number. "
    "The table of weather has one row for each airport and hour.",
    262,
)
def join_tables(c: Canvas) -> None:
    c.frame(12, 12, 178, 238, "memory", "flights")
    c.text(22, 54, "one row a flight", size="small")
    for k, name in enumerate(("tailnum", "origin", "time_hour", "dep_delay …")):
        c.box(24, 70 + k * 44, 154, 34, "empty", name, mono=True, size="small", round=0)
    c.frame(308, 12, 180, 104, "memory", "planes")
    c.text(318, 54, "one row a plane", size="small")
    c.box(320, 70, 156, 34, "empty", "tailnum", mono=True, size="small", round=0)
    c.frame(308, 122, 180, 128, "memory", "weather")
    c.text(318, 166, "one row for each", size="small")
    c.text(318, 184, "airport and hour", size="small")
    c.box(320, 194, 156, 46, "empty", "origin,", "time_hour", mono=True, size="small", round=0)
    c.line((180, 87), (318, 87), look="mark", thick=2)
    c.text(249, 78, "many to one", at="middle", size="small")
    c.line((180, 131), (214, 131), (214, 218), look="mark", thick=2)
    c.line((180, 175), (214, 175), look="mark", thick=2)
    c.line((214, 218), (318, 218), look="mark", thick=2)
    c.text(261, 209, "many to one", at="middle", size="small")


@drawing(
    "join-kinds",
    "Five joins of flights with the tail numbers N1, N1, N9 and planes with N1, N2. Inner: the two flights with N1, each with its plane. Left: also N9, "
    "with a null for its plane. Outer: also the plane N2, with a null for its flight. Leftsemi: the two flights with N1, without a plane. Leftanti: N9 alone.",
    372,
)
def join_kinds(c: Canvas) -> None:
    w, h = 42, 32
    c.text(14, 34, "flights")
    for k, key in enumerate(("N1", "N1", "N9")):
        c.box(86 + k * (w + 6), 14, w, h, "memory", key, strong=True, round=0)
    c.text(300, 34, "planes")
    for k, key in enumerate(("N1", "N2")):
        c.box(366 + k * (w + 6), 14, w, h, "memory", key, round=0)
    c.line((10, 64), (490, 64), look="rule faint")
    c.text(118, 90, "each row: flight, plane", size="small")
    both, alone, unused = ("N1", "N1"), ("N9", None), (None, "N2")
    kinds = {
        "inner": [both, both],
        "left": [both, both, alone],
        "outer": [both, both, alone, unused],
        "leftsemi": [("N1",), ("N1",)],
        "leftanti": [("N9",)],
    }
    for line, (kind, rows) in enumerate(kinds.items()):
        y = 102 + line * 46
        c.text(14, y + 21, kind, mono=True, size="small")
        for k, row in enumerate(rows):
            x = 118 + k * 92
            for side, key in enumerate(row):
                if key is None:
                    c.waste(x + side * w, y, w, h)
                else:
                    c.box(x + side * w, y, w, h, "memory", key, strong=side == 0, round=0)
    c.waste(14, 342, 18, 18)
    c.text(40, 357, "null", size="small")


@drawing(
    "left-merge-nulls",
    "A left merge of three flights with two planes. The column of seats has the type int32 in the table of planes. The flight with the tail number N9 has no plane, so "
    "its number of seats is null in the result, and the whole column is float64 there.",
    206,
)
def left_merge_nulls(c: Canvas) -> None:
    c.text(14, 28, "flights", bold=True)
    c.text(132, 28, "planes", bold=True)
    c.text(306, 28, "left merge", bold=True)
    for k, (key, out) in enumerate((("N1", "N2"), ("N9", "N1"), ("N2", "N9"))):  # the result has no order
        y = 42 + k * 40
        c.box(14, y, 64, 34, "memory", key, strong=True, round=0)
        c.box(306, y, 64, 34, "memory", out, strong=True, round=0)
    for k, (key, seats) in enumerate((("N1", "182"), ("N2", "55"))):
        y = 42 + k * 40
        c.box(132, y, 54, 34, "memory", key, round=0)
        c.box(186, y, 64, 34, "memory", seats, round=0)
    for k, seats in enumerate(("55.0", "182.0", "")):
        y = 42 + k * 40
        if seats:
            c.box(370, y, 76, 34, "memory", seats, round=0)
        else:
            c.waste(370, y, 76, 34)
    c.text(452, 144, "null", size="small", room=46)
    c.arrow(262, 79, 298, 79)
    c.text(186, 142, "int32", mono=True, size="small")
    c.text(370, 180, "float64", mono=True, size="small")
    c.text(14, 180, "N9 has no plane", size="small")


@drawing(
    "null-keys",
    "An inner join of the keys 1, null, 2 with the keys 1, null, null. In pandas and cuDF the null on the left matches both nulls on the right, so that "
    "three rows come out. In SQL and Polars a null matches nothing, and one row comes out.",
    216,
)
def null_keys(c: Canvas) -> None:
    for x0, who, rows, match in ((14, "pandas, cuDF", "3 rows", True), (266, "SQL, Polars", "1 row", False)):
        c.text(x0, 28, who, bold=True)
        for k, (left, right) in enumerate((("1", "1"), ("null", "null"), ("2", "null"))):
            y = 42 + k * 44
            for x, key in ((x0, left), (x0 + 150, right)):
                if key == "null":
                    c.waste(x, y, 70, 34)
                    c.box(x + 12, y + 6, 46, 22, "empty", "null", round=0, size="small")
                else:
                    c.box(x, y, 70, 34, "memory", key, strong=key == "1", round=0)
        c.line((x0 + 72, 59), (x0 + 148, 59), look="mark", thick=2)
        if match:
            c.line((x0 + 72, 103), (x0 + 148, 103), look="mark", thick=2)
            c.line((x0 + 72, 103), (x0 + 148, 147), look="mark", thick=2)
        c.text(x0, 200, rows)
    c.line((250, 12), (250, 204), look="rule faint")


@drawing(
    "hash-join",
    "A hash join in two steps. Build: each row of the right table is put into a slot of a hash table. The key N2 comes twice, and has two slots. Probe: a thread "
    "for each row of the left table computes the slot of its key, finds the right rows there and writes the pairs. The pairs come out in the order in which "
    "the threads finish.",
    362,
)
def hash_join(c: Canvas) -> None:
    slots = ("N5", "", "N2", "N2", "", "N1")
    width, x0, top = 78, 16, 138
    c.text(14, 28, "1 build: right keys into a hash table", bold=True)
    for k, (key, slot) in enumerate((("N5", 0), ("N2", 2), ("N1", 5), ("N2", 3))):
        x = 30 + k * 116
        c.box(x, 40, 80, 34, "memory", key, round=0)
        c.arrow(x + 40, 76, x0 + slot * width + width / 2, top - 3)
    for slot, name in enumerate(slots):
        look = "memory" if name else "empty"
        c.box(x0 + slot * width, top, width, 38, look, name or "empty", strong=bool(name), round=0)
    for k, (key, found) in enumerate(
        (("N5", (0,)), ("N2", (2, 3)), ("N5", (0,)), ("N9", (4,)), ("N1", (5,)), ("N1", (5,)))
    ):
        x = x0 + k * width
        c.box(x + 5, 244, width - 10, 34, "thread", key, strong=True, round=3)
        for at in found:
            c.arrow(x + width / 2, 242, x0 + at * width + width / 2 + (k - at) * 9, top + 41)
    c.text(14, 306, "2 probe: a thread for each left row", bold=True)
    c.text(14, 330, "The slot of N9 is empty: no match.", size="small")
    c.text(14, 352, "Pairs come out as the threads finish.", size="small")


@drawing(
    "clock-change",
    "The night of 3 November 2013 in UTC and on the clock of New York. The hours 4, 5, 6, 7, 8 of UTC are the hours 0, 1, 1, 2, 3 in New York: 1 o'clock "
    "comes twice.",
    176,
)
def clock_change(c: Canvas) -> None:
    c.text(14, 56, "UTC", bold=True)
    c.text(14, 116, "New York", bold=True)
    for k, (utc, clock) in enumerate(zip(("04", "05", "06", "07", "08"), ("00", "01", "01", "02", "03"), strict=True)):
        x = 112 + k * 75
        c.box(x, 32, 69, 38, "memory", f"{utc}:00", strong=clock == "01", round=0)
        c.box(x, 92, 69, 38, "memory", f"{clock}:00", strong=clock == "01", round=0)
    c.text(112, 160, "the same hour twice")
    c.span(187, 331, 140)


@drawing(
    "wrong-hour",
    "A flight at 14:00 UTC between five hours of weather in two forms. Where the weather is labelled in UTC, the flight finds the weather of its hour. Where it is "
    "labelled with the clock of New York, in July four hours behind, the label 14:00 is on the weather of 18:00 UTC.",
    266,
)
def wrong_hour(c: Canvas) -> None:
    hours = range(14, 19)
    at = {hour: 104 + k * 77 for k, hour in enumerate(hours)}
    for y, second in ((30, "in UTC"), (202, "by the clock")):
        c.text(12, y, "weather", bold=True)
        c.text(12, y + 20, second, size="small")
    c.text(12, 136, "flight", bold=True)
    for hour in hours:
        c.box(at[hour], 16, 70, 36, "memory", f"{hour}:00", strong=hour == 14, round=0)
        wrong = hour == 18
        c.box(at[hour], 188, 70, 36, "memory", f"{hour - 4}:00", strong=wrong, round=0)
    c.box(104, 112, 70, 36, "thread", "14:00", strong=True, round=3)
    c.arrow(139, 110, 139, 54)
    c.tick(160, 84)
    c.line((176, 130), (447, 130), look="mark", thick=2)
    c.arrow(447, 129, 447, 186)
    c.cross(424, 160)
    c.text(12, 256, "The weather of 18:00 UTC has the label 14:00.", size="small")


@drawing(
    "asof-search",
    "Reports of weather on a line of time, at 0, 3, 6 and 15 o'clock, with the positions 0 to 3. A flight at 3 o'clock takes position 1, the report of its own time. "
    "One at 4:30 takes position 1, too. One at 14 o'clock takes position 2, which is eight hours old. One before the first report would get position minus 1.",
    340,
)
def asof_search(c: Canvas) -> None:
    def place(hour: float) -> float:
        return 92 + (hour + 2.5) * 21.0

    c.text(14, 28, "reports, sorted", bold=True)
    reports = (0, 3, 6, 15)
    for position, hour in enumerate(reports):
        c.box(place(hour) - 23, 40, 46, 34, "memory", str(position), strong=True, round=0)
        c.text(place(hour), 96, f"{hour}:00", at="middle", size="small")
        c.line((place(hour), 104), (place(hour), 296), look="rule faint")
    c.text(14, 62, "position", size="small", colour="muted")
    c.text(14, 96, "time", size="small", colour="muted")
    flights = (("23:00", -1, -1), ("3:00", 3, 1), ("4:30", 4.5, 1), ("14:00", 14, 2))
    c.text(14, 128, "flights", bold=True)
    for k, (when, hour, found) in enumerate(flights):
        y = 148 + k * 44
        c.text(14, y + 6, when, size="small")
        x = place(hour)
        c.box(x - 7, y - 9, 14, 18, "thread", strong=True, round=2)
        if found >= 0 and hour > reports[found]:
            c.arrow(x - 9, y, place(reports[found]) + 1, y)
        elif found < 0:
            c.text(place(6) + 10, y + 6, "position −1: none before", size="small")
    c.text(14, 330, "23:00: on the day before", size="small", colour="muted")


@drawing(
    "time-windows",
    "Rows at many times become one value for each of eight days. Day 5 has no rows. A rolling window of three values that ends on day 6 takes days 3, 4 and 6, so it spans four "
    "days. A window of three days that ends on day 6 takes days 4 to 6, in which there are two values.",
    262,
)
def time_windows(c: Canvas) -> None:
    x0, w = 14, 59
    c.text(14, 26, "rows at their times", bold=True)
    for day in range(1, 9):
        for k in range({1: 2, 2: 3, 3: 1, 4: 2, 5: 0, 6: 3, 7: 2, 8: 1}[day]):
            c.box(x0 + (day - 1) * w + 5 + (k * 17 + day * 5) % 42, 36, 6, 18, "memory", strong=True, round=1)
    c.text(14, 82, "one value for each day", bold=True)
    c.text(x0 + 4 * w + 26, 82, "day 5: no rows", at="middle", size="small")
    for day in range(1, 9):
        x = x0 + (day - 1) * w
        if day == 5:
            c.box(x, 94, w - 6, 38, "empty", "5", dashed=True, round=0)
        else:
            c.box(x, 94, w - 6, 38, "memory", str(day), strong=day == 6, round=0)
    for y, first, words in (
        (156, 3, "rolling(3): three values, four days"),
        (216, 4, 'rolling("3D"): three days, two values'),
    ):
        c.span(x0 + (first - 1) * w, x0 + 6 * w - 6, y)
        c.text(x0 + 6 * w - 6, y + 24, words, at="end")
