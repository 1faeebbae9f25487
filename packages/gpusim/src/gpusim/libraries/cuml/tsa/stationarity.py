"""Refused."""

from typing import Any

from hundredfold.simulate.errors import NotSimulatedError


def kpss_test(*args: Any, **kwargs: Any) -> Any:
    """Refused."""
    raise NotSimulatedError("cuml.tsa.stationarity.kpss_test")
