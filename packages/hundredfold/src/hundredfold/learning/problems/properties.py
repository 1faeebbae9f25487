"""Properties: what a problem's text claims of every argument, each with the cases that show whether an answer keeps to it.

A problem says how ordinary arguments are drawn, and names the properties; the cases follow from a seed:

>>> drawn = Drawn(lambda rng, size: (rng.standard_normal(size),), (8, 3), sizes((0, 3), (1, 5)), nans(), tiny())
>>> [case.name for case in drawn.cases(seed=1)]
['size (0, 3) (seed 1)', 'size (1, 5) (seed 1)', 'NaN in it (seed 1)', 'numbers of about 1e-09 (seed 1)']

The same seed gives the same cases, on every machine and in every order. A problem's own property is a `Property` of its own
`Strategy`: what is changed in ordinary arguments.
"""

from __future__ import annotations

import contextlib
import dataclasses
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .cases import Case

SEEDS = (1,)
"""The seeds by which every answer is judged. Grading has no others: a verdict can be repeated."""


@dataclass(frozen=True)
class Attempt:
    """What a learner's attempt is judged by besides.

    Parameters
    ----------
    seed : int or None
        One more seed; None for grading, and for a first attempt.
    failed : sequence of str
        The names of the cases that refused an earlier attempt: they are tried first.
    """

    seed: int | None = None
    failed: Sequence[str] = ()


GRADING = Attempt()
_attempt: ContextVar[Attempt] = ContextVar("attempt", default=GRADING)


def seed_of(problem: str, number: int) -> int:
    """The seed of an attempt: the problem's number, and the attempt's in the last three digits."""
    return zlib.crc32(problem.encode()) % 1000 * 1000 + number


@contextlib.contextmanager
def judging(attempt: Attempt) -> Iterator[None]:
    """In the block, cases are drawn for this attempt."""
    token = _attempt.set(attempt)
    try:
        yield
    finally:
        _attempt.reset(token)


def seeds() -> tuple[int, ...]:
    """The seeds of the attempt that is judged."""
    own = _attempt.get().seed
    return SEEDS if own is None else (*SEEDS, own)


Arguments = tuple[Any, ...]
Rng = np.random.Generator


@dataclass(frozen=True)
class Strategy:
    """One way to draw a case.

    Parameters
    ----------
    words : str
        What it is called for the learner, after "with".
    size : object
        What is drawn instead of the ordinary size; None for that.
    change : callable, optional
        ``change(rng, arguments) -> arguments``: made of ordinary ones.
    again : bool
        Whether the function is called once more with other data, and the first result looked at after it.
    settings : mapping
        Of the `Case`: tolerances, a view.
    dtype : str
        To which `change` converts; empty where it does not.
    crossed : bool
        Whether it is drawn once more in each dtype of floats that the problem names: what it asks for is exact in all of them.
    """

    words: str
    size: Any = None
    change: Callable[[Rng, Arguments], Arguments] | None = None
    again: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    dtype: str = ""
    crossed: bool = False


@dataclass(frozen=True)
class Property:
    """A property: its strategies, and the hint for an answer that does not keep to it."""

    strategies: tuple[Strategy, ...]
    hint: str = ""


@dataclass(frozen=True, init=False)
class Drawn:
    """The cases of a problem that are drawn.

    Parameters
    ----------
    arguments : callable
        ``arguments(rng, size) -> tuple``: ordinary arguments, on the host.
    size : object
        The ordinary size, in whatever form `arguments` takes it.
    *properties : Property
    case : callable
        ``case(name, make, **settings)``: `Case`, or what the problem's judge takes.
    """

    arguments: Callable[[Rng, Any], Arguments]
    size: Any
    properties: tuple[Property, ...]
    case: Callable[..., Any]

    def __init__(
        self,
        arguments: Callable[[Rng, Any], Arguments],
        size: Any,
        *properties: Property,
        case: Callable[..., Any] = Case,
    ):
        for name, value in (("arguments", arguments), ("size", size), ("properties", properties), ("case", case)):
            object.__setattr__(self, name, value)

    def cases(self, seed: int) -> tuple[Any, ...]:
        """One case for each strategy, in order; then those that are crossed, in each dtype of floats."""
        strategies = [(each, strategy) for each in self.properties for strategy in each.strategies]
        floats = [strategy for _, strategy in strategies if strategy.dtype and np.dtype(strategy.dtype).kind == "f"]
        strategies += [(each, _both(one, other)) for each, one in strategies if one.crossed for other in floats]
        return tuple(self._case(each, strategy, seed) for each, strategy in strategies)

    def _case(self, each: Property, strategy: Strategy, seed: int) -> Any:
        def make(more: int = 0) -> Arguments:
            # By the strategy's words, so that a case stays as it is when others come or go.
            rng = np.random.default_rng([seed, zlib.crc32(strategy.words.encode()), more])
            drawn = self.arguments(rng, self.size if strategy.size is None else strategy.size)
            return drawn if strategy.change is None else strategy.change(rng, drawn)

        settings = dict(strategy.settings)
        if each.hint:
            settings["hint"] = each.hint
        if strategy.again:
            settings["again"] = lambda: make(1)
        return self.case(f"{strategy.words} (seed {seed})", make, **settings)


