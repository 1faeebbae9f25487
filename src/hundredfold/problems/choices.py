"""Judge decisions: one label per item, each with a reason that follows from numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .guard import article
from .problem import Problem
from .untouched import missing
from .verdict import NotAttempted, Verified, refuse


@dataclass(frozen=True)
class Item:
    """One decision: the right label, the sentence that shows why, and the reason for which the other label is refused."""

    right: str
    why: str
    reason: str


def turned(right: Mapping[str, str], *keys: str) -> dict[str, str]:
    """The right decisions between "cpu" and "gpu" with those of some keys turned round: known wrong answers."""
    other = {"cpu": "gpu", "gpu": "cpu"}
    return {key: other[label] if key in keys else label for key, label in right.items()}


def but(right: Mapping[str, str], **other: str) -> dict[str, str]:
    """The right decisions with these in their places: a known wrong answer."""
    return {**right, **other}


@dataclass(frozen=True)
class ChoicesJudge:
    """Judge a dict of decisions.

    Parameters
    ----------
    items : mapping
        Key to `Item`, in the order in which they are judged.
    labels : tuple of str
        What may be chosen.
    uniform : mapping
        Label to (reason, sentence): what is said when everything got that one label.
    """

    items: Mapping[str, Item]
    labels: tuple[str, ...]
    uniform: Mapping[str, tuple[str, str]]

    def __call__(self, problem: Problem, answers: tuple[Any, ...]) -> Verified:
        chosen = self._labels(problem, answers[0])
        if set(chosen) == set(self.items) and len(set(chosen.values())) == 1:
            refuse(*self.uniform[next(iter(chosen.values()))])
        for key, item in self.items.items():
            if key in chosen and chosen[key] != item.right:
                refuse(item.reason, f'{key}: not "{chosen[key]}". {item.why}')
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
