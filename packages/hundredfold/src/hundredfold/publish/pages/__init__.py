"""The generated pages of the documentation: what is simulated, what differs from a real GPU, and the plan of each syllabus.

`coverage`   every public name of the real libraries: simulated, refused, named in a test
`simulated`  the page of shares
`differs`    the page of differences, from the lists that packages/gpusim/tests/conformance runs
"""
