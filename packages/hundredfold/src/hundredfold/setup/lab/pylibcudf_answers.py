"""What the real pylibcudf says of types: its enumerations, which casts and operations it has, which aggregations of which type.

`make names` runs this file as a script in a Python that has the real one; it prints JSON, which becomes
``libraries/pylibcudf/answers.json`` of gpusim. None of it needs a GPU.
"""

from __future__ import annotations

import enum
import importlib
import itertools
import json
import pkgutil
from collections import defaultdict
from collections.abc import Iterable
from importlib import metadata
from typing import Any

TRAITS = (
    "is_numeric is_numeric_not_bool is_integral is_integral_not_bool is_unsigned is_floating_point is_boolean "
    "is_timestamp is_duration is_fixed_point is_fixed_width is_nested is_compound is_dictionary is_chrono "
    "is_relationally_comparable is_equality_comparable is_index_type"
).split()


def enumerations(top: Any) -> dict[str, dict[str, Any]]:
    """Each public enumeration once: ``{"pylibcudf.types.TypeId": {"name": "type_id", "flags": False, "members": {…}}}``."""
    places: dict[type, list[str]] = defaultdict(list)
    for info in pkgutil.walk_packages(top.__path__, "pylibcudf."):
        if info.name.startswith(("pylibcudf.libcudf", "pylibcudf.tests")) or "._" in info.name:
            continue
        for name, value in vars(importlib.import_module(info.name)).items():
            if isinstance(value, type) and issubclass(value, enum.Enum) and not name.startswith("_"):
                places[value].append(f"{info.name}.{name}")
    found = {}
    for kind, names in places.items():
        # Several modules import those of `types`.
        place = min(names, key=lambda name: (not name.startswith("pylibcudf.types."), len(name)))
        members = {name: int(each.value) for name, each in kind.__members__.items()}
        found[place] = {"name": kind.__name__, "flags": issubclass(kind, enum.Flag), "members": members}
    return dict(sorted(found.items()))


def rectangles(pairs: Iterable[tuple[str, str, str]]) -> list[list[str]]:
    """Triples (out, left, right), those with the same outs and the same rights together: ``["FLOAT64", "INT8 INT16", "INT8"]``."""
    outs: dict[tuple[str, str], list[str]] = defaultdict(list)
    for out, left, right in pairs:
        outs[left, right].append(out)
    rights: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (left, right), found in outs.items():
        rights[left, " ".join(found)].append(right)
    lefts: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (left, found), theirs in rights.items():
        lefts[found, " ".join(theirs)].append(left)
    return [[found, " ".join(mine), theirs] for (found, theirs), mine in lefts.items()]


def aggregations(plc: Any) -> dict[str, Any]:
    """The aggregations that cudf-polars makes, by the name of their kind."""
    made, policies = plc.aggregation, plc.types.NullPolicy
    names = "all any argmax argmin collect_list m2 max mean median merge_m2 min nunique product std sum variance"
    every = [getattr(made, name)() for name in names.split()]
    every += [made.count(policies.EXCLUDE), made.count(policies.INCLUDE), made.nth_element(0)]
    every += [made.quantile([0.5], plc.types.Interpolation.LINEAR), made.rank(made.RankMethod.MIN)]
    return {each.kind().name: each for each in every}


def main() -> dict[str, Any]:
    import pylibcudf as plc

    types = {name: each for name, each in plc.TypeId.__members__.items() if name not in ("EMPTY", "NUM_TYPE_IDS")}
    of = {name: plc.DataType(each) for name, each in types.items()}
    traits = {
        name: " ".join(t for t, each in of.items() if getattr(plc.traits, name)(each))
        for name in TRAITS
        if hasattr(plc.traits, name)
    }
    sizes = {name: plc.types.size_of(each) for name, each in of.items() if plc.traits.is_fixed_width(each)}
    casts = {
        name: " ".join(t for t, other in of.items() if plc.unary.is_supported_cast(each, other))
        for name, each in of.items()
        if plc.traits.is_fixed_width(each)
    }
    operations: dict[str, list[list[str]]] = {}
    for name, op in plc.binaryop.BinaryOperator.__members__.items():
        if name in ("INVALID_BINARY", "GENERIC_BINARY"):
            continue
        supported = [
            (out, left, right)
            for left, right, out in itertools.product(of, repeat=3)
            if plc.binaryop.is_supported_operation(of[out], of[left], of[right], op)
        ]
        operations[name] = rectangles(supported)
    whole = aggregations(plc)
    return {
        "version": metadata.version("pylibcudf-cu13"),
        "enumerations": enumerations(plc),
        "traits": traits,
        "sizes": sizes,
        "casts": casts,
        "operations": operations,
        "aggregations": {
            kind: " ".join(t for t, each in of.items() if plc.aggregation.is_valid_aggregation(each, made))
            for kind, made in whole.items()
        },
        "rolling": {
            kind: " ".join(t for t, each in of.items() if plc.rolling.is_valid_rolling_aggregation(each, made))
            for kind, made in whole.items()
        },
        "writes": {
            kind: " ".join(
                t for t, each in of.items() if getattr(getattr(plc.io, kind), f"is_supported_write_{kind}")(each)
            )
            for kind in ("csv", "json")
        },
        "compressions": " ".join(
            each.name for each in plc.io.types.CompressionType if plc.io.parquet.is_supported_write_parquet(each)
        ),
    }


if __name__ == "__main__":
    print(json.dumps(main(), indent=0))
