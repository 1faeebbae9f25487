"""Which library's arrays are returned."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ._arrays import Returning, convert, index_of, infer_output_type
from .global_settings import GlobalSettings

OUTPUT_TYPES = ("input", "numpy", "cupy", "cudf", "pandas")
_settings = GlobalSettings()


def check_output_type(output_type: str) -> str:
    """A name in lower case; ValueError if it is none."""
    output_type = output_type.lower()
    if output_type != "cuml" and output_type not in OUTPUT_TYPES:
        known = ", ".join(map(repr, OUTPUT_TYPES))
        # The strange beginning is the real message's.
        raise ValueError(f"`output_type={output_type!r}` is not supported. Expected one of {known}, or None.")
    return output_type


def set_global_output_type(output_type: str | None) -> None:
    """Return arrays of one library from everything: "input", "cupy", "numpy", "cudf", "pandas"; None to undo it."""
    _settings.output_type = None if output_type is None else check_output_type(output_type)


class using_output_type:
    """Do so inside a ``with``, or while a decorated function runs."""

    def __init__(self, output_type: str | None) -> None:
        self.output_type = None if output_type is None else check_output_type(output_type)

    def __enter__(self) -> str | None:
        self._before = _settings.output_type
        _settings.output_type = self.output_type
        return self._before

    def __exit__(self, *error: object) -> None:
        _settings.output_type = self._before

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with using_output_type(self.output_type):
                return function(*args, **kwargs)

        return wrapper


def reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function that computes on host values return arrays of the type of its first argument, or of the global one."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        first = args[0] if args else next(iter(kwargs.values()), None)
        output_type = _settings.output_type
        if output_type in (None, "input"):
            output_type = infer_output_type(first) or "cupy"
        return convert(function(*args, **kwargs), output_type)

    wrapper.__signature__ = inspect.signature(function)
    return wrapper


def method(
    function: Callable[..., Any] | None = None, *, keep_index: bool = False, names: str | None = None
) -> Callable[..., Any]:
    """Let a method that computes on host values return arrays of the type that its estimator and its input ask for.

    ``names`` is where the columns of a frame get their names: "in" or "out".
    """
    if function is None:
        return functools.partial(method, keep_index=keep_index, names=names)
    # What `predict` returns as a frame of one column is a series; what `transform` returns stays a frame.
    flatten = function.__name__.startswith(("predict", "fit_predict"))

    @functools.wraps(function)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        with Returning() as launches:
            result = function(self, *args, **kwargs)
            first = args[0] if args else next(iter(kwargs.values()), None)
            output_type = self._get_output_type(first)
            result = launches.result = convert(result, output_type, index_of(first) if keep_index else None, flatten)
        if names and hasattr(result, "columns"):
            wanted = getattr(self, "feature_names_in_", None) if names == "in" else self._names_out()
            if wanted is not None and len(wanted) == len(result.columns):
                result.columns = list(wanted)
        return result

    return wrapper
