# ---
# jupyter:
#   hundredfold:
#     unit: 6
#     slug: fast-kernels
#     title: "Fast kernels: tiles and the limits of memory"
#     teaching: 55
#     exercises: 45
# ---

# %% [markdown]
# # 06 · Fast kernels: tiles and the limits of memory
#
# *Unit 06 · fast-kernels · 55 minutes, then 45 for the exercises*
#
# A kernel that is right, and whose warps ask for bytes that lie side by side, can still be ten times slower than its GPU allows. Something holds it
# up, and it is always one of a few things. Here are four small kernels, and each is held up by something else: a **transpose** by the order of its
# writes, a **sum** by threads that queue for one place, a **product of matrices** by what it fetches again and again, and a plate that warms up, the
# **heat equation**, by the memory itself. That last one is the limit, and the point where to stop.
#
# ## What you will be able to do
#
# - **Find** what limits a kernel, before anybody has a GPU: requests, banks, atomics, occupancy, memory.
# - **Use** shared memory as a tile: for the order of requests, for a tree of additions, for what many threads need.
# - **Weigh** tile size against occupancy, with registers and shared memory in the account.
# - **Prove** a kernel right by physics: a plate whose final temperatures are known exactly.
# - **Decide** when a library's kernel, or the CPU, is the better one.
#
# You need unit 05: grid, block, guard, sectors and races. Everything runs with or without a GPU. Without one, every *time* below is this
# computer's, which runs the kernels in a GPU's place, and says nothing of a GPU. What the lens *counts* is the same everywhere.

# %%
# %load_ext hundredfold

# %%
import html
import math

import cupy as cp
import numpy as np
from IPython.display import HTML
from numba import cuda, njit, prange

from gpusim.hardware import gpus
from hundredfold import compare, lens, limit, measure, plot

# %% [markdown]
# ## Two orders that cannot both be right
#
# A transpose reads each number once and writes it once. There is nothing to calculate but indices, so it should take as long as a copy.


# %%
@cuda.jit
def transpose_direct(x, out):
    j, i = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        out[j, i] = x[i, j]


# %% [markdown]
# **Predict.** The numbers are float32, and memory moves in sectors of 32 bytes. When the 32 threads of a warp *read* in this kernel, how many
# sectors move? And when they *write*?

# %%
my_read, my_written = 1, 1

# %% [markdown]
# **Measure.** The lens runs the kernel here, on 64 × 64 numbers, and counts:

# %%
x = np.random.default_rng(6).random((64, 64), dtype=np.float32)


def seen(kernel):
    trace = lens.trace(kernel, (2, 2), (32, 32), x, np.zeros_like(x))
    assert not trace.errors and np.array_equal(trace.results[1], x.T)
    return trace


def requests(trace):
    for place in trace.traffic:
        print(f"{place.kind:5} {place.per_request:4.0f} sectors a request")
    print(f"{trace.efficiency:.0%} of the bytes that move are asked for; {trace.bank_conflicts} cycles lost at banks")


direct = seen(transpose_direct)
requests(direct)
print(f"you said {my_read} and {my_written}")

# %%
lens.show(lens.trace(transpose_direct, 1, 32, x, np.zeros_like(x)))  # a block of a single warp, in the corner

# %% [markdown]
# **Explain.** Along a row 32 float32 are 128 bytes, four sectors, and all of them are used. Down a column each number lies in another row, so 32
# sectors move for 128 bytes. Exchange `i` and `j`, and the reads pay instead of the writes. One side is always across. *This is not a bad order of
# threads: no order is good for both.*
#
# ### A tile in shared memory
#
# So let a thread write **another number than the one it has read**. A block fetches a tile of 32 × 32 row by row, leaves it where all its threads
# can reach it, waits until the tile is full, and writes it row by row as well, taking the numbers out across. Shared memory lies on the *multiprocessor*
# itself (the part of a GPU that runs a block; an H200 has 132 of them) and has no sectors, so it does not mind.


