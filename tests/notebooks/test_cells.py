"""Every cell of every source: real code that runs anywhere, and outputs that can be compared."""

import ast
import os
import re
from pathlib import Path

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from hundredfold.publish.build.products import products
from hundredfold.publish.build.sources import find, read

ROOT = Path(__file__).parents[2]
SOURCES = find(ROOT)
TAGS = {"raises-exception", "gpu-output", "solution-only", "exercise-only"}

SHELLS = {
    "bash",
    "sh",
    "script",
    "cmd",
    "sx",
    "sc",
    "system",
    "ruby",
    "perl",
    "pip",
    "conda",
    "uv",
    "env",
    "run",
    "cd",
    "!",
}
PROCESSES = {"system", "popen", "startfile", "fork", "forkpty", "posix_spawn"}
NETWORK = {"requests", "httpx", "aiohttp", "urllib3", "http", "ftplib", "urllib", "socket"}


def complaints(code: str) -> list[str]:
    """What a code cell does that no cell of the course may: start a program, or use the network."""
    tree = ast.parse(TransformerManager().transform_cell(code))
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            for name in names:
                top = name.split(".")[0]
                found += [f"starts programs: {name}"] * (top in {"subprocess", "pty"})
                found += [f"uses the network: {name}"] * (top in NETWORK)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            called, owner = node.func.attr, ast.unparse(node.func.value)
            shell = owner == "get_ipython()" and called in ("system", "getoutput", "getoutputs")
            shell |= owner == "os" and (called in PROCESSES or called.startswith(("exec", "spawn")))
            if called in ("run_line_magic", "run_cell_magic") and isinstance(node.args[0], ast.Constant):
                shell |= node.args[0].value in SHELLS
            found += [f"shells out: {ast.unparse(node)[:60]}"] * shell
    return found


@pytest.mark.parametrize(
    "code",
    [
        "!ls",
        "x = !ls",
        "!!ls",
        "%sx ls",
        "%%bash\nls",
        "%pip install x",
        "%cd /",
        "import subprocess",
        "from subprocess import run",
        "import os\nos.system('ls')",
        "import os\nos.execv('ls', [])",
        "from urllib.request import urlopen",
        "import requests",
    ],
)
def test_the_rule_finds_what_it_is_for(code):
    assert complaints(code)


@pytest.mark.parametrize(
    "code", ["%load_ext hundredfold", "%%measure --bytes 3\nx", "import os\nos.environ['A'] = '1'", "system(3)"]
)
def test_the_rule_lets_the_rest_pass(code):
    assert not complaints(code)


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_a_cell_starts_no_program_and_uses_no_network(path):
    wrong = [
        f"{path.name}:{cell.lines[0]}: {complaint}"
        for product in products(read(path))
        for cell in product.cells
        if cell.kind == "code"
        for complaint in complaints(cell.source)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_the_first_code_cell_ends_in_the_one_line(path):
    for product in products(read(path)):
        assert next(c.source for c in product.cells if c.kind == "code").splitlines()[-1] == "%load_ext hundredfold"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_no_cell_is_kept_from_being_run_or_compared(path):
    for cell in read(path).cells:
        assert set(cell.tags) <= TAGS, f"{path.name}:{cell.marker_line}: {set(cell.tags) - TAGS}"
        assert not re.search(r"(?m)^\s*#.*NBVAL_", cell.source), f"{path.name}:{cell.marker_line}: NBVAL comment"
        assert cell.source.strip(), f"{path.name}:{cell.marker_line}: an empty cell"


def test_unit_11_simulates_two_gpus_beside_one(monkeypatch):
    from types import SimpleNamespace

    from gpusim import hardware

    (path,) = [each for each in SOURCES if each.stem == "11_clusters" and each.parent.name == "lectures"]
    first = next(c.source for c in products(read(path))[0].cells if c.kind == "code")
    for there, asked in ((0, None), (1, "1"), (2, None)):
        monkeypatch.setattr(os, "environ", {})
        monkeypatch.setattr(hardware, "probe", lambda there=there: SimpleNamespace(usable=[object()] * there))
        exec(first.removesuffix("%load_ext hundredfold"), {})
        assert os.environ.get("GPUSIM_SIMULATE") == asked
