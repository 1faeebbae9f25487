"""Naive Bayes."""

from ._classes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB

__all__ = ["BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB"]
