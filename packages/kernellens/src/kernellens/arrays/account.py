"""What `account` returns: all that a piece of array code does on the device, and what that costs at least."""

from __future__ import annotations

import functools
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from gpusim.hardware import gpus
from kernellens import target
from kernellens.times import Bound, Estimate, Work, bound_of, estimate_of

from .events import Allocation, Event, Span
from .flow import Flow
from .fusing import Group


@dataclass(repr=False)
class Account:
    """The account of a cell, or of a function's call.

    Attributes
    ----------
    events : list of Event
        Launches and transfers, in the order of submission.
    allocations : list of Allocation
        Device memory taken on the way.
    before, peak : int
        Bytes that arrays held before, and at most (in 512-byte units, as CuPy's pool allocates).
    peak_line : int or None
        The line that took it to the peak.
    flow : Flow
        What must cross to and from device memory, were it all one kernel.
    groups : list of Group
        Kernels that could be one.
    source : dict of int to str
        The lines that are named.
    name : str
        What was accounted for.
    shapes : bool
        Whether it was of shapes only: nothing was calculated.
    assumed : list of str
        What was taken for granted.
    notes : list of str
    gpu : GPU
        Whose figures the times are made with; `on` chooses another.
    """

    events: list[Event]
    allocations: list[Allocation]
    before: int
    peak: int
    peak_line: int | None
    flow: Flow
    groups: list[Group]
    source: dict[int, str] = field(default_factory=dict)
    name: str = ""
    shapes: bool = False
    assumed: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    gpu: gpus.GPU = field(default_factory=target.chosen_gpu)

    def on(self, gpu: str | gpus.GPU) -> Account:
        """The same account with another GPU's figures.

        Raises
        ------
        UnknownGpuError
            A KeyError that names the nearest known ones.
        """
        return replace(self, gpu=target.resolve(gpu))

    @property
    def kernels(self) -> list[Event]:
        """The launches, copies within device memory among them."""
        return [event for event in self.events if event.on_device]

    @property
    def transfers(self) -> list[Event]:
        """The copies between host and device."""
        return [event for event in self.events if event.kind in ("h2d", "d2h")]

    @property
    def read(self) -> int:
        """Bytes that the kernels read."""
        return sum(event.read for event in self.kernels)

    @property
    def written(self) -> int:
        """Bytes that the kernels write."""
        return sum(event.written for event in self.kernels)

    @property
    def moved(self) -> int:
        """Bytes that the kernels read and write."""
        return self.read + self.written

    @property
    def to_device(self) -> int:
        """Bytes copied from the host."""
        return sum(event.written for event in self.events if event.kind == "h2d")

    @property
    def to_host(self) -> int:
        """Bytes copied to the host."""
        return sum(event.read for event in self.events if event.kind == "d2h")

    @property
    def temporaries(self) -> list[Allocation]:
        """Memory that was taken and given back on the way, but for what came and went within one kernel."""
        return [
            each for each in self.allocations if each.died is not None and not (each.inner and each.died == each.born)
        ]

    @property
    def temporary_bytes(self) -> int:
        """Bytes of the temporaries, added up: not all are there at once."""
        return sum(made.nbytes or made.size for made in self.temporaries)

    @property
    def fits(self) -> bool:
        """Whether the peak fits into the GPU's memory."""
        return self.peak <= self.gpu.memory

    @property
    def bound(self) -> Bound:
        """The least time for what the code gives: each byte that it needs read once, each that it leaves written once."""
        flow = self.flow
        products: dict[str, float] = {}
        for event in self.kernels:
            for kind, number in event.products.items():
                products[kind] = products.get(kind, 0.0) + number
        work = Work(
            f"{self.name or 'this'} in one pass",
            *(flow.read, flow.written),
            products=products,
            operations=self._certain(),
            link=self.to_device + self.to_host,
            launches=1 if self.kernels else 0,
        )
        return bound_of(work, self.gpu)

    def _certain(self) -> dict[str, float]:
        """Operations that one kernel would have to do too: the same function of the same memory counts once."""
        once: dict[tuple, tuple[str, float]] = {}
        for event in self.kernels:
            for kind, number in event.certain.items():
                key = (event.name, kind, *((span.owner, span.low, span.high) for span in event.reads))
                once[key] = max(once.get(key, (kind, 0.0)), (kind, number))
        total: dict[str, float] = {}
        for kind, number in once.values():
            total[kind] = total.get(kind, 0.0) + number
        return total

    @property
    def launched(self) -> Bound:
        """The least time of the kernels as they are launched and of the transfers, one after the other.

        Never less than `bound`: what no kernel can beat, several cannot.
        """
        found, least = bound_of(self.works, self.gpu), self.bound
        return found if found.seconds >= least.seconds else least

    @property
    def estimate(self) -> Estimate:
        """About the time of the kernels as they are launched and of the transfers, one after the other."""
        return estimate_of(self.works, self.gpu)

    @functools.cached_property
    def works(self) -> list[Work]:
        """Each launch and transfer as numbers, with what of its bytes comes from memory and not from L2."""
        return [
            work_of(event, nbytes)
            for event, nbytes in zip(self.events, from_memory(self.events, self.gpu.l2), strict=True)
        ]

    def __repr__(self) -> str:
        from .text import text

        return text(self)

    def _repr_html_(self) -> str:
        from .html import html

        return html(self)


