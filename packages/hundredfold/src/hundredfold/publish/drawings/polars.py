"""Drawings of Polars: steps and a query, what moves into the scan, which pieces are read, who runs a query, the trip, and which tool."""

from __future__ import annotations

from .canvas import Canvas
from .registry import drawing


@drawing(
    "steps-or-query",
    "Two programs that read, filter and group. In pandas each step runs at once and makes a table for the next one. In Polars the steps are noted as a plan. "
    "Only collect runs it, and it makes the result alone.",
    262,
)
def steps_or_query(c: Canvas) -> None:
    names = ("read", "filter", "group")
    c.text(14, 26, "pandas: each step runs", bold=True)
    for k, name in enumerate(names):
        x = 14 + k * 162
        c.box(x, 38, 80, 36, "host", name, strong=True)
        c.arrow(x + 82, 56, x + 104, 56)
        c.box(x + 106, 38, 40, 36, "memory", "", round=0)
        if k < 2:
            c.arrow(x + 146, 56, x + 160, 56)
    c.text(486, 94, "blue: a table in memory", size="small", at="end")
    c.line((10, 108), (490, 108), look="rule faint")
    c.text(14, 136, "Polars: the steps are a plan", bold=True)
    for k, name in enumerate(("scan", "filter", "group")):
        c.box(14 + k * 88, 150, 80, 36, "empty", name, dashed=True)
        if k < 2:
            c.line((94 + k * 88, 168), (102 + k * 88, 168))
    c.arrow(272, 168, 298, 168)
    c.box(300, 150, 90, 36, "host", "collect", strong=True)
    c.arrow(392, 168, 420, 168)
    c.box(422, 150, 40, 36, "memory", "", round=0)
    c.text(14, 214, "Nothing runs before collect. So Polars sees", size="small")
    c.text(14, 236, "the whole plan, and can change it first.", size="small")


@drawing(
    "plan-moves",
    "Two plans, to be read from the bottom to the top. As written: scan 19 columns, keep the rows of July, group by carrier. Optimised: the scan reads 3 columns and the "
    "rows of July, and then the rows are grouped. The filter and the choice of columns have moved into the scan.",
    266,
)
def plan_moves(c: Canvas) -> None:
    c.text(120, 26, "as written", bold=True, at="middle")
    c.text(380, 26, "optimised", bold=True, at="middle")
    c.box(20, 42, 200, 40, "host", "group by carrier")
    c.arrow(120, 110, 120, 86)
    c.box(20, 112, 200, 40, "host", "filter: month = 7", strong=True)
    c.arrow(120, 190, 120, 156)
    c.box(20, 192, 200, 58, "memory", "scan", "19 columns")
    c.box(280, 42, 200, 40, "host", "group by carrier")
    c.arrow(380, 160, 380, 86)
    c.box(280, 162, 200, 88, "memory", "scan", "3 columns", "rows of month = 7", strong=True)
    c.arrow(224, 132, 276, 196)


@drawing(
    "pieces-read",
    "The same Parquet file three times, each with 12 row groups below each other and 19 columns. Without optimisation all 228 pieces are needed. When only the "
    "columns are chosen, three columns of all row groups are needed, 36 pieces. When the rows are chosen too, three pieces of one row group are "
    "needed. In each row group the six pieces between the three are hatched: Polars fetches them as well.",
    226,
)
def pieces_read(c: Canvas) -> None:
    w, h, wanted = 7.6, 10.5, (1, 8, 9)
    panels = (
        ("all", lambda row, column: True),
        ("columns", lambda row, column: column in wanted),
        ("both", lambda row, column: column in wanted and row == 6),
    )
    for k, (name, needed) in enumerate(panels):
        x = 14 + k * 163
        c.text(x, 24, name, bold=True)
        for row in range(12):
            things = ["memory!" if needed(row, column) else "empty" for column in range(19)]
            c.cells(x, 36 + row * h, w, h, things)
            if needed(row, 1) and not needed(row, 2):
                c.hatch(x + 2 * w, 36 + row * h, 6 * w, h, step=4)
        count = sum(needed(row, column) for row in range(12) for column in range(19))
        c.text(x, 182, f"{count} needed" if k else f"{count} pieces")
    c.text(14, 212, "a row: a row group, one month   ·   hatched: fetched as well", size="small")


