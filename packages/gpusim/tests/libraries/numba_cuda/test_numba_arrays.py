"""Device arrays: views, transfers and their account, what is refused, and the way to CuPy and back."""

import copy
import gc
import itertools
import linecache
import os
import pickle
import weakref

import numpy as np
import pytest

from gpusim.device import queue


def test_to_device_and_back_is_counted_and_the_copy_back_waits(cuda, counted):
    x = np.arange(12, dtype=np.float32)
    counted()
    d = cuda.to_device(x)
    up = counted()
    assert (up.h2d_bytes, up.h2d_count, up.syncs, up.kernels) == (48, 1, 0, 0)
    x[:] = -1
    back = d.copy_to_host()
    down = counted()
    assert (down.d2h_bytes, down.d2h_count, down.syncs) == (48, 1, 1)
    assert back.tolist() == list(range(12)) and type(back) is np.ndarray
    assert cuda.to_device(d) is d and counted().h2d_count == 0


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["i1", "u8", "f2", "f4", "c8", "c16", "?", "M8[s]", "S3", [("a", "i4"), ("b", "f8")]])
def test_any_dtype_and_order_makes_the_round_trip(cuda, dtype, order):
    x = np.zeros((2, 3, 4), dtype, order=order)
    x.reshape(-1, order="A").view(np.uint8)[:] = np.arange(x.nbytes) % 2
    d = cuda.to_device(x)
    assert (d.shape, d.dtype, d.strides, d.ndim, d.size, d.nbytes) == (x.shape, x.dtype, x.strides, 3, 24, x.nbytes)
    assert d.is_c_contiguous() == x.flags.c_contiguous and d.is_f_contiguous() == x.flags.f_contiguous
    back = d.copy_to_host()
    assert back.strides == x.strides and (back == x).all()
    assert cuda.device_array_like(x).strides == x.strides


def test_empty_and_zero_dimensional_arrays(cuda):
    for shape in ((0,), (3, 0), ()):
        d = cuda.to_device(np.ones(shape))
        assert d.copy_to_host().shape == shape and d.size == np.ones(shape).size
    assert cuda.to_device(np.float32(2)).copy_to_host() == 2
    assert cuda.device_array(0).__cuda_array_interface__["data"][0] == 0
    with pytest.raises(TypeError, match="unsized"):
        len(cuda.to_device(np.float32(2)))


INDICES = [
    0,
    -1,
    2,
    slice(None),
    slice(1, None),
    slice(None, None, 2),
    slice(3, 0),
    slice(-2, None),
    slice(None, None, -1),
]


@pytest.mark.parametrize("index", [*INDICES, *itertools.product(INDICES, repeat=2)], ids=str)
@pytest.mark.parametrize("order", ["C", "F"])
def test_indexing_is_numpys(cuda, index, order):
    x = np.array(np.arange(20.0).reshape(4, 5), order=order)
    d = cuda.to_device(x)[index]
    wanted = x[index]
    if np.ndim(wanted) == 0:
        assert d == wanted and isinstance(d, np.float64)
    elif any(s < 0 for s in wanted.strides) and wanted.size:
        assert d.shape == wanted.shape and d.strides == wanted.strides
        with pytest.raises(NotImplementedError, match="negative strides"):
            d.copy_to_host()
        assert (d._a == wanted).all()
    else:
        assert d.shape == wanted.shape and (d.copy_to_host() == wanted).all()


def test_wrong_indices(cuda):
    d = cuda.to_device(np.arange(6).reshape(2, 3))
    for index in (2, -3, (0, 3), (0, -4)):
        with pytest.raises(IndexError, match="out of bounds"):
            d[index]
    with pytest.raises(IndexError, match="1 extra indices given"):
        d[0, 0, 0]
    for index in (None, ..., [0, 1], np.array([0]), 1.5):
        with pytest.raises(TypeError, match="indexed by integers and slices only"):
            d[index]


def test_an_element_read_on_the_host_is_a_transfer_and_iteration_is_one_for_each(cuda, counted):
    d = cuda.to_device(np.arange(3))
    counted()
    assert [int(v) for v in d] == [0, 1, 2] and len(d) == 3
    assert counted().d2h_count == 3


def test_a_view_shares_memory_and_a_slice_of_a_view_too(cuda):
    d = cuda.to_device(np.zeros((4, 4)))
    d[1:3][:, 2] = 7.0
    wanted = np.zeros((4, 4))
    wanted[1:3, 2] = 7
    assert (d.copy_to_host() == wanted).all()


