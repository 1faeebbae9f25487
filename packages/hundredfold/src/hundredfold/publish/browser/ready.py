"""Get a Python without Numba's compiler ready: Pyodide's, in a browser."""

from __future__ import annotations

import os

import gpusim
from gpusim.importing import finder

#: What would stand on pandas, SciPy or Dask, which the page's Python lacks.
ABSENT = ("cudf", "cuml", "cupyx", "dask_cuda", "dask_cudf", "pylibcudf", "rmm")
_SETTINGS = {
    "GPUSIM_SIMULATE": "1",
    "GPUSIM_KERNELS": "interpreted",
    # A browser gives a page some two gigabytes in all, and says neither how many nor when it is enough.
    "GPUSIM_GPU_MEMORY": "512MB",
}


def ready() -> None:
    """Put the stand-ins in place, and one for Numba itself; for the whole process."""
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    for name in ABSENT:
        finder.STANDINS.pop(name, None)
        finder.REFUSED[name] = "It is not on this page; the lab on a computer has it."
    finder.without_numba()
    gpusim.activate()
