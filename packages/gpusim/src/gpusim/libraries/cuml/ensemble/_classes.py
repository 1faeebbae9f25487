"""Forests."""

from __future__ import annotations

import numbers
import warnings
from typing import Any

import numpy as np

from gpusim.importing.errors import NotSimulatedError

from ..internals._arrays import check_y, raw
from ..internals._estimator import Clusterer, Estimator, ProbabilisticClassifier, Regressor
from ..internals.outputs import method

_CRITERIA = {
    0: "gini", 1: "entropy", 2: "squared_error", 4: "poisson", "gini": "gini", "0": "gini", "entropy": "entropy",
    "1": "entropy", "mse": "squared_error", "2": "squared_error", "poisson": "poisson", "4": "poisson",
}  # fmt: skip


def quantiles(X: np.ndarray, n_bins: int) -> list[np.ndarray]:
    """Where a forest of cuML may split each feature: at most ``n_bins`` of its own values, ascending.

    As in cuML's cpp/src/decisiontree/batched-levelalgo/quantiles.cuh: the values that end each of ``n_bins`` equal parts of
    the sorted (n, features) samples, each once.
    """
    n = len(X)
    # C's `round`, half away from zero, which NumPy's is not.
    last = np.clip(np.floor(np.arange(1, n_bins + 1) * (n / n_bins) + 0.5).astype(int) - 1, 0, n - 1)
    return [np.unique(np.partition(X[:, j], np.unique(last))[last]) for j in range(X.shape[1])]


class _Forest(Estimator):
    _fitted = ("feature_importances_", "oob_score_", "oob_decision_function_", "oob_prediction_", "n_outputs_")

    def _params_to_cpu(self) -> dict[str, Any]:
        if self.split_criterion in (3, "3", "mae"):
            raise NotImplementedError(
                "cuML does not currently support mean average error as a RandomForest split criterion"
            )
        if self.split_criterion not in _CRITERIA:
            raise NotSimulatedError(f"split_criterion={self.split_criterion!r}", "split_criterion='mse'")
        if not isinstance(self.oob_score, (bool, np.bool_)):
            raise ValueError("oob_score must be a boolean. Custom scorer functions are not supported.")
        if self.oob_score and not self.bootstrap:
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        if self.max_depth is not None and (not isinstance(self.max_depth, (int, np.integer)) or self.max_depth <= 0):
            raise ValueError(f"max_depth must be a positive integer or None (unlimited); got {self.max_depth!r}")
        if isinstance(self.max_features, str) and self.max_features not in ("sqrt", "log2"):
            raise ValueError(
                "Expected `max_features` to be an int, float, None, or one of ['sqrt', 'log2']. "
                f"Got {self.max_features!r} instead."
            )
        if isinstance(self.n_streams, (bool, np.bool_)) or not isinstance(self.n_streams, numbers.Integral):
            raise TypeError(f"n_streams must be a positive integer; got {self.n_streams!r}")
        if self.n_streams <= 0:
            raise ValueError(f"n_streams must be a positive integer; got {self.n_streams!r}")
        return super()._params_to_cpu() | {
            "criterion": _CRITERIA[self.split_criterion],
            "max_leaf_nodes": None if self.max_leaves == -1 else self.max_leaves,
            "random_state": 0 if self.random_state is None else self.random_state,
            "max_samples": self.max_samples if self.bootstrap else None,
        }

    def _train(self, model: Any, X: np.ndarray, *rest: Any, **options: Any) -> None:
        """Fit to the numbers of the bins, as cuML does, and write the bins' upper ends into the trees.

        scikit-learn sorts each feature at each node: a few values sort several times faster than all.
        """
        import joblib

        n_bins = self.n_bins
        if n_bins > len(X):
            warnings.warn(
                "The number of bins, `n_bins` is greater than the number of samples used for training. "
                "Changing `n_bins` to number of training samples.",
                stacklevel=5,
            )
            n_bins = len(X)
        X = X.astype(np.float32, copy=False)  # what scikit-learn's trees compare with their thresholds
        ends = quantiles(X, n_bins)
        bins = np.empty(X.shape, np.float32, order="F")
        for j, edges in enumerate(ends):
            bins[:, j] = np.searchsorted(edges, X[:, j])
        # Trees are grown with seeds of their own: the same ones, however many at a time.
        with joblib.parallel_config("threading", n_jobs=-1):
            model.fit(bins, *rest, **options)
        for tree in (estimator.tree_ for estimator in model.estimators_):
            inner = np.flatnonzero(tree.children_left >= 0)
            for j in np.unique(tree.feature[inner]):
                nodes = inner[tree.feature[inner] == j]
                # Between two bins that the node has: the first of them ends at the split.
                tree.threshold[nodes] = ends[j][tree.threshold[nodes].astype(int)]

    def _attribute(self, name: str, value: Any) -> Any:
        return value if np.isscalar(value) else self._cast(value)

    def as_treelite(self) -> Any:
        """Refused."""
        raise NotSimulatedError(f"cuml.ensemble.{type(self).__name__}.as_treelite", "as_sklearn()")

    def as_nvforest(self, layout: str = "depth_first", default_chunk_size: Any = None, align_bytes: Any = None) -> Any:
        """Refused."""
        raise NotSimulatedError(f"cuml.ensemble.{type(self).__name__}.as_nvforest", "as_sklearn()")


