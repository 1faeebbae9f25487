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
# # 02 · Memory: moving fewer bytes
#
# *Unit 02 · memory · 45 minutes, then 40 for the exercises; the optional parts are not counted*
#
# This is the famous line of unit 01:
#
# ```python
# (cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1).all()
# ```
#
# It launches seven kernels. They move 98 bytes for each number, although each number must be read only once: 8 bytes. Most array code waits for memory like
# this, and most of the bytes belong to temporary arrays. In this unit you count these bytes, and remove most of them.
#
# ## What you will be able to do
#
# - **Predict** whether memory or arithmetic sets the time of a line of code.
# - **Count** kernels, bytes and temporary arrays before anything runs.
# - **Fuse** several kernels into one.
# - **Find** memory that is still taken after `del`.
# - **Choose** a dtype, and notice where float64 comes back.
# - **Split** a published speedup into hardware and software.
#
# You need unit 01. The cells need less than a minute.

# %%
# %load_ext hundredfold

# %%
import cupy as cp
import cupyx
import numba
import numpy as np
import pandas as pd

from hundredfold import lens, limit, machine, measure, plot, quiz
from hundredfold.toolkit import recorded

# %%
free, _ = cp.cuda.runtime.memGetInfo()  # bytes of device memory
side = 10_000 if machine.mode() == "gpu" and free > 8 * 800e6 else 3_000
x = np.random.default_rng(seed=2).random((side, side))
x_gpu = cp.asarray(x)
print(f"{x.nbytes / 1e6:.0f} MB on the host, and the same again on the device")

# %% [markdown]
# ## Bytes or operations?
#
# `y = x + 1` does one operation for 16 bytes: it reads 8 bytes and writes 8. A product of large matrices does hundreds of operations for each byte.
# Every GPU has a **balance**: the number of operations for each byte at which arithmetic and memory take equally long.
#
# ![A scale of operations for each byte, from 0.03 to 3000. On an H200 in float64 memory binds below 7.1, on an RTX 4090 in float64 below 1.3 and in
# float32 below 82; above that arithmetic binds. x + 1 lies far to the left, a large matrix product far to the
# right.](drawings/operations-per-byte.svg)
#
# The number on the left of each row is the balance: operations per second, divided by the memory's bytes per second. With fewer operations for each byte,
# **memory binds**: the bytes set the time. With more, **arithmetic binds**.
#
# **Question.** A kernel reads 8 bytes for each number, and does 50 operations with it. It writes next to nothing. On which of these GPUs does arithmetic
# bind, in float64?
#
# - (a) only on the H200
# - (b) only on the RTX 4090
# - (c) on both

# %%
my_answer = "?"
quiz("memory.binds", my_answer)

# %% [markdown]
# `limit` takes bytes and operations. It computes the least time, and which of the two binds. For the famous line we estimate 50 operations for each number, as
# in unit 01.

# %%
elements = 10_000 * 10_000
work = {  # bytes and operations, in float64
    "x + 1": (16 * elements, elements),
    "famous, seven kernels": (98 * elements, 50 * elements),
    "famous, one kernel": (8 * elements, 50 * elements),
    "x @ x": (3 * 8 * elements, 2 * 10_000**3),
}
for name in ("H200", "RTX 4090"):
    print(f"{name}: at least, and what binds")
    for line, (nbytes, operations) in work.items():
        least = limit(bytes=nbytes, flops=operations, machine=name)
        print(f"  {line:21} {1e3 * least.seconds:7.2f} ms  {least.binds}")

# %% [markdown]
# For `x @ x` on an H200, `limit` takes its **tensor cores**, extra units for matrix products. They do $67 \cdot 10^{12}$ operations per second, twice the rate
# of the drawing.
#
# ## Count before it runs
#
# You can count the bytes from the source. **Each operation on whole arrays is one kernel, which reads its operands and writes its result.** The
# famous line has seven:
#
# ![Bytes that move through memory for each number. Seven kernels read their operands and write their results each, 98 bytes together; one fused
# kernel reads the number once, 8 bytes, and nothing else goes to memory.](drawings/seven-kernels.svg)
#
# The intermediate results are **temporaries**: arrays without a name. Python drops a temporary as soon as nothing refers to it.
#
# **Predict.** How many arrays as large as `x` are in memory at once while the line runs? Do not count `x` itself.

