"""The kinds of reason for which an answer is refused.

A reason is a slug that a machine can count (the progress file, the tests, an instructor's table) beside the sentence
that the learner reads. A unit adds a slug here when none of these says it; a problem never uses one that is not here.
"""

from __future__ import annotations

REASONS: dict[str, str] = {
    # What kind of thing came back
    "answers": "a wrong number of answers was given",
    "callable": "a function was asked for and something else was given, or the other way round",
    "type": "the answer is of the wrong type",
    "labels": "the answer has unknown or missing labels",
    "host": "the result is on the host, it was wanted on the device",
    "device": "the result is on the device, it was wanted on the host",
    "shape": "the result has the wrong shape",
    "dtype": "the result has the wrong dtype, or lost precision on the way",
    # What is in it
    "value": "values are wrong, in no pattern that is known",
    "border": "only the border is wrong",
    "transposed": "rows and columns are exchanged",
    "axis": "the wrong axis was reduced",
    "order": "the right values in the wrong order",
    "shifted": "the right values, shifted by some places",
    "factor": "all values are off by the same factor",
    "offset": "all values are off by the same amount",
    "sign": "all values have the wrong sign",
    "unit": "the right quantity in the wrong unit: ms for s, GB or GiB for bytes, bits for bytes",
    "nan": "NaN where a number was wanted, or a number where NaN was",
    "ddof": "divided by n - 1 where n was meant, or the other way round",
    "squared": "a square root is missing, or one too many was taken",
    "cancellation": "a difference of two large, nearly equal numbers lost the answer",
    "tolerance": "compared with a tolerance where equality was asked for",
    "all": "asked whether all are, where the share was asked for",
    "count": "counted, where the share was asked for",
    "operands": "two operands were exchanged",
    "integer": "whole numbers were divided or kept where fractions were meant",
    "overflow": "a number on the way is too large or too small for its type",
    # What was done to get it
    "aliasing": "an argument was modified",
    "view": "the result shares memory with an argument",
    "transfer": "more crossed the bus between host and device than the task needs",
    "traffic": "more device memory was read and written than the limit allows",
    "held": "more device memory was held at once than the task needs",
    "launch": "the cost of launching was left out",
    "exception": "the learner's code raised",
    "memory": "the device's memory was not enough",
    "timeout": "the code did not end within the time limit",
    "not-simulated": "the code uses something that needs a GPU",
    # What was left to the interpreter, the compiler and the threads
    "interpreted": "the work was left to the interpreter",
    "typing": "Numba cannot compile it",
    "bounds": "an element that does not exist was read or written",
    "wrapped": "a negative index reached the other end of the array",
    "race": "two threads touch the same element, and one of them writes it",
    "serial": "the work was done on one core, where several were asked for",
    "remainder": "what is left over when the work is cut into parts was forgotten",
    "overlap": "parts of the work overlap",
    "recurrence": "a step that needs the one before was taken for one that does not",
    "divisor": "divided by the wrong number",
    "rounding": "rounded in the wrong direction",
    "promotion": "a wider type was expected than the one that is there",
    "saturation": "a number was expected to stop at the end of its range",
    "temporaries": "arrays are made on the way that nobody needs",
    "slow": "it takes many times as long as the limit",
    "cache": "what comes from the cache was counted as coming from memory",
    "compiling": "the time to compile was left out",
    "nothing-to-compile": "what is compiled already was to be compiled",
    "always-compile": "everything was compiled",
    "always-leave": "everything was left as it is",
    # How time was taken
    "not-synchronised": "the clock was stopped before the device had finished",
    "leftovers": "work that was queued before the clock started was counted",
    "first-call": "the first call was counted",
    "outlier": "one slow call spoilt the result",
    "not-called": "the function that was to be timed was never called",
    "too-long": "more was counted than the call itself",
    # What was reckoned
    "writes": "what is written was not counted, or what is not written was",
    "reads": "an operand that is read was not counted",
    "item-size": "elements of the wrong size in bytes were counted",
    "per-element": "reckoned for one element, where all were asked for",
    "once": "one pass was counted where there are several",
    "published": "the published time was taken for the limit",
    "always-gpu": "the GPU was chosen for everything",
    "always-cpu": "the CPU was chosen for everything",
    "residency": "where the data already is was left out",
    "arithmetic": "the arithmetic was left out",
    "kernels": "kernels were miscounted",
    "lifetime": "an array was counted as alive when it was not, or the other way round",
    # What was handed from one library or process to another
    "backend": "the result came back in another library's arrays than the argument",
    "eager": "work that was to wait was done at once",
    "strides": "the steps between elements were left out",
    "copied": "a copy was made, or counted, where the memory itself is handed over",
    "crossing": "a crossing of the bus was left out, or one counted that is not made",
    # What was done to a table
    "dropped": "rows were thrown away that the answer needs",
    "paired": "values stand beside the keys of other rows",
    "rows": "another set of rows was taken than the one asked for",
    "boundary": "a case on the boundary went to the wrong side",
    "overwritten": "a later rule wrote over what an earlier one had found",
    "asked": "more bytes were asked of the storage than the answer needs",
    # What the threads of a kernel do together
    "coalescing": "neighbouring threads do not touch neighbouring elements",
    "barrier": "threads of a block part at a barrier",
    "uninitialised": "shared memory is read before anybody wrote it",
    "launch-limit": "a block or grid of a size that no GPU launches",
    "banks": "threads of a warp wait for the same bank of shared memory",
    "atomics": "more atomic additions to one place than the task needs",
    "occupancy": "a limit on what a multiprocessor holds at once was left out",
    "rewritten": "what a library does as fast was to be written again",
    "unwritten": "a library was to do what only a kernel of one's own does well",
    "always-kernel": "a kernel of one's own was chosen for everything",
    # What a join does with rows
    "lost": "rows are missing that belong to the result",
    "multiplied": "rows come several times, since a key does",
    "complement": "the rows with a match were taken for those without, or the other way round",
    "key": "joined, grouped or compared by the wrong columns",
    "nulls": "a null was matched, dropped, filled, or taken for something that it is not",
    "duplicates": "of several rows for one thing the wrong one was kept, or all of them were",
    "ties": "equals were told apart in another way than was asked for",
    "direction": "the neighbour on the wrong side was taken: later for earlier, smallest for largest",
    "stale": "a value was taken that is older than allowed",
    "zone": "times of two time zones were mixed",
    "materialised": "a table was made on the way that is far larger than the result",
    # What models are compared by, and what they may see
    "names": "labels were compared by their names, which mean nothing",
    "sizes": "groups were compared by their sizes",
    "merged": "two groups were taken for one",
    "split": "one group was taken for two",
    "leak": "what was held out reached the model that is judged by it",
    "statistics": "the preparation knew the numbers of rows that were held out",
    "refit": "the fits of a search were miscounted",
    "indices": "where the numbers of a sparse matrix belong was left out, or kept twice",
    "dense": "the zeros of a sparse matrix were stored",
    "dangling": "what arrives where nothing goes on was lost",
    "teleport": "what jumps to any node was miscounted",
    "weights": "how often a link is taken was left out",
}
"""Slug of each reason, with its meaning in a clause."""


def known(slug: str) -> str:
    """Return the slug, or raise `ValueError` if it is not one of `REASONS`."""
    if slug not in REASONS:
        raise ValueError(f"{slug!r} is not a reason; add it to hundredfold.problems.reasons with its meaning")
    return slug
