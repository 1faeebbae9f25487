"""``piecewise``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import launch
from ._core.convert import asarray, full


def piecewise(x: Any, condlist: Any, funclist: Any) -> Any:
    """Numbers chosen by conditions; the last condition that holds decides.

    Parameters
    ----------
    x : cupy.ndarray
        Gives the result's shape and dtype.
    condlist : list of cupy.ndarray
        One condition for each number.
    funclist : list of numbers
        One more than there are conditions to say what stands elsewhere (0).

    Raises
    ------
    NotImplementedError
        For functions, as in CuPy.
    """
    if np.isscalar(condlist):
        condlist = [condlist]
    count = len(condlist)
    if len(funclist) not in (count, count + 1):
        raise ValueError(f"with {count} condition(s), either {count} or {count + 1} functions are expected")
    if any(callable(value) for value in funclist):
        raise NotImplementedError("Callable functions are not supported currently")
    out = full(x.shape, funclist[count] if len(funclist) > count else 0, x.dtype)
    for condition, value in zip(condlist, funclist, strict=False):
        condition, value = asarray(condition, bool), asarray(value).astype(x.dtype)
        arguments = (out._a, value._a, "unsafe", condition._a)
        launch.submit("cupy_piecewise_kernel", np.copyto, arguments, reads=(condition._a, value._a), writes=(out._a,))
    return out


made = {"piecewise": piecewise}
