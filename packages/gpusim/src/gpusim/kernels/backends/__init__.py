"""What runs kernels: `numba` compiles them for this CPU, `numpy` runs all threads in lockstep and needs nothing but NumPy."""
