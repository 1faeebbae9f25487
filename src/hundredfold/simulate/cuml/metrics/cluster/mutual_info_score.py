"""Where the real library has it."""

from .._functions import mutual_info_score

cython_mutual_info_score = mutual_info_score
__all__ = ["cython_mutual_info_score", "mutual_info_score"]
