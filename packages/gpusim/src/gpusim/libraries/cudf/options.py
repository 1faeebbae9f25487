"""cuDF's options: named, validated, with environment variables for some of the defaults."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ContextDecorator
from dataclasses import dataclass
from typing import Any


@dataclass
class Option:
    """An option, its default and its current value."""

    default: Any
    value: Any
    description: str
    validator: Callable


_OPTIONS: dict[str, Option] = {}
_thread = threading.local()  # .compatible: whether this thread follows pandas, whatever the option says


def _of(*allowed: Any) -> Callable:
    def check(value: Any) -> None:
        if value not in allowed:
            raise ValueError(f"{value} is not a valid option. Must be one of {set(allowed)}.")

    return check


def _integer(value: Any) -> None:
    try:
        int(value)
    except ValueError:
        raise ValueError(f"{value} is not a valid option. Must be an integer.") from None


def _integer_or_none(value: Any) -> None:
    try:
        value is None or int(value)
    except ValueError:
        raise ValueError(f"{value} is not a valid option. Must be an integer or None.") from None


def _spill(value: Any) -> None:
    if value not in {False, True}:
        raise ValueError(f"{value} is not a valid option. Must be one of {{False, True}}.")


def _env_bool(name: str, default: bool) -> bool:
    text = os.environ.get(name, "").lower().strip()
    if text in ("true", "on") or text.lstrip("-").isdigit() and int(text):
        return True
    return False if text in ("false", "off", "0") else default


def _env_int(name: str, default: Any) -> Any:
    try:
        return int(os.environ.get(name, default))
    except (ValueError, TypeError):
        return default


def _register(name: str, default: Any, description: str, validator: Callable) -> None:
    validator(default)
    _OPTIONS[name] = Option(default, default, description, validator)


_register("default_integer_bitwidth", None, "Width in bits of inferred integers; None is pandas'.", _of(None, 32, 64))
_register("default_float_bitwidth", None, "Width in bits of inferred floats; None is pandas'.", _of(None, 32, 64))
_register("spill", _env_bool("CUDF_SPILL", False), "Move buffers to host memory where device memory runs out.", _spill)
_register(
    "spill_on_demand", _env_bool("CUDF_SPILL_ON_DEMAND", True), "Spill when rmm cannot allocate.", _of(False, True)
)
_register(
    "spill_device_limit", _env_int("CUDF_SPILL_DEVICE_LIMIT", None), "Most bytes on the device.", _integer_or_none
)
_register("spill_stats", _env_int("CUDF_SPILL_STATS", 0), "How much to record of spilling.", _integer)
_register("mode.pandas_compatible", False, "Follow pandas where cuDF would differ.", _of(False, True))
_register("memory_profiling", _env_bool("CUDF_MEMORY_PROFILING", False), "Profile memory.", _of(False, True))
_register("io.parquet.low_memory", False, "Read Parquet files in chunks.", _of(False, True))
_register("io.json.low_memory", False, "Read JSON files in chunks.", _of(False, True))
_register(
    "kvikio_remote_io", _env_bool("CUDF_KVIKIO_REMOTE_IO", False), "Read remote files by KvikIO.", _of(False, True)
)


def get_option(name: str) -> Any:
    """The value of an option; KeyError for one that does not exist."""
    if name == "mode.pandas_compatible" and getattr(_thread, "compatible", False):
        return True
    try:
        return _OPTIONS[name].value
    except KeyError:
        raise KeyError(f'"{name}" does not exist.') from None


def set_option(name: str, val: Any) -> None:
    """Set an option; ValueError for a value it does not take."""
    try:
        option = _OPTIONS[name]
    except KeyError:
        raise KeyError(f'"{name}" does not exist.') from None
    option.validator(val)
    option.value = val


def describe_option(name: str | None = None) -> None:
    """Print what an option, or each, is about."""
    for one in _OPTIONS if name is None else [name]:
        option = _OPTIONS[one]
        print(f"{one}:\n\t{option.description}\n\t[Default: {option.default}] [Current: {option.value}]")


@contextlib.contextmanager
def compatible() -> Iterator[None]:
    """Run cuDF in the mode in which orders and errors are pandas', in this thread alone."""
    before = getattr(_thread, "compatible", False)
    _thread.compatible = True
    try:
        yield
    finally:
        _thread.compatible = before


class option_context(ContextDecorator):
    """Options set for the length of a ``with`` block: ``option_context(name, value, …)``."""

    def __init__(self, *args: Any) -> None:
        if len(args) % 2 != 0:
            raise ValueError("Need to invoke as option_context(pat, val, [(pat, val), ...]).")
        self.ops = tuple(zip(args[::2], args[1::2], strict=True))
        self.undo = tuple((name, get_option(name)) for name, _ in self.ops)

    def __enter__(self) -> None:
        for name, value in self.ops:
            set_option(name, value)

    def __exit__(self, *args: Any) -> None:
        for name, value in self.undo:
            set_option(name, value)
