"""Every access of a launch, written down, and what is wrong with them."""
