"""Parts of a file of JSON lines, by cuDF's own test of them (its row numbers, `test_json_lines_byte_range`)."""

import io

import pytest


@pytest.mark.parametrize(
    "part, rows",
    [
        ((0, 15), [1, 4]),
        ((15, 10), [7]),
        ((15, 0), [7]),
        ((10, 50), [7]),
        ((0, 10), [1]),
        ((25, 5), []),
        ((0, 0), [1, 4, 7]),
    ],
)
def test_a_part_of_json_lines(cudf, part, rows):
    text = b"[1, 2, 3]\n[4, 5, 6]\n[7, 8, 9]\n"
    frame = cudf.read_json(io.BytesIO(text), lines=True, byte_range=part)
    assert len(frame) == len(rows)
    if rows:
        assert frame.shape[1] == 3 and frame.iloc[:, 0].to_arrow().to_pylist() == rows
