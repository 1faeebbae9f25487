# ---
# jupyter:
#   hundredfold:
#     unit: 3
#     slug: protocols
#     title: "Protocols: arrays across libraries"
#     teaching: 50
#     exercises: 50
# ---

# %% [markdown]
# # 03 · Protocols: exercises
#
# *Unit 03 · protocols · 50 minutes · the lecture is [notebooks/03_protocols.ipynb](../notebooks/03_protocols.ipynb)*
#
# There are six problems, from easy to open. Problems 1 to 5 take about 40 minutes, problem 6 about ten. Fill in a cell, run it, and run
# the `check` below it. The check shows what it verified, or why the answer is wrong, with a hint or the smallest case that fails.
# `hint("protocols.adopt")` shows the next hint.
#
# An empty answer, `...`, counts as not attempted, not as wrong. Problems 3, 4 and 6 start with code. There the check judges that code until you change it.
#
# You can run this notebook from top to bottom at any time, solved or not.

# %%
# %load_ext hundredfold

# %%
import pickle

import cloudpickle
import cupy as cp
import numpy as np
from numba import cuda

from hundredfold import check, hint

# %% [markdown]
# ## 1. Predict: what is copied?
#
# `x` is a **float32** array of 50 million numbers on the device. A program does this with it:
#
# ```python
# a = cuda.as_cuda_array(x)  # Numba
# b = cp.asarray(a)[::2]
# c = b.copy()
# ```
#
# Then it sends `b` by `pickle` to a worker, another process with a GPU of its own. The worker multiplies it by 2 on that GPU. It sends the result back by
# `pickle`. The result has the size and dtype of `b`.
#
# - `memory`: how many bytes of our device's memory do `x`, `a`, `b` and `c` take together, before anything is sent?
# - `pickled`: how many bytes does `pickle.dumps(b)` have?
# - `bus`: how many bytes cross a bus between a host and a device in total, until the result is on our device?
# - `seconds`: how many seconds do these crossings take at least, one after the other, at 25 GB/s?
#
# The check allows two percent more or less.

# %%
memory = ...
pickled = ...
bus = ...
seconds = ...
### BEGIN SOLUTION
whole = 50_000_000 * 4
memory = whole + whole / 2
pickled = whole / 2
bus = 4 * pickled
seconds = bus / 25e9
### END SOLUTION

# %%
check("protocols.moved", memory, pickled, bus, seconds)

# %% [markdown]
# ## 2. One function, four libraries
#
# Write a function that divides each row of a matrix by its length: the square root of the sum of its squares. A row of zeros stays as it is. A row with a NaN
# becomes NaN. The same function must work for the arrays of four libraries:
#
# - **NumPy**
# - **CuPy**
# - **Dask**, with chunks that are CuPy arrays. Nothing may be computed before the caller calls `compute()`. Chunks may cut the rows, too.
# - **A library like JAX.** Its arrays have `__array_namespace__()`, the usual operators, and methods such as `x.sum`. They are immutable, and NumPy's functions would copy
#   them to the host. The check uses `Frozen` of the lecture.
#
# The result is a new array of the same library, on the same device. It keeps the dtype, float32 or float64. As in the lecture, CuPy's and Dask's arrays have no
# `__array_namespace__`.


# %%
def unit_rows(x):
    ### BEGIN SOLUTION
    xp = x.__array_namespace__() if hasattr(x, "__array_namespace__") else np
    length = xp.sqrt(xp.sum(x * x, axis=1, keepdims=True))
    return x / xp.where(length == 0, 1, length)
    ### END SOLUTION


# %%
check("protocols.anywhere", unit_rows)

# %% [markdown] tags=["solution-only"]
# Where there is no `__array_namespace__`, NumPy's functions do: CuPy and Dask take part in `__array_function__`. You can also do without any function:
# `length = (x * x).sum(axis=1, keepdims=True) ** 0.5` and `x / (length + (length == 0).astype(x.dtype))` use operators and methods only.

# %% [markdown]
# ## 3. Repair: adopt it, do not copy it
#
# This function should make a CuPy array of any library's device array. Now it copies, it sends Numba's arrays over the bus twice, and it does not know
# DLPack. Repair it:
#
# - `thing` may have `__cuda_array_interface__`, DLPack's two methods `__dlpack__` and `__dlpack_device__`, or both.
# - The result is a CuPy array **in the same memory**, with the same shape, dtype and strides. It keeps that memory alive.
# - If `thing` is on the host, there is nothing to share. Raise a `TypeError`, and send nothing over the bus. This holds for anything on the host: NumPy
#   arrays, lists, single numbers, objects with DLPack's methods.


# %%
def as_cupy(thing):
    ### BEGIN SOLUTION
    if hasattr(thing, "__cuda_array_interface__"):
        return cp.asarray(thing)
    if hasattr(thing, "__dlpack__") and thing.__dlpack_device__()[0] == 2:
        return cp.from_dlpack(thing)
    raise TypeError(f"{type(thing).__name__}: not on a device")
    ### END SOLUTION
    ### BEGIN STARTER
    # if hasattr(thing, "copy_to_host"):
    #     thing = thing.copy_to_host()
    # return cp.array(thing)
    ### END STARTER


# %%
check("protocols.adopt", as_cupy)

