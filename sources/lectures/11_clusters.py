# ---
# jupyter:
#   hundredfold:
#     unit: 11
#     slug: clusters
#     title: "Clusters: one worker for each GPU"
#     teaching: 60
#     exercises: 40
#     dashboard: true
# ---

# %% [markdown]
# # 11 · Clusters: one worker for each GPU
#
# *Unit 11 · clusters · 60 minutes in two sittings, then 40 for the exercises; the optional parts are not counted*
#
# In unit 10 Dask cut arrays into chunks. Now you look at the cluster that computed them. You start one, fill its memory until results go to disk, and kill a worker. The answer is still right.
#
# ## What you will be able to do
#
# - **Start** one worker for each GPU, and check which GPU each uses.
# - **Tell** where a result is, and what it costs to bring it elsewhere.
# - **Send** a large table once, and not with every task.
# - **Write** a search in which results decide what is computed next.
# - **Predict** what is computed again when a worker dies, and what is lost.
#
# You need units 02 and 10, and no GPU: with fewer than two, this unit simulates two small ones. The processes, their memory limits and their deaths are real.

# %%
import os

from gpusim import hardware

if len(hardware.probe().usable) == 1:  # beside one GPU, two are simulated
    os.environ["GPUSIM_SIMULATE"] = "1"
# %load_ext hundredfold

# %%
import math
import runpy
import signal
import tempfile
import time
import warnings
from pathlib import Path

import cupy as cp
import dask
import numpy as np
from dask.distributed import Client, as_completed, get_task_stream, performance_report, wait
from dask_cuda import LocalCUDACluster
from dask_cuda.device_host_file import DeviceHostFile

from hundredfold import machine, measure, plot, quiz
from hundredfold.data import dips

# %%
os.environ |= {"GPUSIM_GPUS": "2", "GPUSIM_GPU_MEMORY": "256MB"}  # of the simulated ones; ignored on real GPUs

# %% [markdown]
# ## Four kinds of process
#
# ![The processes of a cluster with two GPUs. The client, your notebook, sends tasks to the scheduler. The scheduler hands them to two workers. Each worker computes with its GPU and keeps results. Results go from worker to worker, and through the scheduler to the client. Around each worker is its nanny.](drawings/cluster-processes.svg)
#
# - The **client** is your notebook. It sends [tasks](../docs/glossary.md#term-task), and fetches a result when you ask for it.
# - The **[scheduler](../docs/glossary.md#term-scheduler)** knows every task, and where each result is. It keeps no results itself.
# - A **[worker](../docs/glossary.md#term-worker)** computes tasks, and keeps their results.
# - A **[nanny](../docs/glossary.md#term-nanny)** starts one worker and watches it. If the worker dies, the nanny starts a new one.
#
# ## One worker for each GPU
#
# A process that uses a GPU has a **[context](../docs/glossary.md#term-context)** there: its loaded code, its memory, its queues. `LocalCUDACluster` starts one process for each GPU. The
# environment variable `CUDA_VISIBLE_DEVICES` lists the GPUs that a process sees. The first of them is its own:
#
# ![Two workers on a machine with two GPUs. Worker 0 has CUDA_VISIBLE_DEVICES set to 0,1 and worker 1 to 1,0. The first number of the list is the GPU that the worker calls GPU 0. So each worker has a GPU of its own.](drawings/one-worker-per-gpu.svg)
#
# This script makes an array, and starts a cluster. `client.run` calls a function on every worker:

# %%
script = Path(tempfile.mkdtemp()) / "two_workers.py"
written = script.write_text("""
import cupy
from dask.distributed import Client
from dask_cuda import LocalCUDACluster
from distributed.diagnostics.nvml import has_cuda_context

numbers = cupy.arange(1000)        # a small array, for later

def where(dask_worker):            # the GPU on which this worker has its context
    return dask_worker.name, has_cuda_context().device_info.device_index

if __name__ == "__main__":
    with LocalCUDACluster(dashboard_address="127.0.0.1:0") as cluster, Client(cluster) as client:
        found = sorted(client.run(where).values())
""")

# %% [markdown]
# **Predict.** On which GPU is worker 0, and on which is worker 1? Write two numbers.

# %%
my_gpus = "?", "?"

# %% [markdown]
# **Measure.** `runpy` runs a file as `python two_workers.py` would. A red warning is part of the example.

