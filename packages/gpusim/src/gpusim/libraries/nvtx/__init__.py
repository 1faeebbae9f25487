"""NVIDIA's ``nvtx``: ranges and marks, noted for the lens's timeline.

The real package has no wheels for macOS, and without a profiler it records nothing.  Signatures are those of nvtx 0.2.17.
"""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable
from typing import Any

from gpusim.device import activity
from gpusim.importing.errors import NotSimulatedError

_ENABLED = not os.getenv("NVTX_DISABLE", "")
_ranges = itertools.count(1)


def enabled() -> bool:
    """Whether ranges are recorded: not where ``NVTX_DISABLE`` is set."""
    return _ENABLED


class _Attributes:
    """What `Domain.get_event_attributes` returns."""

    def __init__(self, message: Any = None, color: Any = None, category: Any = None, payload: Any = None):
        self.message, self.color, self.category, self.payload = message, color, category, payload


class Domain:
    """Ranges of one library or part of a program; all of one name are the same object.

    Parameters
    ----------
    name : str, optional
        ``"NVTX"``, the default domain, if left out.
    """

    def __init__(self, name: str | None = None):
        self.name = name or "NVTX"

    def get_registered_string(self, string: str) -> str:
        """The string: nothing is registered here."""
        return string

    def get_category_id(self, name: str) -> int:
        """A number for a category."""
        return _categories.setdefault((self.name, name), len(_categories) + 1)

    def get_event_attributes(
        self, message: Any = None, color: Any = None, category: Any = None, payload: Any = None
    ) -> _Attributes:
        """What a range or mark has, to be used again and again."""
        return _Attributes(message, color, category, payload)

    def set_event_attributes(self, attributes: _Attributes, **changes: Any) -> _Attributes:
        """Change some of what a range has."""
        for name, value in changes.items():
            setattr(attributes, name, value)
        return attributes

    def mark(self, attributes: _Attributes | None = None, **kwargs: Any) -> None:
        """Mark a moment."""
        self._note("mark", attributes, kwargs)

    def push_range(self, attributes: _Attributes | None = None, **kwargs: Any) -> None:
        """Begin a range; `pop_range` ends the newest one of this domain."""
        self._note("push", attributes, kwargs)

    def pop_range(self) -> None:
        """End the newest range."""
        if _ENABLED:
            activity.note("pop", domain=self.name)

    def start_range(self, attributes: _Attributes | None = None, **kwargs: Any) -> int:
        """Begin a range that may overlap others; `end_range` takes the number returned."""
        key = next(_ranges)
        self._note("start", attributes, kwargs, key)
        return key

    def end_range(self, range_id: int) -> None:
        """End a range of `start_range`."""
        if _ENABLED:
            activity.note("end", key=range_id, domain=self.name)

    def get_counter(self, *args: Any, **kwargs: Any) -> Any:
        """Counters are not simulated."""
        raise NotSimulatedError("an NVTX counter", "a mark with a payload")

    def _note(self, kind: str, attributes: _Attributes | None, given: dict[str, Any], key: int = 0) -> None:
        if not _ENABLED:
            return
        made = _Attributes(**given) if attributes is None else attributes
        message = "" if made.message is None else str(made.message)
        activity.note(kind, name=message, key=key, domain=self.name, colour=_colour(made.color))


_categories: dict[tuple[str, str], int] = {}


@functools.cache
def get_domain(name: str | None = None) -> Domain:
    """The domain of a name."""
    return Domain(name)


class annotate:
    """A range around a ``with`` block or, as a decorator, around each call of a function.

    Parameters
    ----------
    message : str, optional
        Its name; of a function, the function's if left out.
    color : str or int, optional
        A name, ``"#rrggbb"``, or a number.
    domain, category : str, optional
        What it belongs to.
    payload : int or float, optional
        A value kept with it.
    """

    def __init__(
        self,
        message: str | None = None,
        color: str | int | None = None,
        domain: str | None = None,
        category: str | int | None = None,
        payload: Any = None,
    ):
        self.init_args = message, color, domain, category, payload
        self.domain = get_domain(domain)
        self.attributes = self.domain.get_event_attributes(message, color, category, payload)

    def __reduce__(self) -> tuple:
        return self.__class__, self.init_args

    def __enter__(self) -> annotate:
        self.domain.push_range(self.attributes)
        return self

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> bool:
        self.domain.pop_range()
        return False

    def __call__(self, func: Callable) -> Callable:
        if self.attributes.message is None:
            self.attributes.message = func.__name__

        @functools.wraps(func)
        def inner(*args: Any, **kwargs: Any) -> Any:
            self.domain.push_range(self.attributes)
            try:
                return func(*args, **kwargs)
            finally:
                self.domain.pop_range()

        return inner


def mark(
    message: str | None = None,
    color: str | int | None = "blue",
    domain: str | None = None,
    category: str | int | None = None,
    payload: Any = None,
) -> None:
    """Mark a moment."""
    get_domain(domain).mark(message=message, color=color, category=category, payload=payload)


def push_range(
    message: str | None = None,
    color: str | int | None = "blue",
    domain: str | None = None,
    category: str | int | None = None,
    payload: Any = None,
) -> None:
    """Begin a range; `pop_range` ends the newest one."""
    get_domain(domain).push_range(message=message, color=color, category=category, payload=payload)


def pop_range(domain: str | None = None) -> None:
    """End the newest range."""
    get_domain(domain).pop_range()


def start_range(
    message: str | None = None,
    color: str | int | None = None,
    domain: str | None = None,
    category: str | int | None = None,
    payload: Any = None,
) -> tuple[int, Domain]:
    """Begin a range that may overlap others; `end_range` takes what is returned."""
    made = get_domain(domain)
    return made.start_range(message=message, color=color, category=category, payload=payload), made


def end_range(range_id: tuple[int, Domain] | None) -> None:
    """End a range of `start_range`."""
    if range_id is not None:
        number, domain = range_id
        domain.end_range(number)


class Profile:
    """Refused: ranges around every function call would slow the simulator, and are no work of the device."""

    def __init__(self, linenos: bool = True, annotate_cfuncs: bool = True):
        raise NotSimulatedError("nvtx.Profile", "nvtx.annotate around the functions that you want to see")


def _colour(color: Any) -> str:
    if isinstance(color, int):
        return f"#{color & 0xFFFFFF:06x}"
    return "" if color is None else str(color)
