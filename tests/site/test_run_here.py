"""The lectures' kernels as programs for the page In the browser: which are offered, and what their programs are made of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hundredfold.publish.site import browser_editor, browser_page, run_here

ROOT = Path(__file__).resolve().parents[2]
IMPORTS = "%load_ext hundredfold\nimport cupy as cp\nimport numpy as np, pandas\nfrom numba import cuda, njit\nfrom hundredfold import lens, measure\n"
KERNEL = "@cuda.jit\ndef kernel(x):\n    x[cuda.grid(1)] = WIDTH\n"


def made(*cells: str) -> dict[str, str]:
    """The program of each kernel of a notebook that is offered."""
    found = run_here.programs("07_unit", dict(enumerate([IMPORTS, *cells])))
    return {name: each.code for each in found for name in each.kernels}


def test_a_program_is_what_its_first_launch_needs_and_no_more():
    code = made(
        "WIDTH = 3\nunused = pandas.DataFrame()",
        "# What it does.\n" + KERNEL,
        "x = np.zeros(64)\nprint('not needed')",
        "kernel[2, 32](x)  # the launch",
        "kernel[4, 16](x)",
    )["kernel"]
    assert code.splitlines() == [
        "import numpy as np",
        "from numba import cuda",
        "",
        "",
        "WIDTH = 3",
        "",
        "",
        "# What it does.",
        *KERNEL.splitlines(),
        "",
        "",
        "x = np.zeros(64)",
        "",
        "kernel[2, 32](x)  # the launch",
    ]


@pytest.mark.parametrize(
    ("cells", "offered"),
    [
        (["kernel[1, 1](cp.zeros(1))"], True),
        (["seen = lens.trace(kernel, 1, 1, np.zeros(1))"], True),
        (["def launch(x):\n    kernel[1, 1](x)", "launch(np.zeros(1))"], True),
        (["for threads in (1, 2):\n    x = np.zeros(threads)\n    kernel[1, threads](x)"], True),
        (["def launch(x):\n    kernel[1, 1](x)"], False),  # nobody calls it
        (["chosen = kernel", "print(kernel.py_func)"], False),  # no launch
        (["taken = measure(kernel[1, 1], np.zeros(1))"], False),
        (["x = pandas.Series([1.0]).to_numpy()", "kernel[1, 1](x)"], False),
        (["x = pandas.Series([1.0]).to_numpy()", "kernel[1, 1](x)", "kernel[1, 1](np.zeros(1))"], True),
        (["kernel[1, 1](nobody_made_this)"], False),
        (["x = njit(np.zeros)(1)", "kernel[1, 1](x)"], False),
        (["kernel = print", "lens.trace(kernel, 1, 1)"], False),
        (["x = 1 +", "kernel[1, 1](np.zeros(1))"], True),  # a cell that is no Python is left out
        (["!ls", "%time kernel[1, 1](np.zeros(1))"], False),
    ],
)
def test_a_kernel_is_offered_where_the_page_has_all_that_a_launch_needs(cells, offered):
    assert ("kernel" in made("WIDTH = 3", KERNEL, *cells)) == offered


def test_a_name_is_what_it_was_when_the_launch_ran():
    code = made(
        "WIDTH = 3\nsize = 1",
        KERNEL,
        "def launch(x):\n    kernel[size, 1](x)",
        "size = 2\nx = np.zeros(9)\nx[0] = 5\nx += 1",
        "x, y = x[:4], 0",
        "launch(x)",
    )["kernel"]
    assert "size = 2" in code and "size = 1" not in code
    assert [line for line in code.splitlines() if line.startswith("x")] == [
        "x = np.zeros(9)",
        "x[0] = 5",
        "x += 1",
        "x, y = x[:4], 0",
    ]


def test_kernels_that_are_launched_together_share_a_program_and_device_functions_have_none():
    device = "@cuda.jit(device=True)\ndef add(a, b):\n    return a + b\n"
    two = "@cuda.jit\ndef one(x):\n    x[0] = add(1, 2)\n\n@cuda.jit\ndef two(x):\n    x[0] = 2\n"
    found = run_here.programs(
        "07_unit", {0: IMPORTS, 3: device, 5: two, 9: "for each in (one, two):\n    each[1, 1](np.zeros(1))"}
    )
    assert [(each.name, each.kernels, each.cells) for each in found] == [("07_unit.one", ("one", "two"), (5, 5))]
    assert "def add(a, b)" in found[0].code


def test_the_lectures_and_solutions_have_programs_and_each_is_python():
    found = run_here.of_the_course(ROOT)
    assert len(found) == 4 and all(programs for file, programs in found.items() if file.startswith("notebooks/"))
    solved = {name for of in found.values() for each in of if ".solutions." in each.name for name in each.kernels}
    assert solved == {"advance", "given"}, "what a solutions' notebook launches itself"
    for file, programs in found.items():
        cells = json.loads((ROOT / file).read_text(encoding="utf-8"))["cells"]
        for each in programs:
            compile(each.code, each.name, "exec")
            for kernel, cell in zip(each.kernels, each.cells, strict=True):
                assert f"def {kernel}(" in each.code and f"def {kernel}(" in "".join(cells[cell]["source"])


def test_without_the_net_it_is_said_what_to_do(tmp_path, monkeypatch):
    settings = {"REGISTRY": "http://127.0.0.1:9", "CACHE": str(tmp_path / "cache"), "FETCH_RETRIES": "0"}
    for name, value in settings.items():
        monkeypatch.setenv(f"NPM_CONFIG_{name}", value)
        monkeypatch.setenv(f"npm_config_{name.lower()}", value)
    with pytest.raises(RuntimeError, match="could not fetch the editor.*: connect, or name your mirror"):
        browser_editor.write(tmp_path / "site", tmp_path / "work")


def test_an_editor_that_is_made_is_used_again_without_the_net(tmp_path, monkeypatch, site):
    made_before = site.parent / "editor"
    monkeypatch.setenv("PATH", str(tmp_path))
    browser_editor.write(tmp_path, made_before)
    for name in (browser_editor.SCRIPT, browser_editor.LICENCES):
        assert (tmp_path / name).read_bytes() == (site / browser_page.FOLDER / name).read_bytes()


def test_the_editor_comes_with_the_notice_of_each_package(site):
    folder = site / browser_page.FOLDER
    script, notices = (
        (folder / name).read_text(encoding="utf-8") for name in (browser_editor.SCRIPT, browser_editor.LICENCES)
    )
    lock = json.loads((browser_editor.SOURCE / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    bundled = [(path, entry) for path, entry in lock.items() if path and "esbuild" not in path]
    assert len(bundled) > 10 and {entry["license"] for _, entry in bundled} == {"MIT"}
    for path, entry in bundled:
        name = f"{path.removeprefix('node_modules/')}@{entry['version']}"
        assert name in script and f"{name}\n\n" in notices and entry["integrity"].startswith("sha512-")
    assert notices.count("Permission is hereby granted, free of charge") == len(bundled)
    assert "resolved" not in json.dumps(lock)
