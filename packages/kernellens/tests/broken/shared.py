"""Shared and local memory: too small for the block, or read where nobody wrote."""

from .variant import Broken


def small(entry, breakage, old, new, at, **options):
    return Broken(entry, breakage, old, new, "out-of-bounds", at, **options)


def unset(entry, breakage, old, new, at, **options):
    return Broken(entry, breakage, old, new, "uninitialised-shared", at, **options)


VARIANTS = [
    small(
        "tree_sum",
        "shared array half as large",
        "cuda.shared.array(WIDTH,",
        "cuda.shared.array(64,",
        "shared[t] = x[i]",
    ),
    small("tree_sum", "block larger than the shared array", "", "", "shared[t] = x[i]", grid=4, block=256),
    small("tree_sum", "partner one too far", "shared[t + s]", "shared[t + s + 1]", "shared[t] += shared[t + s + 1]"),
    small(
        "tree_sum_interleaved",
        "steps of neighbours overlap",
        "k = 2 * s * t",
        "k = s * t",
        "shared[k] += shared[k + s]",
    ),
    small("tree_sum", "one thread too many adds", "if t < s:", "if t <= s:", "shared[t] += shared[t + s]"),
    small(
        "shuffle_sum",
        "room for two warps of four",
        "cuda.shared.array(32,",
        "cuda.shared.array(2,",
        "partial[warp] = value",
    ),
    small(
        "row_mean_and_variance",
        "first step as wide as the block",
        "step = 32",
        "step = 64",
        "sums[t] += sums[t + step]",
    ),
    small(
        "laplacian_shared_halo",
        "tile without its last row",
        "HALO = (TILE + 2,",
        "HALO = (TILE + 1,",
        "tile[a + 1, b] =",
        whole=True,
    ),
    small(
        "stencil_1d_shared",
        "halo one too far",
        "tile[local + BLOCK] =",
        "tile[local + BLOCK + RADIUS] =",
        "tile[local + BLOCK + RADIUS] =",
    ),
    small(
        "transpose_padded",
        "tile one row short",
        "PADDED = (TILE,",
        "PADDED = (TILE - 1,",
        "tile[cuda.threadIdx.y + k, cuda.threadIdx.x] =",
        whole=True,
        case="33x70",
    ),
    small("blelloch_scan_dynamic_shared", "half of the dynamic shared memory", "", "", "values[2 * t] = x", shared=256),
    small("blelloch_scan_dynamic_shared", "dynamic shared memory forgotten", "", "", "values[2 * t] = x", shared=0),
    small(
        "histogram_shared_private", "one bin short", "cuda.shared.array(BINS,", "cuda.shared.array(63,", "mine[k] = 0"
    ),
    small(
        "block_queue",
        "queue too short",
        "cuda.shared.array(64, float64)",
        "cuda.shared.array(8, float64)",
        "queue[cuda.atomic.add(size",
    ),
    small(
        "median_filter_local_array",
        "local array one short",
        "cuda.local.array(9,",
        "cuda.local.array(8,",
        "            window[k] = value",
        args=lambda cuda, image, out: (image * 0, out),
    ),
    small("nearest_neighbours", "last of a local array", "distances[K - 1]:", "distances[K]:", "if d < distances[K]:"),
    small("edit_distance", "local array one short", "cuda.local.array(17,", "cuda.local.array(16,", "row[k] = k"),
    unset(
        "tree_sum",
        "nothing set beyond the data",
        "shared[t] = x[i] if i < x.size else 0",
        "if i < x.size:\n        shared[t] = x[i]",
        "shared[t] += shared[t + s]",
    ),
    unset(
        "shuffle_sum",
        "warps that are not there",
        " if lane < cuda.blockDim.x // 32 else 0",
        "",
        "value = partial[lane]",
    ),
    unset(
        "laplacian_shared_halo",
        "right halo never filled",
        "    if b == TILE:\n        tile[a, b + 1] = x[i, j + 1] if i < n and j + 1 < m else 0.0\n",
        "",
        "out[i, j] = tile[a - 1, b]",
    ),
    unset(
        "transpose_padded",
        "last rows not loaded",
        "for k in range(0, TILE, ROWS):\n        if row + k < x",
        "for k in range(0, TILE - ROWS, ROWS):\n        if row + k < x",
        "out[row + k, column] = tile",
        case="33x70",
    ),
    unset("histogram_shared_private", "bins not set to zero", "mine[k] = 0", "pass", "cuda.atomic.add(mine, x[i], 1)"),
    unset("block_queue", "counter not set to zero", "size[0] = 0", "pass", "queue[cuda.atomic.add(size"),
    unset("k_means_step", "sums not set to zero", "local[t, k] = 0.0", "pass", "cuda.atomic.add(local, (choice, 0)"),
    unset(
        "matmul_tiled",
        "edges of the tile not zeroed",
        "left[ty, tx] = 0\n",
        "pass\n",
        "total += left[ty, k]",
        case="1x1 1x1",
    ),
    unset(
        "record_shared_memory",
        "a field not set beyond the data",
        "shared[t].x = 0.0",
        "pass",
        "out[i] = other.x * other.charge",
    ),
]
