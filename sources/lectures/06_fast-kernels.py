# ---
# jupyter:
#   hundredfold:
#     unit: 6
#     slug: fast-kernels
#     title: "Fast kernels: tiles and the limits of memory"
#     teaching: 70
#     exercises: 70
# ---

# %% [markdown]
# # 06 · Fast kernels: tiles and the limits of memory
#
# *Unit 06 · fast-kernels · 70 minutes in two sittings, then 70 for the exercises; the optional parts are not counted*
#
# A correct kernel can still be ten times slower than its GPU allows. In this unit you find out what limits it, and remove that.
#
# ## What you will be able to do
#
# - **Find** what limits a kernel: memory, requests, banks, atomics or occupancy.
# - **Use** shared memory as a tile.
# - **Add** many numbers with a tree.
# - **Weigh** the size of a tile against occupancy.
# - **Decide** when a library or the CPU is the better choice.
#
# You need unit 05: grid, block, warp, sectors and races. You do not need a GPU. The first sitting takes 30 minutes, the second one 40.

# %%
# %load_ext hundredfold

# %%
import math
import textwrap

import cupy as cp
import numba
import numpy as np
from numba import cuda, njit, prange

from hundredfold import lens, limit, machine, measure, plot, quiz

# %% [markdown]
# ## A plate that warms up
#
# A metal plate is cold, at 0. Its upper edge is kept warm: half a sine wave, from 0 up to 1 and down again. The other edges stay at 0. In each time
# step, every cell inside becomes the mean of its four neighbours. This is the **heat equation** on a grid.
#
# ![A plate as a grid of numbers on the left, and the plate after one step on the right. One thread reads the four neighbours 8, 3, 5 and 4 of its
# cell, and writes their mean, 5, into the new plate. Cells at the edge stay as they are.](drawings/heat-step.svg)

# %%
numba.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # Numba warns of small launches; here they are intended


@cuda.jit
def heat_step(u, out):
    j, i = cuda.grid(2)
    n, m = u.shape
    if i < n and j < m:
        if 0 < i < n - 1 and 0 < j < m - 1:
            out[i, j] = np.float32(0.25) * ((u[i - 1, j] + u[i + 1, j]) + (u[i, j - 1] + u[i, j + 1]))
        else:
            out[i, j] = u[i, j]


def plate(n, m, dtype):
    """A cold plate with a warm upper edge."""
    u = np.zeros((n, m), dtype)
    u[0] = np.sin(np.pi * np.arange(m) / (m - 1))
    return u


