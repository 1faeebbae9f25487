"""Transformers that cuML took from scikit-learn, with its signatures of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..internals._arrays import check_array
from ..internals._estimator import Transformer
from ..internals.outputs import method, reflected


class _Scaler(Transformer):
    """A transformer. NaN passes through where scikit-learn lets it."""

    _finite = False

    def _check_X(self, X: Any, *, reset: bool = False, min_samples: int = 1, finite: bool = True) -> Any:
        return super()._check_X(X, reset=reset, min_samples=min_samples, finite=self._finite)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of what `transform` returns."""
        names = self.__dict__.get("feature_names_in_") if input_features is None else input_features
        return self._model.get_feature_names_out(names)


class _Reversible(_Scaler):
    """One that can be undone."""

    @method(keep_index=True, names="in")
    def inverse_transform(self, X: Any) -> Any:
        """The samples as they were before."""
        host = check_array(X, dtype=(self._dtype,), sparse=True, finite=False)
        return self._cast(self._model.inverse_transform(host))


class StandardScaler(_Reversible):
    """Mean 0 and variance 1."""

    _cpu = "sklearn.preprocessing.StandardScaler"
    _sparse = True
    _fitted = ("mean_", "var_", "scale_", "n_samples_seen_")

    def __init__(self, *, copy=True, with_mean=True, with_std=True):
        self._set(locals())

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> StandardScaler:
        """Take in some more samples."""
        return self._partial_fit(X)


class MinMaxScaler(_Reversible):
    """From the least to the largest."""

    _cpu = "sklearn.preprocessing.MinMaxScaler"
    _fitted = ("min_", "scale_", "data_min_", "data_max_", "data_range_", "n_samples_seen_")

    def __init__(self, feature_range=(0, 1), *, copy=True):
        self._set(locals())

    def partial_fit(self, X: Any, y: Any = None) -> MinMaxScaler:
        """Take in some more samples."""
        return self._partial_fit(X)


class MaxAbsScaler(_Reversible):
    """The largest absolute value becomes 1."""

    _cpu = "sklearn.preprocessing.MaxAbsScaler"
    _sparse = True
    _fitted = ("scale_", "max_abs_", "n_samples_seen_")

    def __init__(self, *, copy=True):
        self._set(locals())

    def partial_fit(self, X: Any, y: Any = None) -> MaxAbsScaler:
        """Take in some more samples."""
        return self._partial_fit(X)


class RobustScaler(_Reversible):
    """Median 0 and interquartile range 1."""

    _cpu = "sklearn.preprocessing.RobustScaler"
    _sparse = True
    _fitted = ("center_", "scale_")

    def __init__(self, *, with_centering=True, with_scaling=True, quantile_range=(25.0, 75.0), copy=True):
        self._set(locals())


class _Stateless(_Scaler):
    """One that works without a fit as well."""

    _sparse = True
    _finite = True

    @method(keep_index=True, names="out")
    def transform(self, X: Any, copy: bool | None = None) -> Any:
        """The samples, changed; without a fit as well."""
        if "_fitted_model" not in self.__dict__:
            self.fit(X)
        return self._apply("transform", X)


class Normalizer(_Stateless):
    """Each sample of length 1."""

    _cpu = "sklearn.preprocessing.Normalizer"

    def __init__(self, norm="l2", *, copy=True):
        self._set(locals())


class Binarizer(_Stateless):
    """1 above a threshold, else 0."""

    _cpu = "sklearn.preprocessing.Binarizer"

    def __init__(self, *, threshold=0.0, copy=True):
        self._set(locals())


class PolynomialFeatures(_Scaler):
    """Products of features."""

    _cpu = "sklearn.preprocessing.PolynomialFeatures"
    _sparse = True
    _finite = True
    _fitted = ("powers_", "n_output_features_")

    def __init__(self, degree=2, *, interaction_only=False, include_bias=True, order="C"):
        self._set(locals())


