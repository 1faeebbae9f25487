"""What each launch is said to read and write is what it reads and writes.

Each case is a statement.  All device memory is compared before and after each launch: what has changed must have been declared as
written, and as many bytes as declared must have changed.  The statement is done again with other values in one array at a time:
an array whose values matter must have been declared as read, and one that was declared must matter.  A place in the source that
submits work and that no case comes to fails, so a new operation needs a case here.
"""

import ast
import functools
import itertools
import linecache
import pathlib
import re
import sys
import weakref

import numpy as np
import pytest

import gpusim
from gpusim.device import memory, queue

SOURCES = pathlib.Path(gpusim.__file__).parent
POISON = 0xA5
KERNELS = """
import math
import cupy as cp, numpy as np, rmm
import cupyx
from cupyx.scipy import sparse
from cupyx.scipy.sparse import linalg as solvers
from cupy.cuda import runtime
from numba import cuda
from numba.cuda.kernels.transpose import transpose

@cuda.jit
def scale(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = 2 * x[i]

@cuda.jit
def bump(x, places):
    i = cuda.grid(1)
    if i < places.size:
        cuda.atomic.add(x, places[i], 1.0)

@cuda.jit(device=True)
def put(row, j, value):
    row[j] = value

@cuda.jit
def rows(x, y):
    i = cuda.grid(1)
    if i < x.shape[0]:
        row = y[i]
        row[0] = x[i, 0]
        put(row, 1, x[i, 1])

@cuda.jit
def fields(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i].a = x[i] + 1
        y[i].b = x[i]

crooked = cp.RawKernel('extern "C" __global__ void crooked(const float4* x, double* y) { y[threadIdx.x] = x[threadIdx.x].y; }', "crooked")
raw = cp.RawKernel(r'''extern "C" __global__ void raw(const double* x, double* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 3.0 * x[i];
}''', "raw")
square = cp.ElementwiseKernel("T x", "T y", "y = x * x + 1", "square")
total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")

@cp.fuse()
def fused(x, y):
    return cp.sqrt(x * x + y)

@cp.fuse()
def fused_in_place(x, y):
    x += y

@cp.fuse()
def fused_sum(x):
    return cp.sum(x * x)

def f(*shape, dtype=float):
    n = math.prod(shape)
    return cp.array((np.arange(n) * 7 % n + 1.5).reshape(shape).astype(dtype))

def ints(*values):
    return cp.array(values, dtype=np.int64)

def mask(n):
    return cp.array(np.arange(n) % 2 == 0)

def positive(n):
    a = np.arange(n * n).reshape(n, n) % 3 / 9
    return cp.array(a + a.T + n * np.eye(n))

def matrix(n):
    return sparse.csr_matrix(positive(n))

def parts(a):
    return a.data, a.indices, a.indptr

def b(n):
    return cp.arange(1, n + 1, dtype=np.uint8)

state = lambda: cp.random.RandomState(7)
generator = lambda: cp.random.default_rng(7)
"""

