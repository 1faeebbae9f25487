"""The part of ``.str`` that looks for strings and patterns."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ._each import compiled, each, each_with, filled, substituted, supported_flags, without_names
from ._string_characters import lower
from .base_accessor import array_of, is_column_like

NO_DEFAULT = type("no_default", (), {"__repr__": lambda self: "<no_default>"})()


def _is_default(na: Any) -> bool:
    if na is NO_DEFAULT:
        return True
    try:
        from cudf.api.extensions import no_default
    except ImportError:
        return False
    return na is no_default


def _pattern(pat: Any, flags: int) -> tuple[str, int]:
    if isinstance(pat, re.Pattern):
        pat, flags = pat.pattern, pat.flags & ~re.UNICODE
    if not supported_flags(flags):
        raise NotImplementedError("unsupported value for `flags` parameter")
    return pat, flags


def _check_found(sub: Any) -> None:
    if not isinstance(sub, str):
        raise TypeError(f"expected a string object, not {type(sub).__name__}")


def like(pattern: str, escape: str) -> re.Pattern:
    """Return SQL's LIKE as a regular expression: ``%`` is anything, ``_`` one character."""
    out, position = [], 0
    while position < len(pattern):
        char = pattern[position]
        if escape and char == escape and position + 1 < len(pattern):
            position += 1
            out.append(re.escape(pattern[position]))
        else:
            out.append(".*" if char == "%" else "." if char == "_" else re.escape(char))
        position += 1
    return re.compile("".join(out), re.DOTALL)


def backrefs(repl: str) -> str:
    r"""Return libcudf's ``\1`` and ``${1}`` as Python's ``\g<1>``, everything else as itself."""
    parts = re.split(r"\\(\d{1,2})|\$\{(\d{1,2})\}", repl)
    out = []
    for at in range(0, len(parts), 3):
        out.append(parts[at].replace("\\", "\\\\"))
        if at + 1 < len(parts):
            out.append(f"\\g<{int(parts[at + 1] or parts[at + 2])}>")
    return "".join(out)


