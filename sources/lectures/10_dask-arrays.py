# ---
# jupyter:
#   hundredfold:
#     unit: 10
#     slug: dask-arrays
#     title: "Dask arrays: larger than memory"
#     teaching: 65
#     exercises: 35
#     dashboard: true
# ---

# %% [markdown]
# # 10 · Dask arrays: larger than memory
#
# *Unit 10 · dask-arrays · 65 minutes in two sittings, then 35 for the exercises; the optional parts are not counted*
#
# A program on the Dask blog of January 2019 draws 250 billion random numbers, 2 TB. It adds one to each, takes every second row and column, and sums
# these. The author ran it in four ways:
#
# | library and workers | time |
# |---|---|
# | NumPy, 1 core | 2 h 39 min |
# | NumPy, 40 cores | 11 min 30 s |
# | CuPy, 1 GPU (V100) | 1 min 37 s |
# | CuPy, 8 GPUs (V100) | 19 s |
#
# You run a part of it, and find out where some of the 19 seconds went.
#
# ## What you will be able to do
#
# - **Cut** an array larger than memory into chunks, and read its task graph.
# - **Choose** a scheduler and a chunk size, by what a task costs.
# - **Read** the task stream of Dask's dashboard.
# - **Move** the work from NumPy to CuPy, and from one GPU to several.
# - **Tell** which operations move data between workers.
#
# You need NumPy, and units 01 and 02. Without a GPU, the cluster gets two simulated ones of 512 MB each.

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

from hundredfold import compare, limit, machine, measure, plot, quiz
from hundredfold.toolkit.extrapolation import extrapolate

# %%
os.environ |= {
    "GPUSIM_GPUS": "2",
    "GPUSIM_GPU_MEMORY": "512MB",
}  # two small GPUs for the cluster; a real GPU ignores it
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
# **Explain.** Dask drew no number. A **Dask array** is a plan: a grid of **[chunks](../docs/glossary.md#term-chunk)**, with a recipe for each one. A
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
# `everything.compute()` would run the plan, for hours.
#
# ## The task graph
#
# A **[task](../docs/glossary.md#term-task)** is one call of a function, on one chunk or a few. The
# **[task graph](../docs/glossary.md#term-task-graph)** is all tasks of a plan, with an arrow wherever one task needs the result of another. Here is the graph for two chunks:
#
# ![A task graph of two chunks. For each chunk the tasks normal, plus 1, every second element, and sum follow each other. One more task adds up the two
# sums. A dashed frame around the tasks of a chunk marks what Dask fuses into one task.](drawings/task-graph.svg)
#
# Before it runs a graph, Dask **fuses** tasks that follow each other on a chunk. That saves tasks, but no kernels: NumPy or CuPy runs each step.
#
# **Predict.** How many tasks do four chunks make, before fusing and after it?

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
# The 17 tasks become 5. Each number pair in the picture is a chunk's place in the grid.
#
# Dask also leaves out tasks whose result nobody needs. `read_chunk` makes a chunk, and counts its calls:

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
# **Question.** You run `files.mean().compute()`, and then `files.std().compute()`. How many chunks are read in total?
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
# **Explain.** Each task has a **key**, its name in the graph. One `compute` runs each key once. Afterwards Dask keeps no chunk.
#
# `x.persist()` computes all chunks and keeps them in memory. Use it for what you need again, if it fits.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: the same seed, the same array
#
# Dask makes a key from the function and its arguments. Two arrays with the same seed have the same keys, and so the same numbers. For independent numbers draw twice
# from one `RandomState`:

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
# The dashboard listens on any free port, for this machine only.
cluster = LocalCUDACluster(dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL)
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
# gives tasks to two workers, one for each GPU, and they report that a task is done. Each worker keeps chunks. A chunk goes directly from one worker to another.](drawings/client-scheduler-workers.svg)
#
# ## A look at the dashboard
#
# The scheduler shows its work as live plots, the **dashboard**. In the lab they are beside this notebook; elsewhere open `client.dashboard_link`:
#
# ![The task stream of two workers, time from left to right. Each rectangle is a task, and its colour is the kind of task. An orange piece before a task is the
# time in which a worker fetches data from the other. White is time without a task.](drawings/task-stream.svg)
#
# - Each row is a worker with one GPU.
# - Each rectangle is a task. Its length is its time. Its colour is the kind of function.
# - A **red** rectangle is not a task. The worker fetches data from another worker. Our drawings use orange for it.
# - **White** means no task.
#
# Each chunk of the next array has 500 whole rows. `rechunk` makes chunks of 500 whole columns from their pieces. Run the cell, and watch the
# plot. `get_task_stream` collects the same data:

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
# Fetching small chunks can take longer than the tasks. At the [published](https://github.com/NVIDIA/nccl/issues/1264) 380 GB/s, NVLink moves these 32
# MB from one H100 to another in 0.1 ms. A larger run:
#
# ![A screenshot of Dask's task stream with two rows, one for each worker. Wide green tasks come first, in each row. Narrow blue and purple tasks follow. Then there are red pieces, in which
# data moves, with narrow tasks and white gaps between them.](drawings/dask-task-stream.svg)
#
# Green tasks make random numbers. Blue and purple ones cut chunks, and join the pieces.

