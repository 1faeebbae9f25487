"""`lab.py setup` from outside, on a copy of the checkout, with a uv in front of the real one that says what the real one said
when its network, its disk or its hashes failed (recorded from uv 0.13.8)."""

import ast
import ctypes
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hundredfold.setup.lab import commands

ROOT = Path(__file__).resolve().parents[4]
PYTHON = getattr(sys, "_base_executable", sys.executable)

UV = f"""#!{PYTHON} -IS
import json, os, pathlib, sys, time
here = pathlib.Path(__file__).resolve().parent
arguments = sys.argv[1:]
if arguments == ["--version"]:
    print(os.environ.get("STUB_VERSION", "uv 0.13.8 (x86_64-unknown-linux-gnu)"))
    raise SystemExit
with open(here / "calls", "a") as calls:
    calls.write(json.dumps(arguments) + "\\n")
if arguments[0] == "venv":
    venv = pathlib.Path(arguments[-1])
    (venv / "bin").mkdir(parents=True, exist_ok=True)
    (venv / "pyvenv.cfg").touch()
    (venv / "hundredfold.json").unlink(missing_ok=True)
    (venv / "bin/python").unlink(missing_ok=True)
    (venv / "bin/python").symlink_to({PYTHON!r})
if arguments[:2] == ["pip", "sync"]:
    (here / "syncing").touch()
    time.sleep(float(os.environ.get("STUB_SLEEP", "0")))
    says = here / "says"
    if says.exists():
        sys.stderr.write(says.read_text())
        raise SystemExit(1)
if arguments[:2] == ["pip", "compile"]:
    pathlib.Path(arguments[-1]).write_text("")
"""

NO_NETWORK = """\
Using Python 3.11.7 environment at: .venv
error: Request failed after 3 retries in 4.3s
  cause: Failed to fetch: https://index.example/simple/ptyprocess/
  cause: error sending request for url (https://index.example/simple/ptyprocess/)
  cause: client error (Connect)
  cause: dns error
  cause: failed to lookup address information: Temporary failure in name resolution
"""
NO_SPACE = """\
Prepared 11 packages in 1.54s
error: Failed to install: jax-0.10.2-py3-none-any.whl (jax==0.10.2)
  cause: failed to copy file from /cache/jax/convolution.py to /venv/.tmpjfaBhD: No space left on device (os error 28)
"""
WRONG_HASH = """\
error: Failed to download `ml-dtypes==0.6.0`
  cause: Hash mismatch for `ml-dtypes==0.6.0`

         Expected:
           sha256:00000000ab529df5d3f00501ad9a7dcd64494d4b5b1971fc4c79019e6c1f5010
         Computed:
           sha256:6c8e39b53e90afda8ce52859c93de4dba3e02b76d85dcf091cc469f9184c6dae
"""
READ_ONLY_CACHE = """\
error: Failed to initialize cache at `/home/ada/.cache/uv`
  cause: failed to create directory `/home/ada/.cache/uv`: Permission denied (os error 13)
"""


