"""Which of CuPy's tests are collected, and why some are left out."""

from __future__ import annotations

import re

# A part's name, and its files and folders in ``tests/cupy_tests``.
PARTS = {
    "creation": ["creation_tests"],
    "indexing": ["indexing_tests"],
    "logic": ["logic_tests"],
    "manipulation": ["manipulation_tests", "padding_tests"],
    "math": ["math_tests"],
    "statistics": ["statistics_tests"],
    "sorting": ["sorting_tests"],
    "linalg": ["linalg_tests"],
    "fft": ["fft_tests"],
    "random": ["random_tests"],
    "binary": ["binary_tests"],
    "misc": [
        "misc_tests",
        "io_tests",
        "test_init.py",
        "test_ndim.py",
        "test_numpy_interop.py",
        "test_type_routines.py",
    ],
    "lib": ["lib_tests", "polynomial_tests", "functional_tests"],
    "core": ["core_tests"],
    "cuda": ["cuda_tests"],
    "kernels": ["core_tests/test_userkernel.py", "core_tests/test_raw.py", "core_tests/test_reduction.py"],
}

KERNELS = set(PARTS["kernels"])  # each is compiled, which takes minutes: a part of its own, run by name
DEFAULT = [part for part in PARTS if part != "kernels"]

SOURCE = (
    "compiles C++ of its own: RawKernel, RawModule and headers, which packages/gpusim/tests/libraries/c_kernels covers"
)
INSIDE = "looks at the inside of CuPy's compiler: generated code, caches, counts of compilations"
LIBRARY = "calls an NVIDIA library by its C interface"
MACHINE = "asks about the driver or the installed toolkit"

# Patterns of test ids (``core_tests/test_raw.py::…``), and the reason.  The first that matches decides.
LEFT_OUT = [
    (r"core_tests/test_(mdspan|carray|include)\.py", SOURCE),
    (r"core_tests/test_(scan|gufuncs|internal|core)\.py", "functions of CuPy's inside that nobody else calls"),
    (r"core_tests/test_(cub_reduction|optimize|function|elementwise|syncdetect)\.py", INSIDE),
    (r"core_tests/fusion_tests/test_(kernel_cache|optimization)\.py", INSIDE),
    (r"cuda_tests/test_(compiler|compiler_cache|nvrtc)\.py", INSIDE),
    (r"cuda_tests/test_(cublas|cufft|curand|cusolver|cusparse|cutensor|nccl|driver|texture|graph)\.py", LIBRARY),
    (r"fft_tests/test_(callback|cache)\.py", LIBRARY),
    (
        r"fft_tests/test_fft\.py::Test(PlanCtxManager|MultiGpu|DefaultPlan|R?[Ff]ftnContiguity)",
        "cuFFT's plans as objects",
    ),
    (r"test_cublas\.py", LIBRARY),
    (r"::Test(Cub|CuTensor|Cutensor)\w*|::TestFusionKernelName", INSIDE),
    (r"::TestBfloat16|test_bfloat16\.py", "needs the package ml_dtypes"),
    (r"test_init\.py::.*(TestImportError|TestHipccPath|TestIsHipAvailable|test_cuda_path)", MACHINE),
]


def reason(test: str) -> str | None:
    """Why a test (or a file, for an id without ``::``) is left out, or None."""
    for pattern, why in LEFT_OUT:
        if re.search(pattern, test):
            return why
    return None