# %%
found = runpy.run_path(str(script), run_name="__main__")["found"]
print(f"worker: GPU {dict(found)}; you said {', '.join(map(str, my_gpus))}")

# %% [markdown]
# **Question.** Why are both on GPU 0?
#
# - (a) Each worker ran a line of the script before it knew its GPU.
# - (b) Both workers fit on GPU 0, and Dask fills one GPU after the other.
# - (c) `arange` puts its array on GPU 0, and the workers follow the data.

# %%
my_answer = "?"
quiz("clusters.early", my_answer)

# %% [markdown]
# **Explain.** A worker is a new Python process. It first runs your script, all but the part below `if __name__ == "__main__"`:
#
# ![The start of worker 1 in four steps. It runs your script again. The script makes an array, and with it a context on GPU 0. Then Dask-CUDA names GPU 1 as the worker's own. The process stays on GPU 0. GPU 0 now has two workers, and GPU 1 is idle.](drawings/context-too-early.svg)
#
# Nothing fails, but all other GPUs are idle. **First the cluster, then the GPU**: make no array at the top of a script or module.
#
# ## A pool for each worker
#
# Asking the driver for memory is slow (unit 02). **RMM**, the memory library of RAPIDS, takes a **[pool](../docs/glossary.md#term-memory-pool)** from the driver once. Arrays get pieces of it:
#
# ![The memory of one GPU as a bar. At the left is the worker's context, then a pool, then memory for other processes. In the pool are four arrays, with free pieces between them. A new array gets a free piece of the pool, without a call of the driver.](drawings/worker-pool.svg)
#
# On a GPU with 80 GB you could write:
#
# ```python
# LocalCUDACluster(rmm_pool_size="72GB", rmm_allocator_external_lib_list="cupy",
#                  device_memory_limit="60GB", memory_limit="200GB")
# ```
#
# A running task needs memory, too, so the pool is larger than `device_memory_limit`. Near `memory_limit` the nanny restarts a worker, and Python alone needs
# more than the 32 MB of our example. So the next cell gives both limits to `DeviceHostFile`, the store of a worker's results.

# %%
# On a busy machine a nanny may need long.
dask.config.set({"distributed.deploy.lost-worker-timeout": "300 s"})

cluster = LocalCUDACluster(
    rmm_pool_size="128MB",
    rmm_allocator_external_lib_list="cupy",  # CuPy takes its memory from the pool
    data=(DeviceHostFile, {"device_memory_limit": 32_000_000, "memory_limit": 32_000_000}),
    dashboard_address="127.0.0.1:0",
)
client = Client(cluster)


def look(dask_worker):
    import rmm

    pool = rmm.mr.get_current_device_resource()
    return dask_worker.name, os.environ["CUDA_VISIBLE_DEVICES"], pool.pool_size()


for name, devices, size in sorted(client.run(look).values()):
    print(f"worker {name}: CUDA_VISIBLE_DEVICES={devices}, a pool of {size / 1e6:.0f} MB")

# %% [markdown]
# ### A look at the dashboard
#
# In the lab, open *GPU Memory* from the Dask panel at the side:
#
# ![A screenshot of the panel GPU Memory, before any task has run. Its axis goes to 244 MiB. One green bar for each of two workers ends at 122 MiB. The title gives the sum, 244.14 MiB of 488.28 MiB.](drawings/dask-gpu-memory.svg)
#
# - The green area is two bars that touch, one for each worker.
# - The axis ends where a GPU's memory ends. Each bar ends at 122 MiB. That is 128 MB, the pool.
#
# **Question.** A task makes an array of 16 MB. Where does its worker's bar end then?
#
# - (a) at 16 MB
# - (b) at 144 MB
# - (c) at 128 MB, as before

# %%
my_answer = "?"
quiz("clusters.panel", my_answer)

# %% [markdown]
# ## Three levels for results
#
# When the results on a device exceed its limit, one of them goes to main memory. When that is full, one goes to disk. This is **[spilling](../docs/glossary.md#term-spilling)**:
#
# ![Where a worker keeps its results, in three levels: on the GPU, in main memory, on disk. When a level reaches its limit, its least recently used result goes one level down. A task that needs a spilled result brings it up to the GPU again.](drawings/spilling-levels.svg)
#
# **Question.** Results 0 to 4 fill the device to its limit. A task now reads result 0, and makes result 5. Which result goes down?
#
# - (a) 0, the oldest
# - (b) 1
# - (c) 5, the newest

