"""Exceptions of cuDF's own."""


class UnsupportedCUDAError(Exception):
    """The CUDA version or the device is too old; never raised here."""


class MixedTypeError(TypeError):
    """Values of several types were to become one column."""
