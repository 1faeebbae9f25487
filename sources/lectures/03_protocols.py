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
# # One function, any array
#
# *Unit 03 · protocols · 30 minutes, then 25 for the exercises*
#
# There are a dozen libraries with an array in them, and no program lives in one. A table is read by cuDF, reckoned with CuPy, one step of it is
# a Numba kernel, a model wants it in JAX or PyTorch. Two questions decide whether that is pleasant or ruinous: can the *same function* work
# on all these arrays? And when an array changes hands, does the *memory* go along, or a copy of it, over the slowest road in the machine?
# Both are settled by small agreements, the protocols. None is longer than a page, and after this unit you can read all of them.
#
# ## What you will be able to do
#
# - **Write** a function that runs on NumPy, CuPy, Dask, Xarray and JAX, and say who does the work.
# - **Hand** arrays from CuPy to Numba to cuDF without a copy, and prove it by the pointer.
# - **Tell** who owns the memory, how long it lives, and which stream must be waited for.
# - **Predict** what can be pickled, what a pickle weighs, and what it costs to send it to another process.
# - **Measure** a hand-over beside a copy, the memory's limit and the bus, and see at once which of them moved nothing.
# - **Recognise** where "any array" loses: small calls, single numbers, arrays that cannot be written, work that waits.
#
# You need units 01 and 02. All of it runs in about a minute, with or without a GPU.

# %%
# %load_ext hundredfold

# %%
import importlib.util
import operator
import os
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

os.environ["SCIPY_ARRAY_API"] = "1"  # before CuPy and SciPy are imported; why, see "SciPy on CuPy arrays" below

import cloudpickle
import cudf
import cupy as cp
import dask
import dask.array as da
import numexpr
import numpy as np
import pandas as pd
from numba import cuda

from hundredfold import compare, limit, machine, measure, plot

# %% [markdown]
# JAX and Xarray are not part of the course's environment. Where they are installed, this unit uses them as well and checks that they give
# the same. (`pip install jax xarray`; on a GPU, JAX for your version of CUDA.)

# %%
HAS_JAX = importlib.util.find_spec("jax") is not None
HAS_XARRAY = importlib.util.find_spec("xarray") is not None
if HAS_JAX:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)  # JAX makes float32 of everything, unless told otherwise
    jax.config.update("jax_platforms", "cpu")  # here; CuPy has the GPU
if HAS_XARRAY:
    import xarray as xr

x = np.random.default_rng(seed=3).normal(size=(6, 4))
x_gpu = cp.asarray(x)

# %% [markdown]
# ## NumPy's functions, other people's arrays
#
# **Predict.** `x_gpu` lies on the device, and all of these are functions of **NumPy**. How many of the seven work?
#
# ```python
# np.sin(x_gpu)        np.mean(x_gpu, axis=0)    np.concatenate([x_gpu, x_gpu])    np.linalg.norm(x_gpu)
# np.zeros_like(x_gpu) np.add(x_gpu, x)          np.asarray(x_gpu)
# ```

# %%
my_working = 2

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
print(f"\n{working} of {len(calls)} work, and on the device; you said {my_working}")

# %% [markdown]
# **Explain.** NumPy did not do the work: it asked the array. Before a function of NumPy looks at an argument, it asks whether the argument's
# class has `__array_ufunc__` (for `sin`, `add` and all that go element by element) or `__array_function__` (for the others, since *NEP 18* of
# 2018). CuPy has both, and answers with its own function of the same name. Your own class can do so in a few lines:


# %%
class Nosy:
    """Tells who asked, and does nothing."""

    def __array_function__(self, function, types, args, kwargs):
        return f"np.{function.__name__} asked me"

    def __array_ufunc__(self, ufunc, method, *args, **kwargs):
        return f"np.{ufunc.__name__} asked me, to be used as {method}"


print(np.median(Nosy()), np.exp(Nosy()), np.add.reduce(Nosy()), sep="\n")

