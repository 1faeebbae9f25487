"""Assertions on frames."""

from __future__ import annotations

from gpusim.importing.names import refuser

from .testing import (
    _object_array_equal_nan,
    assert_arrow_table_equal,
    assert_eq,
    assert_frame_equal,
    assert_groupby_results_equal,
    assert_index_equal,
    assert_neq,
    assert_series_equal,
)

__all__ = [
    "_object_array_equal_nan",
    "assert_arrow_table_equal", "assert_eq", "assert_frame_equal", "assert_groupby_results_equal", "assert_index_equal",
    "assert_neq", "assert_series_equal",
]  # fmt: skip
__getattr__ = refuser("cudf.testing")
