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
# In June 2019 a blog post on Python and GPUs made two claims. Two added lines make a Python loop **500×** faster, on the CPU. A GPU smooths a
# picture in **3 ms** instead of **600 ms**, which is 200× faster. Both claims are true. In this unit you get the first speedup, and find out what it
# compares. Then you take the second claim apart. How much of the 200× is left when the CPU program is a good one?
#
# ## What you will be able to do
#
# - **Compile** a Python loop with Numba, and decide when that pays.
# - **Share** a loop among all cores, and find a race by reading.
# - **Name** what compiled code does not check.
# - **Judge** a speedup: against the naive way, the strongest way, and the limit.
#
# You need NumPy and unit 01. The cells run on your CPU, with or without a GPU, and need about a minute.

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
# This is the loop of the post. You are usually told never to write such a loop in Python:


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
# Python's **interpreter** runs the loop. For each number it does much more than one addition:
#
# ![What one turn of the loop does, in the interpreter and in machine code. The interpreter finds the element, makes a Python object of it, looks up what plus
# means, adds, makes an object of the sum, and drops two objects. Machine code loads eight bytes and adds.](drawings/interpreter-turn.svg)
#
# Numba **compiles** the function: it translates it into machine code, the instructions of the CPU itself. To do so it needs the types of all variables.
# It works them out from the types of the arguments.
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
# **Explain.** So speedups in the hundreds are possible without any GPU. But this one compares machine code with an interpreter. Nobody adds up an array in that
# way. You would have called a function:

# %%
numbers = x[:1_000_000].tolist()
built_in = measure(sum, numbers, repeat=3).median * x.size / len(numbers)
with_numpy = measure(np.sum, x, name="np.sum", bytes=x.nbytes)
print(f"Python's own sum, of a list: {1e3 * built_in:.0f} ms")
print(f"np.sum:                      {1e3 * with_numpy.median:.1f} ms")
print(f"Numba against np.sum:        {with_numpy.median / with_numba.median:.1f}×")

# %% [markdown]
# NumPy's functions are machine code already. So compile only a loop for which NumPy has **no** function.
#
# **Question.** Which of these gains most from Numba?
#
# - (a) `x.sum()`, for ten million numbers
# - (b) `a @ b`, for large matrices
# - (c) a loop in which each step needs the result of the step before

# %%
my_answer = "?"
quiz("compiling.gain", my_answer)

# %% [markdown]
# ## The first call compiles
#
# `measure` reports the first call separately, because it takes much longer: it compiles. Numba keeps one version of the machine code for each combination of
# argument types:
#
# ![Three calls of a compiled function on a line of time. The first call, with float64, compiles for a long time and then runs. The second call with float64 runs at
# once. The first call with float32 compiles again.](drawings/first-call.svg)
#
# The type of an array is its dtype, its number of axes, and its **layout**. Layout C means that the elements lie side by side in memory, row after row.
# Layout A allows gaps between them.
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
    print(f"{name:8} {1e3 * took:6.1f} ms {'compiles' if len(compiled.signatures) > known else ''}")
print(*(f"{version.args[0]} -> {version.return_type}" for version in compiled.nopython_signatures), sep="\n")

# %% [markdown]
# A float32 array gives a float64 result, because `total` begins as the integer `0`. When Numba adds an integer
# and a float32, the result is a float64.
#
# In a file, `@njit(cache=True)` keeps the machine code for the next run. A script that runs once, for a second, does not need Numba.
#
# ## Additions that wait
#
# The compiled loop does not reach the limit of the memory. Each addition needs the sum before it, and an addition takes three or four cycles
# of the CPU's clock. So the loop waits most of the time:
#
# ![Eight numbers are added. In order, each addition waits for the one before: eight steps. In another order, four sums grow at the same time, and are then added up:
# four steps.](drawings/addition-order.svg)
#
# The compiler may not change the order by itself. For floating-point numbers `(a + b) + c` and `a + (b + c)` can differ in the last digit. You allow another
# order with `fastmath=True`:

