"""How the course writes numbers: at most three significant digits, one space, and a unit.

The shapes are fixed, because the committed notebooks are compared with what a re-run prints: `186 ms`, `3.1×`, `52 %`,
`4.3 GB/s`. Whoever prints a measured number goes through here.
"""

from __future__ import annotations

import math

_TIMES = (("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0), ("min", 60.0), ("h", 3600.0))
# From here on the next unit reads better: "97 s", but "11.5 min" and not "690 s".
_UP = {"ns": 1e3, "µs": 1e3, "ms": 1e3, "s": 120.0, "min": 120.0, "h": math.inf}
_PREFIXES = ("", "k", "M", "G", "T")
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float, digits: int = 3) -> str:
    """Return `value` with `digits` significant digits, never in exponent form for what people read: 1510, 0.0021."""
    if not math.isfinite(value):
        return "unknown"
    rounded = float(f"{value:.{digits}g}")
    if rounded == 0:
        return "0"
    places = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
    written = f"{rounded:.{places}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def seconds(value: float, digits: int = 3) -> str:
    """Return a time given in seconds as `186 ms`."""
    if not math.isfinite(value):
        return "unknown"
    # Rounded first: 0.9996 ms is 1 ms, not 1000 µs.
    fitting = (each for each in _TIMES if float(f"{abs(value) / each[1]:.{digits}g}") < _UP[each[0]])
    unit, size = next(fitting, _TIMES[-1])
    return f"{number(value / size, digits)} {unit}"


def ratio(value: float) -> str:
    """Return a ratio as `539×`."""
    return f"{number(value)}×"


def share(value: float) -> str:
    """Return a fraction as a percentage with two digits, `52 %`."""
    return f"{number(100 * value, 2)} %"


def _prefixed(value: float, unit: str) -> str:
    if not math.isfinite(value):
        return f"unknown {unit}"
    step = 0
    while float(f"{value:.3g}") >= 1000 and step < len(_PREFIXES) - 1:
        value, step = value / 1000, step + 1
    return f"{number(value)} {_PREFIXES[step]}{unit}"


def size(nbytes: float) -> str:
    """Return a number of bytes as `800 MB` (powers of ten, as memory bandwidths are given)."""
    return _prefixed(nbytes, "B")


def byte_rate(value: float) -> str:
    """Return bytes per second as `4.3 GB/s`; kB/s is the smallest unit."""
    return f"{number(value / 1e3)} kB/s" if value < 1e3 else f"{_prefixed(value, 'B')}/s"


def flop_rate(value: float) -> str:
    """Return operations per second as `248 GFLOP/s`; GFLOP/s is the smallest unit."""
    return f"{number(value / 1e9)} GFLOP/s" if value < 1e9 else f"{_prefixed(value, 'FLOP')}/s"


def count(value: float) -> str:
    """Return a whole number with thin groups of three, `100 000 000`."""
    return f"{int(value):,}".replace(",", " ")


def count_or_number(value: float) -> str:
    """Return a whole number with groups, any other with three digits."""
    return count(value) if value == int(value) else number(value)


def plain(value: float) -> str:
    """Return a number for an axis: `1 000`, `0.01`, and from a million on `10⁶` and `2·10⁶`."""
    power = math.log10(value) if value > 0 else 0.5
    if power == round(power) and not -4 < power < 6:  # a power of ten
        return "10" + str(round(power)).translate(_RAISED)
    if power >= 6:
        whole = math.floor(power)
        return f"{number(value / 10**whole)}·10{str(whole).translate(_RAISED)}"
    return count_or_number(value)