# %%
my_answer = "?"
quiz("clusters.leaves", my_answer)

# %% [markdown]
# **Predict.** Our two limits are 32 MB each. One worker makes 24 results of 4 MB, and keeps them. How many are on the device at the end?

# %%
my_on_device = "?"

# %% [markdown]
# **Measure.** `client.submit` sends one task. It returns a **[future](../docs/glossary.md#term-future)**, which stands for the result. The result stays on its worker as long as you hold
# the future.

# %%
workers = client.scheduler_info()["workers"]
first, other = sorted(workers, key=lambda address: workers[address]["name"])  # addresses of workers 0 and 1


def places(dask_worker):
    data = dask_worker.data
    return {"on the device": len(data.device), "in main memory": len(data.host), "on disk": len(data.disk)}


results, seen = [], {"on the device": [], "in main memory": [], "on disk": []}
for number in range(24):
    results.append(client.submit(cp.full, 500_000, float(number), workers=[first]))
    wait(results[-1])
    for place, count in client.run(places, workers=[first])[first].items():
        seen[place].append(4.0 * count)
print({place: int(megabytes[-1] / 4) for place, megabytes in seen.items()}, f"you said {my_on_device}")
plot.lines(
    range(1, 25),
    seen,
    xlabel="results of 4 MB",
    ylabel="MB",
    title="Where the results of one worker are",
    note="device_memory_limit = memory_limit = 32 MB. Counted in the worker after each result.",
    brief=True,
)

# %% [markdown]
# **Explain.** Eight results of 4 MB are 32 MB. Only seven fit in main memory, because each has a header there. The rest is on disk. Tasks that need it are
# slow:


# %%
def total(arrays):
    return sum(float(array.sum()) for array in arrays)


for name, some in (("on the device", results[-8:]), ("on disk", results[:8])):
    start = time.perf_counter()
    client.submit(total, some, workers=[first]).result()
    print(f"{name:13}: {1e3 * (time.perf_counter() - start):.0f} ms for 32 MB")
del results

# %% [markdown]
# On the device, this is mostly the time of the task itself. From disk, each result is read, and another one is spilled. With a real GPU:

# %%
h100_memory, h100_bus = 3_240e9, machine.gpus.find("H100").link  # bytes/s
workstation_disk = 13e9 / 4.59  # 13 GB of text in 4.59 s
plot.times(
    {
        "published: an H100 reads its memory": 32e9 / h100_memory,
        "limit: the bus of an H100": 32e9 / h100_bus,
        "published: a workstation reads text from disk": 32e9 / workstation_disk,
    },
    title="To read 32 GB",
    note="Sources: Further reading. The bus: gpus.json of this course.",
)

# %% [markdown]
# If you read all 24 results in order, again and again, each is on disk when its turn comes. Use more workers, or release results earlier.
#
# Spilling does not help a single array that is larger than a GPU:

# %%
error = client.submit(cp.zeros, 10**13, dtype="u1").exception()
print(f"{type(error).__name__} for one array of 10 TB; workers alive: {len(client.run(os.getpid))}")

# %% [markdown]
# ## What travels with a task
#
# The next cell makes an array on a worker, and sums it:

# %%
a = client.submit(cp.ones, 1_000_000)
b = client.submit(cp.sum, a)
print(type(b).__name__, "→", int(b.result()))

# %% [markdown]
# **Question.** The array behind `a` has 8 MB. How much of it went through the notebook?
#
# - (a) 8 MB: from the worker to the notebook
# - (b) 16 MB: to the notebook, and to a worker again
# - (c) nothing

# %%
my_answer = "?"
quiz("clusters.moved", my_answer)

# %% [markdown]
# Now eight tasks get the same **array** as an argument, a table of 16 MB: `client.submit(score, table, k)`. `client.gather` fetches the results of a list of futures, in order. `byte_count`
# counts what the notebook sends.
#
# **Predict.** How many MB does the notebook send with the eight tasks together?

# %%
my_megabytes = "?"

# %%
table = np.random.default_rng(seed=0).random(2_000_000)


def score(table, k):
    return float(table[:: k + 1].sum())