# %%
my_arrays = "?"

# %% [markdown]
# **Measure.** The *lens* counts. Write `%%lens` into the first line of a cell, and name a GPU. With `--shapes` nothing is computed, so the array can be as
# large as you like. The cell runs in a process of its own, so your `x` stays as it is.

# %%
# %%lens --shapes --gpu H200
x = cp.empty((10_000, 10_000))
(cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1).all()

# %% [markdown]
# - `cp.empty` is not in the list: it only reserves memory.
# - *bound* is the least time of each launch. A cache of 63 MB can save some reads and writes, so it is a little less than `limit` computes. *Bound as launched*
#   is the sum. *Bound* is for one kernel that does everything.
# - *estimate* is the time that a model expects. No measurement on an H200 has corrected it: it is *not calibrated*.
# - *Fusing* agrees with our count: 9.8 GB for 10⁸ numbers are 98 bytes for each.
#
# *Memory* answers the prediction: the peak of 3.2 GB is `x` and three other arrays. `lens.account` counts the same for a function, here for the first five
# kernels:


# %%
def one_line(x):
    return cp.sin(x) ** 2 + cp.cos(x) ** 2


def report(function):
    account = lens.account(function, x_gpu)
    arrays = (account.peak - account.before) / x_gpu.nbytes
    print(f"{function.__name__:10} kernels: {len(account.kernels)}, arrays at once: {arrays:.0f},", end=" ")
    print(f"bytes for each number: {account.moved / x_gpu.size:.0f}")


report(one_line)
print(f"you said: {my_arrays} arrays")

# %% [markdown]
# **Explain.** The sine is dropped after its square is written. The square has to wait for the sum.
#
# ![Which arrays are in memory while the five kernels of one line run. The sine is needed until its square is written; that square waits until the
# end. While the cosine is squared, and while the two squares are added, three arrays are there at once.](drawings/temporaries.svg)
#
# ### Writing in place
#
# You can also write a result into an existing array:


# %%
def in_place(x):
    s = cp.sin(x)
    cp.square(s, out=s)
    c = cp.cos(x)
    cp.square(c, out=c)
    s += c
    return s


# %% [markdown]
# **Question.** What does `in_place` save, compared with `one_line`?
#
# - (a) bytes that move
# - (b) memory
# - (c) both

# %%
my_answer = "?"
quiz("memory.in-place", my_answer)

# %%
report(one_line)
report(in_place)

# %% [markdown]
# ## One kernel instead of seven
#
# A GPU runs a kernel in thousands of **threads**. A **[fused](../docs/glossary.md#term-fusing)** kernel keeps its intermediate results in **registers**, each
# thread's own memory. The nearer a memory is to the threads, the higher is its bandwidth:
#
# ![The memories that a thread of an H200 can reach, from near to far: registers, shared memory with L1, the L2 cache, the device's memory, and the
# host's memory behind the bus. Beside each are its size and the bytes that it delivers in a second: the nearer, the
# faster.](drawings/memory-ladder.svg)
#
# L1 and L2 are caches. Shared memory is the subject of unit 06.
#
# At the first call, `cp.fuse` runs your function with placeholders, which have a dtype but no values. CuPy records the operations, and makes one kernel of
# them. All of them must work element by element:


# %%
@cp.fuse()
def fused(x):
    return cp.sin(x) ** 2 + cp.cos(x) ** 2


report(fused)
np.testing.assert_allclose(cp.asnumpy(fused(x_gpu[0])), cp.asnumpy(one_line(x_gpu[0])), rtol=1e-14)

