"""What the proxies are compared with pandas on: expressions over a few frames, run in a process of their own.

``python programs.py`` prints one JSON line per expression: the expression, whether it ran on the simulated library, and what differs.
"""

import json
import sys
import warnings

from gpusim.importing import activate

activate()

import cudf.pandas  # noqa: E402
import numpy as np  # noqa: E402
import pandas as real  # noqa: E402

cudf.pandas.install()

import cudf.pandas.fast_slow_proxy as proxies  # noqa: E402
import pandas as pd  # noqa: E402
from cudf.pandas.module_accelerator import disable_module_accelerator  # noqa: E402

FRAMES = """
df = pd.DataFrame({
    "a": [3, 1, 2, 1, 3, 2], "b": [1.5, np.nan, -2.0, 4.0, 0.0, 2.5], "s": ["x", "y", None, "x", "zz", "y"],
    "k": ["p", "q", "p", "q", "p", "p"],
    "t": pd.to_datetime(["2020-01-01", "2021-05-05", None, "2020-02-29", "1999-12-31", "2020-01-01"]),
    "flag": [True, False, True, True, False, False]})
other = pd.DataFrame({"a": [1, 2, 4], "w": [10, 20, 40]})
ts = pd.DataFrame({"v": np.arange(10.0)}, index=pd.date_range("2020-01-01", periods=10, freq="6h"))
s, i, st, t = df["b"], df["a"], df["s"], df["t"]
"""

EXPRESSIONS = r"""
df.sum(numeric_only=True)
df.mean(numeric_only=True)
df.describe()
df.groupby("k").sum(numeric_only=True)
df.groupby(["k", "a"]).b.mean()
df.groupby("k")["b"].agg(["min", "max", "count", "std"])
df.groupby("k", as_index=False).b.sum()
df.groupby("k").size()
df.groupby("k").b.transform("mean")
df.groupby("s").a.sum()
df.groupby("k", sort=False).a.sum()
df.groupby("k").first()
df.groupby("k").nunique()
df.groupby("k").b.cumsum()
df.groupby("k").head(1)
df.groupby("k").apply(lambda g: g.a.sum())
df.groupby("k").filter(lambda g: len(g) > 2)
df.groupby("k").ngroups
df.groupby("k").get_group("p")
[k for k, _ in df.groupby("k")]
df.groupby("k").quantile(0.5, numeric_only=True)
df.groupby("k").shift()
df.groupby("k").rank()
df.groupby("k").b.describe()
df.groupby("k").agg(total=("b", "sum"), n=("a", "count"))
df.groupby("k").b.rolling(2).mean()
df.groupby(df.k.astype("category"), observed=True).a.sum()
df.groupby("t").a.sum()
df.merge(other, on="a")
df.merge(other, on="a", how="left")
df.merge(other, on="a", how="outer")
df.join(other.set_index("a"), on="a")
pd.merge_asof(other.sort_values("a"), df.sort_values("a")[["a", "b"]], on="a")
df.sort_values(["k", "b"])
df.sort_values("b", ascending=False)
df.sort_index(ascending=False)
df.sort_values("t")
df.drop_duplicates("k")
df.duplicated("k")
list(df["k"].unique())
df["k"].value_counts()
df.s.value_counts(dropna=False)
df[df.b > 0]
df[(df.b > 0) & (df.k == "p")]
df.query("b > 0")
df.eval("a + b")
df.loc[2]
df.iloc[1]
df.loc[2, "a"]
df.loc[1:3, ["a", "b"]]
df.iloc[::2]
df.iloc[-1]["a"]
df.at[0, "a"]
df.iloc[0, 1]
df.iloc[:, 0]
df.loc[df.k == "p", "b"].sum()
df.loc[lambda d: d.a > 1]
s.fillna(s.mean())
s.isna()
s + i
i / 0
i // 2
i % 2
s > 1
s < 1
s == 1.5
s != 1.5
s.abs()
s.round()
s.clip(0, 2)
s.cumsum()
s.diff()
s.shift()
s.pct_change()
s.rank()
s.quantile([0.1, 0.5])
s.median()
s.std()
s.var()
s.min()
s.idxmax()
s.rolling(2).mean()
s.rolling(3, min_periods=1).sum()
s.expanding().sum()
s.ewm(2).mean()
s.interpolate()
s.ffill()
s.where(s > 0)
s.mask(s > 0)
s.between(0, 2)
s.corr(i)
i.astype(float)
i.astype("int8")
i.map({1: "one"})
i.replace(1, 100)
i.isin([1])
i.apply(lambda x: x * 2)
s.apply(lambda x: x + 1)
df.apply(lambda r: r["a"] * 2, axis=1)
df[["a", "b"]].apply(np.sqrt)
st.str.upper()
st.str.len()
st.str.contains("x")
st.str.split("z")
st.str.replace("x", "q")
st.str.cat(sep="-")
st.str.extract("(x)")
st.str.startswith("x")
st.str[0]
st.fillna("none")
st + "!"
t.dt.year
t.dt.day_name()
t.dt.floor("D")
t.dt.strftime("%Y")
t.dt.to_period("M")
t - t.min()
(t - t.min()).dt.days
t.max()
df.isna().sum()
df.dropna()
df.fillna({"b": 0})
df.T
df[["a", "b"]].T
df[["a", "b"]].values
df.shape
df.columns
df.index
df.dtypes
df.head(2)
df.nlargest(2, "b")
df.set_index("k")
df.set_index(["k", "a"])
df.set_index("k").loc["p"]
df.reset_index()
df.rename(columns={"a": "A"})
df.drop(columns="a")
df.assign(z=df.a * 2)
df.assign(z=lambda d: d.a * 2)
df.pivot_table(index="k", columns="a", values="b")
df.melt(id_vars="k", value_vars=["a", "b"])
df.stack()
pd.concat([df, df])
pd.concat([df, other], ignore_index=True)
pd.concat([s, i], axis=1)
pd.get_dummies(df.k)
pd.cut(i, 2)
pd.crosstab(df.k, df.a)
pd.to_numeric(pd.Series(["1", "2"]))
ts.resample("1D").sum()
ts.rolling("12h").sum()
ts["2020-01-01":"2020-01-02"]
ts.index.hour
df.corr(numeric_only=True)
df.count()
df.nunique()
df.select_dtypes("number")
df.equals(df.copy())
df.sample(2, random_state=0)
df.k.astype("category").cat.codes
df.flag.sum()
~df.flag
np.log(i)
np.where(df.a > 1, 1, 0)
np.mean(i)
np.maximum(i, 2)
np.add(i, s)
i.to_list()
df.to_dict("records")
df.to_csv()
[r.a for r in df.itertuples()]
df.reindex([5, 0, 9])
df[["a", "b"]].sub(df.a, axis=0)
2**i
repr(df)
str(s)
df.agg({"a": "sum", "b": "mean"})
df.cumsum(numeric_only=True)
pd.Series([1, 2, 3]) + pd.Series([1, 2], index=[1, 2])
pd.Series(["a", 1])
pd.Series([1, None])
pd.DataFrame()
pd.Index([1, 2]).union(pd.Index([3]))
pd.date_range("2020", periods=3).month
df["nope"]
df.nope
df.groupby("nope").sum()
s.dt
""".strip().splitlines()


