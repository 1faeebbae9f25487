"""Drawings of machine learning: a step of k-means, names of groups, hashed words, a sparse matrix, a pipeline and its search, leaks, distances, PageRank."""

from __future__ import annotations

from .canvas import Canvas
from .registry import drawing


@drawing(
    "kmeans-step",
    "One step of k-means with eight points and two centres. First each point takes the nearest of the two centres. Then each centre moves to the mean of the points that took it.",
    300,
)
def kmeans_step(c: Canvas) -> None:
    points = {
        "a": ((50, 60), (120, 64), (46, 124), (116, 120)),
        "b": ((170, 150), (215, 140), (165, 196), (218, 196)),
    }
    old = {"a": (28, 92), "b": (191, 226)}
    mean = {name: (sum(x for x, _ in at) / 4, sum(y for _, y in at) / 4) for name, at in points.items()}
    for panel, (title, then) in enumerate((("1", "take the nearest centre"), ("2", "move to the mean"))):
        x0, y0 = 10 + panel * 246, 36
        c.text(x0, 26, title, bold=True)
        c.text(x0 + 18, 26, then)
        c.box(x0, y0, 234, 256, round=8)
        for name, at in points.items():
            centre = (mean if panel else old)[name]
            for x, y in at:
                c.line((x0 + x, y0 + y), (x0 + centre[0], y0 + centre[1]), look="rule")
            if panel:
                c.box(x0 + old[name][0] - 13, y0 + old[name][1] - 13, 26, 26, "empty", dashed=True, round=13)
            c.box(x0 + centre[0] - 13, y0 + centre[1] - 13, 26, 26, "empty", name.upper(), bold=True, round=13)
            for x, y in at:
                c.box(x0 + x - 11, y0 + y - 11, 22, 22, "empty", round=0)  # over the end of the line
                c.box(x0 + x - 11, y0 + y - 11, 22, 22, "memory", name, strong=True, size="small", round=0)
        if panel:
            c.arrow(x0 + old["a"][0] + 14, y0 + 92, x0 + mean["a"][0] - 14, y0 + 92)
            c.arrow(x0 + old["b"][0], y0 + old["b"][1] - 14, x0 + old["b"][0], y0 + mean["b"][1] + 14)
    c.text(24, 262, "squares: points")
    c.text(24, 282, "circles: centres")


@drawing(
    "same-groups",
    "The labels of six flights in three runs. In the second run no flight has the label of the first run, but the same flights are together. In the third run "
    "five of six flights have the label of the first run, but other flights are together.",
    246,
)
def same_groups(c: Canvas) -> None:
    rows = (
        ("run 1", (0, 0, 1, 2, 2, 3), "", ""),
        ("run 2", (3, 3, 2, 1, 1, 0), "0 of 6 labels", "same groups"),
        ("run 3", (0, 0, 1, 1, 2, 3), "5 of 6 labels", "other groups"),
    )
    c.text(84, 26, "six flights", bold=True)
    c.text(368, 26, "bar: next group", size="small", colour="muted")
    for r, (name, labels, first, second) in enumerate(rows):
        y = 42 + r * 70
        c.text(14, y + 28, name, bold=True)
        for k, label in enumerate(labels):
            c.box(84 + k * 44, y, 44, 42, "memory", str(label), strong=True, round=0)
        for k in range(1, 6):
            if labels[k] != labels[k - 1]:
                c.line((84 + k * 44, y - 7), (84 + k * 44, y + 49), look="mark", thick=4)
        if first:
            c.text(368, y + 18, first, size="small")
            c.text(368, y + 38, second, size="small", bold=True)
        else:
            c.text(368, y + 28, "to compare with", size="small", colour="muted")


