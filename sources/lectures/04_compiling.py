# ---
# jupyter:
#   hundredfold:
#     unit: 4
#     slug: compiling
#     title: "Compiling: fast loops on the CPU"
#     teaching: 45
#     exercises: 40
# ---

# %% [markdown]
# # 04 · Compiling: fast loops on the CPU
#
# *Unit 04 · compiling · 45 minutes, then 40 for the exercises; the optional parts are not counted*
#
# In June 2019 a blog post on Python and GPUs made two claims. Two added lines, an import and a decorator, make a Python loop **500×** faster on the
# CPU. And a GPU smooths a picture in **3 ms** instead of **600 ms**, which is 200× faster. You repeat the first claim. Then you take the second one
# apart: how much of the 200× is left if the CPU program is good?
#
# ## What you will be able to do
#
# - **Compile** a Python loop with Numba, and decide when that pays.
# - **Share** a loop among all cores, and find a race by reading.
# - **Name** what compiled code does not check.
# - **Judge** a speedup: against the naive way, the strongest way, and the limit.
#
# You need unit 01, which introduces `measure`, `limit` and `compare`. The cells run on your CPU and need about a minute.

# %%
# %load_ext hundredfold

# %%
import math
from time import perf_counter

import numba
import numpy as np
from numba import njit, prange, stencil

from hundredfold import compare, limit, machine, measure, plot, quiz

# %% [markdown]
# ## A loop in Python
#
# This is the post's loop:


# %%
def total(x):
    total = 0
    for i in range(x.shape[0]):
        total += x[i]
    return total


x = np.random.default_rng(seed=4).random(25_000_000)  # larger than a cache
in_python = measure(total, x, name="the loop in Python", bytes=x.nbytes, repeat=1)
print(in_python)
print(f"{1e9 * in_python.median / x.size:.0f} ns for each number")

# %% [markdown]
# Python's **interpreter** runs the loop. For each number it does much more than one addition:
#
# ![What one turn of the loop does, in the interpreter and in machine code. The interpreter finds the element, makes a Python object of it, looks up what plus
# means, adds, makes an object of the sum, and drops two objects. Machine code loads eight bytes and adds.](drawings/interpreter-turn.svg)
#
# Numba **compiles** the function: it translates it into machine code, the instructions of the CPU itself. It finds the types of all variables from
# those of the arguments.
#
# **Predict.** How many times faster is the compiled loop?

# %%
my_factor = "?"

# %% [markdown]
# **Measure.** `njit(total)` does the same as a decorator `@njit` above the function.

# %%
compiled = njit(total)
with_numba = measure(compiled, x, name="njit", bytes=x.nbytes)
print(with_numba)
print(f"speedup {in_python.median / with_numba.median:.0f}×; you said {my_factor}")
assert math.isclose(compiled(x), total(x), rel_tol=1e-9)

# %% [markdown]
# **Explain.** So a speedup of about a hundred needs no GPU. But this one compares machine code with an interpreter. You would have called NumPy:

# %%
with_numpy = measure(np.sum, x, name="np.sum", bytes=x.nbytes)
print(f"np.sum: {1e3 * with_numpy.median:.1f} ms; Numba is {with_numpy.median / with_numba.median:.1f}× as fast")

# %% [markdown]
# NumPy's functions are machine code already. Most often this one is even faster than our loop. *Additions that wait* shows why.
#
# **Question.** You replace each of these by a loop that Numba compiles. Which gains most?
#
# - (a) `x.sum()`
# - (b) `a @ b`, for large matrices
# - (c) `np.abs(np.diff(x)).mean()`

# %%
my_answer = "?"
quiz("compiling.gain", my_answer)

# %% [markdown]
# So compile a loop if NumPy has **no** function for it, or needs several.
#
# ## The first call compiles
#
# The first call takes longer. `measure` reports it separately. Numba keeps one version of the machine code for each combination of argument types:
#
# ![Three calls of a compiled function on a line of time. The first call, with float64, compiles for a long time and then runs. The second call with float64 runs at
# once. The first call with float32 compiles again.](drawings/first-call.svg)
#
# The type of an array is its dtype, its number of axes, and its **layout**. Layout C is row after row, without gaps. Layout F is column after column,
# and A is any other.
#
# **Question.** `compiled` has a version for `x`: float64, one axis, layout C. Which call compiles a new version?
#
# - (a) `compiled(x[:100])`
# - (b) `compiled(x + 1)`
# - (c) `compiled(x[::2])`

