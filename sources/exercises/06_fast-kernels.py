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
# # 06 · Fast kernels: exercises
#
# *Unit 06 · fast-kernels · 45 minutes · the lecture is [notebooks/06_fast-kernels.ipynb](../notebooks/06_fast-kernels.ipynb)*
#
# Six problems, from easy to open. Fill in a cell, run it, run the `check` below it. A check says what it verified, or why the answer is
# wrong, with a hint or the smallest case that fails; `hint("fast-kernels.tree")` unfolds the next hint. Where code is given that already runs (problems 2 and 6), the
# check judges that code until you change it.
#
# A check traces your kernel with the lens before it launches it: what its warps ask for, which banks they wait for, whether threads meet in
# no order, and who comes to which barrier. You can do the same at any time: `lens.trace(kernel, blocks, threads, …)`, and `lens.show` of that.
# Nothing is timed.
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
# All numbers are float32. Work out, before you run anything:
#
# - `cycles_32`: a tile in shared memory has 32 rows and **32** columns. The 32 threads of a warp read one column of it, each another row. How many
#   cycles do the banks need for that request?
# - `cycles_34`: the same for a tile with 32 rows and **34** columns.
# - `fetched`: each cell of a plate becomes the mean of its four neighbours. A block has 32 × 8 threads, a cell each, and fetches the
#   rectangle of cells that it needs into shared memory, corners and all. How many cells are that?
# - `bytes_read`: the tiled product of two matrices of 4096 × 4096, in tiles of 16 × 16. How many bytes do all its threads read from
#   global memory, of both matrices together?
# - `blocks`: a multiprocessor has room for 2048 threads, 65 536 registers and 96 KiB of shared memory. Each block of a kernel has 256 threads of
#   40 registers, and 12 KiB of shared memory. How many of them does it hold at once?

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
# ## 2. Repair a tree that cannot wait
#
# `block_sums` adds up `x` (float64, of any length, even none): block b of 256 threads writes the sum of the numbers 256 b to 256 b + 255 into
# `sums[b]`; the last block has what is left over. (For no numbers one block is launched, and `sums[0]` is 0.) It is a tree: 128 threads add one number each, then 64, then 32 … On paper it is right. Repair it.
# Let it stay a tree: each thread takes one or two of the numbers, and none adds up many of them alone, or by atomic additions.


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
# Three things were missing: the guard; a barrier after the numbers are in; and one after *each* step, since the next one reads what this one wrote.
# All stand where every thread of the block comes by. A thread without a number of its own adds 0.0, so that nobody has to be left out.

# %% [markdown]
# ## 3. Rows to columns, in order on both sides
#
# Write the transpose: `out[j, i] = x[i, j]`. `x` is float32 of n rows and m columns, `out` of m rows and n columns. Each block takes a tile of 32 × 32
# numbers, as in the lecture, but has only **32 × 8** threads, `threadIdx.x` along a row of the matrix: each thread takes four numbers of a tile, and works out fewer indices for
# each. On whole tiles each request of a warp has to ask for bytes that lie side by side, reading **and** writing, and none may wait for a bank.


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
# The block's corner is (top, left) in `x` and (left, top) in `out`, and within the block `tx` runs along a row of both. So each thread writes another
# element than it has read, and each side has a guard of its own. The barrier stands between the loops, where all come by. The 33rd column is never used. It only
# shifts each row by one bank.

# %% [markdown]
# ## 4. A product of any shape
#
# Write `out = a.T @ b` with tiles of 16 × 16 in shared memory: a is **k × n**, b is k × m, all are float32, and n, k and m are whatever they are. Nobody has turned
# a for you: `out[i, j]` is the sum of `a[l, i] * b[l, j]` over all l. The launch has
# blocks of 16 × 16 threads, `threadIdx.x` along a row of `out`, as many as cover it. Each thread may read **one** element of `a` and one of `b` for each
# pair of tiles, and no more, and on whole tiles the threads of a warp read side by side, and no request wants more than two words of one bank.


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
# Along a row of a lie numbers of different rows of the result: fetched side by side, they are needed by others, and the tile is read across.
# Two barriers in the loop: nobody reads before the tiles are full, and nobody fills them before all have read. A thread beyond the edge puts zeros in,
# which add nothing, and so comes to every barrier. Only the write is left to those that have an element.

