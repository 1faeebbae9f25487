# ---
# jupyter:
#   hundredfold:
#     unit: 1
#     slug: arrays
#     title: A speedup too good to be true
#     teaching: 30
#     exercises: 25
# ---

# %% [markdown]
# # A speedup too good to be true
#
# *Unit 01 · arrays · 30 minutes, then 25 for the exercises*
#
# In December 2018 a blog post that many people read put one line of NumPy on a GPU and reported **402 ms → 0.746 ms**: five hundred times
# faster, by changing two letters. You will do the same in a minute, on the machine in front of you, and you may well get an even larger
# number. Then we find out what it means.
#
# ## What you will be able to do
#
# - **Move** NumPy code to CuPy, and data between the host and the device.
# - **Time** GPU code without fooling yourself: asynchronous launches, the first call, transfers.
# - **Doubt** a speedup, by working out what the hardware could do at best.
# - **Say** when a GPU pays, and when it does not.
#
# You need to know NumPy. You do not need a GPU: without one, this notebook runs the same cells on your processor. The answers are the
# same; the times are your processor's, and they say so.

# %% [markdown]
# The first line of every notebook of this course looks at your machine. Where a GPU works, it changes nothing at all.

# %%
# %load_ext hundredfold

# %%
from time import perf_counter

import cupy as cp
import numpy as np

from hundredfold import compare, limit, measure, plot

# %% [markdown]
# ## Two memories
#
# A GPU is a second computer with a memory of its own. CuPy is NumPy for that computer: an array made by `cp` lives in the GPU's memory
# (*the device*), an array made by `np` in your computer's (*the host*).

# %%
a = cp.arange(12, dtype=np.float64).reshape(3, 4)
a * 2 + 1

# %%
a.sum(axis=0)

# %% [markdown]
# Nearly everything you know works: slices, broadcasting, reductions, `dtype`s. Two functions carry data across, and you always call them
# yourself: `cp.asarray` sends an array to the device, `cp.asnumpy` fetches one back.

# %%
b = cp.asarray(np.eye(3))  # host to device
c = cp.asnumpy(b @ a)  # device to host

for name, array in {"a": a, "b": b, "b @ a": b @ a, "c": c}.items():
    kind = f"{type(array).__module__}.{type(array).__name__}"
    print(f"{name:5}  {kind:13}  {array.dtype}  shape {array.shape}, {array.nbytes} bytes")

# %% [markdown]
# CuPy never carries data across behind your back, because that is the slowest thing a GPU program can do. It would rather refuse:

# %%
for mistake in (lambda: np.asarray(a), lambda: a + np.ones(4)):
    try:
        mistake()
    except TypeError as error:
        print("TypeError:", error)

# %% [markdown]
# ## The famous line
#
# Here is the line from the post. It asks whether $\sin^2 x + \cos^2 x = 1$ holds for every element of a large random array. The post used
# 10 000 × 10 000 numbers; so do we, if your machine has room for them and for the temporary arrays on the way.

