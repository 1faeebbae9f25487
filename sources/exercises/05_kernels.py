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
# # Exercises: Kernels of your own
#
# *Unit 05 · kernels · 40 minutes · the lecture is [notebooks/05_kernels.ipynb](../notebooks/05_kernels.ipynb)*
#
# Six problems, from easy to open. Fill in a cell, run it, run the `check` below it. A check says what it verified, or why the answer is
# wrong, and gives one hint; `hint("kernels.guard")` unfolds the next one. Where code is given that already runs (problems 2, 4 and 6), the
# check judges that code until you change it.
#
# A check traces your kernel with the lens before it launches it: reads and writes out of bounds, races, and how often each thread reads. You
# can do the same at any time, `lens.trace(kernel, blocks, threads, …)`, and look at it with `lens.show`. Nothing is timed, but a thread that has
# not ended after three seconds is stopped: a loop without an end would hang a GPU.
#
# You can run this notebook from top to bottom at any time, solved or not. Checks compile, so they may take some seconds.

# %%
# %load_ext hundredfold

# %%
import numpy as np
from numba import cuda

from hundredfold import check, hint, lens

# %% [markdown]
# ## 1. Predict: who does what?
#
# A float32 picture of 1000 rows and 750 columns lies on the device, row after row, from an address that is a multiple of 32 on. It gets one
# thread for each pixel, in blocks of `(32, 8)` threads, as many as are needed. x counts columns, y rows: `j, i = cuda.grid(2)`. Work out:
#
# - `blocks`: how many blocks the launch has, in all;
# - `idle`: how many of its threads have no pixel;
# - `row`: in which row the pixel of thread (5, 7) of block (3, 20) lies; both are given as (x, y), and rows count from 0;
# - `sectors_along`: memory comes in sectors of 32 bytes. How many does a warp of 32 threads ask for if they read 32 neighbours of the first row?
# - `sectors_down`: and if they read 32 pixels of one column, one below the other?

