"""The errors and warnings of Numba that the simulated ``numba.cuda`` raises."""


class NumbaWarning(Warning):
    """A warning of Numba's."""


class NumbaPerformanceWarning(NumbaWarning):
    """What could be faster."""


class NumbaInvalidConfigWarning(NumbaWarning):
    """Options that do not go together."""


class NumbaError(Exception):
    """An error of Numba's."""


class LoweringError(NumbaError):
    """What cannot be compiled."""


class NumbaRuntimeError(NumbaError):
    """What fails where a kernel is launched."""


class UnsupportedBytecodeError(Exception):
    """A statement that a kernel does not have."""


class TypingError(NumbaError):
    """What has no type."""


class DeprecationError(NumbaError):
    """What Numba no longer takes."""
