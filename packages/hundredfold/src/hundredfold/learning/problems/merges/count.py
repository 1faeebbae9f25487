"""``merges.count``: how many rows a join gives, worked out beforehand."""

from __future__ import annotations

from ..numbers import Quantity, mistake, predict

EACH = 240  # flights of each plane
NULLS = 40_000  # flights without a tail number
ONCE, TWICE, IDLE = 3_125, 625, 300  # planes in the registry: that fly and stand once, or twice; that never fly
STRANGERS = 250  # tail numbers that fly and are not in the registry

KNOWN = (ONCE + TWICE) * EACH  # flights by a plane of the registry
FOREIGN = STRANGERS * EACH
FLIGHTS = KNOWN + FOREIGN + NULLS
INNER = (ONCE + 2 * TWICE) * EACH
ANTI = FOREIGN + NULLS
LEFT = INNER + ANTI
OUTER = LEFT + IDLE
SQUARE = (ONCE + TWICE + STRANGERS) * EACH**2 + NULLS**2
NBYTES = 24 * SQUARE


_UNMATCHED_NULLS = float(SQUARE - NULLS**2)

COUNT = predict(
    "merges.count",
    "How many rows?",
    (
        Quantity("inner", float(INNER), "rows", "1 050 000: 750 000 flights match once, 150 000 twice", rtol=0.00005),
        Quantity("left", float(LEFT), "rows", "1 150 000: these, and the 100 000 flights without a match", rtol=0.00005),
        Quantity(
            "outer", float(OUTER), "rows", "1 150 300: these, and the 300 planes that never flew", rtol=0.00005
        ),
        Quantity("anti", float(ANTI), "rows", "100 000: 60 000 by unknown planes, 40 000 by no plane", rtol=0.00005),
        Quantity(
            "square",
            float(SQUARE),
            "rows",
            "1 830 400 000: 240² for each of 4 000 planes, and 40 000² for the nulls, which match each other",
            rtol=0.001,
        ),
        Quantity("nbytes", float(NBYTES), "bytes", "43.9 GB: 24 bytes for each of these rows", rtol=0.01),
    ),
    lines=6,
    hints=(
        "A key that comes a times on the left and b times on the right gives a · b rows. Add that up over all keys.",
        "left is inner plus the rows of the left that match nothing; outer is left plus those of the right. An anti join gives "
        "what left adds.",
        "Merged with itself, a key with c rows gives c². In cuDF and pandas null is a key like any other: it matches null.",
    ),
    mistakes={
        "inner-flights": mistake(
            "multiplied",
            "that is each flight of a known plane once. 150 000 of them match two rows of the registry.",
            inner=float(KNOWN),
        ),
        "left-flights": mistake(
            "multiplied",
            "a left join keeps every flight, but not only once: whose plane stands in the registry twice comes twice.",
            left=float(FLIGHTS),
        ),
        "left-inner": mistake("lost", "that is the inner join. A left join keeps those without a match.", left=float(INNER)),
        "left-strangers": mistake(
            "nulls",
            "that leaves out the flights whose tail number is null: they have no match, and a left join keeps them.",
            left=float(INNER + FOREIGN),
        ),
        "outer-left": mistake(
            "lost", "that is the left join. An outer join keeps the planes that never flew as well.", outer=float(LEFT)
        ),
        "anti-strangers": mistake(
            "nulls",
            "that leaves out the null tail numbers. The registry has no null, so these flights have no match either.",
            anti=float(FOREIGN),
        ),
        "anti-semi": mistake(
            "complement", "those are the flights that have a match: a semi join.", anti=float(KNOWN)
        ),
        "anti-planes": mistake("operands", "those are the planes without a flight: the other side's rows.", anti=float(IDLE)),
        "square-nulls": mistake(
            "nulls",
            "that is without the nulls. SQL's NULL matches nothing; in cuDF and pandas 40 000 nulls match 40 000 nulls.",
            square=_UNMATCHED_NULLS,
            nbytes=24 * _UNMATCHED_NULLS,
        ),
        "square-nulls-once": mistake(
            "nulls",
            "that has each null once. In cuDF and pandas null equals null: 40 000 nulls match 40 000 nulls.",
            square=_UNMATCHED_NULLS + NULLS,
            nbytes=24 * (_UNMATCHED_NULLS + NULLS),
        ),
        "left-idle": mistake(
            "lost", "that has the planes that never flew, too: an outer join. A left join keeps the flights.", left=float(OUTER)
        ),
        "outer-planes": mistake(
            "multiplied",
            "that adds all rows of the registry. An outer join adds only those that match no flight.",
            outer=float(LEFT + ONCE + 2 * TWICE + IDLE),
        ),
        "square-plain": mistake(
            "multiplied",
            "that would be one match for each flight. Each matches all flights of the same plane, itself among them.",
            square=float(FLIGHTS),
            nbytes=24.0 * FLIGHTS,
        ),
        "square-all": mistake(
            "key", "that is every flight with every flight. Only those with the same tail number match.", square=float(FLIGHTS**2)
        ),
        "bytes-eight": mistake(
            "item-size", "that is 8 bytes a row: one column. A row of the result has 24.", nbytes=8.0 * SQUARE
        ),
    },
)  # fmt: skip
