# ---
# jupyter:
#   hundredfold:
#     unit: 5
#     slug: kernels
#     title: "Kernels: from loops to threads"
#     teaching: 45
#     exercises: 40
# ---

# %% [markdown]
# # 05 · Kernels: from loops to threads
#
# *Unit 05 · kernels · 45 minutes, then 40 for the exercises*
#
# In June 2019 a blog post smoothed a picture on a GPU with a few lines of Python. It reported **600 ms → 3 ms**: 200 times faster. In unit 04 you
# took the 600 ms apart. Now you write the kernel of the 3 ms. The post's GPU can read and write the whole picture in a 13th of that time. You find out
# what takes so long, swap `i` and `j` in one line, and estimate what that gains.
#
# ## What you will be able to do
#
# - **Write** a kernel, and launch it in one and two dimensions.
# - **See** which thread touches what, and find a read out of bounds and a race.
# - **Order** the threads so that a warp reads bytes that lie side by side.
# - **Decide** when a kernel does not pay.
#
# You need unit 04's loops over a picture. You do not need a GPU: without one, kernels run on your processor, with the same answers.

# %%
# %load_ext hundredfold

# %%
import cupy as cp
import cupyx.scipy.ndimage
import numba
import numpy as np
from numba import cuda, njit, prange, stencil, vectorize
from sklearn.datasets import load_sample_image

from hundredfold import lens, limit, machine, measure, plot, quiz

# %% [markdown]
# ## One thread for each element
#
# On a CPU a loop visits one element after the other. On a GPU each element gets a **thread** of its own. A
# **[kernel](../docs/glossary.md#term-kernel)** is a function that all threads run, with the same arguments. Each thread computes its number with
# `cuda.grid`, and works on the element with that number.


# %%
@cuda.jit
def brighten_kernel(x, gain, out):
    i = cuda.grid(1)
    out[i] = min(x[i] * gain, 1.0)


# %% [markdown]
# A kernel returns nothing. It writes into an array that it is given. You launch it with `kernel[blocks, threads](…)`. The threads come in groups:
#
# - A **[warp](../docs/glossary.md#term-warp)** is 32 threads that run together. They are also called its *lanes*.
# - A **[block](../docs/glossary.md#term-block)** is one or more warps, up to 1024 threads. You choose its size.
# - The **[grid](../docs/glossary.md#term-grid)** is all blocks of a launch. You choose their number.
#
# `cuda.grid(1)` is `blockIdx.x * blockDim.x + threadIdx.x`: the block's number times the size of a block, plus the thread's number in its block.
#
# ![An array of 1000 elements under a grid of eight blocks of 128 threads; the last block reaches beyond the array's end. One block is four warps of
# 32 threads. Thread 5 of the second warp of block 2 has the index 2 times 128 plus 32 plus 5, which is 293.](drawings/grid-block-warp.svg)
#
# **Predict.** An array has 3000 numbers, and a block has 128 threads. How many blocks do you need? How many threads have no element?

# %%
my_blocks, my_idle = "?", "?"

