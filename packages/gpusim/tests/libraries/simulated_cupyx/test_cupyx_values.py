"""Functions give SciPy's values on device arrays, in CuPy's types, and refuse host arrays."""

import importlib

import numpy as np
import pytest

rng = np.random.default_rng(7)
IMAGE = rng.random((12, 15)).astype(np.float32)
LABELS = rng.integers(0, 4, (12, 15)).astype(np.int32)
SIGNAL = np.cumsum(rng.standard_normal(200))
SQUARE = rng.random((6, 6)) + 6 * np.eye(6)
KERNEL = rng.random((3, 3)).astype(np.float32)
SOS = np.array([[0.2, 0.4, 0.2, 1, -0.5, 0.2]])

CASES = [
    # module, function, arguments, keyword arguments, dtype of the (first) result
    ("ndimage", "gaussian_filter", (IMAGE, 1.5), {}, "f4"),
    ("ndimage", "convolve", (IMAGE, KERNEL), {"mode": "wrap"}, "f4"),
    ("ndimage", "median_filter", (IMAGE,), {"size": 3}, "f4"),
    ("ndimage", "sobel", (IMAGE,), {"axis": 0}, "f4"),
    ("ndimage", "percentile_filter", (IMAGE, 30), {"size": (3, 5)}, "f4"),
    ("ndimage", "laplace", (IMAGE,), {}, "f4"),
    ("ndimage", "zoom", (IMAGE, 1.5), {"order": 1}, "f4"),
    ("ndimage", "rotate", (IMAGE, 30.0), {"order": 1, "reshape": False}, "f4"),
    ("ndimage", "shift", (IMAGE, (1.5, -2)), {"mode": "nearest"}, "f4"),
    ("ndimage", "map_coordinates", (IMAGE, rng.random((2, 9)) * 10), {"order": 1}, "f4"),
    ("ndimage", "affine_transform", (IMAGE, np.array([[0.9, 0.1], [-0.1, 0.9]])), {"order": 1}, "f4"),
    ("ndimage", "binary_dilation", (LABELS > 1,), {}, "?"),
    ("ndimage", "binary_fill_holes", (LABELS > 0,), {}, "?"),
    ("ndimage", "grey_opening", (IMAGE,), {"size": 3}, "f4"),
    ("ndimage", "distance_transform_edt", (LABELS > 0,), {}, "f8"),
    ("ndimage", "label", (LABELS > 1,), {}, "i4"),
    ("ndimage", "mean", (IMAGE, LABELS, np.array([1, 2, 3])), {}, "f8"),
    ("ndimage", "sum_labels", (IMAGE, LABELS, np.array([1, 2, 3])), {}, "f8"),
    ("ndimage", "maximum", (IMAGE, LABELS, np.array([1, 2])), {}, "f4"),
    ("ndimage", "fourier_gaussian", (np.fft.fft2(IMAGE), 2.0), {}, "c8"),
    ("ndimage", "spline_filter", (IMAGE,), {}, "f8"),
    ("signal", "fftconvolve", (SIGNAL, SIGNAL[:20]), {"mode": "same"}, "f8"),
    ("signal", "convolve2d", (IMAGE, KERNEL), {"mode": "valid"}, "f4"),
    ("signal", "lfilter", (np.array([1.0, 0.5]), np.array([1.0, -0.2]), SIGNAL), {}, "f8"),
    ("signal", "sosfilt", (SOS, SIGNAL), {}, "f8"),
    ("signal", "filtfilt", (np.array([1.0, 0.5]), np.array([1.0, -0.2]), SIGNAL), {}, "f8"),
    ("signal", "welch", (SIGNAL,), {"nperseg": 64}, "f8"),
    ("signal", "spectrogram", (SIGNAL,), {"nperseg": 64}, "f8"),
    ("signal", "find_peaks", (SIGNAL,), {"prominence": 0.5}, "i8"),
    ("signal", "resample_poly", (SIGNAL, 3, 2), {}, "f8"),
    ("signal", "savgol_filter", (SIGNAL, 7, 2), {}, "f8"),
    ("signal", "hilbert", (SIGNAL,), {}, "c16"),
    ("signal", "firwin", (31, 0.3), {}, "f8"),
    ("signal", "butter", (4, 0.2), {}, "f8"),
    ("signal", "medfilt", (SIGNAL, 5), {}, "f8"),
    ("signal", "detrend", (SIGNAL,), {}, "f8"),
    ("signal", "max_len_seq", (5,), {}, "i1"),
    ("signal.windows", "hann", (16,), {}, "f8"),
    ("signal.windows", "kaiser", (16, 8.0), {"sym": False}, "f8"),
    ("linalg", "expm", (SQUARE / 10,), {}, "f8"),
    ("linalg", "lu", (SQUARE,), {}, "f8"),
    ("linalg", "lu_factor", (SQUARE,), {}, "f8"),
    ("linalg", "solve_triangular", (SQUARE, SIGNAL[:6]), {"lower": True}, "f8"),
    ("linalg", "toeplitz", (SIGNAL[:5],), {}, "f8"),
    ("linalg", "block_diag", (SQUARE, IMAGE), {}, "f8"),
    ("linalg", "hadamard", (8,), {}, "i8"),
    ("linalg", "companion", (SIGNAL[:5],), {}, "f8"),
    ("stats", "zscore", (SIGNAL,), {}, "f8"),
    ("stats", "entropy", (np.abs(SIGNAL) + 1,), {}, "f8"),
    ("stats", "trim_mean", (SIGNAL, 0.1), {}, "f8"),
    ("fft", "dct", (SIGNAL,), {"type": 2, "norm": "ortho"}, "f8"),
    ("fft", "idstn", (IMAGE,), {}, "f4"),
    ("fft", "rfftn", (IMAGE,), {}, "c8"),
    ("fft", "hfft", (np.fft.rfft(SIGNAL),), {}, "f8"),
    ("fftpack", "rfft", (SIGNAL,), {}, "f8"),
    ("special", "gammainc", (np.abs(SIGNAL), np.abs(SIGNAL[::-1])), {}, "f8"),
    ("special", "logsumexp", (IMAGE,), {"axis": 1}, "f4"),
    ("special", "softmax", (IMAGE,), {"axis": 1}, "f4"),
    ("special", "lambertw", (np.abs(SIGNAL),), {}, "c16"),
    ("special", "spherical_yn", (2, np.abs(SIGNAL) + 1), {}, "f8"),
    ("special", "zeta", (np.abs(SIGNAL) + 2, 1.0), {}, "f8"),
    ("spatial.distance", "cdist", (IMAGE, IMAGE[:4]), {}, "f4"),
    ("spatial.distance", "pdist", (IMAGE,), {}, "f4"),
]


