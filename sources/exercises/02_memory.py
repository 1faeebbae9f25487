# ---
# jupyter:
#   hundredfold:
#     unit: 2
#     slug: memory
#     title: "Memory: moving fewer bytes"
#     teaching: 45
#     exercises: 40
# ---

# %% [markdown]
# # 02 · Memory: exercises
#
# *Unit 02 · memory · 40 minutes · the lecture is [notebooks/02_memory.ipynb](../notebooks/02_memory.ipynb)*
#
# There are six problems, from easy to open. Problems 1 to 5 take about half an hour, problem 6 about ten minutes. Fill in a cell, run it, and run
# the `check` below it. The check shows what it verified, or why the answer is wrong, with a hint or the smallest case that fails.
# `hint("memory.fuse")` shows the next hint.
#
# An empty answer counts as not attempted, not as wrong. Problems 2, 3, 4 and 6 start with code that runs. There the check judges that code until you
# change it.
#
# `%%lens` in the first line of a cell counts for you, as in the lecture. Try problem 1 without it.
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
# `x`, `y` and `w` are **float32** arrays of 10 000 × 10 000 on the device. Look at this line. Do not run it:
#
# ```python
# error = ((x - y) ** 2 * w).sum()
# ```
#
# - `kernels`: how many kernels does it launch?
# - `nbytes`: how many bytes do they read and write, added up?
# - `peak`: how many bytes do its temporaries take at most at the same time? Do not count `x`, `y` and `w`.
# - `fused`: how many bytes would a single kernel read and write for the same result?
#
# A single number, such as the sum, counts as no bytes.

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
# This function computes the distance of each point $(x_i, y_i)$ from $(1, -2)$. It is right. It launches six kernels, which move 104 bytes for each
# point in float64.
#
# Make **one** kernel of it. That kernel reads `x` and `y` once, and writes the result once. `x` and `y` have the same shape and dtype, float32 or
# float64. The result has that dtype, too. If `x` or `y` is a view with steps, one more kernel for each may copy it into one piece first.


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
# One line above the function is enough. By hand it is
# `cp.ElementwiseKernel("T x, T y", "T d", "d = hypot(x - T(1), y + T(2))", "distance")`.

# %% [markdown]
# ## 3. Repair: it works in pieces, and holds them all
#
# `x` is a float64 matrix on the **host**, larger than the device's memory. The function sends `rows` rows at a time. For each row it divides the first
# number by the row's sum. It returns these shares of all rows, as one array on the device.
#
# The result is right. But on a large matrix the function runs out of memory, although it sends only a few rows at a time. Repair it:
#
# - No more than a few pieces are on the device at once.
# - Each number is sent once. The shares are computed on the device, and nothing comes back.
# - A matrix without rows gives an empty array. The last piece may be shorter.


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
# `shares[:, 0]` was a view, and a list of views kept all the `shares`. Better still is not to make the large array at all:
# `piece[:, 0] / piece.sum(axis=1)` computes only what is needed.

# %% [markdown]
# ## 4. Repair: where does float64 come in?
#
# `image` is a float32 array on the device. The function does three things:
#
# 1. It makes the image brighter by a factor of $\sqrt 2$.
# 2. It adds a ramp, which rises from 0 on the left to 0.5 on the right.
# 3. It sets all values above 1 to 1.
#
# The author wanted float32, but the function computes in float64. Repair it: every step is in float32, and so is the result. Its three kernels then
# move 24 bytes for each pixel. The check allows 26, because the ramp is made and read as well.


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
# There were two leaks. `np.sqrt(2)` is a NumPy number with a type of its own, and `linspace` makes float64 unless you give a dtype. `.astype(cp.float32)` at
# the end would give the right dtype, but only after all the work in float64. One fused kernel could do with 8 bytes for each pixel.

# %% [markdown]
# ## 5. GPU or not?
#
# Your machine has this CPU and this GPU, with a bus of 25 GB/s between them:
#
# | | CPU, 16 cores | RTX 4090 |
# |---|---:|---:|
# | its memory | 90 GB/s | 1 008 GB/s |
# | float64 | 2.3 TFLOP/s | 1.29 TFLOP/s |
# | float32 | 4.6 TFLOP/s | 82.6 TFLOP/s |
# | each call or launch | 1 µs | 5 µs |
#
# On which of them does each job finish first? Compare the limits. Count every transfer until the answer is where the table says.
#
# | job | what it is | data is on the | answer goes to the |
# |---|---|---|---|
# | `"matmul64"` | the product of two 10 000 × 10 000 matrices of **float64** | host | host |
# | `"matmul32"` | the same in **float32** | host | host |
# | `"stream"` | the sum of 64 GB of float64, sent in pieces | host | host |
# | `"sweeps"` | 500 fused updates of 100 million float32; each reads and writes every number | device | device |
# | `"tiny"` | 400 steps, one after the other; each is one kernel on 1 000 float64, which fit into a CPU's cache | device | device |
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
# The *softmax* of a row turns its numbers into shares that add up to 1: $e^{x_j} \big/ \sum_k e^{x_k}$. The row's largest number is subtracted
# first, so that no exponential overflows. This does not change the result. Where the numbers are as large as $10^8$, six right digits are enough.
# Neural networks compute a softmax at every step, and whole papers are about doing it with fewer bytes.
#
# `x` is a float64 matrix on the device. The result is a new one, and nothing goes to the host. The version below is right, and moves 64 bytes for each
# element. The limit is 16: each element read once, each result written once.
#
# | bytes for each element | how |
# |---:|---|
# | 48 | passes the check; fuse what can be fused |
# | 32 | with a `ReductionKernel`, see *Optional: a kernel of your own* in the lecture |
# | 24 | needs an idea |
# | 16 | each row has to stay in shared memory, as in unit 06 |
#
# The check shows your share of the limit.


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
# This version reads `x` three times and writes once: 32 bytes. It computes the exponentials twice, which is cheap where memory binds. On a consumer GPU in
# float64 arithmetic binds. There 48 bytes with one `exp` may win.
#
# `@cp.fuse()` above the function as it was given is refused on a GPU, because a fused reduction takes no `keepdims=`. With `[:, None]` behind each reduction
# it is one kernel and one launch. But it reads its arrays again after each reduction, and keeps the exponentials in device memory until then: 48 bytes.
#
# For 24 find the largest number and the sum in *one* pass. A pair $(m, s)$ stands for $s\,e^m$. Two pairs join to
# $\big(\max(m_1, m_2),\; s_1 e^{m_1 - m} + s_2 e^{m_2 - m}\big)$. A `ReductionKernel` can carry the pair in one `complex128`. This
# "online softmax" is at the heart of FlashAttention.

# %% [markdown]
# ---
# **Next:** unit 03, *protocols*: one function for NumPy, CuPy, JAX and Dask, and arrays that change libraries without a copy.
