"""``python -m gpusim SCRIPT``: run a program as ``python`` would, with a GPU or with the simulated libraries in place.

    python -m gpusim script.py arguments…
    python -m gpusim -m module arguments…
    python -m gpusim -c "code" arguments…

What was found is said on stderr; stdout, exit status and tracebacks are the program's own.
"""

import sys

from gpusim import running
from gpusim.start import start

USAGE = """\
usage: python -m gpusim SCRIPT [argument ...]
       python -m gpusim -m MODULE [argument ...]
       python -m gpusim -c CODE [argument ...]

Runs a Python program as `python` would. Where no GPU works, cupy and its like compute on this CPU, here and in all
processes that the program starts. GPUSIM_SIMULATE=1 asks for that where a GPU works."""

if __name__ == "__main__":
    running.main(sys.argv[1:], start, "gpusim", USAGE)
