"""Polynomials by their coefficients, the highest power first."""

from __future__ import annotations

from typing import Any

import numpy as np

from hundredfold.simulate.errors import NotSimulatedError

from ._core import launch
from ._core.convert import array, asarray


class poly1d:
    """A polynomial.

    Parameters
    ----------
    c_or_r : array_like or poly1d
        Its coefficients, highest power first; leading zeros are dropped, for which the device is waited for.
    r : bool
        Whether they are its roots instead.
    variable : str, optional
        The letter that it prints with.
    """

    __hash__ = None
    __array_ufunc__ = None  # an array leaves its operators to this class

    def __init__(self, c_or_r: Any, r: bool = False, variable: str | None = None):
        if isinstance(c_or_r, (poly1d, np.poly1d)):
            variable = variable or c_or_r.variable
            c_or_r = c_or_r.coeffs
        if r:
            c_or_r = launch.now("cupy_poly", np.poly, asarray(c_or_r))
        made = array(c_or_r)
        if made.ndim > 1:
            raise ValueError("Polynomial must be 1d only")
        made = made.reshape(-1)
        self.coeffs = launch.now("cupy_trim_zeros", _without_leading_zeros, made)
        self.variable = variable or "x"

    @property
    def order(self) -> int:
        """The highest power."""
        return self.coeffs.size - 1

    o = order

    @property
    def c(self) -> Any:
        """The coefficients, highest power first."""
        return self.coeffs

    coef = coefficients = c

    @property
    def roots(self) -> Any:
        """Where it is zero."""
        return launch.now("cupy_roots", np.roots, self.coeffs)

    r = roots

    def get(self, stream: Any = None, out: Any = None) -> np.poly1d:
        """The polynomial on the host."""
        return np.poly1d(self.coeffs.get(), variable=self.variable)

    def __call__(self, val: Any) -> Any:
        """Its value at a number, an array, or another polynomial."""
        if isinstance(val, poly1d):
            result = poly1d([0])
            for i in range(self.coeffs.size):
                result = result * val + poly1d(self.coeffs[i])
            return result
        return launch.now("cupy_polyval", np.polyval, self.coeffs, val)

    def __len__(self) -> int:
        return self.order

    def __iter__(self):
        return iter(self.coeffs)

    def __getitem__(self, power: int) -> Any:
        if not 0 <= power <= self.order:
            return asarray(0, self.coeffs.dtype)
        return self.coeffs[self.order - power]

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, poly1d) and self.coeffs.shape == other.coeffs.shape
        return same and bool((self.coeffs == other.coeffs).all())

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __neg__(self) -> poly1d:
        return poly1d(-self.coeffs, variable=self.variable)

    def __pos__(self) -> poly1d:
        return self

    def __pow__(self, power: int) -> poly1d:
        if isinstance(power, bool) or not isinstance(power, (int, np.integer)) or power < 0:
            raise ValueError("Power to non-negative integers only.")
        result = poly1d([1])
        for _ in range(power):
            result = result * self
        return result

    def __truediv__(self, other: Any) -> poly1d:
        if isinstance(other, poly1d):
            return NotImplemented
        return poly1d(self.coeffs / other, variable=self.variable)

    def deriv(self, m: int = 1) -> poly1d:
        """Refused."""
        raise NotSimulatedError("cupy.poly1d.deriv", "numpy.poly1d, by get()")

    def integ(self, m: int = 1, k: Any = 0) -> poly1d:
        """Refused."""
        raise NotSimulatedError("cupy.poly1d.integ", "numpy.poly1d, by get()")

    def __repr__(self) -> str:
        return repr(self.get())

    def __str__(self) -> str:
        return str(self.get())


def _without_leading_zeros(c: np.ndarray) -> np.ndarray:
    trimmed = np.trim_zeros(c, "f")
    return trimmed if trimmed.size else np.zeros(1, c.dtype)


def _combining(name: str, swap: bool = False) -> Any:
    function = getattr(np, name)

    def combine(self: poly1d, other: Any) -> poly1d:
        ours = self.coeffs
        theirs = other.coeffs if isinstance(other, poly1d) else asarray(other)
        pair = (theirs, ours) if swap else (ours, theirs)
        return poly1d(launch.now(f"cupy_{name}", function, *pair), variable=self.variable)

    return combine


for _operator, _name in (("add", "polyadd"), ("sub", "polysub"), ("mul", "polymul")):
    setattr(poly1d, f"__{_operator}__", _combining(_name))
    setattr(poly1d, f"__r{_operator}__", _combining(_name, swap=True))


def _function(name: str) -> Any:
    """One of NumPy's functions of coefficients that also takes polynomials, and gives one where it was given one."""
    function = getattr(np, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        if name == "polyval" and isinstance(args[0], poly1d) and isinstance(args[1], poly1d):
            return args[0](args[1])
        plain = [a.coeffs if isinstance(a, poly1d) else a for a in args]
        result = launch.now(f"cupy_{name}", function, *plain, **kwargs)
        gives_one = name in ("polyadd", "polysub", "polymul") and any(isinstance(a, poly1d) for a in args)
        return poly1d(result) if gives_one else result

    call.__name__ = name
    call.__doc__ = f"As ``numpy.{name}``, on device arrays."
    return call


made = {name: _function(name) for name in "polyadd polysub polymul polyval polyfit roots poly".split()}
made["poly1d"] = poly1d
