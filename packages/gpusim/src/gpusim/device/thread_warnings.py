"""Ignoring warnings in one thread alone.

``warnings.catch_warnings`` changes the filters of the process: of two threads inside of it, the one that ends first puts the
filters of the other away, and the one that ends last leaves its own behind for good.  Dask runs partitions in threads.
"""

from __future__ import annotations

import re
import threading
import warnings
from typing import Any

_lock = threading.Lock()


class ignored:
    """Inside a ``with`` block this thread is not warned; one object can be entered by many threads, and again inside itself.

    The filter stays among the process' filters.  It matches only in threads that are inside.  Whoever copies filters takes them for
    regular expressions (scikit-learn reads `pattern`, joblib pickles): the copy is one that matches if this thread is inside now.

    Parameters
    ----------
    category : type of Warning
    message, module : str
        Regular expressions that the beginning of the message, and the name of the module that is warned, must match.
    """

    def __init__(self, category: type[Warning] = Warning, message: str = "", module: str = "") -> None:
        self._message = re.compile(message, re.IGNORECASE)
        self._thread = threading.local()
        self._filter = ("ignore", self, category, re.compile(module) if module else None, 0)

    def match(self, text: str) -> bool:
        """What `warnings` calls in place of a regular expression's method of this name."""
        return bool(getattr(self._thread, "depth", 0) and self._message.match(text))

    @property
    def pattern(self) -> str:
        """The expression for a copy of this filter: it matches nothing where this thread is not inside."""
        return self._message.pattern if getattr(self._thread, "depth", 0) else "(?!)"

    @property
    def flags(self) -> int:
        """The flags of `pattern`."""
        return self._message.flags

    def __reduce__(self) -> tuple[object, ...]:
        return re.compile, (self.pattern, self.flags)

    def __enter__(self) -> None:
        self._thread.depth = getattr(self._thread, "depth", 0) + 1
        for one in warnings.filters:
            if one is self._filter:
                return
            if not isinstance(one[1], ignored):
                break
        with _lock:  # behind a filter that somebody has set since, or lost with what a `catch_warnings` has put away
            filters: Any = warnings.filters  # a list, of which typeshed knows only that it is a sequence
            filters.insert(0, self._filter)
            for place in range(len(filters) - 1, 0, -1):
                if filters[place] is self._filter:
                    del filters[place]

    def __exit__(self, *exception: object) -> None:
        self._thread.depth -= 1
