"""A simulated kvikio, of which cudf-polars reads the names of settings; files are not read by it."""

from enum import IntEnum

from . import defaults

__all__ = ["RemoteIOBackend", "RemoteReactorDispatch", "defaults"]
__version__ = "26.10.00+gpusim"


class RemoteIOBackend(IntEnum):
    """How files that are far away are read."""

    EASY_THREADPOOL = 0
    MULTI_POLL = 1


class RemoteReactorDispatch(IntEnum):
    """What is dealt to the threads that read them."""

    PER_CHUNK = 0
    PER_PREAD = 1
