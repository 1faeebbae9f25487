# ---
# jupyter:
#   hundredfold:
#     unit: 1
#     slug: arrays
#     title: "Arrays: from NumPy to CuPy"
#     teaching: 45
#     exercises: 25
# ---

# %% [markdown]
# # 01 · Arrays: from NumPy to CuPy
#
# *Unit 01 · arrays · 45 minutes, then 25 for the exercises*
#
# In December 2018 a widely read blog post put one line of NumPy on a GPU. It reported **402 ms → 0.746 ms**: 500 times faster, by writing `cp` in
# place of `np`. In this unit you repeat that measurement. You will probably get an even larger number. Then you find out what it means.
#
# ## What you will be able to do
#
# - **Move** NumPy code to CuPy, and data between the host and the device.
# - **Time** GPU code correctly, although its calls return before the work is done.
# - **Check** a speedup: compute the least time that the hardware needs.
# - **Decide** whether a GPU pays.
#
# You need to know NumPy. You do not need a GPU. Without one, the same cells run on your processor: you get the same answers, and each time is
# labelled as a CPU time. The notebook needs half a minute of computing and 2 GB of memory.

# %% [markdown]
# The first line of every notebook prepares your machine. Run it again whenever you restart the kernel. If it says `No module named
# 'hundredfold'`, choose the kernel *Python 3 (ipykernel)* of the lab that `make lab` opened.

# %%
# %load_ext hundredfold

# %%
from time import perf_counter

import cupy as cp
import numpy as np

from hundredfold import compare, limit, machine, measure, plot, quiz

# %% [markdown]
# ## Two memories
#
# A GPU is a second computer with its own memory. The GPU with its memory is the **[device](../docs/glossary.md#term-device)**. Your processor with
# its memory is the **host**. A **bus** connects them.
#
# ![On the left the host with Python and its memory, on the right the device with its processors and its own memory. Launches go from Python through a
# queue to the processors. cp.asarray and cp.asnumpy carry arrays over the bus, which on an H200 is about a hundred times slower than the device's
# memory.](drawings/host-device.svg)
#
# CuPy is NumPy for the device. An array made by `cp` lives in the device's memory. An array made by `np` lives in the host's.

# %%
a = cp.arange(12, dtype=np.float64).reshape(3, 4)
a * 2 + 1

# %% [markdown]
# Slices, broadcasting, reductions and `dtype`s work as in NumPy. Even `np.sin(a)` runs on the device and returns a CuPy array.

# %%
print("sum of each column ", a.sum(axis=0).tolist())
print("every other column ", a[1:, ::2].tolist())
print("broadcasting       ", (a - a[0]).tolist())
print("where a is even    ", cp.where(a % 2 == 0, a, -1)[1].tolist())
print("np.sin(a) is of    ", type(np.sin(a)))

# %% [markdown]
# Two functions carry arrays over the bus. `cp.asarray` sends one to the device. `cp.asnumpy` fetches one back.

# %%
b = cp.asarray(np.eye(3))
c = cp.asnumpy(b @ a)

# %% [markdown]
# **Question.** Which of `a`, `b` and `c` are now in the host's memory?
#
# - (a) `b` and `c`
# - (b) only `c`
# - (c) all three

# %%
my_answer = "?"
quiz("arrays.where", my_answer)

# %% [markdown]
# Now see where each array is:

# %%
for name, array in {"a": a, "b": b, "c": c}.items():
    kind = f"{type(array).__module__}.{type(array).__name__}"
    print(f"{name}  {kind:13}  {array.dtype}  shape {array.shape}, {array.nbytes} bytes")

# %% [markdown]
# CuPy never moves a whole array over the bus unless you say so. It raises an error instead. A hidden copy is often the slowest step of a
# program.

# %%
for mistake in (lambda: np.asarray(a), lambda: a + np.ones(4)):
    try:
        mistake()
    except TypeError as error:
        print("TypeError:", error)