class QuantileTransformer(_Reversible):
    """Evenly or normally distributed."""

    _cpu = "sklearn.preprocessing.QuantileTransformer"
    _fitted = ("n_quantiles_", "quantiles_", "references_")

    def __init__(
        self, *, n_quantiles=1000, output_distribution="uniform", ignore_implicit_zeros=False, subsample=int(1e5),
        random_state=None, copy=True,
    ):  # fmt: skip
        self._set(locals())


class PowerTransformer(_Reversible):
    """More like a normal distribution, by powers."""

    _cpu = "sklearn.preprocessing.PowerTransformer"
    _fitted = ("lambdas_",)

    def __init__(self, method="yeo-johnson", *, standardize=True, copy=True):
        self._set(locals())


class KernelCenterer(_Scaler):
    """A centred kernel matrix."""

    _cpu = "sklearn.preprocessing.KernelCenterer"
    _finite = True
    _fitted = ("K_fit_rows_", "K_fit_all_")

    def __init__(self):
        self._set(locals())


class KBinsDiscretizer(_Reversible):
    """Numbers in bins."""

    _cpu = "sklearn.preprocessing.KBinsDiscretizer"
    _finite = True
    _fitted = ("n_bins_", "bin_edges_")

    def __init__(self, n_bins=5, *, encode="onehot", strategy="quantile"):
        self._set(locals())

    def _params_to_cpu(self) -> dict[str, Any]:
        encode = "onehot" if self.encode == "onehot-sparse" else self.encode
        told = {"n_bins": self.n_bins, "encode": encode, "strategy": self.strategy, "subsample": None}
        return told | ({"quantile_method": "linear"} if self.strategy == "quantile" else {})

    def _attribute(self, name: str, value: Any) -> Any:
        return list(map(self._cast, value)) if name == "bin_edges_" else value


class SimpleImputer(_Reversible):
    """Values where there are none."""

    _cpu = "sklearn.impute.SimpleImputer"
    _fitted = ("statistics_", "indicator_")

    def __init__(self, *, missing_values=np.nan, strategy="mean", fill_value=None, copy=True, add_indicator=False):
        self._set(locals())


class MissingIndicator(_Scaler):
    """Where there are no values."""

    _cpu = "sklearn.impute.MissingIndicator"
    _fitted = ("features_",)

    def __init__(self, *, missing_values=np.nan, features="missing-only", sparse="auto", error_on_new=True):
        self._set(locals())


class FunctionTransformer(Transformer):
    """A function of the user's, which is given the samples as they came."""

    def __init__(
        self, *, func=None, inverse_func=None, accept_sparse=False, check_inverse=True, kw_args=None, inv_kw_args=None
    ):
        self._set(locals())

    def fit(self, X: Any, y: Any = None) -> FunctionTransformer:
        """Nothing to learn."""
        return self

    def transform(self, X: Any) -> Any:
        """The function of the samples."""
        return X if self.func is None else self.func(X, **(self.kw_args or {}))

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """The same."""
        return self.transform(X)

    def inverse_transform(self, X: Any) -> Any:
        """The other function of the samples."""
        return X if self.inverse_func is None else self.inverse_func(X, **(self.inv_kw_args or {}))


def _function(name: str, sparse: bool = True) -> Any:
    """A function of scikit-learn over arrays of any library."""

    @reflected
    def function(X: Any, *args: Any, **kwargs: Any) -> Any:
        import sklearn.preprocessing

        host = check_array(X, sparse=sparse, finite=False, ensure_2d=False)
        result = getattr(sklearn.preprocessing, name)(host, *args, **kwargs)
        narrow = host.dtype == np.float32 and hasattr(result, "dtype") and result.dtype == np.float64
        return result.astype(np.float32) if narrow else result

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"As `sklearn.preprocessing.{name}`, for arrays of any library."
    return function


scale = _function("scale")
minmax_scale = _function("minmax_scale", sparse=False)
maxabs_scale = _function("maxabs_scale")
robust_scale = _function("robust_scale")
normalize = _function("normalize")
binarize = _function("binarize")
add_dummy_feature = _function("add_dummy_feature")
quantile_transform = _function("quantile_transform")
power_transform = _function("power_transform", sparse=False)
