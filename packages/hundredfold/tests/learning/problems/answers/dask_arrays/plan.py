"""``dask-arrays.plan``: right answers beside the exact ones."""

RIGHT = {"by head": (160, 1.6e9, 0.32, 3.2e9, 80e3)}
