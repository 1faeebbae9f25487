"""``polars.reads``: right answers beside the exact ones."""

RIGHT = {"by head": (1.57e9, 165e6, 30e6, 1.65e8, 0.0012)}
