"""``%load_ext hundredfold`` in a real IPython: what it says, what it puts in place, and what it refuses."""

import json
import os
import re
import subprocess
import sys

import pytest

H100 = {
    "index": 0,
    "name": "NVIDIA H100 80GB HBM3",
    "memory_total": 85_000_000_000,
    "memory_free": 84_000_000_000,
    "cc": [9, 0],
}
GOOD = {"status": "ok", "cuda": [13, 0], "driver": "580.65.06", "nvml": "ok", "gpus": [H100]}
PASCAL = {**H100, "name": "Tesla P100", "cc": [6, 0]}
FITTING = {"cupy-cuda13x": "14.2.0", "cudf-cu13": "26.10.2", "cuda-toolkit": "13.0.2"}

# Runs each argument as a cell, tells where an error ended it, and what is to be seen from outside afterwards.
CELLS = """
import json, os, sys
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config
shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}), colors="nocolor")
before = set(sys.modules)
failed = None
for number, cell in enumerate(sys.argv[1:]):
    result = shell.run_cell(cell)
    if not result.success:
        failed = number
        break
facts = {
    "failed": failed,
    "finder": type(sys.meta_path[0]).__name__ == "SimulatedFinder",
    "exported": {name: os.environ.get(name) for name in ("GPUSIM_SIMULATE", "SCIPY_ARRAY_API")},
    "imported": sorted({name.split(".")[0] for name in set(sys.modules) - before}),
    "libraries": sorted(name for name in set(sys.modules) - before if name.startswith("hundredfold.")),
}
print("FACTS" + json.dumps(facts))
"""


@pytest.fixture
def cells(tmp_path):
    """Run cells in a fresh IPython on a machine with this probe and these packages; return output, errors and facts."""

    def run(*cells, probe=None, packages=None, files=None, **more):
        recorded = tmp_path / "probe.json"
        recorded.write_text(json.dumps(probe or {"status": "no driver"}))
        site = tmp_path / "site"
        for name, version in (packages or {}).items():
            information = site / f"{name.replace('-', '_')}-{version}.dist-info"
            information.mkdir(parents=True, exist_ok=True)
            (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        for name, text in (files or {}).items():
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).write_text(text)
        ignored = ("HUNDREDFOLD_", "SCIPY_ARRAY_API", "CUDA_VISIBLE_DEVICES", "PYTHONPATH")
        environment = {key: value for key, value in os.environ.items() if not key.startswith(ignored)}
        environment |= {
            "GPUSIM_PROBE": str(recorded),
            "IPYTHONDIR": str(tmp_path / "ipython"),
            "PYTHONPATH": str(site),
        }
        done = subprocess.run(
            [sys.executable, "-c", CELLS, *cells],
            capture_output=True,
            text=True,
            timeout=120,
            env={**environment, **more},
        )
        assert done.returncode == 0, done.stderr
        output, _, facts = done.stdout.rpartition("FACTS")
        return output, done.stderr, json.loads(facts)

    return run


def test_without_a_gpu_the_simulated_libraries_take_the_names(cells):
    output, _, facts = cells("%load_ext hundredfold", "import cupy; print(cupy.__loader__)")
    line = output.splitlines()[0]
    assert re.match(r"Hundredfold: no GPU here: \d+ cores? simulates? 1 GPU of \S+ [MGT]B\. ", line)
    assert line.endswith("Answers are right; times are this CPU's.")
    assert len(line) <= 105  # JupyterLab breaks a longer one in the middle of a word
    assert "SimulatedLoader" in output and facts["failed"] is None and facts["finder"]
    assert facts["exported"] == {"GPUSIM_SIMULATE": "1", "SCIPY_ARRAY_API": None}


def test_the_line_says_how_many_simulated_gpus_and_how_large(cells):
    output, _, _ = cells("%load_ext hundredfold", GPUSIM_GPUS="2", GPUSIM_GPU_MEMORY="3GB")
    assert "2 GPUs of 3 GB each." in output and output.count("\n") == 1


