"""What is around a notebook: %load_ext, the learner's copies, the plots beside it, the Dask panel, recorded runs."""
