# ---
# jupyter:
#   hundredfold:
#     unit: 4
#     slug: compiling
#     title: "Compiling: fast loops on the CPU"
#     teaching: 30
#     exercises: 25
# ---

# %% [markdown]
# # 04 · Compiling: fast loops on the CPU
#
# *Unit 04 · compiling · 30 minutes, then 25 for the exercises*
#
# In June 2019 a post on Python and GPUs made two promises. Two added lines speed up a Python loop **500×**, on the CPU. And a 3 × 3
# smoothing of a picture goes from **600 ms** on a CPU to **3 ms** on a GPU. Both numbers are true. In this unit you get the first, find out
# what it compares, and then use it to take the second one apart: how much of the 200× is left when the CPU is allowed to try?
#
# ## What you will be able to do
#
# - **Compile** a Python loop with Numba, and say when that pays.
# - **Read** what Numba refuses, and know what it does *not* check for you.
# - **Use** all cores without a race, and notice one that is there.
# - **Judge** a "200×": against the naive way, the strongest way, and the limit.
#
# You need NumPy, and the habits of unit 01: wait, warm up, compare with a limit. Everything here but one cell (`ElementwiseKernel`)
# runs on your processor, with or without a GPU; it takes about a minute.

# %%
# %load_ext hundredfold

# %%
import math
from time import perf_counter

import cupy as cp
import numba
import numpy as np
from numba import njit, prange, stencil

from hundredfold import compare, limit, machine, measure, plot

# %% [markdown]
# ## Two lines for 500×
#
# The loop of the post, word for word but for its name. It is the kind of loop one is told never to write in Python.


# %%
def total(x):
    total = 0
    for i in range(x.shape[0]):
        total += x[i]
    return total


x = np.random.default_rng(seed=4).random(10_000_000)
in_python = measure(total, x, name="the loop in Python", bytes=x.nbytes, repeat=1)
print(in_python)
print(f"{1e9 * in_python.median / x.size:.0f} ns for each number")

# %% [markdown]
# What takes so long? Not the addition. For each number the interpreter fetches `x[i]`, which makes a new Python object around eight bytes;
# asks that object what `+` means for it; makes another object for the sum; and throws two objects away.
#
# **Predict.** Numba reads the bytecode of the function, works out all types from those of the arguments, and has the same compiler behind
# Clang and Rust, LLVM, make machine code of it. How many times faster will that be?

# %%
my_guess = 50

# %% [markdown]
# **Measure.** `njit(total)` is what the decorator `@njit` above the function would give. (`njit` is short for `jit(nopython=True)`, which is what
# `jit` means today.)

# %%
compiled = njit(total)
with_numba = measure(compiled, x, name="njit", bytes=x.nbytes)
with_numba

# %%
print(f"speedup {in_python.median / with_numba.median:.0f}×, and you guessed {my_guess}×")
assert math.isclose(compiled(x), total(x), rel_tol=1e-9)

# %% [markdown]
# **Explain.** A hundred or several hundred times: the promise is of the right size, and no GPU was near. But look at what it compares: machine code with an
# *interpreter*. That is not the CPU's speed against anything; it is the price of 10 million small objects. Nobody sums like that. What would
# you have written?

# %%
numbers = x[:1_000_000].tolist()
built_in = measure(sum, numbers, name="sum(list)", repeat=3).median * x.size / len(numbers)
with_numpy = measure(np.sum, x, name="np.sum", bytes=x.nbytes)
print(f"Python's own sum, over a list:  {1e3 * built_in:.0f} ms")
print(f"np.sum:                         {1e3 * with_numpy.median:.1f} ms")
print(f"against np.sum, Numba is        {with_numpy.median / with_numba.median:.1f}×")

# %% [markdown]
# Against the line you would have written, there is hardly anything to gain. Compile what NumPy has **no** line for; do not rewrite NumPy.
#
# ### The first call compiles
#
# `measure` showed the first call apart: it took a hundred times longer or more, since it compiled. And it is not one first call, but one for every
# new combination of argument types:

# %%
for kind in ("float32", "int64"):
    start = perf_counter()
    compiled(x[:10].astype(kind))
    print(f"first call with {kind}: {1e3 * (perf_counter() - start):.0f} ms")
print(*(f"{s.args[0]} -> {s.return_type}" for s in compiled.nopython_signatures), sep="\n")

# %% [markdown]
# (`1d, C` says: one-dimensional, contiguous. A slice `x[::2]` is another type again. And why float32 -> float64? Because `total` begins as `0`, a whole
# number, and int64 and float32 meet in float64.)
#
# In a file, `@njit(cache=True)` keeps the machine code for the next process. In a script that runs once for a second, not to compile is a
# respectable answer.
#
# ## What the compiler may not do
#
# `njit` came out near `np.sum`, and both are some way from the limit of one core's memory. Why? In machine code too, **each addition waits
# for the one before**, three or four cycles of the clock. The compiler could keep eight sums at once and add them up in the end, but it may
# not: for floating-point numbers $(a + b) + c$ and $a + (b + c)$ differ in the last digit, and you wrote an order.
#
# **Predict.** You can allow it, with `fastmath=True`. How many times faster will the sum be? And will it become less accurate?

# %%
my_factor = 1

# %% [markdown]
# **Measure.** For the accuracy, a sum whose exact value is known: `math.fsum` rounds only once, at the very end.

# %%
fast = njit(fastmath=True)(total)
with_fastmath = measure(fast, x, name="njit, any order", bytes=x.nbytes)
print(f"in any order: {1e3 * with_fastmath.median:.1f} ms, {with_fastmath.fraction:.0%} of the limit")
print(f"{with_numba.median / with_fastmath.median:.1f}× against the sum in order; you said {my_factor}×")

tenths = np.full(x.size, 0.1)
exact = math.fsum(tenths)
in_order, any_order = abs(compiled(tenths) - exact), abs(fast(tenths) - exact)
assert 0 < any_order < in_order
print(f"the error in order is {in_order / any_order:.0f}× the error in any order")

# %% [markdown]
# **Explain.** Several short sums lose less than one long one, so here the new order is even *better*. (NumPy adds in pairs of pairs, which is
# better still. For whole numbers the order does not matter, and the compiler uses it unasked.) But `fastmath=True` is a bundle, and some of it you may
# not want. It also promises that **there is no NaN**, and that algebra holds. Two victims:


# %%
def count_nan(x):
    count = 0
    for i in range(x.size):
        count += np.isnan(x[i])
    return count


def kahan(x):
    """A sum that carries along what each addition rounds off (W. Kahan, 1965)."""
    total, lost = 0.0, 0.0
    for i in range(x.size):
        y = x[i] - lost
        new = total + y
        lost = (new - total) - y  # algebra says: always zero
        total = new
    return total


gaps = np.array([1.0, np.nan, 3.0])
print("NaN found, as written:    ", njit(count_nan)(gaps))
print("NaN found, with fastmath: ", njit(fastmath=True)(count_nan)(gaps))
assert njit(kahan)(tenths) == exact
assert njit(fastmath=True)(kahan)(tenths) != exact
print("Kahan's sum is exact as written, and no better than any other with fastmath")
del tenths, numbers  # memory that is needed below

# %% [markdown]
# `fastmath={"reassoc", "nsz"}` asks for the other order alone (*reassociate*, and *no signed zeros*: 0.0 may become -0.0), and leaves NaN as it is.
# (It still breaks Kahan's sum, whose point is the order.)
#
# ## All cores
#
# `parallel=True` and `prange` in place of `range` give each core a part of the loop. A plain variable that is only ever added to, such as
# `total`, is recognised as a *reduction*: each thread gets its own, and they are added up at the end.