SOME = "some"  # how much is written depends on values, or part of it has its value already
TWICE = "twice"  # a later launch writes what an earlier one has written
UNREAD = "unread"  # what is declared as read does not matter for the result, or not always
CASES = [
    # arithmetic
    ("x = f(12); y = f(12)", "z = x + y"),
    ("x = f(12)", "z = x + x"),
    ("x = f(12)", "z = x * 2"),
    ("x = f(12)", "z = 2 / x"),
    ("x = f(12)", "z = cp.exp(x)"),
    ("", "z = cp.add(1, 2)"),
    ("", "z = cp.sin(0.5)"),
    ("x = f(12); y = f(12)", "x += y"),
    ("x = f(12)", "x *= 3"),
    ("x = f(12)", "x += x"),
    ("x = f(12); y = f(12); z = f(12)", "cp.multiply(x, y, out=z)"),
    ("x = f(12); z = f(12)", "cp.sqrt(x, out=z)"),
    ("x = f(12); z = cp.zeros(12, np.float32)", "cp.add(x, 1, out=z)"),
    ("x = f(12); y = f(12); z = f(12); m = mask(12)", "cp.add(x, y, out=z, _where=m)", SOME),
    ("x = f(12)", "a, b = cp.modf(x)", UNREAD),
    ("x = f(12); y = f(12)", "z = cp.divmod(x, y)"),
    ("x = f(12)", "cp.add(x[1:], x[:-1], out=x[:-1])"),
    ("x = f(3, 4); y = f(4)", "z = x - y"),
    ("x = f(12); y = -f(12); m = mask(12)", "z = cp.where(m, x, y)"),
    ("x = f(12)", "z = cp.clip(x, 3, 5)"),
    ("x = f(12)", "x.clip(3, 5, out=x)", SOME),
    ("x = f(12)", "z = x.astype(np.float32)"),
    ("x = f(12)", "z = x.astype(np.int32)"),
    ("x = f(12)", "z = x.copy()"),
    ("x = f(12)", "x.byteswap(True)"),
    ("x = f(12)", "z = x.round(1)"),
    # reductions and scans
    ("x = f(12)", "z = x.sum()"),
    ("x = f(3, 4)", "z = x.sum(axis=0)"),
    ("x = f(3, 4); z = f(3)", "x.max(axis=1, out=z)"),
    ("x = cp.arange(12)", "z = cp.sum(x, dtype=np.float32)"),
    ("x = f(12)", "z = x.argmax()"),
    ("x = f(12)", "z = (x > 0).all()", UNREAD),
    ("x = f(3, 4)", "z = x.mean(axis=1)", TWICE),
    ("x = f(12)", "z = x.var()", TWICE),
    ("x = f(12)", "z = x.std()", TWICE),
    ("x = f(12)", "z = cp.nanvar(x)", TWICE),
    ("x = f(12)", "z = cp.nanmax(x)"),
    ("x = f(12)", "z = cp.cumsum(x)"),
    ("x = f(12)", "cp.cumsum(x, out=x)", SOME),
    ("x = f(12); z = cp.zeros(12, np.float32)", "cp.cumsum(x, dtype=np.float32, out=z)"),
    ("x = f(12)", "z = cp.ptp(x)", TWICE),
    ("x = f(12)", "z = cp.median(x)"),
    ("x = f(3, 4)", "z = cp.percentile(x, 50, axis=1, overwrite_input=True)", SOME),
    ("x = f(12); w = f(12)", "z = cp.average(x, weights=w)"),
    # indexing
    ("x = f(12)", "x[2:7] = 0"),
    ("x = f(3, 4); v = f(4)", "x[1] = -v"),
    ("x = f(12); v = -f(5)", "x[::3] = v[1:]"),
    ("x = f(12)", "x[...] = 1.25"),
    ("x = f(12)", "x.fill(-1)"),
    ("x = f(12); v = cp.array(-2.0)", "x.fill(v)"),
    ("x = f(12); v = -f(6)", "x.flat[3:9] = v"),
    ("x = f(3, 4); v = -f(2)", "x.flat[::2] = v"),
    ("x = f(12); v = -f(6)", "x.flat[3:7] = v"),
    ("x = f(3, 4)", "x.flat[5] = -1"),
    ("x = f(12)", "z = x.flat[3:9]"),
    ("x = f(12); i = ints(3, 1, 7)", "z = x[i]"),
    ("x = f(12); m = mask(12)", "z = x[m]"),
    ("x = f(12); i = ints(3, 1, 7); v = -f(3)", "x[i] = v"),
    ("x = f(12); i = ints(3, 1, 7)", "x[i] = -1"),
    ("x = f(12); m = mask(12)", "x[m] = -1", SOME),
    ("x = f(3, 4); i = ints(2, 0)", "x[i] = -1"),
    ("x = f(3, 4); i = ints(2, 0); v = -f(1, 4)", "x[:, i[:1]] = 5"),
    ("x = f(12); i = ints(3, 1, 7); v = f(3)", "cupyx.scatter_add(x, i, v)"),
    ("x = f(12); i = ints(3, 1, 7); v = 50 + f(3)", "cupyx.scatter_max(x, i, v)", UNREAD),
    ("x = f(12); i = ints(3, 1, 7)", "cp.add.at(x, i, 1)"),
    ("x = f(12); i = ints(3, 1, 7)", "z = x.take(i)"),
    ("x = f(12)", "z = x.take(3)", UNREAD),
    ("x = f(12); i = ints(3, 1, 7); v = -f(3)", "x.put(i, v)"),
    ("x = f(3, 4); i = ints(2, 0, 1).reshape(3, 1); v = -f(3, 1)", "cp.put_along_axis(x, i, v, 1)"),
    ("x = f(3, 4); i = ints(2, 0, 1).reshape(3, 1)", "z = cp.take_along_axis(x, i, 1)"),
    ("x = f(12); m = mask(12); v = -f(12)", "cp.putmask(x, m, v)", SOME),
    ("x = f(12); m = mask(12); v = -f(2)", "cp.place(x, m, v)", UNREAD),
    ("x = f(4, 4)", "cp.fill_diagonal(x, -1)"),
    ("x = f(4, 4); v = cp.array(-3.0)", "cp.fill_diagonal(x, v)"),
    ("x = f(12); y = -f(12); m = mask(12)", "cp.copyto(x, y, where=m)", SOME),
    ("x = f(12); y = -f(12)", "cp.copyto(x, y)"),
    ("x = f(12); y = f(12); m = mask(12)", "z = cp.select([m], [x])"),
    ("x = f(12); m = mask(12)", "z = cp.piecewise(x, [m], [1, 2])", TWICE, UNREAD),
    ("x = f(12); m = mask(12)", "z = m.nonzero()"),
    ("m = mask(12); x = f(12)", "z = cp.extract(m, x)"),
    ("a = f(4).astype(int); i = ints(1, 0, 1, 0)", "z = cp.choose(i, [a, a])"),
    # order
    ("x = f(12)", "x.sort()", SOME),
    ("x = f(12)[::-1].copy()", "z = cp.sort(x)", TWICE),
    ("x = f(12)", "x.partition(3)", SOME),
    ("x = f(12)", "z = cp.argsort(x)"),
    ("x = f(12); v = f(3)", "z = cp.searchsorted(x, v)"),
    ("x = f(12)", "z = cp.argpartition(x, 3)"),
    # shaping and making
    ("x = f(3, 4)", "z = x.T.copy()"),
    ("x = f(3, 4)", "z = x.T.ravel()"),
    ("x = f(3, 4); y = f(3, 4)", "z = cp.concatenate([x, y])"),
    ("x = f(4)", "z = cp.repeat(x, 2)"),
    ("x = f(4); n = ints(1, 2, 1, 2)", "z = cp.repeat(x, n)"),
    ("x = f(4)", "z = cp.roll(x, 1)"),
    ("x = f(4)", "z = cp.tile(x, 3)"),
    ("", "z = cp.zeros(12)"),
    ("", "z = cp.zeros(3, dtype=[('a', 'i4')])"),
    ("", "z = cp.ones(12)"),
    ("", "z = cp.full(12, 3.5)"),
    ("", "z = cp.arange(12)"),
    ("", "z = cp.linspace(0, 1, 5)"),
    ("", "z = cp.eye(4)", TWICE),
    # products and linear algebra
    ("a = f(3, 4); b = f(4, 2)", "z = a @ b"),
    ("a = f(3, 3)", "z = a @ a"),
    ("a = f(3, 4); b = f(4, 2); z = f(3, 2)", "cp.matmul(a, b, out=z)"),
    ("a = f(4); b = f(4)", "z = cp.dot(a, b)"),
    ("a = f(3, 4); b = f(4, 2)", "z = cp.einsum('ij,jk->ik', a, b)"),
    ("a = positive(4); b = f(4)", "z = cp.linalg.solve(a, b)"),
    ("a = positive(4)", "z = cp.linalg.inv(a)"),
    ("a = positive(4)", "z = cp.linalg.cholesky(a)", TWICE),
    ("a = f(4, 3)", "q, r = cp.linalg.qr(a)"),
    ("a = f(4, 3)", "u, s, v = cp.linalg.svd(a)"),
    ("a = positive(4)", "w, v = cp.linalg.eigh(a)"),
    ("a = f(4)", "z = cp.linalg.norm(a)"),
    ("a = positive(4); b = f(4)", "z = cupyx.scipy.linalg.lu_factor(a, overwrite_a=True)"),
    ("a = cp.asfortranarray(positive(4))", "z = cupyx.scipy.linalg.lu_factor(a, overwrite_a=True)", SOME),
    ("a = cp.asfortranarray(positive(4)); b = f(4)", "z = cupyx.scipy.linalg.lu_solve(cupyx.scipy.linalg.lu_factor(a), b, overwrite_b=True)"),
    ("a = f(8)", "z = cp.fft.fft(a)"),
    ("a = f(8) + 0j", "z = cupyx.scipy.fft.fft(a, overwrite_x=True)"),
    # random numbers
    ("r = state()", "z = r.random_sample(12)"),
    ("r = state()", "z = r.normal(1, 2, 12)"),
    ("r = state()", "z = r.lognormal(0, 1, 12)"),
    ("r = state()", "z = r.randint(0, 100, 12)"),
    ("r = state(); x = f(12)", "r.shuffle(x)", SOME),
    ("r = state()", "z = r.permutation(12)"),
    ("r = state()", "z = r.choice(12, 5)"),
    ("r = state(); m = f(2); c = positive(2)", "z = r.multivariate_normal(m, c, 3)"),
    ("r = state(); a = f(3)", "z = r.dirichlet(a, 2)"),
    ("r = generator(); z = f(12)", "r.random(out=z)"),
    ("r = generator(); a = f(3)", "z = r.dirichlet(a, 2)"),
    ("r = generator()", "z = r.standard_normal(12)"),
    ("r = generator(); l = f(12)", "z = r.poisson(l)"),
    # kernels
    ("x = f(12); y = f(12)", "scale[1, 32](x, y)"),
    ("x = f(12); i = ints(3, 1, 7)", "bump[1, 32](x, i)", SOME),
    ("x = f(3, 2); y = -f(3, 2)", "rows[1, 32](x, y)", UNREAD),
    ("x = f(3); y = cp.zeros(3, [('a', 'f8'), ('b', 'f8')])", "fields[1, 32](x, y)"),
    ("x = f(12); y = f(12)", "raw((1,), (32,), (x, y, 12))"),
    ("x = cp.arange(9, dtype='f4')[1:]; y = f(2)", "crooked((1,), (2,), (x, y))"),
    ("x = f(12); y = f(12)", "square(x, y)"),
    ("x = f(12)", "z = square(x)"),
    ("x = f(12)", "z = total(x)"),
    ("x = f(12); y = f(12)", "z = fused(x, y)"),
    ("x = f(12); y = f(12)", "fused_in_place(x, y)"),
    ("x = f(12)", "z = fused_sum(x)"),
    ("x = f(12)", "z = cp.vectorize(lambda v: v + 1.0)(x)"),
    # copies
    ("h = np.arange(12.0)", "z = cp.asarray(h)"),
    ("x = f(12); h = -np.arange(1.0, 13)", "x.set(h)"),
    ("x = f(12)", "h = x.get()"),
    ("x = f(12); y = -f(12); s = cp.cuda.Stream()", "with s: y[...] = x"),
    ("x = b(96); y = 255 - b(96)", "y.data.copy_from_device(x.data, 96)"),
    ("x = b(96); y = 255 - b(96)", "y.data.copy_from_device_async(x.data, 48, cp.cuda.Stream())"),
    ("x = b(96); h = 255 - b(96).get()", "x.data.copy_from_host(h.ctypes.data, 96)"),
    ("x = f(12); h = np.zeros(12)", "x.data.copy_to_host(h.ctypes.data, 96)"),
    ("x = b(96)", "x.data.memset(200, 40)"),
    ("x = b(96); y = 255 - b(96)", "runtime.memcpy(y.data.ptr, x.data.ptr, 40, 3)"),
    ("x = b(96); y = 255 - b(96)", "runtime.memcpyAsync(y.data.ptr, x.data.ptr, 40, 3, 0)"),
    ("x = b(96); h = 255 - b(96).get()", "runtime.memcpy(x.data.ptr, h.ctypes.data, 40, 1)"),
    ("x = f(12); h = np.zeros(12)", "runtime.memcpy(h.ctypes.data, x.data.ptr, 40, 2)"),
    ("x = b(96)", "runtime.memset(x.data.ptr, 200, 40)"),
    ("h = np.arange(12.0)", "z = cuda.to_device(h)"),
    ("x = cuda.to_device(np.arange(12.0))", "h = x.copy_to_host()"),
    ("x = cuda.to_device(np.arange(12.0)); h = -np.arange(1.0, 13)", "x.copy_to_device(h)"),
    ("x = cuda.to_device(np.arange(12.0)); y = cuda.to_device(-np.arange(1.0, 13))", "y.copy_to_device(x)"),
    ("x = cuda.to_device(np.arange(12.0))", "x[2:5] = -1"),
    ("x = cuda.to_device(np.arange(12.0)); y = cuda.to_device(-np.arange(1.0, 4))", "x[2:5] = y"),
    ("x = cuda.to_device(np.arange(12.0).reshape(3, 4))", "z = x.transpose()"),
    ("x = cuda.to_device(np.arange(12.0).reshape(3, 4)); z = cuda.device_array((4, 3))",
     "transpose(x, z)"),
    ("x = cuda.to_device(np.arange(12.0))", "x.gpu_data.memset(7)"),
    ("h = np.arange(48, dtype=np.uint8)", "z = rmm.DeviceBuffer.to_device(h)"),
    ("x = b(96)", "z = rmm.DeviceBuffer(ptr=x.data.ptr, size=96)"),
    ("x = rmm.DeviceBuffer(size=48); h = np.arange(48, dtype=np.uint8)", "x.copy_from_host(h)"),
    ("x = rmm.DeviceBuffer.to_device(np.arange(48, dtype=np.uint8))", "h = x.copy_to_host()"),
    ("x = rmm.DeviceBuffer(size=96); y = b(96)", "x.copy_from_device(y)"),
    ("x = f(12); h = np.zeros(96, np.uint8)", "rmm.pylibrmm.device_buffer.copy_ptr_to_host(x.data.ptr, h)"),
    ("x = 255 - b(96); h = b(96).get()", "rmm.pylibrmm.device_buffer.copy_host_to_ptr(h, x.data.ptr)"),
    ("x = b(96); y = 255 - b(96)", "rmm.pylibrmm.device_buffer.copy_device_to_ptr(x.data.ptr, y.data.ptr, 40)"),
    # elsewhere
    ("x = f(12)", "import cupyx.scipy.special; z = cupyx.scipy.special.gammaln(x)"),
    ("x = f(12)", "import cupyx.scipy.ndimage; z = cupyx.scipy.ndimage.gaussian_filter(x, 1.0)"),
    ("x = f(12); z = -f(12)", "import cupyx.scipy.ndimage; cupyx.scipy.ndimage.gaussian_filter(x, 1.0, output=z)"),
    # sparse matrices
    ("x = f(3, 4)", "z = sparse.csr_matrix(x)"),
    ("A = matrix(4); d, i, p = parts(A); x = f(4)", "z = A @ x"),
    ("A = matrix(4); d, i, p = parts(A)", "z = A + A"),
    ("A = matrix(4); d, i, p = parts(A)", "z = A.toarray()"),
    ("A = matrix(4); d, i, p = parts(A)", "z = sparse.bmat([[A, None], [None, A]])"),
    ("A = matrix(4); d, i, p = parts(A); x = f(4)", "z = solvers.spsolve(A, x)"),
    ("A = matrix(4); d, i, p = parts(A); x = f(4)", "z, info = solvers.cg(A, x)"),
    ("A = matrix(4); d, i, p = parts(A); x = f(4); y = f(4)", "z, info = solvers.gmres(A, x, x0=y, maxiter=1, restart=1)"),
    ("A = matrix(4); d, i, p = parts(A); x = f(4)", "z = solvers.minres(A, x)"),
    ("A = matrix(4); d, i, p = parts(A); x = f(4)", "z = solvers.lsmr(A, x)"),
    ("A = matrix(4); d, i, p = parts(A); x = f(4)", "z = solvers.spsolve_triangular(A, x)"),
    ("A = matrix(4); d, i, p = parts(A)", "z = solvers.svds(A, 2)"),
    ("A = matrix(8); d, i, p = parts(A); X = f(8, 2)", "z = solvers.lobpcg(A, X, tol=1e-3)", UNREAD),
    ("A = matrix(4); d, i, p = parts(A)", "z = solvers.norm(A, axis=0)"),
    # models
    ("X = f(12, 3); y = f(12)", "h = LinearRegression(output_type='numpy').fit(X, y).coef_"),
    ("X = f(12, 3)", "with cuml.using_output_type('pandas'): z = StandardScaler().fit_transform(X)", UNREAD),
    ("h = np.arange(12.0).reshape(4, 3)", "with cuml.using_output_type('cupy'): z = StandardScaler().fit_transform(h)"),
    ("X = f(12, 3)", "z = StandardScaler().fit_transform(X)"),
    ("X = f(12, 3); m = StandardScaler().fit(f(12, 3))", "z = m.transform(X)"),
    ("X = f(12, 3); m = NearestNeighbors(n_neighbors=2).fit(f(12, 3))", "d, i = m.kneighbors(X)", UNREAD),
    ("X = f(12, 1)", "z = OrdinalEncoder().fit_transform(X)"),
]  # fmt: skip

