"""What unit 14 shows of the files in `deploy/clusters` is what stands in them, and they are what a shell and Python can read."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

from hundredfold.publish.build.sources import read

ROOT = Path(__file__).parents[2]
CLUSTERS = ROOT / "deploy" / "clusters"
LECTURE = "\n".join(
    cell.source for cell in read(ROOT / "sources" / "lectures" / "14_deploying.py").cells if cell.kind == "markdown"
)
PLACES = ("ssh", "slurm", "kubernetes", "gateway")


def shown(name):
    """The block that follows the first mention of a file, as lines without comments and commas at their ends."""
    text = LECTURE[LECTURE.index(f"deploy/clusters/{name}") :]
    return [tidy(line) for line in re.search(r"```\w+\n(.*?)```", text, re.S)[1].splitlines() if tidy(line)]


def tidy(line):
    return line.split("  #")[0].strip().removeprefix("return ").rstrip(",")


def test_the_settings_shown_for_slurm_are_those_of_the_file():
    given = {}
    for node in ast.walk(ast.parse((CLUSTERS / "slurm.py").read_text())):
        if isinstance(node, ast.Dict):
            given |= {key.value: ast.unparse(value) for key, value in zip(node.keys, node.values, strict=True) if key}
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            given[ast.literal_eval(node.targets[0].slice)] = ast.unparse(node.value)
    (call,) = (
        ast.parse(block.strip()) for block in re.findall(r"```python\n(SLURMCluster\(.*?\))\n```", LECTURE, re.S)
    )
    gpus = 4
    for keyword in call.body[0].value.keywords:
        meant = eval(given[keyword.arg], {"gpus": gpus})  # noqa: S307 (our own file)
        assert ast.literal_eval(keyword.value) == meant, keyword.arg


@pytest.mark.parametrize("name", [*PLACES, "local", "work", "dask_gateway_config"])
def test_a_file_is_one_screenful_and_says_what_it_is_for(name):
    text = (CLUSTERS / f"{name}.py").read_text()
    assert ast.get_docstring(ast.parse(text))
    assert len(text.splitlines()) <= (150 if name == "work" else 90)
    if name in PLACES or name == "local":
        assert '__name__ == "__main__"' in text, "a spawned worker imports this file again"
        assert "from work import" in text, "the work is the same everywhere"


def test_the_shell_reads_what_is_done_by_hand():
    assert subprocess.run(["sh", "-n", CLUSTERS / "by_hand.sh"], check=False).returncode == 0
    asked = subprocess.run(["sh", CLUSTERS / "by_hand.sh"], capture_output=True, text=True, check=False)
    assert asked.returncode == 2 and "host 2:" in asked.stdout


def test_the_options_of_the_lines_by_hand_are_those_that_the_commands_have(simulated_libraries):
    """`dask cuda worker` as the simulated Dask-CUDA has it, whose options are checked against the real one's."""
    from dask_cuda.cli import cuda
    from distributed.cli.dask_scheduler import main as scheduler

    block = "\n".join(shown("by_hand.sh"))
    files = re.search(r'FILES="([^"]*)"', LECTURE)[1]
    for line, command in (("dask scheduler", scheduler), ("dask cuda worker", cuda.commands["worker"])):
        (text,) = re.findall(rf"(?m)^{line} (.*)$", block)
        known = {option for parameter in command.params for option in parameter.opts}
        assert set(re.findall(r"--[\w-]+", text.replace("$FILES", files))) <= known, line