# %% [markdown]
# `cp.fuse` makes elementwise kernels. A `cp.ReductionKernel` also adds up what it computes, so it writes no array at all. In CUDA C you say what it computes
# of each `x`, how it adds two results, what it writes, and the sum of no numbers. This is the count of unit 01:


# %%
adding = cp.ReductionKernel(
    "T x", "int64 n", "sin(x) * sin(x) + cos(x) * cos(x) == 1", "a + b", "n = a", "0", "adding_ones"
)


def count_ones(x):
    return adding(x)


report(count_ones)
share = int(count_ones(x_gpu[:1_000])) / x_gpu[:1_000].size
print(f"exactly 1 for {share:.0%} of the elements")
assert 0.5 < share < 0.9

# %% [markdown]
# **Question.** One of these functions cannot be fused. Which?
#
# - (a) `def f(x): return cp.where(x > 0, x, -x)`
# - (b) `def f(x): return x if x > 0 else -x`
# - (c) `def f(x): return cp.sqrt(x * x)`

# %%
my_answer = "?"
quiz("memory.fusable", my_answer)

# %% [markdown]
# ### Measured on GPUs, and on your machine
#
# The arrays `x` and `y` hold the coordinates of vectors. Their lengths are `np.sqrt(x * x + y * y)`. The arithmetic is cheap, so the bytes set the time.


# %%
def lengths(x, y):
    return np.sqrt(x * x + y * y)  # of CuPy arrays, too


@cp.fuse()  # needs a function with a name: CuPy makes it the kernel's
def fused_lengths(x, y):
    return cp.sqrt(x * x + y * y)


@numba.njit(parallel=True)
def one_pass(x, y, out):
    for i in numba.prange(x.size):  # prange shares the loop among all cores
        out[i] = np.sqrt(x[i] * x[i] + y[i] * y[i])


y = np.random.default_rng(seed=3).random((side, side))
y_gpu, out = cp.asarray(y), np.empty(x.size)
four, one = (lens.account(each, x_gpu, y_gpu).moved / x.size for each in (lengths, fused_lengths))
print(f"bytes for each vector: {four:.0f} and {one:.0f}, a factor of {four / one:.1f}")

# %% [markdown]
# For the GPUs we take published times of two kernels (gpu-benches). *Scale* reads one array and writes one, like three of the four kernels. *Triad* reads two
# and writes one, like the fourth kernel and the fused one.

# %%
here = {
    "NumPy, four passes": measure(lengths, x, y, repeat=3),
    "Numba, one pass, all cores": measure(one_pass, x.ravel(), y.ravel(), out, repeat=3),
    "CuPy, four kernels": measure(lengths, x_gpu, y_gpu, repeat=3),
    "CuPy, fused": measure(fused_lengths, x_gpu, y_gpu, repeat=3),
}
rows = {f"here: {name}": took.median * elements / x.size for name, took in here.items()}
for name, scale, triad in (("V100", 2.678e-3, 3.957e-3), ("H200", 0.679e-3, 0.911e-3)):  # s for 2²⁷ numbers
    rows[f"published: rates of {name}, four kernels"] = (3 * scale + triad) * elements / 2**27
    rows[f"published: rates of {name}, one kernel"] = triad * elements / 2**27
plot.times(
    rows,
    title="Lengths of 10⁸ vectors: four passes or one",
    note="V100, H200: from published, synchronised times of kernels that move as many bytes. Here: scaled to 10⁸.",
)

# %% [markdown]
# **Explain.** On the V100 and the H200 the time falls with the bytes. On your CPU Numba gains in three ways: it makes one pass, uses all
# cores, and allocates nothing. Without a GPU the two CuPy rows cannot show what fusing saves: the simulator does a fused kernel's operations one by one.
#
# Fusing helps until arithmetic binds. By the limits above, the famous line gains a factor of 12 on the H200, and of 2.5 on the RTX 4090.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: a kernel of your own
#
# With an `ElementwiseKernel` you write the kernel yourself, in one line of C for each element. `T` is the type of the arrays:

