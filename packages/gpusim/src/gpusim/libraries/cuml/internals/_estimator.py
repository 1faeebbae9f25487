"""Estimators that compute with a model of scikit-learn (or umap-learn) of the same kind.

A class names that model and how its parameters are called there; what cuML does differently is written out in the class.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from gpusim.device.thread_warnings import ignored

from ._arrays import (
    FLOATS,
    check_array,
    check_consistent_length,
    check_features,
    check_y,
    convert,
    infer_output_type,
    launched,
    raw,
)
from ._seeds import host_seed
from .base import Base
from .outputs import method


class Estimator(Base):
    """An estimator with a model on the host.

    A subclass sets ``_cpu`` ("sklearn.cluster.KMeans"), may override `_params_to_cpu`, and lists in ``_fitted`` the
    attributes of the fitted model that cuML has as well.
    """

    _cpu = ""
    _fitted: tuple[str, ...] = ()
    _sparse = False
    _dtypes: Any = FLOATS
    _keeps = False  # whether the host's model keeps the samples themselves, not only what it learned from them

    # --- the model on the host ---

    def _params_to_cpu(self) -> dict[str, Any]:
        import inspect

        known = inspect.signature(_load(self._cpu)).parameters
        return {name: getattr(self, name) for name in self._get_param_names() if name in known and name != "verbose"}

    def _make(self) -> Any:
        told = self._params_to_cpu()
        if "random_state" in told:
            told["random_state"] = host_seed(told["random_state"])
        return _load(self._cpu)(**told)

    @property
    def _model(self) -> Any:
        return self.__dict__["_fitted_model"] if "_fitted_model" in self.__dict__ else self._not_fitted()

    def _not_fitted(self) -> None:
        from sklearn.exceptions import NotFittedError

        raise NotFittedError(
            f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before using this "
            "estimator."
        )

    def __sklearn_is_fitted__(self) -> bool:
        return "_fitted_model" in self.__dict__

    def as_sklearn(self, deepcopy: bool = False) -> Any:
        """The model of scikit-learn: a copy where asked for, unfitted if this one is."""
        import copy

        model = self.__dict__.get("_fitted_model")
        if model is None:
            return self._make()
        return copy.deepcopy(model) if deepcopy else model

    @classmethod
    def from_sklearn(cls, model: Any) -> Any:
        """An estimator of cuML with the parameters that both know and, if the model is fitted, what it learned."""
        from sklearn.utils.validation import _is_fitted

        given = {key: value for key, value in model.get_params(deep=False).items() if key in cls._get_param_names()}
        defaults = type(model)().get_params(deep=False)
        # Only what was set: the defaults of the two libraries differ, and some values exist in one only.
        ours = cls(**{key: value for key, value in given.items() if repr(value) != repr(defaults.get(key))})
        if _is_fitted(model):
            ours._fitted_model = model
            ours._input_type = "numpy"
            # As wide as what was learned: scikit-learn's own code wants the samples in the same type.
            learned = [getattr(model, name, None) for name in (*cls._fitted, "_fit_X")]
            wide = [value.dtype for value in learned if isinstance(value, np.ndarray) and value.dtype.kind == "f"]
            ours._dtype = wide[0] if wide else np.dtype("float64")
            ours.n_features_in_ = getattr(model, "n_features_in_", None)
        return ours

    # --- inputs ---

    def _check_X(self, X: Any, *, reset: bool = False, min_samples: int = 1, finite: bool = True) -> Any:
        dtype = self._dtypes if reset or "_dtype" not in self.__dict__ else (self._dtype,)
        if reset:
            self._input_type = infer_output_type(X)
        host = check_array(X, dtype=dtype, sparse=self._sparse, min_samples=min_samples, finite=finite)
        check_features(self, X, host, reset)
        if reset:
            self._dtype = host.dtype
        return host

    def _launch(self, name: str, hosts: tuple, *given: Any) -> None:
        """Enter a launch that reads what was given, in the host's form `hosts`."""
        nbytes = sum(getattr(a, "nbytes", 0) for a in hosts)
        launched(f"cuml.{type(self).__name__}.{name}", nbytes, *given)

    def _fit(self, X: Any, y: Any = None, sample_weight: Any = None, **options: Any) -> Any:
        """Fit a new model; returns the checked X."""
        min_samples = options.pop("min_samples", 1)
        host = self._check_X(X, reset=True, min_samples=min_samples)
        target = None if y is None else self._check_target(y, host)
        weight = None if sample_weight is None else check_y(sample_weight, dtype=host.dtype, name="sample_weight")
        check_consistent_length(host, target, weight)
        model = self._make()
        if self._keeps:
            # cuML keeps it in memory of its own; the caller's may be freed and used again.
            host, target, weight = (None if values is None else values.copy() for values in (host, target, weight))
        arguments = (host,) if target is None else (host, target)
        if weight is not None:
            options["sample_weight"] = weight
        self._launch("fit", (host, target), X, y, sample_weight)
        with _FUTURE, _SAID, _CONVERGED:
            self._train(model, *arguments, **options)
        self._fitted_model = model
        return host

    def _train(self, model: Any, *arguments: Any, **options: Any) -> None:
        """Fit the host's model."""
        model.fit(*arguments, **options)

    def _check_target(self, y: Any, X: Any) -> np.ndarray:
        if self._kind == "classifier":
            return check_y(y)
        return check_y(y, dtype=X.dtype, multi=True)

    # --- outputs ---

    def _cast(self, values: Any) -> Any:
        """Floats as wide as the input that the model was fitted on, as cuML keeps them."""
        if isinstance(values, (list, tuple)):
            return type(values)(self._cast(item) for item in values)
        if isinstance(values, np.ndarray) and values.dtype.kind == "f" and values.dtype != self._dtype:
            return values.astype(self._dtype)
        return values

    def _partial_fit(self, X: Any) -> Any:
        model = self.__dict__.get("_fitted_model")
        host = self._check_X(X, reset=model is None)
        self._fitted_model = model or self._make()
        self._launch("partial_fit", (host,), X)
        self._fitted_model.partial_fit(host)
        return self

    def _apply(self, name: str, X: Any, **options: Any) -> Any:
        model = self._model
        host = self._check_X(X)
        self._launch(name, (host,), X)
        with _FUTURE, _SAID, _CONVERGED:
            return self._cast(getattr(model, name)(host, **options))

    def __getattr__(self, name: str) -> Any:
        if name in type(self)._fitted and "_fitted_model" in self.__dict__:
            value = getattr(self.__dict__["_fitted_model"], name)
            return convert(self._attribute(name, value), self._get_output_type())
        if name == "_model":  # NotFittedError is an AttributeError too, and brings Python here
            self._not_fitted()
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _attribute(self, name: str, value: Any) -> Any:
        """An attribute of the host's model as cuML has it."""
        return self._cast(value)


