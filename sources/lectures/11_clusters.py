# ---
# jupyter:
#   hundredfold:
#     unit: 11
#     slug: clusters
#     title: "Clusters: one worker for each GPU"
#     teaching: 45
#     exercises: 30
#     dashboard: true
# ---

# %% [markdown]
# # 11 · Clusters: one worker for each GPU
#
# *Unit 11 · clusters · 45 minutes, then 30 for the exercises*
#
# In unit 10, Dask cut arrays into chunks, and you hardly saw who computed them. In this unit you look at the machine behind it: a *cluster*, which may
# be two processes on your desk or a thousand in a hall. You start it, fill its memory until it spills, give it work that is neither an array nor a table, and
# kill a part of it in the middle. The answer will still be right.
#
# ## What you will be able to do
#
# - **Start** one worker for each GPU, with a pool of memory, and find the mistake that puts all of them on the first.
# - **Watch** results move from the device to main memory and on to disk, and say what that costs.
# - **Write** work that goes where results lead: futures, `as_completed`, delayed functions, queues, actors.
# - **Kill** a worker, say beforehand what will be computed again, and what nobody can bring back.
# - **Measure** what a task costs, what a byte between workers costs, and where the time of a cluster goes.
# - **Decide** when one process is faster than all of them.
#
# You need units 02 and 10. All of it runs in a minute or two.
#
# Without GPUs, two small ones are simulated, each in a process of its own: the processes, their memory limits, what they send and how they
# die are real; times are your processor's.

# %%
# %load_ext hundredfold

# %%
import math
import os
import runpy
import signal
import tempfile
import time
from pathlib import Path

import cupy as cp
import dask
import numba
import numpy as np
from dask.distributed import Client, Queue, as_completed, get_task_stream, performance_report, wait
from dask_cuda import LocalCUDACluster
from dask_cuda.device_host_file import DeviceHostFile

from hundredfold import limit, measure, plot

# %%
# Heard only where GPUs are simulated: two of them, small enough that memory runs out soon.
os.environ |= {"GPUSIM_GPUS": "2", "GPUSIM_GPU_MEMORY": "256MB"}

# %% [markdown]
# ## Who is there
#
# | process | what it does | how many |
# |---|---|---|
# | **client** | your notebook: hands out tasks, holds *futures*, fetches results | one or several |
# | **scheduler** | knows every task, who needs whose result and where each result lies; touches no data | one |
# | **worker** | computes tasks and keeps their results | one for each GPU |
# | **nanny** | starts a worker, watches its memory, starts it anew when it dies | one for each worker |
#
# Why a process of its own for each GPU? Because what CUDA keeps, its *context* (the code that is loaded, the memory that is taken), belongs to a
# process and a GPU; because whoever forgets to switch the current device computes on the first one; and because Python runs one thread at a time. So
# `LocalCUDACluster` starts, for each GPU, a process of one thread, which has `CUDA_VISIBLE_DEVICES` in another order: each worker believes that
# its own GPU is number 0.
#
# ### The mistake that everybody makes once
#
# Here is a script as many have one. It starts a cluster and asks each worker on which GPU it is.

# %%
script = Path(tempfile.mkdtemp()) / "early.py"
written = script.write_text("""
import cupy
from dask.distributed import Client
from dask_cuda import LocalCUDACluster
from distributed.diagnostics.nvml import has_cuda_context

table = cupy.arange(1000)          # a small table, for later

def where(dask_worker):
    return dask_worker.name, has_cuda_context().device_info.device_index

if __name__ == "__main__":
    with LocalCUDACluster(dashboard_address="127.0.0.1:0") as cluster, Client(cluster) as client:
        found = sorted(client.run(where).values())
""")

# %% [markdown]
# **Predict.** On which GPU is worker 0, and on which worker 1? Write the two numbers, in this order.

# %%
my_gpus = [0, 1]

# %% [markdown]
# **Measure.** (`runpy` runs a file as `python early.py` would.)

# %%
found = runpy.run_path(str(script), run_name="__main__")["found"]
print(f"worker: GPU {dict(found)}; you said {my_gpus}")
assert all(gpu == 0 for _, gpu in found)

