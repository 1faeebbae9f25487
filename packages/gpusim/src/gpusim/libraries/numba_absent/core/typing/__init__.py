"""Which type a value has."""