def sent_by(function):
    """The bytes that the notebook sends with its tasks, and what the tasks return."""
    before = client.scheduler_comm.byte_count
    answers = client.gather(function())
    return client.scheduler_comm.byte_count - before, answers


with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    nbytes, scores = sent_by(lambda: [client.submit(score, table, k) for k in range(8)])
print(f"{nbytes / 1e6:.0f} MB; you said {my_megabytes} MB")
print("a warning for each task:", str(said[0].message).splitlines()[0])

# %% [markdown]
# **Explain.** The table went with each of the eight tasks, through the one process of the scheduler. `client.scatter` sends it once, before the tasks, and returns a future. With `broadcast=True` each worker gets a copy:
#
# ![Two ways to give eight tasks a table of 16 MB. As an argument the table leaves the notebook with each of the eight tasks. With scatter it leaves the notebook once, and worker 1 gets its copy from worker 0. The eight tasks carry only a future. All that leaves the notebook goes through the scheduler.](drawings/what-travels.svg)

# %%
there = client.scatter(table, broadcast=True)
nbytes, again = sent_by(lambda: [client.submit(score, there, k) for k in range(8)])
print(f"eight tasks with a future: {nbytes / 1e6:.2f} MB, without scatter itself")
print(f"the same scores? {again == scores}; copies of the table: {len(client.who_has(there)[there.key])}")

# %% [markdown]
# **Question.** `client.map` sends one task for each element of its lists. Which line does **not** send the table with its tasks?
#
# - (a) `[client.submit(lambda k: score(table, k), k) for k in range(8)]`
# - (b) `client.map(score, [table] * 8, range(8))`
# - (c) `client.map(score, [there] * 8, range(8))`

# %%
my_answer = "?"
quiz("clusters.travels", my_answer)

# %% [markdown]
# *A good place for a pause: the second sitting begins here.*
#
# ## Work that follows its results
#
# In a search, a result decides what is computed next. Our example is from the hundred-digit challenge of 2002: find the least value of
#
# $$\begin{split}
# f(x, y) = {}& e^{\sin 50x} + \sin(60 e^y) \\
# &+ \sin(70 \sin x) + \sin(\sin 80y) \\
# &- \sin(10(x+y)) + \frac{x^2+y^2}{4}
# \end{split}$$
#
# Where x or y is outside −1 … 1, no value is as low.

# %%
axes = {width: np.linspace(-width, width, 256) for width in (1, 0.1)}
pictures = {f"±{width}": dips.surface(*np.meshgrid(axis, axis))[0] for width, axis in axes.items()}
words = "A surface with thousands of dips, and a part of it near the centre."
plot.images(pictures, words, title="f, small values dark")

# %% [markdown]
# **Branch and bound** proves which of the thousands of dips is the deepest. It cuts the plane into squares. Each square has a **bound**: $f$ is nowhere lower in it. If the bound is above the best known
# value, the square is left out. The others are cut again:
#
# ![A square cut into 16 small squares, each with its bound. The best known value is minus 3.0. Twelve bounds are above it, so their squares are hatched and left out. One of the four others is cut into 16 again.](drawings/branch-and-bound.svg)
#
# `dips.refine` does one such step on the GPU. It returns the best value, the squares that are left, and half their width.
#
# `as_completed` gives you each future as soon as it is done, here with its result. `pending.update` adds **new futures** while the loop runs:

# %%
SMALLEST = 1e-8  # half the width of the last squares


def search(client, together=96):
    best, tasks = math.inf, 4
    # pure=False: a second search computes again, and does not get the results of the first one
    begin = {"h": 0.5, "best": best, "cuts": 128, "pure": False}
    cut = [client.submit(dips.refine, quarter[None], **begin) for quarter in dips.QUARTERS]
    pending = as_completed(cut, with_results=True)
    for _, (value, squares, h) in pending:
        best = min(best, value)
        if h > SMALLEST and len(squares):
            parts = np.array_split(squares, math.ceil(len(squares) / together))
            pending.update([client.submit(dips.refine, part, h, best, pure=False) for part in parts])
            tasks += len(parts)
    return best, tasks


# %% [markdown]
# The first four tasks cut a quarter each, into 128 × 128 squares. Each later step cuts a square into 16 × 16. There are more than 10¹⁶ squares of the last size.
#
# **Predict.** How many tasks does the search need: about 10, about 1 000, or about 100 000?