# %%
free, total = cp.cuda.runtime.memGetInfo()  # bytes of device memory
n = min(10_000, int((free / (5 * 8)) ** 0.5) // 1_000 * 1_000)
x = np.random.default_rng(seed=1).random((n, n))
x_gpu = cp.asarray(x)
print(f"{x.nbytes / 1e6:.0f} MB on the host, and the same again on the device")

# %% [markdown]
# **Predict.** How many times faster will CuPy be than NumPy, here, on your machine? Write your number down before you run on; it is
# more fun to be wrong with a number than without.

# %%
my_guess = 10

# %% [markdown]
# **Measure.** With a stopwatch, as anybody would. The GPU line runs once beforehand, since on a GPU the first call also compiles.

# %%
(cp.sin(x_gpu) ** 2 + cp.cos(x_gpu) ** 2 == 1).all()  # once to warm up
cp.cuda.Device().synchronize()

start = perf_counter()
(np.sin(x) ** 2 + np.cos(x) ** 2 == 1).all()
numpy_seconds = perf_counter() - start

start = perf_counter()
(cp.sin(x_gpu) ** 2 + cp.cos(x_gpu) ** 2 == 1).all()
cupy_seconds = perf_counter() - start

print(f"NumPy {1e3 * numpy_seconds:.0f} ms, CuPy {1e3 * cupy_seconds:.3f} ms")
print(f"speedup {numpy_seconds / cupy_seconds:.0f}×, and you guessed {my_guess}×")

# %% [markdown]
# Two changed letters, and thousands of times faster. If you are reading this on a laptop **without** a GPU, read the last line again:
# nothing in your machine became faster, and still the stopwatch says so.
#
# **Do you believe it?** Before you read on, think of one reason why, or why not.

# %% [markdown]
# ## Could it be true?
#
# Leave your own number aside for a moment and take the published one, 0.746 ms, on the GPU it was measured on: an NVIDIA V100. Whatever
# the kernels do, they must at least **read the array once** from the GPU's memory, and the data sheet says how fast that memory is.
#
# **Predict.** The array has $10^8$ numbers of 8 bytes; the V100 reads 900 GB a second. How many milliseconds does reading it once take
# at the very least?

# %%
my_milliseconds = 1.0

# %%
once = limit(bytes=10_000 * 10_000 * 8, machine="V100")
print(f"reading x once on a V100: at least {1e3 * once.seconds:.3f} ms (you said {my_milliseconds} ms)")
print(f"published for the whole expression: 0.746 ms, that is {0.746e-3 / once.seconds:.0%} of it")

# %% [markdown]
# The whole computation was reported to be faster than reading its input. And it does not read the input once. CuPy runs one *kernel*, one
# program on the GPU, per operation, and each reads its operands from memory and writes its result back there:

# %%
import pandas as pd

GB = 0.8  # one array of 10 000 × 10 000 float64
kernels = pd.DataFrame(
    [
        ("sin(x)", GB, GB),
        ("… ** 2", GB, GB),
        ("cos(x)", GB, GB),
        ("… ** 2", GB, GB),
        ("… + …", 2 * GB, GB),
        ("… == 1", GB, GB / 8),  # a bool is one byte
        (".all()", GB / 8, 0),
    ],
    columns=["kernel", "reads (GB)", "writes (GB)"],
)
kernels

# %%
moved = kernels[["reads (GB)", "writes (GB)"]].sum().sum()
seven = limit(bytes=moved * 1e9, machine="V100")
print(f"{len(kernels)} kernels move {moved:.1f} GB: at least {1e3 * seven.seconds:.1f} ms on a V100")
print(f"in 0.746 ms that takes {moved / 0.746:.1f} TB/s: {seven.seconds / 0.746e-3:.0f}× the data sheet")

# %% [markdown]
# Half a year later another benchmark ran the first five of these kernels on the same kind of GPU, and waited for them to finish: 13.06 ms.
# That is a plausible number, a little above its limit. Here they are together:

# %%
five = limit(bytes=(1.6 * 4 + 2.4) * 1e9, machine="V100")
plot.times(
    {
        "published: NumPy": 402e-3,
        "published: CuPy on a V100": 0.746e-3,
        "limit: read x once": once.seconds,
        "limit: all seven kernels": seven.seconds,
        "limit: the first five": five.seconds,
        "2019 suite: the first five, waited for": 13.06e-3,
    },
    title="0.746 ms is on the wrong side of the limit",
)

# %% [markdown]
# **Explain.** A time beyond the limit of the hardware always has one of three reasons: the clock stopped too early, the data came from
# somewhere nearer than you think, or the work was not done. Which was it?
#
# ## What the stopwatch saw
#
# A GPU works by itself. When Python calls `cp.sin`, CuPy does not compute anything: it puts the kernel into the GPU's queue and returns.
# Your stopwatch timed how long it takes to *order* the work. Time the same line twice, once until Python has the array, and once until the
# device has finished:

# %%
start = perf_counter()
answer = (cp.sin(x_gpu) ** 2 + cp.cos(x_gpu) ** 2 == 1).all()
ordered = perf_counter() - start
cp.cuda.Device().synchronize()  # wait until the queue is empty
finished = perf_counter() - start

plot.times({"ordered": ordered, "finished": finished}, title="Until Python goes on, until the work is done")

# %% [markdown]
# That is all there is to your record of a minute ago. (Without a GPU, Hundredfold keeps the same queue in front of your processor, for this
# very reason: the trap has to work for you too.)
#
# ### The published number, once more
#
# Now you can read the post like a detective. It printed `746 µs ± 1.26 ms per loop (mean ± std. dev. of 7 runs, 1 loop each)`.
#
# - **The spread is larger than the mean.** Times are not negative, so these seven cannot scatter evenly around 746 µs. Suppose six runs
#   took the same short time $a$ and one took a long time $b$:

# %%
mean, std, runs = 0.746, 1.26, 7  # in ms, as printed
gap = std * runs / (runs - 1) ** 0.5  # b - a, from the formula of the standard deviation
short = mean - gap / runs
print(f"six runs of {short:.3f} ms and one of {short + gap:.2f} ms")
print(f"a short run orders seven kernels: {1e3 * short / 7:.0f} µs for each")

# %% [markdown]
# Some 30 µs is what it took to order one kernel in those days (in May 2018 somebody measured 25 µs for CuPy). The short runs are pure
# ordering.
#
# - **"1 loop each".** `%timeit` repeats a fast statement until one batch takes at least 0.2 s; a line of 0.746 ms would have got a
#   thousand loops. It got one, so the very first call took more than 0.2 s: it compiled the kernels.
# - **Nothing waited.** `.all()` of a CuPy array is again a CuPy array, of zero dimensions, on the device. Nobody read it. `bool(…)` or
#   `.item()` would have waited for the answer.
#
# Nobody cheated. `%timeit` simply does not know about the queue, and the author found it out himself: the post was corrected later. With
# `bool(…)` around the line, which waits for the answer, it now says 446 ms → 86.3 ms, "about 5x". That is 8 times *above* the limit of the
# seven kernels, on the right side of it. From now on you know what to look for.

# %% [markdown]
# ## The question was a trap as well
#
# `.all()` may stop at the first `False`, and the identity does not hold in floating-point numbers: a good part of the elements misses 1 by
# a rounding error. Whoever is clever enough to stop early can answer after a handful of numbers. Ask for a **count** instead: it has to look
# at everything.

# %%
def share_of_ones(xp, x):
    """The share of elements for which sin² + cos² is exactly 1; xp is numpy or cupy."""
    return xp.count_nonzero(xp.sin(x) ** 2 + xp.cos(x) ** 2 == 1) / x.size


share = float(share_of_ones(cp, x_gpu[:1_000]))
print(f"exactly 1 for {share:.0%} of the elements")
assert 0.5 < share < 0.9

# %% [markdown]
# How large the share is depends on the last bit of your `sin` and `cos`, which differs between maths libraries and between a CPU and a GPU.
# So never check a GPU against a CPU with `==`; check with a tolerance.

# %%
np.testing.assert_allclose(cp.asnumpy(cp.sin(x_gpu[0])), np.sin(x[0]), rtol=1e-14)

# %% [markdown]
# ## Measuring it right
#
# What a fair measurement has to do: wait for the device before the clock starts and before it stops; keep the first call apart; repeat, and
# report the median with its spread; and stand beside a limit. `measure` does that, for NumPy and CuPy alike. Give it a *function*, here
# a `lambda`, so that it can call it as often as it likes.
#
# **Predict.** The same ratio as before, measured right?

# %%
my_second_guess = 10

# %% [markdown]
# **Measure.**

# %%
moves = 98 * x.size  # bytes, as counted above
with_numpy = measure(lambda: share_of_ones(np, x), name="NumPy", bytes=moves, repeat=3)
with_numpy

# %%
with_cupy = measure(lambda: share_of_ones(cp, x_gpu), name="CuPy", bytes=moves, repeat=3)
with_cupy

# %%
print(f"speedup {with_numpy.median / with_cupy.median:.1f}×, and you guessed {my_second_guess}×")

# %% [markdown]
# On a GPU this is an honest speedup. Without one it must be close to 1×, because the same processor did the same work: that is what
# "simulated" means here, and it is the best proof that the thousands were never there.
#
# Is NumPy the best your processor can do? It uses one core, and it sends 98 bytes through the memory for each number, exactly like the
# seven kernels above. Numba compiles the loop, uses all cores, and reads each number once (unit 04 shows how):

# %%
import numba


@numba.njit(parallel=True)
def count_ones(x):
    count = 0
    for i in numba.prange(x.size):
        s, c = np.sin(x[i]), np.cos(x[i])
        if s * s + c * c == 1:
            count += 1
    return count


flat = x.ravel()
with_numba = measure(lambda: count_ones(flat), name="Numba", bytes=8 * x.size, repeat=3)
with_numba

# %% [markdown]
# **Explain.** Now all of it in one picture, as every unit of this course will show it: what was *published*, what you measured *here*, what
# was *recorded* on a real GPU, and the *limit*, which is the time your machine needs to read `x` once. And three ratios, in the order of
# their honesty.

# %%
compare(
    "arrays.sincos",
    {"CuPy": with_cupy, "NumPy": with_numpy, "Numba, all cores": with_numba},
    naive=with_numpy,
    strongest=with_numba,
    limit=limit(bytes=x.nbytes),
)

# %% [markdown]
# The limit is far away from everything. That is good news: seven kernels read and write what one kernel could have read once, and unit 02
# closes most of that gap.

# %% [markdown]
# ## Where the GPU loses
#
# **The bus.** So far the data lay on the device already. It seldom begins there. The V100 of 2018 hung on a bus of 12 GB/s:

# %%
bus = 800e6 / 12e9
print(f"sending x: at least {1e3 * bus:.0f} ms; the kernels: at least {1e3 * seven.seconds:.0f} ms")
print(f"the trip costs as much as running the expression {bus / seven.seconds:.0f} times")

# %% [markdown]
# If you send an array, ask one thing of it, and fetch it back, the bus decides, and the host could often have answered before the array
# arrived. A GPU pays when data stays there. Your own machine's trip (without a GPU it is just a copy in memory, and no bus at all):

# %%
trip = measure(lambda: cp.asarray(x), name="cp.asarray", bytes=x.nbytes, repeat=3)
trip

# %% [markdown]
# **Small arrays.** Ordering a kernel takes some microseconds, however little it has to do. For a thousand numbers that is all the time there
# is. Let us look at sizes from a hundred to a million: NumPy and CuPy measured here, and beside them the least time a V100 could take, with
# 10 µs to launch each of the seven kernels.

# %%
sizes = np.array([10**2, 10**3, 10**4, 10**5, 10**6])
numpy_times, cupy_times, v100_least = [], [], []
for size in sizes:
    small = x.ravel()[:size]
    small_gpu = x_gpu.ravel()[:size]
    numpy_times.append(measure(lambda: share_of_ones(np, small), min_time=0.02).median)
    cupy_times.append(measure(lambda: share_of_ones(cp, small_gpu), min_time=0.02).median)
    v100_least.append(7 * 10e-6 + limit(bytes=98 * size, machine="V100").seconds)

plot.lines(
    sizes,
    {"NumPy, here": numpy_times, "CuPy, here": cupy_times, "V100, at best": v100_least},
    xlabel="elements",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="Small arrays: the cost of asking",
)

# %% [markdown]
# On the left the curves of the device are flat: that is the cost of asking, and it does not shrink with the array. Left of the point where
# *V100, at best* crosses *NumPy, here*, no GPU of that kind can help you, whatever the code looks like.

# %% [markdown]
# ## Key points
#
# - A CuPy call **orders** work and returns. Whoever stops the clock without synchronising has timed the order.
# - Before you believe a time, work out the **limit**: the bytes that must move, divided by the bandwidth. Faster than the limit means: not
#   synchronised, cached, or not done.
# - The first call compiles. Report it apart; report a **median** and its spread; if the spread is larger than the mean, ask why.
# - Three ratios, never one: to the limit, to the strongest CPU way, to the naive one.
# - A GPU loses on small arrays and on data that crosses the bus for one question.
#
# ## The exercise
#
# Six problems, 25 minutes: [exercises/01_arrays.ipynb](../exercises/01_arrays.ipynb). You will port a function, repair a broken stopwatch,
# take the published number apart with your own hands, and say no to a GPU where no is the answer.
#
# ## Further reading
#
# - M. Rocklin, *First Impressions of GPUs and PyData* (17 December 2018): the post with the 402 ms and the 746 µs, as it was first read and
#   quoted, and today with its correction.
# - P. Entschev, *Single-GPU CuPy Speedups* (Dask blog, 27 June 2019): the suite that waited for the GPU, source of the 13.06 ms.
# - CuPy's documentation, *Performance Best Practices*: benchmarking with `cupyx.profiler.benchmark`, which `measure` uses on a GPU.
# - S. Williams, A. Waterman, D. Patterson, *Roofline: An Insightful Visual Performance Model for Multicore Architectures*, Communications
#   of the ACM 52 (4), 2009: where reasoning from limits comes from.
