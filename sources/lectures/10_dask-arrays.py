# ---
# jupyter:
#   hundredfold:
#     unit: 10
#     slug: dask-arrays
#     title: "Dask arrays: larger than memory"
#     teaching: 50
#     exercises: 30
#     dashboard: true
# ---

# %% [markdown]
# # 10 · Dask arrays: larger than memory
#
# *Unit 10 · dask-arrays · 50 minutes, then 30 for the exercises*
#
# In January 2019 a post on the Dask blog drew 250 000 000 000 random numbers, added one to each, took every second row and column, and
# summed what was left. That is 2 TB of data, more than any memory it ran on. One expression, four machines:
#
# | what it ran on | took |
# |---|---|
# | NumPy, 1 core | 2 h 39 min |
# | NumPy, 40 cores | 11 min 30 s |
# | CuPy, 1 GPU | 1 min 37 s |
# | CuPy, 8 GPUs | 19 s |
#
# Between the lines of this table only two things changed: which library makes the pieces, and who hands out the work. You will do the same here,
# and work out what the 19 seconds were spent on, as far as it can be known. It was not arithmetic.
#
# ## What you will be able to do
#
# - **Cut** an array larger than memory into chunks, and read the graph of what is to be done with them.
# - **Choose** a scheduler, knowing what it costs for each task, and a size of chunk to go with it.
# - **Move** the work from NumPy to CuPy in one line, and from one GPU to all of them in another.
# - **Extrapolate** honestly: compute the part that fits your time, and say how wrong the whole may be.
# - **Avoid** the traps: work done twice, times of work not done, chunks that do not fit.
#
# You need to know NumPy, and units 01 and 02 for `measure`, `limit` and `compare`. Without a GPU the same cells run on your processor, with two
# simulated GPUs (the next cell but one sets that); the times are then your processor's, and they say so. In the lab Dask's own plots open beside this notebook: they begin to move
# as soon as there is a cluster.

# %%
# %load_ext hundredfold

# %%
import logging
import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

import cupy as cp
import dask
import dask.array as da
import numpy as np
from dask.callbacks import Callback
from dask.utils import key_split
from dask_cuda import LocalCUDACluster
from distributed import Client, wait
from threadpoolctl import threadpool_limits

from hundredfold import compare, limit, machine, measure, plot

# %%
os.environ.setdefault("GPUSIM_GPUS", "2")  # how many to simulate where there is none; a real GPU takes no notice
cores = machine.cpu.cores()

# %% [markdown]
# ## Chunks
#
# Here is the post's array. It has 2 TB; your machine does not.
#
# **Predict.** How many seconds does this cell take?

# %%
my_seconds = 60

# %%
start = perf_counter()
rs = da.random.RandomState(seed=10)
x = rs.normal(10, 1, size=(500_000, 500_000), chunks=(10_000, 10_000))
took = perf_counter() - start
print(f"{x.nbytes / 1e12:.0f} TB in {1e3 * took:.0f} ms; you said {my_seconds} s")
x

# %% [markdown]
# **Explain.** Nothing was drawn. A *Dask array* is a plan: a grid of **chunks**, each of which will be an ordinary NumPy array when its time comes, and a recipe for each.

# %%
print("chunks along each axis: ", x.numblocks, "and all together", x.npartitions)
print("one chunk:              ", x.chunksize, x.dtype)
print(f"one chunk in memory:     {np.prod(x.chunksize) * x.itemsize / 1e6:.0f} MB")

# %% [markdown]
# You go on with it as with an array of NumPy's, and each step only adds to the plan. This is the expression of the post, in full:

# %%
everything = (x + 1)[::2, ::2].sum()
everything

# %% [markdown]
# `everything.compute()` would carry it out. Wait with that until you know how long it takes.
#
# ## The graph
#
# A plan of tasks, and which of them needs the result of which, is called a **graph**. Take the same expression on four chunks:

# %%
small = da.random.RandomState(seed=10).normal(10, 1, size=(8, 8), chunks=4)
total = (small + 1)[::2, ::2].sum()

# %% [markdown]
# **Predict.** Four chunks, and four operations: `normal`, `+`, `[::2, ::2]` and `sum`. How many tasks are in the graph?

# %%
my_tasks = 16

# %%
print(f"{len(dict(total.__dask_graph__()))} tasks, and you said {my_tasks}")
plot.graph(total, title="As it was written")

# %% [markdown]
# **Explain.** Each chunk is treated by itself up to its own sum; then somebody has to add the four sums. That one task more, on the right, is where
# chunks meet, and the only one. (The pairs of numbers are a chunk's place in the grid.)
#
# Before it runs, Dask improves the graph: steps that follow each other on the same chunk become **one** task (they are *fused*), and what nobody asked for is thrown away:

