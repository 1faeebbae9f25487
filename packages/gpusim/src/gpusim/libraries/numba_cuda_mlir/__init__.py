"""A simulated ``numba_cuda_mlir``, the successor of numba-cuda: the simulated ``numba.cuda`` under its name, and what differs.

numba-cuda-mlir 0.6 has no simulator of its own, and does not import Numba.
"""

from numba import carray, farray

from . import cuda

__version__ = "0.6.0+gpusim"
__all__ = ["__version__", "carray", "cuda", "farray"]