@drawing(
    "who-runs-it",
    "The way of a query that is collected with engine gpu. Polars optimises the plan. The translator of cudf-polars looks at every step and every expression. If "
    "all are supported, the GPU runs the query. If one is not, Polars' CPU engine runs all of it, or an error is raised if you asked for that.",
    316,
)
def who_runs_it(c: Canvas) -> None:
    c.box(14, 16, 216, 42, "host", 'collect(engine="gpu")', size="small", mono=True, strong=True)
    c.arrow(232, 37, 268, 37)
    c.box(270, 16, 216, 42, "host", "the optimised plan")
    c.arrow(378, 60, 378, 84)
    c.box(170, 86, 316, 58, "wire", "the translator looks at", "each step and expression", strong=True)
    c.arrow(400, 146, 400, 196)
    c.text(392, 176, "one is refused", at="end")
    c.arrow(200, 146, 130, 196)
    c.text(60, 176, "all taken")
    c.box(14, 200, 190, 50, "device", "the GPU runs it", strong=True)
    c.box(250, 200, 236, 50, "host", "the CPU engine runs it all", strong=True)
    c.text(486, 276, "raise_on_fail=True:", at="end", mono=True, size="small")
    c.text(486, 300, "an error with the reasons", at="end", size="small")


@drawing(
    "query-trip",
    "Two timelines of rows for file and memory of the host, bus, and GPU. First two queries: each sends its columns up, runs on the GPU, and brings its result back. "
    "Then one query that does both: the columns go up once.",
    306,
)
def query_trip(c: Canvas) -> None:
    def lanes(y: float) -> None:
        for k, name in enumerate(("host", "bus", "GPU")):
            c.text(14, y + 20 + 34 * k, name, size="small")

    c.text(14, 24, "two queries", bold=True)
    lanes(32)
    x = 62
    for k in range(2):
        c.box(x, 34, 62, 28, "host", "read", size="small", round=2)
        c.box(x + 64, 68, 56, 28, "wire", "up", size="small", strong=True, round=2)
        c.box(x + 122, 102, 52, 28, "device", f"{k + 1}", size="small", strong=True, round=2)
        c.box(x + 176, 68, 22, 28, "wire", "", size="small", strong=True, round=2)
        x += 202
    c.line((10, 148), (490, 148), look="rule faint")
    c.text(14, 174, "one query with both", bold=True)
    lanes(182)
    x = 62
    c.box(x, 184, 62, 28, "host", "read", size="small", round=2)
    c.box(x + 64, 218, 56, 28, "wire", "up", size="small", strong=True, round=2)
    c.box(x + 122, 252, 52, 28, "device", "1", size="small", strong=True, round=2)
    c.box(x + 176, 252, 52, 28, "device", "2", size="small", strong=True, round=2)
    c.box(x + 230, 218, 22, 28, "wire", "", size="small", strong=True, round=2)
    c.text(330, 238, "results are small", size="small")


@drawing(
    "all-or-nothing",
    "Five steps in a row, of which the fourth is unknown to the GPU. Under cudf.pandas that step alone runs on the CPU. With Polars all five run on the CPU. If the query is cut in "
    "two, the first three run on the GPU and the last two on the CPU.",
    264,
)
def all_or_nothing(c: Canvas) -> None:
    rows = (
        ("cudf.pandas: step by step", ("device", "device", "device", "host", "device")),
        ("Polars: the query as a whole", ("host",) * 5),
        ("Polars, cut in two", ("device", "device", "device", "host", "host")),
    )
    for k, (name, things) in enumerate(rows):
        y = 14 + 74 * k
        c.text(14, y + 14, name, bold=True)
        for s, thing in enumerate(things):
            words = "unknown" if s == 3 else str(s + 1)
            c.box(14 + s * 95, y + 24, 88, 32, thing, words, strong=s == 3 or thing == "device", size="small", round=2)
    c.key(14, 236, 20, 16, "device", "GPU", strong=True, round=2)
    c.key(110, 236, 20, 16, "host", "CPU", round=2)


@drawing(
    "which-tool",
    "A table of what you have and what to try first. Queries that take seconds on a CPU: Polars or DuckDB. Queries over many gigabytes: Polars on the GPU. A pandas program: "
    "cudf.pandas. Steps of your own on a table that stays on the GPU: cuDF. Arrays, models or a Dask cluster: Dask.",
    284,
)
def which_tool(c: Canvas) -> None:
    rows = (
        ("queries of seconds on a CPU", "host", "Polars, DuckDB"),
        ("queries over many gigabytes", "device", "Polars on the GPU"),
        ("a program in pandas", "device", "cudf.pandas"),
        ("a table that stays on the GPU", "device", "cuDF"),
        ("arrays, models, a Dask cluster", "block", "Dask"),
    )
    c.text(14, 24, "you have", bold=True)
    c.text(304, 24, "try first", bold=True)
    for k, (have, thing, tool) in enumerate(rows):
        y = 36 + 48 * k
        c.text(14, y + 25, have, size="small")
        c.arrow(262, y + 20, 298, y + 20)
        c.box(304, y, 182, 40, thing, tool, strong=True)
