"""Where the real library has it."""

from .._functions import completeness_score

cython_completeness_score = completeness_score
__all__ = ["completeness_score", "cython_completeness_score"]
