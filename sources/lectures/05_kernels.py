# ---
# jupyter:
#   hundredfold:
#     unit: 5
#     slug: kernels
#     title: Kernels of your own
#     teaching: 45
#     exercises: 40
# ---

# %% [markdown]
# # Kernels of your own
#
# *Unit 05 · kernels · 45 minutes, then 40 for the exercises*
#
# In June 2019 a post smoothed a picture on a GPU, in Python: **600 ms** on the CPU, **3 ms** on the GPU, "200×". In unit 04 you took the 600 ms
# apart. Now the 3 ms. You will write that kernel, find out why it is 13 times slower than its own GPU allows, and mend the largest part of it by
# exchanging two names. Nobody needs a GPU to see why.
#
# ## What you will be able to do
#
# - **Write** and launch a kernel: grid, block, guard, in one and two dimensions.
# - **See** which thread touches what, and find a read out of bounds and a race before a GPU hides them.
# - **Order** the threads so that a warp asks for bytes that lie side by side.
# - **Decide** when a kernel is not worth it.
#
# You need unit 04's loops over a picture. Everything here runs with or without a GPU; it takes about a minute.

# %%
# %load_ext hundredfold

# %%
import cupy as cp
import cupyx.scipy.ndimage
import numba
import numpy as np
from numba import cuda, njit, prange, stencil, vectorize

from hundredfold import compare, lens, limit, machine, measure, plot

# %% [markdown]
# ## First without a kernel
#
# Not every loop needs a kernel of yours. If each element of the result depends only on the elements **at the same place**, say what happens to
# *one*, and let Numba make the rest. That is `@vectorize`, and `target="cuda"` compiles it for the GPU:


# %%
@vectorize(["float32(float32, float32)"], target="cuda")
def brighten(pixel, gain):
    return min(pixel * gain, np.float32(1))


x = cp.random.default_rng(5).random(1_000_003, dtype=np.float32)
y = cp.asarray(brighten(x, np.float32(1.5)))
assert cp.allclose(y, cp.minimum(x * np.float32(1.5), 1))
print(f"{y.size} numbers, the largest {float(y.max()):.1f}")

# %% [markdown]
# (`@vectorize` returns Numba's own kind of array on the device; `cp.asarray` looks at the same memory as CuPy's.) The size is odd on purpose, and
# nobody had to think about it: `@vectorize` chose the threads, made the result, and stopped at the end. But a
# 3 × 3 mean is beyond it, because it needs the *neighbours*. For that one writes a kernel.
#
# ## One thread, one element
#
# A kernel is a function that **every thread** runs, with the same arguments. What differs is the thread's number. You choose how many threads
# make up a *block* and how many blocks make up the *grid*; the kernel asks which thread it is, and picks its element.


# %%
@cuda.jit
def brighten_kernel(x, gain, out):
    i = cuda.grid(1)  # blockIdx.x * blockDim.x + threadIdx.x
    out[i] = min(x[i] * gain, 1.0)


# %% [markdown]
# A kernel returns nothing: it writes into an array that it is given. It is launched as `kernel[blocks, threads](…)`.
#
# **Predict.** 1000 numbers, blocks of 128 threads. How many blocks are needed, and how many threads have nothing to do?

# %%
my_blocks, my_idle = 1, 0

