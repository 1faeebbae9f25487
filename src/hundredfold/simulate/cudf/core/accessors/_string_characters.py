"""The part of ``.str`` that looks at characters: case, kinds of characters, slicing, padding, stripping."""

from __future__ import annotations

import re
import warnings
from datetime import datetime
from typing import Any
from urllib.parse import quote, unquote

import pyarrow as pa
import pyarrow.compute as pc

from ._each import BLANKS, each, filled
from .base_accessor import array_of

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
    import numbers

    if not isinstance(width, numbers.Integral):
        raise TypeError(f"width must be of integer type, not {type(width).__name__}")


def _check_strip(to_strip: Any) -> str:
    if not (isinstance(to_strip, str) or to_strip is None):
        raise TypeError(f"to_strip should be a string or None, but got {type(to_strip).__name__}")
    return to_strip or BLANKS


def _maker(function: Any, type: pa.DataType | None = None, doc: str = "", null: Any = None) -> Any:
    """A method without arguments."""

    def method(self: Any) -> Any:
        result = each(self._array, function, type)
        return self._return_or_inplace(result if null is None else filled(result, null))

    method.__doc__ = doc
    return method


def _kind(name: str) -> Any:
    return _maker(
        getattr(str, name), pa.bool_(), f"Whether ``{name}()``, character by character; False for null.", False
    )


class Characters:
    """Case, kinds of characters, slicing, padding, stripping."""

    lower = _maker(lower, doc="Lower case.")
    upper = _maker(str.upper, doc="Upper case.")
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
        return self._return_or_inplace(each(self._array, lambda text: text.strip(chars)))

    def lstrip(self, to_strip: str | None = None) -> Any:
        """Remove characters at the start."""
        chars = _check_strip(to_strip)
        return self._return_or_inplace(each(self._array, lambda text: text.lstrip(chars)))

    def rstrip(self, to_strip: str | None = None) -> Any:
        """Remove characters at the end."""
        chars = _check_strip(to_strip)
        return self._return_or_inplace(each(self._array, lambda text: text.rstrip(chars)))

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
        from ._each import each_with
        from .base_accessor import is_column_like

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
