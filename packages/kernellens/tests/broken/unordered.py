"""Races that a barrier does not fix: sums without atomics, updates in place, blocks that do not wait for each other."""

from .variant import Broken


def race(entry, breakage, old, new, at, **options):
    return Broken(entry, breakage, old, new, "race", at, **options)


VARIANTS = [
    race("atomic_sum_int64", "atomic replaced by +=", "cuda.atomic.add(out, 0, x[i])", "out[0] += x[i]", "out[0] +="),
    race(
        "dot_product", "atomic replaced by +=", "cuda.atomic.add(out, 0, cache[0])", "out[0] += cache[0]", "out[0] +="
    ),
    race(
        "histogram_global",
        "atomic replaced by +=",
        "cuda.atomic.add(bins, x[i], 1)",
        "bins[x[i]] += 1",
        "bins[x[i]] +=",
    ),
    race(
        "histogram_shared_private",
        "atomic on shared memory replaced by +=",
        "cuda.atomic.add(mine, x[i], 1)",
        "mine[x[i]] += 1",
        "mine[x[i]] +=",
    ),
    race(
        "coo_matvec_atomics",
        "atomic replaced by +=",
        "cuda.atomic.add(y, rows[k], data[k] * x[columns[k]])",
        "y[rows[k]] += data[k] * x[columns[k]]",
        "y[rows[k]] +=",
    ),
    race(
        "logistic_gradient",
        "atomic replaced by +=",
        "cuda.atomic.add(gradient, k, error * x[i, k])",
        "gradient[k] += error * x[i, k]",
        "gradient[k] +=",
    ),
    race(
        "charge_deposition",
        "one of two atomics replaced by +=",
        "cuda.atomic.add(density, left + 1, charge * weight)",
        "density[left + 1] += charge * weight",
        "density[left + 1] +=",
    ),
    race(
        "atomic_extrema_int32",
        "atomic replaced by a comparison",
        "cuda.atomic.min(low, 0, x[i])",
        "low[0] = min(low[0], x[i])",
        "low[0] = min",
    ),
    race(
        "compaction_atomic",
        "place taken and counted in two steps",
        "place = cuda.atomic.add(count, 0, 1)",
        "place = count[0]\n        count[0] += 1",
        "count[0] += 1",
    ),
    race(
        "compare_and_swap_loop",
        "plain write for the swap",
        "seen = cuda.atomic.cas(bits, 0, old, x[i])",
        "seen = old\n            bits[0] = x[i]",
        "bits[0] = x[i]",
    ),
    race(
        "mutex",
        "lock without a fence before it is released",
        "cuda.threadfence()\n        cuda.atomic.exch",
        "cuda.atomic.exch",
        "total[0] = total[0]",
        case="5 blocks",
    ),
    race(
        "mutex",
        "no lock",
        "while cuda.atomic.compare_and_swap(lock, 0, 1) != 0:\n            pass",
        "pass",
        "total[0] = total[0]",
    ),
    # Neighbours are read where others already write.
    race(
        "heat_equation",
        "in place",
        "then[i, j] = now[i, j] + rate",
        "now[i, j] = now[i, j] + rate",
        "now[i, j] = now[i, j] + rate",
    ),
    race("game_of_life", "in place", "after[i, j] =", "world[i, j] =", "world[i, j] ="),
    race(
        "stencil_3x3_int8",
        "one array given for both",
        "",
        "",
        "out[i, j] = (",
        args=lambda cuda, x, out: (cuda.to_device(x),) * 2,
    ),
    race(
        "rolling_mean",
        "arrays that overlap",
        "",
        "",
        "out[i] = np.nan",
        args=lambda cuda, x, window, out: _overlapping(cuda.to_device(x), window),
    ),
    race("ising_checkerboard", "both colours at once", " and (i + j) % 2 == colour", "", "spins[i, j] = -spins[i, j]"),
    race(
        "fdtd_2d",
        "two steps in one launch",
        "hy[i, j] += factor * (ez[i + 1, j] - ez[i, j])",
        "hy[i, j] += factor * (ez[i + 1, j] - ez[i, j])\n        ez[i, j] += factor * (hy[i, j] - hx[i, j])",
        "ez[i, j] += factor",
        function="update_magnetic",
    ),
    race(
        "transpose_in_place",
        "every pair swapped twice",
        "if i < j and j",
        "if i < x.shape[0] and j",
        "x[i, j], x[j, i] =",
    ),
    race("gaussian_elimination", "the pivot row changes too", "+ pivot + 1", "+ pivot", "a[row, j] -="),
    race("barrier_in_variable_loop", "one buffer for both", "buffer[1 - now, t]", "buffer[now, t]", "buffer[now, t] ="),
    # Threads that take each other's element.
    race("increment", "block size forgotten", " * cuda.blockDim.x", "", "x[i] += 1"),
    race(
        "axpy_grid_stride",
        "stride of a block, not of the grid",
        "cuda.gridsize(1)",
        "cuda.blockDim.x",
        "y[i] += a * x[i]",
    ),
    race(
        "three_phase_scan",
        "every thread writes the total",
        "if t == cuda.blockDim.x - 1:",
        "if t >= 0:",
        "totals[cuda.blockIdx.x] =",
    ),
    race("sort_by_key", "equal keys not told apart", " or (other == key and j < i)", "", "out_values[place] ="),
    race(
        "rank_sort",
        "equal values write one place",
        " or (x[j] == x[i] and j < i)",
        "",
        "out[rank] = x[i]",
        severity="warning",
    ),
    race("odd_even_sort", "two blocks where one is meant", "", "", "x[k] = x[k + 1]", grid=2),
    # Blocks do not wait for each other.
    race("grid_sync_diffusion", "no grid sync", "grid.sync()", "pass", "then[i] ="),
    race(
        "grid_sync_sum",
        "a block's barrier for the grid's",
        "cuda.cg.this_grid().sync()",
        "cuda.syncthreads()",
        "partial[cuda.blockIdx.x] =",
    ),
    race(
        "last_block_sum_threadfence",
        "plain partial sums, no fence",
        "cuda.atomic.exch(partial, cuda.blockIdx.x, shared[0])\n        cuda.threadfence()",
        "partial[cuda.blockIdx.x] = shared[0]",
        "partial[cuda.blockIdx.x] = shared[0]",
    ),
]


def _overlapping(x, window):
    return x[:-1], window, x[1:]
