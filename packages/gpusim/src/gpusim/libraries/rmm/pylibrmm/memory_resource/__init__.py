"""Memory resources."""

from gpusim.importing.names import refuser

from . import experimental
from ._memory_resource import *  # noqa: F403 - the real package has all of them

__getattr__ = refuser("rmm.pylibrmm.memory_resource")
__all__ = ["experimental"]
