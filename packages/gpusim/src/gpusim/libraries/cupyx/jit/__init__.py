"""CuPy's JIT: kernels written in Python, typed by CUDA's rules, run by the engine."""

from . import cg, cub, thrust
from ._objects import Builtin, Dim3, Number
from ._rawkernel import rawkernel

threadIdx, blockIdx = Dim3("threadIdx"), Dim3("blockIdx")
blockDim, gridDim = Dim3("blockDim"), Dim3("gridDim")
warpsize = Number("warpSize", "int32")

range = Builtin("range")
syncthreads, syncwarp = Builtin("syncthreads"), Builtin("syncwarp")
shared_memory = Builtin("shared_memory")
grid, gridsize = Builtin("grid", False), Builtin("grid", True)
laneid = Builtin("laneid")
atomic_add, atomic_sub, atomic_exch = (Builtin("atomic", op) for op in ("Add", "Sub", "Exch"))
atomic_min, atomic_max, atomic_inc = (Builtin("atomic", op) for op in ("Min", "Max", "Inc"))
atomic_dec, atomic_cas, atomic_and = (Builtin("atomic", op) for op in ("Dec", "CAS", "And"))
atomic_or, atomic_xor = (Builtin("atomic", op) for op in ("Or", "Xor"))
shfl_sync, shfl_up_sync = Builtin("shuffle", ""), Builtin("shuffle", "up")
shfl_down_sync, shfl_xor_sync = Builtin("shuffle", "down"), Builtin("shuffle", "xor")

_n_functions_upperlimit = 100
__all__ = [
    "atomic_add", "atomic_and", "atomic_cas", "atomic_dec", "atomic_exch", "atomic_inc", "atomic_max", "atomic_min",
    "atomic_or", "atomic_sub", "atomic_xor", "blockDim", "blockIdx", "cg", "cub", "grid", "gridDim", "gridsize", "laneid",
    "range", "rawkernel", "shared_memory", "shfl_down_sync", "shfl_sync", "shfl_up_sync", "shfl_xor_sync", "syncthreads",
    "syncwarp", "threadIdx", "thrust", "warpsize",
]  # fmt: skip