class Checkout:
    """A copy of what set-up needs of the checkout, and a folder of programs that comes first on PATH."""

    def __init__(self, folder: Path) -> None:
        self.root, self.bin = folder / "checkout", folder / "bin"
        self.root.mkdir()
        self.bin.mkdir()
        for name in ("lab.py", "Makefile", "pyproject.toml"):
            shutil.copy(ROOT / name, self.root / name)
        shutil.copytree(ROOT / "requirements", self.root / "requirements")
        simulator, course = Path("packages/gpusim/src/gpusim"), Path("packages/hundredfold/src/hundredfold")
        for part in (simulator / "hardware", course / "setup", course / "etc"):
            shutil.copytree(ROOT / part, self.root / part)
        files = [simulator / name for name in ("__init__.py", "variables.py", "importing/gpusim.pth")]
        files += [course / name for name in ("__init__.py", "paths.py", "classroom/seats/hundredfold_seat.pth")]
        files += [Path("packages/kernellens/src/kernellens", name) for name in ("__init__.py", "variables.py")]
        files += [Path("packages", name, "pyproject.toml") for name in ("gpusim", "kernellens", "hundredfold")]
        for file in files:
            (self.root / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, self.root / file)
        self.program("uv", UV)

    def program(self, name: str, text: str) -> Path:
        file = self.bin / name
        file.write_text(text)
        file.chmod(0o755)
        return file

    def uv_says(self, text: str | None) -> None:
        (self.bin / "says").unlink(missing_ok=True)
        if text is not None:
            (self.bin / "says").write_text(text)

    def environ(self, **more: str) -> dict[str, str]:
        drop = ("EXTRA", "UPGRADE", "GPUSIM_SIMULATE", "GPUSIM_PROBE", "PYTHONPATH")
        env = {name: value for name, value in os.environ.items() if name not in drop}
        return {**env, "EXTRA": "cpu", "PATH": f"{self.bin}{os.pathsep}/usr/bin{os.pathsep}/bin", **more}

    def start(self, *arguments: str, before: list[str] | None = None, **options) -> subprocess.Popen:
        env = options.pop("env", {})
        command = [*(before or [PYTHON]), str(self.root / "lab.py"), *arguments]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(command, cwd=self.root.parent, env=self.environ(**env), **pipes, **options)

    def lab(self, *arguments: str, **options) -> subprocess.CompletedProcess:
        process = self.start(*arguments, **options)
        out, err = process.communicate(timeout=60)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def refused(self, *arguments: str, status: int = 1, **options) -> str:
        """The one sentence that a run ended in."""
        done = self.lab(*arguments, **options)
        assert done.returncode == status and done.stderr.count("\n") == 1, done.stderr
        assert "Traceback" not in done.stdout + done.stderr
        return done.stderr

    def calls(self) -> list[list[str]]:
        file = self.bin / "calls"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def syncs(self) -> list[list[str]]:
        """The names of the lock's files, for each sync so far."""
        return [[Path(a).stem for a in call if a.endswith(".txt")] for call in self.calls() if call[1] == "sync"]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_set_up_makes_the_environment_from_the_lock_with_hashes_and_then_the_project(checkout):
    done = checkout.lab("setup")
    assert done.returncode == 0, done.stderr
    venv, sync, project = checkout.calls()
    assert venv[0] == "venv" and "--require-hashes" in sync and "--require-hashes" not in project
    assert checkout.syncs() == [["cpu", "cudf-polars"]]
    assert project[:2] == ["pip", "install"] and {"--no-deps", "--no-build-isolation", "--editable"} <= set(project)


def test_a_second_set_up_does_nothing(checkout):
    checkout.lab("setup")
    before = checkout.calls()
    assert checkout.lab("setup").returncode == 0 and checkout.calls() == before


@pytest.mark.parametrize(
    "change",
    [
        "requirements/cpu.txt",
        "packages/hundredfold/src/hundredfold/etc/dask.yaml",
        "packages/gpusim/src/gpusim/importing/gpusim.pth",
    ],
)
def test_a_change_of_what_is_installed_is_installed(checkout, change):
    checkout.lab("setup")
    with open(checkout.root / change, "a") as file:
        file.write("\n# newer\n")
    checkout.lab("setup")
    assert checkout.syncs() == [["cpu", "cudf-polars"], ["cpu", "cudf-polars"]]


def test_only_the_project_files_parts_that_decide_what_is_installed_count(checkout):
    checkout.lab("setup")
    project = checkout.root / "packages" / "kernellens" / "pyproject.toml"
    project.write_text(project.read_text() + "\n[tool.mine]\nstyle = 'of no matter'\n")
    checkout.lab("setup")
    assert len(checkout.syncs()) == 1
    project.write_text(project.read_text().replace('version = "', 'version = "1'))
    checkout.lab("setup")
    assert len(checkout.syncs()) == 2


