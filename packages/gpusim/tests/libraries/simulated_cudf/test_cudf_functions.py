"""Functions of the user: compiled as cuDF compiles them; and what the engine's account says of a frame."""

import math

import numpy as np
import pytest

from gpusim.device import queue


def test_a_null_stays_null_in_arithmetic_and_is_false_in_a_condition(cudf):
    series = cudf.Series([1, None, 3])
    assert series.apply(lambda x: x + 1).to_arrow().to_pylist() == [2, None, 4]
    assert series.apply(lambda x: 1 if x > 1 else 0).to_arrow().to_pylist() == [0, 0, 1]
    assert series.apply(lambda x: -1 if x is cudf.NA else x).to_arrow().to_pylist() == [1, -1, 3]
    assert series.apply(lambda x: math.sqrt(x)).to_arrow().to_pylist() == [1.0, None, math.sqrt(3)]


def test_rows_and_arguments(cudf):
    frame = cudf.DataFrame({"a": [1, 2, None], "b": [1.5, 2.5, 3.5]})
    assert frame.apply(lambda row: row["a"] * row["b"], axis=1).to_arrow().to_pylist() == [1.5, 5.0, None]
    assert frame.apply(lambda row, k: row["b"] + k, axis=1, args=(1,)).to_arrow().to_pylist() == [2.5, 3.5, 4.5]

    def branch(row):
        if row["a"] is cudf.NA:
            return 0.0
        return row["b"]

    assert frame.apply(branch, axis=1).to_arrow().to_pylist() == [1.5, 2.5, 0.0]


def test_result_types_follow_the_compiler(cudf):
    assert str(cudf.Series([1, 2], dtype="int32").apply(lambda x: x + 1).dtype) == "int64"
    assert str(cudf.Series([1, 2]).apply(lambda x: x / 2).dtype) == "float64"
    assert str(cudf.Series([1, 2]).apply(lambda x: x > 1).dtype) == "bool"


def test_strings(cudf):
    series = cudf.Series(["apple", "fig", None])
    assert series.apply(lambda s: len(s)).to_arrow().to_pylist() == [5, 3, None]
    assert series.apply(lambda s: s.upper()).to_arrow().to_pylist() == ["APPLE", "FIG", None]


@pytest.mark.parametrize(
    "function",
    [lambda x: "a" if x > 1 else x, lambda x: [x], lambda x: undefined_name + x, lambda x: x.strip()],  # noqa: F821
)
def test_what_does_not_compile_is_refused(cudf, function):
    with pytest.raises(ValueError, match="user defined function compilation failed."):
        cudf.Series([1, 2]).apply(function)


def _forgets_to_return(x):
    x + 1


def _returns_sometimes(x):
    if x > 1:
        return x


@pytest.mark.parametrize("function", [lambda x: None, _forgets_to_return, _returns_sometimes])
def test_a_function_that_gives_nothing_is_refused(cudf, function):
    """udf_kernel_base.py: `np.dtype(output_type)` of what is no masked value is a TypeError, told as one of compiling."""
    with pytest.raises(ValueError, match="user defined function compilation failed."):
        cudf.Series([1, 2]).apply(function)


@pytest.mark.parametrize("function", [lambda row: None, lambda row: print(row["a"])])
def test_a_function_of_a_row_that_gives_nothing_is_refused(cudf, function, capsys):
    with pytest.raises(ValueError, match="user defined function compilation failed."):
        cudf.DataFrame({"a": [1, 2]}).apply(function, axis=1)
    assert not capsys.readouterr().out


def test_null_may_be_returned_beside_values_only(cudf):
    series = cudf.Series([1, 2, None])
    assert series.apply(lambda x: x if x > 1 else cudf.NA).to_arrow().to_pylist() == [None, 2, None]
    assert series.apply(lambda x: 0 if x is cudf.NA else x).to_arrow().to_pylist() == [1, 2, 0]
    with pytest.raises(ValueError, match="user defined function compilation failed."):
        series.apply(lambda x: cudf.NA)


def _with_a_dict(row):
    return {"near": 400, "far": 600}["far" if row["a"] > 1 else "near"]