def test_loading_imports_no_heavy_library(cells):
    _, _, facts = cells("%load_ext hundredfold")
    heavy = {"numpy", "scipy", "numba", "pandas", "dask", "distributed", "bokeh", "cupy", "pynvml", "ctypes"}
    assert not heavy & set(facts["imported"])
    assert not [name for name in facts["libraries"] if name.startswith(("hundredfold.toolkit", "kernellens.plot"))]


def test_loaded_twice_and_reloaded(cells):
    output, errors, facts = cells(
        "%load_ext hundredfold",
        "%load_ext hundredfold",
        "%reload_ext hundredfold",
        "%lsmagic",
        "%unload_ext hundredfold",
    )
    assert facts["failed"] is None, errors
    lines = [line for line in output.splitlines() if line.startswith("Hundredfold: ")]
    assert len(lines) == 2 and "GPUSIM_SIMULATE is set" not in lines[1] and "Traceback" not in output + errors
    assert facts["finder"]  # taking the extension away takes no library away


def test_the_magics_are_known_at_once_and_imported_when_used(cells):
    look = "print(*('measure' in kind for kind in get_ipython().magics_manager.magics.values()))"
    output, _, facts = cells("%load_ext hundredfold", look)
    assert output.endswith("True True\n") and "hundredfold.toolkit" not in facts["libraries"]
    output, _, _ = cells("%load_ext hundredfold", "%unload_ext hundredfold", look)
    assert output.endswith("False False\n")


def test_the_magic_measures_a_line_and_a_cell(cells):
    output, errors, facts = cells(
        "%load_ext hundredfold",
        "x = [3, 1, 2]",
        "%measure -r 2 sorted(x)",
        "%%measure -r 2 --name two\ny = sorted(x)\ny[0]",
    )
    assert facts["failed"] is None, output + errors
    assert "sorted(x): " in output and "two: " in output and output.count("median of 2") == 2


def test_a_fresh_python_has_nothing_of_the_notebook_and_the_same_libraries(cells):
    look = "import sys; print(hasattr(sys, 'marked'), 'é')"
    output, errors, facts = cells(
        "%load_ext hundredfold",
        "import sys; sys.marked = name = True",
        f"%%fresh\n{look}\nimport cupy\nprint(cupy.__loader__, 'name' in dir(), sys.modules['__main__'].__name__)",
        "print(sys.marked)",
    )
    assert facts["failed"] is None, errors
    assert "False é" in output and "SimulatedLoader" in output and "False __main__" in output
    assert output.endswith("True\n")


def test_a_fresh_python_that_fails_ends_the_cell_and_shows_why(cells):
    output, errors, facts = cells("%load_ext hundredfold", "%%fresh\nprint('before')\n1 / 0")
    assert facts["failed"] == 1
    assert "before\n" in output and "ZeroDivisionError" in errors
    assert "RuntimeError" in output + errors and "ended with an error" in output + errors


def test_a_working_gpu_is_named_and_nothing_replaced(cells):
    output, _, facts = cells("%load_ext hundredfold", probe=GOOD, packages=FITTING)
    assert output == (
        "Hundredfold: NVIDIA H100 80GB HBM3 (85 GB, 84 GB free) works here. "
        "Nothing is replaced; times are those of the GPU.\n"
    )
    assert not facts["finder"]
    assert facts["exported"] == {"GPUSIM_SIMULATE": None, "SCIPY_ARRAY_API": None}
    assert not {"cupy", "numba", "ctypes", "pynvml"} & set(facts["imported"])  # so no CUDA context either


def test_two_gpus_are_both_named(cells):
    probe = {**GOOD, "gpus": [H100, {**H100, "index": 1, "name": "NVIDIA T4", "memory_free": None, "cc": [7, 5]}]}
    output, _, _ = cells("%load_ext hundredfold", probe=probe, packages=FITTING)
    assert "2 GPUs, NVIDIA H100 80GB HBM3 (85 GB, 84 GB free) and NVIDIA T4 (85 GB), work here." in output


