"""The one line in site-packages: it reaches every installation and every child, and never gets in the way."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
LINE = PROJECT / "src" / "gpusim" / "importing" / "gpusim.pth"

# Prints whether this process simulates, where it would find cupy, and what of ours it imported for that.
REPORT = """
import importlib.util, sys
first = type(sys.meta_path[0]).__name__
ours = sorted(name for name in sys.modules if name.partition(".")[0] in ("gpusim", "kernellens", "hundredfold"))
print(first == "SimulatedFinder", ours)
"""
SIMULATING = "True ['gpusim', 'gpusim.importing', 'gpusim.importing.activate', 'gpusim.importing.errors',"
SIMULATING += " 'gpusim.importing.finder', 'gpusim.texts', 'gpusim.variables']"


def run(*arguments, simulate="1", check=True, **more):
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_"))
    }
    if simulate is not None:
        environment["GPUSIM_SIMULATE"] = simulate
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=120, env={**environment, **more}
    )
    assert not check or done.returncode == 0, done.stderr
    return done


def test_it_is_one_line_that_python_executes():
    text = LINE.read_text()
    assert text.startswith("import ") and text.count("\n") == 1 and text.endswith("\n")


@pytest.mark.parametrize("how", ["build_wheel", "build_editable"])
def test_it_is_in_every_kind_of_installation(how, tmp_path):
    program = f"import hatchling.build; print(hatchling.build.{how}({str(tmp_path)!r}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, cwd=PROJECT)
    assert done.returncode == 0, done.stderr
    wheel = zipfile.ZipFile(tmp_path / done.stdout.split()[-1])
    assert wheel.read("gpusim.pth").decode() == LINE.read_text()
    names = wheel.namelist()
    assert ("gpusim/importing/finder.py" in names) == (how == "build_wheel")
    if how == "build_wheel":
        assert "gpusim/hardware/gpus.json" in names  # data travel with the code
        assert not any(name.startswith("tests/") for name in names)
    else:
        # The finder is imported by it, so the line that makes the package importable must be read before.
        editable = [name for name in names if name.endswith(".pth") and not name.startswith("gpusim")]
        assert editable and all(name < "gpusim.pth" for name in editable)


@pytest.mark.parametrize("simulate", ["1", "yes"])
def test_a_process_that_simulates_has_the_finder_and_nothing_else(simulate):
    assert run("-c", REPORT, simulate=simulate).stdout.strip() == SIMULATING


@pytest.mark.parametrize("simulate", [None, "", "0"])
def test_a_process_that_does_not_simulate_imports_nothing_of_ours(simulate):
    done = run("-c", REPORT, simulate=simulate)
    assert done.stdout.strip() == "False []" and done.stderr == ""


def test_the_finder_brings_in_only_modules_that_python_has_loaded_anyway():
    listing = "import sys; print(*sys.modules)"
    plain = set(run("-c", listing, simulate=None).stdout.split())
    more = set(run("-c", listing).stdout.split()) - plain
    assert {name for name in more if not name.startswith("gpusim")} <= {
        "importlib.machinery",
        "importlib",
        "__future__",
    } | {
        "importlib._bootstrap",
        "importlib._bootstrap_external",
        "warnings",
    }


@pytest.mark.parametrize(("flags", "finds"), [(["-I"], True), (["-E"], True), (["-s"], True), (["-S"], False)])
def test_pythons_own_flags_keep_their_meaning(flags, finds):
    done = run(*flags, "-c", REPORT)
    assert done.stdout.startswith(str(finds)) and done.stderr == ""


def only_the_line(tmp_path, program="print('started')"):
    """Run a bare Python whose site folder holds only our line, and what the test put beside it."""
    (tmp_path / "gpusim.pth").write_text(LINE.read_text())
    return run("-I", "-S", "-c", f"import site; site.addsitedir({str(tmp_path)!r}); {program}")


def test_python_starts_without_gpusim(tmp_path):
    done = only_the_line(tmp_path)
    assert done.stdout == "started\n"
    assert done.stderr.startswith("gpusim: the simulated libraries cannot be put in place: ")
    assert done.stderr.count("\n") == 1 and "No module named 'gpusim'" in done.stderr


@pytest.mark.parametrize("text", ["def broken(:\n", "raise RuntimeError('half written')\n", "\0"])
def test_python_starts_with_a_broken_gpusim(text, tmp_path):
    (tmp_path / "gpusim").mkdir()
    (tmp_path / "gpusim" / "__init__.py").write_text(text)
    done = only_the_line(tmp_path)
    assert done.stdout == "started\n" and done.stderr.count("\n") == 1


def test_python_starts_without_a_stderr(tmp_path):
    (tmp_path / "gpusim.pth").write_text(LINE.read_text())
    program = f"import sys, site; sys.stderr = None; site.addsitedir({str(tmp_path)!r}); print('started')"
    assert run("-I", "-S", "-c", program).stdout == "started\n"


@pytest.mark.parametrize("old", [{"HUNDREDFOLD_SIMULATE": "1"}, {"GPUSIM_SIMULATE": "1", "HUNDREDFOLD_GPUS": "2"}])
def test_an_old_variable_is_named_and_ends_the_process(old):
    """Otherwise the program would go on with a real GPU, or with other GPUs than were asked for."""
    done = run("-c", REPORT, simulate=None, check=False, **old)
    assert done.returncode != 0 and done.stdout == ""
    (name,) = [name for name in old if name.startswith("HUNDREDFOLD_")]
    assert f"{name} is called GPUSIM_{name.removeprefix('HUNDREDFOLD_')} now" in done.stderr


def test_an_old_variable_that_says_no_is_no_matter():
    done = run("-c", REPORT, simulate=None, HUNDREDFOLD_SIMULATE="0")
    assert done.returncode == 0 and done.stdout.startswith("False")


def test_another_environments_python_is_left_alone():
    base = getattr(sys, "_base_executable", sys.executable)
    program = "import sys; print(type(sys.meta_path[0]).__name__)"
    environment = {**os.environ, "GPUSIM_SIMULATE": "1"}
    done = subprocess.run(
        [base, "-I", "-S", "-c", program], capture_output=True, text=True, timeout=60, env=environment
    )
    assert done.stdout.strip() != "SimulatedFinder" and done.stderr == ""


PARENT = """
import concurrent.futures, multiprocessing, subprocess, sys

def look(_=None):
    import sys
    return type(sys.meta_path[0]).__name__ == "SimulatedFinder" and type(sys.meta_path[1]).__name__ != "SimulatedFinder"

if __name__ == "__main__":
    import gpusim
    assert not look()
    gpusim.activate()
    for method in multiprocessing.get_all_start_methods():
        context = multiprocessing.get_context(method)
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
            print(method, pool.submit(look).result())
    # loky, joblib and Dask's nanny all start `python -c` with an environment of their own making.
    child = "import sys; print('child', type(sys.meta_path[0]).__name__ == 'SimulatedFinder')"
    subprocess.run([sys.executable, "-c", child], check=True)
    subprocess.run([sys.executable, "-c", f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"], check=True)
"""


def test_children_of_every_kind_inherit_it(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    lines = run(str(script), simulate=None).stdout.split("\n")
    assert {"spawn True", "child True"} <= set(lines) and "False" not in " ".join(lines)
    assert lines.count("child True") == 2
    if sys.platform == "linux":
        assert {"fork True", "forkserver True"} <= set(lines)
