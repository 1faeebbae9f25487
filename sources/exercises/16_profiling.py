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
# # 16 · Profiling: exercises
#
# *Unit 16 · profiling · 45 minutes · the lecture is [notebooks/16_profiling.ipynb](../notebooks/16_profiling.ipynb)*
#
# There are six problems, from easy to open. Problems 1 to 5 take about half an hour, problem 6 about fifteen minutes. Fill in a cell, run it, and run
# the `check` below it. A check tells you what it verified, or why the answer is wrong. `hint("profiling.waits")` unfolds the next hint.
#
# A gap counts as not attempted, never as wrong. Problems 1, 2, 3 and 6 start with code that runs and is right, but too slow.
#
# The checks never measure a time. They look at the account of a call: its launches, copies, waits, and calls for memory. `%%timeline` shows you the same account.
#
# You can run this notebook from top to bottom at any time, solved or not.

# %%
# %load_ext hundredfold

# %%
import cupy as cp
import cupyx
import numpy as np

from hundredfold import check, hint, lens

# %% [markdown]
# ## 1. Repair: the synchronisation that serialises
#
# `x` is a float64 array on the device. In each step every element becomes the mean of itself and the one before it, in a circle. The function returns the
# largest change of each step, as a NumPy array on the host. With no step the array is empty.
#
# The result is right. But the host waits in every step. Repair it: the host waits once, at the end.


# %%
def relax(x, steps):
    ### BEGIN SOLUTION
    found = cp.empty(steps)
    for k in range(steps):
        new = (x + cp.roll(x, 1)) / 2
        found[k] = cp.abs(new - x).max()
        x = new
    return cp.asnumpy(found)
    ### END SOLUTION
    ### BEGIN STARTER
    # found = []
    # for _ in range(steps):
    #     new = (x + cp.roll(x, 1)) / 2
    #     found.append(float(cp.abs(new - x).max()))
    #     x = new
    # return np.array(found)
    ### END STARTER


# %%
check("profiling.waits", relax)

# %% [markdown]
# Here is its timeline, without Python's own time:

# %%
x = cp.linspace(0, 1, 1_000_000)
relax(x, 5)  # the pool has its memory now
lens.timeline(relax, x, 5, gpu="H200").without_host()

# %% [markdown] tags=["solution-only"]
# `found[k] = …` copies one number within the device's memory. Nothing of it goes to the host until `asnumpy`. A list of CuPy scalars and `cp.stack` at the end would do as well, but `cp.stack` refuses an empty list.

# %% [markdown]
# ## 2. Repair: the allocation in the loop
#
# `x` is a float64 matrix on the device. In each pass every row becomes the mean of itself and its two neighbours. The first and the last row stay. The result is a new
# matrix, and `x` stays as it is.
#
# The author was afraid that the memory could run out. Repair the function: the memory of one pass serves the next one. A second
# call with a matrix of the same size does not call the driver at all.


# %%
def smooth(x, times):
    ### BEGIN SOLUTION
    x = x.copy()
    for _ in range(times):
        new = x.copy()
        new[1:-1] = (x[:-2] + x[1:-1] + x[2:]) / 3
        x = new
    return x
    ### END SOLUTION
    ### BEGIN STARTER
    # pool = cp.get_default_memory_pool()
    # x = x.copy()
    # for _ in range(times):
    #     new = x.copy()
    #     new[1:-1] = (x[:-2] + x[1:-1] + x[2:]) / 3
    #     x = new
    #     pool.free_all_blocks()
    # return x
    ### END STARTER


# %%
check("profiling.reuse", smooth)

# %% [markdown] tags=["solution-only"]
# The pool hands the old block of `x` to the next `new`. So the loop needs no more memory without `free_all_blocks` than with it.

# %% [markdown]
# ## 3. The copy that could overlap
#
# `blocks` is a float32 array of shape (n, m, m) in **pinned** memory on the host. For each block the function finds the largest number in the product of the block with its
# transpose. The result is a float32 array of n numbers on the device.
#
# Each copy runs alone, and each product runs alone. Change the function: the copy of the next block runs while the device computes this block. The function waits for all of its streams
# before it returns.


# %%
def largest(blocks):
    ### BEGIN SOLUTION
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(2)]
    found = cp.empty(len(blocks), dtype=cp.float32)
    for i, block in enumerate(blocks):
        with streams[i % 2]:
            x = cp.asarray(block)
            found[i] = (x @ x.T).max()
    for stream in streams:
        stream.synchronize()
    return found
    ### END SOLUTION
    ### BEGIN STARTER
    # found = cp.empty(len(blocks), dtype=cp.float32)
    # for i, block in enumerate(blocks):
    #     x = cp.asarray(block)
    #     found[i] = (x @ x.T).max()
    # return found
    ### END STARTER


# %%
check("profiling.overlap", largest)

# %%
blocks = cupyx.zeros_pinned((4, 600, 600), np.float32)
largest(blocks)
lens.timeline(largest, blocks, gpu="H200").without_host()

