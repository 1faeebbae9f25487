"""``capstone.budget``: answers that do not follow from the problem."""

from hundredfold.learning.problems.capstone.budget import BUS, CHUNKS, FOUR, KERNEL, NBYTES

from ..edits import Wrong

WRONG = {
    "in-gb": Wrong((NBYTES / 1e9, KERNEL, BUS, CHUNKS, FOUR), "unit"),
    "text": Wrong(("12.8 GB", KERNEL, BUS, CHUNKS, FOUR), "type"),
}
RIGHT = {"rounded": (1.28e10, 0.0053, 0.51, 8, 14.5)}
