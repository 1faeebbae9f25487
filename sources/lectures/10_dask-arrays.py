# ---
# jupyter:
#   hundredfold:
#     unit: 10
#     slug: dask-arrays
#     title: "Dask arrays: larger than memory"
#     teaching: 50
#     exercises: 35
#     dashboard: true
# ---

# %% [markdown]
# # 10 · Dask arrays: larger than memory
#
# *Unit 10 · dask-arrays · 50 minutes in two sittings, then 35 for the exercises; the optional parts are not counted*
#
# In January 2019 a post on the Dask blog drew 250 000 000 000 random numbers. It added one to each, took every second row and column, and
# summed these. That is 2 TB of data, more than the memory of the machine. It ran the same expression in four ways:
#
# | library and workers | time |
# |---|---|
# | NumPy, 1 core | 2 h 39 min |
# | NumPy, 40 cores | 11 min 30 s |
# | CuPy, 1 GPU (V100) | 1 min 37 s |
# | CuPy, 8 GPUs (V100) | 19 s |
#
# You will run this expression on your machine, and find out where part of the 19 seconds went.
#
# ## What you will be able to do
#
# - **Cut** an array larger than memory into chunks, and read its task graph.
# - **Choose** a scheduler and a chunk size, by what a task costs.
# - **Read** the task stream of Dask's dashboard.
# - **Move** the work from NumPy to CuPy, and from one GPU to several.
# - **Tell** which operations move data between workers.
#
# You need NumPy, and units 01 and 02. You do not need a GPU: without one, the cells run on two simulated GPUs.

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
from dask.utils import key_split
from dask_cuda import LocalCUDACluster
from distributed import Client, get_task_stream, wait
from threadpoolctl import threadpool_limits

from hundredfold import compare, limit, machine, measure, plot, quiz
from hundredfold.toolkit.extrapolation import extrapolate

# %%
os.environ.setdefault("GPUSIM_GPUS", "2")  # how many to simulate; a real GPU ignores it
cores = machine.cpu.cores()

# %% [markdown]
# ## Chunks
#
# The next cell makes the array of the post: 2 TB of random numbers.
#
# **Predict.** How many seconds does it take?

# %%
my_seconds = "?"

# %%
start = perf_counter()
rs = da.random.RandomState(seed=10)
x = rs.normal(10, 1, size=(500_000, 500_000), chunks=(10_000, 10_000))
took = perf_counter() - start
print(f"{x.nbytes / 1e12:.0f} TB in {1e3 * took:.0f} ms; you said {my_seconds} s")

# %% [markdown]
# **Explain.** Dask drew no number. A **Dask array** is a plan. It is a grid of **[chunks](../docs/glossary.md#term-chunk)**, with a recipe for each one. A
# chunk becomes an ordinary array when it is computed:
#
# ![A Dask array of 500 000 by 500 000 numbers, 2 TB, cut into a grid of 50 by 50 chunks. One chunk has 10 000 by 10 000 numbers, 800 MB. It becomes an
# ordinary array of NumPy or CuPy when its task runs.](drawings/dask-chunks.svg)

# %%
print("chunks along each axis:", x.numblocks, "together:", x.npartitions)
print("one chunk:", x.chunksize, x.dtype, f"{np.prod(x.chunksize) * x.itemsize / 1e6:.0f} MB")
everything = (x + 1)[::2, ::2].sum()  # the expression of the post; still a plan
print(everything)

# %% [markdown]
# `everything.compute()` would run the plan. Do not call it yet: it can take hours.
#
# ## The task graph
#
# A **[task](../docs/glossary.md#term-task)** is one call of a function, on one chunk or a few. The
# **[task graph](../docs/glossary.md#term-task-graph)** is all tasks of a plan, with an arrow wherever one task needs the result of another. Here is the graph for two chunks:
#
# ![A task graph of two chunks. For each chunk the tasks normal, plus 1, every second element, and sum follow each other. One more task adds up the two
# sums. A dashed frame around the tasks of a chunk marks what Dask fuses into one task.](drawings/task-graph.svg)
#
# Before it runs a graph, Dask **fuses** tasks that follow each other on the same chunk. Then it has fewer tasks to hand out. NumPy or CuPy still runs each step by
# itself: this fusing makes no new kernel.
#
# **Predict.** An array has four chunks. How many tasks does the graph have before fusing, and how many after it?

