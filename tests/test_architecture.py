"""The house: who may import whom, and what must stay importable before anything is installed."""

import ast
import functools
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "packages" / "hundredfold" / "src" / "hundredfold"

# Left never imports right. Those that share a rank do not import each other either, but for the last, where the doors stand.
RANKS = [["machine"], ["plot", "data"], ["engine"], ["simulate"], ["lens", "toolkit"], ["problems"], ["checking"]]
RANK = {name: rank for rank, names in enumerate(RANKS) for name in names}
DOORS = len(RANKS)

MODULES = sorted(SOURCE.rglob("*.py"))


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def room(module: str) -> str:
    """The room of a dotted name: ``hundredfold.toolkit.timing`` → ``toolkit``; the package itself → ``""``."""
    return (module.split(".") + [""])[1]


def dotted(path: Path) -> str:
    parts = ("hundredfold", *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path):
    """Yield ``(line, absolute dotted name)`` for every import in a file, those inside functions included."""
    here = dotted(path).split(".")
    package = here if path.name == "__init__.py" else here[:-1]
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            name = ".".join(filter(None, [base, node.module]))
            if name == "hundredfold":  # from hundredfold import measure: the names are rooms
                yield from ((node.lineno, f"hundredfold.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, name


def test_left_never_imports_right():
    wrong = []
    for path in MODULES:
        mine = room(dotted(path))
        if mine == "":  # the package's own face opens every door, lazily
            continue
        for line, name in imports(path):
            other = room(name)
            if not name.startswith("hundredfold.") or other == mine or other.startswith("__"):
                continue
            if RANK.get(other, DOORS) >= RANK.get(mine, DOORS) and RANK.get(mine, DOORS) != DOORS:
                wrong.append(f"{path.relative_to(SOURCE)}:{line} imports {name}")
    assert not wrong, "\n".join(wrong)


def test_the_stand_ins_know_nothing_of_the_course():
    standins = [path for path in MODULES if path.is_relative_to(SOURCE / "simulate")]
    assert standins
    rooms = {room(name) for path in standins for _, name in imports(path) if name.startswith("hundredfold.")}
    assert rooms <= {"machine", "engine", "simulate"}


def test_the_graph_of_a_kernel_knows_no_backend():
    kernels = "gpusim.kernels"
    found = {name for path in (SOURCE / "engine/kernels/ir").glob("*.py") for _, name in imports(path)}
    assert f"{kernels}.ir.graph" in found
    assert not {name for name in found if name.startswith((f"{kernels}.compiled", f"{kernels}.interpreted"))}


def test_a_bare_python_can_ask_the_machine():
    """lab.py does, before anything is installed: no site-packages, no environment."""
    names = [
        dotted(path)
        for path in MODULES
        if room(dotted(path)) == "machine" and path.stem not in ("probe_child", "__main__")
    ]
    code = f"import sys; sys.path.insert(0, {str(SOURCE.parent)!r})\nfor name in {names!r}: __import__(name)\n"
    code += "from hundredfold.setup import doctor; doctor.examine()"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_a_long_module_gives_a_reason():
    """A module is one idea, as long as that idea is; tables of data are in JSON."""
    unexplained = []
    for path in MODULES:
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > 800 and "Over 800 lines: " not in (ast.get_docstring(tree(path)) or ""):
            unexplained.append(str(path.relative_to(SOURCE)))
    assert not unexplained, "give the reason in the docstring, as “Over 800 lines: …”"


def test_a_class_stands_in_one_place():
    """None is only there so that one class of another module inherits from it."""
    heirs = defaultdict(list)  # (file, class) → those that inherit from it
    for path in MODULES:
        known = {}
        for node in tree(path).body:
            if isinstance(node, ast.ImportFrom) and node.level and node.module:
                file = path.parents[node.level - 1].joinpath(*node.module.split(".")).with_suffix(".py")
                known |= {alias.asname or alias.name: (file, alias.name) for alias in node.names if file.exists()}
            elif isinstance(node, ast.ClassDef):
                known[node.name] = path, node.name
                for base in node.bases:
                    if isinstance(base, ast.Name) and base.id in known:
                        heirs[known[base.id]].append((path, node.name))
    slices = [
        f"{name} of {path.relative_to(SOURCE)} is a part of {heir} of {there.relative_to(SOURCE)}"
        for (path, name), [(there, heir), *others] in heirs.items()
        if not others and there != path and not _named(name, path, there)
    ]
    assert heirs and not slices, "\n".join(slices)


@functools.cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _named(name: str, path: Path, heir: Path) -> bool:
    """Whether a class is used for more than to inherit from it."""
    if any(name in _text(file) and path.stem in _text(file) for file in MODULES if file not in (path, heir)):
        return True
    bases = {
        base
        for file in (path, heir)
        for node in tree(file).body
        if isinstance(node, ast.ClassDef)
        for base in node.bases
    }
    nodes = {node for file in (path, heir) for node in ast.walk(tree(file)) if isinstance(node, ast.Name)} - bases
    return any(node.id == name for node in nodes)
