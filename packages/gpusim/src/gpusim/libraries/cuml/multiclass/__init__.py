"""Classifiers of many classes from those of two."""

from __future__ import annotations

from typing import Any

from ..internals._estimator import Classifier
from ..internals.outputs import method


class _Many(Classifier):
    def __init__(self, estimator: Any, *, verbose: Any = False, output_type: str | None = None) -> None:
        self._set(locals())

    def _params_to_cpu(self) -> dict[str, Any]:
        return {"estimator": self.estimator}

    @method
    def decision_function(self, X: Any) -> Any:
        """The signed distance to each boundary."""
        return self._apply("decision_function", X)


class OneVsRestClassifier(_Many):
    """One model for each class."""

    _cpu = "sklearn.multiclass.OneVsRestClassifier"


class OneVsOneClassifier(_Many):
    """One model for each pair of classes."""

    _cpu = "sklearn.multiclass.OneVsOneClassifier"
