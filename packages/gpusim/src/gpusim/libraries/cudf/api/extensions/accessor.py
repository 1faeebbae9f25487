"""Registration of accessors."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ...core.wrap import classes


class _Accessor:
    def __init__(self, name: str, accessor: Any) -> None:
        self._name, self._accessor = name, accessor

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self._accessor if instance is None else self._accessor(instance)


def _register(name: str, class_name: str) -> Callable:
    def decorator(accessor: Any) -> Any:
        cls = classes[class_name]
        if hasattr(cls, name):
            warnings.warn(f"Attribute {name} will be overridden in {cls.__name__}", stacklevel=2)
        setattr(cls, name, _Accessor(name, accessor))
        return accessor

    return decorator


def register_dataframe_accessor(name: str) -> Callable:
    """Decorate a class that becomes ``DataFrame.<name>``."""
    return _register(name, "DataFrame")


def register_index_accessor(name: str) -> Callable:
    """Decorate a class that becomes ``Index.<name>``."""
    return _register(name, "Index")


def register_series_accessor(name: str) -> Callable:
    """Decorate a class that becomes ``Series.<name>``."""
    return _register(name, "Series")
