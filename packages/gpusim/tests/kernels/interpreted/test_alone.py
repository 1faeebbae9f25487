"""It needs NumPy and nothing else."""

import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[3] / "src"

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
for name in ("numba", "llvmlite", "numba_cuda", "scipy", "pandas"):
    sys.modules[name] = None  # importing it raises
import numpy as np
from gpusim.kernels.backends import numpy as interpreted; from gpusim.kernels.frontend import intrinsics; from gpusim.kernels.frontend.python import resolve

from types import ModuleType
cuda = ModuleType("cuda")
vars(cuda).update(intrinsics.TOP)


def kernel(x, out):
    kept = cuda.shared.array(64, np.float64)
    i = cuda.grid(1)
    kept[i % 64] = x[i] ** 2
    cuda.syncthreads()
    out[i] = kept[63 - i % 64]


x, out = np.arange(640.0), np.zeros(640)
interpreted.run(resolve.function(kernel), (10, 1, 1), (64, 1, 1), (x, out))
assert (out.reshape(10, 64)[:, ::-1].ravel() == x**2).all()
print("fine")
"""


def test_no_numba_is_needed(tmp_path):
    program = tmp_path / "alone.py"
    program.write_text(PROGRAM)
    command = [sys.executable, str(program), str(SOURCE)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "fine\n"
