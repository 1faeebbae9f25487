"""Short programs as a working user writes them; what the real library does with each was written down before it was run here.

In each text file a program begins at ``===``, with its library and its title. Behind ``-->`` stands the value of its last expression,
as an expression itself, or the names of the errors that it may end in, with a part of the message behind a colon. `tolist()` and
rounding keep the values plain. Behind ``# finds`` stand the kinds of mistakes in kernels that have to be found; without it none may
be. A program called ``script`` runs in a process of its own, by `python -m gpusim`, and what it prints is its value.
"""

import ast
import gc
import importlib
import linecache
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gpusim.kernels import reported

TEXT = "".join(
    (Path(__file__).parent / f"{name}.txt").read_text()
    for name in ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
)
PROGRAMS = {
    title: (code, label) for title, code, label in re.findall(r"(?m)^=== (.*)\n((?:(?!===).*\n)*?)--> (.*)$", TEXT)
}
KNOWN = {
    "raw: attributes": "registers need the real compiler",
    "raw: more shared memory than usual": "bytes of local memory need the real compiler",
    "raw: attributes of a kernel": "registers need the real compiler",
    "raw: a recursive device function": "recursion is refused by name",
    "numba: C++ linked into a kernel": "refused by name",
    "numba: an overload for kernels": "numba.cuda.extending is refused by name",
    "numba: ask what was compiled": "there is no PTX without NVIDIA's compiler",
    "raw: whole numbers of 64 bits read as 32": "refused with both types; a GPU reads the bits",
    "cupyx: distances without the library for them": "they are computed, as with cuVS",
}
"""Programs that do something else here, and what."""
ERROR = re.compile(r"[A-Z]\w*(Error|Invalid|Exception)( \| \w+)*(: .*)?")


def as_in_a_new_process(code: str):
    """Let CuPy and Numba take memory as where a program begins: the import of cuDF or cuML gives both RMM's for the rest of a process."""
    cupy = importlib.import_module("cupy")
    cupy.cuda.set_allocator(cupy.get_default_memory_pool().malloc)
    importlib.import_module("numba.cuda._memory").source = None
    if "cudf" in code or "cuml" in code:
        importlib.import_module("cudf")._use_rmm("cupy", "numba.cuda")
    gc.collect()  # arrays of the program before


def result(code: str, title: str):
    """The value of a program's last expression, or the name of its error's class."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    scope = {"__name__": "fresh"}
    name = f"<{title}>"
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    try:
        exec(compile(tree, name, "exec"), scope)
        return eval(compile(ast.Expression(last.value), name, "eval"), scope) if last is not None else None
    except Exception as error:
        return error


def printed(code: str, folder: Path):
    """What a program prints in a process of its own, or the last line of its error."""
    script = folder / "program.py"
    script.write_text(code)
    done = subprocess.run(
        [sys.executable, "-m", "gpusim", script], cwd=folder, capture_output=True, text=True, timeout=300
    )
    return RuntimeError(done.stderr) if done.returncode else done.stdout


def agree(got, expected) -> bool:
    """Whether two plain values are the same, but for rounding."""
    if isinstance(expected, tuple | list):
        return isinstance(got, tuple | list) and len(got) == len(expected) and all(map(agree, got, expected))
    if isinstance(expected, float | complex) and not isinstance(got, bool | str | list | tuple | type(None)):
        return got == pytest.approx(expected, rel=1e-6, abs=1e-9, nan_ok=True)
    return bool(got == expected)


def test_every_program_has_a_label():
    assert len(PROGRAMS) == TEXT.count("\n=== ") + 1 == 1209


@pytest.mark.large(smoke=8)
@pytest.mark.parametrize(
    "title",
    [pytest.param(t, marks=pytest.mark.xfail(strict=True, reason=KNOWN[t])) if t in KNOWN else t for t in PROGRAMS],
)
@pytest.mark.filterwarnings("ignore::gpusim.kernels.reported.KernelWarning")
def test_a_fresh_program(simulated_libraries, monkeypatch, tmp_path, title):
    monkeypatch.delenv("GPUSIM_TRACE")
    code, label = PROGRAMS[title]
    label, _, kinds = label.partition(" # finds ")
    as_in_a_new_process(code)
    reported.reports.clear()
    reported._seen.clear()
    got = printed(code, tmp_path) if title.startswith("script") else result(code, title)
    found = {each.kind for each in reported.reports if each.severity == "error"}
    if ERROR.fullmatch(label):
        names, _, words = label.partition(": ")
        assert isinstance(got, Exception), got
        assert {kind.__name__ for kind in type(got).__mro__} & set(names.split(" | ")), got  # what `except` catches
        assert words.lower() in str(got).lower()
    else:
        if isinstance(got, Exception):
            raise got
        assert agree(got, eval(label, {"math": math, "np": np})), got
        assert found == set(kinds.split())
