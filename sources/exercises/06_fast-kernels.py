# ---
# jupyter:
#   hundredfold:
#     unit: 6
#     slug: fast-kernels
#     title: "Fast kernels: tiles and the limits of memory"
#     teaching: 70
#     exercises: 70
# ---

# %% [markdown]
# # 06 · Fast kernels: exercises
#
# *Unit 06 · fast-kernels · 70 minutes · the lecture is [notebooks/06_fast-kernels.ipynb](../notebooks/06_fast-kernels.ipynb)*
#
# Five problems take about 70 minutes. The sixth is open, for those who have time. Fill in a cell, run it, and run the `check` below it. A check tells
# you what it verified, or why the answer is wrong, with a hint or the smallest case that fails. `hint("fast-kernels.tree")` shows the next hint. In
# problems 2 and 6 code is given that already runs. The check judges that code until you change it.
#
# A check traces your kernel with the lens before it launches it. It finds races and accesses out of bounds, and it sees which barriers the threads
# come to. It counts the sectors of each request and the cycles that are lost at banks. You can do the same at any time: `lens.trace(kernel, blocks,
# threads, …)`, and `lens.show` for a picture. Nothing is timed.
#
# You can run this notebook from top to bottom at any time, solved or not.

# %%
# %load_ext hundredfold

# %%
import numpy as np
from numba import cuda

from hundredfold import check, hint, lens

# %% [markdown]
# ## 1. Predict: what does a tile cost?
#
# *12 minutes.* All numbers are float32. Compute, before you run anything:
#
# - `cycles_32`: the cycles that the banks need for one request. A tile in shared memory has 32 rows and **32** columns. The 32 threads of a warp read
#   one column of it, each thread in another row.
# - `cycles_34`: the same for a tile with 32 rows and **34** columns.
# - `fetched`: the number of cells that a block fetches. In a step of the plate, each cell becomes the mean of its four neighbours. A block has 32 × 8
#   threads, a cell each. It fetches the whole rectangle of cells that it needs into shared memory, with its corners.
# - `bytes_read`: the bytes that all threads of a tiled product read from global memory, of both matrices together. The matrices are 4096 × 4096, the
#   tiles 16 × 16.
# - `blocks`: the number of blocks that a multiprocessor holds at once. It has room for 2048 threads, 65 536 registers and 96 KiB of shared memory.
#   Each block has 256 threads with 40 registers each, and takes 12 KiB of shared memory.

# %%
cycles_32 = ...
cycles_34 = ...
fetched = ...
bytes_read = ...
blocks = ...
### BEGIN SOLUTION
cycles_32 = 32  # all in one bank
cycles_34 = 2  # the banks 0, 2, 4, … twice each
fetched = (32 + 2) * (8 + 2)
bytes_read = 2 * 4096**3 // 16 * 4
blocks = min(2048 // 256, 65_536 // (256 * 40), 96 // 12)
### END SOLUTION

# %%
check("fast-kernels.tiles", cycles_32, cycles_34, fetched, bytes_read, blocks)

# %% [markdown]
# ## 2. Repair a tree that does not wait
#
# *12 minutes.* `block_sums` adds up `x`, which is float64 and of any length, also 0. A block has 256 threads. Block b writes the sum of the numbers
# 256 b to 256 b + 255 into `sums[b]`. The last block has the numbers that are left. If there are no numbers, one block is launched, and `sums[0]` is
# 0.
#
# The kernel is a tree: first 128 threads add one number each, then 64, then 32 and so on. It has mistakes. Repair it, and let it stay a tree: each
# thread takes one or two of the numbers. No thread adds many numbers alone, and none makes atomic additions.


# %%
@cuda.jit
def block_sums(x, sums):
    ### BEGIN SOLUTION
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    step = 128
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]
    ### END SOLUTION
    ### BEGIN STARTER
    # part = cuda.shared.array(256, np.float64)
    # t = cuda.threadIdx.x
    # part[t] = x[cuda.grid(1)]
    # step = 128
    # while step > 0:
    #     if t < step:
    #         part[t] += part[t + step]
    #     step //= 2
    # if t == 0:
    #     sums[cuda.blockIdx.x] = part[0]
    ### END STARTER


