"""What ``ptxas -v`` says, also through nvJitLink, as numbers.

Recorded samples of several versions and compute capabilities are in ``packages/kernellens/tests/ptxas/``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Usage:
    """What one kernel uses.

    Attributes
    ----------
    registers : int
        32-bit registers of a thread.
    shared : int or None
        Bytes of static shared memory of a block; None where the log does not tell, as for code that is linked without
        link-time optimisation (see `declared_shared`).
    stack, spill_stores, spill_loads : int
        Bytes of local memory of a thread: its frame, and what is moved there and back because registers ran out, in what it
        calls too.
    barriers : int
    """

    registers: int
    shared: int | None = 0
    stack: int = 0
    spill_stores: int = 0
    spill_loads: int = 0
    barriers: int = 0


_PROPERTIES = re.compile(r"Function properties for '?([\w$.]+)'?:?\s*$")
_STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"\b[Uu]sed (\d+) registers(.*)$")
_BARRIERS = re.compile(r"used (\d+) barriers")
_SHARED = re.compile(r"(\d+)(?:\+\d+)? bytes smem")
_CUMULATIVE = re.compile(r"(\d+) bytes cumulative stack size")
_LINKED_STACK = re.compile(r"(\d+) stack,")
_DECLARED = re.compile(r"^\s*(?:\.\w+ )?\.shared \.align \d+ \.(\w)(\d+) [\w$.]+\[(\d+)\];", re.M)


def usage(log: str, kernel: str) -> Usage | None:
    """Read what a log says of a kernel; None if it says nothing.

    Parameters
    ----------
    log : str
        What ptxas, or nvJitLink with ``-Xptxas -v``, prints.
    kernel : str
        The entry's name in the PTX.

    Notes
    -----
    Where code was linked (``cudadevrt`` for a grid sync), a second, later account counts what the kernel calls too; it has no
    spills.
    """
    stack = stores = loads = barriers = 0
    registers: int | None = None
    shared: int | None = 0
    name = ""
    for line in log.splitlines():
        if match := _PROPERTIES.search(line):
            name = match[1]
        if match := _STACK.search(line):
            frame, stored, loaded = map(int, match.groups())
            stack, stores, loads = max(stack, frame), stores + stored, loads + loaded
        elif name == kernel and (match := _USED.search(line)):
            registers = int(match[1])
            taken = _SHARED.search(match[2])
            if linked := _LINKED_STACK.search(match[2]):
                stack = max(stack, int(linked[1]))
                # Here the driver's own shared memory is counted too, from compute capability 9.0 on.
                if taken and int(taken[1]) and not shared:
                    shared = None
                continue  # nor are its barriers those that ptxas counts
            if waited := _BARRIERS.search(match[2]):
                barriers = int(waited[1])
            if cumulative := _CUMULATIVE.search(match[2]):
                stack = max(stack, int(cumulative[1]))
            if taken:
                shared = int(taken[1])
    if registers is None:
        return None
    return Usage(registers, shared, stack, spill_stores=stores, spill_loads=loads, barriers=barriers)


def declared_shared(ptx: str) -> int:
    """Return the bytes of static shared memory that PTX declares, without padding between arrays."""
    return sum(int(bits) // 8 * int(length) for _, bits, length in _DECLARED.findall(ptx))
