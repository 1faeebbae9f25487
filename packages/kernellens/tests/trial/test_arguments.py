"""Scripts that take arguments, and what a script says when it gives up."""

import json
import subprocess
import sys

import pytest

from kernellens import cli


def test_arguments_reach_a_script_and_its_last_words_are_told(tmp_path):
    script = tmp_path / "wants.py"
    script.write_text("import sys\nif sys.argv[1:] != ['4', 'a b']:\n    print('Usage: wants N')\n    sys.exit(2)\n")
    line = [sys.executable, "-c", "from kernellens.cli import main; main()", "try", "--json", str(script)]
    done = subprocess.run([*line, "--arguments", "4 'a b'"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    (outcome,) = json.loads(done.stdout)
    assert (outcome["status"], outcome["message"]) == ("failed", "Usage: wants N (exit status 2)")


@pytest.mark.parametrize(
    "typed",
    [
        ["check", "nothing.py"],
        ["check", "--no-such-option"],
        ["check", "{script}", "--arguments=it's"],
        ["check", "{script}", "--timeout=0"],
        ["check", "{script}", "--root=nowhere"],
        ["port", "nothing.py"],
        ["port", "{folder}"],
        ["port"],
        ["try", "nothing.py"],
        ["try", "--no-such-option"],
        ["try", "{script}", "--arguments=it's"],
        ["try", "{script}", "--root={folder}/other"],
        ["none"],
    ],
    ids=" ".join,
)
def test_wrong_arguments_end_in_2_and_a_sentence(typed, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").mkdir()
    (tmp_path / "a.py").write_text("")
    typed = [each.format(script=tmp_path / "a.py", folder=tmp_path) for each in typed]
    assert cli.run(cli.group, typed, "kernellens", "KERNELLENS_DEBUG") == 2
    said = capsys.readouterr().err
    assert said.strip() and "Traceback" not in said
