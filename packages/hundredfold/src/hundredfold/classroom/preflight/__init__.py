"""Preflight: the day before a class, every unit on every seat, and a table.

`jobs`     which notebook on which seat: seats as the hub will give them (`hundredfold.classroom.seats`), with the environment it will set
`running`  one notebook on one seat, in a process of its own, held to the seat's memory and cores by a control group
`notebook` that process: it runs the cells and says which one failed
`results`  what has been run, so that a preflight that was ended goes on where it was
`command`  ``hundredfold preflight``
"""
