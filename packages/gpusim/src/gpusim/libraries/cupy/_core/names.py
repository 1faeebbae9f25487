"""Refusing by name: see :mod:`gpusim.importing.names`."""

from gpusim.importing.names import real_names, refused_class, refuser

__all__ = ["real_names", "refused_class", "refuser"]
