"""``Series.str`` and ``Index.str``: the string methods of cuDF, with libcudf's rules where they are not Python's.

Regular expressions are those of libcudf (see `._each.compiled`): what it refuses is refused.  Predicates that cuDF answers
with False for null do so here; the others keep the null.

Over 800 lines: it is one class of some ninety methods, and the functions of one string that they apply to each row.
"""

from __future__ import annotations

import numbers
import re
import warnings
from collections.abc import Callable
from datetime import datetime
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pandas.api.extensions import no_default

from gpusim.importing.errors import NotSimulatedError
from gpusim.importing.names import refused

from ..hashing import murmur3
from ._each import (
    AT_BLANKS,
    BLANKS,
    compiled,
    each,
    each_with,
    explode,
    filled,
    is_ascii,
    substituted,
    supported_flags,
    without_names,
)
from .base_accessor import BaseAccessor, array_of, is_column_like

_FINAL_SIGMA = re.compile("σ($|[^a-zA-Zα-ωΑ-Ωά-ώΆ-Ώ])")


def lower(text: str) -> str:
    """Lower case as cuDF has it: an sigma ends a word by cuDF's own rule, which looks only at what follows."""
    if "Σ" not in text and "σ" not in text:
        return text.lower()
    return _FINAL_SIGMA.sub(r"ς\1", "".join(map(str.lower, text)))


def is_float(text: str) -> bool:
    """Whether libcudf would read a number: looser than Python's float, which refuses ``1e``."""
    body = text[1:] if text[:1] in ("+", "-") else text
    if body.lower() in ("nan", "inf", "infinity"):
        return True
    return bool(body) and re.fullmatch(r"[0-9]*(\.[0-9]*)?([eE][+-]?[0-9]*)?", body) is not None


def from_hex(text: str) -> int:
    """The number of the hexadecimal digits in a string, what is none being passed over; wraps as an int64."""
    digits = re.sub("[^0-9a-fA-F]", "", text)
    value = int(digits, 16) & (2**64 - 1) if digits else 0
    return value - 2**64 if value >= 2**63 else value


def from_ipv4(text: str) -> int:
    """The four numbers of an address as one uint32; anything that is no digit parts them."""
    parts = [int(part or 0) & 0xFFFFFFFF for part in re.split("[^0-9]", text)[:4]]
    parts += [0] * (4 - len(parts))
    return ((parts[0] << 24) + (parts[1] << 16) + (parts[2] << 8) + parts[3]) & 0xFFFFFFFF


def is_ipv4(text: str) -> bool:
    """Whether a string is four numbers up to 255 with dots between."""
    return re.fullmatch(r"\d{1,3}(\.\d{1,3}){3}", text, re.ASCII) is not None and all(
        int(part) <= 255 for part in text.split(".")
    )


def wrapped(text: str, width: int) -> str:
    """Lines of at most `width` characters where there is a blank to break at; words are not broken."""
    out, start, blank = list(text), 0, -1
    for position, char in enumerate(text):
        if char <= " ":
            out[position], blank = " ", position
        if position - start >= width and blank >= 0:
            out[blank], start, blank = "\n", blank, -1
    return "".join(out)


def replace_slice(text: str, start: int, stop: int, repl: str) -> str:
    """Replace a part; a negative bound, or one past the end, is the end."""
    size = len(text)
    begin = size if start < 0 or start > size else start
    end = size if stop < 0 or stop > size else stop
    return text[:begin] + repl + text[end:]


def _string(repl: Any) -> str:
    if repl is None:
        return ""
    if not isinstance(repl, str):
        raise TypeError(f"repl should be a string, but got {type(repl).__name__}")
    return repl


def _check_width(width: Any) -> None:
    if not isinstance(width, numbers.Integral):
        raise TypeError(f"width must be of integer type, not {type(width).__name__}")


def _check_strip(to_strip: Any) -> str:
    if not (isinstance(to_strip, str) or to_strip is None):
        raise TypeError(f"to_strip should be a string or None, but got {type(to_strip).__name__}")
    return to_strip or BLANKS


