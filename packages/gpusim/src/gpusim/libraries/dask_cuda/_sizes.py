"""Amounts of device memory as Dask-CUDA's arguments give them."""

from __future__ import annotations

from contextlib import suppress

from dask.utils import parse_bytes

from ._devices import get_device_total_memory, has_device_memory_resource


def _fraction(value: float | str | None) -> float | None:
    """Return a share of the device's memory, None for anything else: 1.0 and "1.0" are shares, 1 and "1" are bytes."""
    if not isinstance(value, float) and value in (1, "1"):
        return None
    with suppress(ValueError, TypeError):
        share = float(value)
        if 0.0 < share <= 1.0:
            return share
    return None


def parse_device_bytes(
    device_bytes: float | str | None, device_index: int | str = 0, alignment_size: int = 1
) -> int | None:
    """Bytes of device memory from a number, a share, or a text such as ``"5GB"``; None for None and whatever is zero.

    Rounded down to a multiple of ``alignment_size``.
    """
    share = _fraction(device_bytes)
    if share is not None:
        if not has_device_memory_resource():
            raise ValueError(
                "Fractional of total device memory not supported in devices without a dedicated memory resource."
            )
        size = int(get_device_total_memory(device_index) * share)
    elif device_bytes is None or device_bytes == 0.0:
        return None
    else:
        size = int(device_bytes) if isinstance(device_bytes, float) else parse_bytes(device_bytes)
        if size == 0:
            return None
    return size // alignment_size * alignment_size


def parse_device_memory_limit(
    device_memory_limit: float | str | None, device_index: int | str = 0, alignment_size: int = 1
) -> int | None:
    """As `parse_device_bytes`; ``"default"`` is 80 % of the device's memory and ``"auto"`` all of it."""
    if device_memory_limit in ("auto", "default"):
        if not has_device_memory_resource():
            return None
        device_memory_limit = get_device_total_memory(device_index) if device_memory_limit == "auto" else 0.8
    return parse_device_bytes(device_memory_limit, device_index, alignment_size)
