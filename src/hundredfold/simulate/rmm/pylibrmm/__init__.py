"""Buffers, streams and resources."""

from . import memory_resource
from .cuda_stream_pool import CudaStreamPool
from .device_buffer import DeviceBuffer
from .stream import CudaStreamFlags

__all__ = ["CudaStreamFlags", "CudaStreamPool", "DeviceBuffer", "memory_resource"]