# %%
fast = njit(fastmath=True)(total)
with_fastmath = measure(fast, x, name="njit, any order", bytes=x.nbytes)
print(f"njit, in order:  {1e3 * with_numba.median:.1f} ms, {with_numba.fraction:.0%} of the limit of this CPU's memory")
print(f"njit, any order: {1e3 * with_fastmath.median:.1f} ms, {with_fastmath.fraction:.0%} of the limit")

tenths = np.full(x.size, 0.1)
exact = math.fsum(tenths)  # rounds only once, at the end
in_order, any_order = abs(compiled(tenths) - exact), abs(fast(tenths) - exact)
assert 0 < any_order < in_order
print(f"the error in order is {in_order / any_order:.0f}× the error in any order")

# %% [markdown]
# Several short sums lose less than one long sum. So here the other order is also more accurate. But `fastmath=True` promises more to the compiler: **no number
# is NaN**.


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
# - (c) nothing: it raises an error

# %%
my_answer = "?"
quiz("compiling.nan", my_answer)

# %%
print("as written:    ", njit(count_nan)(gaps))
print("with fastmath: ", njit(fastmath=True)(count_nan)(gaps))

# %% [markdown]
# `fastmath={"reassoc", "nsz"}` allows only the other order. NaN stays NaN. (`nsz` is needed, too: it allows 0.0 to become -0.0.)

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: an algorithm that needs the order
#
# Kahan's sum carries along what each addition rounds off. Any kind of `fastmath` that allows another order removes that:


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
# **[reduction](../docs/glossary.md#term-reduction)**:
#
# ![An array is cut into four parts, one for each of four cores. Each core adds up its part in a total of its own. At the end the four totals are added to
# one.](drawings/shared-loop.svg)


# %%
@njit(parallel=True, fastmath={"reassoc", "nsz"})
def total_on_all_cores(x):
    total = 0.0
    for i in prange(x.shape[0]):
        total += x[i]
    return total


with_all_cores = measure(total_on_all_cores, x, name="njit, all cores", bytes=x.nbytes)
compare(
    "compiling.sum",
    {
        "the loop in Python": in_python,
        "np.sum": with_numpy,
        "njit": with_numba,
        "njit, any order": with_fastmath,
        "njit, all cores": with_all_cores,
    },
    naive=in_python,
    strongest=min(with_fastmath, with_all_cores, key=lambda way: way.median),
    limit=limit(bytes=x.nbytes, machine="cpu"),
    n=x.size,
)

# %% [markdown]
# **Explain.** Each way has up to three ratios: to the limit, to the strongest way, and to the naive one. A ratio
# below 1× means slower. The claim of the post is a ratio to the naive way. All cores read the same memory, so a second core gains little when one core is near the limit. (On a busy machine it gains nothing.)
#
# How long does a GPU need for this sum? We take [published](https://github.com/te42kyfo/gpu-benches) times of kernels that only read 2²⁷ numbers:

# %%
published = {"V100": 1.240e-3, "H200": 0.390e-3}  # s to read 2²⁷ numbers of float64
for name, seconds in published.items():
    there = seconds * x.size / 2**27
    bus = x.nbytes / machine.gpus.find(name).link
    print(f"{name}: {1e6 * there:.0f} µs if x is on the device; moving x there takes {1e3 * bus:.1f} ms")
print(f"here: {1e3 * with_all_cores.median:.1f} ms on all cores")

# %% [markdown]
# So a GPU is much faster for data that it has already. For data on the host, the move alone can take longer than a good loop on the CPU.
#
# *A good place for a pause.*
#
# ## A race
#
# `prange` does not make every loop safe.
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
# **Measure.** We take a picture of one byte for each pixel, and count how often each grey value occurs. Five runs:


# %%
@njit(parallel=True)
def racy(pixels):
    counts = np.zeros(256, np.int64)
    for i in prange(pixels.size):
        counts[pixels[i] + 128] += 1  # grey values begin at -128
    return counts


