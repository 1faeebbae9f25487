# ---
# jupyter:
#   hundredfold:
#     unit: 4
#     slug: compiling
#     title: "Compiling: fast loops on the CPU"
#     teaching: 30
#     exercises: 25
# ---

# %% [markdown]
# # 04 · Compiling: exercises
#
# *Unit 04 · compiling · 25 minutes · the lecture is [notebooks/04_compiling.ipynb](../notebooks/04_compiling.ipynb)*
#
# Six problems, from easy to open. Fill in a cell, run it, run the `check` below it. A check says what it verified, or why the answer is
# wrong, and gives one hint; `hint("compiling.follow")` unfolds the next one. Where code is given that already runs (problems 2, 4 and 6), the
# check judges that code until you change it.
#
# Before a check runs your compiled code, it runs your *source* in slow motion, on small arrays that watch: who reads out of bounds, and
# which two iterations of a `prange` meet at the same element. Compiled code would not tell.
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
# Exponential smoothing follows a noisy series: the result begins as `x[0]`, and each step moves from the **result of the step before** towards
# the new number, by the share `a`:
#
# $$y_0 = x_0, \qquad y_i = y_{i-1} + a\,(x_i - y_{i-1})$$
#
# Because each step needs the one before, there is no line of NumPy for it. Write it as a loop, compiled. `x` is one-dimensional, of floats or
# of whole numbers, and may be empty; `a` is a float. Return a new float64 array of x's length, and leave `x` as it is.


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
# `level = float(x[0])` rather than `x[0]`: for an array of whole numbers the variable would begin as an int. (Numba would make it a float all the
# same, because it is one later, and a variable has one type. It is kinder to the reader to say it.)

# %% [markdown]
# ## 2. Repair the edges
#
# A colleague smooths a picture (int8, two-dimensional) and says that it works: "no error, and inside it is right". At the edges it reads pixels
# that do not exist. Repair it: at the edges and corners, take the mean of **those of the nine that exist**, 6 or 4 of them (fewer in a very
# narrow picture). As before, means are rounded down, the result is a new int8 array, and `x` is not changed.


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
# Twice wrong, in two ways: above and to the left the index is -1, which is the *other end* of the picture and no error; below and to the right it
# is out of bounds, which is no error either, in compiled code. The `if` asks for both.

# %% [markdown]
# ## 3. Predict: what do nine pixels come to?
#
# Nine neighbouring pixels of an int8 picture all have the grey value 40. Work out, before you run anything:
#
# - `numpy_mean`: somebody adds nine shifted int8 **arrays** with NumPy, `x[:-2, :-2] + x[:-2, 1:-1] + …`, and divides by 9 with `//`. Which grey value
#   comes out?
# - `numba_mean`: the same pixels in the compiled loop of the lecture, which adds **single** pixels and divides by 9 with `//`. Which value?
# - `stencil_bytes`: how many bytes does the smoothing of 10 000 × 10 000 int8 pixels read and write, if `@stencil` makes the result? (Each pixel
#   comes from memory once.)
# - `loop_seconds`: how many **seconds** does the loop need at least that writes into an int8 array, with a laptop's 50 GB/s?

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
# This counts how often each value from 0 to 255 occurs in `v` (one-dimensional, uint8, of any length). It uses all cores, it is fast, and now and
# then it loses some. Repair it **without giving the threads up**: the result is an int64 array of 256 counts, right every time.


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
# Part `t` ends where part `t + 1` begins, so nothing is counted twice and nothing is left over, whatever the length. On a GPU, where there are
# thousands of threads, not each can have counts of its own; there one uses *atomic* additions, in unit 05.

# %% [markdown]
# ## 5. Leave it, compile it, or the GPU?
#
# A laptop: memory with 50 GB/s; the interpreter takes 50 ns for one turn of a simple loop, compiled code 1 ns where each turn waits for the one
# before, and works at the memory's speed where none waits; the first call of a function that you compile, for the CPU or the GPU, takes 0.5 s more. A V100 beside it with 900 GB/s, on a bus of
# 12 GB/s; one of its threads alone takes 20 ns for such a turn. Which way finishes first, counting everything until the answer is where it is wanted?
#
# | job | what | as it stands |
# |---|---|---|
# | `"settings"` | a loop of 10 000 turns over a list of settings, once, when a program starts | Python |
# | `"sum"` | the sum of 800 MB of float64 that lie on the host, once | `x.sum()` |
# | `"recurrence"` | problem 1 for 100 000 000 numbers that lie on the host | Python |
# | `"pictures"` | 1000 pictures of 10 000 × 10 000 int8 on the host, each smoothed once, the results wanted on the host | Python |
# | `"steps"` | one such picture that lies on the device, smoothed 10 000 times, the result wanted on the device | Python |
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
# How rough is a long series? Return the mean absolute step, the mean of $|x_{i+1} - x_i|$, of a one-dimensional float64 array as a Python
# `float`; 0.0 if it has fewer than two numbers. The version below is right. But `np.diff` writes an array as long as `x`, `np.abs` reads it and
# writes another, and `mean` reads that: 40 bytes for each number, where 8 would do.
#
# The check wants no array of x's size on the way, and then tells you how near you come to the limit: the time to read `x` once, with all
# cores and at the best rate known of this machine (so on a busy one you come less near). To pass is easy; how near do you get?


# %%
def steps(x):
    ### BEGIN SOLUTION
    return mean_step(x)
    ### END SOLUTION
    ### BEGIN STARTER
    # if x.size < 2:
    #     return 0.0
    # return float(np.abs(np.diff(x)).mean())
    ### END STARTER


### BEGIN SOLUTION
@njit(parallel=True, fastmath={"reassoc", "nsz"})
def mean_step(x):
    total = 0.0
    for i in prange(1, x.size):
        total += abs(x[i] - x[i - 1])
    return total / (x.size - 1) if x.size > 1 else 0.0


### END SOLUTION

# %%
check("compiling.steps", steps)

# %% [markdown] tags=["solution-only"]
# Three things, each worth a factor: one pass instead of three calls; additions in any order, so that they need not wait for each other; all cores.
# `total` is a plain variable, so the `prange` is safe. `fastmath=True` would pass as well; it also promises that there is no NaN, and then nobody
# knows what a NaN becomes.

# %% [markdown]
# ---
# **Next:** unit 05, *kernels*: the same 3 × 3 smoothing, one thread for each pixel.
