"""``learning.leak``: a cross-validation whose preparation has seen what is held out, to be repaired.

Leaks are not looked for in the source and not guessed from the score. What was held out is *changed*, and the function is
called again: a prediction that changes with it has seen it.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from .. import devices, guard
from ..cases import Case
from ..guard import article, require_callable
from ..problem import Problem, Wrong
from ..untouched import missing
from ..verdict import NotAttempted, Refusal, Verified, refuse

KEPT = 5
AGREE = 0.95
"""Share of the predictions that must be the specification's: two solvers may part on a row that lies on the boundary."""

Folds = list[tuple[np.ndarray, np.ndarray]]


def held_out(X: np.ndarray, y: np.ndarray, folds: Folds) -> np.ndarray:
    """The specification: X (n, m) float32, y (n,) 0 or 1, folds of row numbers (train, test). For each row the class that
    a model predicts which was made of its fold's training rows alone: columns standardised, the five kept in which the
    means of the classes lie farthest apart, logistic regression. (n,) int64."""
    from sklearn.linear_model import LogisticRegression

    got = np.empty(len(y), np.int64)
    for train, test in folds:
        mean, std = X[train].mean(axis=0), X[train].std(axis=0)
        std[std == 0] = 1
        seen, unseen = (X[train] - mean) / std, (X[test] - mean) / std
        gap = np.abs(seen[y[train] == 1].mean(axis=0) - seen[y[train] == 0].mean(axis=0))
        kept = np.argsort(gap)[-KEPT:]
        got[test] = LogisticRegression().fit(seen[:, kept], y[train]).predict(unseen[:, kept])
    return got


def folds_of(n: int, k: int, seed: int = 0) -> Folds:
    """k folds of n shuffled rows; row numbers in a fold are in no order."""
    parts = np.array_split(np.random.default_rng(seed).permutation(n), k)
    return [(np.concatenate([p for j, p in enumerate(parts) if j != i]), parts[i]) for i in range(k)]


