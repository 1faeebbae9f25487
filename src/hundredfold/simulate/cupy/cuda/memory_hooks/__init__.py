"""Two hooks that print what they hear."""

from . import debug_print as debug_print
from . import line_profile as line_profile
from .debug_print import DebugPrintHook as DebugPrintHook
from .line_profile import LineProfileHook as LineProfileHook
