"""The real compiler, without a GPU: registers, memory, PTX and occupancy of a kernel, and what the compiler refuses.

`argument_types` arguments as types
`kernel_data` a kernel and what it refers to, as data for another process
`helper`     that process, which holds the real numba.cuda (`child`, run as a program)
`ptxas`      the assembler's account as numbers
`cubin`      machine code: its sections, its instructions
`diagnostics` refusals in the learner's words
`entry`      `compile`: all of it; `result`, what that returns
"""

from .entry import compile
from .helper import CompilerError, CompilerTimeoutError, Helper
from .result import Compiled, NotCompiledError

__all__ = ["Compiled", "CompilerError", "CompilerTimeoutError", "Helper", "NotCompiledError", "compile"]
