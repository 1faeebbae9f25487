"""``python -m hundredfold``: a program runs as under ``python``, with the simulated libraries in place."""

import json
import os
import signal
import subprocess
import sys
import time
import zipfile

import pytest


@pytest.fixture
def run(tmp_path):
    """Run python with arguments in a folder of the test's own, on a machine without a driver."""
    probe = tmp_path / "no-gpu.json"
    probe.write_text('{"status": "no driver"}')
    folder = tmp_path / "here"
    folder.mkdir()
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_"))
    }
    environment["GPUSIM_PROBE"] = str(probe)

    def start(*arguments, ours=True, popen=False, **more):
        command = [sys.executable, *(["-m", "hundredfold"] if ours else []), *map(str, arguments)]
        options = {"text": True, "cwd": folder, "env": environment, **more}
        if popen:
            return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        return subprocess.run(command, capture_output=True, timeout=60, **options)

    start.folder = folder
    return start


# Everything a program can see of how it was started, but the finder.
SHOW = """
import json, sys
print(json.dumps([sys.argv, sys.path[0], __name__, globals().get("__file__"), __spec__ and __spec__.name, __package__,
                  sys.modules["__main__"].__dict__ is globals()]))
"""


def without_banner(done):
    lines = done.stderr.splitlines(keepends=True)
    assert lines[0].startswith("Hundredfold: "), done.stderr
    return "".join(lines[1:])


def programs(folder):
    (folder / "script.py").write_text(SHOW)
    (folder / "sub").mkdir()
    (folder / "sub" / "script.py").write_text(SHOW)
    (folder / "package").mkdir()
    (folder / "package" / "__init__.py").write_text("")
    (folder / "package" / "__main__.py").write_text(SHOW)
    with zipfile.ZipFile(folder / "app.zip", "w") as archive:
        archive.writestr("__main__.py", "import sys\nprint(sys.argv, __name__)")


@pytest.mark.parametrize(
    "arguments",
    [
        ["script.py", "-x", "--help", "b c"],
        ["sub/script.py", "a"],
        ["-m", "script", "a"],
        ["-m", "package", "-m", "a"],
        ["-c", SHOW, "a", "-c"],
    ],
)
def test_a_program_sees_what_it_sees_under_python(arguments, run):
    programs(run.folder)
    ours, theirs = run(*arguments), run(*arguments, ours=False)
    assert ours.returncode == theirs.returncode == 0, ours.stderr
    assert json.loads(ours.stdout) == json.loads(theirs.stdout)
    assert without_banner(ours) == ""


def test_a_zip_file_and_standard_input_run_too(run):
    programs(run.folder)
    assert run("app.zip", "a").stdout == run("app.zip", "a", ours=False).stdout == "['app.zip', 'a'] __main__\n"
    assert run("-", "a", input="import sys; print(sys.argv)").stdout == "['-', 'a']\n"


def test_the_simulated_libraries_are_in_place_and_the_banner_is_on_stderr(run):
    done = run("-c", "import importlib.util as u; print(u.find_spec('cupy').origin)")
    assert done.stdout.strip().replace(os.sep, "/").endswith("gpusim/libraries/cupy/__init__.py")
    assert done.stderr.startswith("Hundredfold: no GPU here") or "simulated GPU" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "program",
    [
        "def f():\n    raise ValueError('x')\nf()\n",
        "import json\njson.loads('{')\n",
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError('k') from e\n",
        "def broken(:\n",
        "import sys\nsys.exit(7)\n",
        "import sys\nsys.exit('a last word')\n",
        "raise SystemExit\n",
        "import sys\nsys.excepthook = lambda *a: print('hook', len(__import__('traceback').extract_tb(a[2])))\n1 / 0\n",
        "import atexit\ndef last(): print('last', value)\nvalue = 5\natexit.register(last)\n",
        "import threading, time\nvalue = 5\nthreading.Thread(target=lambda: (time.sleep(0.1), print(value))).start()\n",
        "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))))\n",
    ],
)
def test_exit_status_output_and_traceback_are_the_programs_own(program, run):
    (run.folder / "program.py").write_text(program)
    ours, theirs = run(run.folder / "program.py"), run(run.folder / "program.py", ours=False)
    assert (ours.returncode, ours.stdout, without_banner(ours)) == (theirs.returncode, theirs.stdout, theirs.stderr)


def test_children_started_by_spawn_find_the_programs_functions(run):
    program = (
        "import multiprocessing as mp, sys\n"
        "def f(x): return x + 1, type(sys.meta_path[0]).__name__\n"
        "if __name__ == '__main__':\n"
        "    with mp.get_context('spawn').Pool(1) as pool: print(pool.map(f, [1]))\n"
    )
    (run.folder / "program.py").write_text(program)
    for arguments in (["program.py"], ["-m", "program"]):
        assert run(*arguments).stdout == "[(2, 'SimulatedFinder')]\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send to a child")
def test_ctrl_c_ends_it_as_it_ends_python(run):
    (run.folder / "program.py").write_text("import time\nprint('ready', flush=True)\ntime.sleep(60)\n")
    ends = []
    for ours in (True, False):
        process = run(str(run.folder / "program.py"), ours=ours, popen=True)
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=30)[1]
        ends.append((process.returncode, error[error.index("Traceback") :]))
    assert ends[0] == ends[1]
    assert ends[0][0] == -signal.SIGINT


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["absent.py"], "can't open file"),
        (["doctor"], "did you mean `hundredfold doctor`?"),
        (["-m", "no_such_module"], "No module named no_such_module"),
        (["-m", "json"], "is a package and cannot be run itself"),
        (["-m", "no_such.module"], "No module named"),
        (["-m"], "-m needs a module to run"),
        (["-X"], "unknown option -X"),
    ],
)
def test_what_cannot_be_run_is_told_in_one_line(arguments, sentence, run):
    done = run(*arguments)
    assert done.returncode == 2 and sentence in done.stderr
    assert done.stderr.count("\n") == 1 and done.stdout == ""


def test_without_arguments_it_says_how_and_where_to_look(run):
    done = run()
    assert (
        done.returncode == 2
        and "usage: python -m hundredfold SCRIPT" in done.stderr
        and "hundredfold doctor" in done.stderr
    )
    done = run("--help")
    assert done.returncode == 0 and "usage: python -m hundredfold SCRIPT" in done.stdout


def test_where_it_cannot_start_nothing_runs(run):
    (run.folder / "program.py").write_text("print('ran')\n")
    environment = {**os.environ, "GPUSIM_PROBE": str(run.folder / "absent.json")}
    environment.pop("GPUSIM_SIMULATE", None)
    done = run("program.py", env=environment)
    assert (
        done.returncode == 1 and done.stdout == "" and done.stderr.startswith("Hundredfold: GPUSIM_PROBE names a file")
    )
    assert done.stderr.count("\n") == 1
