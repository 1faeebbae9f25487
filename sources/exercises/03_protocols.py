# ---
# jupyter:
#   hundredfold:
#     unit: 3
#     slug: protocols
#     title: One function, any array
#     teaching: 30
#     exercises: 25
# ---

# %% [markdown]
# # Exercises: One function, any array
#
# *Unit 03 · protocols · 25 minutes · the lecture is [notebooks/03_protocols.ipynb](../notebooks/03_protocols.ipynb)*
#
# Six problems, from easy to open. Fill in a cell, run it, run the `check` below it. A check says what it verified, or why the answer is
# wrong, and gives one hint; `hint("protocols.adopt")` unfolds the next one. A gap counts as not attempted, never as wrong; but where code
# is given that already runs (problems 3, 4 and 6), the check judges that code until you change it.
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
# `x` is a **float32** array of 50 million numbers on the device. Somebody writes:
#
# ```python
# a = cuda.as_cuda_array(x)  # Numba
# b = cp.asarray(a)[::2]
# c = b.copy()
# ```
#
# and then gives `b` to a worker, another process with a GPU of its own, by `pickle`. The worker multiplies it by 2 and sends the result
# back, an array of the same size and dtype, by `pickle` too. Before anything runs, say:
#
# - `memory`: how many bytes of our device's memory do `x`, `a`, `b` and `c` take together?
# - `pickled`: how many bytes has `pickle.dumps(b)`, to within two percent?
# - `bus`: how many bytes cross a bus between a host and a device, all in all, until the result lies on our device?
# - `seconds`: how long does that take at least, at 25 GB/s, one after the other?

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
# Write a function that divides each row of a matrix by its length, $\sqrt{\sum_j x_{ij}^2}$; a row of zeros stays as it is, and a row with
# a NaN becomes NaN. It must run, unchanged, on the arrays of
#
# - NumPy,
# - CuPy,
# - Dask, with pieces that are CuPy arrays; nothing may be computed before the caller asks for it,
# - a library like JAX, whose arrays cannot be written, have `__array_namespace__()`, and of which NumPy's functions know nothing.
#
# Each time the result belongs to the same library, stays where it was and keeps its dtype, float32 or float64. The check brings such
# arrays along; you need to install nothing. (Of the four, CuPy and Dask have no `__array_namespace__`.)


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
# Where there is no `__array_namespace__`, NumPy's own functions do: CuPy and Dask take part in `__array_function__`. Operators and methods are
# the oldest protocol of all. `length = (x * x).sum(axis=1, keepdims=True) ** 0.5` and `x / (length + (length == 0).astype(x.dtype))`
# use nothing else, and are right too.

# %% [markdown]
# ## 3. Repair: adopt it, do not copy it
#
# This function is meant to turn any library's device array into CuPy's. It copies, sends Numba's arrays over the bus twice, and does not
# know DLPack. Repair it:
#
# - `thing` may have `__cuda_array_interface__`, or only DLPack's `__dlpack__` and `__dlpack_device__`. The result is a CuPy array of the same
#   shape, dtype and steps **in the same memory**, and keeps that memory alive.
# - If `thing` lies on the host, there is nothing to share: raise a `TypeError`, instead of sending it over the bus without a word.


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
# Another process, with a GPU of its own, is to go on with your work. What it needs is a dict with four things:
#
# | key | what | on arrival |
# |---|---|---|
# | `"field"` | a **Numba** device array | a Numba device array, with the same numbers |
# | `"window"` | a **CuPy** array, a view of a part of a larger one | a CuPy array with what the view shows, and no more |
# | `"rule"` | a `lambda` of one number | a function that does the same |
# | `"stream"` | a stream of CuPy's | a new stream of the receiver's own, of any kind |
#
# `pack(state)` makes bytes of it, here; `unpack(packed)` makes such a dict of the bytes, there. As given neither works. Repair them:
#
# - the numbers cross the bus once on each side, as arrays, and keep shape and dtype,
# - and your own dict stays as it is: you go on working with it.


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
# `cp.asarray(state["field"])` would do for the field as well: CuPy's arrays pack themselves, and `cuda.as_cuda_array` makes it Numba's on the other
# side. If you own the class of such a thing, the same is said once and for all in its `__reduce__`; Dask has `dask_serialize` and `cuda_serialize` for
# classes that you do not own.

# %% [markdown]
# ## 5. GPU or not?
#
# A server: its GPU moves 2 000 GB/s and takes 5 µs to launch a kernel, the bus moves 25 GB/s, the processor 150 GB/s. On the processor a call
# or a read costs 0.1 µs before it moves anything. Where does each job finish first, at the limits, counting everything until the answer is
# where it is wanted?
#
# | job | what |
# |---|---|
# | `"handoff"` | a column of 4 GB lies on the device, in cuDF; CuPy is to read it in 30 fused passes, and the answer is one number |
# | `"scalars"` | 200 000 numbers (1.6 MB) lie on the device; a Python loop looks at one after the other, and what it does next depends on it: `float(x[i])` |
# | `"worker"` | a worker has just received 8 GB by `pickle.loads`, in its host memory; they are to be read once, for one number |
# | `"pingpong"` | 4 GB on the device, 50 rounds. In each: four fused passes that read 4 GB; then one step for which there is only a library on the host, which wants all 4 GB there, reads them and writes 4 GB that come back |
# | `"steps"` | 3 000 updates of 50 million float32 on the device, in a library whose arrays are immutable: each reads the array and writes a new one; wanted there |
#
# Answer `"cpu"` or `"gpu"` for each. ("cpu" means: all of it on the processor, and what lies on the device is fetched once.)

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
# `blend` goes from `a` to `b` by the share `t`, a Python number, and cuts off what is under 0 or over 1. As given it runs on anything, but on
# a GPU it makes four kernels, which move 80 bytes for each pair of float64. It can be done with 24.
#
# Make it fast where the arrays are on a device, and keep it general everywhere else. For CuPy's and for **Numba's** device arrays the result
# is a CuPy array; for NumPy's and for immutable ones, as JAX has them, one of the same library. float32 stays float32. 40 bytes or fewer
# pass, and the check says how near the limit you are.


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
# A library that wants to be general *and* fast looks like this inside: one general line, and a short list of cases that it knows better. The
# general line is also the test of the fast one.

# %% [markdown]
# ---
# **Next:** unit 04, *compiling*: loops at the speed of the machine, without a GPU.
