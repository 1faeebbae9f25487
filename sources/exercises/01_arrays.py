# ---
# jupyter:
#   hundredfold:
#     unit: 1
#     slug: arrays
#     title: "Arrays: from NumPy to CuPy"
#     teaching: 45
#     exercises: 25
# ---

# %% [markdown]
# # 01 · Arrays: exercises
#
# *Unit 01 · arrays · 25 minutes · the lecture is [notebooks/01_arrays.ipynb](../notebooks/01_arrays.ipynb)*
#
# Six problems, from easy to open. Fill in a cell, run it, and run the `check` below it. The check shows what it verified, or why the answer is wrong,
# with a hint or the smallest case that fails. `hint("arrays.port")` shows the next hint. An empty answer counts as not attempted, not as wrong.
# Problems 3 and 6 give code that already runs. There the check judges that code until you change it.
#
# You can run this notebook from top to bottom at any time, solved or not.

# %%
# %load_ext hundredfold

# %%
from time import perf_counter

import cupy as cp
import numpy as np

from hundredfold import check, hint

# %% [markdown]
# ## 1. Port a function
#
# This NumPy function standardises a table: it subtracts each column's mean, and divides by each column's standard deviation. Make it work on the
# device. It gets a CuPy array of shape (rows, columns) and returns a new one of the same shape **and dtype**. The data stays on the device: only
# single numbers may travel to the host.
#
# Add one thing. A column whose standard deviation is exactly 0 becomes zeros, and the other columns are standardised as before. (What does the
# original return for such a column?) A column that contains a NaN stays NaN, as in NumPy.


# %%
def standardise_on_host(x):
    return (x - np.mean(x, axis=0)) / np.std(x, axis=0)


# %%
def standardise(x):
    ### BEGIN SOLUTION
    centred = x - x.mean(axis=0)
    std = x.std(axis=0)
    return centred / cp.where(std > 0, std, 1)
    ### END SOLUTION


# %%
check("arrays.port", standardise)

# %% [markdown] tags=["solution-only"]
# `cp.where` keeps the dtype: a Python number such as `1` takes the dtype of the array beside it. `std[std == 0] = 1` works as well.

# %% [markdown]
# ## 2. Count, and bring back one number
#
# Return the share of elements of `x` (a one-dimensional float64 CuPy array) for which $\sin^2 x + \cos^2 x$ is exactly 1, as a Python
# `float`. The array stays on the device. Only the answer travels to the host.


# %%
def share_of_ones(x):
    ### BEGIN SOLUTION
    ones = cp.count_nonzero(cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1)
    return int(ones) / x.size
    ### END SOLUTION


# %%
check("arrays.count", share_of_ones)

# %% [markdown] tags=["solution-only"]
# `int(ones)` waits for the device and fetches eight bytes. Fetching `x` first would have given the same number, after sending all of it over
# the bus.

# %% [markdown]
# ## 3. Repair a stopwatch
#
# A colleague hands you this stopwatch for GPU functions. It has three mistakes. Repair it, so that it returns the seconds that **one** call of `fn`
# takes:
#
# - The time includes all device work that `fn` launches. A device can have several queues, called **[streams](../docs/glossary.md#term-stream)**,
#   and `fn` may use its own. Work that was launched before `fn` does not count.
# - The first call, which compiles, does not count.
# - One slow call does not change the result. Time several calls (seven are enough) and return their median, for example.


# %%
def seconds(fn):
    ### BEGIN SOLUTION
    fn()
    times = []
    for _ in range(7):
        cp.cuda.Device().synchronize()
        start = perf_counter()
        fn()
        cp.cuda.Device().synchronize()
        times.append(perf_counter() - start)
    return float(np.median(times))
    ### END SOLUTION
    ### BEGIN STARTER
    # start = perf_counter()
    # fn()
    # return perf_counter() - start
    ### END STARTER


# %%
check("arrays.clock", seconds)