# %%
@njit(parallel=True, fastmath={"reassoc", "nsz"})
def total_on_all_cores(x):
    total = 0.0
    for i in prange(x.shape[0]):
        total += x[i]
    return total


on_all_cores = measure(total_on_all_cores, x, name="prange", bytes=x.nbytes)
on_all_cores

# %%
compare(
    "compiling.sum",
    {
        "the loop in Python": in_python,
        "np.sum": with_numpy,
        "njit": with_numba,
        "njit, any order": with_fastmath,
        "njit, all cores": on_all_cores,
    },
    naive=in_python,
    strongest=on_all_cores,
    limit=limit(bytes=x.nbytes, machine="cpu"),
    n=x.size,
)

# %% [markdown]
# **Explain.** Up to three ratios for each way (to the limit, to the strongest, to the naive one), and the published one is the last. (The strongest way is meant to be the one on all cores; on a busy machine it
# may not be.) Far on the right of the picture is the price of an interpreter; on
# the left stands the memory. The nearer to it, the less another core can help: they all read the same memory. (Are all cores no faster
# than one here? A busy machine spoils threads first: all wait for the one that was kept waiting. The machine on which this page was built
# has two cores, and others were at work on them.)
#
# ### A race
#
# What is safe for a variable is not safe for an **element of an array**. Let us count how often each grey value occurs in a picture: 10 000 ×
# 10 000 pixels of one byte, or as many as your machine has room for.

