"""``profiling.amdahl``: right answers beside the exact ones."""

RIGHT = {"by head": (1.64, 4.56, 1.13, 2.78)}
