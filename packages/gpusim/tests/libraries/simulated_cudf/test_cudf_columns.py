"""Columns: what becomes of nulls and NaN, which dtype an operation gives, what leaves the device."""

import datetime
import decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from gpusim.device import queue


@pytest.mark.parametrize(
    ("data", "dtype", "nulls"),
    [
        ([1, 2, 3], "int64", 0),
        ([1, None, 3], "int64", 1),
        ([1.5, np.nan], "float64", 1),
        ([True, None], "bool", 1),
        (["a", None], "str", 1),
        ([], "object", 0),
        (np.arange(3, dtype="u2"), "uint16", 0),
        ([datetime.datetime(2020, 1, 1), None], "datetime64[us]", 1),
    ],
)
def test_dtype_is_kept_where_there_are_nulls(cudf, data, dtype, nulls):
    series = cudf.Series(data)
    assert str(series.dtype) == dtype
    assert series.null_count == nulls


def test_nan_stays_a_value_where_asked(cudf):
    series = cudf.Series([1.0, np.nan, None], nan_as_null=False)
    assert series.null_count == 1
    assert (
        series._arrow.equals(pa.array([1.0, float("nan"), None], from_pandas=False)) or series._arrow[2].as_py() is None
    )
    assert np.isnan(series._arrow[1].as_py())
    assert series.isna().to_arrow().to_pylist() == [False, True, True]
    assert series.nans_to_nulls().null_count == 2


@pytest.mark.parametrize(
    ("left", "op", "right", "dtype"),
    [
        ("int8", "truediv", "int8", "float32"),
        ("int32", "truediv", "int32", "float64"),
        ("int64", "truediv", "int64", "float64"),
        ("uint32", "truediv", "uint32", "float64"),
        ("int8", "add", "int16", "int16"),
        ("uint8", "add", "int8", "int16"),
        ("bool", "add", "bool", "bool"),
        ("float32", "mul", "int64", "float64"),
    ],
)
def test_dtypes_of_operators(cudf, left, op, right, dtype):
    a = cudf.Series([1, 1], dtype=left)
    b = cudf.Series([1, 1], dtype=right)
    assert str(getattr(a, op)(b).dtype) == dtype


def test_null_with_anything_is_null(cudf):
    a = cudf.Series([1, None, 3])
    assert (a + 1).to_arrow().to_pylist() == [2, None, 4]
    assert (a == 1).to_arrow().to_pylist() == [True, None, False]
    assert (a != 1).to_arrow().to_pylist() == [False, None, True]
    assert (a + cudf.Series([None, None, 1], dtype="int64")).to_arrow().to_pylist() == [None, None, 4]
    assert a.add(1, fill_value=10).to_arrow().to_pylist() == [2, 11, 4]
    assert (cudf.Series(["a", None]) == "a").to_arrow().to_pylist() == [True, None]


