"""Methods that pandas computes: called with cuDF's signature, refused where cuDF refuses."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
from pandas.api.extensions import no_default

from . import device
from .guard import kept
from .wrap import unwrap, wrap


@functools.cache
def _texts() -> dict[str, dict[str, str]]:
    return json.loads((Path(__file__).parent / "signatures.json").read_text())


_names = {"_ND": no_default, "_NA": pd.NA, "__builtins__": {"dict": dict}}


@functools.cache
def signature(owner: str, name: str) -> inspect.Signature | None:
    """The signature that a method has in the real library, None if it has none."""
    text = _texts().get(owner, {}).get(name)
    if text is None:
        return None
    scope = dict(_names)
    exec(f"def f({text}): pass", scope)
    return inspect.signature(scope["f"])


def nbytes(p: Any) -> int:
    """Bytes of a pandas object's values, roughly, for the account."""
    try:
        return int(p.size) * 8 if hasattr(p, "size") else 8
    except TypeError:
        return 8


def delegate(
    owner: str,
    name: str,
    pandas_name: str | None = None,
    refuse: dict[str, tuple[Any, str]] | None = None,
    given: dict[str, Any] | None = None,
    drop: tuple[str, ...] = (),
) -> Callable:
    """Make a method that pandas computes.

    Parameters
    ----------
    owner, name : str
        Class and name in cuDF; its signature is looked up.
    pandas_name : str, optional
        pandas' name for it.
    refuse : dict
        Keyword → (the only value allowed, message of the NotImplementedError).
    given : dict
        Keyword arguments for pandas that the caller's override.
    drop : tuple of str
        Keywords that cuDF takes and ignores.
    """
    real = signature(owner, name)
    target = pandas_name or name

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if real is not None:
            bound = real.bind(self, *args, **kwargs)
            arguments = {}
            for key, value in list(bound.arguments.items())[1:]:
                kind = real.parameters[key].kind
                if kind is inspect.Parameter.VAR_KEYWORD:
                    arguments.update(value)
                elif kind is not inspect.Parameter.VAR_POSITIONAL:
                    arguments[key] = value
        else:
            arguments = kwargs
        for key, (allowed, message) in (refuse or {}).items():
            if key in arguments and not (arguments[key] is allowed or arguments[key] == allowed):
                raise NotImplementedError(message)
        for key in drop:
            arguments.pop(key, None)
        arguments = {k: unwrap(v) for k, v in {**(given or {}), **arguments}.items() if v is not no_default}
        inplace = arguments.pop("inplace", False)
        result = getattr(self._p, target)(**arguments)
        device.count(f"cudf_{name}", nbytes(self._p), nbytes(result))
        return mimic(self, wrap(result), inplace)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"cuDF's ``{owner}.{name}``."
    if real is not None:
        method.__signature__ = real
    return kept(method)


def mimic(self: Any, result: Any, inplace: bool) -> Any:
    """Return a result, or put it into ``self`` and return None."""
    if not inplace:
        return result
    self._p = result._p
    return None
