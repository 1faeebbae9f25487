"""Look at all that a piece of code launches, copies and allocates, while it runs.

The engine tells of each launch as it is counted, with views of the memory it touches, and makes allocations of a class of
ours meanwhile.  From the views' addresses follows which launch reads what another wrote.
"""

from __future__ import annotations

import math
import sys
import threading
from bisect import bisect_right, insort
from collections.abc import Collection
from typing import Any

import numpy as np

from gpusim import own
from gpusim.device import memory, queue, regions
from gpusim.device.counters import Launch
from kernellens.times import costs

from . import operands
from .events import Allocation, Event, Span
from .operands import Sides


class Recorder:
    """Records what happens inside a ``with`` block.

    Parameters
    ----------
    filename : str or None
        The file, or cell, whose lines are named; None for the nearest line outside of this package and of libraries.
    offset : int
        Added to the line numbers.

    Attributes
    ----------
    events : list of Event
        Launches and transfers, in order.
    allocations : list of Allocation
        Made inside the block, in order.
    before, peak : int
        Bytes that arrays held at the beginning, and at most.
    """

    def __init__(self, filename: str | None = None, offset: int = 0):
        self.filename, self.offset = filename, offset
        self.events: list[Event] = []
        self.allocations: list[Allocation] = []
        self.before = self.peak = 0
        self.peak_line: int | None = None
        self._starts: list[int] = []
        self._at: dict[int, Allocation] = {}
        self._lock = threading.RLock()
        self._open = False
        self._noted_block = _noting(self)

    def __enter__(self) -> Recorder:
        if queue.watcher is not None:
            raise RuntimeError("An account is being taken already: one cannot be taken inside of another.")
        queue.drain()
        self.before = self.peak = memory.in_use()
        memory.block_class = self._noted_block
        memory.on_free = self.gone
        queue.watcher = self._launched
        self._open = True
        return self

    def __exit__(self, *exception: object) -> None:
        self._open = False
        queue.watcher = None
        memory.block_class = memory.Block
        memory.on_free = None

    def line(self) -> tuple[int | None, tuple[int, int]]:
        """The line of the code that is being carried out, and which call of which function that is, how far it has come."""
        frame = sys._getframe(1)
        while frame is not None:
            name = frame.f_code.co_filename
            if name == self.filename if self.filename is not None else not _is_library(name):
                return frame.f_lineno + self.offset, (id(frame), frame.f_lasti)
            frame = frame.f_back
        return None, (0, 0)

    def made(self, block: memory.Block) -> Allocation | None:
        """Note an allocation."""
        if not self._open:
            return None
        start = block.raw.ctypes.data
        inner = not queue.counting()
        made = Allocation(len(self.allocations), block.size, self.line()[0], len(self.events), inner=inner)
        with self._lock:
            if start not in self._at:
                insort(self._starts, start)
            self._at[start] = made
            self.allocations.append(made)
            if (
                not inner
            ):  # on a GPU the kernel would not take it; what outlives the kernel is seen when that is launched
                self._look(made.line)
        made.start = start
        return made

    def _look(self, line: int | None) -> None:
        now = memory.in_use()
        if now > self.peak:
            self.peak, self.peak_line = now, line

    def allocation(self, block: memory.Block) -> Allocation | None:
        """What was noted of a block; None if it was made before."""
        return getattr(block, "noted", None) if isinstance(block, self._noted_block) else None  # no other recorder's

    def gone(self, block: memory.Block) -> None:
        """Note that a block was given back."""
        made = self.allocation(block)
        if self._open and made is not None and made.died is None:
            made.died = len(self.events)
            with self._lock:
                if self._at.get(made.start) is made:
                    del self._at[made.start]
                    self._starts.remove(made.start)

    def _launched(self, entry: Launch, by: Any, args: tuple, reads: operands.Views, writes: operands.Views) -> None:
        owner = getattr(by, "__self__", None)
        if operands.is_kernel(owner):  # one of the engine's launches, by its method that runs it
            by = owner
        found = operands.sides(entry, by, reads, writes)
        spans = ([self._span(view, found.most) for view in side] for side in (found.reads, found.writes))
        read, written = ([span for span in side if span is not None] for side in spans)
        line, place = self.line()
        event = Event(
            *(len(self.events), entry.name, entry.kind, line, found.read, found.written, place, read, written),
            fused=is_fusable(entry.name, by),
            ends=may_end(entry.name),
            shape=shape(found.writes, found.reads),
            numba=found.numba,
            **counted(entry.name, by, found, args, reads),
        )
        with self._lock:
            self.events.append(event)
            self._look(line)
            for span in written:
                if span.owner is not None:
                    owner = self.allocations[span.owner]
                    owner.written = True
                    owner.nbytes = max(owner.nbytes, span.high - span.low)

    def _owner(self, address: int) -> Allocation | None:
        at = bisect_right(self._starts, address) - 1
        if at < 0:
            return None
        owner = self._at[self._starts[at]]
        return owner if address < owner.start + owner.size else None

    def _span(self, view: np.ndarray, most: dict[int, int]) -> Span | None:
        if not view.size:
            return None
        low, high = np.lib.array_utils.byte_bounds(view)
        owner = self._owner(low)
        if owner is None and not any(raw.ctypes.data <= low < raw.ctypes.data + raw.size for raw, _ in regions.alive()):
            return None  # the host's
        distinct = min(distinct_bytes(view), most.get(id(view), view.nbytes))
        return Span(None if owner is None else owner.number, low, high, distinct, distinct == high - low)


