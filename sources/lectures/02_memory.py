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
# *Unit 02 · memory · 45 minutes, then 40 for the exercises*
#
# In unit 01 seven kernels moved 98 bytes for each number. Eight would do, because each number must be read once. Most array code is like that. It
# waits for memory, and most of the bytes that it moves belong to temporary arrays. In this unit you count these bytes, get rid of most of
# them, and find out where device memory goes.
#
# ## What you will be able to do
#
# - **Predict** whether memory or arithmetic limits a line of code.
# - **Count** kernels, bytes and temporary arrays before anything runs.
# - **Fuse** several kernels into one.
# - **Find** memory that is still taken after you deleted an array.
# - **Choose** a dtype, and notice where float64 comes back.
# - **Split** a published speedup into hardware and software.
#
# You need unit 01. The notebook needs about a minute of computing, with or without a GPU.

# %%
# %load_ext hundredfold

# %%
import cupy as cp
import cupyx
import numba
import numexpr
import numpy as np
import pandas as pd

from hundredfold import compare, lens, limit, machine, measure, plot, quiz
from hundredfold.toolkit import recorded

# %% [markdown]
# With a GPU, `x` has 10 000 × 10 000 numbers. Without one it has 3 000 × 3 000.

# %%
free, total = cp.cuda.runtime.memGetInfo()  # bytes of device memory
side = 10_000 if machine.mode() == "gpu" else 3_000
side = max(1_000, min(side, int((free / (8 * 8)) ** 0.5) // 1_000 * 1_000))
x = np.random.default_rng(seed=2).random((side, side))
x_gpu = cp.asarray(x)
print(f"{x.nbytes / 1e6:.0f} MB on the host, and the same again on the device")

# %% [markdown]
# ## Bytes or operations?
#
# `y = x + 1` does one operation for 16 bytes: it reads 8 bytes and writes 8. A product of large matrices does hundreds of operations for each byte.
# Every processor has a balance in between, where its arithmetic and its memory take equally long:
#
# ![A scale of operations for each byte, from 0.03 to 3000. On an H200 in float64 memory binds below 7.1, on an RTX 4090 in float64 below 1.3 and in
# float32 below 82; above that arithmetic binds. x + 1 lies far to the left, a large matrix product far to the
# right.](drawings/operations-per-byte.svg)
#
# The balance is the number on the left of each row: operations per second, divided by the memory's bytes per second. Below it **memory binds**:
# the bytes take longer, and the arithmetic costs nothing extra. Above it **arithmetic binds**.
#
# **Question.** The famous line as one kernel reads 8 bytes for each number. We estimate 50 operations for its sine and cosine. On which of these
# GPUs does arithmetic bind, in float64?
#
# - (a) only on the H200
# - (b) only on the RTX 4090
# - (c) on both

# %%
my_answer = "?"
quiz("memory.binds", my_answer)

# %% [markdown]
# `limit` takes bytes and operations. It computes the least time, and which of the two binds:

# %%
elements = 10_000 * 10_000
work = {  # bytes and operations, in float64
    "x + 1": (16 * elements, elements),
    "famous line, one kernel": (8 * elements, 50 * elements),
    "x @ x": (3 * 8 * elements, 2 * 10_000**3),
}
for name in ("H200", "RTX 4090"):
    for line, (nbytes, operations) in work.items():
        least = limit(bytes=nbytes, flops=operations, machine=name)
        print(f"{name:9} {line:24} {least.binds:10} binds: at least {1e3 * least.seconds:7.2f} ms")

# %% [markdown]
# ## Count before it runs
#
# You can count the bytes from the source: **each operation on whole arrays is one kernel, which reads its operands and writes its result.** The
# famous line has seven:
#
# ![Bytes that move through memory for each number. Seven kernels read their operands and write their results each, 98 bytes together; one fused
# kernel reads the number once, 8 bytes, and keeps everything else in the processor.](drawings/seven-kernels.svg)
#
# The *lens* counts for you. Write `%%lens` into the first line of a cell, and name a GPU. With `--shapes` nothing is computed, so that we can take the
# published size:

# %%
# %%lens --shapes --gpu H200
x = cp.empty((10_000, 10_000))
(cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1).all()

# %% [markdown]
# `cp.empty` is not in the list. It only reserves memory: no kernel runs, and no bytes move. The line *Fusing* agrees with our count: 9.8 GB for 10⁸
# numbers are 98 bytes for each, and one kernel would read only 8.
#
# The line *Memory* counts **temporaries**. These are arrays without a name that are made on the way.
#
# **Predict.** How many arrays as large as `x` are in memory at once while this line runs? Do not count `x` itself.
#
# ```python
# y = cp.sin(x) ** 2 + cp.cos(x) ** 2
# ```

# %%
my_arrays = 5

# %% [markdown]
# **Measure.** CuPy calls a *memory hook* whenever it allocates or frees memory. This one keeps the maximum, for any code of yours:


# %%
class Peak(cp.cuda.MemoryHook):
    name, taken, most = "Peak", 0, 0

    def malloc_postprocess(self, **event):
        self.taken += event["mem_size"]
        self.most = max(self.most, self.taken)

    def free_postprocess(self, **event):
        self.taken -= event["mem_size"]


def arrays_at_once(function, x):
    with Peak() as peak:
        function(x)
    return peak.most / x.nbytes


def one_line(x):
    return cp.sin(x) ** 2 + cp.cos(x) ** 2


print(f"{arrays_at_once(one_line, x_gpu):.0f} arrays at once, and you said {my_arrays}")

# %% [markdown]
# **Explain.** Python drops a temporary as soon as nothing refers to it. The sine is dropped after its square is written. The square is kept for the sum.
#
# ![Which arrays are in memory while the five kernels of one line run. The sine is needed until its square is written; that square waits until the
# end. While the cosine is squared, and while the two squares are added, three arrays are there at once.](drawings/temporaries.svg)
#
# ### Writing in place
#
# You can also write into arrays that are there already:


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
for function in (one_line, in_place):
    account, arrays = lens.account(function, x_gpu), arrays_at_once(function, x_gpu)  # the lens, as a function
    print(f"{function.__name__:9} {len(account.kernels)} kernels, {arrays:.0f} arrays at once,", end=" ")
    print(f"{account.moved / x_gpu.size:.0f} bytes for each number")

# %% [markdown]
# ## One kernel instead of seven
#
# To move fewer bytes you need fewer kernels, each of which does more. A GPU runs a kernel in thousands of **threads**. A
# **[fused](../docs/glossary.md#term-fusing)** kernel keeps its intermediate results in **registers**, each thread's own memory. The nearer a memory
# is to the threads, the smaller and faster it is. L1 and L2 are caches; unit 06 uses *shared*.
#
# ![The memories that a thread of an H200 can reach, from small and near to large and far: registers, shared memory with L1, the L2 cache, the
# device's memory, and the host's memory behind the bus. Each step is larger and slower.](drawings/memory-ladder.svg)
#
# `cp.fuse` makes one kernel of all the operations in a function:


# %%
@cp.fuse()
def fused(x):
    return cp.sin(x) ** 2 + cp.cos(x) ** 2


account, arrays = lens.account(fused, x_gpu), arrays_at_once(fused, x_gpu)
print(f"fused     {len(account.kernels)} kernel,  {arrays:.0f} array at once,", end="  ")
print(f"{account.moved / x_gpu.size:.0f} bytes for each number")
np.testing.assert_allclose(cp.asnumpy(fused(x_gpu[0])), cp.asnumpy(one_line(x_gpu[0])), rtol=1e-14)

# %% [markdown]
# ![Two charts of three ways to compute the sum of two squares. Bytes moved for each number: as one line 88, in place 88, fused 16. Arrays in memory
# at once: as one line 3, in place 2, fused 1.](drawings/traffic-and-memory.svg)
#
# A fused function may end in one sum. Then nothing large is written at all. This is the count of unit 01 in one kernel:


# %%
@cp.fuse()
def count_ones(x):
    return cp.sum((cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1).astype(cp.int64))


share = int(count_ones(x_gpu[:1_000])) / x_gpu[:1_000].size
print(f"exactly 1 for {share:.0%} of the elements;", end=" ")
print(f"{lens.account(count_ones, x_gpu).moved / x_gpu.size:.0f} bytes for each number")
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
# You can also write the kernel yourself, with one line of C for each element. `T` is the type of the arrays:

# %%
length = cp.ElementwiseKernel(
    "T x, T y",  # what goes in
    "T d",  # what comes out
    "d = sqrt(x * x + y * y)",  # for each element
    "length",
)
length(cp.asarray([3.0, 5.0]), cp.asarray([4.0, 12.0]))

# %% [markdown]
# ### On a GPU, and here
#
# The famous line moves 98 bytes for each number in seven kernels, and 8 in one.
#
# **Predict.** How many times faster is the one kernel on an H200, at the limit?

# %%
my_factor = 7

# %%
for name in ("H200", "RTX 4090"):
    seven = limit(bytes=98 * elements, flops=50 * elements, machine=name)
    one = limit(bytes=8 * elements, flops=50 * elements, machine=name)
    print(f"{name:9} {1e3 * seven.seconds:.3g} ms → {1e3 * one.seconds:.3g} ms:", end=" ")
    print(f"{seven.seconds / one.seconds:.1f}× faster, now {one.binds} binds")
print(f"you said {my_factor}×")

# %% [markdown]
# Fusing helps until arithmetic binds. On your processor a sine costs more than its bytes. So we measure a line with cheap arithmetic, the length of
# each vector $(x, y)$.


# %%
def lengths(x, y):
    return np.sqrt(x * x + y * y)  # of CuPy arrays, too


fused_lengths = cp.fuse(lambda x, y: cp.sqrt(x * x + y * y))


@numba.njit(parallel=True)
def one_pass(x, y, out):
    for i in numba.prange(x.size):
        out[i] = np.sqrt(x[i] * x[i] + y[i] * y[i])


y = np.random.default_rng(seed=3).random((side, side))
y_gpu, out = cp.asarray(y), np.empty(x.size)
here = {
    "NumPy, four passes": measure(lengths, x, y, repeat=3),
    "Numba, one pass, all cores": measure(one_pass, x.ravel(), y.ravel(), out, repeat=3),
    "CuPy, four kernels": measure(lengths, x_gpu, y_gpu, repeat=3),
    "CuPy, fused": measure(fused_lengths, x_gpu, y_gpu, repeat=3),
}
for function in (lengths, fused_lengths):
    account = lens.account(function, x_gpu, y_gpu)
    print(f"kernels: {len(account.kernels)}, bytes for each vector: {account.moved / x_gpu.size:.0f}")

# %%
published = {"V100": (2.678e-3, 3.957e-3), "H200": (0.679e-3, 0.911e-3)}  # s for 2²⁷ numbers: scale, triad
rows = {f"here: {name}": took.median * elements / x.size for name, took in here.items()}
for name, (scale, triad) in published.items():
    rows[f"published: rates of {name}, four kernels"] = (3 * scale + triad) * elements / 2**27
    rows[f"published: rates of {name}, one kernel"] = triad * elements / 2**27
plot.times(
    rows,
    title="Lengths of 10⁸ vectors: four passes or one",
    note="V100, H200: from published, synchronised times of kernels that move as many bytes (gpu-benches). Here: scaled to 10⁸.",
)

# %% [markdown]
# **Explain.** Three of the four kernels read one array and write one, as the published *scale* does. The fourth reads two and writes one, like *triad*.
# So does the fused kernel. Without a GPU the two CuPy rows are about the same, because the simulator does a fused kernel's operations one by one. NumPy and
# Numba show what your processor gains.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: a kernel that reduces
#
# A `ReductionKernel` has one line more, for how two intermediate results become one. It takes `axis=` and `keepdims=`, like a sum. This is the count again:

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
print(f"{arrays_at_once(count_in_c, x_gpu):.0f} arrays at once")

# %% [markdown]
# A function under `cp.fuse` may go on after a sum. It is still one kernel, but it reads its arrays again after each sum.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: the famous line, measured
#
# *numexpr* cuts the arrays into pieces that fit into the cache, and works on them with all cores. On a processor a sine binds, so that fusing gains
# little here.


# %%
def seven_kernels(xp, x):
    return xp.count_nonzero(xp.sin(x) ** 2 + xp.cos(x) ** 2 == 1)


@numba.njit(parallel=True)
def count_with_numba(x):
    count = 0
    for i in numba.prange(x.size):
        s, c = np.sin(x[i]), np.cos(x[i])
        if s * s + c * c == 1:
            count += 1
    return count


flat, whole, once = x.ravel(), 98 * x.size, x.nbytes
in_pieces = "sum(where(sin(x)**2 + cos(x)**2 == 1, 1, 0))"
took = {
    "NumPy": measure(seven_kernels, np, x, bytes=whole, repeat=3),
    "numexpr": measure(lambda: numexpr.evaluate(in_pieces), bytes=once, repeat=3),
    "Numba, all cores": measure(count_with_numba, flat, bytes=once, repeat=3),
    "CuPy, seven kernels": measure(seven_kernels, cp, x_gpu, bytes=whole, repeat=3),
    "CuPy, fused": measure(count_ones, x_gpu, bytes=once, repeat=3),
}
compare(
    "arrays.sincos",
    took,
    naive=took["NumPy"],
    strongest=took["Numba, all cores"],
    limit=limit(bytes=once),
    n=x.size,
)

# %% [markdown]
# `.all()` may stop at the first `False`. In a fused loop nearly all of the work is then left out:


# %%
@numba.njit
def all_ones(x):
    for value in x:
        s, c = np.sin(value), np.cos(value)
        if s * s + c * c != 1:
            return False
    return True


trap = measure(all_ones, flat, bytes=x.nbytes, name="all, fused")
print(trap.limit.judge(trap.median))
print(f"{took['NumPy'].median / trap.median:,.0f}× faster than NumPy")

# %% [markdown]
# No memory is that fast. When you compare two ways, make sure that both look at every element.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: why two of the five kernels were slow
#
# The suite of 2019 took 13.06 ms for the five kernels of `sin(x)**2 + cos(x)**2` on a V100. Their bytes take less. CuPy of that time computed
# `x**2` with the C function `pow`, which takes any exponent. In float64 that is some 240 operations (our estimate) instead of one.

# %%
square = limit(bytes=16 * elements, flops=elements, machine="V100")
power = limit(bytes=16 * elements, flops=240 * elements, machine="V100")
five = limit(bytes=88 * elements, machine="V100")
print(f"a kernel that squares: {1e3 * square.seconds:.2f} ms, {square.binds} binds")
print(f"a kernel of pow:       {1e3 * power.seconds:.2f} ms, {power.binds} binds")
with_pow = five.seconds + 2 * (power.seconds - square.seconds)
print(f"all five: {1e3 * five.seconds:.1f} ms with squares, {1e3 * with_pow:.1f} ms with pow; measured: 13.06 ms")

# %% [markdown]
# CuPy turns `x**2` into a square only since July 2026. In an older CuPy write `x * x`. Other exponents still use `pow`, in NumPy too:

# %%
cubed = measure(lambda: x**3, name="x**3", repeat=3)
multiplied = measure(lambda: x * x * x, name="x*x*x", repeat=3)
print(cubed, multiplied, sep="\n")

# %% [markdown]
# ## Where did my memory go?
#
# *A good place for a pause.*
#
# **Predict.** The next cell makes an array and deletes it. How many arrays' worth of memory does CuPy still hold for it?

# %%
pool = cp.get_default_memory_pool()
y_gpu = None
pool.free_all_blocks()
before, in_use = pool.total_bytes(), pool.used_bytes()
t = x_gpu + 1
del t

my_held_arrays = 0

# %%
held, used = pool.total_bytes() - before, pool.used_bytes() - in_use
print(f"held: {held / x.nbytes:.0f} array, and you said {my_held_arrays}; in use: {used / x.nbytes:.0f}")
pool.free_all_blocks()
print(f"held after free_all_blocks: {(pool.total_bytes() - before) / x.nbytes:.0f}")

# %% [markdown]
# **Explain.** CuPy keeps freed memory in a **[memory pool](../docs/glossary.md#term-memory-pool)**. Asking the driver for memory is slow, and the next
# array of that size gets the block from the pool at once. The command `nvidia-smi` shows it as
# taken, although nothing leaks.
#
# ![Three pictures of the device's memory. After t = x + 1 both arrays are in use. After del t the place of t belongs to the pool: nvidia-smi still
# shows two arrays. After free_all_blocks it belongs to the driver again.](drawings/pool-life.svg)
#
# Call `free_all_blocks` before another library needs the memory, but never inside a loop.
#
# The pool also cuts a large block into parts. It can return the block only when none of its parts is in use. So there can be enough free memory,
# but not in one piece. This is **fragmentation**:
#
# ![Three pictures of the device's memory. First three arrays lie side by side. After the outer two are deleted the pool keeps their places, which
# look taken to the driver. An array as large as both places together does not fit, because they do not lie side by side.](drawings/pool-holes.svg)
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
# ![An array of three rows and four columns, row by row in one buffer of twelve numbers. The view a of all rows, column 0, has no buffer: it is a
# first address and a step of 32 bytes to the next number. Its copy owns a buffer of three numbers.](drawings/view-base.svg)
#
# A program that works in pieces and keeps a list of views keeps every piece. Copy what you want to keep. The copy of 80 bytes takes 512, because CuPy
# hands out memory in units of 512 bytes.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: when the device is full
#
# CuPy first returns the pool's free blocks to the driver, and tries again. Then it raises `OutOfMemoryError`. There are three ways on:
#
# - Work in pieces, as in problem 3 of the exercise.
# - Use *managed memory*: `cp.cuda.set_allocator(cp.cuda.MemoryPool(cp.cuda.malloc_managed).malloc)`. The driver then moves pages over the bus when they
#   are touched.
# - Let a library move what is not needed now. This is **[spilling](../docs/glossary.md#term-spilling)**. Dask does it, as unit 11 shows.
#
# ![Three memories in a column. The device's memory of an H200 on top, the host's memory below it behind the bus, a disk at the bottom. Arrows
# between them show blocks that are moved down when there is no room and up again when they are needed.](drawings/device-full.svg)

# %% [markdown]
# ## The bus, and pinned memory
#
# The device can fetch data by itself, while Python does something else. It can do so only from
# **[pinned memory](../docs/glossary.md#term-pinned-memory)**, which the operating system promises not to move. From ordinary memory every byte is copied
# twice:
#
# ![Two timelines of a copy to the device. From ordinary memory the processor first copies piece by piece into a staging area, and the bus waits in
# between. From pinned memory the bus runs without a pause and the processor is free for other work.](drawings/pinned-copy.svg)
#
# A **[stream](../docs/glossary.md#term-stream)** is a queue of work on the device. A copy in one stream can run at the same time as kernels in another.

# %%
pinned = cupyx.empty_pinned(x.shape, dtype=x.dtype)
pinned[...] = x
target = cp.empty_like(x_gpu)
stream = cp.cuda.Stream(non_blocking=True)


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
for send in (from_ordinary, from_pinned):
    sent = measure(send, repeat=3)
    print(f"here, {send.__name__}: {1e3 * sent.median:.3g} ms, {x.nbytes / sent.median / 1e9:.3g} GB/s")
print(f"published, V100, pinned: {2**30 / 86.91e-3 / 1e9:.3g} GB/s")
target = pinned = None
pool.free_all_blocks()

# %% [markdown]
# Without a GPU there is no bus, and both lines are the same copy. On a GPU expect about twice the rate from pinned memory (Harris, below).
#
# ## Four bytes or eight
#
# A `float32` has half the bytes of a `float64`, and fewer digits. The two also differ in the units of arithmetic that a GPU has for them:
#
# ![A float64 has 64 bits, 52 of them for about 16 digits; a float32 has 32 bits, 23 of them for about 7 digits. An H200 has one arithmetic unit of
# float64 for every two of float32; an RTX 4090 has one for every 64.](drawings/float-bits.svg)
#
# **Predict.** The fused kernel reads 10⁸ numbers, with 50 operations each. How many times faster is it in float32 on an RTX 4090?

# %%
my_float32_factor = 2


# %%
def fused_pass(name, dtype):
    return limit(bytes=np.dtype(dtype).itemsize * elements, flops=50 * elements, machine=name, dtype=dtype)


rows = []
for name in ("H200", "RTX 4090", "RTX 4060 Laptop"):
    for dtype in ("float64", "float32"):
        least = fused_pass(name, dtype)
        rows.append(plot.Row(f"{name}, {dtype}", least.seconds, "published", f"{least.binds} binds"))

gain = fused_pass("RTX 4090", "float64").seconds / fused_pass("RTX 4090", "float32").seconds
print(f"RTX 4090: {gain:.1f}×, and you said {my_float32_factor}×")
plot.times(
    rows,
    title="One fused pass over 10⁸ numbers, 50 operations each",
    note="Limits, computed from published data sheets; nothing was measured.",
)

# %% [markdown]
# **Explain.** On a data-centre GPU memory binds in both types, so float32 gains a factor of two. A consumer GPU is slow in float64: there
# float32 is about ten times faster, or more.
#
# If you choose float32, stay in it.
#
# **Question.** `small` is a float32 array. Which result is float32, too?
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
# A Python number is *weak*: it takes the type of the array. A NumPy number has a type of its own, and so has an array made without `dtype`. One such
# operand makes everything after it float64. No warning tells you.
#
# A float32 has seven digits, and a long sum can lose them. Add ones, one after the other: the sum stops at 16 777 216, because the next float32 is
# larger by two.

# %%
ones = np.ones(17_000_000, dtype=np.float32)
print(f"one by one, in float32:   {int(np.cumsum(ones)[-1])}")
print(f"in pairs, in float32:     {int(ones.sum())}")
print(f"one by one, in float64:   {int(np.cumsum(ones, dtype=np.float64)[-1])}")
del ones

# %% [markdown]
# NumPy and CuPy add in pairs, which is much better. **Keep float32 in memory, and add in float64**: `x.sum(dtype=cp.float64)` still reads four bytes
# for each number.
#
# ## A speedup, taken apart
#
# In June 2019 a suite measured eight operations on a V100 and on the two processors of the same machine. Its chart shows speedups from 3.5 to 270.
# Each of them is a product:
#
# **speedup = hardware × (GPU's share of its limit ÷ CPU's share of its limit)**
#
# *Hardware* is the CPU's limit divided by the GPU's. Where memory binds, it is the ratio of the bandwidths. The rest is software. In the table the
# columns *GPU %* and *CPU %* are the shares of the limits.

# %%
cpu_bytes, cpu_flops = 153.6e9, 1.41e12  # per second, both processors together
gpu_bytes, gpu_flops = 900e9, 7.8e12  # a V100
table = []
for name in ("sum", "std", "elementwise", "slice", "fft", "matmul"):
    row = recorded.published(f"memory.{name}.10000x10000")
    cpu, gpu = (next(t.seconds for t in row.times if t.device == device) for device in ("cpu", "gpu"))
    if name == "matmul":
        cpu_limit, gpu_limit = row.flops / cpu_flops, row.flops / gpu_flops
    else:
        cpu_limit, gpu_limit = row.least_bytes / cpu_bytes, row.least_bytes / gpu_bytes
    table.append((name, cpu / gpu, cpu_limit / gpu_limit, 100 * gpu_limit / gpu, 100 * cpu_limit / cpu))
table = pd.DataFrame(table, columns=["operation", "speedup", "hardware", "GPU %", "CPU %"])
print(table.to_string(index=False, float_format=lambda v: f"{v:.0f}" if v > 99 else f"{v:.2g}"))

# %% [markdown]
# **Question.** The row *elementwise* has the largest speedup, 268. Where does most of it come from?
#
# - (a) The V100's memory is that much faster.
# - (b) The GPU's kernels were written especially well.
# - (c) The CPU's side was far below its own limit.

# %%
my_answer = "?"
quiz("memory.software", my_answer)

# %% [markdown]
# *matmul* is the fairest row: two tuned libraries, both far nearer to their limits. In *sum* the GPU loses, because CuPy's reductions were slow then.
# The chart took its sum from another library, CUB, which CuPy uses today.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: the same suite, by size
#
# How a speedup changes with the size of the array, from the same data:

# %%
sizes = [1_000**2, 10_000**2, 20_000**2]
curves = {}
for name in ("elementwise", "fft", "slice", "matmul", "sum"):
    curves[name] = []
    for each in (1_000, 10_000, 20_000):
        cpu, gpu = recorded.published(f"memory.{name}.{each}x{each}").times
        curves[name].append(cpu.seconds / gpu.seconds)
curves["hardware"] = [gpu_bytes / cpu_bytes] * 3
plot.lines(
    sizes,
    curves,
    xlabel="elements",
    ylabel="speedup",
    xlog=True,
    ylog=True,
    title="One GPU, one CPU: the speedups of 2019",
    note="Entschev 2019, DGX-1, one V100, CuPy 6; speedup over NumPy 1.16 with MKL.",
)

# %% [markdown]
# The chart labels all eight operations "800 MB". Three of them have other sizes:
#
# - The FFT has complex numbers, 1 600 MB.
# - The stencil has int8, 100 MB. Its kernel writes one byte for each number, and the CPU function beside it writes eight.
# - The SVD has 80 MB. It spends most of its time on a matrix of 800 MB that nobody needs. `full_matrices=False` leaves it out.

# %% [markdown]
# ## Where the GPU loses
#
# Data on the host has to cross the bus first. The passes over it must then save more time than the trip takes:
#
# ![Two timelines of four passes over data that is on the host. The server's processor needs four equal times. The H200 first waits for the bus, as
# long as three such passes, then does its four passes almost at once and is first. With three passes the processor would have been
# first.](drawings/pays-after.svg)

# %%
processor = 150e9  # bytes per second, of a good server
for name in ("V100", "H200", "RTX 4060 Laptop"):
    gpu = machine.gpus.find(name)
    saved = 1 / processor - 1 / gpu.bandwidth  # seconds for each byte in each pass
    print(f"{name:15} one trip takes as long as {gpu.bandwidth / gpu.link:3.0f} passes;", end=" ")
    print(f"it pays after {np.ceil(round((1 / gpu.link) / saved, 6)):.0f} passes")

# %% [markdown]
# For a single pass the GPU loses against such a server at **every** size, because the bus is slower than the server's own memory. With small arrays it
# loses by its launches. Fusing helps there, too: one launch instead of seven. The chart shows both for `2.5 * x + 1` as one kernel. *NumPy,
# here* is slower than the server's limit: it uses one core, and two passes.


# %%
def scale_and_shift(x, out):
    np.multiply(x, 2.5, out=out)
    np.add(out, 1, out=out)


sizes = np.array([10**2, 10**3, 10**4, 10**5, 10**6, 10**7])
numpy_here = []
for size in sizes:
    part, out = np.ones(size), np.empty(size)
    numpy_here.append(measure(scale_and_shift, part, out, repeat=5, min_time=0.02).median)

gpu = machine.gpus.find("H200")
server = 1e-6 + 16 * sizes / processor  # a call takes about 1 µs
there = gpu.launch + 16 * sizes / gpu.bandwidth
trip = there + 16 * sizes / gpu.link
assert (trip > server).all()
plot.lines(
    sizes,
    {"NumPy, here": numpy_here, "a server": server, "H200, data there": there, "H200, there and back": trip},
    xlabel="elements",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="2.5 x + 1: which is first?",
    note="NumPy: measured here. All others: limits, computed from published data sheets.",
)

# %% [markdown]
# ## Key points
#
# - Below some ten operations for each byte (1.3 for float64 on an RTX 4090) **memory binds**. Then only bytes count: each operation on whole arrays is a kernel, which reads its
#   operands and writes its result.
# - `out=` and `*=` save **memory**. Only **fusing** saves traffic: `cp.fuse`, `ElementwiseKernel`, `ReductionKernel`; on a CPU numexpr and Numba.
# - CuPy's **pool** keeps what you free. A **view** keeps its whole base, so copy what you want to keep.
# - The device fetches by itself only from **pinned** memory. Do not touch it before the copy has finished.
# - float32 gains a factor of two in a data centre, and ten or more on a consumer GPU. One float64 operand spoils it. **Add in float64.**
# - speedup = hardware × GPU's share of its limit ÷ CPU's share. A speedup far above the hardware's tells you about software.
#
# ## The exercise
#
# Six problems, 40 minutes: [exercises/02_memory.ipynb](../exercises/02_memory.ipynb). You count a line, fuse six kernels, find a leak and a stray
# float64, decide where a GPU pays, and bring a softmax near its limit. [Problem 6 of unit 01](../exercises/01_arrays.ipynb) can reach its limit now, too.
#
# ## Further reading
#
# - P. Entschev, [Single-GPU CuPy Speedups](https://blog.dask.org/2019/06/27/single-gpu-cupy-benchmarks), Dask blog, 27 June 2019, and its
#   numbers in [pentschev/pybench](https://github.com/pentschev/pybench), `examples/benchmark_array.json`, commit 89d65a6. The two processors'
#   153.6 GB/s and 1.41 TFLOP/s are computed from their data sheet.
# - [gpu-benches](https://github.com/te42kyfo/gpu-benches), commit 1c36d509ee: *scale* and *triad* with blocks of 1024 threads from the folder
#   `gpu-stream`, medians of synchronised runs on a V100 (PCIe, 16 GB) and an H200; the copy of 1 GiB on that V100 from `README.md`.
# - CuPy's documentation, [User-Defined Kernels](https://docs.cupy.dev/en/stable/user_guide/kernel.html) and [Memory
#   Management](https://docs.cupy.dev/en/stable/user_guide/memory.html).
# - CuPy pull request [10111](https://github.com/cupy/cupy/pull/10111), merged in July 2026: `x**2` becomes `square`.
# - M. Harris, [How to Optimize Data Transfers in CUDA C/C++](https://developer.nvidia.com/blog/how-optimize-data-transfers-cuda-cc/),
#   NVIDIA blog, 2012: pinned memory, measured.
# - [numexpr's user guide](https://numexpr.readthedocs.io/en/latest/user_guide.html): how it works.
# - S. Williams, A. Waterman, D. Patterson, *Roofline*, Communications of the ACM 52 (4), 2009: bytes or operations, in one picture.
