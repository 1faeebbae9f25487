# ---
# jupyter:
#   hundredfold:
#     unit: 10
#     slug: dask-arrays
#     title: "Dask arrays: larger than memory"
#     teaching: 50
#     exercises: 30
#     dashboard: true
# ---

# %% [markdown]
# # 10 · Dask arrays: exercises
#
# *Unit 10 · dask-arrays · 30 minutes · the lecture is [notebooks/10_dask-arrays.ipynb](../notebooks/10_dask-arrays.ipynb)*
#
# Six problems, from easy to open. Fill in a cell, run it, run the `check` below it. A check says what it verified, or why the answer is
# wrong, with a hint or the smallest case that fails; `hint("dask-arrays.port")` unfolds the next hint. A gap counts as not attempted, never as wrong; but where code
# is given that already runs (problems 2, 3 and 6), the check judges that code until you change it.
#
# No problem needs a cluster: the checks run everything with the scheduler of a single thread, and count. The arrays that your functions get have
# CuPy's chunks, and in some cases NumPy's; a function that uses the arrays' own methods, `da.…` and `np.…` works with both. No task may write into a chunk that it is
# given: Dask may hand the same chunk to another one.
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
# `x` is a Dask array of two dimensions, larger than any memory. Write `standardise(x)`: from each **column** its mean is taken off, and what is left is divided by the column's standard deviation (that of `x.std`, which divides by
# n). A column that is zero all the way stays zero.
#
# What comes back is a Dask array with the chunks of `x`, on the side where they were. Nothing may be computed in it yet, and no task may make anything much larger than a chunk.


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
# `if scale == 0:` would have computed; `da.where` decides later. `x` has to be made twice when this is computed, once for mean and deviation, and once to be divided: nobody can know a mean before all numbers were seen.

# %% [markdown]
# ## 2. Repair: seams in the picture
#
# `smooth(image)` gives each pixel the mean over the 5 × 5 pixels around it. Outside of the image its edge is repeated. `five_by_five` does that for one piece, and leaves the two outermost rows and columns as they are; so whoever
# wrote `smooth` pads each chunk by two pixels first, and cuts them off after. The result has seams. Repair it.
#
# The result is a Dask array, with nothing computed yet. The image does not fit into one chunk, and no task may make anything much larger than a chunk.


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
# `"reflect"` would be right for a margin of one: it mirrors the edge, edge pixel included. With two it puts the second row outside of the first.

# %% [markdown]
# ## 3. Repair: read it once
#
# `x` is a Dask array of files in a slow storage, larger than memory. `describe(x)` returns its mean, its standard deviation and its largest element, as three Python floats. It is right, also where there is NaN, and it reads every chunk three times.
#
# Repair it so that every chunk is read **once**, and no more than a few of them are in memory at the same time.


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
# The three plans share the keys of the chunks, and within one compute a key runs once. `float(x.mean())` is a `compute` as well, though it does not say so.

# %% [markdown]
# ## 4. Predict: before there is a chunk
#
# `x` is a Dask array of 80 000 × 50 000 **float32** in chunks of 5 000 × 5 000, made of random numbers. It is worked on by a cluster of **8 workers** with one thread each, whose scheduler needs **2 ms** for each task. Before anything runs, say
#
# - `nchunks`: how many chunks does `x` have?
# - `held`: how many bytes do the workers hold at the same time at most, all together, during `(x * 2).sum()`? (Sums of chunks count as nothing.)
# - `floor`: how many **seconds** does `(x * 2).sum()` take at least, however fast the workers are? (The graph is optimised first. The few tasks that add up the chunks' sums count as nothing.)
# - `column`: how many bytes does a chunk of the **result** of `da.fft.fft(x.rechunk({0: -1}), axis=0)` have? (It is complex, of two float32.)
# - `margin`: for a smoothing over 3 × 3 with `map_overlap(depth=1)`: about how many bytes of its neighbours does a chunk in the middle get?

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
# On your desk: a processor with 16 cores, of which one alone reads 10 GB/s from memory, and all together 90 GB/s; a core draws a random number in 8 ns. Eight GPUs, each with 2 TB/s, which draw 50 billion numbers a second each; one bus of 25 GB/s leads to all of them. Dask's
# scheduler for threads needs 0.3 ms for a task, that of the cluster with the GPUs 2 ms. NumPy has no tasks. Who finishes first: `"numpy"` on one core, Dask on all `"threads"`, or Dask on the `"gpus"`?
#
# | job | what |
# |---|---|
# | `"small"` | the sum of 4 MB that lie on the host, in 4 chunks |
# | `"stream"` | the mean of 64 GB that lie on the host, in 640 chunks |
# | `"drawn"` | the 2.5 · 10¹¹ random numbers of the lecture, in 2 500 chunks, drawn where they are used; 7 TB move through memory, wherever that is |
# | `"crumbs"` | the same, in 250 000 chunks |
# | `"steps"` | 100 000 steps on an array of 1 MB that lies on the host, one chunk; each step needs the one before |
#
# Each chunk is one task (in `"steps"`: each step). Work and handing out go on side by side: what takes longer counts. On the processor the same is true of reading and drawing.

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
# `x` holds what weather stations measured: a row for each hour, a column for each station. It comes from many small files, each a chunk of its own with **one or several whole days** of 24 rows. Wanted: for each station the largest value of each day, and of these the mean over all days.
#
# The version below is right, also where there is NaN, and takes a slice, a maximum and a stack for every day, eight tasks for each file of three days. A scheduler with a floor of 2 ms feels each of them. **2.1 tasks for each file pass**, the reading included, and the check says how near you are to the limit, which is 1. No task may
# hold more than 40 files. What comes back is a Dask array with a number for each station, nothing computed yet.


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
# What is done to one file runs as one task: the reading, the daily maxima and the file's part of the mean. What is left is the tree: with `split_every=32` one task puts 32 parts together. `da.coarsen(np.max, x, {0: 24})` does the
# maxima in one line; but Dask does not fuse it with what follows, and so it takes two tasks for each file.

# %% [markdown]
# ---
# **Next:** unit 11, *clusters*: workers that spill, workers that die, and work that is neither an array nor a table.
