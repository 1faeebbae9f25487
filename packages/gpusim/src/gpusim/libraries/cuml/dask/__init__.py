"""cuML over Dask: a model is fitted on one worker, to which the parts are brought, and applied where each part is."""

from gpusim.importing.names import refuser

from . import (
    cluster,
    common,
    datasets,
    decomposition,
    ensemble,
    feature_extraction,
    linear_model,
    manifold,
    metrics,
    naive_bayes,
    neighbors,
    preprocessing,
    solvers,
)

__all__ = [
    "cluster", "common", "datasets", "decomposition", "ensemble", "feature_extraction", "linear_model", "manifold",
    "metrics", "naive_bayes", "neighbors", "preprocessing", "solvers",
]  # fmt: skip
__getattr__ = refuser("cuml.dask")
