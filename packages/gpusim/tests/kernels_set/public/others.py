"""Kernels of STUMPY (matrix profiles), warprnnt_numba (transducer loss), Disimpy (diffusion) and locate_pixelcolor_numbacuda."""

import math

import numpy as np
from numba.cuda.random import create_xoroshiro128p_states

from ..published import disimpy, pixelcolor, rnnt, rnnt_helper, stumpy_kernels
from ..registry import Case, Source, along, line, register
from ..xoroshiro import normals, uniforms


def _without_states(position):
    return lambda values: [None if k == position else value for k, value in enumerate(values)]


# --- STUMPY

STUMP = Source("stumpy-dev/stumpy", "stumpy/gpu_stump.py", "1.14.1", "BSD-3-Clause")
AAMP = Source("stumpy-dev/stumpy", "stumpy/gpu_aamp.py", "1.14.1", "BSD-3-Clause")
M, TOP = 8, 3
SEARCH_TREE, LEVELS = np.array([1, 0, 2]), 2  # a binary search tree over the three best, breadth first


def _profiles(w):
    return (
        np.full((w, TOP), np.inf),
        np.full(w, np.inf),
        np.full(w, np.inf),
        np.full((w, TOP), -1),
        np.full(w, -1),
        np.full(w, -1),
    )


def _series(rng):
    t = np.cumsum(rng.normal(size=60))
    w = t.size - M + 1
    windows = np.lib.stride_tricks.sliding_window_view(t, M)
    return t, w, windows


def _stump_cases(rng):
    for grid, block in ((2, 32), (1, 16)):
        t, w, windows = _series(rng)
        dots = windows @ windows.T
        mean, deviation = windows.mean(1), windows.std(1)
        flat = np.zeros(w, bool)
        yield Case(
            f"{grid}x{block}",
            grid,
            block,
            (t, dots[0].copy(), np.zeros(w), dots[0].copy(), mean, deviation, flat, *_profiles(w)),
        )


def _stump_launch(cuda, case, arguments):
    t, even, odd, first, mean, deviation, flat, *profiles = arguments
    tree = cuda.to_device(SEARCH_TREE)
    w = case.args[1].size
    for j in range(w):
        stumpy_kernels.stump_kernel[case.grid, case.block](
            j,
            t,
            t,
            M,
            even,
            odd,
            first,
            mean,
            deviation,
            mean,
            deviation,
            flat,
            flat,
            w,
            True,
            M // 4,
            *profiles,
            j > 0,
            tree,
            LEVELS,
            TOP,
        )


