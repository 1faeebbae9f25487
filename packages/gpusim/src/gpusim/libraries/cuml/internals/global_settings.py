"""Settings of the whole process."""

from __future__ import annotations

import threading
from typing import Any

_state = threading.local()


class GlobalSettings:
    """The settings of this thread.

    Attributes
    ----------
    output_type : str or None
        "input", "numpy", "cupy", "cudf", "pandas"; None if nothing was asked for.
    """

    @property
    def output_type(self) -> Any:
        """The type of what is returned."""
        return getattr(_state, "output_type", None)

    @output_type.setter
    def output_type(self, value: Any) -> None:
        _state.output_type = value
