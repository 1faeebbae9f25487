"""What the page *In the browser* runs, in a process that lacks what a browser lacks; the browser itself is in tests/site."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core import sigutils

from hundredfold.publish.browser import kernels

OFFERED = {program.name: program.code for program in kernels.offered()}
SIGNATURES = ("float32(float32, int64)", "void(float32[:], float64[:, ::1])", "int8(uint8[::1, :])", "(int32, boolean)")
GUARDED = OFFERED["guard"].replace("    out[i] = ", "    if i < x.size:\n        out[i] = ")
ATOMIC = OFFERED["race"].replace("counts[x[i]] += 1", "cuda.atomic.add(counts, x[i], 1)")
HASTY = OFFERED["sum"].replace("        cuda.syncthreads()\n        half", "        half")
ORDERED = OFFERED["smooth"].replace("i, j = cuda.grid(2)", "j, i = cuda.grid(2)")
PADDED = OFFERED["transpose"].replace("(32, 32), float32", "(32, 33), float32")
TRACES = """\
import numpy as np
from numba import cuda

from hundredfold import lens


@cuda.jit
def one(x):
    x[cuda.grid(1)] = 1


@cuda.jit
def other(x):
    if cuda.grid(1) > 3:
        x[0] = 1
        cuda.syncthreads()


for threads in (32, 64, 96):
    lens.trace(one, 1, threads, np.zeros(96))
seen = lens.trace(other, 1, 32, np.zeros(96))
"""
DEVICE = """\
import numpy as np
from numba import cuda


@cuda.jit(device=True)
def put(x, i):
    x[i] = 1


@cuda.jit
def kernel(x):
    put(x, cuda.grid(1))


