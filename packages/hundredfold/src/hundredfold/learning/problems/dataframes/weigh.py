"""``dataframes.weigh``: what a table weighs on the device, and what that means for a question to it."""

from __future__ import annotations

from ..numbers import Quantity, mistake, predict

ROWS = 10_000_000
V100, LINK = 900e9, 12e9  # B/s: the data sheet's memory, and what its bus does in practice

MASK = ROWS // 8
DELAY = 4 * ROWS + MASK
"""An int32 column with nulls: four bytes for each row, and a bit that says whether it is one (Arrow's columnar format)."""
DEST = 3 * ROWS + 4 * (ROWS + 1)
"""A column of strings of three letters: their letters in one long row, and where each begins, in 32 bits."""
FARE = 8 * ROWS
MEAN = FARE / V100
GROUPBY = DEST + FARE
TRIP = (DELAY + DEST + FARE) / LINK


WEIGH = predict(
    "dataframes.weigh",
    "What does a column weigh?",
    (
        Quantity("delay", DELAY, "bytes", "41.25 MB: 4 bytes a row, and a bit a row for the nulls", rtol=0.005),
        Quantity("dest", DEST, "bytes", "70 MB: 3 letters a row, and 4 bytes a row for where they begin", rtol=0.005),
        Quantity("mean", MEAN, "s", "0.089 ms: 80 MB of fares at 900 GB/s", rtol=0.02),
        Quantity(
            "groupby",
            GROUPBY,
            "bytes",
            "150 MB: the keys and the fares, each once; 105 groups are nothing",
            rtol=0.01,
        ),
        Quantity("trip", TRIP, "s", "15.9 ms: 191 MB at 12 GB/s, as long as 179 means", rtol=0.02),
    ),
    lines=5,
    hints=(
        "An integer of 32 bits has 4 bytes, with nulls or without. Nulls take one bit for each row, beside it.",
        "Strings lie one after the other without a gap; beside them stands, for each row, where it begins.",
        "Bytes ÷ bytes per second = seconds. The mean reads `fare` once. The trip carries all three columns.",
    ),
    mistakes={
        "no mask": mistake(
            "nulls",
            "the nulls are missing. They take a bit for each row, whether it is null or not.",
            delay=4.0 * ROWS,
        ),
        "known rows only": mistake(
            "nulls",
            "a null takes its 4 bytes as well: every row has a place in the buffer.",
            delay=4.0 * 0.97 * ROWS + ROWS / 8,
        ),
        "a bit for each null": mistake(
            "nulls",
            "a known row takes a bit as well: the bit says whether it is known.",
            delay=4.0 * ROWS + 0.03 * ROWS / 8,
        ),
        "a byte for each null": mistake(
            "unit", "that is a byte for each row's null flag; cuDF, like Arrow, takes a bit.", delay=5.0 * ROWS
        ),
        "as pandas": mistake(
            "item-size",
            "that is pandas' float64, which it needs to have NaN for a null. cuDF keeps the int32.",
            "How many bytes has an int32?",
            delay=8.0 * ROWS,
        ),
        "letters only": mistake(
            "reads",
            "those are the letters alone. Where does the second string begin, and the third?",
            dest=3.0 * ROWS,
        ),
        "pointers": mistake(
            "item-size", "that is a pointer of 8 bytes for each row, as in a list of Python's.", dest=8.0 * ROWS
        ),
        "published": mistake(
            "published", "that is the published time, which is 16 times over the limit.", mean=1.42e-3
        ),
        "over the bus": mistake(
            "crossing",
            "that is the way over the bus. The fares lie in the GPU's memory already.",
            mean=FARE / LINK,
        ),
        "keys forgotten": mistake("reads", "the keys have to be read as well.", groupby=float(FARE)),
        "at the memory's speed": mistake(
            "crossing", "that is the GPU's own memory; the bus is 75 times slower.", trip=TRIP * LINK / V100
        ),
    },
)
