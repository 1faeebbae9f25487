"""What the real pylibcudf says of types and operations, from ``answers.json`` (`make names` asks it): enumerations and tables."""

from __future__ import annotations

import enum
import functools
import json
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("answers.json")
ANSWERS: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))


def _enumeration(place: str, told: dict[str, Any]) -> type[enum.IntEnum] | type[enum.IntFlag]:
    base = enum.IntFlag if told["flags"] else enum.IntEnum
    return base(told["name"], told["members"], module=place.rpartition(".")[0])


_enumerations = {place.rpartition(".")[2]: _enumeration(place, told) for place, told in ANSWERS["enumerations"].items()}
globals().update(_enumerations)
TypeId: Any = _enumerations["TypeId"]
Kind: Any = _enumerations["Kind"]

INVALID = "CUDF failure at: cudf/utilities/type_dispatcher.hpp: Invalid type_id."
NO_TYPE = frozenset({"EMPTY", "NUM_TYPE_IDS"})


def of(dtype: Any) -> str:
    """The name of a data type's id; libcudf dispatches on it, and has nothing to dispatch to for the empty one."""
    name = dtype.id().name
    if name in NO_TYPE:
        raise RuntimeError(INVALID)
    return name


@functools.cache
def names(table: str, key: str) -> frozenset[str]:
    """The types that a table lists under a key."""
    return frozenset(ANSWERS[table].get(key, "").split())


@functools.cache
def operations(name: str) -> frozenset[tuple[str, str, str]]:
    """The types (out, left, right) that a binary operation has."""
    return frozenset(
        (out, left, right)
        for outs, lefts, rights in ANSWERS["operations"].get(name, ())
        for out in outs.split()
        for left in lefts.split()
        for right in rights.split()
    )
