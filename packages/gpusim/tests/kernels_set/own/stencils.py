"""Stencils: with borders left out, clamped and wrapped; with halos in shared memory; in one, two and three dimensions."""

import numpy as np
from numba import cuda, float32, float64, int32

from ..registry import Case, along, line, plane, register

RADIUS = 3
BLOCK = 64
TILE = 16
HALO = (TILE + 2, TILE + 2)
WINDOW = BLOCK + 2 * RADIUS


def _neighbours(x, pad="constant"):
    """The nine shifts of a 2-d array."""
    wide = np.pad(x.astype("i8") if x.dtype.kind in "iu" else x, 1, mode=pad)
    rows, columns = x.shape
    return [[wide[a : a + rows, b : b + columns] for b in range(3)] for a in range(3)]


@cuda.jit
def smooth(x, out):
    i, j = cuda.grid(2)
    n, m = x.shape
    if 1 <= i < n - 1 and 1 <= j < m - 1:
        out[i, j] = (
            x[i - 1, j - 1]
            + x[i - 1, j]
            + x[i - 1, j + 1]
            + x[i, j - 1]
            + x[i, j]
            + x[i, j + 1]
            + x[i + 1, j - 1]
            + x[i + 1, j]
            + x[i + 1, j + 1]
        ) // 9


def _smoothed(x, out):
    total = sum(sum(row) for row in _neighbours(x)) // 9
    out[1:-1, 1:-1] = total[1:-1, 1:-1]
    return {1: out}


register(
    "stencil_3x3_int8",
    smooth,
    plane(lambda rng, n, m: (rng.integers(-128, 128, (n, m), dtype="i1"), np.zeros((n, m), "i1"))),
    _smoothed,
    simulator="computes with NumPy's scalars: a sum of int8 overflows",
)


@cuda.jit
def laplacian_shared(x, out):
    tile = cuda.shared.array(HALO, float64)
    i, j = cuda.grid(2)
    a = cuda.threadIdx.x + 1
    b = cuda.threadIdx.y + 1
    n, m = x.shape
    inside = i < n and j < m
    tile[a, b] = x[i, j] if inside else 0.0
    if a == 1:
        tile[0, b] = x[i - 1, j] if inside and i > 0 else 0.0
    if b == 1:
        tile[a, 0] = x[i, j - 1] if inside and j > 0 else 0.0
    if a == TILE:
        tile[a + 1, b] = x[i + 1, j] if i + 1 < n and j < m else 0.0
    if b == TILE:
        tile[a, b + 1] = x[i, j + 1] if i < n and j + 1 < m else 0.0
    cuda.syncthreads()
    if inside:
        out[i, j] = tile[a - 1, b] + tile[a + 1, b] + tile[a, b - 1] + tile[a, b + 1] - 4.0 * tile[a, b]


def _laplacian(x, out):
    s = _neighbours(x)
    return {1: s[0][1] + s[2][1] + s[1][0] + s[1][2] - 4 * x}


def _whole_numbers(rng, n, m):
    return rng.integers(-50, 50, (n, m)).astype("f8"), np.full((n, m), np.nan)


register("laplacian_shared_halo", laplacian_shared, plane(_whole_numbers, block=(TILE, TILE)), _laplacian)


@cuda.jit
def weighted_window(x, weights, out):
    tile = cuda.shared.array(WINDOW, float32)
    i = cuda.grid(1)
    local = cuda.threadIdx.x + RADIUS
    n = x.shape[0]
    tile[local] = x[i] if i < n else 0
    if cuda.threadIdx.x < RADIUS:
        left = i - RADIUS
        right = i + BLOCK
        tile[local - RADIUS] = x[left] if left >= 0 and left < n else 0
        tile[local + BLOCK] = x[right] if right < n else 0
    cuda.syncthreads()
    if i < n:
        total = float32(0)
        for offset in range(-RADIUS, RADIUS + 1):
            total += tile[local + offset] * weights[offset + RADIUS]
        out[i] = total


def _window(rng, n):
    return rng.integers(-9, 9, n).astype("f4"), rng.integers(0, 5, 2 * RADIUS + 1).astype("f4"), np.zeros(n, "f4")


def _windowed(x, weights, out):
    wide = np.pad(x, RADIUS)
    return {2: sum(wide[k : k + x.size] * weights[k] for k in range(2 * RADIUS + 1))}


register("stencil_1d_shared", weighted_window, line(_window, sizes=(1, 2, 63, 64, 65, 1009), block=BLOCK), _windowed)