# %%
my_tasks = "?"

# %%
best, tasks = search(client)
print(f"the least value is {best:.2f}; as published, within 1e-11? {abs(best - dips.LEAST) < 1e-11}")
print(f"about {10 ** round(math.log10(tasks))} tasks; you said {my_tasks}")
assert abs(best - dips.LEAST) < 1e-11

# %% [markdown]
# **Explain.** Each step leaves out nearly all squares. No step waits for all tasks of the step before. A later task knows a lower best value, and leaves out more.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: is that search worth a cluster?
#
# Here is the same search in one process, in NumPy and in a compiled loop over all cores:


# %%
def by_numpy(squares, h, best, cuts=16):
    return dips.refine(squares, h, best, cuts=cuts, xp=np)


least, points = dips.search_here(dips.refine_compiled)
assert abs(least - best) < 1e-11
start = time.perf_counter()
search(client)
on_cluster = time.perf_counter() - start
ways = {
    "here: NumPy": measure(dips.search_here, by_numpy, repeat=3).median,
    "here: a compiled loop, all cores": measure(dips.search_here, dips.refine_compiled, repeat=3).median,
    "here: CuPy, one process": measure(dips.search_here, dips.refine, repeat=3).median,
    "here: CuPy, two workers": on_cluster,
}
strongest = min(ways["here: NumPy"], ways["here: a compiled loop, all cores"])
h200 = machine.gpus.find("H200")
arithmetic = 400 * points / h200.fp64  # 400 operations for each square: a rough count
print(f"two workers took {on_cluster / strongest:.1f}× as long as the fastest way in one process")
print(f"an H200: all arithmetic {1e6 * arithmetic:.1f} µs at least, one launch {1e6 * h200.launch:.1f} µs")
plot.times(ways, title="The least value of f", note="No times were published for this problem.")

# %% [markdown]
# Each task is too small for a GPU, and for a cluster. At an H200's limit, all arithmetic of the search takes less time than one launch.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: delayed functions
#
# `dask.delayed` is for a graph that is known before it runs, but is no array. You call functions as always, and nothing runs. Here 60 000 points walk downhill from random places:


# %%
@dask.delayed
def start_at(seed):
    return cp.random.default_rng(seed).uniform(-1, 1, (2, 20_000))


@dask.delayed
def downhill(points, steps=60):
    x, y = points
    rate = 2e-4
    for _ in range(steps):
        f, fx, fy = dips.surface(x, y, cp)
        x, y = x - rate * fx / (1 + abs(fx) / 40), y - rate * fy / (1 + abs(fy) / 40)
    return float(f.min())


lowest = dask.delayed(min)([downhill(start_at(seed)) for seed in range(3)])
print(f"a graph of {len(dict(lowest.__dask_graph__()))} tasks; nothing has run yet")
reached = lowest.compute()
print(f"the lowest point reached: {reached:.2f}")
assert best - 1e-9 < reached < best + 0.5

# %% [markdown]
# The walk is near the least value, but it cannot prove it.

# %% [markdown]
# ## An object that stays on a worker
#
# A task returns its result and ends. An **[actor](../docs/glossary.md#term-actor)** is an object that stays on one worker. The notebook and tasks can call its methods. They run on that worker, one after the other:
#
# ![An actor on worker 0: an object with an array of ten counts on the worker's GPU. The notebook calls its method add. The scheduler passes the call on to worker 0. It makes no task of it.](drawings/actor.svg)


# %%
class Tally:
    def __init__(self, bins):
        self.counts = cp.zeros(bins, dtype="int64")

    def add(self, values):
        self.counts += cp.histogram(cp.asarray(values), len(self.counts), (0, 1))[0]
        return int(self.counts.sum())


tally = client.submit(Tally, 10, actor=True, workers=[first]).result()
print("counted:", [tally.add(np.linspace(0, 1, n)).result() for n in (10, 100)])
call = measure(lambda: tally.add(np.zeros(1)).result(), repeat=20, min_time=0.0).median
task = measure(lambda: client.submit(abs, 1, pure=False).result(), repeat=20, min_time=0.0).median
print(f"one call of a method: {1e3 * call:.1f} ms; one task: {1e3 * task:.1f} ms")

