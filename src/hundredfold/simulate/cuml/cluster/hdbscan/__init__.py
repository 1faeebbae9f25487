"""HDBSCAN."""

from hundredfold.simulate.names import refuser

from .._classes import HDBSCAN, all_points_membership_vectors, approximate_predict, membership_vector

__all__ = ["HDBSCAN", "all_points_membership_vectors", "approximate_predict", "membership_vector"]
__getattr__ = refuser("cuml.cluster.hdbscan")
