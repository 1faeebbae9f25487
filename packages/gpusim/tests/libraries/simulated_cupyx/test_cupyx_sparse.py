"""Sparse matrices: SciPy's values, CuPy's classes, types and refusals; the parts lie in device memory."""

import gc

import numpy as np
import pytest
import scipy.sparse as ss
import scipy.sparse.linalg as ssl

HOST = ss.random(12, 9, 0.3, format="csr", random_state=3)
OTHER = ss.random(12, 9, 0.2, format="csr", random_state=4)
SQUARE = (ss.random(15, 15, 0.2, random_state=5) + 8 * ss.eye(15)).tocsr()
FORMATS = ["csr", "csc", "coo"]


@pytest.fixture
def sp(cp):
    import cupyx.scipy.sparse

    return cupyx.scipy.sparse


def same(made, wanted):
    made = made.get()
    if hasattr(made, "toarray"):
        made = made.toarray()
    wanted = wanted.toarray() if hasattr(wanted, "toarray") else np.asarray(wanted)
    assert made.dtype == wanted.dtype
    np.testing.assert_allclose(made, wanted, rtol=1e-9 if made.dtype.itemsize >= 8 else 1e-5)


@pytest.mark.parametrize("form", FORMATS)
def test_parts_are_device_arrays_and_get_gives_scipys(cp, sp, form):
    there = getattr(sp, f"{form}_matrix")(HOST)
    for name in {"coo": ("data", "row", "col")}.get(form, ("data", "indices", "indptr")):
        assert isinstance(getattr(there, name), cp.ndarray)
    assert there.row.dtype == np.int32 if form == "coo" else there.indices.dtype == np.int32
    assert type(there.get()) is getattr(ss, f"{form}_matrix")
    same(there, HOST)
    assert there.nnz == HOST.nnz and there.shape == HOST.shape
    assert repr(there).startswith("<") and "sparse matrix of dtype 'float64'" in repr(there)


def test_device_memory_is_taken_for_the_parts(cp, sp):
    pool = cp.get_default_memory_pool()
    gc.collect()  # arrays in cycles of earlier tests
    before = pool.used_bytes()
    there = sp.csr_matrix(ss.random(200, 200, 0.5, format="csr"))
    assert pool.used_bytes() - before >= 20000 * 12
    del there
    assert pool.used_bytes() == before


def test_integers_and_halves_are_refused(cp, sp):
    for dtype in ("i4", "i8", "e", "u1"):
        with pytest.raises(ValueError, match="Only bool, float32, float64, complex64 and complex128 are supported"):
            sp.csr_matrix(cp.eye(3, dtype=dtype))
        with pytest.raises(ValueError, match="Only bool"):
            sp.coo_matrix(HOST, dtype=dtype)
    assert sp.csr_matrix(cp.eye(3, dtype="i4").astype("f")).dtype == np.float32


def test_host_arrays_do_not_mix(cp, sp):
    with pytest.raises(ValueError, match="Unsupported initializer format"):
        sp.csr_matrix(np.eye(3))
    with pytest.raises(TypeError, match="invalid input format"):
        sp.coo_matrix(np.eye(3))
    with pytest.raises(ValueError, match="must be 1-D cupy arrays"):
        sp.csr_matrix((np.ones(1), np.zeros(1, int), np.array([0, 1])), shape=(1, 1))
    there = sp.csr_matrix(HOST)
    for operation in (
        lambda: there @ np.ones(9),
        lambda: there.multiply(np.ones((12, 9))),
        lambda: there + np.ones((12, 9)),
    ):
        with pytest.raises((TypeError, ValueError, NotImplementedError)):
            operation()
    with pytest.raises(TypeError):
        np.asarray(there.data)


