"""A kernel's machine code: the sections of its ELF file, and its instructions in words."""

from __future__ import annotations

import re
import struct
import subprocess
import tempfile
from pathlib import Path

CONSTANTS = ".nv.constant3"
"""The section, and bank, of a program's own constants, as ptxas of CUDA 13 names it."""


def sections(code: bytes) -> dict[str, int]:
    """Return the size in bytes of each section of a 64-bit ELF file, by name.

    Raises
    ------
    ValueError
        If it is none.
    """
    if code[:6] != b"\x7fELF\x02\x01":
        raise ValueError("This is no 64-bit little-endian ELF file, as machine code for a GPU is.")
    start, size, number, names = struct.unpack_from("<Q10xHHH", code, 40)
    headers = [struct.unpack_from("<IIQQQQ", code, start + k * size) for k in range(number)]
    text = headers[names][4]
    return {_name(code, text + header[0]): header[5] for header in headers}


def disassemble(code: bytes, entry: str, program: str) -> str:
    """Return the instructions of one kernel, as ``nvdisasm`` writes them.

    Parameters
    ----------
    code : bytes
    entry : str
        Its name.
    program : str
        Path of ``nvdisasm``.

    Raises
    ------
    RuntimeError
        If the program fails.
    """
    with tempfile.TemporaryDirectory(prefix="kernellens-sass-") as folder:
        path = Path(folder, "kernel.cubin")
        path.write_bytes(code)
        done = subprocess.run([program, "-c", str(path)], capture_output=True, text=True, check=False, timeout=120)
    if done.returncode:
        raise RuntimeError(f"nvdisasm failed: {done.stderr.strip() or done.returncode}")
    parts = re.split(r"^//-+ (\.\S+)\s+-+\n", done.stdout, flags=re.M)
    for name, part in zip(parts[1::2], parts[2::2], strict=True):
        if name == f".text.{entry}":
            return "\n".join(line.rstrip() for line in part.strip().splitlines())
    return done.stdout


def _name(code: bytes, start: int) -> str:
    return code[start : code.index(b"\0", start)].decode()