free = machine.cpu.memory().available  # bytes
side = max(1_000, min(10_000, int((free / 20) ** 0.5) // 1_000 * 1_000))
picture = np.random.default_rng(seed=5).integers(-128, 128, (side, side), dtype=np.int8)
pixels = picture.ravel()
lost = [1 - racy(pixels).sum() / pixels.size for _ in range(5)]
print("missing:", ", ".join(f"{share:.1%}" for share in lost))

# %% [markdown]
# **Explain.** `counts[k] += 1` has three steps: read, add, write. On the left, two cores read the same old count, and one pixel is lost:
#
# ![Two cores count the same grey value. With one shared count of 5 both read 5 and both write 6, so one pixel is lost. With a count of its own for each core, 3 becomes
# 4 and 2 becomes 3, and their sum is 7.](drawings/lost-count.svg)
#
# This is a **[race](../docs/glossary.md#term-race)**. There is no error, and each run may lose a different number of pixels. On one core, or on a busy machine, often nothing
# is lost. So running the loop does not show that it is right. Read it instead: **can two iterations touch the same element, and does one of them write?**
#
# On the right is the repair. Each core takes a part of the picture and has its own counts. They are added up at the end. You write this in problem 4.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: elements that are too close
#
# Memory comes to a core in *lines* of 64 bytes, on some CPUs 128. If two cores write to different elements of one line, the result is right. But the line has to move from
# core to core at each write. This is called **false sharing**. Here each core adds to one element of its own, and only the distance between these elements changes:


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
    print(f"elements {apart:2} apart: {1e3 * took.median:.1f} ms")

# %% [markdown]
# It is simpler to add up in a plain variable, and to write it once at the end. `total_on_all_cores` does that. (On one core, or on a busy machine, both times are alike.)

# %% [markdown]
# ## What compiled code checks
#
# **Types are checked.** Numba must know each type before it runs. For example, a function must return the same type on every path:


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
# The message is long, and its second line names the problem. Numba does not know DataFrames or your own classes. Give it the arrays that are in them.
#
# **Indices are not checked.**
#
# **Question.** A compiled loop reads `x[i - 1]` with `i = 0`. What does it get?
#
# - (a) an `IndexError`
# - (b) the last element
# - (c) the bytes in front of the array

# %%
my_answer = "?"
quiz("compiling.minus", my_answer)


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
# ![Memory with the four elements of an array, and other bytes behind it. Index 4 reads the number behind the array, 999, without an error. Index -1 reads
# the last element, 40.](drawings/no-bounds.svg)
#
# **Explain.** An index that is too large reads the memory behind the array. If you write there, you change another array. While you develop, use
# `@njit(boundscheck=True)`. It finds the index 4. It does not find the index -1, because that is allowed in Python, too.
#
# **Overflow is not checked either.** An int8 holds the numbers from -128 to 127. A larger result wraps around:
#
# ![The numbers of an int8, from -128 to 127, on a line. From 100 it is 27 steps to the end at 127, one step to -128, and 72 steps on to -56: 100 steps. An int64 can
# hold 200.](drawings/int8-wrap.svg)
#
# **Question.** `a` is an int8 array, and `a[0]` is 100. What is `a[0] + a[0]` in compiled code?
#
# - (a) 200
# - (b) -56
# - (c) an `OverflowError`

# %%
my_answer = "?"
quiz("compiling.int8", my_answer)


# %%
def add(a, b):
    return a + b


def add_first(a, b):
    return a[0] + b[0]


a = np.array([100], dtype=np.int8)
with np.errstate(over="ignore"):  # NumPy would warn
    print("arrays:          NumPy", add(a, a)[0], "  Numba", njit(add)(a, a)[0])
    print("single elements: NumPy", add_first(a, a), "  Numba", njit(add_first)(a, a))

# %% [markdown]
# **Explain.** An array of int8 plus an array of int8 is an array of int8, in NumPy and in Numba. But Numba adds *single* integers as int64. So a loop can give
# another result when it is compiled.
#
# ## The picture: 600 ms
#
# Now the second claim. To smooth a picture, each pixel becomes the mean of nine: itself and its neighbours. Such a computation is a
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
    return (
        x[-1, -1] + x[-1, 0] + x[-1, 1]
        + x[0, -1] + x[0, 0] + x[0, 1]
        + x[1, -1] + x[1, 0] + x[1, 1]
    ) // 9  # fmt: skip


@njit
def smooth_stencil(x):
    return mean_of_nine(x)


published_way = measure(lambda: smooth_stencil(picture).dtype, name="@stencil, as published", repeat=2)
print(f"@stencil: {1e3 * published_way.median:.0f} ms here; the published time is 621 ms")

# %% [markdown]
# The second program has the same sums in plain loops. Ours writes into an array that it is given. Without `parallel=True`, `prange` is the same as `range`:


# %%
def smooth_loops(x, out):
    n, m = x.shape
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            out[i, j] = (
                x[i - 1, j - 1] + x[i - 1, j] + x[i - 1, j + 1]
                + x[i, j - 1] + x[i, j] + x[i, j + 1]
                + x[i + 1, j - 1] + x[i + 1, j] + x[i + 1, j + 1]
            ) // 9  # fmt: skip


on_one_core, on_all_cores = njit(smooth_loops), njit(parallel=True)(smooth_loops)
out = np.zeros_like(picture)
one_core = measure(on_one_core, picture, out, name="loops, one core", bytes=2 * picture.size, repeat=5)
print(f"loops, one core: {1e3 * one_core.median:.1f} ms, {one_core.fraction:.0%} of the limit of this CPU's memory")
print(f"{published_way.median / one_core.median:.0f}× faster than @stencil")

# %% [markdown]
# **Question.** Both are machine code on one core, with the same sums. Why is `@stencil` so much slower?
#
# - (a) Its relative indices have to be worked out for each pixel.
# - (b) It writes its results into a new and larger array.
# - (c) It does not use the CPU's caches.

# %%
my_answer = "?"
quiz("compiling.slow", my_answer)

# %% [markdown]
# **Measure.** We time the two halves of `@stencil` separately: making a new array, and smoothing into an array that is there.


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
print(f"the result of @stencil is {smooth_stencil(picture[:9, :9]).dtype}, that of the loops {out.dtype}")
print(f"@stencil, as published:                       {1e3 * published_way.median:.0f} ms")
print(f"only a new array of int64, filled with ones:  {1e3 * fresh.median:.0f} ms")
print(f"@stencil into an array of int64 that is there: {1e3 * into.median:.0f} ms")
del large

# %% [markdown]
# ![Bytes for each pixel. The stencil as published reads 1 byte and writes 8 bytes of a new array; the loops read 1 and write 1 in an array that is there. Below, what happens
# to each page of new memory: the system hands it out, fills it with zeros, and only then are the results written.](drawings/new-pages.svg)
#
# **Explain.** The sum of nine int8 is an int64 in Numba, and so is a ninth of it. So `@stencil` makes a new array of int64. The operating system hands out new
# memory in *pages* of some kB, and fills each page with zeros first. That takes most of the time, and it happens again in each call. **The famous 600 ms are spent on new
# memory, not on the means.** The post's GPU kernel wrote int8 into an array that was there already.
#
# Is the result right? The post smoothed an array of ones, on which every wrong index gives ones, too. Test on random numbers:

# %%
small = np.random.default_rng(seed=5).integers(-128, 128, (5, 7), dtype=np.int8)
smoothed = np.zeros_like(small)
on_one_core(small, smoothed)
wide = small.astype(np.int16)  # the sum of nine int8 fits
expected = sum(wide[i : i + 3, j : j + 5] for i in range(3) for j in range(3)) // 9
assert np.array_equal(smoothed[1:-1, 1:-1], expected)
print(f"a small picture:\n{small}\nsmoothed, as NumPy does it, too:\n{smoothed}")

# %% [markdown]
# It is. Now on all cores. There is no race, because each iteration writes its own row of `out`, and no iteration writes to `x`:

# %%
check = np.zeros_like(picture)
all_cores = measure(on_all_cores, picture, check, name="loops, all cores", bytes=2 * picture.size, repeat=7)
assert np.array_equal(check, out)
best = min(one_core, all_cores, key=lambda way: way.median)
compare(
    "compiling.stencil",
    {
        "@stencil, as published": published_way,
        "@stencil, into an array": into,
        "loops, one core": one_core,
        "loops, all cores": all_cores,
    },
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
    bus = 2 * picture.size / machine.gpus.find(name).link
    print(f"{name}: {1e3 * bus:.1f} ms for the bus alone")
laptop = 2 * picture.size / 50e9  # s, with 50 GB/s from memory
print(f"a laptop's CPU: {1e3 * laptop:.1f} ms at its limit")
print(f"here: {1e3 * best.median:.1f} ms for the best loop")

# %% [markdown]
# The V100's bus takes longer than the whole work on a laptop whose loop is near the limit. So the GPU loses, however fast its kernel is. The bus of an H200
# is as fast as the laptop's memory.
#
# A GPU also loses on a loop in which each step needs the one before. It has thousands of threads, and such a loop has work for one. And it loses on short
# programs that run once, because its kernels are compiled at their first call, too.
#
# ## What a GPU can still win
#
# Now let the picture stay on the device, because many more steps follow. Then no bus is needed. The post's kernel took 2.87 ms on a V100. Unit 05 estimates
# about 0.4 ms for its own kernel on an H200:

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
        "estimate: H200, the kernel of unit 05": 0.4e-3 * scale,
        "limit: this CPU": limits["cpu"],
        "limit: V100": limits["V100"],
        "limit: H200": limits["H200"],
    },
    title="Smoothing a picture that is there already",
    note="Limits: 2 bytes for each pixel. Here: on this CPU.",
)

# %%
print(f"published, V100 against @stencil:     {0.621 / 2.87e-3:.0f}×")
print(f"gained here by a better CPU program:  {published_way.median / best.median:.0f}×")
print(f"left for the V100, as published:      {best.median / v100:.1f}×")
print(f"left for an H200, by the estimate:    {best.median / (0.4e-3 * scale):.0f}×")
print(f"this CPU's limit over the V100's:     {limits['cpu'] / limits['V100']:.0f}×")
print(f"the post's kernel over its own limit: {v100 / limits['V100']:.0f}×")

# %% [markdown]
# **Explain.** The third line answers the question at the beginning. The rest of the published speedup was a slow CPU program. Keep two things apart: the ratio of the
# limits is *hardware*, everything else is *software*. The post's kernel is software, too: it is far above the V100's limit. Units 05 and 06 make it faster.
#
# **Question.** A paper reports 300× for a GPU. Memory sets the time of both programs, and the GPU's memory is 20 times as fast as the CPU's. What follows?
#
# - (a) The GPU program is exceptionally good.
# - (b) The CPU program is at least 15 times above its limit.
# - (c) The GPU's time is wrong.

# %%
my_answer = "?"
quiz("compiling.claim", my_answer)

# %% [markdown]
# ## Key points
#
# - `@njit` makes machine code of a loop at the first call, once for each combination of argument types. Compile what NumPy has no function for.
# - Additions of floats wait for each other. `fastmath` allows another order; `fastmath=True` also assumes that there is no NaN.
# - With `prange`, a variable to which the loop only adds is safe. A shared element of an array is a **race**. Find it by reading.
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
# - D. Goldberg, *What Every Computer Scientist Should Know About Floating-Point Arithmetic*, ACM Computing Surveys 23 (1), 1991: why the order of
#   additions matters, and Kahan's sum.
