"""Every name of a GPU library that a notebook of the course uses exists in the real library, at its locked version."""

import ast
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "sources").rglob("*.py"))
NAMES = {}
for _library in ("cupy", "cupyx", "cudf", "dask_cudf", "cuml", "rmm", "dask_cuda", "numba_cuda"):
    _file = ROOT / "packages" / "gpusim" / "src" / "gpusim" / "libraries" / _library / "names.json"
    NAMES.update({module: set(names.split()) for module, names in json.loads(_file.read_text()).items()})


def used(tree):
    """Yield ``(line, dotted name)`` for every use of a GPU library's name, found from the imports."""
    aliases = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if known(alias.name):
                    yield node.lineno, alias.name
                    aliases[alias.asname or alias.name.partition(".")[0]] = (
                        alias.name if alias.asname else alias.name.partition(".")[0]
                    )
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                if known(name):
                    yield node.lineno, name
                    aliases[alias.asname or alias.name] = name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            chain, inner = [], node
            while isinstance(inner, ast.Attribute):
                chain.append(inner.attr)
                inner = inner.value
            if isinstance(inner, ast.Name) and inner.id in aliases:
                yield node.lineno, ".".join([aliases[inner.id], *reversed(chain)])


def known(name):
    return name.split(".")[0] in NAMES or name == "numba.cuda" or name.startswith("numba.cuda.")


def exists(name):
    """Whether a dotted name is in the lists, as far as they reach: what hangs on a value is not a name of the library."""
    parts = name.split(".")
    for k in range(len(parts) - 1, 0, -1):
        module = ".".join(parts[:k])
        if module in NAMES:
            return parts[k] in NAMES[module] or ".".join(parts[: k + 1]) in NAMES
    return name in NAMES or parts[0] == "numba"


def code(file):
    """The source without IPython's magics, its lines in their places."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return "\n".join("pass" if line.startswith(("%", "!")) else line for line in lines)


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_each_name_that_a_notebook_uses_is_real(file):
    uses = list(used(ast.parse(code(file))))
    # Unit 04 compiles for the CPU, 10 plans, 14 starts clusters and 17 makes queries: only their lectures look at a GPU.
    assert uses or file.stem in {"04_compiling", "10_dask-arrays", "14_deploying", "17_polars"}, (
        "this notebook imports no GPU library"
    )
    wrong = [f"{file.name}:{line} {name}" for line, name in uses if not exists(name)]
    assert not wrong, "\n".join(wrong)


def test_the_check_can_fail():
    tree = ast.parse("import cupy as cp\nfrom numba import cuda\ncp.linalg.svd(cp.zeroes(3))\ncuda.thread_idx")
    assert {name for _, name in used(tree) if not exists(name)} == {"cupy.zeroes", "numba.cuda.thread_idx"}
