"""`cuda.reduce`: a reduction by a function of two elements.

The elements are combined in the order in which numba-cuda's kernel does, so that a sum of floats rounds alike: each of
128 threads of up to 64 blocks adds up every so-manieth element, then halves its warp, then the four warps are combined,
then the blocks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from numba.np.numpy_support import from_dtype

from .. import _device_names

_WARP, _WARPS, _MOST_BLOCKS = 32, 4, 64
_THREADS = _WARP * _WARPS

_threadIdx, _blockIdx = _device_names.top["threadIdx"], _device_names.top["blockIdx"]
_blockDim, _gridDim = _device_names.top["blockDim"], _device_names.top["gridDim"]
_syncthreads, _shared = _device_names.top["syncthreads"], _device_names.top["shared"]


def _make_kernel(functor: Callable, kind: Any) -> Any:
    from ..decorators import jit

    combine = jit(device=True)(getattr(functor, "py_func", functor))

    def reduce_blocks(values, partials, init, use_init):
        thread, block, size = _threadIdx.x, _blockIdx.x, _blockDim.x
        cells = _shared.array(128, dtype=kind)
        own = values[block * size + thread]
        if size == 128:
            for i in range((block + _gridDim.x) * size + thread, values.size, _gridDim.x * size):
                own = combine(own, values[i])
        cells[thread] = own
        _syncthreads()
        warp = thread // 32 * 32
        lane = thread - warp
        full = size == 128 or warp + 32 < size
        width = 16
        while width > 0:
            if full and lane < width:
                own = combine(cells[thread], cells[thread + width])
            _syncthreads()
            if full and lane < width:
                cells[thread] = own
            _syncthreads()
            width //= 2
        if lane == 0 and not full:
            for i in range(1, size - warp):
                cells[thread] = combine(cells[thread], cells[thread + i])
        _syncthreads()
        if thread == 0:
            if size == 128:
                own = combine(combine(cells[0], cells[64]), combine(cells[32], cells[96]))
            else:
                own = cells[0]
                for i in range(32, size, 32):
                    own = combine(own, cells[i])
            if use_init and block == 0:
                own = combine(own, init)
            partials[block] = own

    return jit(reduce_blocks)


class Reduce:
    """A reduction of a 1-d array by a function of two elements, which must not depend on their order.

    Parameters
    ----------
    functor : function
        ``functor(a, b)`` combines two elements; it is compiled as a device function.
    """

    _cache: dict = {}
    _lock = threading.Lock()

    def __init__(self, functor: Callable):
        self._functor = functor

    def _compile(self, dtype: Any) -> Any:
        key = self._functor, dtype
        with self._lock:
            if key not in self._cache:
                self._cache[key] = _make_kernel(self._functor, from_dtype(dtype))
            return self._cache[key]

    def __call__(self, arr: Any, size: int | None = None, res: Any = None, init: Any = 0, stream: Any = 0) -> Any:
        """Reduce an array.

        Parameters
        ----------
        arr : array
            1-d, on the host or the device.
        size : int, optional
            Only this many elements.
        res : device array, optional
            Its first element gets the result, and nothing is copied to the host.
        init : scalar
            Combined with the result.
        stream : Stream, optional

        Returns
        -------
        scalar
            None with ``res``.
        """
        from ..api import device_array

        if arr.ndim != 1:
            raise TypeError("only support 1D array")
        if size is not None:
            arr = arr[:size]
        init = arr.dtype.type(init)
        if arr.size < 1:
            return init
        kernel = self._compile(arr.dtype)
        rest = arr.size % _THREADS
        whole = arr.size - rest
        blocks = min(whole // _THREADS, _MOST_BLOCKS)
        partials = device_array(blocks + (rest > 0), arr.dtype)
        if whole:
            kernel[blocks, _THREADS, stream](arr[:whole], partials[:blocks], init, True)
        if rest:
            kernel[1, rest, stream](arr[whole:], partials[blocks:], init, not blocks)
        if partials.size > 1:
            kernel[1, partials.size, stream](partials, partials, init, False)
        if res is not None:
            res[:1].copy_to_device(partials[:1], stream=stream)
            return None
        return partials[0]
