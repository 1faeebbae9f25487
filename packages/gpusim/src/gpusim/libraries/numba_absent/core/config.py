"""Numba's settings that the simulated ``numba.cuda`` asks for, with Numba's defaults."""

OPT = 3
CUDA_DEBUGINFO_DEFAULT = 0
CUDA_ARRAY_INTERFACE_SYNC = True
CUDA_WARN_ON_IMPLICIT_COPY = 0  # as here: arrays are a few bytes long
CUDA_LOW_OCCUPANCY_WARNINGS = 0  # pictures are of small launches, and there is no GPU to be filled
DISABLE_PERFORMANCE_WARNINGS = 0