# %%
length = cp.ElementwiseKernel(
    "T x, T y",  # what goes in
    "T d",  # what comes out
    "d = sqrt(x * x + y * y)",  # for each element
    "length",
)
length(cp.asarray([3.0, 5.0]), cp.asarray([4.0, 12.0]))

# %% [markdown]
# A `ReductionKernel` reduces many numbers to one. You write how two intermediate results, `a` and `b`, become one. The kernel takes `axis=` and
# `keepdims=`, like a sum. This is the count again:

# %%
count_in_c = cp.ReductionKernel(
    "T x",
    "int64 count",
    "sin(x) * sin(x) + cos(x) * cos(x) == 1",  # of each element
    "a + b",  # of two results
    "count = a",  # at the end
    "0",  # where there are no elements
    "count_in_c",
)
share = int(count_in_c(x_gpu[:1_000])) / x_gpu[:1_000].size
assert 0.5 < share < 0.9

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: a fused loop that stops early
#
# `.all()` may stop at the first `False`. In a fused loop nearly all of the work is then left out:


# %%
@numba.njit
def all_ones(x):
    for value in x:
        s, c = np.sin(value), np.cos(value)
        if s * s + c * c != 1:
            return False
    return True


trap = measure(all_ones, x.ravel(), bytes=x.nbytes, name="all, fused")
print(trap.limit.judge(trap.median))

# %% [markdown]
# No memory is that fast. When you compare two programs, make sure that both look at every element.

# %% [markdown]
# ## Where did my memory go?
#
# *A good place for a pause.*
#
# **Predict.** The next cell makes an array as large as `x`, and deletes it. How many arrays' worth of memory does CuPy still hold for it?

# %%
my_held_arrays = "?"

# %%
pool = cp.get_default_memory_pool()
y_gpu = None
pool.free_all_blocks()
before, in_use = pool.total_bytes(), pool.used_bytes()
t = x_gpu + 1
del t

held, used = pool.total_bytes() - before, pool.used_bytes() - in_use
print(f"held: {held / x.nbytes:.0f} array, and you said: {my_held_arrays}; in use: {used / x.nbytes:.0f}")
pool.free_all_blocks()
print(f"held after free_all_blocks: {(pool.total_bytes() - before) / x.nbytes:.0f}")

# %% [markdown]
# **Explain.** CuPy keeps freed memory in a **[memory pool](../docs/glossary.md#term-memory-pool)**. Asking the **driver**, the program that controls the GPU,
# for memory is slow. The next array of that size gets the block from the pool at once. `nvidia-smi` shows the block as taken, although nothing leaks.
#
# ![Three pictures of the device's memory. After t = x + 1 both arrays are in use. After del t the place of t belongs to the pool: nvidia-smi still
# shows two arrays. After free_all_blocks it is free for all programs again.](drawings/pool-life.svg)
#
# Call `free_all_blocks` before another library needs the memory, but never inside a loop: each pass would ask the driver again.
#
# ### A view keeps its base
#
# **Question.** Which line keeps all of `big` in memory, after `del big`?
#
# - (a) `part = big[0, :10].copy()`
# - (b) `part = big[0, :10]`
# - (c) `part = float(big.sum())`

# %%
my_answer = "?"
quiz("memory.view", my_answer)

# %%
before = pool.used_bytes()
for what, take in {"view": lambda big: big[0, :10], "copy": lambda big: big[0, :10].copy()}.items():
    part = take(x_gpu + 1)  # the sum has no name, so that only `part` can keep it
    print(f"a {what} of {part.nbytes} bytes keeps {pool.used_bytes() - before:,} bytes in use")
    part = None

