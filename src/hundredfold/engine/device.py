"""The simulated devices: how many, how large, and which one a thread uses."""

from __future__ import annotations

import functools
import os
import threading

NAME = "Simulated GPU"
COMPUTE_CAPABILITY = (9, 0)
MULTIPROCESSORS = 132

MOST = 64
"""Simulated devices at most: each has a share of this machine's memory."""
LEAST_MEMORY = 16 * 1024**2
"""Bytes that a simulated device must have: with less, the first array of any notebook fails."""

_local = threading.local()


@functools.cache
def count() -> int:
    """Number of simulated devices: ``HUNDREDFOLD_GPUS`` (1), of which ``CUDA_VISIBLE_DEVICES`` may hide some."""
    number = _asked_for()
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    named = [item.strip() for item in visible.split(",") if item.strip()]
    if named and all(item.isdigit() for item in named):
        # CUDA ignores the list from the first device that does not exist.
        shown = 0
        for item in named:
            if int(item) >= number:
                break
            shown += 1
        return max(shown, 1)
    return number


@functools.cache
def memory() -> int:
    """Bytes of memory of one simulated device.

    ``HUNDREDFOLD_GPU_MEMORY`` (bytes, or with a suffix such as ``8GiB``) if set; else half of what this process may
    use of the machine's memory, shared among the devices.

    Raises
    ------
    ValueError
        If the setting is no size, or one with which nothing would run.
    """
    text = os.environ.get("HUNDREDFOLD_GPU_MEMORY")
    if text:
        size = _bytes(text)
        if size < LEAST_MEMORY:
            raise ValueError(f"HUNDREDFOLD_GPU_MEMORY must be at least 16MiB, not {text!r}: nothing would fit.")
        return size
    return _available() // 2 // _asked_for()  # all of them, hidden or not: they share this machine


def _asked_for() -> int:
    """How many devices ``HUNDREDFOLD_GPUS`` asks for; unset and empty mean one."""
    text = os.environ.get("HUNDREDFOLD_GPUS") or "1"
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= MOST:
        raise ValueError(f"HUNDREDFOLD_GPUS must be a whole number from 1 to {MOST}, not {text!r}.")
    return number


def current() -> int:
    """The device that this thread uses."""
    return getattr(_local, "id", 0)


def use(device_id: int) -> None:
    """Make this thread use a device.  The id is checked by the caller, who knows the error to raise."""
    _local.id = device_id


def _available() -> int:
    from hundredfold import machine

    try:
        return machine.cpu.memory().available
    except AttributeError:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")


def _bytes(text: str) -> int:
    units = {"": 1, "B": 1}
    for power, letter in enumerate("KMGT", start=1):
        units[letter + "B"] = 1000**power
        units[letter + "IB"] = units[letter] = 1024**power
    digits = text.strip().upper()
    unit = digits.lstrip("0123456789._")
    try:
        return int(float(digits[: len(digits) - len(unit)].replace("_", "")) * units[unit.strip()])
    except (KeyError, ValueError):
        raise ValueError(f"HUNDREDFOLD_GPU_MEMORY must be a size such as 8GiB or 8000000000, not {text!r}.") from None