# %%
my_answer = "?"
quiz("compiling.again", my_answer)

# %%
calls = {"x[:100]": x[:100], "x + 1": x + 1, "x[::2]": x[::2], "float32": x.astype(np.float32)}
for name, argument in calls.items():
    start, known = perf_counter(), len(compiled.signatures)
    compiled(argument)
    took = perf_counter() - start
    print(f"{name:8} {1e3 * took:.1f} ms {'compiles' if len(compiled.signatures) > known else ''}")
print(*(f"{version.args[0]} -> {version.return_type}" for version in compiled.nopython_signatures), sep="\n")

# %% [markdown]
# A float32 array gives a float64 here, because `total` begins as `0`, an int64. Numba adds an int64 and a float32 as float64.
#
# Compiling takes hundredths or tenths of a second, and longer for large functions. Do not compile a loop that runs once and takes less. In a file,
# `@njit(cache=True)` keeps the machine code for the next run.
#
# ## Additions that wait
#
# The compiled loop does not reach the limit of the memory. Each addition needs the sum before it. An addition takes two to four ticks of the
# CPU's clock, and meanwhile the loop waits:
#
# ![Eight numbers are added. In order, each addition waits for the one before: eight steps. In another order, four sums grow at the same time, and are then added up:
# four steps.](drawings/addition-order.svg)
#
# The compiler may not change the order by itself. For floating-point numbers `(a + b) + c` and `a + (b + c)` can differ in the last digit. You allow another
# order with `fastmath=True`:

# %%
fast = njit(fastmath=True)(total)
with_fastmath = measure(fast, x, name="njit, any order", bytes=x.nbytes)
for way in (with_numba, with_fastmath):
    print(f"{way.name:15} {1e3 * way.median:.1f} ms, {way.fraction:.0%} of the limit of this CPU's memory")

tenths = np.full(x.size, 0.1)
exact = math.fsum(tenths)  # rounds only once, at the end
in_order, any_order = abs(compiled(tenths) - exact), abs(fast(tenths) - exact)
assert 0 < any_order < in_order
print(f"the error in order is {in_order / any_order:.0f}× the error in any order")

# %% [markdown]
# The speed of this CPU's memory was measured once. If the machine was busy then, a share can be above 100 %.
#
# Several short sums lose less than one long sum. So here the other order is also more accurate. But with `fastmath=True` the compiler may also assume
# that no number is NaN or infinite. Here is a function that counts NaN:


# %%
def count_nan(x):
    count = 0
    for i in range(x.size):
        if np.isnan(x[i]):
            count += 1
    return count


gaps = np.array([1.0, np.nan, 3.0])

# %% [markdown]
# **Question.** What does `njit(fastmath=True)(count_nan)(gaps)` return?
#
# - (a) 1
# - (b) 0
# - (c) It raises an error.

# %%
my_answer = "?"
quiz("compiling.nan", my_answer)

# %%
print("as written:    ", njit(count_nan)(gaps))
print("with fastmath: ", njit(fastmath=True)(count_nan)(gaps))

# %% [markdown]
# `fastmath={"reassoc", "nsz"}` allows another order and keeps NaN. The compiler needs both: `reassoc` is *reassociate*, and `nsz` is *no signed
# zeros*, with which the sign of a zero does not count.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: an algorithm that needs the order
#
# Kahan's sum carries along what each addition rounds off. Another order removes this correction:


# %%
def kahan(x):
    """A sum that carries along what each addition rounds off (W. Kahan, 1965)."""
    total, lost = 0.0, 0.0
    for i in range(x.size):
        y = x[i] - lost
        new = total + y
        lost = (new - total) - y  # in algebra this is always zero
        total = new
    return total


assert njit(kahan)(tenths) == exact
assert njit(fastmath={"reassoc", "nsz"})(kahan)(tenths) != exact
print("exact as written; not exact in another order")

# %% [markdown]
# ## All cores
#
# `parallel=True` shares a loop among all cores, if you write `prange` instead of `range`. A variable to which the loop only adds, such as `total`, becomes a
# **[reduction](../docs/glossary.md#term-reduction)**: each core has its own, and they are added at the end.
#
# ![An array is cut into four parts, one for each of four cores. Each core adds up its part in a total of its own. At the end the four totals are added to
# one.](drawings/shared-loop.svg)


