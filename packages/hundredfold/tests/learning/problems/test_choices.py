"""What decisions have in common."""

from __future__ import annotations

import pytest

from hundredfold.learning.problems import choices


@pytest.mark.parametrize(
    ("time", "said"),
    [(2000, "2 000 s"), (999.7, "1 000 s"), (999.4, "999 s"), (0.9999, "1 s"), (12_345, "12 300 s"), (4e-4, "400 µs")],
)
def test_a_time_is_written_without_powers(time, said):
    assert choices.seconds(time) == said
