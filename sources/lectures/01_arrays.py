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
# same; the times are your processor's, and they say so. All of it runs in half a minute and 2 GB of memory. For that, the arrays are
# smaller than the published ones, and the notebook says so.

# %% [markdown]
# The first line of every notebook of this course looks at your machine. Where a GPU works, it changes nothing at all. Run it again after
# every restart of the kernel. (If it says `No module named 'hundredfold'`, the notebook runs in another Python: choose the kernel
# *Python 3 (ipykernel)* of the lab that `make lab` opened.)

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
# Nearly everything you know works: slices, broadcasting, reductions, `dtype`s; even `np.sin(a)` runs on the device, and returns a CuPy array.

# %%
print("every other column ", a[1:, ::2].tolist())
print("broadcasting       ", (a - a[0]).tolist())
print("sorted, descending ", cp.sort(a, axis=1)[0, ::-1].tolist())
print("where a is even    ", cp.where(a % 2 == 0, a, -1)[1].tolist())
print("np.sin(a) is of    ", type(np.sin(a)))

# %% [markdown]
# Two functions carry arrays across: `cp.asarray` sends one to the device, `cp.asnumpy` fetches one back.

# %%
b = cp.asarray(np.eye(3))  # host to device
c = cp.asnumpy(b @ a)  # device to host

for name, array in {"a": a, "b": b, "b @ a": b @ a, "c": c}.items():
    kind = f"{type(array).__module__}.{type(array).__name__}"
    print(f"{name:5}  {kind:13}  {array.dtype}  shape {array.shape}, {array.nbytes} bytes")

# %% [markdown]
# CuPy never carries an array across behind your back, because that is the slowest thing a GPU program can do. It would rather refuse. (What
# it does fetch unasked is what you look at: printing an array, `float(…)` and `bool(…)` of a single number.)

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
# 10 000 × 10 000 numbers. We use 4 000 × 4 000, or fewer if your machine has no room for them and for the temporary arrays on the way.
# (With 8 GB to spare and two minutes, set `n = 10_000`.)

