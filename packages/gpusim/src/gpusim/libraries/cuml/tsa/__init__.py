"""Time series: refused; deprecated in cuML since 26.08."""

from gpusim.importing.names import refused_class, refuser

_NOTE = "The module is deprecated in cuML 26.08 and will be removed in 26.12."
ARIMA = refused_class("cuml.tsa.ARIMA", None, _NOTE)
AutoARIMA = refused_class("cuml.tsa.AutoARIMA", None, _NOTE)
ExponentialSmoothing = refused_class("cuml.tsa.ExponentialSmoothing", None, _NOTE)
__all__ = ["ARIMA", "AutoARIMA", "ExponentialSmoothing"]
__getattr__ = refuser("cuml.tsa")
