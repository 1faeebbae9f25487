"""``python -m hundredfold SCRIPT``: run a program as ``python`` would, with a GPU or with the simulated libraries in place.

    python -m hundredfold script.py arguments…
    python -m hundredfold -m module arguments…
    python -m hundredfold -c "code" arguments…

What was found is said on stderr; stdout, exit status and tracebacks are the program's own.
"""

import sys

from gpusim import running
from hundredfold.start import start

USAGE = """\
usage: python -m hundredfold SCRIPT [argument ...]
       python -m hundredfold -m MODULE [argument ...]
       python -m hundredfold -c CODE [argument ...]

Runs a Python program as `python` would. Where no GPU works, cupy and its like compute on this CPU, here and in all
processes that the program starts. GPUSIM_SIMULATE=1 asks for that where a GPU works.
`hundredfold doctor` says what this machine can do, and which command fixes a problem."""

if __name__ == "__main__":
    commands = ("doctor", "build", "limits", "port", "try", "work")
    running.main(sys.argv[1:], start, "hundredfold", USAGE, commands)