# %% [markdown]
# **Explain.** Both are on the first, and the second GPU has nothing to do. A worker is a new Python process, and like every process that
# `multiprocessing` starts (by *spawn*) it first runs your script's file again, all but what stands under `if __name__ == "__main__"`. So the line with the table
# makes a CUDA context in each worker *before* Dask-CUDA has told it which GPU is its own; and a process does not change its GPU any more. Nothing fails. The cluster is only
# half as fast, and its first GPU is full sooner. Dask-CUDA warns, in red above this text or in the terminal: *A CUDA context for device 0 already exists*.
#
# The rule: **the cluster first, the GPU afterwards**. No array at the top of a script, none at the import of a module of yours. (A notebook has no file that is run
# again. But it should not fill the first GPU either before the cluster is there: the first worker has to share it.)
#
# ## A cluster with limits
#
# Now ours. RMM is RAPIDS' allocator of device memory. Its *pool* takes memory once, and gives CuPy parts of it without asking the driver, which would wait for
# all of the GPU's work each time (CuPy's own pool in unit 02 does the same). Results that do not fit on the device go to main memory, and from there to disk: to *spill* is the word.
#
# At work you would write `device_memory_limit="64GB", memory_limit="200GB"`. Dask-CUDA makes of both the `DeviceHostFile` below, the mapping in which a worker
# keeps its results. We hand it over ourselves, with limits of 32 MB, so that you need not wait for 264 GB.

# %%
# A worker that died and is not back after this time is given up for good; 15 s are too few for a busy machine.
dask.config.set({"distributed.deploy.lost-worker-timeout": "300 s"})

cluster = LocalCUDACluster(
    rmm_pool_size="128MB",
    rmm_allocator_external_lib_list="cupy",
    data=(DeviceHostFile, {"device_memory_limit": 32_000_000, "memory_limit": 32_000_000}),
    dashboard_address="127.0.0.1:0",
)
client = Client(cluster)


def look(dask_worker):
    import rmm

    return dask_worker.name, os.environ["CUDA_VISIBLE_DEVICES"], rmm.mr.get_current_device_resource().pool_size()


for name, devices, size in sorted(client.run(look).values()):
    print(f"worker {name}: CUDA_VISIBLE_DEVICES={devices}, a pool of {size / 1e6:.0f} MB")

# %% [markdown]
# In the lab, the plots on the right show this cluster from now on: *task stream* (who computes what, when), *progress*, *memory of each worker*. Keep an eye on them.
#
# ## Memory in three storeys
#
# **Predict.** One worker makes 24 results of 4 MB and keeps them. How many of them lie on the device in the end, and which?

# %%
my_on_device = 24

# %% [markdown]
# **Measure.** `client.submit` hands out one task and returns a *future*, a promise of its result. The result stays where it was made, as long as
# you hold the future.

# %%
first = sorted(client.scheduler_info()["workers"])[0]


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
    title="Where the results of one worker lie",
    note="device_memory_limit = memory_limit = 32 MB. Counted in the worker after each result.",
    brief=True,
)

# %% [markdown]
# **Explain.** Eight results fill the device: its line rises to 32 MB and stays there. The ninth sends *the one that was used longest ago* down to main memory; and when that is full, the one that lies there longest goes
# to disk. (Seven there, not eight: what is brought down carries a header.) Nothing is lost and nothing fails. It only becomes slow, and you find out by looking:
# in the panel *memory of each worker*, what was spilled is grey.
#
# How slow? The eight that lie on the device, and eight that lie on disk, each added up by one task:


# %%
def total(arrays):
    return sum(float(array.sum()) for array in arrays)


spilled = {}
for name, some in (("on the device", results[-8:]), ("on disk", results[:8])):
    start = time.perf_counter()
    added = client.submit(total, some, workers=[first]).result()
    assert added == 500_000 * sum(range(24)[-8:] if name == "on the device" else range(8))
    spilled[name] = time.perf_counter() - start
    print(f"{name:13}: {1e3 * spilled[name]:.0f} ms for 32 MB")
print(
    f"to fetch them up takes {spilled['on disk'] / spilled['on the device']:.1f}× as long, and sends eight others down"
)

