# ---
# jupyter:
#   hundredfold:
#     unit: 16
#     slug: profiling
#     title: "Profiling: where the time goes"
#     teaching: 45
#     exercises: 45
# ---

# %% [markdown]
# # 16 · Profiling: where the time goes
#
# *Unit 16 · profiling · 45 minutes, then 45 for the exercises; the optional parts are not counted*
#
# A program on a GPU is slow. Is the cause a kernel, a copy, or Python? People guess, and they are often wrong. A **profiler** records when the host and the device did
# what. In this unit you read such records, and you find four common faults in them.
#
# ## What you will be able to do
#
# - **Read** a timeline: who works, who waits, and who waits for whom.
# - **Name** parts of your program, so that a profiler shows them.
# - **Remove** a wait and an allocation from a loop, and let kernels run beside copies.
# - **Compute** what a faster kernel is worth, before you write it.
# - **Open** a report of NVIDIA's profiler from a real GPU.
#
# You need units 01 and 02. The cells need less than half a minute, with or without a GPU.

# %%
# %load_ext hundredfold

# %%
import cupy as cp
import cupyx
import numpy as np
import nvtx
from cupyx.profiler import benchmark

from hundredfold import data, lens, measure, quiz

# %% [markdown]
# All estimates of this unit are for one GPU, an H200. Put the name of yours here, and run the notebook again:

# %%
gpu = lens.use_gpu("H200")
print(f"{gpu.name}: {1e6 * gpu.launch:.1f} µs for a launch, {gpu.link / 1e9:.0f} GB/s from host to device")

# %% [markdown]
# ## Two rows
#
# The host launches a kernel and goes on. The device runs the kernels in order. So a picture of the run has two rows above one axis of time:
#
# ![Two rows along the time. The host launches three kernels, one after the other, and then waits. The device begins the first kernel a little after its launch and runs all three, each after the one before. The host's wait ends when the last kernel ends.](drawings/timeline-rows.svg)
#
# Such a picture is a **[timeline](../docs/glossary.md#term-timeline)**. The functions of your program are not in it. You add them as **[NVTX ranges](../docs/glossary.md#term-NVTX-range)**: a name
# with a beginning and an end. The package `nvtx` costs next to nothing while no profiler runs, so ranges may stay in a program.
#
# This program gives each of six frames a score:

# %%
frames = np.random.default_rng(16).random((6, 1000, 1000), dtype=np.float32)


def smooth(x):
    for _ in range(3):
        x = (x + cp.roll(x, 1, axis=0) + cp.roll(x, 1, axis=1)) / 3
    return x


def score(frame):
    with nvtx.annotate("load"):
        x = cp.asarray(frame)
    with nvtx.annotate("smooth"):
        x = smooth(x)
    with nvtx.annotate("score"):
        return float(x.std())


# The first call compiles kernels, and asks for memory.
print(f"{score(frames[0]):.2f}")

# %% [markdown]
# **Predict.** Which of the three ranges takes longest on an H200: load, smooth or score? Python's own time does not count.

# %%
my_longest = "?"

# %% [markdown]
# **Measure.** `%%timeline` in the first line of a cell runs the cell, and draws its timeline.

# %%
# %%timeline
scores = [score(each) for each in frames]

# %% [markdown]
# **Explain.** There are three kinds of rows:
#
# - *ranges*: load, smooth and score, six times. A narrow block shows no name.
# - *host*: your Python, launches, and waits. The Python was measured on this CPU, as wall time. A long block may also be time in which the CPU ran another program. A launch takes a fixed time, estimated for the chosen GPU.
# - *default stream*: the device's queue of work, which it runs in order. These times are **estimates** for the chosen GPU, from bytes and operations (unit 02). They are not measurements.
#
# `memcpy HtoD` is a copy from host to device, and `DtoH` is one back. The host waits for each of them here: six frames and six scores make 12 waits. The picture's legend explains its colours.
#
# The `smooth` ranges are long in this picture, because Python on this CPU is in them. `lens.timeline(f, x)` returns the timeline of a call, and `without_host()` leaves Python out. So the numbers are the same on every machine:


# %%
def ranges(timeline):
    total = {}
    for entry in timeline.without_host().ranges:
        total[entry.name] = total.get(entry.name, 0) + entry.seconds
    return total