class Search:
    """Looking for strings and patterns, replacing them."""

    def contains(self, pat: Any, case: bool = True, flags: int = 0, na: Any = NO_DEFAULT, regex: bool = True) -> Any:
        """Return whether a pattern (or, row by row, a column's string) is in each string; False for null."""
        if not _is_default(na) and not pd.isna(na) and not isinstance(na, bool):
            raise ValueError(f"na must be None, pd.NA, np.nan, True, or False;got {na!r}")
        if regex and isinstance(pat, re.Pattern):
            flags, pat = pat.flags & ~re.UNICODE, pat.pattern
        if not supported_flags(flags):
            raise NotImplementedError("unsupported value for `flags` parameter")
        if regex and not case:
            raise NotImplementedError("`case=False` only supported when `regex=False`")
        fold = (lambda text: text) if case else lower
        if isinstance(pat, str):
            if regex:
                search = compiled(without_names(pat), flags).search
                result = each(self._array, lambda text: search(text) is not None, pa.bool_())
            else:
                wanted = pat if case else pat.lower()
                result = each(self._array, lambda text: wanted in fold(text), pa.bool_())
        else:
            other = array_of(pat, pa.string())
            result = each_with(
                self._array, other, lambda text, p: None if p is None else fold(p) in fold(text), pa.bool_()
            )
        if _is_default(na):
            result = filled(result, False)
        elif not pd.isna(na):
            result = filled(result, na)
        return self._return_or_inplace(result)

    def like(self, pat: str, esc: str | None = None) -> Any:
        """Return whether SQL's LIKE holds; null for null."""
        for value in (pat, esc or ""):
            if not isinstance(value, str):
                raise TypeError(f"expected a string object, not {type(value).__name__}")
        if len(esc or "") > 1:
            raise ValueError("expected esc to contain less than or equal to 1 characters")
        matches = like(pat, esc or "").fullmatch
        return self._return_or_inplace(each(self._array, lambda text: matches(text) is not None, pa.bool_()))

    def match(self, pat: Any, case: bool = True, flags: int = 0, na: Any = NO_DEFAULT) -> Any:
        """Return whether each string starts with a pattern; False for null."""
        if case is not True:
            raise NotImplementedError("`case` parameter is not yet supported")
        if isinstance(pat, re.Pattern) and flags:
            raise ValueError("cannot process flags argument with a compiled pattern")
        pat, flags = _pattern(pat, flags)
        match = compiled(without_names(pat), flags).match
        result = each(self._array, lambda text: match(text) is not None, pa.bool_())
        if _is_default(na):
            result = filled(result, False)
        elif not pd.isna(na):
            result = filled(result, na)
        return self._return_or_inplace(result)

    def count(self, pat: Any, flags: int = 0) -> Any:
        """Return how often a pattern occurs (int32)."""
        pat, flags = _pattern(pat, flags)
        find = compiled(without_names(pat), flags).finditer
        return self._return_or_inplace(each(self._array, lambda text: sum(1 for _ in find(text)), pa.int32()))

    def findall(self, pat: Any, flags: int = 0) -> Any:
        """Return lists of what a pattern matches (of its group, if it has one)."""
        pat, flags = _pattern(pat, flags)
        pattern = compiled(without_names(pat), flags)
        if pattern.groups > 1:
            raise RuntimeError(
                "CUDF failure at: /cpp/src/strings/search/findall.cu:113: findall does not support more than 1 capture group"
            )
        return self._return_or_inplace(each(self._array, pattern.findall, pa.list_(pa.string())))

    def find_re(self, pat: Any, flags: int = 0) -> Any:
        """Return where a pattern first matches (int32), -1 where it does not."""
        pat, flags = _pattern(pat, flags)
        search = compiled(without_names(pat), flags).search

        def first(text: str) -> int:
            found = search(text)
            return -1 if found is None else found.start()

        return self._return_or_inplace(each(self._array, first, pa.int32()))

    def find_multiple(self, patterns: Any) -> Any:
        """Return, for each string, the list of where each of some strings first occurs, -1 where it does not."""
        if not is_column_like(patterns):
            raise TypeError(f"patterns should be an array-like or a Series object, found {type(patterns)}")
        wanted = array_of(patterns)
        if not pa.types.is_string(wanted.type):
            from cudf.core.column import dtype_of

            raise TypeError(f"patterns can only be of 'string' dtype, got: {dtype_of(wanted.type)}")
        import cudf

        wanted = wanted.to_pylist()
        result = each(self._array, lambda text: [text.find(one) for one in wanted], pa.list_(pa.int32()))
        index = self._parent if self._index is None else self._index
        return cudf.Series._from_arrow(result, index=index, name=self._parent.name)

    def _edge(self, function: Any, pat: Any) -> Any:
        if not (isinstance(pat, str) or isinstance(pat, tuple) and all(isinstance(one, str) for one in pat)):
            raise TypeError(f"expected a str or tuple[str, ...], not {type(pat).__name__}")
        return self._return_or_inplace(filled(each(self._array, lambda text: function(text, pat), pa.bool_()), False))

    def endswith(self, pat: Any) -> Any:
        """Return whether each string ends with a string, or one of a tuple; False for null."""
        return self._edge(str.endswith, pat)

    def startswith(self, pat: Any) -> Any:
        """Return whether each string starts with a string, or one of a tuple; False for null."""
        return self._edge(str.startswith, pat)

    def _find(self, function: Any, sub: str, start: int, end: int | None) -> pa.Array:
        _check_found(sub)
        stop = None if end is None or end < 0 else end
        if start < 0:
            raise RuntimeError(
                "CUDF failure at: /cpp/src/strings/search/find.cu:199: Parameter start must be positive integer or zero."
            )
        if stop and start > stop:
            raise RuntimeError(
                "CUDF failure at: /cpp/src/strings/search/find.cu:200: Parameter start must be less than stop."
            )
        return each(self._array, lambda text: function(text, sub, start, stop or None), pa.int64())

    def find(self, sub: str, start: int = 0, end: int | None = None) -> Any:
        """Return where a string first occurs (int64), -1 where it does not."""
        return self._return_or_inplace(self._find(str.find, sub, start, end))

    def rfind(self, sub: str, start: int = 0, end: int | None = None) -> Any:
        """Return where a string last occurs (int64), -1 where it does not."""
        return self._return_or_inplace(self._find(str.rfind, sub, start, end))

    def _found(self, places: pa.Array) -> Any:
        if pc.any(pc.equal(places, -1)).as_py():
            raise ValueError("substring not found")
        return self._return_or_inplace(places)

    def index(self, sub: str, start: int = 0, end: int | None = None) -> Any:
        """As `find`, but a string that is not there is an error."""
        return self._found(self._find(str.find, sub, start, end))

    def rindex(self, sub: str, start: int = 0, end: int | None = None) -> Any:
        """As `rfind`, but a string that is not there is an error."""
        return self._found(self._find(str.rfind, sub, start, end))

    def extract(self, pat: str, flags: int = 0, expand: bool = True) -> Any:
        """Return a frame of a pattern's groups, null where they do not match."""
        if not isinstance(expand, bool):
            raise ValueError("expand parameter must be True or False")
        if not supported_flags(flags):
            raise NotImplementedError("unsupported value for `flags` parameter")
        names = list(re.compile(pat).groupindex)
        pattern = compiled(re.sub(r"\(\?P<([A-Za-z_][A-Za-z0-9_]*)>", "(", pat), flags)
        if not pattern.groups:
            raise RuntimeError(
                "CUDF failure at: /cpp/src/strings/extract/extract.cu:78: Group indicators not found in regex pattern"
            )
        rows = [None if text is None else pattern.search(text) for text in self._array.to_pylist()]
        columns = {
            at: pa.array([None if row is None else row.group(at + 1) for row in rows], pa.string())
            for at in range(pattern.groups)
        }
        if len(columns) == 1 and not expand:
            return self._return_or_inplace(columns[0], replace_name=names[0] if names else None)
        if len(names) == len(columns):
            columns = {names[at]: column for at, column in columns.items()}
        return self._return_or_inplace(columns, expand=True)

    def replace(self, pat: Any, repl: Any, n: int = -1, case: Any = None, flags: int = 0, regex: bool = True) -> Any:
        """Replace a pattern by a string, which is taken as it stands; unlike pandas', the pattern is a regex by default."""
        if case is not None:
            raise NotImplementedError("`case` parameter is not yet supported")
        if flags != 0:
            raise NotImplementedError("`flags` parameter is not yet supported")
        if is_column_like(pat) and is_column_like(repl):
            if n != -1:
                warnings.warn("`n` parameter is not supported when `pat` and `repl` are list-like inputs", stacklevel=2)
            if regex:
                raise ValueError("multiple pattern replace with regex=True is not supported")
            return self._return_or_inplace(
                self._replace_many(array_of(pat, pa.string()).to_pylist(), array_of(repl, pa.string()).to_pylist())
            )
        if regex and isinstance(pat, re.Pattern):
            pat = pat.pattern
        if not isinstance(repl, str):
            raise TypeError(f"repl must be a str, not {type(repl).__name__}.")
        if regex is True and len(pat) > 0:
            pattern = compiled(pat)
            change = lambda text: substituted(pattern, lambda _: repl, text, n)  # noqa: E731
        elif len(pat) == 0:
            change = lambda text: text  # noqa: E731
        else:
            change = lambda text: text.replace(pat, repl, n)  # noqa: E731
        return self._return_or_inplace(each(self._array, change))

    def _replace_many(self, patterns: list, replacements: list) -> pa.Array:
        if len(replacements) not in (1, len(patterns)):
            raise RuntimeError(
                "CUDF failure at: /cpp/src/strings/replace/multi.cu: repls column must have one or the same size"
            )
        if len(replacements) == 1:
            replacements = replacements * len(patterns)
        by = dict(zip(reversed(patterns), reversed(replacements), strict=True))
        either = re.compile("|".join(map(re.escape, patterns)))
        return each(self._array, lambda text: either.sub(lambda found: by[found.group()], text))

    def replace_with_backrefs(self, pat: Any, repl: str) -> Any:
        r"""Replace a pattern by a string in which ``\1`` and ``${1}`` are the pattern's groups."""
        pattern = compiled(pat.pattern if isinstance(pat, re.Pattern) else pat)
        template = backrefs(repl)

        def change(text: str) -> str:
            return substituted(pattern, lambda found: found.expand(template), text)

        return self._return_or_inplace(each(self._array, change))

    def edit_distance(self, targets: Any) -> Any:
        """Return the Levenshtein distances to a string or, row by row, to a column's (int32)."""
        if isinstance(targets, str):
            targets = [targets]
        elif not is_column_like(targets):
            raise TypeError(f"targets should be an str, array-like or Series object, found {type(targets)}")
        others = array_of(targets, pa.string()).to_pylist()
        if len(others) == 1:
            if others[0] is None:
                raise ValueError("single target must not be null")
            others = others * len(self._array)
        if len(others) != len(self._array):
            raise ValueError("targets.size() must equal input.size()")
        pairs = zip(self._array.to_pylist(), others, strict=True)
        return self._return_or_inplace(pa.array([distance(a or "", b or "") for a, b in pairs], pa.int32()))


def distance(a: str, b: str) -> int:
    """Return the Levenshtein distance of two strings."""
    row = np.arange(len(b) + 1)
    letters = np.array(list(b), dtype="U1")
    for at, char in enumerate(a, 1):
        # What comes from above or from the diagonal at once; what comes from the left is a running minimum.
        new = np.minimum(row[1:] + 1, row[:-1] + (letters != char))
        new = np.concatenate(([at], new))
        row = np.minimum.accumulate(new - np.arange(len(new))) + np.arange(len(new))
    return int(row[-1])
