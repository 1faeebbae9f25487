"""Get a Python process ready for the course: what `gpusim.start` does, with what the course needs and says.

``%load_ext hundredfold`` (`notebook.extension`) and ``python -m hundredfold`` (`__main__`) both begin here.
"""

from __future__ import annotations

import os

from gpusim.start import CannotStartError, Speaker
from gpusim.start import start as begin
from gpusim.variables import RenamedVariableError

# What it says about packages of the GPU libraries names the course's own command.
from hundredfold.setup import packages as packages
from kernellens.variables import refuse

__all__ = ["CannotStartError", "start"]

SPEAKER = Speaker(
    name="Hundredfold",
    needed=("numpy", "scipy", "pandas", "numba", "dask", "distributed", "bokeh"),
    lacking="in the notebook's kernel menu choose the kernel 'Python 3 (ipykernel)' of the lab that `make lab` starts.",
    too_early="restart the kernel and run `%load_ext hundredfold` first.",
    doctor="hundredfold doctor",
)


def start() -> str:
    """Get this process ready and return the line that says what was found and what to expect.

    Where a GPU works, nothing is replaced.  Where none does, or where GPUSIM_SIMULATE asks for it, the simulated libraries are put
    in place here and in all processes started from here.  No CUDA context is made.

    Raises
    ------
    CannotStartError
        If a package is missing, if a GPU works here but its packages do not fit, if a library was imported too early, or
        if a setting cannot be understood.
    """
    try:
        refuse()
    except RenamedVariableError as error:
        raise CannotStartError(f"{SPEAKER.name}: {error}") from None
    line = begin(SPEAKER)
    if os.environ.get("HUNDREDFOLD_SEAT_MEMORY"):  # a hub's seat on a GPU
        from hundredfold.classroom.seats import rmm

        rmm.apply()
    return line