seen = lens.timeline(lambda: [score(frame) for frame in frames])
for name, seconds in ranges(seen).items():
    print(f"{name:6} {1e6 * seconds:4.0f} µs (estimate)")
print(f"you said: {my_longest}")

# %% [markdown]
# Without Python, loading takes longest: 4 MB for each frame come from ordinary memory (see *The copy that could overlap*). Scoring comes next, because CuPy computes the variance in one block, on one of the 132 multiprocessors.
# Smoothing is 15 kernels for each frame, and the launches set its time. In a real run each launch costs Python's time, too, so smoothing may take longer there.
#
# The next sections show common faults, each in a short program.
#
# ## Read the gaps
#
# A gap in the device's row has a cause in the host's row above it:
#
# ![Three pairs of rows, host above device. A: the host computes for long between short kernels, and the device is idle. B: the host waits for each kernel before it launches the next, and the device is idle in between. C: the host launches ahead, and the kernels follow each other without a gap.](drawings/timeline-patterns.svg)
#
# **Question.** Which of the three patterns has a loop with `print(float(x.max()))` in each pass?
#
# - (a) A
# - (b) B
# - (c) C

# %%
my_answer = "?"
quiz("profiling.pattern", my_answer)

# %% [markdown]
# **Question.** You buy a GPU that runs each kernel in half the time. Which program gains least?
#
# - (a) the one of pattern A
# - (b) the one of pattern B
# - (c) the one of pattern C

# %%
my_answer = "?"
quiz("profiling.faster-gpu", my_answer)

# %% [markdown]
# ## The wait that serialises
#
# This loop stops when the array hardly changes. With `every=8` it tests this in every eighth step:


# %%
def settle(x, every, most=24):
    for step in range(1, most + 1):
        new = (x + cp.roll(x, 1, axis=0)) / 2
        change = cp.abs(new - x).max()
        x = new
        if step % every == 0 and float(change) < 1e-9:
            break
    return x


x = cp.random.random((2000, 2000), dtype=cp.float32)
for every in (1, 8):
    settle(x, every)  # now the pool has the memory for both

# %% [markdown]
# **Predict.** The loop runs 24 steps. How often does the host wait, with `every=1` and with `every=8`?

# %%
my_waits = ("?", "?")

# %%
for every in (1, 8):
    found = lens.timeline(settle, x, every).without_host()
    idle = sum(gap.seconds for gap in found.gaps)
    print(f"every={every}: {len(found.waits)} waits, the device is idle for {1e6 * idle:.0f} µs")
    print(f"         total {1e6 * found.seconds:.0f} µs (estimate)")
print(f"you said: {my_waits}")

# %% [markdown]
# **Explain.** `float` needs the number on the host. The host waits until it is there, and launches nothing meanwhile. Then the device has nothing to do until the next launch arrives.
# So host and device take turns: the wait **serialises** them. Here 21 more waits cost a tenth of the time. With shorter kernels it would be more.
#
# `float`, `int`, `.item()`, `print`, an `if` on an array, and `x[mask]` all wait. Find such a line, and ask whether each step needs it.
#
# Here are five steps with `every=1`. The device is idle after each wait:

# %%
lens.timeline(settle, x, 1, most=5).without_host()

# %% [markdown]
# ## The copy that could overlap
#
# *A good place for a pause.*
#
# The device has an engine for copies beside its processors. So a copy can run while a kernel computes. It must be in another **[stream](../docs/glossary.md#term-stream)**, because work of one
# stream runs in order:
#
# ![Four blocks, each a copy and a kernel. With one stream, copy and kernel take turns, and the work takes eight steps. With two streams, the copy of the next block runs while the kernel of this block computes, and the work takes five steps.](drawings/copies-beside-kernels.svg)
#
# Pinned memory overlaps best (unit 02). Ordinary memory goes through a pinned buffer. The host fills this buffer itself, and it launches the block's kernels
# only afterwards. So a copy takes longer, too. On [an H200](../docs/how-we-know.md#on-an-h200), ordinary memory was copied at 7 to 16 GB/s,
# and pinned memory at 32 to 55, from 1 MiB on. The timeline takes 10 GB/s for ordinary memory. It shows the filling and the transfer as one copy, for which the host waits.