def leaves(value):
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, dict):
        for key in sorted(value):
            yield from leaves(value[key])
    else:
        yield value


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}.{case[1]}")
def test_values_are_scipys_and_types_are_cupys(cp, case):
    module, name, args, kwargs, dtype = case
    function = getattr(importlib.import_module(f"cupyx.scipy.{module}"), name)
    expected = getattr(importlib.import_module(f"scipy.{module}"), name)(*args, **kwargs)

    def send(a):
        return cp.asarray(a) if isinstance(a, np.ndarray) else a

    made = function(*map(send, args), **kwargs)
    results, wanted = list(leaves(made)), list(leaves(expected))
    assert len(results) == len(wanted)
    assert isinstance(results[0], cp.ndarray)
    assert results[0].dtype == np.dtype(dtype)
    for a, b in zip(results, wanted, strict=True):
        host = a.get() if isinstance(a, cp.ndarray) else a
        np.testing.assert_allclose(host, b, rtol=2e-4 if np.asarray(host).dtype.char in "fF" else 1e-9, atol=1e-5)


REFUSING = [
    "ndimage.gaussian_filter",
    "ndimage.label",
    "ndimage.zoom",
    "linalg.lu",
    "stats.zscore",
    "fft.dct",
    "fft.fft",
]


@pytest.mark.parametrize("path", REFUSING)
def test_host_arrays_are_refused(cp, path):
    module, _, name = path.partition(".")
    function = getattr(importlib.import_module(f"cupyx.scipy.{module}"), name)
    more = {"zoom": (2,), "gaussian_filter": (1,)}.get(name, ())
    with pytest.raises(TypeError):
        function(np.ones((4, 4)), *more)


