"""``polars.reads``: right answers beside the exact ones."""

RIGHT = {"by head": (1.72e9, 180e6, 30e6, 1.8e8, 0.0012)}
