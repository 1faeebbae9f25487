"""``dask-arrays.port``: standardise the columns of an array that is larger than memory, without computing anything."""

from __future__ import annotations

import numpy as np

from ..cases import normal
from ..problem import Mistake, Problem
from ..properties import Drawn, Property, Strategy, dtypes, other_data, sizes, tiny
from .judging import Lazy, LazyJudge


def standardise(x: np.ndarray) -> np.ndarray:
    """The specification: each column less its mean, over its standard deviation (of n); zeros where that is zero."""
    centred = x - x.mean(axis=0)
    scale = x.std(axis=0)
    return np.where(scale > 0, centred / np.where(scale > 0, scale, 1), 0).astype(x.dtype)


def _flat(rows: int, columns: int) -> np.ndarray:
    """With a column that is the same all the way: zeros, whose mean is exact."""
    x = normal(rows, columns, seed=3)
    x[:, 1] = 0
    return x


def _column(values):
    """A change of the ordinary numbers: their second column becomes these values of it."""

    def change(rng, arguments):
        (x,) = arguments
        x[:, 1] = values(x[:, 1])
        return (x,)

    return change


def _in_pairs(column):
    """The same numbers with both signs: their sum is exactly 0."""
    half = np.rint(8 * column[: len(column) // 2])  # whole numbers, so that no order of adding them rounds
    return np.concatenate([half, -half, np.zeros(len(column) % 2)])


_NOT_ZERO = Property(
    (
        Strategy("a column whose sum is 0", change=_column(_in_pairs)),
        Strategy(
            "a column of zeros and one number", change=_column(lambda c: np.where(np.arange(len(c)) == 16, 3.0, 0))
        ),
        Strategy("a column of no number above 0", change=_column(lambda c: np.where(c < 0, c, 0.0))),
        Strategy("a column of small numbers beside large ones", change=_column(lambda c: c * 1e-12)),
        Strategy("two columns of zeros", change=lambda rng, arguments: (arguments[0] * [0.0, 1.0, 0.0, 1.0],)),
    ),
    hint="Only a column of nothing but zeros is to stay as it is. Ask whether its deviation is exactly 0.",
)


def _ddof_gives(x, chunks):
    scale = x.std(axis=0, ddof=1)
    return (x - x.mean(axis=0)) / np.where(scale > 0, scale, 1)


def _rows_give(x, chunks):
    return standardise(x.T).T


def _each_chunk_gives(x, chunks):
    edges = np.cumsum((0, *chunks[0]))
    return np.concatenate([standardise(x[a:b]) for a, b in zip(edges[:-1], edges[1:], strict=True)])


def _not_a_number_gives(x, chunks):
    return (x - x.mean(axis=0)) / x.std(axis=0)


PORT = Problem(
    id="dask-arrays.port",
    title="Standardise columns that nobody holds",
    kind="write",
    answers=("standardise",),
    lines=3,
    specification=standardise,
    judge=LazyJudge(
        cases=(
            Lazy("40 × 6 in chunks of 10 × 3", lambda: normal(40, 6, mean=5, std=2), (10, 3)),
            Lazy("13 × 7 in chunks that do not fit evenly", lambda: normal(13, 7, seed=1, mean=-3), (5, 3)),
            Lazy("a column of zeros", lambda: _flat(30, 4), (7, 4)),
            Lazy("chunks of 1, 5 and 2 rows", lambda: normal(8, 4, seed=2), ((1, 5, 2), (4,))),
            Lazy("NumPy's chunks", lambda: normal(20, 5, seed=4), (6, 5), device=False),
            Lazy(
                "numbers about 10⁸",
                lambda: normal(50, 3, seed=5, mean=1e8),
                (8, 3),
                rtol=1e-6,
                atol=1e-6,
            ),
            Lazy("400 × 40 in chunks of 50 × 10", lambda: normal(400, 40, seed=6), (50, 10), sized=True),
        ),
        unlisted=(Lazy("a single row", lambda: normal(1, 3, seed=7), (1, 2)),),
        drawn=Drawn(
            lambda rng, size: (rng.standard_normal(size) + 2,),
            (17, 4),
            sizes((31, 1), (2, 9), words="{0[0]} × {0[1]} numbers"),
            Property(
                (
                    Strategy("chunks of one row", settings={"chunks": (1, 4)}),
                    Strategy("chunks of one column", settings={"chunks": (17, 1)}),
                    Strategy("chunks of 1, 13 and 3 rows", settings={"chunks": ((1, 13, 3), (3, 1))}),
                )
            ),
            _NOT_ZERO,
            tiny(1e-30, hint="Ask whether the deviation is exactly 0: how large numbers are depends on their unit."),
            dtypes("float32", rtol=1e-4, atol=1e-4),
            other_data(),
            case=lambda name, make, chunks=(5, 3), **more: Lazy(name, lambda: make()[0], chunks, **more),
        ),
        same_chunks=True,
        verified="nothing was computed while it was built, the chunks kept their shapes and stayed where they were",
    ),
    hints=(
        "`x.mean(axis=0)` and `x.std(axis=0)` of a Dask array are Dask arrays again, and so is what you make of them.",
        "You cannot ask `if std == 0`: that has to be computed. `da.where(condition, this, that)` decides for each number, when its time comes.",
        "`da.where(std > 0, std, 1)` is a divisor that is never zero; and what it divides is zero in such a column.",
    ),
    advice={
        "eager": "A Dask array can be divided by a Dask array: leave `compute` out.",
        "host": "Nothing has to be fetched: `da.where` and the methods do with CuPy's chunks.",
        "chunk": "Means of chunks can be put together: `x.mean(axis=0)` does that. No `rechunk` is needed.",
    },
    mistakes={
        "divides by zero": Mistake(
            "nan",
            "a column that is the same all the way becomes NaN: 0 divided by a deviation of 0. It should become zeros.",
            _not_a_number_gives,
            hint="Divide by something that is 1 where the deviation is 0. `if` cannot ask that of a plan; `da.where` can.",
        ),
        "rows": Mistake(
            "axis", "the rows were standardised. Asked for: the columns, so the mean goes down axis 0.", _rows_give
        ),
        "n - 1": Mistake(
            "ddof",
            "this divided by n - 1 for the standard deviation; NumPy's `std` and Dask's divide by n.",
            _ddof_gives,
        ),
        "each chunk by itself": Mistake(
            "own-chunk",
            "each chunk was standardised by its own mean and deviation. A column goes through several chunks, and has one mean.",
            _each_chunk_gives,
            hint="What `map_blocks` calls sees one chunk. `x.mean(axis=0)` sees them all.",
        ),
    },
)
