"""Cooperative groups: all blocks of a launch that wait for each other."""

from gpusim.kernels.frontend.intrinsics import TOP as _TOP

from .types import GridGroup, grid_group

this_grid = _TOP["cg"].this_grid

__all__ = ["GridGroup", "grid_group", "this_grid"]