@pytest.mark.parametrize("form", FORMATS)
def test_arithmetic(cp, sp, form):
    a, b = sp.csr_matrix(HOST).asformat(form), sp.csr_matrix(OTHER)
    x, dense = np.arange(9.0), np.arange(18.0).reshape(9, 2)
    same(a @ cp.asarray(x), HOST @ x)
    same(a * cp.asarray(x), HOST * x)
    same(a @ cp.asarray(dense), HOST @ dense)
    same(cp.asarray(np.ones(12)) @ a, np.ones(12) @ HOST)
    same(a @ b.T, HOST @ OTHER.T)
    same(a + b, HOST + OTHER)
    same(a - b, HOST - OTHER)
    same(a * 2.5, HOST * 2.5)
    same(a / 2, HOST / 2)
    same(-a, -HOST)
    same(abs(a), abs(HOST))
    same(a.multiply(b), HOST.multiply(OTHER))
    same(a.multiply(cp.ones((12, 9)) * 3), HOST.multiply(np.ones((12, 9)) * 3))
    same(a.maximum(b), HOST.maximum(OTHER))
    same(a.power(2), HOST.power(2))
    same(a != b, HOST != OTHER)
    same(a > 0.5, HOST > 0.5)
    same(a + cp.ones((12, 9)), HOST + np.ones((12, 9)))
    assert isinstance(a + cp.ones((12, 9)), cp.ndarray)
    with pytest.raises(NotImplementedError, match="adding a nonzero scalar"):
        _ = a + 1
    with pytest.raises(NotImplementedError, match="zero power"):
        a.power(0)
    with pytest.raises(ValueError, match="Scalar operands are not allowed"):
        _ = a @ 2


def test_reductions_keep_two_axes_for_a_matrix_and_one_for_an_array(cp, sp):
    a, b = sp.csr_matrix(HOST), sp.csr_array(HOST)
    assert a.sum(axis=0).shape == (1, 9) and a.sum(axis=1).shape == (12, 1)
    assert b.sum(axis=0).shape == (9,)
    same(a.sum(axis=0), HOST.sum(axis=0))
    same(a.sum(), HOST.sum())
    same(a.mean(axis=1), HOST.mean(axis=1))
    assert isinstance(a.sum(), cp.ndarray) and a.sum().ndim == 0
    same(a.max(), HOST.max())
    same(a.max(axis=0), HOST.max(axis=0))
    assert isinstance(a.max(axis=0), sp.coo_matrix)
    same(a.argmax(axis=1), HOST.argmax(axis=1))
    with pytest.raises(TypeError, match="axis must be an integer"):
        a.sum(axis=1.0)
    with pytest.raises(ValueError, match="axis out of range"):
        a.sum(axis=2)
    assert not hasattr(a.tocoo(), "max")


def test_star_is_elementwise_for_arrays(cp, sp):
    a, b = sp.csr_array(HOST), sp.csr_array(OTHER)
    same(a * b, HOST.multiply(OTHER))
    same(a**2, HOST.power(2))
    assert isinstance(a, sp.sparray) and not sp.isspmatrix(a) and sp.issparse(a)
    assert not sp.issparse(HOST)


def test_indexing(cp, sp):
    a = sp.csr_matrix(HOST)
    assert isinstance(a[1, 2], cp.ndarray) and a[1, 2].ndim == 0
    for key in [(0, 1), slice(2, 5), (slice(None), 3), (slice(1, 9, 2), slice(None, None, -1)), 3]:
        same(a[key], np.asarray(HOST[key]) if np.isscalar(HOST[key]) else HOST[key])
    rows = np.array([3, 0, 3])
    same(a[cp.asarray(rows)], HOST[rows])
    same(a[cp.asarray(rows), cp.asarray(rows)], HOST[rows, rows])
    same(a.getrow(2), HOST.getrow(2))
    same(a.tocsc()[:, 1:4], HOST[:, 1:4])
    assert a.tocsc()[:, 1:4].format == "csc"
    with pytest.raises(IndexError):
        a[99, 0]
    with pytest.raises(TypeError, match="not subscriptable"):
        a.tocoo()[0, 0]


