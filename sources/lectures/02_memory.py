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
# # From 98 bytes to 8
#
# *Unit 02 · memory · 40 minutes, then 25 for the exercises*
#
# The famous line of unit 01 moved 98 bytes through memory for every number, and no law says that it must move more than 8. Most array
# code is like that: it does not wait for arithmetic, it waits for bytes, and most of the bytes are its own temporaries. In this unit you
# count them, get rid of them, and then read a whole benchmark suite like a book.
#
# ## What you will be able to do
#
# - **Read** a bandwidth limit, and say whether bytes or operations bind.
# - **Count** kernels, passes and temporaries before anything runs.
# - **Fuse** many kernels into one: `cp.fuse`, `ElementwiseKernel`, `ReductionKernel`; and on a CPU numexpr and Numba.
# - **Explain** where device memory went: the pool, views that keep whole arrays alive, pinned memory.
# - **Choose** a dtype, and see where float64 creeps in.
# - **Dissect** a published speedup into what the hardware did and what the software did.
#
# You need unit 01. All of it runs in about a minute, with or without a GPU.

# %%
# %load_ext hundredfold

# %%
import cupy as cp
import cupyx
import numba
import numexpr
import numpy as np
import pandas as pd

from hundredfold import compare, limit, machine, measure, plot
from hundredfold.toolkit import recorded

# %% [markdown]
# With a GPU the arrays have the published size, 10 000 × 10 000. Without one they are smaller, so that you need not wait; everything that is
# counted per element stays the same. (With 8 GB to spare and some minutes, set `side = 10_000`.)

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
# A processor can do so many operations a second, and its memory can move so many bytes. Divide the one by the other, and you know how
# many operations it could do in the time in which one byte arrives.
#
# **Predict.** Take a V100, which moves 900 GB/s and does 7.8 TFLOP/s in float64. `y = x + 1` reads 8 bytes and writes 8 for each number.
# How many operations could the V100 do in that time, instead of the one that it is asked for?

# %%
my_operations = 10

# %% [markdown]
# **Measure.** Here that takes no stopwatch, only two figures of each data sheet:

# %%
for name in ("V100", "H200", "RTX 4090"):
    gpu = machine.gpus.find(name)
    for dtype, rate in (("float64", gpu.fp64), ("float32", gpu.fp32)):
        per_byte = rate / gpu.bandwidth
        per_number = per_byte * 2 * np.dtype(dtype).itemsize  # read and written
        print(f"{name:9} {dtype}  {per_byte:5.1f} for each byte, {per_number:4.0f} for each number in y = x + 1")

print(f"\noperations; you said {my_operations} for each number on a V100 in float64, and it is asked for 1")

# %% [markdown]
# **Explain.** Code that does fewer operations for its bytes is *bound by memory*: its arithmetic is free, and its only price is its
# bytes. On a V100 that is all code with fewer than about nine operations per byte, which is nearly every line of NumPy that you ever
# wrote. `limit` takes both and says which binds. (Look at the RTX 4090 in float64: of these three, there arithmetic stops being
# free first, with little more than one operation per byte. We come back to it.)

# %%
elements = 10_000 * 10_000
for what, moved, operations in (
    ("x + 1", 16 * elements, elements),
    ("sum of x", 8 * elements, elements),
    ("x @ x", 3 * 8 * elements, 2 * 10_000**3),
):
    least = limit(bytes=moved, flops=operations, machine="V100")
    print(f"{what:9} {least.binds:10} binds: {1e3 * least.seconds:.3g} ms at least on a V100")

# %% [markdown]
# ## Count before it runs
#
# To read a limit you have to know the bytes, and they can be counted from the source: **each operation on whole arrays is one kernel; it
# reads its operands and writes its result.** That gave the 98 of unit 01. There is a second thing to count: the *temporaries*, the arrays
# that nobody gave a name to. They must lie somewhere.
#
# **Predict.** How many arrays as large as `x` lie in the device's memory at the same time, beside `x`, while this line runs?
#
# ```python
# y = cp.sin(x_gpu) ** 2 + cp.cos(x_gpu) ** 2
# ```

# %%
my_arrays = 5

# %% [markdown]
# **Measure.** CuPy lets us listen: a *memory hook* is told of every allocation and of everything that is given back. This one remembers
# how much was taken at most. (It works for any code of yours: keep it.)


