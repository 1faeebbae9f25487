"""CuPyX's own functions and its rules: errors, synchronisation, plans, generalised ufuncs, pinned memory, refusals."""

import numpy as np
import pytest


def test_rsqrt_and_scatter(cp, cupyx):
    x = cp.asarray([1.0, 4.0, 16.0], "f")
    made = cupyx.rsqrt(x)
    assert made.dtype == np.float32
    np.testing.assert_allclose(made.get(), [1, 0.5, 0.25])
    a = cp.zeros(3)
    cupyx.scatter_add(a, cp.asarray([0, 0, 2]), cp.asarray([1.0, 2.0, 5.0]))
    assert a.get().tolist() == [3.0, 0.0, 5.0]


SCATTERED = {  # CuPy 14.2's `_scatter_op_single`
    "add": "i4 i8 f2 f4 f8 u4 u8", "subtract": "i4 u4", "maximum": "i4 i8 f4 f8 u4 u8", "minimum": "i4 i8 f4 f8 u4 u8",
    "bitwise_and": "i4 i8 u4 u8", "bitwise_or": "i4 i8 u4 u8", "bitwise_xor": "i4 i8 u4 u8",
}  # fmt: skip


@pytest.mark.parametrize("dtype", "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 F D".split())
@pytest.mark.parametrize("name", SCATTERED)
def test_types_that_can_be_combined_at_indices(cp, cupyx, name, dtype):
    a, where, one = cp.ones(3, dtype), cp.asarray([0, 0, 2]), cp.ones(3, dtype)
    functions = [getattr(cp, name).at]
    if name in ("add", "maximum", "minimum"):
        functions.append(getattr(cupyx, f"scatter_{name[:3]}"))
    for function in functions:
        if dtype in SCATTERED[name].split():
            function(a, where, one)
        else:
            with pytest.raises(TypeError, match=rf"cupy\.{name}\.at only supports"):
                function(a, where, one)
    if dtype in ("i2", "i4"):
        getattr(cp, name).at(a, cp.asarray([True, False, True]), one[:2])  # by a mask no element is met twice
        getattr(cp, name).at(a, slice(0, 2), one[:2])


def test_errstate_makes_a_singular_matrix_an_error(cp, cupyx):
    singular = cp.zeros((2, 2))
    assert cupyx.geterr()["linalg"] == "ignore"
    with cupyx.errstate(linalg="raise"):
        assert cupyx.geterr()["linalg"] == "raise"
        with pytest.raises(np.linalg.LinAlgError):
            cp.linalg.inv(singular).get()
    assert cupyx.geterr()["linalg"] == "ignore"
    assert not np.isfinite(cp.linalg.inv(singular).get()).any()
    with pytest.raises(NotImplementedError):
        cupyx.seterr(divide="raise")
    with pytest.raises(TypeError):
        cupyx.errstate(unknown=1).__enter__()


@pytest.mark.filterwarnings("ignore:cupyx.allow_synchronize")
def test_synchronisations_can_be_found(cp, cupyx):
    x = cp.arange(3)
    with cupyx.allow_synchronize(False):
        y = x + 1  # only queued
        for wait in (y.get, cp.cuda.Device().synchronize, lambda: float(y[0])):
            with pytest.raises(cupyx.DeviceSynchronized, match="while disallowed"):
                wait()
        with cupyx.allow_synchronize(True):
            assert y.get().tolist() == [1, 2, 3]
    assert y.get().tolist() == [1, 2, 3]


