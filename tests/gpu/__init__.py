"""Everything on a real GPU: run, compared, recorded, in slices that go on where the last one ended.

`run`, `pack`   the two programs (see README.md)
`start`         the options, and the stages one after the other
`environment`   which Python runs them: the checkout's, or one made of a bundle's pieces
`bundle`        the pieces of an offline bundle: whole or not, and unpacked; `packing` makes one, `pruning` makes it small
`results_file`        the results file: appended, never rewritten
`running`       a stage's parts, each asked of a process that may crash or hang; `working` is that process
`stages`        what is done, a module each, in the order of its worth
`truth`         a launch by the lens, by the driver and by the clock; `launches` the course's kernels at the published sizes
`launching`, `breaking`, `sitting`   programs of their own: under the profiler, under the checker, in a seat
`summary`       the tables; `targets` what must be reached; `rows` a recording's rows from what `hundredfold record` does not measure

`start`, `environment`, `bundle`, `results_file`, `running`, `targets` and `summary` need Python's standard library alone.
"""
