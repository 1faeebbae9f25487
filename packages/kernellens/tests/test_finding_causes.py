"""A finding of the kind "launch" says which of several things it is without its sentence; a report says what is not known."""

import numpy as np

import kernellens
from gpusim.kernels.faults import DeadlockError, TooLongError
from gpusim.kernels.sanitizer import findings

cuda = None  # the simulated library, set by conftest.py


def test_a_kernel_that_does_not_end_is_no_refused_launch(monkeypatch):
    monkeypatch.setenv("GPUSIM_THREAD_SECONDS", "0.3")

    def waits(x):
        while x[0] == 0:
            pass

    def plain(x):
        x[cuda.grid(1)] = 1

    (endless,) = kernellens.trace(waits, 1, 32, np.zeros(1)).errors
    (refused,) = kernellens.trace(plain, 1, 2048, np.zeros(2048)).errors
    assert (endless.kind, endless.cause) == ("launch", "endless")
    assert (refused.kind, refused.cause) == ("launch", "refused")
    (outside,) = kernellens.trace(plain, 1, 32, np.zeros(4)).errors
    assert (outside.kind, outside.cause) == ("out-of-bounds", "")


def test_what_else_stops_a_launch_is_told_apart():
    long = TooLongError(kernel="k", blocks=1, threads=1, seconds=1.0, expected=1e6)
    assert (findings.of_fault(long).kind, findings.of_fault(long).cause) == ("launch", "too-long")
    dead = DeadlockError(kernel="k", line=3)
    assert (findings.of_fault(dead).kind, findings.of_fault(dead).cause) == ("barrier-divergence", "deadlock")


def test_a_report_says_why_branches_are_not_known(monkeypatch):
    def halves(x):
        i = cuda.grid(1)
        if i % 2:
            x[i] = 1

    monkeypatch.setenv("GPUSIM_KERNELS", "interpreted")
    trace = kernellens.trace(halves, 1, 32, np.zeros(32))
    assert trace.divergent_branches is None and "Branches: not known. This kernel is interpreted" in str(trace)
    monkeypatch.setenv("GPUSIM_KERNELS", "compiled")
    trace = kernellens.trace(halves, 1, 32, np.zeros(32))
    assert trace.divergent_branches == 1 and "not known" not in str(trace)
