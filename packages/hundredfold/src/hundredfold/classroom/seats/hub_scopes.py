"""Scopes that a learner makes up fill neither the hub's memory nor its answers.

A scope may name what is not there (``servers!server=anna/1``), so there are as many as one likes. JupyterHub keeps what it has worked
out: of a thousand sets of scopes in each of its caches, and of 65 535 single ones. Tokens with 60 kB of scopes each took 2 GB after 400
requests.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import lru_cache
from typing import Any

from jupyterhub import _memoize, orm, scopes

#: So many letters the scopes of one token have together. A server's own token has 280, for a name of 32 letters.
MOST = 500
#: What is larger (bytes, about) is worked out again instead of kept: of a set of scopes, and of one. All that a learner may do takes 5 kB.
LARGEST, LARGEST_SCOPE = 1 << 14, 200
#: Of a string, beside its letters.
_EACH = 56


def guard() -> None:
    """Have this process's tokens have few scopes, and its caches of scopes keep what is small."""
    if hasattr(orm.APIToken, "_all_scopes"):
        return
    orm.APIToken._all_scopes = own = orm.APIToken.new
    orm.APIToken.new = staticmethod(_with_few_scopes(own))
    keep = _memoize.LRUCache.__setitem__

    def keep_small(cache: _memoize.LRUCache, key: Any, value: Any) -> None:
        if _size(key) + _size(value) <= LARGEST:
            keep(cache, key, value)

    _memoize.LRUCache.__setitem__ = keep_small
    expand = scopes._expand_scope.__wrapped__
    kept = lru_cache(1024)(expand)
    scopes._expand_scope = lambda scope: (kept if len(scope) <= LARGEST_SCOPE else expand)(scope)


def _with_few_scopes(own: Callable[..., Any]) -> Callable[..., Any]:
    """`APIToken.new`, which refuses many scopes before JupyterHub works out what they come to."""

    def new(*arguments: Any, scopes: Collection[str] | None = None, **more: Any) -> Any:
        if scopes is not None and sum(map(len, scopes)) > MOST:
            raise ValueError(f"The scopes of a token have {MOST} letters together at most: ask for fewer.")
        return own(*arguments, scopes=scopes, **more)

    return new


def _size(of: Any) -> int:
    """About how many bytes this takes: the keys and values of caches are texts, in sets, tuples and dictionaries."""
    if isinstance(of, str):
        return len(of) + _EACH
    if isinstance(of, dict):
        return sum(_size(key) + _size(value) for key, value in of.items())
    if isinstance(of, (tuple, list, set, frozenset)):
        return sum(map(_size, of))
    return 0
