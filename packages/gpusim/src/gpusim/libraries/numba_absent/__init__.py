"""The simulated ``numba`` where there is none and can be none: in a browser.

Everywhere else Numba is the real one, and this folder is not looked at (`finder.without_numba` puts it in place, and
:mod:`hundredfold.publish.browser` calls that).  Numba's compiler needs LLVM, which no browser has; kernels need none of it, since the
engine's interpreter runs them.  What is here is what the simulated ``numba.cuda`` and a kernel's source use of Numba: its types
with their signatures, its settings and the names of its errors.  What would compile for the CPU is refused, in one sentence.
"""

from __future__ import annotations

from typing import Any

from gpusim.importing.errors import NotSimulatedAttribute

from .core import config, errors, types
from .core.decorators import guvectorize, jit, njit, vectorize
from .core.types import *  # noqa: F403
from .core.types import __all__ as _types
from .core.typing.typeof import typeof

__version__ = "0.64.0+gpusim"
prange = range


def literal_unroll(container: Any) -> Any:
    """Iterate over a tuple of several types; here any loop can."""
    return container


def __getattr__(name: str) -> Any:
    if name == "cuda":
        import importlib

        return importlib.import_module("numba.cuda")
    if name.startswith("_"):
        raise AttributeError(f"module 'numba' has no attribute {name!r}")
    raise NotSimulatedAttribute(
        f"numba.{name}", note="In a browser there are Numba's types and numba.cuda, and no compiler."
    )


__all__ = [
    *_types, "config", "errors", "guvectorize", "jit", "literal_unroll", "njit", "prange", "typeof",
    "types", "vectorize",
]  # fmt: skip
