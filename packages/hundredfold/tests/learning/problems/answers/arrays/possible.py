"""``arrays.possible``: right answers beside the exact ones."""

RIGHT = {"by head": (5e9, 0.0056, 0.00044)}