def _both(one: Strategy, dtype: Strategy) -> Strategy:
    """A strategy in another dtype."""
    return dataclasses.replace(
        one,
        words=f"{one.words}, in {dtype.words}",
        change=lambda rng, drawn: dtype.change(rng, one.change(rng, drawn)),
        settings={**one.settings, **dtype.settings},
    )


def all_cases(judge: Any) -> list[Any]:
    """The cases of a judge: those that its verdict names, those that it does not, and those that are drawn.

    After the first, by which it is seen whether anything was attempted, come those that refused an earlier attempt.
    """
    failed = _attempt.get().failed
    drawn = [case for seed in seeds() for case in drawn_by(judge, seed)]
    cases = [*judge.cases, *judge.unlisted, *drawn]
    again = [case for name in failed for case in (named(name, cases) or by_name(judge, name),) if case is not None]
    first, *others = cases
    sooner = [case for case in again if case is not first]
    return [first, *sooner, *(case for case in others if case not in sooner)]


def cases_before(judge: Any, case: Any) -> list[Any]:
    """The cases that an answer has passed when it is refused with this one; none where the judge has no such case."""
    cases = all_cases(judge) if hasattr(judge, "unlisted") else []
    names = [each.name for each in cases]
    return cases[: names.index(case.name)] if case.name in names else []


def drawn_by(judge: Any, seed: int) -> Sequence[Any]:
    """The cases that are drawn for a judge by a seed."""
    return judge.drawn.cases(seed) if judge.drawn is not None else ()


_SEED = re.compile(r"\(seed (\d+)\)$")


def is_drawn(case: Any) -> bool:
    """Whether a case was drawn by a seed, which its name ends in."""
    return bool(_SEED.search(case.name))


def by_name(judge: Any, name: str) -> Any:
    """The case of this name, as a verdict tells it, by whichever seed it was drawn; None where there is none."""
    seed = _SEED.search(name)
    return named(name, [*judge.cases, *judge.unlisted, *(drawn_by(judge, int(seed[1])) if seed else ())])


def named(name: str, cases: Sequence[Any]) -> Any:
    """The case of this name, or of which it is the end: before it may stand with what the case was tried."""
    return next((case for case in cases if name == case.name or name.endswith(f", {case.name}")), None)


def _arrays(change: Callable[[Rng, np.ndarray], np.ndarray]) -> Callable[[Rng, Arguments], Arguments]:
    """A change of each array among the arguments."""
    return lambda rng, drawn: tuple(change(rng, each) if isinstance(each, np.ndarray) else each for each in drawn)


def sizes(*which: Any, words: str = "size {}", hint: str = "", **settings: Any) -> Property:
    """Arguments of these sizes: 0, 1, odd primes, what does not divide the work evenly."""
    return Property(tuple(Strategy(words.format(size), size, settings=settings) for size in which), hint)


def dtypes(*names: str, hint: str = "", **settings: Any) -> Property:
    """The arrays in each of these dtypes; in those of integers, whole numbers up to 100."""
    changes = [(name, _arrays(lambda rng, x, name=name: _cast(x, np.dtype(name)))) for name in names]
    return Property(
        tuple(Strategy(name, change=change, settings=settings, dtype=name) for name, change in changes), hint
    )