# %%
pinned = cupyx.empty_pinned(frames.shape, np.float32)
pinned[...] = frames


def squares(blocks, streams):
    sums = cp.zeros(len(blocks), cp.float32)
    cp.cuda.Device().synchronize()  # the zeros are there before other streams write
    for i, block in enumerate(blocks):
        with streams[i % len(streams)]:
            y = cp.asarray(block)
            sums[i] = (y @ y).sum()
    for stream in streams:
        stream.synchronize()
    return sums


one = [cp.cuda.Stream(non_blocking=True)]  # it does not wait for the default stream
two = [cp.cuda.Stream(non_blocking=True) for _ in range(2)]
ways = {
    "ordinary memory, two streams": (frames, two),
    "pinned, one stream": (pinned, one),
    "pinned, two streams": (pinned, two),
}
for name, (blocks, streams) in ways.items():
    squares(blocks, streams)
    found = lens.timeline(squares, blocks, streams).without_host()
    print(f"{name:29} {1e6 * found.overlap:3.0f} µs beside a kernel, total {1e6 * found.seconds:.0f} µs (estimate)")

# %% [markdown]
# **Explain.** One stream has no overlap. Ordinary memory has some: the kernels of one block run while the host is held by the next copy. But its copies take five times as long,
# so that it is the slowest of the three. From pinned memory the copies follow each other without a gap:

# %%
lens.timeline(squares, pinned, two).without_host()

# %% [markdown]
# **Question.** Someone adds `print(float(sums[i]))` as the last line of the `with` block. What happens to the overlap?
#
# - (a) Nothing: a number has only 4 bytes.
# - (b) It is gone.
# - (c) It gets larger, because the host has more to do.

# %%
my_answer = "?"
quiz("profiling.overlap", my_answer)

# %% [markdown]
# Streams with `non_blocking=True` have a price: the host and the other streams do not wait for them unless you say so. Without the `synchronize` at the end the caller may read sums that are not there yet. Without the one at the beginning a stream may write
# before the zeros are there. The simulator runs in order, so the answers would still be right here. But the timeline
# warns you when two streams use the same memory and nothing orders them, and when nobody waits for a stream.
#
# ## The allocation in the loop
#
# CuPy's pool keeps freed memory (unit 02). With `free_all_blocks` in a loop the memory goes back to the [driver](../docs/glossary.md#term-driver) in each pass. `cudaFree` gives it back, and
# `cudaMalloc` asks for it again:
#
# ![A loop asks for memory. On the left the pool hands out the block that the last pass gave back; the driver is not asked. On the right free_all_blocks gives the block to the driver in each pass: cudaFree waits for the device, and cudaMalloc brings the block back.](drawings/pool-and-driver.svg)


# %%
def three_passes(x):
    for _ in range(3):
        y = cp.sin(x)
        del y
        cp.get_default_memory_pool().free_all_blocks()


cp.get_default_memory_pool().free_all_blocks()  # what earlier cells left in the pool
freed = lens.timeline(three_passes, x).without_host()
freed

# %%
print(f"{len(freed.driver_calls)} calls of cudaMalloc and cudaFree, {1e6 * freed.busy:.0f} µs of kernels (estimate)")

# %% [markdown]
# **Explain.** Each pass calls `cudaMalloc` and `cudaFree` once, and `cudaFree` waits for the device. A call takes
# 0.22 ms, far longer than the kernel. The next section has a report from a GPU. The median of its calls above 0.1 ms is about the same.
#
# ## A report from a real GPU
#
# So far the device's times were estimates. NVIDIA's profiler **[Nsight Systems](../docs/glossary.md#term-Nsight-Systems)** measures them on a GPU. Its command is `nsys`:
#
# ```bash
# nsys profile --trace=cuda,nvtx --export=sqlite --output=report python program.py
# ```
#
# It writes `report.sqlite`. The course ships such a report of CloverLeaf, a program for the flow of gases, from an A100 of the supercomputer Perlmutter. `lens.nsys_report` reads it. `nsys` numbers the streams, and the default stream is `stream 7`:

# %%
clover = lens.nsys_report(data.report("cloverleaf-a100"), "CloverLeaf")
clover