@pytest.mark.parametrize(
    ("packages", "why"),
    [
        ({}, "CuPy is not installed."),
        ({"cupy-cuda12x": "14.2.0", "cupy-cuda13x": "14.2.0"}, "are both installed"),
    ],
)
def test_a_gpu_without_its_packages_is_no_silent_simulation(packages, why, cells):
    output, errors, facts = cells("%load_ext hundredfold", "print('went on')", probe=GOOD, packages=packages)
    said = output + errors
    assert facts["failed"] == 0 and not facts["finder"] and facts["exported"]["GPUSIM_SIMULATE"] is None
    assert (
        "UsageError: Hundredfold: NVIDIA H100 80GB HBM3 works here, but not with these packages." in said
        and why in said
    )
    assert said.count("Run `") == 1 and "EXTRA=cu13`" in said and "GPUSIM_SIMULATE=1" in said
    assert "Traceback" not in said


def test_a_gpu_whose_driver_is_too_old_for_the_packages(cells):
    probe = {**GOOD, "cuda": [12, 4], "driver": "550.54.15"}
    output, errors, facts = cells("%load_ext hundredfold", probe=probe, packages=FITTING)
    assert facts["failed"] == 0 and "built for CUDA 13, but the driver allows CUDA 12.4 at most" in output + errors
    assert "EXTRA=cu12`" in output + errors


def test_simulating_on_purpose_where_a_gpu_works(cells):
    output, _, facts = cells("%load_ext hundredfold", probe=GOOD, GPUSIM_SIMULATE="1")
    assert output.startswith("Hundredfold: GPUSIM_SIMULATE is set: ") and facts["finder"]


def test_the_variable_set_to_0_asks_for_nothing(cells):
    _, _, facts = cells("%load_ext hundredfold", probe=GOOD, packages=FITTING, GPUSIM_SIMULATE="0")
    assert not facts["finder"]


@pytest.mark.parametrize(
    ("probe", "why"),
    [
        ({**GOOD, "gpus": [PASCAL]}, "Tesla P100: its compute capability is 6.0"),
        ({"status": "error", "error": "cuInit answers 999 (CUDA_ERROR_UNKNOWN)"}, "cuInit answers 999"),
        ({**GOOD, "cuda": [11, 4], "driver": "470.57.02"}, "the driver is too old or shows no GPU"),
    ],
)
def test_a_gpu_that_cannot_be_used_is_mentioned(probe, why, cells):
    output, _, facts = cells("%load_ext hundredfold", probe=probe)
    assert "there are signs of an NVIDIA GPU, but none can be used (" in output and why in output
    assert "`hundredfold doctor`" in output and facts["finder"]


def test_cupy_installed_without_a_driver_is_stood_in_for(cells):
    files = {"cupy/__init__.py": "raise SystemError('the real one')\n"}
    output, errors, facts = cells(
        "%load_ext hundredfold",
        "import cupy; print('gpusim' in cupy.__file__)",
        packages=FITTING,
        files=files,
    )
    assert facts["failed"] is None, errors
    assert "cupy-cuda13x is installed, but no NVIDIA driver is: " in output and "True" in output


@pytest.mark.parametrize(("early", "name"), [("import cupy", "cupy"), ("from numba import cuda", "numba.cuda")])
def test_loaded_too_late_it_says_to_restart(early, name, cells):
    files = {"cupy/__init__.py": ""}
    output, errors, facts = cells(early, "%load_ext hundredfold", files=files)
    said = output + errors
    assert facts["failed"] == 1 and "Traceback" not in said
    assert f"UsageError: Hundredfold: the real {name} was imported before" in said
    assert "restart the kernel and run `%load_ext hundredfold` first." in said
    assert not facts["finder"] and facts["exported"]["GPUSIM_SIMULATE"] is None


def test_on_a_gpu_no_cell_comes_too_early(cells):
    files = {"cupy/__init__.py": ""}
    _, errors, facts = cells("import cupy", "%load_ext hundredfold", probe=GOOD, packages=FITTING, files=files)
    assert facts["failed"] is None, errors


