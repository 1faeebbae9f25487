"""``protocols.moved``: right answers beside the exact ones."""

RIGHT = {"by head": (3e8, 1e8, 4e8, 0.016)}
