"""Kernels in Python: the source of a function, and what its names mean."""
