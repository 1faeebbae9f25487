"""From a kernel's source to what both backends start from: a Python syntax tree and what its names mean.

`python` reads functions of Python, `cuda_cpp` translates CUDA C++ to such functions; `intrinsics` is what both may name.
"""
