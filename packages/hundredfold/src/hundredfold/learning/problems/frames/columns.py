"""Compare tables column by column, types included: the words for what goes wrong with frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..cases import Case
from ..differences import explain, number
from ..problem import Mistake, Problem
from ..properties import cases_before
from ..verdict import Refusal, refuse
from .judging import TableJudge
from .values import flat, require_columns, require_kind


@dataclass(frozen=True)
class FrameJudge(TableJudge):
    """Judge a function of tables by what each column of its result has, in each row, and of which type.

    Parameters
    ----------
    result : {"frame", "series"}
        What must come back. A series is judged by its values, in the order of its rows.
    keys : tuple of str
        For a frame: the columns that tell its rows apart.
    ordered : bool
        The rows must stand in the specification's order.
    by : str
        The column that alone decides this order: rows that are equal in it may stand in any.
    rtol, atol : float
        A number is right within ``atol + rtol * |expected|``.

    The others are those of `TableJudge`.
    """

    result: str = "frame"
    keys: tuple[str, ...] = ()
    ordered: bool = True
    by: str = ""
    rtol: float = 1e-9
    atol: float = 1e-12

    def compare(self, problem: Problem, case: Case, got: Any, expected: Any = None) -> None:
        """Refuse what a call returned if it is not what was asked for; `expected` in place of what the specification gives."""
        require_kind(got, self.result)
        if expected is None:
            expected = problem.expected(*case.host())
        right = flat(expected)
        found = self._found(got, right)
        if found.equals(right):  # every value, null and type
            return
        _recognise(problem, case, found, right)
        if len(found) != len(right):
            _rows(found, right, self.keys)
        if self.keys and self.result == "frame":
            _recognise_column(problem, case, found, right, list(self.keys))
            found = self._in_order(found, right)
        self._values(found, right)

    def _values(self, found: pd.DataFrame, right: pd.DataFrame) -> None:
        for name in right.columns:
            if self.keys and name not in self.keys:
                self._paired(found[name], right[name], name)
            said = name if self.result == "frame" else "the result"
            same_column(found[name], right[name], said, self.rtol, self.atol)

    def _paired(self, found: pd.Series, right: pd.Series, name: str) -> None:
        """Refuse a column that has all the right numbers, each beside another row's key."""
        if not all(pd.api.types.is_numeric_dtype(column.dtype) for column in (found, right)):
            return
        x, y = (column.to_numpy(dtype="float64", na_value=np.nan) for column in (found, right))
        one = {"rtol": self.rtol, "atol": self.atol, "equal_nan": True}
        if len(x) > 1 and np.isclose(np.sort(x), np.sort(y), **one).all() and not np.isclose(x, y, **one).all():
            at = int(np.flatnonzero(~np.isclose(x, y, **one))[0])
            refuse(
                "paired",
                f"{name} has all the right numbers, but beside other rows: row {at} has {_value(found.iloc[at])}, which "
                f"belongs elsewhere; it should be {_value(right.iloc[at])}.",
            )

    def _found(self, got: Any, right: pd.DataFrame) -> pd.DataFrame:
        if self.result == "frame":
            require_columns(got, list(right.columns), ordered=True)
        return flat(got)

    def _in_order(self, found: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
        """The rows found in the specification's order; refused if they should have been in it, or are other rows."""
        keys = list(self.keys)
        theirs, ours = (frame[keys].astype(object).where(frame[keys].notna(), None) for frame in (found, right))
        if theirs.equals(ours):
            return found
        a, b = (sorted(map(repr, frame.itertuples(index=False, name=None))) for frame in (theirs, ours))
        if a != b:
            strange = next((row for row in a if row not in set(b)), a[0])
            refuse(
                "value",
                f"the rows are others than those asked for: {strange.strip('(),')} in {', '.join(keys)} is none.",
            )
        by = sorted(range(len(ours)), key=lambda i: repr(tuple(ours.iloc[i])))
        places = sorted(range(len(theirs)), key=lambda i: repr(tuple(theirs.iloc[i])))
        if self.ordered:
            rows = found.iloc[[place for _, place in sorted(zip(by, places, strict=True))]].reset_index(drop=True)
            self._values(rows, right)
            if self.by and alike(found[[self.by]], right[[self.by]]):
                return rows
            at = int(np.flatnonzero((theirs != ours).any(axis=1))[0])
            refuse("order", f"each row is right, but they stand in another order: row {at} is {_row(found, at)}, asked for "
                   f"is {_row(right, at)}. A groupby in cuDF gives its groups in no order; sort what is to be sorted.")  # fmt: skip
        return found.iloc[[place for _, place in sorted(zip(by, places, strict=True))]].reset_index(drop=True)


def _rows(found: pd.DataFrame, right: pd.DataFrame, keys: tuple[str, ...]) -> None:
    said = f"the result has {len(found)} row{'' if len(found) == 1 else 's'}; it should have {len(right)}."
    if len(found) < len(right) and keys:
        have = set(map(repr, found[list(keys)].itertuples(index=False, name=None)))
        lost = next(
            (i for i, row in enumerate(right[list(keys)].itertuples(index=False, name=None)) if repr(row) not in have),
            None,
        )
        if lost is not None:
            row = right.iloc[lost]
            said += f" {', '.join(f'{key} {row[key]}' for key in keys)} is missing"
            if right.drop(columns=list(keys)).iloc[lost].isna().any():
                refuse(
                    "dropped", f"{said}: rows with a null were thrown away, and with them everything that was known."
                )
            said += "."
    refuse("shape", said, diagnosed=False)


def _row(frame: pd.DataFrame, place: int) -> str:
    return ", ".join(f"{name} {_value(frame[name].iloc[place])}" for name in frame.columns[:2])


def _value(value: Any) -> str:
    return "null" if value is pd.NA or value is None or value is pd.NaT else number(value) if not isinstance(value, (str, pd.Timestamp)) else str(value)  # fmt: skip


_NAN = "NaN is a number, of which nobody knows what it is; null is none. `nans_to_nulls()` makes one of the other."


def same_column(found: pd.Series, right: pd.Series, name: str, rtol: float, atol: float) -> None:
    """Refuse a column that is not the one asked for, saying how it differs; its rows are in the same order."""
    a, b = found.isna().to_numpy(), right.isna().to_numpy()
    if (a != b).any():
        at = int(np.flatnonzero(a != b)[0])
        if b[at]:
            refuse(
                "nulls",
                f"{name} is {_value(found.iloc[at])} in row {at}, where it is not known: it should be null.",
                advice=_NAN if found.iloc[at] != found.iloc[at] else "",
            )
        refuse("nulls", f"{name} is null in row {at}; it should be {_value(right.iloc[at])}.", diagnosed=False)
    kinds = found.dtype, right.dtype
    numbers = [pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind) for kind in kinds]
    if all(numbers):
        x, y = (column[~b].to_numpy(dtype="float64") for column in (found, right))
        floats = [pd.api.types.is_float_dtype(kind) for kind in kinds]
        try:
            explain(x, y, rtol=rtol, atol=atol)
        except Refusal as refusal:
            refusal.why = f"{name}: {refusal.why}"
            raise
        if floats[0] != floats[1]:
            refuse("dtype", f"{name} is of dtype {str(kinds[0]).lower()}; it should be {str(kinds[1]).lower()}.")
        return
    if kinds[0] != kinds[1]:
        refuse("dtype", f"{name} is of dtype {str(kinds[0]).lower()}; it should be {str(kinds[1]).lower()}.")
    wrong = np.flatnonzero((found[~b].astype(object).to_numpy() != right[~b].astype(object).to_numpy()).astype(bool))
    if wrong.size:
        at = int(wrong[0])
        refuse(
            "value",
            f"{name} is {_value(found[~b].iloc[at])} in row {at}; it should be {_value(right[~b].iloc[at])}.",
            diagnosed=False,
        )