# %%
@njit(parallel=True, fastmath={"reassoc", "nsz"})
def total_on_all_cores(x):
    total = 0.0  # a float from the beginning
    for i in prange(x.shape[0]):
        total += x[i]
    return total


with_all_cores = measure(total_on_all_cores, x, name="njit, all cores", bytes=x.nbytes)
ways = in_python, with_numpy, with_numba, with_fastmath, with_all_cores
compare(
    "compiling.sum",
    {way.name: way for way in ways},
    naive=in_python,
    strongest=min(ways, key=lambda way: way.median),
    limit=limit(bytes=x.nbytes, machine="cpu"),
    n=x.size,
)

# %% [markdown]
# **Explain.** Three numbers are below the chart: the share of the memory's speed, the ratio to the strongest way, and the ratio to the naive way. The post
# gives only the last. All cores share the memory. If one core uses most of its speed, a second one adds little. On a busy machine it adds nothing.
#
# How long does a GPU need? We take [published](https://github.com/te42kyfo/gpu-benches) times of kernels that only read:

# %%
published = {"V100": 1.240e-3, "H200": 0.390e-3}  # s to read 2²⁷ numbers of float64
for name, seconds in published.items():
    gpu, there = machine.gpus.find(name), seconds * x.size / 2**27
    share, bus = x.nbytes / gpu.bandwidth / there, x.nbytes / gpu.link
    print(f"{name}: {1e6 * there:.0f} µs, {share:.0%} of its limit; to move x there: {1e3 * bus:.1f} ms")

# %% [markdown]
# A GPU is much faster for data that it has already. Moving the data there takes far longer.
#
# *A good place for a pause.*
#
# ## A race
#
# **Question.** Which of these loops can give a wrong result on all cores? Each is the body of `for i in prange(1, v.size)`.
#
# - (a) `total += v[i]`
# - (b) `counts[v[i]] += 1`
# - (c) `out[i] = v[i] + v[i - 1]`

# %%
my_answer = "?"
quiz("compiling.race", my_answer)

# %% [markdown]
# **Measure.** Our picture is int8, as in the post. We count how often each grey value occurs, five times:


# %%
@njit(parallel=True)
def racy(pixels):
    counts = np.zeros(256, np.int64)
    for i in prange(pixels.size):
        counts[pixels[i] + 128] += 1  # -128 is counted at 0
    return counts


side = 10_000 if machine.cpu.memory().available > 4e9 else 4_000
picture = np.random.default_rng(seed=5).integers(-128, 128, (side, side), dtype=np.int8)
pixels = picture.ravel()
lost = [1 - racy(pixels).sum() / pixels.size for _ in range(5)]
print("missing:", ", ".join(f"{share:.4%}" for share in lost))

# %% [markdown]
# **Explain.** `counts[k] += 1` has three steps: read, add, write. In the left half of the drawing, two cores read the same old count. One pixel is lost:
#
# ![Two cores count the same grey value. With one shared count of 5 both read 5 and both write 6, so one pixel is lost. With a count of its own for each core, 3 becomes
# 4 and 2 becomes 3, and their sum is 7.](drawings/lost-count.svg)
#
# This is a **[race](../docs/glossary.md#term-race)**. There is no error, and the loss changes from run to run. On one core, or on a busy machine, often
# no pixel is lost. So a test can miss a race. Look for it in the code: **can two iterations touch the same element of an array, and does one of them
# write?**
#
# The right half shows the repair: counts for each core, added up at the end. With `n` pixels in `parts` parts, part `t` goes from `t * n // parts` to
# `(t + 1) * n // parts`. You write this in problem 4.

# %% [markdown]
# ## What compiled code checks
#
# **Types are checked.** Numba must know each type before the code runs. For example, the results of a function must have types that fit together:


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
# The second line of the message names the problem. Numba does not know DataFrames or your own classes. Give it the arrays in them.
#
# **Bounds are not checked.** Here we read beyond a part of an array:


# %%
@njit
def pick(x, i):
    return x[i]


whole = np.array([10, 20, 30, 40, 999])
part = whole[:4]
print("part[4] =", pick(part, 4), "  part[-1] =", pick(part, -1))
try:
    njit(boundscheck=True)(pick.py_func)(part, 4)  # py_func is the Python function
