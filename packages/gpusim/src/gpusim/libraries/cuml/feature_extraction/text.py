"""Texts as numbers, by scikit-learn, over series of cuDF or pandas; matrices are sparse on the device."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gpusim.importing.errors import NotSimulatedError

from ..internals._arrays import Returning, convert, infer_output_type, is_cudf, launched, raw, to_device_sparse
from ..internals._estimator import _load
from ..internals.base import Base


class _Texts(Base):
    """A vectorizer with a model of scikit-learn."""

    _kind = "transformer"
    _cpu = ""

    def _make(self) -> Any:
        import inspect

        if self.tokenizer is not None or self.preprocessor is not None:
            raise NotSimulatedError(
                f"cuml.feature_extraction.text.{type(self).__name__} with a function for series of text",
                "analyzer='word'",
            )
        known = inspect.signature(_load(self._cpu)).parameters
        told = {name: getattr(self, name) for name in self._get_param_names() if name in known}
        for name in ("vocabulary", "stop_words"):
            value = told.get(name)
            if value is not None and not isinstance(value, (str, dict, list, set)):
                told[name] = [str(item) for item in raw(value)]
        if self.analyzer == "word":
            told["token_pattern"] = r"(?u)\S+" if self.delimiter not in (None, " ") else r"(?u)\b\w\w+\b"
        return _load(self._cpu)(**told | {"dtype": np.dtype(self.dtype)})

    def _documents(self, X: Any) -> list[str]:
        if not is_cudf(X) and not hasattr(X, "str") and not isinstance(X, (list, np.ndarray)):
            raise TypeError(f"Expected a series of text, got {type(X)}")
        self._input_type = infer_output_type(X)
        values = list(raw(X))
        return [text if self.delimiter in (None, " ") else text.replace(self.delimiter, " ") for text in values]

    def _give(self, matrix: Any, X: Any) -> Any:
        with Returning() as launches:
            launched(f"cuml.{type(self).__name__}.transform", 0, X)
            wanted = self._get_output_type()
            host = wanted in ("numpy", "pandas") and self.output_type is not None
            launches.result = matrix if host else to_device_sparse(matrix)
        return launches.result

    def fit(self, X: Any, y: Any = None) -> Any:
        """Learn the words."""
        self._model = self._make().fit(self._documents(X))
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn the words, and the matrix."""
        self._model = self._make()
        return self._give(self._model.fit_transform(self._documents(X)), X)

    def transform(self, X: Any) -> Any:
        """The sparse (texts, words) matrix."""
        check_is_fitted(self)
        return self._give(self._model.transform(self._documents(X)), X)

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The words, as a series of cuDF where there is one."""
        return self._model.get_feature_names_out()

    get_feature_names = get_feature_names_out

    @property
    def vocabulary_(self) -> Any:
        """The words, sorted: a series of cuDF."""
        import cudf

        return cudf.Series(list(self._model.get_feature_names_out()))

    def inverse_transform(self, X: Any) -> Any:
        """The words of each text."""
        matrix = X.get() if hasattr(X, "get") else X
        return [np.asarray(words) for words in self._model.inverse_transform(matrix)]


class CountVectorizer(_Texts):
    """How often each word is in each text."""

    _cpu = "sklearn.feature_extraction.text.CountVectorizer"

    def __init__(
        self, *, lowercase=True, preprocessor=None, tokenizer=None, delimiter=None, stop_words=None, ngram_range=(1, 1),
        analyzer="word", max_df=1.0, min_df=1, max_features=None, vocabulary=None, binary=False, dtype=np.float32,
        verbose=False, output_type=None,
    ):  # fmt: skip
        self._set(locals())


class TfidfVectorizer(_Texts):
    """The same, weighted by how rare a word is."""

    _cpu = "sklearn.feature_extraction.text.TfidfVectorizer"

    def __init__(
        self, *, lowercase=True, preprocessor=None, tokenizer=None, delimiter=None, stop_words=None, ngram_range=(1, 1),
        analyzer="word", max_df=1.0, min_df=1, max_features=None, vocabulary=None, binary=False, dtype=np.float32,
        norm="l2", use_idf=True, smooth_idf=True, sublinear_tf=False, verbose=False, output_type=None,
    ):  # fmt: skip
        self._set(locals())

    @property
    def idf_(self) -> Any:
        """The weight of each word."""
        import cupy

        return cupy.asarray(self._model.idf_.astype(self.dtype))


class HashingVectorizer(_Texts):
    """The same, by a hash of each word instead of a list of them (another hash than cuML's)."""

    _cpu = "sklearn.feature_extraction.text.HashingVectorizer"

    def __init__(
        self, *, lowercase=True, preprocessor=None, tokenizer=None, delimiter=None, stop_words=None, ngram_range=(1, 1),
        analyzer="word", alternate_sign=True, n_features=2**20, dtype=np.float32, binary=False, norm="l2", verbose=False,
        output_type=None,
    ):  # fmt: skip
        self._set(locals())

    def partial_fit(self, X: Any, y: Any = None) -> Any:
        """Nothing to learn."""
        return self.fit(X)

    def transform(self, X: Any) -> Any:
        """The sparse (texts, columns) matrix, also of one that was never fitted."""
        self._model = self._make()
        return super().transform(X)

    def __sklearn_is_fitted__(self) -> bool:
        return True


class TfidfTransformer(Base):
    """Weights for a matrix of counts."""

    _kind = "transformer"

    def __init__(
        self, *, norm="l2", use_idf=True, smooth_idf=True, sublinear_tf=False, verbose=False, output_type=None
    ):
        self._set(locals())

    def fit(self, X: Any, y: Any = None) -> TfidfTransformer:
        """Learn the weights."""
        from sklearn.feature_extraction.text import TfidfTransformer as Model

        self._input_type = infer_output_type(X)
        self._model = Model(
            norm=self.norm, use_idf=self.use_idf, smooth_idf=self.smooth_idf, sublinear_tf=self.sublinear_tf
        ).fit(raw(X))
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    @property
    def idf_(self) -> Any:
        """The weight of each word."""

        check_is_fitted(self)
        return convert(np.asarray(self._model.idf_), self._get_output_type())

    def transform(self, X: Any, copy: bool = True) -> Any:
        """The weighted matrix."""
        check_is_fitted(self)
        matrix = self._model.transform(raw(X))
        return matrix if infer_output_type(X) == "numpy" else to_device_sparse(matrix)

    def fit_transform(self, X: Any, y: Any = None, copy: bool = True) -> Any:
        """Learn the weights and apply them."""
        return self.fit(X).transform(X)
