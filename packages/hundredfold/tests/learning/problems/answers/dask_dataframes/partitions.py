"""``dask-dataframes.partitions``: right answers beside the exact ones."""

RIGHT = {"rounded": (80e6, 40, 12.25e9, 95.5e6, 48e6, 200e6)}
