"""The hinge loss."""

from ._functions import hinge_loss

__all__ = ["hinge_loss"]
