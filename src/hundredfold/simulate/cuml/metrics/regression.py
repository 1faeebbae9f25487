"""Metrics of numbers."""

from ._functions import mean_absolute_error, mean_squared_error, mean_squared_log_error, median_absolute_error, r2_score

__all__ = ["mean_absolute_error", "mean_squared_error", "mean_squared_log_error", "median_absolute_error", "r2_score"]
