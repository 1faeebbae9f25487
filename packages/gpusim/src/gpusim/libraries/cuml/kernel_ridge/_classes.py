"""Ridge regression with a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..internals._arrays import raw
from ..internals._estimator import Regressor


class KernelRidge(Regressor):
    """Ridge regression with a kernel."""

    _keeps = True
    _cpu = "sklearn.kernel_ridge.KernelRidge"
    _fitted = ("dual_coef_", "X_fit_")

    def __init__(
        self, *, alpha=1, kernel="linear", gamma=None, degree=3, coef0=1, kernel_params=None, output_type=None,
        verbose=False,
    ):  # fmt: skip
        self._set(locals())

    def _params_to_cpu(self) -> dict[str, Any]:
        told = super()._params_to_cpu()
        return told if np.isscalar(self.alpha) else told | {"alpha": raw(self.alpha)}