def _maker(function: Any, type: pa.DataType | None = None, doc: str = "", null: Any = None, ascii: Any = None) -> Any:
    """A method without arguments; `ascii` is Arrow's function that does the same to strings that have ASCII only."""

    def method(self: Any) -> Any:
        array = self._array
        result = ascii(array) if ascii is not None and is_ascii(array) else each(array, function, type)
        return self._return_or_inplace(result if null is None else filled(result, null))

    method.__doc__ = doc
    return method


def _kind(name: str) -> Any:
    return _maker(
        getattr(str, name), pa.bool_(), f"Whether ``{name}()``, character by character; False for null.", False
    )


def _with_na(result: pa.Array, na: Any) -> pa.Array:
    """False, or what the caller asks for, in place of null."""
    if na is no_default:
        return filled(result, False)
    return result if pd.isna(na) else filled(result, na)


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


def is_consonant(text: str, at: int) -> bool:
    """Whether a letter is a consonant: no vowel, and no ``y`` unless it starts the word or follows a vowel."""
    if text[at] in "aeiou":
        return False
    return text[at] != "y" or at == 0 or text[at - 1] in "aeiou"


def porter_measure(text: str) -> int:
    """How often a vowel is followed by a consonant."""
    kinds = [is_consonant(text, at) for at in range(len(text))]
    return sum(1 for before, now in zip(kinds, kinds[1:], strict=False) if now and not before)


def _separator(value: Any, name: str, column: bool = False) -> str | list[str]:
    if isinstance(value, str):
        return value
    if column and isinstance(value, list):
        return array_of(value, pa.string()).to_pylist()
    expected = "Scalar, or Column" if column else "Scalar"
    raise ValueError(f"Expected {expected} for {name} but got {type(value)}")


def tokenizer(delimiter: str | list[str]) -> re.Pattern:
    """Return the pattern between two tokens; an empty delimiter is any blank."""
    if not delimiter:
        return AT_BLANKS
    several = [delimiter] if isinstance(delimiter, str) else delimiter
    return re.compile("|".join(map(re.escape, several)))


def _at_least_two(n: int) -> None:
    if n < 2:
        raise ValueError("Parameter ngrams should be an integer value of 2 or greater")


def _seed(seed: Any, kind: type) -> int:
    if not 0 <= int(seed) <= np.iinfo(kind).max:
        raise ValueError(f"seed must be in range [0, {np.iinfo(kind).max}]")
    return int(seed)