@drawing(
    "hashed-words",
    "The six words of a text go to columns 0 to 7 of one row. The word the occurs twice, and its column counts 2. The words mean and matrix are two different words with the "
    "same column, a collision: that column counts 2, too.",
    270,
)
def hashed_words(c: Canvas) -> None:
    words = ("return", "the", "mean", "of", "the", "matrix")
    column = {"return": 3, "the": 5, "mean": 1, "of": 6, "matrix": 1}
    x0, step, cell = 14, 79, 59.0
    c.text(x0, 26, "a text", bold=True)
    for k, word in enumerate(words):
        c.box(x0 + k * step, 36, 72, 34, "memory", word, round=3)
    for k, word in enumerate(words):
        near = x0 + (column[word] + 0.5) * cell + (k - 2.5) * 5
        c.line((x0 + k * step + 36, 72), (near, 152), look="mark", thick=1.5)
    for k in range(8):
        count = [column[word] for word in words].count(k)
        c.text(x0 + (k + 0.5) * cell, 208, str(k), at="middle", size="small", colour="muted")
        c.box(x0 + k * cell, 154, cell, 38, "memory", str(count), strong=count > 0, round=0)
    c.text(x0, 234, "one row: how many words came to each column", bold=True)
    c.text(x0, 258, "column 1: mean and matrix, a collision")


@drawing(
    "compressed-rows",
    "A matrix with three rows and eight columns, of which nine numbers are not zero. Compressed rows store it as three arrays: the nine numbers row by row, the column of each, "
    "and where each row begins, here at 0, 4 and 6, with 9 for the end.",
    352,
)
def compressed_rows(c: Canvas) -> None:
    rows = ({1: 2, 3: 1, 5: 2, 6: 1}, {0: 1, 5: 1}, {1: 1, 2: 3, 7: 1})
    x0, cell, high = 94, 36.0, 30
    c.text(14, 26, "the matrix", bold=True)
    for k in range(8):
        c.text(x0 + (k + 0.5) * cell, 46, str(k), at="middle", size="small", colour="muted")
    for r, row in enumerate(rows):
        c.text(14, 74 + r * high, f"row {r}", size="small")
        for k in range(8):
            value = row.get(k)
            thing, words = ("memory", [str(value)]) if value else ("empty", [])
            c.box(x0 + k * cell, 54 + r * high, cell, high, thing, *words, strong=bool(value), round=0)
    c.text(x0 + 8 * cell + 12, 104, "empty: zero", size="small", colour="muted")
    c.line((10, 158), (490, 158), look="rule faint")
    values = [value for row in rows for value in row.values()]
    columns = [k for row in rows for k in row]
    starts = [0, 4, 6, 9]
    c.text(14, 186, "as compressed rows (CSR)", bold=True)
    for name, y, numbers, strong in (("numbers", 200, values, True), ("columns", 240, columns, False)):
        c.text(14, y + 20, name, size="small")
        for k, number in enumerate(numbers):
            c.box(x0 + k * cell, y, cell, high, "memory", str(number), strong=strong, round=0)
        c.text(x0 + 9 * cell + 8, y + 20, "4 B each", size="small", colour="muted")
    for k, start in enumerate(starts):
        x = x0 + k * 60
        c.box(x, 308, 36, high, "memory", str(start), round=0)
        c.line((x + 18, 308), (x0 + start * cell, 274), look="rule")
        c.line((x0 + start * cell, 196), (x0 + start * cell, 274), look="mark", thick=3)
    c.text(14, 328, "starts", size="small")
    c.text(x0 + 9 * cell + 8, 328, "4 B each", size="small", colour="muted")


