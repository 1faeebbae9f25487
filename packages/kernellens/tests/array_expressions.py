"""Expressions whose accounts are compared, with data and of shapes alone: each process runs all of them.

Run as ``python array_expressions.py shapes|data N``; prints the accounts as JSON.
"""

import json
import sys

import gpusim

N = 2000


def expressions(cp):
    """By name: functions of two N x N float64 arrays, an int32 vector of N, a float32 vector of N, and a half-true mask."""
    square = cp.ElementwiseKernel("T a", "T b", "b = a * a", "squared")
    total = cp.ReductionKernel("T a", "T b", "a", "a + b", "b = a", "0", "added")
    fused = cp.fuse()(lambda a, b: cp.sin(a) + b * 2)
    from numba import cuda

    @cuda.jit
    def saxpy(a, p, q, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = a * p[i] + q[i]

    def launch(x, y, i, f, m):
        out = cp.empty_like(f)
        for _ in range(3):
            saxpy[-(-f.size // 128), 128](2.0, f, i, out)
        return out

    def in_place(x, y, i, f, m):
        z = x.copy()
        z += y
        z *= 2
        z[1:-1, 1:-1] = 0
        return z

    def stencil(x, y, i, f, m):
        return (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) / 4

    def loop(x, y, i, f, m):
        for _ in range(5):
            x = 0.5 * (x + y / (x + 1))
        return x

    def transfers(x, y, i, f, m):
        import numpy as np

        h = cp.asarray(np.ones((300, 200)))
        return (h + h).get()

    def normalised(x, y, i, f, m):
        return (x - x.mean(axis=0)) / x.std(axis=0)

    def freed(x, y, i, f, m):
        a = x + 1
        b = a * a
        del a
        c = b - y
        del b
        return c.sum()

    def out(x, y, i, f, m):
        z = cp.empty_like(x)
        cp.add(x, y, out=z)
        cp.sqrt(z, out=z)
        return z

    return {
        "sin2 + cos2": lambda x, y, i, f, m: cp.sin(x) ** 2 + cp.cos(x) ** 2,
        "operators": lambda x, y, i, f, m: (x + y) * 2 - x / 3,
        "broadcast": lambda x, y, i, f, m: x * f + i[:, None],
        "views": lambda x, y, i, f, m: x[::2, 5:].T + y[::2, 5:].T,
        "reduction": lambda x, y, i, f, m: (x * y).sum(),
        "reduction of an axis": lambda x, y, i, f, m: x.sum(axis=0) + y.max(axis=1),
        "mean and variance": lambda x, y, i, f, m: (x.mean(), x.var(axis=1)),
        "normalised": normalised,
        "argmax": lambda x, y, i, f, m: x.argmax(axis=1),
        "cumsum": lambda x, y, i, f, m: cp.cumsum(x, axis=0),
        "matrix product": lambda x, y, i, f, m: x[:300] @ y[:, :200],
        "dot and outer": lambda x, y, i, f, m: (cp.dot(f, f), cp.outer(f, i)),
        "tensordot": lambda x, y, i, f, m: cp.tensordot(x[:40].reshape(40, -1, 40), y[:40].reshape(-1, 40, 40), axes=([1, 2], [0, 1])),
        "einsum": lambda x, y, i, f, m: cp.einsum("ij,ij->i", x, y),
        "where": lambda x, y, i, f, m: cp.where(x > y, x, 0),
        "clip": lambda x, y, i, f, m: cp.clip(x, 0.2, 0.8),
        "astype": lambda x, y, i, f, m: x.astype(cp.float32) + f,
        "integers": lambda x, y, i, f, m: (i // 3) % 7 + (i << 2),
        "comparison": lambda x, y, i, f, m: ((x > 0.5) & (y < 0.5)).any(),
        "concatenate": lambda x, y, i, f, m: cp.concatenate([x, y], axis=1),
        "stack": lambda x, y, i, f, m: cp.stack([x, y]),
        "sort": lambda x, y, i, f, m: cp.sort(f),
        "argsort": lambda x, y, i, f, m: f[cp.argsort(f)],
        "take": lambda x, y, i, f, m: x[i % 5] + cp.take(f, i % 5),
        "scatter": lambda x, y, i, f, m: in_place_scatter(cp, f, i),
        "mask": lambda x, y, i, f, m: f[m] + 1,
        "nonzero": lambda x, y, i, f, m: cp.nonzero(m)[0],
        "flatnonzero": lambda x, y, i, f, m: cp.flatnonzero(m),
        "gradient": lambda x, y, i, f, m: cp.gradient(x),
        "interp": lambda x, y, i, f, m: cp.interp(x[0], f[:50], f[:50]),
        "histogram": lambda x, y, i, f, m: cp.histogram(f, 64),
        "percentile": lambda x, y, i, f, m: cp.percentile(f, [5, 50, 95]),
        "roll and pad": lambda x, y, i, f, m: (cp.roll(x, 3, axis=1), cp.pad(f, 4)),
        "tile and repeat": lambda x, y, i, f, m: (cp.tile(f, 3), cp.repeat(i, 2)),
        "fft": lambda x, y, i, f, m: cp.fft.irfft(cp.fft.rfft(f) * 2),
        "norm": lambda x, y, i, f, m: cp.linalg.norm(x, axis=1),
        "solve": lambda x, y, i, f, m: cp.linalg.solve(x[:60, :60] + cp.eye(60) * 100, f[:60]),
        "random": lambda x, y, i, f, m: cp.random.rand(500, 300) + cp.random.normal(size=300),
        "creation": lambda x, y, i, f, m: (cp.zeros((300, 20)), cp.arange(1000.0), cp.linspace(0, 1, 777), cp.full(9, 3)),
        "meshgrid": lambda x, y, i, f, m: sum(cp.meshgrid(f, f[:300])),
        "convolve": lambda x, y, i, f, m: cp.convolve(f, f[:31]),
        "cov": lambda x, y, i, f, m: cp.cov(x[:50]),
        "diff": lambda x, y, i, f, m: cp.diff(x, axis=1),
        "complex": lambda x, y, i, f, m: cp.abs(x[0] + 1j * y[0]) ** 2,
        "fused": lambda x, y, i, f, m: fused(x, y),
        "ElementwiseKernel": lambda x, y, i, f, m: square(x),
        "ReductionKernel": lambda x, y, i, f, m: total(x, axis=1),
        "kernel of Numba": launch,
        "in place": in_place,
        "out": out,
        "stencil": stencil,
        "loop": loop,
        "freed": freed,
        "transfers": transfers,
        "triangle": lambda x, y, i, f, m: cp.tril(x) + cp.eye(N),
        "trapezoid": lambda x, y, i, f, m: cp.trapezoid(x, axis=1),
        "isclose": lambda x, y, i, f, m: cp.isclose(x, y).all(),
    }  # fmt: skip


def in_place_scatter(cp, f, i):
    z = cp.zeros(10)
    cp.add.at(z, i % 10, f.astype(float))
    z[i % 10] = 3
    return z


def described(account):
    """All of an account that should be the same."""
    return {
        "events": [
            [e.name, e.kind, e.line, e.read, e.written, list(e.shape), dict(e.operations), dict(e.products)]
            for e in account.events
        ],
        "flow": [account.flow.read, account.flow.written],
        "peak": account.peak - account.before,
        "temporaries": [len(account.temporaries), account.temporary_bytes],
        "groups": [[len(g.events), g.moved, g.flow.moved, g.code] for g in account.groups],
        "bound": [account.bound.seconds, account.launched.seconds, account.estimate.seconds],
        "transfers": [account.to_device, account.to_host],
    }


def main(way):
    gpusim.activate()
    from gpusim.device import queue, shapes

    if way == "shapes":
        shapes.begin(0.5)
    import cupy as cp

    from gpusim.hardware import gpus
    from kernellens.arrays.entry import taken

    x, y = cp.random.rand(N, N), cp.random.rand(N, N)
    i, f = cp.arange(N, dtype=cp.int32), cp.linspace(0, 1, N, dtype=cp.float32)
    mask = i % 2 == 0
    gpu = gpus.find("A100")
    accounts = {}
    for name, function in expressions(cp).items():
        before = queue.counters()
        account = taken(function, (x, y, i, f, mask), {}, gpu)
        done = queue.counters() - before
        accounts[name] = {
            **described(account),
            "engine": [done.kernels, done.h2d_bytes, done.d2h_bytes],
            "counted": [sum(e.kind == "kernel" for e in account.events), account.to_device, account.to_host],
        }
    print(json.dumps(accounts))


if __name__ == "__main__":
    main(sys.argv[1])