class RandomForestClassifier(_Forest, ProbabilisticClassifier):
    """A forest of decision trees; splits are found among ``n_bins`` quantiles of each feature."""

    _cpu = "sklearn.ensemble.RandomForestClassifier"

    def __init__(
        self, *, n_estimators=100, split_criterion="gini", bootstrap=True, max_samples=1.0, max_depth=None,
        max_leaves=-1, max_features="sqrt", n_bins=128, min_samples_leaf=1, min_samples_split=2,
        min_impurity_decrease=0.0, max_batch_size=4096, random_state=None, n_streams=4, oob_score=False,
        class_weight=None, verbose=False, output_type=None,
    ):  # fmt: skip
        self._set(locals())

    @method(keep_index=True)
    def predict(
        self, X: Any, *, threshold: float = 0.5, layout: str = "depth_first", default_chunk_size: Any = None,
        align_bytes: Any = None,
    ) -> Any:  # fmt: skip
        """The classes of (n, features) samples; of two, the second from a probability of ``threshold`` on."""
        classes = self._model.classes_
        if threshold != 0.5 and len(classes) == 2:
            return classes[(self._apply("predict_proba", X)[:, 1] > threshold).astype(int)]
        return self._apply("predict", X)

    @method(keep_index=True)
    def predict_proba(
        self, X: Any, *, layout: str = "depth_first", default_chunk_size: Any = None, align_bytes: Any = None
    ) -> Any:
        """The probability of each class, (n, classes)."""
        return self._apply("predict_proba", X)

    def score(
        self, X: Any, y: Any, sample_weight: Any = None, *, threshold: float = 0.5, layout: str = "depth_first",
        default_chunk_size: Any = None, align_bytes: Any = None,
    ) -> float:  # fmt: skip
        """The share of samples whose class is right."""
        from sklearn.metrics import accuracy_score

        predicted = type(self).predict.__wrapped__(self, X, threshold=threshold)
        weight = None if sample_weight is None else raw(sample_weight)
        return float(accuracy_score(check_y(y), predicted, sample_weight=weight))


class RandomForestRegressor(_Forest, Regressor):
    """A forest of regression trees; splits are found among ``n_bins`` quantiles of each feature."""

    _cpu = "sklearn.ensemble.RandomForestRegressor"

    def __init__(
        self, *, n_estimators=100, split_criterion="mse", bootstrap=True, max_samples=1.0, max_depth=None,
        max_leaves=-1, max_features=1.0, n_bins=128, min_samples_leaf=1, min_samples_split=2,
        min_impurity_decrease=0.0, max_batch_size=4096, random_state=None, n_streams=4, oob_score=False, verbose=False,
        output_type=None,
    ):  # fmt: skip
        self._set(locals())

    def _check_target(self, y: Any, X: Any) -> Any:
        return check_y(y, dtype=X.dtype)

    @method(keep_index=True)
    def predict(
        self, X: Any, *, layout: str = "depth_first", default_chunk_size: Any = None, align_bytes: Any = None
    ) -> Any:
        """The numbers of (n, features) samples."""
        return self._apply("predict", X)

    def score(
        self, X: Any, y: Any, sample_weight: Any = None, *, layout: str = "depth_first", default_chunk_size: Any = None,
        align_bytes: Any = None,
    ) -> float:  # fmt: skip
        """The coefficient of determination."""
        return Regressor.score(self, X, y, sample_weight)


class IsolationForest(Clusterer):
    """A forest that isolates outliers."""

    _cpu = "sklearn.ensemble.IsolationForest"
    _kind = "outlier_detector"
    _fitted = ("offset_", "max_samples_")

    def __init__(
        self, *, n_estimators=100, max_samples="auto", max_depth=None, max_features=1.0, bootstrap=False,
        random_state=None, contamination="auto", verbose=False, output_type=None,
    ):  # fmt: skip
        self._set(locals())

    def _attribute(self, name: str, value: Any) -> Any:
        return value

    def fit(self, X: Any, y: Any = None) -> IsolationForest:
        """Fit to (n, features) samples."""
        self._fit(X)
        return self

    @method(keep_index=True)
    def predict(self, X: Any) -> Any:
        """1 for what fits in and -1 for what does not."""
        return self._apply("predict", X).astype("int32")

    @method(keep_index=True)
    def fit_predict(self, X: Any, y: Any = None) -> Any:
        """Fit, and the same."""
        self.fit(X)
        return self._apply("predict", X).astype("int32")

    @method(keep_index=True)
    def score_samples(self, X: Any) -> Any:
        """The opposite of the anomaly score."""
        return self._apply("score_samples", X)

    @method(keep_index=True)
    def decision_function(self, X: Any) -> Any:
        """The same, with 0 at the border."""
        return self._apply("decision_function", X)
