"""``hundredfold record``: the course's headline workloads, measured on this machine and kept as data.

`workload`   what a workload and a way of doing it are
`workloads`  which there are, a module for each family
`here`       this machine, described as a recording describes it
`recording_file` the file: written after each row, taken up again, held to its schema
`duration`   about how long a workload takes
`running`    measures, checks that all ways agree, refuses what cannot be
`panel`      a run of a cluster as data, for the Dask panel to replay
`command`    ``hundredfold record``
`comparing`  ``hundredfold compare A B``

Only real devices are recorded: without a GPU the ways of a CPU alone, never a simulated GPU's times.
"""
