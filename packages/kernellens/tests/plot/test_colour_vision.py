"""The palette as people without one kind of cone see it: simulated by the matrices of Machado, Oliveira and Fernandes (2009), severity 1."""

from itertools import combinations

import numpy as np
import pytest

from kernellens.plot import palette

# IEEE Transactions on Visualization and Computer Graphics 15 (6), doi 10.1109/TVCG.2009.113; for linear RGB.
VISION = {
    "all three cones": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
SERIES, GROUPS = palette.SERIES, [colour for colour, _ in palette.GROUPS.values()]
APART = 12  # CIE76; a difference of about 2.3 is just noticed, side by side


def linear(colour: str) -> np.ndarray:
    """Linear RGB of ``#rrggbb``."""
    value = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of linear sRGB, for its white point D65."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x = to_xyz @ np.clip(rgb, 0, 1) / to_xyz.sum(axis=1)
    f = np.where(x > (6 / 29) ** 3, np.cbrt(x), x / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def nearest(colours, vision) -> tuple[float, str, str]:
    """The two colours that are hardest to tell apart, and how far apart they are."""
    seen = {colour: lab(np.array(VISION[vision]) @ linear(colour)) for colour in colours}
    return min((float(np.linalg.norm(seen[a] - seen[b])), a, b) for a, b in combinations(seen, 2))


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize(
    "colours",
    [
        SERIES,
        GROUPS,
        [palette.DARK.get(each, each) for each in SERIES],
        [palette.DARK.get(each, each) for each in GROUPS],
    ],
    ids=["series", "groups", "series in the dark", "groups in the dark"],
)
def test_colours_are_told_apart(colours, vision):
    distance, *pair = nearest(colours, vision)
    assert distance > APART, pair


def test_what_cannot_be_told_apart_is_found():
    """A red and a green of the same lightness are one colour without the second kind of cone."""
    assert nearest(["#C05A3C", "#7F7A3C"], "all three cones")[0] > 40
    assert nearest(["#C05A3C", "#7F7A3C"], "deuteranopia")[0] < APART


def test_the_simulation_keeps_grey_grey_and_lab_is_the_standards():
    for matrix in VISION.values():
        np.testing.assert_allclose(np.array(matrix) @ np.ones(3), 1, atol=1e-3)
    np.testing.assert_allclose(lab(linear("#FF0000")), [53.24, 80.09, 67.20], atol=0.1)  # CIE, as in Lindbloom's table


def test_each_series_and_group_has_a_mark_of_its_own():
    assert len(set(palette.MARKERS)) == len(palette.MARKERS) == len(palette.SERIES)
    assert len({mark for _, mark in palette.GROUPS.values()}) == len(palette.GROUPS)