# %% [markdown]
# The limit of it is the slowest way, a disk's few GB/s; and it is gone both ways, since for each result that comes up another one goes down. Read in a circle what does not
# fit, and *every* reading comes from disk. So a cluster that spills wants larger limits, smaller chunks, or to be done with a result before the next is made.
#
# What is larger than the device itself cannot be helped by spilling:

# %%
error = client.submit(cp.zeros, 10**9, dtype="u1").exception()
print(
    type(error).__name__, "for one array of", f"{1e9 / 1e6:.0f} MB;", "workers that live:", len(client.run(os.getpid))
)
del results

# %% [markdown]
# ## Work that goes where results lead
#
# The graphs of unit 10 were known before anything ran. Much work is not like that: a search, a game, a simulation that is refined where it is
# interesting. Here is one. In 2002, N. Trefethen put a hundred-dollar, hundred-digit challenge; its fourth problem asks for the least value of
#
# $$f(x, y) = e^{\sin 50x} + \sin(60 e^y) + \sin(70 \sin x) + \sin(\sin 80y) - \sin(10(x+y)) + \frac{x^2+y^2}{4}$$
#
# A surface with thousands of dips. We want not only to find the deepest but to *know* that it is: by **branch and bound**. Cut the plane into small squares. In each of them
# $f$ cannot be less than
#
# $$f(c) - h\,(|f_x(c)| + |f_y(c)|) - K h^2$$
#
# where $c$ is its centre, $h$ half its width, and $K$ no less than half the sum of the second derivatives' absolute values, anywhere. Where this *bound* is higher
# than a value that was found already, the square can be left out. The others are cut again. (Outside of −1 … 1 no search is needed: there $x^2+y^2$ is too large. And
# $K$ = 22 300 is what adding up the largest that each term can be gives.)


# %%
CURVED = 22_300.0


def surface(x, y):
    """f and its two slopes."""
    xp = cp.get_array_module(x)
    s, e, t, v, w = 50 * x, 60 * xp.exp(y), 70 * xp.sin(x), xp.sin(80 * y), 10 * (x + y)
    bump = xp.exp(xp.sin(s))
    f = bump + xp.sin(e) + xp.sin(t) + xp.sin(v) - xp.sin(w) + (x * x + y * y) / 4
    fx = 50 * xp.cos(s) * bump + 70 * xp.cos(x) * xp.cos(t) - 10 * xp.cos(w) + x / 2
    fy = e * xp.cos(e) + 80 * xp.cos(80 * y) * xp.cos(v) - 10 * xp.cos(w) + y / 2
    return f, fx, fy


def refine(squares, h, best, cuts=16, xp=cp):
    """Cut squares into cuts × cuts; return the least value known, the centres that its bound leaves, and their h."""
    h /= cuts
    steps = (2 * xp.arange(cuts) - cuts + 1) * h
    x = (xp.asarray(squares)[:, 0, None, None] + steps[:, None] + 0 * steps).ravel()
    y = (xp.asarray(squares)[:, 1, None, None] + 0 * steps[:, None] + steps).ravel()
    f, fx, fy = surface(x, y)
    best = min(best, float(f.min()))
    left = f - h * (abs(fx) + abs(fy)) - CURVED * h * h < best
    found = xp.stack([x[left], y[left]], axis=1)
    return best, found if xp is np else found.get(), h


# %% [markdown]
# Each task cuts some squares on its worker's GPU: thousands of points, all at once. Which tasks there will be, nobody knows beforehand. `as_completed` gives back
# each future when it is ready, whichever that is (with `with_results=True` a pair, the future and its result), and **takes in new ones while it is read**. That is
# all one needs:

# %%
QUARTERS = np.array([[-0.5, -0.5], [-0.5, 0.5], [0.5, -0.5], [0.5, 0.5]])
SMALLEST = 1e-8


def search(client, together=96):
    best, tasks = math.inf, 4
    # pure=False: a second search is done again, and not answered from the first one's results
    cut = [client.submit(refine, quarter[None], 0.5, best, cuts=128, pure=False) for quarter in QUARTERS]
    pending = as_completed(cut, with_results=True)
    for _, (value, squares, h) in pending:
        best = min(best, value)
        if h > SMALLEST and len(squares):
            parts = np.array_split(squares, math.ceil(len(squares) / together))
            pending.update([client.submit(refine, part, h, best, pure=False) for part in parts])
            tasks += len(parts)
    return best, tasks


