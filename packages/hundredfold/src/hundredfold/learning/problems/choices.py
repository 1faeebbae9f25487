"""Decisions: for each job a label, and a reason that follows from numbers. `decide` builds such a problem from its jobs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .guard import article
from .problem import Problem
from .untouched import missing
from .verdict import NotAttempted, Verified, refuse


def seconds(time: float) -> str:
    """A time for a sentence, of three digits."""
    if time >= 999.5:
        return f"{float(f'{time:.3g}'):,.0f} s".replace(",", " ")
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if time >= scale * 0.9995:
            return f"{time / scale:.3g} {unit}"
    return f"{time / 1e-9:.3g} ns"


@dataclass(frozen=True)
class Rates:
    """What a processor does at most: bytes and operations a second, and the seconds that one call or launch costs."""

    bandwidth: float
    rate: float = math.inf
    call: float = 0.0


@dataclass(frozen=True)
class Machine:
    """A CPU, a GPU, and a bus of `link` bytes a second between them."""

    cpu: Rates
    gpu: Rates
    link: float

    def times(
        self, nbytes: float, flops: float = 0.0, *, calls: int = 1, link: float = 0.0, fetch: float = 0.0
    ) -> dict[str, float]:
        """Least seconds of a job on the CPU, on the GPU with its crossings, and of those crossings alone (``"bus"``).

        Parameters
        ----------
        nbytes, flops : float
            Of one call. It takes the longer of bytes over bandwidth and operations over rate; 0 bytes where a cache has them.
        calls : int
        link, fetch : float
            Bytes that must cross the bus if it is done on the GPU; if it is done on the CPU.
        """
        cpu, gpu = (
            calls * (max(nbytes / side.bandwidth, flops / side.rate) + side.call) for side in (self.cpu, self.gpu)
        )
        return {"cpu": cpu + fetch / self.link, "gpu": gpu + link / self.link, "bus": link / self.link}


@dataclass(frozen=True)
class Job:
    """One job to decide on.

    Parameters
    ----------
    reason : str
        The slug for which any other label is refused.
    why : str
        What shows which label is right. ``{gpu}`` stands for that time in words.
    times : mapping
        Seconds under each label. Other names (``"bus"``) are there for the sentence.
    hint : str
        The advice to whoever chose another label.
    right : str
        The label; empty for the one with the least time.
    """

    reason: str
    why: str
    times: Mapping[str, float] = field(default_factory=dict)
    hint: str = ""
    right: str = ""


@dataclass(frozen=True)
class ChoicesJudge:
    """Judge a dict of decisions.

    Parameters
    ----------
    items : mapping
        Key to `Job`, in the order in which they are judged; each with its label and its sentence as they are said.
    labels : tuple of str
        What may be chosen.
    uniform : mapping
        Label to (reason, sentence): what is said when everything got that one label.
    """

    items: Mapping[str, Job]
    labels: tuple[str, ...]
    uniform: Mapping[str, tuple[str, str]]

    @property
    def right(self) -> dict[str, str]:
        """The right label of each job."""
        return {key: item.right for key, item in self.items.items()}

    def __call__(self, problem: Problem, answers: tuple[Any, ...]) -> Verified:
        chosen = self._labels(problem, answers[0])
        if set(chosen) == set(self.items) and len(set(chosen.values())) == 1:
            refuse(*self.uniform[next(iter(chosen.values()))])
        for key, item in self.items.items():
            if key in chosen and chosen[key] != item.right:
                refuse(item.reason, f'{key}: not "{chosen[key]}". {item.why}', advice=item.hint)
        gaps = [key for key in self.items if key not in chosen]
        if gaps:
            done = " and ".join(chosen)
            be = "is" if len(self.items) - len(gaps) == 1 else "are"
            raise NotAttempted(f"{', '.join(gaps)} ({done} {be} right)" if done else "")
        return Verified("\n".join(f'{key}: "{item.right}". {item.why}' for key, item in self.items.items()))

    def _labels(self, problem: Problem, answer: Any) -> dict[str, str]:
        name, keys = problem.answers[0], ", ".join(f'"{key}"' for key in self.items)
        if not isinstance(answer, Mapping):
            refuse("type", f"{name} should be a dict with the keys {keys}; {article(answer)} was given.")
        unknown = [key for key in answer if key not in self.items]
        if unknown:
            refuse("labels", f"{name} has the unknown key {unknown[0]!r}; its keys are {keys}.")
        absent = [key for key in self.items if key not in answer]
        if absent:
            refuse("labels", f'{name} lacks the key "{absent[0]}"; its keys are {keys}.')
        chosen = {}
        for key in self.items:
            label = answer[key]
            if missing(label):
                continue
            tidy = label.strip().lower() if isinstance(label, str) else ""
            if tidy not in self.labels:
                allowed = " or ".join(f'"{allowed}"' for allowed in self.labels)
                given = repr(label) if isinstance(label, str) else article(label)
                refuse("labels", f"{key} should be {allowed}; it is {given}.")
            chosen[key] = tidy
        return chosen


def decide(
    id: str,
    title: str,
    jobs: Mapping[str, Job],
    *,
    uniform: Mapping[str, tuple[str, str]],
    hints: tuple[str, ...],
    lines: int = 1,
    answer: str = "decisions",
    said: Callable[[float], str] = seconds,
) -> Problem:
    """Build the problem of choosing a label for each job, each with its reason.

    Parameters
    ----------
    id, title, hints, lines
        As in `Problem`.
    jobs : mapping
        Name to `Job`, in the order in which they are judged.
    uniform : mapping
        Each label, in the order of the text, to (reason, sentence): what is said when every job got that one. ``{job}`` stands
        for the sentence of that job.
    answer : str
        The learner's variable.
    said : callable
        A time in words.
    """
    labels = tuple(uniform)
    items = {}
    for key, job in jobs.items():
        in_words = {name: said(time) for name, time in job.times.items()}
        best = job.right or min(labels, key=lambda label: job.times.get(label, math.inf))
        items[key] = replace(job, right=best, why=job.why.format_map(in_words))
    sentences = {key: item.why for key, item in items.items()}
    uniform = {label: (reason, why.format_map(sentences)) for label, (reason, why) in uniform.items()}
    return Problem(
        id=id,
        title=title,
        kind="decide",
        answers=(answer,),
        lines=lines,
        judge=ChoicesJudge(items, labels, uniform),
        hints=hints,
    )
