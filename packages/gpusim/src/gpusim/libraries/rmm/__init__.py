"""A simulated RMM: its resources and buffers over the simulated device's memory, counted and limited."""

from . import mr, statistics
from .mr import disable_logging, enable_logging, get_log_filenames
from .pylibrmm.device_buffer import DeviceBuffer
from .pylibrmm.logger import (
    flush_logger,
    get_flush_level,
    get_logging_level,
    level_enum,
    set_flush_level,
    set_logging_level,
    should_log,
)
from .rmm import RMMError, is_initialized, register_reinitialize_hook, reinitialize, unregister_reinitialize_hook

__version__ = "26.10.00+gpusim"
__git_commit__ = ""
__all__ = [
    "DeviceBuffer", "RMMError", "__git_commit__", "__version__", "disable_logging", "enable_logging", "flush_logger",
    "get_flush_level", "get_log_filenames", "get_logging_level", "is_initialized", "level_enum", "mr",
    "register_reinitialize_hook", "reinitialize", "set_flush_level", "set_logging_level", "should_log", "statistics",
    "unregister_reinitialize_hook",
]  # fmt: skip
