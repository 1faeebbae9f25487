"""The divergence of distributions."""

from ._functions import kl_divergence

__all__ = ["kl_divergence"]