# %%
class Peak(cp.cuda.MemoryHook):
    """Listens to CuPy; afterwards `most` has the bytes that were taken at the same time."""

    name = "Peak"

    def __init__(self):
        self.taken, self.most = {}, 0

    def malloc_postprocess(self, **told):
        self.taken[told["mem_ptr"]] = told["mem_size"]
        self.most = max(self.most, sum(self.taken.values()))

    def free_postprocess(self, **told):
        self.taken.pop(told["mem_ptr"], None)


def arrays_at_once(function, *args):
    """How many arrays of the size of args[0] the call takes at the same time, its result included."""
    with Peak() as peak:
        function(*args)
    return peak.most / args[0].nbytes


def in_one_line(x):
    return cp.sin(x) ** 2 + cp.cos(x) ** 2


print(f"{arrays_at_once(in_one_line, x_gpu):.0f} arrays, and you said {my_arrays}")

# %% [markdown]
# **Explain.** Follow the line: `sin` is written; `** 2` reads it and writes a second array; then nobody needs the sine any more, and its
# memory is free again. The same for the cosine, while the first square waits: three at once. Python drops a temporary the moment nothing
# refers to it, and its memory goes back to CuPy.
#
# You can do with less: write into arrays that you have. Many tutorials say that this is faster.
#
# **Predict.** This function writes in place wherever it can. The sum of the two squares takes 88 bytes for each number (the 98 without the comparison
# and the count). How many of them does it save?


# %%
def in_place(x):
    s = cp.sin(x)
    cp.square(s, out=s)
    c = cp.cos(x)
    cp.square(c, out=c)
    s += c
    return s


my_saved_bytes = 24

# %%
kernels = pd.DataFrame(
    [
        ("s = cp.sin(x)", 8, 8),
        ("cp.square(s, out=s)", 8, 8),
        ("c = cp.cos(x)", 8, 8),
        ("cp.square(c, out=c)", 8, 8),
        ("s += c", 16, 8),
    ],
    columns=["kernel", "reads", "writes"],
)
moved = kernels[["reads", "writes"]].sum().sum()
print(kernels.to_string(index=False))
print(f"\n{len(kernels)} kernels, {moved} bytes for each number: {88 - moved} saved, you said {my_saved_bytes}")
print(f"{arrays_at_once(in_place, x_gpu):.0f} arrays at once")

# %% [markdown]
# **Explain.** None. *In place* saves memory, not traffic: a kernel reads and writes as much as before, only in another place. That is worth
# having where memory is short.
#
# By hand is how one learns to count. From now on the *lens* counts for you: `%%lens` in the first line of a cell lists its kernels with their
# bytes and temporaries, for any GPU that you name. With `--shapes` it needs no data either: this is the famous line at its published size on
# a V100, and not a byte is allocated.

# %%
# %%lens --shapes --gpu V100
x = cp.empty((10_000, 10_000))
(cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1).all()

# %% [markdown]
# ![Bytes that move through memory for each number. Seven kernels read their operands and write their results each, 98 bytes together; one fused
# kernel reads the number once, 8 bytes, and keeps everything else in the processor.](drawings/seven-kernels.svg)

# %% [markdown]
# There are the seven kernels and the 9.8 GB of unit 01, and the time that they take at least. (It is a percent below what `limit` says of the same bytes: the lens
# allows for what may still lie in the GPU's cache. The bound "as one kernel" counts `x` as read
# once.) And at the end it says what could be done. To save traffic there is one way: **fewer kernels, each of which
# does more**.
#
# ## One kernel of many
#
# `cp.fuse` is a decorator, written `@cp.fuse()`; to wrap a function that is there already, `cp.fuse(function)`. It watches what a function does with its arrays and makes one kernel of it: each number is read once, all
# operations happen in the GPU's registers, and the result is written once.

# %% [markdown]
# The nearer a memory is to the threads, the smaller and the faster it is. A fused kernel keeps its intermediate results at the top.
#
# ![The memories that a thread of an H200 can reach, from small and near to large and far: registers, shared memory with L1, the L2 cache, the
# device's memory, and the host's memory behind the bus. Each step is larger and slower.](drawings/memory-ladder.svg)

# %%
fused = cp.fuse(in_one_line)
np.testing.assert_allclose(cp.asnumpy(fused(x_gpu[0])), cp.asnumpy(in_one_line(x_gpu[0])), rtol=1e-14)
print(f"{arrays_at_once(fused, x_gpu):.0f} array at once: the result")