def test_generalised_ufuncs(cp, cupyx):
    seen = []

    def total(a):
        seen.append(a.shape)
        return a.sum(axis=-1)

    f = cupyx.GeneralizedUFunc(total, "(i)->()")
    x = np.arange(24.0).reshape(2, 3, 4)
    np.testing.assert_allclose(f(cp.asarray(x)).get(), x.sum(-1))
    assert seen == [(4,)] * 6
    np.testing.assert_allclose(f(cp.asarray(x), axis=0).get(), x.sum(0))
    np.testing.assert_allclose(f(cp.asarray(x), axis=1, keepdims=True).get(), x.sum(1, keepdims=True))
    g = cupyx.GeneralizedUFunc(lambda a, b: a @ b, "(m,n),(n)->(m)", supports_batched=False)
    v = np.arange(4.0)
    np.testing.assert_allclose(g(cp.asarray(x), cp.asarray(v)).get(), x @ v)
    out = cp.empty((2, 3))
    assert g(cp.asarray(x), cp.asarray(v), out=out) is out
    with pytest.raises(ValueError, match="mismatch in its core dimension n"):
        g(cp.asarray(x), cp.ones(3))
    with pytest.raises(ValueError, match="Not a valid gufunc signature"):
        cupyx.GeneralizedUFunc(total, "i->j")
    h = cupyx.GeneralizedUFunc(total, "(i)->()", signatures=["d->f"])
    assert h(cp.asarray(x)).dtype == np.float32


def test_pinned_arrays(cp, cupyx):
    a = cupyx.zeros_pinned((2, 3), "f")
    assert isinstance(a, np.ndarray) and not a.flags.owndata and a.sum() == 0 and a.dtype == np.float32
    like = cupyx.empty_like_pinned(cp.ones((3, 4)).T)
    assert like.shape == (4, 3) and like.flags.f_contiguous
    with pytest.raises(ValueError, match="order must be one of"):
        cupyx.empty_like_pinned(a, order="Q")
    with pytest.raises(TypeError, match="subok"):
        cupyx.empty_like_pinned(a, subok=True)


def test_plans_fit_or_are_refused(cp):
    from cupyx.scipy import fft, fftpack

    x = cp.asarray(np.random.default_rng(1).random((4, 8)) + 0j)
    plan = fft.get_fft_plan(x, axes=(0, 1))
    np.testing.assert_allclose(fft.fftn(x, plan=plan).get(), np.fft.fftn(x.get()))
    with plan:
        np.testing.assert_allclose(fft.fftn(x).get(), np.fft.fftn(x.get()))
        with pytest.raises(RuntimeError, match="either as a context manager or as an argument"):
            fft.fftn(x, plan=plan)
    with pytest.raises(ValueError, match="do not match"):
        fft.fftn(x[:2], plan=plan)
    with pytest.raises(ValueError, match="dtype mismatch"):
        fft.fftn(x.astype("F"), plan=plan)
    line = fftpack.get_fft_plan(x, axes=1)
    np.testing.assert_allclose(fftpack.fft(x, plan=line).get(), np.fft.fft(x.get()))
    with pytest.raises(ValueError, match="Target array size"):
        fftpack.fft(x, n=4, plan=line)
    with pytest.raises(ValueError, match="Only up to three axes"):
        fft.get_fft_plan(cp.ones((2, 2, 2, 2)), axes=(0, 1, 2, 3))
    with pytest.raises(NotImplementedError, match="hfft plan"):
        fft.hfft(x, plan=plan)


def test_transforms_wait_in_the_queue(cp):
    from cupyx.scipy import fft

    from gpusim.device import queue

    x = cp.arange(8.0)
    before = queue.pending()
    y = fft.fft(x)
    assert queue.pending() > before
    np.testing.assert_allclose(y.get(), np.fft.fft(np.arange(8.0)))


def test_scipy_calls_it_as_a_backend(cp):
    import scipy.fft
    from cupyx.scipy import fft

    x = cp.arange(8.0)
    with scipy.fft.set_backend(fft):
        made = scipy.fft.fft(x)
    assert isinstance(made, cp.ndarray)
    np.testing.assert_allclose(made.get(), np.fft.fft(np.arange(8.0)))


def test_positive_definite_solvers(cp, cupyx):
    a = np.array([[4.0, 1.0], [1.0, 3.0]])
    b = np.array([1.0, 2.0])
    np.testing.assert_allclose(cupyx.linalg.invh(cp.asarray(a)).get(), np.linalg.inv(a))
    half = cp.linalg.cholesky(cp.asarray(a))
    np.testing.assert_allclose(cupyx.linalg.cho_solve((half, True), cp.asarray(b)).get(), np.linalg.solve(a, b))
    np.testing.assert_allclose(cupyx.lapack.posv(cp.asarray(a), cp.asarray(b)).get(), np.linalg.solve(a, b))
    f, g = cp.asarray(a, order="F"), cp.asarray(b)
    assert cupyx.lapack.gesv(f, g) is None
    np.testing.assert_allclose(g.get(), np.linalg.solve(a, b))
    with pytest.raises(np.linalg.LinAlgError):
        cupyx.linalg.invh(a)


