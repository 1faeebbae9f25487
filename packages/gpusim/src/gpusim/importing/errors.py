"""What a simulated library raises for the parts of the real library that it does not have."""

from __future__ import annotations


class NotSimulatedError(NotImplementedError):
    """Something that works on a GPU and has no simulated version.

    Parameters
    ----------
    what : str
        What was asked for, as its user would write it: ``"cupy.cuda.nccl"``.
    nearest : str, optional
        The nearest thing that is simulated.
    note : str, optional
        A sentence to add.

    Attributes
    ----------
    what, nearest, note
        As given.
    """

    def __init__(self, what: str, nearest: str | None = None, note: str | None = None) -> None:
        self.what, self.nearest, self.note = what, nearest, note
        text = f"{what} needs a GPU: it is not simulated."
        if nearest:
            text += f" Nearest simulated: {nearest}."
        if note:
            text += f" {note}"
        super().__init__(text)

    def __reduce__(self):
        # The default would call the class with the whole sentence; this error crosses processes on Dask's workers.
        return type(self), (self.what, self.nearest, self.note)


class NotSimulatedAttribute(NotSimulatedError, AttributeError):
    """An attribute of a simulated library that is not simulated; an AttributeError, so that ``hasattr`` answers no."""


class NotSimulatedImport(NotSimulatedError, ModuleNotFoundError):
    """A module that is not simulated; a ModuleNotFoundError, so that code which can do without it goes on without it."""

    def __str__(self) -> str:
        # ImportError's own __str__ prints its `msg`, which nobody set.
        return str(self.args[0])
