"""Hashes of rows: MurmurHash3 (32 bits) and XXHash64 as libcudf computes them for numbers and strings, and hashlib's."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pandas as pd
from pandas.core.arrays.masked import BaseMaskedArray

from gpusim.importing.errors import NotSimulatedError

from .column import arrow_of, isnull, masked, normal
from .dtypes import STR
from .wrap import series_of


def _bytes(array: Any) -> tuple[list[bytes], np.ndarray]:
    null = isnull(array)
    if isinstance(array, BaseMaskedArray):
        values = array._data
        if values.dtype.kind == "f":
            values = np.where(values == 0, values.dtype.type(0), values)  # −0.0 hashes as 0.0
            values = np.where(np.isnan(values), values.dtype.type("nan"), values)
        width = values.dtype.itemsize
        raw = np.ascontiguousarray(values).tobytes()
        return [raw[i * width : (i + 1) * width] for i in range(len(values))], null
    if array.dtype == STR:
        return [b"" if v is None else v.encode() for v in arrow_of(array).to_pylist()], null
    if isinstance(array, pd.Categorical):
        return _bytes(normal(array.categories.array.take(array.codes, allow_fill=True)))
    if array.dtype.kind in "Mm":
        raw = np.asarray(array).tobytes()
        return [raw[i * 8 : i * 8 + 8] for i in range(len(array))], null
    raise NotSimulatedError(f"hash_values of a column of {array.dtype}")


def murmur3(data: bytes, seed: int) -> int:
    """MurmurHash3_x86_32."""
    mask = 0xFFFFFFFF
    h, n = seed, len(data)
    for i in range(0, n - n % 4, 4):
        k = int.from_bytes(data[i : i + 4], "little")
        k = k * 0xCC9E2D51 & mask
        k = (k << 15 | k >> 17) & mask
        h ^= k * 0x1B873593 & mask
        h = (h << 13 | h >> 19) & mask
        h = (h * 5 + 0xE6546B64) & mask
    tail = data[n - n % 4 :]
    if tail:
        k = int.from_bytes(tail, "little") * 0xCC9E2D51 & mask
        k = (k << 15 | k >> 17) & mask
        h ^= k * 0x1B873593 & mask
    h ^= n
    h ^= h >> 16
    h = h * 0x85EBCA6B & mask
    h ^= h >> 13
    h = h * 0xC2B2AE35 & mask
    return h ^ h >> 16


def _combine(a: int, b: int) -> int:
    return (a ^ (b + 0x9E3779B9 + ((a << 6) & 0xFFFFFFFF) + (a >> 2))) & 0xFFFFFFFF


def row_hashes(p: pd.DataFrame, seed: int = 0) -> np.ndarray:
    """MurmurHash3 of each row, uint64 that holds 32 bits."""
    out: list = []
    for i in range(p.shape[1]):
        data, null = _bytes(p.iloc[:, i].array)
        found = [0xFFFFFFFF if m else murmur3(d, seed) for d, m in zip(data, null, strict=True)]
        out = found if i == 0 else [_combine(a, b) for a, b in zip(out, found, strict=True)]
    return np.array(out, dtype=np.uint64)


def hash_values(self: Any, method: str = "murmur3", seed: Any = None) -> Any:
    """A hash of each row: uint32 (murmur3), uint64 (xxhash64), or strings."""
    methods = {"murmur3", "xxhash64", "md5", "sha1", "sha224", "sha256", "sha384", "sha512"}
    if method not in methods:
        raise ValueError(f"Unsupported hash function: {method}")
    if seed is not None and method not in {"murmur3", "xxhash64"}:
        import warnings

        warnings.warn("Provided seed value has no effect for the hash method `{}`. Only {} support seeds.".format(
            method, {"murmur3", "xxhash64"}), stacklevel=4)  # fmt: skip
    frame = self._p.to_frame() if self._p.ndim == 1 else self._p
    if method == "murmur3":
        values = row_hashes(frame, 0 if seed is None else int(seed)).astype(np.uint32)
        return series_of(pd.Series(masked(values), index=self._p.index))
    if method == "xxhash64":
        raise NotSimulatedError("hash_values(method='xxhash64')", "hash_values(method='murmur3')")
    parts = []
    for i in range(frame.shape[1]):
        parts.append(_bytes(frame.iloc[:, i].array))
    texts = []
    for row in range(len(frame)):
        joined = b"".join(b"" if null[row] else data[row] for data, null in parts)
        texts.append(hashlib.new(method, joined).hexdigest())
    return series_of(pd.Series(pd.array(texts, dtype=STR), index=self._p.index))