# %%
my_written, my_fused = "?", "?"

# %%
small = da.random.RandomState(seed=10).normal(10, 1, size=(8, 8), chunks=4)
total = (small + 1)[::2, ::2].sum()
print(f"you said {my_written} tasks before fusing, and {my_fused} after it")
plot.graph(total, title="Four chunks, before fusing")

# %%
plot.graph(total, optimized=True, title="Four chunks, after fusing")

# %% [markdown]
# Each pair of numbers is the place of a chunk in the grid. Dask also leaves out tasks whose result nobody needs. Here `read_chunk` makes each chunk, and counts its calls:

# %%
calls = []


def read_chunk():
    calls.append(1)
    return np.random.default_rng(len(calls)).normal(10, 1, (100, 100))


cut = ((100,) * 4, (100,) * 4)  # 4 × 4 chunks of 100 × 100
files = da.map_blocks(read_chunk, chunks=cut, dtype=float, meta=np.empty((0, 0)))
files[-10:, -10:].compute(scheduler="single-threaded")
print("for the last 10 × 10 numbers:", len(calls), "of", files.npartitions, "chunks read")

# %% [markdown]
# **Question.** How many chunks do `files.mean().compute()` and then `files.std().compute()` read together?
#
# - (a) 16: Dask keeps the chunks for the second call.
# - (b) 32: each call reads all of them.
# - (c) 48: the standard deviation needs a mean first.

# %%
my_answer = "?"
quiz("dask-arrays.again", my_answer)

# %%
calls.clear()
files.mean().compute(scheduler="single-threaded")
files.std().compute(scheduler="single-threaded")
print("two computes:", len(calls), "chunks read")
calls.clear()
dask.compute(files.mean(), files.std(), scheduler="single-threaded")
print("one compute: ", len(calls), "chunks read")

# %% [markdown]
# **Explain.** Each task has a **key**, and within one `compute` a key runs once.
#
# `x.persist()` computes all chunks and keeps them in memory. Use it for what you need several times, and only if it fits.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: the same seed, the same array
#
# Dask makes a key from the function and its arguments. Two arrays with the same seed have the same keys. They are one array. For independent numbers draw twice from
# one `RandomState`:

# %%
one = da.random.RandomState(seed=1).normal(size=1000, chunks=100)
other = da.random.RandomState(seed=1).normal(size=1000, chunks=100)
rs = da.random.RandomState(seed=1)
first, second = rs.normal(size=1000, chunks=100), rs.normal(size=1000, chunks=100)
print("two of one seed:   the same keys?", one.name == other.name)
print("two draws of one:  the same keys?", first.name == second.name)

# %% [markdown]
# ## Client, scheduler, workers
#
# A **[scheduler](../docs/glossary.md#term-scheduler)** goes through the graph, and hands out each task as soon as its inputs are there. You choose one:
#
# | `scheduler=` | tasks run in | good for |
# |---|---|---|
# | `"single-threaded"` | the thread that called `compute` | debugging, one GPU |
# | `"threads"`, the default | one thread for each core | NumPy |
# | a `Client` | the processes of a cluster | several GPUs or machines |
#
# A **cluster** has one scheduler and several **[workers](../docs/glossary.md#term-worker)**. A worker is a process that runs tasks and keeps their results. `LocalCUDACluster` starts one worker for each GPU of
# your machine. `Client` connects your notebook to it. From then on `compute` uses the cluster, unless you name another scheduler.

# %%
cluster = LocalCUDACluster(dashboard_address=":0", silence_logs=logging.CRITICAL)
client = Client(cluster)
client.wait_for_workers(len(cluster.workers), timeout=120)
x = da.random.RandomState(seed=1).normal(10, 1, size=(400, 400), chunks=100)
answers = [float(x.sum().compute(scheduler=way)) for way in ("single-threaded", "threads", client)]
assert max(answers) - min(answers) < 1e-9 * answers[0]
print("three schedulers, one mean:", round(answers[0] / x.size, 2))

# %% [markdown]
# **Question.** A task on worker 0 needs a chunk that is on worker 1. Which way does the chunk take?
#
# - (a) from worker 1 to worker 0
# - (b) from worker 1 to the scheduler, and from there to worker 0
# - (c) none: Dask computes it again on worker 0

