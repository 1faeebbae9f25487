"""Ask NVRTC which kernels it compiles: `python cpp_real.py`, with a JSON list on standard input, `[text before them, [a line each]]`.

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
INCLUDED = [f"-I{nvidia}/cu13/include{more}".encode() for more in ("", "/cccl")]
"""Options that name the folders of CUDA's headers."""
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
        part = lines[start : start + MOST]
        said, first = log(before + "\n".join(part)), before.count("\n") + 1
        for message in re.split(r"(?m)^(?=k\.cu\(\d+\): )", said):
            if "catastrophic" in message and "cannot open source file" in message:
                told = ["no such header"] * len(lines)
            elif found := re.match(r"k\.cu\((\d+)\): (?:catastrophic )?error(?: #\d+)?: (.*)", message):
                lines_named = [
                    int(found[1]),
                    *map(int, re.findall(r"at line (\d+)", message)),
                ]  # of a template, and of its use
                number = max(lines_named) - first
                assert 0 <= number < len(part), said
                told[start + number] = told[start + number] or found[2]
    json.dump(told, sys.stdout)


main()
