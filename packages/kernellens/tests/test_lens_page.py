"""docs/lens.md: its example says what stands there, and what its tables name is there."""

import contextlib
import io
import linecache
import re
from pathlib import Path

import kernellens
from gpusim.kernels.sanitizer.findings import Finding
from kernellens.check.sarif import RULES

cuda = None  # the simulated library, set by conftest.py
PAGE = (Path(__file__).parents[3] / "docs" / "lens.md").read_text(encoding="utf-8")


def test_the_example_prints_what_stands_below_it():
    code, printed = re.search(r"```python\n(.*?)```\s*```text\n(.*?)```", PAGE, re.S).groups()
    linecache.cache["<lens.md>"] = (len(code), None, code.splitlines(True), "<lens.md>")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code, "<lens.md>", "exec"), {"__name__": "lens_page"})
    assert said.getvalue().startswith(printed)


def test_what_the_tables_name_is_there():
    called = set(re.findall(r"`lens\.(\w+)\(", PAGE))
    assert called <= set(kernellens.__all__) and called >= {
        "trace",
        "show",
        "schedules",
        "compile",
        "bound",
        "estimate",
        "account",
    }
    of_trace = re.search(r"## What a trace has\n(.*?)\n## ", PAGE, re.S)[1]
    for row in re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", of_trace, re.M):
        for name in re.findall(r"`(\w+)`", row):
            assert hasattr(kernellens.Trace, name) or name in kernellens.Trace.__dataclass_fields__, name
    findings = re.search(r"## Findings\n(.*?)\n## ", PAGE, re.S)[1]
    assert set(re.findall(r"^\| `([\w-]+)` \|", findings, re.M)) == set(RULES)
    for name in re.findall(r"`(\w+)`", findings.split("\n\n")[1].partition(" is ")[0]):
        assert name in Finding.__dataclass_fields__, name