# %%
my_answer = "?"
quiz("dask-arrays.way", my_answer)

# %% [markdown]
# ![The processes of a Dask cluster with two GPUs. The client, your notebook, sends the graph to the scheduler and gets the result from it. The scheduler
# gives tasks to two workers, one for each GPU. Each worker keeps chunks. A chunk goes directly from one worker to another.](drawings/client-scheduler-workers.svg)
#
# ## A look at the dashboard
#
# The scheduler shows its work as live plots, the **dashboard**. In the lab they are beside this notebook; elsewhere open `client.dashboard_link`. Look at *Task Stream*:
#
# ![The task stream of two workers, time from left to right. Each rectangle is a task, and its colour is the kind of task. A red piece before a task is the
# time in which a worker fetches data from the other. White is time without a task.](drawings/task-stream.svg)
#
# - Each row is one thread of a worker. On GPUs a worker has one thread.
# - Each rectangle is a task. Its length is its time, and its colour the kind of function.
# - **Red** is time in which a worker fetches data from another one. In the drawing it is orange.
# - **White** is time without a task.
#
# The array of the next cell is cut into rows, and then into columns. Run the cell, and watch the plot. `get_task_stream` collects the same data:

# %%
rows = da.random.RandomState(seed=2).normal(size=(2_000, 2_000), chunks=(500, 2_000))
with get_task_stream(client) as stream:
    rows.rechunk((2_000, 500)).sum().compute()
for kind, count in Counter(key_split(task["key"]) for task in stream.data).most_common(3):
    print(f"{count:3} tasks {kind}")
pieces = [piece for task in stream.data for piece in task["startstops"]]
for action in ("compute", "transfer"):
    seconds = sum(piece["stop"] - piece["start"] for piece in pieces if piece["action"] == action)
    print(f"{action}: {1e3 * seconds:.0f} ms over all workers")

# %% [markdown]
# This is a screenshot of a larger run, on two simulated GPUs:
#
# ![A screenshot of Dask's task stream with two rows, one for each worker. Wide green tasks come first, in each row. Narrow blue and purple tasks follow. Then there are red pieces, in which
# data moves, with narrow tasks and white gaps between them.](drawings/dask-task-stream.png)
#
# Green tasks make random numbers. Purple ones cut chunks and join the pieces, and the red transfers come before these. In the white gaps a worker waits for a task.
#
# The tab *Progress* counts the tasks that are done. *Workers Memory* shows how much memory each worker uses.
#
# **Question.** Here are the task streams of three programs. In which one are the chunks too small?
#
# ![Three task streams of two workers, a, b and c, time from left to right. In a, each task comes after a red piece that is as long as the task. In b, long tasks follow
# each other without a gap. In c, short tasks are far apart, with white between them.](drawings/three-streams.svg)
#
# - (a) first
# - (b) second
# - (c) third

# %%
my_answer = "?"
quiz("dask-arrays.streams", my_answer)

# %% [markdown]
# ## What a task costs
#
# How long does a task take that does **nothing**? That is the scheduler's **overhead**. Every task pays it.
#
# **Predict.** How many µs is it on one thread, and how many on the cluster?

# %%
my_single, my_cluster = "?", "?"

# %% [markdown]
# **Measure.** `dask.delayed` makes a task of any function:


# %%
def nothing():
    return None


def per_task(scheduler, tasks):
    """Seconds for an empty task: the best of three."""
    best = float("inf")
    for _ in range(3):
        empty = [dask.delayed(nothing, pure=False)() for _ in range(tasks)]
        start = perf_counter()
        dask.compute(*empty, scheduler=scheduler)
        best = min(best, (perf_counter() - start) / tasks)
    return best


overhead = {
    "single-threaded": per_task("single-threaded", 500),
    "threads": per_task("threads", 500),
    "cluster": per_task(client, 200),
}
for name, seconds in overhead.items():
    print(f"{name:16} {1e6 * seconds:.0f} µs for an empty task")
print(f"you said {my_single} µs and {my_cluster} µs")

