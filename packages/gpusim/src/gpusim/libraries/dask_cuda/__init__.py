"""A simulated Dask-CUDA: a cluster of one single-threaded worker per simulated GPU, each with its own device memory."""

from ._version import __git_commit__, __version__
from .cuda_worker import CUDAWorker
from .local_cuda_cluster import LocalCUDACluster

__all__ = ["CUDAWorker", "LocalCUDACluster", "__git_commit__", "__version__"]
