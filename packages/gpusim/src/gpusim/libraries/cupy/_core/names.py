"""Refusing by name: see :mod:`hundredfold.simulate.names`."""

from hundredfold.simulate.names import real_names, refused_class, refuser

__all__ = ["real_names", "refused_class", "refuser"]
