# ---
# jupyter:
#   hundredfold:
#     unit: 12
#     slug: svd
#     title: "SVD: a matrix on many GPUs"
#     teaching: 55
#     exercises: 35
#     dashboard: true
# ---

# %% [markdown]
# # 12 · SVD: exercises
#
# *Unit 12 · svd · 35 minutes · the lecture is [notebooks/12_svd.ipynb](../notebooks/12_svd.ipynb)*
#
# Five problems, from easy to open. Fill in a cell, run it, run the `check` below it. A check says what it verified, or why the answer is
# wrong, with a hint or the smallest case that fails; `hint("svd.chunks")` unfolds the next hint. A gap counts as not attempted, never as wrong; but where code
# is given that already runs (problems 2, 3 and 5), the check judges that code until you change it.
#
# No cluster is needed: the checks play the workers. You can run this notebook from top to bottom at any time, solved or not.

# %%
# %load_ext hundredfold

# %%
import cupy as cp
import dask.array as da

from hundredfold import check, hint

# %% [markdown]
# ## 1. Predict: what goes over the wire?
#
# A matrix of 4 000 000 × 500 float64 lies in 40 blocks of 100 000 rows on four workers, ten blocks on each. TSQR makes a Q and an R of it. One of the four workers
# stacks the triangles and decomposes them. At the least, and in **bytes**:
#
# - `triangle`: how large is the R of one block, sent as an array?
# - `up`: how much is sent from worker to worker until all triangles are on that one?
# - `sent`: how much in all, with what comes back so that each worker can make its blocks of Q?
# - `matrix`: how much would be sent if, instead, that worker got all *rows*?
#
# And: a worker does F = 5 · 10¹² operations a second, the wire has B = 2 · 10⁹ bytes a second. A block of h rows takes 8 h n² operations and 16 n² bytes.
#
# - `tall`: for how many rows h do the two take equally long?

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
# `x` is a Dask array of many rows and n columns, in any chunks. Return U, S and Vᵀ of its thin decomposition as `da.linalg.svd` returns them: three Dask arrays of
# which nothing is computed yet. No block of rows may have more than `most` bytes, which is always enough for n rows; and none but the last may have fewer rows than
# columns. Make few blocks: at most about twice as many as must be.
#
# Chunks of CuPy's stay CuPy's, those of NumPy's stay NumPy's, and the dtype stays too.


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
# `rechunk({1: -1})` alone makes whole rows, and of blocks that were tall before, blocks that are both. As many rows as are allowed is best: what is sent grows with the number of blocks.

# %% [markdown]
# ## 3. Repair: small singular values that were lost
#
# Blocks of rows come one after the other, CuPy arrays of float64 with n columns each, out of an iterator that can be gone through once. There may be thousands, so that not all
# can be kept on the device, and none of them goes to the host. (Of each block you may keep a triangle of n × n.) Return the n singular values of the whole matrix, the largest first, as a CuPy array. (All rows together are at least n. A block may have fewer, or none.)
#
# The version below is right for the large ones. A colleague has noticed that small ones are wrong, or NaN. Each should be right to 10⁻¹² **of the largest**.


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
# One triangle is all that has to be remembered of a million rows. To cut negative eigenvalues off at zero only hides that they were lost. What to pay: a QR
# decomposition has twice the operations of a Gram matrix, and a GPU does them less well.

# %% [markdown]
# ## 4. Distribute or not?
#
# Four GPUs of 80 GB, 5 TFLOP/s in float64 each, and between any two of them 1 GB/s. Which way for each of these? `"tall"`: TSQR over the four.
# `"compressed"`: compressed SVD over the four. `"local"`: on the one GPU, or the processor, where it is.
#
# | matrix | what |
# |---|---|
# | `"sensors"` | 400 million × 50 float64 (160 GB), its rows on all four GPUs; all 50 singular values are wanted, the smallest is 10⁸ times smaller than the largest |
# | `"photos"` | 1 million × 100 000 of one byte (100 GB), on all four; the first 20 components to one per cent; the singular values fall fast |
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
# Some workers have images, each its own: `block`, a CuPy array of float64 with an image of 64 pixels (from 0 to 255) in each row. They are to be shown on another machine, and may be
# wrong there by `error`: the norm of all differences over the norm of all images, `|rebuilt - images| / |images|`, both as in `cp.linalg.norm`. As little as possible shall go over
# the network. Four functions:
#
# 1. `sketch(block, error)`: on each worker; what it says of its images.
# 2. `combine(sketches, error)`: on the other machine, with the list of all sketches; a basis, which is sent to each worker.
# 3. `pack(block, basis)`: on each worker; what it sends of its images.
# 4. `unpack(packed, basis)`: on the other machine; the block rebuilt, a CuPy array.
#
# The functions share no variables: what one of them has to know of another is returned and sent. All that 1, 2 (once for each worker) and 3 return is counted, in bytes: arrays, numbers, tuples and lists and dicts of them. The version below is right, and sends everything in full.
# You may send as many bytes as there are pixels; the check tells how near you come to one byte for each number that *has* to be sent.


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
# A sketch needs neither U nor rows whose weight is far below the error: a few rows of S Vᵀ, in float32. The basis is the same for all, so that it is sent once to each worker. Then k numbers for each image,
# rounded to a byte, with one scale for each of the k columns; the rounding takes its part of the error, and so the basis is cut at 0.9 of it. Nearer to the limit: fewer bits for the later columns, which weigh less,
# and the basis in int8 too. That is, in the end, how JPEG works.

# %% [markdown]
# ---
# **Next:** unit 13, *dask-dataframes*: tables that no single memory holds.
