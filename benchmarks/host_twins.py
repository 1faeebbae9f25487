"""Functions of the simulated libraries beside NumPy's and pandas' own, on some 8 to 24 MB, in turns in one process.

    python benchmarks/host_twins.py [NAME ...]

What takes more than 1.5 times its twin is worth a look. Times are the process's CPU time, all threads together, so that they hold on a
busy machine. Ratios are of the shortest times, and the median of the pairs' ratios.
"""

import sys
import time
import warnings

import gpusim

gpusim.activate()
warnings.simplefilter("ignore")

import cudf  # noqa: E402
import cupy as cp  # noqa: E402
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

rng = np.random.default_rng(0)
N = 1 << 21
f8 = rng.random(N)
f4 = f8.astype("f4")
i8 = rng.integers(0, 1 << 40, N)
i4 = i8.astype("i4")
small = rng.integers(0, 1000, N)
idx = rng.integers(0, N, N)
nanf = f8.copy()
nanf[::17] = np.nan
words = np.array(["alpha beta", "Gamma", "delta-Epsilon", "ZETA eta", " pad  ", "x"])
strs = pd.Series(words[rng.integers(0, 6, 1_000_000)])
d = {
    k: cp.asarray(v)
    for k, v in {"f8": f8, "f4": f4, "i8": i8, "i4": i4, "small": small, "idx": idx, "nanf": nanf}.items()
}
sync = cp.cuda.Device().synchronize
ek = cp.ElementwiseKernel("float64 x, float64 y", "float64 z", "z = x * y + 2.0 * x - y / (x + 1.0)", "ek")
ek2 = cp.ElementwiseKernel("T x, T y", "T z", "T d = x - y; z = d > 0 ? d * d : sqrt(-d)", "ek2")
ek3 = cp.ElementwiseKernel("T x, T y", "T z", "z = x * x + y", "ek3")
rk = cp.ReductionKernel("T x, T y", "T z", "x * y", "a + b", "z = a", "0", "dotk")
rk2 = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2")
raw = cp.RawKernel(
    r"""extern "C" __global__ void sax(const double* x, const double* y, double* z, long long n) {
 for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x) z[i] = x[i] * 2.0 + y[i]; }""",
    "sax",
)
z = cp.empty_like(d["f8"])
hz = np.empty_like(f8)


def ek_host():
    return f8 * nanf + 2.0 * f8 - nanf / (f8 + 1.0)


def ek2_host():
    t = f8 - small8
    return np.where(t > 0, t * t, np.sqrt(np.abs(t)))