# Where arrays have only shapes, or (the last) there are two devices.
NOT_HERE = {"libraries/cupy/_core/unread.py", "libraries/numba_cuda/_memory.py:unread", "libraries/cupyx/_bridge/convert.py:_of_shapes",
               "libraries/cupy/_core/probing.py", "libraries/cupy/_core/ndarray.py:_copy_across"}  # fmt: skip


class Memory:
    """A block of device memory: its content as last seen, and which of its bytes have changed and were declared."""

    def __init__(self, block):
        self.block = weakref.ref(block)
        self.raw = block.raw
        self.raw[...] = POISON
        self.start = block.raw.ctypes.data
        self.forget()

    def forget(self):
        self.seen = self.raw.copy()
        self.changed = np.zeros(self.raw.size, bool)
        self.written = np.zeros(self.raw.size, bool)
        self.read = False

    def look(self):
        if self.block() is not None:
            self.changed |= self.raw != self.seen
            self.seen = self.raw.copy()


def places(view):
    """The address of each element of a view."""
    at = np.full(view.shape, np.lib.array_utils.byte_bounds(view)[0] if view.size else 0, np.int64)
    low = sum((n - 1) * step for n, step in zip(view.shape, view.strides, strict=True) if step < 0)
    at -= low
    for axis, (n, step) in enumerate(zip(view.shape, view.strides, strict=True)):
        at += (np.arange(n) * step).reshape([-1 if k == axis else 1 for k in range(view.ndim)])
    return np.unique(at.ravel())