# %% [markdown]
# A call is quicker than a task, because the scheduler only passes it on. It does not know the counts.
#
# ## What a task costs
#
# The time of one task, there and back, is its **latency**, as measured above.
#
# **Predict.** 500 tasks do next to nothing. You divide their time by 500. How many µs is that?

# %%
my_overhead = "?"

# %%
start = time.perf_counter()
done = client.gather(client.map(abs, range(-500, 0), pure=False))
each = (time.perf_counter() - start) / 500
assert sum(done) == 500 * 501 // 2
print(f"{1e6 * each:.0f} µs for each; you said {my_overhead} µs")
print(f"Dask's documentation: about 1 ms. In 1 ms an H100 reads {1e-3 * 3_240e9 / 1e9:.1f} GB (published)")

# %% [markdown]
# **Explain.** The latencies of the 500 tasks overlap. The scheduler limits the **throughput**, the tasks per second: it is one process, and hands out one task after the other.
#
# **Question.** 1 000 tasks compute for 10 ms each, on 64 workers. The scheduler needs 1 ms for each task. How long do all of them take at least?
#
# - (a) 0.16 s: 10 s, shared by 64 workers
# - (b) 1 s
# - (c) 1.16 s: both, added

# %%
my_answer = "?"
quiz("clusters.behind", my_answer)

# %%
seconds = np.array([1e-4, 1e-3, 2e-3, 8e-3, 64e-3, 1.0])  # with the corners of the three lines
plot.lines(
    seconds,
    {f"{workers} workers": list(seconds / np.maximum(seconds / workers, 1e-3)) for workers in (2, 8, 64)},
    xlabel="seconds that a task computes",
    ylabel="times as fast as one process",
    xlog=True,
    ylog=True,
    title="Workers behind one scheduler",
    note="Computed, with 1 ms for each task in the scheduler, and no other cost.",
    brief=True,
)

# %% [markdown]
# With tasks of 1 ms, 64 workers are as fast as one process without Dask. To keep them all busy, a task must take 64 × 1 ms. The rule of Dask's documentation, **100 ms or longer**,
# is enough for 100 workers.
#
# Work has other costs, too. In the published run of unit 10, with tasks of 39 ms, eight V100s were only 5.1 times as fast as one.
#
# ## What a byte between workers costs
#
# Over TCP a result goes from the device to main memory, through a socket, and to the other device.

# %%
size, took = 16_000_000, math.inf
for _ in range(3):
    array = client.submit(cp.zeros, size, "u1", workers=[first], pure=False)
    wait(array)
    start = time.perf_counter()
    assert client.submit(len, array, workers=[other], pure=False).result() == size
    took = min(took, time.perf_counter() - start)
rate = size / took
print(f"{rate / 1e6:.0f} MB/s: 16 MB took {1e3 * took:.0f} ms, with the task that needs them")

# %% [markdown]
# **[UCX](../docs/glossary.md#term-UCX)** is a library that uses **NVLink**, a direct link between GPUs, or a fast network. A DGX-1 is a server with eight V100s:

# %%
plot.times(
    {
        "here: TCP between two workers": 1e9 / rate,
        "published: TCP, DGX-1, 2019": 1e9 / 100e6,
        "published: UCX over NVLink, DGX-1, 2019": 1e9 / 7.5e9,
        "published: NVLink without Dask, 2 H100": 1e9 / 380e9,
    },
    title="One gigabyte from one GPU to another",
    note="Sources: Further reading. UCX: 5 to 10 GB/s, drawn as 7.5. A simulated GPU has no bus to cross.",
)

# %% [markdown]
# So the scheduler prefers the worker that has a task's inputs.
#
# ## A worker dies
#
# A batch system takes back a node, or Linux kills a process because memory is full. Here we kill a worker. First, 24 parts are loaded and cleaned. We keep only the cleaned ones:


# %%
def load(part):
    return cp.random.default_rng(part).standard_normal(100_000)


def clean(values):
    return cp.clip(values, -3, 3)


def weigh(values):
    time.sleep(0.1)  # a longer task
    return float((values * values).sum())


expected = sum(weigh(clean(load(part))) for part in range(2))  # two of them, in the notebook
loaded = client.map(load, range(24))
cleaned = client.map(clean, loaded)
del loaded
wait(cleaned)
scattered = client.scatter(np.arange(1000.0), workers=[first])  # a table, on worker 0 only
keys = {future.key for future in cleaned}
held = len(keys & set(client.has_what()[first]))
print(f"{len(cleaned)} cleaned parts, {held / 24:.0%} of them on worker 0")

