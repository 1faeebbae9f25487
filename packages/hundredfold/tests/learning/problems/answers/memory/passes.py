"""``memory.passes``: right answers beside the exact ones."""

RIGHT = {"by head": (4.0, 3.6e9, 0.8e9, 1.2e9)}
