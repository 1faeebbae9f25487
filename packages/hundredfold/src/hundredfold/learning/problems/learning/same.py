"""``learning.same``: two clusterings of the same points are the same if one is the other with its groups renamed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .. import devices
from ..bus import on_the_bus
from ..cases import Case
from ..differences import number
from ..functions import FunctionJudge, Run, recognise
from ..guard import article
from ..problem import Mistake, Problem
from ..properties import Drawn, Property, Strategy, other_data
from ..verdict import refuse


def same_clusters(a: np.ndarray, b: np.ndarray) -> bool:
    """The specification: a and b (n,), whole numbers, the groups of n points; True if some renaming of the groups, one
    name for one name, turns a into b."""
    pairs = len(set(zip(a.tolist(), b.tolist(), strict=True)))
    return pairs == len(set(a.tolist())) == len(set(b.tolist()))


def groups(n: int, k: int, seed: int = 0) -> np.ndarray:
    """n points in k groups of unequal size, int32; each group has at least one."""
    labels = (np.random.default_rng(seed).random(n) ** 2 * k).astype(np.int32)
    labels[:k] = np.arange(k)
    return labels


def renamed(labels: np.ndarray, seed: int = 0) -> np.ndarray:
    """The same groups under other names."""
    names = np.random.default_rng(seed).permutation(labels.max() + 1)
    names = np.roll(names, 1) if (names == np.arange(len(names))).all() else names
    return names[labels].astype(labels.dtype)


def _merged() -> tuple[np.ndarray, np.ndarray]:
    a = groups(60, 5, seed=3)
    return a, np.where(renamed(a) == renamed(a)[a == 4][0], renamed(a)[a == 3][0], renamed(a))


def _one_apart(n: int) -> tuple[np.ndarray, np.ndarray]:
    a = groups(n, 4, seed=5)
    b = renamed(a)
    place = np.flatnonzero(b == b[-1])[-1]
    b[place] = (b[place] + 1) % 4
    return a, b


def _of_one_size() -> tuple[np.ndarray, np.ndarray]:
    return np.repeat(np.arange(3, dtype=np.int32), 8), np.tile(np.arange(3, dtype=np.int32), 8)


def _drawn(rng: np.random.Generator, size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """n points in k groups, under the names 0 to k - 1 in either of the two; each group has two points at least."""
    n, k = size
    a = np.concatenate([np.arange(k), np.arange(k), rng.integers(0, k, n - 2 * k)])
    a = rng.permutation(a)
    return a, rng.permutation(k)[a]


def _apart(rng: np.random.Generator, drawn: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """One point in another group of the second."""
    a, b = drawn
    place = rng.integers(len(b))
    b = b.copy()
    b[place] = (b[place] + 1) % (b.max() + 1)
    return a, b


def _named(step: int, first: int, dtype: str, own: int | None = None) -> Callable[..., tuple[np.ndarray, ...]]:
    """The names in both, a step apart from a first one on; `own` is the step in the first of the two, where it has another."""
    steps = (step if own is None else own, step)
    return lambda rng, drawn: tuple((each * by + first).astype(dtype) for each, by in zip(drawn, steps, strict=True))


_NAMES = {
    "4 001 names from 0": (4_001, 1, 0, "int64"),
    "4 001 names from 0, in 32 bits": (4_001, 1, 0, "int32"),
    "4 001 names from 0, and multiples of 10⁶": (4_001, 10**6, 0, "int64", 1),
    "1 009 multiples of 2³²": (1_009, 2**32, 0, "int64"),
    "1 009 multiples of 2¹⁶, in 32 bits": (1_009, 2**16, 0, "int32"),
    "101 names from -50 on, in 8 bits": (101, 1, -50, "int8"),
    "211 names side by side near 2³⁰": (211, 1, 2**30, "int32"),
    "211 names side by side near 2⁶⁰": (211, 1, 2**60, "int64"),
    "211 names side by side near -2⁶⁰": (211, 1, -(2**60), "int64"),
}
_PLACES = (
    "A name may be any whole number, so no arithmetic with names is safe: two pairs may give the same number, and what is larger than 2⁵³ "
    "has no place in a float. `cp.unique(…, return_inverse=True)` gives small numbers from 0 in place of them."
)


def _noise(rng: np.random.Generator, drawn: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """The name -1 in both for the same points, but one of them, which is in another group in the second."""
    a, b = (each - 1 for each in (drawn[0], drawn[0]))
    b[np.flatnonzero(b == -1)[0]] = 3
    return a, b


def _ends_merged(rng: np.random.Generator, drawn: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """The groups with the first and the last name of one clustering are one group in the other."""
    a = drawn[0]
    return a, np.where(a == a.max(), a.min(), a)


def _of_names() -> Property:
    """Names of each kind, once of the same groups and once with a point in another."""
    strategies = []
    for words, (k, *named) in _NAMES.items():
        name = _named(*named)
        strategies.append(Strategy(f"the same groups, {words}", (3 * k, k), name))
        strategies.append(
            Strategy(
                f"one point in another group, {words}",
                (3 * k, k),
                lambda rng, drawn, name=name: name(rng, _apart(rng, drawn)),
            )
        )
    return Property(tuple(strategies), hint=_PLACES)


_OWN = "`bool(…)` makes a Python bool of NumPy's."


def _compare(run: Run) -> None:
    got = run.got
    if devices.is_device(got):
        refuse("device", f"the result is still on the device: {article(got)}. A Python bool was asked for: `bool(…)`.")
    if isinstance(got, np.bool_):
        refuse("type", "the result is a bool of NumPy. A Python bool was asked for: `bool(…)`.", advice=_OWN)
    if not isinstance(got, bool):
        said = f", {number(got)}" if isinstance(got, (float, int, np.number)) else ""
        refuse("type", f"the result is {article(got)}{said}. A bool was asked for: True or False.")
    if got is run.expected:
        return
    if not run.case.hint:  # where the case has advice of its own, one bit does not tell which mistake it is
        recognise(run, np.asarray(got))
    what = "These are the same groups under other names" if run.expected else "These are not the same groups"
    refuse("value", f"it says {got}. {what}.")


def _numbers(a: np.ndarray, b: np.ndarray) -> tuple[int, int, int]:
    pairs = set(zip(a.tolist(), b.tolist(), strict=True))
    return len(pairs), len(set(a.tolist())), len(set(b.tolist()))


def _same_sizes(a: np.ndarray, b: np.ndarray) -> bool:
    return sorted(np.unique(a, return_counts=True)[1]) == sorted(np.unique(b, return_counts=True)[1])


def _almost(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether at least 98 of 100 points fit a renaming."""
    best = sum(np.unique(b[a == name], return_counts=True)[1].max() for name in np.unique(a))
    back = sum(np.unique(a[b == name], return_counts=True)[1].max() for name in np.unique(b))
    return bool(min(best, back) >= 0.98 * a.size)


