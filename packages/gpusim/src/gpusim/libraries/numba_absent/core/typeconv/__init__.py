"""Which type goes into which."""
