"""``polars.reads``: how many bytes a scan fetches, and what its plan moves into it."""

from __future__ import annotations

from ..numbers import Quantity, mistake, predict

GROUPS, KEPT, MB = 11, 2, 1e6
"""Row groups, and those that have flights of July."""
CARRIER, MONTH, DELAY, OTHERS = 3 * MB, 2 * MB, 10 * MB, 16 * 8 * MB
NEEDED = CARRIER + MONTH + DELAY
BUS = 25e9

WHOLE = GROUPS * (NEEDED + OTHERS)
COLUMNS = GROUPS * NEEDED
BOTH = KEPT * NEEDED

READS = predict(
    "polars.reads",
    "What does the scan fetch?",
    (
        Quantity("everything", WHOLE, "bytes", "11 row groups of 143 MB: 1.573 GB", rtol=0.01),
        Quantity("columns", COLUMNS, "bytes", "11 row groups of 15 MB: 165 MB", rtol=0.01),
        Quantity("both", BOTH, "bytes", "three columns of two row groups: 30 MB", rtol=0.01),
        Quantity("by_python", COLUMNS, "bytes", "the footer cannot answer a Python function: 165 MB again", rtol=0.01),
        Quantity("trip", BOTH / BUS, "s", "30 MB at 25 GB/s: 1.2 ms", rtol=0.01),
    ),
    lines=6,
    hints=(
        "`everything`: without optimisation all columns of all row groups are read, and filtered afterwards.",
        "`columns`: which columns does the query need? The filter needs one, too.",
        "`both`: the footer has the smallest and the largest month of each row group. In how many of them can July be?",
        "`by_python`: what can be asked of a Python function, if only the smallest and the largest month are known?",
        "`trip`: bytes over bytes a second. Take those of `both`.",
    ),
    mistakes={
        "filtered first": mistake(
            "pushdown",
            "without optimisation the filter runs after the scan. All eleven row groups are read.",
            everything=KEPT * (NEEDED + OTHERS),
        ),
        "of one": mistake("once", "that is one row group. The file has eleven.", everything=NEEDED + OTHERS),
        "others only": mistake("reads", "that leaves out the three columns of the query.", everything=GROUPS * OTHERS),
        "filter's column": mistake(
            "reads",
            "the filter reads `month`, too.",
            columns=GROUPS * (CARRIER + DELAY),
            by_python=GROUPS * (CARRIER + DELAY),
        ),
        "no month": mistake(
            "reads", "the filter still reads `month` in the row groups that it keeps.", both=KEPT * (CARRIER + DELAY)
        ),
        "one row group": mistake(
            "boundary", "July begins in one row group and ends in the next: two have flights of July.", both=NEEDED
        ),
        "all row groups": mistake(
            "pushdown", "nine row groups have no flight of July, and the footer shows it.", both=COLUMNS
        ),
        "all columns": mistake(
            "pushdown",
            "only the row groups were chosen. The plan chooses the columns, too.",
            both=KEPT * (NEEDED + OTHERS),
        ),
        "python is pushed": mistake(
            "pushdown",
            "the footer has the smallest and the largest month of a row group. That is not enough to answer a Python function.",
            by_python=BOTH,
        ),
        "python reads all": mistake(
            "pushdown", "the function gets one column, so the plan still chooses columns.", by_python=WHOLE
        ),
        "whole trip": mistake("crossing", "that is for 165 MB; only two row groups travel.", trip=COLUMNS / BUS),
        "everything travels": mistake("crossing", "that is for the whole file.", trip=WHOLE / BUS),
        "turned round": mistake("operands", "that is the rate over the bytes. Turn it round.", trip=BUS / BOTH),
    },
)