SAME = Problem(
    id="learning.same",
    title="Are these the same clusters?",
    kind="write",
    answers=("same_clusters",),
    specification=same_clusters,
    lines=4,
    judge=FunctionJudge(
        # Each of the first cases is one that only one mistake gets wrong.
        cases=(
            # The names are far apart, so that no two pairs have the same sum or difference.
            Case("5 groups under other names", lambda: (groups(60, 5), 1_000 * renamed(groups(60, 5)) + 7_000)),
            Case("two groups of the first that are one in the second", _merged),
            Case("one group of the first that is two in the second", lambda: _merged()[::-1]),
            Case("as many groups of other sizes", lambda: (groups(60, 4, seed=4), groups(60, 4, seed=6))),
            Case("other groups of the same sizes", _of_one_size),
            Case("one point of 10 007 in another group", lambda: _one_apart(10_007)),
            Case("a point that is noise, -1", lambda: (groups(50, 4) - 1, renamed(groups(50, 4)))),
            Case("names up to 10¹²", lambda: (groups(50, 4).astype(np.int64) * 10**12 // 3, groups(50, 4))),
            Case("every point its own group", lambda: (np.arange(101), np.arange(101)[::-1].copy())),
            Case("a single point", lambda: (np.array([7]), np.array([0]))),
            Case("no points", lambda: (np.empty(0, np.int32), np.empty(0, np.int32))),
        ),
        unlisted=(
            Case(
                "two calls, of the same groups and of others",
                lambda: (groups(80, 4, seed=8), renamed(groups(80, 4, seed=8))),
                again=lambda: _one_apart(80),
            ),
            Case("6 groups under other names", lambda: (groups(80, 6, seed=8), renamed(groups(80, 6, seed=8), seed=2))),
        ),
        drawn=Drawn(
            _drawn,
            (300, 20),
            _of_names(),
            Property(
                (
                    Strategy("the first and the last group in one", change=_ends_merged),
                    Strategy(
                        "the first and the last group of the second in one",
                        change=lambda rng, drawn: _ends_merged(rng, drawn)[::-1],
                    ),
                ),
                hint="An index past the end of an axis wraps around. Compare how many groups there are in each, too.",
            ),
            Property((Strategy("a point that is noise, -1, in one of them only", change=_noise),), hint=_PLACES),
            other_data(),
        ),
        compare=_compare,
        after=(
            on_the_bus(Case("100 000 points", lambda: (groups(100_000, 8), renamed(groups(100_000, 8)))), share=0.005),
        ),
        verified="the points stay on the device",
    ),
    hints=(
        "Look at the pairs (a[i], b[i]). If b is a renamed, each name of a meets one name of b only, and the other way "
        "round. How many different pairs are there then?",
        "`cp.unique(labels, return_inverse=True)` gives the names and, for each point, the place of its name: whole numbers "
        "from 0, whatever the names were.",
        "With those places, `a * len(names_b) + b` is one number for each pair. There must be as many different ones as "
        "there are names in a, and as there are names in b.",
    ),
    advice={
        "exception": "Names may be negative, or very large. `cp.unique` does not mind.",
        "device": "`bool(…)` of an array with one element fetches it.",
        "type": "Compare it with what it should be, and return that.",
        "transfer": "`cp.unique` works where the labels are.",
        "aliasing": "Write into arrays of your own, not into a and b.",
    },
    mistakes={
        "names": Mistake(
            "names",
            "the labels were compared by their names. But group 0 of one run may be group 3 of the next: a name means nothing.",
            lambda a, b: bool((a == b).all()),
            hint="Which name of b does each name of a meet?",
        ),
        "nearly": Mistake(
            "tolerance",
            "nearly the same is called the same. Asked for: all points.",
            _almost,
            hint="A single point that meets another name makes it False: count the pairs that occur, however seldom.",
        ),
        "sizes": Mistake(
            "sizes",
            "only the sizes of the groups were compared. Other points may be in groups of the same sizes.",
            _same_sizes,
            hint="Who is together with whom? Look at the pairs (a[i], b[i]).",
        ),
        "how many": Mistake(
            "count",
            "the groups were only counted. There are as many of them, with other points in them.",
            lambda a, b: len(np.unique(a)) == len(np.unique(b)),
            hint="Who is together with whom? Look at the pairs (a[i], b[i]).",
        ),
        "one way": Mistake(
            "merged",
            "each group of a lies in one group of b, and that is only half of it: two groups of a may lie in the same one.",
            lambda a, b: _numbers(a, b)[0] == _numbers(a, b)[1],
            hint="Count the names of both, not of one of them.",
        ),
        "other way": Mistake(
            "split",
            "each group of b lies in one group of a, and that is only half of it: a group of a may be split in two.",
            lambda a, b: _numbers(a, b)[0] == _numbers(a, b)[2],
            hint="Count the names of both, not of one of them.",
        ),
    },
)
