"""The simulated library against NumPy: where CuPy promises NumPy's values, types and shapes, both must agree."""

import warnings

import numpy as np
import pytest

DTYPES = [
    "bool",
    "int8",
    "uint8",
    "int32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
REAL = [d for d in DTYPES if not d.startswith("complex") and d != "bool"]
FLOAT = ["float32", "float64"]
NUMBERS = [*FLOAT, "complex64", "complex128", "int32"]


def host(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.uniform(0.1, 9.9, shape)
    if np.dtype(dtype).kind == "b":
        return values > 5
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.uniform(-3, 3, shape)
    return values.astype(dtype)


def compare(ours, theirs, types=True):
    """Same structure, shapes, types and values; everything of ours is on the device."""
    if isinstance(theirs, (list, tuple)):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            compare(a, b, types)
        return
    assert type(ours).__module__ == "cupy", type(ours)
    theirs = np.asarray(theirs)
    assert ours.shape == theirs.shape
    if types:
        assert ours.dtype == theirs.dtype
    exact = theirs.dtype.kind in "biu"
    rtol = 0 if exact else {"e": 2e-3, "f": 2e-5, "F": 2e-5}.get(theirs.dtype.char, 1e-11)
    np.testing.assert_allclose(ours.get(), theirs, rtol=rtol, atol=0 if exact else rtol)


def check(cp, function, *arrays, types=True):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = function(np, *arrays)
        got = function(cp, *(cp.asarray(a) if isinstance(a, np.ndarray) else a for a in arrays))
    compare(got, expected, types)


UNARY = {
    "sin cos tan exp expm1 log log2 log10 log1p sqrt cbrt arctan sinh cosh tanh arcsinh exp2 deg2rad rad2deg rint": REAL,
    "floor ceil trunc sign signbit isnan isinf isfinite fabs spacing": FLOAT,
    "square absolute conjugate reciprocal": [*FLOAT, "int32", "complex128"],
    "negative": REAL,
    "logical_not": [d for d in DTYPES if d[0] != "c"],
    "invert": ["bool", "int8", "uint8", "int64"],
}
BINARY = {
    "add multiply": DTYPES,
    "subtract maximum minimum": [d for d in DTYPES if d != "bool"],
    "true_divide": DTYPES,
    "floor_divide remainder fmod": REAL,
    "arctan2 hypot copysign logaddexp fmax fmin nextafter heaviside": FLOAT,
    "equal not_equal less greater_equal logical_and logical_or logical_xor": [d for d in DTYPES if d[0] != "c"],
    "bitwise_and bitwise_or bitwise_xor": ["bool", "int8", "uint8", "int64"],
    "left_shift right_shift gcd lcm": ["int8", "uint8", "int64"],
}


def cases(table):
    return [(name, dtype) for names, dtypes in table.items() for name in names.split() for dtype in dtypes]


@pytest.mark.parametrize(("name", "dtype"), [c for c in cases(UNARY) if c[0] != "spacing"])
@pytest.mark.parametrize("shape", [(), (0,), (3, 4)])
def test_unary(cp, name, dtype, shape):
    check(cp, lambda xp, a: getattr(xp, name)(a), host(shape, dtype))


@pytest.mark.parametrize(("name", "dtype"), cases(BINARY))
def test_binary(cp, name, dtype):
    check(cp, lambda xp, a, b: getattr(xp, name)(a, b), host((3, 4), dtype), host((4,), dtype, 1))


@pytest.mark.parametrize("name", ["add", "multiply", "true_divide", "maximum", "less", "logical_and"])
@pytest.mark.parametrize("left", DTYPES[:9])
@pytest.mark.parametrize("right", DTYPES[:9])
def test_mixed_types(cp, name, left, right):
    check(cp, lambda xp, a, b: getattr(xp, name)(a, b), host((5,), left), host((5,), right, 1))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "scalar", [2, 2.5, 1 + 2j, True, np.float32(2), np.float64(2), np.int8(3), np.uint64(3)], ids=repr
)
@pytest.mark.parametrize("swap", [False, True])
def test_scalars(cp, dtype, scalar, swap):
    check(cp, lambda xp, a: scalar * a if swap else a * scalar, host((4,), dtype))
    check(cp, lambda xp, a: scalar + a if swap else a + scalar, host((4,), dtype))


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "complex64"])
@pytest.mark.parametrize("power", [2, 3, 0.5, 2.0, -1.0])
def test_power(cp, dtype, power):
    check(cp, lambda xp, a: a**power, host((6,), dtype))


