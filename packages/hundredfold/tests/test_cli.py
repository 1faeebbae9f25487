"""The command `hundredfold`, from outside and in."""

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

import hundredfold
from hundredfold import cli

RECORDED = Path(__file__).parents[2] / "gpusim" / "tests" / "hardware" / "recorded"


# Not what other tests of this process have set: one that puts the stand-ins in place exports it to its children.
CLEAN = {
    name: value for name, value in os.environ.items() if not name.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_"))
}


def run(*arguments, **env):
    command = [sys.executable, "-c", "from hundredfold.cli import main; main()", *arguments]
    env = {**CLEAN, "HUNDREDFOLD_DEBUG": "", **env}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_installed_command():
    done = subprocess.run(
        [Path(sys.executable).with_name("hundredfold"), "--version"], capture_output=True, text=True, check=True
    )
    assert hundredfold.__version__ in done.stdout


def test_help_lists_all_and_imports_none():
    code = (
        "import sys; from hundredfold import cli; status = cli.run(['--help']);"
        "print(sorted(n for n in sys.modules if n.startswith('hundredfold.'))); sys.exit(status)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=CLEAN, capture_output=True, text=True, check=True)
    for person, commands in cli.PEOPLE.items():
        assert f"\n{person}:\n" in done.stdout
        for name, (_, line) in commands.items():
            assert f"  {name}" in done.stdout and line.split(",")[0] in done.stdout
    assert done.stdout.splitlines()[-1] == "['hundredfold.cli']"


@pytest.mark.parametrize(
    ("typed", "says"),
    [("docter", "Did you mean 'doctor'?"), ("Build", "Did you mean 'build'?"), ("x", "There are: assignment, build")],
)
def test_unknown_command(typed, says):
    done = run(typed)
    assert done.returncode == 2 and f"There is no command '{typed}'. {says}" in done.stderr


@pytest.mark.parametrize(
    ("typed", "now"), [(["lens", "a.py"], "kernellens check a.py"), (["try", "--help"], "kernellens try --help")]
)
def test_a_command_that_moved_is_named(typed, now):
    done = run(*typed)
    assert done.returncode == 2 and f"`{now}`" in done.stderr


@pytest.mark.parametrize("name", sorted(cli.group.known))
def test_every_command_is_there(name):
    command = cli.group.get_command(click.Context(cli.group), name)
    assert isinstance(command, click.Command) and command.get_short_help_str()


def test_doctor():
    bad = run("doctor", "--json", GPUSIM_PROBE=str(RECORDED / "both-cupys.json"))
    assert bad.returncode == 1 and json.loads(bad.stdout)["ok"] is False
    text = run("doctor", GPUSIM_PROBE=str(RECORDED / "both-cupys.json"))
    assert text.returncode == 1 and "→ rm -rf .venv && make setup EXTRA=cu13" in text.stdout
    here = run("doctor", "--json", GPUSIM_PROBE=str(RECORDED / "no-gpu.json"))
    assert here.returncode == (0 if json.loads(here.stdout)["ok"] else 1)
    assert run("doctor", "--json", "--record").returncode == 2
    assert "probe" in json.loads(run("doctor", "--record", GPUSIM_PROBE="").stdout)


def fails(monkeypatch, error):
    @click.command()
    def command():
        raise error

    monkeypatch.setattr(cli, "doctor", command)


def test_unexpected_error_is_one_sentence(monkeypatch, capsys):
    monkeypatch.delenv("HUNDREDFOLD_DEBUG", raising=False)
    fails(monkeypatch, OSError(28, "No space left on device"))
    assert cli.run(["doctor"]) == 1
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "No space left on device" in told and "HUNDREDFOLD_DEBUG=1" in told
    monkeypatch.setenv("HUNDREDFOLD_DEBUG", "1")
    with pytest.raises(OSError):
        cli.run(["doctor"])


def test_interrupt(monkeypatch, capsys):
    fails(monkeypatch, KeyboardInterrupt())
    assert cli.run(["doctor"]) == 130 and "Traceback" not in capsys.readouterr().err


def test_reader_that_leaves(tmp_path):
    """`hundredfold doctor | head -1` ends in peace."""
    script = "import sys; from hundredfold import cli; sys.exit(cli.run(['doctor', '--json']))"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    told = process.stderr.read().decode()
    process.wait()
    assert told == ""
