"""Where the real library has it."""

from .._functions import v_measure_score

cython_v_measure = v_measure_score
__all__ = ["cython_v_measure", "v_measure_score"]
