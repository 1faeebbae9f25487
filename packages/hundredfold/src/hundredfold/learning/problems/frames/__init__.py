"""Judge functions of tables: called with cuDF's, compared with a specification in pandas.

One flow (`judging`: call, compare, look at what was done on the way) and two ways to compare:

- `FrameJudge` (`columns`): column by column, types included; rows are told apart by keys, and what is wrong is said in the
  words of what goes wrong with frames: a key that stayed in the index, nulls that became zeros, values beside another row's key.
- `RowsJudge` (`judging`, `rowwise`): tables as sets or sequences of rows, whatever their integers and floats: what joins are judged by.

What a case gives may be tables of Arrow, where a null is a null, or of pandas.
"""

from __future__ import annotations

from .columns import FrameJudge
from .judging import (
    SENTINELS,
    FrameCase,
    RowsJudge,
    account_of,
    call,
    given,
    other_index,
    rows_stay,
    sentinels,
    unchanged,
)
from .rowwise import Rows, alike, rows, same_column
from .values import cudf, flat, need_cudf, to_device, to_pandas

__all__ = [
    "SENTINELS",
    "FrameCase",
    "FrameJudge",
    "Rows",
    "RowsJudge",
    "account_of",
    "alike",
    "call",
    "cudf",
    "flat",
    "given",
    "need_cudf",
    "other_index",
    "rows",
    "rows_stay",
    "same_column",
    "sentinels",
    "to_device",
    "to_pandas",
    "unchanged",
]
