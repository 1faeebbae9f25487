"""What a recorder notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass
class Allocation:
    """Device memory that was taken.

    Attributes
    ----------
    number : int or None
        None for memory that was there before, of which only the end is noted.
    size : int
        Bytes, as the pool rounds them.
    line : int or None
    born, died : int or None
        How many launches and transfers there were before; None where it outlived the account.
    written : bool
        Whether anything was written to it.
    nbytes : int
        Bytes of it that were used.
    start : int
        Its address.
    inner : bool
        Whether it was taken inside of what counts as one kernel, such as a fused function.
    arena : (int, int) or None
        The pool and the stream to which it goes back when it is freed; None where freeing it waits for the device.
    """

    number: int | None
    size: int
    line: int | None
    born: int
    died: int | None = None
    written: bool = False
    nbytes: int = 0
    start: int = 0
    inner: bool = False
    arena: tuple[int, int] | None = None


@dataclass(frozen=True)
class Span:
    """Memory that a launch touches.

    Attributes
    ----------
    owner : int or None
        The allocation's number; None for memory that was there before.
    low, high : int
        Addresses of the first byte and behind the last one.
    nbytes : int
        Bytes of elements, one that broadcasting repeats counted once.
    whole : bool
        Whether these are all bytes from `low` to `high`.
    """

    owner: int | None
    low: int
    high: int
    nbytes: int
    whole: bool


@dataclass
class Event:
    """A launch or a transfer.

    Attributes
    ----------
    index : int
    name, kind : str
        As in the engine's log.
    line : int or None
    read, written : int
        Bytes.
    place : tuple of int
        Which call of which function, and how far it has come: going back in one is a loop's next turn.
    reads, writes : list of Span
    fused : bool
        Whether `cupy.fuse` can put it into one kernel with others.
    ends : bool
        Whether it can end such a kernel (a sum, say).
    shape : tuple of int
        Of what it goes over.
    numba : bool
        Whether its bytes are those of its arguments, because only its source says what it touches.
    operations, certain, products : mapping of str to float
        As `times.Work` takes them.
    threads, block : int
        0 where that is the library's business.
    """

    index: int
    name: str
    kind: str
    line: int | None
    read: int
    written: int
    place: tuple[int, int] = (0, 0)
    reads: list[Span] = field(default_factory=list)
    writes: list[Span] = field(default_factory=list)
    fused: bool = False
    ends: bool = False
    shape: tuple[int, ...] = ()
    numba: bool = False
    operations: Mapping[str, float] = field(default_factory=dict)
    certain: Mapping[str, float] = field(default_factory=dict)
    products: Mapping[str, float] = field(default_factory=dict)
    threads: int = 0
    block: int = 0
    blocks: int = 0

    @property
    def on_device(self) -> bool:
        """Whether it is work of the device: a kernel, or a copy within its memory."""
        return self.kind in ("kernel", "d2d")

    @property
    def moved(self) -> int:
        """Bytes read and written."""
        return self.read + self.written
