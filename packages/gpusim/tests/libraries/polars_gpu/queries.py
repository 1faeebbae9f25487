"""Polars queries, and what the real translator of cudf-polars says of each on the real pylibcudf, without a GPU.

    PYTHON queries.py > answers.json

PYTHON is one that has the packages of requirements/cu13.txt (`make names` installs them into .names/).
"""

import atexit
import json
import re
import shutil
import sys
import tempfile
import warnings
from datetime import date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import polars as pl

A = pl.LazyFrame(
    {
        "k": [1, 2, 1, 3, 2, 1],
        "g": ["x", "y", "x", "z", "y", "y"],
        "v": [1.5, 2.5, None, 4.0, 5.0, 6.5],
        "i": [5, 3, 8, 1, 9, 2],
        "s": ["ab", "Bc", "cab", None, "x1", "é"],
        "b": [True, False, None, True, True, False],
        "t": [datetime(2024, 1, day, day) for day in (1, 2, 3, 5, 8, 13)],
        "d": [date(2024, month, 1) for month in (1, 2, 3, 4, 5, 6)],
    }
)
B = pl.LazyFrame({"k": [1, 2, 2, 4], "w": [10, 20, 21, 40]})
NESTED = pl.LazyFrame({"l": [[1, 2], [3], []], "st": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}, {"a": 3, "b": "z"}]})
ODD = pl.LazyFrame({"c": ["u", "v", "u"], "n": [None, None, None], "t": [timedelta(days=n) for n in range(3)]})
DECIMALS = pl.LazyFrame({"x": ["1.20", "3.45"]}).with_columns(pl.col("x").cast(pl.Decimal(10, 2)))
c = pl.col

# Files lie where the program is run; what is said of them names no path.
FOLDER = Path(tempfile.mkdtemp())
atexit.register(shutil.rmtree, FOLDER)
A.collect().write_parquet(FOLDER / "a.parquet")
A.collect().drop("b").write_csv(FOLDER / "a.csv")
A.collect().write_ndjson(FOLDER / "a.ndjson")
A.collect().write_ipc(FOLDER / "a.arrow")

