"""Answers that were written from lecture and exercise alone, by writers who had not seen the checks: each is judged as its label says.

`roundK/NN.txt` has those of a unit, in blocks that begin with a line

    #@ problem | reject | why it is wrong          or          #@ problem | accept | how it is built

A block's code takes the place of the problem's answer cell, and the notebook's own check cell follows. What became of each answer that was
judged against its label at first: README.md.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel

HERE = Path(__file__).parent
EXERCISES = Path(__file__).parents[2] / "exercises"
HEADING = re.compile(r"^#@ ([\w-]+) \| (accept|reject) \| (.+)$", re.MULTILINE)
WORDS = {"✔": "accept", "✘": "reject"}
LIMIT = 300  # seconds for a cell; a check ends an answer that takes too long long before

KEEP = "_names_before_the_answers = dict(globals())"  # a name that no answer has
FORGET = """
for _name in [name for name in globals() if name not in {*_names_before_the_answers, "_names_before_the_answers"}]:
    del globals()[_name]
globals().update(_names_before_the_answers)
"""


@dataclass(frozen=True)
class Answer:
    unit: str  # such as "05"
    problem: str  # without the unit's name
    label: str
    why: str
    code: str


def answers(file: Path) -> list[Answer]:
    _, *parts = HEADING.split(file.read_text(encoding="utf-8"))
    return [Answer(file.stem, *parts[at : at + 4]) for at in range(0, len(parts), 4)]


ANSWERS = [answer for file in sorted(HERE.glob("**/*.txt")) for answer in answers(file)]


class Notebook:
    """An exercise notebook whose answers come from here, in a kernel of its own."""

    def __init__(self, unit: str, state: Path) -> None:
        (path,) = EXERCISES.glob(f"{unit}_*.ipynb")
        code = [cell.source for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]
        checks = {
            match[2]: at for at, cell in enumerate(code) if (match := re.search(r'check\("([^".]+)\.([^"]+)"', cell))
        }
        self.check = {name: code[at] for name, at in checks.items()}
        self._begin = [*code[: min(checks.values()) - 1], KEEP]
        self._folder, self._state = str(path.parent), state
        self._start()

    def _start(self) -> None:
        env = {**os.environ, "HUNDREDFOLD_STATE": str(self._state), "HUNDREDFOLD_STRICT": "0"}
        env.pop("HUNDREDFOLD_ONE_SAMPLE", None)  # an answer that measures is judged by its samples
        self._manager, self._client = start_new_kernel(kernel_name="python3", cwd=self._folder, env=env)
        for source in self._begin:
            said, error = self._run(source)
            assert not error, f"{source}\n{said}\n{error}"

    def verdict(self, answer: Answer) -> str:
        """What the check says of an answer."""
        if not self._manager.is_alive():
            self._start()
        (self._state / "progress.jsonl").unlink(missing_ok=True)  # each is a first attempt
        self._run(FORGET)
        said, error = self._run(answer.code)
        assert not error, f"the answer's own cell ended in an error: {error}"
        said, error = self._run(self.check[answer.problem])
        return f"{said}\n{error}"

    def _run(self, source: str) -> tuple[str, str]:
        said, errors = [], []

        def hear(message: dict) -> None:
            content = message["content"]
            said.append(content.get("text") or content.get("data", {}).get("text/plain", "") + "\n")
            if message["msg_type"] == "error":
                errors.append(f"{content['ename']}: {content['evalue']}")

        self._client.execute_interactive(source, output_hook=hear, timeout=LIMIT, stop_on_error=False)
        return "".join(said), "\n".join(errors)

    def close(self) -> None:
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def notebook_of(tmp_path_factory):
    """A unit's notebook. Its kernel serves all answers of the unit that follow each other."""
    at_work: dict[str, Notebook] = {}

    def of(unit: str) -> Notebook:
        if unit not in at_work:
            close()
            at_work[unit] = Notebook(unit, tmp_path_factory.mktemp("state"))
        return at_work[unit]

    def close() -> None:
        while at_work:
            at_work.popitem()[1].close()

    yield of
    close()


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(each, id=f"{each.unit}-{each.problem}-{each.why}", marks=pytest.mark.xdist_group(each.unit))
        for each in ANSWERS
    ],
)
def test_an_answer_is_judged_as_its_label_says(notebook_of, answer):
    said = notebook_of(answer.unit).verdict(answer)
    signs = re.findall(rf"^(?:CheckFailed: )?([✔✘○]) [\w-]+\.{answer.problem}\s*:", said, re.MULTILINE)
    assert signs, f"no verdict: {said}"
    assert WORDS.get(signs[-1]) == answer.label, f"{answer.why}\n{said}"


def test_there_are_answers_to_each_problem():
    from hundredfold.learning import problems

    of = {each.unit: set() for each in ANSWERS}
    for answer in ANSWERS:
        of[answer.unit].add(answer.problem)
    assert sum(map(len, of.values())) == len(problems.ids())