# %% [markdown]
# 16 bytes instead of 88. It may end in one sum over the array, with `axis=` too, but not with `keepdims=`; that sum is part of the same pass: nothing large is written at all.
# (It may even go on after a sum. Then it is still one kernel, but each sum ends a pass: what comes after it reads its arrays once more, and what it
# needs of those before it was written.) What it cannot do is decide by values: what
# it makes a kernel of must not depend on what is in the array.


# %%
@cp.fuse()
def count_ones(x):
    return cp.sum((cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1).astype(cp.int64))


@cp.fuse()
def decides(x):
    return x if x > 0 else -x  # write cp.where(x > 0, x, -x)


try:
    decides(x_gpu[0])
except Exception:
    print("refused: a fused function cannot ask what is in an array")

share = int(count_ones(x_gpu[:1_000])) / x_gpu[:1_000].size
assert 0.5 < share < 0.9

# %% [markdown]
# When you want to say yourself what the kernel does, there are two more doors, each with one line of C in it. `T` stands for whatever
# type the array has. `ElementwiseKernel` says what happens to each element:

# %%
distance = cp.ElementwiseKernel(
    "T x, T y",  # what goes in
    "T d",  # what comes out
    "d = sqrt(x * x + y * y)",  # for each element
    "distance",
)
distance(cp.asarray([3.0, 5.0]), cp.asarray([4.0, 12.0]))

# %% [markdown]
# `ReductionKernel` also says how two intermediate results become one. This is the whole question of unit 01 in one kernel: 8 bytes are
# read for each number, and one number is written.

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
# Like a sum, a `ReductionKernel` can be called with `axis=` and `keepdims=`; both kinds take several arrays, and broadcast them.
#
# **Predict.** Seven kernels with 98 bytes per number, or one with 8: how many times faster is the one on a V100, at the limit? (Is it
# still the bytes that bind? With 50 operations for a sine and a cosine, as estimated in unit 01.)

# %%
my_fusing_factor = 7

# %%
seven = limit(bytes=98 * elements, flops=50 * elements, machine="V100")
one = limit(bytes=8 * elements, flops=50 * elements, machine="V100")
print(f"seven kernels: {1e3 * seven.seconds:.3g} ms at least, {seven.binds} binds")
print(f"one kernel:    {1e3 * one.seconds:.3g} ms at least, {one.binds} binds")
print(f"{seven.seconds / one.seconds:.1f}×, and you said {my_fusing_factor:.1f}×")
print(f"on an RTX 4090 {limit(bytes=8 * elements, flops=50 * elements, machine='RTX 4090').binds} binds")

# %% [markdown]
# **Measure**, beside the strongest that your processor can do. (`limit` without `machine=` means the one that runs the cell.) *numexpr* cuts the arrays into pieces that fit into the cache and works on
# them with all cores. Numba compiles one loop for all cores.


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
print(f"{once / 1e6:.0f} MB here, {8 * elements / 1e6:.0f} MB published: compare the ratios, not the times")
compare(
    "arrays.sincos",
    took,
    naive=took["NumPy"],
    strongest=took["Numba, all cores"],
    limit=limit(bytes=once),
)

# %% [markdown]
# **Explain.** (Each limit is of its own size: the V100's of the published array, this CPU's of the one here.) On a GPU the two CuPy rows should lie about as far apart as you predicted. Without one they lie close together: the fused
# function is counted as one kernel, but your processor works through its operations one by one. And even where they are really fused, by
# numexpr and Numba, there is little to gain here, because on your processor a sine costs more than all its bytes: arithmetic binds. Take a
# line with cheap arithmetic, the distance of each point (x, y) from (1, -2), 104 bytes in six passes or 24 in one, and the bytes show:

# %%
y = np.random.default_rng(seed=3).random((side, side))
result = np.empty_like(x)


@numba.njit(parallel=True)
def distances(x, y, out):
    for i in numba.prange(x.size):
        out[i] = np.sqrt((x[i] - 1) ** 2 + (y[i] + 2) ** 2)


passes = measure(lambda: np.sqrt((x - 1) ** 2 + (y + 2) ** 2), repeat=5)
one_pass = measure(distances, x.ravel(), y.ravel(), result.ravel(), repeat=5)
print(f"NumPy, six passes: {1e3 * passes.median:.3g} ms; Numba, one pass: {1e3 * one_pass.median:.3g} ms")
print(f"{passes.median / one_pass.median:.1f}× faster; the bytes alone say {104 / 24:.1f}×")

