"""Arrays that have a shape and a type and no data: the account of a program without its memory and its work.

:func:`begin` turns a process into one that only counts, for good.  Device memory becomes addresses that nothing lies at
(:func:`reserve`), counted and given back as always; the queue counts launches and drops them; and whoever would read or
write data here and now is refused by :func:`refuse`, by the queue's own doors: :func:`gpusim.device.queue.run`, which
all call who are about to look at device memory, and a transfer to the host.
"""

from __future__ import annotations

import math
import mmap
import sys

import numpy as np

on = False
"""Whether this process only counts."""

share: float | None = None
"""Of the elements of a mask, how many are taken to be true; None where that was not said."""

assumed: list[str] = []
"""What was taken for granted so far, each thing once."""

MOST = 1 << 46
"""Bytes of addresses that a process can reserve on any 64-bit machine."""


# The system does not count them as memory that it has promised, however many: it never has to be there.  Python names the flag
# from 3.13 on; Linux's value is that of x86 and ARM [include/uapi/asm-generic/mman-common.h].
_UNPROMISED = getattr(mmap, "MAP_NORESERVE", 0x4000 if sys.platform == "linux" else 0)


class ValuesNeededError(RuntimeError):
    """The program asks for the values of arrays that have only shapes; the message says what to do."""


def begin(fraction: float | None = None) -> None:
    """From here on, this process only counts.

    Parameters
    ----------
    fraction : float, optional
        Between 0 and 1: the share of a mask's elements to be taken as true where a shape depends on that.

    Raises
    ------
    RuntimeError
        If device memory is in use already: it has data.
    """
    from . import memory, queue

    global on, share
    if on or any(pool.total_bytes() for pool in list(memory.Pool._all)):
        raise RuntimeError("Shapes without data need a process that has not used the device yet.")
    if fraction is not None and not 0 <= fraction <= 1:
        raise ValueError(f"The fraction must be between 0 and 1, not {fraction}.")
    on, share = True, fraction
    queue.drop()


def reserve(nbytes: int) -> np.ndarray:
    """Addresses for some bytes: no memory lies there until someone writes, which nobody does.

    Raises
    ------
    MemoryError
        If there are not so many addresses.
    """
    if nbytes > MOST:
        raise MemoryError
    try:
        return np.frombuffer(mmap.mmap(-1, nbytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _UNPROMISED), np.uint8)
    except (OSError, OverflowError) as error:
        raise MemoryError from error
    except AttributeError:  # no such flags here: NumPy's own new memory is not touched either
        return np.empty(nbytes, np.uint8)


def refuse(what: str = "The program asks for values that a device array holds") -> ValuesNeededError:
    """The error for whoever wants values."""
    return ValuesNeededError(
        f"{what}, and arrays have only shapes here: leave the line out of what is accounted for, or let it run with data."
    )


def selected(elements: int, what: str) -> int:
    """How many of some elements a mask selects, as :func:`begin` was told.

    Raises
    ------
    ValuesNeededError
        If it was not.
    """
    if share is None:
        raise ValuesNeededError(
            f"How many elements {what} selects depends on values, and arrays have only shapes here: say which fraction of "
            "them, as with --fraction 0.1 (in Python: fraction=0.1), or write it with cupy.where, whose result has a known shape."
        )
    said = f"{what} selects {share:.3g} of the elements"
    if said not in assumed:
        assumed.append(said)
    return math.ceil(share * elements)
