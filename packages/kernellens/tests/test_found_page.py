"""docs/found.md: each of its small kernels is run, and the lens says what stands there."""

import linecache
import re
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from broken import variant  # noqa: E402

PAGE = (HERE.parents[2] / "docs" / "found.md").read_text(encoding="utf-8")
CASES = re.findall(r"^## (\d)\. (.+?)\n.*?```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.S | re.M)
cuda = None  # set by conftest.py


def look(name, program):
    """The first launch of a program that the lens has something to say of."""
    linecache.cache[name] = (len(program), None, program.splitlines(keepends=True), name)
    with variant.traced() as seen:
        try:
            exec(compile(program, name, "exec"), {"__name__": name})
        except variant.Found:
            pass
    return seen[-1].errors


def test_the_page_has_them_all():
    assert [number for number, *_ in CASES] == list("123456")
    assert PAGE.count("```python") == len(CASES)


@pytest.mark.parametrize("number, title, program, said", CASES, ids=[case[1] for case in CASES])
def test_the_lens_says_what_stands_there(number, title, program, said):
    first = look(f"found{number}.py", program)[0]
    assert f"{first.severity}: {first.kind}: {first.sentence.splitlines()[0]}" == said.strip()


FIXED = {
    "1": ("image[x + across, y + down, c]", "image[min(max(x + across, 0), 19), min(max(y + down, 0), 29), c]"),
    "3": ("* tile[k, column]\n", "* tile[k, column]\n        cuda.syncthreads()\n"),
}


@pytest.mark.parametrize("number", FIXED)
def test_what_is_said_to_mend_it_does(number):
    (program,) = [program for found, _, program, _ in CASES if found == number]
    old, new = FIXED[number]
    assert program.count(old) == 1
    assert look(f"fixed{number}.py", program.replace(old, new)) == []


def test_with_the_fence_the_flag_is_a_warning():
    (program,) = [program for found, _, program, _ in CASES if found == "6"]
    raised = "        cuda.atomic.add(flags, i, 1)"
    assert program.count(raised) == 1
    fixed = look("mended6.py", program.replace(raised, "        cuda.threadfence()\n" + raised))
    assert {(finding.kind, finding.severity) for finding in fixed} == {("race", "warning")}


def test_the_halo_is_right_with_its_guards_the_right_way_round():
    (program,) = [program for found, _, program, _ in CASES if found == "4"]
    right = program.replace("across == SIDE and j >= 1", "across == SIDE and i < old.shape[1] - 1")
    right = right.replace("down == 1 and j < old.shape[0] - 1", "down == 1 and j >= 1")
    assert look("mended4.py", right) == []
