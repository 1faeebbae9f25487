"""Ask NVRTC which kernels it compiles: `python cpp_real.py [FOLDER OF HEADERS]`, with a JSON list on standard input, `[text before them, [a line each]]`.

The answer is a JSON list with what it says of each, empty where it takes the kernel.
"""

# pyright: reportMissingImports=false

import ctypes
import importlib.util
import json
import re
import sys
from pathlib import Path

from cuda.bindings import nvrtc

(nvidia,) = importlib.util.find_spec("nvidia").submodule_search_locations
INCLUDED = [f"-I{nvidia}/cu13/include{more}".encode() for more in ("", "/cccl")] + [
    f"-I{given}".encode() for given in sys.argv[1:]
]
"""Options that name the folders of CUDA's headers, and of those that the command names."""
MOST = 90
"""Kernels of one compilation: NVRTC gives up after a hundred errors."""


def log(code: str) -> str:
    """What NVRTC says of a program."""
    _, program = nvrtc.nvrtcCreateProgram(code.encode(), b"k.cu", 0, [], [])
    options = [b"--gpu-architecture=compute_90", b"--device-as-default-execution-space", *INCLUDED]
    nvrtc.nvrtcCompileProgram(program, len(options), options)
    said = b" " * nvrtc.nvrtcGetProgramLogSize(program)[1]
    nvrtc.nvrtcGetProgramLog(program, said)
    return said.decode().strip("\0")


def main() -> None:
    for found in sorted(Path(nvidia).glob("*/lib/libnvrtc-builtins.so*")):
        ctypes.CDLL(str(found), mode=ctypes.RTLD_GLOBAL)
    before, lines = json.load(sys.stdin)
    told = [""] * len(lines)
    for start in range(0, len(lines), MOST):
        part = range(start, min(start + MOST, len(lines)))
        again = True
        while again:  # what is wrong in a template of a header is told once, of the first line that uses it
            said = log(before + "\n".join("" if told[k] else lines[k] for k in part))
            again = False
            for message in re.split(r"(?m)^(?=\S+\(\d+\): (?:catastrophic )?error)", said):
                if "catastrophic" in message and "cannot open source file" in message:
                    told = ["no such header"] * len(lines)
                elif found := re.match(r"(\S+)\((\d+)\): (?:catastrophic )?error(?: #\d+)?: (.*)", message):
                    own = found[1] == "k.cu"  # of a template: its place, and that of its use
                    used = map(
                        int, re.findall(r"at line (\d+)(?!\d| of)" if own else r"at line (\d+) of k\.cu", message)
                    )
                    number = max([int(found[2])] * own + [*used], default=0) - before.count("\n") - 1
                    assert 0 <= number < len(part), message
                    again |= not own and not told[start + number]
                    told[start + number] = told[start + number] or found[3]
    json.dump(told, sys.stdout)


main()