# %%
@cuda.jit
def transpose_tile(x, out):
    tile = cuda.shared.array((32, 32), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    if top + ty < x.shape[0] and left + tx < x.shape[1]:
        tile[ty, tx] = x[top + ty, left + tx]
    cuda.syncthreads()  # nobody goes on before the tile is full
    if left + ty < out.shape[0] and top + tx < out.shape[1]:
        out[left + ty, top + tx] = tile[tx, ty]


tiled = seen(transpose_tile)
requests(tiled)

# %% [markdown]
# All requests are in order now. But something new is lost, at *banks*. Shared memory has 32 of them, each 4 bytes wide: word 0 lies in bank 0, word
# 1 in bank 1, word 31 in bank 31, word 32 in bank 0 again. Each bank gives one word in a cycle, to all threads that want it. If two threads of a warp want *different* words of
# one bank, one of them waits.
#
# **Predict.** `tile[tx, ty]` reads a column of a tile that is 32 words wide. How many cycles does one such request take? And how many if the tile had
# **33** columns, of which the last is never used?

# %%
my_32, my_33 = 1, 1

# %%
at_32 = [32 * row % 32 for row in range(32)]  # the banks of a column's words
at_33 = [33 * row % 32 for row in range(32)]
print(f"32 columns: the banks {at_32[:5]} …: {max(map(at_32.count, at_32))} cycles; you said {my_32}")
print(f"33 columns: the banks {at_33[:5]} …: {max(map(at_33.count, at_33))} cycle; you said {my_33}")


# %% [markdown]
# **Measure.** One character is changed:


# %%
@cuda.jit
def transpose_padded(x, out):
    tile = cuda.shared.array((32, 33), np.float32)  # one column more
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    if top + ty < x.shape[0] and left + tx < x.shape[1]:
        tile[ty, tx] = x[top + ty, left + tx]
    cuda.syncthreads()
    if left + ty < out.shape[0] and top + tx < out.shape[1]:
        out[left + ty, top + tx] = tile[tx, ty]


padded = seen(transpose_padded)
requests(padded)
assert tiled.bank_conflicts > 0 == padded.bank_conflicts

# %%
side = 8192
for gpu in ("V100", "H200"):
    floor = limit(bytes=8 * side * side, machine=gpu).seconds
    print(f"{side} × {side} on the {gpu}: {1e3 * floor:.2f} ms at least")
    for name, trace in {"direct": direct, "tile": tiled, "padded": padded}.items():
        guess = lens.estimate(trace, griddim=(side // 32, side // 32), gpu=gpu)
        print(f"  {name:6} about {1e3 * guess.seconds:.2f} ms, held up by {guess.binds}")

# %% [markdown]
# **Explain.** `lens.estimate` reckons from the counted requests. These are no times, and may be off by a factor of two. (`lens.bound`, which you meet below, counts
# only what is certain: no run is faster.) What they show is *what* binds. The
# direct kernel is held up by the sectors that cross from the *L2 cache*, which all multiprocessors share. With the tile, the older GPU is at its memory's
# limit already; the newer one has so much more memory bandwidth that it feels the banks, and once they are gone the working out of the indices: that
# *is* the arithmetic here. Remove one obstacle, and the next one shows. On a faster machine it is another.
#
# ### And the CPU?
#
# It has the same two troubles. It moves *lines* of 64 bytes, so a column wants a tile as well, small enough for a cache. And its caches have
# *sets*, as shared memory has banks: lines that are a power of two apart meet in the same few.


# %%
@njit(parallel=True)
def transpose_cpu(x, out):
    n, m = x.shape
    for strip in prange((n + 15) // 16):
        for left in range(0, m, 16):
            for j in range(left, min(left + 16, m)):
                for i in range(16 * strip, min(16 * strip + 16, n)):
                    out[j, i] = x[i, j]


for side in (4096, 4100):
    host = np.random.default_rng(6).random((side, side), dtype=np.float32)
    turned = np.zeros_like(host)
    by_numpy = measure(np.copyto, turned, host.T, repeat=3)
    by_tiles = measure(transpose_cpu, host, turned, repeat=3)
    assert np.array_equal(turned, host.T)
    floor = limit(bytes=2 * host.nbytes, machine="cpu").seconds
    print(
        f"{side} × {side}: NumPy {1e3 * by_numpy.median:.0f} ms, in tiles on all cores {1e3 * by_tiles.median:.0f} ms, "
        f"limit {1e3 * floor:.1f} ms"
    )

corner = cp.asarray(host[:3000, :3000].copy())
turned = cp.zeros_like(corner)
on_grid = transpose_padded[(94, 94), (32, 32)]  # 94 · 32 = 3008: the last tiles are not full
by_kernel = measure(on_grid, corner, turned, name="our kernel, 3000 × 3000", bytes=2 * corner.nbytes, repeat=2)
assert (turned == corner.T).all()
print(by_kernel)
del host, corner, turned

# %% [markdown]
# Four numbers more in a row, and on most processors NumPy is *faster*: the same padding, for the same reason. The tiles that we
# cut ourselves need not gain by it, and may lose to NumPy then: it depends on the processor, and on how busy all its cores are.

# %% [markdown]
# ## Everybody at one place
#
# A sum reads each number once, and the result is a single one. All threads have to meet there.


# %%
@cuda.jit
def total_racy(x, result):
    i = cuda.grid(1)
    if i < x.size:
        result[0] += x[i]


@cuda.jit
def total_atomic(x, result):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(result, 0, x[i])


ones = np.ones(4096)
print(lens.trace(total_racy, 16, 256, ones, np.zeros(1)).errors[0].sentence)

# %% [markdown]
# A race, and the cure of unit 05 is an atomic addition. It is right. Is it fast?
#
# **Predict.** 100 million numbers, one atomic addition each, all to one address. If that address takes one in each cycle of a clock of 2 GHz, how many
# milliseconds is that?

# %%
my_ms = 1

# %%
atomic = lens.trace(total_atomic, 16, 256, ones, np.zeros(1))
assert not atomic.errors and atomic.results[1][0] == 4096
n = 100_000_000
guess = lens.estimate(atomic, griddim=n // 256, gpu="H200")
print(f"on an H200 about {1e3 * guess.seconds:.0f} ms, held up by {guess.binds}; you said {my_ms}")
print(f"to read the numbers takes {1e3 * limit(bytes=8 * n, machine='H200').seconds:.2f} ms\n")
print(lens.bound(atomic, griddim=n // 256, gpu="H200"))

# %% [markdown]
# **Explain.** Atomics are not slow. A *queue* is: 132 multiprocessors wait for one adder. (The bound is much lower. It allows for a GPU that combines the 32
# additions of a warp on the way, for numbers that still lie in the L2 cache, and for a launch in half a microsecond. Even so it is several times what
# the reading takes.) So let as few as possible come there. First each thread adds
# up many numbers in a register. Then the threads of a block meet in shared memory, as a **tree**: of 256 sums 128 threads make 128, 64 of them make 64,
# and after eight steps one is left. Only that one goes to the queue. (Within a warp it goes without shared memory, too: `cuda.shfl_down_sync(0xFFFFFFFF, mine, step)`
# hands each thread of the warp what `mine` is in the thread `step` places further. Problem 2 takes either.)


# %%
@cuda.jit
def total_tree(x, result):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    mine = 0.0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        mine += x[i]
    part[t] = mine
    step = 128
    while step > 0:
        cuda.syncthreads()  # all of them, each time: the next step reads what this one has written
        if t < step:
            part[t] += part[t + step]
        step //= 2
    if t == 0:
        cuda.atomic.add(result, 0, part[0])


many = np.ones(16 * 256 * 8)
tree = lens.trace(total_tree, 16, 256, many, np.zeros(1))
assert not tree.errors and tree.results[1][0] == many.size
print(f"atomic additions: {atomic.writes['result'].total} for {ones.size} numbers, one each;")
print(f"with the tree:    {tree.writes['result'].total} for {many.size} numbers, one for each block")
guess = lens.estimate(tree, griddim=n // (256 * 8), gpu="H200")
print(f"on an H200 about {1e3 * guess.seconds:.2f} ms, held up by {guess.binds}")

# %% [markdown]
# What if a barrier is forgotten? The threads of a warp mostly go together, so that the last steps, within one warp, come out right on many a GPU, and
# the first ones most of the time, until once they do not. The lens does not try its luck, and its orders are chosen to be nasty. It looks whether anything orders the write before the read:


# %%
@cuda.jit
def tree_without_barriers(x, result):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    part[t] = x[t]
    step = 128
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        step //= 2
    if t == 0:
        result[0] = part[0]


print(lens.trace(tree_without_barriers, 1, 256, ones, np.zeros(1)).errors[0].sentence)
tried = lens.schedules(tree_without_barriers, 1, 256, ones[:256], np.zeros(1))
print("sums of 256 ones, by the order of the threads:", sorted({int(a.results[1][0]) for a in tried.answers}))

# %% [markdown]
# And this is how it compares, here and with what was published in 2019 (CuPy's sum was slower than NumPy then, until NVIDIA's library CUB made its
# tree). `fastmath={"reassoc", "nsz"}` lets the compiler add in another order, several numbers at once:


# %%
@njit(parallel=True, fastmath={"reassoc", "nsz"})
def total_cpu(x):
    total = 0.0
    for i in prange(x.size):
        total += x[i]
    return total


numbers = np.random.default_rng(6).random(10_000_000)
result, numbers_device = cp.zeros(1), cp.asarray(numbers)


def total_kernel():
    result.fill(0)
    total_tree[528, 256](numbers_device, result)


work = {"bytes": numbers.nbytes}
np_sum = measure(np.sum, numbers, name="np.sum", repeat=5)
all_cores = measure(total_cpu, numbers, name="njit, all cores", repeat=5)
our_tree = measure(total_kernel, name="the tree", **work, repeat=3)
cp_sum = measure(numbers_device.sum, name="cp.sum", **work, repeat=3)
assert math.isclose(float(result[0]), math.fsum(numbers), rel_tol=1e-12)
ways = {"np.sum": np_sum, "njit, all cores": all_cores, "our kernel": our_tree, "cp.sum": cp_sum}
print(compare("memory.sum.10000x10000", ways, naive=np_sum, strongest=all_cores, limit=limit(**work), n=numbers.size))

# %% [markdown]
# ## Fetched again and again
#
# The product of two n × n matrices has $n^3$ multiplications and only $2 n^2$ numbers to read. One thread for each element of the result:


# %%
TILE = 16


@cuda.jit
def product_plain(a, b, out):
    j, i = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        out[i, j] = total


@cuda.jit
def product_tiled(a, b, out):
    left = cuda.shared.array((TILE, TILE), np.float32)
    right = cuda.shared.array((TILE, TILE), np.float32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for start in range(0, a.shape[1], TILE):
        left[ty, tx] = a[i, start + tx] if i < a.shape[0] and start + tx < a.shape[1] else 0
        right[ty, tx] = b[start + ty, j] if start + ty < b.shape[0] and j < b.shape[1] else 0
        cuda.syncthreads()  # the tiles are full
        for k in range(TILE):
            total += left[ty, k] * right[k, tx]
        cuda.syncthreads()  # nobody reads them any more
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = total


# %% [markdown]
# In the second kernel a block fetches a tile of each matrix, uses each number 16 times, and goes on to the next pair of tiles. Threads beyond the
# edge come along and put zeros in, which add nothing: nobody may stay away from a barrier.
#
# **Predict.** For matrices of 256 × 256: how many numbers does one thread read from global memory, of both matrices, in each of the two kernels?

# %%
my_plain, my_tiled = 1, 1

# %%
rows = (
    np.random.default_rng(6).integers(-9, 10, (32, 256)).astype(np.float32)
)  # of a; four blocks of the result are enough
columns = np.ascontiguousarray(rows[::-1].T)
products = {}
for kernel, mine in ((product_plain, my_plain), (product_tiled, my_tiled)):
    products[kernel] = trace = lens.trace(kernel, (2, 2), (16, 16), rows, columns, np.zeros((32, 32), np.float32))
    assert not trace.errors and np.array_equal(trace.results[2], rows @ columns)
    reads = trace.reads["a"].most + trace.reads["b"].most
    print(
        f"{kernel.py_func.__name__:13} one thread reads {reads} numbers (you said {mine}); {trace.moved} bytes move in all"
    )

# %% [markdown]
# **Explain.** 2 n reads have become 2 n / 16, sixteen times fewer. The bytes that move have become only eight times fewer, since in the plain kernel threads of a warp
# that want the same number, or neighbours, share a sector already. Operations for each byte are called *arithmetic intensity*. Below a certain intensity the memory is the limit, above it the arithmetic. The **roofline** draws both limits; a
# kernel is a point, which tiles push to the right: fewer bytes for the same work. Here is the tiled one, for 64 × 64 blocks, a product of 1024 × 256 and 256 × 1024. (What binds it is
# *issue*: a multiprocessor starts only so many instructions in a cycle.)

# %%
lens.roofline(products[product_tiled], griddim=(64, 64), gpu="H200")

# %%
for gpu in ("V100", "H200"):
    for kernel, trace in products.items():
        guess = lens.estimate(trace, griddim=(64, 64), gpu=gpu)
        print(f"{gpu}: {kernel.py_func.__name__:13} about {1e6 * guess.seconds:.0f} µs, held up by {guess.binds}")
    least = limit(flops=2 * 1024 * 1024 * 256, dtype="float32", machine=gpu).seconds
    print(f"{gpu}: the arithmetic of 1024 × 256 times 256 × 1024 takes {1e6 * least:.0f} µs at least")

# %% [markdown]
# Far less is won than 16×, and on the newer GPU the estimate sees nothing won at all, rather a little lost. Its caches had done the tile's work for the plain kernel, so
# both are held up by *issue*: each multiplication comes with two reads and a loop around it, and all of these have to be started.
# What comes next is what a library does: each thread makes 8 × 8 results in registers, so that a number that it has
# read is used eight times; it fetches the next tile while it multiplies this one; and since 2017 there are units
# that multiply whole little tiles, the tensor cores.
# That is thousands of lines. So:
#
# ### Against the library
#
# Published in 2019, for 1000 × 1000 float64: NumPy 7.5 ms, CuPy 0.41 ms. We take 384 × 384 in float32, 18 times less work ($n^3$) and half the bytes
# for each number: compare ours with each other, and theirs with each other. The naive way is the loop that everybody writes first.


# %%
@njit
def product_loops(a, b, out):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = np.float32(0)
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            out[i, j] = total


n = 384
a, b = (np.random.default_rng(seed).random((n, n), dtype=np.float32) for seed in (1, 2))
c = np.zeros_like(a)
work = {"bytes": 3 * a.nbytes, "flops": 2 * n**3, "dtype": "float32"}
loops = measure(product_loops, a, b, c, name="three loops", repeat=1)
blas = measure(np.matmul, a, b, name="NumPy, BLAS", repeat=7)
a_device, b_device, c_device = cp.asarray(a), cp.asarray(b), cp.zeros_like(a)
ours = measure(
    product_tiled[(n // 16, n // 16), (16, 16)], a_device, b_device, c_device, name="our tiles", **work, repeat=1
)
library = measure(cp.matmul, a_device, b_device, name="cp.matmul", **work, repeat=3)
assert np.allclose(c, a @ b, rtol=1e-4) and cp.allclose(c_device, a_device @ b_device, rtol=1e-4)
compare(
    "memory.matmul.1000x1000",
    {"three loops": loops, "NumPy, BLAS": blas, "our tiles": ours, "cp.matmul": library},
    naive=loops,
    strongest=blas,
    limit=limit(**work),
    n=n * n,
)

# %% [markdown]
# The lesson is in the ratios. On the CPU three loops lose to the library by far, with the same compiler and the same processor; a kernel of twenty
# lines loses to a GPU's library for the same reasons. **Write a kernel where there is no library.**
#
# ## How many fit
#
# A multiprocessor hides the wait for memory by having other warps at hand. How many it can hold, its *occupancy*, depends on what each block takes
# of three stores: threads (2048 on an H200), registers (65 536) and shared memory (228 KiB). (And no more than 32 blocks fit, however small. What a kernel
# asks for with `cuda.shared.array` has a fixed shape and is at most 48 KiB a block.)
#
# **Predict.** The tiled product takes 32 registers a thread. Say a change makes it 40. What share of the warps is lost with tiles of 16 × 16, and what
# share with tiles of 32 × 32, which have half the reads?

# %%
my_lost_16, my_lost_32 = "nothing", "nothing"

# %%
for registers in (32, 40):
    for tile in (8, 16, 32):
        shared = 2 * tile * tile * 4
        held = lens.occupancy(registers, shared, blockdim=(tile, tile), gpu="H200")
        print(
            f"{registers} registers, tiles of {tile:2}: 1/{tile:<2} of the reads, "
            f"blocks of {tile * tile:4} threads: {held.blocks_per_sm:2}, "
            f"{held.warps} of 64 warps, bound by {held.binds}"
        )
print(f"you said: {my_lost_16} and {my_lost_32}")

# %% [markdown]
# **Explain.** With tiles of 16 × 16 a quarter of the warps is lost, with 32 × 32 half.
# 1024 threads of 40 registers take 40 960 of them. A second such block does not fit, and half of the multiprocessor stays empty, for want of
# 16 384 registers. With smaller blocks less is left over. (Not nothing: a multiprocessor has four quarters with a fourth of the registers
# each, and of warps with 40 registers a thread 12 fit into a quarter.) And the barrier makes it worse: in a single block *all* wait at it together. So larger tiles
# save traffic, smaller ones keep more warps there, and 16 × 16 is often the better bargain. Full occupancy is no aim in itself: half of it is often
# enough where each thread has several requests under way.
#
# How many registers a thread takes is decided by the compiler. NVIDIA's needs no GPU, only its packages (`make setup EXTRA=compiler`).
# (With them, numba-cuda 0.30.4 and CUDA 13.0, it was 32 for an H200.)

# %%
made = lens.compile(product_tiled, *["float32[:, ::1]"] * 3, gpu="H200", blockdim=(16, 16))
HTML(f"<pre>{html.escape(str(made))}</pre>")

# %% [markdown]
# ## A plate that warms up
#
# Now all of it together. The temperatures of a plate follow the *heat equation*. On a grid, in the largest steps of time that are stable, it says
# something very simple: **in each step each cell becomes the mean of its four neighbours**. The edges are held: the upper one at half a sine wave,
# the others at 0.


# %%
@cuda.jit
def step(u, out):
    j, i = cuda.grid(2)
    n, m = u.shape
    if i < n and j < m:
        if 0 < i < n - 1 and 0 < j < m - 1:
            out[i, j] = u.dtype.type(0.25) * ((u[i - 1, j] + u[i + 1, j]) + (u[i, j - 1] + u[i, j + 1]))
        else:
            out[i, j] = u[i, j]


def plate(n, m, dtype):
    u = np.zeros((n, m), dtype)
    u[0] = np.sin(np.pi * np.arange(m) / (m - 1))
    return u


def launch(u):
    return (-(-u.shape[1] // 32), -(-u.shape[0] // 8)), (32, 8)


def steps(u, count):
    u, v = u.copy(), u.copy()
    for _ in range(count):
        step[launch(u)](u, v)
        u, v = v, u
    return u


# %% [markdown]
# How do we know that it is right? Not by looking: a blurred plate looks like a blurred plate. After a long time nothing changes any more, and that
# *steady state* can be worked out on paper, exactly, for this very grid:
#
# $$u_{ij} = \sin\frac{\pi j}{m-1} \cdot \frac{\sinh \mu (n-1-i)}{\sinh \mu (n-1)}, \qquad \cosh\mu = 2 - \cos\frac{\pi}{m-1}$$
#
# (Put it in: the mean of the four neighbours is the cell itself.) Even *how fast* it gets there is known: what is still missing dies away by the
# factor $\frac12(\cos\frac{\pi}{n-1} + \cos\frac{\pi}{m-1})$ with each step.
#
# **Predict.** A plate of 25 × 25: guess, or take the logarithm. After how many steps are all temperatures within $10^{-9}$ of the end?

# %%
my_steps = 100

# %%
side = 25
mu = math.acosh(2 - math.cos(math.pi / (side - 1)))
down = np.sinh(mu * np.arange(side)[::-1]) / math.sinh(mu * (side - 1))
steady = down[:, None] * plate(side, side, np.float64)[0]
factor = math.cos(math.pi / (side - 1))
predicted = math.ceil(math.log(1e-9) / math.log(factor))
print(f"by the formula, {predicted} steps; you said {my_steps}")

# %%
begun = cp.asarray(plate(side, side, np.float64))
after = {count: steps(begun, count).get() for count in (50, 200)}
after[predicted] = steps(cp.asarray(after[200]), predicted - 200).get()
for count, u in after.items():
    print(f"after {count:4} steps: off by {np.abs(u - steady).max():.0e}")
assert np.abs(after[predicted] - steady).max() < 1e-9

middle = side // 2
plot.lines(
    list(range(side)),
    {f"{count} steps": u[:, middle] for count, u in after.items() if count < 1000} | {"steady": steady[:, middle]},
    xlabel="row, from the warm edge down",
    ylabel="temperature in the middle",
    title="The plate warms up, towards a state that is known",
)

# %% [markdown]
# (Numba may have warned that a grid of four blocks leaves most of a GPU idle. It is right: a plate this small is for the proof. *Where the GPU loses* has its price.) No test on a picture could
# have said so much: an index off by one, an edge not held, a race between two steps, and the end would be another one.
#
# ### What holds it up?
#
# **Predict.** Each thread reads four neighbours. Would a tile in shared memory, with a rim around it, make the step four times faster?

# %%
my_tile_helps = True

# %%
u = plate(64, 64, np.float32)
trace = lens.trace(step, *launch(u), u, np.zeros_like(u))
assert not trace.errors
times = trace.moved / (2 * u.nbytes)
print(f"one thread reads {trace.reads['u'].most} numbers; the requests move {times:.1f} times the least bytes")
side = 8192
full = launch(np.empty((side, side), np.float32))[0]
for gpu in ("V100", "H200"):
    guess = lens.estimate(trace, griddim=full, gpu=gpu)
    floor = limit(bytes=8 * side * side, machine=gpu).seconds
    print(f"{gpu}: about {1e3 * guess.seconds:.2f} ms, held up by {guess.binds}; limit {1e3 * floor:.2f} ms")

# %% [markdown]
# **Explain.** Four reads and a write, where one read would do; and the neighbours to the left and right begin in the middle of a sector and take one
# more. But what four threads ask for comes from memory once and from the caches three times, since they ask for it at nearly the same time. So
# the step is held up by the *memory*, close to its limit, and for a single step a tile would only do by hand what the cache does anyway. This is where to stop: **a
# kernel at the limit of the memory is made faster only by moving less.** Smaller numbers do that, or two steps in one pass over the plate, which is
# the exercise's last problem.
#
# ### The figure of this unit
#
# Naive is what one writes in NumPy; strongest is the same loop on all cores, which also moves each number once.


# %%
def step_numpy(u, out):
    out[1:-1, 1:-1] = 0.25 * ((u[:-2, 1:-1] + u[2:, 1:-1]) + (u[1:-1, :-2] + u[1:-1, 2:]))


@njit(parallel=True)
def step_cpu(u, out):
    n, m = u.shape
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            out[i, j] = np.float32(0.25) * ((u[i - 1, j] + u[i + 1, j]) + (u[i, j - 1] + u[i, j + 1]))


side = 4096
host = plate(side, side, np.float32)
host[1:-1, 1:-1] = np.random.default_rng(6).random((side - 2, side - 2), dtype=np.float32)
v = host.copy()
naive = measure(step_numpy, host, v, name="NumPy", repeat=3)
expected = v.copy()
strongest = measure(step_cpu, host, v, name="all cores", repeat=7)
assert np.allclose(v, expected)
u_device, v_device = cp.asarray(host), cp.asarray(host)
kernel = measure(step[launch(host)], u_device, v_device, name="kernel", bytes=2 * host.nbytes, repeat=2)
assert np.allclose(v_device.get(), expected)

here = limit(bytes=2 * host.nbytes)
floors = {f"limit: {name}": limit(bytes=2 * host.nbytes, machine=name).seconds for name in ("V100", "H200")}
plot.times(
    {
        "naive CPU: NumPy": naive.median,
        "strongest CPU: all cores": strongest.median,
        "here: the kernel": kernel.median,
        f"limit: {here.machine}": here.seconds,
        **floors,
    },
    title=f"One step of the heat equation, {side} × {side} float32",
)

# %%
for name, took in {"NumPy": naive, "all cores": strongest, "the kernel": kernel}.items():
    print(
        f"{name:11} {here.share(took.median):.1%} of the limit, {strongest.median / took.median:.2f}× the strongest CPU way, "
        f"{naive.median / took.median:.1f}× the naive one"
    )
ours = limit(bytes=2 * host.nbytes, machine="cpu").seconds
print(f"the memory of an H200 over this CPU's: {ours / floors['limit: H200']:.0f}×")

# %% [markdown]
# (Without a GPU "the kernel" is run by this CPU, thread by thread, with every index checked. It shows that the kernel is right, not how fast it is.)
#
# ## Where the GPU loses
#
# **On a small plate.** A launch costs microseconds whatever it does, and the next step cannot begin before this one has ended. Measure the CPU on
# 64 × 64, one core, and put it beside a launch that does nothing:


# %%
@njit
def many_steps(u, v, count):
    n, m = u.shape
    for _ in range(count // 2):
        for source, target in ((u, v), (v, u)):
            for i in range(1, n - 1):
                for j in range(1, m - 1):
                    target[i, j] = np.float32(0.25) * (
                        (source[i - 1, j] + source[i + 1, j]) + (source[i, j - 1] + source[i, j + 1])
                    )


small = plate(64, 64, np.float32)
took = measure(many_steps, small, small.copy(), 1000, name="1000 steps", repeat=5)
print(f"64 × 64, a step on one core of this CPU: {1e6 * took.median / 1000:.1f} µs")
for name in ("V100", "H200"):
    print(f"a launch on the {name}, doing nothing: {1e6 * gpus.find(name).launch:.0f} µs")
moved = gpus.find("H200").launch * limit(bytes=1, machine="cpu").bandwidth
print(
    f"in the time of the H200's launch this CPU's memory moves {moved / 1e3:.0f} kB; a step needs {2 * small.nbytes / 1e3:.0f} kB"
)

# %% [markdown]
# **For one transpose of what lies on the host**, the bus is slower than the memory that it comes from, as ever. **Against a library**, your kernel
# loses, on a GPU as on a CPU. And **where all wait for one place**, as in the sum by atomic additions, thousands of threads are thousands in a queue.
#
# ## Key points
#
# - **Requests**: 32 threads of a warp should ask for 32 numbers side by side, reading *and* writing. Where the two orders disagree, a tile in
#   shared memory stands between.
# - **Banks**: a column of a tile that is 32 words wide lies in one bank. One column more, and it lies in all of them.
# - **Atomics** are right, and at one address they are a queue. Register, tree, then one atomic addition for each block.
# - **Barriers**: after a tile is filled, before it is filled again, after each step of a tree; and all threads of the block come by.
# - **Occupancy**: threads, registers, shared memory; whatever runs out first. Larger tiles move less and leave fewer warps.
# - **At the memory's limit, stop.** Only moving less is faster. Where there is a library, it has stopped there already.
#
# ## The exercise
#
# Six problems, 45 minutes: [exercises/06_fast-kernels.ipynb](../exercises/06_fast-kernels.ipynb). You will repair a tree, turn a matrix without a
# wasted sector, multiply matrices of any shape, one of them lying across, and make two steps of the heat equation at the price of one.
#
# ## Further reading
#
# - M. Harris, [An Efficient Matrix Transpose in CUDA C/C++](https://developer.nvidia.com/blog/efficient-matrix-transpose-cuda-cc/), NVIDIA 2013,
#   and *Optimizing Parallel Reduction in CUDA*, NVIDIA 2007: the two classics behind the first half of this unit.
# - V. Volkov, *Better Performance at Lower Occupancy*, GPU Technology Conference 2010: why full occupancy is no aim.
# - S. Williams, A. Waterman and D. Patterson, *Roofline: An Insightful Visual Performance Model for Multicore Architectures*, Communications of the
#   ACM 52 (4), 2009.
# - P. Entschev, [Single-GPU CuPy Speedups](https://blog.dask.org/2019/06/27/single-gpu-cupy-benchmarks), Dask blog, 27 June 2019: the published
#   sums and products.
# - The numba-cuda [documentation](https://nvidia.github.io/numba-cuda/): shared memory, atomics, and the matrix product that this one begins with.
