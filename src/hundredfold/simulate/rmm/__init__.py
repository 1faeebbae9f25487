"""A stand-in for RMM: its pools and resources over the simulated device's memory."""