# %% [markdown]
# Two of the seven fail, and it is good that they do. `np.add(x_gpu, x)` would have to send `x` over the bus, and `np.asarray` would have to fetch
# `x_gpu`: both are slow roads, and CuPy does not take them without being told (`cp.asarray(x)`, `x_gpu.get()`). An error that names the line is a
# cheap way to learn of it. Not every library is so strict, as you will see.
#
# ## One function for all of them
#
# Functions under NumPy's name that reach CuPy are a courtesy of CuPy's. JAX and PyTorch do not take part. What most libraries agreed on is another
# way round: the *array API standard*. There an array says where its functions are: `x.__array_namespace__()`. But not all arrays do. (Dask, unit 10, cuts an
# array into pieces and notes what is to be done with each; nothing is computed before `.compute()`. `asarray=False` leaves the pieces CuPy's.)

# %%
arrays = {"NumPy": x, "CuPy": x_gpu, "Dask": da.from_array(x_gpu, chunks=(3, 4), asarray=False)}
for name, array in arrays.items():
    answers = [hasattr(array, method) for method in ("__array_function__", "__array_namespace__")]
    print(f"{name:6} __array_function__ {answers[0]!s:6} __array_namespace__ {answers[1]}")
if HAS_JAX:
    assert not hasattr(jnp.ones(3), "__array_function__") and jnp.ones(3).__array_namespace__() is jnp

# %% [markdown]
# (The other way round with JAX: it has a namespace and no `__array_function__`.) So the function that runs on all of them asks for the one and
# falls back to the other. Here are *scores*: how far each number is from its column's mean, in standard deviations, cut off at ±2.


# %%
def namespace(x):
    """The module whose functions know x."""
    return x.__array_namespace__() if hasattr(x, "__array_namespace__") else np


def scores(x):
    xp = namespace(x)
    spread = x.std(axis=0)
    centred = (x - x.mean(axis=0)) / (spread + (spread == 0))
    return xp.minimum(xp.maximum(centred, -2), 2)


expected = scores(x)
on_device = scores(arrays["CuPy"])
lazily = scores(arrays["Dask"])
print(type(on_device).__module__, "|", type(lazily).__module__, "|", type(lazily.compute()).__module__)
np.testing.assert_allclose(on_device.get(), expected, rtol=1e-12)
np.testing.assert_allclose(lazily.compute().get(), expected, rtol=1e-12)
if HAS_JAX:
    by_jax = scores(jnp.asarray(x))
    assert isinstance(by_jax, jax.Array)
    np.testing.assert_allclose(np.asarray(by_jax), expected, rtol=1e-12)
    assert type(np.sin(jnp.asarray(x))) is np.ndarray  # NumPy asked nobody: the numbers went to the host, silently
if HAS_XARRAY:
    by_xarray = scores(xr.DataArray(x_gpu, dims=("hour", "station")))
    assert by_xarray.dims == ("hour", "station") and isinstance(by_xarray.data, cp.ndarray)
    np.testing.assert_allclose(by_xarray.data.get(), expected, rtol=1e-12)

# %% [markdown]
# (`spread + (spread == 0)` puts 1 where the spread is 0, so that a constant column gives 0 and no NaN.) Dask is a protocol within a protocol:
# `np.minimum` asks Dask, Dask makes a plan with a `minimum` for each piece, and when the plan is carried out, the pieces are CuPy arrays and are
# asked again. Xarray works in the same way: names for the axes outside, any array inside. But Xarray answers to `__array_ufunc__` only. For what does not
# go element by element it has functions of its own, with other arguments: `xr.where(a, b, c)` is right. `np.where(a, b, c)` makes NumPy arrays of them first: with Dask inside all of it is computed at once, with CuPy
# inside it is a `TypeError`. So `scores` is made of **operators, methods and
# ufuncs**, which every one of them understands, and takes the rest of its namespace only where it must.
#
# The tool that you meet most often in older code is `cp.get_array_module`. It knows two libraries:

# %%
for name, array in arrays.items():
    print(f"{name:6} {cp.get_array_module(array).__name__:6} {namespace(array).__name__}")