# %% [markdown]
# **Explain.** A slice is a **view**. It has no memory of its own, and refers to the buffer of its **base**.
#
# ![The array big of three rows and four columns, row by row in one buffer of twelve numbers. The view of the first three numbers of its first row has
# no buffer: it points into that of big, and keeps all of it in memory. The copy owns a buffer of three numbers.](drawings/view-base.svg)
#
# So copy what you want to keep. The copy of 80 bytes takes 512, because CuPy hands out memory in units of 512 bytes.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: when the device is full
#
# The pool also cuts a large block into parts, one for each array. It can return the block to the driver only when none of its parts is in use. So there
# can be enough free memory, but not in one piece. This is **fragmentation**:
#
# ![Two pictures of the device's memory. First three arrays lie side by side in one block of the pool. After the outer two are deleted the pool keeps
# the whole block, because b is in it. An array as large as both holes together does not fit, because they do not lie side by
# side.](drawings/pool-holes.svg)
#
# If no block fits, CuPy returns the pool's free blocks to the driver, and asks again. If that fails, it raises `OutOfMemoryError`. You have three ways
# out:
#
# - Work in pieces, as in problem 3 of the exercise.
# - Use *managed memory*: `cp.cuda.set_allocator(cp.cuda.MemoryPool(cp.cuda.malloc_managed).malloc)`. The driver then moves pages over the bus when they
#   are touched.
# - Let a library move to the host what is not needed now. This is **[spilling](../docs/glossary.md#term-spilling)**. Dask does it, as unit 11 shows.

# %% [markdown]
# ## The bus, and pinned memory
#
# The device can fetch data by itself, while Python does something else. This works only from **[pinned memory](../docs/glossary.md#term-pinned-memory)**, which
# the operating system never moves. Data in ordinary memory is first copied into a pinned buffer.
#
# ![Two timelines of a copy to the device. From ordinary memory the CPU first copies each piece into a pinned buffer, and the bus waits in between.
# From pinned memory the bus sends everything without a pause, and the CPU is free for other work.](drawings/pinned-copy.svg)
#
# A **[stream](../docs/glossary.md#term-stream)** is a queue of work on the device. A copy in one stream can run at the same time as kernels in another.
# Without a choice, work goes to the *default stream*.

# %%
pinned = cupyx.empty_pinned(x.shape, dtype=x.dtype)
pinned[...] = x
target = cp.empty_like(x_gpu)
stream = cp.cuda.Stream(non_blocking=True)  # it does not wait for the default stream


def from_ordinary():
    target.set(x)


def from_pinned():
    target.set(pinned, stream=stream)  # returns at once; the copy goes on
    stream.synchronize()  # wait for the copy


# %% [markdown]
# **Question.** What may Python do between `target.set(pinned, stream=stream)` and `stream.synchronize()`?
#
# - (a) fill `pinned` with the next data
# - (b) compute with `target` in another stream
# - (c) read the next file into another array

# %%
my_answer = "?"
quiz("memory.pinned", my_answer)

# %%
if machine.mode() == "gpu":  # without a GPU there is no bus to measure
    for send in (from_ordinary, from_pinned):
        sent = measure(send, repeat=3)
        print(f"here, {send.__name__}: {1e3 * sent.median:.3g} ms, {x.nbytes / sent.median / 1e9:.3g} GB/s")
print(f"published, V100, pinned: 1 GiB in 86.9 ms, {2**30 / 86.91e-3 / 1e9:.3g} GB/s")
target = pinned = None
pool.free_all_blocks()

# %% [markdown]
# ## Four bytes or eight
#
# A float32 has half the bytes of a float64, and fewer digits. A GPU also has more units of arithmetic for it:
#
# ![A float64 has 64 bits, 52 of them for about 16 digits; a float32 has 32 bits, 23 of them for about 7 digits. An H200 has one arithmetic unit of
# float64 for every two of float32; an RTX 4090 has one for every 64.](drawings/float-bits.svg)
#
# **Predict.** A fused kernel reads 10⁸ numbers, with 50 operations each. How many times faster is it in float32 on an RTX 4090? Hint: the first drawing shows
# what binds, for 50 operations on 8 bytes and on 4.

# %%
my_float32_factor = "?"

