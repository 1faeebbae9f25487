"""Stands where numba-cuda's test helpers would: the suite's own are about its driver and its compiler."""
