"""Made-up data, on the device, float32 in Fortran order as cuML makes it."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from gpusim.importing.names import refused

from ..internals._arrays import convert, raw
from ..internals._seeds import host_seed
from ..internals.outputs import _settings


def _out(*arrays: Any) -> Any:
    kind = _settings.output_type
    return tuple(convert(array, "cupy" if kind in (None, "input") else kind) for array in arrays)


def make_blobs(
    n_samples=100, n_features=2, centers=None, cluster_std=1.0, center_box=(-10.0, 10.0), shuffle=True,
    random_state=None, return_centers=False, order="F", dtype="float32",
) -> Any:  # fmt: skip
    """Samples around centres and the number of the centre of each, all of ``dtype``."""
    from sklearn.datasets import make_blobs as make

    centres = raw(centers) if centers is not None and not np.isscalar(centers) else centers
    std = raw(cluster_std) if not np.isscalar(cluster_std) else cluster_std
    X, y, middles = make(
        n_samples, n_features, centers=centres, cluster_std=std, center_box=center_box, shuffle=shuffle,
        random_state=host_seed(random_state), return_centers=True,
    )  # fmt: skip
    made = np.asarray(X, dtype, order), np.asarray(y, dtype), np.asarray(middles, dtype)
    return _out(*made) if return_centers else _out(*made[:2])


def make_classification(
    n_samples=100, n_features=20, n_informative=2, n_redundant=2, n_repeated=0, n_classes=2, n_clusters_per_class=2,
    weights=None, flip_y=0.01, class_sep=1.0, hypercube=True, shift=0.0, scale=1.0, shuffle=True, random_state=None,
    order="F", dtype="float32",
) -> Any:  # fmt: skip
    """Samples of classes, of ``dtype``, and their classes, int64."""
    from sklearn.datasets import make_classification as make

    shift, scale = (raw(one) if isinstance(one, cupy.ndarray) else one for one in (shift, scale))
    X, y = make(
        n_samples, n_features, n_informative=n_informative, n_redundant=n_redundant, n_repeated=n_repeated,
        n_classes=n_classes, n_clusters_per_class=n_clusters_per_class, weights=weights, flip_y=flip_y,
        class_sep=class_sep, hypercube=hypercube, shift=shift, scale=scale, shuffle=shuffle,
        random_state=host_seed(random_state),
    )  # fmt: skip
    return _out(np.asarray(X, dtype, order), np.asarray(y, "int64"))


def make_regression(
    n_samples=100, n_features=2, n_informative=2, n_targets=1, bias=0.0, effective_rank=None, tail_strength=0.5,
    noise=0.0, shuffle=True, coef=False, random_state=None, dtype="float32",
) -> Any:  # fmt: skip
    """Samples and their targets, (n,) or (n, targets), and with ``coef=True`` the coefficients."""
    if np.dtype(dtype) not in (np.float32, np.float64):
        raise ValueError(f"Expected dtype in ['float32', 'float64'], got `{np.dtype(dtype)!s}`")
    from sklearn.datasets import make_regression as make

    made = make(
        n_samples, n_features, n_informative=n_informative, n_targets=n_targets, bias=bias,
        effective_rank=effective_rank, tail_strength=tail_strength, noise=noise, shuffle=shuffle, coef=True,
        random_state=host_seed(random_state),
    )  # fmt: skip
    made = tuple(np.asarray(one, dtype) for one in made)
    return _out(*made) if coef else _out(*made[:2])


make_arima = refused("cuml.datasets.make_arima")