def test_a_python_that_is_asked_for_replaces_that_of_another_series(checkout):
    checkout.lab("setup")
    old, stamp = checkout.root / ".venv/bin/python", checkout.root / ".venv/hundredfold.json"
    old.unlink()
    old.write_text("#!/bin/sh\necho 3.10.1\n")
    old.chmod(0o755)
    stamp.write_text(json.dumps({**json.loads(stamp.read_text()), "python": "3.10.1"}))
    checkout.lab("setup")
    assert len(checkout.syncs()) == 1, "whatever Python lab.py happens to run on, .venv keeps its own"
    for _ in range(2):
        assert checkout.lab("setup", env={"PYTHON": PYTHON}).returncode == 0
    assert len(checkout.syncs()) == 2 and json.loads(stamp.read_text())["python"] != "3.10.1"


def test_where_the_file_system_has_no_locks_it_is_set_up_without(checkout):
    code = (
        "import fcntl, os, runpy, sys\n"
        "def flock(*_): raise OSError(38, os.strerror(38))\n"
        "fcntl.flock = flock; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    assert checkout.lab("setup", before=[PYTHON, "-c", code]).returncode == 0 and checkout.syncs() == [
        ["cpu", "cudf-polars"]
    ]


def test_modules_of_another_python_do_not_come_before_the_labs_own(checkout, tmp_path):
    (checkout.root / "benchmarks").mkdir()
    (checkout.root / "benchmarks" / "path.py").write_text("import os; print(os.environ.get('PYTHONPATH'))")
    done = checkout.lab("benchmark", env={"PYTHONPATH": str(tmp_path)})
    assert done.stdout.splitlines()[-1] == "None"


def test_groups_that_are_installed_stay(checkout):
    checkout.lab("setup", "test")
    checkout.lab("setup")
    checkout.lab("setup", "docs")
    checkout.lab("setup", "test")
    assert checkout.syncs() == [["cpu", "cudf-polars", "test"], ["cpu", "cudf-polars", "docs", "test"]]


def test_another_extra_replaces_the_first(checkout):
    checkout.lab("setup", "test")
    checkout.lab("setup", env={"EXTRA": "compiler"})
    assert checkout.syncs() == [["cpu", "cudf-polars", "test"], ["compiler", "cudf-polars", "test"]]


def test_a_moved_checkout_gets_a_new_environment(checkout):
    checkout.lab("setup")
    checkout.root = checkout.root.rename(checkout.root.with_name("elsewhere"))
    checkout.lab("setup")
    assert [call[0] for call in checkout.calls()].count("venv") == 2


@pytest.mark.large(smoke=1)
@pytest.mark.parametrize(
    ("uv_says", "words"),
    [
        (NO_NETWORK, ["no network", "UV_DEFAULT_INDEX", "same command again"]),
        (NO_SPACE, ["disk is full", "free some space", "same command again"]),
        (WRONG_HASH, ["ml-dtypes", "hash differs", "not installed", "setup.log"]),
        (READ_ONLY_CACHE, ["/home/ada/.cache/uv", "UV_CACHE_DIR"]),
        ("error: something new\n", ["something new", "setup.log"]),
    ],
)
def test_each_failure_ends_in_one_sentence_and_the_next_run_starts_afresh(checkout, uv_says, words):
    checkout.uv_says(uv_says)
    sentence = checkout.refused("setup")
    assert all(word in sentence for word in words), sentence
    checkout.uv_says(None)
    assert checkout.lab("setup").returncode == 0
    assert [call[0] for call in checkout.calls()].count("venv") == 2, "half a package looks installed: made anew"
    checkout.lab("setup")
    assert [call[0] for call in checkout.calls()].count("venv") == 2


