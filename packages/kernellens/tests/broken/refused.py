"""Launches that the device refuses, and Python that no GPU runs."""

from .variant import Broken


def launch(entry, breakage, old="", new="", **options):
    return Broken(entry, breakage, old, new, "launch", None, **options)


def refused(entry, breakage, old, new, at, **options):
    return Broken(entry, breakage, old, new, "uncompilable", at, **options)


VARIANTS = [
    launch("saxpy", "block of 2048 threads", block=2048),
    launch("stencil_3x3_int8", "block of 64 by 32 threads", block=(64, 32)),
    launch("stencil_3d", "block 128 deep", block=(1, 1, 128)),
    launch("saxpy", "grid of no blocks", grid=0),
    launch("stencil_3x3_int8", "grid 65536 high", grid=(1, 65536)),
    launch("blelloch_scan_dynamic_shared", "more dynamic shared memory than an SM has", shared=300_000),
    launch(
        "transpose_shared",
        "tile of 128 kB",
        "cuda.shared.array((16, 16), float64)",
        "cuda.shared.array((128, 128), float64)",
    ),
    launch("grid_sync_sum", "grid sync over more blocks than fit at once", grid=100_000),
    refused(
        "saxpy",
        "a list that grows",
        "out[i] = a * x[i] + y[i]",
        "values = []\n        values.append(x[i])\n        out[i] = values[0]",
        "values = []",
    ),
    refused("saxpy", "a formatted string", "out[i] = a", 'print(f"{i} of {out.size}")\n        out[i] = a', 'print(f"'),
    refused(
        "saxpy", "an array made in the kernel", "out[i] = a * x[i]", "out[i] = np.zeros(3)[0]", "out[i] = np.zeros"
    ),
    refused(
        "saxpy", "an attribute that an array has not", "out[i] = a * x[i]", "out[i] = x.length", "out[i] = x.length"
    ),
    refused("saxpy", "a name that is not defined", "out[i] = a * x[i]", "out[i] = alpha * x[i]", "out[i] = alpha"),
    refused(
        "saxpy",
        "two types in one variable",
        "out[i] = a * x[i]",
        'v = 0.0 if i else "none"\n        out[i] = v',
        "v = 0.0",
    ),
    refused("saxpy", "a value returned", "out[i] = a * x[i] + y[i]", "return a * x[i] + y[i]", "return a"),
    refused("saxpy", "a dictionary", "out[i] = a * x[i]", 'd = {"a": a}\n        out[i] = d["a"] * x[i]', 'd = {"a"'),
    refused("increment", "a file opened", "x[i] += 1", "with open('x'):\n            x[i] += 1", "with open"),
    refused(
        "increment",
        "an exception caught",
        "x[i] += 1",
        "try:\n            x[i] += 1\n        except IndexError:\n            pass",
        "try:",
    ),
    refused("increment", "a plain Python function", "x[i] += 1", "x[i] += along(x.size, 2)", "x[i] += along"),
    refused("increment", "an index of floats", "x[i] += 1", "x[i / 2] += 1", "x[i / 2]"),
    refused("increment", "too many indices", "x[i] += 1", "x[i, 0] += 1", "x[i, 0]"),
    refused(
        "increment", "an unknown name of cuda", "x[i] += 1", "cuda.synchronise()\n        x[i] += 1", "cuda.synchronise"
    ),
    refused("increment", "a comprehension", "x[i] += 1", "x[i] += sum([k for k in range(3)])", "x[i] += sum"),
    refused(
        "device_functions",
        "a device function that calls itself",
        "return first_above(row, limit), clamp",
        "return both(row, limit)[0], clamp",
        "return both(row, limit)",
        function="both",
    ),
    refused(
        "tree_sum",
        "a shared array as long as an argument",
        "cuda.shared.array(WIDTH,",
        "cuda.shared.array(x.size,",
        "shared = cuda.shared.array(x.size",
    ),
    refused("warp_scan_shuffle", "a shuffle without its mask", "(0xFFFFFFFF, value, step)", "(value, step)", "below ="),
]
