"""Arrays that have shapes and no data: in processes of their own, because a process that only counts does so for good."""

import os
import subprocess
import sys
import tempfile
import textwrap

import pytest

ENVIRONMENT = {**os.environ, "GPUSIM_GPU_MEMORY": "1TB"}
BEGIN = """
    import resource
    import gpusim
    gpusim.activate()
    from gpusim.device import memory, queue, shapes
    shapes.begin({fraction})
    import cupy as cp
    """


def child(code, fraction=None, expect=0):
    text = textwrap.dedent(BEGIN.format(fraction=fraction)) + textwrap.dedent(code)
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:  # a kernel's source has to be readable
        file.write(text)
        file.flush()
        done = subprocess.run(
            [sys.executable, "-P", file.name], capture_output=True, text=True, env=ENVIRONMENT, timeout=200, check=False
        )
    assert done.returncode == expect, done.stderr
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def test_memory_is_counted_and_not_taken():
    """Ten arrays of 800 MB each, and work on them, in less than 50 MB of real memory beyond what imports took."""
    out = child("""
        import gc
        cp.ones(8).sum(); cp.linalg.norm(cp.ones((3, 3))); cp.sort(cp.ones(9))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        arrays = [cp.ones((10_000, 10_000)) * i for i in range(10)]
        held = memory.in_use()
        total = sum(a.sum() for a in arrays)
        arrays[0] += arrays[1]
        arrays[2][1:-1, ::2] = 5
        cp.sort(arrays[3], axis=0); arrays[4] @ arrays[5]; cp.linalg.svd(arrays[6][:100])
        cp.gradient(arrays[7]); cp.random.rand(10_000, 10_000)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(held >= 10 * 800_000_000, held < 11 * 800_000_000, (after - before) * 1024 < 50_000_000, queue.pending())
        """)
    assert out == "True True True 0"


def test_the_limit_of_the_device_still_holds():
    assert "Out of memory allocating 2,000,000,000,000 bytes" in child("cp.ones(250_000_000_000)", expect=1)


@pytest.mark.parametrize(
    "code",
    [
        "float(cp.ones(3).sum())",
        "cp.ones(3).tolist()",
        "if cp.ones(1): pass",
        "cp.ones(3).get() + 1",
        "cp.asnumpy(cp.ones(3)).mean()",
        "cp.ones(3, int)[0].item()",
        "import numpy as np; np.sum(cp.ones(3).get())",
        "cp.repeat(cp.ones(3), cp.ones(3, int))",
        "cp.unique_counts(cp.ones(30))",
        "cp.asarray([1.0, 2.0]).get(out=__import__('numpy').empty(2))",
        "from numba import cuda; cuda.to_device(__import__('numpy').ones(3)).copy_to_host()[0]",
        "import cupyx.scipy.sparse as s; s.csr_matrix(cp.ones((3, 3)))",
        "a = cp.cuda.Event(); a.record(); cp.cuda.get_elapsed_time(a, a)",
        "cp.ones(3).__dlpack__()",
    ],
)
def test_who_wants_values_is_refused(code):
    assert child(code, expect=1).startswith("gpusim.device.shapes.ValuesNeededError")


def test_what_depends_on_a_mask_asks_for_a_fraction():
    for code in ("cp.ones(100)[cp.ones(100, bool)]", "cp.nonzero(cp.ones((10, 10)))", "cp.unique(cp.ones(5))"):
        assert "--fraction" in child(code, expect=1)
    out = child(
        """
        x = cp.ones((10, 40))
        print(x[x > 0].shape, x[x[:, 0] > 0].shape, cp.nonzero(x)[1].shape, cp.argwhere(x).shape, shapes.assumed[0])
        """,
        fraction=0.3,
    )
    assert out == "(120,) (3, 40) (120,) (120, 2) a mask selects 0.3 of the elements"


def test_shapes_of_functions_that_run_at_once():
    """By hand, for lengths that are neither equal nor near: what the three small calls have to explain."""
    out = child("""
        x, v, w = cp.ones((3000, 500)), cp.ones(70_000), cp.ones(900)
        print([g.shape for g in cp.gradient(x)], cp.cov(x).shape, cp.trapezoid(x, axis=0).shape, cp.interp(v, w, w).shape)
        print(cp.histogram(v, 40)[0].shape, cp.histogram(v, 40)[1].shape, cp.roll(x, (3, 1), (0, 1)).shape)
        print(cp.append(v, w).shape, cp.ediff1d(v).shape, cp.hanning(5000).shape, cp.digitize(v, w).shape)
        print(cp.isin(x, v).dtype, cp.isin(x, v).shape, cp.linalg.matrix_rank(x).shape, cp.cross(x[:, :3], x[:, :3]).shape)
        """)
    assert out.splitlines() == [
        "[(3000, 500), (3000, 500)] (3000, 3000) (500,) (70000,)",
        "(40,) (41,) (3000, 500)",
        "(70900,) (69999,) (5000,) (70000,)",
        "bool (3000, 500) () (3000, 3)",
    ]


def test_shapes_of_scipys_functions():
    """By hand; 200 and 300 are the lengths that were once confused: twice one of them looked like the other."""
    out = child("""
        import cupyx.scipy.ndimage as image, cupyx.scipy.signal as signal, cupyx.scipy.special as special
        x = cp.ones((200, 300))
        print(image.zoom(x, 2).shape, signal.convolve2d(x, x[:5, :7]).shape, signal.resample(x, 50).shape, special.erf(x).shape)
        out = cp.empty_like(x)
        print(image.gaussian_filter(x, 2).shape, image.gaussian_filter(x, 2, output=out) is out, image.zoom(x[:, :200], 3).shape)
        print(cp.tril_indices(4000)[0].shape, cp.trapezoid(x).shape, cp.append(x, x).shape)
        """)
    assert out.splitlines() == [
        "(400, 600) (204, 306) (50, 300) (200, 300)",
        "(200, 300) True (600, 600)",
        "(8002000,) (200,) (120000,)",
    ]


def test_a_shape_that_is_not_understood_is_refused():
    out = child(
        "from cupy._core import launch; launch.now('odd', lambda a: a[:: len(a) % 5 + 1], cp.ones(1000))", expect=1
    )
    assert "The shape of what odd gives is not known beforehand" in out


def test_kernels_of_numba_and_of_cxx_are_counted_and_not_run():
    out = child("""
        import numpy as np
        from numba import cuda
        @cuda.jit
        def double(a):
            i = cuda.grid(1)
            if i < a.size:
                a[i] *= 2
        x = cp.ones(1_000_000)
        before = queue.counters()
        double[1000, 1000](x)
        cp.ElementwiseKernel("T a", "T b", "b = a * a", "squared")(x)
        cp.ReductionKernel("T a", "T b", "a", "a + b", "b = a", "0", "added")(x)
        done = queue.counters() - before
        print(done.kernels, done.bytes_read, done.bytes_written, shapes.reserve(8)[0])
        there = cuda.to_device(np.ones((3, 4)))
        print(there.copy_to_host(), (queue.counters() - before).d2h_bytes)
        """)
    assert out.splitlines() == ["3 24000000 16000008 0", "<3 × 4, float64: only the shape is known> 96"]


def test_it_begins_in_a_fresh_process_only():
    out = child("""
        try: shapes.begin()
        except RuntimeError as error: print(error)
        """)
    assert out == "Shapes without data need a process that has not used the device yet."