# %% [markdown]
# ### SciPy on CuPy arrays
#
# SciPy follows the array API standard, too, but only if you ask for it. By default `scipy.stats.zscore(x_gpu)` calls `np.asarray(x_gpu)` and ends in the
# same `TypeError` as above. With the environment variable `SCIPY_ARRAY_API=1`, SciPy asks the array for its namespace, and the work is done on the
# device. SciPy reads the variable once, when it is imported, and CuPy imports SciPy on a GPU machine. So the cell with the imports sets it before both.
# In a program of your own, set it in the same place. SciPy calls this support experimental, and not every function has it yet.

# %%
import scipy.stats

by_scipy = scipy.stats.zscore(x_gpu)
print("SciPy on a CuPy array: a", type(by_scipy).__module__, "array")
np.testing.assert_allclose(cp.clip(by_scipy, -2, 2).get(), expected, rtol=1e-12)

# %% [markdown]
# ## Without a copy
#
# Now the memory. Two protocols say where an array lies.
#
# - `__cuda_array_interface__` is a dict: shape, type, address, strides, stream. It is Numba's invention, and CuPy, cuDF, PyTorch and RMM have it.
# - **DLPack** is a struct of C in a capsule, for all devices: `__dlpack_device__()` says where (a kind, 1 for the host and 2 for CUDA, and the device's number), `__dlpack__()` hands it over. It is part of the
#   array API standard, and JAX and TensorFlow have it too.

# %%
matrix = cp.arange(12.0).reshape(3, 4)
told = (matrix[:, ::2]).__cuda_array_interface__
print({key: told[key] for key in ("shape", "typestr", "strides", "version")})
print(f"address: {told['data'][0]:#x}; DLPack says device {tuple(int(n) for n in matrix.__dlpack_device__())}")

# %% [markdown]
# **Predict.** A cuDF column is made. CuPy takes it, Numba takes CuPy's array, CuPy takes Numba's by one protocol and its own by the other. Five
# arrays of 8 MB: how many MB of device memory do they take?

# %%
my_megabytes = 40

# %%
series = cudf.Series(np.arange(1_000_000.0))
as_cupy = cp.asarray(series)
as_numba = cuda.as_cuda_array(as_cupy)
back_again = cp.asarray(as_numba)
by_dlpack = cp.from_dlpack(back_again)


def address(array):
    """Where it begins, whoever it belongs to."""
    return array.__cuda_array_interface__["data"][0]


everyone = {"cuDF": series, "CuPy": as_cupy, "Numba": as_numba, "CuPy again": back_again, "by DLPack": by_dlpack}
start = address(series)
for name, array in everyone.items():
    print(f"{name:10} begins {address(array) - start} bytes from cuDF's")
places = {address(array) for array in everyone.values()}
print(f"\n{8 * len(places)} megabytes for all five; you said {my_megabytes}")

# %% [markdown]
# **Explain.** Nothing was copied, whatever the size. So a kernel of Numba's can change a column of cuDF's (a table as in pandas, on the
# GPU), through an array of CuPy's. (What `@cuda.jit` and the square brackets do is unit 05; here it is a function that a thread runs for each number.)


# %%
@cuda.jit
def square_them(numbers):
    i = cuda.grid(1)
    if i < numbers.size:
        numbers[i] *= numbers[i]


square_them[4096, 256](as_cupy)
cuda.synchronize()
print(series.head(4).to_pandas().tolist())

# %% [markdown]
# That is power and danger in one. **Nobody promises that a call shares**: `cp.array` always copies, `cp.asarray` only if it must, and what the
# constructor of a table does has changed from version to version. Do not believe it, ask for the address, as above. Make it an `assert` where
# your program relies on it.
#
# *Who owns it?* The address alone owns nothing. `cp.asarray` keeps the object that it got it from, so the memory lives as long as anybody needs
# it:

# %%
pool = cp.get_default_memory_pool()
source = cp.zeros(1_000_000)
taken = pool.used_bytes()
borrowed = cuda.as_cuda_array(source)
del source
print("without its first owner it is still there:", pool.used_bytes() == taken)
del borrowed
print("without its last user it is given back:   ", pool.used_bytes() < taken)

