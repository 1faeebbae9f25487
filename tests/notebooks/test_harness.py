"""The harness from outside: what turns a notebook red, and what does not."""

import re
import sys
from pathlib import Path

import pytest
from nbformat.v4 import new_output


def out(text, name="stdout"):
    return new_output("stream", name=name, text=text)


ERROR = new_output("error", ename="ZeroDivisionError", evalue="division by zero", traceback=["elsewhere"])
ENVIRONMENT = (
    "import os\nprint([os.environ.get(k) for k in ('KERNELLENS_FIGURES', 'COLUMNS', 'HUNDREDFOLD_STRICT')],"
    " os.path.basename(os.environ['HUNDREDFOLD_STATE'])[:17], os.path.basename(os.getcwd()))"
)
FIGURE = """\
class Figure:
    def _repr_mimebundle_(self, **options):
        return {"text/plain": "Two bars", "application/vnd.hundredfold.figure+json": {"item": {}}}
Figure()"""

NOTEBOOKS = {
    "notebooks/good.ipynb": [
        (ENVIRONMENT, out("['json', '100', ''] hundredfold-tests notebooks\n")),
        ("print('NumPy: 1.23 ms (simulated on this CPU)')", out("NumPy: 20 µs (on NVIDIA H200)\n")),
        ("import warnings; warnings.warn('x')", []),
        (FIGURE, new_output("execute_result", data={"text/plain": "Two bars", "image/png": "AAAA"}, execution_count=4)),
        ("1 / 0", ERROR, "raises-exception"),
        ("print('a GPU says')", out("something else\n"), "gpu-output"),
        ("print('after')", out("after\n")),
    ],
    "notebooks/differs.ipynb": [
        ("x = 1; print(x)", out("1\n")),
        ("print('NumPy: 3 ms'); x = 2", out("CuPy: 3 ms\n")),
        ("print(x)", out("2\n")),
        ("print(x)", out("3\n")),
    ],
    "notebooks/figure.ipynb": [
        (
            FIGURE.replace("Two", "Three"),
            new_output("execute_result", data={"text/plain": "Two bars"}, execution_count=1),
        )
    ],
    "notebooks/says_more.ipynb": [("print('new')", []), ("x = 1", [])],
    "solutions/raises.ipynb": [("x = 1", []), ("1 / 0", []), ("x", [])],
    "solutions/raises_not.ipynb": [("x = 1", ERROR, "raises-exception")],
    "exercises/good.ipynb": [("print('not compared')", None), ("x = ...", None)],
    "exercises/raises.ipynb": [("x = ...", None), ("x + 1", None), ("x", None)],
}
WANTED = {
    "notebooks/good.ipynb": ["PASSED"] * 7,
    "notebooks/differs.ipynb": ["PASSED", "FAILED", "SKIPPED", "SKIPPED"],
    "notebooks/figure.ipynb": ["FAILED"],
    "notebooks/says_more.ipynb": ["FAILED", "SKIPPED"],
    "solutions/raises.ipynb": ["PASSED", "FAILED", "SKIPPED"],
    "solutions/raises_not.ipynb": ["FAILED"],
    "exercises/good.ipynb": ["PASSED"] * 2,
    "exercises/raises.ipynb": ["PASSED", "FAILED", "SKIPPED"],
}


RECORDED = Path(__file__).parents[2] / "packages" / "gpusim" / "tests" / "hardware" / "recorded"


@pytest.fixture(scope="module")
def report(harness):
    """One run over all notebooks by two workers, as `make test` does it."""
    for name, cells in NOTEBOOKS.items():
        harness.add(name, *cells)
    return harness.run("-n", "2", GPUSIM_PROBE=str(RECORDED / "no-gpu.json"))


@pytest.mark.parametrize("name", WANTED)
def test_what_passes_fails_and_is_skipped(report, name):
    assert report.cells(name) == WANTED[name], report.output


def test_what_is_skipped_names_the_cell_that_failed(report):
    assert "Cell 1 of this notebook failed" in report.output


def test_what_it_cost_is_said_at_the_end(report):
    assert re.search(r"^ +\d+\.\d s  0\.\d\d GB  notebooks/good\.ipynb$", report.output, re.MULTILINE), report.output
    assert f"{len(WANTED)} notebooks: at most" in report.output and "(the serial sum)" in report.output


def test_all_three_folders_are_collected_without_being_named(report):
    assert {name.split("/")[0] for name in report.outcomes} == {"notebooks", "solutions", "exercises"}


def test_with_a_gpu_and_from_another_folder(harness):
    """Output of a GPU is compared where there is one; a cell that no GPU has run yet is only run; one that fails ends nothing."""
    harness.add(
        "gpu/recorded.ipynb", ("print('3 ms')", out("4 ms\n")), ("print(1)", out("2\n"), "gpu-output"), ("x = 1", [])
    )
    harness.add("gpu/unrecorded.ipynb", ("print('a GPU says')", None, "gpu-output"), ("x = 1", []))
    plugin = "def pytest_collection_finish(session):\n    print('waits', {i.output_timeout for i in session.items})\n"
    (harness.root / "plugin.py").write_text(plugin)
    report = harness.run(
        *(".", "-p", "plugin"),
        cwd="gpu",
        PYTHONPATH=str(harness.root),
        GPUSIM_PROBE=str(RECORDED / "good-h200.json"),
    )
    # The cells after the one that failed run too: what each says on a GPU is wanted.
    assert report.cells("recorded.ipynb") == ["PASSED", "FAILED", "PASSED"], report.output
    assert report.cells("unrecorded.ipynb") == ["PASSED"] * 2, report.output
    assert "waits {60}" in report.output, "output may take a minute to arrive"


def test_what_needs_a_browser_is_left_out_where_there_is_none_and_named(harness, tmp_path):
    (harness.root / "tests" / "test_page.py").write_text(
        "import pytest\n\n@pytest.mark.browser\ndef test_page():\n    assert False\n\ndef test_other():\n    pass\n"
    )
    done = harness.run("tests/test_page.py", CHROMIUM=str(tmp_path / "none"))
    assert "1 passed, 1 skipped" in done.output
    assert "1 test left out: no Chromium here (on Debian: apt-get install chromium)" in done.output
    assert "1 failed" in harness.run("tests/test_page.py", CHROMIUM=sys.executable).output


def test_tests_of_one_group_go_to_one_worker(harness):
    """Pytest 9.2 no longer reads the name that pytest-xdist 3.8 writes the group into: tests were dealt out one by one."""
    (harness.root / "test_groups.py").write_text(
        "import time, pytest\n\n"
        '@pytest.mark.parametrize("n", [pytest.param(n, marks=pytest.mark.xdist_group(f"group{n % 3}")) for n in range(12)])\n'
        "def test_of_a_group(n):\n    time.sleep(0.05)\n"
    )
    report = harness.run("-n", "2", "--dist", "loadgroup", "test_groups.py")
    ran = re.findall(r"^\[(gw\d)\] .* PASSED \S+@(group\d) *$", report.output, re.MULTILINE)
    assert len(ran) == 12 and len(set(ran)) == 3, report.output
