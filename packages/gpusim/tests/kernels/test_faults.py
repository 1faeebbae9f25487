"""Faults say what happened, where and what to do, and survive the way from a Dask worker."""

import copy
import inspect
import pickle

import pytest

from gpusim.kernels import driver_errors, faults

PLACE = {
    "kernel": "blur",
    "filename": "/home/ada/shop.py",
    "line": 4,
    "file_line": 12,
    "source_line": "    total += x[i + 1, j]",
    "thread": (1, 0, 0),
    "block": (2, 0, 0),
}
ALL = [
    faults.OutOfBoundsError(array="x", index=(128, 4), axis=0, shape=(128, 128), writing=False, **PLACE),
    faults.EndlessError(seconds=4.0, **PLACE),
    faults.DeadlockError(waiting="syncwarp()", **PLACE),
    faults.DivisionFault(**PLACE),
    faults.UncompilableError(original="No implementation of function", **PLACE),
    faults.UncompilableError("A sentence of its own.", **PLACE),
    driver_errors.LaunchError(code=1, error="CUDA_ERROR_INVALID_VALUE", reason="Too many threads.", kernel="blur"),
    driver_errors.LinkerError("ptxas error", kernel="blur"),
    faults.TraceError(findings=(), kernel="blur"),
    faults.TooLongError(blocks=10**6, threads=256, seconds=4.0, expected=9e5, kernel="blur"),
    faults.KernelError(),
    faults.UfuncFault("np.sqrt does not exist in a kernel.", **PLACE),
    *(fault("A sentence of its own.", **PLACE) for fault in faults.PYTHONS.values()),
]


@pytest.mark.parametrize("error", ALL, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("way", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy, copy.deepcopy])
def test_a_fault_survives_its_way(error, way):
    error.add_note("seen by worker 3")
    again = way(error)
    assert type(again) is type(error) and str(again) == str(error)
    assert all(getattr(again, name) == getattr(error, name) for name in error.fields)
    assert again.__notes__[-1] == "seen by worker 3"


def test_every_class_is_tried_here():
    members = [*inspect.getmembers(faults, inspect.isclass), *inspect.getmembers(driver_errors, inspect.isclass)]
    classes = {c for _, c in members if issubclass(c, faults.KernelError)}
    assert {type(error) for error in ALL} == classes


@pytest.mark.parametrize(
    ("error", "base"),
    [
        (faults.OutOfBoundsError, IndexError),
        (faults.EndlessError, TimeoutError),
        (faults.DivisionFault, ZeroDivisionError),
        (driver_errors.LaunchError, driver_errors.CudaAPIError),
        (driver_errors.LaunchError, driver_errors.CUDAError),
        (faults.KernelError, RuntimeError),
    ],
)
def test_it_is_caught_as_what_a_learner_expects(error, base):
    with pytest.raises(base):
        raise error(kernel="k")


@pytest.mark.parametrize("error", ALL[:6], ids=lambda error: type(error).__name__)
def test_the_learner_s_own_line_and_thread(error):
    text = str(error)
    for part in ("line 4 of blur (shop.py, line 12): `total += x[i + 1, j]`", "thread (1, 0, 0) of block (2, 0, 0)"):
        if not isinstance(error, faults.UncompilableError) or "thread" not in part:
            assert part in text
    assert "/home/ada" not in text and text.count("shop.py") == 1


def test_out_of_bounds():
    text = str(ALL[0])
    assert text.startswith(
        "x[128, 4] does not exist: x has 128 items along axis 0, numbered 0 to 127; tried to read it."
    )
    assert "A GPU does not look" in text and "CUDA_ERROR_ILLEGAL_ADDRESS" in text and "if index < x.shape[0]" in text
    made = faults.OutOfBoundsError(array="x", index=(3,), axis=0, shape=(3,), writing=True, kernel="k")
    assert str(made).startswith("x[3] does not exist: x has 3 items, numbered 0 to 2; tried to write to it.")
    assert "written over" in str(made)
    made = faults.OutOfBoundsError(array="x", index=(-9,), axis=0, size=8, kernel="k")
    assert "not that far" in str(made) and "index >= 0" in str(made)
    assert "x has no items; tried" in str(faults.OutOfBoundsError(array="x", index=(0,), axis=0, size=0))


def test_endless_names_the_loop_and_the_setting():
    text = str(ALL[1])
    assert (
        "blur does not end: thread (1, 0, 0) of block (2, 0, 0) was still in the loop in line 4 after 4 seconds" in text
    )
    assert "GPUSIM_THREAD_SECONDS=60" in text


def test_the_driver_s_words_come_first():
    error = ALL[6]
    assert str(error) == "[1] Call to cuLaunchKernel results in CUDA_ERROR_INVALID_VALUE\nToo many threads."
    assert (error.code, error.msg) == (1, "Call to cuLaunchKernel results in CUDA_ERROR_INVALID_VALUE")


def test_a_plain_driver_error():
    error = driver_errors.CudaAPIError(700, "Call to cuMemcpyDtoH results in CUDA_ERROR_ILLEGAL_ADDRESS")
    assert str(error) == "[700] Call to cuMemcpyDtoH results in CUDA_ERROR_ILLEGAL_ADDRESS"
    assert pickle.loads(pickle.dumps(error)).code == 700


@pytest.mark.parametrize("filename", ["<stdin>", "/tmp/ipykernel_77/123.py", None])
def test_a_notebook_s_line_number_is_not_told(filename):
    text = str(faults.DivisionFault(**{**PLACE, "filename": filename}))
    assert "line 4 of blur: `total" in text and "line 12" not in text


def test_a_device_function_is_named():
    assert "line 4 of helper" in str(faults.DivisionFault(**PLACE, function="helper"))


def test_numbers_from_numpy_become_plain():
    np = pytest.importorskip("numpy")
    error = faults.OutOfBoundsError(array="x", index=np.array([3, 4]), thread=np.zeros(3, "i4"), kernel="k")
    assert error.index == (3, 4) and type(error.index[0]) is int and error.thread == (0, 0, 0)
    assert faults.OutOfBoundsError(array="x", index=np.int64(3)).index == (3,)


def test_an_unknown_field_is_a_mistake_of_ours():
    with pytest.raises(TypeError, match="no field colour"):
        faults.KernelError(colour="red")


def test_what_a_kernel_raises_itself_is_told_as_numba_tells_it():
    fault = faults.KernelError(**{**PLACE, "thread": (1, 2, 3), "block": (4, 5, 6)})
    error = faults.raised(ValueError("no", 7), fault)
    assert type(error) is ValueError and error.args[1] == 7
    place = "In function 'blur', file /home/ada/shop.py, line 12, tid=[3, 2, 1] ctaid=[6, 5, 4]"
    assert error.args[0] == f"{place}: no"
    assert faults.raised(AssertionError(), fault).args == (place,)
