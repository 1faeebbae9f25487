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
# # 03 · Protocols: arrays across libraries
#
# *Unit 03 · protocols · 50 minutes, then 50 for the exercises; the optional parts are not counted*
#
# A GPU program often uses several libraries:
#
# | library | what it does | its arrays are |
# |---|---|---|
# | CuPy | NumPy for the GPU (unit 01) | on the device |
# | cuDF | pandas for the GPU (unit 07) | on the device |
# | Numba | compiles Python functions (units 04 and 05) | on the device or the host |
# | Dask | cuts large arrays into pieces (unit 10) | where the pieces are |
# | JAX | NumPy with a compiler and derivatives | on the device or the host |
#
# This raises two questions. Can the *same function* work on arrays of several libraries? And when an array goes from one library to another, is its memory copied?
#
# The libraries have agreed on **protocols** for this. A protocol is a method or attribute of arrays, with a fixed name and meaning. A library supports
# the protocol if its arrays have this method or attribute.
#
# ## What you will be able to do
#
# - **Write** one function for the arrays of NumPy, CuPy, Dask, and of libraries like JAX.
# - **Share** an array between cuDF, CuPy and Numba without a copy, and prove it.
# - **Tell** what keeps the memory alive, and which stream to wait for.
# - **Predict** what can be sent to another process, and how many bytes that takes.
# - **Avoid** what makes general code slow on a GPU.
#
# You need units 01 and 02. The cells need about a minute.

# %%
# %load_ext hundredfold

# %%
import operator
import os
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

os.environ["SCIPY_ARRAY_API"] = "1"  # for the optional part about SciPy; before SciPy is imported

import cloudpickle
import cudf
import cupy as cp
import dask.array as da
import numpy as np
import pandas as pd
from numba import cuda

from hundredfold import lens, machine, measure, plot, quiz
from hundredfold.learning.problems.protocols.frozen import Frozen

# %%
x = np.random.default_rng(seed=3).normal(size=(6, 4))  # six rows of four numbers
x_gpu = cp.asarray(x)

# %% [markdown]
# ## NumPy asks the array
#
# `x` is on the host, and `x_gpu` is on the device. In unit 01 `np.sin` worked on a CuPy array. What about other functions of NumPy?
#
# ```python
# np.sin(x_gpu)             np.mean(x_gpu, axis=0)
# np.linalg.norm(x_gpu)     np.concatenate([x_gpu, x_gpu])
# np.zeros_like(x_gpu)      np.add(x_gpu, x)
# np.asarray(x_gpu)
# ```
#
# **Predict.** How many of these seven calls return a CuPy array?

# %%
my_working = "?"

# %% [markdown]
# **Measure.**

# %%
calls = {
    "np.sin(x_gpu)": lambda: np.sin(x_gpu),
    "np.mean(x_gpu, axis=0)": lambda: np.mean(x_gpu, axis=0),
    "np.concatenate([x_gpu, x_gpu])": lambda: np.concatenate([x_gpu, x_gpu]),
    "np.linalg.norm(x_gpu)": lambda: np.linalg.norm(x_gpu),
    "np.zeros_like(x_gpu)": lambda: np.zeros_like(x_gpu),
    "np.add(x_gpu, x)": lambda: np.add(x_gpu, x),
    "np.asarray(x_gpu)": lambda: np.asarray(x_gpu),
}
working = 0
for source, call in calls.items():
    try:
        result = call()
        working += isinstance(result, cp.ndarray)
        print(f"{source:32} a {type(result).__module__} array")
    except TypeError as error:
        print(f"{source:32} TypeError: {str(error).partition('. ')[0]}")
print(f"\n{working} of {len(calls)} return a CuPy array, and you said: {my_working}")

