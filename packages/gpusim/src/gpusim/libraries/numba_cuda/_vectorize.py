"""``cuda.vectorize`` and ``cuda.guvectorize``: Numba's decorators with this target."""

from __future__ import annotations

from typing import Any


def vectorize(ftylist_or_function: Any = (), target: str = "cuda", **kws: Any) -> Any:
    """Make a function on arrays of one on elements.

    Parameters
    ----------
    ftylist_or_function : list of signatures
    target : str
    """
    import numba

    return numba.vectorize(ftylist_or_function, target=target, **kws)


def guvectorize(*args: Any, **kws: Any) -> Any:
    """Make a function on arrays of one on inner arrays.

    Parameters
    ----------
    *args
        List of signatures, and a layout such as ``"(m,n),(n)->(m)"``.
    """
    import numba

    kws.setdefault("target", "cuda")
    return numba.guvectorize(*args, **kws)
