"""Groups, joins, order: values as pandas computes them, in an order of their own."""

import numpy as np
import pandas as pd
import pytest

HOST = pd.DataFrame({
    "k": [3, 1, 2, 1, 3, 2, 1], "j": list("abababa"), "v": [1.0, 2.0, None, 4.0, 5.0, 6.0, 7.0], "n": [1, 2, 3, 4, 5, 6, 7],
})  # fmt: skip


@pytest.fixture
def frame(cudf):
    return cudf.from_pandas(HOST)


@pytest.mark.parametrize(
    "name", ["sum", "mean", "min", "max", "std", "var", "median", "count", "first", "last", "nunique"]
)
@pytest.mark.parametrize("keys", ["k", ["k", "j"]])
def test_aggregates(frame, name, keys):
    got = getattr(frame.groupby(keys, sort=True)[["v", "n"]], name)().to_pandas()
    expect = getattr(HOST.groupby(keys)[["v", "n"]], name)()
    if name == "sum":
        expect["v"] = HOST.groupby(keys)["v"].sum(min_count=1)  # libcudf: a group without values has no sum
    pd.testing.assert_frame_equal(got, expect, check_dtype=name not in ("median",))


def test_spellings_of_agg(frame, cudf):
    groups = frame.groupby("k", sort=True)
    two = groups.agg({"v": ["sum", "max"], "n": "count"})
    assert two.columns.tolist() == [("v", "sum"), ("v", "max"), ("n", "count")]
    named = groups.agg(top=("n", "max"), low=cudf.NamedAgg("n", "min"))
    assert named.to_pandas().to_dict("list") == {"top": [7, 6, 5], "low": [2, 3, 1]}
    assert groups.agg(["sum", "min"])[("n", "min")].to_arrow().to_pylist() == [2, 3, 1]
    quantile = groups.n.agg(lambda x: x.quantile(0.5))
    assert quantile.to_arrow().to_pylist() == [4.0, 4.5, 3.0]
    assert groups.n.agg(list).to_arrow().to_pylist() == [[2, 4, 7], [3, 6], [1, 5]]
    assert groups.size().to_arrow().to_pylist() == [3, 2, 2]


def test_groups_come_unsorted_but_the_same_each_time(frame, cudf):
    first = frame.groupby("k").n.sum()
    assert not first.index.is_monotonic_increasing
    assert first.index.to_pandas().tolist() == frame.groupby("k").n.sum().index.to_pandas().tolist()
    assert dict(first.to_pandas()) == dict(HOST.groupby("k").n.sum())
    with cudf.option_context("mode.pandas_compatible", True):
        assert frame.groupby("k", sort=False).n.sum().index.to_pandas().tolist() == [3, 1, 2]


@pytest.mark.parametrize("name", ["cumsum", "cummax", "cumcount", "shift", "diff", "rank"])
def test_results_by_row_keep_the_rows(frame, name):
    got = getattr(frame.groupby("k")["n"], name)().to_pandas()
    expect = getattr(HOST.groupby("k")["n"], name)()
    np.testing.assert_array_equal(got.to_numpy(dtype=float), expect.to_numpy(dtype=float))


def test_transform_and_apply(frame):
    assert frame.groupby("k").n.transform("sum").to_arrow().to_pylist() == [6, 13, 9, 13, 6, 9, 13]
    got = frame.groupby("k", sort=True).apply(lambda rows: rows.n.max() - rows.n.min())
    assert got.to_arrow().to_pylist() == [5, 3, 4]
    top = frame.groupby("k", sort=True).apply(lambda rows: rows.nlargest(1, "n"))
    assert sorted(top.n.to_arrow().to_pylist()) == [5, 6, 7]


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer"])
def test_merge(frame, cudf, how):
    other = pd.DataFrame({"k": [1, 2, 9], "w": [10, 20, 90]})
    got = frame.merge(cudf.from_pandas(other), on="k", how=how).to_pandas()
    expect = HOST.merge(other, on="k", how=how)
    order = ["k", "n", "w"]
    pd.testing.assert_frame_equal(
        got.sort_values(order).reset_index(drop=True),
        expect.sort_values(order).reset_index(drop=True),
        check_dtype=False,
    )


def test_semi_and_anti_joins_and_integer_columns(frame, cudf):
    other = cudf.DataFrame({"k": [1, 9], "w": [10, 90]})
    assert sorted(frame.merge(other, on="k", how="leftsemi").n.to_arrow().to_pylist()) == [2, 4, 7]
    assert sorted(frame.merge(other, on="k", how="leftanti").n.to_arrow().to_pylist()) == [1, 3, 5, 6]
    left = frame.merge(other, on="k", how="left")
    # Rows without a match make an integer column float64, as in pandas; the missing values are null
    # (cudf/core/join/join.py:521 of 26.10; up to 26.06 it stayed an integer column).
    assert str(left.w.dtype) == "float64" and left.w.null_count == 4
    # A column that had its nulls before, and gets no new ones, keeps its type.
    nulls = cudf.DataFrame({"k": [1, 2, 3], "w": cudf.Series([1, None, 3], dtype="int32")})
    assert str(nulls[["k"]].merge(nulls, on="k", how="left").w.dtype) == "int32"
    assert (
        str(frame.merge(other.assign(k=[1, 2]).merge(cudf.DataFrame({"k": [3], "w": [30]}), how="outer")).w.dtype)
        == "int64"
    )
    assert left.k.to_arrow().to_pylist() != HOST.k.tolist()


def test_sorting_is_stable_and_puts_nulls_where_asked(frame):
    got = frame.sort_values(["k", "v"], ascending=[False, True], na_position="first")
    expect = HOST.sort_values(["k", "v"], ascending=[False, True], na_position="first")
    assert got.n.to_arrow().to_pylist() == expect.n.tolist()
    assert frame.nlargest(2, "v").n.to_arrow().to_pylist() == [7, 6]


@pytest.mark.parametrize("rule", ["6h", "1D"])
def test_resample(cudf, rule):
    times = pd.date_range("2020-01-01", periods=30, freq="1h")
    host = pd.Series(np.arange(30.0), index=times)
    got = cudf.from_pandas(host).resample(rule).mean().to_pandas()
    pd.testing.assert_series_equal(got, host.resample(rule).mean(), check_freq=False)


def test_shapes(frame, cudf):
    table = frame.pivot_table(values="n", index="k", columns="j", aggfunc="sum")
    expect = HOST.pivot_table(values="n", index="k", columns="j", aggfunc="sum")
    np.testing.assert_array_equal(table.to_pandas().to_numpy(dtype=float), expect.to_numpy(dtype=float))
    long = frame[["k", "n"]].melt()
    assert long.shape == (14, 2)
    assert cudf.get_dummies(frame.j).to_pandas().to_numpy().tolist() == pd.get_dummies(HOST.j).to_numpy().tolist()
    stacked = cudf.concat([frame, frame], ignore_index=True)
    assert stacked.shape == (14, 4) and str(stacked.n.dtype) == "int64"
    lists = cudf.Series([[1, 2], [], None, [3]]).explode()
    assert lists.to_arrow().to_pylist() == [1, 2, None, None, 3]