def test_scipy_takes_cupys_arrays_only_where_the_user_says_so(cells):
    # As at work: SciPy reads the variable once, when it is imported.
    use = "import cupy, scipy.stats; print(type(scipy.stats.zscore(cupy.arange(3.0))).__module__)"
    set_it = "import os; os.environ['SCIPY_ARRAY_API'] = '1'"
    output, errors, facts = cells("%load_ext hundredfold", use)
    assert facts["failed"] == 1 and "Implicit conversion to a NumPy array is not allowed" in output + errors
    output, errors, facts = cells("%load_ext hundredfold", set_it, use)
    assert facts["failed"] is None and output.endswith("cupy\n"), output + errors
    _, _, facts = cells("%load_ext hundredfold", "import scipy.stats", set_it, use)
    assert facts["failed"] == 3


@pytest.mark.parametrize(
    ("variable", "value"),
    [("GPUSIM_GPUS", "many"), ("GPUSIM_GPU_MEMORY", "large"), ("GPUSIM_PROBE", "/no/file")],
)
def test_a_setting_that_cannot_be_read_is_told(variable, value, cells):
    output, errors, facts = cells("%load_ext hundredfold", **{variable: value})
    assert facts["failed"] == 0 and f"UsageError: Hundredfold: {variable} " in output + errors
    assert "Traceback" not in output + errors and not facts["finder"]


@pytest.mark.parametrize("word", ["no", "False", "off"])
def test_a_no_that_would_count_as_yes_is_told(word, cells):
    output, errors, facts = cells("%load_ext hundredfold", GPUSIM_SIMULATE=word)
    assert f"UsageError: Hundredfold: GPUSIM_SIMULATE is '{word}'" in output + errors and facts["failed"] == 0


def test_a_kernel_whose_python_lacks_the_packages(cells):
    # As where someone put the sources on the path of a Python that has nothing else.
    hide = (
        "import sys; sys.path[:] = [p for p in sys.path if 'site-packages' not in p]; sys.path_importer_cache.clear()"
    )
    output, errors, facts = cells("import hundredfold", hide, "%load_ext hundredfold")
    said = output + errors
    assert facts["failed"] == 2 and "Traceback" not in said
    assert (
        "lacks numpy, scipy, pandas, numba, dask, distributed and bokeh: in the notebook's kernel menu choose" in said
    )


def test_a_kernel_of_an_old_python(cells):
    output, errors, facts = cells("import sys; sys.version_info = (3, 9, 0)", "%load_ext hundredfold")
    assert facts["failed"] == 1
    assert "UsageError: Hundredfold: this kernel runs Python 3.9 and the course needs 3.11 to 3.13" in output + errors


def test_the_supported_pythons_are_those_of_the_package():
    from importlib import metadata

    assert metadata.metadata("hundredfold")["Requires-Python"].replace(" ", "") in ("<3.14,>=3.11", ">=3.11,<3.14")


def test_in_a_kernel_the_line_is_output_and_a_refusal_ends_the_run(tmp_path, monkeypatch):
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    recorded = tmp_path / "probe.json"
    recorded.write_text(json.dumps({"status": "no driver"}))
    monkeypatch.setenv("GPUSIM_PROBE", str(recorded))
    monkeypatch.delenv("GPUSIM_SIMULATE", raising=False)
    # Another environment's kernel of the same name, as `ipykernel install --user` leaves it, must not take its place.
    other = tmp_path / "jupyter" / "kernels" / "python3"
    other.mkdir(parents=True)
    (other / "kernel.json").write_text('{"argv": ["/no/such/python"], "display_name": "other", "language": "python"}')
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    monkeypatch.delenv("JUPYTER_PATH", raising=False)
    sources = [
        "%load_ext hundredfold",
        "import gpusim; print(gpusim.active())",
        "%load_ext nowhere_at_all",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    with pytest.raises(CellExecutionError, match="ModuleNotFoundError"):
        NotebookClient(notebook, kernel_name="python3", timeout=60, coalesce_streams=True).execute()
    first, second, _ = (cell.outputs for cell in notebook.cells)
    assert [output.name for output in first] == ["stdout"] and first[0].text.startswith("Hundredfold: no GPU here")
    assert second[0].text == "True\n"
