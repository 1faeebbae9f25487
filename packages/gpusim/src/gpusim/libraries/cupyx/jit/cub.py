"""CUB's block and warp reductions: not simulated."""

from __future__ import annotations

from gpusim.importing.names import refused_class

WarpReduce = refused_class("cupyx.jit.cub.WarpReduce", "jit.shfl_down_sync in a loop")
BlockReduce = refused_class("cupyx.jit.cub.BlockReduce", "jit.shared_memory and jit.syncthreads")
Sum, Max, Min = (refused_class(f"cupyx.jit.cub.{name}") for name in ("Sum", "Max", "Min"))
