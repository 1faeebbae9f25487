"""Where cupyx is known to differ from SciPy: what each gives, or the error it raises."""

import importlib

import numpy as np
import pytest
import scipy

# title, preparation, expression, what CuPy gives, what SciPy gives (``...`` for any version's own words)
CASES = [
    (
        "DCT types I and IV",
        "x=xp.arange(4.)",
        "scp.fft.dct(x, type=1)",
        "NotImplementedError: Only DCT-II and DCT-III have been implemented.",
        "[ 9.00000000e+00 -4.00000000e+00 -2.22044605e-16 -1.00000000e+00]",
    ),
    (
        "no `workers`",
        "x=xp.arange(4.)",
        "scp.fft.fft(x, workers=2).shape",
        "TypeError: fft() got an unexpected keyword argument 'workers'",
        "(4,)",
    ),
    ("fast lengths: cuFFT's primes are 2, 3, 5, 7", "", "scp.fft.next_fast_len(11)", "12", "11"),
    (
        "EDT in one dimension",
        "x=xp.array([0,1,1])",
        "scp.ndimage.distance_transform_edt(x)",
        "NotImplementedError: Only 2D and 3D distance transforms are supported.",
        "[0. 1. 2.]",
    ),
    (
        "EDT's indices are 16-bit in two dimensions",
        "x=xp.eye(4)",
        "scp.ndimage.distance_transform_edt(x, return_distances=False, return_indices=True).dtype",
        "int16",
        "int32",
    ),
    (
        "iterated erosion needs brute_force",
        "x=xp.ones((5,5))",
        "int(scp.ndimage.binary_erosion(x, iterations=2).sum())",
        "NotImplementedError: only brute_force iteration has been implemented",
        "1",
    ),
    (
        "generic_filter takes kernels, not Python functions",
        "import numpy; x=xp.eye(4)",
        "scp.ndimage.generic_filter(x, numpy.mean, 3).shape",
        "TypeError: bad function type",
        "(4, 4)",
    ),
    (
        "half precision is filtered",
        "x=xp.ones((4,4),'e')",
        "scp.ndimage.gaussian_filter(x, 1).dtype",
        "float16",
        "RuntimeError",
    ),
    (
        "measurements take arrays alone",
        "x=[1,2,3]",
        "scp.ndimage.sum_labels(x)",
        "TypeError: input must be cupy.ndarray",
        "6",
    ),
    (
        "an index is an array or an int",
        "x=xp.ones(4); l=xp.array([1,1,2,2])",
        "scp.ndimage.mean(x, l, [1,2])",
        "TypeError: index must be cupy.ndarray or a scalar int",
        "[1. 1.]",
    ),
    (
        "centres of several labels are arrays in a list",
        "x=xp.ones(4); l=xp.array([1,1,2,2])",
        "type(scp.ndimage.center_of_mass(x, l, xp.array([1,2]))[0]).__name__",
        "ndarray",
        "tuple",
    ),
    (
        "OpenCV's borders",
        "x=xp.eye(4)",
        "scp.ndimage.zoom(x, 2, mode='opencv', order=1).shape",
        "(8, 8)",
        "RuntimeError",
    ),
    (
        "no value beyond the border that an integer cannot hold",
        "x=xp.ones((3,3),'i4')",
        "scp.ndimage.uniform_filter(x, 3, mode='constant', cval=float('nan')).dtype",
        "NotImplementedError: Non-finite cval is not supported for outputs with integer dtype.",
        "int32",
    ),
    (
        "spline order",
        "x=xp.eye(4)",
        "scp.ndimage.zoom(x, 2, order=6)",
        "ValueError: spline order is not supported",
        "RuntimeError",
    ),
    (
        "label's structure may be one-sided",
        "x=xp.eye(3,dtype='i4'); s=xp.zeros((3,3),bool); s[1,1]=s[0,0]=True",
        "scp.ndimage.label(x, s)[1]",
        "1",
        "AssertionError",
    ),
    (
        "sparse matrices of integers",
        "x=xp.eye(2,dtype='i4')",
        "scp.sparse.csr_matrix(x).dtype",
        "ValueError: Only bool, float32, float64, complex64 and complex128 are supported",
        "int32",
    ),
    (
        "sparse matrices of lists",
        "x=[[1.,0.]]",
        "scp.sparse.csr_matrix(x).nnz",
        "ValueError: Unsupported initializer format",
        "1",
    ),
    (
        "one element is an array without axes",
        "a=scp.sparse.eye(2,format='csr')",
        "type(a[0,0]).__name__",
        "ndarray",
        "float64",
    ),
    (
        "sums are arrays, not numpy.matrix",
        "a=scp.sparse.eye(2,format='csr')",
        "type(a.sum(axis=0)).__name__",
        "ndarray",
        "matrix",
    ),
    ("todense is toarray", "a=scp.sparse.eye(2,format='csr')", "type(a.todense()).__name__", "ndarray", "matrix"),
    ("no lists of lists", "a=scp.sparse.eye(2,format='csr')", "a.tolil().format", "NotImplementedError: ", "lil"),
    (
        "coordinates have no max",
        "a=scp.sparse.eye(2,format='coo')",
        "float(a.max())",
        "AttributeError: 'coo_matrix' object has no attribute 'max'",
        "1.0",
    ),
    ("random's count is cut, not rounded", "", "scp.sparse.random(5,5,0.15).nnz", "3", "4"),
    (
        "random integers",
        "",
        "scp.sparse.random(5,5,0.5,dtype='i4').dtype",
        "NotImplementedError: type int32 not supported",
        "int32",
    ),
    (
        "lsqr solves, and says nothing else",
        "a=scp.sparse.eye(3,format='csr')",
        "[v is None for v in scp.sparse.linalg.lsqr(a, xp.ones(3))][1:4]",
        "[True, True, True]",
        "[False, False, False]",
    ),
    (
        "triangular solves come back in double",
        "a=scp.sparse.eye(3,format='csr',dtype='f')",
        "scp.sparse.linalg.spsolve_triangular(a, xp.ones(3,'f')).dtype",
        "float64",
        "float32",
    ),
    (
        "smallest magnitudes",
        "a=scp.sparse.eye(9,format='csr')*1.0",
        "scp.sparse.linalg.eigsh(a, 2, which='SM')[0].shape",
        "ValueError: which must be 'LM','LA'or'SA' (actual: SM)",
        "(2,)",
    ),
    (
        "finite numbers are not checked by default",
        "a=xp.eye(2)",
        "float(scp.linalg.solve_triangular(a, xp.array([1., float('nan')]))[0])",
        "nan",
        "ValueError",
    ),
    ("kron is still in linalg", "a=xp.eye(2)", "scp.linalg.kron(a, a).shape", "(4, 4)", "AttributeError"),
    ("wavelets are still in signal, deprecated", "", "scp.signal.ricker(5, 1.0).shape", "(5,)", "AttributeError"),
    (
        "zeta has two arguments",
        "x=xp.array([2.])",
        "scp.special.zeta(x)",
        "TypeError: Wrong number of arguments for 'cupyx_scipy_special_zeta'. It must be either 2 or 3 (with outputs), but given 1.",
        "[1.64493407]",
    ),
    (
        "sph_harm is still there, deprecated",
        "x=xp.array([1.])",
        "scp.special.sph_harm(0, 1, x, x).dtype",
        "complex128",
        "AttributeError",
    ),
    (
        "trim_mean has no nan_policy",
        "x=xp.arange(5.)",
        "float(scp.stats.trim_mean(x, 0.1, nan_policy='omit'))",
        "TypeError: trim_mean() got an unexpected keyword argument 'nan_policy'",
        "2.0",
    ),
    (
        "neighbour counts",
        "t=scp.spatial.KDTree(xp.eye(3))",
        "int(t.count_neighbors(t, 1.0))",
        "NotImplementedError: count_neighbors is not available on CuPy",
        "3",
    ),
    ("pairs are an array", "t=scp.spatial.KDTree(xp.eye(3))", "type(t.query_pairs(9.0)).__name__", "ndarray", "set"),
    (
        "Delaunay in the plane alone",
        "import numpy as n; p=xp.asarray(n.random.default_rng(0).random((9,3)))",
        "scp.spatial.Delaunay(p).simplices.shape[1]",
        "ValueError: Delaunay only supports 2D inputs at the moment.",
        "4",
    ),
    (
        "cdist of integers is in single precision",
        "x=xp.arange(6).reshape(2,3)",
        "scp.spatial.distance.cdist(x, x).dtype",
        "float32",
        "float64",
    ),
    (
        "a filter's state is its past inputs and outputs",
        "b=xp.array([1.,.5]); a=xp.array([1.,-.5,.1])",
        "scp.signal.lfilter_zi(b, a).shape",
        "(3,)",
        "(2,)",
    ),
    (
        "sections have four numbers of state",
        "s=xp.array([[1.,0,0,1,0,0]])",
        "scp.signal.sosfilt_zi(s).shape",
        "(1, 4)",
        "(1, 2)",
    ),
]
MODULES = "fft ndimage sparse sparse.linalg linalg signal special stats spatial spatial.distance interpolate".split()


def evaluate(xp, package, preparation, expression):
    for name in MODULES:
        importlib.import_module(f"{package.__name__}.{name}")
    names = {"xp": xp, "scp": package}
    try:
        exec(preparation, names)
        return str(eval(expression, names)).replace("\n", " ")
    except Exception as error:
        return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_cupy_and_scipy_differ_as_known(cp, case):
    import cupyx.scipy

    _, preparation, expression, cupy_gives, scipy_gives = case
    assert evaluate(cp, cupyx.scipy, preparation, expression) == cupy_gives
    host = evaluate(np, scipy, preparation, expression)
    assert host.partition(":")[0] == scipy_gives if scipy_gives.endswith("Error") else host == scipy_gives
