"""ARIMA models of many series at once, on statsmodels, which has to be installed for it.

cuML's own code follows `statsmodels.tsa.statespace.SARIMAX`: the same state space, parameters and likelihood, which is
maximised here by statsmodels' own search from its own first guess, one series after another.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

import numpy as np

from hundredfold.engine import queue
from hundredfold.simulate.errors import NotSimulatedError

from ..internals._arrays import check_array, convert, infer_output_type
from ..internals.base import Base

_NAMES = ("mu", "beta", "ar", "ma", "sar", "sma", "sigma2")


def _reflected(name: str, what: str) -> property:
    def get(self: Any) -> Any:
        if f"_{name}" not in self.__dict__:
            raise AttributeError(f"'ARIMA' object has no attribute '{name}_'")
        return convert(self.__dict__[f"_{name}"], self._get_output_type())

    return property(get, doc=f"{what}, of the type that the series came in.")


class ARIMA(Base):
    """An ARIMA(p, d, q)(P, D, Q)s model with or without an intercept, of each column of ``endog``, (observations, series).

    Parameters
    ----------
    endog : array or frame
        NaN is missing.
    order, seasonal_order : tuple of int
        (p, d, q) and (P, D, Q, s).
    exog : array or frame, optional
        (observations, n · series): n columns for the first series, n for the second, …
    fit_intercept, simple_differencing : bool

    Raises
    ------
    NotSimulatedError
        Without statsmodels.
    """

    def __init__(
        self, endog: Any, *, order: tuple[int, int, int] = (1, 1, 1),
        seasonal_order: tuple[int, int, int, int] = (0, 0, 0, 0), exog: Any = None, fit_intercept: Any = True,
        simple_differencing: Any = True, verbose: Any = False, output_type: str | None = None,
    ):  # fmt: skip
        if importlib.util.find_spec("statsmodels") is None:
            raise NotSimulatedError("cuml.tsa.ARIMA", None, "With statsmodels installed, it is.")
        warnings.warn(
            "`cuml.tsa.ARIMA`, along with the entire `cuml.tsa` module, was deprecated in version 26.08 and will be removed "
            "in version 26.12.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__(verbose=verbose, output_type=output_type)
        self._input_type = infer_output_type(endog)
        (p, d, q), (P, D, Q, s) = order, seasonal_order
        _check_order(p, d, q, P, D, Q, s, int(fit_intercept))
        y = check_array(endog, dtype="float64", ensure_2d=False, finite=False)
        self._y = y.reshape(len(y), -1).copy()  # the caller's memory may be used again
        self.n_obs, self.batch_size = self._y.shape
        self.dtype = self._y.dtype
        self.n_obs_diff = self.n_obs - d - s * D
        if self.n_obs_diff < 1:
            raise ValueError("ERROR: Number of observations too small for the given order")
        self._exog = None
        if exog is not None:
            self._exog = self._columns(exog)
            if self._exog.shape[1] % self.batch_size:
                raise ValueError("Number of columns in exog is not a multiple of batch_size")
            if len(self._exog) != self.n_obs:
                raise ValueError("Number of observations mismatch between endog and exog")
        n_exog = 0 if self._exog is None else self._exog.shape[1] // self.batch_size
        values = (p, d, q, P, D, Q, s, int(fit_intercept), n_exog)
        self.order = dict(zip(("p", "d", "q", "P", "D", "Q", "s", "k", "n_exog"), values, strict=True))
        self.missing = bool(np.isnan(self._y).any())
        self.simple_differencing = simple_differencing and not self.missing
        self.order_diff = self.order | {"d": 0, "D": 0} if self.simple_differencing else None

    @staticmethod
    def _columns(array: Any) -> np.ndarray:
        host = check_array(array, dtype="float64", ensure_2d=False, finite=False)
        return host.reshape(len(host), -1).copy()

    # --- the models on the host ---

    def _model(self, series: int, differencing: Any) -> Any:
        from statsmodels.tsa.statespace.sarimax import SARIMAX

        o = self.order
        n = o["n_exog"]
        return SARIMAX(
            self._y[:, series],
            exog=None if self._exog is None else self._exog[:, series * n : (series + 1) * n],
            order=(o["p"], o["d"], o["q"]),
            seasonal_order=(o["P"], o["D"], o["Q"], o["s"]),
            trend="c" if o["k"] else "n",
            simple_differencing=bool(differencing),
        )

    def _counts(self) -> tuple[int, ...]:
        """How many parameters a series has of each kind, in the order in which they are packed."""
        return (*(self.order[name] for name in ("k", "n_exog", "p", "q", "P", "Q")), 1)

    def _matrix(self) -> np.ndarray:
        """The parameters, (series, parameters of one)."""
        rows = []
        for name, count in zip(_NAMES, self._counts(), strict=True):
            if count:
                if f"_{name}" not in self.__dict__:
                    raise AttributeError(f"'ARIMA' object has no attribute '{name}_'")
                rows.append(self.__dict__[f"_{name}"].reshape(-1, self.batch_size))
        return np.concatenate(rows).T

    def _put(self, matrix: np.ndarray) -> None:
        first = 0
        for name, count in zip(_NAMES, self._counts(), strict=True):
            if count:
                part = np.ascontiguousarray(matrix[:, first : first + count].T)
                self.__dict__[f"_{name}"] = part[0] if name in ("mu", "sigma2") else part
            first += count

    def _results(self, differencing: Any) -> list[Any]:
        return [self._model(k, differencing).filter(row) for k, row in enumerate(self._matrix())]

    # --- fitting ---

    def fit(
        self, start_params: Mapping[str, Any] | None = None, opt_disp: int = -1, h: float = 1e-8, maxiter: int = 1000,
        method: str = "ml", truncate: int = 0,
    ) -> ARIMA:  # fmt: skip
        """Find the parameters of each series that make its values the likeliest; ``method`` "css" is refused."""
        if start_params is not None:
            self.set_fit_params(start_params)
        method = method.lower()
        if method not in ("css", "css-ml", "ml"):
            raise ValueError(f"Unknown method: {method}")
        if method == "css" and not self.missing:
            raise NotSimulatedError("cuml.tsa.ARIMA.fit(method='css')", "method='ml'")
        starts = self._matrix() if start_params is not None else [None] * self.batch_size
        queue.count("cuml.ARIMA.fit", self._y.nbytes, 0)
        found, self.niter = [], np.zeros(self.batch_size, dtype=np.int32)
        for series in range(self.batch_size):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = self._model(series, self.simple_differencing).fit(
                    starts[series], method="lbfgs", maxiter=maxiter, disp=0
                )
            found.append(result.params)
            self.niter[series] = result.mle_retvals["iterations"]
        self._put(np.array(found))
        return self

    # --- parameters ---

    d_y = _reflected("y", "The series, (observations, series)")
    mu_ = _reflected("mu", "The intercepts, (series,)")
    beta_ = _reflected("beta", "What the exogenous variables add, (variables, series)")
    ar_ = _reflected("ar", "The autoregressive parameters, (p, series)")
    ma_ = _reflected("ma", "Those of the moving average, (q, series)")
    sar_ = _reflected("sar", "The seasonal autoregressive ones, (P, series)")
    sma_ = _reflected("sma", "The seasonal ones of the moving average, (Q, series)")
    sigma2_ = _reflected("sigma2", "The variances, (series,)")

    @property
    def complexity(self) -> int:
        """The number of parameters of a series."""
        return sum(self._counts())

    def get_fit_params(self) -> dict[str, Any]:
        """The fitted parameters by name: "mu" and "sigma2" (series,), the others (number, series)."""
        return {name: getattr(self, f"{name}_") for name, count in zip(_NAMES, self._counts(), strict=True) if count}

    def set_fit_params(self, params: Mapping[str, Any]) -> None:
        """Set them."""
        for name in _NAMES:
            if name in params:
                given = check_array(params[name], dtype="float64", ensure_2d=False, finite=False)
                self.__dict__[f"_{name}"] = given.copy()

    def pack(self) -> np.ndarray:
        """All parameters in one, series after series, on the host."""
        return self._matrix().ravel()

    def unpack(self, x: Any) -> None:
        """The other way round."""
        flat = check_array(x, dtype="float64", ensure_2d=False, finite=False)
        self._put(flat.reshape(self.batch_size, self.complexity))

    @classmethod
    def _get_param_names(cls) -> list[str]:
        raise NotImplementedError("ARIMA is unable to be cloned via `get_params` and `set_params`.")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Raises, as cuML's does."""
        raise NotImplementedError("ARIMA is unable to be cloned via `get_params` and `set_params`.")

    def set_params(self, **params: Any) -> Any:
        """Raises, as cuML's does."""
        raise NotImplementedError("ARIMA is unable to be cloned via `get_params` and `set_params`.")

    # --- how good it is ---

    @property
    def llf(self) -> np.ndarray:
        """The logarithm of the likelihood of each series, on the host."""
        return np.array([result.llf for result in self._results(self.simple_differencing)])

    def _criterion(self, penalty: float) -> Any:
        return convert(penalty - 2 * self.llf, self._get_output_type())

    @property
    def aic(self) -> Any:
        """Akaike's information criterion, (series,)."""
        return self._criterion(2.0 * self.complexity)

    @property
    def aicc(self) -> Any:
        """The same, corrected for few observations."""
        n = self.complexity
        return self._criterion(2.0 * n + 2.0 * n * (n + 1) / (self.n_obs_diff - n - 1))

    @property
    def bic(self) -> Any:
        """The Bayesian information criterion, (series,)."""
        return self._criterion(np.log(self.n_obs_diff) * self.complexity)

    # --- prediction ---

    def predict(self, start: int = 0, end: int | None = None, level: float | None = None, exog: Any = None) -> Any:
        """The series from ``start`` to before ``end``, (end - start, series): each value from those before it.

        With ``level``, also the lower and upper limits of what is to be expected with that probability.
        """
        end = self.n_obs if end is None else end
        first = self.order["d"] + self.order["D"] * self.order["s"]
        if start < 0:
            raise ValueError("ERROR(`predict`): start < 0")
        if start > self.n_obs:
            raise ValueError("ERROR(`predict`): There can't be a gap between the data and the prediction")
        if end <= start:
            raise ValueError("ERROR(`predict`): end <= start")
        if level is not None and not 0 < level < 1:
            raise ValueError(f"ERROR: Invalid confidence level: {level}")
        if level is not None and start < self.n_obs:
            raise ValueError("ERROR: Prediction intervals can only be computed for out-of-sample predictions")
        future = self._future(end, exog)
        queue.count("cuml.ARIMA.predict", self._y.nbytes, 0)
        # What lies beyond the data needs the differences as part of the state; so do limits and missing values.
        parts, limits = [], []
        for series, result in enumerate(self._results(False)):
            n = self.order["n_exog"]
            mine = None if future is None else future[:, series * n : (series + 1) * n]
            seen = result.get_prediction(0, end - 1, exog=mine)
            mean = np.asarray(seen.predicted_mean).copy()
            if self.simple_differencing:
                mean[:first] = np.nan
            parts.append(mean[start:])
            if level is not None:
                width = NormalDist().inv_cdf(0.5 + level / 2) * np.asarray(seen.se_mean)[start:]
                limits.append((parts[-1] - width, parts[-1] + width))
        answers = [np.stack(parts, 1)]
        if level is not None:
            answers += [np.stack([pair[side] for pair in limits], 1) for side in (0, 1)]
        made = tuple(convert(answer, self._get_output_type()) for answer in answers)
        return made if level is not None else made[0]

    def _future(self, end: int, exog: Any) -> np.ndarray | None:
        beyond, n = end - self.n_obs, self.order["n_exog"]
        if n and beyond > 0 and exog is None:
            raise ValueError(
                "The model was fit with a regression component, so future values must be provided via `exog`"
            )
        if not n and exog is not None:
            raise ValueError("A value was given for `exog` but the model was fit without any regression component")
        if exog is None:
            return None
        if beyond <= 0:
            raise ValueError("A value was given for `exog` but only in-sample predictions were requested")
        future = self._columns(exog)
        if len(future) != beyond:
            raise ValueError(f"Dimensions mismatch: `exog` should contain {beyond} observations per column")
        if future.shape[1] != self.batch_size * n:
            raise ValueError(f"Dimensions mismatch: `exog` should have {self.batch_size * n} columns")
        return future

    def forecast(self, nsteps: int, level: float | None = None, exog: Any = None) -> Any:
        """The ``nsteps`` values after the last, (nsteps, series)."""
        return self.predict(self.n_obs, self.n_obs + nsteps, level, exog)

    def __str__(self) -> str:
        o, kind = self.order, "c" if self.order["k"] else "n"
        seasonal = f"({o['P']},{o['D']},{o['Q']})_{o['s']}" if o["s"] else ""
        return f"ARIMA({o['p']},{o['d']},{o['q']}){seasonal} ({kind}) - {self.batch_size} series"

    def __repr__(self) -> str:
        o = self.order
        return (
            f"ARIMA(order={(o['p'], o['d'], o['q'])}, seasonal_order={(o['P'], o['D'], o['Q'], o['s'])}, "
            f"fit_intercept={o['k'] != 0}, simple_differencing={self.simple_differencing})"
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self)}


def _check_order(p: int, d: int, q: int, P: int, D: int, Q: int, s: int, k: int) -> None:
    if P + D + Q > 0 and s < 2:
        raise ValueError(f"ERROR: Invalid period for seasonal ARIMA: {s}")
    if d + D > 2:
        raise ValueError("ERROR: Invalid order. Required: d+D <= 2")
    if s != 0 and (p >= s or q >= s):
        raise ValueError("ERROR: Invalid order. Required: s > p, s > q")
    if p + q + P + Q + k == 0:
        raise ValueError(
            "ERROR: Invalid order. At least one parameter among p, q, P, Q and fit_intercept must be non-zero"
        )
    if max(p, P, q, Q) > 8:
        raise ValueError("ERROR: Invalid order. Required: p,q,P,Q <= 8")
    if max(p + s * P, q + s * Q) > 1024:
        raise ValueError("ERROR: Invalid order. Required: max(p+s*P, q+s*Q) <= 1024")


__all__ = ["ARIMA"]
