"""Metrics, by scikit-learn: numbers are plain, arrays are of the type of the first argument."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..internals._arrays import check_array, raw
from ..internals.outputs import reflected


def _sk() -> Any:
    import sklearn.metrics

    return sklearn.metrics


def _vector(values: Any) -> np.ndarray:
    host = raw(values)
    return host.ravel() if host.ndim == 2 and host.shape[1] == 1 else host


def _weight(values: Any) -> Any:
    return None if values is None else _vector(values)


def _result(value: Any) -> Any:
    return float(value) if np.ndim(value) == 0 else np.asarray(value)


def accuracy_score(y_true: Any, y_pred: Any, *, sample_weight: Any = None, normalize: bool = True) -> float:
    """The share of right predictions, or their number."""
    return float(
        _sk().accuracy_score(
            _vector(y_true), _vector(y_pred), sample_weight=_weight(sample_weight), normalize=normalize
        )
    )


def log_loss(y_true: Any, y_pred: Any, eps: float = 1e-15, normalize: bool = True, sample_weight: Any = None) -> float:
    """The cross-entropy of classes and their probabilities, which are clipped to ``eps`` from 0 and 1."""
    host = raw(y_pred)
    probabilities = np.clip(host.astype("float64"), eps, 1 - eps)
    if probabilities.ndim == 2:
        probabilities = probabilities / probabilities.sum(axis=1, keepdims=True)
    return float(
        _sk().log_loss(_vector(y_true), probabilities, normalize=normalize, sample_weight=_weight(sample_weight))
    )


def roc_auc_score(y_true: Any, y_score: Any) -> float:
    """The area under the ROC curve of two classes."""
    truth = _vector(y_true)
    if len(np.unique(truth)) != 2:
        raise ValueError("Only binary classification is supported")
    return float(_sk().roc_auc_score(truth, _vector(y_score)))


@reflected
def precision_recall_curve(y_true: Any, probs_pred: Any) -> Any:
    """Precision, recall and threshold of two classes."""
    return _sk().precision_recall_curve(_vector(y_true), _vector(probs_pred))


@reflected
def confusion_matrix(
    y_true: Any, y_pred: Any, labels: Any = None, sample_weight: Any = None, normalize: str | None = None
) -> Any:
    """How many samples of each class (rows) were given each class (columns)."""
    if normalize not in ("true", "pred", "all", None):
        raise ValueError(f"normalize must be one of {{'true', 'pred', 'all', None}}, got {normalize!r}.")
    return _sk().confusion_matrix(
        _vector(y_true), _vector(y_pred), labels=None if labels is None else raw(labels),
        sample_weight=_weight(sample_weight), normalize=normalize,
    )  # fmt: skip


def hinge_loss(y_true: Any, pred_decision: Any, labels: Any = None, sample_weight: Any = None) -> float:
    """The mean hinge loss."""
    return float(
        _sk().hinge_loss(
            _vector(y_true), raw(pred_decision), labels=None if labels is None else raw(labels),
            sample_weight=_weight(sample_weight),
        )
    )  # fmt: skip


def kl_divergence(P: Any, Q: Any) -> float:
    """The divergence of one distribution from another."""
    p, q = _vector(P).astype("float64"), _vector(Q).astype("float64")
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.sum(np.where((p == 0) | (q == 0), 0.0, p * np.log(p / q))))


def _regression(name: str) -> Any:
    def function(
        y_true: Any, y_pred: Any, sample_weight: Any = None, multioutput: Any = "uniform_average", squared: bool = True
    ) -> Any:
        truth, predicted = raw(y_true).astype("float64"), raw(y_pred).astype("float64")
        outputs = multioutput if isinstance(multioutput, str) else raw(multioutput)
        value = getattr(_sk(), name)(
            _even(truth, predicted), _even(predicted, truth), sample_weight=_weight(sample_weight), multioutput=outputs
        )
        return _result(value if squared else np.sqrt(value))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"As `sklearn.metrics.{name}`, for arrays of any library."
    return function


def _even(values: np.ndarray, other: np.ndarray) -> np.ndarray:
    return values.ravel() if values.ndim == 2 and values.shape[1] == 1 and other.ndim == 1 else values


mean_squared_error = _regression("mean_squared_error")
mean_squared_log_error = _regression("mean_squared_log_error")
_absolute = _regression("mean_absolute_error")
_median = _regression("median_absolute_error")


def mean_absolute_error(
    y_true: Any, y_pred: Any, sample_weight: Any = None, multioutput: Any = "uniform_average"
) -> Any:
    """The mean of absolute errors."""
    return _absolute(y_true, y_pred, sample_weight, multioutput)


def median_absolute_error(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: Any = "uniform_average"
) -> Any:
    """The median of absolute errors."""
    return _median(y_true, y_pred, sample_weight, multioutput)


def r2_score(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: Any = "uniform_average",
    force_finite: bool = True,
) -> Any:  # fmt: skip
    """The coefficient of determination."""
    truth, predicted = raw(y_true).astype("float64"), raw(y_pred).astype("float64")
    outputs = multioutput if isinstance(multioutput, str) or multioutput is None else raw(multioutput)
    value = _sk().r2_score(
        _even(truth, predicted), _even(predicted, truth), sample_weight=_weight(sample_weight), multioutput=outputs,
        force_finite=force_finite,
    )  # fmt: skip
    return _result(value)


@reflected
def pairwise_distances(X: Any, Y: Any = None, metric: str = "euclidean", **kwds: Any) -> Any:
    """The distance of each row of X to each of Y, or of X."""
    if metric not in PAIRWISE_DISTANCE_METRICS:
        raise ValueError(f"Unknown metric: {metric!r}")
    names = {"l1": "manhattan", "cityblock": "manhattan", "l2": "euclidean"}
    first = check_array(X, sparse=True)
    second = None if Y is None else check_array(Y, dtype=(first.dtype,), sparse=True, name="Y")
    if second is not None and first.shape[1] != second.shape[1]:
        raise ValueError(f"X and Y must have same number of features, got {first.shape[1]} and {second.shape[1]}")
    if metric == "kldivergence":
        other = first if second is None else second
        return np.array([[kl_divergence(a, b) for b in other] for a in first], first.dtype)
    if metric == "hellinger":
        other = first if second is None else second
        roots, others = np.sqrt(first), np.sqrt(other)
        return np.sqrt(np.maximum(0, 1 - roots @ others.T)).astype(first.dtype)
    result = _sk().pairwise_distances(first, second, metric=names.get(metric, metric), **kwds)
    return result.astype(first.dtype)


PAIRWISE_DISTANCE_METRICS = {
    name: name
    for name in (
        "cityblock cosine euclidean l1 l2 manhattan nan_euclidean sqeuclidean canberra chebyshev minkowski hellinger "
        "correlation jensenshannon hamming kldivergence russellrao"
    ).split()
}
PAIRWISE_DISTANCE_SPARSE_METRICS = {name: name for name in "cityblock cosine euclidean l1 l2 manhattan".split()}


@reflected
def nan_euclidean_distances(
    X: Any, Y: Any = None, *, squared: bool = False, missing_values: Any = np.nan, copy: bool = True
) -> Any:
    """Euclidean distances of what is there in both."""
    first = check_array(X, finite=False)
    second = None if Y is None else check_array(Y, finite=False)
    return _sk().pairwise.nan_euclidean_distances(first, second, squared=squared, missing_values=missing_values)


PAIRWISE_KERNEL_FUNCTIONS = {
    name: name for name in "linear additive_chi2 chi2 cosine laplacian polynomial poly rbf sigmoid".split()
}


@reflected
def pairwise_kernels(X: Any, Y: Any = None, metric: Any = "linear", *, filter_params: bool = False, **kwds: Any) -> Any:
    """The kernel of each row of X and each of Y, or of X."""
    if isinstance(metric, str) and metric not in PAIRWISE_KERNEL_FUNCTIONS and metric != "precomputed":
        raise ValueError(f"Unknown kernel {metric!r}")
    first = check_array(X)
    second = None if Y is None else check_array(Y, dtype=(first.dtype,))
    return np.asarray(_sk().pairwise_kernels(first, second, metric=metric, filter_params=filter_params, **kwds))


def trustworthiness(
    X: Any, X_embedded: Any, n_neighbors: int = 5, metric: str = "euclidean", batch_size: int = 512
) -> float:
    """How many of the neighbours in the embedding were neighbours before, from 0 to 1."""
    from sklearn.manifold import trustworthiness as score

    return float(score(raw(X), raw(X_embedded), n_neighbors=n_neighbors, metric=metric))


def _labels(name: str) -> Any:
    def function(labels_true: Any, labels_pred: Any) -> float:
        return float(getattr(_sk(), name)(_vector(labels_true), _vector(labels_pred)))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"As `sklearn.metrics.{name}`, for arrays of any library."
    return function


adjusted_rand_score = _labels("adjusted_rand_score")
completeness_score = _labels("completeness_score")
homogeneity_score = _labels("homogeneity_score")
mutual_info_score = _labels("mutual_info_score")


def v_measure_score(labels_true: Any, labels_pred: Any, beta: float = 1.0) -> float:
    """The harmonic mean of homogeneity and completeness."""
    return float(_sk().v_measure_score(_vector(labels_true), _vector(labels_pred), beta=beta))


def entropy(clustering: Any, base: float | None = None) -> float:
    """The entropy of a clustering."""
    counts = np.unique(_vector(clustering), return_counts=True)[1]
    shares = counts / counts.sum()
    return float(-(shares * np.log(shares)).sum() / (1.0 if base is None else np.log(base)))


def silhouette_score(X: Any, labels: Any, metric: str = "euclidean", chunksize: int | None = None) -> float:
    """The mean silhouette coefficient."""
    return float(_sk().silhouette_score(check_array(X), _vector(labels), metric=metric))


@reflected
def silhouette_samples(X: Any, labels: Any, metric: str = "euclidean", chunksize: int | None = None) -> Any:
    """The silhouette coefficient of each sample."""
    return _sk().silhouette_samples(check_array(X), _vector(labels), metric=metric)
