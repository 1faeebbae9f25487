"""How libcudf writes floats as text: ten significant digits at most, whatever it takes to tell two floats apart."""

from __future__ import annotations

import math

import numpy as np

DIGITS = 10
UPPER = (10.0, 100.0, 1e4, 1e8, 1e16, 1e32, 1e64, 1e128, 1e256)
LOWER = (0.1, 0.01, 1e-4, 1e-8, 1e-16, 1e-32, 1e-64, 1e-128, 1e-256)
BELOW = (1.0, 0.1, 1e-3, 1e-7, 1e-15, 1e-31, 1e-63, 1e-127, 1e-255)


def _normal(value: float) -> tuple[float, int]:
    """Bring a value between 1 and 10 if it is above 1e9 or below 1e-4; return it and its exponent."""
    exponent, step = 0, 256
    if value > 1e9:
        for at in range(8, -1, -1):
            if value >= UPPER[at]:
                value *= LOWER[at]
                exponent += step
            step >>= 1
    elif 0.0 < value < 1e-4:
        for at in range(8, -1, -1):
            if value < BELOW[at]:
                value *= UPPER[at]
                exponent -= step
            step >>= 1
    return value, exponent


def text_of(value: float) -> str:
    """Return a float as libcudf writes it: ``"3.141592654"``, ``"1.0e+20"``, ``"NaN"``, ``"-Inf"``."""
    if math.isnan(value):
        return "NaN"
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    value = abs(value)
    if math.isinf(value):
        return sign + "Inf"
    value, exponent = _normal(value)
    integer = int(value)
    places = DIGITS - len(str(integer))
    top = 10**places
    remainder = (value - integer) * top
    decimal = int(remainder)
    decimal += int(2.0 * (remainder - decimal))
    if decimal >= top:
        decimal = 0
        integer += 1
        if exponent and integer >= 10:
            exponent, integer = exponent + 1, 1
    digits = f"{decimal:0{places}d}".rstrip("0") if places > 0 else ""
    tail = f"e{'-' if exponent < 0 else '+'}{abs(exponent):02d}" if exponent else ""
    return f"{sign}{integer}.{digits or '0'}{tail}"


def texts_of(values: np.ndarray) -> list[str]:
    """Return floats as libcudf writes them."""
    return list(map(text_of, values.astype(np.float64).tolist()))
