"""The kernels of the lectures on kernels, and of their solutions, as programs for the page *In the browser*, found in the cells by rule.

A kernel is a function below ``@cuda.jit``. Its program is the first statement of its notebook that launches or traces it, and before
that only what this statement needs: imports, arrays, functions. A kernel is offered if such a statement needs no name that the page
lacks (`available`); so a solution that only its check launches is not. Nothing is executed here: the notebook's text is enough.
"""

from __future__ import annotations

import ast
import builtins
import functools
import json
import re
import symtable
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hundredfold.classroom import syllabi

from . import browser_page

#: What of Numba compiles for the CPU, and so is not on the page.
COMPILES = frozenset({"cfunc", "guvectorize", "jit", "jit_module", "njit", "prange", "stencil", "vectorize"})
#: Methods that run a kernel with every access looked at; the page draws what they return.
_TRACED = frozenset({"trace"})
_OF_THE_MODULE = frozenset({"__name__", "__doc__", "__file__", *dir(builtins)})


@dataclass(frozen=True)
class Program:
    """A program that runs one kernel, or several that a statement launches together.

    Attributes
    ----------
    name : str
        ``05_kernels.brighten``, of the solutions ``05_kernels.solutions.brighten``: what a link to the page names.
    kernels : tuple of str
    cells : tuple of int
        The cell that defines each.
    code : str
    """

    name: str
    kernels: tuple[str, ...]
    cells: tuple[int, ...]
    code: str


def of_the_course(root: Path) -> dict[str, list[Program]]:
    """The programs of the units of the part *Kernels*, by the notebook's path in the checkout; an empty list where none can run."""
    found = {}
    for unit in _units():
        for folder, ending in (("notebooks", ""), ("solutions", ".solutions")):
            file = root / folder / f"{unit.stem}.ipynb"
            if file.is_file():
                found[f"{folder}/{file.name}"] = programs(unit.stem + ending, _cells(file))
    return found


def _units() -> list[syllabi.Unit]:
    return [unit for unit in syllabi.units().values() if unit.number in syllabi.SUBJECTS["Kernels"]]


def entries(root: Path) -> list[dict[str, str]]:
    """The same as the page has them: each program's name, title, code, the unit it is from and its place there."""
    titles = {}
    for unit in _units():
        titles[f"notebooks/{unit.stem}.ipynb"] = f"{unit.number:02d} · {unit.title}"
        titles[f"solutions/{unit.stem}.ipynb"] = f"{unit.number:02d} · solutions"
    return [
        {
            "name": each.name,
            "title": ", ".join(each.kernels),
            "code": each.code,
            "group": titles[file],
            "page": f"{file.removesuffix('.ipynb')}.html#{_anchor(each)}",
        }
        for file, found in of_the_course(root).items()
        for each in found
    ]


def link(notebook: dict[str, Any], offered: list[Program]) -> None:
    """Put a link to each program below the last cell that defines a kernel of it."""
    for each in sorted(offered, key=lambda program: max(program.cells), reverse=True):
        names = ", ".join(f"<code>{name}</code>" for name in each.kernels)
        text = (
            f'<p class="hf-run-here" id="{_anchor(each)}">'
            f'<a href="../browser.html?kernel={each.name}">Run it here: {names}</a></p>'
        )
        notebook["cells"].insert(
            max(each.cells) + 1,
            {"cell_type": "markdown", "metadata": {}, "source": text, "id": _anchor(each).replace("_", "-")},
        )


def _anchor(program: Program) -> str:
    return f"run-{program.kernels[0]}"


def programs(stem: str, cells: dict[int, str]) -> list[Program]:
    """The programs of a notebook.

    Parameters
    ----------
    stem : how the programs' names begin.
    cells : the text of each code cell, by its place in the notebook.
    """
    statements = [each for cell, text in cells.items() for each in _statements(cell, text)]
    found: dict[tuple[int, ...], list[int]] = {}  # by the statements of the program: those that define its kernels
    for at, statement in enumerate(statements):
        if statement.kernel and (picked := _first_launch(statements, at)):
            found.setdefault(picked, []).append(at)
    made = []
    for picked, defined in found.items():
        names = tuple(statements[at].kernel for at in defined)
        code = _text([statements[at] for at in picked])
        made.append(Program(f"{stem}.{names[0]}", names, tuple(statements[at].cell for at in defined), code))
    return made


