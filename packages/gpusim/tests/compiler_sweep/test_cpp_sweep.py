"""CUDA C++ that NVRTC refuses is refused here, and what it takes is taken: asked of both, for each line of `cpp_lines`."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import cpp_lines  # noqa: E402

REAL = os.environ.get("KERNELLENS_COMPILER")
pytestmark = [
    pytest.mark.large,
    pytest.mark.skipif(not REAL, reason="needs NVIDIA's compiler: KERNELLENS_COMPILER=/a/python/that/has/it"),
]


def real(before, kernels):
    """What NVRTC says of each kernel."""
    told = subprocess.run(
        [REAL, str(HERE / "cpp_real.py")], input=json.dumps([before, kernels]), capture_output=True, text=True
    )
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout)


def ours(simulated_libraries, before, kernels):
    """What the simulator says of each kernel."""
    cp = importlib.import_module("cupy")
    module, told = cp.RawModule(code=before + "\n".join(kernels)), []
    for number in range(len(kernels)):
        try:
            module.get_function(f"k{number}")
            told.append("")
        except Exception as error:
            told.append(f"{type(error).__name__}: {str(error).splitlines()[0]}")
    return told


def apart(texts, one, other):
    """What the two judge differently."""
    pairs = zip(texts, one, other, strict=True)
    return [f"{text}: {a or 'taken'} | here: {b or 'taken'}" for text, a, b in pairs if bool(a) != bool(b)]


def test_overloaded_functions_are_chosen_as_by_the_compiler(simulated_libraries):
    calls = cpp_lines.calls()
    kernels = [cpp_lines.kernel(n, call) for n, call in enumerate(calls)]
    told = real("", kernels)
    assert 0.25 < sum(map(bool, told)) / len(told) < 0.75
    differing = apart(calls, told, ours(simulated_libraries, "", kernels))
    assert not differing, "\n".join(differing)
    valued = [c for c, words in zip(calls, told, strict=True) if not words and not c.startswith("sincos")]
    probes = [cpp_lines.typed(call, probe) for call in valued for probe in cpp_lines.PROBES]
    kernels = [cpp_lines.kernel(n, line) for n, line in enumerate(probes)]
    told = real("", kernels)
    assert 0.25 < sum(map(bool, told)) / len(told) < 0.75
    differing = apart(probes, told, ours(simulated_libraries, "", kernels))
    assert not differing, "\n".join(differing)


def test_what_is_constant_is_not_written(simulated_libraries):
    lines = cpp_lines.qualified()
    kernels = [cpp_lines.whole(n, line) for n, line in enumerate(lines)]
    told = real(cpp_lines.BEFORE, kernels)
    assert 0.25 < sum(map(bool, told)) / len(told) < 0.75
    differing = apart(lines, told, ours(simulated_libraries, cpp_lines.BEFORE, kernels))
    assert not differing, "\n".join(differing)


def test_structs_are_taken_and_refused_as_by_the_compiler(simulated_libraries):
    lines = cpp_lines.of_structs()
    told = real(cpp_lines.STRUCTS, [cpp_lines.with_structs(n, line) for n, line in enumerate(lines)])
    assert 0.25 < sum(map(bool, told)) / len(told) < 0.75
    mine = [
        ours(simulated_libraries, cpp_lines.STRUCTS, [cpp_lines.with_structs(0, line)])[0] for line in lines
    ]  # one may be no C
    differing = apart(lines, told, mine)
    assert not differing, "\n".join(differing)


def test_vectors_and_functions_of_structs_are_taken_and_refused_as_by_the_compiler(simulated_libraries):
    lines = cpp_lines.of_vectors()
    told = real(cpp_lines.VECTORS, [cpp_lines.with_vectors(n, line) for n, line in enumerate(lines)])
    assert 0.25 < sum(map(bool, told)) / len(told) < 0.75
    mine = [
        ours(simulated_libraries, cpp_lines.VECTORS, [cpp_lines.with_vectors(0, line)])[0] for line in lines
    ]  # one may be no C
    differing = apart(lines, told, mine)
    assert not differing, "\n".join(differing)


def test_captures_and_references_are_taken_and_refused_as_by_the_compiler(simulated_libraries):
    lines = cpp_lines.of_captures()
    told = real(cpp_lines.CAPTURED, [cpp_lines.with_captures(n, line) for n, line in enumerate(lines)])
    assert 0.25 < sum(map(bool, told)) / len(told) < 0.75
    mine = [
        ours(simulated_libraries, cpp_lines.CAPTURED, [cpp_lines.with_captures(0, line)])[0] for line in lines
    ]  # one may be no C
    differing = apart(lines, told, mine)
    assert not differing, "\n".join(differing)


def test_names_are_known_behind_the_headers_that_declare_them(simulated_libraries):
    lines, differing = cpp_lines.behind_headers(), []
    for header in ("", *cpp_lines.HEADERS):
        before = f"#include <{header}>\n" if header else ""
        kernels = [cpp_lines.with_header(n, line) for n, line in enumerate(lines)]
        told = real(before, kernels)
        # One at a time: one may stop the rest.
        mine = [ours(simulated_libraries, before, [cpp_lines.with_header(0, line)])[0] for line in lines]
        differing += apart([f"<{header}> {line}" for line in lines], told, mine)
    assert not differing, "\n".join(differing)