# %%
blocks = ...
idle = ...
row = ...
sectors_along = ...
sectors_down = ...
### BEGIN SOLUTION
blocks = -(-750 // 32) * -(-1000 // 8)
idle = blocks * 32 * 8 - 1000 * 750
row = 20 * 8 + 7
sectors_along = 32 * 4 // 32
sectors_down = 32
### END SOLUTION

# %%
check("kernels.launch", blocks, idle, row, sectors_along, sectors_down)

# %% [markdown]
# ## 2. Repair a kernel that does too much
#
# `brighten` multiplies numbers by `gain` and writes at most 1 for each. It is launched with blocks of 128 threads, as many blocks as are needed
# for `x.size` numbers; both arrays are float32 and equally long. Now and then it spoils other people's arrays. Repair it. The numbers stay shared among the threads: none of them
# does more than four.


# %%
@cuda.jit
def brighten(x, gain, out):
    ### BEGIN SOLUTION
    i = cuda.grid(1)
    if i < x.size:
        out[i] = min(x[i] * gain, 1.0)
    ### END SOLUTION
    ### BEGIN STARTER
    # i = cuda.grid(1)
    # out[i] = min(x[i] * gain, 1.0)
    ### END STARTER


# %%
check("kernels.guard", brighten)

# %% [markdown]
# ## 3. Smooth a picture, to the last pixel
#
# Write a 3 × 3 mean as a kernel, with another border than the lecture's: **only pixels that exist count**. `x` and `out` are int8, of the same
# two-dimensional shape, and `out` is to hold for each pixel the mean of those pixels of the 3 × 3 around it that exist, **rounded down**. Inside
# they are nine, in a corner four (fewer in a picture one pixel wide); what you divide by is their number.
#
# The launch has blocks of 32 × 8 threads, x along the columns, as many blocks as cover the picture. Each thread reads `x` at most nine times
# and writes one pixel. What it does in shared memory does not count. `x` stays as it is, and nothing outside of the two arrays is touched.


# %%
@cuda.jit
def smooth(x, out):
    ### BEGIN SOLUTION
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = count = 0
        for k in range(max(i - 1, 0), min(i + 2, n)):
            for h in range(max(j - 1, 0), min(j + 2, m)):
                total += x[k, h]
                count += 1
        out[i, j] = total // count
    ### END SOLUTION


# %%
check("kernels.smooth", smooth)

# %% [markdown] tags=["solution-only"]
# `total = 0` is an int64 in Numba, so nine int8 fit. Where loops end at the border, no index has to be clamped. `j, i`, in this order: the first number that `cuda.grid(2)` gives counts along x, and neighbours
# in x sit in the same warp, so they should read neighbours in memory.

# %% [markdown]
# ## 4. Repair counts that threads overwrite
#
# How often does value `b` follow directly upon value `a`? `v` has values from 0 to 15 (uint8, of any length), and `counts[a, b]`, 16 × 16 int32,
# is 0 at first. (Such a table tells textures apart.) The launch has 4 blocks of 64 threads, whatever the length of `v`, and the loop shares the
# pairs among them. On one thread it is right. Repair it so that it is right on all of them,
# and leave each its share.


# %%
@cuda.jit
def follows(v, counts):
    for i in range(cuda.grid(1), v.size - 1, cuda.gridsize(1)):
        ### BEGIN SOLUTION
        cuda.atomic.add(counts, (v[i], v[i + 1]), 1)
        ### END SOLUTION
        ### BEGIN STARTER
        # counts[v[i], v[i + 1]] += 1
        ### END STARTER


# %%
check("kernels.histogram", follows)

# %% [markdown] tags=["solution-only"]
# An element of a matrix is named by a tuple. All blocks add to the same 256 counts, and additions to one count wait for each other. Unit 06 gives
# each block counts of its own in shared memory, and adds them up at the end. The check takes that, too.

# %% [markdown]
# ## 5. Is it a job for a kernel?
#
# A laptop: memory with 50 GB/s, compiled loops on all cores that reach it, and 1 ns for a compiled turn that waits for the one before. Beside
# it a V100: memory with 900 GB/s, a bus of 12 GB/s, 10 µs for a launch, and 20 ns for such a turn in one of its threads. Everything is compiled already. Who
# finishes first, counting everything until the answer is where it is wanted?
#
# | job | what |
# |---|---|
# | `"icon"` | one picture of 64 × 64 int8 on the host, smoothed once, wanted on the host |
# | `"once"` | one of 10 000 × 10 000 int8 on the host, smoothed once, wanted on the host |
# | `"steps"` | the same picture smoothed 1000 times, the last wanted on the host |
# | `"counts"` | a histogram of 1 GB of uint8 that lie on the device; the 256 counts are wanted on the host |
# | `"follow"` | a series of 10⁸ float64 on the device in which each step needs the one before; the last number is wanted, by anybody |
#
# Answer `"cpu"` or `"gpu"` for each.

# %%
decisions = {"icon": ..., "once": ..., "steps": ..., "counts": ..., "follow": ...}
### BEGIN SOLUTION
decisions = {"icon": "cpu", "once": "cpu", "steps": "gpu", "counts": "gpu", "follow": "cpu"}
### END SOLUTION

# %%
check("kernels.worth", decisions)

# %% [markdown]
# ## 6. Open: as near to the limit as you can
#
# The lecture's smoothing, in which the pixel at the border counts once more; but now the launch is yours as well: `launch(rows, columns)` returns the blocks and the threads of a block, each a
# tuple of `(x, y)`. (The picture has at least one pixel.) The version below is right. It does not pass: look at what its warps ask for.
#
# The check counts the bytes that all requests move, and says how many times it is what has to be moved at least: each pixel read once and
# written once. To pass is easy; how near to 1 do you get? A thread may do more than one pixel. The blocks have to share the work, and a picture of
# 65 536 × 65 536 needs at least 132 of them, one for each multiprocessor of an H200.


# %%
def launch(rows, columns):
    ### BEGIN SOLUTION
    blocks = -(-columns // 64), -(-rows // 64)
    return blocks, (64, 4)
    ### END SOLUTION
    ### BEGIN STARTER
    # blocks = -(-rows // 32), -(-columns // 8)
    # return blocks, (32, 8)
    ### END STARTER


@cuda.jit
def fastest(x, out):
    ### BEGIN SOLUTION
    j, strip = cuda.grid(2)
    n, m = x.shape
    top = 16 * strip  # a thread does 16 pixels, one below the other
    if j < m and top < n:
        left, right = max(j - 1, 0), min(j + 1, m - 1)
        above = max(top - 1, 0)
        first = x[above, left] + x[above, j] + x[above, right]
        second = x[top, left] + x[top, j] + x[top, right]
        for i in range(top, min(top + 16, n)):
            below = min(i + 1, n - 1)
            third = x[below, left] + x[below, j] + x[below, right]
            out[i, j] = (first + second + third) // 9
            first, second = second, third
    ### END SOLUTION
    ### BEGIN STARTER
    # i, j = cuda.grid(2)
    # n, m = x.shape
    # if i < n and j < m:
    #     total = 0
    #     for di in range(-1, 2):
    #         for dj in range(-1, 2):
    #             total += x[min(max(i + di, 0), n - 1), min(max(j + dj, 0), m - 1)]
    #     out[i, j] = total // 9
    ### END STARTER


# %%
check("kernels.fastest", fastest, launch)

# %% [markdown] tags=["solution-only"]
# Each thread walks down 16 rows and reads three pixels for each, since it still has the sums of the two rows above. Neighbours stay side by side.
# What is left above 1 are the three reads of a row that overlap, and one sector more wherever a warp's 32 pixels begin in the middle of one. Reading four
# pixels at once, as one int32, would be next.

# %% [markdown]
# ---
# **Next:** unit 06, *fast kernels*: shared memory, and what limits a kernel when its requests are in order.
