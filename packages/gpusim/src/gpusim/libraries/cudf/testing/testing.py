"""Assertions on frames, each through pandas' own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pandas.testing as tm

from ..core.dtypes import CategoricalDtype, _BaseDtype


def _host(value: Any) -> Any:
    if hasattr(value, "to_pandas"):
        return value.to_pandas()
    if hasattr(value, "get") and hasattr(value, "__cuda_array_interface__"):
        return value.get()
    return value


def _object_array_equal_nan(x: Any, y: Any) -> bool:
    if x.shape != y.shape:
        return False
    return all(a is b or a == b or (a != a and b != b) for a, b in zip(x.ravel(), y.ravel(), strict=True))


def assert_eq(left: Any, right: Any, **kwargs: Any) -> bool:
    """Two things on the device or the host are the same: frames, Series, indexes, arrays or scalars."""

    if kwargs.get("check_dtype", True) and hasattr(left, "dtype") and hasattr(right, "dtype"):
        if isinstance(left.dtype, _BaseDtype) and not isinstance(left.dtype, CategoricalDtype):
            assert_eq(left.dtype, right.dtype)
    left, right = _host(left), _host(right)
    if isinstance(left, pd.DataFrame):
        tm.assert_frame_equal(left, right, **kwargs)
    elif isinstance(left, pd.Series):
        tm.assert_series_equal(left, right, **kwargs)
    elif isinstance(left, pd.Index):
        tm.assert_index_equal(left, right, **kwargs)
    elif isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        if left.dtype.kind == "f" and right.dtype.kind == "f":
            assert np.allclose(left, right, equal_nan=True)
        else:
            assert np.array_equal(left, right)
    elif left == right:
        return True
    elif any(isinstance(x, np.floating) for x in (left, right)):
        np.testing.assert_almost_equal(left, right)
    else:
        np.testing.assert_equal(left, right)
    return True


def assert_neq(left: Any, right: Any, **kwargs: Any) -> None:
    """Two things are not the same."""
    try:
        assert_eq(left, right, **kwargs)
    except AssertionError:
        return
    raise AssertionError


def assert_groupby_results_equal(
    expect: Any, got: Any, sort: bool = True, as_index: bool = True, by: Any = None, **kwargs: Any
) -> None:
    """Two results of groups are the same but for the order of the groups."""
    if sort and as_index:
        expect, got = expect.sort_index(), got.sort_index()
    elif sort:
        assert by is not None
        expect = expect.sort_values(by=by).reset_index(drop=True)
        if hasattr(got, "sort_values"):
            got = got.sort_values(by=by).reset_index(drop=True)
    assert_eq(expect, got, **kwargs)


def _same_class(left: Any, right: Any, kind: Any) -> None:
    for value in (left, right):
        if not isinstance(value, kind):
            raise AssertionError(f"{kind.__name__} Expected type {kind}, found {type(value)} instead")


def _differ(function: Any, left: Any, right: Any, message: str, kwargs: dict) -> None:
    try:
        function(left, right, **kwargs)
    except AssertionError as error:
        raise AssertionError(str(error)) from None


def assert_series_equal(
    left: Any, right: Any, check_dtype: bool = True, check_index_type: Any = "equiv", check_series_type: bool = True,
    check_names: bool = True, check_exact: bool = False, check_datetimelike_compat: bool = False,
    check_categorical: bool = True, check_category_order: bool = True, rtol: float = 1e-5, atol: float = 1e-8,
    obj: str = "Series",
) -> None:  # fmt: skip
    """Two Series are the same."""
    import cudf

    _same_class(left, right, cudf.Series)
    if check_dtype and str(left.dtype) != str(right.dtype):
        raise AssertionError(f'{obj} are different\n\nAttributes of {obj} are different\n\nAttribute "dtype" are different\n'
                             f"[left]:  {left.dtype}\n[right]: {right.dtype}")  # fmt: skip
    _differ(tm.assert_series_equal, left.to_pandas(), right.to_pandas(), obj, {
        "check_dtype": check_dtype, "check_index_type": check_index_type, "check_names": check_names,
        "check_exact": check_exact, "check_datetimelike_compat": check_datetimelike_compat,
        "check_categorical": check_categorical, "check_category_order": check_category_order, "rtol": rtol, "atol": atol,
        "obj": obj})  # fmt: skip


def assert_index_equal(
    left: Any, right: Any, exact: Any = "equiv", check_names: bool = True, check_exact: bool = True,
    check_categorical: bool = True, check_order: bool = True, rtol: float = 1e-5, atol: float = 1e-8, obj: str = "Index",
) -> None:  # fmt: skip
    """Two indexes are the same."""
    import cudf

    _same_class(left, right, cudf.Index)
    _differ(tm.assert_index_equal, left.to_pandas(), right.to_pandas(), obj, {
        "exact": exact, "check_names": check_names, "check_exact": check_exact, "check_categorical": check_categorical,
        "check_order": check_order, "rtol": rtol, "atol": atol, "obj": obj})  # fmt: skip


def assert_frame_equal(
    left: Any, right: Any, check_dtype: bool = True, check_index_type: Any = "equiv", check_column_type: Any = "equiv",
    check_frame_type: bool = True, check_names: bool = True, by_blocks: bool = False, check_exact: bool = False,
    check_datetimelike_compat: bool = False, check_categorical: bool = True, check_like: bool = False,
    rtol: float = 1e-5, atol: float = 1e-8, obj: str = "DataFrame",
) -> None:  # fmt: skip
    """Two DataFrames are the same."""
    import cudf

    _same_class(left, right, cudf.DataFrame)
    _differ(tm.assert_frame_equal, left.to_pandas(), right.to_pandas(), obj, {
        "check_dtype": check_dtype, "check_index_type": check_index_type, "check_column_type": check_column_type,
        "check_names": check_names, "by_blocks": by_blocks, "check_exact": check_exact,
        "check_datetimelike_compat": check_datetimelike_compat, "check_categorical": check_categorical,
        "check_like": check_like, "rtol": rtol, "atol": atol, "obj": obj})  # fmt: skip


def assert_arrow_table_equal(left: Any, right: Any) -> None:
    """Two Arrow tables have the same columns."""
    assert left.column_names == right.column_names
    for name in left.column_names:
        assert left[name].to_pylist() == right[name].to_pylist(), name
