"""Finding synchronisations that a program did not mean to have."""

from __future__ import annotations

import contextlib
import threading
import warnings
from collections.abc import Iterator

from gpusim.device import queue

_local = threading.local()


class DeviceSynchronized(RuntimeError):
    """Raised by a synchronisation inside ``cupyx.allow_synchronize(False)``."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__("Device synchronization was detected while disallowed." if message is None else message)


def _check() -> None:
    if not getattr(_local, "allowed", True):
        raise DeviceSynchronized


@contextlib.contextmanager
def allow_synchronize(allow: bool) -> Iterator[None]:
    """Whether this thread may synchronise inside the block; if not, it raises :class:`DeviceSynchronized`."""
    warnings.warn(
        "cupyx.allow_synchronize will be removed in future releases as it is not possible to reliably detect "
        "synchronizations.",
        stacklevel=3,
    )
    queue.before_synchronize = _check
    before = getattr(_local, "allowed", True)
    _local.allowed = allow
    try:
        yield
    finally:
        _local.allowed = before
