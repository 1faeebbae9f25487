"""Kernels compiled for the CPU by the real Numba.  Imported when a kernel is launched for the first time, not before."""