# %% [markdown]
# Everything in this picture was measured. The long first `cudaMalloc` includes the start of CUDA, which every program pays once. Now look at 5 ms in the middle. The host's row is empty where the program's own code runs, which `nsys` does not show here:

# %%
part = clover.between(0.35, 0.355)
part

# %% [markdown]
# **Question.** Which pattern is this?
#
# - (a) A: the host computes between the kernels.
# - (b) B: the host waits for each kernel before it launches the next.
# - (c) C: the host launches ahead.

# %%
my_answer = "?"
quiz("profiling.clover", my_answer)

# %%
waits = [entry for entry in clover.waits if entry.name == "cudaDeviceSynchronize"]
median = np.median([gap.seconds for gap in clover.gaps])
print(f"{len(clover.kernels)} kernels, {len(waits)} calls of cudaDeviceSynchronize")
print(f"{len(clover.gaps)} gaps in the device's row, half of them shorter than {1e6 * median:.1f} µs")

# %% [markdown]
# **Explain.** The host calls `cudaDeviceSynchronize` after each kernel. The other 279 waits of the whole run are for the copies. A typical gap lasts 8.5 µs: the host notices the end of a kernel, and launches the next one.
#
# ## The kernel worth rewriting
#
# Without the start of CUDA, from the first kernel to the last, the run takes 342 ms. Which kernels take the time?

# %%
for share in clover.shares:
    print(
        f"{share.name:20} {share.count:5} times {1e3 * share.seconds:6.1f} ms  {share.share:.0%} of the kernels' time"
    )

# %% [markdown]
# **Predict.** You make `par_ranged2d_kernel` twice as fast. How many times as fast is this run of 342 ms?

# %%
my_speedup = "?"

# %%
total = clover.kernels[-1].end - clover.kernels[0].start
longest = clover.shares[0].seconds
print(
    f"{1e3 * longest:.0f} of {1e3 * total:.0f} ms: the run would be {total / (total - longest / 2):.2f} times as fast"
)
print(f"{total / (total - longest):.2f} times if the kernel took no time; you said {my_speedup}")

# %% [markdown]
# ![Three bars of a program's 342 ms. As measured: the longest kernel takes 267 ms, everything else 75 ms. With that kernel twice as fast 208 ms remain. With that kernel gone 75 ms remain.](drawings/faster-kernel.svg)
#
# **Explain.** This is **Amdahl's law**: the part that you do not change sets the limit. Compute the gain first. Then ask `lens.bound` whether the kernel can become faster at all (unit 06).
#
# **Question.** The kernel `par_ranged1d_kernel` is launched 968 times. It runs for 4.7 ms in total, about 5 µs each time. What would help most?
#
# - (a) a faster kernel
# - (b) fewer launches: several steps in one kernel
# - (c) a larger GPU

# %%
my_answer = "?"
quiz("profiling.many", my_answer)

# %% [markdown]
# ## A number instead of a picture
#
# For one function a number may be enough. `cupyx.profiler.benchmark` gives two times: until the call returns, and until its work is done. Without a GPU both are times of this CPU.
# The simulator computes while the host waits, so the first time is short:

# %%
took = benchmark(smooth, (x,), n_repeat=3, n_warmup=1)
print(f"until the call returns: {1e3 * took.cpu_times.mean():.3g} ms")
print(f"until the work is done: {1e3 * took.gpu_times.mean():.3g} ms")
estimate = lens.timeline(smooth, x).without_host().seconds
print(f"on the chosen GPU: {1e3 * estimate:.2g} ms (estimate)")

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: another viewer
#
# `seen.save("trace.json")` writes the timeline in Chrome's trace format. The page [ui.perfetto.dev](https://ui.perfetto.dev) opens it; there you can zoom and search. `with cupyx.profiler.profile():`
# marks the part of a program that `nsys profile --capture-range=cudaProfilerApi` records.

# %%
events = seen.trace()["traceEvents"]
print(f"{len(events)} events, the first: {events[0]['args']['name']}")

# %% [markdown]
# ## Three units again
#
# Here are three functions from units 02, 06 and 09, without Python's own time. You can read them without those units:


# %%
def famous(x):  # unit 02
    return (cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1).all()


def heat(u):  # unit 06, as array code
    for _ in range(100):
        u[1:-1, 1:-1] = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) / 4
    return u


