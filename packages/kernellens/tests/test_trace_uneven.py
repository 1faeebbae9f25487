"""A log keeps everything though one block does a thousand times what the first did."""

import numpy as np
import pytest

import kernellens

cuda = None  # set by conftest.py


def uneven(out):
    i = cuda.grid(1)
    for k in range(1 if cuda.blockIdx.x == 0 else 3000):
        out[i] += k


@pytest.mark.large
def test_blocks_that_do_far_more_than_the_first_are_logged_whole():
    trace = kernellens.trace(uneven, 16, 64, np.zeros(1024))
    # Each turn reads and writes: 64 threads once, 15 blocks of 64 threads 3 000 times.
    assert trace.log.truncated == 0
    assert trace.reads["out"].total == trace.writes["out"].total == 64 + 15 * 64 * 3000