def test_without_network_what_uv_has_kept_is_tried(checkout):
    checkout.uv_says(NO_NETWORK)
    checkout.refused("setup")
    assert "--offline" not in checkout.calls()[1] and "--offline" in checkout.calls()[2]


def test_the_log_holds_what_uv_said(checkout):
    checkout.uv_says(WRONG_HASH)
    checkout.refused("setup")
    assert WRONG_HASH in (checkout.root / ".cache/setup.log").read_text()


def wait_for(file: Path) -> None:
    for _ in range(600):
        if file.exists():
            return
        time.sleep(0.05)
    raise AssertionError(f"{file} never came")


def test_ctrl_c_ends_in_a_sentence_and_the_next_run_starts_afresh(checkout):
    process = checkout.start("setup", env={"STUB_SLEEP": "30"}, start_new_session=True)
    wait_for(checkout.bin / "syncing")
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (
        process.returncode == 130 and "run the same command again" in err and "Traceback" not in err.partition("uv")[0]
    )
    assert json.loads((checkout.root / ".venv/hundredfold.json").read_text())["finished"] is False
    assert checkout.lab("setup").returncode == 0
    assert [call[0] for call in checkout.calls()].count("venv") == 2


def test_a_set_up_that_was_killed_is_done_again(checkout):
    process = checkout.start("setup", env={"STUB_SLEEP": "30"}, start_new_session=True)
    wait_for(checkout.bin / "syncing")
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=30)
    assert checkout.lab("setup").returncode == 0
    assert [call[0] for call in checkout.calls()].count("venv") == 2


def test_of_two_set_ups_at_once_the_second_waits_and_finds_all_done(checkout):
    first = checkout.start("setup", env={"STUB_SLEEP": "1.5"})
    wait_for(checkout.bin / "syncing")
    second = checkout.lab("setup")
    assert first.wait(timeout=30) == second.returncode == 0
    first.communicate()
    assert "waiting for it" in second.stdout and len(checkout.syncs()) == 1


def without_root_powers() -> None:
    """Let root be bound by permissions too: what it starts from here on has none of its rights over files (Linux)."""
    if os.geteuid() == 0:
        for capability in (1, 2, 3):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER
            assert ctypes.CDLL(None).prctl(24, capability) == 0


@pytest.mark.parametrize("finished", [False, True])
def test_a_read_only_checkout(checkout, finished):
    if finished:
        checkout.lab("setup")
        with open(checkout.root / "requirements/cpu.txt", "a") as file:
            file.write("# newer")
    for path in [*checkout.root.iterdir(), checkout.root]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        sentence = checkout.refused("setup", preexec_fn=without_root_powers)
    finally:
        checkout.root.chmod(0o755)
        for path in checkout.root.iterdir():
            path.chmod(0o755)
    assert (
        f"{checkout.root} cannot be written to" in sentence
        and f"cp -r {shlex.quote(str(checkout.root))} ~/" in sentence
    )


def test_a_checkout_in_a_folder_with_an_odd_name(tmp_path):
    (tmp_path / "my läb").mkdir()
    checkout = Checkout(tmp_path / "my läb")
    make = ["make", "setup", f"PYTHON={PYTHON}", "EXTRA=cpu"]
    subprocess.run(make, cwd=checkout.root, env=checkout.environ(), check=True, capture_output=True)
    assert checkout.syncs() == [["cpu", "cudf-polars"]]
    test_a_read_only_checkout(checkout, True)  # the command that it names can be pasted


def test_a_read_only_checkout_that_is_set_up_is_used(checkout):
    checkout.lab("setup")
    checkout.root.chmod(0o555)
    try:
        assert checkout.lab("setup", preexec_fn=without_root_powers).returncode == 0
    finally:
        checkout.root.chmod(0o755)


