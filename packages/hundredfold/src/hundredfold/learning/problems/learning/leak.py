"""``learning.leak``: a cross-validation whose preparation has seen what is held out, to be repaired.

Leaks are not looked for in the source and not guessed from the score. What was held out is *changed*, and the function is
called again: a prediction that changes with it has seen it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from .. import devices, guard
from ..cases import Case
from ..guard import article, require_callable
from ..problem import Problem, quietly
from ..verdict import Verified, attempted, in_case, refuse

KEPT = 5
CLEAR, PART = 0.1, 0.01
"""Log odds from which a prediction is clear, and the share of clear ones that may be others: two solvers part close to the boundary."""

Folds = list[tuple[np.ndarray, np.ndarray]]


def held_out(X: np.ndarray, y: np.ndarray, folds: Folds) -> np.ndarray:
    """The specification: X (n, m) float32, y (n,) 0 or 1, folds of row numbers (train, test). For each row the class that
    a model predicts which was made of its fold's training rows alone: columns standardised, the five kept in which the
    means of the classes lie farthest apart, logistic regression. (n,) int64."""
    return (_odds(X, y, folds) > 0).astype(np.int64)


def _odds(X: np.ndarray, y: np.ndarray, folds: Folds) -> np.ndarray:
    """The log odds of class 1 in the specification's model, (n,): their sign is the prediction."""
    from sklearn.linear_model import LogisticRegression

    got = np.empty(len(y))
    for train, test in folds:
        mean, std = X[train].mean(axis=0), X[train].std(axis=0)
        std[std == 0] = 1
        seen, unseen = (X[train] - mean) / std, (X[test] - mean) / std
        gap = np.abs(seen[y[train] == 1].mean(axis=0) - seen[y[train] == 0].mean(axis=0))
        kept = np.argsort(gap)[-KEPT:]
        got[test] = LogisticRegression().fit(seen[:, kept], y[train]).decision_function(unseen[:, kept])
    return got


def folds_of(n: int, k: int, seed: int = 0) -> Folds:
    """k folds of n shuffled rows; row numbers in a fold are in no order."""
    parts = np.array_split(np.random.default_rng(seed).permutation(n), k)
    return [(np.concatenate([p for j, p in enumerate(parts) if j != i]), parts[i]) for i in range(k)]


def purged(folds: Folds, *, away: int = 3) -> Folds:
    """The same folds without every `away`-th training row: a model may not learn of it, and nobody asks for its class there."""
    return [(np.delete(train, slice(None, None, away)), test) for train, test in folds]


def table(
    n: int, m: int, told: int, seed: int = 0, *, gap: float = 2.5, far: float = 0, turned: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """X (n, m) float32 in which `told` columns say something of y (n,), and the others nothing in far larger numbers.

    In the first `turned` of the told columns class 1 has the smaller numbers.

    The classes' means lie `gap` apart in the first column and half of it in the last told one; a share `far` of the rows is many
    times farther out on its own side, which moves a line that is fitted by squares.
    """
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 2)
    X = rng.standard_normal((n, m))
    X[:, :told] += gap * y[:, None] * np.linspace(1, 0.5, told) * np.where(np.arange(told) < turned, -1, 1)
    out = rng.random(n) < far
    X[out, :told] += ((2 * y[out] - 1) * rng.uniform(3, 12, out.sum()))[:, None]
    scale = np.where(np.arange(m) < told, rng.uniform(0.5, 1, m), rng.uniform(50, 200, m))
    return (X * scale + rng.uniform(-5, 5, m)).astype(np.float32), y


