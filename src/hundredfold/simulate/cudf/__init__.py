"""A stand-in for cuDF that computes on the CPU, on pandas and Arrow, and keeps cuDF's rules."""