@pytest.mark.parametrize("error", ["ENOSPC", "EROFS"])
def test_a_disk_that_fails_under_our_own_hands(checkout, error):
    """The stamp is written by us: what the system says then is put into the same sentences."""
    code = (
        "import errno, os, runpy, sys; replace = os.replace\n"
        f"def full(*paths): raise OSError(errno.{error}, os.strerror(errno.{error}), str(paths[1]))\n"
        "os.replace = full; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    sentence = checkout.refused("setup", before=[PYTHON, "-c", code])
    assert {"ENOSPC": "disk is full", "EROFS": "cannot be written to"}[error] in sentence


@pytest.mark.parametrize(
    ("arguments", "env", "words"),
    [
        (["setup"], {"EXTRA": "cuda"}, ["EXTRA=cuda", "cpu, cu12, cu13, compiler"]),
        (["setup", "tests"], {}, ["'tests'", "test, docs, hub, interop, clusters, grading, audit"]),
        (["labb"], {}, ["'labb'", "lab, setup, test"]),
    ],
)
def test_a_wrong_name_is_answered_with_the_right_ones(checkout, arguments, env, words):
    sentence = checkout.refused(*arguments, env=env, status=2)
    assert all(word in sentence for word in words) and not checkout.calls()


@pytest.mark.large
def test_without_extra_the_driver_decides(checkout):
    probe = checkout.root / "probe.json"
    recorded = sorted((ROOT / "packages/gpusim/tests/hardware/recorded").glob("*.json"))
    assert recorded, "the recorded machines"
    seen = set()
    for file in recorded:
        shutil.copy(file, probe)
        asked = {
            "EXTRA": "",
            "GPUSIM_PROBE": str(probe),
            "PYTHONPATH": str(checkout.root / "packages" / "gpusim" / "src"),
        }
        code = "from gpusim.hardware import packages; print(packages.extra())"
        extra = subprocess.check_output([PYTHON, "-c", code], env=checkout.environ(**asked), text=True).strip()
        del asked["PYTHONPATH"]
        if extra not in seen:
            seen.add(extra)
            assert checkout.lab("setup", env=asked).returncode == 0
            assert checkout.syncs()[-1] == ([extra, "cudf-polars"] if extra == "cpu" else [extra])
    assert seen == {"cpu", "cu12", "cu13"}


# The Python that runs lab.py.


def as_python(version: tuple[int, ...]) -> list[str]:
    """A Python that takes itself for another version, in front of a script."""
    code = (
        f"import runpy, sys; sys.version_info = {version + ('final', 0)!r}; sys.version = '{'.'.join(map(str, version))} ';"
        "sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    return [PYTHON, "-c", code]


@pytest.mark.parametrize("version", [(3, 10, 13), (3, 14, 0), (2, 7, 18)])
def test_a_wrong_python_alone_ends_in_one_sentence(checkout, version):
    checkout.program("python3.12", "#!/bin/sh\necho 'pyenv: python3.12: command not found'; exit 127\n")
    sentence = checkout.refused("setup", before=as_python(version), env={"PATH": str(checkout.bin)})
    assert (
        "3.11, 3.12 or 3.13" in sentence and ".".join(map(str, version)) in sentence and "python3.12 lab.py" in sentence
    )


def test_a_wrong_python_hands_over_to_a_right_one(checkout):
    checkout.program("python3.13", "#!/bin/sh\nexit 127\n")
    right = checkout.program(
        "python3.12", f'#!/bin/sh\necho "handed over: $*" >> {checkout.bin}/handed\nexec {PYTHON} "$@"\n'
    )
    done = checkout.lab("setup", before=as_python((3, 9, 2)), env={"PATH": f"{checkout.bin}:/usr/bin-none:/bin"})
    assert done.returncode == 0 and right.exists()
    assert "lab.py setup" in (checkout.bin / "handed").read_text()


def test_lab_py_can_be_read_by_any_python():
    """Even Python 2.7 has to get as far as the sentence: no f-strings, no annotations, nothing newer."""
    tree = ast.parse((ROOT / "lab.py").read_text(), feature_version=(3, 4))
    newer = (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.AsyncFunctionDef, ast.Nonlocal, ast.Await)
    assert not [node for node in ast.walk(tree) if isinstance(node, newer)]
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert not [f for f in functions if f.returns or any(a.annotation for a in f.args.args) or f.args.kwonlyargs]


# uv itself.


def python_that_says(checkout: Checkout, text: str, code: int = 1) -> dict[str, str]:
    """Stand a program in for the Python that makes environments; the rest stays real."""
    (checkout.bin / "uv").unlink()
    stub = checkout.program("base-python", f"#!/bin/sh\ncat <<'END'\n{text}\nEND\nexit {code}\n")
    (checkout.bin / "sitecustomize.py").write_text(f"import sys\nsys._base_executable = {str(stub)!r}\n")
    return {"PYTHONPATH": str(checkout.bin)}


def test_missing_ensurepip_is_named_with_the_command_that_brings_it(checkout):
    said = (
        "The virtual environment was not created successfully because ensurepip is not\n"
        "available.  On Debian/Ubuntu systems, you need to install the python3-venv\npackage"
    )
    sentence = checkout.refused("setup", env=python_that_says(checkout, said))
    version = ".".join(map(str, sys.version_info[:2]))
    assert "ensurepip" in sentence and f"sudo apt install python{version}-venv" in sentence


def test_a_uv_that_is_too_old_or_an_empty_promise_is_not_used(checkout):
    said = "Error: Command '['.uv/bin/python', '-m', 'ensurepip']' returned non-zero exit status 1."
    checkout.program("uv", "#!/bin/sh\necho 'uv 0.1.2'\n")
    assert "uv" in os.listdir(checkout.bin)
    env = python_that_says(checkout, said)
    for text in ("#!/bin/sh\necho 'uv 0.1.2'\n", "#!/bin/sh\nexit 127\n"):
        checkout.program("uv", text)
        assert "ensurepip" in checkout.refused("setup", env=env)


@pytest.mark.large
def test_no_network_to_bring_uv(checkout):
    """Real venv and pip; the index is a port nobody listens on."""
    (checkout.bin / "uv").unlink()
    env = {
        "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
        "PIP_EXTRA_INDEX_URL": "",
        "PIP_FIND_LINKS": "",
        "PIP_RETRIES": "0",
    }
    sentence = checkout.refused("setup", env={**env, "PIP_NO_CACHE_DIR": "1", "PIP_CONFIG_FILE": os.devnull})
    assert "no network" in sentence and "same command again" in sentence


# The other commands.


def test_the_lock_keeps_its_pins_unless_told_to_upgrade(checkout):
    assert checkout.lab("lock").returncode == 0
    written = [call[-1] for call in checkout.calls()]
    assert sorted(written) == sorted(f"requirements/{file.name}" for file in (ROOT / "requirements").glob("*.txt"))
    assert all("--generate-hashes" in call and "--no-emit-index-url" in call for call in checkout.calls())
    assert not any("--upgrade" in call for call in checkout.calls())
    assert written[0] == "requirements/cpu.txt", "the others are constrained by it"
    checkout.lab("lock", env={"UPGRADE": "1"})
    assert all("--upgrade" in call for call in checkout.calls()[len(written) :])


def test_the_doctor_comes_before_the_set_up(checkout):
    """What is wrong with a machine may be why it cannot be set up."""
    done = checkout.lab(
        "doctor", "--json", env={"GPUSIM_PROBE": str(ROOT / "packages/gpusim/tests/hardware/recorded/no-gpu.json")}
    )
    assert json.loads(done.stdout)["findings"] and not checkout.calls()


def as_pytest(checkout) -> None:
    """Stand a module in for pytest that says who runs it with what."""
    text = "import os, sys; print('PYTEST', os.environ['VIRTUAL_ENV'], *sys.argv[1:], sep='|')\n"
    (checkout.root / "pytest.py").write_text(text)


def pytests(done) -> list[list[str]]:
    """The environment and the arguments of each run of pytest."""
    return [line.split("|")[1:] for line in done.stdout.splitlines() if line.startswith("PYTEST|")]


def test_the_interop_tests_have_an_environment_of_their_own_and_the_notebooks_that_use_it(checkout):
    as_pytest(checkout)
    for folder, name, source in (
        ("notebooks", "03_any", "    import jax\n"),
        ("notebooks", "04_none", "import numpy\n"),
        ("solutions", "05_named", "import xarray as xr\n"),
    ):
        (checkout.root / folder).mkdir(exist_ok=True)
        (checkout.root / folder / f"{name}.ipynb").write_text(json.dumps({"cells": [{"source": [source]}]}))
    done = checkout.lab("test-all", "interop", "-q")
    assert done.returncode == 0, done.stderr
    ((venv, *ran),) = pytests(done)
    assert Path(venv) == checkout.root / ".interop" and "tests/interop" in ran and ran[-1] == "-q"
    assert [name for name in ran if name.endswith(".ipynb")] == ["notebooks/03_any.ipynb", "solutions/05_named.ipynb"]
    assert checkout.syncs() == [["cpu", "cudf-polars", "test"], ["cpu", "cudf-polars", "test", "interop"]]
    before = checkout.calls()
    assert checkout.lab("test-all", "interop").returncode == 0 and checkout.calls() == before
    (checkout.root / "requirements/interop.txt").write_text("# another\n")
    checkout.lab("test-all", "interop")
    assert checkout.syncs()[2:] == [["cpu", "cudf-polars", "test", "interop"]], "of the two, what the lock changed"


def test_the_compiler_s_tests_are_told_where_it_is_and_a_half_made_one_is_made_again(checkout):
    (checkout.root / "pytest.py").write_text("import os; print(os.environ['KERNELLENS_COMPILER'])\n")
    checkout.lab("setup", "test")
    checkout.program("uv", UV.replace('arguments[:2] == ["pip", "sync"]', 'arguments[:2] == ["pip", "install"]'))
    checkout.uv_says(NO_SPACE)
    assert "disk is full" in checkout.refused("test-all", "compiler")
    checkout.uv_says(None)
    for _ in range(2):
        done = checkout.lab("test-all", "compiler")
        assert done.returncode == 0, done.stderr
        assert str(checkout.root / ".compiler/bin/python") in done.stdout.splitlines()
    made = [call for call in checkout.calls() if call[-1].endswith(".compiler")]
    assert len(made) == 2 and all("--clear" in call for call in made)
    (wanted,) = {tuple(c) for c in checkout.calls() if c[:2] == ["pip", "install"] and "--constraint" in c}
    assert wanted[5].endswith("compiler.txt") and any(name.startswith("numba-cuda[cu13]") for name in wanted)


def test_what_does_not_always_pass_is_listed_with_how_often(checkout):
    text = """\
import json, pathlib, sys
runs = pathlib.Path("runs"); n = len(runs.read_text()) if runs.exists() else 0
runs.write_text("x" * (n + 1))
failed = pathlib.Path(".cache/pytest/v/cache/lastfailed"); failed.parent.mkdir(parents=True, exist_ok=True)
assert not failed.exists()
if n != 1: failed.write_text(json.dumps({"t.py::often": True} | ({"t.py::once": True} if n else {})))
sys.exit(n != 1)
"""
    (checkout.root / "pytest.py").write_text(text)
    done = checkout.lab("test-all", "kernels", env={"REPEAT": "3"})
    assert done.returncode == 1
    *_, first, second = done.stdout.splitlines()
    assert first.split() == ["2", "times", "t.py::often"] and second.split() == ["1", "times", "t.py::once"]
    kept = json.loads((checkout.root / ".cache/tests/repeated.json").read_text())
    assert kept == {"kernels": {"runs": 3, "failures": {"t.py::often": 2, "t.py::once": 1}}}


def test_what_is_no_part_is_refused(checkout):
    assert "'kernel' is no part" in checkout.refused("test-all", "kernel", status=2)


def test_benchmarks_run_in_turn_or_by_name(checkout):
    (checkout.root / "benchmarks").mkdir()
    for name in ("enqueue", "overhead"):
        text = f"import sys; print({name!r}, *sys.argv[1:], flush=True)"
        (checkout.root / "benchmarks" / f"{name}.py").write_text(text)
    assert checkout.lab("benchmark").stdout.splitlines()[-2:] == ["enqueue", "overhead"]
    assert checkout.lab("benchmark", "overhead", "--quick").stdout == "overhead --quick\n"
    assert "enqueue, overhead" in checkout.refused("benchmark", "speed", status=2)


def test_clean_leaves_what_the_learner_wrote(checkout):
    checkout.lab("setup")
    (checkout.root / "work/notebooks").mkdir(parents=True)
    (checkout.root / "work/notebooks/01_arrays.ipynb").write_text("mine")
    assert checkout.lab("clean").returncode == 0
    assert not (checkout.root / ".venv").exists() and not (checkout.root / ".cache").exists()
    assert (checkout.root / "work/notebooks/01_arrays.ipynb").read_text() == "mine"
    assert (checkout.root / "lab.py").exists()


def test_make_offers_what_lab_py_offers_and_help_lists_it(checkout):
    listed = subprocess.check_output(["make", "help", f"PYTHON={PYTHON}"], cwd=ROOT, text=True)
    makefile = (ROOT / "Makefile").read_text()
    commands = makefile.partition("COMMANDS := ")[2].partition("\n")[0].split() + ["lab"]
    assert sorted(commands) == sorted(line.split()[0] for line in listed.splitlines() if line.startswith("  "))
    assert listed == checkout.lab("help").stdout


def test_make_passes_extra_and_arguments_on(checkout):
    make = ["make", "setup", f"PYTHON={PYTHON}", "EXTRA=cu13", "ARGS=test docs"]
    subprocess.run(make, cwd=checkout.root, env=checkout.environ(), check=True, capture_output=True)
    assert checkout.syncs() == [["cu13", "docs", "test"]]


def test_the_commands_need_nothing_but_the_standard_library(checkout):
    """As on a fresh machine: no site-packages at all."""
    done = checkout.lab("help", before=[PYTHON, "-I", "-S"])
    assert done.returncode == 0, done.stderr
    assert checkout.lab("setup", before=[PYTHON, "-I", "-S"]).returncode == 0


def test_what_make_hands_down_does_not_reach_a_make_further_in(monkeypatch):
    from hundredfold.setup.lab import environment

    monkeypatch.setenv("MAKEFLAGS", " -- ARGS=-q")
    monkeypatch.setenv("ARGS", "-q")
    monkeypatch.setenv("MAKELEVEL", "1")
    assert not {"MAKEFLAGS", "MAKELEVEL", "ARGS"} & set(environment.environ(environment.PYTHON))


def test_what_the_lab_starts_keeps_the_bytecode_of_what_it_imports(monkeypatch):
    from hundredfold.setup.lab import environment

    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert "PYTHONDONTWRITEBYTECODE" not in environment.environ(environment.PYTHON)


@pytest.mark.parametrize(
    ("typed", "status", "says"),
    [
        (["site", "--port=1"], 2, "site takes"),
        (["sit"], 2, "no command 'sit'"),
        (["site", "--help"], 0, "build the site"),
    ],
)
def test_wrong_arguments_end_in_2_and_help_does_nothing_else(typed, status, says, monkeypatch, capsys):
    monkeypatch.setattr(commands.environment, "ready", None)
    assert commands.main(typed) == status
    told = capsys.readouterr()
    assert says in told.out + told.err
