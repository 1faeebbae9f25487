"""What `vectorize` and `guvectorize` are built from."""

from __future__ import annotations

from typing import Any


class _BaseUFuncBuilder:
    """Makes a function on arrays, signature by signature."""


def parse_identity(identity: Any) -> Any:
    """The neutral element of a function, checked.

    Raises
    ------
    ValueError
        If it is none of 0, 1, "reorderable" and None.
    """
    if identity not in (None, 0, 1, "reorderable"):
        raise ValueError(f"Invalid identity value {identity!r}")
    return identity