# %% [markdown]
# **Explain.** NumPy does not know CuPy. Before it does any work, it looks for a method of the array, and calls it. CuPy's method then does the work on the
# device:
#
# ![Three calls of NumPy's functions with a CuPy array. np.sin asks the array by __array_ufunc__ and np.mean by __array_function__: CuPy answers both with
# its own function on the device, and the result is a CuPy array. np.asarray asks for the numbers on the host, and CuPy raises a
# TypeError.](drawings/numpy-asks.svg)
#
# A **ufunc** works element by element, as `np.sin` and `np.add` do. It looks for `__array_ufunc__`. Most other functions look for
# `__array_function__`. `np.asarray` looks for `__array__`.
#
# Two calls would need a copy over the bus: `np.add(x_gpu, x)` to the device, and `np.asarray(x_gpu)` to the host. CuPy raises a `TypeError` instead. If you
# want the copy, write `cp.asarray(x)` or `cp.asnumpy(x_gpu)`.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: a class of your own
#
# Any class can take part. This one only tells which function asked:


# %%
class Curious:
    def __array_function__(self, function, types, args, kwargs):
        return f"np.{function.__name__} asked"

    def __array_ufunc__(self, ufunc, method, *args, **kwargs):
        return f"np.{ufunc.__name__} asked, to use its {method}"


print(np.median(Curious()), np.exp(Curious()), np.add.reduce(Curious()), sep="\n")

# %% [markdown]
# ## One function for all of them
#
# Not every library takes part in NumPy's protocol. JAX does not. JAX is not part of the course's environment, so we use a small class of the course in its place.
# `Frozen` holds an array that behaves like one of JAX's:

# %%
x_frozen = Frozen(x)
print("np.sin makes it", type(np.sin(x_frozen)), "without a warning")
try:
    x_frozen[0] = 1
except TypeError as error:
    print("TypeError:", error)

# %% [markdown]
# `np.sin` copies such an array to the host. And the array is **immutable**: nothing can be written into it.
#
# JAX follows another agreement, the **[array API standard](../docs/glossary.md#term-array-API-standard)**. In this standard, `x.__array_namespace__()`
# returns the module that has functions for `x`, such as `jax.numpy`. CuPy's arrays do not have this method. So a general function looks for it first:
#
# ![A choice. If an array has __array_namespace__, as the arrays of NumPy and JAX have, it returns the module with its functions. If it has not, as those
# of CuPy and Dask, NumPy's functions are called, and these ask the array.](drawings/find-functions.svg)


# %%
def namespace(x):
    """The module whose functions know x."""
    return x.__array_namespace__() if hasattr(x, "__array_namespace__") else np


for name, array in {"NumPy": x, "CuPy": x_gpu, "Frozen": x_frozen}.items():
    print(f"{name:6} has __array_namespace__: {hasattr(array, '__array_namespace__')}")

# %% [markdown]
# Here is a function that uses it. It computes how far each number is from the mean of its column, in standard deviations. Results beyond ±2 become ±2.


# %%
def scores(x):
    xp = namespace(x)
    spread = x.std(axis=0)
    centred = (x - x.mean(axis=0)) / (spread + (spread == 0))  # divide by 1 where the spread is 0
    return xp.minimum(xp.maximum(centred, -2), 2)


expected = scores(x)
on_device = scores(x_gpu)
print("CuPy: the result is of", type(on_device).__module__)
print("like JAX: the result is", type(scores(x_frozen)).__name__)
np.testing.assert_allclose(on_device.get(), expected, rtol=1e-12)

# %% [markdown]
# `scores` consists of operators such as `-`, methods such as `mean`, and ufuncs such as `minimum`. All these libraries have them. And it writes
# nothing in place.
#
# **Question.** In older code you will meet `cp.get_array_module(x)`. It returns `cupy` for a CuPy array, and `numpy` for all others. Which line works on
# the device for a CuPy array, and returns a JAX array for a JAX array?
#
# - (a) `np.maximum(x, 0)`
# - (b) `cp.get_array_module(x).maximum(x, 0)`
# - (c) `namespace(x).maximum(x, 0)`

# %%
my_answer = "?"
quiz("protocols.general", my_answer)

# %% [markdown]
# ### Dask arrays
#
# A **Dask array** is cut into **[chunks](../docs/glossary.md#term-chunk)**. Each chunk is an array of another library. At first Dask only records the
# steps for each chunk. It does the work when you call `compute()`:
#
# ![A Dask array of two chunks, each of them a CuPy array. np.minimum asks Dask, which only records one step for each chunk. compute runs the steps: there
# np.minimum asks each chunk, and CuPy does the work on the device.](drawings/dask-asks-again.svg)