# %% [markdown]
# ## 5. The CPU, a library, or a kernel of your own?
#
# A laptop: memory with 50 GB/s, what fits into its cache with 400 GB/s, 1 TFLOP/s in float32; its best library reaches all of that. Beside it a V100: memory
# with 900 GB/s, 15 TFLOP/s, a bus of 12 GB/s, 10 µs for each launch; a kernel of your own makes one step a launch. On the GPU a product of the library reaches 80 % of those operations, a tiled kernel
# of twenty lines 10 %. Everything else comes to the limit of the memory, and everything is compiled. All numbers are float32.
#
# | job | what |
# |---|---|
# | `"product"` | the product of two 4096 × 4096 matrices that lie on the device, wanted there |
# | `"sum"` | the sum of 10⁸ numbers that lie on the device, wanted on the host. The library's sum comes to the limit, too |
# | `"small"` | a plate of 64 × 64 on the host, 10 000 steps of the heat equation, wanted on the host |
# | `"large"` | a plate of 8192 × 8192 on the device, 1000 steps, wanted there; by the library a step takes slices, three additions, a product and an assignment |
# | `"turn"` | a matrix of 10 000 × 10 000 on the host, transposed once, wanted on the host |
#
# Answer `"cpu"`, `"library"` (CuPy's, on the GPU) or `"kernel"` (your own, there) for each: whatever is done first, everything counted until the answer is where it is wanted. But a
# kernel has to be written, tested and kept. Choose it only where it takes **at most half** the library's time.

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
# A step of the heat equation reads each temperature and writes each once, and no tile changes that: a single step is at the limit of the memory.
# Unless one launch makes **two**. Write `advance`: `out` is `u` (float32, n × m) after two steps. In each step a cell inside becomes the mean of its four
# neighbours, and the cells at the edge stay as they are. The launch is yours: `launch(rows, columns)` returns the blocks and the threads of a block,
# each a tuple of `(x, y)`. (The plate has at least one cell.)
#
# The version below is right. It makes the first step four times for each cell, out of global memory. The check counts the bytes that all requests move,
# and says how many times that is what two steps need at least: each temperature read once and written once. (Caches save a part of it, and a tile costs instructions:
# it is bytes that are judged here, not time.) At most 3 is asked for; how near to
# 1 do you get? Larger tiles have less of a rim, and leave room for fewer blocks. (A plate of 8192 × 8192 has to be spread over at least the 132 blocks that give each
# multiprocessor of an H200 something to do.)


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
# Beyond the plate the tile holds the nearest cell, which nobody uses: a cell at the edge does not change. With blocks of 32 × 32 a tile of 36 × 36 is
# fetched, 27 % more than the block's own cells, and a row of it begins in the middle of a sector. Three or four steps in one launch are the same idea with
# a wider rim. Such *temporal blocking* pays until the rim costs more than another pass over the plate.
#
# Is it the fastest? NVIDIA's compiler (numba-cuda 0.30.4, CUDA 13.0, for an H200) gives this kernel 64 registers, so 1024 threads take all 65 536 that a
# multiprocessor has: it holds a single block, half of its warps, and all of them wait at the same barriers. The same idea in blocks of 32 × 8 took 31
# registers: eight blocks, all warps, and 1.9 times the least bytes instead of 1.4. The check counts bytes. Which of the two wins, a clock on a GPU decides.
# Until then, ask for an estimate of the tile, and of the version that was given:


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
        guess = lens.estimate(trace, griddim=(8192 // block[0], 8192 // block[1]), gpu=gpu)
        print(
            f"{gpu}: {kernel.py_func.__name__:7} about {1e6 * guess.seconds:.0f} µs for 8192 × 8192, held up by {guess.binds}"
        )

# %% [markdown] tags=["solution-only"]
# The version that was *given* comes out as the faster one, on both cards, if by less than an estimate may be off. Their caches are fast, and what holds both kernels up there
# is *issue*: the working out of indices. You removed one obstacle, and the next one shows. That, too, is what the lens is for: before anybody has written a tile.

# %% [markdown]
# ---
# **Next:** unit 07, *dataframes*: somebody else has written the kernels, and you say what they should do.
