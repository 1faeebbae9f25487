"""Which blocks the first launch traces."""

import itertools

import numpy as np
import pytest

from gpusim.kernels.sanitizer.blocks import choose

GRIDS = [(65,), (1000,), (10**6,), (100, 2), (2, 100), (313, 313), (9, 9), (40, 3, 2), (10, 10, 10), (65535,) * 3]


@pytest.mark.parametrize("grid", [1, 64, (8, 8), (4, 4, 4), (1, 1, 7)])
def test_all_of_few(grid):
    assert choose(grid).tolist() == list(range(int(np.prod(grid))))


@pytest.mark.parametrize("grid", GRIDS)
def test_as_many_as_allowed_each_once_and_in_the_grid(grid):
    ids = choose(grid)
    total = int(np.prod(grid, dtype=object))
    assert len(ids) == 64 and ids.dtype == np.int64
    assert (np.diff(ids) > 0).all() and ids[0] == 0 and ids[-1] == total - 1


@pytest.mark.parametrize("grid", GRIDS)
def test_corners_and_the_blocks_beside_them(grid):
    dims = (*grid, 1, 1)[:3]
    places = {tuple(int(i) for i in np.unravel_index(k, dims[::-1])[::-1]) for k in choose(grid)}
    for corner in itertools.product(*({0, n - 1} for n in dims)):
        assert corner in places
        for axis, n in enumerate(dims):
            if n > 2:
                step = 1 if corner[axis] == 0 else -1
                assert (*corner[:axis], corner[axis] + step, *corner[axis + 1 :]) in places


@pytest.mark.parametrize("grid", [(1000, 1000), (50, 70)])
def test_both_sides_of_every_edge_half_way(grid):
    width, height = grid
    places = {(k % width, k // width) for k in choose(grid).tolist()}
    for y in (0, 1, height - 2, height - 1):
        assert (width // 2, y) in places
    for x in (0, 1, width - 2, width - 1):
        assert (x, height // 2) in places


@pytest.mark.parametrize("grid", [(1000,), (1000, 1000), (10**6,)])
def test_the_rest_is_spread(grid):
    ids = choose(grid)
    assert np.diff(ids).max() < 4 * np.prod(grid) / 64


def test_a_smaller_limit_keeps_the_corners():
    assert set(choose((10, 10), 8).tolist()) >= {0, 9, 90, 99} and len(choose((10, 10), 8)) == 8