# %% [markdown] tags=["solution-only"]
# Each stream has its own part of CuPy's memory pool. So the block of one stream cannot get the memory that the other stream still uses.

# %% [markdown]
# ## 4. What a faster kernel is worth
#
# From the first kernel to the last CloverLeaf takes 342 ms (lecture). The report says where they go:
#
# | | ms |
# |---|---:|
# | the kernel `par_ranged2d` | 267 |
# | the kernel `par_reduce` | 22.7 |
# | the kernel `par_ranged1d` | 4.7 |
# | copies | 9.4 |
# | the device is idle | 38.2 |
#
# - `twice`: how many times as fast is the whole run, if `par_ranged2d` becomes twice as fast?
# - `most`: how many times as fast is it, if `par_ranged2d` takes no time at all?
# - `gaps`: how many times as fast is it, if the device is never idle?
# - `needed`: how many times as fast must `par_ranged2d` become, so that the whole run is twice as fast?

# %%
twice = ...
most = ...
gaps = ...
needed = ...
### BEGIN SOLUTION
total, longest = 342, 267
twice = total / (total - longest / 2)
most = total / (total - longest)
gaps = total / (total - 38.2)
needed = longest / (total / 2 - (total - longest))
### END SOLUTION

# %%
check("profiling.amdahl", twice, most, gaps, needed)

# %% [markdown]
# ## 5. What to change first
#
# Five programs take 100 ms each. A profiler says where the time goes, in ms:
#
# | program | longest kernel | other kernels | copies | device idle |
# |---|---:|---:|---:|---:|
# | `"filter"` | 60 | 10 | 20 | 10 |
# | `"loader"` | 20 | 10 | 60 | 10 |
# | `"steps"` | 15 | 15 | 5 | 65 |
# | `"crumbs"` | 6 | 66 | 8 | 20 |
# | `"reached"` | 50 | 10 | 25 | 15 |
#
# You have time for one change in each of them:
#
# - `"kernel"`: rewrite the longest kernel, so that it takes half of its time. The one of `"reached"` already reaches 95 % of the memory's bandwidth.
# - `"copies"`: run the copies beside the kernels, as far as there are kernels to run beside.
# - `"gaps"`: remove the waits, so that the device is never idle.
#
# Which change saves most?

# %%
decisions = {"filter": ..., "loader": ..., "steps": ..., "crumbs": ..., "reached": ...}
### BEGIN SOLUTION
decisions = {"filter": "kernel", "loader": "copies", "steps": "gaps", "crumbs": "gaps", "reached": "copies"}
### END SOLUTION

# %%
check("profiling.first", decisions)

# %% [markdown]
# ## 6. Open: a pipeline as fast as its copies
#
# `blocks` is a float32 array of shape (n, rows, m) in pinned memory. `basis` is a float32 matrix of shape (m, k), also in pinned memory. The function subtracts from each
# row of a block the row's mean, and multiplies the block by `basis`. Then it squares the numbers, and adds them over all rows of all blocks. The device does all of that.
# The result is a float32 array of k numbers on the **host**.
#
# The version below is right, and has all the faults of this unit. By the estimate for an H200, it takes about thirteen times as long as its copies alone. The check accepts 1.25 times as long. It looks at eight blocks of 800 × 800
# numbers, does not count Python's own time, and tells you how near the limit you are.


# %%
def spectrum(blocks, basis):
    ### BEGIN SOLUTION
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(2)]
    on_device = cp.asarray(basis)
    sums = [cp.zeros(basis.shape[1], cp.float32) for _ in streams]
    cp.cuda.Device().synchronize()
    for i, block in enumerate(blocks):
        with streams[i % 2]:
            x = cp.asarray(block)
            y = (x - x.mean(axis=1, keepdims=True)) @ on_device
            sums[i % 2] += (y * y).sum(axis=0)
    for stream in streams:
        stream.synchronize()
    return cp.asnumpy(sums[0] + sums[1])
    ### END SOLUTION
    ### BEGIN STARTER
    # pool = cp.get_default_memory_pool()
    # total = np.zeros(basis.shape[1], np.float32)
    # for block in blocks:
    #     x = cp.asarray(block)
    #     y = (x - x.mean(axis=1, keepdims=True)) @ cp.asarray(basis)
    #     total += cp.asnumpy((y * y).sum(axis=0))
    #     pool.free_all_blocks()
    # return total
    ### END STARTER


# %%
check("profiling.pipeline", spectrum)

# %% [markdown] tags=["solution-only"]
# The first `synchronize` is needed: the basis and the zeros were written on the default stream, and streams that do not block do not wait for it. An event would do, without stopping the host.
#
# What is left above the limit is the first copy of the basis, and the kernels of the last block. Both have nothing to run beside.

# %% [markdown]
# ---
# **Next:** your own program. Record it with `nsys` on a GPU, and read the report with `lens.nsys_report`.
