"""A stand-in for Dask-CUDA: a cluster of one single-threaded worker per simulated GPU."""
