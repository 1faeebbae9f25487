"""Splitting data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gpusim.importing.names import refuser

from ..internals._arrays import is_cudf, is_cupy_sparse, raw, to_device
from ..internals._seeds import host_seed


def _pick(array: Any, rows: np.ndarray) -> Any:
    """Some rows of an array of any library, as the same."""
    if is_cudf(array) or hasattr(array, "iloc"):
        return array.iloc[rows]
    if is_cupy_sparse(array) or not hasattr(array, "__cuda_array_interface__"):
        return array[rows] if hasattr(array, "shape") else [array[i] for i in rows]
    return array[to_device(rows)]


def _length(array: Any) -> int:
    shape = getattr(array, "shape", None)
    return len(array) if shape is None else shape[0]


def train_test_split(
    *arrays: Any,
    test_size: Any = None,
    train_size: Any = None,
    random_state: Any = None,
    shuffle: bool = True,
    stratify: Any = None,
) -> list[Any]:
    """Split arrays in two at the same rows, the rows that scikit-learn picks; each keeps its type."""
    if not arrays:
        raise ValueError("At least one array required as input")
    lengths = [_length(array) for array in arrays]
    if len(set(lengths)) > 1:
        raise ValueError(f"Found input variables with inconsistent number of samples: {sorted(lengths)}")
    from sklearn.model_selection import train_test_split as split

    train, test = split(
        np.arange(lengths[0]),
        test_size=test_size,
        train_size=train_size,
        random_state=host_seed(random_state),
        shuffle=shuffle,
        stratify=None if stratify is None else raw(stratify),
    )
    return [_pick(array, rows) for array in arrays for rows in (train, test)]


class _Folds:
    _model = "KFold"

    def __init__(self, n_splits: int = 5, *, shuffle: bool = False, random_state: Any = None) -> None:
        if not isinstance(n_splits, (int, np.integer)) or n_splits < 2:
            raise ValueError(f"Expected an integral n_splits >= 2, got n_splits={n_splits!r}")
        self.n_splits, self.shuffle, self.random_state = n_splits, shuffle, random_state

    def split(self, X: Any, y: Any = None) -> Iterator[tuple[Any, Any]]:
        """Rows of the training and the test set of each fold, on the device."""
        import sklearn.model_selection

        n_samples = _length(X)
        if self.n_splits > n_samples:
            raise ValueError(
                f"Cannot have number of splits n_splits={self.n_splits} greater than the number of samples: {n_samples=}"
            )
        target = None if y is None else raw(y).ravel()
        self._check(target)
        seed = host_seed(self.random_state) if self.shuffle else None
        model = getattr(sklearn.model_selection, self._model)(self.n_splits, shuffle=self.shuffle, random_state=seed)
        for train, test in model.split(np.zeros((n_samples, 1)), target):
            yield to_device(train), to_device(test)

    def _check(self, target: Any) -> None:
        pass

    def get_n_splits(self, X: Any = None, y: Any = None) -> int:
        """How many folds there are."""
        return self.n_splits


class KFold(_Folds):
    """Folds of rows."""


class StratifiedKFold(_Folds):
    """Folds with the same share of each class."""

    _model = "StratifiedKFold"

    def _check(self, target: Any) -> None:
        classes, counts = np.unique(target, return_counts=True)
        if len(classes) < 2:
            raise ValueError("number of unique classes cannot be less than 2")
        if self.n_splits > counts.min():
            raise ValueError(f"n_splits={self.n_splits} cannot be greater than the number of members in each class.")


_refuse = refuser("cuml.model_selection")


def __getattr__(name: str) -> Any:
    if name == "GridSearchCV":  # scikit-learn's own, as in cuML
        from sklearn.model_selection import GridSearchCV

        return GridSearchCV
    return _refuse(name)
