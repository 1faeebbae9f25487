# ---
# jupyter:
#   hundredfold:
#     unit: 4
#     slug: compiling
#     title: "Compiling: fast loops on the CPU"
#     teaching: 45
#     exercises: 40
# ---

# %% [markdown]
# # 04 · Compiling: exercises
#
# *Unit 04 · compiling · 40 minutes · the lecture is [notebooks/04_compiling.ipynb](../notebooks/04_compiling.ipynb)*
#
# Five problems take about 40 minutes. The sixth is open, for those who have time. Fill in a cell, run it, and run the `check` below it. A check tells you
# what it verified, or why the answer is wrong, with a hint or the smallest case that fails. `hint("compiling.follow")` shows the next hint. In problems 2, 4 and 6 code is given that
# already runs. The check judges that code until you change it.
#
# Before a check runs your compiled code, it runs your *source* step by step on small arrays, and watches each access. It finds reads and writes
# outside an array. Where a result is wrong, it also names an index of -1. And it finds iterations of a `prange` that touch the same element, if one of them writes.
#
# You can run this notebook from top to bottom at any time, solved or not. Checks compile, so they may take some seconds.

# %%
# %load_ext hundredfold

# %%
import numba
import numpy as np
from numba import njit, prange

from hundredfold import check, hint

# %% [markdown]
# ## 1. Compile a loop
#
# *7 minutes.* Exponential smoothing makes a noisy series calmer. The result begins with `x[0]`. Each further result starts from the **result before it**, and
# moves towards the new number by the share `a`:
#
# $$y_0 = x_0, \qquad y_i = y_{i-1} + a\,(x_i - y_{i-1})$$
#
# Each step needs the result of the step before, and NumPy has no function for that. Write a compiled loop. `x` has one axis and any layout. It contains floats or
# integers, and may be empty. `a` is a float, with 0 < `a` ≤ 1. Compute in float64. Return a new float64 array with the length of `x`, and do not change `x`.


# %%
@njit
def follow(x, a):
    ### BEGIN SOLUTION
    y = np.empty(x.size)
    if x.size > 0:
        level = float(x[0])
        for i in range(x.size):
            level += a * (x[i] - level)
            y[i] = level
    return y
    ### END SOLUTION


# %%
check("compiling.follow", follow)

# %% [markdown] tags=["solution-only"]
# `level = float(x[0])` makes `level` a float from the beginning, for arrays of integers, too. Numba would make it a float in any case, because a variable has
# one type and `level` is a float later. It is clearer to write it.

# %% [markdown]
# ## 2. Repair the edges
#
# *9 minutes.* This code smooths a picture (int8, two axes). It raises no error, and inside the picture it is right. At the edges it reads pixels of the other
# edge, and memory outside the picture. Repair it. **Only pixels of the 3 × 3 that exist count**: 6 at an edge, 4 in a corner, fewer in a picture one pixel wide.
# Divide by their number, and round down with `//`. The result is a new int8 array. Do not change `x`. It may have any layout and any number of rows and
# columns, 0 included.


# %%
@njit
def smooth(x):
    ### BEGIN SOLUTION
    out = np.empty_like(x)
    n, m = x.shape
    for i in range(n):
        for j in range(m):
            total, count = 0, 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if 0 <= i + di < n and 0 <= j + dj < m:
                        total += x[i + di, j + dj]
                        count += 1
            out[i, j] = total // count
    return out
    ### END SOLUTION
    ### BEGIN STARTER
    # out = np.empty_like(x)
    # n, m = x.shape
    # for i in range(n):
    #     for j in range(m):
    #         total = 0
    #         for di in range(-1, 2):
    #             for dj in range(-1, 2):
    #                 total += x[i + di, j + dj]
    #         out[i, j] = total // 9
    # return out
    ### END STARTER


# %%
check("compiling.edges", smooth)

# %% [markdown] tags=["solution-only"]
# The code is wrong in two ways. Above and on the left the index is -1, which is the *other end* of the picture. Below and on the right the index is out of bounds.
# Compiled code reports neither. The `if` excludes both.

# %% [markdown]
# ## 3. Predict: the mean of nine small integers
#
# *7 minutes.* Nine neighbouring pixels of an int8 picture all have the grey value 40. Compute before you run anything:
#
# - `numpy_mean`: nine shifted int8 **arrays** are added with NumPy, `x[:-2, :-2] + x[:-2, 1:-1] + …`, and the sum is divided by 9 with `//`. Which grey value
#   is the result?
# - `numba_mean`: the compiled loop of the lecture adds the same nine **single** pixels, and divides by 9 with `//`. Which grey value is the result?
# - `stencil_bytes`: `@stencil` smooths 10 000 × 10 000 int8 pixels into a new array of its own. How many bytes are read and written? Each pixel comes from memory
#   once. The border counts like the other pixels. The zeros in new pages do not count.
# - `loop_seconds`: the loop writes into an int8 array. How many **seconds** does it need at least for these pixels, with the 50 GB/s of a laptop's memory?