def _load(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


# What scikit-learn warns of that cuML does not.
_FUTURE = ignored(FutureWarning, module="sklearn")
_CONVERGED = ignored(message=".*did not converge.*|.*Stochastic Optimizer.*|.*Maximum number of iteration.*")
_SAID = ignored(message=".*n_jobs value.*|.*valid feature names.*|.*Liblinear failed.*")


class _Supervised(Estimator):
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit to (n, features) samples and their n classes or numbers (or numbers of several targets)."""
        self._fit(X, y, sample_weight)
        return self

    @method(keep_index=True)
    def predict(self, X: Any) -> Any:
        """The classes or numbers of (n, features) samples."""
        return self._apply("predict", X)


class Classifier(_Supervised):
    """An estimator of classes."""

    _kind = "classifier"

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of samples whose class is right."""
        from sklearn.metrics import accuracy_score

        weight = None if sample_weight is None else raw(sample_weight)
        return float(accuracy_score(check_y(y), self._apply("predict", X), sample_weight=weight))

    @property
    def classes_(self) -> np.ndarray:
        """The classes, sorted, on the host as in cuML."""
        return self._classes()

    def _classes(self) -> np.ndarray:
        if "_fitted_model" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'classes_'")
        return self._fitted_model.classes_


class _Probabilities:
    """predict_proba of a classifier."""

    @method(keep_index=True)
    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, (n, classes)."""
        return self._apply("predict_proba", X)

    @method(keep_index=True)
    def predict_log_proba(self, X: Any) -> Any:
        """Its logarithm."""
        with np.errstate(divide="ignore"):
            return np.log(self._apply("predict_proba", X))


class ProbabilisticClassifier(_Probabilities, Classifier):
    """An estimator of classes and their probabilities."""


class Regressor(_Supervised):
    """An estimator of numbers."""

    _kind = "regressor"

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination."""
        from sklearn.metrics import r2_score

        weight = None if sample_weight is None else raw(sample_weight)
        return float(r2_score(raw(y), self._apply("predict", X), sample_weight=weight))


class Clusterer(Estimator):
    """An estimator of clusters."""

    _kind = "clusterer"
    _label_type = "int32"

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Find the clusters of (n, features) samples."""
        self._fit(X, None, sample_weight)
        return self

    @method(keep_index=True)
    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Find the clusters and return the number of each sample's, int32."""
        self.fit(X, sample_weight=sample_weight) if sample_weight is not None else self.fit(X)
        return self._attribute("labels_", self._model.labels_)

    def _attribute(self, name: str, value: Any) -> Any:
        return value.astype(self._label_type) if name == "labels_" else self._cast(value)


class Transformer(Estimator):
    """An estimator that changes samples."""

    _kind = "transformer"

    def fit(self, X: Any, y: Any = None) -> Any:
        """Fit to (n, features) samples."""
        self._fit(X)
        return self

    @method(keep_index=True, names="out")
    def transform(self, X: Any) -> Any:
        """The samples, changed."""
        return self._apply("transform", X)

    @method(keep_index=True, names="out")
    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit and change the samples."""
        self.fit(X, y)
        return self._apply("transform", X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of what `transform` returns."""
        return self._model.get_feature_names_out(input_features)
