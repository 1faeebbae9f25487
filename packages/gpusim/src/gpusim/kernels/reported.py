"""What was found wrong with kernels in this process, whether it stops them, and how it is shown.

By default a program goes on as it would on a GPU.  What was found is noted here and shown: a card in a notebook, a warning
elsewhere.  ``GPUSIM_TRACE=first`` (or ``all``) stops a program at whatever is found.  ``GPUSIM_OUT_OF_BOUNDS=refuse``
or ``continue`` decides by itself about elements that an array does not have.  `refusing` stops kernels whatever the settings
are: the judges of problems use it.
"""

from __future__ import annotations

import contextlib
import html
import os
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from gpusim import own

from .faults import TRACE_SETTING, OutOfBoundsError

SETTING = "GPUSIM_OUT_OF_BOUNDS"
TRACES = ("warn", "first", "report", "all", "off")
"""Values of ``GPUSIM_TRACE``; the first is the default."""
_RAISING = ("first", "all")
_HOW_TO_STOP = f"The program went on, as on a GPU. {TRACE_SETTING}=first stops it here instead."


class Report(NamedTuple):
    """One thing found.

    Attributes
    ----------
    kernel, filename : str
    kind, severity, sentence : str
        As a `Finding` has them.
    line : int or None
        1-based, in the kernel's own source.
    times : int
        How often it was seen.
    file_line : int or None
        1-based, in `filename`; None where the line is a device function's.
    """

    kernel: str
    filename: str
    kind: str
    severity: str
    line: int | None
    sentence: str
    times: int = 1
    file_line: int | None = None


reports: deque[Report] = deque(maxlen=1000)
"""All that was found, oldest first."""

watchers: list[Callable[[Any, Any, list], None]] = []
"""Called with each checked launch, its log and what was found (see `kernellens.watching`)."""

stopped: list[Callable[[Any, Any, list], None]] = []
"""Called likewise with each launch that could not go on while it was checked: its log is what was seen until then."""

_seen: set[tuple] = set()
_refusing = 0
_lock = threading.Lock()


class KernelWarning(RuntimeWarning):
    """A kernel did something wrong that a GPU says nothing of."""


@contextlib.contextmanager
def refusing() -> Iterator[None]:
    """Within it, a kernel with a finding is stopped in this process, whatever the settings are."""
    global _refusing
    with _lock:
        _refusing += 1
    try:
        yield
    finally:
        with _lock:
            _refusing -= 1


def tracing() -> str:
    """What launches are checked for: one of `TRACES`.

    Raises
    ------
    ValueError
        If the setting is none of them.
    """
    way = _setting(TRACE_SETTING) or TRACES[0]
    if way not in TRACES:
        raise ValueError(f"{TRACE_SETTING} must be {', '.join(TRACES[:-1])} or {TRACES[-1]}, not {way!r}.")
    return "first" if _refusing and way in ("warn", "report") else way


def raises(way: str) -> bool:
    """Whether a launch that is checked in a way raises what is found."""
    return way in _RAISING


def goes_on() -> bool:
    """Whether a kernel goes on past the end of an array.

    Raises
    ------
    ValueError
        If the setting is neither `refuse` nor `continue`.
    """
    way = _setting(SETTING)
    if way not in ("", "refuse", "continue"):
        raise ValueError(f"{SETTING} must be refuse or continue, not {way!r}.")
    if _refusing:
        return False
    return way == "continue" if way else not raises(tracing())


def _setting(name: str) -> str:
    """A variable of the environment, empty if it is not set.

    Each launch asks. `os.environ.get` raises and catches an exception for what is not set, which took a tenth of a small launch.
    """
    inside = getattr(os.environ, "_data", None)
    if inside is not None and os.environ.encodekey(name) not in inside:
        return ""
    return os.environ.get(name) or ""


def tell(kernel: str, text: str) -> None:
    """Show what was found: a card in a notebook, a warning at the program's own line elsewhere."""
    text = f"{text}\n{_HOW_TO_STOP}"
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if getattr(shell, "kernel", None) is None:
        warnings.warn(text, KernelWarning, stacklevel=_depth())
        return
    from IPython.display import display

    lines = "".join(f"<div>{html.escape(line)}</div>" for line in text.splitlines())
    card = (
        '<div style="border-left: 4px solid #b45309; padding: 0.4em 0.8em; margin: 0.4em 0">'
        f"<strong>⚠ {html.escape(kernel)}</strong>{lines}</div>"
    )
    display({"text/plain": f"⚠ {kernel}\n{text}", "text/html": card}, raw=True, metadata={"gpusim": "finding"})


def _depth() -> int:
    """How many frames up the program is that launched the kernel."""
    frame, depth = sys._getframe(1), 1
    while frame is not None and frame.f_code.co_filename.startswith(own.folders()):
        frame, depth = frame.f_back, depth + 1
    return depth if frame is not None else 2


def findings(function: Any, found: list) -> None:
    """Note what the check of a launch of a resolved kernel found."""
    for each in found:
        own = each.line is not None and each.function in ("", function.name)
        place = function.firstlineno + each.line - 1 if own else None
        told = (each.kind, each.severity, each.line, each.sentence, each.elements, place)
        reports.append(Report(function.name, function.filename or "", *told))


def past_the_end(kernel: str, fault: OutOfBoundsError, times: int) -> None:
    """Note the accesses of a launch past the ends of its arrays, of which `fault` is the first, and show a new one."""
    if beyond(fault, times):
        came = "The write was dropped" if fault.writing else "The read returned 0"
        many = f" The launch made {times:,} accesses past the ends of its arrays." if times > 1 else ""
        tell(kernel, f"{fault}\n{came}, unless the place lies in the same array.{many}")


def beyond(fault: OutOfBoundsError, times: int) -> bool:
    """Note accesses past the end of an array; returns whether the line is new."""
    key = (fault.filename, fault.kernel, fault.line, fault.array)
    new = key not in _seen
    _seen.add(key)
    if new:
        reports.append(
            Report(
                fault.kernel or "",
                fault.filename or "",
                "out-of-bounds",
                "error",
                fault.line,
                str(fault),
                times,
                fault.file_line,
            )
        )
    return new