# %% [markdown]
# Now each part is weighed. When six have been weighed, we kill worker 0.
#
# **Predict.** How many percent of the 24 parts must be **loaded** again?

# %%
my_share = "?"

# %% [markdown]
# **Measure.** `get_task_stream` collects what *Task Stream* shows.

# %%
processes = client.run(os.getpid)
with get_task_stream(client) as stream:
    weighed = client.map(weigh, cleaned)
    for _ in zip(range(6), as_completed(weighed), strict=False):
        pass
    os.kill(processes[first], signal.SIGKILL)
    answer = client.gather(weighed)
client.wait_for_workers(len(processes), timeout=120)

names = [str(task["key"]) for task in stream.data]
ran = {step: sum(name.startswith(step) for name in names) for step in ("load", "clean", "weigh")}
assert len(answer) == 24 and np.isclose(sum(answer[:2]), expected)
assert 0 < ran["load"] <= held
print(f"all {len(answer)} answers are there; you said {my_share} %")
ran["weigh"] -= 24  # the first time of each part
print("again:", ", ".join(f"{step} {count / 24:.0%}" for step, count in ran.items()), "of the parts")
print(f"the dead process is gone: {processes[first] not in client.run(os.getpid).values()}")

# %% [markdown]
# **Explain.** The scheduler still knows how each lost result was made. A lost cleaned part needs its loaded part, which was released. So both steps run again for the parts of worker 0. Its finished weights are lost, too:
#
# ![Four parts, each loaded, cleaned and weighed. The loaded parts were released, the cleaned ones are kept. Worker 0 dies with the cleaned parts 0 and 1. Both are loaded and cleaned again. Part 0 had been weighed, and is weighed again. Part 1 is weighed for the first time. The cleaned parts of worker 1 are still there.](drawings/worker-death.svg)
#
# **Question.** Which task may run twice without harm?
#
# - (a) a task that returns its counts
# - (b) a task that adds its counts to an actor
# - (c) a task that appends its counts to a file

# %%
my_answer = "?"
quiz("clusters.twice", my_answer)

# %% [markdown]
# Worker 0 also had `scattered`, a table, and the actor. No task made the table, and the actor's counts came from calls:

# %%
for name, ask in {
    "scattered table": lambda: client.submit(np.sum, scattered).result(timeout=60),
    "actor": lambda: tally.add(np.zeros(1)).result(timeout=60),
}.items():
    try:
        ask()
    except Exception as error:
        print(f"{name}: {type(error).__name__}")
    else:
        raise AssertionError(f"the {name} should be gone")

# %% [markdown]
# Scatter with `broadcast=True`, and write an actor's state to a file now and then.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: a task that kills every worker
#
# Some tasks kill every worker that runs them. The scheduler gives up on a task that has killed more workers than `allowed-failures`:


# %%
def allow(failures, dask_scheduler):
    before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, failures
    return before


default = client.run_on_scheduler(allow, 0)
error = client.submit(os._exit, 1, key="deadly").exception(timeout=120)
print(f"with 0 allowed failures: {type(error).__name__} at the first death")
print(f"the default allows {default} deaths")
client.run_on_scheduler(allow, default)
client.wait_for_workers(len(processes), timeout=120)

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: where does the time go?
#
# A **profiler** in each worker looks 100 times a second at the function that is running. `performance_report` writes all plots of the dashboard to one page. Here are three functions:


# %%
def draw(seed):
    return np.random.default_rng(seed).random((1_000, 100))


def ordered(values):
    return np.sort(values)  # each row


def added(values):
    total = 0.0
    for value in values.ravel():
        total += (value - 0.5) ** 2
    return total


# %% [markdown]
# **Predict.** In which of them do the workers spend most of their time?

# %%
my_culprit = "?"

# %%
report = Path(tempfile.mkdtemp()) / "report.html"
with performance_report(str(report), mode="inline"):
    numbers = client.map(draw, range(48))
    sums = client.gather(client.map(added, client.map(ordered, numbers)))
assert np.allclose(np.divide(sums, 100_000), 1 / 12, atol=0.01) and report.stat().st_size > 100_000
print(f"a page of {report.stat().st_size / 1e6:.0f} MB: {report}")