# %% [markdown]
# And *which stream?* Handing over an array takes no time, but the kernel that fills it may still be running. So the interface names the stream in
# which the array's last work was launched, and the taker waits for that stream, or puts its own work behind it. But CuPy does not remember that stream: it
# names the one that is *current when you ask*. If you launch work in streams of your own, hand the array over **inside** the `with`:

# %%
mine = cp.cuda.Stream(non_blocking=True)
with mine:
    ordered = cp.sqrt(as_cupy)
    print("inside: my stream, ", ordered.__cuda_array_interface__["stream"] == mine.ptr)
print("outside: my stream,", ordered.__cuda_array_interface__["stream"] == mine.ptr)
mine.synchronize()

# %% [markdown]
# DLPack is more careful: there the taker says in `__dlpack__(stream=…)` on which stream it will work, and the giver makes that stream wait. It
# also knows the host: a CPU array of JAX's is NumPy's without a copy, and cannot be written by either.

# %%
if HAS_JAX:
    frozen = jnp.arange(6.0)
    shown = np.from_dlpack(frozen)
    assert shown.ctypes.data == frozen.unsafe_buffer_pointer() and not shown.flags.writeable
try:
    np.from_dlpack(x_gpu)
except (RuntimeError, BufferError):
    print("refused: NumPy takes no device memory")

# %% [markdown]
# ## To another process
#
# Dask, `multiprocessing` and every cluster send objects by *pickle*: an object becomes a string of bytes, on the **host**. An address means
# nothing in another process, so the numbers themselves must go.
#
# **Predict.** Which of these can be pickled? Write the number of those that cannot.

# %%
my_unpicklable = 3


# %%
stuff = {
    "a CuPy array": x_gpu,
    "a cuDF column": series.head(10),
    "a Numba device array": cuda.to_device(x),
    "a kernel of Numba's": square_them,
    "a kernel of CuPy's": cp.ElementwiseKernel("T x", "T y", "y = x * x", "squares"),
    "a lambda": lambda x: x + 1,
    "a stream": mine,
    "a DLPack capsule": x_gpu.__dlpack__(),
}


def can(module, thing):
    try:
        module.dumps(thing)
    except (TypeError, AttributeError, pickle.PicklingError):
        return "no"
    return "yes"


table = pd.DataFrame(
    [(name, can(pickle, thing), can(cloudpickle, thing)) for name, thing in stuff.items()],
    columns=["", "pickle", "cloudpickle"],
)
print(table.to_string(index=False))
print(f"\n{(table['pickle'] == 'no').sum()} cannot be pickled, you said {my_unpicklable}; with cloudpickle", end=" ")
print((table["cloudpickle"] == "no").sum())

# %% [markdown]
# **Explain.** CuPy and cuDF fetch the numbers and pack those. A Numba device array refuses; hand over `cp.asarray(it)`, which packs, or
# `it.copy_to_host()`. (Dask sends Numba's arrays by a way of its own.) Kernels travel as their source and are compiled again on arrival. A lambda
# has no name by which another process could find it; *cloudpickle*, which Dask uses, packs its code instead.
#
# The treacherous one is the stream. It **is** packed, and what is packed is a number, its handle:

# %%
packed = mine.__reduce_ex__(2)[2]  # what pickle would pack
print(sorted(packed), "and the pointer is this process's own:", packed["ptr"] == mine.ptr)

# %% [markdown]
# Unpacked in this process, that makes two objects for one stream, and the first to die destroys it for both. In another process it is a handle to
# nothing, and the crash comes later. That no error is raised does not mean that something can be sent. Keep streams, events and pools out of what you send.
#
# **Predict.** A device array of 8 MB: how many MB has the pickle of the view that takes every second element?

# %%
my_pickled = 8

# %%
eight = cp.zeros(1_000_000)
for source, view in (("x[::2]", eight[::2]), ("x[:10]", eight[:10])):
    print(f"{source:7} shows {view.nbytes} bytes, and is pickled in {len(pickle.dumps(view)) / 1e6:.1f} megabytes")
print(f"you said {my_pickled}")
assert len(pickle.dumps(eight[::2])) < 4_001_000

