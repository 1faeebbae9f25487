"""Random numbers on the queue.

Every stream is seeded and reproducible, and its numbers are drawn when the queue runs, in the order of the calls.
They are NumPy's: **not the numbers a GPU draws for the same seed**, which CuPy does not promise to keep either.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from gpusim.device.seeds import shifted

from .._core import launch
from .._core.base import normal_shape
from .._core.checks import raise_if_invalid_cast

ndarray = launch.array_class


def sized(size: Any, *parameters: Any) -> tuple[int, ...]:
    """The shape to draw: as asked, or that of the parameters broadcast together."""
    if size is not None:
        return normal_shape(size)
    return np.broadcast_shapes(*(p.shape if isinstance(p, ndarray) else np.shape(p) for p in parameters))


class Source:
    """A host generator whose numbers go to the device through the queue."""

    def __init__(self, seed: Any, bits: Callable = np.random.SFC64):
        self.generator = np.random.Generator(bits(seed))

    def draw(
        self,
        name: str,
        method: str,
        shape: tuple[int, ...],
        kind: Any,
        *parameters: Any,
        out: Any = None,
        **kwargs: Any,
    ) -> ndarray:
        """Enqueue a draw from one of the generator's distributions."""
        dtype = np.dtype(kind)
        if out is None:
            out = launch.empty(shape, dtype)
        elif out.shape != shape:
            raise ValueError(f"size {shape} is incompatible with the shape of out {out.shape}")
        else:
            raise_if_invalid_cast(dtype, out.dtype, "no")
        if out.size:
            views = tuple(map(launch.frozen, parameters))
            function = getattr(self.generator, method)
            # These fill memory in place; the others allocate on the host first.
            direct = method in ("random", "standard_normal", "standard_exponential") and dtype.char in "fd"
            run = _fill if direct and not views else _draw
            launch.submit(
                name,
                run,
                (out._a, function, views, kwargs),
                reads=tuple(launch.views(parameters)),
                writes=(out._a,),
            )
        return out

    def dirichlet(self, alpha: ndarray, size: Any, dtype: Any) -> ndarray:
        """Enqueue draws of vectors: the shape ends in the length of ``alpha``."""
        alpha = alpha if alpha.ndim else alpha.reshape(1)
        lead = () if size is None else sized(size)
        out = launch.empty((*lead, alpha.size), np.dtype(dtype))
        arguments = (out._a, self.generator.dirichlet, (alpha._a, lead), {})
        launch.submit("dirichlet_kernel", launch.store, arguments, reads=(alpha._a,), writes=(out._a,))
        return out


def _fill(out: np.ndarray, function: Callable, views: tuple, kwargs: dict) -> None:
    if out.flags.c_contiguous:
        function(out=out, dtype=out.dtype)
    else:
        out[...] = function(out.shape, dtype=out.dtype)


def _draw(out: np.ndarray, function: Callable, views: tuple, kwargs: dict) -> None:
    if function.__name__ == "hypergeometric":  # CuPy counts in whole numbers, and draws no more than there are
        good, bad, sample = (np.asarray(v).astype(np.int64) for v in views)
        views = (good, bad, np.minimum(sample, good + bad))
    try:
        out[...] = function(*views, size=out.shape, **kwargs)
    except ValueError:
        # Parameters that make no distribution: a GPU raises nothing, and what it gives there means nothing.
        nothing = np.nan if out.dtype.kind == "f" else 0
        flat = [np.broadcast_to(v, out.shape).ravel() for v in views]
        for i, place in enumerate(np.ndindex(out.shape)):
            try:
                out[place] = function(*(v[i] for v in flat), **kwargs)
            except ValueError:
                out[place] = nothing


def entropy(seed: Any) -> Any:
    """A host seed of what a caller gives; from the system if None."""
    if seed is None:
        text = os.environ.get("CUPY_SEED")
        return int.from_bytes(os.urandom(16), "little") if text is None else int(text)
    if isinstance(seed, ndarray):
        return seed.tolist()
    return shifted(seed)


def scaled(x: ndarray, scale: Any, shift: Any) -> ndarray:
    """``x * scale + shift`` in place: part of the kernel that drew ``x``."""
    operands = map(launch.frozen, (scale, shift))
    launch.queue.submit_uncounted("scale", _scale, (x._a, *operands))
    return x


def _scale(x: np.ndarray, scale: Any, shift: Any) -> None:
    np.multiply(x, scale, out=x, casting="unsafe")
    np.add(x, shift, out=x, casting="unsafe")