def test_changes_in_place(cp, sp):
    a, b = sp.csr_matrix(HOST), HOST.copy()
    with pytest.warns(ss.SparseEfficiencyWarning):
        a[0, :3] = 7.0
    b[0, :3] = 7.0
    same(a, b)
    a.setdiag(cp.arange(5.0))
    b.setdiag(np.arange(5.0))
    same(a, b)
    a.data[...] = 1  # the parts are the matrix
    assert float(a.sum()) == a.nnz
    c = sp.coo_matrix((cp.ones(3), (cp.array([0, 0, 1]), cp.array([1, 1, 0]))), shape=(2, 2))
    assert c.nnz == 3
    c.sum_duplicates()
    assert c.nnz == 2 and c.data.get().tolist() == [2.0, 1.0]


def test_the_transpose_shares_memory(cp, sp):
    a = sp.csr_matrix(HOST)
    assert a.T.format == "csc" and a.T.data is a.data
    same(a.T, HOST.T)
    same(a.tocsc().tocsr(), HOST)
    with pytest.raises(NotImplementedError):
        a.tolil()
    with pytest.raises(NotImplementedError):
        a.todia()


def test_making(cp, sp):
    same(sp.eye(4, k=1), ss.eye(4, k=1))
    assert sp.eye(4).format == "dia" and sp.eye(4, format="csr").format == "csr"
    same(sp.diags([1.0, -2.0], [0, 1], shape=(5, 5)), ss.diags([1.0, -2.0], [0, 1], shape=(5, 5)))
    same(sp.kron(sp.csr_matrix(HOST), sp.eye(2)), ss.kron(HOST, ss.eye(2)))
    a, b = sp.csr_matrix(HOST), sp.csr_matrix(OTHER)
    same(sp.vstack([a, b]), ss.vstack([HOST, OTHER]))
    same(sp.hstack([a, b]), ss.hstack([HOST, OTHER]))
    same(sp.bmat([[a, None], [None, b]]), ss.bmat([[HOST, None], [None, OTHER]]))
    same(sp.tril(a), ss.tril(HOST))
    row, col, value = sp.find(a)
    assert isinstance(value, cp.ndarray) and len(value) == HOST.nnz == len(row) == len(col)
    r = sp.random(30, 20, 0.1, random_state=1, dtype="f")
    assert r.nnz == 60 and r.dtype == np.float32 and r.format == "coo"
    with pytest.raises(NotImplementedError, match="type int32 not supported"):
        sp.random(3, 3, 0.5, dtype="i4")
    with pytest.raises(TypeError, match=r"A must be cupy\.ndarray or cupyx\.scipy\.sparse"):
        sp.tril(HOST)


@pytest.mark.parametrize("name", ["cg", "cgs", "gmres", "bicgstab"])
def test_iterative_solvers(cp, sp, name):
    from cupyx.scipy.sparse import linalg

    symmetric = (SQUARE + SQUARE.T).tocsr()
    a, b = sp.csr_matrix(symmetric), cp.arange(15.0)
    steps = []
    x, info = getattr(linalg, name)(a, b, rtol=1e-10, callback=steps.append)
    assert info == 0 and isinstance(x, cp.ndarray)
    np.testing.assert_allclose((symmetric @ x.get()), b.get(), atol=1e-6)
    assert steps and all(isinstance(s, cp.ndarray) for s in steps)
    operator = linalg.LinearOperator(a.shape, matvec=lambda v: a @ v, rmatvec=lambda v: a @ v)
    y, info = getattr(linalg, name)(operator, b, rtol=1e-10)
    np.testing.assert_allclose(y.get(), x.get(), atol=1e-6)
    with pytest.raises(ValueError, match="b has incompatible dimensions"):
        getattr(linalg, name)(a, cp.ones(4))


