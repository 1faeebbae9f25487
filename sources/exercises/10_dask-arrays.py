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
# # 10 · Dask arrays: exercises
#
# *Unit 10 · dask-arrays · 35 minutes · the lecture is [notebooks/10_dask-arrays.ipynb](../notebooks/10_dask-arrays.ipynb)*
#
# There are six problems, from easy to open. Fill in a cell, run it, and run the `check` below it. A check tells you what it verified, or why the answer is
# wrong, with a hint or the smallest case that fails. `hint("dask-arrays.port")` unfolds the next hint.
#
# A `...` that you leave counts as not attempted, never as wrong. Problems 2, 3 and 6 start with given code. There the check judges that code until you change it.
#
# You need no cluster. The checks run your plans in a single thread, and count the tasks. They call your functions with other arrays:
#
# - Most have CuPy chunks, and some have NumPy chunks. The methods of the arrays, `da.…` and `np.…` work with both.
# - Some have chunks of different sizes, or a single chunk.
#
# No task may write into a chunk that it is given. Dask may give the same chunk to another task.
#
# You can run this notebook from top to bottom at any time, solved or not.

# %%
# %load_ext hundredfold

# %%
import dask
import dask.array as da
import numpy as np

from hundredfold import check, hint

# %% [markdown]
# ## 1. Standardise columns that nobody holds
#
# `x` is a Dask array of two dimensions, larger than any memory, without NaN. Write `standardise(x)`. It subtracts from each **column** its mean, and divides it by its standard deviation.
# The deviation is that of `x.std`, which divides by n. A column of zeros stays zero.
#
# The check also looks at the plan:
#
# - The result is a Dask array with the chunks and the dtype of `x`. CuPy chunks stay on the device.
# - Nothing is computed while you build it.
# - No task makes an array of more than twice the size of a chunk, or gets more data from other tasks than 16 chunks have.


# %%
def standardise(x):
    ### BEGIN SOLUTION
    centred = x - x.mean(axis=0)
    scale = x.std(axis=0)
    return centred / da.where(scale > 0, scale, 1)
    ### END SOLUTION


# %%
check("dask-arrays.port", standardise)

# %% [markdown] tags=["solution-only"]
# `if scale == 0:` would have to compute. `da.where` decides later. Each chunk is made twice: once for the mean and the deviation, and once to be divided. Nobody knows a mean before
# all numbers were seen.

# %% [markdown]
# ## 2. Repair: seams in the picture
#
# `smooth(image)` gives each pixel the mean of the 5 × 5 pixels around it. Outside of the image its edge pixels are repeated. `five_by_five` does that for one tile, and leaves the
# two outermost rows and columns as they are.
#
# The given `smooth` pads each chunk with its own edge, and cuts that off afterwards. So the result has seams between the chunks. Repair it.
#
# The result is a Dask array with the dtype of `image`, and nothing is computed while you build it. The image does not fit into one chunk. So the limits of problem 1 for a task hold here, too.


# %%
def five_by_five(tile):
    """Means over 5 × 5 pixels; the two outermost rows and columns stay as they are. For NumPy's and CuPy's arrays."""
    out = tile.copy()
    rows = tile[:-4] + tile[1:-3] + tile[2:-2] + tile[3:-1] + tile[4:]
    out[2:-2, 2:-2] = (rows[:, :-4] + rows[:, 1:-3] + rows[:, 2:-2] + rows[:, 3:-1] + rows[:, 4:]) / 25
    return out


def smooth(image):
    ### BEGIN SOLUTION
    return image.map_overlap(five_by_five, depth=2, boundary="nearest", dtype=image.dtype)
    ### END SOLUTION
    ### BEGIN STARTER
    # def one_chunk(tile):
    #     padded = np.pad(tile, 2, mode="edge")
    #     return five_by_five(padded)[2:-2, 2:-2]
    #
    # return image.map_blocks(one_chunk, dtype=image.dtype)
    ### END STARTER


# %%
check("dask-arrays.smooth", smooth)

# %% [markdown] tags=["solution-only"]
# `"reflect"` would be right for a margin of one. It mirrors the image, edge pixel included. For a margin of two it puts the second row outside of the first.

# %% [markdown]
# ## 3. Repair: read it once
#
# `x` is a Dask array of files in slow storage, larger than memory. `describe(x)` returns its mean, its standard deviation and its largest element, as three Python floats. The
# numbers are right, also where there is a NaN. But each chunk is read three times.
#
# Repair it, so that each chunk is read **once**. At most four chunks may be in memory at the same time.


# %%
def describe(x):
    ### BEGIN SOLUTION
    mean, std, largest = dask.compute(x.mean(), x.std(), x.max())
    return float(mean), float(std), float(largest)
    ### END SOLUTION
    ### BEGIN STARTER
    # mean = x.mean().compute()
    # std = x.std().compute()
    # largest = x.max().compute()
    # return float(mean), float(std), float(largest)
    ### END STARTER


# %%
check("dask-arrays.once", describe)

# %% [markdown] tags=["solution-only"]
# The three plans share the keys of the chunks, and within one `compute` a key runs once. `float(x.mean())` is a `compute`, too.