# %%
room = machine.cpu.memory().available  # bytes
n = max(1_000, min(10_000, int((room / 20) ** 0.5) // 1_000 * 1_000))
picture = np.random.default_rng(seed=5).integers(-128, 128, (n, n), dtype=np.int8)
print(f"a picture of {picture.nbytes / 1e6:.0f} MB")

# %% [markdown]
# **Predict.** The obvious loop, on all cores. What share of the pixels will be missing from its counts, in per cent?

# %%
my_share = 0

# %% [markdown]
# **Measure.** Five times:


# %%
@njit(parallel=True)
def racy(pixels):
    counts = np.zeros(256, np.int64)
    for i in prange(pixels.size):
        counts[pixels[i] + 128] += 1  # values begin at -128, places at 0
    return counts


pixels = picture.ravel()
lost = [1 - racy(pixels).sum() / pixels.size for _ in range(5)]
print("missing:", ", ".join(f"{share:.1%}" for share in lost), f"(you said {my_share} %)")

# %% [markdown]
# **Explain.** `counts[k] += 1` is three things: read, add, write. In slow motion, with two threads A and B at the same grey value:

# %%
counts = [5]
read_by_a = counts[0]
read_by_b = counts[0]  # before A has written
counts[0] = read_by_a + 1
counts[0] = read_by_b + 1
print(f"two pixels were counted, and the count went from 5 to {counts[0]}")

# %% [markdown]
# There is no error, and it is seldom the same number twice. And where the threads happen to run one after the other, since there is only one core, or
# a busy one, **nothing** is missing: five runs without a loss show nothing at all. (Was it 0 % on this page? Run it at home.) So do not look for
# a race by running; look for it by reading: *can two iterations touch the same element, one of them writing?* The exercise's checks do that,
# by running your source in slow motion.
#
# The repair: cut the picture into as many parts as there are threads, let the `prange` run over the *parts*, give each part 256 counts of its own,
# and add them up at the end. That is problem 4.
#
# One trap is left, and it costs only time. Memory comes to a core in *lines* of 64 bytes (128 on some machines). If two threads write to
# different elements of **one line**, the line travels between the cores at every write: *false sharing*. Here x is cut into one part for
# each thread, and each thread adds to a single element of its own, so there is no race. Only how far these elements are apart differs:


# %%
@njit(parallel=True)
def sums_apart(x, apart):
    parts = numba.get_num_threads()
    sums = np.zeros(parts * apart)
    for t in prange(parts):
        for i in range(t * x.size // parts, (t + 1) * x.size // parts):  # part t ends where the next begins
            sums[t * apart] += x[i]
    return sums.sum()


for apart in (1, 16):
    took = measure(sums_apart, x, apart, repeat=5)
    print(f"the threads' elements {apart:2} apart: {1e3 * took.median:.1f} ms")

# %% [markdown]
# (Two times alike show nothing: with one core, or where all threads take turns on a busy one, the line has nowhere to travel.) The better repair needs no distances: add up in a
# plain variable, which lives in a register, and write it down once at the end. `total_on_all_cores` does that.
#
# ## What is checked, and what is not
#
# **Types are.** Numba must know every type before it runs. When it does not, it stops; it no longer falls back on the interpreter in silence,
# as it once did (*object mode*; since Numba 0.59 there is none unless you ask for it). The message is long; the line to read is the second.


# %%
@njit
def mean(x):
    if x.size == 0:
        return "nothing"
    return x.sum() / x.size


try:
    mean(x)
except numba.TypingError as error:
    print(error.args[0].splitlines()[1])

# %% [markdown]
# A function has one type to return, whichever way it takes. Nor can Numba look into a DataFrame, a dict of mixed values or an object of your
# own: give it the arrays.
#
# **Bounds are not.** Compiled code takes what lies in memory at the address it works out. Here we read past the end of a part of an array, so
# that what lies there is known. In real life it is not, and if you *write* there, it is somebody else's.


# %%
@njit
def pick(x, i):
    return x[i]


whole = np.array([10, 20, 30, 40, 999])
part = whole[:4]
print("part[4] =", pick(part, 4), "  part[-1] =", pick(part, -1))
try:
    njit(boundscheck=True)(pick.py_func)(part, 4)
except IndexError as error:
    print("with boundscheck=True: IndexError,", error)

# %% [markdown]
# Two habits: while you write, use `@njit(boundscheck=True)` (or the environment variable `NUMBA_BOUNDSCHECK=1`); and remember that `x[i - 1]` for
# `i = 0` is **no error in either**: it is the last element, as in Python.
#
# ### What is 100 + 100?
#
# That depends on whom you ask. Two pixels of type int8, which holds -128 to 127:


# %%
@njit
def add(a, b):
    return a[0] + b[0]


@njit
def add_arrays(a, b):
    return a + b


in_c = cp.ElementwiseKernel(
    "int8 a, int8 b",  # what comes in
    "int32 wide, int8 narrow",  # what goes out
    "wide = a + b; narrow = a + b;",
    "add_in_c",
)

a = np.array([100], dtype=np.int8)
wide, narrow = in_c(cp.asarray(a), cp.asarray(a))
print("NumPy, arrays of int8           ", (a + a)[0])
print("Numba, arrays of int8           ", add_arrays(a, a)[0])
print("Numba, single elements          ", add(a, a))
print("C, stored in a wider variable   ", int(wide[0]))
print("C, stored in an int8            ", int(narrow[0]))

# %% [markdown]
# - An **array** of int8 plus an array of int8 is an array of int8, in NumPy and in Numba: what does not fit goes round (200 - 256 = -56).
# - Numba adds **single** whole numbers as int64: they *promote*. C promotes them to `int`, 32 bits. The sum is right in both; it goes round
#   when you store it in an int8 again. (That last kernel was C, by way of CuPy; a `numba.cuda` kernel follows Numba's rule.)
#
# So a loop that you take from Python to Numba may change its answer. We are about to meet a case.
#
# ## The picture: 600 ms
#
# The second promise of 2019. Each pixel becomes the mean of the 3 × 3 around it. This is the CPU side as published: `@stencil` describes
# what happens at one pixel by *relative* indices; Numba makes the loops, and leaves a border of zeros.


# %%
@stencil
def mean_of_nine(x):
    return (
        x[-1, -1] + x[-1, 0] + x[-1, 1]
        + x[0, -1] + x[0, 0] + x[0, 1]
        + x[1, -1] + x[1, 0] + x[1, 1]
    ) // 9  # fmt: skip


@njit
def smooth_stencil(x):
    return mean_of_nine(x)


def as_published():
    smooth_stencil(picture)  # returns nothing, so that nobody keeps the result: it is large


published_way = measure(as_published, repeat=2)
print(f"@stencil as published: {1e3 * published_way.median:.0f} ms; the published time is 621 ms")

# %% [markdown]
# And this is the second version that the post shows, as plain loops. One thing is ours: it writes into an array that it is given.


# %%
@njit
def smooth_loops(x, out):
    n, m = x.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            out[i, j] = (
                x[i - 1, j - 1] + x[i - 1, j] + x[i - 1, j + 1]
                + x[i, j - 1] + x[i, j] + x[i, j + 1]
                + x[i + 1, j - 1] + x[i + 1, j] + x[i + 1, j + 1]
            ) // 9  # fmt: skip


# %% [markdown]
# **Predict.** The same sums, the same compiler, one core each. How many times faster are the loops than `@stencil`?

# %%
my_ratio = 1

# %% [markdown]
# **Measure.**

# %%
out = np.zeros_like(picture)
one_core = measure(smooth_loops, picture, out, name="loops", bytes=2 * picture.size, repeat=5)
print(f"loops: {1e3 * one_core.median:.1f} ms, {one_core.fraction:.0%} of the limit of 2 bytes a pixel")
print(f"{published_way.median / one_core.median:.0f}× against @stencil as published; you said {my_ratio}×")

# %% [markdown]
# **Explain.** Look at what comes back:

# %%
corner = picture[:50, :60]
by_stencil = smooth_stencil(corner)
by_loops = np.zeros_like(corner)
smooth_loops(corner, by_loops)
assert np.array_equal(by_stencil, by_loops)
print(f"the picture's corner:\n{corner[:4, :6]}\nsmoothed:\n{by_loops[:4, :6]}\n")
print(f"@stencil gives {by_stencil.dtype}: {1 + by_stencil.itemsize} bytes read and written a pixel")
print(f"the loops give {by_loops.dtype}: {1 + by_loops.itemsize} bytes a pixel")

# %% [markdown]
# The sum of nine int8 is an int64, and so is a ninth of it: `@stencil` makes a **new array of int64**, eight times the picture. Does that matter so
# much? Take the two apart: only make such an array in compiled code, with a one in each element; and smooth into one that is there already:


# %%
@njit
def make_ones(n, m):
    return np.ones((n, m), np.int64)


@njit
def smooth_stencil_into(x, out):
    mean_of_nine(x, out=out)


fresh = measure(lambda: make_ones(*picture.shape).size, repeat=2)
large = make_ones(*picture.shape)
into = measure(smooth_stencil_into, picture, large, repeat=3)
print(f"@stencil, as published:                             {1e3 * published_way.median:.0f} ms")
print(f"only to make an int64 array, with a one everywhere: {1e3 * fresh.median:.0f} ms")
print(f"to smooth into an int64 array that is there:        {1e3 * into.median:.0f} ms")
del large

# %% [markdown]
# **The famous 600 ms are the operating system's.** (The first two times are nearly the same: between them is noise.) It hands out new memory in pages of a few kB, empties each, and does so again at every
# call, because an array of this size is given back at once. The means themselves take a small part of it; with results of one byte instead
# of eight they take less again. The GPU kernel of the post wrote int8 into an array that was there already. It was asked for 2 bytes a pixel, and
# the CPU for 9, in new memory. Most of the "200×" is that, and none of it is the GPU's merit.
#
# And is it right? Never test a stencil on an array of ones, as the post did: every wrong index gives ones. Our pixels are random and half of
# them negative, and NumPy can do it too, if one adds up in a wide enough type:

# %%
n, m = corner.shape
wide = corner.astype(np.int16)
expected = sum(wide[i : i + n - 2, j : j + m - 2] for i in range(3) for j in range(3)) // 9
assert np.array_equal(by_loops[1:-1, 1:-1], expected)

uncompiled = np.zeros_like(corner)
start = perf_counter()
with np.errstate(over="ignore"):
    smooth_loops.py_func(corner, uncompiled)  # the Python function that was compiled
a_pixel = (perf_counter() - start) / corner.size
print("compiled, as NumPy has it in int16:  ", np.array_equal(by_loops[1:-1, 1:-1], expected))
print("the same source in the interpreter:  ", np.array_equal(uncompiled[1:-1, 1:-1], expected))
print(f"in the interpreter the whole picture would take {a_pixel * picture.size:.0f} s")

# %% [markdown]
# There it is: the same source gives **other numbers** in the interpreter, where single int8 are NumPy's and go round. (Without `errstate` it
# would have warned. Compiled code never warns.)
#
# ### All cores, once more


# %%
@njit(parallel=True)
def smooth_on_all_cores(x, out):
    n, m = x.shape
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            out[i, j] = (
                x[i - 1, j - 1] + x[i - 1, j] + x[i - 1, j + 1]
                + x[i, j - 1] + x[i, j] + x[i, j + 1]
                + x[i + 1, j - 1] + x[i + 1, j] + x[i + 1, j + 1]
            ) // 9  # fmt: skip


check = np.zeros_like(picture)
all_cores = measure(smooth_on_all_cores, picture, check, bytes=2 * picture.size, repeat=7)
assert np.array_equal(check, out)
print(f"loops on all cores: {1e3 * all_cores.median:.1f} ms, {all_cores.fraction:.0%} of the limit of 2 bytes a pixel")

# %%
compare(
    "compiling.stencil",
    {
        "@stencil, as published": published_way,
        "@stencil, into an array": into,
        "loops, int8": one_core,
        "loops, int8, all cores": all_cores,
    },
    naive=published_way,
    strongest=all_cores,
    limit=limit(bytes=2 * picture.size, machine="cpu"),
    n=picture.size,
)

# %% [markdown]
# ("All cores" not ahead of one? That is a busy machine again; on a quiet one they are.)
#
# Is there a race in it? Each iteration writes to its own row of `out`, and only reads from `x`, which nobody writes. So there is none. (Had
# we smoothed in place, into `x`, there would be one at every pixel.)

# %% [markdown]
# ## Where the GPU loses
#
# **For one smoothing of a picture that lies on the host.** The picture has to go there, and the result has to come back. The bus of the 2019
# machine gave 12 GB/s:

# %%
bus = 2 * picture.size / 12e9
best = min(one_core.median, all_cores.median)
here = limit(bytes=2 * picture.size, machine="cpu")
print(f"over the bus, there and back:     {1e3 * bus:.1f} ms at least, whatever the GPU does in between")
print(f"in this CPU's memory:             {1e3 * here.seconds:.1f} ms at least")
print(f"the best loop above, on this CPU: {1e3 * best:.1f} ms")

# %% [markdown]
# The bus is slower than the memory that it comes from. So where each byte is used once, a CPU near its own limit has finished before the
# GPU has its data.
#
# **For loops in which each step needs the one before**, always: a GPU has thousands of threads, and such a loop has work for one. And
# **for anything short that runs once**: the GPU's kernels are compiled at their first call as well.
#
# ## What remains for a GPU
#
# Say the picture is on the device already, and stays there, because a hundred more steps follow. What can a GPU win then, against the best
# that we have here? Both sides have to move 2 bytes for each pixel:

# %%
work = 2 * picture.size
limits = {name: limit(bytes=work, machine=name) for name in ("cpu", "V100", "H200")}
scale = picture.size / 10_000**2  # the published times are for 10 000 × 10 000
plot.times(
    {
        "published: @stencil, one core": 0.621 * scale,
        "published: numba.cuda, a V100": 2.87e-3 * scale,
        "here: @stencil": published_way.median,
        "here: the best": best,
        "limit: this CPU": limits["cpu"].seconds,
        "limit: V100": limits["V100"].seconds,
        "limit: H200": limits["H200"].seconds,
    },
    title="Smoothing: what the software lost, and what the silicon can win",
    note="Times taken here (on this CPU); the limits are for 2 bytes a pixel",
)

# %%
won = published_way.median / best
print(f"published, GPU against CPU: {0.621 / 2.87e-3:.0f}×")
print(f"won here on the CPU, without any GPU: {won:.0f}×")
print(f"what is left of the published {0.621 / 2.87e-3:.0f}×, against our best loop: {best / (2.87e-3 * scale):.0f}×")
for name in ("V100", "H200"):
    print(f"memory of the {name} over this CPU's: {limits['cpu'].seconds / limits[name].seconds:.0f}×")
print(f"the published kernel is {2.87e-3 * scale / limits['V100'].seconds:.0f}× above the V100's limit")

# %% [markdown]
# The third line answers the question at the head of this unit. Keep the numbers apart. What was won *here* is software: memory that is there, one byte instead of eight, cores. What a GPU can add is the ratio of the two
# memories, times what the best loop still lacks to its own limit. **A speedup far above the ratio of the memories measures somebody's software.** And the
# published kernel leaves a factor of 13 on the table on its own GPU: to get that back is what units 05 and 06 are for.
#
# ## Key points
#
# - `@njit` makes machine code of a loop, once for each combination of argument types. "500×" compares it with an interpreter; against NumPy's
#   own functions there is little to win. Compile what NumPy has no function for.
# - Additions of floats wait for each other; `fastmath` allows another order, and takes NaN and careful algebra away.
# - `prange`: plain variables are reductions, elements of arrays are **races**. Read for them; runs do not show them.
# - Types are checked and bounds are not. An index of -1 is the other end.
# - Single small integers promote in Numba (int64) and in C (`int`), arrays go round. Look at the dtype of what comes back: it is traffic, and a
#   new large array costs more than what is put into it. Write into one that is there.
# - Before a GPU may brag, let the CPU write the same bytes, with all its cores.
#
# ## The exercise
#
# Six problems, 25 minutes: [exercises/04_compiling.ipynb](../exercises/04_compiling.ipynb). You will compile a loop that no array expression
# replaces, repair a picture's edges and a race, and get near to the limit of your memory.
#
# ## Further reading
#
# - M. Rocklin, [Python and GPUs: A Status Update](https://blog.dask.org/2019/06/19/python-gpus-status-update), Dask blog, 19 June 2019: both
#   promises, "about 500x" without size or times; and [Composing Dask Array with Numba
#   Stencils](https://blog.dask.org/2019/04/09/numba-stencil), 9 April 2019: 621 ms and 2.87 ms, on ones of type int8. The first post shows loops beside
#   `@stencil` without a time of their own.
# - Numba's documentation: [Performance tips](https://numba.readthedocs.io/en/stable/user/performance-tips.html), [Automatic
#   parallelization](https://numba.readthedocs.io/en/stable/user/parallel.html) (what counts as a reduction),
#   [Troubleshooting](https://numba.readthedocs.io/en/stable/user/troubleshoot.html) (reading a typing error), [Numba enhancement proposal
#   1](https://numba.readthedocs.io/en/stable/proposals/integer-typing.html) (why single integers promote).
# - D. Goldberg, *What Every Computer Scientist Should Know About Floating-Point Arithmetic*, ACM Computing Surveys 23 (1), 1991: why the order of
#   additions matters, and what Kahan's sum does about it.
