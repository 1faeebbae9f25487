"""What a launch does, as numbers: all that a bound or an estimate of its time is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

TYPES = ("float64", "float32", "float16", "int32", "special")
"""What operations are counted as.  Integers of 64 bits are counted as two of 32; ``"special"`` are results of the special
function units (a reciprocal, root, sine, exponential or logarithm in float32, the first step of one in float64)."""


@dataclass(frozen=True)
class Reuse:
    """How often the same sectors are read, for caches of any size.  Bytes of the whole grid, unless it says otherwise.

    Attributes
    ----------
    by_block, by_warp, by_request : float
        Read, a sector counted once for each block, each warp, each request of a warp.
    stored : float
        Written, for each request; writes go through L1.
    block, warp : float
        That one block, or one warp, reads in all.
    again : tuple of (float, float)
        Read by a block after another had read it: ``(bytes that the blocks between them use, bytes read again)``.
    alone : float
        Of `by_request`, sectors that are the only ones of their line in a request.
    store_turns : float
        Bytes that L2 could take while it takes `stored`: sectors alone in their line, or written in part, take longer.
    """

    by_block: float
    by_warp: float
    by_request: float
    stored: float
    block: float
    warp: float
    again: tuple[tuple[float, float], ...] = ()
    alone: float = 0.0
    store_turns: float = 0.0


@dataclass(frozen=True)
class Work:
    """What one launch does.  Bytes, operations and cycles are those of the whole grid.

    Whoever makes one gives what is known; the rest has values that leave a time out of the reckoning, never add one.

    Attributes
    ----------
    name : str
    read, written : float
        Bytes of global memory, each counted once however often it is touched: what must cross from L2 to the SMs and back.
        Whole sectors of 32 bytes, where the accesses are known.
    operations : mapping of str to float
        Done, by `TYPES`, as the source says; a multiplication and an addition are two, also where one instruction does both.
    certain : mapping of str to float, optional
        Those of them that no compiler can leave out; all, if left out.
    products : mapping of str to float
        Operations of matrix products by dtype, which may run on matrix units.
    threads, blocks, block : int
        In all; blocks of the grid; threads of a block.  0: unknown, and taken to fill the GPU.
    slots : mapping of str to float, optional
        Instructions of each unit, by `TYPES`, those of idle lanes of a warp too; one for each operation, if left out.
    moved : float, optional
        Bytes between L2 and the SMs, sectors moved again counted again; by `reuse` or, without, `read` + `written`.
    dram : float, optional
        Bytes between memory and L2; if left out, `read` + `written` where they do not fit into L2, else none, and by `reuse`
        what L2 cannot keep until it is read again.
    reuse : Reuse, optional
    requests, wavefronts : float
        Times that a warp asks for global memory, and the cycles in which the L1 caches serve them (128 bytes or 4 sectors
        of one line each).
    shared : float
        Cycles of shared memory, conflicts included, added over the SMs.
    instructions : float
        That warps issue.
    rounds : float
        How often a thread waits for a load from global memory before it can go on; loads that wait together are one.
    cycles : float
        That a thread needs from its beginning to its end for everything but such loads, were it alone.
    atomics, contended : float
        Requests of warps for atomic operations on global memory, and those of them that meet at one address.
    passes : float
        Turns of L2 for the atomics on the cache line that gets most: for each sector of a request as many as values meet at
        one address.
    registers, sharedmem : int
        Of a thread, and bytes of a block; 0 registers: unknown, taken to be no hindrance.
    link : float
        Bytes that cross between host and device.
    copies : int
        Transfers that these bytes make.
    launches : int
        Kernels started; all the numbers above are of all of them.
    cut : bool
        Whether more was done than is counted here, since a log was full: good for a bound, not for an estimate.
    notes : tuple of str
        What was left out or taken for granted, a sentence each.
    """

    name: str = ""
    read: float = 0.0
    written: float = 0.0
    operations: Mapping[str, float] = field(default_factory=dict)
    certain: Mapping[str, float] | None = None
    products: Mapping[str, float] = field(default_factory=dict)
    threads: int = 0
    blocks: int = 0
    block: int = 0
    slots: Mapping[str, float] | None = None
    moved: float | None = None
    dram: float | None = None
    reuse: Reuse | None = None
    requests: float = 0.0
    wavefronts: float = 0.0
    shared: float = 0.0
    instructions: float = 0.0
    rounds: float = 0.0
    cycles: float = 0.0
    atomics: float = 0.0
    contended: float = 0.0
    passes: float = 0.0
    registers: int = 0
    sharedmem: int = 0
    link: float = 0.0
    copies: int = 0
    launches: int = 1
    cut: bool = False
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for kinds in (self.operations, self.certain or {}, self.slots or {}):
            unknown = set(kinds) - set(TYPES)
            if unknown:
                raise ValueError(f"Operations are counted as {', '.join(TYPES)}, not {', '.join(sorted(unknown))}.")
        for name in ("read", "written", "moved", "dram", "atomics", "link", "instructions", "shared"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise ValueError(f"{name} must be 0 or more, not {value!r}.")

    @property
    def warps(self) -> int:
        """Warps of the grid, half-filled ones included; 0 where it is not known."""
        return self.blocks * -(-self.block // 32) if self.blocks and self.block else -(-self.threads // 32)

    @property
    def flops(self) -> float:
        """Floating-point operations, of matrix products too."""
        return sum(self.operations.get(kind, 0.0) for kind in TYPES[:3]) + sum(self.products.values())

    @property
    def intensity(self) -> float:
        """Floating-point operations for each byte of memory that must be moved."""
        nbytes = self.read + self.written
        return self.flops / nbytes if nbytes else float("inf") if self.flops else 0.0
