"""The real numba.cuda's names, where it is what a kernel was written with: on a machine with a GPU nothing is replaced.

The lens runs such a kernel here all the same; :mod:`.resolve` then takes the real stubs for what they stand for.
"""

from __future__ import annotations

import sys

from .frontend.intrinsics import TOP, Intrinsic

_tables: dict[int, dict[int, tuple[object, Intrinsic]]] = {}


def meaning(value: object) -> object:
    """The intrinsic that an object of the real ``numba.cuda`` stands for; anything else comes back as it is."""
    module = sys.modules.get("numba.cuda")
    if module is None or isinstance(getattr(module, "grid", None), Intrinsic):
        return value
    table = _tables.get(id(module))
    if table is None:
        table = _tables[id(module)] = _table(module)
    known = table.get(id(value))
    return value if known is None else known[1]


def _table(module: object) -> dict[int, tuple[object, Intrinsic]]:
    """By the identity of each real stub, which is kept alive beside what it means."""
    table: dict[int, tuple[object, Intrinsic]] = {}

    def enter(real: object, ours: Intrinsic) -> None:
        # A property, as threadIdx.x is one, has no identity of its own; it is reached through what it belongs to.
        if real is None or isinstance(real, (property, int, float)):
            return
        table.setdefault(id(real), (real, ours))
        for member, inner in vars(ours).items():
            if isinstance(inner, Intrinsic):
                enter(getattr(real, member, None), inner)

    for name, ours in TOP.items():
        enter(getattr(module, name, None), ours)
    return table
