"""The course's packages: which of them are installed here, and the command that installs a variant of them."""

from __future__ import annotations

import os
import sys

from gpusim.hardware import packages
from hundredfold import paths

LAB_PACKAGES = ("hundredfold", "numpy", "numba", "pandas", "dask", "distributed", "bokeh", "jupyterlab", "ipykernel")
"""What the lab cannot do without."""


def installed(path: list[str] | None = None) -> dict[str, str]:
    """Return the versions of the GPU libraries' packages and of the lab's that are installed; nothing is imported.

    `path` lists folders to look in instead of this interpreter's own: another environment's site-packages.
    """
    return packages.installed((*packages.GPU_PACKAGES, *LAB_PACKAGES), path)


def setup_command(variant: str, afresh: bool = False) -> str:
    """Return the command that installs a variant here: by the checkout's Makefile, or by pip where there is no checkout.

    `afresh` removes the environment first, for when packages have overwritten each other's files.
    """
    if paths.repository() is not None:
        return ("rm -rf .venv && " if afresh else "") + f"make setup EXTRA={variant}"
    python = os.path.basename(sys.executable or "python")
    force = " --force-reinstall" if afresh else ""
    return f'{python} -m pip install{force} "hundredfold[{variant}]"'


packages.install_by(setup_command)
