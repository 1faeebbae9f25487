# ---
# jupyter:
#   hundredfold:
#     unit: 2
#     slug: memory
#     title: From 98 bytes to 8
#     teaching: 40
#     exercises: 25
# ---

# %% [markdown]
# # Exercises: From 98 bytes to 8
#
# *Unit 02 · memory · 25 minutes · the lecture is [notebooks/02_memory.ipynb](../notebooks/02_memory.ipynb)*
#
# Six problems, from easy to open. Fill in a cell, run it, run the `check` below it. A check says what it verified, or why the answer is
# wrong, and gives one hint; `hint("memory.fuse")` unfolds the next one. A gap counts as not attempted, never as wrong; but where code is
# given that already runs (problems 2, 3, 4 and 6), the check judges that code until you change it.
#
# `%%lens` in the first line of a cell counts for you, as in the lecture; problem 1 is more fun without it.
#
# You can run this notebook from top to bottom at any time, solved or not.

# %%
# %load_ext hundredfold

# %%
import cupy as cp
import numpy as np

from hundredfold import check, hint

# %% [markdown]
# ## 1. Count before it runs
#
# `x`, `y` and `w` are **float32** arrays of 10 000 × 10 000 on the device. Before anything runs, say of this line:
#
# ```python
# error = ((x - y) ** 2 * w).sum()
# ```
#
# - `kernels`: how many kernels does it launch?
# - `nbytes`: how many bytes do they read and write, all together?
# - `peak`: how many bytes do its temporaries take at the same time at most, **beside** `x`, `y` and `w`?
# - `fused`: how many bytes would one kernel read and write that does it all?
#
# (A single number, such as the sum, counts as nothing.)

# %%
kernels = ...
nbytes = ...
peak = ...
fused = ...
### BEGIN SOLUTION
one_array = 10_000 * 10_000 * 4
kernels = 4
nbytes = (3 + 2 + 3 + 1) * one_array
peak = 2 * one_array
fused = 3 * one_array
### END SOLUTION

# %%
check("memory.passes", kernels, nbytes, peak, fused)

# %% [markdown]
# ## 2. Six kernels into one
#
# This function gives the distance of each point $(x_i, y_i)$ from $(1, -2)$. It is right, and it launches six kernels, which move 104
# bytes for each point. Make **one** kernel of it, which reads `x` and `y` once and writes the result once. `x` and `y` have the same
# shape and dtype, float32 or float64, and the result has that dtype too.


# %%
### BEGIN SOLUTION
@cp.fuse()
def distance(x, y):
    return cp.sqrt((x - 1) ** 2 + (y + 2) ** 2)


### END SOLUTION
### BEGIN STARTER
# def distance(x, y):
#     return cp.sqrt((x - 1) ** 2 + (y + 2) ** 2)
### END STARTER


# %%
check("memory.fuse", distance)

# %% [markdown] tags=["solution-only"]
# One line above the function as it was given. Or by hand:
# `cp.ElementwiseKernel("T x, T y", "T d", "d = hypot(x - T(1), y + T(2))", "distance")`.

# %% [markdown]
# ## 3. Repair: it works in pieces, and holds them all
#
# `x` is a matrix on the **host**, larger than the device's memory. So this function sends `rows` rows at a time, and for each row it
# finds the share that its first number has in the row's sum. The shares of all rows come back as one array on the device. The result is
# right; but on a large matrix it runs out of memory, although only a few rows are on the device at a time. Or are they?
#
# Repair it, so that no more than a few pieces lie on the device at once. Each number is sent once, the shares are found on the device, and
# nothing comes back. (A matrix without rows gives an empty array, and the last piece
# may be shorter.)


# %%
def first_share(x, rows):
    ### BEGIN SOLUTION
    kept = [cp.empty(0)]
    for start in range(0, len(x), rows):
        piece = cp.asarray(x[start : start + rows])
        shares = piece / piece.sum(axis=1, keepdims=True)
        kept.append(shares[:, 0].copy())
    return cp.concatenate(kept)
    ### END SOLUTION
    ### BEGIN STARTER
    # kept = [cp.empty(0)]
    # for start in range(0, len(x), rows):
    #     piece = cp.asarray(x[start : start + rows])
    #     shares = piece / piece.sum(axis=1, keepdims=True)
    #     kept.append(shares[:, 0])
    # return cp.concatenate(kept)
    ### END STARTER


# %%
check("memory.leak", first_share)

# %% [markdown] tags=["solution-only"]
# `shares[:, 0]` was a view, and a list of views kept all the `shares`. Better than to copy the view is not to make the large array at
# all: `piece[:, 0] / piece.sum(axis=1)` computes what is wanted and nothing else.

# %% [markdown]
# ## 4. Repair: where does float64 come in?
#
# `image` is a float32 array on the device. The function makes it brighter by a factor of $\sqrt 2$, adds a ramp that rises from 0 on the
# left to 0.5 on the right, and cuts off what is over 1. Whoever wrote it meant it to run in float32. It does not. Repair it: float32 all
# the way, 24 bytes for each pixel, and float32 comes out. (The check allows 26, since the ramp has to be made and read as well. One kernel could do
# with 8, which is not asked for.)


