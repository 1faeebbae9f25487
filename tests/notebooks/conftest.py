"""The committed notebooks, and a way to run the harness on others."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest

from hundredfold.publish.build.normalise import patterns

ROOT = Path(__file__).parents[2]
FOLDERS = ("notebooks", "solutions", "exercises")


@dataclass
class Report:
    """What a run of pytest said: the outcome of each test by its id, why it was skipped, and all of its output."""

    outcomes: dict[str, str]
    output: str

    def cells(self, notebook: str) -> list[str]:
        """Outcomes of a notebook's code cells, in order."""
        found = {name: outcome for name, outcome in self.outcomes.items() if name.startswith(f"{notebook}::")}
        return [found[name] for name in sorted(found, key=lambda name: int(name.rsplit(" ", 1)[1]))]


class Harness:
    """A checkout with our conftest.py, settings and patterns, and notebooks of a test's own."""

    def __init__(self, root: Path):
        self.root = root
        (root / "tests").mkdir(parents=True)
        for name in ("conftest.py", "pyproject.toml", "tests/sanitize.cfg"):
            shutil.copy(ROOT / name, root / name)

    def add(self, name: str, *cells: tuple) -> None:
        """Add a notebook of code cells, each (source, outputs, tags); outputs None is a cell that was not run."""
        from nbformat import v4

        notebook = v4.new_notebook()
        for n, (source, outputs, *tags) in enumerate(cells, 1):
            cell = v4.new_code_cell(source, id=f"cell-{n}", metadata={"tags": tags} if tags else {})
            if outputs is not None:
                cell.outputs = [outputs] if isinstance(outputs, dict) else outputs
                cell.execution_count = n
            notebook.cells.append(cell)
        self.save(name, notebook)

    def save(self, name: str, notebook) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, path)

    def run(self, *args: str, cwd: str = ".", **env: str) -> Report:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-v", "-rs", "--color=no", "-p", "no:cacheprovider", *args],
            cwd=self.root / cwd,
            env={
                k: v
                for k, v in os.environ.items()
                if not k.startswith(("PYTEST_", "HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_"))
            }
            | env,
            capture_output=True,
            text=True,
            timeout=1200,  # a hang is a failure; a busy machine is none
        )
        output = done.stdout + done.stderr
        one = re.findall(r"^(\S+::Cell \d+) (PASSED|FAILED|SKIPPED|ERROR)", output, re.MULTILINE)  # one process
        many = re.findall(r"^\[gw\d+\] \[ *\d+%\] (PASSED|FAILED|SKIPPED|ERROR) (\S+::Cell \d+)", output, re.MULTILINE)
        outcomes = dict(one) | {name: outcome for outcome, name in many}
        # pytest takes the suffix of the file in reportinfo for a class
        return Report({name.replace("::ipynb::", ".ipynb::"): o for name, o in outcomes.items()}, output)


@pytest.fixture(scope="module")
def harness(tmp_path_factory) -> Harness:
    return Harness(tmp_path_factory.mktemp("harness") / "checkout")


@pytest.fixture(scope="session")
def rules():
    """The sanitising patterns, as (name, regex, replacement)."""
    return patterns(ROOT / "tests" / "sanitize.cfg")
