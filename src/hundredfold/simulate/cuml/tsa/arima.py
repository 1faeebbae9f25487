"""Refused."""

from . import ARIMA

__all__ = ["ARIMA"]
