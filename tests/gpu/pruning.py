"""CUDA libraries made small for one known GPU: the device code of other architectures in an ELF's `.nv_fatbin` is zeroed.

Sizes and offsets stay, so that the file packs small.  For tests on one machine, never shipped; what a pruned library does is shown by the
probe's first kernel.
"""

from __future__ import annotations

import struct
from pathlib import Path

MAGIC = 0xBA55ED50
CUBIN = 2


def prune(file: Path, keep: set[int]) -> tuple[int, int]:
    """Zero in place what is for none of the architectures in `keep` (such as 90); return bytes zeroed, and bytes of the file.

    A container that has nothing for any of them is left alone: PTX or LTO, which is compiled where it runs.
    """
    data = bytearray(file.read_bytes())
    zeroed = 0
    for start, end in _sections(data, ".nv_fatbin"):
        at = start
        while at < end - 16:
            if struct.unpack_from("<I", data, at)[0] != MAGIC:
                at += 8
                continue
            _, head, size = struct.unpack_from("<HHQ", data, at + 4)
            entries = list(_entries(data, at + head, at + head + size))
            if {arch for kind, arch, _, _ in entries if kind == CUBIN} & keep:
                for kind, arch, offset, length in entries:
                    if kind != CUBIN or arch not in keep:
                        data[offset : offset + length] = bytes(length)
                        zeroed += length
            at += head + size
    if zeroed:
        file.write_bytes(data)
    return zeroed, len(data)


def _entries(data: bytearray, at: int, end: int):
    """(kind, architecture, offset, bytes) of each image of a container."""
    while at < end:
        kind, _, head, size = struct.unpack_from("<HHIQ", data, at)
        (arch,) = struct.unpack_from("<I", data, at + 28)
        yield kind, arch, at + head, size
        at += head + size


def _sections(data: bytearray, wanted: str):
    """(first byte, byte after the last) of each section of that name in a 64-bit ELF; none in any other file."""
    if data[:5] != b"\x7fELF\x02":
        return
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * size) for i in range(count)]
    if not sections:
        return
    strings = sections[names][4]
    for section in sections:
        first = strings + section[0]
        if bytes(data[first : data.index(0, first)]).decode() == wanted:
            yield section[4], section[4] + section[5]