# %% [markdown]
# **Explain.** On a cluster each task is a message to another process, and its result another. The scheduler is one process, and serves all workers. So **more workers do not
# lower the overhead.**
#
# [Dask's documentation](https://distributed.dask.org/en/stable/efficiency.html) gives about 1 ms for each task of a cluster, and a rule: **a task should take 100 ms or
# longer**. For shorter tasks a cluster may bring nothing.
#
# The post's run had 2 500 chunks. How long does one chunk take on a GPU? Each number moves 28 bytes: `normal` writes 8, `+ 1` reads 8 and writes 8, and `sum` reads every second row, which is 4 on average.

# %%
nbytes = 28 * 10_000**2
print(f"its bytes on a V100, at 900 GB/s (limit):  {1e3 * limit(bytes=nbytes, machine='V100').seconds:.2f} ms")
print(f"on an H100, at 3 240 GB/s (published):     {1e3 * nbytes / 3_240e9:.2f} ms")
print(f"published: 19 s on 8 V100, for each chunk: {1e3 * 19 / 2_500:.2f} ms")
moving = 2_500 / 8 * limit(bytes=nbytes, machine="V100").seconds
print(f"of the 19 s: {moving:.1f} s for the bytes, {2_500 * 1e-3:.1f} s for 2500 tasks of 1 ms")

# %% [markdown]
# The bytes and the scheduler need only a part of the 19 s. On an H100 the bytes of a chunk take less time than the scheduler's 1 ms. For new GPUs even 800 MB is a small chunk.
#
# ## How large is a chunk?
#
# ![The same array cut in three ways for four workers. In 256 chunks, too small: the workers wait for the scheduler between short tasks. In 16 chunks, good: all
# workers are busy. In one chunk, too large: one worker is busy and three are idle.](drawings/chunk-sizes.svg)
#
# **Predict.** 4 million numbers (32 MB) are computed by the threads of your CPU. Which side of a square chunk is the fastest: 50, 100, 250, 500, 1 000 or 2 000?

# %%
my_side = "?"

# %% [markdown]
# **Measure.**

# %%
n = 2_000
sides, times = [50, 100, 250, 500, 1_000, 2_000], []
for side in sides:
    x = da.random.RandomState(seed=side).normal(10, 1, size=(n, n), chunks=side)
    expression = (x + 1)[::2, ::2].sum()
    start = perf_counter()
    expression.compute(scheduler="threads")
    times.append(perf_counter() - start)
    print(f"{side:5}² {(n // side) ** 2:5} chunks of {8 * side**2 / 1e6:.3g} MB: {1e3 * times[-1]:.0f} ms")