def test_setitem_casts_broadcasts_counts_and_refuses(cuda, counted):
    d = cuda.to_device(np.zeros((2, 3), np.int32))
    counted()
    d[:] = 2.9
    did = counted()
    assert (did.h2d_count, did.kernels, did.syncs) == (1, 1, 1)
    assert (d.copy_to_host() == 2).all()
    d[1] = cuda.to_device(np.arange(3, dtype=np.int32))
    d[0, 1] = 9
    assert d.copy_to_host().tolist() == [[2, 9, 2], [0, 1, 2]]
    with pytest.raises(ValueError, match="Can't copy sequence with size 2 to array axis 1 with dimension 3"):
        d[:] = np.zeros(2)
    with pytest.raises(ValueError, match="Can't assign 3-D array to 2-D self"):
        d[:] = np.zeros((1, 2, 3))
    with pytest.raises(TypeError, match="imaginary"):
        d[0] = 1j
    stream = cuda.stream()
    counted()
    d.setitem(0, 4, stream=stream)
    assert counted().syncs == 0 and d.copy_to_host()[0].tolist() == [4, 4, 4]


def test_reshape_ravel_and_squeeze(cuda):
    x = np.arange(24.0)
    d = cuda.to_device(x)
    assert (d.reshape(4, -1).copy_to_host() == x.reshape(4, 6)).all()
    assert (d.reshape((2, 3, 4), order="F").copy_to_host() == x.reshape((2, 3, 4), order="F")).all()
    assert d.reshape(4, 6).ravel().shape == (24,) and d.reshape(1, 24, 1).squeeze().shape == (24,)
    assert d.reshape(1, 24, 1).squeeze(axis=0).shape == (24, 1)
    assert (d.reshape(4, 6)[:, ::2].reshape(2, 2, 3).copy_to_host() == x.reshape(4, 6)[:, ::2].reshape(2, 2, 3)).all()
    with pytest.raises(ValueError, match="reshape changes the size of the array"):
        d.reshape(5, 5)
    with pytest.raises(ValueError, match="can only specify one unknown dimension"):
        d.reshape(-1, -1)
    with pytest.raises(ValueError, match="cannot infer valid shape"):
        d.reshape(-1, 7)
    with pytest.raises(NotImplementedError, match="copy"):
        d.reshape(4, 6)[:, 1:].reshape(20)
    with pytest.raises(NotImplementedError, match="ravel on non-contiguous array"):
        d.reshape(4, 6)[:, 1:].ravel()
    with pytest.raises(ValueError, match="not equal to one"):
        d.reshape(1, 24).squeeze(axis=1)
    with pytest.raises(ValueError, match="order not"):
        d.reshape(4, 6, order="K")
    with pytest.raises(TypeError, match="unknown keyword"):
        d.reshape(4, 6, shape=1)


def test_the_transpose_is_a_new_array_and_a_kernel(cuda, counted):
    x = np.arange(6.0).reshape(2, 3)
    d = cuda.to_device(x)
    counted()
    t = d.T
    assert counted().kernels == 1 and t.is_c_contiguous() and (t.copy_to_host() == x.T).all()
    d[0, 0] = 99
    assert t[0, 0] == 0
    with pytest.raises(NotImplementedError, match="transposing a non-2D"):
        _ = d.ravel().T
    with pytest.raises(ValueError, match="invalid axes list"):
        d.transpose((0, 0))
    assert d.transpose((0, 1)) is d


def test_view_and_split(cuda):
    d = cuda.to_device(np.arange(4, dtype=np.int32))
    assert (d.view(np.int16).copy_to_host() == np.arange(4, dtype=np.int32).view(np.int16)).all()
    assert d.view("f4").dtype == np.float32 and d.view(np.int64).shape == (2,)
    with pytest.raises(ValueError, match="its size must be a divisor"):
        d[:3].view(np.int64)
    with pytest.raises(ValueError, match="must be C-contiguous"):
        d[::2].view(np.int16)
    assert [p.copy_to_host().tolist() for p in cuda.to_device(np.arange(7)).split(3)] == [[0, 1, 2], [3, 4, 5], [6]]
    with pytest.raises(ValueError, match="only support 1d array"):
        list(d.reshape(2, 2).split(2))


def test_copy_to_host_into_an_array_checks_it(cuda):
    d = cuda.to_device(np.arange(6.0).reshape(2, 3))
    out = np.zeros((2, 3))
    assert d.copy_to_host(out) is out and out[1, 2] == 5
    with pytest.raises(TypeError, match="incompatible dtype: float64 vs. float32"):
        d.copy_to_host(np.zeros((2, 3), np.float32))
    with pytest.raises(ValueError, match=r"incompatible shape: \(2, 3\) vs. \(3, 2\)"):
        d.copy_to_host(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="incompatible strides"):
        d.copy_to_host(np.zeros((2, 3), order="F"))


