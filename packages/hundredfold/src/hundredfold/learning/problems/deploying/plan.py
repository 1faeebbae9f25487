"""``deploying.plan``: the cheapest plan that meets a deadline, judged against the limit.

The specification tries everything; the limit is what nobody can pay less than: all of the work at the best price for it, with
nothing serial, nothing to start and nothing rounded up.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import guard
from ..guard import article, require_callable
from ..problem import Problem
from ..properties import seeds
from ..verdict import Verified, attempted, refuse

GB = 10**9
_DRAWN = 40
"""Cases by each seed."""


def seconds(job: Mapping[str, float], offer: Mapping[str, Any], n: int) -> float:
    """How long n machines of an offer are rented: the start, the serial part on one, the rest on all."""
    return job["start"] + (job["serial"] + job["parallel"] / n) / offer["speed"]


def cost(job: Mapping[str, float], offer: Mapping[str, Any], n: int) -> float:
    """What they cost: each machine is billed by the begun minute."""
    minutes = math.ceil(seconds(job, offer, n) / 60 - 1e-9)
    return n * minutes / 60 * offer["price"]


def fits(job: Mapping[str, float], offer: Mapping[str, Any], n: int) -> bool:
    """Whether there are so many, whether their memory holds the data, and whether they are in time."""
    there = 1 <= n <= offer["most"] and n * offer["memory"] >= job["memory"]
    return there and seconds(job, offer, n) <= job["deadline"] + 1e-9


def every(job: Mapping[str, float], offers: list[dict[str, Any]]) -> list[tuple[float, str, int]]:
    """All plans that would do, each with its cost."""
    return [
        (cost(job, offer, n), offer["name"], n)
        for offer in offers
        for n in range(1, offer["most"] + 1)
        if fits(job, offer, n)
    ]


def plan(job: Mapping[str, float], offers: list[dict[str, Any]]) -> tuple[str, int] | None:
    """The cheapest plan; of several the one that needs fewest machines. None where nothing is in time."""
    found = every(job, offers)
    return min(found, key=lambda one: (round(one[0], 9), one[2]))[1:] if found else None


def limit(job: Mapping[str, float], offers: list[dict[str, Any]]) -> float:
    """Dollars that nobody can stay below: the work itself at the best price for it."""
    return min(offer["price"] / offer["speed"] for offer in offers) * (job["serial"] + job["parallel"]) / 3600


def _offer(name: str, price: float, speed: float, memory: float, most: int) -> dict[str, Any]:
    return {"name": name, "price": price, "speed": speed, "memory": memory * GB, "most": most}


def _job(serial: float, parallel: float, memory: float, deadline: float, start: float = 90) -> dict[str, float]:
    return {"serial": serial, "parallel": parallel, "memory": memory * GB, "deadline": deadline, "start": start}


# Prices as in `toolkit.costs`, May 2026, rounded; the speeds are made up.
OFFERS = [
    _offer("c5", 3.06, 1.0, 144, 40),
    _offer("L4", 0.80, 2.0, 24, 64),
    _offer("A100", 1.48, 9.0, 40, 16),
    _offer("H100", 3.78, 20.0, 80, 16),
]

CASES: dict[str, tuple[dict[str, float], list[dict[str, Any]]]] = {
    "an hour's work, no hurry": (_job(60, 36_000, 20, 86_400), OFFERS),
    "the same in ten minutes": (_job(60, 36_000, 20, 600), OFFERS),
    "much that is serial, and a near deadline": (_job(2_400, 20_000, 20, 420), OFFERS),
    "500 GB that must be in memory": (_job(300, 90_000, 500, 7_200), OFFERS),
    "a job of seconds": (_job(5, 200, 1, 3_600, start=30), OFFERS),
    "a minute begun": (
        _job(0, 6_000, 1, 3_600, start=0),
        [_offer("slow", 1.0, 1.0, 10, 200), _offer("fast", 3.9, 4.0, 10, 200)],
    ),
    "as many as there are": (
        _job(0, 10_000, 10, 1_000, start=0),
        [_offer("few", 1.0, 2.0, 10, 4), _offer("many", 3.0, 2.0, 10, 50)],
    ),
    "a deadline met to the second": (_job(0, 6_000, 10, 600, start=0), [_offer("only", 1.0, 1.0, 10, 19)]),
    "one machine more for less money": (
        _job(0, 121, 1, 100, start=0),
        [_offer("only", 60.0, 1.0, 10, 5)],
    ),
    "memory that is just enough": (
        _job(10, 20_000, 96, 9_000),
        [_offer("small", 1.0, 1.0, 24, 40), _offer("large", 5.0, 1.0, 96, 10)],
    ),
    "nothing is in time": (_job(4_000, 100, 10, 120), OFFERS),
    "more memory than there is": (_job(10, 100, 9_000, 3_600), OFFERS),
    "one offer, one machine": (_job(600, 0, 10, 3_600, start=0), [_offer("only", 2.0, 1.0, 10, 1)]),
}


UNLISTED = {
    "a deadline that is missed by a hundredth of a second": (
        _job(0, 6_000, 10, 599.99, start=0),
        [_offer("only", 1.0, 1.0, 10, 19)],
    ),
    "offers that differ by less than a cent": (
        _job(0, 100, 1, 3_600, start=0),
        [_offer("dear", 0.50, 1.0, 10, 1), _offer("cheap", 0.48, 1.1, 10, 1)],
    ),
    "a hundred machines": (_job(0, 6_000, 1, 60, start=0), [_offer("only", 1.0, 1.0, 10, 150)]),
    "an hour's work, as before, and other offers": (
        _job(60, 36_000, 20, 86_400),
        [_offer("other", 2.0, 3.0, 100, 30), _offer("c5", 9.0, 1.0, 144, 40)],
    ),
}


def _drawn(rng: np.random.Generator) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """A job and offers of no round numbers, so that rounding decides nothing."""
    job = _job(
        rng.uniform(0, 900), rng.uniform(100, 60_000), rng.uniform(1, 400), rng.uniform(300, 9_000), rng.uniform(0, 200)
    )
    names = rng.permutation(["a", "b", "c", "d", "e"])[: rng.integers(1, 6)]
    return job, [
        _offer(str(name), rng.uniform(0.3, 9), rng.uniform(0.5, 20), rng.uniform(8, 160), int(rng.integers(1, 60)))
        for name in names
    ]


def all_cases() -> dict[str, tuple[dict[str, float], list[dict[str, Any]]]]:
    """Those that the verdict names, and those that are drawn."""
    drawn = {
        f"job {number} (seed {seed})": _drawn(np.random.default_rng([seed, number]))
        for seed in seeds()
        for number in range(_DRAWN)
    }
    return {**CASES, **UNLISTED, **drawn}


def judge(problem: Problem, answers: tuple[Any, ...]) -> Verified:
    """Judge a planner by what its plans would really take and cost."""
    function = answers[0]
    require_callable(function, "plan")
    shares = []
    for number, (name, (job, offers)) in enumerate(all_cases().items()):
        given = copy.deepcopy((job, offers))
        called = guard.call(function, *given, limit=problem.time_limit, wait=False)
        if number == 0:
            attempted(called.value, called.printed, first=True)
        _judge(name, job, offers, called.value)
        if given != (job, offers):
            refuse("aliasing", "the result is right, but the job or the offers were changed by the call.", case=name)
        if called.value is not None and name in CASES:
            shares.append(limit(job, offers) / _cost(job, offers, called.value))
    share = 100 * sum(shares) / len(shares)
    what = f"{len(CASES)} cases ({'; '.join(CASES)}), and {_DRAWN} drawn."
    return Verified(what, f"How near to the limit: {share:.0f} % (the limit: all of the work at the best price for it, nothing serial, "
                    "nothing to start, nothing rounded up). Nobody comes nearer with these offers.")  # fmt: skip


def _cost(job: Mapping[str, float], offers: list[dict[str, Any]], chosen: tuple[str, int]) -> float:
    return cost(job, next(offer for offer in offers if offer["name"] == chosen[0]), chosen[1])


def _seconds(job: Mapping[str, float], offers: list[dict[str, Any]], chosen: tuple[str, int]) -> float:
    return seconds(job, next(offer for offer in offers if offer["name"] == chosen[0]), chosen[1])


def _judge(case: str, job: Mapping[str, float], offers: list[dict[str, Any]], answer: Any) -> None:
    best = plan(job, offers)
    if answer is None:
        if best is not None:
            refuse(
                "lost",
                f'it finds no plan; {best[1]} of "{best[0]}" would do, for {_cost(job, offers, best):.2f} dollars.',
                case=case,
            )
        return
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        refuse(
            "type",
            f'a plan is the name of an offer and a number, ("A100", 4), or None; it is {article(answer)}.',
            case=case,
        )
    name, n = answer
    offer = next((each for each in offers if each["name"] == name), None)
    if offer is None:
        refuse("labels", f"there is no offer called {name!r}.", case=case)
    if isinstance(n, bool) or not isinstance(n, int) and not (hasattr(n, "__index__")):
        refuse("type", f"how many machines is a whole number; it is {article(n)}.", case=case)
    n = int(n)
    plans = f'{n} of "{name}"'
    if not 1 <= n <= offer["most"]:
        refuse("unavailable", f"{plans}: there are {offer['most']}.", case=case)
    if n * offer["memory"] < job["memory"]:
        refuse(
            "unfit",
            f"{plans} have {n * offer['memory'] / GB:g} GB, and the job needs {job['memory'] / GB:g} GB in memory.",
            case=case,
        )
    took = seconds(job, offer, n)
    if took > job["deadline"] + 1e-9:
        whole = job["start"] + job["parallel"] / n / offer["speed"] <= job["deadline"]
        started = took - job["start"] <= job["deadline"]
        why = " Its serial part is not divided among them." * whole + " They have to start first." * started
        refuse("deadline", f"{plans} take {took:.0f} s, and the deadline is {job['deadline']:.0f} s.{why}", case=case)
    assert best is not None  # the answer is one
    paid, least = _cost(job, offers, (name, n)), _cost(job, offers, best)
    if paid > least * 1.000001 + 1e-9:
        _dear(case, job, offers, (name, n), paid, best, least)


def _dear(
    case: str, job: Mapping[str, float], offers: list[dict[str, Any]], given: tuple[str, int], paid: float,
    best: tuple[str, int], least: float,
) -> None:  # fmt: skip
    """Refuse a plan that works and costs too much, by what it was probably chosen by."""
    text = f'{given[1]} of "{given[0]}" cost {paid:.4g} dollars; {best[1]} of "{best[0]}" are in time as well, for {least:.4g}.'
    if math.isclose(_seconds(job, offers, best), job["deadline"], rel_tol=1e-9):
        refuse("boundary", f"{text} They take exactly as long as the deadline, which is in time.", case=case)
    all_plans = [(offer, n) for offer in offers for n in range(1, offer["most"] + 1) if fits(job, offer, n)]
    ways: dict[str, tuple[Callable[[Any, int], float], str]] = {
        "billing": (
            lambda o, n: n * seconds(job, o, n) * o["price"],
            " By the second it would be the cheapest; a begun minute costs a whole one.",
        ),
        "fastest": (lambda o, n: seconds(job, o, n), " It is the fastest. A deadline asks for no more than to be met."),
        "cheapest-hour": (lambda o, n: n * o["price"], " It costs least in an hour, but takes longer."),
    }
    for reason, (by, said) in ways.items():
        chosen = min(all_plans, key=lambda one: by(*one))
        offer = next(each for each in offers if each["name"] == given[0])
        if math.isclose(by(*chosen), by(offer, given[1]), rel_tol=1e-9):
            refuse(reason, text + said, case=case)
    refuse("dear", text, case=case)


PLAN = Problem(
    id="deploying.plan",
    title="The cheapest plan in time",
    kind="open",
    answers=("plan",),
    specification=plan,
    lines=10,
    judge=judge,
    hints=(
        "There are few offers and few machines of each: compute the cost of every plan, leave out those that do not work, and take the cheapest.",
        "A plan works if there are that many, if their memory together holds the data, and if start + (serial + parallel / n) / speed "
        "is within the deadline.",
        "Each machine is billed from its start to the end, by the begun minute: n · ceil(seconds / 60) / 60 · price.",
    ),
    advice={
        "billing": "Try each number of machines: a begun minute is paid for by all of them.",
    },
    time_limit=10.0,
)
