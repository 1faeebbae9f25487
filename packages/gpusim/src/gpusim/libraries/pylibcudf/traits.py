"""What kind of type a data type is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _answers


def _trait(name: str) -> Callable[[Any], bool]:
    def trait(typ: Any) -> bool:
        return _answers.of(typ) in _answers.names("traits", name)

    trait.__name__ = trait.__qualname__ = name
    trait.__doc__ = f"Whether a data type {name.replace('_', ' ')}."
    return trait


is_boolean = _trait("is_boolean")
is_chrono = _trait("is_chrono")
is_compound = _trait("is_compound")
is_dictionary = _trait("is_dictionary")
is_duration = _trait("is_duration")
is_equality_comparable = _trait("is_equality_comparable")
is_fixed_point = _trait("is_fixed_point")
is_fixed_width = _trait("is_fixed_width")
is_floating_point = _trait("is_floating_point")
is_index_type = _trait("is_index_type")
is_integral = _trait("is_integral")
is_integral_not_bool = _trait("is_integral_not_bool")
is_nested = _trait("is_nested")
is_numeric = _trait("is_numeric")
is_numeric_not_bool = _trait("is_numeric_not_bool")
is_relationally_comparable = _trait("is_relationally_comparable")
is_timestamp = _trait("is_timestamp")
is_unsigned = _trait("is_unsigned")
