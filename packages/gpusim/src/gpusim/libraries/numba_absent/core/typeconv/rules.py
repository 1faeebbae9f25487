"""Which of several declared kernels a launch means: the one whose types the arguments go into with least change."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types


def _cost(given: Any, wanted: Any) -> int | None:
    """How far a type is from another: 0 the same, 1 wider, 2 safe, 3 with loss; None where it does not go."""
    if given == wanted:
        return 0
    if isinstance(given, types.Array) and isinstance(wanted, types.Array):
        alike = (given.dtype, given.ndim) == (wanted.dtype, wanted.ndim) and wanted.layout in ("A", given.layout)
        return 0 if alike and (given.mutable or not wanted.mutable) else None
    numbers = (types.Number, types.Boolean)
    if not (isinstance(given, numbers) and isinstance(wanted, numbers)):
        return None
    if not np.can_cast(given.name, wanted.name):
        return 3
    return 1 if type(given) is type(wanted) else 2


class _Manager:
    def select_overload(self, sig: tuple, overloads: list, allow_unsafe: bool, exact_match_required: bool) -> int:
        """The number of the best of some signatures.

        Raises
        ------
        TypeError
            If there is none, or two are as good.
        """
        ranked = []
        for number, wanted in enumerate(overloads):
            costs = [_cost(one, other) for one, other in zip(sig, wanted, strict=False)]
            if len(sig) == len(wanted) and None not in costs and (allow_unsafe or 3 not in costs):
                ranked.append((tuple(costs.count(cost) for cost in (3, 2, 1)), number))
        ranked.sort()
        if not ranked:
            raise TypeError("No match")
        if len(ranked) > 1 and ranked[0][0] == ranked[1][0]:
            raise TypeError("Ambiguous overloading")
        return ranked[0][1]


default_type_manager = _Manager()