def alike(found: pd.DataFrame, other: pd.DataFrame) -> bool:
    """True if two flat results have the same columns and, row by row, the same values and nulls."""
    if list(found.columns) != list(other.columns) or len(found) != len(other):
        return False
    try:
        for name in found.columns:
            same_column(found[name], other[name], name, 1e-9, 1e-12)
    except Refusal:
        return False
    return True


def _mistaken(mistake: Mistake, case: Case) -> pd.DataFrame | None:
    theirs = mistake.computes(*case.host())
    return None if theirs is None else flat(theirs)


def _recognise(problem: Problem, case: Case, found: pd.DataFrame, right: pd.DataFrame) -> None:
    """Refuse a result that is the one of a known mistake, with that mistake's reason."""
    problem.recognise(
        lambda mistake: _mistaken(mistake, case),
        lambda theirs: alike(found, theirs) and not alike(right, theirs),
        lambda mistake: any(_gets_wrong(problem, mistake, passed) for passed in cases_before(problem.judge, case)),
    )


def _gets_wrong(problem: Problem, mistake: Mistake, case: Case) -> bool:
    theirs = _mistaken(mistake, case)
    return theirs is not None and not alike(flat(problem.expected(*case.host())), theirs)


def _recognise_column(problem: Problem, case: Case, found: pd.DataFrame, right: pd.DataFrame, keys: list[str]) -> None:
    """Refuse a frame of which the first wrong column is that of a known mistake, whatever the others are."""
    ours, asked = (frame.sort_values(keys, ignore_index=True) for frame in (found, right))
    if not alike(ours[keys], asked[keys]):
        return
    name = next((name for name in asked.columns if not alike(ours[[name]], asked[[name]])), None)
    if name is None:
        return

    def is_theirs(theirs: pd.DataFrame) -> bool:
        if not {name, *keys} <= set(theirs.columns) or len(theirs) != len(asked):
            return False
        theirs = theirs.sort_values(keys, ignore_index=True)
        return alike(theirs[keys], asked[keys]) and alike(ours[[name]], theirs[[name]])

    problem.recognise(lambda mistake: _mistaken(mistake, case), is_theirs)