class Observer:
    """Notes which calls went which way."""

    def __init__(self):
        self.calls = []

    def began(self, name):
        """A call begins."""

    def ended(self, name, fast, seconds):
        """A call has ended."""
        self.calls.append((name, fast))


def same(ours, theirs):
    """Raise AssertionError where two results differ."""
    checks = {
        real.DataFrame: real.testing.assert_frame_equal, real.Series: real.testing.assert_series_equal,
        real.Index: real.testing.assert_index_equal, np.ndarray: np.testing.assert_array_equal,
    }  # fmt: skip
    for kind, check in checks.items():
        if isinstance(theirs, kind):
            return check(ours, theirs)
    if isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for one, two in zip(ours, theirs, strict=True):
            same(one, two)
    elif isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for key in theirs:
            same(ours[key], theirs[key])
    elif isinstance(theirs, float):
        np.testing.assert_allclose(ours, theirs)
    else:
        assert ours == theirs or (ours != ours and theirs != theirs), (ours, theirs)
    return None


def run(code, names):
    """Return what an expression gives, an exception included."""
    try:
        return eval(code, names)
    except Exception as error:
        return error


def main():
    """Compare."""
    warnings.simplefilter("ignore")
    observer = Observer()
    proxies.observers.append(observer)
    ours, theirs = {"pd": pd, "np": np, "__name__": "__main__"}, {"pd": real, "np": np, "__name__": "__main__"}
    exec(FRAMES, ours)
    with disable_module_accelerator():
        exec(FRAMES, theirs)
    for code in EXPRESSIONS:
        with disable_module_accelerator():
            wanted = run(code, theirs)
        observer.calls.clear()
        got = proxies.to_slow(run(code, ours))
        problem = None
        if isinstance(wanted, Exception):
            if type(got) is not type(wanted) or str(got) != str(wanted):
                problem = f"{got!r} instead of {wanted!r}"
        else:
            try:
                with disable_module_accelerator():
                    same(got, wanted)
            except Exception as error:
                problem = f"{type(got).__name__}: {error}"
        gpu = bool(observer.calls) and all(fast for _, fast in observer.calls)
        sys.stdout.write(json.dumps({"code": code, "gpu": gpu, "problem": problem}) + "\n")


if __name__ == "__main__":
    main()