# %% [markdown]
# **Predict.** To look everywhere with squares of this size would take 10¹⁶ of them. How many tasks, of at most 25 000 squares each, will the search hand out?

# %%
my_tasks = 10_000

# %% [markdown]
# **Measure.**

# %%
search(client)  # the first call is each worker's first one, too, and is not timed
start = time.perf_counter()
best, tasks = search(client)
on_cluster = time.perf_counter() - start
published = -3.306868647475237  # see Further reading
print(f"the least value is {best:.2f}…, as published to {-math.log10(max(abs(best - published), 1e-11)):.0f} places")
print(f"and by the last bound nowhere lower by more than {CURVED * SMALLEST**2:.0e}")
print(f"fewer than 200 tasks: {tasks < 200}; you said {my_tasks}")
assert abs(best - published) < 1e-11
assert tasks < 200

# %% [markdown]
# **Explain.** 10¹⁶ squares, and so few tasks: each generation leaves out most of its squares. A result that comes early and is low rules out what
# others have not begun yet. Nobody waits for a generation to be complete: had we used `client.gather` on all tasks of one, the slowest would have held up the rest.
#
# Is it a good use of a cluster? Ask, as always: *against what*? The same search in this process alone, and its strongest form on a
# processor, one compiled loop over all cores.


# %%
@numba.njit(parallel=True)
def bounds(x, y, h, f, low):
    for i in numba.prange(len(x)):
        s, e, t, v, w = 50 * x[i], 60 * math.exp(y[i]), 70 * math.sin(x[i]), math.sin(80 * y[i]), 10 * (x[i] + y[i])
        bump, cw = math.exp(math.sin(s)), 10 * math.cos(w)
        f[i] = bump + math.sin(e) + math.sin(t) + math.sin(v) - math.sin(w) + (x[i] ** 2 + y[i] ** 2) / 4
        fx = 50 * math.cos(s) * bump + 70 * math.cos(x[i]) * math.cos(t) - cw + x[i] / 2
        fy = e * math.cos(e) + 80 * math.cos(80 * y[i]) * math.cos(v) - cw + y[i] / 2
        low[i] = f[i] - h * (abs(fx) + abs(fy)) - CURVED * h * h


def refine_compiled(squares, h, best, cuts=16):
    h /= cuts
    steps = (2 * np.arange(cuts) - cuts + 1) * h
    x = (squares[:, 0, None, None] + steps[:, None] + 0 * steps).ravel()
    y = (squares[:, 1, None, None] + 0 * steps[:, None] + steps).ravel()
    f, low = np.empty_like(x), np.empty_like(x)
    bounds(x, y, h, f, low)
    best = min(best, f.min())
    left = low < best
    return best, np.stack([x[left], y[left]], axis=1), h


points = 0


def alone(refine):
    global points
    best, waiting, points = math.inf, [(q[None], 0.5, 128) for q in QUARTERS], 0
    while waiting:
        squares, h, cuts = waiting.pop(0)
        points += len(squares) * cuts**2
        best, squares, h = refine(squares, h, best, cuts=cuts)
        if h > SMALLEST and len(squares):
            parts = np.array_split(squares, math.ceil(len(squares) / 96))
            waiting += [(part, h, 16) for part in parts]
    return best


assert abs(alone(refine_compiled) - best) < 1e-11
naive = measure(alone, lambda *told, **more: refine(*told, **more, xp=np), repeat=1)
strongest = measure(alone, refine_compiled, repeat=3)
on_one = measure(alone, refine, repeat=1)
ways = {
    "NumPy": naive.median,
    "a compiled loop, all cores": strongest.median,
    "CuPy, one process": on_one.median,
    "CuPy, two workers": on_cluster,
}
limits = {name: limit(flops=400 * points, dtype="float64", machine=name) for name in ("cpu", "V100", "H200")}
named = {"cpu": "this CPU", "V100": "V100", "H200": "H200"}
plot.times(
    {f"here: {name}": seconds for name, seconds in ways.items()}
    | {f"limit: {named[name]}": each.seconds for name, each in limits.items()},
    title="Branch and bound to the hundred-digit challenge's fourth minimum",
    note="Times taken here, on this CPU where there is no GPU. Limits: 400 operations for each square.",
)

