"""A stand-in for Dask cuDF: Dask dataframes whose partitions are the stand-in's."""