# %%
x_dask = da.from_array(x_gpu, chunks=(3, 4), asarray=False)  # asarray=False: the chunks stay CuPy arrays
lazily = scores(x_dask)
print("before compute:", type(lazily).__module__, "| after:", type(lazily.compute()).__module__)
np.testing.assert_allclose(lazily.compute().get(), expected, rtol=1e-12)

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: JAX and Xarray
#
# Where JAX and Xarray are installed (`pip install jax xarray`), this cell tries `scores` with both. For a JAX array the result is a JAX array. Xarray gives
# names to the axes, and keeps a CuPy array inside.
#
# Xarray takes part in `__array_ufunc__` only. For other functions it has its own versions, such as `xr.where`. With a CuPy array inside, `np.where` raises a
# `TypeError`.

# %%
import importlib.util

if importlib.util.find_spec("jax"):
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)  # without this, JAX makes float32 of float64
    jax.config.update("jax_platforms", "cpu")  # here; CuPy has the GPU
    x_jax = jnp.asarray(x)
    assert not hasattr(x_jax, "__array_function__") and x_jax.__array_namespace__() is jnp
    by_jax = scores(x_jax)
    assert isinstance(by_jax, jax.Array)
    np.testing.assert_allclose(np.asarray(by_jax), expected, rtol=1e-12)
    assert type(np.sin(x_jax)) is np.ndarray  # copied to the host, without a warning
    try:
        x_jax[0] = 1  # JAX's arrays cannot be written
    except TypeError:
        x_jax = x_jax.at[0].set(1)  # a new array instead
if importlib.util.find_spec("xarray"):
    import xarray as xr

    by_xarray = scores(xr.DataArray(x_gpu, dims=("hour", "station")))
    assert by_xarray.dims == ("hour", "station") and isinstance(by_xarray.data, cp.ndarray)
    np.testing.assert_allclose(by_xarray.data.get(), expected, rtol=1e-12)

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: SciPy on CuPy arrays
#
# SciPy follows the array API standard only if you ask for it. By default `scipy.stats.zscore(x_gpu)` calls `np.asarray(x_gpu)`, which raises a `TypeError`.
# With the environment variable `SCIPY_ARRAY_API=1` SciPy asks the array for its functions, and the work is done on the device.
#
# SciPy reads the variable once, when it is imported. On a GPU machine CuPy imports SciPy. So set it before you import either of them, as the cell with the imports
# does. SciPy calls this support [experimental](https://docs.scipy.org/doc/scipy/dev/api-dev/array_api.html), and not every function has it yet.

# %%
import scipy.stats

by_scipy = scipy.stats.zscore(x_gpu)
print("SciPy on a CuPy array: a", type(by_scipy).__module__, "array")
np.testing.assert_allclose(cp.clip(by_scipy, -2, 2).get(), expected, rtol=1e-12)

# %% [markdown]
# ## Sharing memory
#
# The other question is about memory. An array consists of a **buffer** with the numbers, and a small description. The description has the **address** at
# which the numbers begin, their dtype, the shape, and the **strides**: the steps in bytes to the next element along each axis.
#
# ![Twelve numbers of a matrix with three rows and four columns, side by side in one buffer. The description of matrix with every second column points to
# the first number. Its strides are 32 bytes to the next row and 16 bytes to the next column, and they step over the odd
# columns.](drawings/array-description.svg)
#
# Another library that reads this description can use the buffer where it is. Two protocols hand it over:
#
# - `__cuda_array_interface__` is a dict with the description. CuPy, cuDF, Numba and PyTorch have it.
# - **[DLPack](../docs/glossary.md#term-DLPack)** works for all kinds of devices, and JAX has it, too. It has two methods. `__dlpack__()` hands the memory
#   over. `__dlpack_device__()` returns where the memory is, as two numbers: the kind of device (1 is the host, 2 is a CUDA device) and the device's number.

# %%
matrix = cp.arange(12.0).reshape(3, 4)
description = matrix[:, ::2].__cuda_array_interface__
print({key: description[key] for key in ("shape", "typestr", "strides")})  # "<f8" is float64
print(f"address: {description['data'][0]:#x}")
print("DLPack's device:", tuple(int(number) for number in matrix.__dlpack_device__()))