# %% [markdown]
# The rest is that Numba uses all cores and writes into memory that is already there; NumPy uses one core and fresh memory (see *Where did my
# memory go?*).
#
# ### The trap of `.all()`, sprung
#
# Unit 01 asked for a count, because `.all()` may stop at the first `False`. In NumPy and CuPy that hardly matters, the work is done by
# then. In a *fused* loop it is everything:


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
# A speedup of some hundred thousand, all of it from work that was not done. A limit finds it out at once: no memory is that fast.
# Whenever you compare two ways, make sure that both have to look at everything.
#
# ### Two of the five kernels were slow
#
# In unit 01 a suite of 2019 took 13.06 ms for the five kernels of `sin(x)**2 + cos(x)**2` on a V100, whose bytes take less. Where was the
# rest? CuPy of that time gave every `**` to the C function `pow`, which takes any exponent and does not care that it is 2. In float64
# that is some 240 operations (our estimate) instead of one.

# %%
square = limit(bytes=16 * elements, flops=elements, machine="V100")
power = limit(bytes=16 * elements, flops=240 * elements, machine="V100")
five = limit(bytes=88 * elements, machine="V100")
print(f"a kernel that squares: {1e3 * square.seconds:.2f} ms, {square.binds} binds")
print(f"a kernel of pow:       {1e3 * power.seconds:.2f} ms, {power.binds} binds")
with_pow = five.seconds + 2 * (power.seconds - square.seconds)
print(f"all five: {1e3 * five.seconds:.1f} ms with squares, {1e3 * with_pow:.1f} ms with pow; measured: 13.06 ms")

# %% [markdown]
# CuPy turns `x**2` into a square only since July 2026. In an older one write `cp.square(x)` or `x * x`: the bytes are the same, the
# arithmetic is not. Other exponents are still `pow`, in NumPy too:

# %%
cubed = measure(lambda: x**3, name="x**3", repeat=3)
multiplied = measure(lambda: x * x * x, name="x*x*x", repeat=3)
print(cubed, multiplied, sep="\n")

# %% [markdown]
# One pass with expensive arithmetic, against two passes with cheap: which wins depends on the machine, and you can work it out.
#
# ## Where did my memory go?
#
# **Predict.** An array is made and deleted. How many arrays' worth of memory more than before does CuPy hold now?

# %%
pool = cp.get_default_memory_pool()
result = y = None
pool.free_all_blocks()
before, in_use = pool.total_bytes(), pool.used_bytes()
temporary = x_gpu + 1
del temporary

my_held_arrays = 0

# %%
held = pool.total_bytes() - before
in_use = pool.used_bytes() - in_use
print(f"held by CuPy: {held / x.nbytes:.0f} array, you said {my_held_arrays}; in use: {in_use / x.nbytes:.0f}")
pool.free_all_blocks()
print(f"after free_all_blocks: {(pool.total_bytes() - before) / x.nbytes:.0f}")

# %% [markdown]
# **Explain.** CuPy keeps what you free, in a *memory pool*, since asking the driver for memory is slow and can make the whole device
# wait. The next array of that size gets it back at once. So an array that is gone still shows in `nvidia-smi`; nothing leaks. Call
# `free_all_blocks` before another library needs the memory, never inside a loop.
#
# Your processor's memory works the same way, and there you can see the price. NumPy gives large arrays back to the operating system, and
# gets fresh pages for the next one, each of which has to be cleared:

# %%
kept = np.empty_like(x)
fresh = measure(lambda: np.add(x, 1), repeat=5)
reused = measure(lambda: np.add(x, 1, out=kept), repeat=5)
for what, took_this in (("fresh memory", fresh), ("memory we keep", reused)):
    print(f"into {what}: {1e3 * took_this.median:.3g} ms, {2 * x.nbytes / took_this.median / 1e9:.3g} GB/s")
kept = None

# %% [markdown]
# A pool can have enough free memory and still not have it in one piece. This is **fragmentation**.
#
# ![Three pictures of the device's memory. First three arrays lie side by side. After the outer two are deleted the pool keeps their places, which
# look taken to the driver. An array as large as both places together does not fit, because they do not lie side by side.](drawings/pool-holes.svg)

