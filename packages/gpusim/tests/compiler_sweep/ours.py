"""Ask the simulator which kernels of a module it takes: `python ours.py MODULE TYPES`.  Each answer is a line, as `real.py` gives it.

It compiles each kernel, but not the loops around it, which are the same for all: with ``NUMBA_OPT=0`` that takes a twentieth of a
second.
"""

import importlib.util
import json
import os
import sys

import gpusim

gpusim.activate()

import numpy as np  # noqa: E402
from numba import typeof  # noqa: E402
from numba.core import errors, types  # noqa: E402

from gpusim.kernels.backends import numpy as interpreted  # noqa: E402
from gpusim.kernels.backends.numba import compile as compiler  # noqa: E402
from gpusim.kernels.backends.numba import diagnostics  # noqa: E402
from gpusim.kernels.backends.numba.waiting import CannotCompile  # noqa: E402
from gpusim.kernels.frontend.python import resolve  # noqa: E402

PLACE = (types.UniTuple(types.int32, 13), types.int64)
"""The types of what every rewritten kernel is given first."""


def compiled(function, arguments):
    """Compile a kernel, or let the interpreter type what cannot be compiled here; raises what is refused."""
    try:
        made = compiler.prepare(function, compiler.Options(beyond="tell"))
        made.thread.compile((*PLACE, *map(typeof, arguments)))
    except (CannotCompile, NotImplementedError):
        interpreted.compile_kernel(function, interpreted.argument_types(function, arguments))
        return
    except diagnostics.Refused as refused:
        raise refused.args[0] from None
    except errors.NumbaError as error:
        raise diagnostics.explain(made.functions, made.function, error) from None
    diagnostics.check(made.dispatchers, made.function)


def ask(kernel, v, w):
    """Nothing where a kernel is taken, else the error's name and words."""
    one, other = (np.dtype("bool" if name == "boolean" else name) for name in (v, w))
    arguments = (np.zeros(4, one), np.zeros(4, other), one.type(1), other.type(1), np.zeros(4, np.int64))
    try:
        function = resolve.function(kernel)
        if os.environ.get("GPUSIM_KERNELS") == "interpreted" or one == np.float16:  # as a launch has it
            interpreted.compile_kernel(function, interpreted.argument_types(function, arguments))
        else:
            compiled(function, arguments)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def main():
    spec = importlib.util.spec_from_file_location("swept", sys.argv[1])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with open(sys.argv[2]) as file:
        asked = json.load(file)
    for n, v, w in asked:
        print(n, json.dumps(ask(getattr(module, f"k{n}"), v, w)), flush=True)


main()