# %%
plot.graph(total, optimized=True, title="As it will run")

# %% [markdown]
# Fusing is not what unit 02 meant by it: inside of such a task NumPy or CuPy still runs `normal`, `+` and the rest one after the other. What is saved is the scheduler's time, and the memory of
# results that would have waited between them.
#
# **Predict.** Another array of 20 GB, in 2 500 chunks of 8 MB. Somebody wants its lower right corner, ten by ten numbers. How many chunks are drawn for it?

# %%
my_drawn = 2_500


# %%
class Names(Callback):
    """Dask calls `_posttask` after each task: count the tasks by name."""

    def __init__(self):
        self.count = Counter()

    def _posttask(self, key, result, dsk, state, worker_id):
        self.count[key_split(key)] += 1


large = da.random.RandomState(seed=10).normal(10, 1, size=(50_000, 50_000), chunks=(1_000, 1_000))
corner = large[-10:, -10:]
with Names() as seen:
    drawn = corner.compute(scheduler="single-threaded")
print(f"{sum('normal' in name for name in seen.count)} chunk was drawn, and you said {my_drawn}")
print(drawn.shape, drawn.dtype, f"mean {drawn.mean():.0f}")

# %% [markdown]
# One, and it is the same at every run: the seed of each chunk is written down in its task.
#
# ### Keys
#
# Every task has a **key**, such as `('normal-1f3a…', 0, 1)`. Dask makes it from what the task does and with what: the same call with the same arguments has the
# same key. Within one compute, a key runs once.
#
# **Predict.** Mean and standard deviation of an array of 16 chunks. How many times is a chunk drawn: if you compute one after the other, and if you compute both at once?

# %%
my_apart, my_together = 16, 16

# %%
x = da.random.RandomState(seed=1).normal(10, 1, size=(400, 400), chunks=100)


def times_drawn(*collections, apart):
    with Names() as seen:
        if apart:
            results = [collection.compute(scheduler="single-threaded") for collection in collections]
        else:
            results = dask.compute(*collections, scheduler="single-threaded")
    return sum(count for name, count in seen.count.items() if "normal" in name), results


apart, (mean, std) = times_drawn(x.mean(), x.std(), apart=True)
together, (mean_2, std_2) = times_drawn(x.mean(), x.std(), apart=False)
assert (mean, std) == (mean_2, std_2)
print(f"apart: {apart} times, you said {my_apart}; together: {together} times, you said {my_together}")

# %% [markdown]
# **Explain.** `compute` keeps nothing. The second one draws everything again, and gets the same numbers, so that nobody notices but the clock. What belongs together is computed together:
# `dask.compute(a, b)`. And two arrays that are made in the same way, from the same seed, **are** the same array. That is rarely what a simulation wants:

# %%
one = da.random.RandomState(seed=1).normal(size=1000, chunks=100)
other = da.random.RandomState(seed=1).normal(size=1000, chunks=100)
rs = da.random.RandomState(seed=1)
first, second = rs.normal(size=1000, chunks=100), rs.normal(size=1000, chunks=100)
print(
    "two of one seed:      the same keys?",
    one.name == other.name,
    f"| correlation {da.corrcoef(one, other)[0, 1].compute():.0f}",
)
print(
    "two draws of one rs:  the same keys?",
    first.name == second.name,
    f"| correlation {abs(da.corrcoef(first, second)[0, 1].compute()):.0f}",
)

# %% [markdown]
# `x.persist()` is the third way: it computes the chunks and keeps them *all*, in the memory of the workers, and returns a Dask array whose tasks are done. It is right for what is used several times **and fits**; on 2 TB it is the end.
#
# ## Who does the work
#
# A **scheduler** goes through the graph and hands out what can be done next. Dask has four:
#
# | scheduler | the tasks run in | |
# |---|---|---|
# | `"single-threaded"` | the line that called `compute` | for debugging, and for one GPU |
# | `"threads"` | a thread for each core of this process | for NumPy, which lets other threads go on while it computes |
# | `"processes"` | processes on this machine; data is copied to and fro | for pure Python |
# | a cluster (`Client`) | processes here or on other machines, with a plan of who holds what | for several GPUs, several machines, and for watching |
#
# Without `scheduler=`, `compute` of an array uses the threads; once there is a `Client`, it uses that.
#
# We start the cluster now, before the first array goes to a GPU: one worker process for each GPU. `LocalCUDACluster` is all it takes. `":0"` means any free port for the plots; and what goes wrong in a worker we want to read here, once, and not in its log as well.

