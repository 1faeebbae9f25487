"""Kernels written in CUDA C++: parsed, typed by C's rules, and run by the engine as every other kernel.

A subset of C++ that ordinary kernels keep to is turned into C (:mod:`.cpp_to_c`), parsed by pycparser, and translated into the
syntax tree of a Python function in which every operation has the type that C gives it.  From there on it is a kernel like
one of Numba's: compiled for the CPU, its accesses checked, its first launch traced, with the lines of the C code.

Whoever has a source imports :mod:`.module` when it is first compiled, and not before: that imports pycparser.
"""
