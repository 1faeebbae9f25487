"""What is said about C code that cannot be run here."""

from __future__ import annotations

from typing import NoReturn

from gpusim.importing.errors import NotSimulatedError


class Code:
    """A piece of CUDA C++ with its lines, for messages.

    Attributes
    ----------
    text : str
    name : str
        What a message calls it: the kernel's name.
    filename : str
    shown : str
        The text that messages show: another than `text` where that was made from Python.
    separate : bool
        Whether it is compiled to be linked, without which a kernel may launch none.
    """

    separate = False

    def __init__(self, text: str, name: str, filename: str | None = None, shown: str | None = None):
        self.text, self.name, self.shown = text, name, text if shown is None else shown
        self.filename = filename or f"<C code of {name}>"
        self.lines = self.shown.splitlines()

    def line(self, number: int) -> str:
        """A line's text, stripped."""
        return self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""

    def wrong(self, message: str, line: int) -> NoReturn:
        """Raise what CuPy raises for code that CUDA's compiler refuses.

        Raises
        ------
        CompileException
        """
        from ..cuda.compiler import CompileException

        said = (
            f"{self.filename}({line}): error: {message}\n    {self.line(line)}\n\n1 error detected in the compilation."
        )
        raise CompileException(said, self.text, self.name, (), "nvrtc")

    def refuse(self, what: str, line: int, nearest: str | None = None) -> NoReturn:
        """Raise for what CUDA's compiler takes and this one does not.

        Raises
        ------
        NotSimulatedError
        """
        shown = self.line(line)
        where = f"Line {line} of {self.name}: `{shown}`." if shown else f"Line {line} of {self.name}."
        raise NotSimulatedError(f"{what} in a kernel's C++ code", nearest, where)
