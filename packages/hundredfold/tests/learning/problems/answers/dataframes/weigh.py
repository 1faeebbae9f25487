"""``dataframes.weigh``: answers that do not follow from the problem."""

from hundredfold.learning.problems.dataframes.weigh import DELAY, DEST, GROUPBY, MEAN, TRIP

from ..edits import Wrong

WRONG = {
    "milliseconds": Wrong((float(DELAY), float(DEST), MEAN * 1e3, float(GROUPBY), TRIP * 1e3), "unit"),
    "text": Wrong(("40 MB", float(DEST), MEAN, float(GROUPBY), TRIP), "type"),
}
RIGHT = {"rounded": (41.25e6, 70e6, 8.9e-5, 150e6, 0.0159)}