# %%
numpy_mean = ...
numba_mean = ...
stencil_bytes = ...
loop_seconds = ...
### BEGIN SOLUTION
numpy_mean = (9 * 40 - 256) // 9
numba_mean = 9 * 40 // 9
stencil_bytes = 10_000 * 10_000 * (1 + 8)
loop_seconds = 10_000 * 10_000 * (1 + 1) / 50e9
### END SOLUTION

# %%
check("compiling.types", numpy_mean, numba_mean, stencil_bytes, loop_seconds)

# %% [markdown]
# ## 4. Repair a race
#
# *8 minutes.* This function counts how often each value from 0 to 255 occurs in `v` (uint8, one axis, any length). It uses all cores, and now and then it
# loses some counts. Repair it, and let **several threads share the work**. The result is an int64 array of 256 counts, and is right every time.
# `numba.get_num_threads()` is the number of threads. Numba starts one for each core.


# %%
@njit(parallel=True)
def histogram(v):
    ### BEGIN SOLUTION
    parts = numba.get_num_threads()
    counts = np.zeros((parts, 256), np.int64)
    for t in prange(parts):
        for i in range(t * v.size // parts, (t + 1) * v.size // parts):
            counts[t, v[i]] += 1
    return counts.sum(axis=0)
    ### END SOLUTION
    ### BEGIN STARTER
    # counts = np.zeros(256, np.int64)
    # for i in prange(v.size):
    #     counts[v[i]] += 1
    # return counts
    ### END STARTER


# %%
check("compiling.histogram", histogram)

# %% [markdown] tags=["solution-only"]
# Part `t` ends where part `t + 1` begins. So each value is counted once, for every length. A GPU has too many threads to give each its own counts. There you use
# *atomic* additions, in unit 05.

# %% [markdown]
# ## 5. Leave it, compile it, or use a GPU?
#
# *9 minutes.* You have a laptop, and a V100 beside it.
#
# | | laptop's CPU | V100 |
# |---|---|---|
# | memory | 50 GB/s | 900 GB/s |
# | bus, one direction at a time | 12 GB/s | 12 GB/s |
# | one step of a simple loop in the interpreter | 50 ns | – |
# | the same, compiled, if each step needs the one before | 1 ns | 20 ns, in one thread |
# | the same, compiled, if no step waits, on all cores | at the memory's speed | at its memory's speed |
# | NumPy's `sum` | at the memory's speed | – |
# | to compile a function, once | 0.5 s | 0.5 s |
#
# For each job, which way finishes first? Count everything until the answer is where it is wanted.
#
# | job | what | now |
# |---|---|---|
# | `"settings"` | a loop of 10 000 steps over a list of settings, once, when a program starts | Python |
# | `"sum"` | the sum of 800 MB of float64 that are on the host, once | `x.sum()` |
# | `"recurrence"` | problem 1 for 100 000 000 numbers that are on the host; the result is wanted there | Python |
# | `"pictures"` | 1000 pictures of 10 000 × 10 000 int8 on the host, each smoothed once; the results are wanted on the host | Python |
# | `"steps"` | one such picture that is on the device, smoothed 10 000 times; the result is wanted on the device | Python |
#
# Answer `"leave"`, `"compile"` (for the CPU) or `"gpu"` for each.

# %%
decisions = {"settings": ..., "sum": ..., "recurrence": ..., "pictures": ..., "steps": ...}
### BEGIN SOLUTION
decisions = {"settings": "leave", "sum": "leave", "recurrence": "compile", "pictures": "compile", "steps": "gpu"}
### END SOLUTION

# %%
check("compiling.worth", decisions)

# %% [markdown]
# ## 6. Open: read it once
#
# How rough is a long series? Return the mean absolute step, the mean of $|x_{i+1} - x_i|$, as a Python `float`. `x` is float64 with one axis. If it has fewer
# than two numbers, return 0.0. The code below is right. But `np.diff` writes an array as long as `x`, `np.abs` reads it and writes another one, and `mean` reads
# that. These are 40 bytes for each number, although 8 bytes would do.
#
# To pass, make no array larger than a tenth of `x`, and let no number go through the interpreter. A NaN in `x` gives NaN. The check then tells you how near you come to the limit: the time to read `x` once, on all cores, at the best rate
# known of this machine. On a busy machine you stay further away from it.


# %%
### BEGIN SOLUTION
@njit(parallel=True, fastmath={"reassoc", "nsz"})
def mean_step(x):
    total = 0.0
    for i in prange(1, x.size):
        total += abs(x[i] - x[i - 1])
    return total / (x.size - 1) if x.size > 1 else 0.0


def steps(x):
    return mean_step(x)


### END SOLUTION
### BEGIN STARTER
# def steps(x):
#     if x.size < 2:
#         return 0.0
#     return float(np.abs(np.diff(x)).mean())
### END STARTER

# %%
check("compiling.steps", steps)

# %% [markdown] tags=["solution-only"]
# Three changes make it faster: one loop instead of three calls, additions in any order, and all cores. `total` is a variable to which the loop only adds, so
# `prange` is safe. `fastmath=True` would pass, too. But it assumes that there is no NaN, and then the result for a NaN is undefined.

# %% [markdown]
# ---
# **Next:** unit 05, *kernels*: the same 3 × 3 smoothing, with one thread for each pixel.
