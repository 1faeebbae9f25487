"""The GPU that the lens speaks of where a call names none: the learner's choice, else this machine's, else an H200."""

from __future__ import annotations

from gpusim import hardware
from gpusim.hardware import gpus

DEFAULT = "H200"
"""The GPU of the course's own recordings, where this machine has none that is known."""

_chosen: gpus.GPU | None = None


def use_gpu(name: str | None) -> gpus.GPU:
    """Choose the GPU that bounds, estimates and accounts are made for from here on.

    Parameters
    ----------
    name : str or None
        Such as "A100" (`gpusim.hardware.gpus.names()`); None goes back to the default.

    Returns
    -------
    GPU

    Raises
    ------
    UnknownGpuError
        A KeyError that names the nearest known ones.
    """
    global _chosen
    _chosen = None if name is None else gpus.find(name)
    return chosen_gpu()


def chosen_gpu() -> gpus.GPU:
    """Return the chosen GPU: by default this machine's where its figures are known, else an H200."""
    if _chosen is not None:
        return _chosen
    if hardware.mode() == "gpu":
        try:
            return gpus.find(hardware.probe().usable[0].name)
        except (gpus.UnknownGpuError, IndexError):
            pass
    return gpus.find(DEFAULT)


def resolve(gpu: str | gpus.GPU | None) -> gpus.GPU:
    """Return the GPU that a call names, or the chosen one where it names none."""
    if gpu is None:
        return chosen_gpu()
    return gpu if isinstance(gpu, gpus.GPU) else gpus.find(gpu)