# %%
free, total = cp.cuda.runtime.memGetInfo()  # bytes of device memory
n = max(1_000, min(4_000, int((free / (5 * 8)) ** 0.5) // 1_000 * 1_000))
x = np.random.default_rng(seed=1).random((n, n))
x_gpu = cp.asarray(x)
print(f"{x.nbytes / 1e6:.0f} MB on the host, and the same again on the device")

# %% [markdown]
# **Predict.** How many times faster will CuPy be than NumPy, here, on your machine? Write your number down before you run on; it is
# more fun to be wrong with a number than without.

# %%
my_guess = 10

# %% [markdown]
# **Measure.** With a stopwatch, as anybody would. Each line runs once beforehand: the first call has more to do, on a GPU it compiles.

# %%
(np.sin(x) ** 2 + np.cos(x) ** 2 == 1).all()  # once to warm up
start = perf_counter()
(np.sin(x) ** 2 + np.cos(x) ** 2 == 1).all()
numpy_seconds = perf_counter() - start

(cp.sin(x_gpu) ** 2 + cp.cos(x_gpu) ** 2 == 1).all()  # once to warm up
cp.cuda.Device().synchronize()
start = perf_counter()
(cp.sin(x_gpu) ** 2 + cp.cos(x_gpu) ** 2 == 1).all()
cupy_seconds = perf_counter() - start

print(f"NumPy {1e3 * numpy_seconds:.0f} ms, CuPy {1e3 * cupy_seconds:.3f} ms")
print(f"speedup {numpy_seconds / cupy_seconds:.0f}×, and you guessed {my_guess}×")

# %% [markdown]
# Two changed letters, and hundreds or thousands of times faster. If you are reading this on a laptop **without** a GPU, read the last line
# again: nothing in your machine became faster, and still the stopwatch says so.
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
# Half a year later another benchmark ran the first five of these kernels on the same kind of GPU, at the same size, and waited for them to
# finish: 13.06 ms. That is a plausible number, on the right side of what their 8.8 GB allow. Here they are together:

# %%
plot.times(
    {
        "published: NumPy": 402e-3,
        "published: CuPy on a V100": 0.746e-3,
        "limit: read x once": once.seconds,
        "limit: all seven kernels": seven.seconds,
        "2019 suite: the first five, waited for": 13.06e-3,
    },
    title="0.746 ms is on the wrong side of the limit",
)

# %% [markdown]
# **Explain.** If a time is beyond the limit of the hardware, and the limit is right, one of three things happened: the clock stopped too
# early, the data came from somewhere nearer than you think, or the work was not done. Which was it?
#
# ## What the stopwatch saw
#
# A GPU works by itself. When Python calls `cp.sin`, CuPy does not compute anything: it puts the kernel into the GPU's queue and returns.
# Your stopwatch timed how long it takes to *order* the work. Time the same line twice, once until Python has the array, and once until the
# device has finished. (And wait before the clock starts, too: the work of the last cell may still be in the queue, and it is not this line's.)

# %%
cp.cuda.Device().synchronize()  # wait until the queue is empty
start = perf_counter()
answer = (cp.sin(x_gpu) ** 2 + cp.cos(x_gpu) ** 2 == 1).all()
ordered = perf_counter() - start
cp.cuda.Device().synchronize()
finished = perf_counter() - start

print(f"Python went on after {1e3 * ordered:.3f} ms; the work was done after {1e3 * finished:.0f} ms")
plot.times({"ordered": ordered, "finished": finished}, title="Until Python goes on, until the work is done")

# %% [markdown]
# That is all there is to your record of a minute ago. (Without a GPU, Hundredfold keeps the same queue in front of your processor, for this
# very reason: the trap has to work for you too.)
#
# ### The published number, once more
#
# Now you can read the post like a detective. It printed `746 µs ± 1.26 ms per loop (mean ± std. dev. of 7 runs, 1 loop each)`.
#
# - **The spread is larger than the mean.** Times are not negative, so these seven cannot scatter evenly around 746 µs. The simplest fit: six
#   runs took the same short time $a$ and one a long time $b$. Their mean is $a + (b - a)/7$, their standard deviation
#   $(b - a)\sqrt{6}/7$. Solve for both:

# %%
mean, std = 0.746, 1.26  # in ms, as printed
gap = std * 7 / 6**0.5  # b - a
short = mean - gap / 7
print(f"six runs of {short:.3f} ms and one of {short + gap:.2f} ms")
print(f"a short run orders seven kernels: {1e3 * short / 7:.0f} µs for each")

# %% [markdown]
# Some 30 µs for each kernel is about what Python took to order one in those days: in May 2018 somebody measured 25 µs for CuPy. In this fit
# the short runs are pure ordering.
#
# - **"1 loop each".** `%timeit` repeats a fast statement until one batch takes at least 0.2 s; a line of 0.746 ms would have got a
#   thousand loops. It got one, so the very first call took more than 0.2 s: it compiled the kernels.
# - **Nothing waited.** `.all()` of a CuPy array is again a CuPy array, of zero dimensions, on the device. Nobody read it. `bool(…)` or
#   `.item()` would have waited for the answer.
#
# Nobody cheated. `%timeit` simply does not know about the queue, and the author corrected the post the very next day: with `bool(…)` around
# the line, which waits for the answer, it says 446 ms → 86.3 ms, "about 5x". It is the 500 that people remember. That is on the right side of the limit, and
# far from it. Some 13 ms are accounted for by the five kernels above. Where the rest went nobody has written down; one suspect is `.all()`,
# because CuPy's reductions were slow then: the same suite of 2019 took 82.4 ms to *sum* as many numbers.

# %% [markdown]
# ## The question was a trap as well
#
# The identity does not hold in floating-point numbers: a good part of the elements misses 1 by a rounding error. And `.all()` may stop at the
# first `False`, so that whoever is clever can answer after a handful of numbers:

# %%
flags = np.ones(50_000_000, dtype=bool)
everything = measure(flags.all, name="all True", repeat=5)
flags[3] = False
early = measure(flags.all, name="one False, early on", repeat=5)
print(everything, early, sep="\n")

# %% [markdown]
# (NumPy does stop early. In the famous line all the other steps are over by then, so it saves little there; a compiler that fuses the steps
# into one loop would save nearly everything.) Ask for
# a **count** instead: it has to look at everything.


# %%
def share_of_ones(xp, x):
    """The share of elements for which sin² + cos² is exactly 1; xp is numpy or cupy."""
    return xp.count_nonzero(xp.sin(x) ** 2 + xp.cos(x) ** 2 == 1) / x.size


share = float(share_of_ones(cp, x_gpu[:1_000]))
print(f"exactly 1 for {share:.0%} of the elements")
assert 0.5 < share < 0.9

# %% [markdown]
# How large the share is depends on the last bit of your `sin` and `cos`, which differs between maths libraries, and between a CPU and a GPU.
# (Without a GPU both are computed by the same library here, and agree.) So check a GPU against a CPU with a tolerance, never with `==`.

# %%
np.testing.assert_allclose(cp.asnumpy(cp.sin(x_gpu[0])), np.sin(x[0]), rtol=1e-14)

# %% [markdown]
# ## Measuring it right
#
# What a fair measurement has to do: wait for the device before the clock starts and before it stops; keep the first call apart; repeat, and
# report the median with its spread; and stand beside a limit. `measure` does that, for NumPy and CuPy alike. Give it a *function*, here
# a `lambda`, so that it can call it as often as it likes, and the bytes that have to move: 98 for each number, as counted above. What it
# prints: the median ± the interquartile range, the first call, the rate, and its share of what your machine's memory can do.
#
# **Predict.** The same ratio as before, measured right?

# %%
my_second_guess = 2

# %% [markdown]
# **Measure.**

# %%
moves = 98 * x.size  # bytes
with_numpy = measure(lambda: share_of_ones(np, x), name="NumPy", bytes=moves, repeat=5)
with_numpy

# %% [markdown]
# (Do the samples differ much? NumPy takes fresh memory from the operating system for each large temporary array and gives it back at once; a
# virtual machine can be slow to hand it out, and the one on which this page was built is. The median is not impressed. CuPy keeps freed
# memory in a pool, of which more in unit 02.)

# %%
with_cupy = measure(lambda: share_of_ones(cp, x_gpu), name="CuPy", bytes=moves, repeat=3)
with_cupy

# %%
print(f"speedup {with_numpy.median / with_cupy.median:.1f}×, and you guessed {my_second_guess}×")

# %% [markdown]
# On a GPU this is an honest speedup. Without one it is somewhere near 1×, because the same processor did the same work: that is what
# "simulated" means here, and it is the best proof that the record was never there.
#
# Is NumPy the best your processor can do? It uses one core, and it sends some 98 bytes through the memory for each number, like the seven
# kernels above. Numba compiles the loop, uses all cores, and reads each number once (unit 04 shows how). Its first call shows what compiling
# costs:

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
# **Explain.** Now all of it in one picture, as every unit of this course will show it: what was *published* (hollow where it cannot be, or is
# doubtful), what you measured *here*, what was *recorded* on a real GPU as soon as there is a recording, and the *limit*: from here on the
# time to read `x` **once**, since nobody can do with less. Below it stand three ratios: to the limit, to the strongest CPU way, to the naive
# one. The last is the one that gets published.

# %%
compare(
    "arrays.sincos",
    {"CuPy": with_cupy, "NumPy": with_numpy, "Numba, all cores": with_numba},
    naive=with_numpy,
    strongest=with_numba,
    limit=limit(bytes=x.nbytes),
    n=x.size,
)

# %% [markdown]
# Why is even Numba so far from the limit, though it reads each number once? Because moving bytes is not all there is to do. A sine and a
# cosine take some tens of operations, and a processor can do only so many a second. `limit` takes both, and says which one binds. With 50
# operations for each number (an estimate: there are many ways to compute a sine):

# %%
both = limit(bytes=x.nbytes, flops=50 * x.size)
print(f"bytes and operations: at least {1e3 * both.seconds:.0f} ms here; what binds is the {both.binds}")
print(f"on a V100: at least {1e3 * limit(bytes=x.nbytes, flops=50 * x.size, machine='V100').seconds:.2f} ms")

# %% [markdown]
# A machine needs the longer of the two times. Most array code is bound by its bytes, as the seven kernels are; a product of two matrices of
# $n \times n$, with its $2n^3$ operations, is bound by arithmetic. Unit 02 makes one kernel of the seven and closes most of the gap.

# %% [markdown]
# ## Where the GPU loses
#
# **The bus.** So far the data lay on the device already. It seldom begins there. The V100 of 2018 hung on a bus of 12 GB/s:

# %%
bus = 800e6 / 12e9
print(f"sending the post's x: at least {1e3 * bus:.0f} ms; its kernels: at least {1e3 * seven.seconds:.0f} ms")
print(f"the trip costs as much as running the expression {bus / seven.seconds:.0f} times")

# %% [markdown]
# If you send an array, ask one thing of it, and fetch it back, the bus decides, and the host could often have answered before the array
# arrived. A GPU pays when data stays there. Your own machine's trip (without a GPU it is just a copy in memory, and no bus at all):

# %%
trip = measure(lambda: cp.asarray(x), name="cp.asarray", bytes=x.nbytes, repeat=3)
trip

# %% [markdown]
# **Small arrays.** A kernel takes some microseconds to launch, however little it has to do. For a thousand numbers that is all the time there
# is. Let us look at sizes from a hundred to a million: NumPy and CuPy measured here, and beside them the least that a V100 could need, with
# 10 µs for each launch: for the seven kernels, and for one kernel that reads each number once.

# %%
sizes = np.array([10**2, 10**3, 10**4, 10**5, 10**6])
numpy_times, cupy_times, v100_seven, v100_one = [], [], [], []
for size in sizes:
    small = x.ravel()[:size]
    small_gpu = x_gpu.ravel()[:size]
    numpy_times.append(measure(share_of_ones, np, small, min_time=0.02).median)
    cupy_times.append(measure(share_of_ones, cp, small_gpu, min_time=0.02).median)
    v100_seven.append(7 * 10e-6 + limit(bytes=98 * size, machine="V100").seconds)
    v100_one.append(10e-6 + limit(bytes=8 * size, machine="V100").seconds)

plot.lines(
    sizes,
    {
        "NumPy, here": numpy_times,
        "CuPy, here": cupy_times,
        "V100, seven kernels": v100_seven,
        "V100, one kernel": v100_one,
    },
    xlabel="elements",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="Small arrays: the cost of asking",
)

# %% [markdown]
# On the left the V100's curves are flat: that is the cost of asking, and it does not shrink with the array. Left of the point where *V100,
# seven kernels* crosses *NumPy, here*, this code cannot win on that GPU; left of the second crossing no code can. (Without a GPU, *CuPy,
# here* launches nothing: on the left it shows what Python needs to order seven kernels, which is less than a real launch.)

# %% [markdown]
# ## Key points
#
# - A CuPy call **orders** work and returns. Whoever stops the clock without synchronising has timed the order.
# - Before you believe a time, work out the **limit**: the bytes that must move, divided by the bandwidth, and the operations, divided by
#   the rate of arithmetic. Faster than the limit means: not synchronised, cached, or not done.
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
# - M. Rocklin, [First Impressions of GPUs and PyData](https://matthewrocklin.com/blog/work/2018/12/17/gpu-python-challenges), 17 December
#   2018: today with its correction; the 402 ms and the 746 µs, as first read and quoted, are in the history of the repository
#   [mrocklin/blog](https://github.com/mrocklin/blog), whose commit 1052534 of 18 December 2018 corrects them.
# - P. Entschev, [Single-GPU CuPy Speedups](https://blog.dask.org/2019/06/27/single-gpu-cupy-benchmarks), Dask blog, 27 June 2019: the suite
#   that waited for the GPU, source of the 13.06 ms and the 82.4 ms (medians of float64 arrays of 10 000 × 10 000 on a V100).
# - [Numba issue 3003](https://github.com/numba/numba/issues/3003), May 2018: what a launch cost then, 25 µs in CuPy and 200 µs in Numba.
# - NVIDIA's V100 data sheet: 900 GB/s, 7.8 TFLOP/s in float64. The 12 GB/s of its bus and the 10 µs of a launch are practical figures, not
#   the data sheet's; `hundredfold limits` lists them for other GPUs, beside your own machine's.
# - CuPy's documentation, [Performance Best Practices](https://docs.cupy.dev/en/stable/user_guide/performance.html): `cupyx.profiler.benchmark`,
#   which `measure` uses on a GPU.
# - S. Williams, A. Waterman, D. Patterson, *Roofline: An Insightful Visual Performance Model for Multicore Architectures*, Communications
#   of the ACM 52 (4), 2009: where reasoning from limits comes from.
