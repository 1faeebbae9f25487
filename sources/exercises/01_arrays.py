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
# Six problems, from easy to open. Fill in a cell, run it, run the `check` below it. A check says what it verified, or why the answer is
# wrong, with a hint or the smallest case that fails; `hint("arrays.port")` unfolds the next hint. A gap counts as not attempted, never as wrong; but where code is given
# that already runs (problems 3 and 6), the check judges that code until you change it.
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
# This NumPy function standardises a table: from each column it takes the mean, and divides by the standard deviation. Make it work on the
# device: it gets a CuPy array of shape (rows, columns) and returns a new one of the same shape **and dtype**. The data stays there: nothing but
# single numbers may travel to the host.
#
# One thing more than the original: a column whose standard deviation is exactly 0 shall become zeros, the other columns standardised as ever.
# (What does the original make of it?) A column that contains a NaN stays NaN, as in NumPy.


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
# `cp.where` keeps the dtype: a Python number such as `1` is *weak*, it takes the dtype of its partner. `std[std == 0] = 1` does it as well.

# %% [markdown]
# ## 2. Count, and bring back one number
#
# Return the share of elements of `x` (a one-dimensional float64 CuPy array) for which $\sin^2 x + \cos^2 x$ is exactly 1, as a Python
# `float`. The array stays on the device; the only thing that comes back is the answer.


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
# A colleague hands you this stopwatch for GPU functions. Every time it shows is wrong, in three different ways. Repair it: it returns the
# seconds that **one** call of `fn` takes,
#
# - with all the device work that `fn` orders, also in streams of its own, and none that somebody ordered before;
# - without the first call, which compiles;
# - of several calls, seven are plenty, so that one slow call does not spoil it: their median, for example.


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
# Somebody defends the post: "Perhaps `x` was float32." Then every number has 4 bytes instead of 8. Do the sums of the lecture anew, before
# you run anything. For `(cp.sin(x)**2 + cp.cos(x)**2 == 1).all()` on 10 000 × 10 000 **float32**:
#
# - `nbytes`: how many bytes do its seven kernels read and write, all together?
# - `t_seven`: how many **seconds** does a V100 need for that at the least (900 GB/s)?
# - `t_once`: how many seconds to read `x` once?
#
# The published time was 0.746 ms. Is the defence a good one?

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
# The machine of 2018: two processors with 153.6 GB/s of memory bandwidth and 1.41 TFLOP/s together; a V100 with 900 GB/s and 7.8 TFLOP/s,
# which takes 10 µs to launch a kernel; between them a bus of 12 GB/s. Where does each job finish first, counting everything until the
# answer is where it is wanted?
#
# | job | what |
# |---|---|
# | `"small_sum"` | the sum of 1 000 float64 that lie on the host |
# | `"large_sum"` | the sum of 800 MB of float64 that lie on the host, once; the answer goes to the host |
# | `"fused_count"` | the count of problem 2, fused into one kernel, over 800 MB that lie on the device, a hundred times |
# | `"matmul"` | the product of two 10 000 × 10 000 float64 matrices that lie on the host; the product goes to the host |
#
# Answer `"cpu"` or `"gpu"` for each. "Do not use the GPU" is a respectable answer.

# %%
decisions = {"small_sum": ..., "large_sum": ..., "fused_count": ..., "matmul": ...}
### BEGIN SOLUTION
decisions = {"small_sum": "cpu", "large_sum": "cpu", "fused_count": "gpu", "matmul": "gpu"}
### END SOLUTION

# %%
check("arrays.worth", decisions)

# %% [markdown] tags=["solution-only"]
# The rule behind all four: count how often each number is used once it has crossed the bus. Used once, it had better stay where it was.

# %% [markdown]
# ## 6. Open: as few bytes as you can
#
# The standard deviation of a long one-dimensional float64 array on the device, as a Python `float`. The version below is right, and it
# moves 48 bytes for each element: it reads `x` for the mean, reads `x` and writes the difference, reads that and writes its square, reads the
# square to sum it. Nobody can do with less than 8, since every element has to be read once.
#
# How close do you get? 24 bytes per element or fewer pass, and the check tells you how near the limit you are. CuPy's own function gets
# half-way; the rest is open. Beware of a famous shortcut: the check also tries numbers that are large and close together.


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
# **Next:** unit 02, *memory*: where the 98 bytes per element go, and how one kernel makes 8 of them.
