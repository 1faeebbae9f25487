"""Short programs as a working user writes them; what the real library does with each was written down before it was run here.

In `first.txt` and `second.txt` a program begins at ``===``, with its library and its title. Behind ``-->`` stands the value of its
last expression, as an expression itself, or the names of the errors that it may end in. `tolist()` and rounding keep the values plain.
"""

import ast
import linecache
import math
import re
from pathlib import Path

import numpy as np
import pytest

TEXT = "".join((Path(__file__).parent / name).read_text() for name in ("first.txt", "second.txt"))
PROGRAMS = {
    title: (code, label) for title, code, label in re.findall(r"(?m)^=== (.*)\n((?:(?!===).*\n)*?)--> (.*)$", TEXT)
}
KNOWN = {
    "raw: attributes": "registers are refused by name",
    "raw: more shared memory than usual": "bytes of local memory are refused by name",
    "numba: C++ linked into a kernel": "refused by name",
    "numba: an overload for kernels": "numba.cuda.extending is refused by name",
    "numba: ask what was compiled": "there is no PTX without NVIDIA's compiler",
    "cupy: a graph of work": "capture is refused by name",
}
"""Programs that do something else here, and what."""
ERROR = re.compile(r"[A-Z]\w*(Error|Invalid|Exception)")


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


def agree(got, expected) -> bool:
    """Whether two plain values are the same, but for rounding."""
    if isinstance(expected, tuple | list):
        return isinstance(got, tuple | list) and len(got) == len(expected) and all(map(agree, got, expected))
    if isinstance(expected, float | complex) and not isinstance(got, bool | str | list | tuple | type(None)):
        return got == pytest.approx(expected, rel=1e-6, abs=1e-9, nan_ok=True)
    return bool(got == expected)


def test_every_program_has_a_label():
    assert len(PROGRAMS) == TEXT.count("\n=== ") + 1 == 318


@pytest.mark.large(smoke=8)
@pytest.mark.parametrize(
    "title",
    [pytest.param(t, marks=pytest.mark.xfail(strict=True, reason=KNOWN[t])) if t in KNOWN else t for t in PROGRAMS],
)
def test_a_fresh_program(standins, monkeypatch, title):
    monkeypatch.delenv("GPUSIM_TRACE")
    code, label = PROGRAMS[title]
    got = result(code, title)
    names = label.split(" | ")
    if ERROR.fullmatch(names[0]):
        assert isinstance(got, Exception), got
        assert {kind.__name__ for kind in type(got).__mro__} & set(names), got  # what `except` catches
    else:
        expected = eval(label, {"math": math, "np": np})
        if isinstance(got, Exception):
            raise got
        assert agree(got, expected), got
