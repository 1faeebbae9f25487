"""The part of ``.str`` that cuDF has from nvtext: tokens, n-grams, stems, hashes of n-grams."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hundredfold.simulate.errors import NotSimulatedError

from ._each import AT_BLANKS, BLANKS, each, explode, filled
from .base_accessor import array_of, is_column_like

MERSENNE = (1 << 61) - 1


def murmur3(data: bytes, seed: int) -> int:
    """MurmurHash3_x86_32 of some bytes."""
    mask, h = 0xFFFFFFFF, seed & 0xFFFFFFFF
    whole = len(data) & ~3
    for at in range(0, whole, 4):
        k = int.from_bytes(data[at : at + 4], "little") * 0xCC9E2D51 & mask
        k = (k << 15 | k >> 17) & mask
        h ^= k * 0x1B873593 & mask
        h = (h << 13 | h >> 19) & mask
        h = (h * 5 + 0xE6546B64) & mask
    if tail := data[whole:]:
        k = int.from_bytes(tail, "little") * 0xCC9E2D51 & mask
        k = (k << 15 | k >> 17) & mask
        h ^= k * 0x1B873593 & mask
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & mask
    h = (h ^ h >> 13) * 0xC2B2AE35 & mask
    return h ^ h >> 16


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


class Text:
    """Tokens, n-grams, stems, hashes."""

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


def _refused(name: str) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise NotSimulatedError(f"Series.str.{name}")

    method.__name__ = name
    method.__doc__ = "Not simulated."
    return method


for _name in (
    "minhash64",
    "minhash_ngrams",
    "minhash64_ngrams",
    "build_suffix_array",
    "resolve_duplicates",
    "resolve_duplicates_pair",
):
    setattr(Text, _name, _refused(_name))