# %%
for name in ("H200", "RTX 4090", "RTX 4060 Laptop"):
    double = limit(bytes=8 * elements, flops=50 * elements, machine=name)
    single = limit(bytes=4 * elements, flops=50 * elements, machine=name, dtype="float32")
    print(f"{name:15} {1e3 * double.seconds:6.3f} ms, {double.binds:10} binds;", end=" ")
    print(f"in float32 {1e3 * single.seconds:.3f} ms, {single.binds} binds: {double.seconds / single.seconds:.1f}×")
print(f"you said for the RTX 4090: {my_float32_factor}")

# %% [markdown]
# **Explain.** These are limits, computed from data sheets. Where memory binds in both types, float32 gains a factor of two. A consumer GPU gains more, because
# it is slow in float64.
#
# **Question.** `small` is a float32 array. Which result is also float32, with NumPy 2?
#
# - (a) `small * np.sqrt(2)`
# - (b) `small + cp.zeros(side)`
# - (c) `small * 2.5`

# %%
my_answer = "?"
quiz("memory.dtype", my_answer)

# %%
small = x_gpu[:2].astype(cp.float32)
results = {
    "small * np.sqrt(2)": small * np.sqrt(2),
    "small * float(np.sqrt(2))": small * float(np.sqrt(2)),
    "small + cp.zeros(side)": small + cp.zeros(side),
    "small + cp.zeros(side, small.dtype)": small + cp.zeros(side, small.dtype),
    "small * 2.5": small * 2.5,
}
for source, array in results.items():
    print(f"{source:36} {array.dtype}")

# %% [markdown]
# A Python number takes the type of the array. A NumPy number keeps its own type, and an array made without `dtype` is float64. One such operand makes
# everything after it float64, without a warning.
#
# A float32 has about seven digits, and a long sum can lose them. If ones are added one after the other, the sum stops at 16 777 216, because the next
# float32 is larger by two.

# %%
ones = np.ones(17_000_000, dtype=np.float32)
print(f"one by one, in float32:   {int(np.cumsum(ones)[-1])}")
print(f"in pairs, in float32:     {int(ones.sum())}")
print(f"one by one, in float64:   {int(np.cumsum(ones, dtype=np.float64)[-1])}")
del ones

# %% [markdown]
# The `sum` of a whole array adds in pairs, which is much better. **Keep float32 in memory, and add in float64**: `small.sum(dtype=cp.float64)` still reads only
# four bytes for each number.
#
# ## A speedup, taken apart
#
# In June 2019 P. Entschev measured array operations on a V100, and on the two CPUs of the same machine. Here are six, on arrays of 10 000 × 10 000. Each
# speedup is a product:
#
# **speedup = hardware × (GPU's share of its limit ÷ CPU's share of its limit)**
#
# *Hardware* is the CPUs' limit divided by the GPU's limit. Where memory binds, it is the ratio of the bandwidths. The rest is software. *GPU %* and *CPU %* are
# the two shares.

# %%
cpu_bytes, cpu_flops = 153.6e9, 1.41e12  # per second, both CPUs together
gpu_bytes, gpu_flops = 900e9, 7.8e12  # a V100
table = []
for name in ("sum", "std", "elementwise", "slice", "fft", "matmul"):
    row = recorded.published(f"memory.{name}.10000x10000")
    cpu, gpu = (next(t.seconds for t in row.times if t.device == device) for device in ("cpu", "gpu"))
    operations = row.flops or 0  # counted for matmul only: in the other rows memory binds
    cpu_limit = max(row.least_bytes / cpu_bytes, operations / cpu_flops)
    gpu_limit = max(row.least_bytes / gpu_bytes, operations / gpu_flops)
    code = row.what.removesuffix(", 10 000 × 10 000")
    table.append((code, cpu / gpu, cpu_limit / gpu_limit, 100 * gpu_limit / gpu, 100 * cpu_limit / cpu))
table = pd.DataFrame(table, columns=["operation", "speedup", "hardware", "GPU %", "CPU %"])
print(table.to_string(index=False, float_format=lambda v: f"{v:.0f}" if v > 99 else f"{v:.2g}"))

