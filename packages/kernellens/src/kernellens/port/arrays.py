"""NumPy arrays that have a copy on the simulated device."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpusim.importing.errors import NotSimulatedError

from . import calls
from .operations import account

_METHODS = """all any argmax argmin argpartition argsort astype choose clip compress conj conjugate copy cumprod cumsum
diagonal dot fill flatten max mean min nonzero partition prod put ravel repeat reshape round searchsorted sort squeeze std
sum swapaxes take trace transpose var view""".split()
_READERS = "item tolist tobytes tofile dump dumps __float__ __int__ __bool__ __index__ __complex__ __format__".split()


class ndarray(np.ndarray):
    """An array of the program's.  What it holds is NumPy's; `_device` is its copy on the device, or None."""

    _is_ported = True

    def __array_finalize__(self, other: Any) -> None:
        self.__dict__["_device"] = None

    def __reduce__(self) -> Any:
        return np.ndarray.view(self, np.ndarray).__reduce__()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
        name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        out = kwargs.get("out")
        if out is not None and len(out) == 1:
            kwargs["out"] = out[0]
        special = not hasattr(np, ufunc.__name__)
        what = f"scipy.special.{name}" if special else f"numpy.{name}"
        return calls.call(what, getattr(ufunc, method), _ufunc(ufunc.__name__, method, special), args, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        # From the program's own lines functions come through the module; this is another library's call.
        name = f"{func.__module__}.{func.__name__}"
        return calls.call(name, getattr(func, "_implementation", func), None, args, kwargs)

    def __getitem__(self, index: Any) -> Any:
        return _item(self, index, "array[…]", np.ndarray.__getitem__, _get, (index,))

    def __setitem__(self, index: Any, value: Any) -> None:
        _item(self, index, "array[…] = …", np.ndarray.__setitem__, _set, (index, value))

    def __iter__(self) -> Any:
        for i in range(len(self)):
            yield self[i]

    def __repr__(self) -> str:
        calls.read(self)
        with calls.inside():
            return repr(np.ndarray.view(self, np.ndarray))

    def __str__(self) -> str:
        calls.read(self)
        with calls.inside():
            return str(np.ndarray.view(self, np.ndarray))

    @property
    def T(self) -> Any:
        return self.transpose()


def _get(a: Any, index: Any) -> Any:
    return a[index]


def _set(a: Any, index: Any, value: Any) -> None:
    a[index] = value


def _item(self: Any, index: Any, what: str, host: Any, device: Any, rest: tuple) -> Any:
    """Indexing; single elements, which Python loops read by the million, are counted without asking the device each time."""
    parts = index if type(index) is tuple else (index,)
    single = len(parts) == self.ndim and all(isinstance(part, (int, np.integer)) for part in parts)
    if single:
        at = calls.where()
        if at is not None and not at.library and calls.many(at, what):
            line = account.line(at.where, at.source)
            line.calls += 1
            if len(rest) == 1:
                line.d2h, line.d2h_count = line.d2h + self.itemsize, line.d2h_count + 1
            else:
                line.kernels, line.moved = line.kernels + 1, line.moved + 2 * self.itemsize
            return host(np.ndarray.view(self, np.ndarray), *rest)
    return calls.call(what, host, device, (self, *rest), {})


def _ufunc(name: str, method: str, special: bool) -> Any:
    def on_device(*args: Any, **kwargs: Any) -> Any:
        if special:
            import cupyx.scipy.special as module
        else:
            import cupy as module
        function = find(module, name)
        return (function if method == "__call__" else find(function, method))(*args, **kwargs)

    return on_device


def find(module: Any, name: str) -> Any:
    """A name of a device library.

    Raises
    ------
    calls.Missing
        If the real one has none; what is not simulated is raised by the simulated library itself.
    """

    try:
        return getattr(module, name)
    except NotSimulatedError:
        raise
    except AttributeError:
        label = (
            getattr(module, "__name__", None)
            or f"{type(module).__module__.partition('.')[0]}'s {type(module).__name__}"
        )
        raise calls.Missing(f"{label} has no {name}") from None


def _method(name: str) -> Any:
    host = getattr(np.ndarray, name)

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return calls.call(f"ndarray.{name}", host, lambda a, *r, **k: find(a, name)(*r, **k), (self, *args), kwargs)

    method.__name__, method.__doc__ = name, host.__doc__
    return method


def _reader(name: str) -> Any:
    host = getattr(np.ndarray, name)

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        calls.read(self)
        return host(np.ndarray.view(self, np.ndarray), *args, **kwargs)

    method.__name__ = name
    return method


for _name in _METHODS:
    setattr(ndarray, _name, _method(_name))
for _name in _READERS:
    setattr(ndarray, _name, _reader(_name))


def wrap(host: np.ndarray, device: Any) -> Any:
    """The program's array for one of NumPy's."""
    if type(host) is not np.ndarray:
        return host  # a masked array, a matrix, a memory map: not CuPy's business
    made = np.ndarray.view(host, ndarray)
    made.__dict__["_device"] = device
    return made


ndarray.__module__ = "numpy"
calls.wrap["array"] = wrap