# %% [markdown]
# A pickle has what a view shows, not what it keeps alive. And now a real second process: it is given an array and a 2, multiplies them on *its*
# device, and sends the product back. The pool of processes does the pickling by itself. (`"spawn"` starts a fresh Python. The usual way on Linux was
# to copy this process, with handles of CUDA's that the copy cannot use.)

# %%
workers = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
doubled = workers.submit(operator.mul, x_gpu, 2).result()
assert isinstance(doubled, cp.ndarray) and doubled.data.ptr != x_gpu.data.ptr
np.testing.assert_array_equal(doubled.get(), 2 * x)
print("device → host → process → device → 2x → host → process → device: the same numbers")

# %% [markdown]
# Four crossings of the bus and two copies between processes. What does it cost? The bus alone, beside the work that is done:

# %%
one_gb = 1e9
for name in ("V100", "H200"):
    gpu = machine.gpus.find(name)
    doubling = 2 * one_gb / gpu.bandwidth
    crossings = 4 * one_gb / gpu.link
    print(f"{name}: a gigabyte is doubled in {1e3 * doubling:.3g} ms; the bus takes {1e3 * crossings:.3g} ms", end="")
    print(f", {crossings / doubling:.0f}× as long")

# %% [markdown]
# **Send the question, not the array**: the name of a file, the rows that are wanted, a seed. If device memory itself must be shared, there are ways
# that do not touch the host: CUDA's IPC handles between processes on one machine (`cp.cuda.runtime.ipcGetMemHandle`), and UCX, which
# Dask can use between GPUs, over NVLink.
#
# How the ways compare, by the figures of an H200's data sheet:

# %%
gpu = machine.gpus.find("H200")
sizes = np.array([10**3, 10**5, 10**7, 10**9])
ways = {
    "protocol: the address": [1e-6] * 4,
    "copy on the device": [gpu.launch + 2 * size / gpu.bandwidth for size in sizes],
    "through the host, one way": [2 * size / gpu.link + 2 * gpu.launch for size in sizes],
    "another process and back": [4 * size / gpu.link + 4 * size / 10e9 + 4 * gpu.launch for size in sizes],
}
plot.lines(
    sizes,
    ways,
    xlabel="bytes",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="Handing over an array",
    note="Limits for an H200; 1 µs for a call in Python and 10 GB/s between processes are our assumptions.",
)

# %% [markdown]
# ### Measured
#
# Those were limits. When Dask first computed a singular value decomposition on GPUs of a DGX-1, its authors looked at how long
# **one transfer** from one GPU's process to another's took: half a second to a second by TCP, some 20 ms by UCX over NVLink
# ([Rocklin and Zamora, 2019](https://blog.dask.org/2019/06/09/ucx-dgx)). They do not say how much was in it. A piece of their matrix has 10 000 × 1 000
# numbers; let us hand over that, in every way we have.
#
# **Predict.** 80 MB, from Numba to CuPy, in one process: how many microseconds?

# %%
my_microseconds = 20_000

# %%
piece = cp.ones((10_000, 1_000))
of_numba = cuda.as_cuda_array(piece)
by_address = measure(lambda: cp.asarray(of_numba), name="by its address")
by_copying = measure(piece.copy, name="copied on the device", repeat=5)
by_host = measure(lambda: cp.asarray(piece.get()), name="through the host", repeat=3)
by_pickle = measure(lambda: pickle.loads(pickle.dumps(piece)), name="through a pickle", repeat=3)
print(f"by its address: {1e6 * by_address.median:.3g} µs, you said {my_microseconds:,}")
print(f"as if it had been read and written: {2e-9 * piece.nbytes / by_address.median:,.0f} GB/s")
assert by_copying.median > 20 * by_address.median

# %% [markdown]
# **Explain.** The call takes its time in Python, more of it where a GPU is simulated than the 1 µs of the picture; what matters is that it does not grow with
# the size. The memory of this machine has no such rate, so nothing was read or written. Remember this when you meet a rate beyond the limit:
# either the clock was wrong, or the work was not done. Here it need not be. libcudf's own benchmark of such a hand-over to Arrow has a column of ten million
# numbers in 5 µs, and prints 123 TB/s, **16 008 %** of the GPU's bandwidth ([2024](https://github.com/NVIDIA/cudf/pull/17194)).
#
# Now to the other process. And what does a CPU do with the same numbers? The naive way sends NumPy's array to that process, by pickle as well. The
# strongest is the best copy that one process can make of it, on one core or on all.

