"""The exercises as nbgrader assignments, for institutions that grade them: ``hundredfold assignment``.

nbgrader is no dependency of ours.  The exercise and solution notebooks carry metadata of its schema 3 (`hundredfold.publish.build`); here an
instructor's version is made of the two, from which nbgrader gives learners exactly the exercise:

- an answer's cell holds the solution, between nbgrader's markers, and in its metadata what the exercise has in its place;
- a check's cell is an autograded test. While it grades, it imports `check` anew, as it is when graded: an answer that rebinds the name or
  changes the environment passes nothing.

`course`   the course's folder, written without ever replacing what an instructor changed
`submitted` what was handed in, as nbgrader reads and shows it
`container` learners' code in containers while it is graded
`contained` what carries, and limits, what nbgrader and a container say
`command`  the command
"""