# %% [markdown]
# **Predict.** The next cell makes a cuDF column of 8 MB, and from it a CuPy array, a Numba array and two more CuPy arrays, the last one by DLPack. How many
# megabytes of device memory do the five take together? (`cuda` is Numba's module for GPUs.)

# %%
my_megabytes = "?"

# %%
series = cudf.Series(np.arange(1_000_000.0))
as_cupy = cp.asarray(series)
as_numba = cuda.as_cuda_array(as_cupy)
back_again = cp.asarray(as_numba)
by_dlpack = cp.from_dlpack(back_again)


def address(array):
    return array.__cuda_array_interface__["data"][0]


everyone = {"cuDF": series, "CuPy": as_cupy, "Numba": as_numba}
everyone |= {"CuPy again": back_again, "by DLPack": by_dlpack}
for name, array in everyone.items():
    print(f"{name:10} begins {address(array) - address(series)} bytes after cuDF's")
buffers = {address(array) for array in everyone.values()}
print(f"\n{8 * len(buffers)} megabytes for all five, and you said: {my_megabytes}")

# %% [markdown]
# **Explain.** All five use the same buffer:
#
# ![Five descriptions, a cuDF column, a CuPy array, a Numba array and two more CuPy arrays, point to the start of the same buffer of 8
# MB.](drawings/one-buffer.svg)
#
# So a function for CuPy arrays also works for Numba arrays and cuDF columns, if it begins with `cp.asarray`.
#
# **Question.** Which line changes the first number of `series`? The functions work as in NumPy and pandas.
#
# - (a) `cp.array(series)[0] = 9`
# - (b) `cp.asarray(series)[0] = 9`
# - (c) `series.to_numpy()[0] = 9`

# %%
my_answer = "?"
quiz("protocols.shared", my_answer)

# %%
for take in (cp.array, cudf.Series.to_numpy, cp.asarray):
    take(series)[0] = 9
    print(f"after {take.__name__:8} series begins with {series.head(2).to_pandas().tolist()}")

# %% [markdown]
# **Explain.** `cp.array` always copies. `cp.asarray` copies only if it must. Whether another call shares or copies can change from version to version. Where your
# program relies on sharing, compare the addresses with an `assert`.
#
# ### Who keeps the memory alive?
#
# **Question.** `source` is a CuPy array. What happens to its buffer after these two lines?
#
# ```python
# borrowed = cuda.as_cuda_array(source)
# del source
# ```
#
# - (a) It stays until `borrowed` is deleted, too.
# - (b) It goes back to CuPy's pool at once, and `borrowed` reads old memory.
# - (c) It stays until the program ends.

# %%
my_answer = "?"
quiz("protocols.alive", my_answer)

# %% [markdown]
# After `import cudf`, CuPy takes its memory from RMM, the memory library of RAPIDS (unit 07). So CuPy's default pool is empty. This cell makes a pool of its own to count bytes:

# %%
pool = cp.cuda.MemoryPool()
with cp.cuda.using_allocator(pool.malloc):
    source = cp.zeros(1_000_000)
taken = pool.used_bytes()
borrowed = cuda.as_cuda_array(source)
del source
print("without source the buffer is still in use:", pool.used_bytes() == taken)
del borrowed
print("without borrowed it is back in the pool:  ", pool.used_bytes() < taken)

# %% [markdown]
# **Explain.** An address alone keeps nothing alive. So the library that takes the address, the *taker*, also keeps a reference to the object that gave it, the *giver*.
#
# ### Which stream does the taker wait for?
#
# The description is there at once. But the kernel that writes the numbers may still be running in some stream. So `__cuda_array_interface__` also names a
# stream. The taker waits until the work in that stream is done.
#
# CuPy names the stream that is *current* at the moment of the hand-over. A `with` block makes a stream current:

# %%
mine = cp.cuda.Stream(non_blocking=True)  # it and the default stream do not wait for each other
with mine:
    root = cp.sqrt(as_cupy)
    inside = root.__cuda_array_interface__["stream"]
after = root.__cuda_array_interface__["stream"]
print("inside the block it names mine:", inside == mine.ptr)
print("after the block it names stream", after, "(1 is the default stream)")
mine.synchronize()