# %% [markdown]
# **Predict.** A function makes a large array and returns the first ten numbers of it. The large array has no name any more. How many
# bytes stay in use?


# %%
def first_ten(x):
    return (x + 1)[0, :10]


before = pool.used_bytes()
ten = first_ten(x_gpu)

my_bytes = 80

# %%
used = pool.used_bytes() - before
assert used >= x.nbytes
print(f"in use: {used / x.nbytes:.0f} whole array, and you said {my_bytes} bytes")
ten = first_ten(x_gpu).copy()
print(f"with .copy(): {pool.used_bytes() - before} bytes")

# %% [markdown]
# **Explain.** A slice is a *view*: it shows a part of an array and keeps all of it alive. A list of such slices is the most common reason
# why a program that "works in pieces" runs out of memory. `.copy()` what you want to keep. (512 and not 80, since CuPy hands out memory
# in units of 512 bytes.)
#
# ## The bus, and pinned memory
#
# Data that does not lie on the device has to get there. The device fetches it by itself, while your processor does something else, but
# only from *pinned* memory, which the operating system promises not to move. From ordinary memory the driver copies twice,
# as the drawing below shows. And who wants to do something else meanwhile puts the copy into a *stream* of its own: a queue of work which the
# device goes through beside others (`non_blocking=True`: also beside the default one).

# %% [markdown]
# ![Two timelines of a copy to the device. From ordinary memory the processor first copies piece by piece into a staging area, and the bus waits in
# between. From pinned memory the bus runs without a pause and the processor is free for other work.](drawings/pinned-copy.svg)

# %%
pinned = cupyx.empty_pinned(x.shape, dtype=x.dtype)
pinned[...] = x
target = cp.empty_like(x_gpu)
stream = cp.cuda.Stream(non_blocking=True)


def from_ordinary():
    target.set(x)


def from_pinned():
    target.set(pinned, stream=stream)  # returns at once: the copy goes on
    stream.synchronize()  # until here `pinned` must not be written


for send in (from_ordinary, from_pinned):
    sent = measure(send, repeat=3)
    print(f"{send.__name__}: {1e3 * sent.median:.3g} ms, {x.nbytes / sent.median / 1e9:.3g} GB/s")
target = pinned = None
pool.free_all_blocks()

# %% [markdown]
# (Without a GPU there is no bus, and both are the same copy. On one, expect a factor of about two.) Even pinned, the bus is the slowest
# road there is, and it sets a price: **how often must you use the data on the device before sending it pays?** Below, for kernels that read
# every number once. A pass on the GPU saves only what the processor would have taken *more*: the nearer the two memories, the more passes it takes.

# %%
for name in ("V100", "H200", "RTX 4060 Laptop"):
    gpu = machine.gpus.find(name)
    processor = 150e9  # bytes per second, of a good server
    gain = 1 / processor - 1 / gpu.bandwidth  # seconds that each pass saves, per byte
    print(f"{name:15}  one trip costs {gpu.bandwidth / gpu.link:3.0f} passes; ", end="")
    print(f"against a server's processor it pays after {np.ceil(round((1 / gpu.link) / gain, 6)):.0f} passes")

# %% [markdown]
# A good place for a pause.
#
# ## Four bytes or eight
#
# `float32` has half the bytes. Is it twice as fast?
#
# **Predict.** The fused kernel, one read of 10⁸ numbers with 50 operations each, on an RTX 4090. How many times faster is it in float32?

# %%
my_float32_factor = 2

# %% [markdown]
# **Measure**, by the data sheets:


# %%
def fused_pass(name, dtype):
    return limit(bytes=np.dtype(dtype).itemsize * elements, flops=50 * elements, machine=name, dtype=dtype)


rows = []
for name in ("V100", "H200", "RTX 4090", "RTX 4060 Laptop"):
    for dtype in ("float64", "float32"):
        least = fused_pass(name, dtype)
        rows.append(plot.Row(f"{name}, {dtype}", least.seconds, "published", f"{least.binds} binds"))

gain = fused_pass("RTX 4090", "float64").seconds / fused_pass("RTX 4090", "float32").seconds
print(f"RTX 4090: {gain:.1f}×, and you said {my_float32_factor}×")
plot.times(
    rows,
    title="One fused pass over 10⁸ numbers, 50 operations each",
    note="Limits, reckoned from published data sheets; nothing was measured.",
)

