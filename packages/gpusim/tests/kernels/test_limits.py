"""What a device refuses, in the words of Numba, cuda-core, ptxas and the driver."""

import numpy as np
import pytest

from gpusim.kernels import driver_errors, faults, limits

INVALID = "[1] Call to cuLaunchKernel results in CUDA_ERROR_INVALID_VALUE"


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ((4, 32), ((4, 1, 1), (32, 1, 1))),
        (((4, 2), [8, 8]), ((4, 2, 1), (8, 8, 1))),
        ((np.int64(3), (np.uint8(1), 2, 3)), ((3, 1, 1), (1, 2, 3))),
    ],
)
def test_dimensions_are_made_three(given, made):
    assert limits.normalize(*given) == made
    assert all(type(n) is int for dim in limits.check(*given) for n in dim)


@pytest.mark.parametrize("given", [(None, 32), (1, None)])
def test_a_launch_without_a_configuration(given):
    with pytest.raises(
        ValueError, match=r"Kernel launch configuration was not specified. Use the syntax:\n\nkernel_function\["
    ):
        limits.normalize(*given)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ((1.0, 32), TypeError, r"griddim must be a sequence of integers, got \[1.0\]. A division with / gives a float"),
        ((1, "8"), TypeError, r"blockdim must be a sequence of integers, got \['8'\]$"),
        ((1, (8, 2.5)), TypeError, r"blockdim must be a sequence of integers, got \[8, 2.5\]"),
        (((1, 1, 1, 1), 8), ValueError, r"griddim must be a sequence of 1, 2 or 3 integers, got \[1, 1, 1, 1\]"),
    ],
)
def test_what_numba_refuses(given, error, message):
    with pytest.raises(error, match=message):
        limits.check(*given)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ((1, 1025), "A block of 1025 × 1 × 1 has 1025 threads; 1024 is the most"),
        ((1, (33, 32)), "has 1056 threads"),
        ((1, (1, 1, 65)), "65 threads along z; 64 is the most"),
        ((2**31, 1), "2147483648 blocks along x; 2147483647"),
        (((1, 65536), 1), "65536 blocks along y; 65535 is the most. To do more, put the long axis along x"),
        (((1, 1, 65536), 1), "65536 blocks along z"),
        ((1, 32, 49153), "49153 bytes of dynamic shared memory; a block can have 49152"),
        ((1, 32, 40000, 9153), "besides 9153 of static"),
        ((1, 32, -1), "cannot be less than none"),
    ],
)
def test_what_the_driver_refuses(given, reason):
    with pytest.raises(driver_errors.LaunchError) as caught:
        limits.check(*given, kernel="blur")
    first, second = str(caught.value).split("\n")
    assert first == INVALID and reason in second
    assert caught.value.code == 1 and caught.value.kernel == "blur"
    assert isinstance(caught.value, driver_errors.CudaAPIError)


@pytest.mark.parametrize(
    "given",
    [
        (1, 1024),
        (1, (32, 32)),
        (1, (4, 4, 64)),
        (2**31 - 1, 1),
        ((1, 65535, 65535), 1),
        (1, 32, 49152),
        (1, 32, 40000, 9152),
    ],
)
def test_what_is_just_allowed(given):
    limits.check(*given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((0, 32), r"LaunchConfig.grid values must be >= 1 \(got \(0, 1, 1\)\)"),
        (((4, -1), 32), r"LaunchConfig.grid values must be >= 1 \(got \(4, -1, 1\)\)"),
        ((1, (32, 0)), r"LaunchConfig.block values must be >= 1 \(got \(32, 0, 1\)\)"),
    ],
)
def test_a_launch_of_nothing(given, message):
    with pytest.raises(ValueError, match=message) as caught:
        limits.check(*given)
    assert isinstance(caught.value, faults.KernelError)


def test_more_static_shared_memory_than_a_block_has():
    limits.check(1, 32, 0, 49152)
    with pytest.raises(driver_errors.LinkerError) as caught:
        limits.check(1, 32, 0, 65536, kernel="blur")
    first = str(caught.value).split("\n")[0]  # what ptxas 13.0 prints for such a kernel
    assert first == "ptxas error   : Entry function 'blur' uses too much shared data (0x10000 bytes, 0xc000 max)"


def test_more_registers_than_a_block_has():
    limits.check(1, 1024, registers=64)
    with pytest.raises(driver_errors.LaunchError, match="CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES") as caught:
        limits.check(1, 1024, registers=65)
    assert caught.value.code == 701 and "at most 992 threads" in str(caught.value)


def test_a_cooperative_launch_has_to_fit_on_the_device():
    most = limits.resident_blocks(256)
    limits.check(most, 256, cooperative=True)
    limits.check(most + 1, 256)
    with pytest.raises(
        ValueError, match=rf"The specified grid size \({most + 1} \* 1 \* 1\) exceeds the limit \({most}\)"
    ):
        limits.check(most + 1, 256, cooperative=True)


@pytest.mark.parametrize(
    ("threads", "shared", "registers", "blocks"),
    [
        (1024, 0, None, 2),
        (32, 0, None, 32),  # of which a multiprocessor holds no more, however small
        (33, 0, None, 32),  # two warps each
        (96, 0, None, 21),
        (128, 48 * 1024, None, 4),  # 49 KiB of 228 each
        (32, 7 * 1024, None, 28),  # 8 KiB each: one is the driver's
        (1024, 0, 64, 1),
        (256, 0, 32, 8),
        (256, 0, 33, 6),  # given out by eights to a thread
    ],
)
def test_blocks_on_a_multiprocessor(threads, shared, registers, blocks):
    one = limits.Limits(multiprocessors=1)
    assert limits.resident_blocks(threads, shared, registers, one) == blocks


def test_another_device():
    small = limits.Limits(threads=512, shared=16384)
    with pytest.raises(driver_errors.LaunchError, match="512 is the most"):
        limits.check(1, 513, device=small)
    with pytest.raises(driver_errors.LinkerError, match="0x4000 max"):
        limits.check(1, 1, 0, 16385, device=small)
