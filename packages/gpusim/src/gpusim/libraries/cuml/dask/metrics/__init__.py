"""Metrics of Dask arrays."""

from __future__ import annotations

from typing import Any

import cuml.metrics
import dask

from .._base import get_client, joined, parts_of


def confusion_matrix(
    y_true: Any, y_pred: Any, labels: Any = None, normalize: str | None = None, sample_weight: Any = None,
    client: Any = None,
) -> Any:  # fmt: skip
    """How many samples of each class (rows) were given each class (columns)."""

    def count(truth: list[Any], predicted: list[Any], weight: list[Any] | None) -> Any:
        return cuml.metrics.confusion_matrix(
            joined(truth), joined(predicted), labels=labels, normalize=normalize,
            sample_weight=None if weight is None else joined(weight),
        )  # fmt: skip

    weights = None if sample_weight is None else parts_of(sample_weight)
    task = dask.delayed(count, pure=False)(parts_of(y_true), parts_of(y_pred), weights)
    return get_client(client).compute(task).result()