def test_filters_of_kernels(cp):
    import scipy.ndimage as host
    from cupyx.scipy import ndimage

    x = np.random.default_rng(2).random((7, 6))
    largest = cp.ReductionKernel("X x", "Y y", "x", "max(a, b)", "y = a", "-1e300", "largest")
    made = ndimage.generic_filter(cp.asarray(x), largest, 3)
    np.testing.assert_allclose(made.get(), host.maximum_filter(x, 3))
    with pytest.raises(TypeError, match="bad function type"):
        ndimage.generic_filter(cp.asarray(x), np.max, 3)


def test_raw_kernels_filter_neighbourhoods_and_lines(cp):
    import scipy.ndimage as host
    from cupyx.scipy import ndimage

    x = np.random.default_rng(2).random((7, 6))
    square = cp.RawKernel(
        """extern "C" __global__ void square(const double* x, int n, double* y) {
        double s = 0; for (int i = 0; i < n; ++i) { s += x[i] * x[i]; } y[0] = s / n; }""",
        "square",
    )
    made = ndimage.generic_filter(cp.asarray(x), square, 3, mode="mirror")
    np.testing.assert_allclose(made.get(), host.uniform_filter(x**2, 3, mode="mirror"))
    shift = cp.RawKernel(
        """extern "C" __global__ void shift(const double* in, ptrdiff_t n, double* out, ptrdiff_t m) {
        for (ptrdiff_t i = 0; i < m; ++i) { out[i] = in[i] + in[i + 2]; } }""",
        "shift",
    )
    made = ndimage.generic_filter1d(cp.asarray(x), shift, 3, axis=0)
    np.testing.assert_allclose(made.get(), host.correlate1d(x, [1, 0, 1], axis=0))


def test_own_signal_processing(cp, cupyx):
    import cupyx.signal as signal

    x = np.cos(np.linspace(0, 20, 64)) + 2
    np.testing.assert_allclose(
        signal.real_cepstrum(cp.asarray(x)).get(), np.fft.ifft(np.log(abs(np.fft.fft(x)))).real, atol=1e-12
    )
    ceps, delay = signal.complex_cepstrum(cp.asarray(x))
    np.testing.assert_allclose(signal.inverse_complex_cepstrum(ceps, delay).get(), x, atol=1e-8)
    h = np.array([[1.0, 2.0], [3.0, 4.0]])
    wanted = [sum(x[i + 1 - a] * x[i + 1 - b] * h[a, b] for a in (0, 1) for b in (0, 1)) for i in range(63)]
    np.testing.assert_allclose(signal.convolve1d2o(cp.asarray(x), cp.asarray(h)).get(), wanted)
    power = np.ones(32, "f")
    power[16] = 50
    thresholds, hits = signal.ca_cfar(cp.asarray(power), 2, 4, 1e-2)
    assert hits.get().nonzero()[0].tolist() == [*range(6), 16, *range(26, 32)]
    alpha = signal.cfar_alpha(1e-2, 8)
    np.testing.assert_allclose(thresholds.get()[16], alpha, rtol=1e-5)
    np.testing.assert_allclose(signal.firfilter2(cp.asarray([0.5, 0.5]), cp.ones(20)).get(), 1)


def test_wavelets_are_deprecated(cp):
    from cupyx.scipy import signal

    with pytest.warns(cp.exceptions.VisibleDeprecationWarning):
        made = signal.ricker(100, 4.0)
    assert made.dtype == np.float64 and int(made.argmax()) in (49, 50)
    with pytest.warns(cp.exceptions.VisibleDeprecationWarning):
        assert signal.cwt(cp.ones(16), signal.ricker, [1, 2, 3]).shape == (3, 16)


