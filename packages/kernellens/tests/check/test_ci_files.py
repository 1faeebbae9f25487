"""What other projects take from here: the action and the hook name commands and options that exist."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml

from kernellens.check.command import command

ROOT = Path(__file__).parents[4]


def test_the_hook_is_one_that_pre_commit_takes():
    manifest = ROOT / ".pre-commit-hooks.yaml"
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "validate-manifest", manifest], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (hook,) = yaml.safe_load(manifest.read_text())
    assert hook["entry"].split() == ["kernellens", "check"]


def test_the_action_calls_the_command_with_options_that_it_has():
    action = yaml.safe_load((ROOT / "deploy" / "ci" / "action.yml").read_text())
    steps = action["runs"]["steps"]
    (run,) = [step["run"] for step in steps if "kernellens check" in step.get("run", "")]
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in shlex.split(run) if word.startswith("--")} <= known
    used = {word.split(".")[1] for step in steps for word in str(step).split() if word.startswith("inputs.")}
    assert used >= {"programs", "sarif", "timeout", "arguments"} and used <= {*action["inputs"]} | {"sarif)"}
    (install,) = [step["run"] for step in steps if "pip install" in step.get("run", "")]
    words = shlex.split(install)
    folder = ROOT / "deploy" / "ci" / "../.."
    assert words[:2] == ["cd", "$GITHUB_ACTION_PATH/../.."]
    assert {"./packages/gpusim[cudf]", "./packages/kernellens"} <= {*words}
    for name in words:
        if name.startswith(("./packages/", "requirements/")):
            assert (folder / name.partition("[")[0]).exists(), name


def test_the_action_installs_from_the_lock_and_uses_others_by_commit():
    """A tag can be moved by whoever takes an account over, and a version without a hash can be anything."""
    action = yaml.safe_load((ROOT / "deploy" / "ci" / "action.yml").read_text())
    readme = (ROOT / "deploy" / "ci" / "README.md").read_text()
    (workflow,) = [yaml.safe_load(block) for block in re.findall(r"(?s)```yaml\n(.*?)```", readme) if "steps:" in block]
    assert workflow["permissions"] == {"contents": "read", "security-events": "write"}
    page = (ROOT / "docs" / "testing-without-a-gpu.md").read_text()
    (shown,) = [yaml.safe_load(block) for block in re.findall(r"(?s)```yaml\n(.*?)```", page) if "steps:" in block]
    assert shown["permissions"] == {"contents": "read"}
    steps = (*action["runs"]["steps"], *workflow["steps"], *shown["jobs"]["test"]["steps"])
    others = [step["uses"] for step in steps if "uses" in step]
    others = [name for name in others if not name.startswith("OWNER/")]
    assert len(others) == 5 and [name for name in others if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", name)] == []
    (install,) = [step["run"] for step in action["runs"]["steps"] if "pip install" in step.get("run", "")]
    pip, uv = [line for line in install.replace("\\\n", " ").splitlines() if "pip install" in line]
    assert "--require-hashes" in pip and "-r requirements/uv.txt" in pip
    # uv checks the hashes of constraints; what builds the packages is of the lock, too.
    assert "--constraint requirements/cpu.txt" in uv and "--build-constraint requirements/cpu.txt" in uv
    locked = set(re.findall(r"(?m)^([\w.-]+)==", (ROOT / "requirements" / "cpu.txt").read_text()))
    for name in ("gpusim", "kernellens"):
        project = tomllib.loads((ROOT / "packages" / name / "pyproject.toml").read_text())
        wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
        if name == "gpusim":
            wanted += project["project"]["optional-dependencies"]["cudf"]
        names = {re.match(r"[\w.-]+", each)[0].lower() for each in wanted} - {"gpusim"}
        assert names <= locked, "each has a version and hashes there"


def test_the_actions_step_runs_in_the_shell_it_names(tmp_path):
    action = yaml.safe_load((ROOT / "deploy" / "ci" / "action.yml").read_text())
    (step,) = [step for step in action["runs"]["steps"] if "kernellens check" in step.get("run", "")]
    given = {"programs": "one.py two.py", "timeout": action["inputs"]["timeout"]["default"], "sarif": "found.sarif"}
    given["arguments"] = action["inputs"]["arguments"]["default"]
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text("print('hello')\n")
    variables = {}
    for name, value in step["env"].items():
        variables[name] = given[value.removeprefix("${{ inputs.").removesuffix(" }}")]
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_"))
    }
    # The command, wherever this Python has put it.
    run = f'kernellens() {{ "{sys.executable}" -c "from kernellens.cli import main; main()" "$@"; }}\n{step["run"]}'
    shell = [step["shell"], "--noprofile", "--norc", "-eo", "pipefail", "-c", run]  # as GitHub calls it
    done = subprocess.run(shell, env=clean | variables, cwd=tmp_path, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("launched no kernel") == 2 and (tmp_path / "found.sarif").exists()