# %%
check("fast-kernels.tree", block_sums)

# %% [markdown] tags=["solution-only"]
# Three things were missing: the guard, a barrier after the numbers are stored, and a barrier after *each* step. The next step reads what this one has
# written. All barriers are where every thread of the block comes. A thread without a number adds 0.0, so that it need not stay away.

# %% [markdown]
# ## 3. Rows to columns, coalesced on both sides
#
# *14 minutes.* Write the transpose: `out[j, i] = x[i, j]`. `x` is float32 with n rows and m columns, and `out` has m rows and n columns. Each block
# does a tile of 32 × 32 numbers, as in the lecture. But a block has only **32 × 8** threads, with `threadIdx.x` along a row of the matrix. So each
# thread does four numbers of a tile.
#
# On whole tiles, each request of a warp has to be coalesced, when it reads **and** when it writes. No request may wait for a bank.


# %%
@cuda.jit
def transpose(x, out):
    ### BEGIN SOLUTION
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for r in range(ty, 32, 8):
        if top + r < x.shape[0] and left + tx < x.shape[1]:
            tile[r, tx] = x[top + r, left + tx]
    cuda.syncthreads()
    for r in range(ty, 32, 8):
        if left + r < out.shape[0] and top + tx < out.shape[1]:
            out[left + r, top + tx] = tile[tx, r]
    ### END SOLUTION


# %%
check("fast-kernels.transpose", transpose)

# %% [markdown] tags=["solution-only"]
# The block's corner is (top, left) in `x` and (left, top) in `out`. Within the block, `tx` runs along a row of both. So each thread writes other
# elements than it has read, and each side has its own guard. The barrier is between the loops, where all threads come. The 33rd column is never used.
# It shifts each row by one bank.

# %% [markdown]
# ## 4. A product of any shape
#
# *18 minutes.* Write `out = a.T @ b` with tiles of 16 × 16 in shared memory. `a` is **k × n**, `b` is k × m, and all three are float32. n, k and m
# can be any numbers, also 0. `a` is not transposed for you: `out[i, j]` is the sum of `a[l, i] * b[l, j]` over all l.
#
# The launch has blocks of 16 × 16 threads, with `threadIdx.x` along a row of `out`, as many as cover it. For each pair of tiles, each thread may read
# **one** element of `a` and one of `b`, and no more. On whole tiles, the requests of a warp have to be coalesced, and no request may ask a bank for
# more than two words.


