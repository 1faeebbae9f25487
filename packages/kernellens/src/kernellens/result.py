"""What a trace saw."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from gpusim.kernels.frontend.python.resolve import Function
from gpusim.kernels.sanitizer.findings import Finding
from gpusim.kernels.sanitizer.log import Log

from . import report
from .banks import Conflicts
from .branches import Branch
from .traffic import SECTOR, Traffic

Line = int | tuple[str, int]
"""A line of the kernel's source, or a device function's name and a line of its own source."""


class Count(NamedTuple):
    """How often an array is accessed: in all, and most by one thread."""

    total: int
    most: int


@dataclass(repr=False)
class Trace:
    """What a launch did, and what is wrong with it.

    Attributes
    ----------
    kernel : str
    griddim, blockdim : tuple of int
        ``(x, y, z)``.
    blocks : int
        How many blocks were traced.
    errors : list of Finding
        Errors first, then warnings.
    traffic : list of Traffic
        Global memory, by place in the source.
    conflicts : list of Conflicts
        Shared memory, by place in the source.
    branches : list of Branch or None
        The conditionals, by place in the source; None where the kernel was interpreted (for float16 and vector types,
        ``GPUSIM_KERNELS=interpreted``, or without Numba): the interpreter computes both ways of small conditionals
        for all threads, so what it would count is not what a GPU's threads do.
    log : Log or None
        Every access; None where the kernel did not run.
    function : Function or None
        The kernel's source with its names resolved.
    results : tuple
        The arguments as the kernel left them: copies, on the host.
    """

    kernel: str
    griddim: tuple[int, int, int]
    blockdim: tuple[int, int, int]
    errors: list[Finding]
    traffic: list[Traffic] = field(default_factory=list)
    conflicts: list[Conflicts] = field(default_factory=list)
    branches: list[Branch] | None = None
    log: Log | None = field(default=None, repr=False)
    function: Function | None = field(default=None, repr=False)
    results: tuple = field(default=(), repr=False)

    def __repr__(self) -> str:
        return report.text(self)

    @property
    def blocks(self) -> int:
        return 0 if self.log is None else len(self.log.blocks)

    @property
    def reads(self) -> dict[str, Count]:
        """By array: reads, atomics included, in all and most by one thread."""
        return self._counts("reads")

    @property
    def writes(self) -> dict[str, Count]:
        """By array: writes, atomics included, in all and most by one thread."""
        return self._counts("writes")

    def _counts(self, kind: str) -> dict[str, Count]:
        if self.log is None:
            return {}
        counts = {}
        for name, each in self.log.explain().items():
            total = each[kind] + each["atomics"]
            if total:
                counts[name] = Count(total, each[f"{kind}_by_one"] + each["atomics_by_one"])
        return counts

    @property
    def requests(self) -> dict[Line, int]:
        """By line: how often a warp asked for global memory."""
        return {line: sum(t.requests for t in of) for line, of in self._by_line().items()}

    @property
    def sectors(self) -> dict[Line, float]:
        """By line: 32-byte sectors of global memory moved for each request of a warp."""
        return {line: sum(t.sectors for t in of) / sum(t.requests for t in of) for line, of in self._by_line().items()}

    def _by_line(self) -> dict[Line, list[Traffic]]:
        lines: dict[Line, list[Traffic]] = {}
        for item in self.traffic:
            lines.setdefault((item.function, item.line) if item.function else item.line, []).append(item)
        return lines

    @property
    def moved(self) -> int:
        """Bytes of global memory moved by the traced blocks."""
        return sum(t.sectors for t in self.traffic) * SECTOR

    @property
    def efficiency(self) -> float:
        """Bytes asked for / bytes moved of global memory, 0 to 1; 1 where there is none."""
        return sum(t.asked for t in self.traffic) / self.moved if self.moved else 1.0

    @property
    def bank_conflicts(self) -> int:
        """Extra cycles of shared memory."""
        return sum(c.extra for c in self.conflicts)

    @property
    def divergent_branches(self) -> int | None:
        """How often the threads of a warp diverged at a conditional; None where the kernel was interpreted (see `branches`)."""
        return None if self.branches is None else sum(branch.diverged for branch in self.branches)