# %% [markdown]
# ## What a task costs
#
# A task that does **nothing** still takes time: the scheduler's **overhead**.
#
# **Predict.** How many µs does an empty task take on one thread, and how many on the cluster?

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
# **Explain.** The scheduler sends each task to another process as a message, and gets one back. All workers share one scheduler. So **more workers do
# not lower the overhead.**
#
# [Dask's documentation](https://distributed.dask.org/en/stable/efficiency.html) gives about 1 ms for a task of a cluster; yours depends on your CPU. It also gives a rule:
# **a task should take 100 ms or longer**. Then the overhead is 1 %.

# %% [markdown]
# **Question.** In which of these task streams are the chunks too small?
#
# ![Three task streams of two workers, a, b and c, time from left to right. In a, each task comes after an orange piece that is as long as the task. In b, long tasks follow
# each other without a gap. In c, short tasks are far apart, with white between them.](drawings/three-streams.svg)
#
# - (a) data before each task
# - (b) no gaps
# - (c) mostly gaps

# %%
my_answer = "?"
quiz("dask-arrays.streams", my_answer)

# %% [markdown]
# How long does a GPU need for a chunk of the post? Count the bytes for each number: `normal` writes 8, and `+ 1` reads 8 and writes 8. `sum` reads half of the rows,
# and all of each, because memory is read in pieces of 32 bytes or more. That adds 4 bytes: 28 in total.

# %%
nbytes = 28 * 10_000**2
for gpu in ("V100", "H100"):
    print(f"limit: its bytes on one {gpu}: {1e3 * limit(bytes=nbytes, machine=gpu).seconds:.2f} ms")
for gpus, seconds in ((1, 97), (8, 19)):
    print(f"published: on each of {gpus} V100:  {1e3 * seconds * gpus / 2_500:.1f} ms")
print(f"the scheduler: 2500 tasks of 1 ms are {2_500 * 1e-3:.1f} s of the 19 s")

# %% [markdown]
# In 2019 a chunk took much longer than its bytes need. On an H100 the bytes take less time than the scheduler's 1 ms.
#
# ## How large is a chunk?
#
# ![The same array cut in three ways for four workers. In 256 chunks, too small: the workers wait for the scheduler between short tasks. In 16 chunks, good: all
# workers are busy. In one chunk, too large: one worker is busy and three are idle.](drawings/chunk-sizes.svg)
#
# **Predict.** The threads of your CPU compute 4 million numbers, 32 MB. Which side of a square chunk is the fastest: 50, 100, 250, 500, 1 000 or 2 000?

# %%
my_side = "?"

# %% [markdown]
# **Measure.**


# %%
def seconds(expression):
    start = perf_counter()
    expression.compute(scheduler="threads")
    return perf_counter() - start