# %%
n, threads = 1000, 128
blocks = -(-n // threads)  # rounded up
print(f"{blocks} blocks, {blocks * threads - n} threads too many; you said {my_blocks} and {my_idle}")

# %% [markdown]
# ![An array of 1000 elements under a grid of eight blocks of 128 threads; the last block reaches beyond the array's end. One block is four warps of
# 32 threads. Thread 5 of the second warp of block 2 has the index 2 times 128 plus 32 plus 5, which is 293.](drawings/grid-block-warp.svg)

# %% [markdown]
# **Measure.** What do the threads do that are too many? A GPU would not say. The *lens* runs the kernel here, on copies, and looks at every
# access:

# %%
few, out = np.ones(n, np.float32), np.zeros(n, np.float32)
beyond = lens.trace(brighten_kernel, blocks, threads, few, 1.5, out)
print(beyond.errors[0])
print(f"\nelements that do not exist, read: {beyond.errors[0].elements}, written: {beyond.errors[1].elements}")

# %% [markdown]
# **Explain.** They read and write what lies behind the arrays. That is somebody else's memory, and there is mostly no error: the result is right,
# and some other array is not. So a kernel begins with a *guard*:


# %%
@cuda.jit
def brighten_guarded(x, gain, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = min(x[i] * gain, 1.0)


assert not lens.trace(brighten_guarded, blocks, threads, few, 1.5, out).errors
y = cp.empty_like(x)
brighten_guarded[-(-x.size // threads), threads](x, 1.5, y)
assert cp.allclose(y, cp.minimum(x * np.float32(1.5), 1))

# %% [markdown]
# ![The last of eight blocks of 128 threads over an array of 1000 elements. Its first 104 threads have an element each; the last 24 point behind the
# array, at memory that belongs to others, and the guard sends them away.](drawings/guard.svg)

# %% [markdown]
# The lens sees no error, and the million numbers are right. How many threads should a block have? A multiple of 32 (threads
# run in groups of 32, and the last group would be partly idle), at most 1024, mostly 128 or 256; unit 06 has more reasons.
#
# ## Two dimensions: the picture
#
# This is the kernel of the post, word for word but for the names, and launched as there, in blocks of 16 × 16 threads. Below it is a second one.
# What is the difference?


# %%
@cuda.jit
def smooth_published(x, out):
    i, j = cuda.grid(2)
    n, m = x.shape
    if 1 <= i < n - 1 and 1 <= j < m - 1:
        out[i, j] = (
            x[i - 1, j - 1] + x[i - 1, j] + x[i - 1, j + 1]
            + x[i, j - 1] + x[i, j] + x[i, j + 1]
            + x[i + 1, j - 1] + x[i + 1, j] + x[i + 1, j + 1]
        ) // 9  # fmt: skip


@cuda.jit
def smooth_ordered(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if 1 <= i < n - 1 and 1 <= j < m - 1:
        out[i, j] = (
            x[i - 1, j - 1] + x[i - 1, j] + x[i - 1, j + 1]
            + x[i, j - 1] + x[i, j] + x[i, j + 1]
            + x[i + 1, j - 1] + x[i + 1, j] + x[i + 1, j + 1]
        ) // 9  # fmt: skip


# %% [markdown]
# ![A picture of rows and columns with one block of threads on it. The thread's x counts columns along a row, so that the threads of a warp lie side
# by side in memory; its y counts rows.](drawings/x-is-column.svg)

# %% [markdown]
# Two names are exchanged. `cuda.grid(2)` gives *x first, then y*, and the first kernel takes x for the row. Both give the same picture. But the
# 32 threads of a *warp* go together and ask for memory together, in one *request* for each read or write in the code; and memory comes in
# *sectors* of 32 bytes. Threads whose `threadIdx.x` follow
# each other are in the same warp: in a block of 16 × 16 a warp is two lines of 16 threads.
#
# **Predict.** The 32 threads of a warp read one pixel each, of one byte. How many sectors does that take in the published order, and how many in
# the other?

# %%
my_published, my_ordered = 1, 1

# %% [markdown]
# **Measure.** On a small picture, every access counted:

# %%
small = np.random.default_rng(5).integers(-128, 128, (64, 64), dtype=np.int8)
traces = {}
for kernel, mine in ((smooth_published, my_published), (smooth_ordered, my_ordered)):
    traces[kernel] = seen = lens.trace(kernel, (4, 4), (16, 16), small, np.zeros_like(small))
    per_request = sum(t.sectors for t in seen.traffic) / sum(t.requests for t in seen.traffic)
    print(
        f"{kernel.py_func.__name__:17} {per_request:4.1f} sectors a request (you said {mine}), "
        f"{seen.efficiency:.0%} of the bytes that come are used, {len(seen.errors)} errors"
    )
assert np.array_equal(traces[smooth_published].results[1], traces[smooth_ordered].results[1])

# %% [markdown]
# The first number is a little below 16, because warps at the border have fewer threads at work. Each block computes one tile of the picture. It
# also reads the pixels around the tile, its **halo**:

# %% [markdown]
# ![A picture cut into tiles, one for each block. To compute the pixels of its tile a block also reads a border one pixel wide around it, the halo;
# a pixel at the tile's edge has neighbours there.](drawings/tile-halo.svg)

# %% [markdown]
# At the border of the picture the `if` sends some threads of a warp away. A warp **diverges** when only some of its threads take the `if`:

# %% [markdown]
# ![A warp at an if. When some of its threads take it and some do not, both ways run one after the other, and each time the other threads are idle.
# When all threads of a warp take the same way, only that way runs.](drawings/divergence.svg)

# %% [markdown]
# The next figure shows one request of a warp. Each line is 128 bytes of the picture: two of its rows, in four sectors. Colour marks what the warp
# asked for. Hatching marks what comes along. The maps of a block are the same for both kernels.
#
# First in the published order:

# %%
lens.show(traces[smooth_published], tab="warp")

# %% [markdown]
# The same request in the other order:

# %%
lens.show(traces[smooth_ordered], tab="warp")

# %% [markdown]
# ![What one warp's request brings from memory in sectors of 32 bytes. Side by side and aligned, its 32 numbers of four bytes fill four sectors.
# Shifted by one number they touch five. With every second number they need eight, and half of what comes is not used.](drawings/sectors.svg)

# %% [markdown]
# **Explain.** In the published order neighbouring threads read bytes that lie a whole *row* apart. Each brings a sector of 32 with it, of which the
# warp's two lines use two bytes, and thirty come for nothing. Exchange the two names, and a line of 16 threads reads 16 bytes side by side: one sector, or two where they straddle its
# edge. Such requests are called **coalesced**. The rule to remember: **the fastest thread index belongs on the last axis**; x is the column,
# `j, i = cuda.grid(2)`.
#
# Still, less than half of the bytes are used, because a line of 16 pixels fills half a sector. Blocks of 32 × 8 threads, whose warp is one line
# of 32:

# %%
for kernel in (smooth_published, smooth_ordered):
    seen = lens.trace(kernel, (2, 8), (32, 8), small, np.zeros_like(small))
    print(f"{kernel.py_func.__name__:17} in blocks of 32 × 8: {seen.efficiency:.0%} of the bytes that come are used")

# %% [markdown]
# The right order became better, the wrong one worse. A shape alone mends nothing.
#
# ## To the last pixel
#
# Both kernels leave a border of whatever lay in `out`. Where a picture ends, somebody has to decide what lies beyond. We let the pixel at the
# border count once more, which `ndimage` calls `mode="nearest"`, and **clamp** the index: at least 0, at most the last.


# %%
@cuda.jit
def smooth(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                total += x[min(max(i + di, 0), n - 1), min(max(j + dj, 0), m - 1)]
        out[i, j] = total // 9


def launch(n, m, threads=(32, 8)):
    """Enough blocks for n rows and m columns; x counts columns."""
    return (-(-m // threads[0]), -(-n // threads[1])), threads


# %% [markdown]
# Right at every border? Ask a library, exactly, on random numbers, on shapes that are no multiple of anything. (Small launches leave a GPU mostly
# empty, and Numba warns of it each time. Here they are meant.)

# %%
numba.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0

ones = cp.ones((3, 3), cp.int16)
for n, m in ((64, 64), (61, 97), (2, 33), (1, 40), (40, 1), (1, 1)):
    x = cp.asarray(np.random.default_rng(5).integers(-128, 128, (n, m), dtype=np.int8))
    out = cp.empty_like(x)
    smooth[launch(n, m)](x, out)
    expected = cupyx.scipy.ndimage.correlate(x.astype(cp.int16), ones, mode="nearest") // 9
    print(f"{n:3} rows, {m:2} columns: {int((out != expected).sum())} pixels differ")
    assert (out == expected).all()

seen = lens.trace(smooth, *launch(64, 64), small, np.zeros_like(small))
assert not seen.errors
print(f"errors that the lens sees: {len(seen.errors)}; bytes that come and are used: {seen.efficiency:.0%}")

# %% [markdown]
# Right to the last pixel, and coalesced. A blur in a well-known course ([here it is](../docs/found.md)) is not that lucky: it reads past the
# picture, adds one neighbour twice and another never, and nobody saw it for years, because a blur looks like a blur, and there was nothing to compare it with.
#
# ### Nine bytes that do not fit into a byte
#
# **Predict.** Nine pixels of 127 come to 1143, and an int8 ends at 127. What does the sum come to when NumPy adds nine arrays of int8, one to
# the other with `+=`; in C, in an `int8_t` that is added to nine times; and in a Numba kernel in which the sum begins as `np.int8(0)`?

# %%
my_numpy, my_c, my_numba = 1143, 1143, 1143

# %% [markdown]
# **Measure.** (`raw` lets the C look at all of `x`, and `size=1` runs it once.)


# %%
@cuda.jit
def nine_in_numba(x, out):
    total = np.int8(0)
    for k in range(9):
        total += x[k]
    out[0] = total


nine_in_c = cp.ElementwiseKernel(
    "raw int8 x",
    "int8 narrow, int32 wide",
    "signed char n = 0; int w = 0; for (int k = 0; k < 9; ++k) { n += x[k]; w += x[k]; } narrow = n; wide = w;",
    "nine_in_c",
)

bright = cp.full(9, 127, cp.int8)
in_arrays = bright[0:1].copy()
for k in range(1, 9):
    in_arrays += bright[k : k + 1]
narrow, wide = nine_in_c(bright, size=1)
in_numba = cp.zeros(1, cp.int64)
nine_in_numba[1, 1](bright, in_numba)
print(f"arrays of int8, CuPy as NumPy    {int(in_arrays[0]):5}   you said {my_numpy}")
print(f"C, added to an int8_t            {int(narrow[0]):5}   you said {my_c}")
print(f"C, added to an int               {int(wide[0]):5}")
print(f"Numba, begun as np.int8(0)       {int(in_numba[0]):5}   you said {my_numba}")
assert (int(narrow[0]), int(in_numba[0])) == ((1143 + 128) % 256 - 128, 1143)

# %% [markdown]
# **Explain.** Arrays of int8 stay int8 and go round, in CuPy as in NumPy: 1143 - 4 · 256 = 119. (Their method `.sum()` widens to int64 first.) C adds in `int`, but stores into the `int8_t`
# after each step, and goes round there. Numba adds single whole numbers as int64, and a *variable has one type*, that of all that is ever
# assigned to it: so `total` is an int64 from the beginning, whatever it begins as. It goes round only where you store into an array of int8, and
# a mean fits again. (To add up in int64 is wider than needed, and counts where arithmetic binds.)
#
# ## How fast? First the CPU
#
# Before a GPU may brag, the CPU gets its chance. This is the ladder of unit 04: `@stencil` as published, the same sums as a compiled loop that
# writes int8 into an array that is there, and that on all cores. The picture has 10 000 × 10 000 pixels, or as many as there is room for.

# %%
room = machine.cpu.memory().available  # bytes
side = max(1_000, min(10_000, int((room / 20) ** 0.5) // 1_000 * 1_000))
picture = np.random.default_rng(seed=5).integers(-128, 128, (side, side), dtype=np.int8)
print(f"a picture of {picture.nbytes / 1e6:.0f} MB")


# %%
@stencil
def mean_of_nine(x):
    return (
        x[-1, -1] + x[-1, 0] + x[-1, 1]
        + x[0, -1] + x[0, 0] + x[0, 1]
        + x[1, -1] + x[1, 0] + x[1, 1]
    ) // 9  # fmt: skip


smooth_stencil = njit(lambda x: mean_of_nine(x))


def smooth_loops(x, out):
    n, m = x.shape
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            out[i, j] = (
                x[i - 1, j - 1] + x[i - 1, j] + x[i - 1, j + 1]
                + x[i, j - 1] + x[i, j] + x[i, j + 1]
                + x[i + 1, j - 1] + x[i + 1, j] + x[i + 1, j + 1]
            ) // 9  # fmt: skip


on_one_core, on_all_cores = njit(smooth_loops), njit(parallel=True)(smooth_loops)

published_way = measure(lambda: smooth_stencil(picture).dtype, name="@stencil, as published", repeat=2)
result = np.zeros_like(picture)
one_core = measure(on_one_core, picture, result, name="loops, int8", bytes=2 * picture.size, repeat=5)
all_cores = measure(on_all_cores, picture, result, name="loops, int8, all cores", bytes=2 * picture.size, repeat=7)
print(f"@stencil, as published: {1e3 * published_way.median:.0f} ms")
print(f"loops, one core: {1e3 * one_core.median:.1f} ms, {published_way.median / one_core.median:.0f}×")
print(f"loops, all cores: {1e3 * all_cores.median:.1f} ms, {published_way.median / all_cores.median:.0f}×")

# %% [markdown]
# (When this course's ladder was first measured, on two quiet cores, `@stencil` took 509 ms, the loops 40 ms, and on both cores 5 ms: a factor of 96
# without any GPU, and more of it than two threads explain. On a busy machine all cores may even lose to one.)
#
# ## Now the GPU
#
# The picture goes to the device once, and stays. Without a GPU the times below are those of a *simulated* one, that is of your processor at work
# on a hundred million threads: they say that the kernels are right, and nothing of a GPU's speed.

# %%
on_gpu, out = cp.asarray(picture), cp.zeros((side, side), cp.int8)
by_threads = {}
for label, kernel, (blocks, threads) in (
    ("kernel, as published", smooth_published, launch(side, side, (16, 16))),
    ("kernel, in order, with borders", smooth, launch(side, side)),
):
    by_threads[label] = measure(kernel[blocks, threads], on_gpu, out, name=label, bytes=2 * picture.size, repeat=2)
    assert (out[1:-1, 1:-1].get() == result[1:-1, 1:-1]).all()

compare(
    "kernels.stencil",
    {"@stencil": published_way, "loops, all cores": all_cores, **by_threads},
    naive=published_way,
    strongest=all_cores,
    limit=limit(bytes=2 * picture.size),
    n=picture.size,
)

# %% [markdown]
# Read the picture from the right, from the slow end. Of the published 200× most is the CPU's own software, as the ladder shows. What a GPU can add is the distance between
# the *limits*, of this processor's memory and of the GPU's. And the published kernel stands 13 times above the limit of the V100 on which it ran.
# How much of that is the order of the threads? The lens estimates the time of a launch from its requests, without a GPU. (An estimate is no
# measurement: it is as good as a plain model of a GPU can be, which is a factor of two or so.)

# %%
full = 10_000
for gpu in ("V100", "H200"):
    least = limit(bytes=2 * full * full, machine=gpu).seconds
    print(f"{gpu}: limit {1e3 * least:.2g} ms")
    for kernel, threads in ((smooth_published, (16, 16)), (smooth_ordered, (16, 16)), (smooth_ordered, (32, 8))):
        seen = lens.trace(kernel, *launch(64, 64, threads), small, np.zeros_like(small))
        guess = lens.estimate(seen, griddim=launch(full, full, threads)[0], gpu=gpu)
        print(
            f"    {kernel.py_func.__name__:16} {threads[0]} × {threads[1]}: about {1e3 * guess.seconds:.2g} ms, "
            f"held up by {guess.binds}"
        )

# %% [markdown]
# In the published order the first cache, L1 (near the threads; L2 is shared by the whole GPU), is busy with fetching sectors of which one byte is used (the post measured 2.87 ms). In the right
# order that is over, and arithmetic binds (working out indices, and additions in int64, are arithmetic too); so the better shape of 32 × 8 no longer shows. That is how it goes on: remove what binds, and look what binds next. Unit 06 does that to the end, with other kernels.
#
# ## A loop for any size
#
# A thread may do more than one element. In a *grid-stride loop* it goes on by as many elements as the grid has threads. Neighbours stay
# neighbours, any launch is right, and the guard is the loop's own.


# %%
@cuda.jit
def brighten_any(x, gain, out):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        out[i] = min(x[i] * gain, 1.0)


for blocks, threads in ((1, 32), (3, 64), (100, 256)):
    seen = lens.trace(brighten_any, blocks, threads, few, 0.5, np.zeros_like(few))
    assert not seen.errors and (seen.results[2] == 0.5).all()
    print(f"{blocks * threads:5} threads: one writes {seen.writes['out'].most} elements at most")

# %% [markdown]
# ## When threads meet: a histogram
#
# How often does each grey value occur, in a picture with 16 of them? The loop of unit 04, with a grid of threads in place of the cores:


# %%
@cuda.jit
def histogram(v, counts):
    for i in range(cuda.grid(1), v.size, cuda.gridsize(1)):
        counts[v[i]] += 1


values = np.random.default_rng(5).integers(0, 16, 4096, dtype=np.uint8)
counts = np.zeros(16, np.int32)

# %% [markdown]
# **Predict.** 4096 values, 256 threads. What will `counts.sum()` be?

# %%
my_sum = 4096

# %% [markdown]
# **Measure.** A GPU promises no order of the threads. The lens can run the same launch in several. (*Orders like it* are those that gave one answer, itself
# among them. *Lanes* are a warp's threads; at a *barrier* the threads of a block wait for each other, which is in unit 06, and none is here.)

# %%
tried = lens.schedules(histogram, 4, 64, values, counts)
print("sums in several orders:", *sorted({int(answer.results[1].sum()) for answer in tried.answers}))
print("you said", my_sum)
tried

# %% [markdown]
# It need not try orders to find it. One run is enough, since it sees *who touches what*:

# %%
race = lens.trace(histogram, 4, 64, values, counts).errors[0]
print(race.diagnosis)

# %% [markdown]
# ![Two threads add one to the same count of 5. Both read 5, both write 6, and one addition is lost. With an atomic addition the second thread reads
# only after the first has written, and the count becomes 7.](drawings/race.svg)

# %% [markdown]
# **Explain.** `+=` reads, adds and writes back. In between another thread reads the same old count, and one of the two additions is lost: a
# **race**. Nothing is wrong with any single thread, there is no error, and on a quiet day the sum is right. An *atomic* addition,
# `cuda.atomic.add(array, index, value)`, does the three as one (for a matrix the index is a tuple, `(a, b)`):


# %%
@cuda.jit
def histogram_atomic(v, counts):
    for i in range(cuda.grid(1), v.size, cuda.gridsize(1)):
        cuda.atomic.add(counts, v[i], 1)


assert lens.schedules(histogram_atomic, 4, 64, values, counts).agree
assert not lens.trace(histogram_atomic, 4, 64, values, counts).errors
on_device = cp.zeros(16, cp.int32)
histogram_atomic[4, 64](cp.asarray(values), on_device)
assert (on_device.get() == np.bincount(values, minlength=16)).all()
print("right in every order; the sum is", int(on_device.sum()))

# %% [markdown]
# ## A sum, and the price of meeting
#
# A sum is a histogram with a single count. To make every thread add to it atomically would be right, and all would queue for one address. So each
# thread first adds up what it reads in a *variable of its own*, and adds that to the result once:


# %%
@cuda.jit
def total_by_all(x, result):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(result, 0, x[i])


@cuda.jit
def total(x, result):
    mine = 0.0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        mine += x[i]
    cuda.atomic.add(result, 0, mine)


x = np.random.default_rng(5).random(100_000)
for kernel in (total_by_all, total):
    seen = lens.trace(kernel, 80, 128, x, np.zeros(1))
    assert not seen.errors and np.isclose(seen.results[1][0], x.sum())
    print(
        f"{kernel.py_func.__name__:12} {seen.writes['result'].total:7,} atomic additions to one number: on a V100 about "
        f"{1e6 * lens.estimate(seen, gpu='V100').seconds:.0f} µs"
    )

result = cp.zeros(1)
total[80, 128](cp.asarray(x), result)
assert np.isclose(float(result[0]), x.sum())

# %% [markdown]
# (Is the sum the same twice? Atomics come in any order, and floats round. To the last digit it is not.) Better still is a *tree*, in which the
# threads of a block add up in pairs and only the block adds atomically: that needs shared memory, and is in unit 06.
#
# The same price can come from the *data*.
#
# **Predict.** A hundred million pixels of 256 grey values, and `histogram_atomic` as it is. By what factor is it slower if all pixels have the
# *same* value?

# %%
my_factor = 1

# %%
about = {}
grey = np.random.default_rng(6).integers(0, 256, 1 << 15, dtype=np.uint8)
for label, v in (("random", grey), ("one grey value", np.full_like(grey, 7))):
    seen = lens.trace(histogram_atomic, 32, 256, v, np.zeros(256, np.int32))
    about[label] = lens.estimate(seen, griddim=32 * 10**8 // v.size, gpu="V100")
    print(f"{label:14} on a V100 about {1e3 * about[label].seconds:.2g} ms, held up by {about[label].binds}")
slower = about["one grey value"].seconds / about["random"].seconds
print(f"about {slower:.0f}× slower; you said {my_factor}×")

# %% [markdown]
# **Explain.** Random values meet seldom; equal ones meet always, and wait for each other one by one. Try your kernels on dull data too: night,
# blank paper, missing values.
#
# ## Where the GPU loses
#
# **For a small picture, wherever it lies; and for one that lies on the host and is smoothed once.** We measure the best CPU loop at five sizes,
# and put beside it the least that a GPU could need: a launch, two bytes for each pixel in its memory, and where the picture is on the host, both
# over the bus.

# %%
sides = np.array([32, 128, 512, 2048, side])
here = []
for s in sides:
    x, smoothed = picture[:s, :s].copy(), np.zeros((s, s), np.int8)
    ways = [on_one_core, on_all_cores] if s < side else [on_all_cores]
    here.append(min(measure(way, x, smoothed, repeat=5, min_time=0.01).median for way in ways))


def least(name, s, bus):
    gpu = machine.gpus.find(name)
    return gpu.launch + 2 * s * s / gpu.bandwidth + (2 * s * s / gpu.link if bus else 0)


plot.lines(
    sides**2,
    {
        "this CPU, measured": here,
        "V100, there and back": [least("V100", s, bus=True) for s in sides],
        "V100, data there": [least("V100", s, bus=False) for s in sides],
        "H200, there and back": [least("H200", s, bus=True) for s in sides],
        "H200, data there": [least("H200", s, bus=False) for s in sides],
    },
    xlabel="pixels",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="One smoothing: who is first?",
    note="GPUs: the least that launch, memory and bus allow. No kernel reaches it.",
)

# %% [markdown]
# On the left both GPUs are still launching when one core has finished; further on, with the data there, they draw level and pass. On the right, *there and back* is bound by the bus, however fast the kernel is.
# Whether this CPU is first there depends on how near to its memory's limit its loop came (and on who else was at work on it):

# %%
print(
    f"32 by 32 pixels, here:      {1e6 * here[0]:.1f} µs; a launch alone on a V100 {1e6 * least('V100', 32, False):.0f} µs, "
    f"on an H200 {1e6 * least('H200', 32, False):.0f} µs"
)
print(f"the whole picture, here:    {1e3 * here[-1]:.1f} ms")
print(f"the limit of this memory:   {1e3 * limit(bytes=2 * picture.size, machine='cpu').seconds:.1f} ms")
for name in ("V100", "H200"):
    on_the_bus = 2 * picture.size / machine.gpus.find(name).link
    print(
        f"{name}, there and back:       {1e3 * least(name, side, True):.1f} ms at least, on the bus {1e3 * on_the_bus:.1f} ms"
    )

# %% [markdown]
# A bus is hardly ever faster than the memory at either end of it, so a loop at its limit is first, or nearly. Only *data there* lies far below:
# **a kernel pays where the picture stays on the device, for the next step and the one after that.**
#
# ## Key points
#
# - A kernel is run by every thread. `cuda.grid` says which one it is; a **guard** comes first, for the last block is rarely full.
# - For one element from the same place of each argument, `@vectorize` does without a kernel.
# - `cuda.grid(2)` gives x first, and x runs along a warp: **x is the column**, the last axis. Count sectors for each request.
# - Clamp or guard at *every* border, and compare with a library, exactly, on random numbers and odd shapes.
# - Single small integers promote in a kernel; arrays of them go round, and so does an `int8_t` in C.
# - Two threads at one element, one of them writing, is a race, right or wrong by luck. The lens sees it; an atomic addition mends it; fewer that meet
#   are faster.
# - Let the CPU write the same bytes, with all its cores, before a GPU brags.
#
# ## The exercise
#
# Six problems, 40 minutes: [exercises/05_kernels.ipynb](../exercises/05_kernels.ipynb). You will repair a guard and a race, smooth a picture to
# the last pixel, and get near to what its bytes allow.
#
# ## Further reading
#
# - M. Rocklin, [Composing Dask Array with Numba Stencils](https://blog.dask.org/2019/04/09/numba-stencil), Dask blog, 9 April 2019: the kernel with
#   2.87 ms, on ones of type int8; [Python and GPUs: A Status Update](https://blog.dask.org/2019/06/19/python-gpus-status-update), 19 June 2019: "600 ms → 3 ms".
# - [found.md](../docs/found.md) of this project: what the lens found in published kernels, the blur among them.
# - NVIDIA, [CUDA C++ Programming Guide](https://docs.nvidia.com/cuda/cuda-c-programming-guide/): the programming model; and numba-cuda's
#   [documentation](https://nvidia.github.io/numba-cuda/): what of Python a kernel may use.
# - S. Rush, [GPU Puzzles](https://github.com/srush/GPU-Puzzles): fourteen small kernels to write, from the guard to the tiled product.