# %% [markdown]
# **Question.** The row with sine and cosine has the largest speedup, 268. Where does most of it come from?
#
# - (a) The V100's memory is that much faster.
# - (b) The GPU's kernels were written especially well.
# - (c) The CPU's side was far below its own limit.

# %%
my_answer = "?"
quiz("memory.software", my_answer)

# %% [markdown]
# The product, `x.dot(x)`, is the fairest row: neither library is far below its limit. In the sum the GPU loses, because CuPy's reductions were slow then.

# %% [markdown]
# ## Where the GPU loses
#
# Data on the host has to cross the bus first. One *pass* reads or writes all of the data once. The transfer pays only if the GPU's faster passes save
# more time than the bus takes:
#
# ![Two timelines of four passes over data that is on the host. The server's CPU needs four equal times. The H200 first waits for the bus, as long as
# three such passes, then does its four passes almost at once and is first. With three passes the CPU would have been first.](drawings/pays-after.svg)

# %%
cpu = 150e9  # bytes per second, assumed for the memory of a good server
for name in ("V100", "H200", "RTX 4060 Laptop"):
    gpu = machine.gpus.find(name)
    saved = 1 / cpu - 1 / gpu.bandwidth  # seconds for each byte in each pass
    passes = int(np.ceil(round((1 / gpu.link) / saved, 6)))
    print(f"{name:15} {1e12 / gpu.link:4.1f} ms for 1 GB over the bus,", end=" ")
    print(f"{1e12 / gpu.bandwidth:4.2f} ms for each pass: it pays from {passes} passes on")

# %% [markdown]
# For a single pass the GPU loses against such a server at **every** size, because the bus is slower than the server's own memory. On small arrays it loses by
# its launches, as in unit 01. There fusing helps, too.

# %% [markdown]
# ## Key points
#
# - Below the GPU's balance of operations for each byte, **memory binds**: only bytes count.
# - Each operation on whole arrays is a kernel, which reads its operands and writes its result. `out=` and `*=` save **memory**. **Fusing** saves traffic,
#   too.
# - CuPy's **pool** keeps what you free. A **view** keeps its whole base.
# - The device fetches by itself only from **pinned** memory. Do not touch it before the copy has finished.
# - float32 halves the bytes, and on a consumer GPU its arithmetic is many times faster. One float64 operand loses both. **Add in float64.**
# - Where a speedup is far above the ratio of the hardware, the rest is software.
#
# ## The exercise
#
# Six problems, 40 minutes: [exercises/02_memory.ipynb](../exercises/02_memory.ipynb). With fusing you can now also reach the limit in [problem 6 of unit
# 01](../exercises/01_arrays.ipynb).
#
# ## Further reading
#
# - P. Entschev, [Single-GPU CuPy Speedups](https://blog.dask.org/2019/06/27/single-gpu-cupy-benchmarks), Dask blog, 27 June 2019, and its
#   numbers in [pentschev/pybench](https://github.com/pentschev/pybench), `examples/benchmark_array.json`, commit 89d65a6. The two CPUs'
#   153.6 GB/s and 1.41 TFLOP/s are computed from their data sheet.
# - [gpu-benches](https://github.com/te42kyfo/gpu-benches), commit 1c36d509ee: *scale* and *triad* with blocks of 1024 threads from the folder
#   `gpu-stream`, medians of synchronised runs on a V100 (PCIe, 16 GB) and an H200; the copy of 1 GiB on that V100 from `README.md`.
# - CuPy's documentation, [User-Defined Kernels](https://docs.cupy.dev/en/stable/user_guide/kernel.html) and [Memory
#   Management](https://docs.cupy.dev/en/stable/user_guide/memory.html).
# - M. Harris, [How to Optimize Data Transfers in CUDA C/C++](https://developer.nvidia.com/blog/how-optimize-data-transfers-cuda-cc/),
#   NVIDIA blog, 2012: copies from ordinary and from pinned memory, measured.
# - S. Williams, A. Waterman, D. Patterson, *Roofline*, Communications of the ACM 52 (4), 2009: bytes or operations, in one picture.