def test_copy_to_device_checks_and_stays_on_the_device_where_it_can(cuda, counted):
    d = cuda.device_array((2, 3))
    d.copy_to_device(np.ones((2, 3)))
    counted()
    d.copy_to_device(cuda.to_device(np.full((2, 3), 4.0)))
    did = counted()
    assert did.d2h_count == 0 and (d.copy_to_host() == 4).all()
    cuda.to_device(np.full((2, 3), 5.0), to=d)
    assert (d.copy_to_host() == 5).all()
    d.copy_to_device(np.asfortranarray(np.arange(6.0).reshape(2, 3)))
    assert (d.copy_to_host() == np.arange(6.0).reshape(2, 3)).all()
    with pytest.raises(TypeError, match="incompatible dtype"):
        d.copy_to_device(np.ones((2, 3), int))
    with pytest.raises(ValueError, match="incompatible shape"):
        d.copy_to_device(np.ones((3, 3)))
    with pytest.raises(TypeError, match="takes an array, not list"):
        d.copy_to_device([1, 2])
    with pytest.raises(ValueError, match="non-contiguous buffer"):
        cuda.to_device(np.zeros((4, 4))[:, ::2])
    with pytest.raises(ValueError, match="non-contiguous buffer"):
        cuda.to_device(np.zeros((4, 4)))[:, ::2].copy_to_device(np.zeros((4, 2)))


def test_broadcast_host_arrays_take_the_memory_of_their_core(cuda):
    x = np.broadcast_to(np.arange(3.0), (1000, 3))
    d = cuda.to_device(x)
    assert d.strides == (0, 8) and d.alloc_size == 24 and not d.is_c_contiguous()
    assert (d.copy_to_host() == x).all()
    assert (cuda.to_device(np.broadcast_to(2.0, (5,))).copy_to_host() == 2).all()


def test_numpy_sees_a_copy_and_nothing_else_is_arithmetic(cuda, counted):
    d = cuda.to_device(np.arange(3))
    counted()
    assert np.asarray(d).tolist() == [0, 1, 2] and counted().d2h_count == 1
    assert np.asarray(d, dtype=np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="copy=False"):
        np.asarray(d, copy=False)
    with pytest.raises(TypeError, match="unsupported operand"):
        d + d


def test_pickling_is_refused_as_on_a_gpu_and_copying_shares(cuda):
    d = cuda.to_device(np.arange(3))
    with pytest.raises(TypeError, match=r"cannot pickle.*copy_to_host\(\)"):
        pickle.dumps(d)
    shallow = copy.copy(d)
    shallow[0] = 5
    assert d[0] == 5
    stream = cuda.stream()
    assert d.bind(stream).stream is stream and d.stream == 0


def test_objects_and_nonsense_are_refused(cuda):
    with pytest.raises(TypeError, match="Python objects"):
        cuda.to_device(np.array([None, 1]))
    with pytest.raises(TypeError, match="shape must be an integer or tuple of integers"):
        cuda.device_array(2.0)
    with pytest.raises(TypeError, match="shape elements must be integers, got float"):
        cuda.device_array((2, 2.5), strides=(16, 8))
    with pytest.raises(ValueError, match="must be either C/F order"):
        cuda.device_array((2, 2), order="K")
    with pytest.raises(ValueError, match="negative dimensions"):
        cuda.device_array((-1,))


def test_records_on_the_device(cuda):
    kind = np.dtype([("n", np.int32), ("x", np.float64), ("v", np.float32, (2, 2)), ("in", [("k", np.int16)])])
    host = np.zeros(3, kind)
    host["n"] = [1, 2, 3]
    host["v"][1] = [[1, 2], [3, 4]]
    d = cuda.to_device(host)
    record = d[1]
    assert type(record) is cuda.devicearray.DeviceRecord and record["n"] == 2 and record["x"] == 0.0
    assert record["v"].copy_to_host().tolist() == [[1, 2], [3, 4]] and record["in"]["k"] == 0
    record["x"] = 2.5
    record["in"]["k"] = 7
    assert d.copy_to_host()[1]["x"] == 2.5 and d.copy_to_host()["in"]["k"].tolist() == [0, 7, 0]
    assert cuda.to_device(host[0])["n"] == 1


def test_cupy_and_back_without_a_copy(cuda, cp, counted):
    x = cp.arange(12.0).reshape(3, 4)
    counted()
    d = cuda.as_cuda_array(x)
    assert counted().syncs == 1  # CuPy names its stream, and numba-cuda waits for it
    d[0, 0] = 50.0
    assert x[0, 0] == 50
    back = cp.asarray(d)
    back[1, 1] = 60
    assert d[1, 1] == 60 and back.data.ptr == x.data.ptr == d.__cuda_array_interface__["data"][0]
    turned = cuda.as_cuda_array(x.T)
    assert turned.strides == (8, 32) and (turned.copy_to_host() == x.T.get()).all()
    assert (cp.asarray(turned[:, ::2]) == x.T[:, ::2]).all() and cuda.is_cuda_array(x) and not cuda.is_cuda_array(3)
    assert (cuda.as_cuda_array(x[::-1])._a == x[::-1].get()).all()
    with pytest.raises(TypeError, match="doesn't implement the cuda array interface"):
        cuda.as_cuda_array(np.zeros(3))
    del x, back
    assert d.copy_to_host()[1, 1] == 60  # it keeps the memory
    assert cuda.to_device(cp.arange(3)).copy_to_host().tolist() == [0, 1, 2]