@dataclass(frozen=True)
class HeldOutJudge:
    """Judge a function of (X, y, folds): predictions, what they must not depend on, and the arguments it was given."""

    coins: Case  # first: where nothing can be predicted, what was seen shows most
    cases: Sequence[Case]
    unlisted: Sequence[Case]  # of which only the predictions are looked at

    def __call__(self, problem: Problem, answers: tuple[Any, ...]) -> Verified:
        require_callable(answers[0], problem.answers[0])
        devices.need_cupy()
        for number, case in enumerate([self.coins, *self.cases]):
            with in_case(case.name), threadpool_limits(1):  # of such small fits two threads make slower ones
                self._judge(problem, answers[0], case, first=number == 0, coins=case is self.coins)
        for case in self.unlisted:
            with in_case(case.name), threadpool_limits(1):
                X, y, folds = case.host()
                got = guard.call(answers[0], X, y, folds, limit=problem.time_limit).value
                _kind(got, len(y))
                _values(got, quietly(_odds, *case.host()), y)
        cases = "; ".join(case.name for case in [self.coins, *self.cases])
        return Verified(
            f"{len(self.cases) + 1} cases ({cases}); no prediction changed when the labels of all rows outside of its fold's `train` "
            "were turned round, nor when other rows outside of it were moved."
        )

    def _judge(self, problem: Problem, function: Any, case: Case, *, first: bool, coins: bool) -> None:
        X, y, folds = case.host()
        given = case.host()
        called = guard.call(function, *given, limit=problem.time_limit)
        attempted(got := called.value, called.printed, first=first)
        _kind(got, len(y))
        odds = quietly(_odds, *case.host())
        _places(got, odds, folds)
        _unseen(problem, function, case, got)
        if not (np.array_equal(given[0], X) and np.array_equal(given[1], y) and _same_folds(given[2], folds)):
            refuse("aliasing", "X, y or the folds were changed by the call: whoever still needs them finds others now.")
        if not coins:  # of them nothing can be predicted, so there is nothing to agree on
            _values(got, odds, y)


def _same_folds(one: Folds, other: Folds) -> bool:
    return len(one) == len(other) and all(
        np.array_equal(a, b) for pair in zip(one, other, strict=True) for a, b in zip(*pair, strict=True)
    )


def _kind(got: Any, n: int) -> None:
    if devices.is_device(got):
        refuse("device", "the predictions are still on the device; they should be a NumPy array, on the host.")
    if not isinstance(got, np.ndarray):
        refuse("type", f"the predictions should be a NumPy array; it is {article(got)}.")
    if got.shape != (n,):
        refuse("shape", f"the result's shape is {got.shape}; it should be ({n},), one class for each row.")
    if got.dtype.kind not in "biuf" or not np.isin(got, (0, 1)).all():
        refuse("type", "the predictions should be classes, 0 or 1; for a probability ask where it is over 0.5.")


def _unseen(problem: Problem, function: Any, case: Case, got: np.ndarray) -> None:
    """Refuse predictions that change with what a fold's model may not learn of: the rows outside of its `train`."""
    X, y, folds = case.host()
    for number, (train, test) in enumerate(folds, start=1):
        outside = np.setdiff1d(np.arange(len(y)), train)
        rows = test[::2]
        others = np.setdiff1d(outside, rows)
        turned, moved = y.copy(), X.copy()
        turned[outside] = 1 - turned[outside]
        # Far away, which a mean and a scale feel; and all to the place of one training row, which ranks and medians feel.
        moved[others] = X[others] * 40 + 1000
        moved[others[::2]] = X[train[:1]]
        if not (_again(problem, function, case, moved, turned)[rows] != got[rows]).any():
            continue
        # What was it? One after the other.
        changed = int((_again(problem, function, case, X.copy(), turned)[test] != got[test]).sum())
        if changed:
            refuse(
                "leak",
                f"the labels of the {len(outside)} rows outside of `train` of fold {number} were turned round, and {changed} of the "
                f"predictions for its {len(test)} held-out rows changed. A model that is judged by these rows must not know them.",
            )
        changed = int((_again(problem, function, case, moved, y.copy())[rows] != got[rows]).sum())
        refuse(
            "statistics",
            f"{len(others)} rows outside of `train` of fold {number} were moved far away, and the predictions for {changed or 'some'} other "
            "held-out rows of this fold changed. Means, scales and choices may come from the training rows alone.",
        )


