"""Random frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

names = (
    "Alice Bob Charlie Dan Edith Frank George Hannah Ingrid Jerry Kevin Laura Michael Norbert Oliver Patricia Quinn Ray "
    "Sarah Tim Ursula Victor Wendy Xavier Yvonne Zelda"
).split()


def _float(n: int, random: Any) -> Any:
    return random.rand(n) * 2 - 1


def _int(n: int, random: Any) -> Any:
    return random.poisson(1000, size=n)


def _text(n: int, random: Any) -> Any:
    return random.choice(names, size=n)


def _category(n: int, random: Any) -> Any:
    return pd.Categorical.from_codes(random.randint(0, len(names), size=n), names)


def _bool(n: int, random: Any) -> Any:
    return random.choice([True, False], size=n)


make = {float: _float, int: _int, str: _text, "category": _category, bool: _bool}


def timeseries(
    start: Any = "2000-01-01", end: Any = "2000-01-31", freq: str = "1s", dtypes: Any = None, nulls_frequency: float = 0,
    seed: Any = None,
) -> Any:  # fmt: skip
    """A frame of random columns with one row for each step of time."""
    import cudf

    dtypes = {"name": "category", "id": int, "x": float, "y": float} if dtypes is None else dtypes
    index = pd.DatetimeIndex(pd.date_range(start, end, freq=freq, name="timestamp"))
    random = np.random.RandomState(seed)
    columns = {name: make[kind](len(index), random) for name, kind in dtypes.items()}
    host = pd.DataFrame(columns, index=index, columns=sorted(columns))
    if host.index[-1] == end:
        host = host.iloc[:-1]
    frame = cudf.from_pandas(host)
    for name in frame:
        lost = random.choice([False, True], size=len(index), p=[1 - nulls_frequency, nulls_frequency])
        if lost.any():
            frame.loc[lost, name] = None
    return frame


def randomdata(nrows: int = 10, dtypes: Any = None, seed: Any = None) -> Any:
    """A frame of random columns."""
    import cudf

    dtypes = {"id": int, "x": float, "y": float} if dtypes is None else dtypes
    random = np.random.RandomState(seed)
    columns = {name: make[kind](nrows, random) for name, kind in dtypes.items()}
    return cudf.from_pandas(pd.DataFrame(columns, columns=sorted(columns)))