def available(module: str, name: str | None) -> bool:
    """Whether the page has a module, or with a `name` what ``from module import name`` gives."""
    root = module.partition(".")[0]
    if root == "numba":
        return name not in COMPILES
    if root in ("numpy", "cupy"):
        return True
    if root in _shipped():
        return module in _shipped() and (root != "hundredfold" or name is None or f"{module}.{name}" in _shipped())
    return root in sys.stdlib_module_names


@functools.cache
def _shipped() -> frozenset[str]:
    """The modules of our packages that the page has."""
    names = (browser_page.inside(file) for file in browser_page.files())
    return frozenset(re.sub(r"(/__init__)?\.py$", "", name).replace("/", ".") for name in names if name.endswith(".py"))


@dataclass
class _Statement:
    """A statement of a cell: what it binds, what it needs, what of that it changes."""

    cell: int
    node: ast.stmt
    text: str
    binds: set[str] = field(default_factory=set)
    uses: set[str] = field(default_factory=set)
    changes: set[str] = field(default_factory=set)
    lacking: bool = False  # an import of what the page does not have
    kernel: str = ""

    @property
    def simple(self) -> bool:
        """Whether it binds its names whatever happens: no loop and no condition."""
        return not hasattr(self.node, "body") or isinstance(self.node, ast.FunctionDef | ast.ClassDef)

    @property
    def defines(self) -> bool:
        return isinstance(self.node, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom)


def _cells(file: Path) -> dict[int, str]:
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    return {at: "".join(cell["source"]) for at, cell in enumerate(cells) if cell["cell_type"] == "code"}


def _statements(cell: int, text: str) -> Iterator[_Statement]:
    """The statements of a cell; none where it is not plain Python, but for lines of magics, which are dropped."""
    lines = [("" if line.startswith(("%", "!")) else line) for line in text.splitlines()]
    try:
        tree = ast.parse("\n".join(lines))
    except SyntaxError:
        return
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from _imports(cell, node)
            continue
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        while first > 1 and lines[first - 2].startswith("#"):
            first -= 1
        made = _Statement(cell, node, "\n".join(lines[first - 1 : node.end_lineno]))
        _names(made)
        if isinstance(node, ast.FunctionDef) and any(map(_is_kernel, node.decorator_list)):
            made.kernel = node.name
        yield made


def _imports(cell: int, node: ast.Import | ast.ImportFrom) -> Iterator[_Statement]:
    """An import of several names as several."""
    for alias in node.names:
        one = type(node)(**{**vars(node), "names": [alias]})
        module, name = (node.module or "", alias.name) if isinstance(node, ast.ImportFrom) else (alias.name, None)
        bound = alias.asname or alias.name.partition(".")[0]
        yield _Statement(cell, one, ast.unparse(one), binds={bound}, lacking=not available(module, name))


def _names(made: _Statement) -> None:
    """Note which names of the notebook a statement binds, needs and changes."""
    if isinstance(made.node, ast.Delete):
        return
    made.uses = _free([made.node], made.binds) - _OF_THE_MODULE
    for node in ast.walk(made.node):
        for target in getattr(node, "targets", [getattr(node, "target", None)]):
            while isinstance(target, ast.Subscript | ast.Attribute):
                target = target.value
                if isinstance(target, ast.Name) and not isinstance(made.node, ast.FunctionDef):
                    made.changes.add(target.id)