def test_host_arrays_cross_where_the_real_function_sends_them(cp):
    from cupyx.scipy import signal

    made = signal.detrend(np.arange(5.0))
    assert isinstance(made, cp.ndarray)
    np.testing.assert_allclose(made.get(), 0, atol=1e-12)


@pytest.mark.parametrize("name", ["gaussian_filter", "uniform_filter", "maximum_filter", "median_filter"])
def test_halves_are_filtered_and_stay_halves(cp, name):
    from cupyx.scipy import ndimage

    made = getattr(ndimage, name)(cp.asarray(IMAGE).astype("e"), 2)
    assert made.dtype == np.float16
    import scipy.ndimage

    wanted = getattr(scipy.ndimage, name)(IMAGE.astype("e").astype("f"), 2)
    np.testing.assert_allclose(made.get(), wanted, rtol=2e-3)


def test_output_arrays_are_filled_and_given_back(cp):
    from cupyx.scipy import ndimage

    x, out = cp.asarray(IMAGE), cp.zeros(IMAGE.shape, "f8")
    assert ndimage.gaussian_filter(x, 1, output=out) is out
    assert float(abs(out).sum()) > 0
    assert ndimage.gaussian_filter(x, 1, output="f8").dtype == np.float64


def test_classes_live_on_the_device(cp):
    import scipy.interpolate as host
    from cupyx.scipy import interpolate

    x, y = np.linspace(0, 4, 9), np.sin(np.linspace(0, 4, 9))
    at = np.linspace(0, 4, 31)
    spline = interpolate.CubicSpline(cp.asarray(x), cp.asarray(y))
    np.testing.assert_allclose(spline(cp.asarray(at)).get(), host.CubicSpline(x, y)(at))
    assert isinstance(spline.c, cp.ndarray) and spline.c is spline.c
    assert isinstance(spline.derivative(), interpolate.PPoly)
    np.testing.assert_allclose(float(spline.integrate(0, 4)), host.CubicSpline(x, y).integrate(0, 4))
    spline.c[...] = 0  # the coefficients are the spline's own
    assert float(abs(spline(cp.asarray(at))).max()) == 0
    with pytest.raises(TypeError):
        interpolate.make_interp_spline(x, cp.asarray(y), 3, unknown=1)
    rgi = interpolate.RegularGridInterpolator((cp.asarray(x), cp.asarray(x)), cp.ones((9, 9)))
    assert float(rgi(cp.asarray([[1.0, 2.0]]))[0]) == 1.0


def test_callbacks_get_device_arrays(cp):
    from cupyx.scipy import ndimage

    seen = []

    def largest(values):
        seen.append(type(values))
        return values.max()

    made = ndimage.labeled_comprehension(
        cp.asarray(IMAGE), cp.asarray(LABELS), cp.asarray([1, 2]), largest, np.float64, 0
    )
    np.testing.assert_allclose(made.get(), [IMAGE[LABELS == 1].max(), IMAGE[LABELS == 2].max()])
    assert set(seen) == {cp.ndarray}
    magnitude = ndimage.generic_gradient_magnitude(cp.asarray(IMAGE), ndimage.sobel)
    import scipy.ndimage

    wanted = scipy.ndimage.generic_gradient_magnitude(IMAGE, scipy.ndimage.sobel)
    np.testing.assert_allclose(magnitude.get(), wanted, rtol=1e-5)


def test_an_object_keeps_the_memory_that_it_was_made_of(cp):
    from cupyx.scipy import interpolate

    c, x = cp.asarray([[1.0], [2.0], [3.0]]), cp.asarray([0.0, 1.0])
    piece = interpolate.PPoly(c, x)
    slope = piece.derivative()
    del c, x, piece
    others = [cp.full((3, 1), 9.0) for _ in range(8)]  # take the memory if it was given back
    assert float(slope(cp.asarray([0.5]))[0]) == 3.0
    del others
