"""Ask numba-cuda, in an environment of its own, which kernels of a module it compiles: `python real.py MODULE TYPES`.

Each answer is a line: the kernel's number, and a JSON string that is empty where it compiles.
"""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false

import importlib.util
import json
import os
import sys
import warnings

import numba_cuda  # noqa: F401  (numba's own numba.cuda is another, older one)
from numba import cuda, types
from numba.cuda.cudadrv import devices

warnings.simplefilter("ignore")


class Context:
    """The device that numba-cuda is told is current, where a kernel calls what is compiled apart from it."""

    class device:
        name, id, compute_capability = b"a GPU that need not be there", 0, (9, 0)


devices._runtime.get_or_create_context = lambda number=None: Context


def ask(kernel, v, w):
    """Nothing where a kernel compiles, else the error's name and words."""
    one, other = (getattr(types, name) for name in (v, w))
    arrays = (types.Array(kind, 1, "C") for kind in (one, other))
    signature = (*arrays, one, other, types.Array(types.int64, 1, "C"))
    try:
        cuda.compile_ptx(kernel, signature, cc=(9, 0))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def main():
    spec = importlib.util.spec_from_file_location("swept", sys.argv[1])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with open(sys.argv[2]) as file:
        asked = json.load(file)
    said = os.dup(1)
    os.dup2(2, 1)  # what the compiler prints is no answer
    with os.fdopen(said, "w") as out:
        for n, v, w in asked:
            print(n, json.dumps(ask(getattr(module, f"k{n}"), v, w)), file=out, flush=True)


main()
