"""``deploying.amdahl``: right answers beside the exact ones."""

RIGHT = {"by head": (0.1, 94, 10, 11, 1.25)}