def test_the_interface_is_the_third_version_and_names_the_stream(cuda):
    d = cuda.to_device(np.arange(6.0).reshape(2, 3))
    face = d.__cuda_array_interface__
    assert face["version"] == 3 and face["strides"] is None and face["stream"] is None and face["typestr"] == "<f8"
    assert d[:, ::2].__cuda_array_interface__["strides"] == (24, 16)
    stream = cuda.stream()
    assert d.bind(stream).__cuda_array_interface__["stream"] == int(stream)
    with pytest.raises(NotImplementedError, match="Masked"):
        cuda.from_cuda_array_interface(face | {"mask": d})
    with pytest.raises(NotImplementedError, match="not allocated"):
        cuda.from_cuda_array_interface(face | {"data": (4096, False)})


def test_mapped_and_managed_arrays_are_of_host_and_device(cuda, cp):
    for make in (cuda.mapped_array, cuda.managed_array):
        x = make(4, np.float32)
        x[:] = [1, 2, 3, 4]
        assert isinstance(x, np.ndarray) and cp.asarray(x).sum() == 10
        y = cp.asarray(x)
        y *= 2
        cuda.synchronize()
        assert x.tolist() == [2, 4, 6, 8] and (x + 1).tolist() == [3, 5, 7, 9] and x[1:].sum() == 18
        assert pickle.loads(pickle.dumps(x)).tolist() == x.tolist()
    assert cuda.mapped_array_like(np.zeros((2, 3), order="F")).strides == (8, 16)
    host = np.arange(4.0)
    with cuda.mapped(host) as shown:
        shown[1] = 9
        assert shown.copy_to_host().tolist() == [0, 9, 2, 3]
    assert host[1] == 9
    with cuda.mapped(np.zeros(1), np.zeros(2)) as both:
        assert [d.size for d in both] == [1, 2]


def test_no_deallocation_waits(cuda, cp):
    deallocations = cuda.current_context().deallocations
    d = cuda.device_array(2**20, np.uint8)
    del d
    assert len(deallocations) == 0 and deallocations.clear() is None and not deallocations.is_disabled
    with cuda.defer_cleanup(), deallocations.disable():
        assert deallocations.is_disabled and cuda.current_context().deallocations.is_disabled
    assert not deallocations.is_disabled


def test_memory_is_limited_and_given_back(cuda, cp):
    context = cuda.current_context()
    free, total = context.get_memory_info()
    d = cuda.device_array(2**20, np.uint8)
    assert context.get_memory_info().free <= free - 2**20 and context.get_memory_info().total == total
    del d
    assert context.get_memory_info().free == free
    from numba.cuda.cudadrv.driver import CudaAPIError

    with pytest.raises(CudaAPIError, match=r"\[2\] Call to cuMemAlloc results in CUDA_ERROR_OUT_OF_MEMORY") as caught:
        cuda.device_array(total + 1, np.uint8)
    assert caught.value.code == 2


KEPT = """
from numba import cuda
import numpy as np

@cuda.jit(device=True)
def squared(v):
    return v ** 2 + {number}

@cuda.jit
def kernel(x, out):
    tile = cuda.shared.array(32, "f4")
    i = cuda.grid(1)
    tile[i] = x[i]
    {barrier}
    out[i] = squared(tile[i])

x = cuda.to_device(np.ones(32, np.float32))
out = cuda.device_array_like(x)
kernel[1, 32](x, out)
out.copy_to_host()
"""


@pytest.mark.parametrize("barrier", ["pass", "cuda.syncthreads()"])
def test_a_kernel_that_is_gone_keeps_no_arrays(cuda, monkeypatch, backend, barrier, tmp_path):
    """A kernel refers to its globals, where its arrays are: who compiles it, or notes what it does, must not keep it."""
    monkeypatch.setenv("GPUSIM_CACHE", str(tmp_path))  # it is compiled, not read
    text = KEPT.format(number=os.getpid(), barrier=barrier)
    scope = {"__name__": "gone"}
    linecache.cache["<gone>"] = (len(text), None, text.splitlines(keepends=True), "<gone>")
    exec(compile(text, "<gone>", "exec"), scope)
    left = [weakref.ref(scope[name]) for name in ("x", "out", "kernel")]
    del scope
    queue.run()
    gc.collect()
    assert [each() for each in left] == [None] * 3
