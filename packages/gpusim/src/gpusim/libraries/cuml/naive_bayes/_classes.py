"""Naive Bayes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..internals._arrays import check_y, raw
from ..internals._estimator import ProbabilisticClassifier


class _Bayes(ProbabilisticClassifier):
    _sparse = True

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """Take in some more samples; all classes are named in the first call."""
        model = self.__dict__.get("_fitted_model")
        host = self._check_X(X, reset=model is None)
        self._fitted_model = model or self._make()
        self._launch("partial_fit", (host,), X, y, sample_weight)
        weight = None if sample_weight is None else raw(sample_weight)
        self._fitted_model.partial_fit(
            host, check_y(y), classes=None if classes is None else np.unique(raw(classes)), sample_weight=weight
        )
        return self

    def _params_to_cpu(self) -> dict[str, Any]:
        told = super()._params_to_cpu()
        for name in ("priors", "class_prior"):
            if told.get(name) is not None:
                told[name] = raw(told[name])
        return told


class GaussianNB(_Bayes):
    """For numbers."""

    _cpu = "sklearn.naive_bayes.GaussianNB"
    _fitted = ("theta_", "var_", "class_count_", "class_prior_", "epsilon_")

    def __init__(self, *, priors=None, var_smoothing=1e-9, output_type=None, verbose=False):
        self._set(locals())


_COUNTS = ("class_count_", "class_log_prior_", "feature_count_", "feature_log_prob_")


class MultinomialNB(_Bayes):
    """For counts."""

    _cpu = "sklearn.naive_bayes.MultinomialNB"
    _fitted = _COUNTS

    def __init__(self, *, alpha=1.0, fit_prior=True, class_prior=None, verbose=False, output_type=None):
        self._set(locals())


class BernoulliNB(_Bayes):
    """For yes and no."""

    _cpu = "sklearn.naive_bayes.BernoulliNB"
    _fitted = _COUNTS

    def __init__(self, *, alpha=1.0, binarize=0.0, fit_prior=True, class_prior=None, output_type=None, verbose=False):
        self._set(locals())


class ComplementNB(_Bayes):
    """For counts of classes of very different sizes."""

    _cpu = "sklearn.naive_bayes.ComplementNB"
    _fitted = (*_COUNTS, "feature_all_")

    def __init__(self, *, alpha=1.0, fit_prior=True, class_prior=None, norm=False, output_type=None, verbose=False):
        self._set(locals())


class CategoricalNB(_Bayes):
    """For categories."""

    _cpu = "sklearn.naive_bayes.CategoricalNB"
    _fitted = ("class_count_", "class_log_prior_")
    _dtypes = ("int32", "int64", "float32", "float64")

    def __init__(self, *, alpha=1.0, fit_prior=True, class_prior=None, output_type=None, verbose=False):
        self._set(locals())

    def _cast(self, values: Any) -> Any:
        return values