def test_integers_wrap_and_division_by_zero_is_a_float(cudf):
    assert (cudf.Series([127], dtype="int8") + cudf.Series([1], dtype="int8")).to_arrow().to_pylist() == [-128]
    assert (cudf.Series([1, 0]) // 0).to_numpy().tolist()[0] == np.inf
    assert str((cudf.Series([1]) % cudf.Series([0])).dtype) == "float64"
    assert (cudf.Series([-7]) % 3).to_arrow().to_pylist() == [2]


def test_reductions_leave_nulls_out(cudf):
    series = cudf.Series([1, None, 3])
    assert series.sum() == 4 and isinstance(series.sum(), np.int64)
    assert series.mean() == 2.0
    assert np.isnan(series.sum(skipna=False))
    assert cudf.Series([1, 2], dtype="float32").mean().dtype == np.float32
    assert cudf.Series([200, 100], dtype="uint8").sum() == 300
    assert np.isnan(cudf.Series([None], dtype="float64").max())
    assert series.std() == pytest.approx(np.std([1, 3], ddof=1))


def test_to_pandas_has_the_dtypes_of_cudf(cudf):
    assert str(cudf.Series([1, None]).to_pandas().dtype) == "float64"
    assert str(cudf.Series([1, None]).to_pandas(nullable=True).dtype) == "Int64"
    assert str(cudf.Series([1, None]).to_pandas(arrow_type=True).dtype) == "int64[pyarrow]"
    assert str(cudf.Series([True, None]).to_pandas().dtype) == "object"
    assert cudf.Series(["a", None]).to_pandas().dtype == "str"
    with pytest.raises(ValueError, match="cannot both be set"):
        cudf.Series([1]).to_pandas(nullable=True, arrow_type=True)


def test_repr_shows_nulls_by_type(cudf):
    assert "<NA>" in repr(cudf.Series([1, None]))
    assert "NaN" in repr(cudf.Series([1.5, None]))
    assert "NaT" in repr(cudf.Series([datetime.datetime(2020, 1, 1), None]))
    assert repr(cudf.Series([1, 2])).endswith("dtype: int64")


def test_nested_and_decimal_columns(cudf):
    lists = cudf.Series([[1, 2], None])
    assert lists.dtype == cudf.ListDtype("int64")
    assert cudf.Series([{"a": 1}]).dtype == cudf.StructDtype({"a": "int64"})
    money = cudf.Series([decimal.Decimal("1.25"), None], dtype=cudf.Decimal64Dtype(5, 2))
    assert (money + money).to_arrow()[0].as_py() == decimal.Decimal("2.50")
    assert money.dtype == cudf.Decimal64Dtype(5, 2)


def test_device_arrays_and_kernels_share_the_memory_of_a_column(cudf):
    import cupy

    series = cudf.Series(cupy.arange(4.0))
    view = cupy.asarray(series)
    view *= 2
    assert series.to_arrow().to_pylist() == [0.0, 2.0, 4.0, 6.0]
    assert isinstance(series.values, cupy.ndarray)
    assert np.asarray(series.to_numpy()).sum() == 12


def test_what_is_on_the_device_is_copied_to_the_host(cudf):
    """cuDF 26.10, `core/frame.py`, `to_numpy`."""
    frame = cudf.DataFrame({"a": [1, 2], "b": [3, 4]})
    for each in (frame, frame["a"], frame.index, cudf.MultiIndex.from_frame(frame)):
        with pytest.raises(ValueError, match="copy=False is not supported"):
            each.to_numpy(copy=False)


def test_a_column_lies_on_the_array_that_it_was_made_of(cudf):
    """cuDF 26.10, `column.py`, `as_column`: `from_cuda_array_interface`, without a copy; what is set by an index is scattered into a new column."""
    import cupy

    x = cupy.arange(600.0)
    series, frame, own = cudf.Series(x), cudf.DataFrame({"a": x}), cudf.Series(x, copy=True)
    before = queue.counters()
    other = cudf.Series(x)
    assert not (queue.counters() - before).kernels and other.values.data.ptr == x.data.ptr
    x[0] = 100
    frame["a"].values[1] = 200
    assert [s.iloc[0] for s in (series, other, frame["a"], own)] == [100, 100, 100, 0]
    assert [s.iloc[1] for s in (series, other, frame["a"], own)] == [200, 200, 200, 1]
    series[2] = -1
    series += 1
    other.fillna(0, inplace=True)
    frame.loc[0, "a"] = 5
    assert x[:4].tolist() == [100, 200, 2, 3]
    part = other[1:3]
    del x, series, frame, other
    assert part.to_arrow().to_pylist() == [200, 2]  # the memory lives on


def test_a_column_of_an_array_with_steps_or_nan_is_a_copy(cudf):
    import cupy

    x = cupy.asarray([1.0, float("nan"), 3.0])
    series, steps = cudf.Series(x), cudf.Series(x[::2])
    x[0] = 9
    assert series.isna().to_arrow().to_pylist() == [False, True, False]
    assert steps.to_arrow().to_pylist() == [1, 3]


def test_values_of_a_column_without_nulls_are_the_column_itself(cudf):
    """`single_column_frame.py`, `values` and `to_cupy`: CuPy's asarray of the column, without a copy."""
    series = cudf.Series([1, 2, 3])
    before = queue.counters()
    values = series.values
    assert not (queue.counters() - before).kernels
    values[0] = 9
    series.to_cupy()[1] = 8
    assert series.to_arrow().to_pylist() == [9, 8, 3]
    assert int(series.sum()) == 20
    series.to_cupy(copy=True)[2] = 0
    series.to_cupy(dtype="float64")[2] = 0
    assert series.to_arrow().to_pylist() == [9, 8, 3]
    frame = cudf.DataFrame({"a": [1, 2]})
    frame["a"].values[:] = 7
    frame.values[:] = 0  # of a frame: a matrix of its own
    assert frame["a"].to_arrow().to_pylist() == [7, 7]


def test_values_of_a_column_with_nulls_are_a_copy(cudf):
    series = cudf.Series([1, None, 3])
    series.values[0] = 9
    assert series.to_arrow().to_pylist() == [1, None, 3]


def test_values_see_what_was_written_to_the_column_since(cudf):
    series = cudf.Series([1, 2, 3])
    assert series.values[0] == 1
    series.iloc[0] = 5
    assert series.values.tolist() == [5, 2, 3]
    series.loc[1] = None
    assert series.dropna().values.tolist() == [5, 3]


def test_writing_does_not_show_in_what_was_taken_before(cudf):
    frame = cudf.DataFrame({"a": [1, 2, 3]})
    column, copy = frame["a"], frame.copy(deep=False)
    frame.loc[0, "a"] = 100
    assert column.to_arrow().to_pylist() == [1, 2, 3]
    assert copy["a"].to_arrow().to_pylist() == [1, 2, 3]
    assert frame["a"].to_arrow().to_pylist() == [100, 2, 3]


def test_options_and_bit_widths(cudf):
    with cudf.option_context("default_integer_bitwidth", 32, "default_float_bitwidth", 32):
        assert str(cudf.Series([1]).dtype) == "int32"
        assert str(cudf.Series([1.5]).dtype) == "float32"
    assert cudf.get_option("default_integer_bitwidth") is None
    with pytest.raises(KeyError, match="does not exist"):
        cudf.get_option("nothing")
    with pytest.raises(ValueError, match="is not a valid option"):
        cudf.set_option("default_integer_bitwidth", 16)


def test_pandas_own_treatment_of_nan_is_untouched(cudf):
    cudf.Series([1.0, np.nan], nan_as_null=False).sum()
    assert pd.array([0.0, np.nan], dtype="Float64").isna().tolist() == [False, True]


def test_bytes_of_columns_with_two_levels_of_names(cudf):
    frame = cudf.DataFrame({"carrier": ["a", "b", "a"], "delay": [1.0, None, 3.0]})
    both = frame.groupby("carrier").agg({"delay": ["count", "mean"]})
    sizes = both.memory_usage(index=False).to_pandas()
    assert list(sizes.index) == [("delay", "count"), ("delay", "mean")] and (sizes >= 16).all()
    with pytest.raises(TypeError, match="MultiIndex"):  # cuDF, DataFrame.memory_usage: names.astype(str)
        both.memory_usage()


def test_bytes_of_each_column_and_of_the_index(cudf):
    sizes = cudf.DataFrame({"a": [1, 2, 3], 5: [1.0, 2.0, 3.0]}).memory_usage().to_pandas()
    assert list(sizes.index) == ["Index", "a", "5"] and list(sizes[1:]) == [24, 24]


def test_a_column_of_strings_has_no_array_interface(cudf):
    """cuDF 26.10, `core/single_column_frame.py`: what the column does not implement is an AttributeError of the series."""
    import cupy

    strings = cudf.Series(["a", "b", "a"])
    assert not hasattr(strings, "__cuda_array_interface__")
    with pytest.raises(TypeError, match="Implicit conversion"):
        cupy.asarray(strings)
    codes, names = strings.factorize()
    assert codes.tolist() == [0, 1, 0] and names.to_pandas().tolist() == ["a", "b"]


@pytest.mark.parametrize(
    "values, printed",
    [
        ([["a", "b"], None, []], ["[a, b]", "None", "[]"]),
        ([[[1], None], None], ["[[1], None]", "None"]),
        ([{"a": 1}, None], ["{'a': 1}", "None"]),
    ],
)
def test_lists_and_structs_print_alike_with_and_without_nulls(cudf, values, printed):
    """As cuDF, whose columns of these go to pandas as they are; a published output showed it."""
    column = cudf.Series(values)
    assert [line.split(maxsplit=1)[1] for line in repr(column).splitlines()[:-1]] == printed
    assert [line.split(maxsplit=1)[1] for line in repr(cudf.DataFrame({"x": column})).splitlines()[1:]] == printed


def test_the_memory_of_strings_is_known_so_info_says_no_more_than_it(cudf, capsys):
    """As cuDF with pandas 3, where strings are no objects."""
    cudf.DataFrame({"x": ["a", "bc"], "n": [1, 2]}).info()
    assert capsys.readouterr().out.endswith("dtypes: int64(1), str(1)\nmemory usage: 31.0 bytes\n")


@pytest.mark.parametrize(
    "dtype, value",
    [("int8", 3), ("uint64", 3), ("int64", 3), ("float32", 1.5), ("float64", float("nan")), ("bool", True)],
)
def test_one_number_is_numpys(cudf, dtype, value):
    """[cudf/core/column/numerical.py:257] `element_indexing`; an H200 gave numpy.int64 and np.float64(nan)."""
    series = cudf.Series([value] * 2, dtype=dtype)
    frame = cudf.DataFrame({"a": series, "b": ["x", "y"]})
    labelled = frame.set_index("b")
    found = [series[0], series.iloc[0], series.loc[1], series.iat[0], series.at[1], frame["a"].iloc[-1]]
    found += [frame.iloc[0, 0], frame.loc[1, "a"], frame.at[0, "a"], frame.iat[1, 0], labelled.loc["y", "a"]]
    found += [series.max(), series.min(), series.astype("category").astype(dtype)[0]]
    if dtype != "bool":
        found += [cudf.Index(series)[0]]
    assert {type(one) for one in found} == {np.dtype(dtype).type}


def test_one_category_is_numpys(cudf):
    assert type(cudf.Series([3, 4]).astype("category")[0]) is np.int64
    assert type(cudf.Series(["a"]).astype("category")[0]) is str
    assert cudf.Series([1, None])[1] is pd.NA