REDUCTIONS = {
    "sum prod mean var std": DTYPES,
    "max min argmax argmin": [d for d in DTYPES if d[0] != "c"],
    "all any count_nonzero": DTYPES,
    "cumsum cumprod": [d for d in DTYPES if d != "float16"],
    "nansum nanmean nanmax nanmin nanstd nanvar median": FLOAT,
    "ptp": ["int32", "float64"],
}


@pytest.mark.parametrize(("name", "dtype"), cases(REDUCTIONS))
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_reduction(cp, name, dtype, axis):
    a = host((3, 4, 2), dtype)
    if name.startswith("nan"):
        a[1, 2, 0] = np.nan
    check(cp, lambda xp, x: getattr(xp, name)(x, axis=axis), a)


@pytest.mark.parametrize("name", ["sum", "mean", "max", "std", "all"])
def test_reduction_over_several_axes(cp, name):
    a = host((3, 4, 2), "float64")
    check(cp, lambda xp, x: getattr(x, name)(axis=(0, 2), keepdims=True), a)
    check(cp, lambda xp, x: getattr(x.T, name)(axis=(1,)), a)


A, B, V, W = (3, 4), (4, 3), (6,), (4,)
FUNCTIONS = [
    # views and shapes
    ("transpose", lambda xp, a: a.T), ("reshape", lambda xp, a: a.reshape(2, -1)), ("ravel", lambda xp, a: a.T.ravel()),
    ("ravel_f", lambda xp, a: a.ravel("F")), ("reshape_f", lambda xp, a: a.reshape((4, 3), order="F")),
    ("swapaxes", lambda xp, a: xp.swapaxes(a, 0, 1)), ("moveaxis", lambda xp, a: xp.moveaxis(a[None], 0, 2)),
    ("squeeze", lambda xp, a: xp.squeeze(a[None])), ("expand_dims", lambda xp, a: xp.expand_dims(a, (0, 3))),
    ("flip", lambda xp, a: xp.flip(a, 1)), ("rot90", lambda xp, a: xp.rot90(a)), ("roll", lambda xp, a: xp.roll(a, 2)),
    ("roll_axis", lambda xp, a: xp.roll(a, (1, -1), (0, 1))), ("broadcast_to", lambda xp, a: xp.broadcast_to(a, (2, 3, 4))),
    ("atleast_3d", lambda xp, a: xp.atleast_3d(a)), ("array_split", lambda xp, a: xp.array_split(a, 3, 1)),
    ("split", lambda xp, a: xp.split(a, [1, 3], axis=1)), ("diagonal", lambda xp, a: a.diagonal(1)),
    ("trace", lambda xp, a: xp.trace(a)),
    # joining and repeating
    ("concatenate", lambda xp, a: xp.concatenate([a, a[:1]])), ("concat_axis_none", lambda xp, a: xp.concatenate([a, a], None)),
    ("concat_types", lambda xp, a: xp.concatenate([a, xp.ones((1, 4), "int16")])),
    ("stack", lambda xp, a: xp.stack([a, a + 1], -1)), ("vstack", lambda xp, a: xp.vstack([a[0], a[1]])),
    ("hstack", lambda xp, a: xp.hstack([a, a])), ("dstack", lambda xp, a: xp.dstack([a, a])),
    ("column_stack", lambda xp, a: xp.column_stack([a[0], a[1]])), ("tile", lambda xp, a: xp.tile(a, (2, 1, 2))),
    ("repeat", lambda xp, a: xp.repeat(a, [1, 0, 2], axis=0)), ("repeat_flat", lambda xp, a: a.repeat(2)),
    ("pad", lambda xp, a: xp.pad(a, 2)), ("pad_edge", lambda xp, a: xp.pad(a, ((1, 0), (2, 1)), "edge")),
    # indexing
    ("slice", lambda xp, a: a[1:, ::-2]), ("ellipsis", lambda xp, a: a[..., None, 1]), ("int", lambda xp, a: a[-1]),
    ("scalar", lambda xp, a: a[1, 2]), ("list", lambda xp, a: a[[0, 2, 0]]), ("two lists", lambda xp, a: a[[0, 1], [2, 3]]),
    ("list after slice", lambda xp, a: a[:, [0, -1]]), ("grid", lambda xp, a: a[xp.ix_(xp.array([0, 2]), xp.array([1, 3]))]),
    ("mask", lambda xp, a: a[a > a.mean()] if a.dtype.kind != "c" else a[xp.abs(a) > 5]),
    ("two masks", lambda xp, a: a[xp.array([True, False, True]), xp.array([True, False, False, True])]),
    ("mask and list", lambda xp, a: a[xp.array([True, False, True]), [0, 3]]),
    ("einsum in a type", lambda xp, a: xp.einsum("ij->i", (a.real > 5), dtype="int64")),
    ("row mask", lambda xp, a: a[xp.array([True, False, True])]),
    ("take", lambda xp, a: xp.take(a, xp.array([[0, 1], [2, 0]]), axis=0)), ("take flat", lambda xp, a: a.take([1, 5])),
    ("take_along_axis", lambda xp, a: xp.take_along_axis(a, xp.array([[0], [3], [1]]), 1)),
    ("nonzero", lambda xp, a: xp.nonzero(a)), ("argwhere", lambda xp, a: xp.argwhere(a)),
    ("flatnonzero", lambda xp, a: xp.flatnonzero(a)), ("compress", lambda xp, a: a.compress([True, False, True], 0)),
    ("diag", lambda xp, a: xp.diag(a)), ("diag of vector", lambda xp, a: xp.diag(a[0], -1)),
    ("tril", lambda xp, a: xp.tril(a, -1)), ("triu", lambda xp, a: xp.triu(a)),
    ("where", lambda xp, a: xp.where(xp.array([True, False, True, False]), a, a * 2)),
    ("where scalars", lambda xp, a: xp.where(a == a[0], 1, 0)),
    ("select", lambda xp, a: xp.select([a == a[0], a != a[0]], [a, -a])),
    ("unravel_index", lambda xp, a: xp.unravel_index(xp.array([5, 7]), a.shape)),
    ("choose", lambda xp, a: xp.choose(xp.array([0, 1, 0, 1]), [a[0], a[1]])),
    # products
    ("matmul", lambda xp, a: a @ a.T), ("matvec", lambda xp, a: a @ a[0]), ("dot", lambda xp, a: xp.dot(a[0], a[1])),
    ("batched", lambda xp, a: xp.matmul(a[None], xp.stack([a.T, a.T]))), ("vdot", lambda xp, a: xp.vdot(a, a)),
    ("inner", lambda xp, a: xp.inner(a, a)), ("outer", lambda xp, a: xp.outer(a[0], a[1])),
    ("tensordot", lambda xp, a: xp.tensordot(a, a, 2)), ("tensordot axes", lambda xp, a: xp.tensordot(a, a, ([1], [1]))),
    ("einsum", lambda xp, a: xp.einsum("ij,kj->ik", a, a)), ("einsum trace", lambda xp, a: xp.einsum("ii", a[:, :3])),
    ("einsum implicit", lambda xp, a: xp.einsum("ij,jk", a, a.T)), ("einsum dots", lambda xp, a: xp.einsum("...j->...", a)),
    ("kron", lambda xp, a: xp.kron(a, a[:2, :2])),
    # mathematics
    ("diff", lambda xp, a: xp.diff(a)), ("diff 2", lambda xp, a: xp.diff(a, 2, 0)), ("gradient", lambda xp, a: xp.gradient(a)),
    ("around", lambda xp, a: xp.around(a, 1)), ("clip", lambda xp, a: xp.clip(a.real, 2, 5)),
    ("clip one side", lambda xp, a: a.real.clip(3, None)), ("convolve", lambda xp, a: xp.convolve(a[0], a[1])),
    ("convolve same", lambda xp, a: xp.convolve(a[0], a[1, :2], "same")), ("correlate", lambda xp, a: xp.correlate(a[0], a[1])),
    ("nan_to_num", lambda xp, a: xp.nan_to_num(a)), ("real", lambda xp, a: a.real), ("angle", lambda xp, a: xp.angle(a)),
    ("cross", lambda xp, a: xp.cross(a[:, :3], a[:, 1:])), ("trapezoid", lambda xp, a: xp.trapezoid(a)),
    ("isclose", lambda xp, a: xp.isclose(a, a + 1e-9)), ("allclose", lambda xp, a: xp.allclose(a, a)),
    ("array_equal", lambda xp, a: xp.array_equal(a, a)),
    # making
    ("zeros_like", lambda xp, a: xp.zeros_like(a)), ("full_like", lambda xp, a: xp.full_like(a, 3)),
    ("astype", lambda xp, a: a.astype("complex64")), ("copy", lambda xp, a: a.copy()), ("flatten", lambda xp, a: a.flatten()),
    ("meshgrid", lambda xp, a: list(xp.meshgrid(a[0], a[:, 0]))), ("vander", lambda xp, a: xp.vander(a[0], 3)),
    ("insert", lambda xp, a: xp.append(a, a)), ("delete", lambda xp, a: xp.delete(a, 1, 0)),
]  # fmt: skip


