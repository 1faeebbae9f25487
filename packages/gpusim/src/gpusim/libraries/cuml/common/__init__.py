"""What all of cuML uses."""

from gpusim.importing.names import refuser

from ..internals import logger
from ..internals.outputs import set_global_output_type, using_output_type

__all__ = ["logger", "set_global_output_type", "using_output_type"]
__getattr__ = refuser("cuml.common")
