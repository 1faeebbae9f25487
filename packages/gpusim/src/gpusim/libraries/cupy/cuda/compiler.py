"""What CUDA's compiler refuses; CuPy's own compiling is not simulated, its kernels are (see ``_c_kernels``)."""

from __future__ import annotations

import re
from typing import Any, TextIO


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


class JitifyException(Exception):
    """What CuPy's use of Jitify raises; nothing here does."""


def is_valid_kernel_name(name: str) -> bool:
    """Whether C takes a name for a kernel."""
    return re.match("^[a-zA-Z_][a-zA-Z_0-9]*$", name) is not None
