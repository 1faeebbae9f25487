"""``learning.leak``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from ..edits import Wrong, edit
from ..kept import by_shape, kept


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


WRONG = {
    "as given": Wrong(_starter, "leak"),
    "choice outside": Wrong(_choice_outside, "leak"),
    "fitted on all": Wrong(_fitted_on_all, "leak"),
    "scaler outside": Wrong(_scaler_outside, "statistics"),
    "scaled by itself": Wrong(_scaled_by_itself, "statistics"),
    "not scaled": Wrong(_not_scaled, "value"),
    "with its sign": edit(
        _in_the_loop,
        (
            "np.abs(seen[y[train] == 1].mean(axis=0) - seen[y[train] == 0].mean(axis=0))",
            "seen[y[train] == 1].mean(axis=0) - seen[y[train] == 0].mean(axis=0)",
        ),
        reason="value",
    ),
    "kept by shape": Wrong(kept(_in_the_loop, by_shape), "value"),
    "smallest": Wrong(_farthest_first, "value"),
    "order": Wrong(_in_fold_order, "order"),
    "device": Wrong(_on_device, "device"),
    "shape": Wrong(_one_fold, "shape"),
    "score": Wrong(_score, "type"),
    "aliasing": Wrong(_in_place, "aliasing"),
    "sign": Wrong(_exchanged, "sign"),
}
RIGHT = {"in the loop": _in_the_loop, "a pipeline": _pipeline}
