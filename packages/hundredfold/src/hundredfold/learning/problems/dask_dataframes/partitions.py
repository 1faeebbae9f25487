"""``dask-dataframes.partitions``: what a plan reads, sends and holds, worked out before it runs."""

from __future__ import annotations

from ..numbers import Quantity, mistake, predict

FILES = 40  # one for each week
GROUPS = 7  # row groups of a file, one for each day
FILE_BYTES = 350e6
COLUMNS, WANTED = 10, 2  # all of the same size
WEEKS, DAYS = 4, 2  # what the question is about
WORKERS = 8
ROWS = 200e6
HOT = 0.45  # of the rows have one key
TARGETS = 20  # partitions after the shuffle
SMALL, SALTS = 3e6, 16
PIECE = 25e6  # bytes of the small table

FETCHED = WEEKS * FILE_BYTES * DAYS / GROUPS * WANTED / COLUMNS
LENGTH = float(FILES)
CROSSING = FILES * FILE_BYTES * (WORKERS - 1) / WORKERS
LARGEST = HOT * ROWS + (1 - HOT) * ROWS / TARGETS
REPEATED = SMALL * SALTS
BROADCAST = PIECE * WORKERS


PARTITIONS = predict(
    "dask-dataframes.partitions",
    "Read, sent, held",
    (
        Quantity("fetched", FETCHED, "bytes", "80 MB: 4 of 40 files by their folder, of each 2 of 7 row groups and 2 of 10 columns", rtol=0.02),
        Quantity("found", LENGTH, "rows", "40: the index begins at 0 in each partition", rtol=0.001),
        Quantity("crossing", CROSSING, "bytes", "12.25 GB: seven of eight rows belong to another worker", rtol=0.01),
        Quantity("largest", LARGEST, "rows", "95.5 million: the hot key's 90 million in one place, and the others evenly", rtol=0.01),
        Quantity("repeated", REPEATED, "rows", "48 million: each row of the other side once for each of 16 numbers", rtol=0.001),
        Quantity("broadcast", BROADCAST, "bytes", "200 MB: 25 MB to each of 8 workers; nothing of the large table moves", rtol=0.01),
    ),
    lines=6,
    hints=(
        "`fetched`: which files can hold such rows, which row groups of them, which columns of those? The three shares multiply.",
        "`found`: `reset_index` works partition by partition. What is the first index of each?",
        "`crossing`: to which of the 8 workers does a row go, if a hash of its key decides, and how often is that where it is?",
        "`largest`: all rows of one key go to the same place. The other 55 % are dealt out evenly, there too.",
        "`repeated`: an event with salt 5 must find its user with salt 5, and so for each of the numbers.",
        "`broadcast`: the small table goes whole to each place that needs it. Is a place a worker, or a partition?",
    ),
    mistakes={
        "all-columns": mistake("reads", "that is all ten columns. Only two are asked for, and each lies by itself.", fetched=FETCHED * COLUMNS / WANTED),
        "all-days": mistake("reads", "that is all seven row groups of the four files. The least and greatest day of each stand in the footer.", fetched=FETCHED * GROUPS / DAYS),
        "all-weeks": mistake("reads", "that is all forty files. The week stands in the path: the others are never opened.", fetched=FETCHED * FILES / WEEKS),
        "all-bytes": mistake("reads", "that is the whole dataset. Columns, row groups and folders all leave something unread.", fetched=FILES * FILE_BYTES),
        "one-row": mistake("local", "each of the 40 partitions counts its rows from 0, and each has a row 0.", found=1.0),
        "workers-rows": mistake("local", "it is the partitions that count from 0, not the workers.", found=float(WORKERS)),
        "all-cross": mistake("crossing", "an eighth of the rows has its new place on the worker where it lies already.", crossing=FILES * FILE_BYTES),
        "stay": mistake("crossing", "that is what stays. What crosses is the rest.", crossing=FILES * FILE_BYTES / WORKERS),
        "to-everybody": mistake("crossing", "that sends the whole table to each of the other workers. A row goes to one place.", crossing=FILES * FILE_BYTES * (WORKERS - 1)),
        "even": mistake("skew", "that would be so if the keys were even. All rows with the hot key go to one partition.", largest=ROWS / TARGETS),
        "hot-only": mistake("skew", "that is the hot key alone. Its partition gets its share of the other keys, too.", largest=HOT * ROWS),
        "hot-and-even": mistake("skew", "the even part is 55 % of the rows in 20 parts, not all of them.", largest=HOT * ROWS + ROWS / TARGETS),
        "salt-moved": mistake("salt", "that is the side unrepeated. A row with salt 3 must find its partner with salt 3: it needs each row 16 times.", repeated=SMALL),
        "one-salt-less": mistake("salt", "0 to 15 are sixteen numbers.", repeated=SMALL * (SALTS - 1)),
        "salt-both": mistake("salt", "that repeats the large side. It gets one number for each row; the other side is repeated.", repeated=ROWS * SALTS),
        "one-copy": mistake("broadcast", "each worker needs the small table whole.", broadcast=PIECE),
        "each-piece": mistake("broadcast", "once for each worker is enough, not for each partition: what a worker has, it has.", broadcast=PIECE * FILES),
    },
)  # fmt: skip