# %% [markdown]
# **Explain.** On the GPUs of data centres bytes bind in both, so float32 is worth a factor of two. A consumer GPU has one float64 unit
# for sixty-four of float32: there float64 is bound by arithmetic, and float32 gains about ten times, or more.
#
# If you choose float32, stay in it. Which of these results are float32?

# %%
small = x_gpu[:2].astype(cp.float32)
results = {
    "small * 2.5": small * 2.5,
    "small * np.sqrt(2)": small * np.sqrt(2),
    "small * float(np.sqrt(2))": small * float(np.sqrt(2)),
    "small + cp.zeros(side)": small + cp.zeros(side),
    "small + cp.zeros(side, small.dtype)": small + cp.zeros(side, small.dtype),
}
for source, array in results.items():
    print(f"{source:36} {array.dtype}")

# %% [markdown]
# A Python number is *weak*: it takes the type of the array it meets. A NumPy scalar is not, and `np.sqrt(2)` is one. Nor are arrays that
# were made without a `dtype`. One such operand, and from there on everything is float64: twice the bytes, and on a consumer GPU
# sixty-four times the arithmetic. No warning says so. Look at the `dtype` of your results.
#
# What float32 costs is digits: it has seven. Where that hurts most is a long sum. Add up ones, and it stops at 16 777 216, where the next
# number that float32 knows is two further on:

# %%
ones = np.ones(17_000_000, dtype=np.float32)
print(f"one by one, in float32:   {int(np.cumsum(ones)[-1])}")
print(f"in pairs, in float32:     {int(ones.sum())}")
print(f"one by one, in float64:   {int(np.cumsum(ones, dtype=np.float64)[-1])}")
del ones

# %% [markdown]
# NumPy and CuPy add in pairs, or by many threads, which is much better than one by one, in a loop of yours. **Keep float32 in memory, and
# add in float64**: `x.sum(dtype=cp.float64)` reads four bytes as before, and its wider arithmetic is hidden behind them.
#
# ## Eight operations, taken apart
#
# In June 2019 a suite measured eight operations on a V100 and on the two processors of the same DGX-1, waited for each, and published its
# raw numbers. (The two processors have forty cores together.) Its chart is still shown: speedups from 3.5 to 270, all "at 800 MB" (for the sum the
# chart's kernel came from another library, CUB, than the raw data's, so the table below has less for it). It is honest work: every number is possible. But few who
# quote the 270 can say what it means. You will.
#
# **Predict.** The V100 has 900 GB/s, the two processors together 153.6 GB/s. What is the speedup of an operation that is bound by memory,
# if the software on both sides is equally good?

# %%
my_silicon = 10

# %%
silicon = 900 / 153.6
print(f"the hardware alone: {silicon:.1f}×, and you said {my_silicon}×")

# %% [markdown]
# **Measure.** Every speedup is then a product: **speedup = hardware × (the GPU's share of its limit ÷ the CPU's share of its limit)**. The
# table has the three parts of it, for each operation. First the sizes have to be corrected: three of the eight "800 MB" are something else.

# %%
published = {
    "sum": ("memory.sum.10000x10000", 800e6),
    "sum, CUB": ("memory.sum.cub", 800e6),
    "std": ("memory.std.10000x10000", 800e6),
    "elementwise": ("memory.elementwise.10000x10000", 800e6),
    "slice": ("memory.slice.10000x10000", 800e6),
    "FFT": ("memory.fft.10000x10000", 1_600e6),  # complex128
    "matmul": ("memory.matmul.10000x10000", 800e6),
    "SVD": ("memory.svd.10000x1000", 80e6),  # and U, of 800 MB, that nobody asked for
    "stencil": ("memory.stencil.10000x10000", 100e6),  # int8
}
table = []
for name, (workload, size) in published.items():
    row = recorded.published(workload)
    cpu, gpu = (next(t.seconds for t in row.times if t.device == device) for device in ("cpu", "gpu"))
    if name == "SVD":
        cpu_least = gpu_least = float("nan")  # what binds it is neither bytes nor plain operations
    elif name == "matmul":
        cpu_least, gpu_least = row.flops / 1.41e12, row.flops / 7.8e12
    else:
        cpu_least, gpu_least = row.least_bytes / 153.6e9, row.least_bytes / 900e9
    reached = [100 * gpu_least / gpu, 100 * cpu_least / cpu]
    table.append((name, size / 1e6, cpu / gpu, cpu_least / gpu_least, *reached))
