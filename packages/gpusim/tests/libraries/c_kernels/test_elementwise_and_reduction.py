"""ElementwiseKernel and ReductionKernel: CuPy's documented kernels, its rules for types, and its refusals."""

import numpy as np
import pytest

from gpusim.device import queue
from gpusim.kernels.faults import OutOfBoundsError


@pytest.fixture
def squared(cp):
    return cp.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "squared_diff")


def test_broadcasting_scalars_and_outputs(cp, squared):
    x, y = cp.arange(10, dtype="f4").reshape(2, 5), cp.arange(5, dtype="f4")
    wanted = (x.get() - y.get()) ** 2
    before = queue.counters()
    z = squared(x, y)
    assert queue.counters().kernels == before.kernels + 1
    assert queue.counters().bytes_written - before.bytes_written == z.nbytes
    assert z.dtype == np.float32 and (z.get() == wanted).all()
    assert (squared(x, 5).get() == (x.get() - 5) ** 2).all()
    out = cp.zeros((5, 2), "f4").T
    assert squared(x, y, out) is out and (out.get() == wanted).all()
    x += 1  # in stream order
    assert (squared(x, y).get() == (wanted**0.5 * np.sign(x.get() - 1 - y.get()) + 1) ** 2).all()


def test_what_broadcasting_repeats_is_read_once(cp):
    x, rows, one = cp.ones((4, 8)), cp.ones((4, 1)), cp.ones(())
    reduce = cp.ReductionKernel("T x, T m, T s", "T y", "x + m + s", "a + b", "y = a", "0", "reduced")
    add = cp.ElementwiseKernel("T x, T m, T s", "T y", "y = x + m + s", "added")
    for kernel, written, run in (
        ("reduced", 32, lambda: reduce(x, rows, one, axis=1)),
        ("added", 256, lambda: add(x, rows, one)),
    ):
        before = queue.counters()
        run()
        moved = queue.counters() - before
        assert (moved.bytes_read, moved.bytes_written) == (256 + 32 + 8, written), kernel
    assert reduce(x, rows, one, axis=1).get().tolist() == [24.0] * 4


@pytest.mark.parametrize(
    "make", [lambda a: a, lambda a: a[::2], lambda a: a[:7].astype("f2"), lambda a: a[:12].reshape(3, 4).T]
)
@pytest.mark.parametrize("n", [20, 20_000], ids=["few", "many"])
def test_an_input_that_is_the_output_is_read_as_it_was_written(cp, make, n):
    # An input is a reference: `const {t} &{n} = _raw_{n}[_ind.get()];` [cupy/_core/_kernel.pyx, v14.2.0]
    kernel = cp.ElementwiseKernel("T x", "T y, T z", "y = x + (T)1; z = x", "in_place")
    x = make(cp.arange(n, dtype="f4"))
    wanted, z = x.get() + 1, cp.empty_like(x)
    kernel(x, x, z)
    assert (x.get() == wanted).all() and (z.get() == wanted).all()


def test_contiguous_arrays_are_not_copied(cp, squared, monkeypatch):
    copied = []
    submit = queue.submit_uncounted
    monkeypatch.setattr(queue, "submit_uncounted", lambda name, *rest: [copied.append(name), submit(name, *rest)][1])
    x = cp.arange(20_000, dtype="f4")
    kernel = cp.ReductionKernel("T x, T y", "T z", "x * y", "a + b", "z = a", "0", "product")
    assert squared(x, x).sum() == 0 and kernel(x[:5], x[:5]) == 30
    assert "cupy_copy" not in copied
    squared(x[::2], x[::2])
    assert "cupy_copy" in copied


def test_placeholders(cp):
    kernel = cp.ElementwiseKernel(
        "X x, Y y", "Z z", "if (x - 2 > y) {\n z = x * y;\n} else {\n z = x + y;\n}", "my_kernel"
    )
    x, y = cp.arange(6, dtype="i4"), cp.asarray(1.5)
    z = kernel(x, y, cp.empty(6, "f4"))
    assert z.get().tolist() == [1.5, 2.5, 3.5, 4.5, 6.0, 7.5]
    same = cp.ElementwiseKernel("T x, T y", "T z", "z = x + y")
    with pytest.raises(TypeError, match="Type is mismatched. y float64 int32 T"):
        same(x, x.astype("f8"))
    assert same(x, 2).dtype == np.int32
    with pytest.raises(OverflowError):
        same(x, 2**40)


