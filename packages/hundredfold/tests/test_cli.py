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


# Not what other tests of this process have set: one that puts the simulated libraries in place exports it to its children.
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
    [("docter", "Did you mean 'doctor'?"), ("Build", "Did you mean 'build'?"), ("foo", "There are: assignment, build")],
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


def leaves(command, path=()):
    """The commands that do something, each as what is typed; `lab` passes its options on to JupyterLab."""
    if not isinstance(command, click.Group):
        return [path] if path != ("lab",) else []
    context = click.Context(command)
    named = [(name, command.get_command(context, name)) for name in command.list_commands(context)]
    return [leaf for name, each in named for leaf in leaves(each, (*path, name))]


@pytest.mark.parametrize("path", leaves(cli.group), ids=" ".join)
def test_an_unknown_option_ends_in_2_and_help_is_whole(path, capsys):
    assert cli.run([*path, "--no-such-option"]) == 2
    assert cli.run([*path[:-1], "--help"]) == 0
    listed = capsys.readouterr().out.partition("\n\nOptions")[2]
    assert "..." not in listed


@pytest.mark.parametrize(
    "typed",
    [
        "assignment FOLDER nothing",
        "build nothing",
        "build --from=nothing.ipynb",
        "build --refresh --check",
        "compare nothing.json nothing.json",
        "doctor --json --record",
        "environment --driver=x",
        "environment --driver=580.65.06 --gpu=x",
        "environment --driver=580.65.06 --python=2.7",
        "environment --driver=580.65.06 --output=no/such/folder.yml",
        "lab --port=x",
        "lab --syllabus=x",
        "links --address=x",
        "links --hub=x --address=https://github.com/a/b",
        "preflight --cores=-1",
        "preflight --memory=x",
        "preflight --settings=nothing.toml",
        "preflight --what=x",
        "progress --class=nothing",
        "progress --share=nothing",
        "progress nothing",
        "record --only=x",
        "seats plan --learners=0",
        "seats plan --learners=9 --gpus=x",
        "syllabus x",
    ],
)
def test_wrong_arguments_end_in_2_and_a_sentence(typed, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HUNDREDFOLD_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("HUNDREDFOLD_WORK", str(tmp_path / "work"))
    assert cli.run(typed.replace("FOLDER", str(tmp_path / "here")).split()) == 2
    said = capsys.readouterr().err
    assert said.strip() and "Traceback" not in said


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