class Sweep:
    """Watches a statement's launches."""

    def __init__(self):
        self.blocks = []
        self.launches = []
        self.sites = set()

    def __enter__(self):
        queue.run()
        sweep = self

        class Watched(memory.Block):
            __slots__ = ()

            def __init__(self, *args):
                super().__init__(*args)
                queue.drain()  # what its last owner has submitted
                sweep.blocks.append(Memory(self))

        memory.block_class = Watched
        return self

    def __exit__(self, *exception):
        queue.watcher = None
        memory.block_class = memory.Block
        queue.run()

    def begin(self):
        queue.run()
        for one in self.blocks:
            one.forget()
        queue.watcher = self.launched

    def launched(self, entry, by, args, reads, writes):
        queue.drain()
        frame = sys._getframe(1)
        while frame.f_code.co_filename == queue.__file__:
            frame = frame.f_back
        self.sites.add((frame.f_code.co_filename, frame.f_lineno))
        self.look()
        for view in reads:
            for one in self.blocks:
                if view.size and one.block() is not None and one.start <= places(view)[0] < one.start + one.raw.size:
                    one.read = True
        self.launches.append((entry, [place for view in writes for place in self._marked(view)]))

    def _marked(self, view):
        """Where a view lies that is declared as written: its block, and which bytes of that belong to which element."""
        if view.size:
            for one in self.blocks:
                at = places(view) - one.start
                if one.block() is not None and 0 <= at[0] < one.raw.size:
                    at = at[:, None] + np.arange(view.itemsize)
                    one.written[at] = True
                    yield one, at

    def look(self):
        for one in self.blocks:
            one.look()

    def end(self):
        queue.run()
        self.look()
        queue.watcher = None


