"""Functions of SciPy's as functions of ``cupyx``, bound to the real signatures."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from cupy._core.convert import asarray

from .convert import call


@functools.cache
def _signatures() -> dict[str, dict[str, Any]]:
    return json.loads((Path(__file__).parent / "signatures.json").read_text())


@functools.cache
def _hosts() -> dict[str, dict[str, str]]:
    return json.loads((Path(__file__).parent / "hosts.json").read_text())


def taking_host(module: str, name: str) -> tuple[str, ...]:
    """Parameters that the real function sends to the device itself, so that NumPy arrays are allowed there."""
    return tuple(_hosts().get(module, {}).get(name, "").split())


def send(arguments: dict[str, Any], allowed: tuple[str, ...]) -> None:
    """Send host arrays among some arguments to the device; a transfer, as on a GPU."""
    for name in allowed:
        value = arguments.get(name)
        if isinstance(value, np.ndarray):
            arguments[name] = asarray(value)
        elif isinstance(value, (list, tuple)) and any(isinstance(v, np.ndarray) for v in value):
            arguments[name] = type(value)(asarray(v) if isinstance(v, np.ndarray) else v for v in value)


def names(module: str) -> dict[str, Any]:
    """Public names of a module of the real ``cupyx``: a signature, ``"ufunc"``, ``"value"`` or a class's members."""
    return _signatures().get(module, {})


@functools.cache
def parse(text: str) -> inspect.Signature:
    """A signature from its text."""
    scope = {"inf": float("inf"), "nan": float("nan")}
    return inspect.signature(eval(f"lambda {text}: None", scope))  # our own data file


def parameters(module: str, name: str, member: str | None = None) -> inspect.Signature | None:
    """The real signature of a function, a class's constructor or a method."""
    entry = names(module).get(name)
    if isinstance(entry, dict):
        text = entry["class"].get(member or "__init__")
        if text is None or text == "property":
            return None
        text = text.removeprefix("classmethod ").removeprefix("static ")
        return parse(text[1:-1] if text.startswith("(") else text)
    return parse(entry) if isinstance(entry, str) and entry not in ("ufunc", "value") else None


def bind(signature: inspect.Signature, name: str, args: tuple, kwargs: dict) -> inspect.BoundArguments:
    """Bind arguments, or raise TypeError as a Python function does."""
    try:
        return signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{name}() {error}") from None


def takes(module: str, name: str | None = None) -> Callable[[Callable], Callable]:
    """Decorator: give a function written here the real one's signature, checked at the call."""

    def decorate(function: Callable) -> Callable:
        key = name or function.__name__
        signature = parameters(module, key)

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            bound = bind(signature, key, args, kwargs)
            bound.apply_defaults()
            return function(*bound.args, **bound.kwargs)

        checked.__signature__ = signature
        checked.__name__ = checked.__qualname__ = key
        checked.__module__ = module
        del checked.__wrapped__
        return checked

    return decorate


class Plan:
    """How the arguments of a CuPy function become those of SciPy's."""

    def __init__(self, theirs: inspect.Signature, ours: Callable, ignored: Iterable[str] = ()) -> None:
        try:
            scipy = list(inspect.signature(ours).parameters.values())
        except (TypeError, ValueError):
            scipy = []
        known = {p.name: p for p in scipy}
        free = any(p.kind is p.VAR_KEYWORD for p in scipy)
        self.keep: dict[str, Any] = {}  # CuPy's name → SciPy's name, or None for a positional argument
        self.defaults: dict[str, Any] = {}  # CuPy's defaults that are not SciPy's
        self.unknown: list[str] = []
        leading = True
        for index, p in enumerate(theirs.parameters.values()):
            if p.name in ignored:
                leading = False
                continue
            there = known.get(p.name)
            if p.kind is p.VAR_POSITIONAL:
                self.keep[p.name] = "*"
            elif p.kind is p.VAR_KEYWORD:
                self.keep[p.name] = "**"
            elif leading and not scipy:
                self.keep[p.name] = None
            elif leading and there is not None and scipy.index(there) == index and there.kind is not there.KEYWORD_ONLY:
                self.keep[p.name] = None if p.default is p.empty else p.name
            elif there is not None and there.kind is not there.POSITIONAL_ONLY:
                leading = False
                self.keep[p.name] = p.name
            elif leading and index < len(scipy) and scipy[index].name not in theirs.parameters:
                self.keep[p.name] = None
                there = scipy[index]
            elif free:
                self.keep[p.name] = p.name
            else:
                self.unknown.append(p.name)
            if p.default is not p.empty and p.default is not ... and there is not None:
                if there.default is there.empty or repr(there.default) != repr(p.default):
                    self.defaults[p.name] = p.default

    def arrange(self, bound: inspect.BoundArguments) -> tuple[tuple, dict]:
        """SciPy's arguments; those at CuPy's default are left to SciPy where it has the same."""
        given = {**bound.arguments}
        for name, value in self.defaults.items():
            given.setdefault(name, value)
        args: list = []
        kwargs: dict = {}
        for name, target in self.keep.items():
            if name not in given:
                continue
            if target is None:
                args.append(given[name])
            elif target == "*":
                args.extend(given[name])
            elif target == "**":
                kwargs.update(given[name])
            else:
                kwargs[target] = given[name]
        return tuple(args), kwargs


def function(
    module: str,
    name: str,
    scipy: Callable,
    ignored: Iterable[str] = (),
    host: bool = False,
    before: Callable | None = None,
    finish: Callable | None = None,
) -> Callable:
    """Make one function.

    Parameters
    ----------
    module, name : str
        Of the real function.
    scipy : callable
        What computes it.
    ignored : iterable of str
        Parameters of CuPy's that say how and not what to compute.
    host : bool
        Whether CuPy takes NumPy arrays here.
    before : callable, optional
        Gets the bound arguments (a dict with defaults) and may change them or raise CuPy's errors.
    finish : callable, optional
        See :func:`.convert.call`.
    """
    signature = parameters(module, name)
    plan = Plan(signature, scipy, ignored)
    kernel = f"cupyx_{name}"
    allowed = taking_host(module, name)

    def made(*args: Any, **kwargs: Any) -> Any:
        bound = bind(signature, name, args, kwargs)
        if allowed:
            send(bound.arguments, allowed)
        if before is not None:
            bound.apply_defaults()
            for key, default in list(bound.arguments.items()):
                if default is ...:
                    del bound.arguments[key]
            before(bound.arguments)
        args, kwargs = plan.arrange(bound)
        return call(kernel, scipy, args, kwargs, host, finish)

    made.__signature__ = signature
    made.__name__ = made.__qualname__ = name
    made.__module__ = module
    made.__doc__ = f"As ``{getattr(scipy, '__module__', 'scipy')}.{name}``, on device arrays."
    made.plan = plan
    return made


def functions(module: str, scipy: Any, wanted: Iterable[str] | None = None, **rules: dict) -> dict[str, Callable]:
    """Make all functions of a module that SciPy has under the same name.

    ``rules`` gives keyword arguments of :func:`function` by name; ``rules["every"]`` those for all.
    """
    every = rules.pop("every", {})
    made = {}
    for name, entry in names(module).items():
        there = getattr(scipy, name, None)
        if isinstance(entry, str) and entry not in ("ufunc", "value") and there is not None:
            if wanted is None or name in wanted:
                made[name] = function(module, name, there, **{**every, **rules.get(name, {})})
    return made
