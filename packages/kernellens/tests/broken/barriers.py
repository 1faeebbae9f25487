"""Barriers that are missing, before or after, and barriers that part a block.

The finding of a race names the write's line; where several pairs of lines race, the first.
"""

from .variant import Broken

BARRIER = "    cuda.syncthreads()\n"


def missing(entry, breakage, old, at, **options):
    """A barrier is taken out of some lines."""
    new = old.replace("cuda.syncthreads()", "pass").replace("cuda.syncwarp()", "pass")
    return Broken(entry, breakage, old, new, "race", at, **options)


def divergent(entry, breakage, old, new, at, **options):
    return Broken(entry, breakage, old, new, "barrier-divergence", at, **options)


VARIANTS = [
    missing("tree_sum", "no barrier after the load", "else 0\n    cuda.syncthreads()", "shared[t] = x[i] if"),
    missing(
        "tree_sum", "no barrier between the steps", "cuda.syncthreads()\n        s //= 2", "shared[t] += shared[t + s]"
    ),
    missing("tree_sum_interleaved", "no barrier at all", "        cuda.syncthreads()", "shared[t] = x[i] if"),
    missing("shuffle_sum", "no barrier between the warps", "cuda.syncthreads()", "partial[warp] = value"),
    missing("argmin", "no barrier between the steps", "cuda.syncthreads()\n        s //= 2", "values[t] = other"),
    missing("column_sum", "no barrier before the last step", "cuda.syncthreads()", "= total\n    pass"),
    missing(
        "last_block_sum_threadfence", "flag read before it is there", "cuda.syncthreads()\n    if last", "last[0] ="
    ),
    missing(
        "hillis_steele_scan",
        "no barrier after the copy",
        "now[t] = then[t]\n        cuda.syncthreads()",
        "now[t] = then[t]\n",
    ),
    missing(
        "hillis_steele_scan", "no barrier before the copy", "cuda.syncthreads()\n        now[t] =", "now[t] = then[t]\n"
    ),
    missing(
        "blelloch_scan_dynamic_shared",
        "no barrier on the way up",
        "cuda.syncthreads()\n        if t < d:\n            a = offset * (2 * t + 1) - 1\n            b = offset * (2 * t + 2) - 1\n            values[b]",
        "values[2 * t + 1] = x",
    ),
    missing(
        "segmented_scan",
        "no barrier before the update",
        "cuda.syncthreads()\n        values[t], flags",
        "values[t], flags[t] = value",
    ),
    missing("transpose_shared", "no barrier after the load", "cuda.syncthreads()", "tile[ty, tx] = x"),
    missing(
        "transpose_padded",
        "no barrier after the load",
        "cuda.syncthreads()",
        "tile[cuda.threadIdx.y + k, cuda.threadIdx.x] =",
    ),
    missing("laplacian_shared_halo", "no barrier after the load", "cuda.syncthreads()", "tile[a, b] = x[i, j]"),
    missing("stencil_1d_shared", "no barrier after the load", "cuda.syncthreads()", "tile[local] = x[i]"),
    missing("matmul_tiled", "no barrier after the load", "cuda.syncthreads()\n        for k", "left[ty, tx] = 0"),
    missing(
        "matmul_complex64",
        "no barrier at the end of the loop",
        "right[k, tx]\n        cuda.syncthreads()",
        "left[ty, tx] =",
    ),
    missing(
        "matvec_shared",
        "no barrier at the end of the loop",
        "part[k]\n        cuda.syncthreads()",
        "part[cuda.threadIdx.x] =",
    ),
    missing(
        "nbody_tiled",
        "no barrier at the end of the loop",
        "az += dz * w\n        cuda.syncthreads()",
        "tile[t, k] = position[j, k]",
    ),
    missing(
        "histogram_shared_private", "no barrier after zeroing", "mine[k] = 0\n    cuda.syncthreads()", "mine[k] = 0"
    ),
    missing(
        "histogram_shared_private", "no barrier before the sum", "x[i], 1)\n    cuda.syncthreads()", "if mine[k] > 0"
    ),
    missing("k_means_step", "no barrier after zeroing", "= 0.0\n    cuda.syncthreads()", "local[t, k] = 0.0"),
    missing("softmax_rows", "scratch reused at once", "high = shared[0]\n    cuda.syncthreads()", "shared[t] = total"),
    missing("dynamic_shared_slices", "no barrier between the halves", "cuda.syncthreads()", "half[t] ="),
    missing(
        "barrier_in_device_function",
        "scratch reused at once, in a device function",
        "cuda.syncthreads()\n    return total",
        "scratch[t] = value",
        function="block_total",
    ),
    missing(
        "barrier_vote_loop",
        "no barrier before the update",
        "cuda.syncthreads()\n        value[t] = new",
        "value[t] = new\n",
    ),
    missing("block_queue", "place not waited for", "size[0])\n    cuda.syncthreads()", "base[0] = cuda"),
    missing("bitonic_sort_shared", "no barrier between the steps", "            cuda.syncthreads()\n", "shared[t] = b"),
    missing("odd_even_sort", "no barrier between the phases", "cuda.syncthreads()", "x[k] = x[k + 1]"),
    missing(
        "radix_sort_block", "no barrier after the scatter", "= value\n        cuda.syncthreads()", "zeros[t] = 1 - one"
    ),
    missing(
        "compaction_ordered",
        "no barrier at the end of the loop",
        "done += flags[127]\n        cuda.syncthreads()",
        "flags[t] = keep",
    ),
    missing("syncwarp_exchange", "no syncwarp after the load", "else 0\n    cuda.syncwarp()", "mine[t] = x[i]"),
    missing(
        "syncwarp_exchange", "no syncwarp after the update", "other * 2\n    cuda.syncwarp()", "mine[t] = other * 2"
    ),
    # Threads of a block at two barriers at once.
    divergent(
        "hillis_steele_scan",
        "a barrier in each branch",
        "then[t] = now[t] + now[t - offset]\n        else:\n            then[t] = now[t]\n        cuda.syncthreads()",
        "then[t] = now[t] + now[t - offset]\n            cuda.syncthreads()\n        else:\n            then[t] = now[t]\n"
        "            cuda.syncthreads()  # of the others",
        "cuda.syncthreads()\n        else",
    ),
    divergent(
        "matmul_tiled",
        "barrier only where there is something to load",
        "= b[ty + tile * TPB, x]\n        cuda",
        "= b[ty + tile * TPB, x]\n            cuda",
        "cuda.syncthreads()\n        for k",
    ),
    divergent(
        "nbody_tiled",
        "barrier in the branch that loads",
        "tile[t, k] = 0.0\n        cuda.syncthreads()",
        "tile[t, k] = 0.0\n            cuda.syncthreads()",
        "cuda.syncthreads()\n        for k in range(32)",
    ),
    divergent(
        "matvec_shared",
        "barrier only for rows that exist",
        "part[k]\n        cuda.syncthreads()",
        "part[k]\n            cuda.syncthreads()",
        "cuda.syncthreads()\n        if row < a",
    ),
    divergent(
        "barrier_in_device_function",
        "barrier in the branch, in a device function",
        "scratch[t] += scratch[t + s]\n        cuda",
        "scratch[t] += scratch[t + s]\n            cuda",
        "cuda.syncthreads()\n        s //= 2",
        function="block_total",
    ),
    divergent(
        "softmax_rows",
        "barrier in the branch of a tree",
        "max(shared[t], shared[t + s])\n        cuda",
        "max(shared[t], shared[t + s])\n            cuda",
        "cuda.syncthreads()\n        s //= 2\n    high",
    ),
    divergent(
        "shuffle_rotation",
        "shuffle of a whole warp in a branch",
        "    value = cuda.shfl_sync",
        "    if i < x.size:\n        value = cuda.shfl_sync",
        "value = cuda.shfl_sync",
    ),
    divergent(
        "divergent_half_warps",
        "mask names lanes of the other branch",
        "0x0000FFFF",
        "0xFFFFFFFF",
        "cuda.shfl_xor_sync(0xFFFFFFFF",
    ),
    divergent(
        "warp_votes",
        "vote of a whole warp in a branch",
        "    a = cuda.all_sync",
        "    a = False\n    if positive:\n        a = cuda.all_sync",
        "a = cuda.all_sync",
    ),
]