# %% [markdown]
# **Question.** Where is it wrong to write `taken = cuda.as_cuda_array(root)`?
#
# - (a) inside the `with` block
# - (b) after the block, before `mine.synchronize()`
# - (c) after `mine.synchronize()`

# %%
my_answer = "?"
quiz("protocols.stream", my_answer)

# %% [markdown]
# **Explain.** After the block, the taker waits for the wrong stream:
#
# ![Two timelines with the streams of the giver and the taker. Handed over inside the with block, the array names the stream mine: the taker's kernel
# waits until sqrt has written it. Handed over after the block it names the default stream: the taker's kernel does not wait, and reads numbers that are
# not there yet.](drawings/which-stream.svg)
#
# With DLPack the roles are swapped. The taker passes the stream in which it will work, and the giver makes that stream wait for the numbers.

# %% [markdown]
# ## To another process
#
# *A good place for a pause.*
#
# A Dask cluster consists of many processes, often on several machines (unit 11). An address is valid only in the process that made it. So the numbers themselves must
# travel. Python turns an object into bytes with **[pickle](../docs/glossary.md#term-pickle)**, and these bytes are on the **host**:
#
# ![Two processes, each with a host memory above and a device below. An array goes up over the bus to the host of your process, as bytes to the other
# process, and down over the bus to its device. The result goes back the same way. The four crossings of a bus are numbered.](drawings/pickle-trip.svg)
#
# **Question.** For which of these does `pickle.dumps` raise an error?
#
# - (a) a CuPy array
# - (b) a stream
# - (c) a `lambda`

# %%
my_answer = "?"
quiz("protocols.pickled", my_answer)

# %%
things = {
    "a CuPy array": x_gpu,
    "a cuDF column": series.head(10),
    "a Numba device array": cuda.to_device(x),
    "a lambda": lambda x: x + 1,
    "a stream": mine,
}


def can(module, thing):
    try:
        module.dumps(thing)
    except (TypeError, AttributeError, pickle.PicklingError):
        return "no"
    return "yes"


assert mine.__reduce_ex__(2)[2]["ptr"] == mine.ptr  # what pickle packs of a stream: its handle
table = [(name, can(pickle, thing), can(cloudpickle, thing)) for name, thing in things.items()]
print(pd.DataFrame(table, columns=["", "pickle", "cloudpickle"]).to_string(index=False))

# %% [markdown]
# **Explain.** One after the other:
#
# - CuPy and cuDF copy the numbers to the host, and pickle those. When the bytes are unpacked, the numbers go to the device of that process.
# - A Numba device array refuses. Pickle `cp.asarray(it)`, or the NumPy array that `it.copy_to_host()` returns. `cuda.to_device(a)` makes a Numba device
#   array of a NumPy array.
# - A `lambda` has no name under which another process could find it. **Cloudpickle**, which Dask uses, packs its code instead.
# - A stream is a trap. It *can* be pickled, but the bytes only hold its handle. That is a number which is valid in this process alone. Do not send streams. Make a
#   new one on arrival.
#
# **Predict.** `eight` is a device array of 8 MB. How many megabytes does the pickle of `eight[::2]` have?

# %%
my_pickled = "?"

# %%
eight = cp.zeros(1_000_000)
print(f"{len(pickle.dumps(eight[::2])) / 1e6:.1f} megabytes, and you said: {my_pickled}")

# %% [markdown]
# A view keeps its whole base in memory, as unit 02 showed. But its pickle has only the elements that it shows.
#
# Now try a real second process. It doubles the array on *its* device, and sends the result back:

# %%
workers = ProcessPoolExecutor(1, mp_context=get_context("spawn"))  # "spawn" starts a new Python
doubled = workers.submit(operator.mul, x_gpu, 2).result()  # pickles x_gpu, and unpacks the result
assert isinstance(doubled, cp.ndarray) and doubled.data.ptr != x_gpu.data.ptr
np.testing.assert_array_equal(doubled.get(), 2 * x)
print("the result is right")

# %% [markdown]
# What do the four crossings of the bus cost, compared with the work? These are the limits for 1 GB:

# %%
for name in ("V100", "H200"):
    gpu = machine.gpus.find(name)
    doubling, crossings = 2e9 / gpu.bandwidth, 4e9 / gpu.link
    print(f"{name}: {1e3 * doubling:.3g} ms to double 1 GB, {1e3 * crossings:.3g} ms for the bus", end=": ")
    print(f"{crossings / doubling:.0f}× as long")

# %% [markdown]
# **Send less.** Send the name of a file, which rows you need, or the seed of a random array. Then let the other process load or make the data.
#
# ## How long does it take?
#
# **Question.** In one process, Numba hands over an array of 8 MB to CuPy in the time *t*. How long does an array of 80 MB take?
#
# - (a) about *t*
# - (b) about ten times *t*
# - (c) several times *t*, but less than ten

# %%
my_answer = "?"
quiz("protocols.size", my_answer)

# %%
piece = cp.ones((10_000, 1_000))  # 80 MB
small_numba, large_numba = cuda.as_cuda_array(eight), cuda.as_cuda_array(piece)
how_large = operator.attrgetter("nbytes")  # a function that the other process can import
small = measure(lambda: cp.asarray(small_numba))
by_address = measure(lambda: cp.asarray(large_numba))
with workers:
    by_copy = measure(piece.copy, repeat=5)
    by_pickle = measure(lambda: workers.submit(how_large, piece).result(), repeat=3)
print(f"handed over here: 8 MB in {1e6 * small.median:.3g} µs, 80 MB in {1e6 * by_address.median:.3g} µs")

# %% [markdown]
# The plot shows your times for 80 MB, and published times of real GPUs. Their sources are listed under *Further reading*. The axis is logarithmic.

# %%
bus = 2 * piece.nbytes / machine.gpus.find("V100").link
print(f"two crossings of a V100's bus: at least {1e3 * bus:.3g} ms")
plot.times(
    {
        "here: by its address": by_address.median,
        "published: RTX A6000, by its address": 5.13e-6,
        "here: copied on the device": by_copy.median,
        "published: H200, copied on the device": 2 * piece.nbytes / (2 * 2**30 / 0.679e-3),
        "here: to another process": by_pickle.median,
        "published: two V100s, other process, by TCP": piece.nbytes / 108e6,
        "published: two V100s, other process, by NVLink": piece.nbytes / 5e9,
    },
    title="Handing over 80 MB",
    note="H200, V100s: from published rates. RTX A6000: 10 million durations from cuDF to Arrow.",
)

# %% [markdown]
# **Explain.** Only the description is handed over. That takes microseconds, and the size does not matter. The time of a copy grows with its bytes.
#
# TCP is an ordinary network connection. At its published rate, 80 MB take 0.7 s from one V100 to another in the same machine. The two crossings of the bus
# are only 13 ms of it. The host copies the numbers several times: into a pickle, into the network's buffers, and out of both. **NVLink** connects two GPUs
# directly. Dask can use it through UCX, a library for communication.
#
# ## Where the GPU loses
#
# **Small arrays.** A GPU must launch all kernels of `scores`, however few numbers there are. Compare that with NumPy's time for six rows:

# %%
launches = len(lens.account(scores, x_gpu).kernels)
on_host = measure(scores, x, repeat=3, min_time=0.01)
for name in ("V100", "H200"):
    print(f"{name}: {launches} launches take at least {1e6 * launches * machine.gpus.find(name).launch:.0f} µs")
print(f"NumPy here: {1e6 * on_host.median:.0f} µs for everything")

# %% [markdown]
# **Single numbers.** `float(x_gpu[i])` copies one number to the host, and Python waits for it:
#
# ![Two timelines of a V100, drawn to scale. Read one by one, each of 100 000 numbers is a trip of its own over the bus and takes 30 microseconds,
# together 3 seconds. Fetched at once they need one trip of 110 microseconds, and a loop on the host follows.](drawings/one-by-one.svg)
#
# The times were published for a V100: 30 µs for 1 kB, and 110 µs for 1 MB. The 100 000 numbers are 0.8 MB. These copies went to the device. We assume that copies to
# the host take about as long.

# %%
numbers = cp.ones(100_000)


def loop():
    total = 0.0
    for number in cp.asnumpy(numbers).tolist():  # fetched at once
        total += number
    return total


