# ---
# jupyter:
#   hundredfold:
#     unit: 12
#     slug: svd
#     title: "SVD on many GPUs"
#     teaching: 60
#     exercises: 60
#     dashboard: true
# ---

# %% [markdown]
# # 12 · SVD: exercises
#
# *Unit 12 · svd · 60 minutes · the lecture is [notebooks/12_svd.ipynb](../notebooks/12_svd.ipynb)*
#
# Five problems take about 60 minutes. The last one is open. Fill in a cell, run it, and run the `check` below it. A check tells you what it verified, or why
# the answer is wrong, with a hint or the smallest case that fails. `hint("svd.chunks")` shows the next hint. An empty gap is not counted as wrong. In problems 2, 3 and 5
# code is given that already runs. The check judges that code until you change it.
#
# You need no cluster: the checks play the workers. Nothing is timed. You can run this notebook from top to bottom at any time, solved or not.

# %%
# %load_ext hundredfold

# %%
import cupy as cp
import dask.array as da

from hundredfold import check, hint

# %% [markdown]
# ## 1. Predict: what goes over the wire?
#
# *8 minutes.* A matrix of 4 000 000 × 500 float64 is in 40 blocks of 100 000 rows. Four workers have ten blocks each. TSQR makes a Q and an R of it. One of the
# four workers stacks all triangles and decomposes the stack. Each triangle and each part of the second Q is sent as one array, at most once. Compute, in **bytes**:
#
# - `triangle`: the size of the R of one block, sent as a full array of 500 × 500;
# - `up`: the bytes that are sent until all triangles are on that worker;
# - `sent`: the total bytes, up and back. Each worker gets the parts of the second Q for its own blocks;
# - `matrix`: the bytes that are sent if that worker gets all *rows* in place of triangles.
#
# Now look at one block of another worker. That worker does F = 5 · 10¹² operations a second, and the wire carries B = 2 · 10⁹ bytes a second. A block of h rows takes
# 8 h n² operations, and 16 n² bytes. Compute:
#
# - `tall`: the number of rows h for which the two take equally long.
#
# Each number has to be right to 1 %.

# %%
triangle = ...
up = ...
sent = ...
matrix = ...
tall = ...
### BEGIN SOLUTION
triangle = 500 * 500 * 8
up = 30 * triangle
sent = 2 * up
matrix = 3_000_000 * 500 * 8
tall = 2 * 5e12 / 2e9
### END SOLUTION

# %%
check("svd.wire", triangle, up, sent, matrix, tall)

# %% [markdown]
# ## 2. Cut it so that it can be decomposed
#
# *10 minutes.* `x` is a Dask array of many rows and n columns, in any chunks. Return U, S and Vᵀ of its thin SVD, as `da.linalg.svd` returns them: three Dask arrays
# of which nothing is computed yet. The blocks of rows follow four rules:
#
# - No block has more than `most` bytes. That holds for arrays on the way, too; the steps inside of one `rechunk` do not count. `most` is always enough for n rows.
# - No block but the last has fewer rows than columns.
# - There are few blocks: at most about twice as many as are needed.
# - Chunks of CuPy stay CuPy's, and chunks of NumPy stay NumPy's. The dtype stays, too.
#
# The check looks at the chunks, computes all three, and compares them with LAPACK.


# %%
def decompose(x, most):
    ### BEGIN SOLUTION
    rows = most // (x.shape[1] * x.dtype.itemsize)
    return da.linalg.svd(x.rechunk((rows, -1)))
    ### END SOLUTION
    ### BEGIN STARTER
    # return da.linalg.svd(x)
    ### END STARTER


# %%
check("svd.chunks", decompose)

# %% [markdown] tags=["solution-only"]
# `rechunk({1: -1})` alone makes whole rows. Blocks that were tall already become larger than allowed. Take as many rows as are allowed: what is sent grows with
# the number of blocks.


# %% [markdown]
# ## 3. Repair: small singular values that were lost
#
# *12 minutes.* Blocks of rows come one after the other, out of an iterator. Each is a CuPy array of float64 with n columns. Return the n singular values of the
# whole matrix as a CuPy array, the largest first.
#
# - You can go through the iterator once.
# - There may be thousands of blocks. The device cannot hold them all, and none of them goes to the host. Of each block you may keep a triangle of n × n.
# - All blocks together have at least n rows. A block may have fewer rows than columns, or no rows.
#
# The version below is right for large singular values. A colleague has noticed that small ones are wrong, or NaN. Each has to be right to 10⁻¹² **of the
# largest**. The check also looks at how much of the device's memory is in use while the blocks come.


# %%
def singular_values(blocks):
    ### BEGIN SOLUTION
    r = None
    for block in blocks:
        r = cp.linalg.qr(block if r is None else cp.concatenate([r, block]), mode="r")
    return cp.linalg.svd(r, compute_uv=False)
    ### END SOLUTION
    ### BEGIN STARTER
    # gram = 0
    # for block in blocks:
    #     gram = gram + block.T @ block
    # return cp.sqrt(cp.linalg.eigvalsh(gram)[::-1])
    ### END STARTER


# %%
check("svd.gram", singular_values)

# %% [markdown] tags=["solution-only"]
# One triangle is all that has to be kept of a million rows. To set negative eigenvalues to zero only hides that they were lost. A QR decomposition needs twice
# the operations of a Gram matrix, and a GPU does them less well.