looks, before = {"none yet": 0}, None
until = time.monotonic() + 60
while (looks != before or sum(looks.values()) < 40) and time.monotonic() < until:
    time.sleep(1.5)  # workers send what they have seen once a second
    before, looks = looks, {name: client.profile(key=name)["count"] for name in ("draw", "ordered", "added")}
for name, count in looks.items():
    print(f"{name}: {count / sum(looks.values()):.0%}")
print(f"most of it: {max(looks, key=looks.get)}; you said {my_culprit}")
assert max(looks, key=looks.get) == "added"

# %% [markdown]
# The loop in `added` is run by Python's interpreter (unit 04). `client.profile(key="added", filename="added.html")` draws it function by function.

# %% [markdown]
# ## Where the GPU loses
#
# **Question.** Which job is much faster on eight GPUs than on one?
#
# - (a) 100 000 tasks of 1 ms
# - (b) 8 000 tasks of 200 ms that need nothing from each other
# - (c) 500 steps of 200 ms, each of which needs the step before

# %%
my_answer = "?"
quiz("clusters.worth", my_answer)

# %%
client.close()
cluster.close()

# %% [markdown]
# First make the work fast on one GPU. Make the tasks long enough, and count what moves. Add workers last.
#
# ## Key points
#
# - A **scheduler** knows tasks, and **workers** keep results. Each GPU has one worker. First the cluster, then the GPU.
# - Results **spill** from the device to main memory and to disk, least recently used first.
# - Arguments travel with a task. A **future** is only a name. `scatter` sends a table once.
# - `as_completed` is for work that follows its results. An **actor** keeps state on one worker.
# - When a worker dies, the results of its tasks are computed again. Its actors are lost, and scattered data without a copy. So a task should change nothing but its result.
# - The scheduler needs about 1 ms for each task. So a task should take 100 ms or longer.
#
# ## The exercise
#
# Five problems, 40 minutes: [exercises/11_clusters.ipynb](../exercises/11_clusters.ipynb).
#
# ## Further reading
#
# - Dask's documentation: [futures](https://docs.dask.org/en/stable/futures.html), [resilience](https://distributed.dask.org/en/stable/resilience.html),
#   [diagnosing performance](https://distributed.dask.org/en/stable/diagnosing-performance.html), [actors](https://distributed.dask.org/en/stable/actors.html) and
#   [efficiency](https://distributed.dask.org/en/stable/efficiency.html) (1 ms and 100 ms for a task).
# - Dask-CUDA's documentation: [LocalCUDACluster](https://docs.rapids.ai/api/dask-cuda/stable/), [spilling](https://docs.rapids.ai/api/dask-cuda/stable/spilling/), and its troubleshooting page on a context that comes too early. It
#   began with [dask-cuda issue 721](https://github.com/rapidsai/dask-cuda/issues/721).
# - [fast.cu](https://github.com/pranjalssh/fast.cu), README at commit 38eb642e0c: a sum of 2³⁰ int32 on an H100 at 3 240 GB/s.
# - [RAPIDS deployment documentation](https://github.com/rapidsai/deployment), notebook rapids-1brc-single-node at commit d67c133734: a workstation with two Quadro RTX 8000 reads 13 GB of text in 4.59 s. By its text the disk is the limit.
# - [dask-cuda pull request 183](https://github.com/rapidsai/dask-cuda/pull/183), 2019: about 100 MB/s over TCP on a DGX-1. M. Rocklin and R. Zamora,
#   [Experiments in High Performance Networking with UCX and DGX](https://blog.dask.org/2019/06/09/ucx-dgx), 2019: 5 to 10 GB/s over NVLink.
# - [NCCL issue 1264](https://github.com/NVIDIA/nccl/issues/1264): p2pBandwidthLatencyTest, 380 GB/s from one H100 to another.
# - F. Bornemann, D. Laurie, S. Wagon, J. Waldvogel, *The SIAM 100-Digit Challenge*, 2004, chapter 4: the same minimum, −3.30686864747523728…
# - A. Land, A. Doig, *An Automatic Method of Solving Discrete Programming Problems*, Econometrica 28, 1960: branch and bound.
# - M. Rocklin, [Dask: Parallel Computation with Blocked algorithms and Task Scheduling](https://conference.scipy.org/proceedings/scipy2015/matthew_rocklin.html), SciPy 2015.
