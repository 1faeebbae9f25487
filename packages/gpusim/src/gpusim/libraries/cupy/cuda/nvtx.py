"""NVTX ranges by CuPy's old names: noted for the lens's timeline."""

from __future__ import annotations

import itertools

from gpusim.device import activity

available = True
_ranges = itertools.count(1)
_COLOURS = ("#88ff00", "#ffff00", "#ff8800", "#ff0000", "#ff0088", "#ff00ff", "#8800ff")


def Mark(message: str, id_color: int = -1) -> None:
    """Mark a moment."""
    activity.note("mark", name=message, colour=_of(id_color))


def MarkC(message: str, color: int = 0) -> None:
    """Mark a moment, in a colour given as ARGB."""
    activity.note("mark", name=message, colour=_argb(color))


def RangePush(message: str, id_color: int = -1) -> None:
    """Begin a range; `RangePop` ends the newest one."""
    activity.note("push", name=message, colour=_of(id_color))


def RangePushC(message: str, color: int = 0) -> None:
    """Begin a range, in a colour given as ARGB."""
    activity.note("push", name=message, colour=_argb(color))


def RangePop() -> None:
    """End the newest range."""
    activity.note("pop")


def RangeStart(message: str, id_color: int = -1) -> int:
    """Begin a range that may overlap others; `RangeEnd` takes the number returned."""
    key = next(_ranges)
    activity.note("start", name=message, key=key, colour=_of(id_color))
    return key


def RangeEnd(rangeid: int) -> None:
    """End a range of `RangeStart`."""
    activity.note("end", key=rangeid)


def _of(id_color: int) -> str:
    return "" if id_color < 0 else _COLOURS[id_color % len(_COLOURS)]


def _argb(color: int) -> str:
    return f"#{color & 0xFFFFFF:06x}" if color else ""