small8 = small / 1000.0
d["small8"] = cp.asarray(small8)
pdf = pd.DataFrame({"k": small, "a": f8, "b": i8, "s": np.arange(N) % 7})
gdf = cudf.DataFrame(pdf)
pdf2 = pd.DataFrame({"k": rng.permutation(N)[: N // 2], "v": rng.random(N // 2)})
gdf2 = cudf.DataFrame(pdf2)
pdf3 = pd.DataFrame({"k": np.arange(1000), "w": rng.random(1000)})
gdf3 = cudf.DataFrame(pdf3)
gs = cudf.Series(strs)
pidx = pdf.set_index("b")
gidx = gdf.set_index("b")
CASES = {
    "cp.sort f8": (lambda: cp.sort(d["f8"]), lambda: np.sort(f8)),
    "cp.sort f4": (lambda: cp.sort(d["f4"]), lambda: np.sort(f4)),
    "cp.sort i8": (lambda: cp.sort(d["i8"]), lambda: np.sort(i8)),
    "cp.sort nan": (lambda: cp.sort(d["nanf"]), lambda: np.sort(nanf)),
    "cp.sort 2d": (lambda: cp.sort(d["f8"].reshape(-1, 1024), axis=0), lambda: np.sort(f8.reshape(-1, 1024), axis=0)),
    "cp.argsort f8": (lambda: cp.argsort(d["f8"]), lambda: np.argsort(f8)),
    "cp.argsort stable": (lambda: cp.argsort(d["f8"]), lambda: np.argsort(f8, kind="stable")),
    "cp.argsort i8": (lambda: cp.argsort(d["i8"]), lambda: np.argsort(i8)),
    "cp.unique f8": (lambda: cp.unique(d["f8"]), lambda: np.unique(f8)),
    "cp.unique small": (lambda: cp.unique(d["small"]), lambda: np.unique(small)),
    "cp.unique inverse": (
        lambda: cp.unique(d["small"], return_inverse=True, return_counts=True),
        lambda: np.unique(small, return_inverse=True, return_counts=True),
    ),
    "cp.median": (lambda: cp.median(d["f8"]), lambda: np.median(f8)),
    "cp.partition": (lambda: cp.partition(d["f8"], 1000), lambda: np.partition(f8, 1000)),
    "cp.searchsorted": (
        lambda: cp.searchsorted(d["small8"][:1000], d["f8"]),
        lambda: np.searchsorted(small8[:1000], f8),
    ),
    "x[i]": (lambda: d["f8"][d["idx"]], lambda: f8[idx]),
    "x[i] rows": (
        lambda: d["f8"].reshape(-1, 16)[d["idx"][:100000] % 131072],
        lambda: f8.reshape(-1, 16)[idx[:100000] % 131072],
    ),
    "x[i]=": (lambda: z.__setitem__(d["idx"], d["f8"]), lambda: hz.__setitem__(idx, f8)),
    "take": (lambda: cp.take(d["f8"], d["idx"]), lambda: np.take(f8, idx)),
    "x[mask]": (lambda: d["f8"][d["f8"] > 0.5], lambda: f8[f8 > 0.5]),
    "bincount": (lambda: cp.bincount(d["small"]), lambda: np.bincount(small)),
    "scatter_add": (lambda: cp.add.at(z, d["small"], d["f8"]), lambda: np.add.at(hz, small, f8)),
    "Elementwise": (lambda: ek(d["f8"], d["nanf"]), ek_host),
    "Elementwise T": (lambda: ek2(d["f8"], d["small8"]), ek2_host),
    "Elementwise sq": (lambda: ek3(d["f8"], d["small8"]), lambda: f8 * f8 + small8),
    "Elementwise f4": (lambda: ek3(d["f4"], d["f4"]), lambda: f4 * f4 + f4),
    "Reduction dot": (lambda: rk(d["f8"], d["small8"]), lambda: (f8 * small8).sum()),
    "Reduction l2": (lambda: rk2(d["f8"]), lambda: np.sqrt((f8 * f8).sum())),
    "RawKernel": (lambda: raw((1024,), (256,), (d["f8"], d["small8"], z, N)), lambda: np.add(f8 * 2.0, small8, out=hz)),
    "str.upper": (lambda: gs.str.upper(), lambda: strs.str.upper()),
    "str.lower": (lambda: gs.str.lower(), lambda: strs.str.lower()),
    "str.strip": (lambda: gs.str.strip(), lambda: strs.str.strip()),
    "str.len": (lambda: gs.str.len(), lambda: strs.str.len()),
    "str.contains": (lambda: gs.str.contains("eta"), lambda: strs.str.contains("eta")),
    "str.contains lit": (lambda: gs.str.contains("eta", regex=False), lambda: strs.str.contains("eta", regex=False)),
    "str.startswith": (lambda: gs.str.startswith("a"), lambda: strs.str.startswith("a")),
    "str.replace": (lambda: gs.str.replace("eta", "x"), lambda: strs.str.replace("eta", "x")),
    "str.slice": (lambda: gs.str.slice(0, 3), lambda: strs.str.slice(0, 3)),
    "strings sort": (lambda: gs.sort_values(), lambda: strs.sort_values()),
    "sort_values k": (lambda: gdf.sort_values("k"), lambda: pdf.sort_values("k")),
    "sort_values a": (lambda: gdf.sort_values("a"), lambda: pdf.sort_values("a")),
    "sort_values ka": (lambda: gdf.sort_values(["k", "a"]), lambda: pdf.sort_values(["k", "a"])),
    "Series.sort": (lambda: gdf["a"].sort_values(), lambda: pdf["a"].sort_values()),
    "sort_index": (lambda: gidx.sort_index(), lambda: pidx.sort_index()),
    "drop_dup": (lambda: gdf.drop_duplicates("k"), lambda: pdf.drop_duplicates("k")),
    "S.unique": (lambda: gdf["k"].unique(), lambda: pdf["k"].unique()),
    "value_counts": (lambda: gdf["k"].value_counts(), lambda: pdf["k"].value_counts()),
    "groupby sum": (lambda: gdf.groupby("k").sum(), lambda: pdf.groupby("k").sum()),
    "groupby agg": (
        lambda: gdf.groupby("k").agg({"a": ["mean", "max"], "b": "count"}),
        lambda: pdf.groupby("k").agg({"a": ["mean", "max"], "b": "count"}),
    ),
    "groupby str": (
        lambda: cudf.DataFrame({"s": gs, "v": gdf["a"][:1000000]}).groupby("s").v.sum(),
        lambda: pd.DataFrame({"s": strs, "v": pdf["a"][:1000000]}).groupby("s").v.sum(),
    ),
    "merge small": (lambda: gdf.merge(gdf3, on="k"), lambda: pdf.merge(pdf3, on="k")),
    "merge big": (lambda: gdf2.merge(gdf2, on="k"), lambda: pdf2.merge(pdf2, on="k")),
    "filter": (lambda: gdf[gdf.a > 0.5], lambda: pdf[pdf.a > 0.5]),
    "loc take": (lambda: gdf.take(d["idx"][:500000]), lambda: pdf.take(idx[:500000])),
    "S.isin": (lambda: gdf["k"].isin([1, 2, 3]), lambda: pdf["k"].isin([1, 2, 3])),
    "nlargest": (lambda: gdf.nlargest(100, "a"), lambda: pdf.nlargest(100, "a")),
    "factorize": (lambda: gdf["k"].factorize(), lambda: pdf["k"].factorize()),
}

for name, (ours, twin) in CASES.items():
    if len(sys.argv) > 1 and not any(part in name for part in sys.argv[1:]):
        continue
    ours()
    sync()
    twin()
    a, b = [], []
    began = time.perf_counter()
    while len(a) < 3 or (len(a) < 9 and time.perf_counter() - began < 1.5):
        for function, times in ((ours, a), (twin, b)):
            start = time.perf_counter()
            kept = function()
            sync()
            times.append(time.perf_counter() - start)
            del kept
    ratios = sorted(x / y for x, y in zip(a, b, strict=True))
    print(
        f"{name:20s} {min(a) * 1e3:8.1f} ms, twin {min(b) * 1e3:8.1f} ms, ratio {min(a) / min(b):6.2f}, "
        f"median {ratios[len(ratios) // 2]:6.2f}",
        flush=True,
    )
