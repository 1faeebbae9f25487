"""The house: who may import whom, and what must stay importable before anything is installed."""

import ast
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "hundredfold"

# Left never imports right. Those that share a rank do not import each other either, but for the last, where the doors stand.
RANKS = [["machine"], ["plot", "data"], ["engine"], ["simulate"], ["lens", "measure"], ["problems"], ["check"]]
RANK = {name: rank for rank, names in enumerate(RANKS) for name in names}
DOORS = len(RANKS)

MODULES = sorted(SOURCE.rglob("*.py"))


def room(module: str) -> str:
    """The room of a dotted name: ``hundredfold.measure.timing`` → ``measure``; the package itself → ``""``."""
    return (module.split(".") + [""])[1]


def dotted(path: Path) -> str:
    parts = ("hundredfold", *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path):
    """Yield ``(line, absolute dotted name)`` for every import in a file, those inside functions included."""
    here = dotted(path).split(".")
    package = here if path.name == "__init__.py" else here[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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


def test_a_bare_python_can_ask_the_machine():
    """lab.py does, before anything is installed: no site-packages, no environment."""
    names = [
        dotted(path)
        for path in MODULES
        if room(dotted(path)) == "machine" and path.stem not in ("probe_child", "__main__")
    ]
    code = f"import sys; sys.path.insert(0, {str(SOURCE.parent)!r})\nfor name in {names!r}: __import__(name)\n"
    code += "from hundredfold.machine import doctor; doctor.examine()"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_files_hold_one_idea_each():
    """Small files are how the layout shows the architecture; tables of data are in JSON."""
    long = {str(path.relative_to(SOURCE)): n for path in MODULES if (n := len(path.read_text().splitlines())) > 400}
    assert not long, long