def _free(nodes: list[ast.stmt], bound: set[str]) -> set[str]:
    """The names that statements need from before; those that they bind are added to `bound`."""
    uses: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.For):
            uses |= _free([ast.Expr(node.iter)], bound)
            bound |= {each.id for each in ast.walk(node.target) if isinstance(each, ast.Name)}
            uses |= _free([*node.body, *node.orelse], bound)
        elif isinstance(node, ast.If | ast.While):
            uses |= _free([ast.Expr(node.test)], bound)
            ways = [set(bound), set(bound)]
            uses |= _free(node.body, ways[0]) | _free(node.orelse, ways[1])
            bound |= ways[0] | ways[1]
        else:
            table = symtable.symtable(ast.unparse(node), "cell", "exec")
            names = {each.get_name() for each in table.get_symbols() if each.is_referenced()}
            scopes = list(table.get_children())
            while scopes:
                scope = scopes.pop()
                scopes += scope.get_children()
                names |= {each.get_name() for each in scope.get_symbols() if each.is_global() and each.is_referenced()}
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                names.add(node.target.id)
            uses |= names - bound
            bound |= {each.get_name() for each in table.get_symbols() if each.is_assigned() or each.is_imported()}
    return uses


def _is_kernel(decorator: ast.expr) -> bool:
    """Whether this is ``cuda.jit`` or ``cuda.jit(…)``, but not of a device function."""
    called = isinstance(decorator, ast.Call)
    if called and any(word.arg == "device" for word in decorator.keywords):
        return False
    return ast.unparse(decorator.func if called else decorator) == "cuda.jit"


def _first_launch(statements: list[_Statement], kernel: int) -> tuple[int, ...] | None:
    """The first statement that launches the kernel, after all that it needs; None where the page can run none of them."""
    for at in range(kernel + 1, len(statements)):
        if statements[at].defines:
            continue
        picked = _needed(statements, at)
        if picked and kernel in picked and any(_launches(statements[each].node) for each in picked):
            return picked
        if statements[kernel].kernel in statements[at].binds:
            return None  # from here on the name is another's
    return None


def _needed(statements: list[_Statement], at: int) -> tuple[int, ...] | None:
    """What a statement needs, in order, and itself; None if something of it is not on the page."""
    called: set[str] = set()  # what the functions in it need when they are called, which is now
    while True:
        need, picked = statements[at].uses | called, [at]
        for before in range(at - 1, -1, -1):
            statement = statements[before]
            if need & (statement.binds | statement.changes):
                if statement.lacking:
                    return None
                picked.append(before)
                if statement.simple:
                    need = need - statement.binds
                if not isinstance(statement.node, ast.FunctionDef):
                    need = need | statement.uses
        if need:
            return None
        functions = (statements[each] for each in picked if isinstance(statements[each].node, ast.FunctionDef))
        more = {name for each in functions for name in each.uses} - called
        if not more:
            return tuple(sorted(picked))
        called |= more


def _launches(node: ast.stmt) -> bool:
    """Whether ``kernel[blocks, threads](…)`` or the lens's ``trace`` is somewhere in it."""
    calls = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    return any(
        isinstance(func, ast.Subscript) or (isinstance(func, ast.Attribute) and func.attr in _TRACED) for func in calls
    )


def _text(statements: list[_Statement]) -> str:
    """The statements as a program: imports of one module in one line, functions apart."""
    imports: dict[str, ast.Import | ast.ImportFrom] = {}
    lines: list[str] = []
    last: _Statement | None = None
    for each in statements:
        node: Any = each.node
        if isinstance(node, ast.ImportFrom) and node.module in imports:
            imports[node.module].names += node.names
        elif isinstance(node, ast.Import | ast.ImportFrom):
            key = node.module if isinstance(node, ast.ImportFrom) else f"import {each.text}"
            imports[key or ""] = type(node)(**{**vars(node), "names": [*node.names]})
        else:
            function = isinstance(node, ast.FunctionDef) or (last and isinstance(last.node, ast.FunctionDef))
            lines += ["", ""] if function or not lines else [""] if last and last.cell != each.cell else []
            lines.append(each.text)
            last = each
    return "\n".join([*map(ast.unparse, imports.values()), *lines, ""])
