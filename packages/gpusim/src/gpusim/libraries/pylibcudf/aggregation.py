"""Aggregations, as requests: what is to be computed, and of which types it can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _answers
from ._answers import Kind
from .types import NullPolicy

BitwiseOp: Any = _answers._enumerations["BitwiseOp"]
CorrelationType: Any = _answers._enumerations["CorrelationType"]
EWMHistory: Any = _answers._enumerations["EWMHistory"]
RankMethod: Any = _answers._enumerations["RankMethod"]
RankPercentage: Any = _answers._enumerations["RankPercentage"]


class Aggregation:
    """A request for an aggregation; made by the functions of this module."""

    def __init__(self) -> None:
        raise ValueError("Aggregation types should not be constructed directly. Use one of the factory functions.")

    def kind(self) -> Any:
        """Return which aggregation it is."""
        return self._kind

    def __repr__(self) -> str:
        return f"<Aggregation({self._kind!r})>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Aggregation) and (self._kind, self._options) == (other._kind, other._options)

    def __hash__(self) -> int:
        return hash((self._kind, repr(self._options)))


def _made(name: str, *options: Any) -> Aggregation:
    out = object.__new__(Aggregation)
    out._kind, out._options = Kind[name.upper()], options
    return out


def _maker(name: str) -> Callable[..., Aggregation]:
    def make(*args: Any, **kwargs: Any) -> Aggregation:
        return _made(name, args, kwargs)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"Make a request for {name}."
    return make


all = _maker("all")
any = _maker("any")
argmax = _maker("argmax")
argmin = _maker("argmin")
collect_list = _maker("collect_list")
m2 = _maker("m2")
max = _maker("max")
mean = _maker("mean")
median = _maker("median")
merge_m2 = _maker("merge_m2")
min = _maker("min")
nth_element = _maker("nth_element")
nunique = _maker("nunique")
product = _maker("product")
quantile = _maker("quantile")
rank = _maker("rank")
std = _maker("std")
sum = _maker("sum")
variance = _maker("variance")


def count(null_handling: Any = NullPolicy.EXCLUDE) -> Aggregation:
    """Make a request for the number of rows, without the nulls or with them."""
    return _made("COUNT_VALID" if null_handling == NullPolicy.EXCLUDE else "COUNT_ALL")


def is_valid_aggregation(source: Any, agg: Aggregation) -> bool:
    """Whether an aggregation can be computed of a type."""
    return _answers.of(source) in _answers.names("aggregations", agg.kind().name)