at_once = 110e-6 + measure(loop, repeat=3).median  # the loop here
print(f"one by one 3 s, all at once with a loop here {1e3 * at_once:.3g} ms: {3 / at_once:.0f}× faster")

# %% [markdown]
# **Python's `if`.** An `if` needs its value on the host, so Python waits here, too. With Dask it is worse. All steps before the `if` are computed, the results are thrown
# away, and they are computed again later.
#
# **Question.** These lines all replace numbers above 3. Which one should you use in a function for any array?
#
# - (a) `if x.max() > 3: x = xp.minimum(x, 3)`
# - (b) `x[x > 3] = 3`
# - (c) `x = xp.minimum(x, 3)`

# %%
my_answer = "?"
quiz("protocols.branch", my_answer)

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: Dask computes twice
#
# Dask does all the work that a result needs, each time you call `compute()`. Here `note` runs once for each chunk, and counts its runs. `meta` tells Dask the type of
# the chunks.

# %%
import dask

runs = []


def note(chunk):
    runs.append(1)
    return chunk


counted = x_dask.map_blocks(note, meta=x_dask._meta)
lowest, highest = counted.min(), counted.max()
with dask.config.set(scheduler="synchronous"):  # in this thread
    runs.clear()
    lowest.compute(), highest.compute()
    separately = len(runs)
    runs.clear()
    dask.compute(lowest, highest)
print(f"two chunks: {separately} runs with two calls of compute, {len(runs)} with one")

# %% [markdown]
# ## Key points
#
# - NumPy's functions **ask the array**, by `__array_ufunc__` and `__array_function__`. CuPy and Dask take part. JAX does not, and its arrays are copied to the host
#   without a warning.
# - In a general function use `x.__array_namespace__()` where the array has it, and `np` otherwise.
# - `np.asarray(x_gpu)` **raises** an error, so that nothing crosses the bus by accident.
# - `__cuda_array_interface__` and DLPack hand over **an address**: no copy, at any size.
# - The taker keeps the giver's object alive, and waits for the stream that is named. Hand over inside the `with` block, or after `synchronize()`.
# - The bytes of a pickle are on the **host**. A round trip to another process crosses a bus four times. Do not send streams.
# - In code for any array: no `if` on values, no single numbers, no writing in place.
#
# ## The exercise
#
# Six problems, 50 minutes: [exercises/03_protocols.ipynb](../exercises/03_protocols.ipynb). You write one function for four libraries, adopt arrays that you have never
# seen, and send to another process what cannot be pickled.
#
# ## Further reading
#
# - NumPy's enhancement proposals [13](https://numpy.org/neps/nep-0013-ufunc-overrides.html), for ufuncs, and
#   [18](https://numpy.org/neps/nep-0018-array-function-protocol.html), for other functions.
# - [The array API standard](https://data-apis.org/array-api/latest/). [array-api-compat](https://data-apis.org/array-api-compat/) adds to CuPy, Dask
#   and PyTorch what they lack.
# - Numba, [CUDA Array Interface](https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html), and
#   [DLPack in Python](https://dmlc.github.io/dlpack/latest/python_spec.html).
# - CuPy, [Interoperability](https://docs.cupy.dev/en/stable/user_guide/interoperability.html): library by library.
#
# Sources of the times:
#
# - [cudf pull request 17194](https://github.com/NVIDIA/cudf/pull/17194), 2024, an RTX A6000: a column of 10 million durations in 5.13 µs from cuDF to Arrow, a format of columns
#   that many libraries share.
# - [gpu-benches](https://github.com/te42kyfo/gpu-benches), commit 1c36d509ee: *scale* on an H200, and copies of 1 kB and 1024 kB on a V100.
# - M. Rocklin and R. Zamora, [Experiments in high performance networking with UCX and DGX](https://blog.dask.org/2019/06/09/ucx-dgx), 2019: 5 to 10 GB/s by
#   NVLink, in Dask, between two V100s of a DGX-1. We take 5.
# - [dask-cuda pull request 179](https://github.com/rapidsai/dask-cuda/pull/179), 2019: 108 MB/s by TCP, in Dask, between two V100s of a DGX-2, in chunks of 128 MiB.