kernel[1, 32](np.zeros(30))
"""
OTHERS = {
    "guarded": GUARDED,
    "atomic": ATOMIC,
    "hasty": HASTY,
    "ordered": ORDERED,
    "padded": PADDED,
    "syntax": "x = 1\ny = = 2\n",
    "absent": "import pandas\n",
    "cudf": "import cudf\n",
    "njit": "from numba import njit\n\n@njit\ndef f(x):\n    return x\n\nprint(f(1))\n",
    "device": "import numba, numpy as np\nfrom numba import cuda\n@numba.njit\ndef twice(x):\n    return 2 * x\n@cuda.jit('void(int64[:])')\n"
    "def k(x):\n    x[0] = twice(x[0])\nx = np.array([21])\nk[1, 1](x)\nx[0]\n",
    "signatures": f"from numba.core.sigutils import normalize_signature\nfor each in {SIGNATURES!r}:\n    print(*normalize_signature(each))\n",
    "vectorized": "import numba, numpy as np\n@numba.vectorize(['float32(float32, float32)'], target='cuda')\ndef b(x, y):\n"
    "    return min(x * y, np.float32(1))\nprint(b(np.full(3, 0.5, np.float32), np.float32(3)))\n",
    "traces": TRACES,
    "device function": DEVICE,
    "after": "print('still here')\n",
}


@pytest.fixture(scope="module")
def told():
    programs = OFFERED | OTHERS
    child = Path(__file__).parent / "child.py"
    done = subprocess.run(
        [sys.executable, str(child)],
        input=json.dumps([*programs.values()]),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return dict(zip(programs, json.loads(done.stdout), strict=True))


def line_of(code, text):
    return next(k for k, line in enumerate(code.splitlines(), start=1) if text in line)


def findings(result):
    return [(each["kind"], each["line"]) for picture in result["pictures"] for each in picture["findings"]]


def test_a_kernel_without_a_fault_is_drawn(told):
    result = told["elements"]
    assert result["error"] is None and not findings(result)
    assert result["printed"] == "[0.  1.5 3.  4.5] ... 148.5\n"
    [picture] = result["pictures"]
    block = next(each for each in picture["picture"]["blocks"] if each["name"] == "(3)")
    arrays = [each["name"] for each in picture["picture"]["arrays"]]
    assert block["frames"][0]["elements"][arrays.index("x")][0] == [96, 97, 98, 99]
    assert block["frames"][0]["threads"].count(0) == 28


def test_what_lies_behind_an_array_is_told_drawn_and_mended(told):
    result = told["guard"]
    assert findings(result) == [("out-of-bounds", line_of(OFFERED["guard"], "x[i] * gain"))]
    assert "if index < x.shape[0]" in result["pictures"][0]["findings"][0]["sentence"]
    block = result["pictures"][0]["picture"]["blocks"][0]
    assert [(each["thread"], each["outside"]) for each in block["wrong"]] == [(4, "x[100]")]
    assert [0, [96, 97, 98, 99]] == [block["steps"][0]["kind"], block["steps"][0]["elements"]]
    assert told["guarded"]["error"] is None and told["guarded"]["printed"] == "148.5\n"


def test_a_race_and_a_barrier_too_few_are_found(told):
    assert findings(told["race"])[0] == ("race", line_of(OFFERED["race"], "+= 1"))
    assert told["race"]["error"]["line"] == line_of(OFFERED["race"], "count[4, 32]")
    assert told["atomic"]["error"] is None and told["atomic"]["printed"].endswith("of 100\n")
    assert told["sum"]["printed"] == "[64. 64.]\n" and not findings(told["sum"])
    assert len(told["sum"]["pictures"][0]["picture"]["blocks"][0]["frames"]) > 3
    assert "race" in dict(findings(told["hasty"]))


def test_the_order_of_threads_and_the_banks_make_a_difference(told):
    published, ordered = (told[name]["pictures"][0]["useful"] for name in ("smooth", "ordered"))
    assert published < 0.1 < 0.3 < ordered
    assert told["smooth"]["printed"] == told["ordered"]["printed"]
    assert "right: True\ncycles lost to bank conflicts: 1984\n" == told["transpose"]["printed"]
    assert "right: True\ncycles lost to bank conflicts: 0\n" == told["padded"]["printed"]
    [picture] = told["padded"]["pictures"]
    assert {each["name"]: each["shape"] for each in picture["picture"]["arrays"]}["tile"] == [32, 33]


def test_the_lens_is_drawn_each_kernel_once_at_least_and_what_is_wrong(told):
    result = told["traces"]
    assert result["error"] is None
    titles = [picture["title"] for picture in result["pictures"]]
    assert [title.partition(":")[0] for title in titles] == ["one", "one", "other"]
    assert findings(result)[0] == ("barrier-divergence", line_of(TRACES, "cuda.syncthreads()"))


def test_every_line_that_is_named_is_one_of_the_program(told):
    """Of sentences, of the picture in words and of steps, for a kernel that does not begin in line 1."""
    for name, code in (("traces", TRACES), ("device function", DEVICE), ("sum", OFFERED["sum"]), ("hasty", HASTY)):
        begins = line_of(code, "def ")
        for picture in told[name]["pictures"]:
            said = [picture["text"], picture["alt"], *(each["sentence"] for each in picture["findings"])]
            named = [int(number) for text in said for number in re.findall(r"\bline (\d+)", text)]
            named += [each["line"] for each in picture["traffic"]]
            if picture["picture"]:
                named += [step["line"] for block in picture["picture"]["blocks"] for step in block["steps"]]
            assert named and all(number > begins for number in named), (name, said)
    assert findings(told["device function"]) == [("out-of-bounds", line_of(DEVICE, "x[i] = 1"))]
    text = told["device function"]["pictures"][0]["findings"][0]["sentence"]
    assert f"In line {line_of(DEVICE, 'x[i] = 1')} of put: `x[i] = 1`" in text


def test_arrays_and_what_crosses_between_the_memories(told):
    assert "<class 'cupy.ndarray'>" in told["arrays"]["printed"] and told["arrays"]["error"] is None
    assert told["memories"]["account"][1:] == ["80 kB to the device in 1 copy", "80 kB back to the host in 2 copies"]
    assert "Unsupported type" in told["memories"]["printed"]


@pytest.mark.parametrize(
    ("name", "line", "words"),
    [
        ("syntax", 2, "invalid syntax"),
        ("absent", 1, "pandas is not on this page"),
        ("cudf", 1, "cudf is not on this page"),
        ("njit", 7, "@njit, with which f is decorated, compiles for the CPU"),
    ],
)
def test_an_error_is_a_sentence_with_its_line(told, name, line, words):
    assert told[name]["error"]["line"] == line
    assert words in told[name]["error"]["sentence"]


def test_what_stands_in_for_numba_does_as_numba(told):
    real = []
    for each in SIGNATURES:
        args, result = sigutils.normalize_signature(each)
        real.append((args, result))
    lines = told["signatures"]["printed"].splitlines()
    for line, (args, result) in zip(lines, real, strict=True):
        plain = ", ".join(str(a).replace("array(", "Array(") for a in args)
        names = [str(getattr(a, "dtype", a)) for a in args]
        assert all(name in line for name in names), (line, plain)
        assert line.endswith(str(result))
        assert [getattr(a, "layout", None) for a in args if hasattr(a, "layout")] == [
            piece[1] for piece in line.split(", ") if piece.strip("'") in "CFA" and piece.startswith("'")
        ]
    assert told["device"]["error"] is None and told["device"]["printed"] == "np.int64(42)\n"
    assert told["vectorized"]["printed"] == "[1. 1. 1.]\n"
    assert told["after"] == {"error": None, "pictures": [], "account": [], "printed": "still here\n"}