# %%
for name, seconds in ways.items():
    print(f"{name:27}{limits['cpu'].share(seconds):.1%} of this CPU's limit,", end=" ")
    print(
        f"{ways['a compiled loop, all cores'] / seconds:.2f}× the strongest, {ways['NumPy'] / seconds:.1f}× the naive one"
    )

# %% [markdown]
# (Some twenty operations for each sine and exponential, and twenty of those for each point: the limit is rough. Nothing was published for it but the digits.) Two
# workers are *not* faster here than one process: the problem is too small, and its tasks too short. What a task costs we measure below; first the other ways to say
# what is to be done.
#
# ## Delayed functions, queues, actors
#
# **`dask.delayed`** is for graphs that are known, but are no arrays: call functions as always, nothing runs, and what comes out is a graph of calls. Three
# starts, a few steps downhill from each, and the best:


# %%
@dask.delayed
def start_at(seed):
    return cp.random.default_rng(seed).uniform(-1, 1, (2, 20_000))


@dask.delayed
def downhill(points, steps=60):
    x, y = points
    rate = 2e-4
    for _ in range(steps):
        f, fx, fy = surface(x, y)
        x, y = x - rate * fx / (1 + abs(fx) / 40), y - rate * fy / (1 + abs(fy) / 40)
    return float(f.min())


lowest = dask.delayed(min)([downhill(start_at(seed)) for seed in range(3)])
print(f"a graph of {len(dict(lowest.__dask_graph__()))} tasks or more; nothing has run yet")
reached = lowest.compute()
print(f"sixty thousand walkers come down to {reached:.2f}; none can tell that it is the least")
assert best - 1e-9 < reached < best + 0.5

# %% [markdown]
# **A `Queue`** lies on the scheduler; everybody can put small things in and take them out. It lets a task speak *while* it runs:


# %%
def talk(name, steps):
    said = Queue(name)
    for step in range(steps):
        said.put(step)
    return steps


said = Queue("said", client=client)
talking = client.submit(talk, "said", 3)
print("while it runs:", [said.get(timeout=60) for _ in range(3)], "and its result:", talking.result())
said.close()

# %% [markdown]
# **An actor** is an object that lives on a worker, with its arrays on that worker's GPU. Everybody who has it can call its methods, which run there, one
# after the other. The calls do not pass through the scheduler, so they are quicker than tasks. In exchange, the scheduler knows nothing of them. (`pure=False`, below:
# compute it again, even if the same call was made before. Otherwise Dask takes two equal calls for one.)


# %%
class Tally:
    def __init__(self, bins):
        self.counts = cp.zeros(bins, dtype="int64")

    def add(self, values):
        self.counts += cp.histogram(cp.asarray(values), len(self.counts), (0, 1))[0]
        return int(self.counts.sum())


tally = client.submit(Tally, 10, actor=True, workers=[first]).result()
print("counted:", [tally.add(np.linspace(0, 1, n)).result() for n in (10, 100)])
call = measure(lambda: tally.add(np.zeros(1)).result(), repeat=20, min_time=0.0)
task = measure(lambda: client.submit(abs, 1, pure=False).result(), repeat=20, min_time=0.0)
print(
    f"a call of a method and its answer: {1e3 * call.median:.1f} ms; a task and its result: {1e3 * task.median:.1f} ms"
)

# %% [markdown]
# ## What a task costs
#
# One task there and back is mostly waiting. What counts is how many a scheduler can hand out when there are many.
#
# **Predict.** Five hundred tasks that do next to nothing: how many µs for each?

# %%
my_overhead = 50

# %%
start = time.perf_counter()
done = client.gather(client.map(abs, range(-500, 0), pure=False))
each = (time.perf_counter() - start) / 500
assert sum(done) == 500 * 501 // 2
print(f"{1e6 * each:.0f} µs for each; you said {my_overhead} µs")
print(f"so a task that computes {1e3 * 10 * each:.0f} ms pays a tenth of that to be scheduled")

