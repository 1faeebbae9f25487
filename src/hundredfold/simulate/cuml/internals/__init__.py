"""The parts that all of cuML stands on."""

from .base import Base
from .global_settings import GlobalSettings
from .outputs import set_global_output_type, using_output_type

__all__ = ["Base", "GlobalSettings", "set_global_output_type", "using_output_type"]