def test_a_tree_finds_neighbours(cp):
    import scipy.spatial as host
    from cupyx.scipy import spatial

    points = np.random.default_rng(3).random((40, 3))
    tree = spatial.KDTree(cp.asarray(points))
    distances, nodes = tree.query(cp.asarray(points[:5]), k=3)
    d, n = host.KDTree(points).query(points[:5], k=3)
    np.testing.assert_allclose(distances.get(), d)
    assert nodes.dtype == np.int64 and (nodes.get() == n).all()
    found = tree.query_ball_point(cp.asarray(points[:2]), 0.4)
    assert isinstance(found, list) and isinstance(found[0], cp.ndarray)
    assert found[0].get().tolist() == sorted(host.KDTree(points).query_ball_point(points[0], 0.4))
    corners = spatial.Delaunay(cp.asarray(points[:, :2]))
    assert corners.simplices.dtype == np.int32
    assert (corners.find_simplex(cp.asarray(points[:, :2].mean(0)[None])) >= 0).all()


def test_runtime_info_says_what_runs(cp, cupyx):
    text = str(cupyx.get_runtime_info())
    assert cp.__version__ in text and "simulated" in text and "Device 0 Name" in text
    assert "Device 0 Name" not in str(cupyx.get_runtime_info(full=False))


def test_the_tuner_runs_the_block(cp, cupyx):
    with cupyx.optimizing.optimize(key=None):
        assert int(cp.arange(4).sum()) == 6
    with pytest.raises(TypeError, match="unexpected keyword"), cupyx.optimizing.optimize(wrong=1):
        pass


def test_special_functions_know_their_arguments(cp):
    from cupyx.scipy import special

    x = cp.asarray([0.5, 1.5])
    with pytest.warns(DeprecationWarning, match="betainc"):
        np.testing.assert_allclose(special.btdtr(2.0, 3.0, cp.asarray([0.4])).get(), 0.5248)
    with pytest.raises(NotImplementedError):
        special.spherical_yn(1, x + 1j)
    with pytest.raises(NotImplementedError, match="Derivatives"):
        special.sph_harm_y(1, 0, x, x, diff_n=1)
    assert special.psi is special.digamma


def test_the_profilers_magic(cp, cupyx, capsys):
    class Shell:
        user_ns = {"cp": cp, "calls": []}

        def register_magic_function(self, function, kind, name):
            assert (kind, name) == ("line_cell", "gpu_timeit")
            self.magic = function

    shell = Shell()
    cupyx.profiler.load_ipython_extension(shell)
    shell.magic("-n 3 -w 2 calls.append(cp.arange(3).sum())")
    assert len(shell.user_ns["calls"]) == 5
    shell.magic("-n 1 -w 0", "for i in range(2):\n    calls.append(i)\n")
    assert shell.user_ns["calls"][-2:] == [0, 1]
    assert "CPU" in capsys.readouterr().out


def test_a_filter_goes_on_where_it_stopped(cp):
    from cupyx.scipy import signal

    rng = np.random.default_rng(5)
    x = rng.standard_normal((2, 40))
    b, a = np.array([0.5, 0.2, 0.1]), np.array([1.0, -0.4, 0.1, 0.05])
    whole = signal.lfilter(cp.asarray(b), cp.asarray(a), cp.asarray(x))
    state = cp.zeros((2, len(b) + len(a) - 2))
    first, state = signal.lfilter(cp.asarray(b), cp.asarray(a), cp.asarray(x[:, :25]), zi=state)
    assert state.shape == (2, 5)
    np.testing.assert_allclose(state.get()[:, :2], x[:, 23:25])  # the last inputs …
    np.testing.assert_allclose(state.get()[:, 2:], first.get()[:, -3:])  # … and then the last outputs
    second, _ = signal.lfilter(cp.asarray(b), cp.asarray(a), cp.asarray(x[:, 25:]), zi=state)
    np.testing.assert_allclose(np.hstack([first.get(), second.get()]), whole.get())
    sos = cp.asarray([[0.2, 0.4, 0.2, 1, -0.5, 0.2], [1.0, 0.1, 0, 1, 0.3, 0]])
    flat, _ = signal.sosfilt(sos, cp.ones(30), zi=signal.sosfilt_zi(sos))
    np.testing.assert_allclose(flat.get(), float(flat[0]))  # in the state of a step it stays where it is
