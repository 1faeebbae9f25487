"""What types operators and functions take and give: Numba's own answers, kept in ``promotion.json``.

The file is written by ``packages/gpusim/tests/kernels/interpreted/make_promotion.py``.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np

from .types import LETTERS, NAMES, NONE, SCALARS, Array, Scalar, Time, Tuple, Type, TypingError

WIDTH = len(LETTERS)
_LIKE = {
    **dict.fromkeys((f"cmath.{n}" for n in ("acosh", "atanh", "cosh", "sinh", "tanh", "log10")), "cmath.cos"),
    "math.remainder": "math.fmod",
}
"""Functions that Numba implements in Python, so that its tables of types do not have them."""


@functools.cache
def _tables() -> tuple[dict, dict, dict]:
    text = json.loads(Path(__file__).with_name("promotion.json").read_text())
    if text["types"] != LETTERS:
        raise RuntimeError("promotion.json and this code differ in the order of the types")
    rows = {}
    for kind in ("unary", "binary"):
        rows[kind] = {name: " ".join(r).split() for names, r in text[kind].items() for name in names.split()}
    unify = {(a, b): text["unify"][i][j] for i, a in enumerate(LETTERS) for j, b in enumerate(LETTERS)}
    return rows["unary"], rows["binary"], unify


def known(name: str, count: int) -> bool:
    """Whether there is a table for a function of that many operands, e.g. ``known("math.sin", 1)``."""
    return _LIKE.get(name, name) in _tables()[count - 1]


def signature(name: str, *letters: str) -> tuple[str, str] | None:
    """Types that operands are converted to and of the result, e.g. ``("dd", "d")``; a result of several is ``"(di)"``."""
    name = _LIKE.get(name, name)
    table = _tables()[len(letters) - 1].get(name)
    if table is None:
        return None
    index = LETTERS.index(letters[0])
    if len(letters) == 2:
        index = index * WIDTH + LETTERS.index(letters[1])
    cell = table[index]
    if cell == ".":
        return None
    return cell[: len(letters)], cell[len(letters) :]


def result(name: str, *letters: str) -> str:
    """The type of a result, where the operands are known to have one."""
    found = signature(name, *letters)
    if found is None:
        raise TypingError(
            f"{name.rpartition('.')[2]} does not take {' and '.join(NAMES[letter] for letter in letters)}"
        )
    return found[1]


def unify(a: Any, b: Any) -> Type:
    """The type of a variable that is assigned both.

    Raises
    ------
    TypingError
        If there is none.
    """
    if a is None or a == b:
        return b
    if b is None:
        return a
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        letter = _tables()[2][a.letter, b.letter]
        if letter != ".":
            return SCALARS[letter]
    if isinstance(a, Time) and isinstance(b, Time) and a.dtype.kind == b.dtype.kind:
        return Time(np.promote_types(a.dtype, b.dtype))
    if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.items) == len(b.items) and a.cls is b.cls:
        return Tuple(tuple(unify(x, y) for x, y in zip(a.items, b.items, strict=True)), a.cls, a.names)
    if isinstance(a, Array) and isinstance(b, Array) and a.ndim == b.ndim and a.item == b.item:
        return a
    if NONE in (a, b):
        raise TypingError(f"is None on one way and {b if a == NONE else a} on another")
    raise TypingError(f"is {a} on one way and {b} on another")