# %% [markdown]
# ## 4. Distribute or not?
#
# *10 minutes.* You have four GPUs of 80 GB. Each does 5 TFLOP/s in float64, and the wire between any two of them carries 1 GB/s. Which way do you choose for each matrix?
#
# - `"tall"`: TSQR over the four.
# - `"compressed"`: compressed SVD over the four.
# - `"local"`: on the one GPU, or the CPU, where the matrix is.
#
# | matrix | what |
# |---|---|
# | `"sensors"` | 400 million × 50 float64 (160 GB), its rows on all four GPUs; all 50 singular values are wanted, the smallest is 10⁸ times smaller than the largest |
# | `"photos"` | 1 million × 100 000 of one byte (100 GB), on all four; the first 20 singular values are wanted to one per cent; they fall fast |
# | `"digits"` | 1 797 × 64 float64, on the host; everything is wanted |
# | `"one card"` | 2 million × 200 float64 (3.2 GB), all of it on one of the GPUs; everything is wanted |
# | `"noise"` | 100 million × 100 float64 (80 GB), its rows on all four; nearly noise: all 100 singular values are alike to 1 %, and wanted to 10⁻⁸ |
# | `"links"` | 200 000 × 200 000 float32 (160 GB), on all four; the first ten, to three digits, of singular values that fall |

# %%
decisions = {"sensors": ..., "photos": ..., "digits": ..., "one card": ..., "noise": ..., "links": ...}
### BEGIN SOLUTION
decisions |= dict.fromkeys(("sensors", "noise"), "tall")
decisions |= dict.fromkeys(("photos", "links"), "compressed")
decisions |= dict.fromkeys(("digits", "one card"), "local")
### END SOLUTION

# %%
check("svd.choose", decisions)

# %% [markdown]
# ## 5. Open: pictures for few bytes
#
# *20 minutes.* Some workers have images, each its own. `block` is a CuPy array of float64, with an image of 64 pixels (from 0 to 255) in each row. The images are shown
# on another machine. They may be wrong there by `error`: `cp.linalg.norm(rebuilt - images) / cp.linalg.norm(images)`, over the images of all workers. Send as few bytes as you can.
# Write four functions:
#
# 1. `sketch(block, error)` runs on each worker. It returns a summary of the worker's images.
# 2. `combine(sketches, error)` runs on the other machine, with the list of all sketches. It returns a basis, which is sent to each worker.
# 3. `pack(block, basis)` runs on each worker. It returns the worker's images in short form.
# 4. `unpack(packed, basis)` runs on the other machine. It returns the block rebuilt, a CuPy array.
#
# The functions share no variables. What one of them needs from another has to be returned and sent. You may return arrays, numbers, and tuples, lists and dicts of
# them. The check counts their bytes: all sketches, the basis once for each worker, and all that `pack` returns.
#
# The version below is right within the error, and sends everything in full. You may send as many bytes as there are pixels. The check also compares your bytes with a limit: one byte for
# each number of the images in the best basis for this error.


# %%
def sketch(block, error):
    ### BEGIN SOLUTION
    _, s, vt = cp.linalg.svd(block, full_matrices=False)
    k = needed(s, error / 4)
    return (s[:k, None] * vt[:k]).astype(cp.float32)
    ### END SOLUTION
    ### BEGIN STARTER
    # return block.copy()
    ### END STARTER


def needed(s, error):
    """How many of these singular values leave out no more than `error`."""
    left = 1 - cp.cumsum(s**2) / cp.maximum((s**2).sum(), 1e-300)
    return int(cp.argmax(left <= error**2)) + 1


def combine(sketches, error):
    ### BEGIN SOLUTION
    _, s, vt = cp.linalg.svd(cp.concatenate(sketches).astype(cp.float64), full_matrices=False)
    return vt[: needed(s, 0.9 * error)].astype(cp.float32)
    ### END SOLUTION
    ### BEGIN STARTER
    # _, s, vt = cp.linalg.svd(cp.concatenate(sketches), full_matrices=False)
    # return vt[: needed(s, error)]
    ### END STARTER


def pack(block, basis):
    ### BEGIN SOLUTION
    mixed = block @ basis.T
    scale = cp.maximum(cp.abs(mixed).max(axis=0), 1e-9) / 127
    return cp.round(mixed / scale).astype(cp.int8), scale.astype(cp.float32)
    ### END SOLUTION
    ### BEGIN STARTER
    # return block @ basis.T
    ### END STARTER


def unpack(packed, basis):
    ### BEGIN SOLUTION
    codes, scale = packed
    return (codes * scale.astype(cp.float64)) @ basis.astype(cp.float64)
    ### END SOLUTION
    ### BEGIN STARTER
    # return packed @ basis
    ### END STARTER


# %%
check("svd.images", sketch, combine, pack, unpack)

# %% [markdown] tags=["solution-only"]
# A sketch needs neither U nor rows whose weight is far below the error. A few rows of S Vᵀ in float32 are enough. The basis is the same for all, so it is sent once to
# each worker. Then each image is k numbers, rounded to a byte, with one scale for each of the k columns. The rounding uses a part of the error, so the basis is cut at 0.9 of it.
#
# You can come nearer to the limit: fewer bits for the later columns, which weigh less, and the basis in int8, too. In the end JPEG works like that.


# %% [markdown]
# ---
# **Next:** unit 13, *dask-dataframes*: tables that no single memory holds.