table = pd.DataFrame(table, columns=["operation", "true MB", "speedup", "hardware", "GPU %", "CPU %"])
print(table.to_string(index=False, na_rep="–", float_format=lambda v: f"{v:.0f}" if v > 99 else f"{v:.2g}"))

# %% [markdown]
# **Explain.** Read a line from left to right: the 268 of *elementwise* are 5.9 by the hardware, times 46 because the GPU's side reached 14 %
# of its limit and the CPU's side 0.3 %: one of forty cores, five passes, every temporary in fresh memory. The V100 did not shine either:
# fused it could have been seven times faster. *sum* was slower than on the CPU in the raw numbers, because CuPy's reductions were slow
# then; the chart's 66 was measured with NVIDIA's CUB, which CuPy took over later: the same GPU, eighty-six times faster by software.
# *matmul* is the only fair race, two tuned libraries, and its 11 is the most honest number of the chart. The *stencil* compares a kernel
# that writes one byte with a CPU function that writes eight. And the *SVD* measures above all how fast one can build a matrix that nobody
# asked for.
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
curves["hardware"] = [silicon] * 3
plot.lines(
    sizes,
    curves,
    xlabel="elements",
    ylabel="speedup",
    xlog=True,
    ylog=True,
    title="One GPU, one CPU: the speedups of 2019",
    note="Pentschev 2019, DGX-1, one V100, CuPy 6; speedup over NumPy 1.16 with MKL.",
)

# %% [markdown]
# Seven years later, on your machine: the same eight, at 1 000 × 1 000 (with a GPU at 10 000 × 10 000, the SVD with a tenth of the
# columns). Each is one function for both libraries.

# %%
m = 10_000 if side == 10_000 else 1_000