@cuda.jit
def seven_points(x, out):
    k, j, i = cuda.grid(3)
    depth, height, width = x.shape
    if 0 < i < depth - 1 and 0 < j < height - 1 and 0 < k < width - 1:
        out[i, j, k] = (
            x[i - 1, j, k]
            + x[i + 1, j, k]
            + x[i, j - 1, k]
            + x[i, j + 1, k]
            + x[i, j, k - 1]
            + x[i, j, k + 1]
            - 6 * x[i, j, k]
        )


def _volumes(rng):
    for shape in ((1, 1, 1), (3, 3, 3), (9, 17, 33), (20, 5, 11)):
        grid = (along(shape[2], 8), along(shape[1], 4), along(shape[0], 4))
        x = rng.integers(-9, 9, shape).astype("f8")
        yield Case("x".join(map(str, shape)), grid, (8, 4, 4), (x, np.zeros(shape)))


def _seven(x, out):
    c = slice(1, -1)
    total = x[:-2, c, c] + x[2:, c, c] + x[c, :-2, c] + x[c, 2:, c] + x[c, c, :-2] + x[c, c, 2:]
    out[c, c, c] = total - 6 * x[c, c, c]
    return {1: out}


register("stencil_3d", seven_points, _volumes, _seven)


@cuda.jit
def heat_step(now, then, rate):
    i, j = cuda.grid(2)
    if i < now.shape[0] and j < now.shape[1]:
        if i == 0 or j == 0 or i == now.shape[0] - 1 or j == now.shape[1] - 1:
            then[i, j] = now[i, j]
        else:
            flow = now[i - 1, j] + now[i + 1, j] + now[i, j - 1] + now[i, j + 1] - 4 * now[i, j]
            then[i, j] = now[i, j] + rate * flow


def _heat_launch(cuda, case, arguments):
    now, then, rate = arguments
    for _ in range(6):
        heat_step[case.grid, case.block](now, then, rate)
        now, then = then, now


def _heat(now, then, rate):
    a = now
    for _ in range(6):
        s = _neighbours(a)
        b = a + rate * (s[0][1] + s[2][1] + s[1][0] + s[1][2] - 4 * a)
        b[0], b[-1], b[:, 0], b[:, -1] = a[0], a[-1], a[:, 0], a[:, -1]
        previous, a = a, b
    return {0: a, 1: previous}


# a fused multiply-add rounds once less
register(
    "heat_equation",
    heat_step,
    plane(lambda rng, n, m: (rng.normal(size=(n, m)), np.zeros((n, m)), 0.125)),
    _heat,
    launch=_heat_launch,
    rtol=1e-12,
    atol=1e-13,
)


@cuda.jit
def wave_step(before, now, after, courant2):
    i = cuda.grid(1)
    n = now.size
    if i < n:
        left = now[i - 1]  # the first wraps to the last, as in NumPy
        right = now[(i + 1) % n]
        after[i] = 2 * now[i] - before[i] + courant2 * (left - 2 * now[i] + right)


def _wave_launch(cuda, case, arguments):
    before, now, after, courant2 = arguments
    for _ in range(5):
        wave_step[case.grid, case.block](before, now, after, courant2)
        before, now, after = now, after, before


def _wave(before, now, after, courant2):
    slots = [before, now, after]
    for _ in range(5):
        before, now, _ = slots
        new = 2 * now - before + courant2 * (np.roll(now, 1) - 2 * now + np.roll(now, -1))
        slots = [now, new, before]
    # Five turns of three buffers: before, now and after end at positions 2, 0 and 1.
    return {2: slots[0], 0: slots[1], 1: slots[2]}


register(
    "wave_equation",
    wave_step,
    line(lambda rng, n: (*rng.normal(size=(3, n)), 0.25), sizes=(1, 2, 31, 1009)),
    _wave,
    launch=_wave_launch,
    rtol=1e-12,
    atol=1e-12,
)


@cuda.jit
def update_magnetic(ez, hx, hy, factor):
    i, j = cuda.grid(2)
    if i < ez.shape[0] and j < ez.shape[1]:
        if j < ez.shape[1] - 1:
            hx[i, j] -= factor * (ez[i, j + 1] - ez[i, j])
        if i < ez.shape[0] - 1:
            hy[i, j] += factor * (ez[i + 1, j] - ez[i, j])


@cuda.jit
def update_electric(ez, hx, hy, factor):
    i, j = cuda.grid(2)
    if 0 < i < ez.shape[0] - 1 and 0 < j < ez.shape[1] - 1:
        ez[i, j] += factor * ((hy[i, j] - hy[i - 1, j]) - (hx[i, j] - hx[i, j - 1]))


def _fdtd_launch(cuda, case, arguments):
    ez, hx, hy, factor = arguments
    for _ in range(4):
        update_magnetic[case.grid, case.block](ez, hx, hy, factor)
        update_electric[case.grid, case.block](ez, hx, hy, factor)


