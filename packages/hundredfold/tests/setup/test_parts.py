"""`make test-all`: its parts, what it goes on with, and what of large sets runs with every change."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from hundredfold.setup.lab import Stop, parts

ROOT = Path(__file__).parents[4]
SETS = [
    "packages/gpusim/tests/kernels_set",
    "packages/kernellens/tests/test_finds.py",
    "tests/lab/test_small_seat.py",
    "packages/hundredfold/tests/learning/problems/test_known_answers.py",
]


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with parts that write their names into a file, and fail where a file is called as they are; root's is left out."""
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text("ran\n.cache\n")
    monkeypatch.setattr(parts, "ROOT", tmp_path)
    monkeypatch.setattr(parts, "CACHE", tmp_path / ".cache")
    monkeypatch.setattr(parts, "PASSED", tmp_path / ".cache" / "passed.json")
    monkeypatch.setattr(parts.environment, "ready", lambda groups: None)

    def part(name):
        code = f"import os; open('ran', 'a').write('{name} '); raise SystemExit(os.path.exists('{name}'))"
        return lambda: parts.Run(("-c", code), Path(sys.executable))

    def root():
        raise parts.LeftOut("needs root, on Linux")

    def unmade():
        raise Stop("There is no network.")

    made = {"one": part("one"), "two": part("two"), "root": root, "unmade": unmade, "three": part("three")}
    monkeypatch.setattr(parts, "PARTS", made)
    return tmp_path


def ran(checkout) -> str:
    """The parts that ran since this was last asked."""
    text = (checkout / "ran").read_text() if (checkout / "ran").exists() else ""
    (checkout / "ran").write_text("")
    return text.strip()


def test_what_has_passed_is_not_run_again_until_a_file_changes(checkout, capfd):
    (checkout / "two").touch()
    assert parts.command([]) == 1
    said = capfd.readouterr()
    assert ran(checkout) == "one two three", "one that fails keeps no other from running"
    assert "two: failed (exit status 1)" in said.out and "root: left out: needs root" in said.out
    assert "unmade: failed" in said.out and said.err == "Hundredfold: There is no network.\n"
    parts.command([])
    assert ran(checkout) == "two" and "one: passed before, on the same files" in capfd.readouterr().out
    (checkout / "two").unlink()
    parts.command([])
    assert ran(checkout) == "one two three"
    (checkout / "code.py").write_text("new = 1\n")
    parts.command([])
    parts.command([])
    assert ran(checkout) == "one two three"


def test_a_part_that_is_named_runs_in_any_case(checkout):
    for _ in range(2):
        assert parts.command(["one", "three"]) == 0
    assert ran(checkout) == "one three one three"
    parts.command([])
    assert ran(checkout) == "two"


def test_options_go_to_what_a_part_runs_and_only_pytest_has_a_smoke_set(checkout, monkeypatch, capfd):
    say = "import sys; open('ran', 'a').write(' '.join(sys.argv[1:]))"
    (checkout / "pytest.py").write_text(say)
    made = {"own": ("-c", say), "tests": ("-m", "pytest")}
    runs = {name: lambda line=line: parts.Run(line, Path(sys.executable)) for name, line in made.items()}
    monkeypatch.setattr(parts, "PARTS", runs)
    assert parts.command(["own", "--only", "some"]) == 0
    assert ran(checkout) == "--only some"
    assert parts.command(["own", "tests", "--smoke", "-x"]) == 0
    assert ran(checkout) == " ".join([*parts.SMALL, "-x"])
    assert "own: left out: it has no smoke set" in capfd.readouterr().out


def test_without_git_nothing_is_taken_for_passed(checkout, monkeypatch):
    monkeypatch.setattr(parts, "_tree", lambda: None)
    parts.command([])
    parts.command([])
    assert ran(checkout) == "one two three one two three"


@pytest.fixture(scope="module")
def collected():
    def ask(*more: str) -> set[str]:
        arguments = [
            "--collect-only",
            "-q",
            "-n0",
            "-o",
            "addopts=--import-mode=importlib --strict-markers",
            *SETS,
            *more,
        ]
        command = [sys.executable, "-m", "pytest", *arguments]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return {line for line in done.stdout.splitlines() if "::" in line}

    return {"all": ask(), "small": ask(*parts.SMALL), "large": ask("-m", "large")}


@pytest.mark.parametrize("path", SETS)
def test_of_a_large_set_a_few_run_with_every_change(path, collected):
    everything, small, large = (
        {test for test in collected[name] if test.startswith(path)} for name in ("all", "small", "large")
    )
    assert everything == small | large
    assert 2 <= len(small & large) < len(large) / 2


def test_every_file_of_tests_is_in_a_part(monkeypatch):
    for name in ("compiler", "interop", "clusters", "docs", "grading", "checks", "public_packages"):
        monkeypatch.setattr(parts.beside, name, lambda: Path(sys.executable))
    monkeypatch.setattr(parts.hub, "ready", lambda: Path(sys.executable))
    monkeypatch.setattr(parts, "_as_root", lambda: None)
    monkeypatch.setattr(parts.shutil, "which", lambda name: name)
    monkeypatch.setenv("CHECKOUTS", str(ROOT))
    monkeypatch.setattr(parts, "_checkout", Path)
    runs = [part() for part in parts.PARTS.values()]
    apart = tuple(each for run in runs for each in run.arguments if each.startswith(("tests/", "packages/")))
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    ignored = {Path(argument.partition("=")[2]) for argument in runs[0].arguments if argument.startswith("--ignore=")}
    folders = [ROOT / "tests", *ROOT.glob("packages/*/tests")]
    assert {folder.relative_to(ROOT).as_posix() for folder in folders} <= set(settings["testpaths"])
    for file in (file for folder in folders for file in folder.rglob("test_*.py")):
        place = file.relative_to(ROOT)
        hidden = ignored & {place, *place.parents} or set(settings["norecursedirs"]) & set(place.parts)
        assert not hidden or place.as_posix().startswith(apart), place