@pytest.mark.parametrize("function", [f for _, f in FUNCTIONS], ids=[n for n, _ in FUNCTIONS])
@pytest.mark.parametrize("dtype", NUMBERS)
def test_function(cp, function, dtype):
    check(cp, function, host(A, dtype))


ORDERED = [
    ("sort", lambda xp, a: xp.sort(a, 0)), ("sort flat", lambda xp, a: xp.sort(a, None)),
    ("argsort", lambda xp, a: xp.argsort(a[0])), ("searchsorted", lambda xp, a: xp.searchsorted(xp.sort(a[0]), a[1])),
    ("unique", lambda xp, a: xp.unique(xp.round(a))), ("percentile", lambda xp, a: xp.percentile(a, 30)),
    ("quantile axis", lambda xp, a: xp.quantile(a.astype(float), [0.1, 0.5], axis=1)), ("histogram", lambda xp, a: xp.histogram(a, 5)),
    ("digitize", lambda xp, a: xp.digitize(a, xp.array([2.0, 5.0]))), ("interp", lambda xp, a: xp.interp(a, a[0] * 0 + xp.arange(4), a[1])),
    ("median axis", lambda xp, a: xp.median(a, axis=0)), ("average", lambda xp, a: xp.average(a, 0, a)),
    ("cov", lambda xp, a: xp.cov(a)), ("corrcoef", lambda xp, a: xp.corrcoef(a)), ("isin", lambda xp, a: xp.isin(a, a[0])),
    ("union1d", lambda xp, a: xp.union1d(a[0], a[1])), ("maximum.accumulate", lambda xp, a: xp.add.accumulate(a, 1)),
    ("add.reduce", lambda xp, a: xp.add.reduce(a)), ("outer", lambda xp, a: xp.subtract.outer(a[0], a[1])),
    ("divmod", lambda xp, a: xp.divmod(a, 2)), ("modf", lambda xp, a: xp.modf(a)), ("frexp", lambda xp, a: xp.frexp(a)),
    ("lexsort", lambda xp, a: xp.lexsort(a)), ("floor", lambda xp, a: a // 2), ("mod", lambda xp, a: a % 3), ("rdiv", lambda xp, a: 1 / a),
    ("msort", lambda xp, a: xp.partition(a, 2)[..., 2]),
]  # fmt: skip


@pytest.mark.parametrize("function", [f for _, f in ORDERED], ids=[n for n, _ in ORDERED])
@pytest.mark.parametrize("dtype", FLOAT)
def test_ordered(cp, function, dtype):
    # Where a host helper computes, NumPy's own type is what comes back: types are compared elsewhere.
    check(cp, function, host(A, dtype), types=False)


MAKING = [
    lambda xp: xp.arange(10), lambda xp: xp.arange(2, 9, 3), lambda xp: xp.arange(0, 1, 0.1), lambda xp: xp.arange(5.0),
    lambda xp: xp.arange(5, dtype="float32"), lambda xp: xp.arange(5, 0, -2), lambda xp: xp.linspace(0, 1, 11),
    lambda xp: xp.linspace(1, 0, 5, endpoint=False, dtype="float32"), lambda xp: xp.logspace(0, 2, 3), lambda xp: xp.eye(3, 4, 1),
    lambda xp: xp.identity(3, "int8"), lambda xp: xp.zeros((2, 3), "uint8"), lambda xp: xp.ones(4), lambda xp: xp.full((2, 2), 7),
    lambda xp: xp.full(3, 2.5, "float32"), lambda xp: xp.tri(3, 4, 1), lambda xp: xp.indices((2, 3)), lambda xp: xp.mgrid[0:3, 0:2],
    lambda xp: xp.array([[1, 2], [3, 4]]), lambda xp: xp.array(3.5), lambda xp: xp.asarray([1, 2.5]), lambda xp: xp.array([True]),
    lambda xp: xp.fromfunction(lambda i, j: i + j, (3, 3)), lambda xp: xp.frombuffer(b"\1\2\3", "uint8"), lambda xp: xp.hanning(5),
    lambda xp: xp.array([1, 2], ndmin=3), lambda xp: xp.array([], "float32"), lambda xp: xp.tril_indices(3), lambda xp: xp.kaiser(5, 1.0),
    lambda xp: xp.r_[1:4, 0, 4], lambda xp: xp.c_[xp.array([1, 2]), xp.array([3, 4])], lambda xp: list(xp.ogrid[0:2, 0:3]),
]  # fmt: skip


@pytest.mark.parametrize("function", MAKING, ids=map(str, range(len(MAKING))))
def test_making(cp, function):
    compare(function(cp), function(np))


LINALG = [
    ("inv", lambda xp, a: xp.linalg.inv(a)), ("det", lambda xp, a: xp.linalg.det(a)), ("slogdet", lambda xp, a: tuple(xp.linalg.slogdet(a))),
    ("solve", lambda xp, a: xp.linalg.solve(a, a[0])), ("solve matrix", lambda xp, a: xp.linalg.solve(a, a)),
    ("cholesky", lambda xp, a: xp.linalg.cholesky(a @ a.T.conj())), ("norm", lambda xp, a: xp.linalg.norm(a)),
    ("norm axis", lambda xp, a: xp.linalg.norm(a, axis=1)), ("norm ord", lambda xp, a: xp.linalg.norm(a, 1)),
    ("eigvalsh", lambda xp, a: xp.linalg.eigvalsh(a @ a.T.conj())), ("svd", lambda xp, a: xp.linalg.svd(a[:2], compute_uv=False)),
    ("pinv", lambda xp, a: xp.linalg.pinv(a[:2])), ("matrix_power", lambda xp, a: xp.linalg.matrix_power(a, 3)),
    ("matrix_rank", lambda xp, a: xp.linalg.matrix_rank(a)), ("qr r", lambda xp, a: abs(xp.linalg.qr(a, mode="r"))),
    ("svd whole", lambda xp, a: (lambda u, s, v: (u * s) @ v)(*xp.linalg.svd(a[:2], full_matrices=False))),
    ("eigh whole", lambda xp, a: (lambda w, v: (v * w) @ v.T.conj())(*xp.linalg.eigh(a @ a.T.conj()))),
    ("qr whole", lambda xp, a: (lambda q, r: q @ r)(*xp.linalg.qr(a))), ("stacked inv", lambda xp, a: xp.linalg.inv(xp.stack([a, a + xp.eye(3)]))),
]  # fmt: skip


@pytest.mark.parametrize("function", [f for _, f in LINALG], ids=[n for n, _ in LINALG])
@pytest.mark.parametrize("dtype", ["float64", "complex128", "int64"])
def test_linalg(cp, function, dtype):
    a = np.array([[4, 1, 2], [1, 5, 1], [0, 1, 6]], dtype) + (1j * np.eye(3) if dtype == "complex128" else 0)
    check(cp, function, a)


FFT = [
    ("fft", lambda xp, a: xp.fft.fft(a)), ("fft n", lambda xp, a: xp.fft.fft(a, 7, 0)), ("ifft", lambda xp, a: xp.fft.ifft(a, norm="ortho")),
    ("rfft", lambda xp, a: xp.fft.rfft(a.real)), ("irfft", lambda xp, a: xp.fft.irfft(a)), ("irfft n", lambda xp, a: xp.fft.irfft(a, 5)),
    ("fft2", lambda xp, a: xp.fft.fft2(a)), ("fftn", lambda xp, a: xp.fft.fftn(a, (2, 2))), ("rfftn", lambda xp, a: xp.fft.rfftn(a.real)),
    ("irfft2", lambda xp, a: xp.fft.irfft2(a)), ("hfft", lambda xp, a: xp.fft.hfft(a)), ("fftshift", lambda xp, a: xp.fft.fftshift(a)),
    ("ihfft", lambda xp, a: xp.fft.ihfft(a.real)), ("freq", lambda xp, a: xp.fft.fftfreq(5, 0.1)), ("rfreq", lambda xp, a: xp.fft.rfftfreq(6)),
]  # fmt: skip


@pytest.mark.parametrize("function", [f for _, f in FFT], ids=[n for n, _ in FFT])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32"])
def test_fft(cp, function, dtype):
    check(cp, function, host((4, 6), dtype))


@pytest.mark.parametrize(
    "name", ["gaussian_filter", "uniform_filter", "median_filter", "laplace", "zoom", "label", "sum"]
)
def test_ndimage(cp, name):
    import cupyx.scipy.ndimage as ours
    from scipy import ndimage as theirs

    a = host((6, 7), "float64")
    argument = {"gaussian_filter": (1.0,), "uniform_filter": (3,), "median_filter": (3,), "zoom": (2,)}.get(name, ())
    result = getattr(ours, name)(cp.asarray(a), *argument)
    expected = getattr(theirs, name)(a, *argument)
    if name == "label":
        assert result[1] == expected[1]
        result, expected = result[0], expected[0]
    compare(result, expected)


@pytest.mark.parametrize(
    "name", ["erf", "erfc", "gamma", "gammaln", "j0", "expit", "ndtr", "digamma", "softmax", "logit"]
)
def test_special(cp, name):
    import cupyx.scipy.special as ours
    from scipy import special as theirs

    a = host((5,), "float64") / 12
    compare(getattr(ours, name)(cp.asarray(a)), getattr(theirs, name)(a))


LAYOUTS = {
    "C": lambda xp, a: a,
    "permuted": lambda xp, a: a.transpose(2, 0, 1),
    "F": lambda xp, a: xp.asfortranarray(a),
    "sliced": lambda xp, a: a[:, ::2],
    "broadcast": lambda xp, a: xp.broadcast_to(a[:1], (3, 3, 4)),
    "reversed": lambda xp, a: a[::-1],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("method", "order"),
    [(m, o) for m in ("ravel", "flatten", "copy", "reshape") for o in "CFAK" if m + o != "reshapeK"],
)
def test_orders(cp, layout, order, method):
    call = (lambda x: x.reshape((-1, 2), order=order)) if method == "reshape" else (lambda x: getattr(x, method)(order))
    check(cp, lambda xp, a: call(LAYOUTS[layout](xp, a)), host((2, 3, 4), "float64"))


@pytest.mark.parametrize("dtype", ["uint8", "int64", "uint64"])
@pytest.mark.parametrize("value", [-1, 300, 2**63, -(2**63) - 1, 2**70])
@pytest.mark.parametrize("name", ["less", "equal", "greater_equal"])
def test_comparisons_with_ints_that_do_not_fit(cp, dtype, value, name):
    check(cp, lambda xp, a: getattr(xp, name)(a, value), host((4,), dtype))


@pytest.mark.parametrize("name", ["max", "argmin", "sum", "mean"])
def test_reductions_of_nothing(cp, name):
    check(cp, lambda xp, a: getattr(a, name)(axis=1), host((0, 3), "float64"))
    check(cp, lambda xp, a: getattr(a, name)(axis=0), host((3, 0), "float64"))
    if name in ("max", "argmin"):
        with pytest.raises(
            ValueError, match=f"zero-size array to reduction operation cupy_{name} which has no identity"
        ):
            getattr(cp.zeros((0, 3)), name)()
