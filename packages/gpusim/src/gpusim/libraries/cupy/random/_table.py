"""Distributions that differ in their parameters only: a table, and what makes methods of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from gpusim.device import shapes

from .._core import launch
from ._streams import sized

ndarray = launch.array_class

# Name: parameters (with defaults), whether the numbers are integers, and what CuPy checks of the parameters, for which it
# waits for the device.  What it does not check gives NaN.
DISTRIBUTIONS: dict[str, tuple[str, bool, str]] = {
    "beta": ("a b", False, ""),
    "binomial": ("n p", True, ""),
    "chisquare": ("df", False, ""),
    "exponential": ("scale=1.0", False, "scale < 0"),
    "f": ("dfnum dfden", False, ""),
    "gamma": ("shape scale=1.0", False, ""),
    "geometric": ("p", True, ""),
    "gumbel": ("loc=0.0 scale=1.0", False, ""),
    "hypergeometric": ("ngood nbad nsample", True, "ngood < 0, nbad < 0, nsample < 1"),
    "laplace": ("loc=0.0 scale=1.0", False, ""),
    "logistic": ("loc=0.0 scale=1.0", False, ""),
    "logseries": ("p", True, "p <= 0.0, p >= 1.0"),
    "negative_binomial": ("n p", True, "n <= 0, p < 0, p > 1"),
    "noncentral_chisquare": ("df nonc", False, "df <= 0, nonc < 0"),
    "noncentral_f": ("dfnum dfden nonc", False, "dfnum <= 0, dfden <= 0, nonc < 0"),
    "pareto": ("a", False, ""),
    "poisson": ("lam=1.0", True, ""),
    "power": ("a", False, "a < 0"),
    "rayleigh": ("scale=1.0", False, "scale < 0"),
    "standard_cauchy": ("", False, ""),
    "standard_exponential": ("", False, ""),
    "standard_gamma": ("shape", False, ""),
    "standard_t": ("df", False, ""),
    "triangular": ("left mode right", False, "left > mode, mode > right, left == right"),
    "vonmises": ("mu kappa", False, ""),
    "wald": ("mean scale", False, ""),
    "weibull": ("a", False, "a < 0"),
    "zipf": ("a", True, "a <= 1.0"),
}
_WORDS = {("zipf", "a <= 1.0"): "'a' must be a valid float > 1.0"}
_SIGNS: dict[str, Callable] = {
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal,
}  # fmt: skip


def distribution(name: str, generator: bool = False) -> Callable:
    """A method that draws from a distribution; a ``Generator``'s takes no ``dtype`` and checks numbers only."""
    text, integers, checks = DISTRIBUTIONS[name]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter("self", kind)]
    names = []
    for item in text.split():
        label, _, default = item.partition("=")
        names.append(label)
        parameters.append(
            inspect.Parameter(label, kind, default=float(default) if default else inspect.Parameter.empty)
        )
    usual = int if integers else float
    parameters.append(inspect.Parameter("size", kind, default=None))
    if not generator or name == "beta":
        parameters.append(inspect.Parameter("dtype", kind, default=usual))
    signature = inspect.Signature(parameters)

    def call(self: Any, *args: Any, **kwargs: Any) -> ndarray:
        given = signature.bind(self, *args, **kwargs)
        given.apply_defaults()
        values = {label: given.arguments[label] for label in names}
        for label, value in values.items():
            if value is None or isinstance(value, (str, np.ndarray)) and generator:
                raise (TypeError if generator else ValueError)(f"{label} is required to be a cupy.ndarray or a scalar")
        _check(name, values, checks, generator)
        dtype = given.arguments.get("dtype")
        shape = sized(given.arguments["size"], *values.values())
        return self._source.draw(
            f"{name}_kernel", name, shape, np.dtype(usual if dtype is None else dtype), *values.values()
        )

    call.__name__ = name
    call.__signature__ = signature
    call.__doc__ = f"Draw from the distribution of ``numpy.random.Generator.{name}``."
    return call


def _check(name: str, values: dict[str, Any], checks: str, generator: bool) -> None:
    for check in filter(None, checks.split(", ")):
        left, sign, right = check.split()
        right = "0" if generator and check == "nsample < 1" else right
        operands = [values[word] if word in values else float(word) for word in (left, right)]
        if generator and any(isinstance(o, ndarray) for o in operands):
            continue
        if any(isinstance(o, ndarray) for o in operands):
            launch.queue.synchronize()
            if shapes.on:
                continue
        operands = [o._a if isinstance(o, ndarray) else o for o in operands]
        if np.any(_SIGNS[sign](*operands)):
            raise ValueError(_WORDS.get((name, check), f"{left} {sign} {right}"))