def changed_bytes(one, at):
    """Bytes of the elements of which at least one byte has changed."""
    return int(one.changed[at].any(axis=1).sum()) * at.shape[1]


def do(names, setup, statement, disturb=None):
    """Carry out a statement and watch it; `disturb` is a number of a block, and how its values are changed before."""
    scope = dict(names)
    with Sweep() as sweep:
        exec(setup, scope)
        queue.run()
        before = len(sweep.blocks)
        if disturb is not None:
            number, how = disturb
            array = arrays(scope, sweep.blocks[number])
            if array is None or not array.size:
                return None
            how(array)
        sweep.begin()
        exec(statement, scope)
        sweep.end()
        sweep.scope = scope  # what was made stays
        sweep.before = before
    return sweep


def arrays(scope, block):
    """The array of a block, as the host sees it."""
    for value in scope.values():
        view = getattr(value, "_a", None)
        if isinstance(view, np.ndarray) and block.start <= view.ctypes.data < block.start + block.raw.size:
            return view
    return block.raw[:48]


def _reversed(a):
    a[...] = a.ravel()[::-1].reshape(a.shape).copy()


def _others(a):
    if a.dtype.kind == "b":
        a[...] = ~a
    elif a.dtype.kind == "f":
        a *= 2
    elif a.dtype.kind in "iu":
        a += a.dtype.type(1)