class StringMethods(BaseAccessor):
    """Methods of strings.

    Parameters
    ----------
    parent : cudf.Series or cudf.Index
        Of strings, of categories that are strings, or of lists of strings.

    Raises
    ------
    AttributeError
        If its values are something else.
    """

    def __init__(self, parent: Any) -> None:
        type = parent._arrow.type
        if pa.types.is_dictionary(type):
            type = type.value_type
        while pa.types.is_list(type):
            type = type.value_type
        if not (pa.types.is_string(type) or pa.types.is_large_string(type) or pa.types.is_null(type)):
            kinds = {
                "i": "integer", "u": "integer", "f": "floating", "b": "boolean", "c": "complex",
                "M": "datetime64", "m": "timedelta64",
            }  # fmt: skip
            raise AttributeError(
                "Can only use .str accessor with string values, not "
                f"{kinds.get(getattr(parent.dtype, 'kind', ''), str(parent.dtype))}"
            )
        super().__init__(parent)

    @property
    def _array(self) -> pa.Array:
        array = self._parent._arrow
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        return (
            array.cast(pa.string()) if pa.types.is_null(array.type) or pa.types.is_large_string(array.type) else array
        )

    lower = _maker(lower, doc="Lower case.", ascii=pc.ascii_lower)
    upper = _maker(str.upper, doc="Upper case.", ascii=pc.ascii_upper)
    capitalize = _maker(lambda text: text[:1].upper() + lower(text[1:]), doc="First character upper, the others lower.")
    swapcase = _maker(str.swapcase, doc="Upper for lower case and the reverse.")
    title = _maker(str.title, doc="Upper case after what is no letter.")
    istitle = _maker(str.istitle, pa.bool_(), "Whether in title case.")
    isdecimal, isalnum, isalpha = _kind("isdecimal"), _kind("isalnum"), _kind("isalpha")
    isdigit, isnumeric, isspace = _kind("isdigit"), _kind("isnumeric"), _kind("isspace")
    isupper, islower = _kind("isupper"), _kind("islower")
    isinteger = _maker(
        lambda text: re.fullmatch("[+-]?[0-9]+", text) is not None, pa.bool_(), "Whether an integer; null for null."
    )
    isfloat = _maker(is_float, pa.bool_(), "Whether a number; null for null.")
    ishex = _maker(
        lambda text: re.fullmatch("(0[xX])?[0-9a-fA-F]+", text) is not None, pa.bool_(), "Whether hexadecimal digits."
    )
    isipv4 = _maker(is_ipv4, pa.bool_(), "Whether an IPv4 address.")
    isempty = _maker(lambda text: text == "", pa.bool_(), "Whether without characters; False for null.", False)
    htoi = hex_to_int = _maker(from_hex, pa.int64(), "Hexadecimal digits as int64.")
    ip2int = ip_to_int = _maker(from_ipv4, pa.uint32(), "IPv4 addresses as uint32.")
    url_decode = _maker(unquote, doc="``%20`` and its like as characters.")
    url_encode = _maker(lambda text: quote(text, safe=""), doc="Characters as ``%20`` and its like.")

    def len(self) -> Any:
        """Return the number of characters (int32)."""
        return self._return_or_inplace(pc.utf8_length(self._array).cast(pa.int32()))

    def byte_count(self) -> Any:
        """Return the number of bytes (int32)."""
        return self._return_or_inplace(pc.binary_length(self._array).cast(pa.int32()))

    def istimestamp(self, format: str) -> Any:
        """Return whether ``strptime`` would read the strings."""

        def reads(text: str) -> bool:
            try:
                datetime.strptime(text, format)
            except ValueError:
                return False
            return True

        return self._return_or_inplace(each(self._array, reads, pa.bool_()))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return self.slice(start=key.start, stop=key.stop, step=key.step)
        return self.get(key)

    def get(self, i: int = 0) -> Any:
        """Return the character (of lists: the item) at a position, null beyond the end."""
        if pa.types.is_list(self._array.type):
            from .lists import ListMethods

            return ListMethods(self._parent).get(i)
        return self._return_or_inplace(each(self._array, lambda text: text[i] if -len(text) <= i < len(text) else None))

    def slice(self, start: int | None = None, stop: int | None = None, step: int | None = None) -> Any:
        """Return a part, by Python's rules."""
        if not all(isinstance(bound, int) or bound is None for bound in (start, stop)):
            raise ValueError("Invalid start and stop types")
        if step == 0:
            raise RuntimeError("CUDF failure at: /cpp/src/strings/slice.cu:283: Step parameter must not be 0")
        return self._return_or_inplace(each(self._array, lambda text: text[start:stop:step]))

    def slice_from(self, starts: Any, stops: Any) -> Any:
        """Return parts whose bounds are columns."""
        bounds = pa.StructArray.from_arrays([array_of(starts), array_of(stops)], ["a", "b"])
        parts = [
            None if text is None else text[at["a"] : None if at["b"] < 0 else at["b"]]
            for text, at in zip(self._array.to_pylist(), bounds.to_pylist(), strict=True)
        ]
        return self._return_or_inplace(pa.array(parts, pa.string()))

    def slice_replace(self, start: int | None = None, stop: int | None = None, repl: str | None = None) -> Any:
        """Replace a part; unlike pandas, a negative bound is the end of the string."""
        begin, end, text = 0 if start is None else start, -1 if stop is None else stop, _string(repl)
        if 0 < end < begin:
            raise RuntimeError(
                "CUDF failure at: /cpp/src/strings/replace/replace_slice.cu:82: "
                "Parameter start must be less than or equal to stop."
            )
        return self._return_or_inplace(each(self._array, lambda value: replace_slice(value, begin, end, text)))

    def insert(self, start: int = 0, repl: str | None = None) -> Any:
        """Insert a string at a position; a negative one is the end."""
        return self.slice_replace(start, start, repl)

    def filter_alphanum(self, repl: str | None = None, keep: bool = True) -> Any:
        """Replace what is no letter or digit, or with ``keep=False`` what is one."""
        text = _string(repl)
        return self._return_or_inplace(
            each(self._array, lambda value: "".join(c if c.isalnum() == keep else text for c in value))
        )

    def filter_characters(self, table: dict, keep: bool = True, repl: str | None = None) -> Any:
        """Keep (or with ``keep=False`` remove) the characters in ranges: ``{"a": "z"}``."""
        text, ranges = (
            _string(repl),
            [(chr(a), chr(b) if isinstance(b, int) else b) for a, b in str.maketrans(table).items()],
        )

        def kept(char: str) -> str:
            return char if any(low <= char <= high for low, high in ranges) == keep else text

        return self._return_or_inplace(each(self._array, lambda value: "".join(map(kept, value))))

    def translate(self, table: dict) -> Any:
        """Map characters as ``str.translate`` does."""
        mapping = str.maketrans(table)
        return self._return_or_inplace(each(self._array, lambda text: text.translate(mapping)))

    def pad(self, width: int, side: str = "left", fillchar: str = " ") -> Any:
        """Fill up to a width."""
        if not isinstance(fillchar, str):
            raise TypeError(f"fillchar must be a character, not {type(fillchar).__name__}")
        if len(fillchar) != 1:
            raise TypeError("fillchar must be a character, not str")
        _check_width(width)
        try:
            how = {"LEFT": str.rjust, "RIGHT": str.ljust, "BOTH": str.center}[side.upper()]
        except KeyError:
            raise ValueError("side has to be either one of {'left', 'right', 'both'}") from None
        return self._return_or_inplace(each(self._array, lambda text: how(text, max(width, 0), fillchar)))

    def zfill(self, width: int) -> Any:
        """Fill with zeros, behind a sign."""
        _check_width(width)
        return self._return_or_inplace(each(self._array, lambda text: text.zfill(width)))

    def center(self, width: int, fillchar: str = " ") -> Any:
        """Fill on both sides."""
        return self.pad(width, "both", fillchar)

    def ljust(self, width: int, fillchar: str = " ") -> Any:
        """Fill on the right."""
        return self.pad(width, "right", fillchar)

    def rjust(self, width: int, fillchar: str = " ") -> Any:
        """Fill on the left."""
        return self.pad(width, "left", fillchar)

    def strip(self, to_strip: str | None = None) -> Any:
        """Remove characters at both ends; by default those up to the blank, and no other white space of Unicode."""
        chars = _check_strip(to_strip)
        return self._return_or_inplace(pc.utf8_trim(self._array, characters=chars))

    def lstrip(self, to_strip: str | None = None) -> Any:
        """Remove characters at the start."""
        chars = _check_strip(to_strip)
        return self._return_or_inplace(pc.utf8_ltrim(self._array, characters=chars))

    def rstrip(self, to_strip: str | None = None) -> Any:
        """Remove characters at the end."""
        chars = _check_strip(to_strip)
        return self._return_or_inplace(pc.utf8_rtrim(self._array, characters=chars))

    def removesuffix(self, suffix: str) -> Any:
        """Remove an end."""
        return self._return_or_inplace(each(self._array, lambda text: text.removesuffix(suffix or "")))

    def removeprefix(self, prefix: str) -> Any:
        """Remove a start."""
        return self._return_or_inplace(each(self._array, lambda text: text.removeprefix(prefix or "")))

    def wrap(self, width: int, **kwargs: Any) -> Any:
        """Break lines at blanks; words longer than the width stay whole, which cuDF warns about."""
        _check_width(width)
        expand_tabs, long_words = kwargs.get("expand_tabs"), kwargs.get("break_long_words")
        if expand_tabs is True:
            raise NotImplementedError("`expand_tabs=True` is not supported")
        if expand_tabs is None:
            warnings.warn("wrap current implementation defaults to `expand_tabs`=False", stacklevel=2)
        if not kwargs.get("replace_whitespace", True):
            raise NotImplementedError("`replace_whitespace=False` is not supported")
        if not kwargs.get("drop_whitespace", True):
            raise NotImplementedError("`drop_whitespace=False` is not supported")
        if long_words is True:
            raise NotImplementedError("`break_long_words=True` is not supported")
        if long_words is None:
            warnings.warn("wrap current implementation defaults to `break_long_words`=False", stacklevel=2)
        if kwargs.get("break_on_hyphens") is None:
            warnings.warn("wrap current implementation defaults to `break_on_hyphens`=False", stacklevel=2)
        if width <= 0:
            raise RuntimeError("CUDF failure at: /cpp/src/strings/wrap.cu:88: Positive wrap width required")
        return self._return_or_inplace(each(self._array, lambda text: wrapped(text, width)))

    def code_points(self) -> Any:
        """Return all characters of all rows, one after the other, as libcudf numbers them: the bytes of their UTF-8 (int32)."""
        points = [
            int.from_bytes(char.encode(), "big")
            for text in self._array.to_pylist()
            if text is not None
            for char in text
        ]
        return self._return_or_inplace(pa.array(points, pa.int32()), retain_index=False)

    def repeat(self, repeats: Any) -> Any:
        """Repeat each string, as often as a number or a column says."""

        if isinstance(repeats, int):
            if repeats < 0:
                raise ValueError("Negative repeats is not allowed.")
            return self._return_or_inplace(each(self._array, lambda text: text * repeats))
        if not is_column_like(repeats):
            raise TypeError(f"repeats must be an integer or a column, not {type(repeats).__name__}")
        counts = array_of(repeats, pa.int64())
        return self._return_or_inplace(
            each_with(self._array, counts, lambda text, n: None if n is None else text * max(n, 0), pa.string())
        )

    def contains(self, pat: Any, case: bool = True, flags: int = 0, na: Any = no_default, regex: bool = True) -> Any:
        """Return whether a pattern (or, row by row, a column's string) is in each string; False for null."""
        if na is not no_default and not pd.isna(na) and not isinstance(na, bool):
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
        return self._return_or_inplace(_with_na(result, na))

    def like(self, pat: str, esc: str | None = None) -> Any:
        """Return whether SQL's LIKE holds; null for null."""
        for value in (pat, esc or ""):
            if not isinstance(value, str):
                raise TypeError(f"expected a string object, not {type(value).__name__}")
        if len(esc or "") > 1:
            raise ValueError("expected esc to contain less than or equal to 1 characters")
        matches = like(pat, esc or "").fullmatch
        return self._return_or_inplace(each(self._array, lambda text: matches(text) is not None, pa.bool_()))

    def match(self, pat: Any, case: bool = True, flags: int = 0, na: Any = no_default) -> Any:
        """Return whether each string starts with a pattern; False for null."""
        if case is not True:
            raise NotImplementedError("`case` parameter is not yet supported")
        if isinstance(pat, re.Pattern) and flags:
            raise ValueError("cannot process flags argument with a compiled pattern")
        pat, flags = _pattern(pat, flags)
        match = compiled(without_names(pat), flags).match
        result = each(self._array, lambda text: match(text) is not None, pa.bool_())
        return self._return_or_inplace(_with_na(result, na))

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
        array = self._array
        found = pa.array(np.zeros(len(array), bool))
        for one in (pat,) if isinstance(pat, str) else pat:
            found = pc.or_(found, filled(function(array, one), False))
        return self._return_or_inplace(found)

    def endswith(self, pat: Any) -> Any:
        """Return whether each string ends with a string, or one of a tuple; False for null."""
        return self._edge(pc.ends_with, pat)

    def startswith(self, pat: Any) -> Any:
        """Return whether each string starts with a string, or one of a tuple; False for null."""
        return self._edge(pc.starts_with, pat)

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

    def _split(self, parts: Callable[[str], list[str]], expand: bool) -> Any:
        if not expand:
            return self._return_or_inplace(each(self._array, parts, pa.list_(pa.string())))
        if self._array.null_count == len(self._array):
            return self._return_or_inplace({0: self._array}, expand=True)
        columns = table(self._array, parts)
        if len(columns) == 1 and columns[0].null_count == len(columns[0]):
            columns = {}
        return self._return_or_inplace(columns, expand=True)

    def _split_at(self, pat: Any, n: int | None, expand: bool, regex: bool | None, last: bool) -> Any:
        if expand not in (True, False):
            raise ValueError(f"expand parameter accepts only : [True, False], got {expand}")
        most = n or -1
        by = "" if pat is None else pat
        if regex and isinstance(by, re.Pattern):
            by = by.pattern
        if regex is None and not last:
            regex = len(str(by)) > 1
        if regex is True:
            pattern = compiled(by)
            return self._split(lambda text: split_re(text, pattern, most, last), expand)
        cut = rsplit if last else split
        return self._split(lambda text: cut(text, by, most), expand)

    def split(self, pat: Any = None, n: int = -1, expand: bool = False, regex: bool | None = None) -> Any:
        """Split at blanks, at a string or (more than one character, or ``regex=True``) at a pattern."""
        return self._split_at(pat, n, expand, False if pat is None else regex, last=False)

    def rsplit(self, pat: Any = None, n: int = -1, expand: bool = False, regex: bool | None = None) -> Any:
        """Split from the right; a pattern only with ``regex=True``."""
        return self._split_at(pat, n, expand, regex, last=True)

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
        if isinstance(others, StringMethods):
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

    def normalize_spaces(self) -> Any:
        """Put one blank where there are several, and none at the ends."""
        return self._return_or_inplace(each(self._array, lambda text: AT_BLANKS.sub(" ", text).strip(BLANKS)))

    def _tokens(self, delimiter: Any) -> pa.Array:
        pattern = tokenizer(_separator(delimiter, "delimiter", column=True))
        return each(self._array, lambda text: [part for part in pattern.split(text) if part], pa.list_(pa.string()))

    def tokenize(self, delimiter: Any = " ") -> Any:
        """Return all tokens of all rows, one after the other, with their row's label."""
        items, rows = explode(self._tokens(delimiter))
        result = self._return_or_inplace(items, retain_index=False)
        if self._index is not None:
            result.index = self._index.take(rows)
        return result

    def token_count(self, delimiter: Any = " ") -> Any:
        """Return the number of tokens (int32), 0 for null."""
        return self._return_or_inplace(filled(pc.list_value_length(self._tokens(delimiter)), 0).cast(pa.int32()))

    def detokenize(self, indices: Any, separator: str = " ") -> Any:
        """Join tokens that have the same row number, in the order of the numbers."""
        by: dict[Any, list[str]] = {}
        for token, row in zip(self._array.to_pylist(), array_of(indices).to_pylist(), strict=True):
            by.setdefault(row, []).append(token or "")
        separator = _separator(separator, "separator")
        return self._return_or_inplace(
            pa.array([separator.join(by[row]) for row in sorted(by)], pa.string()), retain_index=False
        )

    def character_tokenize(self) -> Any:
        """Return all characters of all rows, one after the other, with their row's label."""
        import cudf

        items, rows = explode(each(self._array, list, pa.list_(pa.string())))
        if self._index is None:
            return self._return_or_inplace(items)
        return cudf.Series._from_arrow(items, index=self._index.take(rows), name=self._parent.name)

    def ngrams(self, n: int = 2, separator: str = "_") -> Any:
        """Join each `n` rows that follow each other, null and empty ones left out."""
        separator = _separator(separator, "separator")
        _at_least_two(n)
        words = [text for text in self._array.to_pylist() if text]
        if words and len(words) < n:
            raise RuntimeError(
                "CUDF failure at: /cpp/src/text/generate_ngrams.cu:125: Insufficient number of strings to generate ngrams"
            )
        grams = [separator.join(words[at : at + n]) for at in range(len(words) - n + 1)]
        return self._return_or_inplace(pa.array(grams, pa.string()), retain_index=False)

    def ngrams_tokenize(self, n: int = 2, delimiter: str = " ", separator: str = "_") -> Any:
        """Join each `n` tokens that follow each other in a row; all rows one after the other."""
        separator, pattern = _separator(separator, "separator"), tokenizer(_separator(delimiter, "delimiter"))
        grams = []
        for text in self._array.to_pylist():
            tokens = [part for part in pattern.split(text or "") if part]
            grams += [separator.join(tokens[at : at + n]) for at in range(len(tokens) - n + 1)]
        return self._return_or_inplace(pa.array(grams, pa.string()), retain_index=False)

    def _character_ngrams(self, n: int, function: Any, type: pa.DataType) -> pa.Array:
        _at_least_two(n)
        result = each(
            self._array, lambda text: [function(text[at : at + n]) for at in range(len(text) - n + 1)], pa.list_(type)
        )
        if len(result) and not pc.sum(pc.list_value_length(result)).as_py():
            raise RuntimeError(
                "CUDF failure at: /cpp/src/text/generate_ngrams.cu:283: "
                "Insufficient number of characters in each string to generate ngrams"
            )
        return result

    def character_ngrams(self, n: int = 2, as_list: bool = False) -> Any:
        """Return each `n` characters that follow each other, as lists or one after the other."""
        import cudf

        result = self._return_or_inplace(self._character_ngrams(n, str, pa.string()))
        if isinstance(result, cudf.Series) and not as_list:
            return result[result.list.len() > 0].explode()
        return result

    def hash_character_ngrams(self, n: int = 5, as_list: bool = False, seed: int = 0) -> Any:
        """Return the hashes (MurmurHash3, uint32) of each `n` characters that follow each other."""
        import cudf

        seed = _seed(seed, np.uint32)
        grams = self._character_ngrams(n, lambda gram: murmur3(gram.encode(), seed), pa.uint32())
        result = self._return_or_inplace(grams)
        return result.explode() if isinstance(result, cudf.Series) and not as_list else result

    def replace_tokens(self, targets: Any, replacements: Any, delimiter: str | None = None) -> Any:
        """Replace whole tokens; what is between them stays."""
        if not is_column_like(targets):
            raise TypeError(f"targets should be an array-like or a Series object, found {type(targets)}")
        wanted = array_of(targets, pa.string()).to_pylist()
        if isinstance(replacements, str):
            by = dict.fromkeys(wanted, replacements)
        elif is_column_like(replacements):
            others = array_of(replacements, pa.string()).to_pylist()
            if len(others) != len(wanted):
                raise ValueError(
                    "targets and replacements should be same size sequences unless replacements is a string."
                )
            by = dict(zip(reversed(wanted), reversed(others), strict=True))
        else:
            raise TypeError(f"replacements should be an str, array-like or Series object, found {type(replacements)}")
        return self._each_token(delimiter, lambda token: by.get(token, token))

    def filter_tokens(self, min_token_length: int, replacement: str | None = None, delimiter: str | None = None) -> Any:
        """Replace tokens shorter than a length."""
        if replacement is not None and not isinstance(replacement, str):
            raise TypeError(f"Type of replacement should be a string, found {type(replacement)}")
        return self._each_token(delimiter, lambda token: token if len(token) >= min_token_length else replacement or "")

    def _each_token(self, delimiter: Any, function: Any) -> Any:
        if delimiter is not None and not isinstance(delimiter, str):
            raise TypeError(f"Type of delimiter should be a string, found {type(delimiter)}")
        between = tokenizer(delimiter or "").pattern
        parts = re.compile(f"((?:{between})+)")

        def change(text: str) -> str:
            return "".join(
                part if at % 2 else function(part) if part else "" for at, part in enumerate(parts.split(text))
            )

        return self._return_or_inplace(each(self._array, change))

    def porter_stemmer_measure(self) -> Any:
        """Return Porter's measure of each word (int32)."""
        return self._return_or_inplace(each(self._array, porter_measure, pa.int32()))

    def _letter(self, position: Any, vowel: bool) -> Any:
        places = [position] * len(self._array)
        if is_column_like(position):
            places = array_of(position).to_pylist()
            if len(places) != len(self._array):
                raise RuntimeError(
                    "CUDF failure at: /cpp/src/text/stemmer.cu:126: strings column and indices column must be the same size"
                )
        kinds = [
            None if text is None else -len(text) <= at < len(text) and is_consonant(text, at % len(text)) != vowel
            for text, at in zip(self._array.to_pylist(), places, strict=True)
        ]
        return self._return_or_inplace(pa.array(kinds, pa.bool_()))

    def is_consonant(self, position: Any) -> Any:
        """Return whether the letter at a position is a consonant; False beyond the end."""
        return self._letter(position, vowel=False)

    def is_vowel(self, position: Any) -> Any:
        """Return whether the letter at a position is a vowel; False beyond the end."""
        return self._letter(position, vowel=True)

    def jaccard_index(self, input: Any, width: int) -> Any:
        """Return how much the sets of n-grams of two strings overlap (float32)."""
        others = array_of(input, pa.string())
        if len(others) != len(self._array):
            raise ValueError("input columns must be the same size")
        if width < 2:
            raise ValueError("Parameter width should be an integer value of 2 or greater")

        def grams(text: str) -> set[str]:
            return {text[at : at + width] for at in range(max(len(text) - width + 1, 1))} if text else set()

        values = []
        for a, b in zip(self._array.to_pylist(), others.to_pylist(), strict=True):
            if a is None or b is None:
                values.append(None)
                continue
            one, two = grams(a), grams(b)
            values.append(len(one & two) / len(one | two) if one | two else 0.0)
        return self._return_or_inplace(pa.array(values, pa.float32()))

    def minhash(self, seed: int, a: Any, b: Any, width: int) -> Any:
        """Return the smallest permuted hashes of each string's n-grams (lists of uint32)."""
        first, second = array_of(a), array_of(b)
        if first.type not in (pa.uint32(), pa.uint64()):
            raise ValueError(f"Expecting a and b Series as uint32 or unint64, got {type(a)}")
        if first.type != second.type:
            raise ValueError(f"Expecting a and b Series dtype to match, got {type(a)}")
        if first.type == pa.uint64() or not pa.types.is_string(self._array.type):
            raise NotSimulatedError(
                "minhash of 64 bits or of lists", "minhash of strings with parameters of type uint32"
            )
        if width < 2:
            raise ValueError("Parameter width should be an integer value of 2 or greater")
        seed = _seed(seed, np.uint32)
        one, two = (np.asarray(column, dtype=np.uint32)[:, None] for column in (first, second))

        def hashes(text: str) -> list[int]:
            if not text:
                return [0] * len(first)
            grams = [text[at : at + width] for at in range(max(len(text) - width + 1, 1))]
            values = np.array([max(murmur3(gram.encode(), seed), 1) for gram in grams], dtype=np.uint32)[None]
            # 32-bit arithmetic that wraps, as in libcudf's kernel: the modulus is beyond 32 bits.
            return list(map(int, (values * one + two).min(axis=1)))

        return self._return_or_inplace(each(self._array, hashes, pa.list_(pa.uint32())))


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


for _name in (
    "minhash64",
    "minhash_ngrams",
    "minhash64_ngrams",
    "build_suffix_array",
    "resolve_duplicates",
    "resolve_duplicates_pair",
):
    setattr(StringMethods, _name, refused(f"Series.str.{_name}"))
