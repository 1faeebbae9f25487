"""``deploying.plan``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from hundredfold.learning.problems.deploying.plan import cost, fits, plan, seconds

from ..edits import Wrong


def _by(key: Callable[[Mapping[str, float], Mapping[str, Any], int], float], **loose: bool) -> Any:
    """A planner that minimises something, and overlooks some of the conditions."""

    def chosen(job: dict[str, float], offers: list[dict[str, Any]]) -> tuple[str, int] | None:
        seen = {**job, **{name: 0 for name in ("serial", "start", "memory") if loose.get(name)}}
        if loose.get("deadline"):
            seen["deadline"] = math.inf
        most = 10**3 if loose.get("most") else 0
        found = [
            (key(seen, offer, n), n, offer["name"])
            for offer in offers
            for n in range(1, max(offer["most"], most) + 1)
            if fits(seen, {**offer, "most": max(offer["most"], most)}, n)
        ]
        return min(found)[:0:-1] if found else None

    return chosen


def _always_some(job: dict[str, float], offers: list[dict[str, Any]]) -> tuple[str, int]:
    return plan(job, offers) or (offers[-1]["name"], offers[-1]["most"])


def _one_machine(job: dict[str, float], offers: list[dict[str, Any]]) -> tuple[str, int] | None:
    return plan(job, [{**offer, "most": 1} for offer in offers])


def _smallest_number(job: dict[str, float], offers: list[dict[str, Any]]) -> tuple[str, int] | None:
    """For each offer the fewest machines that are in time; more of them can be cheaper by the begun minutes."""
    first = {}
    for offer in offers:
        n = next((n for n in range(1, offer["most"] + 1) if fits(job, offer, n)), None)
        if n is not None:
            first[cost(job, offer, n), offer["name"]] = n
    return (min(first)[1], first[min(first)]) if first else None


def _with_inf(job: dict[str, float], offers: list[dict[str, Any]]) -> list[Any] | None:
    best, least = None, math.inf
    for offer in offers:
        n = np.arange(1, offer["most"] + 1)
        took = job["start"] + (job["serial"] + job["parallel"] / n) / offer["speed"]
        paid = n * np.ceil(took / 60 - 1e-9) * offer["price"]
        paid[(took > job["deadline"] + 1e-9) | (n * offer["memory"] < job["memory"])] = math.inf
        if paid.min() < least:
            best, least = [offer["name"], n[paid.argmin()]], paid.min()
    return best


def _before_the_deadline(job: dict[str, float], offers: list[dict[str, Any]]) -> tuple[str, int] | None:
    return plan({**job, "deadline": job["deadline"] - 1e-6}, offers)


def _at_most_64(job: dict[str, float], offers: list[dict[str, Any]]) -> tuple[str, int] | None:
    return plan(job, [{**offer, "most": min(offer["most"], 64)} for offer in offers])


def _kept() -> Any:
    """Plans are kept by job, whatever is offered."""
    found: dict[Any, Any] = {}

    def chosen(job: dict[str, float], offers: list[dict[str, Any]]) -> tuple[str, int] | None:
        at = tuple(sorted(job.items()))
        if at not in found:
            found[at] = plan(job, offers)
        return found[at]

    return chosen


def _in_cents(job: dict[str, float], offers: list[dict[str, Any]]) -> tuple[str, int] | None:
    every = [(offer, n) for offer in offers for n in range(1, offer["most"] + 1) if fits(job, offer, n)]
    best = min(every, key=lambda one: round(cost(job, *one), 2), default=None)
    return best and (best[0]["name"], best[1])


WRONG = {
    "fastest": Wrong(_by(seconds), "fastest"),
    "by the second": Wrong(_by(lambda j, o, n: n * seconds(j, o, n) * o["price"]), "billing"),
    "least per hour": Wrong(_by(lambda j, o, n: n * o["price"]), "cheapest-hour"),
    "no deadline": Wrong(_by(cost, deadline=True), "deadline"),
    "nothing serial": Wrong(_by(cost, serial=True), "deadline"),
    "no start": Wrong(_by(cost, start=True), "deadline"),
    "no memory": Wrong(_by(cost, memory=True), "unfit"),
    "any number": Wrong(_by(cost, most=True), "unavailable"),
    "one machine": Wrong(_one_machine, "lost"),
    "the fewest machines": Wrong(_smallest_number, "billing"),
    "always some": Wrong(_always_some, "deadline"),
    "only the name": Wrong(lambda job, offers: offers[0]["name"], "type"),
    "before the deadline": Wrong(_before_the_deadline, "boundary"),
    "at most 64": Wrong(_at_most_64, "lost"),
    "kept by job": Wrong(_kept(), "labels"),
    "rounded to cents": Wrong(_in_cents, "dear"),
    "the place, not the name": Wrong(lambda job, offers: (0, 1), "labels"),
}
RIGHT = {"the solution": plan, "arrays": _with_inf}
