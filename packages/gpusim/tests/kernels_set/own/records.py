"""Structured values: record arrays and scalars, nested arrays, vector types, tuples and named tuples as arguments."""

from collections import namedtuple

import numpy as np
from numba import cuda, float32, from_dtype, int32

from ..registry import Case, along, line, register

PARTICLE = np.dtype([("x", "f8"), ("v", "f8"), ("mass", "f4"), ("charge", "i2")], align=True)
PARTICLE_TYPE = from_dtype(PARTICLE)
BODY = np.dtype([("position", "f8", (3,)), ("id", "i4")], align=True)


@cuda.jit
def drift(particles, dt):
    i = cuda.grid(1)
    if i < particles.size:
        particles[i].x += particles[i].v * dt
        if particles[i].charge < 0:
            particles[i]["v"] = -particles[i]["v"]
        particles[i].charge = particles[i].charge * 2


def _particles(rng, n):
    p = np.zeros(n, PARTICLE)
    p["x"], p["v"] = rng.integers(-9, 9, (2, n))
    p["mass"], p["charge"] = rng.random(n), rng.integers(-5, 5, n)
    return p, 0.5


def _drifted(p, dt):
    p["x"] += p["v"] * dt
    p["v"] = np.where(p["charge"] < 0, -p["v"], p["v"])
    p["charge"] *= 2
    return {0: p}


register("record_array", drift, line(_particles), _drifted)


@cuda.jit
def move_bodies(bodies, shift, norm):
    i = cuda.grid(1)
    if i < bodies.size:
        total = 0.0
        for k in range(3):
            bodies[i].position[k] += shift[k]
            total += bodies[i].position[k] * bodies[i].position[k]
        norm[i] = total + bodies[i].id


def _bodies(rng, n):
    b = np.zeros(n, BODY)
    b["position"], b["id"] = rng.integers(-9, 9, (n, 3)), np.arange(n)
    return b, np.array([1.0, -2.0, 0.5]), np.zeros(n)


def _moved(b, shift, norm):
    b["position"] += shift
    return {0: b, 2: (b["position"] ** 2).sum(1) + b["id"]}


register("record_nested_array", move_bodies, line(_bodies), _moved)


@cuda.jit
def gather_fields(particles, out):
    shared = cuda.shared.array(32, PARTICLE_TYPE)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if i < particles.size:
        shared[t] = particles[i]
    else:
        shared[t].x = 0.0
        shared[t].charge = 0
    cuda.syncthreads()
    other = shared[31 - t]
    if i < out.size:
        out[i] = other.x * other.charge


def _mirrored_fields(p, out):
    rows = np.zeros(along(p.size, 32) * 32)
    rows[: p.size] = p["x"] * p["charge"]
    return {1: rows.reshape(-1, 32)[:, ::-1].reshape(-1)[: p.size]}


register(
    "record_shared_memory",
    gather_fields,
    line(lambda rng, n: (_particles(rng, n)[0], np.zeros(n)), sizes=(1, 31, 100), block=32),
    _mirrored_fields,
    simulator="cannot make an array of a record type",
)


@cuda.jit
def vectors(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        a = cuda.float32x3(x[i, 0], x[i, 1], x[i, 2])
        b = cuda.float32x3(y[i, 0], y[i, 1], y[i, 2])
        c = cuda.float32x3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
        pair = cuda.int32x2(int32(c.x), i)
        out[i] = c.x + c.y + c.z + pair.y


def _crossed(x, y, out):
    return {2: np.cross(x, y).sum(1) + np.arange(out.size)}


register(
    "vector_types",
    vectors,
    line(lambda rng, n: (*rng.integers(-9, 9, (2, n, 3)).astype("f4"), np.zeros(n, "f4"))),
    _crossed,
)


@cuda.jit
def tuple_arguments(x, weights, pair, out):
    i = cuda.grid(1)
    scale, (low, high) = pair
    if i < x.size:
        total = 0.0
        for weight in weights:
            total += weight * x[i]
        out[i] = min(max(total * scale, low), high)
        if i == 0:
            out[i] += len(weights) + weights[1]


def _tuples(rng, n):
    return rng.integers(-9, 9, n).astype("f8"), (1.0, 0.5, 0.25), (2, (-8.0, 8.0)), np.zeros(n)


def _weighted(x, weights, pair, out):
    out[:] = np.clip(x * sum(weights) * pair[0], *pair[1])
    out[:1] += len(weights) + weights[1]
    return {3: out}


register("tuple_arguments", tuple_arguments, line(_tuples), _weighted)

Window = namedtuple("Window", "start stop")
Setup = namedtuple("Setup", "window gain offset")


@cuda.jit
def named_arguments(x, setup, out):
    i = cuda.grid(1)
    if i < x.size:
        if setup.window.start <= i < setup.window.stop:
            out[i] = x[i] * setup.gain + setup.offset
        else:
            out[i] = x[i]


def _named(x, setup, out):
    window = slice(*setup.window)
    out[:] = x
    out[window] = x[window] * setup.gain + setup.offset
    return {2: out}


register(
    "namedtuple_arguments",
    named_arguments,
    line(lambda rng, n: (rng.normal(size=n), Setup(Window(3, 40), 2.0, 1), np.zeros(n))),
    _named,
)


@cuda.jit
def array_tuple(arrays, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = arrays[0][i] + arrays[1][i]


def _array_tuple_launch(cuda, case, arguments):
    a, b, out = arguments
    array_tuple[case.grid, case.block]((a, b), out)


register(
    "tuple_of_arrays",
    array_tuple,
    line(lambda rng, n: (*rng.integers(-9, 9, (2, n)), np.zeros(n, "i8"))),
    lambda a, b, out: {2: a + b},
    launch=_array_tuple_launch,
)


@cuda.jit
def record_argument(settings, x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] * settings.scale + settings.offset


SETTINGS = np.dtype([("scale", "f8"), ("offset", "i4")], align=True)


def _settings(rng):
    for n in (1, 100):
        settings = np.array([(1.5, 7)], SETTINGS)
        yield Case(f"n={n}", along(n, 64), 64, (settings, rng.integers(-9, 9, n), np.zeros(n)))


def _one_record(cuda, case, arguments):
    settings, x, out = arguments
    record_argument[case.grid, case.block](settings.copy_to_host()[0], x, out)


register(
    "record_argument",
    record_argument,
    _settings,
    lambda settings, x, out: {2: x * 1.5 + 7},
    launch=_one_record,
)


@cuda.jit
def host_arrays(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] + float32(0.5)


def _host_launch(cuda, case, arguments):
    # Plain NumPy arrays as arguments: copied there and back.
    x, y = (value.copy_to_host() for value in arguments)
    host_arrays[case.grid, case.block](x, y)
    cuda.synchronize()
    arguments[1].copy_to_device(y)


register(
    "host_array_arguments",
    host_arrays,
    line(lambda rng, n: (rng.integers(0, 99, n).astype("f4"), np.zeros(n, "f4"))),
    lambda x, y: {1: x + np.float32(0.5)},
    launch=_host_launch,
)
