"""Setting RMM up again, and whom to tell before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import mr
from .pylibrmm.memory_resource._current import _initialize


class RMMError(Exception):
    """An error with a code.

    Attributes
    ----------
    errcode : int
    """

    def __init__(self, errcode: int, msg: str) -> None:
        self.errcode = errcode
        super().__init__(msg)


_reinitialize_hooks: list[tuple[Callable[..., Any], tuple, dict]] = []


def reinitialize(
    pool_allocator: bool = False,
    managed_memory: bool = False,
    initial_pool_size: int | str | None = None,
    maximum_pool_size: int | str | None = None,
    devices: int | list[int] = 0,
    logging: bool = False,
    log_file_name: str | None = None,
) -> None:
    """Set the resource of some devices: CUDA's own memory or a pool, managed or not; sizes in bytes or as text."""
    for function, args, kwargs in reversed(_reinitialize_hooks):
        function(*args, **kwargs)
    _initialize(
        pool_allocator=pool_allocator,
        managed_memory=managed_memory,
        initial_pool_size=initial_pool_size,
        maximum_pool_size=maximum_pool_size,
        devices=devices,
        logging=logging,
        log_file_name=log_file_name,
    )


def is_initialized() -> bool:
    """Whether RMM has its resources."""
    return mr.is_initialized()


def register_reinitialize_hook(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[..., Any]:
    """Call a function before each `reinitialize`, the last registered first."""
    _reinitialize_hooks.append((func, args, kwargs))
    return func


def unregister_reinitialize_hook(func: Callable[..., Any]) -> None:
    """Call it no more."""
    _reinitialize_hooks[:] = [hook for hook in _reinitialize_hooks if hook[0] != func]
