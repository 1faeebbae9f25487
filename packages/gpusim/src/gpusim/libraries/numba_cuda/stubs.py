"""What has a meaning only inside kernels (see ``numba.cuda._device_names``)."""

from ._device_names import top as _top

globals().update(_top)
