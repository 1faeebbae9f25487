"""A kernel as a typed graph of single-assignment values, which a backend carries out."""
