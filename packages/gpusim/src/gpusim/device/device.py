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
    """Number of simulated devices that this process sees."""
    return len(visible())


@functools.cache
def visible() -> tuple[int, ...]:
    """The devices that this process sees, by their number on the machine: device 0 of a process is the first of these.

    ``GPUSIM_GPUS`` (1) of them, of which ``CUDA_VISIBLE_DEVICES`` may hide some or change the order.
    """
    everything = tuple(range(asked_for()))
    named = [item.strip() for item in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if item.strip()]
    if not named or not all(item.isdigit() or item.startswith("GPU-") for item in named):
        return everything
    # CUDA ignores the list from the first device that does not exist.
    shown: list[int] = []
    for item in named:
        number = int(item) if item.isdigit() else _by_uuid(item)
        if number not in everything:
            break
        shown.append(number)
    return tuple(shown) or everything[:1]


def uuid(number: int) -> str:
    """The UUID of a device of the machine: one that no real GPU has."""
    return f"GPU-00000000-0000-4000-8000-{number:012x}"


def _by_uuid(text: str) -> int:
    """The number of the device whose UUID begins like this, -1 if there is none."""
    fitting = [number for number in range(asked_for()) if uuid(number).startswith(text)]
    return fitting[0] if len(fitting) == 1 else -1


@functools.cache
def memory() -> int:
    """Bytes of memory of one simulated device.

    ``GPUSIM_GPU_MEMORY`` (bytes, or with a suffix such as ``8GiB``) if set; else half of what this process may
    use of the machine's memory, shared among the devices.

    Raises
    ------
    ValueError
        If the setting is no size, or one with which nothing would run.
    """
    text = os.environ.get("GPUSIM_GPU_MEMORY")
    if text:
        size = _bytes(text)
        if size < LEAST_MEMORY:
            raise ValueError(f"GPUSIM_GPU_MEMORY must be at least 16MiB, not {text!r}: nothing would fit.")
        return size
    return _available() // 2 // asked_for()  # all of them, hidden or not: they share this machine


def asked_for() -> int:
    """How many devices there are, hidden ones included: ``GPUSIM_GPUS``; unset and empty mean one."""
    text = os.environ.get("GPUSIM_GPUS") or "1"
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= MOST:
        raise ValueError(f"GPUSIM_GPUS must be a whole number from 1 to {MOST}, not {text!r}.")
    return number


def current() -> int:
    """The device that this thread uses."""
    return getattr(_local, "id", 0)


def use(device_id: int) -> None:
    """Make this thread use a device.  The id is checked by the caller, who knows the error to raise."""
    _local.id = device_id


def _available() -> int:
    from gpusim import hardware

    try:
        return hardware.cpu.memory().available
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
        raise ValueError(f"GPUSIM_GPU_MEMORY must be a size such as 8GiB or 8000000000, not {text!r}.") from None
