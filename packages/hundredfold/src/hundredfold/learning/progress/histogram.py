"""Numbers in bins that a reader would have chosen: one for each value where they are few, round edges where they are many."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

FEW = 12


@dataclass(frozen=True)
class Bar:
    """`count` answers that `label` says: a value, or from where to below where."""

    label: str
    count: int


def bars(values: Sequence[float | str]) -> list[Bar]:
    """The bars of a histogram of finite numbers and words; numbers first, in order, then words, the most frequent first.

    Up to `FEW` different numbers have a bar each.  More are put into bins: where the middle nine tenths span less than a factor
    of 100, about ten of equal width, and what lies outside of them in one at either end; else into thirds of a decade (1, 2, 5).
    """
    numbers = sorted(float(value) for value in values if not isinstance(value, str))
    words = Counter(value for value in values if isinstance(value, str))
    counted = Counter(numbers)
    if len(counted) <= FEW:
        made = [Bar(number(value), count) for value, count in counted.items()]
    else:
        made = _binned(numbers)
    return made + [Bar(word, count) for word, count in sorted(words.items(), key=lambda each: (-each[1], each[0]))]


def _binned(numbers: list[float]) -> list[Bar]:
    low, high = (numbers[round(share * (len(numbers) - 1))] for share in (0.05, 0.95))
    if low > 0 and high / low >= 100:
        edges = _decades(low, high)
    elif high > 0 and low <= 0 and numbers[len(numbers) // 2] > 0 and high / numbers[len(numbers) // 2] >= 100:
        edges = _decades(max(numbers[len(numbers) // 2] / 100, 1e-300), high)
    else:
        edges = _even(low, high)
    counts = [0] * (len(edges) + 1)
    for value in numbers:
        counts[sum(value >= edge for edge in edges)] += 1
    labels = [
        f"below {number(edges[0])}",
        *(f"{number(a)} to {number(b)}" for a, b in zip(edges, edges[1:], strict=False)),
        f"{number(edges[-1])} or more",
    ]
    found = [Bar(label, count) for label, count in zip(labels, counts, strict=True)]
    return found[0 if counts[0] else 1 : len(found) if counts[-1] else -1]


def _even(low: float, high: float) -> list[float]:
    width = (high - low) / 10
    if width <= 0:
        width = abs(low) / 10 or 0.1
    size = 10.0 ** math.floor(math.log10(width))
    width = next(step * size for step in (1, 2, 5, 10) if step * size >= width * 0.999)
    first = math.floor(low / width)
    return [round((first + i) * width, 12) for i in range(math.floor((high - low) / width) + 3)]


def _decades(low: float, high: float) -> list[float]:
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    edges = [step * 10.0**power for power in range(first, last + 1) for step in (1, 2, 5)]
    if len(edges) > 30:
        edges = [10.0**power for power in range(first, last + 1, max(1, (last - first) // 12))]
    begin = max(i for i, edge in enumerate(edges) if i == 0 or edge <= low)
    end = next((i for i, edge in enumerate(edges) if edge > high), len(edges) - 1)
    return edges[begin : end + 1]


def number(value: float) -> str:
    """A number for a label: whole numbers in full up to a million, others with four digits."""
    if value == int(value) and abs(value) < 1e6:
        return f"{int(value):,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
    return f"{value:.4g}"