def outcome(sweep, plain):
    """What a statement has left where it changes something, and in the host's arrays."""
    made = [
        one.seen[other.changed].tobytes()
        for one, other in zip(sweep.blocks, plain.blocks, strict=False)
        if one.block() is not None
    ]
    host = [value.tobytes() for value in sweep.scope.values() if isinstance(value, np.ndarray)]
    return made, host


def again(names, setup, statement, disturb, plain):
    """The outcome with other values in one array; None where they make no difference."""
    try:
        other = do(names, setup, statement, disturb)
    except (ValueError, np.linalg.LinAlgError) as error:
        return repr(error)
    if other is not None:
        reached.update(other.sites)
        if outcome(other, plain) != outcome(plain, plain):
            return "other"
    return None


@pytest.fixture(scope="module")
def names(simulated_libraries):
    scope = {}
    exec(compile_with_source(KERNELS), scope)
    exec("import cupyx.scipy.fft, cupyx.scipy.linalg, cudf, cuml, rmm.pylibrmm.device_buffer", scope)
    exec("from cuml.linear_model import LinearRegression; from cuml.neighbors import NearestNeighbors", scope)
    exec("from cuml.preprocessing import OrdinalEncoder, StandardScaler", scope)
    return scope


def compile_with_source(text):
    """Code whose source can be read, as kernels need it."""
    name = "<kernels of the sweep>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    return compile(text, name, "exec")


