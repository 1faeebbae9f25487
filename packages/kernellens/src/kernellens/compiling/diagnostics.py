"""What the real compiler refuses, in the learner's words, with the line of the kernel it is about."""

from __future__ import annotations

import linecache
import os
import re

from gpusim.kernels.faults import UncompilableError

from .kernel_data import Carried

_PLACE = re.compile(r'File "([^"]*)", line (\d+)')
_AT = re.compile(r"(?:\bat|Raised from) (\S.*) \((\d+)\)\s*$", re.M)
_MISSING = re.compile(r"No implementation of function Function\(<(?:built-in )?function ([\w.]+)")
_UNTYPED = re.compile(r"Untyped global name '(\w+)'")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_SHARED_DATA = re.compile(
    r"uses too much shared data \((0x[0-9a-f]+) bytes(?: \+ 0x[0-9a-f]+ bytes system)?, (0x[0-9a-f]+) max"
)
_CONSTANT_DATA = re.compile(r"uses too much global constant data \((0x[0-9a-f]+) bytes, (0x[0-9a-f]+) max")

_SAYINGS = (
    # What the compiler says, and what the one who wrote the kernel wants to hear.
    (
        re.compile(r"Unknown attribute '(?:append|extend|pop|insert)'|list\(|reflected list|Unsupported use of.*list"),
        "a kernel has no lists: use an array of a fixed size, cuda.local.array or cuda.shared.array.",
    ),
    (
        re.compile(r"op_BUILD_MAP|DictType|dict\(|Use of unsupported opcode \(BUILD_MAP|MAP_ADD"),
        "a kernel has no dictionaries: use arrays.",
    ),
    (
        re.compile(
            r"cuda\.(?:shared|local)\.array|shape.*(?:constant|literal)|must be.*(?:compile.time|constant)", re.I
        ),
        "the shape of a shared or local array must be a constant: a number, or a global that is one, not an argument.",
    ),
    # What numba-cuda 0.30.4 comes to when a device function calls itself: its code library cannot refer to what is not made yet.
    (
        re.compile(r"insert_unresolved_ref"),
        "a device function calls itself, which Numba cannot compile for a GPU: write it as a loop, with a local array as its stack.",
    ),
    (re.compile(r"must have void return type"), "a kernel returns nothing: write the result into an array argument."),
)


def explain(carried: Carried, kernel: str, answer: dict) -> UncompilableError:
    """Return the fault that a refusal of the helper process is.

    Parameters
    ----------
    carried : Carried
        What was sent: the functions whose lines it may be about.
    kernel : str
        Its name.
    answer : dict
        With ``text`` and ``types``, the names of the exception's classes.
    """
    text = _COLOURS.sub("", answer["text"])
    fields: dict[str, object] = {"kernel": kernel, "filename": carried.places[0][1], "original": text}
    found = _place(carried, text, answer["places"])
    if found is not None:
        name, filename, first, line = found
        fields |= {
            "filename": filename,
            "line": line - first + 1,
            "file_line": line,
            "source_line": linecache.getline(filename, line).strip() or None,
        }
        if name != kernel:
            fields["function"] = name
    untyped = _UNTYPED.search(text)
    if untyped and untyped[1] in carried.imported:
        whole = f"cuda.{carried.imported[untyped[1]]}"
        said = f"{untyped[1]} was imported by its name, and Numba knows it only as {whole}: write that, after `from numba import cuda`."
    else:
        said = _words(text, answer["types"])
    return UncompilableError(f"The GPU's compiler refuses this: {said}", **fields)


def _words(text: str, types: list[str]) -> str:
    if match := _SHARED_DATA.search(text):
        asked, most = (int(number, 16) for number in match.groups())
        return (
            f"it asks for {asked} bytes of static shared memory, and a block can have {most}: make the tile smaller or its "
            "dtype narrower."
        )
    if match := _CONSTANT_DATA.search(text):
        asked, most = (int(number, 16) for number in match.groups())
        return f"its cuda.const arrays take {asked} bytes, and constant memory has {most}: pass the larger ones as arguments."
    if "ptxas" in text:
        said = re.findall(r"ptxas (?:error|fatal)\s*: (.*)", text)
        return f"the assembler says: {(said or text.strip().splitlines())[0].strip()}"
    if "Only accept returning of array passed into the function" in text:
        made = _MISSING.search(text)
        return (
            f"{made[1] if made else 'something in it'} makes a new array, which a kernel cannot: a GPU's threads have no memory "
            "to take it from. Use cuda.local.array or cuda.shared.array, or pass an array in and write a loop."
        )
    from gpusim.kernels.backends.numba import diagnostics  # Numba's import takes a second

    said = _AT.sub("", diagnostics.words(text)).strip().rstrip(".")
    for pattern, meaning in _SAYINGS:
        if pattern.search(said) or ("NumbaError" not in types and pattern.search(text)):
            return meaning if pattern.pattern.startswith("must have void") else f"{said}: {meaning}"
    return f"{said}."


def _place(carried: Carried, text: str, places: list[tuple[str, int]]) -> tuple[str, str, int, int] | None:
    """The place in one of the functions that an error is about: in a device function, if it names one."""
    found = []
    for filename, number in [*_PLACE.findall(text), *_AT.findall(text), *reversed(places)]:
        line = int(number)
        for index, (name, of, first, last) in enumerate(carried.places):
            if os.path.basename(of) == os.path.basename(filename) and first <= line <= last:
                found.append((index, (name, of, first, line)))
    return next((place for index, place in found if index), None) or (found[-1][1] if found else None)