def launch(u):
    """Blocks and threads for one thread for each cell."""
    return (-(-u.shape[1] // 32), -(-u.shape[0] // 8)), (32, 8)


def steps(u, count):
    """The plate after some steps. Two arrays take turns."""
    u, v = u.copy(), u.copy()
    for _ in range(count):
        heat_step[launch(u)](u, v)
        u, v = v, u
    return u


# %% [markdown]
# **Question.** `heat_step` reads `u` and writes `out`. Why does it not write into `u`?
#
# - (a) A kernel cannot read and write the same array.
# - (b) Some threads would read a neighbour's new value in place of the old one.
# - (c) The result would be right, but each thread would have to wait for its neighbours.

# %%
my_answer = "?"
quiz("fast-kernels.two-arrays", my_answer)

# %% [markdown]
# The plate after 20, 100 and 2400 steps. White is 1, black is 0:

# %%
after, done = {}, 0
u = cp.asarray(plate(25, 25, np.float64))
for count in (20, 100, 2400):
    u, done = steps(u, count - done), count
    after[f"after {count} steps"] = u.get()
plot.images(
    after,
    says="From picture to picture the warmth reaches further down. The lower half stays dark.",
    columns=3,
    common=True,
    title="A plate that warms up",
)

# %% [markdown]
# The picture would hardly show a wrong index. So we compare the plate with its **steady state**, which no longer changes and is known exactly:

# %%
n = 25
mu = math.acosh(2 - math.cos(math.pi / (n - 1)))  # the formula is in the optional part below
down = np.sinh(mu * np.arange(n)[::-1]) / math.sinh(mu * (n - 1))
steady = down[:, None] * plate(n, n, np.float64)[0]
for name, u in after.items():
    print(f"{name:17} at most {np.abs(u - steady).max():.0e} from the steady state")
assert np.abs(u - steady).max() < 1e-9

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: where the steady state comes from
#
# On a grid of $n \times m$ cells the steady state is
#
# $$u_{ij} = \sin\frac{\pi j}{m-1} \cdot \frac{\sinh \mu (n-1-i)}{\sinh \mu (n-1)}$$
#
# where
#
# $$\cosh\mu = 2 - \cos\frac{\pi}{m-1}$$
#
# There every cell inside is the mean of its four neighbours, so a step changes nothing. Each step multiplies the distance from the steady state by
# $\frac12(\cos\frac{\pi}{n-1} + \cos\frac{\pi}{m-1})$ or less. So you can compute how many steps are enough:

# %%
factor = math.cos(math.pi / (n - 1))
print(f"at most {math.ceil(math.log(1e-9) / math.log(factor))} steps until 1e-9")

# %% [markdown]
# ## What limits a step?
#
# A thread makes three additions and one multiplication. Memory has to deliver each temperature once, and to store the new one.
#
# **[Arithmetic intensity](../docs/glossary.md#term-arithmetic-intensity)** is the number of operations for each byte that has to move.
#
# **Predict.** The temperatures are float32. What is the arithmetic intensity of a step?

# %%
my_intensity = "?"

# %%
print(f"{4 / (4 + 4)} operations for each byte; you said {my_intensity}")

# %% [markdown]
# The **[roofline](../docs/glossary.md#term-roofline)** of a GPU shows how many operations a second are possible at each intensity:
#
# ![The roofline of a V100, on logarithmic axes. Up to 17 operations for each byte the roof rises: the memory's 900 GB/s limit a kernel. Beyond, the
# roof is flat: the arithmetic's 15.7 TFLOP/s limit it. A step of the plate has 0.5 operations for each byte and lies under the rising part; a product
# of two matrices of 1024 by 1024 has 171 and lies under the flat part.](drawings/roofline.svg)
#
# On the left the memory limits a kernel, on the right the arithmetic.

# %% [markdown]
# **Question.** By this roofline, what lets a step run faster?
#
# - (a) Temperatures in float16 in place of float32.
# - (b) A GPU with the same memory and twice as much arithmetic.
# - (c) A formula with fewer additions.

# %%
my_answer = "?"
quiz("fast-kernels.faster-step", my_answer)

# %% [markdown]
# Each thread reads four neighbours. So most cells are read four times.
#
# **Predict.** How many times faster would a step be if each cell were read only once?

# %%
my_times = "?"

# %% [markdown]
# **Measure.** The lens traces a small plate and **[estimates](../docs/glossary.md#term-estimate)** the time for 8192 × 8192 cells on a V100. An
# estimate may be wrong by a factor of two.

# %%
u = plate(64, 64, np.float32)
heat = lens.trace(heat_step, *launch(u), u, np.zeros_like(u))
assert not heat.errors
print(f"all requests: {heat.moved / (2 * u.nbytes):.1f} times the bytes of one read and one write of each cell")
side = 8192
full = launch(np.empty((side, side), np.float32))[0]
about = lens.estimate(heat, griddim=full, gpu="V100")
floor = limit(bytes=8 * side * side, machine="V100").seconds
print(f"estimate: about        {1e3 * about.seconds:.2f} ms, bound by {about.binds}")
print(f"limit: each byte once, {1e3 * floor:.2f} ms")
print(f"{about.seconds / floor:.1f} times as fast at best; you said {my_times}")

# %% [markdown]
# **Explain.** Neighbouring threads need the same cells at nearly the same time. Memory delivers a cell once, and the caches deliver it again.
#
# Real GPUs do this, too. To read 134 million float64 and write as many, an H200 [took](https://github.com/te42kyfo/gpu-benches) 0.679 ms. Another
# kernel reads two more numbers on each side of every number. It took 0.691 ms.

# %% [markdown]
# ### Fewer bytes
#
# **A kernel at the limit of the memory gets faster only if it moves fewer bytes.** float16 in place of float32 halves them. Two steps in one launch
# move almost as few: the plate is read and written once for both. This is the open problem of the exercise.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: two steps in one launch
#
# A block needs a **[halo](../docs/glossary.md#term-halo)** of two cells around its **[tile](../docs/glossary.md#term-tile)**, the part of the plate that
# it computes:
#
# ![How one block makes two steps of its tile of 8 by 8 cells in one launch. It reads 12 by 12 cells, the tile with a halo of two cells on each side.
# The first step gives the tile with a halo of one cell. The second step gives the tile, which is written.](drawings/two-steps.svg)
#
# The larger the tile, the less the halo costs.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: the step on your CPU and on other GPUs
#
# The first figure compares one step on your CPU and on GPUs. *NumPy* is the plain program with slices. *All cores* is a compiled loop. The H200's
# time is the 0.691 ms from above, multiplied by the ratio of the bytes. Without a GPU our kernel runs on your CPU, and the figure leaves its time out.


# %%
def step_numpy(u, out):
    out[1:-1, 1:-1] = 0.25 * ((u[:-2, 1:-1] + u[2:, 1:-1]) + (u[1:-1, :-2] + u[1:-1, 2:]))


@njit(parallel=True)
def step_cpu(u, out):
    n, m = u.shape
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            out[i, j] = np.float32(0.25) * ((u[i - 1, j] + u[i + 1, j]) + (u[i, j - 1] + u[i, j + 1]))


side = 4096
host = plate(side, side, np.float32)
host[1:-1, 1:-1] = np.random.default_rng(6).random((side - 2, side - 2), dtype=np.float32)
v = host.copy()
rows = {"here: NumPy": measure(step_numpy, host, v, repeat=3).median}
expected = v.copy()
rows["here: all cores"] = measure(step_cpu, host, v, repeat=7).median
assert np.allclose(v, expected)
u_device, v_device = cp.asarray(host), cp.asarray(host)
kernel = measure(heat_step[launch(host)], u_device, v_device, bytes=2 * host.nbytes, repeat=1)
assert np.allclose(v_device.get(), expected)
if not machine.simulating():
    rows["here: our kernel"] = kernel.median
as_many = 2 * host.nbytes / (16 * 2**27)  # bytes here, over those that the H200 moved
rows["published: H200, scaled"] = 0.691e-3 * as_many
for gpu in ("V100", "H200"):
    rows[f"limit: {gpu}, each byte once"] = limit(bytes=2 * host.nbytes, machine=gpu).seconds
plot.times(rows, title="One step of the heat equation, 4096 × 4096 float32")

# %% [markdown]
# In the next figure you can choose other GPUs. On an H200 the estimate names a limit that a roofline does not have: *latency*. A thread waits for its
# loads, and a block takes time to begin and to end. There, more cells for each thread would help, too.
#
# *At least* is a bound. It assumes that a part of the data stays in L2, the cache that all multiprocessors share. *About* is the estimate. It is longer
# than the longest bar, because the parts delay each other, and it has the time of a launch.

# %%
lens.roofline(heat, griddim=full, gpu="V100")

# %% [markdown]
# ## Rows to columns
#
# A transpose reads and writes each number once, and computes only indices. So it should be as fast as a copy.


# %%
@cuda.jit
def transpose_direct(x, out):
    j, i = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        out[j, i] = x[i, j]


# %% [markdown]
# **Predict.** The numbers are float32. How many **[sectors](../docs/glossary.md#term-sector)** of 32 bytes move when a warp reads? How many when it
# writes?

# %%
my_read, my_written = "?", "?"

# %%
x = np.random.default_rng(6).random((64, 64), dtype=np.float32)


def traced(kernel):
    """Print what the lens sees of a transpose of 64 × 64 numbers."""
    trace = lens.trace(kernel, (2, 2), (32, 32), x, np.zeros_like(x))
    assert not trace.errors and np.array_equal(trace.results[1], x.T)
    for place in trace.traffic:
        print(f"{place.kind:5} {place.per_request:4.0f} sectors for each request")
    print(f"{trace.bank_conflicts} cycles lost at banks")


traced(transpose_direct)
print(f"you said {my_read} and {my_written}")

# %% [markdown]
# **Explain.** Along a row, 32 float32 are 128 bytes: four full sectors. Down a column, each number is in another row. So 32 sectors move, and only 4
# bytes of each are used.

# %% [markdown]
# **Question.** You write `i, j = cuda.grid(2)` in place of `j, i = cuda.grid(2)`. What changes?
#
# - (a) Reads and writes both need 4 sectors.
# - (b) `out` is no longer the transpose of `x`.
# - (c) The reads need 32 sectors, and the writes 4.

# %%
my_answer = "?"
quiz("fast-kernels.swapped", my_answer)

# %% [markdown]
# Either the reads or the writes go down a column. The way out: **each thread reads one number and writes another one**, which a different thread of
# its block has read. Each block does one **[tile](../docs/glossary.md#term-tile)** of 32 × 32 numbers. It keeps the tile in
# **[shared memory](../docs/glossary.md#term-shared-memory)**. That lies on the multiprocessor, so no sectors move:
#
# ![A block transposes one tile through shared memory. The tile is the upper right one of x. First a warp reads a row of it and writes it as a row of
# the tile in shared memory. All threads wait at a barrier. Then a warp reads a column of the tile and writes it as a row of out, in the lower left,
# where the tile belongs.](drawings/transpose-tile.svg)
#
# `cuda.shared.array` makes the tile. `cuda.syncthreads()` is a **[barrier](../docs/glossary.md#term-barrier)**: no thread of the block continues until
# all have reached it. A tile at the right of `x` belongs at the bottom of `out`, so `left` and `top` change places:


# %%
def tile_with(columns):
    @cuda.jit
    def transpose_tile(x, out):
        tile = cuda.shared.array((32, columns), np.float32)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
        if top + ty < x.shape[0] and left + tx < x.shape[1]:
            tile[ty, tx] = x[top + ty, left + tx]
        cuda.syncthreads()
        if left + ty < out.shape[0] and top + tx < out.shape[1]:
            out[left + ty, top + tx] = tile[tx, ty]

    return transpose_tile


traced(tile_with(32))

# %% [markdown]
# All requests are **coalesced** now. Such kernels were [measured](https://github.com/SuchetBhalla/cuda_playground) on a Tesla T4, with 1024 × 1024
# numbers and blocks of 32 × 8 threads:

# %%
t4 = {"direct": 64.47e9, "with a tile": 106.78e9, "a copy": 216.83e9}  # bytes a second, read and written
for name, rate in t4.items():
    print(f"{name:12} {rate / 1e9:4.0f} GB/s, {rate / t4['a copy']:.0%} of a copy")

# %% [markdown]
# A tile helps, but a copy is still twice as fast. The lens has counted the reason: cycles lost at banks.

# %% [markdown]
# ---
#
# **Break.** The first sitting ends here. You know two limits now: memory, and requests that are not coalesced. When you come back in a new session,
# run the cells above first: *Run*, *Run All Above Selected Cell*.
#
# ---

# %% [markdown]
# ## Banks of shared memory
#
# Shared memory has 32 **banks**. A **word** is four bytes. Word 0 is in bank 0, word 1 in bank 1, and word 32 in bank 0 again. In each clock cycle, a
# bank delivers one word to all threads that ask for it. If two threads of a warp ask one bank for *different* words, one of them waits. This
# is a **[bank conflict](../docs/glossary.md#term-bank-conflict)**.
#
# **Predict.** `tile[tx, ty]` reads a column of a tile that is 32 words wide. How many cycles does one request take? How many, if the tile has 33
# columns?

# %%
my_32, my_33 = "?", "?"

# %%
for columns, mine in ((32, my_32), (33, my_33)):
    banks = [columns * row % 32 for row in range(32)]  # of the words in the first column
    most = max(map(banks.count, banks))
    print(f"{columns} columns: banks {banks[:4]} …, cycles: {most}; you said {mine}")

# %% [markdown]
# ![The 32 banks of shared memory side by side, and the first seven rows of 32 words below each other. In a tile with 32 columns, all words of the
# tile's first column are in bank 0. In a tile with 33 columns, each row begins one bank further, so that the words of the column are in different
# banks. The 33rd column is not used.](drawings/banks.svg)
#
# **Measure.** We change one number, 32 to 33:

# %%
traced(tile_with(33))

# %%
t4["with 33 columns"] = 206.45e9
nbytes = 2 * 4 * 1024**2
rows = {f"published: T4, {name}": nbytes / rate for name, rate in t4.items()}
rows["limit: T4, each byte once"] = limit(bytes=nbytes, machine="T4").seconds
plot.times(rows, title="1024 × 1024 float32, transposed on a Tesla T4")

# %% [markdown]
# **Explain.** 4 blocks of 32 warps made 128 requests for a column. With 32 columns, each waited 31 cycles: the 3968 lost cycles. With 33 columns the
# transpose is almost as fast as a copy. **It moves the same bytes as a copy, so you can stop here.**

# %% [markdown]
# **Question.** A warp reads `part[2 * t]` from a shared array of float32. Thread `t` is 0 to 31. How many cycles does that take?
#
# - (a) 1
# - (b) 2
# - (c) 32

# %%
my_answer = "?"
quiz("fast-kernels.every-second", my_answer)

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: on an H200, indices cost time, too
#
# An H200 has far faster memory than a T4. We measured such transposes there on 27 November 2026, with 33 columns and 10 000 × 10 000 float32:

# %%
h200 = {  # bytes a second, read and written
    "a number for each thread": 1.339e12,
    "four for each thread": 2.226e12,
    "and unsigned indices": 3.109e12,
    "a copy": 4.077e12,
}
print(f"memory: {machine.gpus.find('H200').bandwidth / machine.gpus.find('T4').bandwidth:.0f}× that of a T4")
for name, rate in h200.items():
    print(f"{name:24} {rate / 1e12:.1f} TB/s, {rate / h200['a copy']:.0%} of a copy")

# %% [markdown]
# In Numba an index may be negative: `x[-1]` is the last element. So a kernel compares each signed index with zero, and adds the length where it is below.
# An unsigned index needs neither. NVIDIA's compiler (numba-cuda 0.30.4, CUDA 13.0) makes 208 instructions of PTX of the kernel with four numbers for each
# thread, and 136 of this one:


# %%
@cuda.jit
def transpose_unsigned(x, out):
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = np.uint32(cuda.threadIdx.x), np.uint32(cuda.threadIdx.y)
    left, top = np.uint32(cuda.blockIdx.x * 32), np.uint32(cuda.blockIdx.y * 32)
    rows, columns = np.uint32(x.shape[0]), np.uint32(x.shape[1])
    for k in range(0, 32, 8):  # four numbers for each thread
        i, j = np.uint32(top + ty + np.uint32(k)), np.uint32(left + tx)
        if i < rows and j < columns:
            tile[np.uint32(ty + np.uint32(k)), tx] = x[i, j]
    cuda.syncthreads()
    for k in range(0, 32, 8):
        i, j = np.uint32(left + ty + np.uint32(k)), np.uint32(top + tx)
        if i < columns and j < rows:
            out[i, j] = tile[tx, np.uint32(ty + np.uint32(k))]


out = np.zeros_like(x)
transpose_unsigned[(2, 2), (32, 8)](x, out)
print("right:", np.array_equal(out, x.T))

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: a CPU has bank conflicts of its own
#
# A CPU's cache has *sets*, which are like banks. If each row has 4096 numbers, the numbers of a column fall into few sets. With four more numbers in
# each row they fall into many. On most processors that makes NumPy's transpose faster:

# %%
for side in (4096, 4100):
    host = np.random.default_rng(6).random((side, side), dtype=np.float32)
    turned = measure(np.copyto, np.zeros_like(host), host.T, repeat=3)
    print(f"{side} × {side}: NumPy {1e3 * turned.median:.0f} ms")

# %% [markdown]
# ## A sum: one address for all
#
# A sum reads each number once, and all threads add to one result. Unit 05 showed that this needs atomic additions:


# %%
@cuda.jit
def total_atomic(x, result):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(result, 0, x[i])


# %% [markdown]
# **Predict.** An H200 can read 100 million float64 in 0.17 ms. The lens assumes that an address takes an atomic addition every 2 ns. How many times
# longer do 100 million additions to one address take?

# %%
my_times = "?"

# %%
ones = np.ones(4096)
atomic = lens.trace(total_atomic, 16, 256, ones, np.zeros(1))
assert not atomic.errors and atomic.results[1][0] == 4096
n = 100_000_000
queue, read = 2e-9 * n, limit(bytes=8 * n, machine="H200").seconds
print(f"{1e3 * queue:.0f} ms, {queue / read:.0f} times longer; you said {my_times}")

# %% [markdown]
# ![A timeline of eight threads that add to one sum, each with one atomic addition. The additions come one after the other, and the last thread waits
# for seven others.](drawings/atomic-queue.svg)
#
# **Explain.** The additions come one after the other. A real queue can be slower still: an A100
# [took](https://github.com/BBuf/how-to-optim-algorithm-in-cuda) 13 ns for each of 33.6 million additions of float16.
#
# So first each thread adds many numbers in a register. Then the threads of a block add their sums in shared memory, as a **tree**. At last one thread
# adds the block's sum to the result:
#
# ![A tree adds eight numbers in three steps. In the first step four threads add the numbers that are four places further: 3 and 4 make 7, 1 and 1
# make 2, 7 and 6 make 13, 0 and 3 make 3. In the second step two threads make 20 and 5, in the third one thread makes 25. Between the steps all
# threads wait at a barrier.](drawings/reduction-tree.svg)


# %%
@cuda.jit
def total_tree(x, result):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    mine = 0.0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        mine += x[i]
    part[t] = mine
    step = 128
    while step > 0:
        cuda.syncthreads()  # this step reads what other threads have written
        if t < step:
            part[t] += part[t + step]
        step //= 2
    if t == 0:
        cuda.atomic.add(result, 0, part[0])


many = np.ones(16 * 256 * 8)
tree = lens.trace(total_tree, 16, 256, many, np.zeros(1))
assert not tree.errors and tree.results[1][0] == many.size
print(f"one each: {atomic.writes['result'].total:5} atomic additions for {ones.size:6} numbers")
print(f"a tree:   {tree.writes['result'].total:5} atomic additions for {many.size:6} numbers")
about = lens.estimate(tree, griddim=n // (256 * 8), gpu="H200")
print(f"100 million on an H200: about {1e3 * about.seconds:.2f} ms, bound by {about.binds}")

# %% [markdown]
# **Question.** Somebody moves `cuda.syncthreads()` into the `if t < step:`. What happens on a GPU?
#
# - (a) The kernel is right and faster: only the threads that add have to wait.
# - (b) Nothing changes: the other threads have nothing to do.
# - (c) The threads that add wait for threads that never come.

# %%
my_answer = "?"
quiz("fast-kernels.barrier", my_answer)

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: measured trees, and one without barriers
#
# Nine trees for 33.6 million float32 were [measured](https://github.com/BBuf/how-to-optim-algorithm-in-cuda) on an A100. In the first, each thread reads
# one number, and soon most threads of every warp idle. In the last, each thread first adds several numbers, as in ours:

# %%
least = limit(bytes=4 * 2**25, machine="A100 40 GB").seconds
for name, seconds in {"first": 990.66e-6, "last": 99.71e-6}.items():
    print(f"the {name:5} version: {1e6 * seconds:4.0f} µs, {least / seconds:.0%} of the limit")
print(f"to read the numbers: {1e6 * least:3.0f} µs")

# %% [markdown]
# Without barriers, a thread may read a number before another thread has written it. A test on a GPU can miss that. The lens checks whether anything
# orders the write before the read:


# %%
@cuda.jit
def tree_without_barriers(x, result):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    part[t] = x[t]
    step = 128
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        step //= 2
    if t == 0:
        result[0] = part[0]


print(textwrap.fill(lens.trace(tree_without_barriers, 1, 256, ones, np.zeros(1)).errors[0].sentence, 100))
tried = lens.schedules(tree_without_barriers, 1, 256, ones[:256], np.zeros(1))
print("sums of 256 ones, by the order of the threads:", sorted({int(a.results[1][0]) for a in tried.answers}))

# %% [markdown]
# The threads of one warp can pass numbers on without shared memory. `cuda.shfl_down_sync(0xFFFFFFFF, mine, step)` returns `mine` of another thread, whose
# number is higher by `step`. You may use it in problem 2 of the exercise.

# %% [markdown]
# ## A product: the same numbers again and again
#
# The product of two n × n matrices takes 2 n³ operations, but has only 2 n² numbers to read. In the plain kernel, each thread computes one element of
# the result:

# %%
TILE = 16


@cuda.jit
def product_plain(a, b, out):
    j, i = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        out[i, j] = total


# %% [markdown]
# Many threads of a block need the same numbers. So the block fetches them in tiles:
#
# ![A block computes one tile of out. It needs the row of tiles of a to the left and the column of tiles of b above. In each turn it fetches one tile
# of a and one tile of b into shared memory, and each number is used by a whole row or column of threads.](drawings/product-tiles.svg)


# %%
@cuda.jit
def product_tiled(a, b, out):
    left = cuda.shared.array((TILE, TILE), np.float32)
    right = cuda.shared.array((TILE, TILE), np.float32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for start in range(0, a.shape[1], TILE):
        left[ty, tx] = a[i, start + tx] if i < a.shape[0] and start + tx < a.shape[1] else 0
        right[ty, tx] = b[start + ty, j] if start + ty < b.shape[0] and j < b.shape[1] else 0
        cuda.syncthreads()  # the tiles are full
        for k in range(TILE):
            total += left[ty, k] * right[k, tx]
        cuda.syncthreads()  # nobody reads them any more
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = total


# %% [markdown]
# A thread beyond the edge puts zeros into the tiles. It must not return early, because all threads of the block have to come to the barriers.
#
# **Predict.** The matrices are 256 × 256. How many numbers does one thread read from global memory in the plain kernel? How many in the tiled one?

# %%
my_plain, my_tiled = "?", "?"

# %%
# Four blocks of the result are enough: 32 rows of a, and 32 columns of b.
a = np.random.default_rng(6).integers(-9, 10, (32, 256)).astype(np.float32)
b = np.ascontiguousarray(a[::-1].T)
for kernel, mine in ((product_plain, my_plain), (product_tiled, my_tiled)):
    trace = lens.trace(kernel, (2, 2), (16, 16), a, b, np.zeros((32, 32), np.float32))
    assert not trace.errors and np.array_equal(trace.results[2], a @ b)
    reads = trace.reads["a"].most + trace.reads["b"].most
    print(f"{kernel.py_func.__name__:13} {reads:3} numbers for one thread; you said {mine}")

# %% [markdown]
# **Explain.** Each number of a tile serves 16 threads, so 2 n reads of a thread have become 2 n / 16.

# %% [markdown]
# **Question.** A plain kernel took 69.2 ms for 4096 × 4096 float32 on an RTX A6000. Tiles of 32 × 32 let each thread read 32 times fewer numbers. How
# much faster was the tiled kernel?
#
# - (a) about 1.5 times
# - (b) about 10 times
# - (c) about 32 times

# %%
my_answer = "?"
quiz("fast-kernels.tiles-gain", my_answer)

# %% [markdown]
# Both kernels were [measured](https://github.com/siboehm/SGEMM_CUDA), and better ones as well:

# %%
a6000 = {
    "plain": 69.2e-3,
    "tiles of 32 × 32": 46.1e-3,
    "8 × 8 results in registers": 8.61e-3,
    "cuBLAS": 5.91e-3,
}
rows = {f"published: RTX A6000, {name}": seconds for name, seconds in a6000.items()}
rows["limit: RTX A6000, each operation once"] = 2 * 4096**3 / 38.7e12  # 38.7 TFLOP/s, NVIDIA's data sheet
plot.times(rows, title="The product of two matrices, 4096 × 4096 float32")

# %% [markdown]
# **Explain.** In the plain kernel, caches deliver most of the numbers. Tiles only do again what the caches did before. In the tiled kernel, each
# multiplication needs two reads of shared memory. Now these instructions are the limit.
#
# In the third kernel each thread computes 8 × 8 results in registers. Each number that it reads from a tile serves eight multiplications.
#
# **cuBLAS**, NVIDIA's library, is the result of years of work. `cp.matmul` calls it. **Write a kernel where there is no library.**

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: three products under the roofline
#
# Here the bytes are those of all requests' sectors, also those that a cache delivers:
#
# ![Three products of matrices of 4096 by 4096 under the roofline of an RTX A6000, by the operations for each byte of their requests' sectors and by
# their measured speed. One thread for each element: 0.4 and 1.99 TFLOP/s, above the roof of the memory because caches serve it. Tiles of 32 by 32: 8
# and 2.98 TFLOP/s. With 8 by 8 results in the registers of each thread: 32 and 16 TFLOP/s. A dashed line shows cuBLAS at 23.2
# TFLOP/s.](drawings/roofline-product.svg)
#
# The plain kernel lies *above* the roof of the memory, because caches deliver most of its bytes. Tiles of 32 × 32 make 20 times as many operations for each
# byte. But they are only 1.5 times as fast.

# %% [markdown]
# ## How many blocks fit
#
# **[Occupancy](../docs/glossary.md#term-occupancy)** is the number of warps on a multiprocessor, divided by the most that fit: 64 on an H200. Each block
# needs threads, registers and shared memory. The one that runs out first limits the number of blocks.
#
# NVIDIA's compiler (numba-cuda 0.30.4, CUDA 13.0) gave the tiled product 32 registers for each thread. A multiprocessor has 65 536. Suppose that after a
# change a thread needs 40.
#
# **Predict.** How many of the 64 warps fit then, in blocks of 16 × 16 threads? How many in blocks of 32 × 32?

# %%
my_warps_16, my_warps_32 = "?", "?"

# %%
for registers in (32, 40):
    for tile in (16, 32):
        held = lens.occupancy(registers, 2 * tile * tile * 4, blockdim=(tile, tile), gpu="H200")
        print(f"{registers} registers, {tile} × {tile} threads:", end=" ")
        print(f"{held.warps} of 64 warps, blocks: {held.blocks_per_sm}, bound by {held.binds}")
print(f"you said {my_warps_16} and {my_warps_32}")

# %% [markdown]
# ![The 65 536 registers of a multiprocessor, filled with blocks whose threads take 40 registers each. Of blocks with 256 threads six fit, which are
# 48 of 64 warps. Of blocks with 1024 threads only one fits, which is 32 warps; the registers that are left are too few for another
# block.](drawings/occupancy.svg)
#
# **Explain.** A block of 1024 threads takes 40 960 registers, and a second one does not fit. Smaller blocks leave fewer registers over.
#
# Full occupancy is not the aim. Half of it is often enough if each thread has several requests under way.

# %% [markdown]
# ## Where the GPU loses

# %% [markdown]
# **Question.** Which of these jobs is faster on one core of a good CPU?
#
# - (a) The sum of 100 million numbers that are on the device.
# - (b) 1000 steps of a plate of 32 × 32 cells, with a launch for each.
# - (c) 1000 steps of a plate of 4096 × 4096 cells, with a launch for each.

# %%
my_answer = "?"
quiz("fast-kernels.loses", my_answer)

# %% [markdown]
# When small kernels follow each other on an H200, each [takes](https://github.com/te42kyfo/gpu-benches) 2.52 µs. A launch from Python takes longer. A
# step on your CPU takes:


# %%
@njit
def many_steps(u, v, count):
    n, m = u.shape
    for _ in range(count // 2):
        for source, target in ((u, v), (v, u)):
            for i in range(1, n - 1):
                for j in range(1, m - 1):
                    beside = source[i, j - 1] + source[i, j + 1]
                    target[i, j] = np.float32(0.25) * ((source[i - 1, j] + source[i + 1, j]) + beside)


small = plate(32, 32, np.float32)
took = measure(many_steps, small, small.copy(), 1000, name="1000 steps", repeat=5)
print(f"this CPU, one core: {1e6 * took.median / 1000:.1f} µs for each step of 32 × 32 cells")
print("H200, published:    2.52 µs for each launch, at least")

# %% [markdown]
# **Explain.** On the GPU, each step waits for the step before, and costs a launch. On the CPU, the small plate fits into the cache nearest to the core. One block of 1024 threads could
# make all steps in one launch, with barriers between them.
#
# A GPU also loses at a single sum of an array on the host: the bus is slower than the host's memory.
#
# ## Key points
#
# - **Memory**: a kernel at its limit gets faster only if it moves fewer bytes.
# - **Requests**: a warp should read *and* write along rows. A tile in shared memory makes both possible.
# - **Banks**: if a tile has 32 columns, each column is in one bank. Add a 33rd.
# - **Atomics** to one address wait for each other. Add in a register, then in a tree, then once for each block.
# - **Barriers**: all threads of the block must reach them.
# - **Occupancy**: threads, registers or shared memory limit it.
# - **Libraries**: where there is one, use it.
#
# ## The exercise
#
# Five problems in 70 minutes, and an open one: [exercises/06_fast-kernels.ipynb](../exercises/06_fast-kernels.ipynb). You repair a tree, transpose
# without a wasted sector, and multiply matrices of any shape.
#
# ## Further reading
#
# - M. Harris, [An Efficient Matrix Transpose in CUDA C/C++](https://developer.nvidia.com/blog/efficient-matrix-transpose-cuda-cc/), NVIDIA 2013, and
#   *Optimizing Parallel Reduction in CUDA*, NVIDIA 2007: the transpose and the tree of this unit.
# - V. Volkov, *Better Performance at Lower Occupancy*, GPU Technology Conference 2010: why full occupancy is not the aim.
# - S. Williams, A. Waterman and D. Patterson, *Roofline: An Insightful Visual Performance Model for Multicore Architectures*, Communications of the
#   ACM 52 (4), 2009.
# - [gpu-benches](https://github.com/te42kyfo/gpu-benches) at commit 1c36d509ee: `gpu-stream/h200.txt`, rows *scale* and *stencil 5pt* at 100 %
#   occupancy, 2²⁷ float64; `gpu-small-kernels/h200.txt`, 4096 numbers.
# - [cuda_playground](https://github.com/SuchetBhalla/cuda_playground), README at commit 9b3163c684: three transposes and a copy on a T4. A day before, the
#   same program had reached 47, 79, 204 and 212 GB/s.
# - [how-to-optim-algorithm-in-cuda](https://github.com/BBuf/how-to-optim-algorithm-in-cuda) at commit 10a3a8d243: `reduce` and `fast-atomic-add` on
#   an A100-PCIE-40GB, by Nsight Compute.
# - S. Boehm, [SGEMM_CUDA](https://github.com/siboehm/SGEMM_CUDA), README at commit 60cba6f9b2: the products on an RTX A6000, kernels 2, 3, 5 and 0.