def _best(distance):
    """The three best of every row, outside of the exclusion zone; the best to the left and to the right."""
    w = len(distance)
    i, j = np.indices((w, w))
    distance = np.where((j >= np.maximum(0, i - M // 4)) & (j <= np.minimum(w, i + M // 4)), np.inf, distance)
    order = np.argsort(distance, 1, kind="stable")[:, :TOP]
    values = np.take_along_axis(distance, order, 1)
    sides = [np.where(side, distance, np.inf) for side in (j < i, j > i)]
    best = [side.min(1) for side in sides]
    places = [np.where(np.isfinite(b), side.argmin(1), -1) for b, side in zip(best, sides, strict=True)]
    return [values, *best, np.where(np.isfinite(values), order, -1), *places]


def _profiled(t, even, odd, first, mean, deviation, flat, *_):
    windows = np.lib.stride_tricks.sliding_window_view(t, M)
    dots = windows @ windows.T
    correlation = (dots - M * np.outer(mean, mean)) / (M * np.outer(deviation, deviation))
    distance = 2 * M * (1 - np.minimum(correlation, 1))
    last = len(dots) - 1
    ends = {1: dots[last - last % 2], 2: dots[last - (last + 1) % 2]}
    return ends | dict(enumerate(_best(distance), 7))


# Every thread writes QT_out[0], thread 0 a passing value before the right one, and dot products are updated step by step.
register(
    "stumpy_matrix_profile",
    stumpy_kernels.stump_kernel,
    _stump_cases,
    _profiled,
    launch=_stump_launch,
    source=STUMP,
    rtol=1e-6,
    atol=1e-8,
    traced="race",
)


def _aamp_cases(rng):
    t, w, windows = _series(rng)
    distance = ((windows[:, None] - windows[None]) ** 2).sum(2)
    finite = np.ones(w, bool)
    yield Case("w=53", 1, 64, (t, distance[0].copy(), np.zeros(w), distance[0].copy(), finite, *_profiles(w)))


def _aamp_launch(cuda, case, arguments):
    t, even, odd, first, finite, *profiles = arguments
    tree = cuda.to_device(SEARCH_TREE)
    w = case.args[1].size
    for j in range(w):
        stumpy_kernels.aamp_kernel[case.grid, case.block](
            j, t, t, M, 2.0, even, odd, first, finite, finite, w, True, M // 4, *profiles, j > 0, tree, LEVELS, TOP
        )


def _unnormalised(t, even, odd, first, finite, *_):
    windows = np.lib.stride_tricks.sliding_window_view(t, M)
    distance = ((windows[:, None] - windows[None]) ** 2).sum(2)
    last = len(distance) - 1
    ends = {1: distance[last - last % 2], 2: distance[last - (last + 1) % 2]}
    return ends | dict(enumerate(_best(distance), 5))


register(
    "stumpy_unnormalised_profile",
    stumpy_kernels.aamp_kernel,
    _aamp_cases,
    _unnormalised,
    launch=_aamp_launch,
    source=AAMP,
    rtol=1e-6,
    atol=1e-8,
    traced="race",
)

# --- warprnnt_numba


def _rnnt(path: str) -> Source:
    return Source("titu1994/warprnnt_numba", f"warprnnt_numba/rnnt_loss/{path}.py", "0.4.1", "Apache-2.0")


REDUCE, KERNELS = _rnnt("utils/cuda_utils/reduce"), _rnnt("utils/cuda_utils/gpu_rnnt_kernel")
# libm, single precision, another order of summation
LOOSE = {"rtol": 2e-5, "atol": 2e-5, "same_bits": False}


def _rows(operation, reduction):
    def cases(rng):
        for columns, rows in ((1, 1), (5, 29), (3, 128), (4, 300)):
            acts = rng.normal(size=(columns, rows)).astype("f4")
            start = np.zeros(columns, "f4") if reduction else acts.max(1)
            args = (operation, reduction, acts.ravel(), start, rows)
            yield Case(f"{columns} of {rows}", columns, rnnt.CTA_REDUCE_SIZE, args)

    return cases


register(
    "rnnt_reduce_max",
    rnnt._reduce_rows,
    _rows(1, 1),
    lambda op, red, acts, output, rows: {3: acts.reshape(-1, rows).max(1)},
    source=REDUCE,
    simulator="has no shuffles, and reads a variable that not every thread sets",
)


def _log_sum(op, red, acts, output, rows):
    acts = acts.reshape(-1, rows).astype("f8")
    return {3: -output - np.log(np.exp(acts - output[:, None]).sum(1))}


register(
    "rnnt_reduce_log_sum",
    rnnt._reduce_minus,
    _rows(0, 0),
    _log_sum,
    source=REDUCE,
    simulator="has no shuffles, and reads a variable that not every thread sets",
    **LOOSE,
)


def _lattices(rng):
    for batch, longest, most, size in ((1, 2, 2, 3), (3, 9, 5, 7)):
        acts = rng.normal(size=(batch, longest, most, size))
        denom = -np.log(np.exp(acts).sum(3))
        xlen = rng.integers(2, longest + 1, batch)
        ylen = rng.integers(1, most, batch)
        labels = rng.integers(1, size, (batch, most - 1))
        yield batch, longest, most, size, acts, denom, xlen, ylen, labels


def _forward_cases(rng):
    for batch, t, u, v, acts, denom, xlen, ylen, labels in _lattices(rng):
        out = np.zeros(batch * t * u)
        args = (acts.ravel(), denom.ravel(), out, np.zeros(batch), xlen, ylen, labels, batch, t, u, v, 0)
        yield Case(f"{batch} {t}x{u}", batch, u, args)


def _lattice(acts, denom, xlen, ylen, labels, batch, t, u, v):
    """Log-probabilities and the forward and backward variables of every utterance, by their definition."""
    p = acts.reshape(batch, t, u, v) + denom.reshape(batch, t, u, 1)
    alphas, betas = np.zeros((2, batch, t, u))
    for b in range(batch):
        steps, words = xlen[b], ylen[b] + 1
        for i in range(steps):
            for j in range(words):
                terms = []
                if i:
                    terms.append(alphas[b, i - 1, j] + p[b, i - 1, j, 0])
                if j:
                    terms.append(alphas[b, i, j - 1] + p[b, i, j - 1, labels[b, j - 1]])
                alphas[b, i, j] = np.logaddexp.reduce(terms) if terms else 0
        for i in reversed(range(steps)):
            for j in reversed(range(words)):
                terms = []
                if i < steps - 1:
                    terms.append(betas[b, i + 1, j] + p[b, i, j, 0])
                if j < words - 1:
                    terms.append(betas[b, i, j + 1] + p[b, i, j, labels[b, j]])
                betas[b, i, j] = np.logaddexp.reduce(terms) if terms else p[b, i, j, 0]
    return p, alphas, betas


def _forward(acts, denom, out, likelihood, xlen, ylen, labels, batch, t, u, v, blank, *lock):
    p, alphas, _ = _lattice(acts, denom, xlen, ylen, labels, batch, t, u, v)
    last = [(b, xlen[b] - 1, ylen[b]) for b in range(batch)]
    return {2: alphas.ravel(), 3: np.array([alphas[k] + p[(*k, 0)] for k in last])}


def _backward(acts, denom, out, likelihood, xlen, ylen, labels, batch, t, u, v, blank):
    _, _, betas = _lattice(acts, denom, xlen, ylen, labels, batch, t, u, v)
    return {2: betas.ravel(), 3: betas[:, 0, 0]}


TIGHT = {"rtol": 1e-10, "atol": 1e-11, "same_bits": False}  # libm
register("rnnt_alphas", rnnt.compute_alphas_kernel, _forward_cases, _forward, source=KERNELS, **TIGHT)
register("rnnt_betas", rnnt.compute_betas_kernel, _forward_cases, _backward, source=KERNELS, **TIGHT)


def _locked_cases(rng):
    for case in _forward_cases(rng):
        lock = np.zeros((case.grid, case.block + 1), "i4")
        yield Case(case.label, case.grid, case.block, (*case.args, lock))


# The threads of a block wait for each other in a spin on atomics, without barriers. The locks end where they began but for
# the last of each utterance, which counts the steps.
def _unlocked(*args):
    expected = _forward(*args)
    xlen, ylen, lock = args[4], args[5], args[12]
    lock[np.arange(len(xlen)), ylen + 1] -= xlen.astype("i4")
    return expected | {12: lock}


register(
    "rnnt_alphas_atomic_locks",
    rnnt.compute_alphas_kernel_atomic_locks,
    _locked_cases,
    _unlocked,
    source=_rnnt("rnnt_atomic_locks/utils/naive_gpu_rnnt_kernel"),
    traced="race",  # ordinary reads of what a neighbour wrote, ordered by atomics
    **TIGHT,
)


def _gradient_cases(rng):
    for batch, t, u, v, acts, denom, xlen, ylen, labels in _lattices(rng):
        p, alphas, betas = _lattice(acts, denom, xlen, ylen, labels, batch, t, u, v)
        args = (np.zeros(acts.size), acts.ravel(), denom.ravel(), alphas.ravel(), betas.ravel(), betas[:, 0, 0].copy())
        rest = (xlen, ylen, labels, batch, t, u, v, 0, 0.0, 0.0)
        yield Case(f"{batch} {t}x{u}", batch * t * u, 64, (*args, *rest))


def _gradients(grads, acts, denom, alphas, betas, logll, xlen, ylen, labels, batch, t, u, v, blank, fastemit, clamp):
    """Formulas 20 and 21 of A. Graves, Sequence transduction with recurrent neural networks (2012)."""
    p = acts.reshape(batch, t, u, v) + denom.reshape(batch, t, u, 1)
    a, b = alphas.reshape(batch, t, u), betas.reshape(batch, t, u)
    grads = grads.reshape(batch, t, u, v)
    for n in range(batch):
        for i in range(xlen[n]):
            for j in range(ylen[n] + 1):
                common = a[n, i, j] + p[n, i, j] - logll[n]
                grads[n, i, j] = np.exp(common + b[n, i, j])
                if i == xlen[n] - 1 and j == ylen[n]:
                    grads[n, i, j, 0] -= np.exp(common[0])
                if i < xlen[n] - 1:
                    grads[n, i, j, 0] -= np.exp(common[0] + b[n, i + 1, j])
                if j < ylen[n]:
                    k = labels[n, j]
                    grads[n, i, j, k] -= np.exp(common[k] + b[n, i, j + 1])
    return {0: grads.ravel()}


register(
    "rnnt_gradients",
    rnnt.compute_grad_kernel,
    lambda rng: (
        # 256 is the stride that the kernel's loop over the vocabulary takes
        Case(c.label, c.grid, rnnt.GPU_RNNT_THREAD_SIZE, c.args)
        for c in _gradient_cases(rng)
    ),
    _gradients,
    source=KERNELS,
    **TIGHT,
)
register(
    "rnnt_costs",
    rnnt_helper.compute_costs_data,
    line(lambda rng, n: (rng.normal(size=n), np.zeros(n), 0.25)),
    lambda x, out, fastemit: {1: -x * 1.25},
    source=_rnnt("utils/rnnt_helper"),
)

# --- Disimpy

DISIMPY = Source("kerkelae/disimpy", "disimpy/simulations.py", "0.3.0", "MIT")
WALK = {"rtol": 1e-4, "atol": 1e-4, "same_bits": False}  # normals are made in single precision


def _walkers(rng, *more, radius=None):
    for n in (1, 50):
        positions = rng.normal(size=(n, 3))
        if radius:
            positions *= 0.9 * radius * rng.random((n, 1)) / np.linalg.norm(positions, axis=1, keepdims=True)
        gradients = rng.normal(size=(3, 2, 4))
        states = create_xoroshiro128p_states(n, seed=5)
        args = (positions, *gradients, np.zeros((2, n)), states, 1, 0.5, 1e-9)
        flags = (radius, np.zeros(n, "?"), 100, 1e-10) if radius else ()
        yield Case(f"n={n}", along(n, 32), 32, (*args, *flags))


def _steps(count):
    step = normals(5, count, 3)
    return step / np.linalg.norm(step, axis=1, keepdims=True)


def _phases(positions, gx, gy, gz, phases, t, dt):
    return phases + disimpy.GAMMA * dt * (np.stack([gx[:, t], gy[:, t], gz[:, t]], 1) @ positions.T)


def _free(positions, gx, gy, gz, phases, states, t, length, dt):
    positions = positions + _steps(len(positions)) * length
    return {0: positions, 4: _phases(positions, gx, gy, gz, phases, t, dt)}


register(
    "disimpy_free_diffusion",
    disimpy._cuda_step_free,
    _walkers,
    _free,
    canonical=_without_states(5),
    source=DISIMPY,
    functions=(disimpy._cuda_random_step, disimpy._cuda_normalize_vector),
    **WALK,
)


def _in_sphere(positions, gx, gy, gz, phases, states, t, length, dt, radius, exceeded, most, epsilon):
    for i, step in enumerate(_steps(len(positions))):
        r, left = positions[i].copy(), length
        while left > 0:
            along_step = step @ r
            d = -along_step + math.sqrt(along_step**2 - (r @ r - radius**2))
            if not 0 < d < left:
                break
            hit = r + d * step
            normal = -hit / np.linalg.norm(hit)
            step = step - 2 * (step @ normal) * normal
            step /= np.linalg.norm(step)
            r = hit + epsilon * normal
            left -= d + epsilon
        positions[i] = r + step * left
    return {0: positions, 4: _phases(positions, gx, gy, gz, phases, t, dt)}


# The kernel moves the walker on the array itself (r0 is a view of its row), as the specification's result does not show.
register(
    "disimpy_sphere",
    disimpy._cuda_step_sphere,
    lambda rng: _walkers(rng, radius=1.0),
    _in_sphere,
    canonical=_without_states(5),
    source=DISIMPY,
    functions=(disimpy._cuda_reflection, disimpy._cuda_line_sphere_intersection),
    simulator="does not take a function of numba.jit that uses cuda",
    **WALK,
)

CORNERS = np.array([[x, y, z] for x in (0.2, 0.7) for y in (0.1, 0.8) for z in (0.3, 0.9)])
FACES = np.array(
    [
        [0, 1, 2],
        [1, 2, 3],
        [4, 5, 6],
        [5, 6, 7],
        [0, 1, 4],
        [1, 4, 5],
        [2, 3, 6],
        [3, 6, 7],
        [0, 2, 4],
        [2, 4, 6],
        [1, 3, 5],
        [3, 5, 7],
    ]
)


def _meshes(rng):
    for inside in (True, False):
        edges = np.array([0.0, 1.0])
        args = (
            np.full((60, 3), np.inf),
            create_xoroshiro128p_states(60, seed=9),
            inside,
            CORNERS,
            FACES,
            np.ones(3),
            np.arange(12),
            np.array([[0, 12]]),
            edges,
            edges,
            edges,
            np.ones(3, "i8"),
        )
        yield Case(f"inside={inside}", 2, 32, args)


def _sampled(points, states, inside, *_):
    drawn = uniforms(9, 60, 3)
    within = ((drawn > CORNERS[0]) & (drawn < CORNERS[-1])).all(1)
    keep = within if inside else ~within
    points[keep] = drawn[keep]
    return {0: points}


register(
    "disimpy_fill_mesh",
    disimpy._cuda_fill_mesh,
    _meshes,
    _sampled,
    canonical=_without_states(1),
    source=DISIMPY,
    functions=(disimpy._cuda_ray_triangle_intersection_check, disimpy._ll_subvoxel_overlap),
)

# --- locate_pixelcolor_numbacuda

PIXELS = Source("hansalemaos/locate_pixelcolor_numbacuda", "locate_pixelcolor_numbacuda/__init__.py", "0.12", "MIT")


def _pictures(rng):
    for n, m in ((1, 1), (40, 23)):
        image = rng.integers(0, 3, (n, m, 3), dtype="u1")
        colours = np.array([[0, 1, 2], [2, 2, 2]])
        args = (image, colours, np.zeros(n * m, "i8"), np.zeros(n * m, "i8"), np.zeros(1, "i8"))
        yield Case(f"{n}x{m}", (along(n, 8), along(m, 8)), (8, 8), args)


def _found(image, colours, xs, ys, count):
    x, y = np.nonzero((image[:, :, None] == colours).all(3).any(2))
    xs[: x.size], ys[: y.size] = x, y
    return {2: xs, 3: ys, 4: np.array([x.size])}


def _sorted_places(values):
    image, colours, xs, ys, count = values
    order = np.lexsort((ys[: count[0]], xs[: count[0]]))
    both = [np.append(v[: count[0]][order], v[count[0] :]) for v in (xs, ys)]
    return [image, colours, *both, count]


register("pixelcolor_search", pixelcolor.find_rgb_value, _pictures, _found, canonical=_sorted_places, source=PIXELS)
