"""What is said about C code that cannot be run here."""

from __future__ import annotations

from typing import Any, NoReturn, TextIO

from gpusim.importing.errors import NotSimulatedError


class CompileException(Exception):
    """A source that CUDA's compiler refuses.

    Attributes
    ----------
    source, name : str
    options : tuple of str
    backend : str
    """

    def __init__(self, msg: str, source: str, name: str, options: Any, backend: str = "nvrtc"):
        self._msg, self.source, self.name, self.options, self.backend = msg, source, name, options, backend
        super().__init__()

    def __reduce__(self):
        return type(self), (self._msg, self.source, self.name, self.options, self.backend)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return self.get_message()

    def get_message(self) -> str:
        """The compiler's words."""
        return self._msg

    def dump(self, f: TextIO) -> None:
        """Write the message and the numbered source."""
        lines = self.source.split("\n")
        width = len(str(len(lines)))
        f.write(f"{self.backend.upper()} compilation error: {self}\n-----\nName: {self.name}\n")
        f.write(f"Options: {' '.join(self.options)}\nCUDA source:\n")
        for number, line in enumerate(lines, 1):
            f.write(f"{number:0{width}d} {line.rstrip()}\n")
        f.write("-----\n")
        f.flush()


CompileException.__module__ = "cupy.cuda.compiler"  # where CuPy has it


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
    bare : bool
        Whether NVRTC gets it without a header: those of the host are not there then.
    included : set of str
        The headers that it includes.
    """

    separate = bare = False

    def __init__(self, text: str, name: str, filename: str | None = None, shown: str | None = None):
        self.text, self.name, self.shown = text, name, text if shown is None else shown
        self.filename = filename or f"<C code of {name}>"
        self.lines = self.shown.splitlines()
        self.included: set[str] = set()

    def line(self, number: int) -> str:
        """A line's text, stripped."""
        return self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""

    def wrong(self, message: str, line: int, instead: str | None = None, *, ends: bool = False) -> NoReturn:
        """Raise what CuPy raises for code that CUDA's compiler refuses; `instead` says what works.

        `ends` stands for the errors after which the compiler reads no further: a header that is not there, and `#error`.

        Raises
        ------
        CompileException
        """
        error = "catastrophic error" if ends else "error"
        said = (
            f"{self.filename}({line}): {error}: {message}\n    {self.line(line)}\n\n"
            f"1 {error} detected in the compilation." + "\nCompilation terminated." * ends
        )
        refused = CompileException(said, self.text, self.name, (), "nvrtc")
        if instead:
            refused.add_note(instead)
        raise refused

    def refuse(self, what: str, line: int, nearest: str | None = None) -> NoReturn:
        """Raise for what CUDA's compiler takes and this one does not.

        Raises
        ------
        NotSimulatedError
        """
        shown = self.line(line)
        where = f"Line {line} of {self.name}: `{shown}`." if shown else f"Line {line} of {self.name}."
        raise NotSimulatedError(f"{what} in a kernel's C++ code", nearest, where)