reached = set()


@pytest.mark.parametrize("case", CASES, ids=[case[1] for case in CASES])
def test_what_is_declared_is_what_happens(names, case):
    setup, statement, *flags = case
    sweep = do(names, setup, statement)
    reached.update(sweep.sites)
    for one in sweep.blocks:
        undeclared = one.changed & ~one.written
        assert not undeclared.any(), f"{undeclared.sum()} bytes were changed and not declared as written"
    said = sum(entry.bytes_written for entry, writes in sweep.launches if writes)
    happened = sum(changed_bytes(*place) for _, writes in sweep.launches for place in writes)
    for entry, writes in sweep.launches:
        for place in writes:
            assert changed_bytes(*place), f"{entry.name} declares as written what it has not changed"
    if TWICE not in flags:
        assert happened <= said if SOME in flags else happened == said
    for number in range(sweep.before):
        if sweep.blocks[number].block() is None:  # what setting up needed for a while
            continue
        matters = any(again(names, setup, statement, (number, how), sweep) for how in (_reversed, _others))
        declared = sweep.blocks[number].read
        if matters:
            assert declared, "an array's values matter, and it was not declared as read"
        elif UNREAD not in flags:
            assert not declared, "an array was declared as read, and its values do not matter"


# What is read and written of a frame with columns k, x and s, by the results' columns.
OF_COLUMNS = {
    "z = df.x * df.y": ("x y", "z"),
    "z = df.x > 5": ("x", "z"),
    "z = df.x.sum()": ("x", ""),
    "z = df[['x', 'y']].sum(axis=1)": ("x y", "z"),
    "z = df.groupby('k')[['x']].mean()": ("k x", "z"),
    "z = df.merge(other, on='k')": ("k x y s", "z"),
    "z = df.sort_values('x', ascending=False)": ("k x y s", "z"),
    "z = df.drop_duplicates('k')": ("k x y s", "z"),
    "z = df[df.x > 5]": ("k x y s", "z"),
    "z = df.groupby('k').size()": ("k", "z"),
    "z = df.groupby('k').cumcount()": ("k", "z"),
    "z = df.groupby('k').ngroup()": ("k", "z"),
    "z = df.x.iloc[100:900]": ("", ""),
    "z = df.x.iloc[list(range(0, 900, 3))]": ("x", "z"),
    "z = df.loc[:, ['x', 'y']]": ("", ""),
    "z = cudf.concat([df.x, df.y])": ("x y", "z"),
    "z = cudf.concat([df.x, df.y], axis=1)": ("", ""),
    "z = df.s.str.upper()": ("s", "z"),
    "z = df.s.str.split('0', expand=True)": ("s", "z"),
    "z = df.x.apply(lambda v: v + 1)": ("x", "z"),
    "z = df[['x', 'y']].apply(lambda row: row['x'] + row['y'], axis=1)": ("x y", "z"),
    "z = cudf.Series(h)": ("", "z"),
    "z = cudf.Series(c[::2])": ("c", "z"),  # with `c` itself nothing is launched: the column lies on its memory
    "z = df.x.to_numpy()": ("x", ""),
    "z = df[['x', 'k']].to_pandas()": ("k x", ""),
    "z = df[['x', 'k']].to_arrow()": ("k x", ""),
    "df[['x', 'k']].to_parquet(path); z = cudf.read_parquet(path)": ("k x", "z"),
    "df[['x', 'k']].to_csv(path, index=False); z = cudf.read_csv(path)": ("k x", "z"),
    "df[['x', 'k']].to_orc(path); z = cudf.read_orc(path)": ("k x", "z"),
}  # fmt: skip


