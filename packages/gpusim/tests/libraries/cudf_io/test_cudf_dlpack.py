"""Columns that travel as DLPack capsules."""

import pytest


def test_a_frame_and_a_series_make_the_way(cudf):
    import cupy

    frame = cudf.DataFrame({"a": [1, 2, 3], "b": [4, 5, 6]})
    matrix = cupy.from_dlpack(frame.to_dlpack())
    assert matrix.get().tolist() == [[1, 4], [2, 5], [3, 6]]
    assert cupy.from_dlpack(frame["a"].to_dlpack()).get().tolist() == [1, 2, 3]
    back = cudf.from_dlpack(frame.to_dlpack())
    assert back.to_pandas().to_numpy().tolist() == [[1, 4], [2, 5], [3, 6]]


def test_text_has_no_capsule(cudf):
    with pytest.raises(NotImplementedError, match="non-numeric data is not yet supported"):
        cudf.Series(["a"]).to_dlpack()
