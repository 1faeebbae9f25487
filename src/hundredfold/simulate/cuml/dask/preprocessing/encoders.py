"""Where the real library has them."""

from .._classes import OneHotEncoder, OrdinalEncoder

__all__ = ["OneHotEncoder", "OrdinalEncoder"]
