"""``learning.cost``: what a randomised search over a text pipeline costs, before it runs."""

from __future__ import annotations

from ..numbers import Quantity, mistake, predict

CANDIDATES, FOLDS = 20, 5
DOCUMENTS, WORDS, LENGTH, COLUMNS = 200_000, 60, 400, 2**18
STEPS, READS, KERNELS = 50, 2, 10
BANDWIDTH, LAUNCH, LINK = 4.8e12, 5e-6, 25e9
"""An H200's memory, bytes a second; seconds a launch; a bus, bytes a second."""

FITS = CANDIDATES * FOLDS + 1
STORED = DOCUMENTS * WORDS
NBYTES = STORED * (4 + 4) + (DOCUMENTS + 1) * 4
READING = FITS * STEPS * READS * NBYTES / BANDWIDTH
LAUNCHING = FITS * STEPS * KERNELS * LAUNCH
CROSSING = DOCUMENTS * LENGTH / LINK


COST = predict(
    "learning.cost",
    "What will the search cost?",
    (
        Quantity("fits", FITS, "fits", "101: 20 candidates on 5 folds each, and the best one once more on all", 0.004),
        Quantity(
            "nbytes",
            float(NBYTES),
            "bytes",
            "96.8 MB: for each of 12 million stored numbers 4 bytes and 4 more for its column, and where each row begins",
            rtol=0.005,
        ),
        Quantity(
            "reading",
            READING,
            "s",
            "0.2 s: 10 100 readings of 96.8 MB at 4.8 TB/s. Nobody can do the search faster, read like this",
        ),
        Quantity(
            "launching",
            LAUNCHING,
            "s",
            "0.25 s: 50 500 kernels of 5 µs. That is more than the reading: 200 000 documents are few for this GPU",
        ),
        Quantity("crossing", CROSSING, "s", "3.2 ms: 80 MB of text cross the bus once, and stay there"),
    ),
    lines=5,
    hints=(
        "`fits`: each candidate is fitted once for each fold. And at the end? Look for `refit` in the documentation of "
        "`RandomizedSearchCV`.",
        "`nbytes`: compressed rows (CSR) are three arrays: the stored numbers, the column of each, and for each row the "
        "place where it begins, with one more for the end. What is not stored costs nothing.",
        "`reading`: fits × 50 steps × 2 × nbytes, over 4.8 TB/s.",
        "`launching`: fits × 50 steps × 10 kernels × 5 µs.",
        "`crossing`: only the text itself, once, over 25 GB/s.",
    ),
    mistakes={
        "no refit": mistake(
            "refit", "that leaves out the last one: the best candidate is fitted once more, on all rows.", fits=100
        ),
        "candidates": mistake("refit", "that is the candidates. Each of them is fitted once for each fold.", fits=20),
        "candidates and one": mistake(
            "refit", "that is the candidates and the last fit. Each candidate is fitted once for each fold.", fits=21
        ),
        "refit by fold": mistake(
            "refit", "that refits on each fold. The best candidate is fitted once more, on all rows together.", fits=105
        ),
        "values alone": mistake(
            "indices",
            "that is the numbers alone. Each needs its column beside it, or nobody knows where it belongs.",
            nbytes=float(STORED * 4),
        ),
        "no rows": mistake(
            "indices", "that leaves out where each row begins: 200 001 more whole numbers.", nbytes=float(STORED * 8)
        ),
        "float64": mistake(
            "item-size",
            "that has 12 bytes for each number with its column. A float32 has 4, and so has an int32.",
            nbytes=float(STORED * 12 + (DOCUMENTS + 1) * 4),
        ),
        "dense": mistake(
            "dense",
            "that is the dense matrix, zeros and all: more than any GPU's memory. Only what is there is stored.",
            nbytes=float(DOCUMENTS * COLUMNS * 4),
        ),
        "read once": mistake(
            "once",
            "that reads the matrix once in a step. It is read twice: for the predictions, and for the gradient.",
            reading=READING / 2,
        ),
        "one fit": mistake(
            "once",
            "that is for one fit. Asked for: the whole search.",
            reading=READING / FITS,
            launching=LAUNCHING / FITS,
        ),
        "one step": mistake(
            "once",
            "that is for one step of each fit. Each takes 50.",
            reading=READING / STEPS,
            launching=LAUNCHING / STEPS,
        ),
        "one kernel": mistake(
            "kernels", "that launches one kernel in each step. There are ten.", launching=LAUNCHING / KERNELS
        ),
        "every fit crosses": mistake(
            "crossing", "that sends the text again for each fit. It crosses once, and stays.", crossing=CROSSING * FITS
        ),
        "the matrix crosses": mistake(
            "crossing",
            "that sends the matrix. It never crosses: it is made on the device, of the text.",
            crossing=NBYTES / LINK,
        ),
        "milliseconds": mistake(
            "unit",
            "that is a thousand times too large: milliseconds? Asked for: seconds.",
            reading=1e3 * READING,
            launching=1e3 * LAUNCHING,
            crossing=1e3 * CROSSING,
        ),
        "megabytes": mistake("unit", "that is in MB. Asked for: bytes.", nbytes=NBYTES / 1e6),
    },
)