# %% [markdown]
# ## 4. Repair: pack it for another process
#
# Another process, with a GPU of its own, should continue your work. It needs a dict with four things:
#
# | key | in your process | in the other process |
# |---|---|---|
# | `"field"` | a **Numba** device array | a Numba device array with the same numbers |
# | `"window"` | a **CuPy** array, a view of a part of a larger one | a CuPy array with the elements of the view, and no others |
# | `"rule"` | a `lambda` of one number, which may use variables from outside | a function that does the same |
# | `"stream"` | a CuPy stream | a new CuPy stream, of any kind but not the default one |
#
# `pack(state)` runs in your process and turns the dict into `bytes`. `unpack(packed)` runs in the other process and turns the bytes into such a dict. The
# versions below do not work. Repair them:
#
# - The numbers cross the bus once on each side, and keep their shape and dtype.
# - Your own dict and its arrays stay as they are, because you go on working with them.


# %%
def pack(state):
    ### BEGIN SOLUTION
    parts = {"field": state["field"].copy_to_host(), "window": state["window"], "rule": state["rule"]}
    return cloudpickle.dumps(parts)
    ### END SOLUTION
    ### BEGIN STARTER
    # return pickle.dumps(state)
    ### END STARTER


def unpack(packed):
    ### BEGIN SOLUTION
    state = pickle.loads(packed)
    state["field"] = cuda.to_device(state["field"])
    state["stream"] = cp.cuda.Stream(non_blocking=True)
    return state
    ### END SOLUTION
    ### BEGIN STARTER
    # return pickle.loads(packed)
    ### END STARTER


# %%
check("protocols.send", pack, unpack)

# %% [markdown] tags=["solution-only"]
# `cp.asarray(state["field"])` is right for the field, too. CuPy's arrays can be pickled, and on the other side `cuda.as_cuda_array` makes a Numba array of it.
#
# In a class of your own you can define once how its objects are pickled, in the method `__reduce__`. For classes that are not yours, Dask has the registries
# `dask_serialize` and `cuda_serialize`.

# %% [markdown]
# ## 5. GPU or not?
#
# We assume a server with these two, and a bus of 25 GB/s between them:
#
# | | CPU | GPU |
# |---|---:|---:|
# | its memory | 150 GB/s | 2 000 GB/s |
# | each call or launch | 0.1 µs | 5 µs |
# | reading one number, `float(x[i])` | 0.1 µs | 5 µs |
#
# On which of them does each job finish first? Compare the limits. Count every transfer until the answer is where the table says.
#
# | job | what it is | data is on the | answer goes to the |
# |---|---|---|---|
# | `"handoff"` | a cuDF column of 4 GB; CuPy reads it in 30 fused passes, and computes one number | device | host |
# | `"scalars"` | a Python loop reads 200 000 numbers (1.6 MB) one by one with `float(x[i])`; each step depends on the number | device | host |
# | `"worker"` | 8 GB in NumPy arrays that a worker has received by pickle; they are read once, to compute one number | host | host |
# | `"pingpong"` | 50 rounds over 4 GB: four fused passes, each of which reads them once; then a step that only the CPU can do, which reads the 4 GB and writes them again | device | host |
# | `"steps"` | 3 000 updates of 50 million float32 in a library with immutable arrays; each reads the array and writes a new one | device | device |
#
# A *fused pass* is one kernel over all of the data, as in unit 02.
#
# Answer `"cpu"` or `"gpu"` for each. `"cpu"` means: data that is on the device is fetched once, and then all work is done on the CPU. `"gpu"` in `"pingpong"` means:
# the GPU does the passes, and in each round the 4 GB go to the host and back for the CPU's step.

# %%
decisions = {"handoff": ..., "scalars": ..., "worker": ..., "pingpong": ..., "steps": ...}
### BEGIN SOLUTION
# for pingpong a hundred crossings stand against one
decisions = {"handoff": "gpu", "scalars": "cpu", "worker": "cpu", "pingpong": "cpu", "steps": "gpu"}
### END SOLUTION

# %%
check("protocols.worth", decisions)

# %% [markdown]
# ## 6. Open: any arrays, and fast where it can be
#
# `blend(a, b, t)` mixes two arrays: `a + t * (b - a)`, where `t` is an `int` or a `float`. Results below 0 become 0, and results above 1 become 1. `a` and `b`
# have the same shape and dtype.
#
# The version below works for CuPy, NumPy and libraries like JAX, but not for Numba's arrays. On a GPU it launches four kernels, which move 80 bytes for each pair of
# float64 numbers. The limit is 24: two numbers read, one written. Unit 02 shows how to fuse kernels.
#
# Make it fast for arrays on a device, and keep it general for all others:
#
# | `a` and `b` are arrays of | the result is |
# |---|---|
# | CuPy, or **Numba** on the device | a new CuPy array |
# | NumPy, or a library like JAX | a new array of the same library |
#
# float32 stays float32. There is no NaN among the numbers. The arrays that are like JAX's are on the host. The check accepts 40 bytes or fewer for each
# pair of float64 numbers, and shows your share of the limit.


# %%
### BEGIN SOLUTION
@cp.fuse()
def blend_on_device(a, b, t):
    return cp.minimum(cp.maximum(a + t * (b - a), 0), 1)


def blend(a, b, t):
    if hasattr(a, "__cuda_array_interface__"):
        return blend_on_device(cp.asarray(a), cp.asarray(b), t)
    xp = a.__array_namespace__() if hasattr(a, "__array_namespace__") else np
    return xp.clip(a + t * (b - a), 0, 1)


### END SOLUTION
### BEGIN STARTER
# def blend(a, b, t):
#     xp = a.__array_namespace__() if hasattr(a, "__array_namespace__") else np
#     return xp.clip(a + t * (b - a), 0, 1)
### END STARTER


# %%
check("protocols.blend", blend)

# %% [markdown] tags=["solution-only"]
# Libraries that are general *and* fast are built like this: one general line, and a few cases for which there is a faster way. The general line is also the
# test of the fast ones.

# %% [markdown]
# ---
# **Next:** unit 04, *compiling*: loops at the speed of the machine, without a GPU.