QUERIES = {
    "scan parquet": pl.scan_parquet(FOLDER / "a.parquet").filter(c("v") > 2).select("k", "v"),
    "scan parquet rows": pl.scan_parquet(FOLDER / "a.parquet", n_rows=2),
    "scan parquet index": pl.scan_parquet(FOLDER / "a.parquet", row_index_name="n"),
    "scan csv": pl.scan_csv(FOLDER / "a.csv"),
    "scan csv dates": pl.scan_csv(FOLDER / "a.csv", try_parse_dates=True),
    "scan csv without header": pl.scan_csv(FOLDER / "a.csv", has_header=False),
    "scan csv skip": pl.scan_csv(FOLDER / "a.csv", skip_rows=1, has_header=False),
    "scan csv null_values": pl.scan_csv(FOLDER / "a.csv", null_values={"s": "ab"}),
    "scan csv comment": pl.scan_csv(FOLDER / "a.csv", comment_prefix="#!"),
    "scan ndjson": pl.scan_ndjson(FOLDER / "a.ndjson"),
    "scan arrow": pl.scan_ipc(FOLDER / "a.arrow"),
    "sink parquet": A.sink_parquet(FOLDER / "out.parquet", lazy=True),
    "sink csv": A.select("k").sink_csv(FOLDER / "out.csv", lazy=True),
    "sink csv of booleans": A.select("b").sink_csv(FOLDER / "out.csv", lazy=True),
    "sink ndjson": A.select("k").sink_ndjson(FOLDER / "out.ndjson", lazy=True),
    "sink arrow": A.sink_ipc(FOLDER / "out.arrow", lazy=True),
    # What the units on dataframes do.
    "select": A.select("k", c("v") * 2 + 1),
    "filter": A.filter((c("v") > 2) & (c("g") != "z")),
    "filter is_in": A.filter(c("k").is_in([1, 3])),
    "filter is_between": A.filter(c("i").is_between(2, 8)),
    "group mean": A.group_by("k").agg(c("v").mean()),
    "group several": A.group_by("g").agg(c("v").sum().alias("s"), c("v").min().alias("m"), pl.len(), c("i").max()),
    "group std var": A.group_by("g").agg(c("v").std().alias("s"), c("v").var().alias("w")),
    "group n_unique": A.group_by("g").agg(c("k").n_unique()),
    "group median": A.group_by("g").agg(c("v").median()),
    "group quantile": A.group_by("g").agg(c("v").quantile(0.9, "linear")),
    "group first last": A.group_by("g").agg(c("v").first().alias("f"), c("v").last().alias("l")),
    "group list": A.group_by("g").agg(c("i")),
    "group count": A.group_by("g").agg(c("v").count()),
    "group null_count": A.group_by("g").agg(c("v").null_count()),
    "group product": A.group_by("g").agg(c("i").product()),
    "group any": A.group_by("g").agg(c("b").any(), c("b").all().alias("a")),
    "group arg_max": A.group_by("g").agg(c("i").arg_max()),
    "group std": A.group_by("g").agg(c("v").std(ddof=0)),
    "group unique": A.group_by("g").agg(c("k").unique()),
    "group rank": A.group_by("g").agg(c("i").rank()),
    "group implode": A.group_by("g").agg(c("i").implode()),
    "group expression": A.group_by("g").agg((c("v") * c("i")).sum() / c("i").sum()),
    "group filter": A.group_by("g").agg(c("v").filter(c("i") > 2).sum()),
    "group by expression": A.group_by(c("i") % 2).agg(c("v").sum()),
    "group map_groups": A.group_by("g").map_groups(lambda frame: frame.head(1), schema=A.collect_schema()),
    "group map_batches": A.group_by("g").agg(
        c("i").map_batches(lambda s: s.sum(), return_dtype=pl.Int64, returns_scalar=True)
    ),
    "group nested": A.group_by("g").agg((c("v") - c("v").mean()).sum()),
    "group sort_by": A.group_by("g").agg(c("v").sort_by("i").first()),
    "group head": A.group_by("g").head(1),
    "group maintain_order": A.group_by("g", maintain_order=True).agg(c("v").sum()),
    "group cum_sum": A.group_by("g").agg(c("i").cum_sum()),
    "join inner": A.join(B, on="k"),
    "join left": A.join(B, on="k", how="left"),
    "join full": A.join(B, on="k", how="full"),
    "join full coalesce": A.join(B, on="k", how="full", coalesce=True),
    "join semi": A.join(B, on="k", how="semi"),
    "join anti": A.join(B, on="k", how="anti"),
    "join cross": A.join(B, how="cross"),
    "join nulls_equal": A.join(A.select("v", z="i"), on="v", nulls_equal=True),
    "join validate": A.join(B.filter(c("w") != 21), on="k", validate="m:1"),
    "join where": A.join_where(B, c("i") < c("w"), c("k") == c("k_right")),
    "join where inequality": A.join_where(B, c("i") < c("w")),
    "join asof": A.sort("i").join_asof(B.sort("w"), left_on="i", right_on="w"),
    "join expression": A.join(B, left_on=c("k") + 1, right_on="k"),
    "sort": A.sort("g", "i", descending=[True, False]),
    "sort nulls_last": A.sort("v", nulls_last=True),
    "top_k": A.top_k(2, by="i"),
    "slice": A.slice(1, 3),
    "tail": A.tail(2),
    "unique": A.select("g").unique(),
    "unique keep": A.unique(subset=["g"], keep="first", maintain_order=True),
    "concat": pl.concat([A, A]),
    "concat horizontal": pl.concat([A.select("k"), B.select("w")], how="horizontal_extend"),
    "concat diagonal": pl.concat([A, B], how="diagonal"),
    "with_row_index": A.with_row_index(),
    "drop_nulls": A.drop_nulls("v"),
    "fill_null": A.with_columns(c("v").fill_null(0.0)),
    "fill_null forward": A.with_columns(c("v").fill_null(strategy="forward")),
    "fill_nan": A.with_columns(c("v").fill_nan(0.0)),
    "when": A.select(pl.when(c("v") > 2).then(c("i")).otherwise(0)),
    "over": A.with_columns(c("v").sum().over("g")),
    "over mean of two": A.with_columns((c("v") - c("v").mean().over("g")).alias("z")),
    "over count": A.with_columns(c("v").count().over("g")),
    "over len": A.with_columns(pl.len().over("g").alias("n")),
    "over max": A.with_columns(c("v").max().over("g").alias("n")),
    "rolling count": A.rolling("t", period="3d").agg(c("i").count(), c("v").mean(), c("v").min().alias("m")),
    "rolling std": A.rolling("t", period="3d").agg(c("v").std()),
    "count": A.select(c("v").count(), c("v").null_count().alias("n"), c("k").n_unique()),
    "first last": A.select(c("v").first(), c("i").last(), c("k").product()),
    "arg_max": A.select(c("i").arg_max(), c("i").arg_min().alias("n")),
    "std var": A.select(c("v").std(), c("i").var(), c("k").median()),
    "over rank": A.with_columns(c("i").rank().over("g")),
    "over shift": A.with_columns(c("i").shift(1).over("g")),
    "shift": A.with_columns(c("i").shift(1)),
    "diff": A.with_columns(c("i").diff()),
    "pct_change": A.with_columns(c("v").pct_change()),
    "cum_sum": A.with_columns(c("i").cum_sum()),
    "rolling": A.rolling("t", period="3d").agg(c("i").sum()),
    "rolling_mean rows": A.with_columns(c("v").rolling_mean(2)),
    "rolling_sum weights": A.with_columns(c("i").cast(pl.Float64).rolling_sum(2, weights=[0.5, 0.5])),
    "rolling_sum_by": A.with_columns(c("i").rolling_sum_by("t", "2d")),
    "ewm_mean": A.with_columns(c("v").ewm_mean(alpha=0.5)),
    "group_by_dynamic": A.group_by_dynamic("t", every="3d").agg(c("v").sum()),
    "pivot-like": A.group_by("k").agg(c("v").filter(c("g") == g).sum().alias(g) for g in "xyz"),
    "unpivot": A.select("k", "v", c("i").cast(pl.Float64)).unpivot(index="k"),
    # Expressions.
    "arithmetic": A.select(c("i") // 2, (c("i") % 3).alias("m"), (c("i") ** 2).alias("p"), (c("v") / 2).alias("q")),
    "functions": A.select(c("v").sqrt(), c("v").exp().alias("e"), c("v").log().alias("l"), c("v").abs().alias("a")),
    "round": A.select(c("v").round(1), c("v").floor().alias("f"), c("v").ceil().alias("g")),
    "clip": A.select(c("i").clip(2, 5)),
    "cut": A.select(c("v").cut([2.0, 4.0])),
    "qcut": A.select(c("v").qcut(2)),
    "hist": A.select(c("v").hist(bin_count=3)),
    "interpolate": A.select(c("v").interpolate()),
    "sample": A.select(c("i").sample(3, seed=1)),
    "shuffle": A.select(c("i").shuffle(seed=1)),
    "reverse": A.select(c("i").reverse()),
    "arg_sort": A.select(c("i").arg_sort()),
    "search_sorted": A.select(c("i").sort().search_sorted(4)),
    "value_counts": A.select(c("g").value_counts(sort=True)),
    "mode": A.select(c("k").mode()),
    "skew": A.select(c("v").skew()),
    "corr": A.select(pl.corr("v", "i")),
    "quantile": A.select(c("v").quantile(0.5)),
    "quantile of dates": A.select(c("t").quantile(0.5)),
    "map_batches": A.select(c("i").map_batches(lambda s: s + 1, return_dtype=pl.Int64)),
    "map_elements": A.select(c("i").map_elements(lambda n: int(str(n)), return_dtype=pl.Int64)),
    "cast": A.select(c("i").cast(pl.Float32), c("v").cast(pl.Int64).alias("w")),
    "cast to string": A.select(c("i").cast(pl.String), c("v").cast(pl.String).alias("w")),
    "cast from string": A.select(c("s").cast(pl.Int64, strict=False)),
    "cast boolean": A.select(c("b").cast(pl.Int8)),
    "cast date": A.select(c("d").cast(pl.Datetime("us"))),
    "cast time": A.select(c("t").dt.time()),
    "is_null": A.select(c("v").is_null(), c("s").is_not_null()),
    "any all": A.select(c("b").any(), c("b").all().alias("a")),
    "min_horizontal": A.select(pl.min_horizontal("v", "i")),
    "sum_horizontal": A.select(pl.sum_horizontal("v", "i")),
    "coalesce": A.select(pl.coalesce("v", "i")),
    "hash": A.select(c("i").hash()),
    "replace": A.select(c("k").replace({1: 10})),
    "replace_strict": A.select(c("k").replace_strict({1: 10}, default=0)),
    "literal": A.select(pl.lit(1), c("i")),
    "literal date": A.filter(c("d") > date(2024, 2, 1)),
    "literal struct": A.select(pl.struct("k", "i")),
    # Strings.
    "str length": A.select(c("s").str.len_chars(), c("s").str.len_bytes().alias("b")),
    "str case": A.select(c("s").str.to_uppercase(), c("s").str.to_lowercase().alias("l")),
    "str contains": A.filter(c("s").str.contains("a.$")),
    "str contains literal": A.filter(c("s").str.contains("a", literal=True)),
    "str contains flags": A.filter(c("s").str.contains("(?i)B")),
    "str contains class": A.filter(c("s").str.contains(r"\p{L}")),
    "str contains repeat": A.filter(c("s").str.contains(r"a{1,2}b*?")),
    "str contains repeats": A.filter(c("s").str.contains(r"[ab]{1000}")),
    "str contains column": A.filter(c("s").str.contains(c("g"))),
    "str empty": A.filter(c("s").str.contains("")),
    "str starts_with": A.filter(c("s").str.starts_with("a")),
    "str slice": A.select(c("s").str.slice(0, 1)),
    "str replace": A.select(c("s").str.replace("a", "b")),
    "str replace literal": A.select(c("s").str.replace("a", "b", literal=True)),
    "str replace_all": A.select(c("s").str.replace_all("a", "b", literal=True)),
    "str extract": A.select(c("s").str.extract("([a-z])([0-9])", 1)),
    "str extract_all": A.select(c("s").str.extract_all("[a-z]")),
    "str split": A.select(c("s").str.split("a")),
    "str split_exact": A.select(c("s").str.split_exact("a", 1)),
    "str strip": A.select(c("s").str.strip_chars("a")),
    "str pad": A.select(c("s").str.pad_start(4, "."), c("s").str.zfill(4).alias("z")),
    "str concat": A.select(c("s") + "-" + c("g")),
    "str join": A.select(c("g").str.join("-")),
    "str to_datetime": A.select(pl.lit("2024-01-02").str.to_datetime("%Y-%m-%d"), c("i")),
    "str json": A.select(pl.lit('{"a": 1}').str.json_decode(pl.Struct({"a": pl.Int64})), "i"),
    "str strptime format": A.select(pl.lit("2024-01-02").str.to_datetime("%Y-%m-%d", cache=False), c("i")),
    "str reverse": A.select(c("s").str.reverse()),
    # Times.
    "dt parts": A.select(c("t").dt.year(), c("t").dt.hour().alias("h"), c("d").dt.weekday().alias("w")),
    "dt truncate": A.select(c("t").dt.truncate("1d")),
    "dt truncate month": A.select(c("t").dt.truncate("1mo")),
    "dt round": A.select(c("t").dt.round("1h")),
    "dt offset_by": A.select(c("t").dt.offset_by("1mo")),
    "dt strftime": A.select(c("t").dt.to_string("%Y")),
    "dt convert_time_zone": A.select(c("t").dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Zurich")),
    "dt difference": A.select(c("t") - c("t").min()),
    "dt total_seconds": ODD.select(c("t").dt.total_seconds()),
    "duration to_string": ODD.select(c("t").dt.to_string()),
    # Types.
    "categorical": ODD.select(c("c").cast(pl.Categorical)),
    "enum": ODD.select(c("c").cast(pl.Enum(["u", "v"]))),
    "null column": ODD.select("n", "c"),
    "duration sum": ODD.select(c("t").sum()),
    "decimal": DECIMALS.select(c("x") + c("x"), (c("x") * 2).alias("y")),
    "decimal sum": DECIMALS.select(c("x").sum()),
    "object-like": A.select(c("s").cast(pl.Binary)),
    "int128": A.select(c("i").cast(pl.Int128)),
    "list explode": NESTED.explode("l", empty_as_null=True),
    "list sum": NESTED.select(c("l").list.sum()),
    "list len": NESTED.select(c("l").list.len()),
    "list get": NESTED.select(c("l").list.get(0, null_on_oob=True)),
    "list contains": NESTED.select(c("l").list.contains(2)),
    "struct field": NESTED.select(c("st").struct.field("a")),
    "struct unnest": NESTED.select("st").unnest("st"),
    "array": NESTED.select(c("st").struct.field("a").reshape((3, 1))),
    "two refusals": A.select(c("v").ewm_mean(alpha=0.5), c("s").str.extract_all("a").alias("e")),
}

#: Their values are drawn.
DRAWN = {"sample", "shuffle"}
#: Their rows come in any order, on the CPU too.
UNORDERED = {
    name
    for name in QUERIES
    if name.startswith(("group", "join", "pivot")) or name in ("unique", "mode", "value_counts")
}


def judged(query):
    """None, or what the translator says against a query."""
    from cudf_polars.dsl.translate import Translator

    said = []

    def callback(nt, duration):
        translator = Translator(nt, pl.GPUEngine(executor="in-memory"))
        translator.translate_ir()
        error = translator.unsupported_operations_error()
        said.append(error and re.sub(r"0x[0-9a-f]+", "0x…", error.args[0]))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        query.collect(engine="in-memory", post_opt_callback=callback)
    return said[0]


if __name__ == "__main__":
    from importlib import metadata

    from cudf_polars.dsl import ir

    # A join by an inequality asks for a stream, which wants a driver, and does nothing in it before it runs.
    ir.get_cuda_stream = lambda: SimpleNamespace(synchronize=lambda: None)

    answers = {}
    for name, query in QUERIES.items():
        try:
            answers[name] = judged(query)
        except Exception as error:  # a query that Polars itself refuses is a mistake in the list
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
    versions = {name: metadata.version(name) for name in ("cudf-polars-cu13", "pylibcudf-cu13", "polars")}
    print(json.dumps({"versions": versions, "answers": answers}, indent=1, ensure_ascii=False))
