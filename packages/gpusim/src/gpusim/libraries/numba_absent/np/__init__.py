"""How Numba and NumPy understand each other."""
