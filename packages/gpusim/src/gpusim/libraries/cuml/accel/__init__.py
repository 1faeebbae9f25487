"""cuml.accel without a GPU: scikit-learn, umap-learn and hdbscan run as they are, and the log says so."""

from .core import enabled, install
from .magics import load_ipython_extension
from .profilers import profile

__all__ = ("enabled", "install", "is_proxy", "load_ipython_extension", "profile")


def is_proxy(instance_or_class: object) -> bool:
    """False: no estimator is replaced in simulation."""
    return False