# %% [markdown]
# **Explain.** That is the **floor of the scheduler**: one Python process, one task after the other. (Dask's documentation says 200 µs, the exercises
# reckon with 500; it is more where a few cores run scheduler, workers and notebook.) It does not become less with more workers; with many of them they wait for it. Unit 10
# measured the same floor under its chunks. From it follows how large a task ought to be: ten times as long as that *times the number of workers*, at least.
#
# ## What a byte between workers costs
#
# A worker that needs a result from another one fetches it: from the device to main memory, through a socket, and up to the other device. With NVLink
# or InfiniBand and UCX it would go from GPU to GPU (unit 12); this is the way that every machine has, TCP.
#
# **Predict.** Memory on your machine moves some GB/s (unit 02). How many MB/s will arrive at the other worker, of an array of 16 MB?

# %%
my_rate = 5000

# %%
one, other = (sorted(client.scheduler_info()["workers"]) * 2)[:2]
sizes, times = [10_000, 100_000, 1_000_000, 4_000_000, 16_000_000], []
for size in sizes:
    least = math.inf
    for _ in range(3):
        array = client.submit(cp.zeros, size, "u1", workers=[one], pure=False)
        wait(array)
        start = time.perf_counter()
        assert client.submit(len, array, workers=[other], pure=False).result() == size
        least = min(least, time.perf_counter() - start)
    times.append(least)
rate = sizes[-1] / times[-1]
print(f"{rate / 1e6:.0f} MB/s; you said {my_rate} MB/s. Even a small one takes {1e3 * times[0]:.0f} ms, as a task does")
plot.lines(
    sizes,
    {
        "here: fetched from the other worker": times,
        "limit: four copies in main memory": [limit(bytes=8 * size, machine="cpu").seconds for size in sizes],
    },
    xlabel="bytes",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="From worker to worker over TCP",
    note="Times taken here: one task that only fetches. Down, into the socket, out of it, up: four copies",
)

# %% [markdown]
# **Explain.** Left, nothing but the task: what is smaller than 100 kB moves for nothing. Right, the bytes: several copies, the socket, Python's own work for each frame. (On a busy machine the task's own
# price may hide them; then the rate above is too low.)
# Whether to move a result or to compute it again is therefore a question of arithmetic, and the scheduler answers it for you: it gives a task to the worker that has most
# of its inputs.
#
# ## A worker dies
#
# Batteries fail, batch systems take back nodes, the kernel's *OOM killer* strikes. We do it ourselves, with the strongest signal there is. Before it: 24 parts are loaded, cleaned and
# kept; the loaded ones are let go. The actor of before lives on the first worker, and so does a table that the notebook has *scattered*, that is, sent there.


# %%
def load(part):
    return cp.random.default_rng(part).standard_normal(100_000)


def clean(values):
    return cp.clip(values, -3, 3)


def weigh(values):
    time.sleep(0.1)  # a longer task, so that somebody can die in it
    return float((values * values).sum())


expected = sum(weigh(clean(load(part))) for part in range(2))  # two of them, here
loaded = client.map(load, range(24))
cleaned = client.map(clean, loaded)
del loaded
wait(cleaned)
table = client.scatter(np.arange(1000.0), workers=[first])
keys = {future.key for future in cleaned}
held = len(keys & set(client.has_what()[first]))
print(f"the first worker holds {held / 24:.0%} of the cleaned parts")

# %% [markdown]
# **Predict.** When six of the 24 have been weighed, the first worker's process is killed. Which share of the 24 parts, in percent, will have to be loaded again?

# %%
my_share = 0

# %% [markdown]
# **Measure.** `get_task_stream` notes each task that ends: the same data that the task stream beside this notebook shows.

# %%
processes = client.run(os.getpid)
with get_task_stream(client) as stream:
    weighed = client.map(weigh, cleaned)
    for _ in zip(range(6), as_completed(weighed), strict=False):
        pass
    died = time.time()
    os.kill(processes[first], signal.SIGKILL)
    answer = client.gather(weighed)
client.wait_for_workers(len(processes), timeout=120)

