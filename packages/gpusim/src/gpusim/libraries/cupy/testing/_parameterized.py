"""Tests repeated for combinations of parameters."""

from __future__ import annotations

import itertools
import sys
import unittest
from collections.abc import Callable, Sequence
from typing import Any


def product(parameter: dict[str, Sequence]) -> list[dict]:
    """All combinations of some values by name."""
    return [dict(zip(parameter, values, strict=True)) for values in itertools.product(*parameter.values())]


def product_dict(*parameters: Sequence[dict]) -> list[dict]:
    """All combinations of some dictionaries, merged."""
    return [{k: v for part in parts for k, v in part.items()} for parts in itertools.product(*parameters)]


def parameterize(*params: dict) -> Callable:
    """Decorator of a test class: it is run for each dictionary, whose items are attributes of ``self``."""

    def decorate(cls: type) -> Any:
        if issubclass(cls, unittest.TestCase):
            module = sys.modules[cls.__module__]
            for number, parameter in enumerate(params):
                text = ", ".join(f"{k}={_name(v)}" for k, v in sorted(parameter.items()))
                name = f"{cls.__name__}_param_{number}_{{{text}}}"
                members = {k: staticmethod(v) if _plain(v) else v for k, v in parameter.items()}
                setattr(module, name, type(name, (cls,), {**members, "__module__": cls.__module__}))
            return None  # the class itself is not a test
        return _for_pytest(cls, params)

    return decorate


def _plain(value: Any) -> bool:
    return callable(value) and not isinstance(value, type) and hasattr(value, "__get__")


def _name(value: Any) -> str:
    text = getattr(value, "__name__", None)
    text = text if isinstance(text, str) else repr(value)
    return text if len(text) <= 100 else f"{text[:48]}...{text[-49:]}"


def _for_pytest(cls: type, params: Sequence[dict]) -> Any:
    import pytest

    ids = ["_param_{}_{{{}}}".format(i, ", ".join(f"{k}={_name(v)}" for k, v in sorted(p.items())))
           for i, p in enumerate(params)]  # fmt: skip

    class Parameterized(cls):
        @pytest.fixture(autouse=True)
        def _set_parameters(self, _cupy_testing_param: dict) -> None:
            for key, value in _cupy_testing_param.items():
                setattr(self, key, value)

    Parameterized.__name__, Parameterized.__qualname__ = cls.__name__, cls.__qualname__
    Parameterized.__module__ = cls.__module__
    return pytest.mark.parametrize("_cupy_testing_param", list(params), ids=ids)(Parameterized)
