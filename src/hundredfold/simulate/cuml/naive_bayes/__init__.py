"""Naive Bayes."""

from hundredfold.simulate.names import refuser

from ._classes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB

__all__ = ["BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB"]
__getattr__ = refuser("cuml.naive_bayes")