except IndexError as error:
    print("with boundscheck=True: IndexError,", error)

# %% [markdown]
# ![Memory with the five elements of whole; the first four of them are part. Index 4 of part reads the number behind it, 999, without an error. Index -1 reads the last
# element of part, 40.](drawings/no-bounds.svg)
#
# **Explain.** An index from -4 to -1 counts from the end, as in Python. Any other index outside 0 … 3 reads or writes memory that does not belong to `part`. While
# you develop, use `@njit(boundscheck=True)`.
#
# **Question.** A loop over all pixels of a row adds `x[i - 1] + x[i] + x[i + 1]`, with `boundscheck=True`. Where does it raise an `IndexError`?
#
# - (a) at the first pixel and at the last one
# - (b) only at the last pixel
# - (c) at no pixel

# %%
my_answer = "?"
quiz("compiling.minus", my_answer)

# %% [markdown]
# **Overflow is not checked.** An int8 holds the numbers from -128 to 127. The sum of two *arrays* of int8 is an array of int8, and numbers that do
# not fit wrap around. But *single* integers are added as int64 in Numba:
#
# ![What 100 plus 100 is. In arrays of int8 it goes on from 100 by 27 steps to 127, by one step to -128, and by 72 steps to -56. As single integers in Numba it is an
# int64, 200.](drawings/int8-wrap.svg)
#
# **Question.** `a` and `out` are arrays of int8, and `a[i]` is 100. A compiled loop does `out[i] = (a[i] + a[i]) // 2`. What is in `out[i]`?
#
# - (a) 100
# - (b) -28
# - (c) -56

# %%
my_answer = "?"
quiz("compiling.int8", my_answer)


# %%
@njit
def half_of_twice(a, out):
    for i in range(a.size):
        out[i] = (a[i] + a[i]) // 2