@pytest.mark.parametrize("statement", OF_COLUMNS)
def test_columns_are_declared(names, statement, tmp_path):
    """A column's memory is pandas', so it is not compared: what is declared must be the memory that stands for these columns."""
    from cudf.core.device import views

    scope = dict(names) | {"path": str(tmp_path / "file")}
    exec("h = np.arange(1000.0); c = cp.arange(1000.0); other = cudf.DataFrame({'k': cp.arange(100)})", scope)
    exec(
        "df = cudf.DataFrame({'k': h.astype(int) % 200, 'x': h, 'y': -h, 's': [f'text {i}' for i in range(1000)]})",
        scope,
    )
    seen = []

    def launched(entry, by, args, reads, writes):
        seen.append((reads, writes))
        frame = sys._getframe(2)
        reached.add((frame.f_code.co_filename, frame.f_lineno))

    queue.watcher = launched
    try:
        exec(statement, scope)
    finally:
        queue.watcher = None

    def memory_of(value):
        return {view.ctypes.data for view in views(value)}

    reads, writes = ({view.ctypes.data for entry in seen for view in entry[side]} for side in (0, 1))
    wanted, made = OF_COLUMNS[statement]
    there = {name: memory_of(scope[name] if name == "c" else scope["df"][name]) for name in "k x y s c".split()}
    assert all(there.values())
    assert {name for name, at in there.items() if at & reads} == set(wanted.split())
    assert not any(at & writes for at in there.values())
    assert memory_of(scope[made]) <= writes if made else not writes
    assert memory_of(scope["z"]) or not made


@functools.cache
def _sites():
    """Every place that submits or counts work: file, function, first and last line, and whether it declares."""
    return list(_found())


def _found():
    for path in sorted(
        itertools.chain(*((SOURCES / name).rglob("*.py") for name in ("libraries", "device", "kernels")))
    ):
        name = path.relative_to(SOURCES).as_posix()
        text = path.read_text()
        if name == "device/queue.py" or not re.search(r"(submit|count)\(", text):
            continue
        for function in ast.walk(ast.parse(text)):
            if isinstance(function, ast.FunctionDef):
                for call in ast.walk(function):
                    if isinstance(call, ast.Call) and _submits(call):
                        keywords = {keyword.arg for keyword in call.keywords}
                        positional = _called(call) == "submit" and len(call.args) >= 5
                        yield (
                            name,
                            function.name,
                            call.lineno,
                            call.end_lineno,
                            positional or {"reads", "writes"} <= keywords,
                        )


def _called(call):
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name.lstrip("_")


def _submits(call):
    called = _called(call)
    if called not in ("submit", "count"):
        return False
    owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    return (called == "submit" and owner in ("", "queue", "launch")) or (called == "count" and owner.endswith("queue"))


def test_everything_that_submits_declares_what_it_touches():
    silent = {f"{name}:{line}" for name, _, line, _, declares in _sites() if not declares}
    assert not silent


def test_the_cases_reach_every_place_that_submits():
    if len(reached) < 20:
        pytest.skip("needs the cases of this file to have run in this process")
    files = {}
    for filename, line in reached:
        files.setdefault(pathlib.Path(filename).relative_to(SOURCES).as_posix(), set()).add(line)
    missed = [
        f"{name}:{first} ({function})"
        for name, function, first, last, _ in _sites()
        if not {name, f"{name}:{function}"} & NOT_HERE
        and not any(first <= line <= last for line in files.get(name, ()))
    ]
    assert not missed
