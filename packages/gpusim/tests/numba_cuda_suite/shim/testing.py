"""``numba.cuda.testing``, as far as the chosen tests use it."""

import os
import platform
import shutil
import unittest
from pathlib import Path

import numpy as np
from numba.cuda.core import config
from numba.cuda.tests.support import TestCase

numba_cuda_dir = Path(__file__).parent
test_data_dir = numba_cuda_dir / "tests" / "data"


class CUDATestCase(TestCase):
    """A test case without warnings about small grids and host arrays, as the suite's own."""

    FLOAT16_RTOL = np.finfo(np.float16).eps
    _quiet = ("CUDA_LOW_OCCUPANCY_WARNINGS", "CUDA_WARN_ON_IMPLICIT_COPY")

    def setUp(self):
        self._before = {name: getattr(config, name, None) for name in self._quiet}
        for name in self._quiet:
            setattr(config, name, 0)

    def tearDown(self):
        for name, value in self._before.items():
            setattr(config, name, value)

    def skip_if_lto(self, reason):
        """Nothing is linked here."""


class ContextResettingTestCase(CUDATestCase):
    """Leaves no device behind."""

    def tearDown(self):
        super().tearDown()
        from numba import cuda

        cuda.close()


def _never(reason_or_function):
    """A condition that does not hold here: both forms of decorator."""
    if callable(reason_or_function):
        return reason_or_function
    return lambda function: function


skip_on_cudasim = skip_if_external_memmgr = skip_under_cuda_memcheck = skip_with_nvdisasm = _never
skip_on_wsl2 = skip_on_nvjitlink_13_1_sm_120 = skip_on_standalone_numba_cuda = _never
skip_unless_cc_50 = skip_unless_cc_53 = skip_unless_cc_60 = skip_unless_cc_75 = skip_unless_cc_90 = _never
skip_if_cudadevrt_missing = skip_if_mvc_enabled = skip_if_curand_kernel_missing = skip_if_cuda_includes_missing = _never
skip_if_nvjitlink_missing = skip_if_mvc_libraries_unavailable = _never


def skip_unless_cudasim(reason):
    return unittest.skip(reason)


def skip_without_nvdisasm(reason):
    return unittest.skipIf(shutil.which("nvdisasm") is None, reason)


def skip_unless_conda_cudatoolkit(reason):
    return unittest.skip(reason)


def skip_on_arm(reason):
    return unittest.skipIf(platform.processor().startswith(("arm", "aarch")), reason)


def xfail_unless_cudasim(function):
    return unittest.expectedFailure(function)


def cc_X_or_above(major, minor):
    from numba import cuda

    return cuda.get_current_device().compute_capability >= (major, minor)


def cudadevrt_missing():
    return False


class ForeignArray:
    """An array of another library's: all it has is the interface."""

    def __init__(self, arr):
        self._arr = arr
        self.__cuda_array_interface__ = arr.__cuda_array_interface__


def redirect_c_stdout():
    raise unittest.SkipTest("output of C")


def test_arch_option(*args, **kwargs):
    raise unittest.SkipTest("architectures")


test_arch_option.__test__ = False
TEST_BIN_DIR = os.getenv("NUMBA_CUDA_TEST_BIN_DIR")
