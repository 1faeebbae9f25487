"""Categories as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from gpusim.device import queue
from gpusim.importing.errors import NotSimulatedError

from ..internals._arrays import convert, index_of, infer_output_type, is_cudf, launched, raw
from ..internals.base import Base
from ..internals.outputs import method


def _column(y: Any, name: str = "y") -> np.ndarray:
    host = raw(y)
    if host.ndim == 2 and host.shape[1] == 1:
        host = host.ravel()
    if host.ndim != 1:
        raise ValueError(f"Expected 1D array, got {host.ndim}D array instead.")
    return host


def _need(estimator: Any, name: str) -> None:
    if name not in estimator.__dict__:
        from sklearn.exceptions import NotFittedError

        raise NotFittedError(
            f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before using "
            "this estimator."
        )


class LabelEncoder(Base):
    """The number of each label among all, sorted.

    Attributes
    ----------
    classes_ : numpy.ndarray
    """

    _kind = "transformer"

    def __init__(self, *, handle_unknown="error", verbose=False, output_type=None) -> None:
        self._set(locals())

    def _learn(self, y: Any) -> np.ndarray:
        if self.handle_unknown not in ("error", "ignore"):
            raise ValueError(f"handle_unknown should be either 'error' or 'ignore', got {self.handle_unknown}.")
        self._input_type = infer_output_type(y)
        self.classes_, codes = np.unique(_column(y), return_inverse=True)
        return codes

    def fit(self, y: Any) -> LabelEncoder:
        """Learn the labels."""
        self._learn(y)
        return self

    @method(keep_index=True)
    def fit_transform(self, y: Any) -> Any:
        """Learn the labels and return the number of each."""
        return self._learn(y).astype("int64")

    @method(keep_index=True)
    def transform(self, y: Any) -> Any:
        """The number of each label; one that is not known is an error, or -1."""
        _need(self, "classes_")
        values = pd.Series(_column(y))
        codes = pd.Categorical(values, categories=pd.Index(self.classes_)).codes
        if (codes < 0).any() and self.handle_unknown == "error":
            unseen = np.asarray(values[~values.isin(self.classes_)].drop_duplicates().sort_values(), dtype=object)
            raise ValueError(f"y contains previously unseen labels: {unseen!s}")
        width = "int8" if len(self.classes_) <= 127 else "int16" if len(self.classes_) <= 32767 else "int32"
        return np.asarray(codes, width)

    @method(keep_index=True)
    def inverse_transform(self, y: Any) -> Any:
        """The label of each number."""
        _need(self, "classes_")
        codes, count = _column(y), len(self.classes_)
        wrong = (codes < 0) | (codes >= count)
        if wrong.any():
            if self.handle_unknown == "error":
                raise ValueError(f"y contains previously unseen labels: {np.unique(codes[wrong])!s}")
            return np.where(wrong, None, self.classes_.astype(object)[np.where(wrong, 0, codes)])
        return self.classes_[codes]


class LabelBinarizer(Base):
    """A column for each label."""

    _kind = "transformer"

    def __init__(self, *, neg_label=0, pos_label=1, sparse_output=False, verbose=False, output_type=None) -> None:
        self._set(locals())

    def _model(self) -> Any:
        from sklearn.preprocessing import LabelBinarizer as Model

        return Model(neg_label=self.neg_label, pos_label=self.pos_label, sparse_output=self.sparse_output)

    @property
    def classes_(self) -> Any:
        """The labels, sorted."""
        if "_fitted" not in self.__dict__:
            raise AttributeError("'LabelBinarizer' object has no attribute 'classes_'")
        return convert(self._fitted.classes_, self._get_output_type())

    def fit(self, y: Any) -> LabelBinarizer:
        """Learn the labels."""
        self._input_type = infer_output_type(y)
        self._fitted = self._model().fit(_column(y))
        return self

    @method
    def fit_transform(self, y: Any) -> Any:
        """Learn the labels and return their columns."""
        return self.fit(y)._fitted.transform(_column(y))

    @method
    def transform(self, y: Any) -> Any:
        """The columns of labels."""
        _need(self, "_fitted")
        host = _column(y)
        if len(set(host) - set(self._fitted.classes_)):
            raise ValueError("Unseen classes encountered in input")
        return self._fitted.transform(host)

    @method
    def inverse_transform(self, y: Any, *, threshold: float | None = None) -> Any:
        """The labels of columns."""
        _need(self, "_fitted")
        return self._fitted.inverse_transform(raw(y), threshold=threshold)


def label_binarize(y: Any, classes: Any, neg_label: int = 0, pos_label: int = 1, sparse_output: bool = False) -> Any:
    """A column for each of the labels named."""
    from sklearn.preprocessing import label_binarize as binarize

    columns = binarize(
        _column(y), classes=raw(classes), neg_label=neg_label, pos_label=pos_label, sparse_output=sparse_output
    )
    return convert(columns, infer_output_type(y))


def _table(X: Any) -> pd.DataFrame:
    """Samples with each column of its own type."""
    if is_cudf(X):
        with queue.suspended_account():
            X = X.to_pandas()
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(raw(X))
    return frame.astype({name: object for name in frame if frame[name].dtype.kind not in "iufb"})


class _Encoder(Base):
    _kind = "transformer"

    def _begin(self, X: Any) -> pd.DataFrame:
        frame = _table(X)
        self._input_type = infer_output_type(X)
        self._named = isinstance(X, pd.DataFrame) or is_cudf(X)
        self._columns = list(frame.columns)
        self.n_features_in_ = frame.shape[1]
        return frame

    def _wanted(self) -> Any:
        given = self.categories
        if isinstance(given, str):
            if given != "auto":
                raise ValueError(f"Unsupported categories {given!r}")
            return "auto"
        if isinstance(given, (pd.DataFrame,)) or is_cudf(given):
            table = _table(given)
            return [table[name].dropna().unique() for name in table]
        return [np.asarray(raw(one)) for one in given]

    @property
    def categories_(self) -> list[Any]:
        """The categories of each feature."""
        if "_fitted" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'categories_'")
        kinds = [c.dtype.kind for c in self._fitted.categories_]
        wanted = self._get_output_type()
        return [
            c if wanted == "cupy" and kind not in "iufb" else convert(c, wanted)
            for c, kind in zip(self._fitted.categories_, kinds, strict=True)
        ]

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of what `transform` returns."""
        _need(self, "_fitted")
        names = input_features if input_features is not None else self._columns
        return self._fitted.get_feature_names_out(
            np.asarray([str(n) if self._named else f"x{n}" for n in names], dtype=object)
        )

    def _encode(self, X: Any) -> Any:
        _need(self, "_fitted")
        frame = _table(X)
        launched(f"cuml.{type(self).__name__}.transform", int(frame.size) * 8, X)
        try:
            return self._fitted.transform(frame.to_numpy(dtype=object) if not self._numeric else frame.to_numpy())
        except ValueError as error:
            if "Found unknown categories" in str(error):
                raise KeyError(str(error)) from None
            raise

    def _learn(self, X: Any, model: Any) -> None:
        frame = self._begin(X)
        self._numeric = all(frame[name].dtype.kind in "iufb" for name in frame)
        launched(f"cuml.{type(self).__name__}.fit", int(frame.size) * 8, X)
        self._fitted = model.fit(frame.to_numpy() if self._numeric else frame.to_numpy(dtype=object))

    @method(keep_index=True, names="out")
    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn the categories, and encode the same samples."""
        return self.fit(X)._encode(X)

    @method(keep_index=True, names="out")
    def transform(self, X: Any) -> Any:
        """The columns of samples (sparse unless ``sparse_output=False``), or their numbers."""
        return self._encode(X)

    def inverse_transform(self, X: Any) -> Any:
        """The samples of what they were encoded as."""
        _need(self, "_fitted")
        back = pd.DataFrame(self._fitted.inverse_transform(raw(X)), columns=self._columns).infer_objects()
        kind = self._get_output_type(X)
        if self._named or kind in ("cudf", "pandas") or not self._numeric:
            index = index_of(X)
            if index is not None:
                back.index = index.to_pandas() if hasattr(index, "to_pandas") else index
            if kind == "pandas" or kind == "numpy":
                return back if kind == "pandas" else back.to_numpy()
            import cudf

            return cudf.from_pandas(back)
        return convert(back.to_numpy(), kind)


class OneHotEncoder(_Encoder):
    """A column for each category of each feature."""

    def __init__(
        self, *, categories="auto", drop=None, sparse_output=True, dtype=np.float32, handle_unknown="error",
        output_type=None, verbose=False,
    ) -> None:  # fmt: skip
        self._set(locals())

    def fit(self, X: Any, y: Any = None) -> OneHotEncoder:
        """Learn the categories."""
        from sklearn.preprocessing import OneHotEncoder as Model

        if self.handle_unknown not in ("error", "ignore"):
            raise ValueError(f"handle_unknown should be either 'error' or 'ignore', got {self.handle_unknown}.")
        if self.drop is not None and self.handle_unknown == "ignore":
            raise ValueError(
                "`handle_unknown` must be 'error' when the drop parameter is specified, as both would create categories "
                "that are all zero."
            )
        model = Model(
            categories=self._wanted(), drop=self._drop(), sparse_output=self.sparse_output, dtype=np.dtype(self.dtype),
            handle_unknown=self.handle_unknown,
        )  # fmt: skip
        self._learn(X, model)
        return self

    def _drop(self) -> Any:
        if isinstance(self.drop, dict):
            return np.asarray([raw(one).ravel()[0] for one in self.drop.values()], dtype=object)
        return self.drop if self.drop is None or isinstance(self.drop, str) else raw(self.drop)

    @property
    def drop_idx_(self) -> Any:
        """The number of the category of each feature that has no column."""
        return self._fitted.drop_idx_


class OrdinalEncoder(_Encoder):
    """The number of each category of each feature."""

    def __init__(
        self, *, categories="auto", dtype=np.float64, handle_unknown="error", verbose=False, output_type=None
    ) -> None:
        self._set(locals())

    def fit(self, X: Any, y: Any = None) -> OrdinalEncoder:
        """Learn the categories."""
        from sklearn.preprocessing import OrdinalEncoder as Model

        unknown = (
            {"handle_unknown": "use_encoded_value", "unknown_value": np.nan} if self.handle_unknown == "ignore" else {}
        )
        self._learn(X, Model(categories=self._wanted(), dtype=np.dtype(self.dtype), **unknown))
        return self


class TargetEncoder(Base):
    """The mean target of each category, for each sample from the other folds; the statistic "mean" only."""

    _kind = "transformer"

    def __init__(
        self, *, n_folds=4, smooth=0, seed=42, split_method="interleaved", verbose=False, output_type=None, stat="mean",
        multi_feature_mode="combination",
    ) -> None:  # fmt: skip
        self._set(locals())

    def _keys(self, X: Any) -> pd.Series:
        frame = _table(X if hasattr(X, "columns") or getattr(X, "ndim", 2) == 2 else X.to_frame() if hasattr(X, "to_frame")
                       else raw(X)[:, None])  # fmt: skip
        if frame.shape[1] == 1:
            return frame.iloc[:, 0].reset_index(drop=True)
        return pd.Series(list(map(tuple, frame.to_numpy(dtype=object))))

    def _folds(self, n: int, fold_ids: Any) -> np.ndarray:
        if self.split_method == "customize":
            if fold_ids is None:
                raise ValueError("`fold_ids` is required since split_method is set to 'customize'.")
            return raw(fold_ids)
        if self.split_method == "random":
            return np.random.default_rng(self.seed).integers(0, self.n_folds, n)
        if self.split_method == "continuous":
            return np.arange(n) // -(-n // self.n_folds) % self.n_folds
        if self.split_method == "interleaved":
            return np.arange(n) % self.n_folds
        raise ValueError(
            "split_method should be one of ('interleaved', 'random', 'continuous', 'customize'), got "
            f"{self.split_method!r}."
        )

    def fit(self, X: Any, y: Any, *, fold_ids: Any = None) -> TargetEncoder:
        """Learn the mean of each category."""
        if self.stat != "mean" or self.multi_feature_mode != "combination":
            raise NotSimulatedError(
                f"cuml.preprocessing.TargetEncoder(stat={self.stat!r}, multi_feature_mode={self.multi_feature_mode!r})",
                "stat='mean'",
            )
        self._input_type = infer_output_type(X)
        self._keys_seen, target = self._keys(X), pd.Series(_column(y).astype("float64"))
        self._target, self._mean = target, float(target.mean())
        self._all = self._means(self._keys_seen, target, self._mean)
        self._train_folds = self._folds(len(target), fold_ids)
        return self

    def _means(self, keys: pd.Series, target: pd.Series, mean: float) -> pd.Series:
        grouped = target.groupby(keys).agg(["sum", "count"])
        return (grouped["sum"] + self.smooth * mean) / (grouped["count"] + self.smooth)

    @method(keep_index=True)
    def fit_transform(self, X: Any, y: Any, *, fold_ids: Any = None) -> Any:
        """Learn, and for each sample the mean of its category in the other folds."""
        self.fit(X, y, fold_ids=fold_ids)
        keys, target, folds = self._keys_seen, self._target, pd.Series(self._train_folds)
        encoded = np.empty(len(keys))
        for fold in np.unique(folds):
            here = (folds == fold).to_numpy()
            others = self._means(keys[~here], target[~here], float(target[~here].mean()))
            encoded[here] = keys[here].map(others).fillna(float(target[~here].mean())).to_numpy(dtype=float)
        return encoded[:, None]

    @method(keep_index=True)
    def transform(self, X: Any) -> Any:
        """The mean of each sample's category, that of all where it is not known."""
        _need(self, "_all")
        return self._keys(X).map(self._all).fillna(self._mean).to_numpy(dtype=float)[:, None]