def _fdtd(ez, hx, hy, factor):
    for _ in range(4):
        hx[:, :-1] -= factor * (ez[:, 1:] - ez[:, :-1])
        hy[:-1] += factor * (ez[1:] - ez[:-1])
        inner = (hy[1:-1, 1:-1] - hy[:-2, 1:-1]) - (hx[1:-1, 1:-1] - hx[1:-1, :-2])
        ez[1:-1, 1:-1] += factor * inner
    return {0: ez, 1: hx, 2: hy}


register(
    "fdtd_2d",
    update_electric,
    plane(lambda rng, n, m: (*rng.normal(size=(3, n, m)), 0.5)),
    _fdtd,
    launch=_fdtd_launch,
    rtol=1e-12,
    atol=1e-13,
)


@cuda.jit
def life_step(world, after):
    i, j = cuda.grid(2)
    n, m = world.shape
    if i >= n or j >= m:
        return
    alive = 0
    for a in range(-1, 2):
        for b in range(-1, 2):
            if a == 0 and b == 0:
                continue
            alive += world[(i + a) % n, (j + b) % m]
    after[i, j] = 1 if alive == 3 or (alive == 2 and world[i, j]) else 0


def _life_launch(cuda, case, arguments):
    world, after = arguments
    for _ in range(4):
        life_step[case.grid, case.block](world, after)
        world, after = after, world


def _life(world, after):
    for _ in range(4):
        alive = sum(np.roll(world, (a, b), (0, 1)) for a in (-1, 0, 1) for b in (-1, 0, 1)) - world
        world, after = ((alive == 3) | ((alive == 2) & (world == 1))).astype("u1"), world
    return {0: world, 1: after}


register(
    "game_of_life",
    life_step,
    plane(lambda rng, n, m: (rng.integers(0, 2, (n, m), dtype="u1"), np.zeros((n, m), "u1"))),
    _life,
    launch=_life_launch,
)


@cuda.jit
def sobel(image, out):
    y, x = cuda.grid(2)
    height, width = image.shape
    if y >= height or x >= width:
        return
    if y == 0 or x == 0 or y == height - 1 or x == width - 1:
        out[y, x] = 0
        return
    gx = (
        int32(image[y - 1, x + 1])
        + 2 * image[y, x + 1]
        + image[y + 1, x + 1]
        - image[y - 1, x - 1]
        - 2 * int32(image[y, x - 1])
        - image[y + 1, x - 1]
    )
    gy = (
        int32(image[y + 1, x - 1])
        + 2 * image[y + 1, x]
        + image[y + 1, x + 1]
        - image[y - 1, x - 1]
        - 2 * int32(image[y - 1, x])
        - image[y - 1, x + 1]
    )
    out[y, x] = min(255, abs(gx) + abs(gy))


def _sobel(image, out):
    s = _neighbours(image)
    gx = s[0][2] + 2 * s[1][2] + s[2][2] - s[0][0] - 2 * s[1][0] - s[2][0]
    gy = s[2][0] + 2 * s[2][1] + s[2][2] - s[0][0] - 2 * s[0][1] - s[0][2]
    total = np.minimum(255, abs(gx) + abs(gy))
    total[0] = total[-1] = 0
    total[:, 0] = total[:, -1] = 0
    return {1: total}


register(
    "sobel",
    sobel,
    plane(lambda rng, n, m: (rng.integers(0, 256, (n, m), dtype="u1"), np.full((n, m), 7, "u1"))),
    _sobel,
    simulator="computes with NumPy's scalars: 2 * a uint8 overflows",
)


GAUSSIAN = np.array([1, 4, 6, 4, 1], "f4") / 16


@cuda.jit
def gaussian_rows(image, out):
    weights = cuda.const.array_like(GAUSSIAN)
    i, j = cuda.grid(2)
    if i < image.shape[0] and j < image.shape[1]:
        total = float32(0.0)
        for k in range(5):
            column = min(max(j + k - 2, 0), image.shape[1] - 1)
            total += weights[k] * image[i, column]
        out[j, i] = total  # transposed: run twice, it filters both ways


def _gaussian_launch(cuda, case, arguments):
    image, between, out = arguments
    gaussian_rows[case.grid, case.block](image, between)
    gaussian_rows[case.grid[::-1], case.block[::-1]](between, out)


def _gaussian(image, between, out):
    def once(x):
        wide = np.pad(x, ((0, 0), (2, 2)), mode="edge")
        return sum(GAUSSIAN[k] * wide[:, k : k + x.shape[1]] for k in range(5)).T

    first = once(image)
    return {1: first, 2: once(first)}


