"""Where other libraries look for the class of ``x.flags``."""

from .base import Flags as Flags