def work_of(event: Event, dram: float | None = None) -> Work:
    """A launch or transfer as numbers; `dram` are the bytes that cross between memory and L2, where that is known."""
    if event.kind in ("h2d", "d2h"):
        return Work(event.name, link=event.written if event.kind == "h2d" else event.read, copies=1, launches=0)
    return Work(
        event.name,
        *(event.read, event.written),
        operations=event.operations,
        certain=event.certain,
        products=event.products,
        **{"dram": dram, **event.launch},
    )


# Which of the bytes that launches touch still lie in the GPU's L2 cache, and which come from memory.
#
# A plain model: the cache keeps whole pieces of memory, the least recently used goes first, what is larger than the cache is
# never in it.  In the beginning it is empty, as for code that runs once.


class _Piece(NamedTuple):
    nbytes: int
    dirty: bool


def from_memory(events: list[Event], capacity: int) -> list[float | None]:
    """For each event, the bytes between memory and L2; None for transfers.

    Parameters
    ----------
    events : list of Event
    capacity : int
        Bytes of the cache.
    """
    held = _Cache(capacity)
    found: list[float | None] = []
    for event in events:
        if not event.on_device:
            # A copy goes past the cache, and what it overwrites is not worth keeping.
            for span in event.writes:
                held.drop(span)
            found.append(None)
            continue
        nbytes = sum(held.touch(span, dirty=False) for span in event.reads)
        nbytes += sum(held.touch(span, dirty=True) for span in event.writes)
        rest = max(0, event.moved - sum(span.nbytes for span in (*event.reads, *event.writes)))
        nbytes += rest + held.trim(capacity - min(rest, capacity))  # touched too, but not known where
        found.append(float(nbytes))
    return found


class _Cache:
    def __init__(self, capacity: int):
        self.capacity = capacity
        self.held: OrderedDict[tuple[int, int], _Piece] = OrderedDict()
        self.total = 0

    def drop(self, span: Span) -> _Piece | None:
        piece = self.held.pop((span.low, span.high), None)
        self.total -= piece.nbytes if piece is not None else 0
        return piece

    def touch(self, span: Span, *, dirty: bool) -> int:
        """Read or write a piece; gives the bytes that cross to and from memory for it."""
        piece = self.drop(span)
        if span.nbytes > self.capacity:
            return span.nbytes
        missed = span.nbytes if piece is None and not dirty else 0
        self.held[span.low, span.high] = _Piece(span.nbytes, dirty or piece is not None and piece.dirty)
        self.total += span.nbytes
        return missed + self.trim(self.capacity)

    def trim(self, capacity: int) -> int:
        """Throw out what does not fit; gives the bytes that have to be written back."""
        back = 0
        while self.total > capacity:
            _, piece = self.held.popitem(last=False)
            self.total -= piece.nbytes
            back += piece.nbytes if piece.dirty else 0
        return back
