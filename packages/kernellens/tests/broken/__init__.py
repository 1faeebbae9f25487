"""Broken variants of the kernels of `packages/gpusim/tests/kernels_set`, each with its breakage, and what the lens has to say of it.

`variant`      what a variant is, how its source is made, and how it is traced
`borders`      guards, off by one, axes swapped, negative indices
`barriers`     barriers that are missing, or in a branch
`unordered`    races that no barrier fixes: atomics, in-place updates, whole grids, warps
`shared`       shared and local memory that is too small or never set
`refused`      launches that the device refuses, and Python that no GPU runs
`all_variants` the lists together
`checking`     whether one is found
`deserved`     what is said of right kernels, with the reasons
"""
