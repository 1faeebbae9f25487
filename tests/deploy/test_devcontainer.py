"""The development container builds a stage that there is, for the user that it makes. No container is started here."""

import json
import re
from pathlib import Path

from hundredfold.setup.lab.commands import COMMANDS

ROOT = Path(__file__).parents[2]


def test_it_names_a_stage_a_user_and_a_command_that_there_are():
    told = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    dockerfile = ROOT / ".devcontainer" / told["build"]["dockerfile"]
    (stage,) = re.findall(
        rf"(?ms)^FROM \S+ AS {told['build']['target']}$(.*?)(?=^FROM )", dockerfile.read_text(encoding="utf-8")
    )
    assert re.search(rf"useradd .* {told['remoteUser']}$", stage, re.MULTILINE)
    assert "COPY" not in stage, "it needs nothing of the checkout, which is mounted"
    program, file, command, _ = told["postCreateCommand"].split()
    assert program == "python3" and (ROOT / file).is_file() and command in COMMANDS
