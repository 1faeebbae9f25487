"""Put the simulated libraries in place, in this process and in those it starts."""

from __future__ import annotations

import os
import sys

from gpusim.variables import refuse_renamed

from . import finder


class TooLateError(RuntimeError):
    """A library was imported before its simulated version could take its name.

    Attributes
    ----------
    names : list of str
        The modules that are already there.
    """

    def __init__(self, names: list[str]) -> None:
        self.names = names
        super().__init__(
            f"{' and '.join(names)} {'was' if len(names) == 1 else 'were'} imported before the simulated libraries were in place: "
            "restart Python and activate them first."
        )


def active() -> bool:
    """Whether the simulated libraries are in place in this process."""
    return finder.installed() is not None


def already_imported() -> list[str]:
    """Return the simulated libraries whose real ones this process has imported, sorted."""
    there = (name for name in finder.SIMULATED if name in sys.modules and not finder.is_simulated(sys.modules[name]))
    return sorted(name for name in there if name not in finder.REPLACED_LATE)


def activate() -> None:
    """Put the simulated libraries in place, here and in every Python process started from here on.

    Exports GPUSIM_SIMULATE=1, which the ``.pth`` file of ours reads in child processes (of any kind, on any worker).
    A second call does nothing.

    Raises
    ------
    TooLateError
        If the real library was imported before.
    gpusim.variables.RenamedVariableError
        If a variable is set under its old name.
    """
    refuse_renamed()
    late = already_imported()
    if late:
        raise TooLateError(late)
    if os.environ.get("GPUSIM_SIMULATE", "") in ("", "0"):
        os.environ["GPUSIM_SIMULATE"] = "1"
    finder.install()
    _replace_late()


def _replace_late() -> None:
    """Let the simulated library take the place of a real module that was imported before, where that does no harm."""
    for name in finder.REPLACED_LATE:
        module = sys.modules.get(name)
        if module is not None and not finder.is_simulated(module):
            finder.displaced[name] = sys.modules.pop(name)
    nvml = sys.modules.get("distributed.diagnostics.nvml")
    if nvml is not None and getattr(nvml, "pynvml", None) is finder.displaced.get("pynvml") is not None:
        # It has asked for a driver already, perhaps, and remembers that there was none.
        import pynvml

        vars(nvml).update(pynvml=pynvml, NVML_STATE=nvml.NVMLState.UNINITIALIZED)
