"""Calling an elementwise function on arrays of host and device: types, broadcasting, transfers, launch."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from . import api
from .cudadrv.devicearray import DeviceNDArray, is_cuda_ndarray


def as_device(obj: Any) -> Any:
    """A device array of this library over anything that shows device memory."""
    return obj if is_cuda_ndarray(obj) else api.as_cuda_array(obj)


class CUDAUFuncDispatcher:
    """An elementwise function on the device.

    Device arrays in give a device array out; host arrays are copied to the device, and the result back.

    Attributes
    ----------
    functions : dict
        Argument dtypes → (result dtype, kernel).
    """

    def __init__(self, types_to_retty_kernels: dict, pyfunc: Any):
        self.functions = types_to_retty_kernels
        self.__name__ = pyfunc.__name__
        self.__doc__ = pyfunc.__doc__

    def __repr__(self) -> str:
        return f"<ufunc {self.__name__!r} on the device>"

    def __call__(self, *args: Any, **kws: Any) -> Any:
        """Call on arrays and scalars.

        Parameters
        ----------
        *args : array_like
            Arrays of exactly the declared dtypes, and scalars.
        out : array, optional
        stream : Stream, optional

        Raises
        ------
        TypeError
            If no declared signature has these dtypes.
        """
        stream, out = kws.pop("stream", 0), kws.pop("out", None)
        if kws:
            warnings.warn(f"unrecognized keywords: {', '.join(kws)}", stacklevel=2)
        count = len(next(iter(self.functions)))
        if len(args) == count + 1 and out is None:
            *args, out = args
        if len(args) != count:
            raise TypeError(f"{self.__name__} takes {count} arguments, not {len(args)}")
        arrays, key = self._resolve(args)
        resdtype, kernel = self.functions[key]
        shape = _broadcast_shape(arrays)
        arrays = [_broadcast(array, shape) for array in arrays]
        if out is not None and api.is_cuda_array(out):
            out = as_device(out)
        if len(shape) > 1:
            arrays = [_ravel(array, stream) for array in arrays]
        elif not shape:
            arrays = [array.reshape(1) for array in arrays]
        any_device = any(map(is_cuda_ndarray, arrays))
        inputs = [a if is_cuda_ndarray(a) else api.to_device(a, stream) for a in arrays]
        n = arrays[0].shape[0]
        if out is None:
            result = api.device_array(n, resdtype, stream=stream)
            kernel.forall(n, stream=stream)(*inputs, result)
            return result.reshape(*shape) if any_device else result.copy_to_host().reshape(shape)
        if is_cuda_ndarray(out):
            flat = out if out.ndim == 1 else _ravel(out, stream)
            kernel.forall(n, stream=stream)(*inputs, flat)
            return flat.reshape(*shape)
        if out.shape != shape or out.dtype != resdtype:
            raise ValueError(f"out has to be of shape {shape} and dtype {resdtype}, not {out.shape} and {out.dtype}")
        result = api.device_array(n, resdtype, stream=stream).reshape(*shape)
        kernel.forall(n, stream=stream)(*inputs, result.reshape(n))
        return result.copy_to_host(out, stream=stream)

    def _resolve(self, args: Any) -> tuple[list, tuple]:
        arrays: list = []
        for arg in args:
            if api.is_cuda_array(arg):
                arrays.append(as_device(arg))
            elif isinstance(arg, (int, float, complex, np.number)):
                arrays.append(None)
            else:
                arrays.append(np.asarray(arg))
        given = [None if array is None else array.dtype for array in arrays]
        exact = [np.asarray(arg).dtype if g is None else g for g, arg in zip(given, args, strict=True)]
        matches = [key for key in self.functions if None in given and list(key) == exact]
        if not matches:
            fits = lambda key: all(g is None or g == k for g, k in zip(given, key, strict=True))  # noqa: E731
            matches = [key for key in self.functions if fits(key)]
        if not matches:
            declared = "; ".join(", ".join(map(str, key)) for key in self.functions)
            raise TypeError(
                "No matching version.  GPU ufunc requires array arguments to have the exact types.  This behaves like "
                f"regular ufunc with casting='no'. Given: {', '.join(map(str, exact))}; declared: {declared}."
            )
        if len(matches) > 1:
            raise TypeError(
                "Failed to resolve ufunc due to ambiguous signature. Too many untyped scalars. Use numpy dtype object to "
                "type tag."
            )
        key = matches[0]
        filled = [
            np.array([arg], dtype=kind) if array is None else array
            for array, arg, kind in zip(arrays, args, key, strict=True)
        ]
        return filled, key

    def reduce(self, arg: Any, stream: Any = 0) -> Any:
        """Reduce a 1-d array by halves.  As with numba-cuda, a device array is overwritten on the way."""
        assert len(next(iter(self.functions))) == 2, "must be a binary ufunc"
        assert arg.ndim == 1, "must use 1d array"
        n = arg.shape[0]
        if n == 0:
            raise TypeError("Reduction on an empty array.")
        if n == 1:
            return arg[0]
        stream = stream or api.stream()
        with stream.auto_synchronize():
            memory = as_device(arg) if api.is_cuda_array(arg) else api.to_device(arg, stream)
            result = self._reduce(memory, stream)
            host = np.empty(1, arg.dtype)
            result.copy_to_host(host, stream=stream)
        return host[0]

    def _reduce(self, memory: Any, stream: Any) -> Any:
        while (n := memory.shape[0]) > 1:
            if n % 2:
                even, last = memory.split(n - 1)
                result = self._reduce(even, stream)
                return self(result, last, out=result, stream=stream)
            left, right = memory.split(n // 2)
            self(left, right, out=left, stream=stream)
            memory = left
        return memory


def _broadcast_shape(arrays: list) -> tuple[int, ...]:
    shape: tuple[int, ...] = ()
    for i, array in enumerate(arrays):
        try:
            shape = np.broadcast_shapes(shape, array.shape)
        except ValueError:
            raise ValueError(f"failed to broadcast argument #{i}") from None
    return shape


def _broadcast(array: Any, shape: tuple[int, ...]) -> Any:
    if array.shape == shape:
        return array
    if isinstance(array, np.ndarray) and not is_cuda_ndarray(array):
        return np.broadcast_to(array, shape)
    missing = len(shape) - len(array.shape)
    strides = [0] * missing + list(array.strides)
    for axis in range(missing, len(shape)):
        if array.shape[axis - missing] != shape[axis]:
            strides[axis] = 0
    return DeviceNDArray(shape, strides, array.dtype, gpu_data=array.gpu_data)


def _ravel(array: Any, stream: Any) -> Any:
    if not is_cuda_ndarray(array):
        return array.ravel()
    try:
        return array.ravel()
    except NotImplementedError:  # a copy is needed, and numba-cuda makes it by way of the host
        return api.to_device(np.ascontiguousarray(array.copy_to_host(stream=stream)).ravel(), stream)