print("is the fastest yours? You said", my_side)
plot.lines(
    sides,
    {
        "here: all threads": times,
        "overhead alone": [overhead["threads"] * (n // side) ** 2 for side in sides],
        "H100, its bytes": [28 * n**2 / 3_240e9] * len(sides),
    },
    xlabel="side of a chunk",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="4 million numbers, by chunk size",
    note="H100: the same bytes at the published 3 240 GB/s. Other times: this CPU.",
)

# %% [markdown]
# **Explain.** On the left the overhead decides. Half the side makes four times as many tasks. On the right one chunk keeps one core busy, and the others wait.
#
# For large arrays, [Dask's documentation](https://docs.dask.org/en/stable/array-best-practices.html) says that chunks below 100 MB are
# rare. It also gives an upper limit: Dask often has twice as many chunks in memory as there are threads. All of them must fit.

# %% [markdown]
# ---
# *End of the first sitting: a good place for a break.*
#
# ## From NumPy to CuPy in one line
#
# The setting `array.backend` chooses the library that **makes** the chunks. All later steps stay with it, as in unit 03:

# %%
with dask.config.set({"array.backend": "cupy"}):
    x = da.random.RandomState(seed=1).normal(10, 1, size=(4_000, 4_000), chunks=1_000)
print(x)
gpu_mean = x.mean().compute(scheduler="single-threaded")

# %% [markdown]
# Dask calls that `chunktype`. For an array that you have already, `x.to_backend("cupy")` copies each chunk over the bus.
#
# **Question.** What is `gpu_mean`?
#
# - (a) a Python float
# - (b) a Dask array
# - (c) a CuPy array on the device

# %%
my_answer = "?"
quiz("dask-arrays.mean", my_answer)

# %%
print(type(gpu_mean), gpu_mean.ndim, "dimensions; as a number:", round(float(gpu_mean), 1))

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: two surprises with CuPy
#
# CuPy's new `Generator` has no method `normal`. That is why this lecture uses `RandomState`:

# %%
with dask.config.set({"array.backend": "cupy"}):
    try:
        da.random.default_rng(seed=1).normal(10, 1, size=(4, 4))
    except AttributeError as error:
        print("AttributeError:", error)

# %% [markdown]
# And `chunktype` is a guess. Dask tries each function on an array without elements. Where that fails, as for an FFT, it assumes NumPy. The tasks still return CuPy arrays:

# %%
f = da.fft.fft(x.rechunk({0: -1}), axis=0)
print("guessed: ", f"{type(f._meta).__module__}.{type(f._meta).__name__}")
print("computed:", type(f[:, :2].compute(scheduler="single-threaded")))

# %% [markdown]
# ## Two terabytes
#
# Now run the post's expression. All of it may take an hour. So `extrapolate`, a function of this course, times a few chunks, then twice as many, and so on.
# A straight line through these times predicts the time of all chunks. There are two errors: that of the line's slope, and how far off a prediction of the largest part would have been. A job of less than two minutes, as on a good GPU, runs completely.


# %%
def timed(backend, scheduler, side):
    """Predict the post's expression in chunks of side × side."""

    def run(count):
        with dask.config.set({"array.backend": backend}):
            x = da.random.RandomState(seed=count).normal(10, 1, size=(count * side, side), chunks=side)
        answer = float((x + 1)[::2, ::2].sum().compute(scheduler=scheduler))
        assert abs(answer - 11 * x.size / 4) < 3 * x.size**0.5  # the mean is 11, and a quarter is summed

    return extrapolate(run, whole=(500_000 // side) ** 2)


free, _ = cp.cuda.runtime.memGetInfo()
gpu_side = 10_000 if machine.mode() == "gpu" and free > 6e9 else 1_000
ways = {
    "NumPy, 1 core": ("numpy", "single-threaded", 1_000),
    "NumPy, all cores": ("numpy", "threads", 1_000),
    "CuPy, 1 GPU": ("cupy", "single-threaded", gpu_side),
    "CuPy, all GPUs": ("cupy", client, gpu_side),
}
whole_array = {}
for name, way in ways.items():
    found = timed(*way)
    whole_array[name] = found.seconds
    print(f"{name:17} {found.seconds / 60:.3g} min, {100 * found.share:.3f} % computed;", end=" ")
    print(f"slope ± {100 * found.slope_error:.0f} %, largest part off by {100 * found.last_error:.0f} %")

# %% [markdown]
# Read the errors first. If one is large, the minutes are not worth quoting.
#
# The strongest way on a CPU uses no Dask. Each core draws one megabyte at a time, so that the numbers stay in its cache:


# %%
def in_cache(numbers, seed):
    rng, buffer, total = np.random.Generator(np.random.SFC64(seed)), np.empty(2**17), 0.0
    for _ in range(numbers // buffer.size):
        rng.standard_normal(out=buffer)
        buffer += 10 + 1
        total += buffer[::2].sum()
    return total


each = 2**23  # numbers for each core
with ThreadPoolExecutor(cores) as threads:
    drawn = measure(lambda: sum(threads.map(in_cache, [each] * cores, range(cores))), repeat=3, max_time=3)
strongest = drawn.median / (each * cores) * 500_000**2
whole_array["NumPy in cache, no Dask"] = strongest
naive = whole_array["NumPy, 1 core"]
least = limit(bytes=8 * 500_000**2)  # to write each number once
compare("dask-arrays.sum", whole_array, naive=naive, strongest=strongest, limit=least, n=500_000**2)

# %% [markdown]
# **Explain.** Without a GPU, *here: CuPy* is the simulator on your CPU. Its GPUs share the cores, so two are no faster than one.
#
# The post's V100 took 97 s. How much of that do the bytes need?

# %%
least = {name: limit(bytes=28 * 500_000**2, machine=name).seconds for name in ("V100", "H100")}
for name, seconds in least.items():
    print(f"{name}: 7 TB take at least {seconds:.1f} s")
print(f"published: one V100 took {97 / least['V100']:.0f}× its limit, and eight were {97 / 19:.1f}× as fast as one")

# %% [markdown]
# Part of the rest was CuPy's sum, which was slow in 2019 (unit 02). Nobody wrote down what took the remaining time.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: the mean and the standard deviation
#
# In 2019 `x.mean()` of CuPy's chunks failed. It works today. Chunks may differ in size, so each chunk returns its sum and its count. For `std` it also returns the sum of squares about its own mean.

# %%
with dask.config.set({"array.backend": "cupy"}):
    x = da.random.RandomState(seed=3).normal(10, 1, size=(4_000, 4_000), chunks=1_000)
part = (x + 1)[::2, ::2]
mean, std, columns = dask.compute(part.mean(), part.std(), part.mean(axis=0), scheduler=client)
print(f"mean {float(mean):.1f}, standard deviation {float(std):.1f}, and the means of {columns.size} columns")
assert abs(float(mean) - 11) < 6 / part.size**0.5 and abs(float(std) - 1) < 0.01

# %% [markdown]
# ## Chunks that need each other
#
# **Question.** `x` has 16 square chunks on two workers. Which line moves the most data between them?
#
# - (a) `x.sum()`
# - (b) `x.rechunk({0: -1})`: whole columns in one chunk
# - (c) `x.map_overlap(f, depth=1)`: each chunk gets one row or column of each neighbour

# %%
my_answer = "?"
quiz("dask-arrays.moves", my_answer)

# %% [markdown]
# A sum is a **tree**: only one number of each chunk moves. A change of chunks can move everything. Where each new chunk needs a piece of every old one, that is a
# **[shuffle](../docs/glossary.md#term-shuffle)**:
#
# ![Two ways in which chunks meet. A sum is a tree: the sums of four chunks are added by one task, those of the other four by a second, and a last task adds the two. From chunks
# of rows to chunks of columns every new chunk needs a piece of every old one: 16 pieces for four chunks.](drawings/tree-or-shuffle.svg)
#
# ### Along a whole axis
#
# An FFT needs the whole axis in one chunk. Dask does not move the data without being asked:

# %%
x = da.random.RandomState(seed=4).normal(size=(1_024, 1_024), chunks=256)
try:
    da.fft.fft(x, axis=0)
except ValueError as error:
    print("ValueError:", " ".join(str(error).split())[:80], "…")

# %% [markdown]
# So you ask for it, with `rechunk`:
#
# ![Rechunking for a function that needs whole columns. On the left an array in 4 by 4 square chunks. On the right the same array in four chunks, each as tall as the
# array. The four old chunks of the first column become one new chunk.](drawings/rechunk.svg)

# %%
tall = x.rechunk({0: -1})
spectrum = abs(da.fft.fft(tall, axis=0)) ** 2
power, expected = dask.compute(spectrum.sum() / 1_024, (x**2).sum(), scheduler="threads")
assert abs(power / expected - 1) < 1e-12  # Parseval's theorem
print(f"{x.npartitions} chunks of {x.chunksize} become {tall.npartitions} of {tall.chunksize}")

# %% [markdown]
# ### With a margin
#
# A smoothing gives each pixel the mean of 3 × 3 pixels. At the edge of a chunk, some of them are in the next chunk.


# %%
def smooth(tile):
    """3 × 3 means; the outermost rows and columns stay as they are. For NumPy and CuPy."""
    out = tile.copy()
    rows = tile[:-2] + tile[1:-1] + tile[2:]
    out[1:-1, 1:-1] = (rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]) / 9
    return out


picture = da.random.RandomState(seed=5).random((600, 600), chunks=200)
host = picture.compute(scheduler="threads")
right = smooth(np.pad(host, 1, mode="edge"))[1:-1, 1:-1]  # the edge pixels repeated

# %% [markdown]
# **Predict.** Nine chunks of 200 × 200 pixels are smoothed one by one. How many of the 360 000 pixels come out wrong?

# %%
my_wrong = "?"

# %%
alone = picture.map_blocks(smooth, dtype=float).compute(scheduler="threads")
print(f"wrong: {np.count_nonzero(~np.isclose(alone, right))}; you said {my_wrong}")
wrong = abs(alone - right) > 1e-9
where = np.s_[170:230, 170:230]  # where four chunks meet
plot.images({"right": right[where], "wrong pixels": wrong[where]}, "The wrong pixels form a cross of two seams.")

# %% [markdown]
# **Explain.** The four edges of each chunk are wrong: 9 × (200² − 198²) pixels. `map_overlap` gives each chunk a **margin** of its neighbours' pixels first:
#
# ![A map_overlap in three steps. A chunk of 200 by 200 pixels gets a margin of one pixel from the chunks around it, and has 202 by 202 pixels. The function runs
# on it. Then the margin is cut off, and 200 by 200 pixels remain.](drawings/overlap-margins.svg)
#
# At the outer edge of the picture there is no neighbour. `boundary` chooses what the margin has there:

# %%
for boundary in ("nearest", "reflect", "periodic", "none"):
    plan = picture.map_overlap(smooth, depth=1, boundary=boundary, dtype=float)
    smoothed = plan.compute(scheduler="threads")
    print(f"boundary={boundary!r:11} wrong: {np.count_nonzero(~np.isclose(smoothed, right)):4}")
on_device = picture.to_backend("cupy").map_overlap(smooth, depth=1, boundary="nearest", dtype=float)
print("the same on the device?", bool(np.allclose(cp.asnumpy(on_device.compute()), right)))

# %% [markdown]
# `"nearest"` repeats the edge pixel. `"reflect"` mirrors the picture: for one pixel that is the same. `"periodic"` takes the opposite side. `"none"` gives no margin.
#
# ## A chunk that does not fit
#
# A chunk must fit into the memory of **one** device, with everything that its task makes. `x + 1` already holds two chunks.
#
# **Question.** `x = rs.normal(size=(side, side), chunks=side)` is one chunk, larger than the device. What helps?
#
# - (a) `x.rechunk(2_000)`
# - (b) more workers
# - (c) `rs.normal(size=(side, side), chunks=2_000)`

# %%
my_answer = "?"
quiz("dask-arrays.fits", my_answer)

# %%
device_memory = cp.cuda.runtime.memGetInfo()[1]
side = int((1.2 * device_memory / 8) ** 0.5)
with dask.config.set({"array.backend": "cupy"}):
    rs = da.random.RandomState(seed=7)
    too_large = rs.normal(size=(side, side), chunks=side)
    fits = rs.normal(size=(side, side), chunks=2_000)
print(f"one chunk has {too_large.nbytes / 1e9:.3g} GB, the device {device_memory / 1e9:.3g} GB")
for plan, name in ((too_large, "as it is"), (too_large.rechunk(2_000), "rechunked")):
    try:
        plan.sum().compute()
    except cp.cuda.memory.OutOfMemoryError as error:
        print(f"{name}: {type(error).__name__}")
print(f"made in smaller chunks: each has {8 * np.prod(fits.chunksize) / 1e6:.0f} MB")

# %% [markdown]
# **Explain.** The error of a task arrives in your notebook, and the cluster goes on. Choose chunks where the array is **made** or read.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: the second run measures nothing
#
# As long as you hold a persisted array, the cluster keeps the results of its keys. The same line then computes nothing. In a benchmark take a new seed for each run, and let the
# old result go:


# %%
def drawn_and_kept(seed):
    with dask.config.set({"array.backend": "cupy"}):
        x = da.random.RandomState(seed).normal(10, 1, size=(4_000, 2_000), chunks=1_000)
    kept = (x + 1).persist(scheduler=client)
    wait(kept)
    return kept


holding = []
for seed in (20, 20, 21):
    start = perf_counter()
    holding.append(drawn_and_kept(seed))
    print(f"seed {seed}: {1e3 * (perf_counter() - start):.0f} ms")
holding.clear()  # the workers forget what nobody holds

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: threads times threads
#
# A product of matrices uses all cores by itself, through the library **BLAS**. Dask's threads use all cores, too. On forty cores that can be 1 600 threads. Give one of the two
# a single thread. The workers of a cluster do that by themselves: Dask sets `OMP_NUM_THREADS=1` for them.

# %%
a = da.random.RandomState(seed=6).normal(size=(1_200, 1_200), chunks=300).persist(scheduler="threads")
for blas, tasks in ((1, cores), (cores, 1), (cores, cores)):
    with threadpool_limits(limits=blas):
        product = lambda n=tasks: (a @ a).sum().compute(scheduler="threads", num_workers=n)  # noqa: E731
        took = measure(product, repeat=3, max_time=2)
    names = ["one thread" if threads == 1 else "all cores" for threads in (blas, tasks)]
    print(f"BLAS with {names[0]:10}  Dask with {names[1]:10}  {1e3 * took.median:.0f} ms")

# %% [markdown]
# ## Where the GPU loses
#
# Many workers lose on small arrays. The next cell sums an array that is already in memory, in four chunks:

# %%
gpu = machine.gpus.find("H100")
sizes = [10**3, 10**4, 10**5, 10**6, 4 * 10**6]
alone, threaded, distributed = [], [], []
for size in sizes:
    h = np.random.default_rng(seed=size).random(size)
    d = da.from_array(h, chunks=size // 4).sum()
    alone.append(measure(h.sum, repeat=5, min_time=0.01, max_time=0.3).median)
    threaded.append(measure(lambda d=d: d.compute(scheduler="threads"), repeat=3, max_time=0.5).median)
    kept = da.random.RandomState(seed=size).random(size, chunks=size // 4).persist()
    wait(kept)  # the numbers are on the workers now
    distributed.append(measure(lambda k=kept: k.sum().compute(), repeat=3, max_time=0.5).median)
kept = None
plot.lines(
    sizes,
    {
        "here: NumPy": alone,
        "here: Dask, threads": threaded,
        "here: Dask, cluster": distributed,
        "H100, at least": [gpu.launch + 8 * size / gpu.bandwidth for size in sizes],
    },
    xlabel="numbers",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="The sum of a small array",
    note="H100: one launch and the bytes, by its data sheet, without Dask. Other times: this CPU.",
)

# %%
assert alone[0] < min(threaded[0], distributed[0])
print(f"five tasks of 1 ms: an H100 reads {5e-3 * 3_240e9 / 1e9:.0f} GB in that time")

# %% [markdown]
# The lines of Dask are flat: that is the overhead of a few tasks. The line of the H100 is flat, too: up to 100 000 numbers it is one launch. If an array fits into memory, try NumPy first. If it fits into one GPU, try CuPy. Dask is for arrays that do not fit, and for work whose tasks take 100 ms or longer.
#
# At the end close the cluster, so that its processes end:

# %%
client.close()
cluster.close()

# %% [markdown]
# ## Key points
#
# - A Dask array is a plan: **chunks**, and a **graph** of tasks. `compute` runs it, and keeps nothing.
# - The scheduler has an **overhead** for each task. More workers do not lower it. A task should take 100 ms or longer.
# - Chunks below 100 MB are rare. A chunk must fit into one device, with all that its task makes.
# - `array.backend` chooses NumPy or CuPy. A `Client` brings several workers.
# - A sum moves one number of each chunk, `map_overlap` moves margins, and `rechunk` can move everything.
#
# ## The exercise
#
# Six problems, 35 minutes: [exercises/10_dask-arrays.ipynb](../exercises/10_dask-arrays.ipynb). You repair seams, plan chunks, and read a thousand files with few tasks.
#
# ## Further reading
#
# - M. Rocklin, [GPU Dask Arrays, first steps](https://blog.dask.org/2019/01/03/dask-array-gpus-first-steps), 3 January 2019: the table at the top.
# - Dask's documentation: [efficiency](https://distributed.dask.org/en/stable/efficiency.html) (1 ms and 100 ms for a task),
#   [array best practices](https://docs.dask.org/en/stable/array-best-practices.html) (100 MB for a chunk), [chunks](https://docs.dask.org/en/stable/array-chunks.html),
#   [overlapping computations](https://docs.dask.org/en/stable/array-overlap.html), [scheduling](https://docs.dask.org/en/stable/scheduling.html) and
#   [the dashboard](https://docs.dask.org/en/stable/dashboard.html).
# - [fast.cu](https://github.com/pranjalssh/fast.cu), README at commit 38eb642e0c: a sum of 2³⁰ int32 on an H100 at 3 240 GB/s.
# - [Dask issue 4462](https://github.com/dask/dask/issues/4462), 2019: the mean that failed; P. Entschev, [Dask and the `__array_function__`
#   protocol](https://blog.dask.org/2019/03/18/dask-nep18), 18 March 2019.
# - Dask-CUDA's documentation: [LocalCUDACluster](https://docs.rapids.ai/api/dask-cuda/stable/).
# - T. F. Chan, G. H. Golub, R. J. LeVeque, *Algorithms for Computing the Sample Variance*, The American Statistician 37 (3), 1983: how the standard deviations of pieces are put together.
