"""Whether the lens finds a broken variant, in a process in which the kernel set can be loaded."""

from __future__ import annotations

from . import variant
from .variant import Broken


def lines(broken: Broken, entries: dict) -> int:
    """The line that has to be named, counted in the edited source."""
    entry = entries[broken.entry]
    made = variant.make(broken, entry)
    return made.line(_place(broken, entry), broken.at)


def check(broken: Broken, entries: dict) -> None:
    """Raise AssertionError if the first finding is another than the variant's."""
    from kernels_set import registry
    from numba import cuda

    entry = entries[broken.entry]
    made = variant.make(broken, entry)
    line = None if broken.at is None else made.line(_place(broken, entry), broken.at)
    found = variant.findings(broken, entry, made, registry.seeded(broken.entry), cuda)
    assert found, "nothing was found"
    first = found[0]
    told = [(f.kind, f.severity, f.line, f.sentence) for f in found]
    assert (first.kind, first.severity, first.line) == (broken.kind, broken.severity, line), told
    if line is not None:
        assert f"line {line}" in first.sentence


def _place(broken: Broken, entry) -> str:
    return broken.inside or broken.function or entry.kernel.py_func.__name__
