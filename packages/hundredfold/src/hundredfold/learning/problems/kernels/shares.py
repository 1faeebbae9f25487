"""Facts about who does the work of a kernel, read from a trace: what each thread and each block touches of its arguments.

Only the memory that the arguments lie in is counted. What a thread does in shared memory, or in an array of its own, is no access to
the picture.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from gpusim.hardware import gpus
from gpusim.kernels import limits
from gpusim.kernels.faults import KernelError

from ..facts import Account, Fact, of_trace
from ..verdict import refuse

_FEW = 4
"""Blocks: in a launch of fewer, one may well have half of the work."""


@dataclass(frozen=True)
class Touched:
    """What threads and blocks touch of one argument.

    Attributes
    ----------
    most : int
        Accesses of the thread that has most of them.
    elements : int
        The most different elements of one thread.
    by_block : numpy.ndarray
        Different elements of each block of the launch.
    """

    most: int
    elements: int
    by_block: np.ndarray


@dataclass(frozen=True)
class KernelAccount(Account):
    """The account of a traced launch."""

    seen: Any = None

    @cached_property
    def reads(self) -> list[Touched]:
        """For each argument what is read of it, atomic additions included."""
        return [self._touched(name, "read") for name in self.seen.function.params]

    @cached_property
    def writes(self) -> list[Touched]:
        """For each argument what is written of it, atomic additions included."""
        return [self._touched(name, "write") for name in self.seen.function.params]

    def _touched(self, name: str, kind: str) -> Touched:
        log = self.seen.log
        arrays = [n for n, array in enumerate(log.arrays) if array.name == name and array.space == "global"]
        sites = np.array([site.kind in (kind, "atomic") for site in log.sites], bool)
        found = [piece[np.isin(piece["array"], arrays) & sites[piece["site"]]] for _, piece in log.pieces()]
        records = np.concatenate(found) if found else np.empty(0, log.records.dtype)
        thread, element = records["thread"].astype(np.int64), records["element"].astype(np.int64)
        threads, blocks = len(log.blocks) * log.threads_per_block, len(log.blocks)
        return Touched(
            most=int(np.bincount(thread, minlength=1).max()),
            elements=int(_different(thread, element, threads).max()),
            by_block=_different(thread // log.threads_per_block, element, blocks),
        )


def _different(owner: np.ndarray, element: np.ndarray, owners: int) -> np.ndarray:
    """How many different elements each owner has."""
    if not len(owner):
        return np.zeros(max(owners, 1), np.int64)
    width = int(element.max()) + 1
    return np.bincount(np.unique(owner * width + element) // width, minlength=owners)


def of_kernel(seen: Any) -> KernelAccount:
    """The account of a kernel, by the lens."""
    plain = of_trace(seen)
    return KernelAccount(**{each.name: getattr(plain, each.name) for each in fields(plain)}, seen=seen)


Most = Callable[..., Sequence[int | None]]


def shares(says: str, reads: Most | None = None, writes: Most | None = None, *, hint: str = "") -> Fact:
    """No thread reads or writes more *different* elements of each argument than its share of the work; None is no limit.

    ``reads(*arguments)`` and ``writes(*arguments)`` give a number for each argument of the kernel, the last one included.
    """
    said = "one thread {did} {number} elements of `{name}`, where its share is {allowed}: others have nothing to do."
    return _by_one_thread(says, "serial", reads, writes, lambda touched: touched.elements, said, hint)


def accesses(says: str, reads: Most | None = None, writes: Most | None = None, *, hint: str = "") -> Fact:
    """No thread reads or writes each argument more often than that, the same element counted each time; None is no limit."""
    said = "one thread {did} `{name}` {number} times, where {allowed} are enough."
    return _by_one_thread(says, "traffic", reads, writes, lambda touched: touched.most, said, hint)


def _by_one_thread(
    says: str,
    reason: str,
    reads: Most | None,
    writes: Most | None,
    count: Callable[[Any], int],
    said: str,
    hint: str,
) -> Fact:
    def look(account: Account, arguments: tuple[Any, ...]) -> str | None:
        if not isinstance(account, KernelAccount):
            return None
        for did, most in (("reads", reads), ("writes", writes)):
            if most is None:
                continue
            names, touched = account.seen.function.params, getattr(account, did)
            for name, each, allowed in zip(names, touched, most(*arguments), strict=False):
                if allowed is not None and count(each) > allowed:
                    return said.format(did=did, number=count(each), name=name, allowed=allowed)
        return ""

    return Fact(says, reason, look, hint)


def per_block(says: str, most: int, *, hint: str = "") -> Fact:
    """No block writes more than so many different elements of the last argument."""

    def look(account: Account, arguments: tuple[Any, ...]) -> str | None:
        if not isinstance(account, KernelAccount):
            return None
        name, worst = account.seen.function.params[-1], account.writes[-1].by_block.max()
        return "" if worst <= most else f"one block writes {worst} elements of `{name}`, where its share is {most}."

    return Fact(says, "serial", look, hint)


def spread(seen: Any, launch: tuple[tuple[int, ...], tuple[int, ...]], what: str) -> None:
    """Refuse a launch that no GPU takes, or that leaves most of it without work: of few blocks, or of many of which one does the work.

    Parameters
    ----------
    seen : Trace
        Of a small launch.
    launch : tuple
        Blocks and threads of a large one.
    what : str
        What the large one is for: ``"8192 × 8192 temperatures"``.
    """
    try:
        limits.check(*launch, kernel="")
    except KernelError as error:
        refuse("launch-limit", f"{str(error).splitlines()[-1].partition('. ')[0].rstrip('.')}.", case=what)
    gpu, blocks = gpus.find("H200"), math.prod(launch[0])
    advice = "Let each block do a part of its own, and launch as many blocks as there are parts."
    if blocks < gpu.sms:
        refuse(
            "serial",
            f"the result is right, but {what} are launched as {blocks} block{'s' * (blocks != 1)}. A block runs on one "
            f"multiprocessor, and an {gpu.name} has {gpu.sms} of them: the others have nothing to do.",
            advice=advice,
        )
    by_block = of_kernel(seen).writes[-1].by_block
    if len(by_block) >= _FEW and 2 * by_block.max() > by_block.sum():
        refuse(
            "serial",
            f"the result is right, but of {len(by_block)} blocks one writes {by_block.max() / by_block.sum():.0%} of the result: the "
            "others have nothing to do.",
            advice=advice,
        )
