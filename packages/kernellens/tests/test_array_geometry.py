"""How CuPy launches reductions, scans and elementwise kernels over views, worked out by hand from its source."""

import numpy as np
import pytest

from kernellens.arrays import geometry


def test_a_whole_array_is_one_line():
    x = np.zeros((30, 40))
    found = geometry.elementwise([x, x], [x])
    assert (found["threads"], found["block"], found["blocks"]) == (1200, 128, 10)
    assert found["cycles"] == geometry.STEP and "wavefronts" not in found


def test_a_broadcast_row_takes_a_division_and_no_more_lines():
    x, row = np.zeros((64, 320)), np.zeros(320, np.float32)
    found = geometry.elementwise([x, row], [x])
    assert found["cycles"] == geometry.STEP + geometry.DIVISION
    # Of 8 bytes a warp takes two lines, of 4 bytes one.
    assert found["wavefronts"] == 64 * 320 / 32 * (2 + 1 + 2)


def test_a_transposed_view_takes_a_line_for_each_thread():
    x = np.zeros((64, 320))
    found = geometry.elementwise([x.T], [np.zeros((320, 64))])
    warps = 64 * 320 / 32
    assert found["wavefronts"] == warps * (32 + 2)
    assert found["moved"] == warps * (32 * 64 + 256)  # a sector alone takes the turn of two


@pytest.mark.parametrize(
    "view, axes",
    [(np.zeros((40, 50)), (0, 1)), (np.zeros((40, 50)), (1,)), (np.zeros((40, 50)).T, (0,))],
    ids=["all", "rows", "columns of a transpose"],
)
def test_cub_takes_what_lies_side_by_side(view, axes):
    assert geometry.reduction(view, axes) == {}
    assert geometry.reduction(view, axes, second=True)  # but no second operand


def test_a_variance_of_all_runs_in_one_block():
    found = geometry.reduction(np.zeros(1_000_000), (0,), second=True)
    assert (found["blocks"], found["rounds"]) == (1, 1954)


def test_a_sum_of_a_view_runs_in_one_block():
    found = geometry.reduction(np.zeros((2000, 2000))[::2, ::2], (0, 1))
    assert (found["blocks"], found["rounds"]) == (1, 1954)
    assert found["wavefronts"] == 1_000_000 / 32 * 4


def test_columns_are_summed_32_side_by_side():
    found = geometry.reduction(np.zeros((10_000, 10_000)), (0,))
    assert (found["blocks"], found["rounds"]) == (313, 625)
    assert found["wavefronts"] == 1e8 / 32 * 2


def test_a_variance_of_rows_reads_32_rows_at_once():
    """Its second operand, the mean, has results side by side, so that the threads of a warp go down a column."""
    found = geometry.reduction(np.zeros((10_000, 10_000)), (1,), second=True)
    assert (found["blocks"], found["rounds"]) == (313, 625)
    assert found["wavefronts"] == 1e8


def test_a_scan_of_columns_goes_over_all_three_times():
    found = geometry.scan(np.zeros((10_000, 10_000)), 0)
    assert (found["blocks"], found["launches"], found["dram"]) == (200_000, 4, 6 * 8e8)
    assert found["wavefronts"] == 4e8
    assert geometry.scan(np.zeros(1000), 0) == {}  # CUB's
