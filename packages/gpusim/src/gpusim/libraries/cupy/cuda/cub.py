"""CUB's device-wide primitives: what they compute is NumPy's here, so there is nothing to call directly."""

available = True