again = [task["key"] for task in stream.data]
loads = sum(str(key).startswith("load") for key in again)
repeated = sum(again.count(future.key) > 1 for future in weighed)
assert len(answer) == 24 and np.isclose(sum(answer[:2]), expected)
assert 0 < loads <= held and {task["key"] for task in stream.data} >= {future.key for future in weighed}
print(f"all 24 are right; {loads / 24:.0%} of the parts were loaded again, you said {my_share} %")
print(f"the dead process is gone: {processes[first] not in client.run(os.getpid).values()}")

# %%
names = dict.fromkeys([first], "the one that dies") | {w: "the other" for w in processes if w != first}
ends = [(task["startstops"][-1]["stop"] - died, names.get(task["worker"], "its successor")) for task in stream.data]
grid = np.linspace(min(when for when, _ in ends), max(when for when, _ in ends), 60)
plot.lines(
    grid,
    {
        name: [float(sum(when <= moment for when, who in ends if who == name)) for moment in grid]
        for name in dict.fromkeys(["the one that dies", "the other", "its successor"])
    },
    xlabel="seconds after the kill",
    ylabel="tasks ended",
    title="A worker is killed in mid-computation",
    note="From the task stream of this run. The successor is started by the nanny; it may come when all is done.",
    brief=True,
)

# %% [markdown]
# **Explain.** In the picture the line of the one that dies stops at the kill; the others go on, with what is done again. A lost result is a gap in a graph that the scheduler still knows. So it asks for it again: and since a cleaned part is made of a loaded one,
# which had been let go, it is loaded again, too, and cleaned, and weighed. (All that it held, also what had been weighed already: the notebook still holds every cleaned part, and so asks for it.) What the *other* worker held stays as it was. Nothing in our code
# speaks of any of that.
#
# This works under one condition: **the same task, run again, gives the same result, and changes nothing else.** A task that draws random numbers without a
# seed gives another result the second time; one that adds to a file, a queue or an actor adds twice. (`load` has a seed for that reason.)
#
# And what is not made by a task cannot be made again:

# %%
for name, ask in {
    "scattered table": lambda: client.submit(np.sum, table).result(timeout=60),
    "actor": lambda: tally.add(np.zeros(1)).result(timeout=60),
}.items():
    try:
        ask()
    except Exception as error:
        print(f"{name}: {type(error).__name__}")
    else:
        raise AssertionError(f"the {name} should be gone")

# %% [markdown]
# Both lived on the worker alone. `client.scatter(…, broadcast=True)` puts a copy on every worker, and `client.replicate` makes copies of any result. Of an actor, write
# down now and then what you could not do without.
#
# One more thing that you will meet. A task that kills *every* worker it comes to (too much memory, a bug in C) must not be tried for ever: after three
# deaths (`distributed.scheduler.allowed-failures`) the scheduler gives it up.

# %%
client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))  # at once, for us
error = client.submit(os._exit, 1, key="deadly").exception(timeout=120)
print(type(error).__name__, "in the task", error.task)
client.wait_for_workers(len(processes), timeout=120)

# %% [markdown]
# ## Where does the time go?
#
# Three instruments, from coarse to fine. The *task stream* tells for each task how long it computed, and how long it waited for bytes. The **statistical profiler** looks a hundred
# times a second at what each worker's thread is doing; it is always on. And `performance_report` writes all of it, with the plots, into one page that you can send around.
#
# **Predict.** Three kinds of tasks: one draws numbers, one sorts them, one adds up their squares in a loop. Where will the workers spend their time: in `draw`, `ordered` or `added`?

# %%
my_culprit = "ordered"


# %%
def draw(seed):
    return np.random.default_rng(seed).random(100_000)


def ordered(values):
    return np.sort(values)


def added(values):
    total = 0.0
    for value in values:
        total += value * value
    return total


report = Path(tempfile.mkdtemp()) / "report.html"
with performance_report(str(report), mode="inline"):
    numbers = client.map(draw, range(24))
    sums = client.gather(client.map(added, client.map(ordered, numbers)))
assert np.allclose(np.divide(sums, 100_000), 1 / 3, atol=0.01) and report.stat().st_size > 100_000
print(f"a page of {report.stat().st_size / 1e6:.0f} MB: {report}")


until, looks = time.monotonic() + 60, {}
while sum(looks.values()) < 20 and time.monotonic() < until:
    looks = {name: client.profile(key=name)["count"] for name in ("draw", "ordered", "added")}
    time.sleep(0.2)  # workers hand over what they have seen once a second
