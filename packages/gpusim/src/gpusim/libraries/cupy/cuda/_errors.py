"""Errors of the CUDA runtime and driver."""

from __future__ import annotations

from gpusim.kernels.faults import DeviceFailure

_ERRORS = {
    1: ("cudaErrorInvalidValue", "invalid argument"),
    2: ("cudaErrorMemoryAllocation", "out of memory"),
    100: ("cudaErrorNoDevice", "no CUDA-capable device is detected"),
    101: ("cudaErrorInvalidDevice", "invalid device ordinal"),
    400: ("cudaErrorInvalidResourceHandle", "invalid resource handle"),
    401: ("cudaErrorIllegalState", "the operation cannot be performed in the present state"),
    600: ("cudaErrorNotReady", "device not ready"),
    700: ("cudaErrorIllegalAddress", "an illegal memory access was encountered"),
    704: ("cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"),
    710: ("cudaErrorAssert", "device-side assert triggered"),
    705: ("cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"),
    716: ("cudaErrorMisalignedAddress", "misaligned address"),
    719: ("cudaErrorLaunchFailure", "unspecified launch failure"),
    900: ("cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"),
    901: ("cudaErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"),
}


class CUDARuntimeError(RuntimeError):
    """An error of the CUDA runtime.

    Attributes
    ----------
    status : int
        CUDA's number of it.
    """

    def __init__(self, status: int):
        self.status = status
        name, text = _ERRORS.get(status, ("cudaErrorUnknown", "unknown error"))
        super().__init__(f"{name}: {text}")

    def __reduce__(self):
        return type(self), (self.status,)


class DeviceAssertion(CUDARuntimeError, DeviceFailure):
    """A failed ``assert()``: CUDA's error, with what CUDA prints."""

    def __init__(self, said: str):
        super().__init__(710)
        self.args = (said,)

    def __str__(self) -> str:
        return f"{': '.join(_ERRORS[710])}\n{self.args[0]}"

    def __reduce__(self):
        return type(self), self.args


DeviceAssertion.__name__ = DeviceAssertion.__qualname__ = "CUDARuntimeError"  # as tracebacks show it
CUDARuntimeError.__module__ = DeviceAssertion.__module__ = "cupy_backends.cuda.api.runtime"  # as tracebacks show it


_DRIVER_ERRORS = {
    1: ("CUDA_ERROR_INVALID_VALUE", "invalid argument"),
    301: ("CUDA_ERROR_FILE_NOT_FOUND", "file not found"),
    500: ("CUDA_ERROR_NOT_FOUND", "named symbol not found"),
    701: ("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"),
    720: ("CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "too many blocks in cooperative launch"),
}


class CUDADriverError(RuntimeError):
    """An error of the CUDA driver."""

    def __init__(self, status: int):
        self.status = status
        name, text = _DRIVER_ERRORS.get(status, ("CUDA_ERROR_UNKNOWN", f"error {status}"))
        super().__init__(f"{name}: {text}")

    def __reduce__(self):
        return type(self), (self.status,)


CUDADriverError.__module__ = "cupy_backends.cuda.api.driver"