# %% [markdown]
# ## 4. Predict: before there is a chunk
#
# `x` is a Dask array of 80 000 × 50 000 **float32** in chunks of 5 000 × 5 000, made of random numbers. A cluster of **8 workers** computes with it. Each worker has one thread. The scheduler needs
# **2 ms** for each task. Before anything runs, find:
#
# - `nchunks`: the number of chunks of `x`
# - `held`: the most **bytes** that all workers together hold at the same time during `(x * 2).sum()`. Do not count the sums.
# - `floor`: the least **seconds** that `(x * 2).sum()` takes, however fast the workers are. The graph is fused first. Do not count the few tasks that add up the sums.
# - `column`: the **bytes** of a chunk of the **result** of `da.fft.fft(x.rechunk({0: -1}), axis=0)`. It is complex, of two float32.
# - `margin`: the **bytes** that a chunk in the middle gets from its neighbours, for a smoothing over 3 × 3 with `map_overlap(depth=1)`
#
# An error of 1 % is allowed, except for `nchunks`.

# %%
nchunks = ...
held = ...
floor = ...
column = ...
margin = ...
### BEGIN SOLUTION
nchunks = 16 * 10
held = 8 * 2 * 5_000 * 5_000 * 4
floor = nchunks * 2e-3
column = 80_000 * 5_000 * 8
margin = (5_002**2 - 5_000**2) * 4
### END SOLUTION

# %%
check("dask-arrays.plan", nchunks, held, floor, column, margin)

# %% [markdown]
# ## 5. One core, sixteen, or eight GPUs?
#
# Here is the hardware of this problem:
#
# | | memory | random numbers | the scheduler, for each task |
# |---|---|---|---|
# | one core (`"numpy"`) | 10 GB/s | 8 ns for each | no tasks |
# | 16 cores (`"threads"`) | 90 GB/s together | 8 ns for each, on every core | 0.3 ms |
# | 8 GPUs (`"gpus"`) | 2 TB/s each | 50 billion a second each | 2 ms |
#
# All GPUs share one bus of 25 GB/s. Who finishes first?
#
# | job | what |
# |---|---|
# | `"small"` | the sum of 4 MB that are on the host, in 4 chunks |
# | `"stream"` | the mean of 64 GB that are on the host, in 640 chunks |
# | `"drawn"` | the sum of the 2.5 · 10¹¹ random numbers of the lecture, in 2 500 chunks. Each is drawn where it is summed. 7 TB move through that memory |
# | `"crumbs"` | the same, in 250 000 chunks |
# | `"steps"` | 100 000 steps on an array of 1 MB that is on the host, in one chunk; each step needs the one before |
#
# Each chunk is one task. In `"steps"` each step is one. Scheduling and work happen at the same time, so the longer of the two counts. On the CPU the same is true of reading and drawing.

# %%
decisions = {"small": ..., "stream": ..., "drawn": ..., "crumbs": ..., "steps": ...}
### BEGIN SOLUTION
decisions = {"small": "numpy", "stream": "threads", "drawn": "gpus", "crumbs": "threads", "steps": "numpy"}
### END SOLUTION

# %%
check("dask-arrays.worth", decisions)

# %% [markdown]
# ## 6. Open: a thousand files, and hardly a task more
#
# `x` has the values of weather stations: a row for each hour, a column for each station. It comes from many small files. Each file is one chunk along the rows, with **one or more whole days** of 24 rows.
# For each station, find the largest value of each day, and the mean of these over all days.
#
# The given code is right, also where there is a NaN. But it takes about eight tasks for each file of three days. A scheduler needs 2 ms for each of them.
#
# - Your plan passes with **at most 2.1 tasks for each file**, the reading included. The check tells you how near you are to the limit, 1 task for each file.
# - No task may hold more than 40 files.
# - Files of several lengths, and columns in several chunks, must work, too.
# - The result is a Dask array with a number for each station. Nothing is computed while you build it.


# %%
def busiest(x):
    ### BEGIN SOLUTION
    def of_each_day(part):
        return part.reshape(-1, 24, part.shape[1]).max(axis=1)

    days = tuple(rows // 24 for rows in x.chunks[0])
    daily = x.map_blocks(of_each_day, chunks=(days, x.chunks[1]), dtype=x.dtype)
    return daily.mean(axis=0, split_every=32)
    ### END SOLUTION
    ### BEGIN STARTER
    # days = [x[start : start + 24].max(axis=0) for start in range(0, x.shape[0], 24)]
    # return da.stack(days).mean(axis=0)
    ### END STARTER


# %%
check("dask-arrays.lean", busiest)

# %% [markdown] tags=["solution-only"]
# All steps on one file run as one task: the reading, the daily maxima, and the file's part of the mean. The rest is the tree. With `split_every=32` one task adds up 32 parts.
# `da.coarsen(np.max, x, {0: 24})` finds the maxima in one line. But Dask does not fuse it with the next step, so it takes two tasks for each file.

# %% [markdown]
# ---
# **Next:** unit 11, *clusters*: workers that spill, workers that die, and work that is neither an array nor a table.