@drawing(
    "step-on-host",
    "Two pipelines of three steps: hashing, tf-idf, regression. In the first, tf-idf runs on the host: the matrix crosses the bus to the host, and crosses it again to the "
    "device. In the second all three steps run on the device, and only the texts cross the bus, once.",
    396,
)
def step_on_host(c: Canvas) -> None:
    w, gap, x0 = 106, 40, 84
    for half, (title, on_host) in enumerate((("tf-idf of scikit-learn", True), ("tf-idf of cuML", False))):
        y = 30 + half * 196
        top, bottom = y + 14, y + 114
        c.text(14, y, title, bold=True)
        c.text(14, top + 29, "host")
        c.text(14, y + 87, "bus")
        c.text(14, bottom + 29, "device")
        c.line((80, y + 80), (486, y + 80), look="rule", dashed=True, thick=3)
        for k, name in enumerate(("hashing", "tf-idf", "regression")):
            up = on_host and k == 1
            x = x0 + k * (w + gap)
            c.box(x, top if up else bottom, w, 46, "host" if up else "device", name, strong=True)
        middle = x0 + w + gap
        if on_host:
            c.line((x0 + w, bottom + 23), (middle + 20, bottom + 23), look="mark", thick=2)
            c.line((middle + 20, bottom + 24), (middle + 20, bottom - 10), look="mark", thick=2)
            c.arrow(middle + 20, bottom - 8, middle + 20, top + 47)
            c.line((middle + w - 20, top + 46), (middle + w - 20, bottom + 23), look="mark", thick=2)
            c.line((middle + w - 21, bottom + 23), (middle + w, bottom + 23), look="mark", thick=2)
            c.arrow(middle + w, bottom + 23, middle + w + gap - 1, bottom + 23)
        else:
            for k in range(2):
                x = x0 + w + k * (w + gap)
                c.arrow(x + 1, bottom + 23, x + gap - 1, bottom + 23)
        c.text(x0 + w / 2 + 10, top + 30, "texts", at="end", size="small")
        c.arrow(x0 + w / 2 + 22, top + 20, x0 + w / 2 + 22, bottom - 1)
    c.line((10, 204), (490, 204), look="rule faint")


@drawing(
    "random-search",
    "A search with two candidates and three folds. Each candidate is fitted three times, each time without one fold, and scored with that fold. Then the better "
    "candidate is fitted once more on all rows.",
    286,
)
def random_search(c: Canvas) -> None:
    x0, w = 106, 74
    for k in range(3):
        c.text(x0 + k * (3 * 38 + 14) + 54, 26, f"split {k + 1}", at="middle", size="small")
    for r, name in enumerate(("C = 0.3", "C = 3.0")):
        y = 38 + r * 66
        c.text(14, y + 24, name, bold=True)
        for k in range(3):
            x = x0 + k * (3 * 38 + 14)
            for fold in range(3):
                held = fold == k
                c.box(x + fold * 38, y, 36, 36, "empty" if held else "memory", strong=not held, round=0, dashed=held)
                if held:
                    c.tick(x + fold * 38 + 18, y + 18, 6)
    y = 184
    c.text(14, y + 24, "the better", bold=True)
    for fold in range(3):
        c.box(x0 + fold * 38, y, 36, 36, "memory", strong=True, round=0)
    c.text(x0 + 3 * 38 + 14, y + 24, "one more fit, on all rows")
    c.box(14, 248, 22, 22, "memory", strong=True, round=0)
    c.text(44, 264, "fitted")
    c.box(x0 + w / 2 - 5, 248, 22, 22, "empty", round=0, dashed=True)
    c.tick(x0 + w / 2 + 6, 259, 5)
    c.text(x0 + w / 2 + 28, 264, "held out, for the score")


@drawing(
    "fold-and-leak",
    "Two ways to choose columns for four folds of rows. In the leak, the columns are chosen from all four folds, so the choice has seen the fold that is held out. In the "
    "right order the fold is held out first, and the columns are chosen from the other three.",
    392,
)
def fold_and_leak(c: Canvas) -> None:
    x0, w = 14, 92
    for half, leak in enumerate((True, False)):
        y = 14 + half * 196
        if leak:
            c.text(x0, y + 14, "leak: choose, then split", bold=True)
        else:
            c.text(x0, y + 14, "right: split, then choose", bold=True)
        for k in range(4):
            held = k == 3
            x = x0 + k * w
            c.box(
                x, y + 26, w - 6, 40, "empty" if held else "memory", f"fold {k}", strong=not held, dashed=held, round=0
            )
            if not held or leak:
                c.arrow(x + w / 2 - 3, y + 67, x + w / 2 - 3, y + 97)
        c.text(x0 + 4 * w + 2, y + 44, "fold 3 is", size="small")
        c.text(x0 + 4 * w + 2, y + 62, "held out", size="small")
        wide = (4 if leak else 3) * w - 6
        c.box(x0, y + 98, wide, 36, "device", "choose 20 of 1 000 columns", strong=True)
        if leak:
            c.text(x0, y + 160, "The choice has seen fold 3. Its score is too good.")
        else:
            c.cross(x0 + 3.5 * w - 3, y + 84)
            c.text(x0, y + 160, "Fold 3 is new to the model.")
    c.line((10, 190), (490, 190), look="rule faint")


