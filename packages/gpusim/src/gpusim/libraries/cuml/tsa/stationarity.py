"""Refused."""

from typing import Any

from gpusim.importing.errors import NotSimulatedError


def kpss_test(*args: Any, **kwargs: Any) -> Any:
    """Refused."""
    raise NotSimulatedError("cuml.tsa.stationarity.kpss_test")
