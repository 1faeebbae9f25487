"""For who teaches: seats on shared GPUs, the trial run before a class, assignments, timetables, links."""