def walk(links, rank):  # unit 09, with random links
    for _ in range(100):
        rank = 0.85 * (links @ rank) + 0.15 / rank.size
    return rank


plate = cp.random.random((512, 512), dtype=cp.float32)
links = cp.random.random((107, 107))
for function, arguments in ((famous, (x,)), (heat, (plate,)), (walk, (links, links[0]))):
    function(*arguments)
    found = lens.timeline(function, *arguments).without_host()
    print(
        f"{function.__name__:6} {len(found.kernels):4} kernels, busy for {100 * found.busy / found.seconds:.0f} %, longest: {found.shares[0].name}"
    )
shares = {each.name: each.share for each in lens.timeline(famous, x).shares}
print(f"famous: sine and cosine take {shares['cupy_sin'] + shares['cupy_cos']:.0%} of the kernels' time")

# %% [markdown]
# Those units count bytes and kernels. The timelines show more:
#
# - In `famous`, sine and cosine take less than half of the kernels' time (last line). The rest goes into squares, a sum and a comparison of temporary arrays.
# - The plate of unit 06 has 512 × 512 cells. Its kernels take 0.5 µs, the shortest time of our model, and a launch takes 2.5 µs. So the launches set the pace, and a faster kernel would gain nothing.
# - PageRank of 107 airports is bound by launches, too. If its kernels took three times as long, the run would still take the same time.
#
# The simulator has two limits here. It counts an operation of cuDF or cuML as one launch, where a GPU makes many. And a timeline has one row for the host: work that Dask's threads
# launched is drawn as if one thread had launched it, and a note says so. For tables, models and programs with threads use `nsys` on a GPU.
#
# **On a GPU**, `%%timeline` runs your cell there, and once more in a process that simulates. The timeline is of the second run. So a cell that appends to a file does it twice.
#
# The extension [NVDashboard](https://github.com/rapidsai/jupyterlab-nvdashboard) of JupyterLab shows how busy a GPU is and how much of its memory is taken. It asks the driver, from the lab's server. So it knows
# nothing of a simulated GPU: without a GPU, the server of version 0.15 starts and answers that there is none. It does not say why a GPU is idle. A timeline does.
#
# ## Where the GPU loses
#
# Every launch costs the host a few microseconds. A program of many small steps, each of them a launch, is bound by the host, and a faster GPU does not help:

# %%
small, host = cp.zeros(1000), np.zeros(1000)
found = lens.timeline(lambda: [cp.add(small, 1, out=small) for _ in range(50)]).without_host()
print(f"50 kernels: {1e6 * found.busy:.0f} µs of work in {1e6 * found.seconds:.0f} µs (estimate)")
with_numpy = measure(lambda: [np.add(host, 1, out=host) for _ in range(50)], name="NumPy")
print(f"NumPy, here: {1e6 * with_numpy.median:.3g} µs")

# %% [markdown]
# NumPy needs about as long as the host needs to launch the 50 kernels, or less. So the GPU gains nothing here.
#
# ## Key points
#
# - Look before you change anything. A timeline shows who waits for whom.
# - A gap in the device's row has its cause in the host's row.
# - `float`, `.item()`, `print`, and an `if` on an array wait. Wait once, at the end.
# - Copies from pinned memory overlap with kernels of another stream, if the host does not wait in between.
# - Memory from the pool costs almost nothing. A large block from the driver costs a fifth of a millisecond.
# - Compute what a faster kernel is worth: Amdahl's law.
#
# ## The exercise
#
# [exercises/16_profiling.ipynb](../exercises/16_profiling.ipynb) has six problems. Remove a wait and an allocation, let a copy overlap, compute what a kernel is worth, decide what to change first, and
# bring a pipeline near the limit of its copies.
#
# ## Further reading
#
# - NVIDIA, [*Nsight Systems User Guide*](https://docs.nvidia.com/nsight-systems/UserGuide/index.html), and [*NVTX for Python*](https://nvtx.readthedocs.io).
# - NVIDIA, *CUDA C++ Best Practices Guide*: "Asynchronous and Overlapping Transfers with Computation".
# - The report is from the tests of [Pipit](https://github.com/hpcgroup/pipit) (MIT licence); `data/README.md` says how it was cut.
# - G. Amdahl, *Validity of the single processor approach to achieving large scale computing capabilities*, 1967.