# %%
threads = 128
blocks = -(-3000 // threads)  # rounded up
print(f"{blocks} blocks, {blocks * threads - 3000} threads too many; you said {my_blocks} and {my_idle}")

# %% [markdown]
# Now launch `brighten_kernel` for the drawing's 1000 numbers: 8 blocks, and 24 threads too many.
#
# **Question.** What do these 24 threads do on a GPU?
#
# - (a) They stop with an `IndexError`.
# - (b) They read and write the memory behind the arrays, mostly without an error.
# - (c) Nothing. The GPU does not start them.

# %%
my_answer = "?"
quiz("kernels.beyond", my_answer)

# %% [markdown]
# **Measure.** The **lens** runs a kernel on your processor, on copies of its arrays, and checks every access:

# %%
few, out = np.ones(1000, np.float32), np.zeros(1000, np.float32)
beyond = lens.trace(brighten_kernel, 8, 128, few, 1.5, out)
print(beyond.errors[0])
print(f"\nelements that do not exist, read: {beyond.errors[0].elements}, written: {beyond.errors[1].elements}")

# %% [markdown]
# Threads and blocks are numbered (x, y, z). In one dimension only x counts.
#
# **Explain.** The memory behind an array often belongs to another array. Your result is right, and the other array is spoiled. So a kernel begins with
# a **guard**, an `if` that stops the threads without an element:
#
# ![The last of eight blocks of 128 threads over an array of 1000 elements. Its first 104 threads have an element each; the last 24 point behind the
# array, at memory that belongs to others, and the guard sends them away.](drawings/guard.svg)


# %%
@cuda.jit
def brighten_guarded(x, gain, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = min(x[i] * gain, 1.0)


assert not lens.trace(brighten_guarded, 8, 128, few, 1.5, out).errors

x = cp.random.default_rng(5).random(1_000_003, dtype=np.float32)
y = cp.empty_like(x)
brighten_guarded[-(-x.size // 128), 128](x, 1.5, y)
assert cp.allclose(y, cp.minimum(x * np.float32(1.5), 1))

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: without a kernel
#
# If each result depends only on elements **at the same place**, you need no kernel. You write what happens to one element. `@vectorize` chooses the
# threads, makes the result, and guards its end:


# %%
@vectorize(["float32(float32, float32)"], target="cuda")
def brighten(pixel, gain):
    return min(pixel * gain, np.float32(1))


assert cp.allclose(cp.asarray(brighten(x, np.float32(1.5))), y)

# %% [markdown]
# The result is Numba's own kind of device array. `cp.asarray` makes a CuPy array of the same memory, without a copy.

# %% [markdown]
# ## Where the blocks run
#
# A GPU consists of **streaming multiprocessors**, [SMs](../docs/glossary.md#term-SM) for short. A block runs on one SM from its beginning to its end.
# You choose neither the SM nor the order of the blocks.
#
# ![The blocks of a grid wait in a queue and are handed out to the multiprocessors of an H200. Each of the 132 multiprocessors holds several blocks at
# once, up to 64 warps together; a block stays where it is until it ends.](drawings/multiprocessors.svg)
#
# An H200's SM holds up to 64 warps. Memory answers a warp only after hundreds of clock cycles.
#
# **Question.** One warp of an SM waits for memory. What do the other warps do?
#
# - (a) They fetch its data, so that it comes sooner.
# - (b) They wait, too, because all warps of an SM run in step.
# - (c) They compute, so that the SM loses less time.

# %%
my_answer = "?"
quiz("kernels.waiting", my_answer)

# %% [markdown]
# ![Two timelines of one multiprocessor. With one warp it computes a little, waits long for memory, and computes again. With eight warps another warp
# computes while the first one waits, so that the multiprocessor is never idle.](drawings/latency.svg)
#
# **[Occupancy](../docs/glossary.md#term-occupancy)** is the number of warps on an SM, divided by the most that fit.
# A kernel that multiplies each number by a constant was [measured](https://github.com/te42kyfo/gpu-benches) on an H200 at three occupancies:

# %%
published = {4: 463e9, 16: 1_395e9, 64: 3_165e9}  # warps on each SM: bytes per second
for warps, rate in published.items():
    of_sheet = rate / machine.gpus.find("H200").bandwidth
    print(f"{warps:2} of 64 warps: {rate / 1e9:4.0f} GB/s, {of_sheet:.0%} of the data sheet")

# %% [markdown]
# More warps ask for more bytes at the same time. Even 64 warps do not ask for enough, because here each thread reads only one number.
#
# A block should have a multiple of 32 threads, so that all warps are full. 128 or 256 are good first choices.
#
# ## A picture: two dimensions
#
# To smooth a picture, each pixel becomes the mean of nine: itself and its neighbours. Such a computation is a
# **[stencil](../docs/glossary.md#term-stencil)**.
#
# ![A picture of numbers on the left, its smoothed copy on the right. The nine pixels in a square come to 54; their mean, 6, becomes the pixel in the
# middle of the square in the copy.](drawings/mean-of-nine.svg)
#
# The first kernel is the one of the post. The second is the same, with `i` and `j` swapped in its first line:


# %%
@cuda.jit
def smooth_published(x, out):
    i, j = cuda.grid(2)
    n, m = x.shape
    if 1 <= i < n - 1 and 1 <= j < m - 1:
        above = x[i - 1, j - 1] + x[i - 1, j] + x[i - 1, j + 1]
        beside = x[i, j - 1] + x[i, j] + x[i, j + 1]
        below = x[i + 1, j - 1] + x[i + 1, j] + x[i + 1, j + 1]
        out[i, j] = (above + beside + below) // 9


@cuda.jit
def smooth_ordered(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if 1 <= i < n - 1 and 1 <= j < m - 1:
        above = x[i - 1, j - 1] + x[i - 1, j] + x[i - 1, j + 1]
        beside = x[i, j - 1] + x[i, j] + x[i, j + 1]
        below = x[i + 1, j - 1] + x[i + 1, j] + x[i + 1, j + 1]
        out[i, j] = (above + beside + below) // 9


# %% [markdown]
# `cuda.grid(2)` returns two numbers: the first counts along `threadIdx.x`, the second along `threadIdx.y`. In the post's kernel `threadIdx.x` counts rows.
# In the second kernel it counts columns. Here is the second:
#
# ![A picture of rows and columns with one block of threads on it. threadIdx.x counts columns along a row, so that the threads of a warp lie side
# by side in memory; threadIdx.y counts rows. The block begins in row 2 and column 8. The warp is drawn with 8 threads instead of
# 32.](drawings/x-is-column.svg)
#
# ## What a warp asks for
#
# The 32 threads of a warp go to **global memory**, the GPU's large memory, together. Each `x[…]` or `out[…]` in the code is one **request** of the
# warp. Memory moves whole **[sectors](../docs/glossary.md#term-sector)** of 32 bytes, even if one byte is needed. Here a warp reads 32 numbers of
# four bytes:
#
# ![What one warp's request brings from memory in sectors of 32 bytes. Side by side and aligned, its 32 numbers of four bytes fill four sectors.
# Shifted by one number they touch five. With every second number they need eight, and half of what comes is not used.](drawings/sectors.svg)
#
# The post uses blocks of 16 × 16 threads. Threads are numbered along `threadIdx.x` first, so a warp is two lines of 16 threads. A pixel has one byte. Our small
# picture is 32 pixels wide, so each of its rows is one sector.
#
# **Predict.** How many sectors does one request move in the post's kernel? How many in the second one?

# %%
my_published, my_ordered = "?", "?"

# %% [markdown]
# **Measure.** The lens counts them:


# %%
def launch(along_x, along_y, threads):
    """Blocks and threads for so many pixels along threadIdx.x and threadIdx.y."""
    return (-(-along_x // threads[0]), -(-along_y // threads[1])), threads


def trace(kernel, picture, threads):
    """What the lens sees of a launch of one thread for each pixel."""
    rows, columns = picture.shape
    x_and_y = (rows, columns) if kernel is smooth_published else (columns, rows)
    return lens.trace(kernel, *launch(*x_and_y, threads), picture, np.zeros_like(picture))


small = np.random.default_rng(5).integers(-128, 128, (48, 32), dtype=np.int8)
seen = {kernel: trace(kernel, small, (16, 16)) for kernel in (smooth_published, smooth_ordered)}
for kernel, mine in ((smooth_published, my_published), (smooth_ordered, my_ordered)):
    requests = seen[kernel].traffic  # for each x[…] and out[…]
    each = sum(t.sectors for t in requests) / sum(t.requests for t in requests)
    name = kernel.py_func.__name__  # py_func is the Python function below @cuda.jit
    print(f"{name:16} {each:4.1f} sectors for each request on average; you said {mine}")
assert np.array_equal(seen[smooth_published].results[1], seen[smooth_ordered].results[1])

# %% [markdown]
# Threads at the picture's border do nothing, so the averages are a little below 16 and 2. The lens also draws a single request:
#
# ![How to read the picture of a request. Each line is 128 bytes of memory, cut into four sectors of 32 bytes. Coloured are the bytes that the warp
# asked for, hatched those that are moved and not used; a sector that is left out does not move. The line is named after the first element asked for.](drawings/lens-request.svg)
#
# In our picture, 128 bytes are four rows. Here a warp of the post's kernel reads `x[i - 1, j - 1]` for its 32 pixels, in blue. Count the sectors:

# %%
lens.show(seen[smooth_published], tab="warp")

# %% [markdown]
# **Explain.** The two kernels side by side, where a warp reads `x[i, j]`:
#
# ![The pixels that one warp of a block of 16 by 16 threads reads, in a picture whose rows are 32 bytes, one sector each. Where x is the row the warp
# covers 16 rows and two columns: 16 sectors come, of each of which two bytes are used. Where x is the column it covers two rows of 16 pixels: two
# sectors come, half used.](drawings/two-orders.svg)
#
# In the post's kernel, neighbouring threads have pixels below each other. In the second kernel they have pixels side by side. Such requests are
# **[coalesced](../docs/glossary.md#term-coalesced)**. The rule: **`threadIdx.x` counts columns**, the last axis.
#
# A line of 16 pixels fills half of a sector. In blocks of 32 × 8 threads, a warp is one line of 32:

# %%
for threads in ((16, 16), (32, 8)):
    for kernel in (smooth_published, smooth_ordered):
        used = trace(kernel, small, threads).efficiency
        print(f"{threads[0]} × {threads[1]:2}  {kernel.py_func.__name__:16}  {used:.0%} of the bytes are used")

# %% [markdown]
# In the right order the wider block helps. In the wrong order it makes things worse. Choose the order first, then the shape.
#
# **Question.** `i` is `cuda.grid(1)`. The arrays `x` and `a` are float32, with one axis and two. Which read is coalesced?
#
# - (a) `x[i]`
# - (b) `x[8 * i]`
# - (c) `a[i, 0]`

# %%
my_answer = "?"
quiz("kernels.coalesced", my_answer)

# %% [markdown]
# How much does the order matter on a real GPU? The same swap was [measured](https://github.com/siboehm/SGEMM_CUDA) on an RTX A6000, in a product of two
# 4096 × 4096 matrices. It took 69 ms in place of 445 ms: 6.4 times faster.
#
# ## To the last pixel
#
# Both kernels leave out the border. We want a value for each pixel. So we **clamp** each index: at least 0, at most the last. Where a neighbour is
# missing, the nearest pixel counts again. SciPy calls this `mode="nearest"`.
#
# ![The top left corner of a picture and the 3 by 3 neighbours of its first pixel. Five of them lie outside. Each index is clamped, so that the nearest
# pixel at the border is read in their place: the corner pixel counts four times.](drawings/clamp.svg)


# %%
@cuda.jit
def smooth(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = 0  # an int64 in Numba: nine int8 fit
        for di in range(-1, 2):
            for dj in range(-1, 2):
                total += x[min(max(i + di, 0), n - 1), min(max(j + dj, 0), m - 1)]
        out[i, j] = total // 9


# %% [markdown]
# Is it right? We compare it with a library, exactly, on random numbers and odd shapes:

# %%
numba.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # Numba warns of small launches; here they are intended

ones = cp.ones((3, 3), cp.int16)
for n, m in ((64, 64), (61, 97), (2, 33), (1, 40), (40, 1), (1, 1)):
    x = cp.asarray(np.random.default_rng(5).integers(-128, 128, (n, m), dtype=np.int8))
    out = cp.empty_like(x)
    smooth[launch(m, n, (32, 8))](x, out)
    expected = cupyx.scipy.ndimage.correlate(x.astype(cp.int16), ones, mode="nearest") // 9
    print(f"{n:3} rows, {m:2} columns: {int((out != expected).sum())} pixels differ")
    assert (out == expected).all()

# %% [markdown]
# Here is a photograph, smoothed eight times:

# %%
photo = load_sample_image("china.jpg")[100:196, 216:360].mean(axis=2)  # roofs, in grey
x = grey = cp.asarray((photo - 128).astype(np.int8))
for _ in range(8):
    read, x = x, cp.empty_like(x)
    smooth[launch(x.shape[1], x.shape[0], (32, 8))](read, x)
plot.images(
    {"the photograph": grey.get(), "smoothed eight times": x.get()},
    "The roofs of a pavilion. On the right they are blurred, up to the last pixel.",
    columns=2,
    common=True,
)

# %% [markdown]
# Do not trust your eyes. The blur of a published tutorial [reads past the picture](../docs/found.md), and counts one neighbour twice. It still looks
# like a blur.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: borders of warps and of blocks
#
# At a picture's border, some threads of a warp take the `if`, and others do not. The warp **[diverges](../docs/glossary.md#term-divergence)**:
#
# ![A warp at an if. When some of its threads take it and some do not, both ways run one after the other, and each time the other threads are idle.
# When all threads of a warp take the same way, only that way runs.](drawings/divergence.svg)
#
# Our `if` has no `else`. The threads outside wait while the others compute, and nothing runs twice, so divergence costs almost nothing here. It costs time
# when both branches have much to do.
#
# A block computes one tile of the picture. It also reads a border around its tile, the **[halo](../docs/glossary.md#term-halo)**:
#
# ![A picture cut into tiles, one for each block. To compute the pixels of its tile a block also reads a border one pixel wide around it, the halo;
# a pixel at the tile's edge has neighbours there.](drawings/tile-halo.svg)
#
# A larger tile has a smaller share of halo. The open problem of the exercise needs this.

# %% [markdown]
# ## How fast? First the CPU
#
# The GPU has to beat the best CPU program, not the slowest. Here are two ways of unit 04, `@stencil` as published and loops on all cores, on up to
# 10 000 × 10 000 pixels:

# %%
room = machine.cpu.memory().available  # bytes
side = max(1_000, min(10_000, int((room / 20) ** 0.5) // 1_000 * 1_000))
picture = np.random.default_rng(seed=5).integers(-128, 128, (side, side), dtype=np.int8)
print(f"a picture of {picture.nbytes / 1e6:.0f} MB")


# %%
@stencil
def mean_of_nine(x):
    above = x[-1, -1] + x[-1, 0] + x[-1, 1]
    beside = x[0, -1] + x[0, 0] + x[0, 1]
    below = x[1, -1] + x[1, 0] + x[1, 1]
    return (above + beside + below) // 9


smooth_stencil = njit(lambda x: mean_of_nine(x))


def smooth_loops(x, out):
    n, m = x.shape
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            above = x[i - 1, j - 1] + x[i - 1, j] + x[i - 1, j + 1]
            beside = x[i, j - 1] + x[i, j] + x[i, j + 1]
            below = x[i + 1, j - 1] + x[i + 1, j] + x[i + 1, j + 1]
            out[i, j] = (above + beside + below) // 9


on_one_core, on_all_cores = njit(smooth_loops), njit(parallel=True)(smooth_loops)

published_way = measure(lambda: smooth_stencil(picture).dtype, name="@stencil, as published", repeat=2)
result = np.zeros_like(picture)
all_cores = measure(on_all_cores, picture, result, name="loops, all cores", repeat=7)
print(f"@stencil, as published: {1e3 * published_way.median:.0f} ms")
print(f"loops, all cores: {1e3 * all_cores.median:.1f} ms, {published_way.median / all_cores.median:.0f}×")

# %% [markdown]
# ## Now the GPU
#
# So a part of the published 200× came from a slow CPU program. Now we run both kernels on the device, and compare their pictures with that of the
# loops:

# %%
on_gpu, out = cp.asarray(picture), cp.zeros((side, side), cp.int8)
kernels = {}
for label, kernel in (("kernel, as published", smooth_published), ("kernel, i and j swapped", smooth_ordered)):
    start = kernel[launch(side, side, (16, 16))]
    kernels[label] = measure(start, on_gpu, out, name=label, repeat=2)
    assert (out[1:-1, 1:-1].get() == result[1:-1, 1:-1]).all()

print("both kernels give the picture of the loops")

# %% [markdown]
# How fast is the kernel on a real GPU? The post measured 2.87 ms on a V100. The lens **[estimates](../docs/glossary.md#term-estimate)** it, and three more
# versions, from their requests. An estimate may be wrong by a factor of two, so we compare estimates with each other. One thing changes at a time:

# %%
# The lens traces a small sample. 336 and 10 000 both leave 16 when divided by 32, so rows lie in the sectors alike.
sample = np.random.default_rng(5).integers(-128, 128, (64, 336), dtype=np.int8)
steps = {
    "as published": (smooth_published, (16, 16)),
    "i and j swapped": (smooth_ordered, (16, 16)),
    "and blocks of 32 × 8": (smooth_ordered, (32, 8)),
    "and borders": (smooth, (32, 8)),
}
traces = {step: trace(kernel, sample, threads) for step, (kernel, threads) in steps.items()}


def estimate(step, gpu):
    """The time of a launch for 10 000 × 10 000 pixels, from the sample's trace."""
    return lens.estimate(traces[step], griddim=launch(10_000, 10_000, steps[step][1])[0], gpu=gpu)


times = {"published: @stencil, one thread": 0.621, "published: V100, as published": 2.87e-3}
here = {"loops, all cores": all_cores} if machine.simulating() else {"loops, all cores": all_cores, **kernels}
for label, way in here.items():
    times[f"here: {label}"] = way.median * 10_000**2 / picture.size
for step in steps:
    about = estimate(step, "V100")
    times[f"estimate: V100, {step}"] = about.seconds
    print(f"{step:20} {1e3 * about.seconds:4.2f} ms, bound by {about.binds}")
bytes_once = times["limit: V100, each byte once"] = limit(bytes=2 * 10_000**2, machine="V100").seconds
before, after = (times[f"estimate: V100, {step}"] for step in ("as published", "i and j swapped"))
print(f"as published, measured: {2.87e-3 / bytes_once:.0f}× the time to move each byte once")
print(f"i and j swapped: about {before / after:.1f}× faster, estimate against estimate")
plot.times(
    times,
    title="10 000 × 10 000 pixels: one change at a time",
    note="Estimates and limits: not measured. Here: your processor, or your GPU.",
)

# %% [markdown]
# **Explain.** In the post's kernel L1, the cache nearest to the threads, is busy with sectors that are hardly used. After the swap the arithmetic takes
# longest, and all of it four to five times as long as moving each byte once. So better blocks change little. Clamping adds arithmetic to each of the nine
# reads, and costs time again.
#
# ## A loop for any size
#
# A thread may do more than one element. In a **[grid-stride loop](../docs/glossary.md#term-grid-stride-loop)** it steps by the number of threads in
# the grid:
#
# ![An array of 22 elements and a grid of 8 threads. In its first turn thread 2 does element 2, in its second element 10, in its third element 18: each
# time it goes on by 8. In the last turn two threads have nothing to do.](drawings/grid-stride.svg)
#
# The reads are coalesced, the loop is its own guard, and every launch gives the right answer:


# %%
@cuda.jit
def brighten_any(x, gain, out):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        out[i] = min(x[i] * gain, 1.0)


for blocks, threads in ((1, 32), (3, 64), (100, 256)):
    traced = lens.trace(brighten_any, blocks, threads, few, 0.5, np.zeros_like(few))
    assert not traced.errors and (traced.results[2] == 0.5).all()
    print(f"{blocks * threads:5} threads: one writes {traced.writes['out'].most} elements at most")

# %% [markdown]
# A Tesla T4 computed 256 million arctangents in such a loop ([source](https://github.com/cbernet/maldives)). One thread took 54.8 s. 12.8 million threads
# took 10.7 ms.
#
# ## When threads meet: a histogram
#
# How often does each of 16 grey values occur in a picture? Here is unit 04's loop, with threads in place of cores:


# %%
@cuda.jit
def histogram(v, counts):
    for i in range(cuda.grid(1), v.size, cuda.gridsize(1)):
        counts[v[i]] += 1


values = np.random.default_rng(5).integers(0, 16, 4096, dtype=np.uint8)
counts = np.zeros(16, np.int32)

# %% [markdown]
# **Question.** There are 4096 values and 256 threads. What is `counts.sum()` on a GPU?
#
# - (a) At most 4096, and it may be another number each time.
# - (b) Exactly 4096: each value is counted once.
# - (c) More than 4096, because threads count values twice.

# %%
my_answer = "?"
quiz("kernels.counts", my_answer)

# %% [markdown]
# **Measure.** On a GPU, threads have no fixed order. `lens.schedules` runs the same launch in eight orders. A *barrier* in its output is a line where
# threads wait for each other. This kernel has none.

# %%
tried = lens.schedules(histogram, 4, 64, values, counts)
print("sums in several orders:", *sorted({int(answer.results[1].sum()) for answer in tried.answers}))
tried

# %% [markdown]
# One order is enough to find the mistake, because the lens sees who touches the same element:

# %%
race = lens.trace(histogram, 4, 64, values, counts).errors[0]
print(race.diagnosis)

# %% [markdown]
# ![Two threads add one to the same count of 5. Both read 5, both write 6, and one addition is lost. With an atomic addition the second thread reads
# only after the first has written, and the count becomes 7.](drawings/race.svg)
#
# **Explain.** `+=` reads, adds and writes back. If another thread reads the old count in between, one of the two additions is lost. This is a
# **[race](../docs/glossary.md#term-race)**. There is no error message. Only the counts are too small.
#
# An **[atomic](../docs/glossary.md#term-atomic-operation)** addition does all three in one step: `cuda.atomic.add(array, index, value)`. In a matrix the index
# is a tuple `(a, b)`. Atomic additions to one address wait for each other, so few should go there.


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

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: the price of meeting
#
# In a sum, all threads add to the same address, and wait for each other. So each thread should add to it rarely. Take 100 000 numbers and 80 blocks of
# 128 threads, which makes 10 240 threads:
#
# ![Three ways for a launch of 80 blocks of 128 threads to sum 100 000 numbers. If every number is added to the result atomically, 100 000 additions
# wait for each other. If each thread adds up its own numbers first, 10 240 do. If each block does, 80 do.](drawings/one-counter.svg)
#
# Unit 06 writes the third way. These are the first two:


# %%
@cuda.jit
def total_by_all(x, result):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(result, 0, x[i])


@cuda.jit
def total(x, result):
    mine = 0.0  # each thread has its own
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        mine += x[i]
    cuda.atomic.add(result, 0, mine)


x = np.random.default_rng(5).random(100_000)
for kernel in (total_by_all, total):
    traced = lens.trace(kernel, 80, 128, x, np.zeros(1))
    assert not traced.errors and np.isclose(traced.results[1][0], x.sum())
    additions, about = traced.writes["result"].total, lens.estimate(traced, gpu="H200")
    print(
        f"{kernel.py_func.__name__:12} {additions:7,} atomic additions, on an H200 about {1e6 * about.seconds:3.0f} µs"
    )

# %% [markdown]
# The estimate lets an address take one addition in 2.4 clock cycles, 1.2 ns. Real ones can take longer: on an A100, 33.6 million additions of
# float16 to one address took 422 ms, which is 12.6 ns each ([source](https://github.com/BBuf/how-to-optim-algorithm-in-cuda)).
#
# Data can make threads meet, too.
#
# **Question.** `histogram_atomic` counts the grey values of a hundred million pixels. Which picture takes longest?
#
# - (a) Noise: all 256 values are equally frequent.
# - (b) A blank page: all pixels have one value.
# - (c) All take the same time.

# %%
my_answer = "?"
quiz("kernels.dull", my_answer)

# %%
about = {}
grey = np.random.default_rng(6).integers(0, 256, 1 << 15, dtype=np.uint8)
for label, v in (("noise", grey), ("a blank page", np.full_like(grey, 7))):
    traced = lens.trace(histogram_atomic, 32, 256, v, np.zeros(256, np.int32))
    about[label] = lens.estimate(traced, griddim=32 * 10**8 // v.size, gpu="H200")
    print(f"{label:12} on an H200 about {1e3 * about[label].seconds:3.0f} ms, bound by {about[label].binds}")
slower = about["a blank page"].seconds / about["noise"].seconds
print(f"about {round(slower, -1):.0f}× slower")

# %% [markdown]
# Test your kernels on dull data as well: night, blank paper, missing values.

# %% [markdown]
# ## Where the GPU loses
#
# A GPU loses on a small picture, because a launch takes longer than the work. Here is your CPU beside two GPUs. A GPU's line is the least time that it
# can take. Where your CPU's line is lower, the GPU loses for certain. *There and back* includes the **bus**, the connection between host and device.

# %%
sides = np.array([32, 128, 512, 2048, side])
on_cpu = []
for s in sides[:-1]:
    x, smoothed = picture[:s, :s].copy(), np.zeros((s, s), np.int8)
    ways = on_one_core, on_all_cores
    on_cpu.append(min(measure(way, x, smoothed, repeat=5, min_time=0.01).median for way in ways))
on_cpu.append(all_cores.median)  # measured above


def least(name, s, bus):
    gpu = machine.gpus.find(name)
    return gpu.launch + 2 * s * s / gpu.bandwidth + (2 * s * s / gpu.link if bus else 0)


plot.lines(
    sides**2,
    {
        "this CPU, measured": on_cpu,
        "V100, there and back": [least("V100", s, bus=True) for s in sides],
        "H200, there and back": [least("H200", s, bus=True) for s in sides],
        "H200, data there": [least("H200", s, bus=False) for s in sides],
    },
    xlabel="pixels",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="One smoothing: which is first?",
    note="GPUs: the least that launch, memory and bus allow. No kernel reaches it.",
)

# %% [markdown]
# On the left the launch takes most of the GPU's time, on the right the bus. A CPU needs no launch, so its line begins far below.
#
# For a large picture on the host, smoothed once, the CPU may win or lose. A V100 needs 17 ms for the bus alone. Loops that reach 50 GB/s need 4 ms in
# total. *Data there* needs no bus. So keep the picture on the device for many steps. Here are a thousand:

# %%
trip = {gpu: 2 * 10_000**2 / machine.gpus.find(gpu).link for gpu in ("V100", "H200")}  # s on the bus, both ways
swapped = {gpu: estimate("i and j swapped", gpu).seconds for gpu in trip}
print(f"here, loops on all cores:          {1_000 * all_cores.median * 10_000**2 / picture.size:.1f} s")
print(f"V100, the published 2.87 ms:       {1_000 * 2.87e-3 + trip['V100']:.1f} s, with the bus")
for gpu in trip:
    print(f"{gpu}, i and j swapped: about       {1_000 * swapped[gpu] + trip[gpu]:.1f} s, with the bus")

# %% [markdown]
# **Question.** Which job is slower on a GPU than on any CPU?
#
# - (a) An icon of 32 × 32 pixels, smoothed once.
# - (b) A photograph of 100 million pixels on the host, smoothed once.
# - (c) A film on the device, of which each picture is smoothed ten times.

# %%
my_answer = "?"
quiz("kernels.worth", my_answer)

# %% [markdown]
# ## Key points
#
# - Every thread runs the kernel, and `cuda.grid` gives its number. A **guard** comes first.
# - An SM needs many warps: some compute while others wait.
# - **`threadIdx.x` counts columns**, the last axis: `j, i = cuda.grid(2)`. Then requests are coalesced.
# - Clamp or guard at each border. Compare with a library, on random numbers and odd shapes.
# - Two threads at one element, one of them writing, are a **race**. Atomic additions fix it, but wait for each other.
# - Compare with the best CPU program. Keep the data on the device.
#
# ## The exercise
#
# Five problems in 40 minutes, and an open one: [exercises/05_kernels.ipynb](../exercises/05_kernels.ipynb). You repair a guard and a race, and smooth
# a picture to the last pixel.
#
# ## Further reading
#
# - M. Rocklin, [Composing Dask Array with Numba Stencils](https://blog.dask.org/2019/04/09/numba-stencil), Dask blog, 9 April 2019: the kernel with
#   2.87 ms, on int8; [Python and GPUs: A Status Update](https://blog.dask.org/2019/06/19/python-gpus-status-update), 19 June 2019: "600 ms → 3 ms".
# - [gpu-benches](https://github.com/te42kyfo/gpu-benches), folder `gpu-stream`, file `h200.txt` at commit 1c36d509ee: rows *scale* at 6, 25 and 100 % occupancy.
# - S. Boehm, [SGEMM_CUDA](https://github.com/siboehm/SGEMM_CUDA), README at commit 60cba6f9b2: the matrix product on an RTX A6000, kernels 1 and 2.
# - [maldives](https://github.com/cbernet/maldives), `numba/numba_cuda_kernel.ipynb` at commit f69fac7923: the loop on a T4, an arctangent, single runs.
# - [how-to-optim-algorithm-in-cuda](https://github.com/BBuf/how-to-optim-algorithm-in-cuda) at commit 10a3a8d243: `fast-atomic-add` on an A100: a
#   dot product of float16.
# - danielbuechele, photograph of a pavilion in Beijing, [CC BY 2.0](https://creativecommons.org/licenses/by/2.0/), from [scikit-learn](https://scikit-learn.org), which ships it as `china.jpg`.
# - [found.md](../docs/found.md) of this project: mistakes that the lens found in published kernels.
# - NVIDIA, [CUDA C++ Programming Guide](https://docs.nvidia.com/cuda/cuda-c-programming-guide/): the programming model. numba-cuda's
#   [documentation](https://nvidia.github.io/numba-cuda/): the part of Python that a kernel may use.
# - S. Rush, [GPU Puzzles](https://github.com/srush/GPU-Puzzles): fourteen small kernels to write.