def _with_a_list(row):
    return [400, 600][int(row["a"] > 1)]


def _with_a_set(row):
    return row["a"] in {row["a"], 3}


def _with_a_comprehension(row):
    return sum([k * row["a"] for k in (1, 2)])


def _that_catches(row):
    try:
        return row["a"]
    except Exception:
        return 0


@pytest.mark.parametrize("function", [_with_a_dict, _with_a_list, _with_a_set, _with_a_comprehension, _that_catches])
def test_what_only_a_cpu_can_compile_is_refused(cudf, function):
    """numba.njit takes all of them; the GPU's target has no memory to allocate and nothing to catch with."""
    with pytest.raises(ValueError, match="user defined function compilation failed"):
        cudf.DataFrame({"a": [1, 2, None]}).apply(function, axis=1)


_BONUS = {1: 2}


def test_a_dict_from_outside_is_refused_also_where_there_are_strings(cudf):
    bonus = {"UA": 2}
    for frame, function in (
        (cudf.DataFrame({"a": ["UA", "AA"]}), lambda row: bonus.get(row["a"], 0)),
        (cudf.DataFrame({"a": [1, 2]}), lambda row: _BONUS[row["a"]]),
    ):
        with pytest.raises(ValueError, match="user defined function compilation failed"):
            frame.apply(function, axis=1)


def test_a_constant_tuple_is_compiled(cudf):
    found = cudf.DataFrame({"a": [1, 2, 3]}).apply(lambda row: row["a"] in (1, 3), axis=1)
    assert found.to_arrow().to_pylist() == [True, False, True]


def test_rolling_functions(cudf):
    def spread(window):
        return window.max() - window.min()

    got = cudf.Series([1.0, 5.0, 2.0, 8.0]).rolling(2).apply(spread)
    assert got.to_arrow().to_pylist() == [None, 4.0, 3.0, 6.0]
    with pytest.raises(NotImplementedError, match="Handling UDF with null values is not yet supported"):
        cudf.Series([1.0, None]).rolling(2).apply(spread)


def test_memory_is_held_as_long_as_the_column_lives(cudf):
    from cupy._core import launch

    pool = launch.default_pool()
    series = cudf.Series(np.zeros(1_000_000))
    held = pool.used_bytes() if hasattr(pool, "used_bytes") else None
    del series
    if held is not None:
        assert held - pool.used_bytes() >= 8_000_000


def test_transfers_and_kernels_are_counted(cudf):
    before = queue.counters()
    frame = cudf.DataFrame({"a": np.arange(1000.0)})
    after = queue.counters()
    assert after.h2d_bytes - before.h2d_bytes == 8000
    total = frame.a.sum()
    frame.to_pandas()
    end = queue.counters()
    assert total == 499500.0
    assert end.kernels > after.kernels
    assert end.d2h_bytes - after.d2h_bytes >= 8000


def _account(function):
    before = queue.counters()
    result = function()
    return result, queue.counters() - before


def test_a_merge_counts_the_rows_that_come_out(cudf):
    hundred = cudf.DataFrame({"key": np.zeros(100, "i8"), "x": np.arange(100)})
    out, moved = _account(lambda: hundred.merge(hundred, on="key"))
    assert len(out) == 10_000
    assert moved.bytes_written >= 10_000 * 3 * 8
    left, moved = _account(lambda: hundred.merge(hundred, on="key", how="leftanti"))
    assert not len(left) and moved.bytes_written < 1000


def test_rows_are_taken_by_a_device_array_without_a_trip_to_the_host(cudf):
    import cupy

    frame = cudf.DataFrame({"a": np.arange(1000)})
    places = cupy.arange(1000)[::-1]
    for take in (lambda: frame.iloc[places], lambda: frame.take(places), lambda: frame.a.iloc[places]):
        taken, moved = _account(take)
        assert taken.to_pandas().index[0] == 999 and moved.kernels and not moved.d2h_bytes


def test_dropping_duplicates_is_counted(cudf):
    kept, moved = _account(lambda: cudf.DataFrame({"a": np.arange(1000) % 10}).drop_duplicates())
    assert len(kept) == 10 and moved.bytes_read >= 8000


