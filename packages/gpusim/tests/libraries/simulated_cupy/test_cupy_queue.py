"""What is queued, when it runs, and what is counted."""

import re
import threading

import numpy as np
import pytest

from gpusim.device import queue


def traffic(function):
    before = queue.counters()
    function()
    return queue.counters() - before


def test_the_expression_of_unit_01_is_seven_kernels_and_98_bytes_per_element(cp):
    n = 1000
    x = cp.linspace(0, 1, n)
    seen = traffic(lambda: (cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1).all())
    assert seen.kernels == 7
    # 16 for sin, cos and the two squares, 24 for the sum, 9 for the comparison, 1 for the test of all; one byte of result.
    assert seen.bytes == 98 * n + 1
    assert [launch.name for launch in list(queue.log)[-7:]] == [
        "cupy_sin", "cupy_square", "cupy_cos", "cupy_square", "cupy_add", "cupy_equal", "cupy_all",
    ]  # fmt: skip


def test_a_fused_expression_is_one_kernel_that_reads_and_writes_once(cp):
    n = 1000
    x = cp.linspace(0, 1, n)

    @cp.fuse()
    def ones(x):
        return cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1

    assert (ones(x) == (cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1)).all()
    seen = traffic(lambda: ones(x))
    assert (seen.kernels, seen.bytes) == (1, 9 * n)


def test_a_fused_kernel_that_goes_on_after_a_reduction_is_counted_pass_by_pass(cp):
    """CuPy keeps what such a kernel needs between its passes in device memory: one launch, but not one pass."""
    rows, columns = 8, 1000
    n, x, w = rows * columns, cp.ones((rows, columns)), cp.ones((rows, columns))

    @cp.fuse()
    def softmax(x):
        e = cp.exp(x - cp.max(x, axis=1)[:, None])
        return e / cp.sum(e, axis=1)[:, None]

    seen = traffic(lambda: softmax(x))
    # The maximum reads 8; difference and exp read 8 and write 8; the sum reads 8; the division reads 8 and writes 8. Each of
    # the two columns of 8 rows is written once and read once.
    assert (seen.kernels, seen.bytes) == (1, 48 * n + 2 * 2 * 8 * rows)

    weighted = cp.fuse(kernel_name="weighted")(lambda x, w: cp.sum((x - 1) ** 2 * w))
    assert traffic(lambda: weighted(x, w))[:3] == (1, 16 * n, 8)  # a reduction at its end is part of its pass
    rooted = cp.fuse(kernel_name="rooted")(lambda x: cp.sqrt(cp.sum(x * x)))
    assert traffic(lambda: rooted(x))[:3] == (1, 8 * n, 8)  # and so is what is done with the one number
    with pytest.raises(TypeError):
        cp.fuse(softmax.func, kernel_name="both")(x)


