"""The account of a port: for each line of the program what it did, on the CPU and on the simulated device."""

from __future__ import annotations

import weakref
from dataclasses import asdict, dataclass, field

from gpusim.device import queue


@dataclass
class Line:
    """One line of the program.

    Attributes
    ----------
    where : str
        ``"line 12"`` or ``"cell 3, line 2"``.
    source : str
    calls : int
        Operations on arrays and frames.
    seconds : float
        What they took with NumPy and pandas, on this CPU.
    host_seconds : float
        The part of it that would stay on the CPU, because the device does not do it.
    kernels, temporaries : int
        Launches; results that were gone before the next line.
    moved, h2d, d2h : int
        Bytes that kernels read and wrote; that went to the device; that came back.
    h2d_count, d2h_count : int
        Copies.
    flops : float
        Of matrix products and factorisations only.
    """

    where: str
    source: str = ""
    calls: int = 0
    seconds: float = 0.0
    host_seconds: float = 0.0
    kernels: int = 0
    temporaries: int = 0
    moved: int = 0
    h2d: int = 0
    h2d_count: int = 0
    d2h: int = 0
    d2h_count: int = 0
    flops: float = 0.0


@dataclass
class Refusal:
    """Something that CuPy or cuDF would not do.

    Attributes
    ----------
    kind : str
        ``"refused"``, ``"missing"`` (the library has no such name), ``"not simulated"`` (a GPU would have to tell),
        ``"handed over"`` (to a library that works on the host) or ``"memory"``.
    """

    where: str
    source: str
    what: str
    kind: str
    by: str
    message: str
    instead: str
    times: int = 1


@dataclass
class Operations:
    """All lines and refusals; `largest` is the number of items of the largest array, or rows of the largest frame."""

    lines: dict[str, Line] = field(default_factory=dict)
    refusals: dict[tuple, Refusal] = field(default_factory=dict)
    largest: int = 0
    peak: int = 0
    last: str = ""
    imports: list[str] = field(default_factory=list)

    def line(self, where: str, source: str) -> Line:
        """The account of a line, made when it is first met."""
        found = self.lines.get(where)
        if found is None:
            found = self.lines[where] = Line(where, source)
        self.last = where
        return found

    def refuse(self, where: str, source: str, what: str, kind: str, by: str, message: str, instead: str) -> None:
        """Note a refusal; the same one at the same line is counted."""
        key = (where, what, kind)
        if key in self.refusals:
            self.refusals[key].times += 1
        else:
            self.refusals[key] = Refusal(where, source, what, kind, by, message, instead)

    def forget(self, where: str, what: str) -> None:
        """Take back the refusal of an operation that NumPy and pandas refuse as well: it is the program's own error."""
        self.refusals.pop((where, what, "refused"), None)

    def imported(self, name: str) -> None:
        """Note a library that the program imports."""
        if name not in self.imports:
            self.imports.append(name)

    def refused(self, where: str, what: str) -> bool:
        """Whether a line was refused something before: it need not be tried again."""
        return any((where, what, kind) in self.refusals for kind in ("refused", "missing", "not simulated"))

    def watch(self, result: object, where: str) -> None:
        """Count a result as a temporary if it is gone while the program is still at its line."""
        line = self.lines[where]

        def gone(_: object) -> None:
            if self.last == where:
                line.temporaries += 1
            _watched.pop(key, None)

        key = id(result)
        _watched[key] = weakref.ref(result, gone)

    def as_json(self) -> dict:
        """All of it, to be written down."""
        return {
            "lines": [asdict(line) for line in self.lines.values()],
            "refusals": [asdict(refusal) for refusal in self.refusals.values()],
            "largest": self.largest,
            "peak": self.peak,
            "imports": self.imports,
        }


_watched: dict[int, weakref.ref] = {}
account = Operations()
"""Of this process."""


class measured:
    """Adds what the simulated device does inside the block to a line."""

    def __init__(self, line: Line):
        self.line = line

    def __enter__(self) -> None:
        self.before = queue.counters()

    def __exit__(self, *exception: object) -> None:
        done = queue.counters() - self.before
        self.line.kernels += done.kernels
        self.line.moved += done.bytes
        self.line.h2d += done.h2d_bytes
        self.line.h2d_count += done.h2d_count
        self.line.d2h += done.d2h_bytes
        self.line.d2h_count += done.d2h_count
