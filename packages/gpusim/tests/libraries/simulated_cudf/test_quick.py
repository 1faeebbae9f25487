"""Sorting and functions of strings by quick ways give what the slow ones gave: order of equals, nulls, and each character."""

import itertools

import numpy as np
import pandas as pd
import pytest

from gpusim.device import queue

N = 6000
WORDS = [
    "",
    "a",
    "B",
    " pad ",
    "\t\n x\x00",
    "straße",
    "Ärger",
    "ΣΑΣ",
    "naïve",
    "日本",
    "z\u3000",
    "ﬁ",
    "Zeta",
    "zeta",
    "\U0001f600",
]


@pytest.fixture
def columns():
    rng = np.random.default_rng(5)
    null = rng.random(N) < 0.1
    times = pd.Series(pd.to_datetime(rng.integers(0, 50, N), unit="D"))
    found = {
        "small": pd.Series(rng.integers(-9, 9, N)),
        "bytes": pd.Series(rng.integers(0, 255, N).astype("u1")),
        "float": pd.Series(rng.integers(0, 40, N) / 8 - 2).where(~null),
        "single": pd.Series(rng.random(N).astype("f4")),
        "flag": pd.Series(rng.random(N) < 0.5),
        "nullable": pd.Series(rng.integers(0, 9, N), dtype="Int64").mask(null),
        "text": pd.Series(rng.choice(WORDS, N), dtype="str").where(~null),
        "time": times.where(~null),
        "kind": pd.Series(pd.Categorical.from_codes(rng.integers(-1, 3, N), ["c", "a", "b"], ordered=True)),
    }
    found["float"][:50:7] = -0.0
    return pd.DataFrame(found)


def by_ranks(frame, ascending, na_position):
    """The order by ranks and flags of nulls, which says what is meant."""
    keys = []
    for name, up in zip(frame, ascending, strict=True):
        column = frame[name]
        ranks = (
            column.cat.codes.astype("f8")
            if isinstance(column.dtype, pd.CategoricalDtype)
            else column.rank(method="dense")
        )
        ranks = ranks.to_numpy(dtype="f8", na_value=0.0)
        null = column.isna().to_numpy()
        keys = [
            np.where(null, 0, ranks if up else -ranks),
            np.where(null, 1 if na_position == "last" else -1, 0),
            *keys,
        ]
    return np.lexsort(keys)


def test_the_order_of_rows(cudf, columns):
    frame = cudf.DataFrame(columns)
    chosen = [[name] for name in columns] + [
        ["flag", "float"],
        ["text", "small", "time"],
        ["kind", "nullable", "bytes"],
    ]
    for by, up, where in itertools.product(chosen, (True, False), ("first", "last")):
        ascending = [up, *([True, False] * 2)][: len(by)]
        wanted = by_ranks(columns[by], ascending, where)
        found = frame.sort_values(by, ascending=ascending, na_position=where).index.to_numpy()
        assert (found == wanted).all(), (by, ascending, where)
    by_one = cudf.Series(columns["float"]).sort_values(ascending=False, na_position="first")
    assert (by_one.index.to_numpy() == by_ranks(columns[["float"]], [False], "first")).all()


@pytest.mark.parametrize("name", ["small", "bytes", "float", "single", "time"])
def test_the_order_of_labels(cudf, columns, name):
    host = columns[["flag"]].set_index(columns[name].to_numpy()).assign(row=range(N))
    for ascending, where in itertools.product((True, False), ("first", "last")):
        found = cudf.DataFrame(host).sort_index(ascending=ascending, na_position=where)
        wanted = by_ranks(columns[[name]], [ascending], where)
        assert (found["row"].to_numpy() == wanted).all() and found.index.dtype == host.index.dtype


