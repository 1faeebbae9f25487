"""CuPy's kernels of CUDA C++: how they are made, and their arguments.  The compiler is `gpusim.kernels.frontend.cuda_cpp`."""
