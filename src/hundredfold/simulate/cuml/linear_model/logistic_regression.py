"""Logistic regression."""

from ._classes import LogisticRegression

__all__ = ["LogisticRegression"]
