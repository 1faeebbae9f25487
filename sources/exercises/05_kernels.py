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
# # 05 · Kernels: exercises
#
# *Unit 05 · kernels · 40 minutes · the lecture is [notebooks/05_kernels.ipynb](../notebooks/05_kernels.ipynb)*
#
# Five problems take about 40 minutes. The sixth is open, for those who have time. Fill in a cell, run it, and run the `check` below it. A check tells
# you what it verified, or why the answer is wrong, with a hint or the smallest case that fails. `hint("kernels.guard")` shows the next hint. In problems 2, 4 and 6 code is given
# that already runs. The check judges that code until you change it.
#
# A check traces your kernel with the lens before it launches it. It finds accesses out of bounds and races, and counts what each thread reads. You can
# do the same at any time: `lens.trace(kernel, blocks, threads, …)`, and `lens.show` for a picture. Nothing is timed, but a thread that runs longer than
# three seconds is stopped.
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
# *6 minutes.* A float32 picture of 1000 rows and 750 columns is on the device, row after row. Its address is a multiple of 32. Each pixel gets one thread, in
# blocks of `(32, 8)` threads, as many as are needed. The thread's x counts columns: `j, i = cuda.grid(2)`. Compute:
#
# - `blocks`: the total number of blocks;
# - `idle`: the number of threads that have no pixel;
# - `row`: the row of the pixel of thread (5, 7) in block (3, 20). Both are given as (x, y), and rows count from 0;
# - `sectors_along`: the number of sectors that a warp asks for, if its 32 threads read 32 neighbours of the first row;
# - `sectors_down`: the same, if they read 32 pixels of one column, each below the one before.

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
# *5 minutes.* `brighten` multiplies numbers by `gain`, and writes 1 where the product is larger. Both arrays are float32 and equally long. The launch has
# blocks of 128 threads, as many as are needed for `x.size` numbers. Sometimes the kernel spoils other arrays. Repair it. The threads still share the
# numbers: none of them does more than four.


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
# *13 minutes.* Write a 3 × 3 mean as a kernel, with another border than in the lecture: **only pixels that exist count**. `x` and `out` are int8 and have
# the same two-dimensional shape. For each pixel, `out` gets the mean of those pixels of the 3 × 3 around it that exist, **rounded down**. Inside the
# picture they are nine. In a corner they are four, or fewer in a picture one pixel wide. Divide by their number.
#
# The launch has blocks of 32 × 8 threads, with x along the columns, as many as cover the picture. Each thread reads `x` at most nine times and writes one
# pixel. What it does in shared memory does not count. `x` stays as it is, and nothing outside of the two arrays is touched.


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
# `total = 0` is an int64 in Numba, so nine int8 fit. The loops end at the border, so no index has to be clamped. The order is `j, i`, because the first
# number that `cuda.grid(2)` returns counts along x. Neighbours in x are in the same warp, and should read neighbours in memory.

# %% [markdown]
# ## 4. Repair counts that threads overwrite
#
# *6 minutes.* How often does value `b` come directly after value `a`? Such a table tells textures apart. `v` is uint8 with values from 0 to 15, of any
# length. `counts[a, b]` is 16 × 16 int32, and begins as 0. The launch has 4 blocks of 64 threads for any length of `v`. The loop shares the pairs among
# the threads. With one thread the answer is right. Repair it for all threads, and let each keep its share.


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
# The index into a matrix is a tuple. All blocks add to the same 256 counts, and additions to one count wait for each other. Unit 06 gives each block counts
# of its own in shared memory, and adds them up at the end. The check accepts that, too.

# %% [markdown]
# ## 5. Is it a job for a kernel?
#
# *10 minutes.* Two processors:
#
# | | laptop | V100 |
# |---|---|---|
# | memory | 50 GB/s, reached by compiled loops on all cores | 900 GB/s |
# | a compiled loop in which each turn waits for the one before | 1 ns a turn | 20 ns a turn, in one thread |
# | a launch | | 10 µs |
# | the bus between them | 12 GB/s | 12 GB/s |
#
# Everything is compiled already. Which one finishes first? Count all the time until the answer is where it is wanted.
#
# | job | what |
# |---|---|
# | `"icon"` | one picture of 64 × 64 int8 on the host, smoothed once, wanted on the host |
# | `"once"` | one picture of 10 000 × 10 000 int8 on the host, smoothed once, wanted on the host |
# | `"steps"` | the same picture, smoothed 1000 times; the last one is wanted on the host |
# | `"counts"` | a histogram of 1 GB of uint8 that are on the device; the 256 counts are wanted on the host |
# | `"follow"` | a series of 10⁸ float64 on the device in which each step needs the one before; the last number is wanted, on either side |
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
# *As long as you like; 20 minutes to pass.* This is the lecture's smoothing, in which the pixel at the border counts once more. Now the launch is yours,
# too: `launch(rows, columns)` returns the blocks and the threads of a block, each as a tuple `(x, y)`, or as a number where x is enough. The picture has at least one pixel. The version
# below is right, but does not pass. Look at what its warps ask for.
#
# The check counts the bytes that all requests move. It compares them with the least: each pixel read once and written once. A thread may do more than
# one pixel. The blocks have to share the work: a picture of 65 536 × 65 536 needs at least 132 blocks, one for each multiprocessor of an H200. To pass is
# easy. How near to 1 do you get?


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
# Each thread walks down 16 rows. It reads three pixels for each row, because it keeps the sums of the two rows above. Neighbours stay side by side. Two
# things keep it above 1: the three reads of a row overlap, and a warp's 32 pixels may begin in the middle of a sector. The next step would be to read
# four pixels at once, as one int32.

# %% [markdown]
# ---
# **Next:** unit 06, *fast kernels*: shared memory, and what limits a kernel whose requests are coalesced.