for name, count in looks.items():
    print(f"{name}: {count / sum(looks.values()):.0%}")
print(f"most of it: {max(looks, key=looks.get)}; you said {my_culprit}")
assert max(looks, key=looks.get) == "added"

# %% [markdown]
# **Explain.** The loop: it is the interpreter's, element by element (unit 04). (`client.profile(key="added", filename="added.html")` draws what lies below, function by
# function.) A profile of a cluster is read like any other. But look at the task stream first, and at
# the red in it: transfers. White gaps are a third thing: workers that wait for the scheduler, or for you.
#
# ## Where the GPU loses
#
# A second GPU loses where one is enough, and that is more often than one thinks:

# %%
print(f"our search on two workers took {on_cluster / strongest.median:.1f}× as long as in one compiled loop")
seconds = np.array([1e-4, 1e-3, 1e-2, 1e-1, 1.0])
plot.lines(
    seconds,
    {f"{workers} workers": list(seconds / np.maximum(seconds / workers, each)) for workers in (2, 8, 64)},
    xlabel="seconds that a task computes",
    ylabel="times as fast as one worker",
    xlog=True,
    title="What workers are worth behind one scheduler",
    note="Reckoned: a task takes its time over the workers, or the scheduler's time here, whichever is longer.",
    brief=True,
)

# %% [markdown]
# A task shorter than the scheduler's time for it gains nothing from more workers: all curves begin as one, below 1 on the vertical axis, where one process alone is
# faster; each levels off at its number of workers. Before you distribute: **make it fast on one** (by the best of the ways above); then give each task
# enough to do; then count what moves; and only then add workers. With tasks of a second all 64 are worth their money, as long as the scheduler takes less than a 64th of it.

# %%
client.close()
cluster.close()

# %% [markdown]
# ## Key points
#
# - A cluster is a scheduler, which knows, and workers, which compute and **keep results**. One process for each GPU; the cluster first, the GPU afterwards.
# - Results spill from the device to main memory to disk, least recently used first. Nothing fails, it only becomes slow: look.
# - Futures, `submit`, `map`, `gather` and `as_completed` are all it takes for work that follows its results. `delayed` is for graphs that are known; queues are for small
#   messages; actors keep state, and lose it.
# - What stands in a task's arguments travels with it. A future in the arguments costs nothing: the scheduler brings the task to the data.
# - When a worker dies, what it held is computed again from what is still there. Tasks must give the same result twice and change nothing else.
# - A task has a price, paid one after the other in one process. It is the floor under everything that Dask does.
# - One compiled process beats a small cluster on a small problem.
#
# ## The exercise
#
# Five problems, 30 minutes: [exercises/11_clusters.ipynb](../exercises/11_clusters.ipynb). You will repair a search that ships its table with every task, foretell what spills and
# what is computed again, write a branch and bound of your own, and count correctly while workers die.
#
# ## Further reading
#
# - Dask's documentation: [Futures](https://docs.dask.org/en/stable/futures.html), [Resilience](https://distributed.dask.org/en/stable/resilience.html), which says what is
#   recomputed and what is lost, [Diagnosing performance](https://distributed.dask.org/en/stable/diagnosing-performance.html), and
#   [Actors](https://distributed.dask.org/en/stable/actors.html).
# - Dask-CUDA's documentation: [LocalCUDACluster](https://docs.rapids.ai/api/dask-cuda/stable/), its section on spilling, and its troubleshooting, where the context that came too
#   early has a chapter of its own; the thread that it began with is [dask-cuda 721](https://github.com/rapidsai/dask-cuda/issues/721).
# - F. Bornemann, D. Laurie, S. Wagon, J. Waldvogel, *The SIAM 100-Digit Challenge*, 2004, chapter 4: the same minimum by interval arithmetic, with the digits −3.30686864747523728…
# - A. Land, A. Doig, *An Automatic Method of Solving Discrete Programming Problems*, Econometrica 28, 1960: branch and bound.
# - M. Rocklin, [Dask: Parallel Computation with Blocked algorithms and Task Scheduling](https://conference.scipy.org/proceedings/scipy2015/matthew_rocklin.html), SciPy 2015.
