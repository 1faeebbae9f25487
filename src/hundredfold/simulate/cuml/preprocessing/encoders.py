"""Categories as numbers."""

from ._encoders import OneHotEncoder, OrdinalEncoder

__all__ = ["OneHotEncoder", "OrdinalEncoder"]
