"""cuML's ARIMA: refused without statsmodels; with it, what follows from its formulas."""

import importlib.util

import pytest

SETTINGS = {"HUNDREDFOLD_GPU_MEMORY": "64MiB"}
IMPORTS = """
import warnings
import cudf, cuml, cupy, numpy as np, pytest
from cuml.tsa.arima import ARIMA
from hundredfold.simulate import NotSimulatedError
warnings.filterwarnings("ignore", category=FutureWarning)
"""
THERE = importlib.util.find_spec("statsmodels") is not None
with_statsmodels = pytest.mark.skipif(not THERE, reason="statsmodels is not installed: cuml.ARIMA is refused then")


@pytest.mark.skipif(THERE, reason="statsmodels is installed")
def test_without_statsmodels_it_is_refused(simulating):
    simulating("""
        with pytest.raises(NotSimulatedError, match="cuml.tsa.ARIMA needs a GPU.*With statsmodels installed, it is"):
            ARIMA(np.ones(9))
    """)


@with_statsmodels
def test_forecasts_follow_from_the_parameters(simulating):
    """AR(1) with an intercept: c + φ y, again and again; once differenced, its sum. Worked out from what `pack` says."""
    simulating("""
        rng = np.random.default_rng(0)
        y = np.zeros((300, 2))
        for t in range(1, 300):
            y[t] = [1, -2] + np.array([0.6, -0.3]) * y[t - 1] + rng.normal(size=2)
        given = cupy.asarray(y)
        model = ARIMA(given, order=(1, 0, 0)).fit()
        del given
        parameters = model.pack().reshape(2, 3)                      # of each series: c, φ, σ²
        assert np.allclose(parameters, [[1, 0.6, 1], [-2, -0.3, 1]], atol=0.25)
        assert type(model.mu_) is cupy.ndarray and model.ar_.shape == (1, 2) and model.complexity == 3
        c, phi, sigma2 = parameters.T
        first = c + phi * y[-1]
        assert np.allclose(model.forecast(2).get(), [first, c + phi * first])
        assert np.allclose(model.predict(5, 8).get(), c + phi * y[4:7]), "within the data, from the value before"
        mean, low, high = model.forecast(1, level=0.95)
        assert np.allclose((high - low).get()[0], 2 * 1.959963985 * np.sqrt(sigma2))
        again = ARIMA(y, order=(1, 0, 0))
        again.unpack(model.pack())
        assert np.array_equal(again.forecast(3), model.forecast(3).get()) and type(again.mu_) is np.ndarray

        errors = y[1:] - c - phi * y[:-1]                            # the likelihood, the first value from its own spread
        spread = sigma2 / (1 - phi**2)
        by_hand = -0.5 * (300 * np.log(2 * np.pi) + 299 * np.log(sigma2) + (errors**2).sum(0) / sigma2
                          + np.log(spread) + (y[0] - c / (1 - phi)) ** 2 / spread)
        assert np.allclose(model.llf, by_hand) and np.allclose(model.llf, by_hand)
        assert np.allclose(model.aic.get(), 6 - 2 * by_hand) and np.allclose(model.bic.get(), 3 * np.log(300) - 2 * by_hand)
        assert np.allclose(model.aicc.get(), 6 + 24 / 296 - 2 * by_hand)

        total = cudf.DataFrame(np.cumsum(y, 0), columns=["a", "b"])
        summed = ARIMA(total, order=(1, 1, 0)).fit()
        c, phi, sigma2 = summed.pack().reshape(2, 3).T
        step = c + phi * y[-1]
        ahead = summed.forecast(2)
        assert type(ahead) is cudf.DataFrame
        last = total.to_numpy()[-1]
        assert np.allclose(ahead.to_numpy(), [last + step, last + step + c + phi * step], rtol=1e-6)
        assert summed.predict(0, 3).isna().to_numpy()[:, 0].tolist() == [True, False, False]
        assert str(summed) == "ARIMA(1,1,0) (c) - 2 series" and summed.order_diff["d"] == 0
    """)


@with_statsmodels
def test_what_it_refuses(simulating):
    simulating("""
        y = np.random.default_rng(1).normal(size=40)
        for make, said in (
            (lambda: ARIMA(y, order=(1, 2, 0), seasonal_order=(0, 1, 0, 4)), "d\\\\+D <= 2"),
            (lambda: ARIMA(y, seasonal_order=(1, 0, 0, 0)), "Invalid period for seasonal ARIMA: 0"),
            (lambda: ARIMA(y, order=(0, 1, 0), fit_intercept=False), "At least one parameter"),
            (lambda: ARIMA(y[:1]), "Number of observations too small"),
            (lambda: ARIMA(y, exog=y[:9]), "Number of observations mismatch"),
            (lambda: ARIMA(y).fit(method="guess"), "Unknown method: guess"),
            (lambda: ARIMA(y).fit().predict(50, 60), "There can't be a gap"),
            (lambda: ARIMA(y).fit().predict(3, 9, level=0.9), "only be computed for out-of-sample"),
            (lambda: ARIMA(y).fit().forecast(2, exog=y[:2]), "without any regression component"),
        ):
            with pytest.raises(ValueError, match=said):
                make()
        with pytest.raises(NotImplementedError, match="unable to be cloned"):
            ARIMA(y).get_params()
        with pytest.raises(AttributeError, match="mu_"):
            ARIMA(y).pack()
        with pytest.raises(NotSimulatedError, match="Nearest simulated: method='ml'"):
            ARIMA(y).fit(method="css")
        with pytest.warns(FutureWarning, match="will be removed in version 26.12"):
            ARIMA(y)
        missing = y.copy()
        missing[[3, 20]] = np.nan
        model = ARIMA(missing, order=(1, 0, 0)).fit()
        assert not model.simple_differencing and np.isfinite(model.predict()).all()
    """)