def smooth(xp, x):
    """The mean of 3 × 3 neighbours, int8 in and out, by nine slices."""
    rows, columns = x.shape
    total = xp.zeros((rows - 2, columns - 2), dtype=xp.int16)
    for i in range(3):
        for j in range(3):
            total += x[i : rows - 2 + i, j : columns - 2 + j]
    return (total // 9).astype(xp.int8)


operations = {
    "sum": lambda xp, x: x.sum(),
    "std": lambda xp, x: x.std(),
    "elementwise": lambda xp, x: xp.sin(x) ** 2 + xp.cos(x) ** 2,
    "slice": lambda xp, x: x[::3].copy(),
    "FFT": lambda xp, x: xp.fft.fft(x),
    "matmul": lambda xp, x: x @ x,
    "SVD": lambda xp, x: xp.linalg.svd(x[:, : m // 10], full_matrices=False),
    "stencil": smooth,
}
for name, operation in operations.items():
    host = x[:m, :m].astype({"FFT": np.complex128, "stencil": np.int8}.get(name, np.float64))
    on_device = cp.asarray(host)
    cpu = measure(operation, np, host, repeat=2, min_time=0)
    gpu = measure(operation, cp, on_device, repeat=2, min_time=0)
    print(f"{name:11}  {host.nbytes / 1e6:.0f} MB: ", end="")
    print(f"NumPy {1e3 * cpu.median:.3g} ms, CuPy {1e3 * gpu.median:.3g} ms")
del host, on_device

# %% [markdown]
# (Without a GPU both columns are your processor, and about the same: where CuPy looks faster or slower here, it is by the simulation's
# own way of doing it.) The thin SVD, `full_matrices=False`, leaves out the matrix that nobody asked for; in the suite's version almost
# all time goes there.
#
# ## Where the GPU loses
#
# Bytes and bandwidth say what a *large* array takes. A small one takes the launch, whatever its size, and data that lies on the host
# takes the bus. Take a line that is bound by memory everywhere, `2.5 * x + 1` in one kernel, 16 bytes for each number, and draw it from a
# hundred numbers to ten million.


# %%
def scale_and_shift(x, out):
    np.multiply(x, 2.5, out=out)
    np.add(out, 1, out=out)


sizes = np.array([10**2, 10**3, 10**4, 10**5, 10**6, 10**7])
numpy_here = []
for size in sizes:
    part, out = np.ones(size), np.empty(size)
    numpy_here.append(measure(scale_and_shift, part, out, repeat=5, min_time=0.02).median)


def on_gpu(name, size, bus):
    gpu = machine.gpus.find(name)
    return gpu.launch + 16 * size / gpu.bandwidth + (16 * size / gpu.link if bus else 0)


crossing = {
    "NumPy, here": numpy_here,
    "a server's CPU": [1e-6 + 16 * size / 150e9 for size in sizes],
    "V100, data there": [on_gpu("V100", size, bus=False) for size in sizes],
    "V100, there and back": [on_gpu("V100", size, bus=True) for size in sizes],
    "H200, data there": [on_gpu("H200", size, bus=False) for size in sizes],
    "H200, there and back": [on_gpu("H200", size, bus=True) for size in sizes],
}
plot.lines(
    sizes,
    crossing,
    xlabel="elements",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="2.5 x + 1: who is first?",
    note="NumPy: measured here. All others: limits, reckoned from published data sheets.",
)

# %% [markdown]
# Two rules can be read off. *Data there*: the GPU overtakes where its launch is paid for, where the seconds that each byte saves add up to the
# launch. *There and back*: the curve runs above that of the server's processor at **every** size and never crosses it, because a bus is
# slower than the memory on either side of it.

# %%
for name in ("V100", "H200"):
    gpu = machine.gpus.find(name)
    crossover = (gpu.launch - 1e-6) / (16 * (1 / 150e9 - 1 / gpu.bandwidth))
    print(f"{name}: overtakes a server's processor at arrays of {8 * crossover / 1e3:.0f} kB")
    for size in sizes:
        assert on_gpu(name, size, bus=True) > 1e-6 + 16 * size / 150e9  # never

# %% [markdown]
# Two cures, then: fewer launches, which fusing brings as well (one for seven), and data that stays where the work is.
#
# ## Key points
#
# - Below some ten operations per byte **memory binds**, and the only price of a line is its bytes. Count them: each operation on whole
#   arrays is a kernel, reads its operands and writes its result.
# - `out=` and `*=` save **memory**; only **fusing** saves traffic: `cp.fuse`, `ElementwiseKernel`, `ReductionKernel`, and on the CPU
#   numexpr and Numba.
# - CuPy's **pool** keeps what you free. A **view** keeps its whole base: copy what you want to keep.
# - The device fetches by itself only from **pinned** memory, which must be left alone until the copy is done.
# - float32 is worth two in a data centre, and about ten, or more, on a consumer GPU, unless one float64 operand spoils it. Keep in float32, **add
#   in float64**.
# - speedup = hardware × GPU's share of its limit ÷ CPU's share of its. Far above the hardware, a speedup tells of software.
# - Small arrays pay for the launch; data from the host pays for the bus, at any size.
#
# ## The exercise
#
# Six problems, 25 minutes: [exercises/02_memory.ipynb](../exercises/02_memory.ipynb). You will count a line before it runs, make one kernel
# of six, find a leak and a stray float64, refuse a GPU three times, and bring a softmax as near to its limit as you can. And
# [problem 6 of unit 01](../exercises/01_arrays.ipynb), which you may have left half-way, can reach its limit now.
#
# ## Further reading
#
# - P. Entschev, [Single-GPU CuPy Speedups](https://blog.dask.org/2019/06/27/single-gpu-cupy-benchmarks), Dask blog, 27 June 2019, and its
#   raw numbers in [pentschev/pybench](https://github.com/pentschev/pybench), `examples/benchmark_array.json`, commit 89d65a6: the table
#   above is made of them. The sum with CUB is reckoned from the
#   post's 66×, measured before CuPy had merged it. The two processors' 153.6 GB/s and 1.41 TFLOP/s are reckoned from their data sheet.
# - CuPy's documentation, [User-Defined Kernels](https://docs.cupy.dev/en/stable/user_guide/kernel.html) and [Memory
#   Management](https://docs.cupy.dev/en/stable/user_guide/memory.html).
# - CuPy pull request [10111](https://github.com/cupy/cupy/pull/10111), merged in July 2026: `x**2` becomes `square`.
# - M. Harris, [How to Optimize Data Transfers in CUDA C/C++](https://developer.nvidia.com/blog/how-optimize-data-transfers-cuda-cc/),
#   NVIDIA blog, 2012: pinned memory, measured.
# - [numexpr's user guide](https://numexpr.readthedocs.io/en/latest/user_guide.html): how it works, in pieces that fit into the cache.
# - S. Williams, A. Waterman, D. Patterson, *Roofline*, Communications of the ACM 52 (4), 2009: bytes or operations, in one picture.