# %%
cluster = LocalCUDACluster(dashboard_address=":0", silence_logs=logging.CRITICAL)
client = Client(cluster)
client.wait_for_workers(len(cluster.workers), timeout=120)
x = da.random.RandomState(seed=1).normal(10, 1, size=(400, 400), chunks=100)
answers = [float(x.sum().compute(scheduler=name)) for name in ("single-threaded", "threads", client)]
assert max(answers) - min(answers) < 1e-9 * answers[0]
print("three schedulers, one answer:", round(answers[0] / x.size, 2), "is the mean")

# %% [markdown]
# ### The floor
#
# How much does a task cost that does **nothing**? That is the scheduler's own price, and it is paid for each task, however small.
#
# **Predict.** In µs for each task: on one thread, on all threads, on the cluster.

# %%
my_single, my_threads, my_cluster = 1, 1, 1

# %% [markdown]
# **Measure.** Some hundred tasks of nothing, three times, and the best of the three: what cannot be avoided. (`dask.delayed` makes a task of a call of any function.)


# %%
def nothing():
    return None


floor = {}
for name, scheduler, tasks in (
    ("single-threaded", "single-threaded", 500),
    ("threads", "threads", 500),
    ("cluster", client, 200),
):
    best = float("inf")
    for _ in range(3):
        empty = [dask.delayed(nothing, pure=False)() for _ in range(tasks)]  # each with a key of its own
        start = perf_counter()
        dask.compute(*empty, scheduler=scheduler)
        best = min(best, (perf_counter() - start) / tasks)
    floor[name] = best
    print(f"{name:16} {1e6 * best:.0f} µs for a task that does nothing")
print(f"you said {my_single}, {my_threads} and {my_cluster} µs")

# %% [markdown]
# **Explain.** On one thread it is Python's bookkeeping. On a cluster each task is a message to another process, and the answer another. The scheduler is a single Python process and hands
# out the tasks for all workers, one after the other: **more workers do not make this floor lower.** Eight GPUs do not either. The workers go on meanwhile: of work and handing out, what takes longer counts. Now look at the post again. The 2 500 chunks, on eight GPUs in 19 s:

# %%
chunks = 50 * 50
print(f"19 s for {chunks} chunks: {19 / chunks * 1e3:.1f} ms for each")
print(f"what its bytes take on one V100: {28 * 1e8 / 900e9 * 1e3:.1f} ms, and there were eight")
print(f"your cluster's floor for {chunks} empty tasks: {chunks * floor['cluster']:.1f} s")

# %% [markdown]
# (28 bytes for each number: 8 written by `normal`, 8 read and 8 written by `+ 1`, and every second row read by `sum`, since memory comes in pieces of 32 bytes, which hold skipped columns, too.) The chunk's work
# was worth 3.1 ms of one GPU's memory, and eight GPUs together got through a chunk in 7.6 ms.
#
# ## How large is a chunk?
#
# Too small, and the floor is all there is. Too large, and there are not enough chunks for all workers, or they do not fit: each thread holds its own. In between lies a wide valley.
#
# **Predict.** 4 million numbers (32 MB) on the threads of your processor. Which side of a square chunk is the fastest: 50, 100, 250, 500, 1 000 or 2 000?

# %%
my_side = 2000

# %% [markdown]
# **Measure.** Each side with a seed of its own, so that nothing is known already. Beside the time stands the memory that the chunks take at the same time: each thread has one of `x` and one of `x + 1`.

