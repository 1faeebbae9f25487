"""``merges.count``: right answers beside the exact ones."""

RIGHT = {"by head": (1.05e6, 1.15e6, 1_150_300, 1e5, 1.83e9, 4.4e10)}