register(
    "gaussian_blur_constant_memory",
    gaussian_rows,
    plane(lambda rng, n, m: (rng.integers(0, 99, (n, m)).astype("f4"), np.zeros((m, n), "f4"), np.zeros((n, m), "f4"))),
    _gaussian,
    launch=_gaussian_launch,
    rtol=1e-6,
)


@cuda.jit
def median_3x3(image, out):
    i, j = cuda.grid(2)
    n, m = image.shape
    if i >= n or j >= m:
        return
    window = cuda.local.array(9, int32)
    count = 0
    for a in range(max(i - 1, 0), min(i + 2, n)):
        for b in range(max(j - 1, 0), min(j + 2, m)):
            value = image[a, b]
            k = count
            while k > 0 and window[k - 1] > value:
                window[k] = window[k - 1]
                k -= 1
            window[k] = value
            count += 1
    out[i, j] = window[count // 2]


def _median(image, out):
    n, m = image.shape
    for i in range(n):
        for j in range(m):
            window = np.sort(image[max(i - 1, 0) : i + 2, max(j - 1, 0) : j + 2], axis=None)
            out[i, j] = window[window.size // 2]
    return {1: out}


register(
    "median_filter_local_array",
    median_3x3,
    plane(lambda rng, n, m: (rng.integers(0, 256, (n, m), dtype="u2"), np.zeros((n, m), "u2"))),
    _median,
)


@cuda.jit
def dilate(mask, radius, out):
    i, j = cuda.grid(2)
    if i < mask.shape[0] and j < mask.shape[1]:
        found = False
        for a in range(-radius, radius + 1):
            for b in range(-radius, radius + 1):
                if a * a + b * b > radius * radius:
                    continue
                y = i + a
                x = j + b
                if y < 0 or x < 0 or y >= mask.shape[0] or x >= mask.shape[1]:
                    continue
                if mask[y, x]:
                    found = True
                    break
            if found:
                break
        out[i, j] = found


def _dilated(mask, radius, out):
    wide = np.pad(mask, radius)
    n, m = mask.shape
    for a in range(2 * radius + 1):
        for b in range(2 * radius + 1):
            if (a - radius) ** 2 + (b - radius) ** 2 <= radius**2:
                out |= wide[a : a + n, b : b + m]
    return {2: out}


register(
    "dilation",
    dilate,
    plane(lambda rng, n, m: (rng.random((n, m)) < 0.02, 3, np.zeros((n, m), "?"))),
    _dilated,
)


@cuda.jit
def convolve_same(x, kernel, out):
    i = cuda.grid(1)
    if i < x.size:
        total = 0.0
        for k in range(kernel.size):
            j = i + kernel.size // 2 - k
            if 0 <= j < x.size:
                total += x[j] * kernel[k]
        out[i] = total


def _convolved(x, kernel, out):
    full = np.convolve(x, kernel)
    start = kernel.size // 2
    return {2: full[start : start + x.size]}


register(
    "convolution_1d",
    convolve_same,
    line(lambda rng, n: (*(rng.integers(-9, 9, k).astype("f8") for k in (n, 7)), np.zeros(n)), sizes=(1, 5, 257, 1009)),
    _convolved,
)


@cuda.jit
def bilinear_resize(image, out):
    y, x = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        v = y * (image.shape[0] - 1) / max(out.shape[0] - 1, 1)
        u = x * (image.shape[1] - 1) / max(out.shape[1] - 1, 1)
        y0 = int(v)
        x0 = int(u)
        y1 = min(y0 + 1, image.shape[0] - 1)
        x1 = min(x0 + 1, image.shape[1] - 1)
        fy = v - y0
        fx = u - x0
        top = image[y0, x0] * (1 - fx) + image[y0, x1] * fx
        bottom = image[y1, x0] * (1 - fx) + image[y1, x1] * fx
        out[y, x] = top * (1 - fy) + bottom * fy


def _resized(image, out):
    def at(n, size):
        v = np.arange(n) * (size - 1) / max(n - 1, 1)
        low = v.astype(int)
        return low, np.minimum(low + 1, size - 1), v - low

    y0, y1, fy = at(out.shape[0], image.shape[0])
    x0, x1, fx = at(out.shape[1], image.shape[1])
    rows = [image[y][:, x0] * (1 - fx) + image[y][:, x1] * fx for y in (y0, y1)]
    return {1: rows[0] * (1 - fy)[:, None] + rows[1] * fy[:, None]}


register(
    "bilinear_resize",
    bilinear_resize,
    plane(lambda rng, n, m: (rng.normal(size=(11, 6)), np.zeros((n, m)))),
    _resized,
    rtol=1e-12,
    atol=1e-13,
)