# %%
n = 2_000
sides = [50, 100, 250, 500, 1_000, 2_000]
times, in_flight = [], []
for side in sides:
    x = da.random.RandomState(seed=side).normal(10, 1, size=(n, n), chunks=side)
    expression = (x + 1)[::2, ::2].sum()
    start = perf_counter()
    expression.compute(scheduler="threads")
    times.append(perf_counter() - start)
    in_flight.append(2 * min(cores, (n // side) ** 2) * side**2 * 8)  # x and x + 1 of a chunk, in each thread
    print(
        f"{side:5}² {(n // side) ** 2:5} chunks of {8 * side**2 / 1e6:.3g} MB: {1e3 * times[-1]:.0f} ms, {in_flight[-1] / 1e6:.3g} MB at the same time"
    )
print("the fastest: is it yours? You said", my_side)

# %%
least = [floor["threads"] * (n // side) ** 2 for side in sides]
plot.lines(
    sides,
    {"measured here, all threads": times, "the scheduler's floor": least},
    xlabel="side of a chunk",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="Chunks: too small, too large, and a valley between",
)

# %% [markdown]
# **Explain.** On the left the curve runs parallel to the floor, some times above it: a real task also has a graph to build and NumPy calls to make. Each halving of the side makes four times as many tasks. On the right a single chunk keeps a single core busy, and it has left the cache. On a
# processor a chunk of some MB is good, in which a thread stays inside of its cache; on a GPU, which wants millions of numbers for each launch, some hundred MB up to a few GB. A rule that
# holds for both: **a task should take a hundred times its floor**, so that the scheduler costs one percent. Here that is

# %%
print(f"a task of {100 * floor['cluster']:.2g} s on the cluster; of {1e3 * 100 * floor['threads']:.0f} ms on threads")
chunk = 1_000  # 8 MB, which is well inside of the valley

# %% [markdown]
# ## From NumPy to CuPy in one line
#
# What *makes* the chunks is a setting, `array.backend`. Under it, `da.ones`, `da.arange` or `da.random` make CuPy arrays, and everything that follows stays on the device, since CuPy's functions answer for CuPy's arrays:

# %%
with dask.config.set({"array.backend": "cupy"}):
    x = da.random.RandomState(seed=1).normal(10, 1, size=(4_000, 4_000), chunks=1_000)
print(x)
gpu_mean = x.mean().compute(scheduler="single-threaded")
print(
    "the mean is a",
    type(gpu_mean),
    "of",
    gpu_mean.ndim,
    "dimensions, still on the device; as a number:",
    round(float(gpu_mean), 1),
)

# %% [markdown]
# Look at the end of that line: `chunktype=cupy.ndarray`. An array that you have already changes sides by `x.to_backend("cupy")`, chunk by chunk, and each chunk then crosses the bus.
#
# Two things to know before you trust the line. Names that only NumPy has are not there; for `normal` you need the old `RandomState`, since CuPy's new `Generator` has no such method:

# %%
with dask.config.set({"array.backend": "cupy"}):
    try:
        da.random.default_rng(seed=1).normal(10, 1, size=(4, 4))
    except AttributeError as error:
        print("AttributeError:", error)

# %% [markdown]
# And `chunktype` is what Dask *thinks*: it tries each function on an array without any element. Where that fails, as an FFT of nothing does, it guesses NumPy. What counts is what the tasks return:

# %%
f = da.fft.fft(x.rechunk({0: -1}), axis=0)
print("said:    ", f"{type(f._meta).__module__}.{type(f._meta).__name__}")
print("computed:", type(f[:, :2].compute(scheduler="single-threaded")))

# %% [markdown]
# ## Two terabytes on four machines
#
# Now the post's table, on your machine. Perhaps you cannot wait for 250 000 000 000 numbers; on most processors they take half an hour and more. So we time **strips**: some chunks, twice
# as many, and so on until one takes a second or so, and put a line through the times, $t = a + b \cdot \text{chunks}$. The line says what all chunks would take. A prediction is worth what its error is worth, so
# we ask for two: how well the line's slope is known from the scatter about it, and how far off the last strip would have been if it had been predicted from those before it. Where the whole array takes less than two minutes, as on a good GPU, it is computed **in full**.


# %%
def strip(count, chunk, seed):
    """The post's expression on `count` chunks, or on all of them in the post's own shape."""
    whole = count == (500_000 // chunk) ** 2
    size = (500_000, 500_000) if whole else (count * chunk, chunk)
    x = da.random.RandomState(seed).normal(10, 1, size=size, chunks=chunk)
    return (x + 1)[::2, ::2].sum()


def all_of_it(run, chunk, enough=0.5):
    """Seconds for 2 TB, their relative error, that of the last strip when predicted, and the share that was computed."""
    whole, count, counts, seconds = (500_000 // chunk) ** 2, 4, [], []
    run(strip(2, chunk, seed=2))  # the first call has more to do
    while True:
        expression = strip(count, chunk, seed=count)  # another seed each time, or else...
        start = perf_counter()
        answer = float(run(expression))
        seconds.append(perf_counter() - start)
        counts.append(count)
        kept = count * chunk**2 / 4
        assert abs(answer - 11 * kept) < 6 * kept**0.5  # 11 for each number, give or take
        if count == whole:
            return seconds[-1], 0.0, 0.0, 1.0
        if seconds[-1] > enough and len(counts) >= 4:
            if seconds[-1] / count * whole > 120:
                break
            count = whole
        else:
            count = min(2 * count, whole)
    (b, a), spread = np.polyfit(counts, seconds, 1, w=1 / np.array(seconds), cov=True)
    before = np.polyval(np.polyfit(counts[:-1], seconds[:-1], 1, w=1 / np.array(seconds[:-1])), counts[-1])
    return a + b * whole, spread[0, 0] ** 0.5 / b, abs(before / seconds[-1] - 1), counts[-1] / whole


# %% [markdown]
# On a GPU a chunk is the post's, 800 MB, or as large as fits; simulated ones compute with your processor's cache, and get its chunks.
#
# **Predict.** How many minutes for all of it, on one core and on all of your processor's?

# %%
my_one, my_all = 60, 10

# %% [markdown]
# **Measure.** The library and the scheduler are all that changes:

# %%
free, _ = cp.cuda.runtime.memGetInfo()
gpu_chunk = 10_000 if machine.mode() == "gpu" and free > 6e9 else chunk
ways = {
    "NumPy, 1 core": ("numpy", lambda e: e.compute(scheduler="single-threaded"), chunk),
    "NumPy, all cores": ("numpy", lambda e: e.compute(scheduler="threads"), chunk),
    "CuPy, 1 GPU": ("cupy", lambda e: e.compute(scheduler="single-threaded"), gpu_chunk),
    "CuPy, all GPUs": ("cupy", lambda e: e.compute(scheduler=client), gpu_chunk),
}
whole_array = {}
for name, (backend, run, side) in ways.items():
    with dask.config.set({"array.backend": backend}):
        seconds, error, off, share = all_of_it(run, side)
    whole_array[name] = seconds
    print(
        f"{name:17} {seconds / 60:.3g} min, computed {100 * share:.3f} %; slope ± {100 * error:.0f} %, the last strip off by {100 * off:.0f} %"
    )
print(f"you said {my_one} and {my_all} min")

# %% [markdown]
# Read the error before the minutes: where it is a large part of the whole, the number is not worth quoting, and more or larger strips are needed. (Two simulated GPUs share one processor, and
# pay for a cluster; that they are no faster than one says nothing about real ones.)
#
# The answers were asserted: the sum of so many numbers about 11 is known to a few parts in a million. (And why another seed for each strip? On a cluster, a task whose key is known already is not run again. You will see
# below what that does to a stopwatch.)
#
# What is the strongest way on a processor? No Dask at all: each core draws a megabyte at a time, with the fastest of NumPy's generators, into memory that stays in its cache, and adds up. (Of every second
# number, where the expression has a quarter of all: more than is asked for, on purpose, for the buffer has no rows.)


# %%
def in_cache(numbers, seed):
    rng, buffer, total = np.random.Generator(np.random.SFC64(seed)), np.empty(2**17), 0.0
    for _ in range(numbers // buffer.size):
        rng.standard_normal(out=buffer)
        buffer += 10 + 1
        total += buffer[::2].sum()
    return total


numbers = 2**23 * cores
with ThreadPoolExecutor(cores) as threads:
    drawn = measure(lambda: sum(threads.map(in_cache, [numbers // cores] * cores, range(cores))), repeat=3, max_time=3)
strongest = drawn.median / numbers * 500_000**2
whole_array["NumPy in cache, no Dask"] = strongest
print(
    f"{strongest / 60:.3g} min for all of it; Dask on all cores is {whole_array['NumPy, all cores'] / strongest:.2g}× that"
)

# %% [markdown]
# The limit in the figure is the weakest there is: to write 2 TB once. It is the post's own claim that they were made.

# %%
compare(
    "dask-arrays.sum",
    whole_array,
    naive=whole_array["NumPy, 1 core"],
    strongest=strongest,
    limit=limit(bytes=8 * 500_000**2),
    n=500_000**2,
)

# %% [markdown]
# **Explain.** Your processor is far from the limit of its memory, since a normal number costs more to draw than to store: arithmetic binds. A V100 draws some 57 billion a second, as somebody measured once: 4.4 s for all. It is bound by
# what moves, 7 TB with all the temporary arrays:

# %%
for what, moved in (("each number written once", 8), ("as NumPy and CuPy do it", 28)):
    least = limit(bytes=moved * 500_000**2, machine="V100")
    print(f"V100, {what:25} {least.seconds:.1f} s at least; published 97 s: {97 / least.seconds:.0f}×")

# %% [markdown]
# Where was the rest? A chunk took 38.8 ms where its bytes take 3.1. The sum alone may have been half of it: in 2019 CuPy's reductions were slow (the suite of unit 02 measured 82.4 ms for 10⁸ numbers, so about 20 ms for the quarter that is summed here). And eight GPUs made it
# 5.1 times as fast, which is 64 % of eight: they share one scheduler, and on one GPU nothing is handed out. So of the 19 s the bytes are
# 2 500 × 3.1 ms ÷ 8, about 1 s; slow sums 2 500 × 20 ms ÷ 8, about 6 s; handing out some seconds (your cluster's floor is under *The floor*). What the
# rest was nobody wrote down.
#
# ### The mean, too
#
# `x.mean()` of CuPy's arrays under Dask failed in those days, with a traceback from inside of a task. Today:

# %%
with dask.config.set({"array.backend": "cupy"}):
    x = da.random.RandomState(seed=3).normal(10, 1, size=(4_000, 4_000), chunks=1_000)
part = (x + 1)[::2, ::2]
mean, std, columns = dask.compute(part.mean(), part.std(), part.mean(axis=0), scheduler=client)
print(f"mean {float(mean):.1f}, standard deviation {float(std):.1f}, and the means of {columns.size} columns")
assert abs(float(mean) - 11) < 6 / part.size**0.5 and abs(float(std) - 1) < 0.01

# %% [markdown]
# A mean of chunks' means would be wrong where chunks differ in size. So each chunk hands on *two* numbers, its sum and its count; for `std` three, with the sum of squares about the chunk's own mean, so that
# no difference of large numbers is taken.
#
# ## Chunks that must talk to each other
#
# ### Along a whole axis
#
# An FFT needs all of its axis. Dask refuses to guess what you want to pay for that:

# %%
x = da.random.RandomState(seed=4).normal(size=(1_024, 1_024), chunks=256)
try:
    da.fft.fft(x, axis=0)
except ValueError as error:
    print("ValueError:", " ".join(str(error).split()))

# %%
tall = x.rechunk({0: -1})  # -1: the whole axis
spectrum = abs(da.fft.fft(tall, axis=0)) ** 2
power, expected = dask.compute(spectrum.sum() / 1_024, (x**2).sum(), scheduler="threads")
assert abs(power / expected - 1) < 1e-12  # what Parseval says
print(
    f"chunks of {x.chunksize} become {tall.chunksize}: {x.npartitions} become {tall.npartitions}, four times as large"
)

# %% [markdown]
# (Parseval: an FFT keeps the sum of the squares, but for the length.) `rechunk` is where data moves between workers, all of it. Choose the chunks so that you need it once, or never: rows in one piece for what goes along rows.
#
# ### With a border
#
# A smoothing gives each pixel the mean of its 3 × 3 neighbours. At the edge of a chunk the neighbours lie in another.


# %%
def smooth(tile):
    """3 × 3 means; the outermost rows and columns are not computed, and stay as they are. For NumPy's and CuPy's tiles."""
    out = tile.copy()
    rows = tile[:-2] + tile[1:-1] + tile[2:]
    out[1:-1, 1:-1] = (rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]) / 9
    return out


picture = da.random.RandomState(seed=5).random((600, 600), chunks=200)
host = picture.compute(scheduler="threads")
padded = np.pad(host, 1, mode="edge")  # the edge's own pixels, once more
right = smooth(padded)[1:-1, 1:-1]

# %% [markdown]
# **Predict.** Nine chunks of 200 × 200. If each is smoothed by itself, how many of the 360 000 pixels are wrong?

# %%
my_wrong = 0

# %%
alone = picture.map_blocks(smooth, dtype=float).compute(scheduler="threads")
print(f"wrong: {np.count_nonzero(~np.isclose(alone, right))}, and you said {my_wrong}")
plot.images(
    {"chunk by chunk": abs(alone - right)[150:450, 150:450] > 1e-9, "right": np.zeros((300, 300))},
    "The seams of nine chunks.",
)

# %% [markdown]
# **Explain.** All along the seams: 9 × (200² − 198²) pixels, the outer edge among them. `map_overlap` gives each chunk a margin of its neighbours' numbers before, and cuts it off after; at the outer edge, where there is no
# neighbour, `boundary` says what stands there:

# %%
for boundary in ("nearest", "reflect", "periodic", "none"):
    smoothed = picture.map_overlap(smooth, depth=1, boundary=boundary, dtype=float).compute(scheduler="threads")
    wrong = ~np.isclose(smoothed, right)
    print(f"boundary={boundary!r:11} wrong: {np.count_nonzero(wrong):4}, inside: {np.count_nonzero(wrong[1:-1, 1:-1])}")

# %% [markdown]
# `"nearest"` repeats the edge, which is what was wanted; `"reflect"` does the same for a margin of one, and something else for two; `"periodic"` takes the opposite side; `"none"` gives no margin at the edge, and `smooth` leaves the edge as it is. What crosses between workers is
# only the margins. The same line on CuPy's chunks:

# %%
on_device = picture.to_backend("cupy").map_overlap(smooth, depth=1, boundary="nearest", dtype=float)
result = on_device.compute(scheduler="single-threaded")
print(type(result), "as NumPy has it?", bool(np.allclose(cp.asnumpy(result), right)))

# %% [markdown]
# ## Three traps
#
# ### The second time
#
# **Predict.** 64 MB are drawn on the cluster and kept there. Then the same line runs once more. How many times faster is it?

# %%
my_speedup = 1


# %%
def drawn_and_kept(seed):
    with dask.config.set({"array.backend": "cupy"}):
        x = da.random.RandomState(seed).normal(10, 1, size=(4_000, 2_000), chunks=1_000)
    kept = (x + 1).persist(scheduler=client)
    wait(kept)
    return kept


start = perf_counter()
kept = drawn_and_kept(seed=20)
once = perf_counter() - start
start = perf_counter()
again = drawn_and_kept(seed=20)
twice = perf_counter() - start
print(f"first {1e3 * once:.0f} ms, again {1e3 * twice:.0f} ms: {once / twice:.0f}×; you said {my_speedup}×")
start = perf_counter()
fresh = drawn_and_kept(seed=21)
print(f"with another seed {1e3 * (perf_counter() - start):.0f} ms")
kept = again = fresh = None  # whoever holds nothing lets the workers forget

# %% [markdown]
# **Explain.** While `kept` is alive, its keys have results on the cluster, and nobody computes a key twice. The stopwatch saw a question being asked. Whoever benchmarks Dask in a loop measures this: take another seed each time, and
# let the old result go. (The other side of it is the first trap: `compute` twice does everything twice, since it keeps nothing.)
#
# ### Threads times threads
#
# A product of matrices uses all cores by itself, through a library of its own called BLAS. Dask's threads use all cores, too. Together they are more than there are:

# %%
a = da.random.RandomState(seed=6).normal(size=(1_200, 1_200), chunks=300).persist(scheduler="threads")
one, every = ("one thread", 1), ("all cores", cores)
for (blas, blas_threads), (tasks, task_threads) in ((one, every), (every, one), (every, every)):
    with threadpool_limits(limits=blas_threads):
        product = measure(
            lambda n=task_threads: (a @ a).sum().compute(scheduler="threads", num_workers=n), repeat=3, max_time=2
        )
    print(f"BLAS with {blas:10}  Dask with {tasks:10}  {1e3 * product.median:.0f} ms")

# %% [markdown]
# One of the two should have one thread, and BLAS rather than Dask: Dask's tasks do not wait for each other, BLAS's threads do, within each small product. With two cores the
# third line costs little; with forty it is 1 600 threads. Dask's workers of a cluster see to it themselves (`OMP_NUM_THREADS=1` is set for them); the threads of your own process do not.
#
# ### A chunk that does not fit
#
# A chunk must fit into the memory of **one** device, together with whatever its task makes on the way. How large is yours? Let us ask for a chunk that is too large, on the cluster:

# %%
device_memory = cp.cuda.runtime.memGetInfo()[1]
side = int((1.2 * device_memory / 8) ** 0.5)
with dask.config.set({"array.backend": "cupy"}):
    too_large = da.ones((side, side), chunks=side) + 1
one_chunk = np.prod(too_large.chunksize) * too_large.itemsize
print(f"one chunk has {one_chunk / 1e9:.3g} GB, the device {device_memory / 1e9:.3g} GB")
for plan, name in ((too_large, "as it is"), (too_large.rechunk(2_000), "in chunks of 32 MB")):
    try:
        plan.sum().compute(scheduler=client)
    except cp.cuda.memory.OutOfMemoryError as error:
        wanted = int(str(error).split()[4].replace(",", ""))
        print(f"{name}: {type(error).__name__}: Out of memory allocating {wanted / 1e9:.3g} GB")

# %% [markdown]
# **Explain.** Nothing is lost: the error of a task arrives here, and the cluster goes on. But `rechunk` did not help: it cuts a chunk that is there already, and this one cannot be made. Chunks are chosen
# where the array is *made* or read. Ask before it runs, with the two numbers of the first line; and what a task holds is seldom one chunk: `+ 1` has two.
#
# ## Where the GPU loses
#
# And where many workers lose: on everything small. The sum of an array that is in memory already, in four chunks: NumPy by itself, Dask with threads, Dask on the cluster. (`da.from_array` cuts an array that is there.)

# %%
sizes = [10**3, 10**4, 10**5, 10**6, 4 * 10**6]
alone, threaded, distributed = [], [], []
for size in sizes:
    h = np.random.default_rng(seed=size).random(size)
    d = da.from_array(h, chunks=size // 4)
    alone.append(measure(h.sum, repeat=5, min_time=0.01, max_time=0.3).median)
    threaded.append(
        measure(lambda d=d: d.sum().compute(scheduler="threads"), repeat=3, min_time=0.01, max_time=0.5).median
    )
    r = da.random.RandomState(seed=size)
    clock = []
    for _ in range(2):
        kept = r.random(size, chunks=size // 4).persist(scheduler=client)  # there already, as h is here
        wait(kept)
        start = perf_counter()
        kept.sum().compute(scheduler=client)
        clock.append(perf_counter() - start)
    distributed.append(min(clock))
kept = None
plot.lines(
    sizes,
    {"NumPy": alone, "Dask, threads": threaded, "Dask, cluster": distributed},
    xlabel="numbers",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="Small arrays: the cost of being organised",
)

# %%
worth = floor["cluster"] * 5 / (alone[-1] / sizes[-1])
print(f"the cluster's floor of five tasks: {5e3 * floor['cluster']:.2g} ms")
print(f"in that time NumPy adds {8 * worth / 1e6:.0f} MB of numbers")
assert alone[0] < min(threaded[0], distributed[0])

# %% [markdown]
# The two upper lines stay level, some times above the floor, for as long as it is all there is. If the array fits into your memory and the work takes less than a second, NumPy has no scheduler to wait for. If it fits into **one** GPU, CuPy has none. Dask is for what does
# not fit, and for work that takes so long that a millisecond for each task does not matter.
#
# At the end the cluster is closed, so that its processes go:

# %%
client.close()
cluster.close()

# %% [markdown]
# ## Key points
#
# - A Dask array is a plan: chunks and a **graph** of tasks. What touches chunks one by one is free of talk; reductions meet at the end, `rechunk` moves everything, `map_overlap` moves margins.
# - The scheduler has a **floor**: so much for each task, whoever works. More workers do not lower it. A task should take a hundred times as long.
# - Chunks: a few MB for a processor's cache, hundreds of MB for a GPU, and each task must find room for all it makes, in the memory of one device.
# - `array.backend` changes NumPy's chunks into CuPy's; the scheduler changes one worker into many. Nothing else changes.
# - A key runs once within a compute, and again in the next. `dask.compute(a, b)` for what belongs together, `persist` for what fits, another seed for every benchmark.
# - An extrapolation is stated with the share that was computed and with its error.
# - Small arrays belong to NumPy, those that fit one GPU to CuPy.
#
# ## The exercise
#
# Six problems, 30 minutes: [exercises/10_dask-arrays.ipynb](../exercises/10_dask-arrays.ipynb). You will standardise columns without computing anything, repair seams and work done twice, plan chunks before they exist, refuse to distribute,
# and read a thousand small files with as few tasks as possible.
#
# ## Further reading
#
# - M. Rocklin, [GPU Dask Arrays, first steps](https://blog.dask.org/2019/01/03/dask-array-gpus-first-steps), 3 January 2019: the table at the top. "Actually this computation isn't that impressive", it says: what impressed its author was how little had to be changed.
# - [Dask issue 4462](https://github.com/dask/dask/issues/4462), 2019: the mean that failed, and what was done about it; P. Entschev, [Dask and the `__array_function__` protocol](https://blog.dask.org/2019/03/18/dask-nep18), 18 March 2019.
# - Dask's documentation: [array best practices](https://docs.dask.org/en/stable/array-best-practices.html), [chunks](https://docs.dask.org/en/stable/array-chunks.html), [overlapping computations](https://docs.dask.org/en/stable/array-overlap.html), [scheduling](https://docs.dask.org/en/stable/scheduling.html).
# - Dask-CUDA's documentation: [LocalCUDACluster](https://docs.rapids.ai/api/dask-cuda/stable/).
# - Issue 183 of the repository celeritas-project/celeritas: 10⁹ random numbers on a V100 in 17.45 ms.
# - M. Rocklin, *Dask: Parallel Computation with Blocked Algorithms and Task Scheduling*, Proceedings of the 14th Python in Science Conference, 2015.
# - T. F. Chan, G. H. Golub, R. J. LeVeque, *Algorithms for Computing the Sample Variance*, The American Statistician 37 (3), 1983: how the standard deviations of pieces are put together.
