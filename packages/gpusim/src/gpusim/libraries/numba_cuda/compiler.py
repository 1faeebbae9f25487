"""Compiling for a GPU: not simulated, as there is no code for one."""

from gpusim.importing.names import refused

_NEAREST = "@cuda.jit and inspect_types()"
_NOTE = "Kernels are compiled for this CPU, so there is no PTX."
compile = refused("cuda.compile", _NEAREST, _NOTE)
compile_all = refused("cuda.compile_all", _NEAREST, _NOTE)
compile_for_current_device = refused("cuda.compile_for_current_device", _NEAREST, _NOTE)
compile_ptx = refused("cuda.compile_ptx", _NEAREST, _NOTE)
compile_ptx_for_current_device = refused("cuda.compile_ptx_for_current_device", _NEAREST, _NOTE)
compile_cuda = refused("numba.cuda.compiler.compile_cuda", _NEAREST, _NOTE)