def test_a_fused_function_gets_placeholders(cp):
    """[cupy/_core/_fusion_interface.py]"""
    x, host = cp.ones((3, 4)), np.ones((3, 4))

    def fused(function, *args):
        return cp.fuse(kernel_name="fused")(function)(*args)

    assert fused(lambda x, n: (-x + n) ** 2 // 1 < 4, x, 2).all()
    assert fused(lambda x: x[None], x).shape == (1, 3, 4)
    assert fused(lambda x: (cp.clip(x, 0, 2), cp.where(x > 1, x, -x)), x)[1].sum() == -12
    assert (
        fused(lambda x: cp.clip(a=x, a_min=0, a_max=2) + cp.where(condition=x > 1, x=x, y=-x) + cp.copy(a=x), x).sum()
        == 12
    )
    assert fused(lambda x: cp.around(a=x) + cp.real(val=x) - cp.sum(a=x), x).sum() == -120
    fused(lambda x: cp.add(1, 2, out=x), x)
    assert (x == 3).all()
    x[...] = 1
    assert fused(lambda x: x.__imul__(2), x) is not None and (x == 2).all()
    assert fused(lambda x: cp.fuse(lambda y: y + 1)(x), x).sum() == 36  # one within another needs no name
    for function, error, said in (
        (lambda x: x.shape, NotImplementedError, "`shape` is not supported, currently."),
        (lambda x: x.T, AttributeError, "'_ArrayProxy' object has no attribute 'T'"),
        (lambda x: cp.mean(x), AttributeError, "'_ArrayProxy' object has no attribute 'mean'"),
        (lambda x: x if x else x, TypeError, "Cannot convert to Python scalar in cupy.fuse"),
        (lambda x: x + cp.ones(4), TypeError, "Concrete ndarray is not supported in fusion."),
        (lambda x: x + host, TypeError, None),
        (
            lambda x: cp.concatenate([x, x]),
            TypeError,
            "Unsupported type <class 'cupy._core._fusion_interface._ArrayProxy'>",
        ),
        (lambda x: 2**x, TypeError, "unsupported operand"),
        (lambda x: x[0:1], NotImplementedError, "Only full range"),
        (lambda x: [x], ValueError, "The return value of fused functions must be"),
    ):
        with pytest.raises(error, match=said and re.escape(said)) as raised:
            fused(function, x)
        assert raised.type is error
    with pytest.raises(TypeError, match="Invalid argument type for 'fused'"):
        fused(lambda x, y: x, x, [1])


def test_a_fused_reduction_whose_types_differ_is_not_compiled_if_cub_does_it(cp):
    """[cupy/_core/_cub_reduction.py:671, cupy/_core/fusion.pyx:778] An H200 said it of the input's type."""
    x = cp.ones(1000)

    def fused(function, *args):
        return cp.fuse(kernel_name="fused")(function)(*args)

    refused = [(lambda x: cp.sum(x > 0), x), (lambda x: cp.any(x), x), (lambda x: cp.sum(x), x.astype("i4"))]
    refused += [(lambda x: cp.sum(x) > 0, x), (lambda x: cp.all(x > 0, axis=1), x.reshape(2, 500))]
    for function, array in refused:
        with pytest.raises(cp.cuda.compiler.CompileException, match="invalid redeclaration of type name"):
            fused(function, array)
    # Few numbers, another axis, two arrays, a method, or any of bool: not CUB, or the types are the same.
    taken = [(lambda x: cp.sum(x > 0), x[:100]), (lambda x: cp.sum(x > 0, axis=0), x.reshape(2, 500))]
    taken += [(lambda x: (x > 0).sum(), x), (lambda x: cp.any(x), x > 0), (lambda x: cp.sum(x * x), x)]
    for function, array in taken:
        assert (fused(function, array) == function(array)).all()
    assert fused(lambda x, y: cp.sum(x > y), x, x) == 0


def test_a_fused_reduction_takes_no_keepdims(cp):
    """[cupy/_math/sumprod.py, sum; cupy/_core/_fusion_trace.pyx, indexing: `None` and whole slices only]"""
    x = cp.ones((3, 4))
    for name, of in (("sum", lambda x: x.sum(axis=1, keepdims=True)), ("amax", lambda x: cp.max(x, 1, keepdims=True))):
        with pytest.raises(NotImplementedError, match=f"cupy.{name} does not support `keepdims` in fusion yet."):
            cp.fuse(of)(x)
        assert of(x).shape == (3, 1)  # and afterwards as ever
    assert cp.fuse(kernel_name="column")(lambda x: x.sum(axis=1)[:, None])(x).shape == (3, 1)


def test_an_in_place_operation_reads_and_writes(cp):
    x, y = cp.ones(100), cp.ones(100)
    assert traffic(lambda: x.__iadd__(y))[:3] == (1, 1600, 800)
    assert traffic(lambda: x.__imul__(2))[:3] == (1, 800, 800)


def test_an_array_that_is_both_operands_is_read_once(cp):
    x = cp.ones(100)
    assert traffic(lambda: x * x)[:3] == (1, 800, 800)
    assert traffic(lambda: x.__imul__(x))[:3] == (1, 800, 800)
    assert traffic(lambda: cp.multiply(x, x, out=cp.empty(100)))[:3] == (1, 800, 800)
    assert traffic(lambda: x * x.copy())[1:3] == (800 + 1600, 1600)  # the copy, then two arrays


def test_writing_through_a_view_does_not_copy_twice(cp):
    x = cp.zeros(100)

    def statement():
        x[10:20] += 1

    assert traffic(statement)[:3] == (1, 80, 80)


def test_reductions_are_counted_as_cupy_launches_them(cp):
    x = cp.ones((100, 10))
    assert traffic(x.sum)[:3] == (1, 8000, 8)
    assert traffic(x.mean).kernels == 2  # a sum and a division
    assert traffic(x.var).bytes_read == 2 * 8000  # the mean, then the distances from it
    assert traffic(x.std).bytes_read == 2 * 8000 + 8


def test_an_input_that_overlaps_the_output_is_copied_first(cp):
    x = cp.arange(10.0)
    assert traffic(lambda: cp.add(x[1:], x[:-1], out=x[1:])).kernels >= 2
    assert x.tolist() == [0.0, 1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0, 17.0]


def test_transfers_are_counted_apart(cp):
    host = np.ones(1000)
    seen = traffic(lambda: cp.asarray(host).get())
    assert (seen.h2d_bytes, seen.h2d_count, seen.d2h_bytes, seen.d2h_count, seen.kernels) == (8000, 1, 8000, 1, 0)


def test_calls_return_before_their_work_is_done(cp):
    x = cp.zeros(100)
    queue.run()
    x += 1
    assert queue.pending() == 1
    assert x._a[0] == 0.0  # the memory behind it: the work has not been done
    cp.cuda.Device().synchronize()
    assert x._a[0] == 1.0


@pytest.mark.parametrize(
    "read",
    [
        lambda cp, x: x.get(), lambda cp, x: cp.asnumpy(x), lambda cp, x: float(x[0]), lambda cp, x: int(x[0]),
        lambda cp, x: bool(x[0]), lambda cp, x: complex(x[0]), lambda cp, x: x[0].item(), lambda cp, x: x.tolist(),
        lambda cp, x: repr(x), lambda cp, x: str(x), lambda cp, x: f"{x[0]}", lambda cp, x: x.tobytes(),
        lambda cp, x: [float(v) for v in x], lambda cp, x: max(x), lambda cp, x: cp.cuda.Stream.null.synchronize(),
        lambda cp, x: cp.cuda.runtime.deviceSynchronize(), lambda cp, x: cp.cuda.Event().record(),
        lambda cp, x: cp.cuda.get_current_stream().record().synchronize(), lambda cp, x: x[x > 0], lambda cp, x: cp.unique(x),
    ],
)  # fmt: skip
def test_reading_on_the_host_runs_the_queue(cp, read):
    x = cp.zeros(4) + 1
    assert queue.pending()
    read(cp, x)
    assert x._a[0] == 1.0


def test_a_thousand_launches_wait_and_the_next_runs_them(cp):
    x = cp.zeros(8)
    queue.run()
    for _ in range(queue.LIMIT - 1):
        x += 1
    assert x._a[0] == 0.0
    x += 1
    assert x._a[0] == queue.LIMIT


def test_views_share_memory_in_the_order_of_the_calls(cp):
    x = cp.arange(6.0)
    view, flipped = x[2:5], x[::-1]
    before = x.copy()
    view *= 10
    after = flipped + 0
    x[...] = -1
    assert before.tolist() == [0, 1, 2, 3, 4, 5]
    assert after.tolist() == [5, 40, 30, 20, 1, 0]
    assert view.tolist() == [-1, -1, -1]
    assert view.base is x and flipped.base is x and view[1:].base is x


def test_a_block_freed_while_operations_wait_is_not_written_too_early(cp):
    # `first` dies while a sum of it waits; its memory goes to the next array, by a kernel and by a transfer.
    for make in (lambda: cp.full(1000, 2.0), lambda: cp.asarray(np.full(1000, 2.0)), lambda: cp.array([2.0] * 1000)):
        first = cp.ones(1000)
        place = first.data.ptr
        total = first.sum()
        del first
        second = make()
        assert second.data.ptr == place  # or this would test nothing
        assert float(total) == 1000.0
        assert float(second.sum()) == 2000.0


def test_a_host_array_may_change_as_soon_as_the_call_returns(cp):
    host = np.ones(1000)
    device = cp.zeros(1000)
    device += 5
    device.set(host)
    host[:] = 7
    assert float(device.sum()) == 1000.0
    blocker = cp.zeros(1000) + 1  # something waits
    copied = cp.asarray(host)
    host[:] = 0
    assert float(copied.sum()) == 7000.0
    del blocker


def test_random_numbers_are_drawn_in_the_order_of_the_calls(cp):
    cp.random.seed(1)
    a, b = cp.random.random(5), cp.random.standard_normal(5)
    cp.random.seed(1)  # takes effect in order too: what waits keeps the old stream
    again, b_again = cp.random.random(5), cp.random.standard_normal(5)
    assert queue.pending()
    assert (a == again).all() and (b == b_again).all()


def test_a_singular_matrix_is_no_error_unless_asked_for(cp):
    import cupyx

    singular = cp.ones((2, 2))
    assert bool(cp.isnan(cp.linalg.inv(singular)).all())
    with cupyx.errstate(linalg="raise"):
        later = cp.ones(2) + 1
        with pytest.raises(np.linalg.LinAlgError) as caught:  # the check reads cuSOLVER's status, so the call waits
            cp.linalg.inv(singular)
    assert "cusolver_getrs" in caught.value.__notes__[0]
    assert later.tolist() == [2.0, 2.0]


def test_threads_compute_side_by_side(cp):
    wrong = []

    def work(seed):
        host = np.random.default_rng(seed).random(500)
        for _ in range(30):
            x = cp.asarray(host)
            y = (x * 2 + 1).sum() - x.sum()
            if not np.isclose(float(y), host.sum() + 500):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(s,)) for s in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_no_numpy_warnings_for_what_a_gpu_computes_in_silence(cp, recwarn):
    (cp.ones(2) / 0, cp.log(cp.zeros(2)), cp.sqrt(cp.full(2, -1.0)), cp.arange(3) // 0)
    queue.run()
    assert not [w for w in recwarn if issubclass(w.category, RuntimeWarning)]


@pytest.mark.parametrize("mode", ["edge", "reflect", "wrap", "maximum", "no such mode"])
def test_what_cannot_be_padded_is_refused_at_the_call_and_not_later(cp, mode):
    """Dask tries functions on empty arrays, and takes a ValueError for an answer."""
    with pytest.raises(ValueError, match="empty axis|not supported"):
        cp.pad(cp.empty((0, 3)), 2, mode)
    cp.cuda.Device().synchronize()
    assert cp.pad(cp.empty((0, 3)), 2).shape == (4, 7)


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect"])
def test_a_scalar_array_has_nothing_to_pad(cp, mode):
    assert cp.pad(cp.array(3.0), 1, mode).get().tolist() == 3.0