@drawing(
    "known-when",
    "A line of time with three moments: the day before, the departure, and the landing. Below each are the columns that become known then: the plans the day before, in a box, dep_delay at the "
    "departure, air_time and arr_time at the landing.",
    180,
)
def known_when(c: Canvas) -> None:
    moments = (
        ("the day before", ("hour, minute", "distance, flight", "sched_arr_time")),
        ("departure", ("dep_delay",)),
        ("landing", ("air_time", "arr_time")),
    )
    c.arrow(14, 46, 486, 46)
    c.box(3, 62, 166, 72, "memory", strong=True)
    for k, (name, columns) in enumerate(moments):
        x = 86 + k * 160
        c.line((x, 38), (x, 54), look="mark", thick=3)
        c.text(x, 26, name, at="middle", bold=True)
        for r, column in enumerate(columns):
            c.text(x, 82 + r * 22, column, at="middle", size="small", mono=True, room=160)
    c.text(8, 166, "A forecast the day before may use the box only.")


@drawing(
    "distance-matrix",
    "Two tables with a row for each of eight queries and a column for each of twelve points. Brute force computes every distance in the table. A tree computes only the few near "
    "each query, and leaves out the others.",
    282,
)
def distance_matrix(c: Canvas) -> None:
    cell, y0 = 18.0, 62
    near = ((1, 2), (4, 5, 6), (0, 1), (8, 9), (5, 6), (10, 11), (2, 3), (7, 8))
    for half, title in enumerate(("brute force", "a tree")):
        x0 = 14 + half * 248
        c.text(x0, 26, title, bold=True)
        c.text(x0 + 12 * cell, 26, "96 distances" if half == 0 else "17 distances", at="end", size="small")
        c.text(x0, 52, "points", size="small")
        c.arrow(x0 + 56, 47, x0 + 12 * cell, 47)
        for r in range(8):
            for k in range(12):
                here = half == 0 or k in near[r]
                c.box(x0 + k * cell, y0 + r * cell, cell, cell, "memory" if here else "empty", strong=here, round=0)
    c.text(14, 230, "a row for each query, a column for each point")
    c.text(14, 256, "one matrix product")
    c.text(262, 256, "irregular, query by query")


@drawing(
    "pagerank-step",
    "Four airports with a quarter of the travellers each. From A half of them go to B and half to C; from B all go to D, and from C all go to A. D has no link: it is a dead "
    "end. On the right the same links as a matrix with four rows, in which row D is empty.",
    268,
)
def pagerank_step(c: Canvas) -> None:
    at = {"A": (14, 44), "B": (176, 44), "C": (14, 164), "D": (176, 164)}
    c.text(14, 26, "links", bold=True)
    for name, (x, y) in at.items():
        c.box(x, y, 64, 56, "memory", name, "1/4", strong=name != "D", bold=True, dashed=name == "D")
    c.arrow(79, 72, 175, 72)
    c.text(127, 64, "1/8", at="middle", size="small")
    c.arrow(30, 101, 30, 163)
    c.text(36, 138, "1/8", size="small")
    c.arrow(66, 163, 66, 101)
    c.text(72, 138, "1/4", size="small")
    c.arrow(208, 101, 208, 163)
    c.text(214, 138, "1/4", size="small")
    c.text(208, 242, "dead end", at="middle", size="small")
    c.text(14, 262, "on an arrow: the share that moves", size="small")
    c.line((268, 14), (268, 254), look="rule faint")
    x0, cell = 316, 40
    links = {"A": "BC", "B": "D", "C": "A", "D": ""}
    c.text(286, 26, "the matrix", bold=True)
    for k, name in enumerate("ABCD"):
        c.text(x0 + (k + 0.5) * cell, 60, name, at="middle", size="small", colour="muted")
        c.text(x0 - 12, 94 + k * cell, name, at="end", size="small", colour="muted")
        for j, other in enumerate("ABCD"):
            here = other in links[name]
            words = ["1"] if here else []
            c.box(x0 + j * cell, 68 + k * cell, cell, cell, "memory" if here else "empty", *words, strong=here, round=0)
    c.text(286, 256, "row: from, column: to", size="small")