def table(n: int, m: int, told: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """X (n, m) float32 in which `told` columns say something of y (n,), and the others nothing in far larger numbers."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 2)
    X = rng.standard_normal((n, m))
    X[:, :told] += 2.5 * y[:, None]
    scale = np.where(np.arange(m) < told, rng.uniform(0.5, 1, m), rng.uniform(50, 200, m))
    return (X * scale + rng.uniform(-5, 5, m)).astype(np.float32), y


@dataclass(frozen=True)
class HeldOutJudge:
    """Judge a function of (X, y, folds): predictions, what they must not depend on, and the arguments it was given."""

    coins: Case  # first: where nothing can be predicted, what was seen shows most
    cases: Sequence[Case]

    def __call__(self, problem: Problem, answers: tuple[Any, ...]) -> Verified:
        require_callable(answers[0], problem.answers[0])
        devices.need_cupy()
        for number, case in enumerate([self.coins, *self.cases]):
            try:
                self._judge(problem, answers[0], case, first=number == 0, coins=case is self.coins)
            except Refusal as refusal:
                refusal.case = refusal.case or case.name
                raise
        cases = "; ".join(case.name for case in [self.coins, *self.cases])
        return Verified(
            f"{len(self.cases) + 1} cases ({cases}); no prediction changed when the labels of the rows held out were turned "
            "round, nor when other rows held out were moved."
        )

    def _judge(self, problem: Problem, function: Any, case: Case, *, first: bool, coins: bool) -> None:
        X, y, folds = case.host()
        called = guard.call(function, *case.host(), limit=problem.time_limit)
        got = called.value
        if missing(got) and first:
            raise NotAttempted("it returns nothing yet (if you have written it: is a `return` missing?)")
        _kind(got, len(y))
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            expected = held_out(*case.host())
        _places(got, expected, folds)
        _unseen(problem, function, case, got)
        given = case.host()
        guard.call(function, *given, limit=problem.time_limit)
        if not (np.array_equal(given[0], X) and np.array_equal(given[1], y)):
            refuse("aliasing", "X or y was changed by the call: whoever still needs it finds other numbers in it now.")
        if not coins:  # of them nothing can be predicted, so there is nothing to agree on
            _values(got, expected, y)


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
    """Refuse predictions that change with what was held out, in one of the first two folds."""
    X, y, folds = case.host()
    for which, (train, test) in zip(("first", "second"), folds, strict=False):
        turned = y.copy()
        turned[test] = 1 - turned[test]
        again = guard.call(function, X.copy(), turned, folds, limit=problem.time_limit).value
        changed = int((np.asarray(again)[test] != got[test]).sum())
        if changed:
            refuse(
                "leak",
                f"the labels of the {len(test)} rows that the {which} fold holds out were turned round, and {changed} of "
                "their predictions changed. A model that is judged by these rows must not know them.",
            )
        rows, others = test[::2], test[1::2]
        # Far away, which a mean and a scale feel; and all to the place of one training row, which ranks and medians feel.
        for where, there in (("far away", X[others] * 40 + 1000), ("onto one training row", X[train[:1]])):
            moved = X.copy()
            moved[others] = there
            again = guard.call(function, moved, y.copy(), folds, limit=problem.time_limit).value
            changed = int((np.asarray(again)[rows] != got[rows]).sum())
            if changed:
                refuse(
                    "statistics",
                    f"{len(others)} of the rows that the {which} fold holds out were moved {where}, and the predictions for "
                    f"{changed} others of them changed. Means, scales and choices may come from the training rows alone.",
                )


def _places(got: np.ndarray, expected: np.ndarray, folds: Folds) -> None:
    """Refuse the right predictions in other places, or for the other class."""
    if _agree(got, expected):
        return
    if _agree(got, expected[np.concatenate([test for _, test in folds])]):
        refuse("order", "the predictions stand in the order of the folds; they should stand in the order of X's rows.")
    if _agree(got, 1 - expected):
        refuse("sign", "the classes are exchanged: 0 where 1 should be.")


def _agree(got: np.ndarray, expected: np.ndarray) -> bool:
    return float((got == expected).mean()) >= AGREE


def _values(got: np.ndarray, expected: np.ndarray, y: np.ndarray) -> None:
    if _agree(got, expected):
        return
    right, wanted = (f"{100 * float((p == y).mean()):.0f} %" for p in (got, expected))
    refuse(
        "value",
        f"no leak, but other predictions than asked for: {right} of them are right, and {wanted} should be. Each fold: "
        f"standardise, keep the {KEPT} columns in which the classes' means lie farthest apart, logistic regression.",
    )


# Written as a learner would.


def _starter(X, y, folds):
    from cuml.linear_model import LogisticRegression
    from cuml.preprocessing import StandardScaler

    X = StandardScaler().fit_transform(X)
    gap = np.abs(X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))
    X = X[:, np.argsort(gap)[-5:]]
    got = np.empty(len(y), int)
    for train, test in folds:
        model = LogisticRegression().fit(X[train], y[train])
        got[test] = model.predict(X[test])
    return got


def _in_the_loop(X, y, folds):
    from cuml.linear_model import LogisticRegression
    from cuml.preprocessing import StandardScaler

    got = np.empty(len(y), int)
    for train, test in folds:
        scaler = StandardScaler().fit(X[train])
        seen, unseen = scaler.transform(X[train]), scaler.transform(X[test])
        gap = np.abs(seen[y[train] == 1].mean(axis=0) - seen[y[train] == 0].mean(axis=0))
        kept = np.argsort(gap)[-5:]
        got[test] = LogisticRegression().fit(seen[:, kept], y[train]).predict(unseen[:, kept])
    return got


def _pipeline(X, y, folds):
    from cuml.linear_model import LogisticRegression
    from cuml.preprocessing import StandardScaler
    from sklearn.feature_selection import SelectKBest
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline

    return cross_val_predict(make_pipeline(StandardScaler(), SelectKBest(k=5), LogisticRegression()), X, y, cv=folds)


def _scaler_outside(X, y, folds):
    from cuml.linear_model import LogisticRegression
    from cuml.preprocessing import StandardScaler

    X = StandardScaler().fit_transform(X)
    got = np.empty(len(y), int)
    for train, test in folds:
        gap = np.abs(X[train][y[train] == 1].mean(axis=0) - X[train][y[train] == 0].mean(axis=0))
        kept = np.argsort(gap)[-5:]
        got[test] = LogisticRegression().fit(X[train][:, kept], y[train]).predict(X[test][:, kept])
    return got


def _choice_outside(X, y, folds):
    from sklearn.feature_selection import SelectKBest

    return _in_the_loop(SelectKBest(k=5).fit_transform(X, y), y, folds)


def _fitted_on_all(X, y, folds):
    from cuml.linear_model import LogisticRegression

    got = np.empty(len(y), int)
    for train, test in folds:
        mean, std = X[train].mean(axis=0), X[train].std(axis=0)
        got[test] = LogisticRegression().fit((X - mean) / std, y).predict((X[test] - mean) / std)
    return got


def _scaled_by_itself(X, y, folds):
    from cuml.linear_model import LogisticRegression
    from cuml.preprocessing import StandardScaler

    got = np.empty(len(y), int)
    for train, test in folds:
        seen, unseen = StandardScaler().fit_transform(X[train]), StandardScaler().fit_transform(X[test])
        gap = np.abs(seen[y[train] == 1].mean(axis=0) - seen[y[train] == 0].mean(axis=0))
        kept = np.argsort(gap)[-5:]
        got[test] = LogisticRegression().fit(seen[:, kept], y[train]).predict(unseen[:, kept])
    return got


def _not_scaled(X, y, folds):
    from cuml.linear_model import LogisticRegression

    got = np.empty(len(y), int)
    for train, test in folds:
        gap = np.abs(X[train][y[train] == 1].mean(axis=0) - X[train][y[train] == 0].mean(axis=0))
        kept = np.argsort(gap)[-5:]
        got[test] = LogisticRegression().fit(X[train][:, kept], y[train]).predict(X[test][:, kept])
    return got


def _farthest_first(X, y, folds):
    from cuml.linear_model import LogisticRegression

    got = np.empty(len(y), int)
    for train, test in folds:
        mean, std = X[train].mean(axis=0), X[train].std(axis=0)
        seen, unseen = (X[train] - mean) / std, (X[test] - mean) / std
        gap = np.abs(seen[y[train] == 1].mean(axis=0) - seen[y[train] == 0].mean(axis=0))
        kept = np.argsort(gap)[:5]
        got[test] = LogisticRegression().fit(seen[:, kept], y[train]).predict(unseen[:, kept])
    return got


def _in_fold_order(X, y, folds):
    got = _in_the_loop(X, y, folds)
    return np.concatenate([got[test] for _, test in folds])


def _on_device(X, y, folds):
    import cupy as cp

    return cp.asarray(_in_the_loop(X, y, folds))


def _one_fold(X, y, folds):
    return _in_the_loop(X, y, folds)[folds[0][1]]


def _score(X, y, folds):
    return float((_in_the_loop(X, y, folds) == y).mean())


def _in_place(X, y, folds):
    got = _in_the_loop(X.copy(), y, folds)
    X -= X.mean(axis=0)
    return got


def _exchanged(X, y, folds):
    return 1 - _in_the_loop(X, y, folds)


LEAK = Problem(
    id="learning.leak",
    title="A score that is too good",
    kind="repair",
    answers=("held_out",),
    specification=held_out,
    lines=8,
    judge=HeldOutJudge(
        cases=(
            Case("90 rows, 12 columns", lambda: (*table(90, 12, 6), folds_of(90, 3))),
            Case("101 rows in four folds", lambda: (*table(101, 9, 6, seed=1), folds_of(101, 4, seed=1))),
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
    wrong={
        "as given": Wrong(
            _starter, "leak", hint="Which lines read all of `y`, or all of X, before a fold says what is held out?"
        ),
        "choice outside": Wrong(_choice_outside, "leak"),
        "fitted on all": Wrong(_fitted_on_all, "leak"),
        "scaler outside": Wrong(
            _scaler_outside, "statistics", hint="`fit` the scaler on X[train], then `transform` both parts with it."
        ),
        "scaled by itself": Wrong(_scaled_by_itself, "statistics"),
        "not scaled": Wrong(
            _not_scaled,
            "value",
            hint="Standardise before you choose: a column in metres has larger gaps than one in kilometres.",
        ),
        "smallest": Wrong(_farthest_first, "value"),
        "order": Wrong(_in_fold_order, "order", hint="`got[test] = …` puts each prediction where its row is."),
        "device": Wrong(_on_device, "device", hint="Leave it a NumPy array, or fetch it: `.get()`."),
        "shape": Wrong(_one_fold, "shape"),
        "score": Wrong(_score, "type", hint="Return the predictions, not the share that is right."),
        "aliasing": Wrong(_in_place, "aliasing", hint="`X -= …` writes into the caller's array."),
        "sign": Wrong(_exchanged, "sign"),
    },
    right={"in the loop": _in_the_loop, "a pipeline": _pipeline},
)