def test_direct_solvers(cp, sp):
    from cupyx.scipy.sparse import linalg

    a, b = sp.csr_matrix(SQUARE), cp.arange(15.0)
    wanted = ssl.spsolve(SQUARE.tocsc(), b.get())
    np.testing.assert_allclose(linalg.spsolve(a, b).get(), wanted)
    np.testing.assert_allclose(linalg.splu(a).solve(b).get(), wanted)
    np.testing.assert_allclose(linalg.factorized(a)(b).get(), wanted)
    result = linalg.lsqr(a, b)
    np.testing.assert_allclose(result[0].get(), wanted)
    assert result[1:] == (None,) * 9
    np.testing.assert_allclose(linalg.lsmr(a, b, atol=1e-12, btol=1e-12)[0].get(), wanted, rtol=1e-6)
    lower = ss.tril(SQUARE).tocsr()
    x = linalg.spsolve_triangular(sp.csr_matrix(lower.astype("f")), b.astype("f"))
    assert x.dtype == np.float64  # single precision comes back in double
    np.testing.assert_allclose(lower @ x.get(), b.get(), rtol=1e-3, atol=1e-3)
    with pytest.raises(TypeError, match=r"A must be cupyx\.scipy\.sparse\.spmatrix"):
        linalg.spsolve(SQUARE, b)
    with pytest.raises(TypeError, match=r"b must be cupy\.ndarray"):
        linalg.spsolve(a, b.get())
    ilu = linalg.spilu(a, fill_factor=1)
    product = (ilu.L @ ilu.U).toarray().get()
    mask = SQUARE.toarray() != 0
    np.testing.assert_allclose(product[mask], SQUARE.toarray()[mask], atol=1e-9)


def test_eigenvalues_singular_values_norms(cp, sp):
    from cupyx.scipy.sparse import csgraph, linalg

    symmetric = (SQUARE + SQUARE.T).tocsr()
    w, v = linalg.eigsh(sp.csr_matrix(symmetric), 3)
    every = np.linalg.eigvalsh(symmetric.toarray())
    np.testing.assert_allclose(w.get(), np.sort(every[np.argsort(abs(every))[-3:]]))
    np.testing.assert_allclose(symmetric @ v.get(), v.get() * w.get(), atol=1e-6)
    u, s, vt = linalg.svds(sp.csr_matrix(HOST), 2)
    np.testing.assert_allclose(s.get(), np.linalg.svd(HOST.toarray())[1][:2][::-1])
    with pytest.raises(ValueError, match="which must be 'LM','LA'or'SA'"):
        linalg.eigsh(sp.csr_matrix(symmetric), 3, which="SM")
    for ord in (None, "fro", 1, np.inf):
        np.testing.assert_allclose(float(linalg.norm(sp.csr_matrix(HOST), ord)), ssl.norm(HOST, ord))
    with pytest.raises(TypeError):
        linalg.norm(HOST)
    count, labels = csgraph.connected_components(sp.csr_matrix(cp.eye(4)))
    assert count == 4 and labels.dtype == np.int32 and labels.get().tolist() == [0, 1, 2, 3]
    same(linalg.matrix_power(sp.csr_matrix(SQUARE), 3), SQUARE @ SQUARE @ SQUARE)


def test_get_array_module_knows_sparse_matrices(cp, sp):
    import cupyx.scipy
    import scipy

    assert cupyx.scipy.get_array_module(sp.eye(2)) is cupyx.scipy
    assert cupyx.scipy.get_array_module(cp.ones(2)) is cupyx.scipy
    assert cupyx.scipy.get_array_module(HOST) is scipy


def test_cusparse_sorts_indices_in_place(cp, sp):
    from cupyx import cusparse

    indices = cp.array([2, 0, 1, 0], "i4")
    x = sp.csr_matrix((cp.array([3.0, 1.0, 5.0, 4.0]), indices, cp.array([0, 2, 4], "i4")), shape=(2, 3))
    before = x.toarray().get()
    cusparse.csrsort(x)
    assert x.indices.get().tolist() == [0, 2, 0, 1] and x.data.get().tolist() == [1.0, 3.0, 4.0, 5.0]
    assert (x.toarray().get() == before).all()
