"""Image filters, interpolation, morphology and measurements.  They wait for the device and run at once."""

from cupyx._bridge import functions

from . import _filters, _generic, _interpolation, _measurements

_MODULE = "cupyx.scipy.ndimage"
_made = functions(_MODULE, _filters.halves, **(_filters.rules | _interpolation.rules | _measurements.rules))
_made |= _generic.made | _interpolation.made | _measurements.made
globals().update(_made)
_made["sum"] = _made["sum_labels"]
sum = _made["sum"]
__all__ = list(_made)
