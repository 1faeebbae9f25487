"""Transformers for columns: scikit-learn's, over estimators of cuML; frames of cuDF are refused by it."""

from __future__ import annotations

from typing import Any

from sklearn.compose import ColumnTransformer as _ColumnTransformer
from sklearn.compose import make_column_selector, make_column_transformer

from gpusim.importing.errors import NotSimulatedError

from ..internals._arrays import is_cudf


class ColumnTransformer(_ColumnTransformer):
    """Transformers for columns of host data."""

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Fit and transform; a frame of cuDF is not simulated here."""
        if is_cudf(X):
            raise NotSimulatedError("cuml.compose.ColumnTransformer over a frame of cuDF", "X.to_pandas()")
        return super().fit_transform(X, y, **params)


__all__ = ["ColumnTransformer", "make_column_selector", "make_column_transformer"]
