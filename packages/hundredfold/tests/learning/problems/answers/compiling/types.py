"""``compiling.types``: right answers beside the exact ones."""

RIGHT = {"by head": (11, 40, 9e8, 0.004)}