def test_numpy_functions_stay_on_the_device(cudf):
    series = cudf.Series([1.0, None, 4.0])
    root = np.sqrt(series)
    assert isinstance(root, cudf.Series) and root.to_arrow().to_pylist() == [1.0, None, 2.0]
    assert np.mean(cudf.Series([1.0, 3.0])) == 2.0


def test_hashes_are_murmur3(cudf):
    # The published value of MurmurHash3_x86_32 of four zero bytes with seed 0 is 0x2362F9DE.
    assert cudf.Series([0], dtype="int32").hash_values().to_arrow().to_pylist() == [0x2362F9DE]


def test_a_kernel_writes_into_the_frame_that_a_column_was_taken_from(cudf, tmp_path):
    from numba import cuda

    file = tmp_path / "kernel.py"
    file.write_text(
        "from numba import cuda\n"
        "@cuda.jit\n"
        "def multiply(a, out, by):\n"
        "    i = cuda.grid(1)\n"
        "    if i < a.size:\n"
        "        out[i] = a[i] * by\n"
    )
    scope = {}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    frame = cudf.DataFrame({"a": [1, 2, 3]})
    kept = frame.copy()
    frame["e"] = 0.0
    before = frame.copy()
    scope["multiply"].forall(3)(frame["a"], frame["e"], 10.0)
    assert frame["e"].to_arrow().to_pylist() == [10.0, 20.0, 30.0]
    assert before["e"].to_arrow().to_pylist() == [0.0, 0.0, 0.0] and kept.columns.tolist() == ["a"]
    import cupy

    shown = cupy.asarray(frame["a"])
    shown *= 2
    cuda.synchronize()
    assert frame["a"].sum() == 12 and kept["a"].sum() == 6


@pytest.mark.parametrize("values", [[1, 2, None], ["a", "bc", None]])
def test_apply_and_map_keep_the_name_of_a_series(cudf, values):
    series = cudf.Series(values, name="a")
    measure = (lambda x: x + 1) if values[0] == 1 else (lambda x: len(x))
    assert series.apply(measure).name == series.map(measure).name == "a"


def test_map_cannot_ignore_nulls(cudf):
    with pytest.raises(NotImplementedError, match="na_action='ignore' is not supported"):
        cudf.Series([1, None]).map({1: 2}, na_action="ignore")
    with pytest.raises(ValueError, match="na_action must either be 'ignore' or None"):
        cudf.Series([1, None]).map({1: 2}, na_action="drop")


@pytest.mark.parametrize(
    ("old", "new", "b", "c"),
    [
        ({"b": "."}, {"b": "x"}, ["a", "b", "x"], ["b", ".", "d"]),  # not the c whose values are called as the column
        ({"b": ["a", "."]}, {"b": ["x", "y"]}, ["x", "b", "y"], ["b", ".", "d"]),
        ({"b": ".", "c": "b"}, {"b": "x", "c": "y"}, ["a", "b", "x"], ["y", ".", "d"]),
        ({"b": "."}, "x", ["a", "b", "x"], ["b", ".", "d"]),
        ({"b": "x"}, None, ["a", "x", "."], ["x", ".", "d"]),  # without a value: old ones and new ones
    ],
)
def test_replace_by_column(cudf, old, new, b, c):
    frame = cudf.DataFrame({"b": ["a", "b", "."], "c": ["b", ".", "d"]})
    found = frame.replace(old, new)
    assert found["b"].to_arrow().to_pylist() == b
    assert found["c"].to_arrow().to_pylist() == c


def test_a_function_cannot_ask_for_the_type_of_a_value(cudf):
    def ask(x):
        return x + 10 if isinstance(x, int) else x

    with pytest.raises(ValueError, match="user defined function compilation failed"):
        cudf.Series([1, 2]).apply(ask)
    with pytest.raises(ValueError, match="user defined function compilation failed"):
        cudf.DataFrame({"a": [1, 2]}).apply(lambda row: ask(row["a"]) if isinstance(row["a"], int) else 0, axis=1)
