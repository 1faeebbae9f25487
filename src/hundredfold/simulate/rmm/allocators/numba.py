"""RMM for Numba: not simulated, since Numba's arrays take their memory from the simulation itself."""

from hundredfold.simulate.names import refused_class

RMMNumbaManager = refused_class(
    "rmm.allocators.numba.RMMNumbaManager", None, "Numba's arrays take simulated device memory themselves, pooled."
)
_numba_memory_manager = RMMNumbaManager