# %% [markdown]
# ## 4. Predict: would float32 save it?
#
# Somebody defends the post: "Perhaps `x` was float32." Then every number has 4 bytes instead of 8. Repeat the lecture's calculation. For
# `(cp.sin(x)**2 + cp.cos(x)**2 == 1).all()` on 10 000 × 10 000 **float32**:
#
# - `nbytes`: how many bytes do its seven kernels read and write together?
# - `t_seven`: how many **seconds** does a V100 need at least to move these bytes (900 GB/s)?
# - `t_once`: how many seconds does it need to read `x` once?
#
# The published time was 0.746 ms. Does float32 explain it?

# %%
nbytes = ...
t_seven = ...
t_once = ...
### BEGIN SOLUTION
n = 10_000 * 10_000
nbytes = n * (4 * (4 + 4) + (8 + 4) + (4 + 1) + 1)
t_seven = nbytes / 900e9
t_once = n * 4 / 900e9
### END SOLUTION

# %%
check("arrays.possible", nbytes, t_seven, t_once)

# %% [markdown]
# ## 5. GPU or not?
#
# The machine of 2018 has two CPUs with 153.6 GB/s of memory bandwidth and 1.41 TFLOP/s ($10^{12}$ operations per second) together. Its V100 has
# 900 GB/s and 7.8 TFLOP/s, and needs 10 µs to launch a kernel. The bus between them moves 12 GB/s. Where does each job finish first? Count every
# transfer that is needed until the answer is where the table says.
#
# | job | what |
# |---|---|
# | `"small_sum"` | the sum of 1 000 float64 on the host; the answer goes to the host |
# | `"large_sum"` | the sum of 800 MB of float64 on the host, once; the answer goes to the host |
# | `"fused_count"` | the count of problem 2, fused into one kernel, over 800 MB on the device, a hundred times; the answers go to the host |
# | `"matmul"` | the product of two 10 000 × 10 000 float64 matrices on the host; the product goes to the host |
#
# Answer `"cpu"` or `"gpu"` for each.

# %%
decisions = {"small_sum": ..., "large_sum": ..., "fused_count": ..., "matmul": ...}
### BEGIN SOLUTION
decisions = {"small_sum": "cpu", "large_sum": "cpu", "fused_count": "gpu", "matmul": "gpu"}
### END SOLUTION

# %%
check("arrays.worth", decisions)

# %% [markdown] tags=["solution-only"]
# One rule explains all four: count how often each number is used after it has crossed the bus. A number that is used only once should stay where it is.

# %% [markdown]
# ## 6. Open: as few bytes as you can
#
# Return the standard deviation of a long one-dimensional float64 array on the device, as a Python `float`. The version below is right. It moves
# 48 bytes for each element: it reads `x` for the mean, reads `x` and writes the difference, reads the difference and writes its square, and reads
# the square to sum it. The limit is 8 bytes, because every element must be read once.
#
# How close do you get? The check accepts 24 bytes per element or fewer, and shows your share of the limit. CuPy's own function reaches 50 %. More is
# open. A well-known shortcut loses digits: the check also tries numbers that are large and close together.


# %%
def spread(x):
    ### BEGIN SOLUTION
    return float(x.std())
    ### END SOLUTION
    ### BEGIN STARTER
    # difference = x - x.mean()
    # return float(cp.sqrt((difference**2).sum() / x.size))
    ### END STARTER


# %%
check("arrays.lean", spread)

# %% [markdown] tags=["solution-only"]
# `x.std()` reads `x` twice, once for the mean and once for the squares of the differences, and writes next to nothing: 16 bytes per element.
# $\overline{x^2} - \bar x^2$ could do with less, and loses every digit when the mean is large: two nearly equal numbers are subtracted.
# Reading once *and* keeping the digits is possible: subtract a number near the mean first, `x[0]` for example, and let one fused kernel sum the
# differences and their squares together. Unit 02 fuses kernels; come back then and reach the limit.

# %% [markdown]
# ---
# **Next:** unit 02, *memory*: where the 98 bytes per element go, and how one kernel needs only 8.