def test_raw_arguments(cp):
    reverse = cp.ElementwiseKernel("T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "add_reverse")
    y = cp.arange(5, dtype="f4")
    assert (reverse(y, y).get() == 4).all()
    rows = cp.ElementwiseKernel(
        "raw T x, int32 axis",
        "raw float64 s",
        "for (int k = 0; k < x.shape()[1]; ++k) { s[i] += x[i * x.shape()[1] + k]; }",
    )
    x, s = cp.arange(12.0).reshape(4, 3).T, cp.zeros(3)  # not contiguous: indexed in C order all the same
    rows(x, 1, s, size=3)
    assert (s.get() == x.get().sum(axis=1)).all()
    past = cp.ElementwiseKernel("raw float32 x", "float32 z", "z = x[i + 1]")
    with pytest.raises(OutOfBoundsError, match=r"x\[5\] does not exist"):
        past(y, cp.zeros(5, "f4"))


def test_other_parameters(cp):
    kernel = cp.ElementwiseKernel(
        "T x", "T y, T z", "if (x < 0) { y = 0; z = 1; continue; } y = twice(x); z = y + n;", "two",
        preamble="template <typename U> __device__ U twice(U v) { return v * 2; }", loop_prep="const int n = 3;",
        return_tuple=True,
    )  # fmt: skip
    y, z = kernel(cp.asarray([-1, 1, 2]))
    assert y.get().tolist() == [0, 2, 4] and z.get().tolist() == [1, 5, 7]
    assert cp.ElementwiseKernel("T x", "T y", "y = x", no_return=True)(cp.zeros(2)) is None
    assert "double" in kernel.cached_code or "long long" in kernel.cached_code


@pytest.mark.large
def test_types(cp):
    for dtype in "?bBhHiIqQfdFD":
        kernel = cp.ElementwiseKernel("T x", "T y", "y = x * x")
        x = cp.asarray([0, 1, 1]).astype(dtype)
        got = kernel(x)
        assert got.dtype == x.dtype and got.get().tolist() == x.get().tolist()
    half = cp.ElementwiseKernel("T x, T y", "T z", "z = x * y + 1")
    x = cp.asarray([1.5, 0.1, 60000], "e")
    assert half(x, x).get().tolist() == (x.get().astype("f4") ** 2 + 1).astype("e").tolist()
    rounded = cp.ElementwiseKernel("T x", "T y", "T a = x * 3; y = a * 3")
    with np.errstate(over="ignore"):
        third = (x.get().astype("f4") * 3).astype("e").astype("f4")
        assert rounded(x).get().tolist() == (third * 3).astype("e").tolist()


def test_refusals(cp, squared):
    x = cp.zeros(3, "f4")
    for call, error, said in (
        (lambda: squared(x), TypeError, "Wrong number of arguments for 'squared_diff'. It must be either 2 or 3"),
        (lambda: squared(x, np.zeros(3, "f4")), TypeError, "Unsupported type <class 'numpy.ndarray'>"),
        (lambda: squared(1, 2), ValueError, "Loop size is undecided."),
        (lambda: squared(x, x, size=3), ValueError, "Specified 'size' can be used only"),
        (lambda: squared(x, x.astype("f8")), TypeError, "Type is mismatched. y float64"),
        (lambda: squared(x, x, cp.zeros(1, "f4")), ValueError, "Out shape is mismatched"),
        (lambda: squared(x, x, np.float32(3)), TypeError, "Output arguments type must be cupy.ndarray"),
        (lambda: squared(x, x, nothing=1), TypeError, "Wrong arguments"),
        (lambda: squared(x, x, block_size=0), ValueError, "block_size must be greater than zero"),
        (lambda: squared(x, cp.zeros(2, "f4")), ValueError, "broadcast"),
        (lambda: cp.ElementwiseKernel("T i", "T y", ""), ValueError, "Can not use 'i' as a parameter name"),
        (lambda: cp.ElementwiseKernel("T x", "T y", "", "1"), ValueError, 'Invalid kernel name: "1"'),
        (lambda: cp.ElementwiseKernel("T", "T y", ""), Exception, "Syntax error: T"),
        (lambda: cp.ElementwiseKernel("very T x", "T y", ""), Exception, 'Unknown keyword "very"'),
    ):
        with pytest.raises(error, match=said.replace("(", r"\(").replace(")", r"\)")):
            call()
    assert squared(cp.zeros((0, 3), "f4"), x).shape == (0, 3)


def test_reduction(cp):
    norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    x = cp.arange(10, dtype="f4").reshape(2, 5)
    before = queue.counters()
    assert np.allclose(norm(x, axis=1).get(), [5.477226, 15.9687195])
    assert queue.counters().kernels == before.kernels + 1
    assert norm(x, axis=0, keepdims=True).shape == (1, 5)
    assert np.allclose(norm(x).get(), np.linalg.norm(x.get()))
    out = cp.zeros(5, "f4")
    assert norm(x, axis=0, out=out) is out and np.allclose(out.get(), np.linalg.norm(x.get(), axis=0))
    assert norm(cp.zeros((0,), "f4")) == 0
    x = cp.random.rand(30, 7, 40).astype("f4")
    assert np.allclose(norm(x, axis=(0, 2)).get(), np.sqrt((x.get() ** 2).sum(axis=(0, 2))), rtol=1e-5)
    assert np.allclose(norm(x.transpose(2, 0, 1), axis=1).get(), np.sqrt((x.get() ** 2).sum(axis=0)).T, rtol=1e-5)


def test_reduction_of_two_inputs_and_its_refusals(cp):
    kernel = cp.ReductionKernel(
        "T x, U y, float64 c", "bool z", "x < y && c > 0", "a || b", "z = a", "false", "any_less", reduce_type="bool"
    )
    assert kernel(cp.arange(4), cp.asarray([0.0, 0.0, 2.5, 0.0]), 1)
    assert not kernel(cp.arange(4), cp.zeros(4), 1.0)
    first = cp.ReductionKernel("T x", "T y", "x", "min(a, b)", "y = a", None, "least")
    with pytest.raises(ValueError, match="zero-size array to reduction operation least which has no identity"):
        first(cp.zeros(0))
    with pytest.raises(ValueError, match="duplicate value in 'axis'"):
        first(cp.zeros((2, 2)), axis=(0, 0))
    with pytest.raises(TypeError, match="Wrong number of arguments for least"):
        first()


@pytest.mark.parametrize(
    ("operation", "said"),
    [
        ("y = INFINITY", "INFINITY"),
        ("y = INT_MAX", "INT_MAX"),
        ("int32_t a = 1; y = a", "int32_t"),
        ("y = std::max(x, x)", "std"),
        ("y = cupy::max(x, x)", "cupy"),
        ("complex<float> z = x; y = real(z * 2.0)", r"no operator .\*."),
        ("complex<float> z = x; z = pow(z, 2)", "pow"),
        ("y = _ind[0]", "operator"),
        ("int i = 3; y = i", "may not be redeclared"),
    ],
)
def test_what_cupys_headers_do_not_declare_is_refused(cp, operation, said):
    """As NVRTC says with CuPy's headers, which `compiler_sweep/test_cupy_header_sweep.py` asks."""
    from cupy.cuda.compiler import CompileException

    kernel = cp.ElementwiseKernel("float32 x", "float32 y", operation, "k")
    with pytest.raises(CompileException, match=said):
        kernel(cp.zeros(2, dtype=cp.float32))


def test_what_cupys_headers_declare(cp):
    x = cp.arange(6, dtype=cp.float32).reshape(2, 3)
    kernel = cp.ElementwiseKernel(
        "raw float32 m, float32 x",
        "float32 y",
        "int at[] = {1, 2}; y = x + M_PI * 0 + m[at] + m[{0, 1}] + m[_ind.get()] + _ind.get()[1] + _ind.size()",
        "k",
    )
    assert kernel(x, x).tolist() == (2 * x.get() + 5 + 1 + [0, 1, 2] + 6).tolist()
    complexes = cp.ElementwiseKernel(
        "complex64 z", "complex64 v", "v = pow(z, 2.0f) + complex<float>(0, 1); v.real(7)", "k"
    )
    assert complexes(cp.asarray([1 + 1j], "c8")).tolist() == [7 + 3j]
    sizes = cp.ElementwiseKernel("float32 x", "int32 y", "y = sizeof(complex<float>(x, x))", "k")
    assert sizes(cp.zeros(1, dtype=cp.float32)).tolist() == [8]
    mean = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a / (_in_ind.size() / _out_ind.size())", "0", "mean")
    assert mean(x, axis=1).tolist() == [1, 4]
