"""The part of ``.str`` that takes strings apart and puts them together."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ._each import AT_BLANKS, BLANKS, compiled, each, filled
from .base_accessor import array_of, is_column_like


def split(text: str, by: str, most: int) -> list[str]:
    """Split at a string, or at blanks if it is empty, into at most ``most + 1`` parts; from the left."""
    if by:
        return text.split(by, most)
    text = text.lstrip(BLANKS)
    if not text:
        return []
    parts = AT_BLANKS.split(text, most if most > 0 else 0)
    if most <= 0 or len(parts) <= most:
        parts = [part for part in parts if part]
    else:
        parts[-1] = parts[-1].rstrip(BLANKS)
    return [part for part in parts if part]


def rsplit(text: str, by: str, most: int) -> list[str]:
    """As `split`, from the right."""
    if by:
        return text.rsplit(by, most)
    return [part[::-1] for part in split(text[::-1], "", most)][::-1]


def split_re(text: str, pattern: re.Pattern, most: int, last: bool = False) -> list[str]:
    """Split where a pattern matches, `most` times at most, at the first or at the last places; groups are not kept."""
    places = [found.span() for found in pattern.finditer(text) if found.end() > found.start()]
    if most > 0:
        places = places[-most:] if last else places[:most]
    begins, ends = [0, *(end for _, end in places)], [*(start for start, _ in places), len(text)]
    return [text[begin:end] for begin, end in zip(begins, ends, strict=True)]


def table(array: pa.Array, function: Callable[[str], list[str]]) -> dict[int, pa.Array]:
    """Return the parts of each string as columns, null where a string has fewer."""
    lists = each(array, function, pa.list_(pa.string()))
    width = pc.max(pc.list_value_length(lists)).as_py() or 0
    rows = lists.to_pylist()
    if width == 0:
        width = 1
    return {
        at: pa.array([row[at] if row is not None and at < len(row) else None for row in rows], pa.string())
        for at in range(width)
    }


class Split:
    """Taking strings apart, putting them together."""

    def _split(self, parts: Callable[[str], list[str]], expand: bool) -> Any:
        if not expand:
            return self._return_or_inplace(each(self._array, parts, pa.list_(pa.string())))
        if self._array.null_count == len(self._array):
            return self._return_or_inplace({0: self._array}, expand=True)
        columns = table(self._array, parts)
        if len(columns) == 1 and columns[0].null_count == len(columns[0]):
            columns = {}
        return self._return_or_inplace(columns, expand=True)

    def split(self, pat: Any = None, n: int = -1, expand: bool = False, regex: bool | None = None) -> Any:
        """Split at blanks, at a string or (more than one character, or ``regex=True``) at a pattern."""
        if expand not in (True, False):
            raise ValueError(f"expand parameter accepts only : [True, False], got {expand}")
        n = -1 if n is None or n == 0 else n
        if pat is None:
            pat, regex = "", False
        if regex and isinstance(pat, re.Pattern):
            pat = pat.pattern
        if regex is None:
            regex = len(str(pat)) > 1
        if regex is True:
            pattern = compiled(pat)
            return self._split(lambda text: split_re(text, pattern, n), expand)
        return self._split(lambda text: split(text, pat, n), expand)

    def rsplit(self, pat: Any = None, n: int = -1, expand: bool = False, regex: bool | None = None) -> Any:
        """Split from the right; a pattern only with ``regex=True``."""
        if expand not in (True, False):
            raise ValueError(f"expand parameter accepts only : [True, False], got {expand}")
        n = -1 if n is None or n == 0 else n
        pat = "" if pat is None else pat
        if regex and isinstance(pat, re.Pattern):
            pat = pat.pattern
        if regex is True:
            pattern = compiled(pat)
            return self._split(lambda text: split_re(text, pattern, n, last=True), expand)
        return self._split(lambda text: rsplit(text, pat, n), expand)

    def split_part(self, delimiter: str | None = None, index: int = 0) -> Any:
        """Return one of the parts, null where there are fewer."""

        def part(text: str) -> str | None:
            parts = split(text, delimiter or "", -1)
            return parts[index] if 0 <= index < len(parts) else None

        return self._return_or_inplace(each(self._array, part))

    def _partition(self, method: Any, sep: Any, expand: bool) -> Any:
        if expand is not True:
            raise NotImplementedError("`expand=False` is currently not supported")
        sep = " " if sep is None else sep
        if not isinstance(sep, str):
            raise TypeError(f"sep should be a string, but got {type(sep).__name__}")
        columns = table(self._array, lambda text: list(method(text, sep)))
        if len(columns) < 3:
            columns = dict.fromkeys(range(3), self._array)
        return self._return_or_inplace(columns, expand=True)

    def partition(self, sep: str = " ", expand: bool = True) -> Any:
        """Return what is before a separator's first place, the separator, what is after it."""
        return self._partition(str.partition, sep, expand)

    def rpartition(self, sep: str = " ", expand: bool = True) -> Any:
        """Return what is before a separator's last place, the separator, what is after it."""
        return self._partition(str.rpartition, sep, expand)

    def cat(self, others: Any = None, sep: str | None = None, na_rep: str | None = None) -> Any:
        """Join all strings to one, or with `others` row by row."""
        import cudf

        sep = sep or ""
        if others is None:
            values = self._array.to_pylist() if na_rep is None else filled(self._array, na_rep).to_pylist()
            return sep.join(value for value in values if value is not None)
        first = None
        if is_column_like(others) and len(others) > 0:
            first = others.iloc[0] if isinstance(others, cudf.Series) else others[0]
        if isinstance(others, Split):
            raise TypeError(
                "others must be Series, Index, DataFrame, np.ndarray or list-like (either containing only strings or "
                "containing only objects of type Series/Index/np.ndarray[1-dim])"
            )
        group = list(others) if first is not None and is_column_like(first) else [others]
        columns = [self._array]
        for other in group:
            if self._index is not None and isinstance(other, cudf.Series) and not other.index.equals(self._index):
                other = other.reindex(self._index)
            columns.append(array_of(other, pa.string()))
        lengths = {len(column) for column in columns}
        if len(lengths) > 1:
            raise ValueError("Columns must all be the same length")
        options = (
            {"null_handling": "emit_null"}
            if na_rep is None
            else {"null_handling": "replace", "null_replacement": na_rep}
        )
        return self._return_or_inplace(pc.binary_join_element_wise(*columns, sep, **options))

    def join(self, sep: Any = None, string_na_rep: Any = None, sep_na_rep: Any = None) -> Any:
        """Join the items of lists (or the characters of strings) with a separator, or a column of them."""
        sep, scalar = "" if sep is None else sep, not is_column_like(sep)
        if getattr(sep, "ndim", 1) == 2:
            raise TypeError(f"sep should be an str, array-like or Series object, found {type(sep)}")
        if scalar and sep_na_rep:
            raise ValueError("sep_na_rep cannot be defined when `sep` is scalar.")
        if is_column_like(string_na_rep):
            raise TypeError(
                f"string_na_rep should be a string scalar, got {string_na_rep} of type : {type(string_na_rep)}"
            )
        if scalar and not isinstance(sep, str):
            raise TypeError(f"sep should be an str, array-like or Series object, found {type(sep)}")
        rows: list = self._array.to_pylist()
        if not pa.types.is_list(self._array.type):
            rows = [list(row or "") for row in rows]
        separators = [sep] * len(rows)
        if not scalar:
            separators = array_of(sep, pa.string()).to_pylist()
            if len(separators) != len(rows):
                raise ValueError(
                    f"sep should be of similar size to the series, got: {len(separators)}, expected: {len(rows)}"
                )
            if is_column_like(sep_na_rep):
                raise TypeError(f"sep_na_rep should be a string scalar, got {sep_na_rep} of type: {type(sep_na_rep)}")
        joined = [
            None
            if not row or all(item is None for item in row)
            else (sep_na_rep or "" if one is None else one).join(
                (string_na_rep or "") if item is None else item for item in row
            )
            for row, one in zip(rows, separators, strict=True)
        ]
        return self._return_or_inplace(pa.array(joined, pa.string()))

    def get_json_object(
        self,
        json_path: str,
        *,
        allow_single_quotes: bool = False,
        strip_quotes_from_single_strings: bool = True,
        missing_fields_as_nulls: bool = False,
    ) -> Any:
        """Return the part of JSON documents that a path (``$.a.b[0]``) leads to, null where there is none."""
        from ._json_path import find, steps_of

        steps = steps_of(json_path)
        if not json_path.strip():
            return self._return_or_inplace(pa.nulls(len(self._array), pa.string()))
        options = allow_single_quotes, strip_quotes_from_single_strings, missing_fields_as_nulls
        return self._return_or_inplace(each(self._array, lambda text: find(text, steps, *options)))