a = np.array([100], dtype=np.int8)
out = np.zeros_like(a)
half_of_twice(a, out)
print("compiled loop:", out[0], "  NumPy, (a + a) // 2:", ((a + a) // 2)[0])

# %% [markdown]
# ## The picture: 600 ms
#
# To smooth a picture, each pixel becomes the mean of nine: itself and its neighbours. Such a computation is a
# **[stencil](../docs/glossary.md#term-stencil)**.
#
# ![The nine pixels of a stencil with their relative indices: 0, 0 is the middle, -1, -1 is above and to the left, 1, 1 below and to the right. Their mean becomes the pixel
# at the same place in the result.](drawings/relative-index.svg)
#
# The post has two CPU programs. In the first, `@stencil` describes one pixel by relative indices. Numba makes the loops around it, and leaves a border of
# zeros:


# %%
@stencil
def mean_of_nine(x):
    above = x[-1, -1] + x[-1, 0] + x[-1, 1]
    beside = x[0, -1] + x[0, 0] + x[0, 1]
    below = x[1, -1] + x[1, 0] + x[1, 1]
    return (above + beside + below) // 9


@njit
def smooth_stencil(x):
    return mean_of_nine(x)


def as_published():
    smooth_stencil(picture)  # keeps no result


published_way = measure(as_published, name="@stencil, as published", repeat=2)
print(f"@stencil: {1e3 * published_way.median:.0f} ms here; the published time is 621 ms")

# %% [markdown]
# The second program has the same sums in plain loops. Without `parallel=True`, `prange` is the same as `range`:


# %%
def smooth_loops(x, out):
    n, m = x.shape
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            above = x[i - 1, j - 1] + x[i - 1, j] + x[i - 1, j + 1]
            beside = x[i, j - 1] + x[i, j] + x[i, j + 1]
            below = x[i + 1, j - 1] + x[i + 1, j] + x[i + 1, j + 1]
            out[i, j] = (above + beside + below) // 9


on_one_core, on_all_cores = njit(smooth_loops), njit(parallel=True)(smooth_loops)
out = np.zeros_like(picture)
one_core = measure(on_one_core, picture, out, name="loops, one core", bytes=2 * picture.size, repeat=5)
print(f"loops, one core: {1e3 * one_core.median:.1f} ms, {one_core.fraction:.0%} of the limit of the memory")
print(f"{published_way.median / one_core.median:.0f}× as fast as @stencil")

# %% [markdown]
# **Question.** Both are machine code on one core, with the same sums. What takes most of the time of `@stencil`?
#
# - (a) adding and dividing
# - (b) making the array of its results
# - (c) reading the picture

# %%
my_answer = "?"
quiz("compiling.slow", my_answer)

# %% [markdown]
# **Measure.** We time two parts of `@stencil` separately: making a new array, and smoothing into an array that exists already.


# %%
@njit
def make_ones(n, m):
    return np.ones((n, m), np.int64)


@njit
def smooth_stencil_into(x, out):
    mean_of_nine(x, out=out)


fresh = measure(lambda: make_ones(*picture.shape).size, repeat=2)  # .size: keeps no array
large = make_ones(*picture.shape)
into = measure(smooth_stencil_into, picture, large, name="@stencil, into an array", repeat=3)
print(f"the result of @stencil is {smooth_stencil(picture[:9, :9]).dtype}, that of the loops {out.dtype}")
print(f"@stencil, as published:                        {1e3 * published_way.median:.0f} ms")
print(f"only a new array of int64, filled with ones:   {1e3 * fresh.median:.0f} ms")
print(f"@stencil into an array of int64 that is there: {1e3 * into.median:.0f} ms")
del large

# %% [markdown]
# ![Bytes for each pixel. The stencil as published reads 1 byte and writes 8 bytes of a new array; the loops read 1 and write 1 in an array that is there. Below, what happens
# to each page of new memory: the system hands it out, fills it with zeros, and only then are the results written.](drawings/new-pages.svg)
#
# **Explain.** In Numba the sum of nine int8 is an int64, and dividing by 9 keeps that type. So `@stencil` makes a new array of int64, in each call. The operating
# system hands out new memory in *pages*, often of 4 kB, and first fills each of them with zeros. **Most of the time is spent on new memory, not on the means.** The
# post's GPU kernel wrote int8 into an array that was there already.
#
# Is the result right? The post smoothed an array of ones. With ones everywhere, a wrong index gives the right result. Test on random numbers:

# %%
small = np.random.default_rng(seed=5).integers(-128, 128, (5, 7), dtype=np.int8)
smoothed = np.zeros_like(small)
on_one_core(small, smoothed)
wide = small.astype(np.int16)  # the sum of nine int8 fits
expected = sum(wide[i : i + 3, j : j + 5] for i in range(3) for j in range(3)) // 9
assert np.array_equal(smoothed[1:-1, 1:-1], expected)
print(f"a small picture:\n{small}\nsmoothed by the loops, and the same by NumPy:\n{smoothed}")

# %% [markdown]
# The result is right. Now the loops on all cores. There is no race: each iteration writes its own row of `out`, and none writes to `x`:

# %%
check = np.zeros_like(picture)
all_cores = measure(on_all_cores, picture, check, name="loops, all cores", bytes=2 * picture.size, repeat=7)
assert np.array_equal(check, out)
best = min(one_core, all_cores, key=lambda way: way.median)
compare(
    "compiling.stencil",
    {way.name: way for way in (published_way, into, one_core, all_cores)},
    naive=published_way,
    strongest=best,
    limit=limit(bytes=2 * picture.size, machine="cpu"),
    n=picture.size,
)

# %% [markdown]
# ## Where the GPU loses
#
# A picture on the host that is smoothed once has to cross the bus, and its result has to come back:

# %%
for name in ("V100", "H200"):
    print(f"{name}: {1e3 * 2 * picture.size / machine.gpus.find(name).link:.1f} ms for the bus alone")
server = 2 * picture.size / 150e9  # s, with 150 GB/s from memory, as in unit 02
print(f"a server's CPU: at least {1e3 * server:.1f} ms; here: {1e3 * best.median:.1f} ms for the best loop")

# %% [markdown]
# The GPU loses if the CPU needs less time than the bus. A good loop on a server's CPU is faster than a V100's bus, even at four times its limit. To
# be faster than an H200's bus, it has to stay below three times its limit. On a small CPU, or with a slow loop, the GPU can win.
#
# A GPU also loses on a loop in which each step needs the one before, because such a loop uses one thread. And it loses on short programs that run once,
# because its kernels are compiled at their first call, too.
#
# ## What a GPU can still win
#
# Now let the picture stay on the device for many more steps. Then no bus is needed. The post's kernel took 2.87 ms on a V100. Unit 05 swaps `i` and `j`
# in it, and estimates about 0.34 ms on an H200. An estimate may be wrong by a factor of two.

# %%
scale = picture.size / 10_000**2  # the published times are for 10 000 × 10 000 pixels
limits = {name: limit(bytes=2 * picture.size, machine=name).seconds for name in ("cpu", "V100", "H200")}
v100 = 2.87e-3 * scale
plot.times(
    {
        "published: @stencil, one core": 0.621 * scale,
        "here: @stencil": published_way.median,
        "here: the best loop": best.median,
        "published: V100, the post's kernel": v100,
        "estimate: H200, i and j swapped": 0.34e-3 * scale,
        "limit: this CPU": limits["cpu"],
        "limit: V100": limits["V100"],
        "limit: H200": limits["H200"],
    },
    title="Smoothing a picture that is in the processor's own memory",
    note="Limits: 2 bytes for each pixel. Here: on this CPU.",
)

# %%
print(f"published: V100 against @stencil:         {0.621 / 2.87e-3:.0f}×")
print(f"V100 against the best loop here:          {best.median / v100:.1f}×")
print(f"hardware: its memory against this CPU's:  {limits['cpu'] / limits['V100']:.0f}×")
print(f"software: the best loop takes             {best.median / limits['cpu']:.0f}× its limit")
print(f"software: the post's kernel takes         {v100 / limits['V100']:.0f}× its limit")

# %% [markdown]
# **Explain.** The second line answers the question at the beginning: this much of the 200× is left. The third line is **hardware**. The last two are
# **software**: how far each program is from its limit. The post's kernel is far from its limit, too.
#
# **Question.** A paper reports 300× for a GPU, and its times are right. Both programs have to move the same bytes, with little arithmetic. The GPU's memory is 20 times as fast
# as the CPU's. What follows?
#
# - (a) The GPU program is exceptionally good.
# - (b) The CPU program takes at least 15 times as long as its limit.
# - (c) The GPU's arithmetic is at least 15 times as fast.

# %%
my_answer = "?"
quiz("compiling.claim", my_answer)

# %% [markdown]
# ## Key points
#
# - `@njit` compiles a loop at its first call, once for each combination of argument types. Compile a loop if NumPy has no function for it, or
#   needs several.
# - Additions of floats wait for each other. `fastmath` allows another order; `fastmath=True` also assumes that there is no NaN.
# - With `prange`, a variable to which the loop only adds is safe. If two iterations touch one element and one writes, it is a **race**. Look for it in
#   the code.
# - Types are checked. Bounds and overflow are not, and the index -1 is the last element.
# - A new large array can cost more than what you compute. Look at the dtype of the result, and write into an array that is there.
# - Compare a GPU with a CPU program that moves the same bytes on all cores.
#
# ## The exercise
#
# Five problems in 40 minutes, and an open one: [exercises/04_compiling.ipynb](../exercises/04_compiling.ipynb). You compile a loop for which NumPy has no
# function, and repair a picture's edges and a race.
#
# ## Further reading
#
# - M. Rocklin, [Python and GPUs: A Status Update](https://blog.dask.org/2019/06/19/python-gpus-status-update), Dask blog, 19 June 2019: both
#   claims, "about 500x" without size or times; [Composing Dask Array with Numba Stencils](https://blog.dask.org/2019/04/09/numba-stencil),
#   9 April 2019: 621 ms and 2.87 ms, on ones of type int8.
# - [gpu-benches](https://github.com/te42kyfo/gpu-benches), folder `gpu-stream`, files `v100.txt` and `h200.txt` at commit 1c36d509ee: the row *read*
#   with blocks of 1024 threads, medians of synchronised runs.
# - Numba's documentation: [Performance tips](https://numba.readthedocs.io/en/stable/user/performance-tips.html), [Automatic
#   parallelization](https://numba.readthedocs.io/en/stable/user/parallel.html) (which variables are reductions),
#   [Troubleshooting](https://numba.readthedocs.io/en/stable/user/troubleshoot.html), [Enhancement proposal
#   1](https://numba.readthedocs.io/en/stable/proposals/integer-typing.html) (why single integers become int64).
# - A. Fog, [Instruction tables](https://www.agner.org/optimize/instruction_tables.pdf): how many ticks an addition takes on which CPU.
# - D. Goldberg, *What Every Computer Scientist Should Know About Floating-Point Arithmetic*, ACM Computing Surveys 23 (1), 1991: why the order of
#   additions matters, and Kahan's sum.