# %%
how_large = operator.attrgetter("nbytes")
on_host = piece.get()
another = np.empty_like(on_host)
with workers:
    to_process = measure(lambda: workers.submit(how_large, piece).result(), name="to another process", repeat=3)
    naive = measure(lambda: workers.submit(how_large, on_host).result(), name="NumPy's, by pickle", repeat=3)
copies = [
    measure(np.copyto, another, on_host, name="np.copyto", repeat=5),
    measure(lambda: numexpr.evaluate("on_host", out=another), name="numexpr, all cores", repeat=5),
]
assert np.array_equal(another, on_host)

# %%
compare(
    "svd.transfer",
    {way.name: way for way in (by_address, by_copying, by_host, by_pickle, to_process)},
    naive=naive,
    strongest=min(copies, key=lambda copy: copy.median),
    limit=limit(bytes=2 * piece.nbytes),
)

# %% [markdown]
# **Explain.** The limit is that of a **copy**: each byte read once, written once. What the address needs lies beyond it, and is marked as impossible: for a
# copy it is. Everything else is slower than the limit, and the more hands it goes through, the slower. What the two published times come to, if a
# transfer was one such piece, beside the bus of that machine:

# %%
bus = machine.gpus.find("V100").link
for way, seconds in {"TCP": 0.75, "UCX over NVLink": 0.02}.items():
    print(f"{way}: {piece.nbytes / seconds / 1e9:.2g} GB/s; twice over the bus: {2e3 * piece.nbytes / bus:.3g} ms")
assert 0.75 > 50 * 2 * piece.nbytes / bus  # it was not the bus

# %% [markdown]
# Not the wire was slow, and not the bus: the copies that Python makes on the way, into a pickle, into a socket, out of it again. A faster road helps
# only when they are gone.

# %% [markdown]
# ## Where the GPU loses
#
# A function that runs on any array does not run *well* on any array. Four ways to lose, each with the protocol's blessing.
#
# **Small calls.** `scores` makes some ten calls, of which `mean` and `std` are several kernels: twelve launches, as the lens counts them. On six rows they
# are all launch:

# %%
here = measure(scores, x, repeat=3, min_time=0.01)
launches = 12
for name in ("V100", "H200"):
    print(f"{name}: {launches} launches, {1e6 * launches * machine.gpus.find(name).launch:.0f} µs at least")
print(f"NumPy here: {1e6 * here.median:.0f} µs, all of it")

# %% [markdown]
# **Single numbers.** To look at one number of a device array, `float(x[i])`, is a kernel or a copy, and the program waits for it. It looks like
# nothing, it is in every `while error > 1e-6`, and in every `if`.
#
# **Predict.** A loop reads 100 000 numbers of a device array one by one, at 10 µs each. How many times longer is that than to fetch
# them all at once, 800 kB at 25 GB/s?

# %%
my_times_longer = 10

# %%
one_by_one = 100_000 * 10e-6
at_once = 10e-6 + 800e3 / 25e9
print(f"{one_by_one / at_once:,.0f}× longer; you said {my_times_longer:,}×")
assert 20_000 < one_by_one / at_once < 25_000

# %% [markdown]
# **Arrays that cannot be written.** `x[0] = 1` works in NumPy and CuPy, and not in JAX, where one writes `x = x.at[0].set(1)`: a new array. To set one
# number of a gigabyte, two gigabytes are moved. (Inside a function under `jax.jit` the compiler sees that the old array is not needed, and
# writes in place.)

# %%
copying = limit(bytes=2e9, machine="H200").seconds
print(f"in place: one number; as a new array: {1e3 * copying:.2g} ms on an H200, at the limit")
if HAS_JAX:
    untouched = jnp.zeros(3)
    try:
        untouched[0] = 1
    except TypeError:
        changed = untouched.at[0].set(1)
    assert float(untouched[0]) == 0 and float(changed[0]) == 1