# %%
def brighten(image):
    ### BEGIN SOLUTION
    gain = float(np.sqrt(2))
    ramp = cp.linspace(0, 0.5, image.shape[1], dtype=image.dtype)
    return cp.minimum(image * gain + ramp, 1)
    ### END SOLUTION
    ### BEGIN STARTER
    # gain = np.sqrt(2)
    # ramp = cp.linspace(0, 0.5, image.shape[1])
    # return cp.minimum(image * gain + ramp, 1)
    ### END STARTER


# %%
check("memory.single", brighten)

# %% [markdown] tags=["solution-only"]
# There were two leaks: the NumPy scalar `np.sqrt(2)`, and `linspace`, which makes float64 unless told otherwise. A `.astype(cp.float32)`
# at the end would have given the right dtype, after all the work had been done in float64.

# %% [markdown]
# ## 5. GPU or not?
#
# On your desk: a processor with 16 cores, 90 GB/s of memory bandwidth, 2.3 TFLOP/s in float64 and 4.6 in float32; and an RTX 4090 with 1
# 008 GB/s, 1.29 TFLOP/s in float64 and 82.6 in float32, which takes 5 µs to launch a kernel. The bus between them moves 25 GB/s. A call
# on the processor costs 1 µs before it does anything. Where does each job finish first, at the limits, counting everything until the
# answer is where it is wanted?
#
# | job | what |
# |---|---|
# | `"matmul64"` | the product of two 10 000 × 10 000 matrices of **float64** that lie on the host; the product goes to the host |
# | `"matmul32"` | the same in **float32** |
# | `"stream"` | the sum of 64 GB of float64 that lie on the host, sent in pieces; the answer goes to the host |
# | `"sweeps"` | 500 fused updates of 100 million float32 that lie on the device and are wanted there; each reads and writes every number |
# | `"tiny"` | 400 steps, one after the other, each one kernel on 1 000 float64 that lie on the device; on the processor they fit into its cache |
#
# Answer `"cpu"` or `"gpu"` for each.

# %%
decisions = {"matmul64": ..., "matmul32": ..., "stream": ..., "sweeps": ..., "tiny": ...}
### BEGIN SOLUTION
decisions = {"matmul64": "cpu", "matmul32": "gpu", "stream": "cpu", "sweeps": "gpu", "tiny": "cpu"}
### END SOLUTION

# %%
check("memory.worth", decisions)

# %% [markdown]
# ## 6. Open: softmax with as few bytes as you can
#
# The *softmax* of a row turns its numbers into shares that add up to 1: $e^{x_j} \big/ \sum_k e^{x_k}$. So that no exponential overflows,
# the row's largest number is taken off first, which changes nothing in the result. Neural networks do this at every step, and whole
# papers are about doing it with fewer bytes.
#
# `x` is a float64 matrix on the device; the result is a new one. Nothing may travel to the host. The version below is right and moves 64 bytes for each element. Nobody
# can do with less than 16, each element read once and each result written once.
#
# How near do you get? 48 bytes or fewer pass, and the check says how near the limit you are. 32 are within reach of this unit's tools, 24
# need an idea, and for 16 a whole row has to stay inside the GPU's processors until it is done, which is unit 06.


# %%
### BEGIN SOLUTION
add_exponentials = cp.ReductionKernel("T x, T m", "T y", "exp(x - m)", "a + b", "y = a", "0", "add_exponentials")
finish = cp.ElementwiseKernel("T x, T m, T s", "T y", "y = exp(x - m) / s", "finish")


def softmax(x):
    largest = x.max(axis=1, keepdims=True)
    total = add_exponentials(x, largest, axis=1, keepdims=True)
    return finish(x, largest, total)


### END SOLUTION
### BEGIN STARTER
# def softmax(x):
#     difference = x - x.max(axis=1, keepdims=True)
#     exponentials = cp.exp(difference)
#     return exponentials / exponentials.sum(axis=1, keepdims=True)
### END STARTER


# %%
check("memory.softmax", softmax)

# %% [markdown] tags=["solution-only"]
# It reads `x` three times and writes once: 32 bytes. The exponentials are reckoned twice, and that is cheap where bytes bind. (On a
# consumer GPU in float64 it is not: there arithmetic binds, and 48 bytes with one `exp` may win. The limit decides.)
#
# `@cp.fuse()` above the function as it was given is refused on a GPU, since a fused reduction takes no `keepdims=`. With `[:, None]` behind each in its
# place it is one kernel and one launch. But a kernel that goes on after a reduction goes through its arrays again, and keeps the exponentials in
# device memory until then: 48 bytes.
#
# For 24 find the largest number and the sum in *one* pass: a pair $(m, s)$ stands for $s\,e^m$, and two pairs join to
# $\big(\max(m_1, m_2),\; s_1 e^{m_1 - m} + s_2 e^{m_2 - m}\big)$. A `ReductionKernel` can carry the pair in one `complex128`. This
# "online softmax" is at the heart of FlashAttention.

# %% [markdown]
# ---
# **Next:** unit 03, *protocols*: one function for NumPy, CuPy, JAX and Dask, and arrays that change libraries without being copied.
