"""The elastic net."""

from ._classes import ElasticNet

__all__ = ["ElasticNet"]
