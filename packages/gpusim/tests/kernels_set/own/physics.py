"""Simulations: n-body, Monte Carlo, fractals, ordinary differential equations, spins, particles in a box."""

import math

import numpy as np
from numba import cuda, float32, float64
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_normal_float64, xoroshiro128p_uniform_float32

from ..registry import Case, along, line, plane, register
from ..xoroshiro import normals, uniforms


@cuda.jit
def draw_uniforms(states, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        for k in range(out.shape[1]):
            out[i, k] = xoroshiro128p_uniform_float32(states, i)


def _random_cases(rng):
    for n, seed in ((1, 0), (37, 42), (100, 2**40 + 3)):
        states = create_xoroshiro128p_states(n, seed=seed)
        yield Case(f"n={n}", along(n, 32), 32, (states, np.zeros((n, 5), "f4")))


def _drawn(states, out):
    # The states are the specification's own business: the seeds are those of the cases, by their number of threads.
    seed = {1: 0, 37: 42, 100: 2**40 + 3}[len(out)]
    return {1: uniforms(seed, *out.shape).astype("f4")}


def _only_numbers(position):
    def canonical(values):
        return [value if k == position else None for k, value in enumerate(values)]

    return canonical


register("xoroshiro_uniform", draw_uniforms, _random_cases, _drawn, canonical=_only_numbers(1))


@cuda.jit
def draw_normals(states, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        total = 0.0
        for _ in range(4):
            total += xoroshiro128p_normal_float64(states, i)
        out[i] = total


def _normal_cases(rng):
    yield Case("n=40", 2, 32, (create_xoroshiro128p_states(40, seed=7), np.zeros(40)))


def _box_muller(states, out):
    return {1: normals(7, 40, 4).sum(1)}


# libm, in single precision
register(
    "xoroshiro_normal",
    draw_normals,
    _normal_cases,
    _box_muller,
    canonical=_only_numbers(1),
    rtol=1e-5,
    atol=1e-5,
    same_bits=False,
)


@cuda.jit
def monte_carlo_pi(states, iterations, out):
    thread = cuda.grid(1)
    if thread >= out.size:
        return
    inside = 0
    for _ in range(iterations):
        x = xoroshiro128p_uniform_float32(states, thread)
        y = xoroshiro128p_uniform_float32(states, thread)
        if x**2 + y**2 <= 1.0:
            inside += 1
    out[thread] = 4.0 * inside / iterations


def _pi_cases(rng):
    yield Case("n=50", 1, 64, (create_xoroshiro128p_states(64, seed=1), 40, np.zeros(50, "f4")))


def _pi(states, iterations, out):
    u = uniforms(1, 50, 80).astype("f4").astype("f8").reshape(50, 40, 2)
    return {2: ((u**2).sum(2) <= 1).sum(1) * 4.0 / 40}


register("monte_carlo_pi", monte_carlo_pi, _pi_cases, _pi, canonical=_only_numbers(2))


@cuda.jit(device=True)
def body_acceleration(xi, yi, zi, xj, yj, zj, mass, softening):
    dx = xj - xi
    dy = yj - yi
    dz = zj - zi
    r2 = dx * dx + dy * dy + dz * dz + softening
    factor = mass / (r2 * math.sqrt(r2))
    return dx * factor, dy * factor, dz * factor


@cuda.jit
def nbody(position, mass, softening, acceleration):
    i = cuda.grid(1)
    if i >= position.shape[0]:
        return
    ax = ay = az = 0.0
    for j in range(position.shape[0]):
        x, y, z = body_acceleration(
            position[i, 0],
            position[i, 1],
            position[i, 2],
            position[j, 0],
            position[j, 1],
            position[j, 2],
            mass[j],
            softening,
        )
        ax += x
        ay += y
        az += z
    acceleration[i, 0] = ax
    acceleration[i, 1] = ay
    acceleration[i, 2] = az


def _bodies(rng, n):
    return rng.normal(size=(n, 3)), rng.uniform(0.5, 2, n), 0.01, np.zeros((n, 3))


def _attraction(position, mass, softening, acceleration):
    d = position[None] - position[:, None]
    r2 = (d**2).sum(2) + softening
    return {3: (d * (mass / r2**1.5)[:, :, None]).sum(1)}


# another order of summation, and a power for a root
register("nbody_naive", nbody, line(_bodies, sizes=(1, 31, 150), block=32), _attraction, rtol=1e-9, atol=1e-10)


@cuda.jit
def nbody_tiled(position, mass, softening, acceleration):
    tile = cuda.shared.array((32, 4), float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    n = position.shape[0]
    px = position[i, 0] if i < n else 0.0
    py = position[i, 1] if i < n else 0.0
    pz = position[i, 2] if i < n else 0.0
    ax, ay, az = 0.0, 0.0, 0.0
    for start in range(0, n, 32):
        j = start + t
        if j < n:
            for k in range(3):
                tile[t, k] = position[j, k]
            tile[t, 3] = mass[j]
        else:
            for k in range(4):
                tile[t, k] = 0.0
        cuda.syncthreads()
        for k in range(32):
            dx = tile[k, 0] - px
            dy = tile[k, 1] - py
            dz = tile[k, 2] - pz
            r2 = dx * dx + dy * dy + dz * dz + softening
            w = tile[k, 3] / (r2 * math.sqrt(r2))
            ax += dx * w
            ay += dy * w
            az += dz * w
        cuda.syncthreads()
    if i < n:
        acceleration[i, 0] = ax
        acceleration[i, 1] = ay
        acceleration[i, 2] = az


register("nbody_tiled", nbody_tiled, line(_bodies, sizes=(1, 32, 75), block=32), _attraction, rtol=1e-9, atol=1e-10)


@cuda.jit(device=True)
def escape(x, y, most):
    real = x
    imaginary = y
    for i in range(most):
        real2 = real * real
        imaginary2 = imaginary * imaginary
        if real2 + imaginary2 > 4.0:
            return i
        imaginary = 2.0 * real * imaginary + y
        real = real2 - imaginary2 + x
    return most


@cuda.jit
def mandelbrot(left, top, pixel, most, image):
    sx, sy = cuda.grid(2)
    dx, dy = cuda.gridsize(2)
    for i in range(sy, image.shape[0], dy):
        for j in range(sx, image.shape[1], dx):
            image[i, j] = escape(left + j * pixel, top + i * pixel, most)


def _views(rng):
    for n, m, grid, block in ((1, 1, (1, 1), (1, 1)), (31, 47, (2, 2), (8, 8)), (64, 64, (8, 8), (8, 8))):
        yield Case(f"{n}x{m}", grid, block, (-2.0, -1.25, 0.0625, 30, np.zeros((n, m), "u1")))


def _mandelbrot(left, top, pixel, most, image):
    x = np.broadcast_to(left + np.arange(image.shape[1]) * pixel, image.shape)
    y = np.broadcast_to((top + np.arange(image.shape[0]) * pixel)[:, None], image.shape)
    real, imaginary = x.copy(), y.copy()
    count = np.full(image.shape, most)
    for i in range(most):
        out = (real * real + imaginary * imaginary > 4) & (count == most)
        count[out] = i
        real, imaginary = real * real - imaginary * imaginary + x, 2 * real * imaginary + y
    return {4: count}


register("mandelbrot", mandelbrot, _views, _mandelbrot)


@cuda.jit
def julia(c, scale, most, counts):
    i, j = cuda.grid(2)
    if i < counts.shape[0] and j < counts.shape[1]:
        z = complex((j - counts.shape[1] // 2) * scale, (i - counts.shape[0] // 2) * scale)
        n = 0
        while n < most and z.real * z.real + z.imag * z.imag < 4.0:
            z = z * z + c
            n += 1
        counts[i, j] = n


def _julia(c, scale, most, counts):
    n, m = counts.shape
    z = ((np.arange(m) - m // 2) * scale)[None] + 1j * ((np.arange(n) - n // 2) * scale)[:, None]
    inside = np.ones((n, m), bool)
    for _ in range(most):
        inside &= z.real * z.real + z.imag * z.imag < 4
        counts += inside
        z = z * z + c
    return {3: counts}


register(
    "julia_complex",
    julia,
    plane(lambda rng, n, m: (-0.5 + 0.5j, 0.0625, 25, np.zeros((n, m), "i4"))),
    _julia,
)


@cuda.jit(device=True)
def lorenz(x, y, z):
    return 10.0 * (y - x), x * (28.0 - z) - y, x * y - (8.0 / 3.0) * z


@cuda.jit
def runge_kutta(state, step, steps):
    i = cuda.grid(1)
    if i < state.shape[0]:
        x, y, z = state[i, 0], state[i, 1], state[i, 2]
        for _ in range(steps):
            a1, b1, c1 = lorenz(x, y, z)
            a2, b2, c2 = lorenz(x + step / 2 * a1, y + step / 2 * b1, z + step / 2 * c1)
            a3, b3, c3 = lorenz(x + step / 2 * a2, y + step / 2 * b2, z + step / 2 * c2)
            a4, b4, c4 = lorenz(x + step * a3, y + step * b3, z + step * c3)
            x += step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
            y += step / 6 * (b1 + 2 * b2 + 2 * b3 + b4)
            z += step / 6 * (c1 + 2 * c2 + 2 * c3 + c4)
        state[i, 0] = x
        state[i, 1] = y
        state[i, 2] = z


def _lorenz(state, step, steps):
    def slope(s):
        x, y, z = s.T
        return np.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z], 1)

    for _ in range(steps):
        k1 = slope(state)
        k2 = slope(state + step / 2 * k1)
        k3 = slope(state + step / 2 * k2)
        k4 = slope(state + step * k3)
        state = state + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return {0: state}


# a chaotic system: roundings of fused multiply-adds grow
register(
    "lorenz_runge_kutta",
    runge_kutta,
    line(lambda rng, n: (rng.normal(size=(n, 3)), 0.01, 20), sizes=(1, 31, 200)),
    _lorenz,
    rtol=1e-9,
    atol=1e-9,
)


@cuda.jit
def ising_half_step(spins, randoms, colour, beta):
    i, j = cuda.grid(2)
    n, m = spins.shape
    if i < n and j < m and (i + j) % 2 == colour:
        around = spins[i - 1, j] + spins[(i + 1) % n, j] + spins[i, j - 1] + spins[i, (j + 1) % m]
        if randoms[i, j] < math.exp(-2.0 * beta * spins[i, j] * around):
            spins[i, j] = -spins[i, j]


def _ising_launch(cuda, case, arguments):
    spins, randoms, beta = arguments
    for colour in (0, 1):
        ising_half_step[case.grid, case.block](spins, randoms, colour, beta)


def _ising(spins, randoms, beta):
    colour = np.add.outer(np.arange(spins.shape[0]), np.arange(spins.shape[1])) % 2
    for c in (0, 1):
        around = sum(np.roll(spins, s, axis) for s in (1, -1) for axis in (0, 1)).astype(float)
        flip = (colour == c) & (randoms < np.exp(-2 * beta * spins * around))
        spins = np.where(flip, -spins, spins)
    return {0: spins}


register(
    "ising_checkerboard",
    ising_half_step,
    plane(
        lambda rng, n, m: (rng.choice(np.array([-1, 1], "i1"), (n, m)), rng.random((n, m)), 0.4),
        shapes=((2, 2), (16, 16), (8, 62)),
    ),
    _ising,
    launch=_ising_launch,
)


@cuda.jit
def push_particles(x, v, field, cell, dt):
    i = cuda.grid(1)
    if i < x.size:
        place = x[i] / cell
        left = int(math.floor(place))
        weight = place - left
        n = field.size
        force = field[left % n] * (1.0 - weight) + field[(left + 1) % n] * weight
        v[i] += force * dt
        moved = x[i] + v[i] * dt
        length = n * cell
        x[i] = moved - math.floor(moved / length) * length


def _pushed(x, v, field, cell, dt):
    place = x / cell
    left = np.floor(place).astype(int)
    weight = place - left
    n = field.size
    v = v + (field[left % n] * (1 - weight) + field[(left + 1) % n] * weight) * dt
    moved = x + v * dt
    return {0: moved - np.floor(moved / (n * cell)) * (n * cell), 1: v}


register(
    "particle_push",
    push_particles,
    line(lambda rng, n: (rng.uniform(0, 8, n), rng.normal(size=n), rng.normal(size=16), 0.5, 0.1), sizes=(1, 31, 500)),
    _pushed,
    rtol=1e-11,
    atol=1e-12,
)


@cuda.jit
def deposit_charge(x, charge, cell, density):
    i = cuda.grid(1)
    if i < x.size:
        place = x[i] / cell
        left = int(place)
        weight = place - left
        cuda.atomic.add(density, left, charge * (1 - weight))
        cuda.atomic.add(density, left + 1, charge * weight)


def _deposited(x, charge, cell, density):
    place = x / cell
    left = place.astype(int)
    np.add.at(density, left, charge * (1 - (place - left)))
    np.add.at(density, left + 1, charge * (place - left))
    return {3: density}


# atomics add floats in any order
register(
    "charge_deposition",
    deposit_charge,
    line(lambda rng, n: (rng.uniform(0, 7.99, n), 0.25, 0.5, np.zeros(17)), sizes=(1, 31, 500)),
    _deposited,
    rtol=1e-10,
    atol=1e-12,
    same_bits=False,
)


@cuda.jit
def oscillators(phase, frequency, coupling, dt, after):
    i = cuda.grid(1)
    if i < phase.size:
        pull = float32(0)
        for j in range(phase.size):
            pull += math.sin(phase[j] - phase[i])
        after[i] = phase[i] + dt * (frequency[i] + coupling / phase.size * pull)


def _kuramoto(phase, frequency, coupling, dt, after):
    p = phase.astype("f8")
    pull = np.sin(p[None] - p[:, None]).sum(1)
    return {4: p + dt * (frequency + coupling / p.size * pull)}


# libm in single precision, and its sum
register(
    "kuramoto_float32",
    oscillators,
    line(
        lambda rng, n: (
            rng.uniform(0, 6, n).astype("f4"),
            rng.normal(size=n).astype("f4"),
            np.float32(1.5),
            np.float32(0.01),
            np.zeros(n, "f4"),
        ),
        sizes=(1, 31, 150),
    ),
    _kuramoto,
    rtol=1e-5,
    atol=1e-5,
    same_bits=False,
)
