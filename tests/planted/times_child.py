"""The tests of the published times in a process of their own, some of its kernels traced anew: what is stored was traced without the fault."""

import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2] / "packages" / "kernellens" / "tests"
TRACED = ("gpubenches-stream-", "gpubenches-small-")
"""Beginnings of the names of measurements whose kernels are traced in seconds."""

if __name__ == "__main__":
    sys.path.insert(0, str(TESTS))
    import gpusim

    gpusim.activate()
    from published import table, workloads

    workloads.start()
    stored = workloads.stored()
    anew = {row.id: workloads.traced(row) for row in table.rows() if row.id in stored and row.id.startswith(TRACED)}
    workloads.stored = lambda: stored | anew
    options = [
        "-q",
        "-p",
        "no:xdist",
        "-p",
        "no:cacheprovider",
        "-k",
        "above or looser or estimates_are_near or far_off",
    ]
    sys.exit(pytest.main([*options, str(TESTS / "test_published_times.py")]))