n = 2_000
sides, times, counts = [50, 100, 250, 500, 1_000, 2_000], [], []
for side in sides:
    x = da.random.RandomState(seed=side).normal(10, 1, size=(n, n), chunks=side)
    expression = (x + 1)[::2, ::2].sum()
    counts.append((n // side) ** 2)
    times.append(min(seconds(expression) for _ in range(3)))
    print(f"{side:5}² {counts[-1]:5} chunks of {8 * side**2 / 1e6:.3g} MB: {1e3 * times[-1]:.0f} ms")
print("is the fastest yours? You said", my_side)
print(f"one chunk takes {times[-1] / min(times):.1f}× as long; idle cores explain {cores}× at most")
plot.lines(
    sides,
    {
        "here: all threads": times,
        "empty tasks": [overhead["threads"] * count for count in counts],
        "H100, limit": [limit(bytes=28 * n**2, machine="H100").seconds] * len(sides),
    },
    xlabel="side of a chunk",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="4 million numbers, by chunk size",
    note="Empty tasks: one for each chunk. H100: the bytes, by its data sheet.",
)

# %% [markdown]
# **Explain.** On the left are too many tasks: half the side makes four times as many. A real task costs more than an empty one: Dask calls NumPy for
# each step. At the right end one chunk keeps one core busy. A chunk larger than the cache costs more, too.
#
# A large array needs larger chunks:
#
# - **On a CPU**, 100 MB or more, by [Dask's documentation](https://docs.dask.org/en/stable/array-best-practices.html).
# - **On a GPU**, as large as fits with all that the task makes. If a task only moves bytes, even a large chunk takes less than 100 ms. On an H100:

# %%
for size in (0.8e9, 8e9, 80e9):
    took = limit(bytes=28 / 8 * size, machine="H100").seconds
    share = 1e-3 / (took + 1e-3)
    print(f"{size / 1e9:4.3g} GB: bytes {1e3 * took:5.3g} ms; 1 ms of overhead is {100 * share:.0f} %")

# %% [markdown]
# An H100 has 80 GB, so the last chunk does not fit. Give each task more work, or use one GPU without a cluster.

# %% [markdown]
# ---
# *End of the first sitting: a good place for a break.*
#
# ## From NumPy to CuPy in one line
#
# The setting `array.backend` chooses the library that **makes** the chunks. All later steps stay with it:

# %%
with dask.config.set({"array.backend": "cupy"}):
    x = da.random.RandomState(seed=1).normal(10, 1, size=(4_000, 4_000), chunks=1_000)
print(x)
gpu_mean = x.mean().compute(scheduler="single-threaded")

# %% [markdown]
# The `chunktype` at the end names this library. For an array that you have already, `x.to_backend("cupy")` copies each chunk over the bus.
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

# %% [markdown]
# Only `float(gpu_mean)` copies it to the host.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: a surprise with CuPy
#
# CuPy's new `Generator` has no method `normal`. That is why this lecture uses `RandomState`:

# %%
with dask.config.set({"array.backend": "cupy"}):
    try:
        da.random.default_rng(seed=1).normal(10, 1, size=(4, 4))
    except AttributeError as error:
        print("AttributeError:", error)

# %% [markdown]
# ## Two terabytes
#
# `extrapolate` times a few chunks of the post's expression, then twice as many, and so on. A straight line through these times predicts the time of all
# chunks. The error is the larger of two: the uncertainty of the line's slope, and the error of predicting the largest part from the smaller ones. If
# all chunks take less than two minutes, all are computed.


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
    error = max(found.slope_error, found.last_error)
    minutes = float(f"{found.seconds / 60:.2g}")
    print(f"{name:17} {minutes:g} min ± {100 * error:.0f} %; {100 * found.share:.3f} % was computed")

# %% [markdown]
# Two times that differ by less than their errors cannot be told apart.
#
# The strongest way on a CPU uses no Dask, and a faster generator of random numbers. Each core draws one megabyte at a time, which stays in its cache:


# %%
def in_cache(numbers, seed):
    rng, buffer, total = np.random.Generator(np.random.SFC64(seed)), np.empty((256, 512)), 0.0
    for _ in range(numbers // buffer.size):
        rng.standard_normal(out=buffer)
        buffer += 10 + 1
        total += buffer[::2, ::2].sum()
    return total


each = 2**23  # numbers for each core
with ThreadPoolExecutor(cores) as threads:
    drawn = measure(lambda: sum(threads.map(in_cache, [each] * cores, range(cores))), repeat=3, max_time=3)
whole_array["NumPy in cache, no Dask"] = drawn.median / (each * cores) * 500_000**2
strongest = min(seconds for way, seconds in whole_array.items() if "NumPy" in way)
naive = whole_array["NumPy, 1 core"]
least = limit(bytes=8 * 500_000**2)  # to write each number once
compare("dask-arrays.sum", whole_array, naive=naive, strongest=strongest, limit=least, n=500_000**2)

# %% [markdown]
# **Explain.** Without a GPU, *here: CuPy* is the simulator on your CPU. Its GPUs share the cores, so two are no faster than one. The simulator
# has a fast generator, too, and can beat NumPy. Chunks are 1 000 × 1 000 here; the title gives the post's.
#
# The chart's limit counts each number once, 2 TB. At 28 bytes for each number the steps move 7 TB:

# %%
least = {name: limit(bytes=28 * 500_000**2, machine=name).seconds for name in ("V100", "H100")}
for name, bound in least.items():
    print(f"{name}: 7 TB take at least {bound:.1f} s")
print(f"published: one V100 took {97 / least['V100']:.0f}× that; eight were {97 / 19:.1f}× as fast as one")

# %% [markdown]
# CuPy's sum was slow in 2019 (unit 02). The post does not explain the rest.

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
# A sum is a **tree**: one number of each chunk moves. `rechunk` moves whole chunks or pieces of them. In a **[shuffle](../docs/glossary.md#term-shuffle)** each new chunk needs a piece of every old one:
#
# ![Two ways in which chunks meet. A sum is a tree: each chunk is summed where it is, one task adds the sums of four chunks, a second those of the other four, and a last one adds the two. From chunks
# of rows to chunks of columns every new chunk needs a piece of every old one: 16 pieces for four chunks.](drawings/tree-or-shuffle.svg)
#
# ### Along a whole axis
#
# An FFT needs the whole axis in one chunk. Dask moves no data unasked:

# %%
x = da.random.RandomState(seed=4).normal(size=(1_024, 1_024), chunks=256)
try:
    da.fft.fft(x, axis=0)
except ValueError as error:
    print("ValueError:", " ".join(str(error).split())[:80], "…")

# %% [markdown]
# So you ask for it, with `rechunk`. Each new chunk needs four old ones, not all 16, so it is no shuffle:
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
# A smoothing gives each pixel the mean of 3 × 3 pixels. At the edge of a chunk some of these are in the next chunk.


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
shown = {"right": right[where], "wrong pixels": wrong[where]}
plot.images(shown, "The wrong pixels form a cross of two seams.")

# %% [markdown]
# **Explain.** The edges of each chunk are wrong: 9 × (200² − 198²) pixels. `map_overlap` first gives each chunk a **margin** of its neighbours' pixels:
#
# ![A map_overlap in three steps. A chunk of 200 by 200 pixels gets a margin of one pixel from the chunks around it, and has 202 by 202 pixels. The function runs
# on it. Then the margin is cut off, and 200 by 200 pixels remain.](drawings/overlap-margins.svg)
#
# The picture's outer edge has no neighbour. `boundary` fills the margin there:

# %%
for boundary in ("nearest", "reflect", "periodic", "none"):
    plan = picture.map_overlap(smooth, depth=1, boundary=boundary, dtype=float)
    smoothed = plan.compute(scheduler="threads")
    print(f"boundary={boundary!r:11} wrong: {np.count_nonzero(~np.isclose(smoothed, right)):4}")
on_device = picture.to_backend("cupy").map_overlap(smooth, depth=1, boundary="nearest", dtype=float)
print("the same on the device?", bool(np.allclose(cp.asnumpy(on_device.compute()), right)))

# %% [markdown]
# `"nearest"` repeats the edge pixel. `"reflect"` mirrors the picture, which is the same for one pixel. `"periodic"` takes the opposite side. `"none"`
# adds no margin there.
#
# ## A chunk that does not fit
#
# A chunk must fit into the memory of **one** device, with all that its task makes. A task for `x + 1` holds two chunks: old and new.
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
device_memory = min(client.run(lambda: cp.cuda.runtime.memGetInfo()[1]).values())  # of a worker
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
mean = float(fits.mean().compute())
print(f"made in {fits.npartitions} chunks of {8 * np.prod(fits.chunksize) / 1e6:.0f} MB: the mean is {mean:.0e}")
assert abs(mean) < 6 / side

# %% [markdown]
# **Explain.** `rechunk` comes too late: its first task still makes the large chunk. Choose the chunks where the array is **made** or read. The cluster
# survives the error.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: a second run that computes nothing
#
# While you hold a persisted array, the workers keep its chunks. The same line has the same keys. So its second run finds the chunks, and computes nothing. In a benchmark take a
# new seed for each run, and let the old result go:


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

# %% [markdown]
# ## Where the GPU loses
#
# The next cell sums an array in memory. Dask has it in four chunks, which makes five tasks:

# %%
gpu = machine.gpus.find("H100")
sizes = [10**3, 10**4, 10**5, 10**6, 10**7]
h100 = [gpu.launch + 8 * size / gpu.bandwidth for size in sizes]  # one launch, and the bytes
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
        "H100, at least": h100,
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
print(f"1 000 numbers: an H100 needs at least {h100[0] / alone[0]:.0f}× NumPy's time")
print(f"five tasks of 1 ms: an H100 reads {5e-3 * gpu.bandwidth / 1e9:.0f} GB in that time")

# %% [markdown]
# For 1 000 numbers one launch takes longer than NumPy's sum. Above some 10 000 the H100 could win, without Dask. Dask's lines are high even for 1 000:
# that is the cost of five tasks.
#
# For an array that fits into memory, try NumPy. For one that fits into a GPU, try CuPy. Dask is for larger arrays, and for long tasks.
#
# Close the cluster:

# %%
client.close()
cluster.close()

# %% [markdown]
# ## Key points
#
# - A Dask array is a plan: **chunks**, and a **graph** of tasks. `compute` runs it, and keeps nothing.
# - The scheduler has an **overhead** for each task. More workers do not lower it. A task should take 100 ms or longer.
# - Chunks of a large array have 100 MB or more on a CPU. On a GPU take the largest that fits with all that its task makes.
# - `array.backend` chooses NumPy or CuPy. A `Client` brings several workers.
# - A sum moves one number of each chunk, `map_overlap` moves margins, and `rechunk` can move everything.
#
# ## The exercise
#
# Six problems, 35 minutes: [exercises/10_dask-arrays.ipynb](../exercises/10_dask-arrays.ipynb).
#
# ## Further reading
#
# - M. Rocklin, [GPU Dask Arrays, first steps](https://blog.dask.org/2019/01/03/dask-array-gpus-first-steps), 3 January 2019: the table at the top.
# - Dask's documentation: [efficiency](https://distributed.dask.org/en/stable/efficiency.html) (1 ms and 100 ms for a task),
#   [array best practices](https://docs.dask.org/en/stable/array-best-practices.html) (100 MB for a chunk), [chunks](https://docs.dask.org/en/stable/array-chunks.html),
#   [overlapping computations](https://docs.dask.org/en/stable/array-overlap.html), [scheduling](https://docs.dask.org/en/stable/scheduling.html) and
#   [the dashboard](https://docs.dask.org/en/stable/dashboard.html).
# - Dask-CUDA's documentation: [LocalCUDACluster](https://docs.rapids.ai/api/dask-cuda/stable/).
