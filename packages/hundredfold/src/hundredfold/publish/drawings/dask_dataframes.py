"""Drawings of Dask dataframes: files and partitions, what a reader skips, how rows travel, merges in pieces, a skewed key and a screenshot of one, divisions."""

from __future__ import annotations

from .canvas import Canvas
from .registry import drawing


@drawing(
    "files-to-partitions",
    "A folder for each year has one Parquet file. A file has twelve row groups and a footer at its end. Three row groups become one partition, so that a file "
    "gives four partitions. A partition is an ordinary cuDF table.",
    350,
)
def files_to_partitions(c: Canvas) -> None:
    c.text(14, 27, "files in folders", bold=True)
    c.text(250, 27, "a file", at="middle", bold=True)
    c.text(486, 27, "partitions", at="end", bold=True)
    for k, year in enumerate(("2014", "2015", "…", "2023")):
        y = 48 + k * 62
        if year == "…":
            c.text(64, y + 30, "…", at="middle", bold=True)
        else:
            c.box(14, y, 112, 48, "host", f"year={year}/", size="small", mono=True, strong=k == 0)
    for k in range(12):
        c.box(200, 42 + k * 18, 100, 18, "memory", strong=k // 3 % 2 == 0, round=0)
    c.box(200, 258, 100, 30, "host", "footer", strong=True, size="small", round=0)
    c.line((128, 48), (198, 42), dashed=True)
    c.line((128, 96), (198, 288), dashed=True)
    for k in range(4):
        y = 42 + k * 54
        c.line((304, y + 3), (312, y + 3), (312, y + 51), (304, y + 51), look="mark")
        c.arrow(314, y + 27, 366, y + 27)
        c.box(370, y + 5, 116, 44, "device", "cuDF table", strong=True, size="small")
    c.text(200, 314, "12 row groups", size="small")
    c.text(14, 340, "footer: each column's place, least and greatest value", size="small", colour="muted")


@drawing(
    "three-pushdowns",
    "What three questions need of four files, each with three row groups and four columns. One column: one block in each row group. One month: one row group of each file. "
    "One year: one file.",
    250,
)
def three_pushdowns(c: Canvas) -> None:
    panels = (
        ("one column", lambda file, group, column: column == 1),
        ("one month", lambda file, group, column: group == 1),
        ("one year", lambda file, group, column: file == 2),
    )
    for k, (name, wanted) in enumerate(panels):
        left = 14 + k * 166
        c.text(left, 27, name, bold=True)
        for file in range(4):
            for group in range(3):
                for column in range(4):
                    x, y = left + column * 34, 40 + file * 44 + group * 12
                    here = wanted(file, group, column)
                    c.box(x, y, 34, 12, "device" if here else "empty", strong=here, round=0)
    c.key(14, 224, 18, 16, "device", "needed", strong=True, size="small")
    c.text(486, 238, "4 files, 3 row groups, 4 columns", at="end", size="small", colour="muted")


@drawing(
    "partition-and-memory",
    "The memory of one GPU while two partitions are merged, for partitions of a thirty-second, a sixth and a third of the memory. Both inputs, a hash table and the result must "
    "fit at the same time. With a thirty-second most of the memory is left for other tasks. With a sixth a third is left. With a third the result does not fit.",
    246,
)
def partition_and_memory(c: Canvas) -> None:
    x0, wide = 70, 330
    c.text(14, 27, "one GPU during a merge, by the size of a partition", bold=True)
    rows = (("1/32", 1 / 32), ("1/6", 1 / 6), ("1/3", 1 / 3))
    for k, (name, share) in enumerate(rows):
        y = 44 + k * 52
        c.text(14, y + 26, name)
        c.box(x0, y, wide, 40, "empty", round=0)
        at = x0
        for words, part in (("input", 1.0), ("input", 1.0), ("", 0.6), ("result", 1.2)):
            piece = part * share * wide
            c.box(at, y + 4, piece, 32, "device", strong=bool(words), round=0)
            if words and piece > 50:  # words in what is inside of the memory
                c.text((at + min(at + piece, x0 + wide)) / 2, y + 26, words, at="middle", size="small")
            at += piece
        if at > x0 + wide:
            c.hatch(x0 + wide, y + 4, at - x0 - wide, 32)
    c.line((x0 + wide, 38), (x0 + wide, 204), look="mark", thick=3)
    c.text(x0 + wide, 222, "end of the memory", at="end", size="small")
    c.text(14, 240, "pale: the hash table; hatched: does not fit", size="small", colour="muted")


@drawing(
    "stay-tree-shuffle",
    "Three kinds of operation on four partitions. A new column is made for each partition alone, and nothing moves. A groupby is a tree: each partition makes its few groups, which go "
    "to one task. A shuffle sends a part of every old partition to every new one: 16 parts.",
    430,
)
def stay_tree_shuffle(c: Canvas) -> None:
    middle = [132 + k * 98 for k in range(4)]

    def row(y: float, thing: str, *, strong: bool = False) -> None:
        for x in middle:
            c.box(x - 38, y, 76, 30, thing, strong=strong, round=0)

    c.text(14, 26, "row by row: nothing moves", bold=True)
    c.text(14, 60, "before", size="small")
    c.text(14, 116, "after", size="small")
    row(40, "memory")
    row(96, "memory", strong=True)
    for x in middle:
        c.arrow(x, 72, x, 94)
    c.line((10, 140), (490, 140), look="rule faint")
    c.text(14, 166, "a tree: groups move", bold=True)
    row(178, "memory")
    for x in middle:
        c.box(x - 20, 222, 40, 16, "thread", strong=True, round=0)
        c.line((x, 209), (x, 221), look="mark")
        c.line((x, 239), (279, 264), look="mark")
    c.box(259, 264, 40, 20, "thread", strong=True, round=0)
    c.text(14, 236, "groups", size="small")
    c.line((10, 298), (490, 298), look="rule faint")
    c.text(14, 324, "a shuffle: all rows move", bold=True)
    row(336, "memory")
    row(392, "memory", strong=True)
    for x in middle:
        for to in middle:
            c.line((x, 367), (to, 391), look="mark", thick=1.2)


@drawing(
    "split-out",
    "The groups of four partitions are put together in two ways. With split_out equal to 1 one task gets all groups, and holds all of them. With split_out equal to 2 a hash of the "
    "key sends each group to one of two tasks, and each holds half of the groups.",
    290,
)
def split_out(c: Canvas) -> None:
    for k, (name, outs) in enumerate((("split_out=1", 1), ("split_out=2", 2))):
        left = 14 + k * 252
        c.text(left, 27, name, mono=True)
        centres = [left + 26 + j * 58 for j in range(4)]
        ends = [left + 113] if outs == 1 else [left + 54, left + 172]
        for x in centres:
            c.box(x - 24, 42, 48, 44, "memory", round=0)
            c.box(x - 24, 92, 24, 22, "thread", strong=True, round=0)
            c.box(x, 92, 24, 22, "warp" if outs == 2 else "thread", strong=True, round=0)
            for j, end in enumerate(ends):
                start = x - 12 + 24 * j if outs == 2 else x
                c.line((start, 116), (end, 182), look="mark", thick=1.2)
        for j, end in enumerate(ends):
            w = 200 if outs == 1 else 100
            c.box(
                end - w / 2,
                184,
                w,
                44,
                "warp" if j else "thread",
                "all groups" if outs == 1 else "half",
                strong=True,
                round=0,
            )
    c.text(14, 256, "top: partitions; below them their groups", size="small")
    c.text(14, 280, "colours: by a hash of the key", size="small", colour="muted")


@drawing(
    "merge-in-pieces",
    "A merge of two large tables. A hash of the key decides to which of three new partitions each row of both tables goes. "
    "Then each pair of partitions is merged by itself, as in one table.",
    330,
)
def merge_in_pieces(c: Canvas) -> None:
    things = ("thread", "warp", "block")
    c.text(14, 27, "left", bold=True)
    c.text(486, 27, "right", at="end", bold=True)
    for side, x in ((0, 14), (1, 386)):
        for part in range(3):
            y = 42 + part * 82
            c.box(x, y, 100, 66, "memory", round=0)
            for k, thing in enumerate(things):
                c.box(x + 8, y + 8 + k * 18, 84, 14, thing, strong=True, round=0)
                start = x + 102 if side == 0 else x - 2
                end = 176 if side == 0 else 324
                c.line((start, y + 15 + k * 18), (end, 75 + k * 82 + (6 if side else -6)), look="mark", thick=1)
    c.text(250, 27, "merged in pairs", at="middle", bold=True)
    for k, thing in enumerate(things):
        y = 46 + k * 82
        c.box(178, y, 66, 58, thing, "left", strong=True, size="small", round=0)
        c.box(256, y, 66, 58, thing, "right", strong=True, size="small", round=0)
    c.text(14, 316, "colours: by a hash of the key", size="small")


@drawing(
    "broadcast-merge",
    "A merge of a large table with a small one. The small table of one partition is sent whole to each worker. There it is merged with each partition of the large table, "
    "which does not move.",
    268,
)
def broadcast_merge(c: Canvas) -> None:
    c.text(14, 27, "small table", bold=True)
    c.box(198, 12, 104, 36, "thread", "planes", strong=True, round=0)
    for k, x in enumerate((14, 258)):
        c.box(x, 96, 228, 130, "device", round=8)
        c.text(x + 216, 119, f"worker {k}", at="end", bold=True)
        c.box(x + 12, 130, 60, 82, "thread", "planes", strong=True, size="small", round=0)
        for j in range(2):
            c.box(x + 86, 130 + j * 44, 130, 36, "memory", "flights", strong=True, size="small", round=0)
            c.line((x + 72, 148 + j * 44), (x + 86, 148 + j * 44), look="mark", thick=2)
    c.line((250, 48), (250, 70), look="mark", thick=2)
    c.line((56, 70), (300, 70), look="mark", thick=2)
    c.arrow(56, 70, 56, 128)
    c.arrow(300, 70, 300, 128)
    c.text(486, 62, "moves: only planes", at="end", size="small")
    c.text(14, 256, "each partition of flights stays where it is", size="small")


@drawing(
    "skew-streams",
    "Three task streams of two workers, a, b and c, time from left to right. In a, both workers run tasks of equal length until the end. In b, both have many short tasks with white gaps. "
    "In c, all tasks are short but one: worker 1 runs one long task, and worker 0 has nothing to do meanwhile.",
    306,
)
def skew_streams(c: Canvas) -> None:
    for k, name in enumerate("abc"):
        top = 12 + k * 98
        c.text(14, top + 46, f"({name})", bold=True)
        for lane in range(2):
            y = top + lane * 42
            c.box(60, y, 426, 36, round=0)
            if name == "a":
                for j in range(6):
                    c.box(64 + j * 70, y + 4, 66, 28, "thread", strong=True, round=0)
            elif name == "b":
                for j in range(11):
                    c.box(66 + j * 38 + 14 * lane, y + 4, 8, 28, "thread", strong=True, round=0)
            else:
                for j in range(4 - lane):
                    c.box(64 + j * 24, y + 4, 20, 28, "thread", strong=True, round=0)
                if lane:
                    c.box(140, y + 4, 338, 28, "thread", strong=True, round=0)


@drawing(
    "skew-task-stream",
    "A screenshot of Dask's task stream with two rows, one for each worker. At first both are full of short tasks. Near the end the lower worker runs one purple task of four seconds. "
    "The upper worker has short purple tasks, red transfers and white gaps meanwhile.",
    182,
)
def skew_task_stream(c: Canvas) -> None:
    c.screenshot("skew-task-stream", 32, "Task Stream", {104: "00:00:00", 315: "00:00:04", 526: "00:00:08"})


@drawing(
    "salted-key",
    "A merge by a key of which one value, K, has most of the rows. Without salt all rows with K go to one partition. With a salt of 0 to 3 they go, at best, to four "
    "partitions. The other table has each of its rows four times, once for each salt.",
    410,
)
def salted_key(c: Canvas) -> None:
    c.text(14, 27, "by the key alone", bold=True)
    c.text(118, 56, "large table", size="small")
    c.text(400, 56, "other table", size="small")
    c.box(118, 66, 250, 32, "block", "key K", strong=True, size="small", round=0)
    c.box(400, 66, 22, 32, "block", "K", strong=True, size="small", round=0)
    for k in range(3):
        c.box(118, 102 + k * 20, 44, 16, "memory", strong=True, round=0)
        c.box(400, 102 + k * 20, 44, 16, "memory", strong=True, round=0)
    c.text(14, 88, "partition 0", size="small")
    for k in range(3):
        c.text(14, 116 + k * 20, f"partition {k + 1}", size="small")
    c.line((10, 176), (490, 176), look="rule faint")
    c.text(14, 204, "with a salt from 0 to 3, at best", bold=True)
    c.text(118, 232, "large table", size="small")
    c.text(318, 232, "other table, 4 times", size="small")
    for k in range(4):
        y = 244 + k * 36
        c.text(14, y + 20, f"partition {k}", size="small")
        c.box(118, y, 62, 28, "block", f"K, {k}", strong=True, size="small", round=0)
        c.box(184, y, 33, 28, "memory", strong=True, round=0)
        c.box(318, y, 44, 28, "block", f"K, {k}", strong=True, size="small", round=0)
        c.box(366, y, 110, 28, "memory", strong=True, round=0)
    c.text(14, 402, "blue: all other keys, which have a salt, too", size="small", colour="muted")


@drawing(
    "known-divisions",
    "Four partitions of a table twice. With unknown divisions each partition has an index that begins at 0, so that loc of 0 finds four rows. After set_index of distance the divisions are "
    "17, 500, 800, 1100 and 4983, and loc of 4983 reads only the last partition.",
    256,
)
def known_divisions(c: Canvas) -> None:
    c.text(14, 27, "unknown divisions", bold=True)
    c.text(486, 27, "loc[0]: all four", at="end", size="small", mono=True)
    for k in range(4):
        x = 14 + k * 120
        c.box(x, 40, 112, 40, "memory", "0, 1, 2, …", strong=True, size="small", round=0)
        c.text(x + 56, 100, "read", at="middle", size="small")
    c.line((10, 122), (490, 122), look="rule faint")
    c.text(14, 150, "after set_index", bold=True)
    c.text(486, 150, "loc[4983]: only the last", at="end", size="small", mono=True)
    edges = ("17", "500", "800", "1100", "4983")
    for k in range(4):
        x = 14 + k * 120
        c.box(x, 164, 112, 40, "memory", f"{edges[k]} …", strong=k == 3, size="small", round=0)
    c.text(430, 224, "read", at="middle", size="small")
    c.text(14, 246, "divisions, for example: 17, 500, 800, 1100, 4983", size="small")