# %% [markdown]
# There are two exceptions. Printing an array fetches it. `float(…)` and `bool(…)` fetch a single number.
#
# ## The famous line
#
# The line from the post asks: does $\sin^2 x + \cos^2 x = 1$ hold for every element of a large random array? The post used 10 000 × 10 000
# numbers. We use at most 4 000 × 4 000, so that it runs on a laptop.

# %%
free, total = cp.cuda.runtime.memGetInfo()  # bytes of device memory
n = max(1_000, min(4_000, int((free / (5 * 8)) ** 0.5) // 1_000 * 1_000))
x = np.random.default_rng(seed=1).random((n, n))
x_gpu = cp.asarray(x)
print(f"{x.nbytes / 1e6:.0f} MB on the host, and the same again on the device")

# %% [markdown]
# **Predict.** How many times faster is CuPy than NumPy on your machine? Write down a number before you run the next cells.

# %%
my_guess = "?"

# %% [markdown]
# **Measure.** We use a simple stopwatch. Each line runs once beforehand, because the first call of a GPU line compiles it.

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
# The stopwatch reports a speedup of hundreds or thousands. Without a GPU, the same processor did the same work twice, so nothing can be faster. The
# stopwatch is wrong, with a GPU or without. The next two sections show why.

# %% [markdown]
# ## Could it be true?
#
# The published 0.746 ms were measured on an NVIDIA V100. The computation must at least read the array once. By its data sheet, a V100 moves 900 GB
# per second to and from its memory. This rate is its **[bandwidth](../docs/glossary.md#term-bandwidth)**. The least possible time is the
# **[limit](../docs/glossary.md#term-limit)**: bytes divided by bandwidth.
#
# **Predict.** The array has $10^8$ numbers of 8 bytes. How many milliseconds does a V100 need to read it once?

# %%
my_milliseconds = "?"

# %%
once = limit(bytes=10_000 * 10_000 * 8, machine="V100")
print(f"reading x once on a V100: at least {1e3 * once.seconds:.3f} ms (you said {my_milliseconds} ms)")
print(f"published for the whole expression: 0.746 ms, {once.seconds / 0.746e-3:.0%} of the limit")

# %% [markdown]
# The last number is the limit divided by the time. 100 % is as fast as possible, so the published time is impossible.
#
# The real limit is even higher, because CuPy runs one **[kernel](../docs/glossary.md#term-kernel)** for each operation. A kernel is a small program
# that the GPU runs for each element, thousands at a time. It has nothing to do with the notebook's kernel. Each kernel reads its operands from memory
# and writes its result back. **[Fusing](../docs/glossary.md#term-fusing)** all steps into one kernel saves most of these bytes, as unit 02 shows.
#
# ![Bytes that move through memory for each number. Seven kernels read their operands and write their results each, 98 bytes together; one fused
# kernel reads the number once, 8 bytes, and nothing else goes to memory.](drawings/seven-kernels.svg)

# %%
reads = [8, 8, 8, 8, 16, 8, 1]  # bytes for each number: sin, ** 2, cos, ** 2, +, == 1, all
writes = [8, 8, 8, 8, 8, 1, 0]  # a bool has one byte
per_number = sum(reads) + sum(writes)

seven = limit(bytes=per_number * 10**8, machine="V100")
print(f"seven kernels move {per_number} bytes for each number: at least {1e3 * seven.seconds:.1f} ms on a V100")
print(
    f"0.746 ms would need {per_number * 1e8 / 0.746e-3 / 1e12:.1f} TB/s: {seven.seconds / 0.746e-3:.0f}× the data sheet"
)

# %% [markdown]
# Half a year later another benchmark ran the first five kernels at the same size on a V100, and waited for them. They took 13.06 ms. That time
# is possible. Each dashed line in the picture is a limit:

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
# **Question.** A time is shorter than its limit, and the limit is right. Which explanation is possible?
#
# - (a) The GPU's clock was raised above the data sheet's.
# - (b) The stopwatch stopped before the work had finished.
# - (c) CuPy's kernels were unusually well written.

# %%
my_answer = "?"
quiz("arrays.beyond", my_answer)

# %% [markdown]
# ## What the stopwatch saw
#
# A GPU works independently of Python. When Python calls `cp.sin`, CuPy puts a kernel into a queue and returns at once. This is an
# **[asynchronous launch](../docs/glossary.md#term-asynchronous-launch)**. The GPU takes the kernels out of the queue, one after the other.
#
# ![A timeline with two lanes. Python launches seven kernels within a moment and goes on; the GPU works on them long after. A clock that stops when
# Python goes on has timed the launches, one that stops after synchronize has timed the work.](drawings/two-clocks.svg)
#
# To **[synchronise](../docs/glossary.md#term-synchronise)** is to wait until the queue is empty and all work is done. The next cell reads the clock
# twice: when Python goes on, and when the device has finished.

# %%
cp.cuda.Device().synchronize()  # wait until the queue is empty
start = perf_counter()
answer = (cp.sin(x_gpu) ** 2 + cp.cos(x_gpu) ** 2 == 1).all()
launched = perf_counter() - start
cp.cuda.Device().synchronize()
finished = perf_counter() - start

print(f"Python went on after {1e3 * launched:.3f} ms; the work was done after {1e3 * finished:.0f} ms")
plot.times({"launched": launched, "finished": finished}, title="Until Python goes on, until the work is done")

# %% [markdown]
# **Explain.** The first stopwatch timed how long Python takes to *launch* seven kernels. Without a GPU, Hundredfold puts the same queue in front of
# your processor, so that you can see this trap.
#
# **Question.** Three colleagues time `y = cp.sin(x_gpu)`. Who gets the time of the work?
#
# - (a) Start the clock, compute `y`, stop the clock, synchronise.
# - (b) Synchronise, start the clock, compute `y`, stop the clock.
# - (c) Synchronise, start the clock, compute `y`, synchronise, stop the clock.

# %%
my_answer = "?"
quiz("arrays.stopwatch", my_answer)

# %% [markdown]
# The author corrected the post the next day, with `bool(…)` around the line: **446 ms → 86.3 ms**, about 5×.
#
# **Question.** Why does `bool(…)` make the time correct?
#
# - (a) Python needs the value to continue, so it waits for the device.
# - (b) `bool` runs on the host, where clocks are more accurate.
# - (c) It makes CuPy use one kernel instead of seven.

# %%
my_answer = "?"
quiz("arrays.bool", my_answer)

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: the published number, once more
#
# The post printed `746 µs ± 1.26 ms per loop (mean ± std. dev. of 7 runs, 1 loop each)`. Three details show what happened.
#
# **The spread is larger than the mean.** Assume that six runs took the same short time $a$, and one took a long time $b$. Their mean is
# $a + (b - a)/7$. Their standard deviation is $(b - a)\sqrt{6}/7$. Solve for both:

# %%
mean, std = 0.746, 1.26  # in ms, as printed
gap = std * 7 / 6**0.5  # b - a
short = mean - gap / 7
print(f"six runs of {short:.3f} ms and one of {short + gap:.2f} ms")
print(f"a short run launches seven kernels: {1e3 * short / 7:.0f} µs for each")

# %% [markdown]
# In May 2018 somebody measured 25 µs for the launch of one CuPy kernel. So the short runs were probably launches and nothing else.
#
# **"1 loop each".** `%timeit` repeats a fast statement until a batch takes 0.2 s. It chose one loop, so the first call took more than 0.2 s. That
# call compiled the kernels.
#
# **Nothing waited.** `.all()` of a CuPy array returns a CuPy array, on the device. The post did not fetch it, and `%timeit` does not synchronise.
#
# The corrected 86.3 ms are possible, and far above the limit of 10.9 ms. The five kernels above explain some 13 ms of them. A possible reason for the
# rest is `.all()`. CuPy's reductions were slow then: in the suite of 2019 a *sum* of as many numbers took 82.4 ms.

# %% [markdown]
# ## A question that needs the whole array
#
# The famous line has two more problems. Many results differ from 1 by a rounding error. And `.all()` may stop at the first `False`, so its time
# depends on the data. A **count** must look at every element:


# %%
def share_of_ones(xp, x):
    """The share of elements for which sin² + cos² is exactly 1; xp is numpy or cupy."""
    return xp.count_nonzero(xp.sin(x) ** 2 + xp.cos(x) ** 2 == 1) / x.size


share = float(share_of_ones(cp, x_gpu[:1_000]))
print(f"exactly 1 for {share:.0%} of the elements")
assert 0.5 < share < 0.9

# %% [markdown]
# The share depends on the last bit of `sin` and `cos`, and that bit differs between the libraries of CPUs and GPUs. So compare a GPU's answer with
# NumPy's within a tolerance, never with `==`. The next cell raises an error if they differ by more than $10^{-14}$:

# %%
np.testing.assert_allclose(cp.asnumpy(cp.sin(x_gpu[0])), np.sin(x[0]), rtol=1e-14)

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: how early `.all()` stops
#
# NumPy stops at the first `False`. Here are fifty million flags, all of them `True` and then with one `False` near the beginning:

# %%
flags = np.ones(50_000_000, dtype=bool)
everything = measure(flags.all, name="all True", repeat=5)
flags[3] = False
early = measure(flags.all, name="one False, early on", repeat=5)
print(everything, early, sep="\n")

# %% [markdown]
# In the famous line all other steps are done before `.all()` begins, so little is saved there.

# %% [markdown]
# ## Measuring correctly
#
# A fair measurement does five things:
#
# 1. It waits for the device before it starts the clock, and before it stops it.
# 2. It reports the first call separately.
# 3. It repeats, and reports the median.
# 4. It shows the spread.
# 5. It compares with the limit.
#
# `measure` does all five, for NumPy and CuPy. Give it a function and the bytes that it moves. It prints the median ± the spread (the range of the
# middle half), the first call, the bytes per second, and the share of the limit.
#
# **Predict.** What is the speedup of CuPy on your machine, measured correctly?

# %%
my_second_guess = "?"

# %% [markdown]
# **Measure.**

# %%
moves = 98 * x.size  # bytes
with_numpy = measure(lambda: share_of_ones(np, x), name="NumPy", bytes=moves, repeat=5)
with_numpy

# %%
with_cupy = measure(lambda: share_of_ones(cp, x_gpu), name="CuPy", bytes=moves, repeat=3)
with_cupy

# %%
print(f"speedup {with_numpy.median / with_cupy.median:.1f}×, and you guessed {my_second_guess}×")

# %% [markdown]
# **Explain.** On a GPU this is an honest speedup. Without a GPU it is near 1×, because the same processor did the same work.
#
# A speedup also depends on what you compare with. NumPy uses one core here, and moves 98 bytes for each number. A Python loop compiled by **Numba**
# uses all cores and reads each number once. Unit 04 explains it.

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
# The next picture has the same form in every unit: *published* times, times measured *here*, times *recorded* on a real GPU where we have them, and the
# *limit*. A hollow mark is a time that is impossible or doubtful: the published NumPy times are very short for one core.
#
# The lines below the picture compare speeds with the limit, with the strongest program on the CPU, and with the naive one. Most publications give
# only the last ratio. The limit here counts 8 bytes for each number in place of 98, so the shares are smaller than above.

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
# ## Two limits: bytes and operations
#
# Operations per second are limited, too. We estimate 50 floating-point operations (`flops`) for a sine and a cosine together. A program is **bound by** its
# bytes or by its arithmetic, whichever takes longer:

# %%
for name in ("V100", "H200"):
    both = limit(bytes=x.nbytes, flops=50 * x.size, machine=name)
    print(f"{name}: at least {1e6 * both.seconds:.0f} µs, bound by the {both.binds}")
here = limit(bytes=x.nbytes, flops=50 * x.size)
print(f"your processor: at least {1e3 * here.seconds:.1f} ms")

# %% [markdown]
# Most array code is bound by its bytes. A product of two $n \times n$ matrices does $2n^3$ operations on $3n^2$ numbers.
#
# **Question.** Which of these is bound by arithmetic on every GPU?
#
# - (a) `x + y`
# - (b) `x.sum()`
# - (c) `x @ y`, for large matrices

# %%
my_answer = "?"
quiz("arrays.binds", my_answer)

# %% [markdown]
# ## On a modern GPU
#
# How long would an H200 need for the famous line? Others have timed two simple kernels on it correctly. *Read* only reads $2^{27}$ numbers. *Scale*
# reads and scales them, and writes the results. We assume that the fused kernel reaches the rate of *read*, and the seven kernels that of *scale*:

# %%
published = {"V100": (1.240e-3, 2.678e-3), "H200": (0.390e-3, 0.679e-3)}  # s to read, s to scale: gpu-benches
size = 2**27 * 8  # bytes

seven_kernels = {name: per_number * 1e8 / (2 * size / scale) for name, (read, scale) in published.items()}
one_kernel = {name: 8 * 1e8 / (size / read) for name, (read, scale) in published.items()}
for name in published:
    print(f"{name}: seven kernels {1e3 * seven_kernels[name]:.1f} ms, one fused kernel {1e3 * one_kernel[name]:.2f} ms")

# %%
numpy_here, numba_here = (each.median * 1e8 / x.size for each in (with_numpy, with_numba))  # for 10⁸ numbers
print(f"H200, seven kernels: {numpy_here / seven_kernels['H200']:.0f}× NumPy here")
print(f"                     {numba_here / seven_kernels['H200']:.0f}× Numba on all cores here")
plot.times(
    {
        "here: NumPy": numpy_here,
        "here: Numba, all cores": numba_here,
        "published: rates of a V100, seven kernels": seven_kernels["V100"],
        "published: rates of an H200, seven kernels": seven_kernels["H200"],
        "published: rates of an H200, one kernel": one_kernel["H200"],
    },
    title="The famous line over 10⁸ numbers",
    note="V100 and H200: estimated from published, synchronised times of simple kernels (gpu-benches). Here: scaled from fewer numbers.",
)

# %% [markdown]
# A real GPU can be hundreds of times faster than NumPy on one core. Against a compiled loop on all your cores the ratio is smaller. Both ratios are
# true. Say which one you mean.

# %% [markdown]
# ## Where the GPU loses
#
# ### On the bus
#
# Usually the data starts on the host. Then the bus is the slowest part, as the limits show:
#
# ![Bars of the least times for 100 million numbers. On a V100 the bus takes 67 ms, the seven kernels 11 ms and one fused kernel 890 µs; on an H200
# the bus takes 16 ms, the seven kernels 2 ms and one fused kernel 170 µs. The bus has the longest bar on both.](drawings/bus-trip.svg)
#
# A GPU pays when the data stays there for many steps. Here is the transfer on your machine. Without a GPU it is a copy in memory, with no bus.

# %%
trip = measure(lambda: cp.asarray(x), name="cp.asarray", bytes=x.nbytes, repeat=3)
print(trip)
print(f"over the bus of an H200: about {1e3 * x.nbytes / machine.gpus.find('H200').link:.1f} ms")

# %% [markdown]
# ### On small arrays
#
# Each launch takes some microseconds, however little the kernel has to do:
#
# ![Two timelines of seven kernels on a V100. With a thousand numbers nearly all the time goes into launches and the work can hardly be seen; with a
# hundred million numbers the work fills the line and the launches vanish.](drawings/launch-cost.svg)
#
# We measure sizes from a hundred to a million, beside the least times of two GPUs: seven launches plus the limit of the bytes.

# %%
sizes = np.array([10**2, 10**3, 10**4, 10**5, 10**6])
numpy_times, cupy_times, gpu_times = [], [], {"V100": [], "H200": []}
for size in sizes:
    small, small_gpu = x.ravel()[:size], x_gpu.ravel()[:size]
    numpy_times.append(measure(share_of_ones, np, small, min_time=0.02).median)
    cupy_times.append(measure(share_of_ones, cp, small_gpu, min_time=0.02).median)
    for name, least in gpu_times.items():
        gpu = machine.gpus.find(name)
        least.append(7 * gpu.launch + per_number * size / gpu.bandwidth)

plot.lines(
    sizes,
    {
        "NumPy, here": numpy_times,
        "CuPy, here": cupy_times,
        "V100, at least": gpu_times["V100"],
        "H200, at least": gpu_times["H200"],
    },
    xlabel="elements",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="Small arrays: the cost of a launch",
)

# %% [markdown]
# The curves of the GPUs are flat on the left: launches do not shrink with the array. The
# **[crossover](../docs/glossary.md#term-crossover)** is the size at which a GPU's curve meets *NumPy, here*. Below it NumPy wins. Without a GPU,
# *CuPy, here* is flat on the left, too: Python needs that time for seven launches.
#
# **Question.** Which job is worth a GPU?
#
# - (a) The mean of 800 MB that are on the host, once.
# - (b) A hundred steps of a simulation on 800 MB that stay on the device.
# - (c) The sines of a thousand numbers, a thousand times, each time from the host.

# %%
my_answer = "?"
quiz("arrays.worth", my_answer)

# %% [markdown]
# ## Key points
#
# - A CuPy call **launches** work and returns. Synchronise before you stop the clock.
# - Compute the **limit** before you believe a time: bytes divided by bandwidth, operations divided by the rate of arithmetic.
# - A time below the limit: nobody synchronised, the data came from a cache, or the work was not done.
# - Report the first call separately, then a **median** with its spread.
# - Give three ratios: to the limit, to the strongest program on the CPU, to the naive one.
# - A GPU loses on small arrays, and on data that crosses the bus for a single step.
#
# ## The exercise
#
# Six problems, 25 minutes: [exercises/01_arrays.ipynb](../exercises/01_arrays.ipynb). You port a function, repair a stopwatch, test the published
# number yourself, and decide where a GPU does not pay.
#
# ## Further reading
#
# - M. Rocklin, [First Impressions of GPUs and PyData](https://matthewrocklin.com/blog/work/2018/12/17/gpu-python-challenges), 17 December
#   2018: today with its correction. The 402 ms and 746 µs are in the history of the repository
#   [mrocklin/blog](https://github.com/mrocklin/blog), before its commit 1052534 of 18 December 2018.
# - P. Entschev, [Single-GPU CuPy Speedups](https://blog.dask.org/2019/06/27/single-gpu-cupy-benchmarks), Dask blog, 27 June 2019: the suite
#   that waited for the GPU, source of the 13.06 ms and the 82.4 ms (medians of float64 arrays of 10 000 × 10 000 on a V100).
# - [gpu-benches](https://github.com/te42kyfo/gpu-benches), folder `gpu-stream`, files `v100.txt` (a PCIe card of 16 GB) and `h200.txt` at commit 1c36d509ee: the rows
#   *read* and *scale* with blocks of 1024 threads, medians of synchronised runs.
# - [Numba issue 3003](https://github.com/numba/numba/issues/3003), May 2018: what a launch cost then, 25 µs in CuPy and 200 µs in Numba.
# - NVIDIA's V100 data sheet: 900 GB/s, 7.8 TFLOP/s in float64. The 12 GB/s of its bus and the 10 µs of a launch are practical figures.
#   `hundredfold limits` lists them for other GPUs, beside your own machine's.
# - CuPy's documentation, [Performance Best Practices](https://docs.cupy.dev/en/stable/user_guide/performance.html): `cupyx.profiler.benchmark`,
#   which `measure` uses on a GPU.
# - S. Williams, A. Waterman, D. Patterson, *Roofline: An Insightful Visual Performance Model for Multicore Architectures*, Communications
#   of the ACM 52 (4), 2009: where reasoning from limits comes from.