# %%
@cuda.jit
def matmul(a, b, out):
    ### BEGIN SOLUTION
    left = cuda.shared.array((16, 16), np.float32)
    right = cuda.shared.array((16, 16), np.float32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row = cuda.blockIdx.y * 16 + tx  # of the result; this thread fetches its numbers, and adds up those of row i
    total = np.float32(0)
    for start in range(0, a.shape[0], 16):
        left[ty, tx] = a[start + ty, row] if start + ty < a.shape[0] and row < a.shape[1] else 0
        right[ty, tx] = b[start + ty, j] if start + ty < b.shape[0] and j < b.shape[1] else 0
        cuda.syncthreads()
        for k in range(16):
            total += left[k, ty] * right[k, tx]
        cuda.syncthreads()
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = total
    ### END SOLUTION


# %%
check("fast-kernels.matmul", matmul)

# %% [markdown] tags=["solution-only"]
# Along a row of `a` there are numbers for different rows of the result. Threads fetch them side by side, and other threads need them. So the tile is
# read by columns. There are two barriers in the loop: nobody reads before the tiles are full, and nobody fills them before all have read. A thread
# beyond the edge puts zeros into the tiles, which add nothing. So it comes to every barrier. Only the last write is left to the threads that have an
# element.

# %% [markdown]
# ## 5. The CPU, a library, or a kernel of your own?
#
# *14 minutes.* All numbers are float32, and everything is compiled. There are two machines:
#
# | | memory | arithmetic | and |
# |---|---|---|---|
# | laptop | 50 GB/s; 400 GB/s for what fits into its cache | 1 TFLOP/s | its best library reaches all of that |
# | V100 | 900 GB/s | 15 TFLOP/s | a bus of 12 GB/s, 10 µs for each launch |
#
# On the V100 a product of the library reaches 80 % of the arithmetic, and a tiled kernel of twenty lines 10 %. Everything else reaches the limit of
# the memory. A kernel of your own makes one step for each launch.
#
# | job | what |
# |---|---|
# | `"product"` | the product of two 4096 × 4096 matrices that are on the device, wanted there |
# | `"sum"` | the sum of 10⁸ numbers that are on the device, wanted on the host. The library's sum reaches the limit of the memory, too |
# | `"small"` | a plate of 64 × 64 on the host, 10 000 steps of the heat equation, wanted on the host |
# | `"large"` | a plate of 8192 × 8192 on the device, 1000 steps, wanted there. In the library a step takes slices, three additions, a product and an assignment |
# | `"turn"` | a matrix of 10 000 × 10 000 on the host, transposed once, wanted on the host |
#
# Answer `"cpu"`, `"library"` (CuPy's, on the GPU) or `"kernel"` (your own, on the GPU) for each job: the way that takes the least time. Count everything
# until the answer is where it is wanted. But a kernel has to be written, tested and maintained. Choose it only if it takes **at most half** of the
# library's time.

# %%
decisions = {"product": ..., "sum": ..., "small": ..., "large": ..., "turn": ...}
### BEGIN SOLUTION
decisions = {"product": "library", "sum": "library", "small": "cpu", "large": "kernel", "turn": "cpu"}
### END SOLUTION

# %%
check("fast-kernels.worth", decisions)

# %% [markdown]
# ## 6. Open: two steps at the price of one
#
# *20 minutes or more.* A step of the heat equation reads each temperature and writes each once. No tile changes that, unless one launch makes **two**
# steps. Write `advance`: `out` is `u` (float32, n × m, at least one cell) after two steps. In each step, a cell inside becomes the mean of its four
# neighbours, and the cells at the edge stay as they are. The launch is yours, too: `launch(rows, columns)` returns the blocks and the threads of a
# block, each a tuple `(x, y)`.
#
# The version below is right. It makes the first step four times for each cell, from global memory. The check counts the bytes that all requests move.
# It compares them with the least that two steps need: each temperature read once and written once. The check asks for at most **3 times** the least. How
# near to 1 do you get?
#
# Bytes are judged here, not time. Caches save a part of the bytes, and a tile costs instructions. Larger tiles have a smaller share of halo, and
# leave room for fewer blocks. For a plate of 8192 × 8192 the launch must have at least 132 blocks, one for each multiprocessor of an H200.


# %%
def launch(rows, columns):
    ### BEGIN SOLUTION
    return (-(-columns // 32), -(-rows // 32)), (32, 32)
    ### END SOLUTION
    ### BEGIN STARTER
    # blocks = -(-columns // 32), -(-rows // 8)
    # return blocks, (32, 8)
    ### END STARTER


@cuda.jit
def advance(u, out):
    ### BEGIN SOLUTION
    tile = cuda.shared.array((36, 36), np.float32)  # the block's cells, and two more on each side
    once = cuda.shared.array((34, 34), np.float32)  # after the first step, one more on each side
    n, m = u.shape
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32 - 2, cuda.blockIdx.y * 32 - 2
    for r in range(ty, 36, 32):
        for c in range(tx, 36, 32):
            tile[r, c] = u[min(max(top + r, 0), n - 1), min(max(left + c, 0), m - 1)]
    cuda.syncthreads()
    for r in range(ty, 34, 32):
        for c in range(tx, 34, 32):
            value = tile[r + 1, c + 1]
            if 0 < top + r + 1 < n - 1 and 0 < left + c + 1 < m - 1:
                value = np.float32(0.25) * (tile[r, c + 1] + tile[r + 2, c + 1] + tile[r + 1, c] + tile[r + 1, c + 2])
            once[r, c] = value
    cuda.syncthreads()
    i, j = top + 2 + ty, left + 2 + tx
    if i < n and j < m:
        value = once[ty + 1, tx + 1]
        if 0 < i < n - 1 and 0 < j < m - 1:
            value = np.float32(0.25) * (
                once[ty, tx + 1] + once[ty + 2, tx + 1] + once[ty + 1, tx] + once[ty + 1, tx + 2]
            )
        out[i, j] = value
    ### END SOLUTION
    ### BEGIN STARTER
    # j, i = cuda.grid(2)
    # n, m = u.shape
    # if i < n and j < m:
    #     out[i, j] = u[i, j]
    #     if 0 < i < n - 1 and 0 < j < m - 1:
    #         total = np.float32(0)
    #         for di, dj in ((-1, 0), (1, 0), (0, -1), (0, 1)):
    #             k, h = i + di, j + dj
    #             if 0 < k < n - 1 and 0 < h < m - 1:
    #                 total += np.float32(0.25) * (u[k - 1, h] + u[k + 1, h] + u[k, h - 1] + u[k, h + 1])
    #             else:
    #                 total += u[k, h]
    #         out[i, j] = np.float32(0.25) * total
    ### END STARTER


# %%
check("fast-kernels.advance", advance, launch)

# %% [markdown] tags=["solution-only"]
# Beyond the plate the tile holds the nearest cell. Nobody uses it, because a cell at the edge does not change. With blocks of 32 × 32 a tile of 36 ×
# 36 is fetched, 27 % more than the block's own cells. A row of it begins in the middle of a sector. Three or four steps in one launch need a wider
# halo. This **temporal blocking** pays until the halo costs more than another pass over the plate.
#
# Is it the fastest kernel? NVIDIA's compiler (numba-cuda 0.30.4, CUDA 13.0, for an H200) gives it 64 registers. Then 1024 threads take all 65 536
# registers of a multiprocessor. It holds one block, half of its warps, and all of them wait at the same barriers. The same idea in blocks of 32 × 8
# took 31 registers: eight blocks, all warps, and 1.9 times the least bytes in place of 1.4. The check counts bytes. Only a clock on a GPU decides
# which of the two is faster. Until then, here is an estimate of the tile and of the version that was given:


# %% tags=["solution-only"]
@cuda.jit
def given(u, out):
    j, i = cuda.grid(2)
    n, m = u.shape
    if i < n and j < m:
        out[i, j] = u[i, j]
        if 0 < i < n - 1 and 0 < j < m - 1:
            total = np.float32(0)
            for di, dj in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                k, h = i + di, j + dj
                if 0 < k < n - 1 and 0 < h < m - 1:
                    total += np.float32(0.25) * (u[k - 1, h] + u[k + 1, h] + u[k, h - 1] + u[k, h + 1])
                else:
                    total += u[k, h]
            out[i, j] = np.float32(0.25) * total


plate = np.random.default_rng(6).random((96, 96), dtype=np.float32)
for kernel, block in ((given, (32, 8)), (advance, (32, 32))):
    trace = lens.trace(kernel, (96 // block[0], 96 // block[1]), block, plate, np.zeros_like(plate))
    for gpu in ("V100", "H200"):
        about = lens.estimate(trace, griddim=(8192 // block[0], 8192 // block[1]), gpu=gpu)
        print(
            f"{gpu}: {kernel.py_func.__name__:7} about {1e6 * about.seconds:.0f} µs for 8192 × 8192, bound by {about.binds}"
        )

# %% [markdown] tags=["solution-only"]
# The estimates of the two are nearer to each other than an estimate may be wrong, and the version that was *given* is even a little ahead, on both
# GPUs. Their caches are fast. Both kernels are limited by *issue*: the instructions that compute indices. You removed one limit, and the next one
# shows. The lens can tell you that before you write a tile.

# %% [markdown]
# ---
# **Next:** unit 07, *dataframes*: somebody else has written the kernels, and you say what they should do.
