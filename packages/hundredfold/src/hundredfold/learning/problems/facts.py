"""Facts: what a verdict says of how an answer works, each read from the account of what was seen of its calls.

An answer's form is not looked at: a fact holds or fails by bytes, launches, threads and tasks. What nobody looked at is not said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .traffic import Traffic, spell
from .verdict import Refusal


@dataclass(frozen=True)
class Account:
    """What was seen of one call. None stands for what was not looked at.

    Parameters
    ----------
    to_host, to_device : int
        Bytes over the bus.
    largest : int
        Bytes of the largest copy among these.
    moved : int
        Bytes that kernels read and wrote in device memory.
    launches : int
        Kernels.
    by_one : sequence of (str, int)
        For each argument of a kernel its name there and the most elements that one thread reads of it.
    tasks : int
        Tasks that Dask ran.
    """

    to_host: int | None = None
    to_device: int | None = None
    largest: int | None = None
    moved: int | None = None
    launches: int | None = None
    by_one: Sequence[tuple[str, int]] | None = None
    tasks: int | None = None


def of_call(traffic: Traffic) -> Account:
    """The account of a call, by the device; on a GPU without what only the simulator counts."""
    launches = None if traffic.device is None else len(traffic.launches)
    return Account(traffic.to_host, traffic.to_device, traffic.largest, traffic.device, launches)


def of_trace(seen: Any) -> Account:
    """The account of a kernel, by the lens."""
    counts = seen.log.explain()
    by_one = [(name, counts.get(name, {}).get("reads_by_one", 0)) for name in seen.function.params]
    return Account(launches=1, by_one=by_one)


def of_graph(ran: Any) -> Account:
    """The account of what Dask ran."""
    return Account(tasks=len(ran.tasks))


SCALAR = 16
"""Bytes of the largest number."""

Look = Callable[[Account, tuple[Any, ...]], str | None]


@dataclass(frozen=True)
class Fact:
    """What a problem asks of how an answer works.

    Parameters
    ----------
    says : str
        What a verdict says where it was seen in every case; empty where nothing is said.
    reason : str
        The slug for which an answer is refused that does otherwise.
    look : callable
        ``look(account, arguments) -> str``: empty where it holds; what was seen where it does not; None where the account does
        not tell. The arguments are the case's, on the host.
    hint : str
        The advice.
    """

    says: str
    reason: str
    look: Look
    hint: str = ""


class Seen:
    """Which facts were looked at in every case of a problem."""

    def __init__(self, facts: Sequence[Fact]):
        self.facts = facts
        self._looked: dict[Fact, bool] = {}

    def look(self, account: Account, arguments: tuple[Any, ...]) -> None:
        """Refuse a call that does not do what the facts say."""
        for fact in self.facts:
            found = fact.look(account, arguments)
            if found:
                raise Refusal(fact.reason, f"the result is right, but {found}", advice=fact.hint, of_case=False)
            self._looked[fact] = self._looked.get(fact, True) and found is not None

    def untold(self) -> list[Fact]:
        """The facts that were not told in every case."""
        return [fact for fact in self.facts if not self._looked.get(fact)]

    def join(self, other: Seen) -> None:
        """Take over what was seen elsewhere, in the same cases."""
        self._looked |= other._looked

    def said(self, verified: str) -> str:
        """What was verified besides, with the facts that were seen in every case, as one clause."""
        clauses = [verified, *(fact.says for fact in self.facts if self._looked.get(fact))]
        *first, last = [clause for clause in clauses if clause] or [""]
        return f"{', '.join(first)}, and {last}" if first else last


def crossings(
    says: str,
    *,
    to_host: int | None = 16,
    to_device: int | None = 16,
    of: Callable[..., int] | None = None,
    hint: str = "",
) -> Fact:
    """At most so many bytes over the bus each way, however large the arguments: a scalar, no data. None is no limit.

    With `of`, ``of(*arguments)`` times as many, if each copy is a scalar.
    """

    def look(account: Account, arguments: tuple[Any, ...]) -> str | None:
        if account.to_host is None or account.to_device is None:
            return None
        times = of(*arguments) if of is not None and (account.largest or 0) <= SCALAR else 1
        if to_host is not None and account.to_host > to_host * times:
            if account.to_host <= SCALAR:
                return f"{spell(account.to_host)} went from the device to the host, and {to_host or 'nothing'} should. {_WAITS}"
            return f"{spell(account.to_host)} went from the device to the host. The data should stay on the device."
        if to_device is not None and account.to_device > to_device * times:
            return (
                f"{spell(account.to_device)} went from the host to the device. All that is needed lies there already."
            )
        return ""

    return Fact(says, "transfer", look, hint)


_WAITS = (
    "The program waits for each number that is fetched. An `if`, a `float` or an `int` of something on the device fetches one, and so "
    "does `x[mask]`, whose size nobody knows before."
)


def at_most_launches(says: str, most: int, *, reason: str = "kernels", hint: str = "") -> Fact:
    """At most so many kernels for a call; composites of a library count as the kernels that they launch."""

    def look(account: Account, arguments: tuple[Any, ...]) -> str | None:
        if account.launches is None:
            return None
        return "" if account.launches <= most else f"it takes {account.launches} kernels; {most} are enough."

    return Fact(says, reason, look, hint)


def shared_reads(says: str, most: Callable[..., Sequence[int]], *, reason: str = "traffic", hint: str = "") -> Fact:
    """No thread of a kernel reads more elements of each argument than ``most(*arguments)`` gives for it."""

    def look(account: Account, arguments: tuple[Any, ...]) -> str | None:
        if account.by_one is None:
            return None
        for (name, reads), allowed in zip(account.by_one, most(*arguments), strict=False):
            if reads > allowed:
                return f"one thread reads {reads} elements of `{name}`; its share of the work is {allowed}."
        return ""

    return Fact(says, reason, look, hint)