def _again(problem: Problem, function: Any, case: Case, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """What the function predicts of other rows or labels, with folds of their own."""
    got = guard.call(function, X, y, case.host()[2], limit=problem.time_limit).value
    _kind(got, len(y))
    return np.asarray(got)


def _places(got: np.ndarray, odds: np.ndarray, folds: Folds) -> None:
    """Refuse the right predictions in other places, or for the other class."""
    if _agree(got, odds):
        return
    if _agree(got, odds[np.concatenate([test for _, test in folds])]):
        refuse("order", "the predictions stand in the order of the folds; they should stand in the order of X's rows.")
    if _agree(got, -odds):
        refuse("sign", "the classes are exchanged: 0 where 1 should be.")


def _agree(got: np.ndarray, odds: np.ndarray) -> bool:
    clear = np.abs(odds) > CLEAR
    return int((got[clear] != (odds > 0)[clear]).sum()) <= PART * len(odds)


def _values(got: np.ndarray, odds: np.ndarray, y: np.ndarray) -> None:
    if _agree(got, odds):
        return
    others = int((got != (odds > 0)).sum())
    refuse(
        "value",
        f"no leak, but {others} of {len(y)} predictions are others than asked for. Each fold: standardise the columns, keep the {KEPT} "
        "in which the classes' means lie farthest apart, fit a logistic regression to these.",
    )


LEAK = Problem(
    id="learning.leak",
    title="A score that is too good",
    kind="repair",
    answers=("held_out",),
    specification=held_out,
    lines=8,
    judge=HeldOutJudge(
        cases=(
            Case(
                "200 rows, 20 columns",
                lambda: (*table(200, 20, 8, seed=3, gap=0.8, turned=3), folds_of(200, 3, seed=1)),
            ),
            Case(
                "101 rows in four folds",
                lambda: (*table(101, 9, 6, seed=1, gap=1.5, turned=1), folds_of(101, 4, seed=1)),
            ),
            Case(
                "240 rows, some far out, a third of them in no fold's `train`",
                lambda: (*table(240, 20, 8, gap=0.8, far=0.1), purged(folds_of(240, 3, seed=2))),
            ),
        ),
        unlisted=(
            # As many rows, columns and folds as an earlier case has.
            Case(
                "columns in which class 1 is the greater, and others in which class 0 is",
                lambda: (*table(200, 20, 8, seed=6, gap=0.8, turned=4), folds_of(200, 3, seed=4)),
            ),
        ),
        coins=Case(
            "60 tossed coins and 300 columns of noise", lambda: (*table(60, 300, 0, seed=10), folds_of(60, 2, seed=10))
        ),
    ),
    hints=(
        "Which lines stand before the loop, and use all rows? Everything that is learned of data, a mean as well as a model, "
        "must be learned of `train` alone, and then applied to `test`.",
        "A scaler has `fit` and `transform`: `scaler.fit(X[train])`, then `scaler.transform(X[test])`. The choice of the "
        "columns is learned too.",
        "Or let scikit-learn do it: `make_pipeline(StandardScaler(), SelectKBest(k=5), LogisticRegression())` is one "
        "estimator, and `cross_val_predict(…, X, y, cv=folds)` fits all of it on each fold's training rows. Of two classes and "
        "columns on one scale `SelectKBest` picks those with the farthest means, too.",
    ),
    advice={
        "leak": "Which lines read all of `y`, or all of X, before a fold says what is held out?",
        "statistics": "`fit` the scaler on X[train], then `transform` both parts with it.",
        "value": "Compare three things with the text: is the gap one of standardised columns, is it taken without its sign, and how many columns are kept?",
        "order": "`got[test] = …` puts each prediction where its row is.",
        "device": "Leave it a NumPy array, or fetch it: `.get()`.",
        "type": "Return a NumPy array with the class of each row.",
        "aliasing": "`X -= …` writes into the caller's array.",
    },
)
