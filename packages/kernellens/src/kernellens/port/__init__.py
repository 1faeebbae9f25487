"""`kernellens port`: the learner's own NumPy and pandas code, as it would be under CuPy's and cuDF's names.

The program runs as it stands: every value that it sees is NumPy's and pandas' own.  Beside each array and frame a copy
lives on the simulated device (`arrays`, `frames`), and every operation of the program's own lines is carried out there as
well (`calls`), which tells what would be refused, what would be launched and what would cross the bus (`operations`).  From that
and from the CPU's measured times follows from which size on it would be worth it (`estimate`).
"""
