"""Where the real library has it."""

from .._functions import entropy

cython_entropy = entropy
__all__ = ["cython_entropy", "entropy"]
