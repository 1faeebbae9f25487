"""What rewritten code calls, by the names it uses."""

from __future__ import annotations

from . import access, arrays, atomics, exchange, extremes, fields, places, wholes
from .calls import HELPER

NAMES = {
    access: ("get", "set", "step"),
    arrays: ("shared_array", "local_array"),
    atomics: tuple(name for name in vars(atomics) if name.startswith("atomic_")),
    exchange: ("post", "take_value", "take_mask", "take_bool", "take_pair"),
    fields: ("get_field", "set_field", "get_own", "set_own", "copied"),
    extremes: ("minimum", "maximum"),
    wholes: ("read_all", "wrote_all", "turned"),
    places: (
        *("dim3", "laneid", "warpsize", "lanemask_lt", "fence", "way", "drop"),
        *("popc", "brev", "clz", "ffs", "fma", "cbrt", "selp", "math_fmod", "math_modf", "math_remainder"),
        *("math_floor", "math_ceil", "math_trunc"),
    ),
}
ENVIRONMENT = {HELPER + name: getattr(module, name) for module, names in NAMES.items() for name in names}
