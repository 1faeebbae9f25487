"""Polynomials by their coefficients, the highest power first."""

from __future__ import annotations

from typing import Any

import numpy as np

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

    def __cupy_get_ndarray__(self) -> Any:
        return self.coeffs

    def __array__(self, dtype: Any = None, copy: Any = None) -> None:
        raise TypeError(
            "Implicit conversion to a host NumPy array via __array__ is not allowed, To explicitly construct a GPU array, "
            "consider using cupy.asarray(...)\nTo explicitly construct a host array, consider using .get()"
        )

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
            return 0
        return self.coeffs[self.order - power]

    def __setitem__(self, power: int, value: Any) -> None:
        if power < 0:
            raise ValueError("Negative powers are not supported.")
        if power > self.order:
            from ._manipulation import pad

            self.coeffs = pad(self.coeffs, (power - self.order, 0))
        self.coeffs[-power - 1] = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, poly1d):
            raise NotImplementedError
        same = self.coeffs.shape == other.coeffs.shape
        return same and bool((self.coeffs == other.coeffs).all())

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __neg__(self) -> poly1d:
        return poly1d(-self.coeffs)

    def __pos__(self) -> poly1d:
        return self

    def __pow__(self, power: Any, modulo: Any = None) -> poly1d:
        if not np.isscalar(power) or int(power) != power or power < 0:
            raise ValueError("Power to non-negative integers only.")
        if not isinstance(power, (int, np.integer)):
            raise TypeError("float object cannot be interpreted as an integer")
        kind = self.coeffs.dtype
        if kind.kind == "c":
            kind = np.dtype(np.complex128)
        elif kind.kind == "f" or kind == np.uint64:
            kind = np.dtype(np.float64)
        else:
            kind = np.promote_types(kind, int)
        base, result = poly1d(self.coeffs.astype(kind)), poly1d(array([1]))
        for _ in range(power):
            result = result * base
        return result

    def __truediv__(self, other: Any) -> poly1d:
        if np.isscalar(other):
            return poly1d(self.coeffs / other)
        raise NotImplementedError

    def deriv(self, m: int = 1) -> poly1d:
        """Refused, as by CuPy."""
        raise NotImplementedError

    def integ(self, m: int = 1, k: Any = 0) -> poly1d:
        """Refused, as by CuPy."""
        raise NotImplementedError

    def set(self, polyin: Any, stream: Any = None) -> None:
        """Copy a polynomial of the host into this one."""
        if not isinstance(polyin, np.poly1d):
            raise TypeError("Only numpy.poly1d can be set to cupy.poly1d")
        self.variable = polyin.variable
        self.coeffs.set(polyin.coeffs)

    def __repr__(self) -> str:
        return repr(self.get())

    def __str__(self) -> str:
        return str(self.get())


def _without_leading_zeros(c: np.ndarray) -> np.ndarray:
    trimmed = np.trim_zeros(c, "f")
    return trimmed if trimmed.size else np.zeros(1, c.dtype)


def _operators(name: str, word: str) -> tuple:
    function = getattr(np, name)

    def combine(left: Any, right: Any) -> poly1d:
        pair = [x.coeffs if isinstance(x, poly1d) else asarray(x) for x in (left, right)]
        return poly1d(launch.now(f"cupy_{name}", function, *pair))

    def forward(self: poly1d, other: Any) -> poly1d:
        if name == "polymul" and np.isscalar(other):
            return poly1d(self.coeffs * other)
        return combine(self, other)

    def reflected(self: poly1d, other: Any) -> poly1d:
        if isinstance(other, np.generic):
            raise TypeError(f"Numpy scalar and poly1d {word} is not supported")
        if name == "polymul" and np.isscalar(other):
            other = self.coeffs.dtype.type(other)
        return combine(other, self)

    return forward, reflected


for _operator, _name, _word in (
    ("add", "polyadd", "addition"), ("sub", "polysub", "subtraction"), ("mul", "polymul", "multiplication")
):  # fmt: skip
    _forward, _reflected = _operators(_name, _word)
    setattr(poly1d, f"__{_operator}__", _forward)
    setattr(poly1d, f"__r{_operator}__", _reflected)


def _function(name: str) -> Any:
    """One of NumPy's functions of coefficients that also takes polynomials, and gives one where it was given one."""
    function = getattr(np, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        if name == "polyval" and isinstance(args[0], poly1d) and isinstance(args[1], poly1d):
            return args[0](args[1])
        if name == "polyval" and not isinstance(args[0], poly1d):
            if not isinstance(args[0], launch.array_class) or args[0].ndim == 0:
                raise TypeError("p must be 1d ndarray or poly1d object")
        if name == "roots" and not isinstance(args[0], poly1d) and args[0].dtype.kind == "b":
            raise NotImplementedError("boolean inputs are not supported")
        if name == "polyval" and isinstance(args[1], poly1d):
            return poly1d(args[0])(args[1])
        if name == "poly" and args[0].ndim == 2 and args[0].shape[0] == args[0].shape[1] and args[0].size:
            if not (args[0] == args[0].conj().T).all():
                raise NotImplementedError("Only complex Hermitian and real symmetric 2d arrays are supported currently")
        plain = [a.coeffs if isinstance(a, poly1d) else a for a in args]
        result = launch.now(f"cupy_{name}", function, *plain, **kwargs)
        gives_one = name in ("polyadd", "polysub", "polymul") and any(isinstance(a, poly1d) for a in args)
        return poly1d(result) if gives_one else result

    call.__name__ = name
    call.__doc__ = f"As ``numpy.{name}``, on device arrays."
    return call


made = {name: _function(name) for name in "polyadd polysub polymul polyval polyfit roots poly".split()}
made["poly1d"] = poly1d