def _noting(recorder: Recorder) -> Any:
    class Noted(memory.Block):
        """A block of which `noted` is the recorder's."""

        __slots__ = ("noted",)

        def __init__(self, *args: Any):
            super().__init__(*args)
            self.noted = recorder.made(self)

    return Noted


def _is_library(filename: str) -> bool:
    return (
        filename.startswith((*own.folders(), "<frozen"))
        or "site-packages" in filename
        or filename.endswith("contextlib.py")
    )


# What the launches of array libraries calculate: which can be fused, how many operations each does.
#
# Elementwise functions cost what `times.costs` says of the same function in a kernel.  Products of matrices count a
# multiplication and an addition for each pair; factorisations what LAPACK's working notes count [LAPACK Users' Guide, "Operation
# Counts for the BLAS and LAPACK"]; a Fourier transform 5 n log2 n, which is not certain: other splittings need fewer.

BLOCK = 128
"""Threads of a block in CuPy's elementwise kernels [cupy/_core/_kernel.pyx, block_size=128]."""

_ENDS = frozenset("cupy_sum cupy_prod cupy_max cupy_min cupy_all cupy_any".split())
"""Reductions that `cupy.fuse` takes as the last operation [cupy/_core/_fusion_interface.py, read]."""
_BINARY = {
    **{"add": "add", "subtract": "sub", "multiply": "mul", "true_divide": "truediv", "floor_divide": "floordiv"},
    **{"remainder": "mod", "power": "pow", "maximum": "max", "minimum": "min", "equal": "eq", "not_equal": "ne"},
    **{"less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "negative": "sub", "square": "mul"},
}
_MOVING = frozenset("copy where clip positive real imag conjugate isnan isinf isfinite logical_not sign".split())


def is_fusable(name: str, by: Any) -> bool:
    """Whether a launch works element by element, so that `cupy.fuse` can put it into one kernel with others."""
    return name == "cupy_copy" or (name in _ufuncs() and type(by).__name__ != "Fusion")


def may_end(name: str) -> bool:
    """Whether a launch is a reduction that a fused kernel may end with."""
    return name.removesuffix("_with_dtype") in _ENDS


def _ufuncs() -> Any:
    module = sys.modules.get("cupy._core.ufuncs")
    return module.by_kernel if module is not None else ()


def distinct_bytes(view: np.ndarray) -> int:
    """Bytes of a view's elements, one that broadcasting repeats counted once."""
    steps = zip(view.shape, view.strides, strict=True)
    return math.prod(n for n, step in steps if step or not n) * view.itemsize


def shape(writes: list[np.ndarray], reads: list[np.ndarray]) -> tuple[int, ...]:
    """What a launch goes over: the largest of its operands."""
    largest = max((*writes, *reads), key=lambda view: view.size, default=None)
    return () if largest is None else largest.shape


def counted(name: str, by: Any, found: Sides, args: tuple, reads: Collection[np.ndarray]) -> dict[str, Any]:
    """The operations of a launch, as keywords for an `Event`: of what runs, its arguments, and what it reads in their order."""
    if found.numba:
        return {
            "threads": by.blocks * math.prod(by.blockdim),
            "block": math.prod(by.blockdim),
            "blocks": by.blocks,
        }
    if name in _ufuncs():
        return _elementwise(name.removeprefix("cupy_"), found, args)
    # A product or factorisation is queued with its NumPy function as an argument.
    function = next((value for value in args[:2] if callable(value)), None)
    if reads and function is not None:
        products = _product(function, list(reads), found)
        if products:
            return {"products": products}
    if name.startswith(("cufft", "cupy_fft")) and found.writes:
        n = max((v.size for v in (*found.writes, *found.reads)), default=0)
        kind = _kind(found.writes[0].dtype)
        return {"operations": {kind: 5.0 * n * math.log2(max(n, 2))}} if kind else {}
    if may_end(name) and found.reads:
        kind = _kind(found.reads[0].dtype) or "int32"
        return {"operations": {kind: float(found.reads[0].size)}}
    return {}


def _kind(dtype: np.dtype) -> str | None:
    return costs.FLOATS.get(dtype.char)


def _elementwise(name: str, found: Sides, args: tuple) -> dict[str, Any]:
    views = found.reads or found.writes
    if not views or not found.writes:
        return {}
    n = found.writes[0].size
    letter = max((*found.reads, *found.writes), key=lambda v: (v.dtype.kind in "fc", v.itemsize)).dtype.char
    constant = next((float(o) for o in args[1:2] if isinstance(o, (int, float, np.floating, np.integer))), None)
    if name in _MOVING:
        cost = costs.Cost({})
    elif name in _BINARY:
        cost = costs.binary(_BINARY[name], letter, constant)
    elif letter in costs.FLOATS:
        cost = costs.function(name, letter)
    else:
        cost = costs.Cost({"int32": 1.0})
    kind = costs.FLOATS.get(letter, "int32")
    return {
        "operations": {unit: n * slots for unit, slots in cost.slots.items() if slots},
        "certain": {kind: n * cost.certain} if cost.certain else {},
        "threads": n,
        "block": BLOCK,
        "blocks": -(-n // BLOCK),
    }


def _product(function: Any, views: list[np.ndarray], found: Sides) -> dict[str, float]:
    kind = _kind(np.result_type(*views))
    if kind is None or not found.writes:
        return {}
    a = views[0]
    flops = 0.0
    if function in (np.matmul, np.dot, np.inner, np.vdot) and len(views) > 1 and a.ndim:
        flops = 2.0 * sum(w.size for w in found.writes) * (a.size if function is np.vdot else a.shape[-1])
    elif function is np.tensordot and found.writes[0].size:
        flops = 2.0 * math.sqrt(float(a.size) * views[1].size * found.writes[0].size)
    elif a.ndim >= 2 and getattr(function, "__module__", "") == "numpy.linalg":
        m, n = sorted(a.shape[-2:], reverse=True)
        flops = float(math.prod(a.shape[:-2])) * _FACTORISATIONS.get(function.__name__, lambda m, n: 0.0)(m, n)
    return {kind: flops * (4 if a.dtype.kind == "c" else 1)} if flops else {}


_FACTORISATIONS = {
    "solve": lambda m, n: 2 / 3 * n**3,
    "inv": lambda m, n: 2.0 * n**3,
    "det": lambda m, n: 2 / 3 * n**3,
    "slogdet": lambda m, n: 2 / 3 * n**3,
    "cholesky": lambda m, n: n**3 / 3,
    "qr": lambda m, n: 2.0 * m * n**2 - 2 / 3 * n**3,
    "eigvalsh": lambda m, n: 4 / 3 * n**3,
    "eigh": lambda m, n: 4 / 3 * n**3,
    "svd": lambda m, n: 4.0 * m * n**2 - 4 / 3 * n**3,
}
"""Least operations for an m by n matrix, m >= n: of symmetric eigenvalues and singular values, the reduction alone."""