# %% [markdown]
# **Work that waits.** Dask does nothing until it is asked, and then does everything that was asked for. Ask twice, and it is done twice. Each
# piece of the plan is a task, for which Dask needs some 200 µs of Python (its documentation's figure) whatever is in it. Here `map_blocks` puts a function into
# the plan for each piece, which notes in `runs` that it ran and hands the piece back; `meta` is an empty array of the pieces' type:

# %%
runs = []
counted = arrays["Dask"].map_blocks(lambda piece: (runs.append(1), piece)[1], meta=arrays["Dask"]._meta)
runs.clear()
lowest, highest = counted.min(), counted.max()
with dask.config.set(scheduler="synchronous"):
    lowest.compute(), highest.compute()
    separately = len(runs)
    runs.clear()
    dask.compute(lowest, highest)
print(f"two pieces: computed {separately} times one after the other, {len(runs)} times together")

# %% [markdown]
# `if x.max() > 3:` in a general function is the worst of it: with Dask everything up to there is computed, thrown away, and computed again; on
# a GPU the program waits; under `jax.jit` it is an error. **Use `where`, `minimum` and `maximum` instead of `if`** in code for any array.
#
# ## Key points
#
# - NumPy's functions **ask the array**: `__array_ufunc__`, `__array_function__`. CuPy and Dask answer to both, Xarray to the
#   first; JAX to neither, and is fetched in silence.
# - The array API standard: `xp = x.__array_namespace__()`, and where there is none `np`. Operators, methods and ufuncs work everywhere.
# - `np.asarray(x_gpu)` **raises**. That is a gift: no bus without your saying so. SciPy raises, too, unless `SCIPY_ARRAY_API=1` was set before its import.
# - `__cuda_array_interface__` and DLPack hand over **an address**: no copy, at any size. Prove it by the pointer. The taker keeps the owner alive,
#   and must respect the stream.
# - A pickle lies on the **host**: four crossings for a round trip. Numba's device arrays and lambdas refuse; a stream is packed, and is worthless
#   on arrival.
# - A rate beyond the memory's limit says that nothing was moved. On the way to another process it is seldom the bus that one waits for.
# - In code for any array: no `if` on values, no single numbers, no writing in place.
#
# ## The exercise
#
# Six problems, 25 minutes: [exercises/03_protocols.ipynb](../exercises/03_protocols.ipynb). You will say what is copied and what is not, write one
# function for four libraries, adopt arrays that you have never seen, pack for another process what cannot be pickled, refuse a GPU three
# times, and be general and fast at once.
#
# ## Further reading
#
# - S. Hoyer and others, [NEP 18](https://numpy.org/neps/nep-0018-array-function-protocol.html), *a dispatch mechanism for NumPy's high level array
#   functions*, 2018; and [NEP 13](https://numpy.org/neps/nep-0013-ufunc-overrides.html), the one for ufuncs.
# - [The array API standard](https://data-apis.org/array-api/latest/), and [array-api-compat](https://data-apis.org/array-api-compat/), a small
#   package that fills the gaps which CuPy, Dask and PyTorch leave.
# - Numba, [CUDA Array Interface, version 3](https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html): one page, with the rules for
#   streams.
# - SciPy, [Support for the array API standard](https://docs.scipy.org/doc/scipy/dev/api-dev/array_api.html): which functions take which arrays.
# - [DLPack's data exchange in Python](https://dmlc.github.io/dlpack/latest/python_spec.html).
# - M. Rocklin and R. Zamora, [Experiments in high performance networking with UCX and DGX](https://blog.dask.org/2019/06/09/ucx-dgx), 2019: where the
#   time of a transfer goes, with pictures.
# - CuPy, [Interoperability](https://docs.cupy.dev/en/stable/user_guide/interoperability.html): library by library.
# - [cloudpickle](https://github.com/cloudpipe/cloudpickle): what it can pack that pickle cannot.
# - Dask, [Shared Memory](https://docs.dask.org/en/stable/shared.html): what a task costs, and why tasks should not be small.