def _cast(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    if dtype.kind in "iu" and x.dtype.kind == "f" and x.size:
        # Numbers between 0 and 1 would all be 0.
        largest = float(np.abs(x).max()) or 1.0
        x = np.rint(x * (100 / largest)).clip(np.iinfo(dtype).min, np.iinfo(dtype).max)
    return x.astype(dtype)


def full_range(*names: str, hint: str = "", **settings: Any) -> Property:
    """The arrays as whole numbers of all sizes that each dtype has, both ends among them: a difference of two may not fit."""

    def change(rng: Rng, x: np.ndarray, dtype: np.dtype) -> np.ndarray:
        ends = np.iinfo(dtype)
        whole = rng.integers(ends.min, ends.max, x.shape, dtype=dtype, endpoint=True)
        whole.flat[:2] = (ends.max, ends.min)[: x.size]
        return whole

    return Property(
        tuple(
            Strategy(
                f"{name} of all sizes",
                change=_arrays(lambda rng, x, name=name: change(rng, x, np.dtype(name))),
                settings=settings,
            )
            for name in names
        ),
        hint,
    )


def layouts(*, hint: str = "") -> Property:
    """The same numbers in other steps: every other element of a longer last axis, and columns that lie in one piece."""
    wider, turned = _arrays(lambda rng, x: np.repeat(x, 2, axis=-1)), _arrays(lambda rng, x: np.ascontiguousarray(x.T))
    every_other, other_way = {"view": lambda x: x[..., ::2]}, {"view": lambda x: x.T}
    return Property(
        (
            Strategy("every other column of a wider array", change=wider, settings=every_other),
            Strategy("columns that lie in one piece", change=turned, settings=other_way),
        ),
        hint,
    )


def nans(*, hint: str = "", **settings: Any) -> Property:
    """NaN in one place of each array of floats."""
    return _in_one_place(np.nan, "NaN in it", hint, settings)


def infinities(*, hint: str = "", **settings: Any) -> Property:
    """Infinity in one place of each array of floats. What follows from it may be NaN or infinite, but nothing finite."""
    return _in_one_place(np.inf, "infinity in it", hint, {"finite_only": True, **settings})


def _in_one_place(value: float, words: str, hint: str, settings: Mapping[str, Any]) -> Property:
    def change(rng: Rng, x: np.ndarray) -> np.ndarray:
        if x.dtype.kind == "f" and x.size:
            x.flat[rng.integers(x.size)] = value
        return x

    return Property((Strategy(words, change=_arrays(change), settings=settings, crossed=True),), hint)


def constants(*, hint: str = "", **settings: Any) -> Property:
    """The same whole number everywhere."""
    change = _arrays(lambda rng, x: np.full_like(x, rng.integers(1, 9)))
    return Property((Strategy("the same number everywhere", change=change, settings=settings, crossed=True),), hint)


def ties(*, hint: str = "", **settings: Any) -> Property:
    """Few different numbers, equal ones side by side along the first axis: what looks constant at its beginning is not."""

    def change(rng: Rng, x: np.ndarray) -> np.ndarray:
        return np.sort(np.sign(x), axis=0)

    return Property(
        (Strategy("many equal numbers side by side", change=_arrays(change), settings=settings, crossed=True),), hint
    )


def tiny(scale: float = 1e-9, *, hint: str = "", **settings: Any) -> Property:
    """Numbers of this size: whoever compares with an absolute tolerance takes them for zeros."""
    return Property(
        (
            Strategy(
                f"numbers of about {scale:g}",
                change=_arrays(lambda rng, x: (x * scale).astype(x.dtype)),
                settings=settings,
            ),
        ),
        hint,
    )


def huge(offset: float = 1e8, *, hint: str = "", **settings: Any) -> Property:
    """Numbers that differ little beside what they have in common: a difference of their squares has lost the answer."""
    change = _arrays(lambda rng, x: (x + offset).astype(x.dtype))
    return Property((Strategy(f"numbers near {offset:g}", change=change, settings=settings),), hint)


def other_data(*, hint: str = "", **settings: Any) -> Property:
    """Other data of the ordinary size, against answers that only fit what is shown."""
    return Property((Strategy("other data", settings=settings),), hint)


def second_call(*, hint: str = "", **settings: Any) -> Property:
    """A call, another one with other data, and then the first result: it must be what it was. Then the second call's arrays or
    tables come again with the first one's data in them."""
    return Property((Strategy("two calls", again=True, settings=settings),), hint)