@pytest.mark.parametrize("name", ["small", "bytes", "float", "single", "nullable", "time"])
def test_the_largest_and_the_smallest(cudf, columns, name):
    frame, series = cudf.DataFrame(columns), cudf.Series(columns[name])
    for n, largest, keep in itertools.product((0, 1, 5, 700, 5900, 7000), (True, False), ("first", "last")):
        turned = columns[[name]][::-1] if keep == "last" else columns[[name]]
        wanted = turned.index[by_ranks(turned, [not largest], "last")][:n]
        method = "nlargest" if largest else "nsmallest"
        assert (getattr(frame, method)(n, name, keep=keep).index.to_numpy() == wanted).all(), (n, largest, keep)
        of_series = getattr(series, method)(n, keep=keep).index.to_numpy()
        assert (of_series == wanted[: len(of_series)]).all() and len(of_series) >= min(n, columns[name].notna().sum())


@pytest.mark.parametrize("words", [WORDS, [w for w in WORDS if w.isascii()]], ids=["any", "ascii"])
def test_functions_of_strings(cudf, words):
    values = [None, *words] * 300
    series = cudf.Series(values)

    def python(function, null=None):
        return [null if value is None else function(value) for value in values]

    def same(found, wanted):
        assert found.to_arrow().to_pylist() == wanted

    same(series.str.upper(), python(str.upper))
    if words[-1] != WORDS[-1]:
        same(series.str.lower(), python(str.lower))
    blanks = "".join(map(chr, range(33)))
    for method in ("strip", "lstrip", "rstrip"):
        same(getattr(series.str, method)(), python(lambda text, m=method: getattr(text, m)(blanks)))
        same(getattr(series.str, method)("zß本 "), python(lambda text, m=method: getattr(text, m)("zß本 ")))
    for method, pat in itertools.product(
        ("startswith", "endswith"), ("", "z", "ß", " ", "日", ("z", "Z"), ("Ä", ""), ())
    ):
        same(getattr(series.str, method)(pat), python(lambda text, m=method, p=pat: getattr(text, m)(p), False))


@pytest.mark.parametrize(
    ("select", "nbytes"),
    [
        (lambda frame, rows: frame.iloc[rows], 80),
        (lambda frame, rows: frame.iloc[rows.tolist(), 0], 80),
        (lambda frame, rows: frame["a"].iloc[rows.astype("i4")], 40),
        (lambda frame, rows: frame[np.arange(100) < 5], 100),
        (lambda frame, rows: frame.loc[rows], 80),
        (lambda frame, rows: frame.iloc[3:9], 0),
        (lambda frame, rows: frame.iloc[4], 0),
        (lambda frame, rows: frame["a"], 0),
        (lambda frame, rows: frame[["a", "b"]], 0),
    ],
)
def test_row_numbers_that_the_host_has_are_a_transfer(cudf, select, nbytes):
    frame = cudf.DataFrame({"a": np.arange(100), "b": np.ones(100)})
    before = queue.counters()
    select(frame, np.arange(10))
    assert (queue.counters() - before).h2d_bytes == nbytes


def test_row_numbers_on_the_device_are_no_transfer(cudf):
    import cupy

    frame, rows = cudf.DataFrame({"a": np.arange(100)}), cupy.arange(10)
    before = queue.counters()
    frame.iloc[rows], frame[frame["a"] > 3], frame.iloc[cudf.Series(rows)]
    assert (queue.counters() - before).h2d_bytes == 0


def test_a_column_with_nulls_shows_its_mask_and_is_refused_in_the_words_of_who_reads_it(cudf):
    import cupy
    from numba import cuda

    series = cudf.Series([1, None, 3] + [4] * 6)
    shown = series.__cuda_array_interface__
    mask = shown["mask"].__cuda_array_interface__
    assert hasattr(series, "__cuda_array_interface__") and (mask["typestr"], mask["shape"]) == ("<t1", (9,))
    assert shown["mask"].values.tolist() == [0b11111101, 1]
    for convert in (cupy.asarray, cupy.array):
        with pytest.raises(ValueError, match="CuPy currently does not support masked arrays"):
            convert(series)
    with pytest.raises(NotImplementedError, match="[Mm]ask"):
        cuda.as_cuda_array(series)
    assert "mask" not in series.fillna(0).__cuda_array_interface__
