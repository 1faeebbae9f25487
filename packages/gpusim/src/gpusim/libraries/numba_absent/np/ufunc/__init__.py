"""Functions on arrays."""
