"""The architecture: which package and which group may import which, and what stays importable before anything is installed."""

import ast
import functools
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("gpusim", "kernellens", "hundredfold")
FACES = (
    *PACKAGES,
    *("gpusim.hardware", "gpusim.kernels", "hundredfold.learning.reporting", "hundredfold.toolkit", "kernellens.plot"),
)
SOURCES = {name: ROOT / "packages" / name / "src" / name for name in PACKAGES}

# Within a package, what stands further up never imports what stands further down, and those of one line do not import each other.
# A longer name counts before a shorter one: `setup` is asked before anything is installed, and `setup.lab` opens all there is.
RANKS = {
    "gpusim": """
        variables own texts importing.errors
        hardware
        device
        kernels
        importing
        libraries start testing
        running pytest_simulation
        pytest_plugin
        __main__
    """,
    "kernellens": """
        variables plot notebooks requests arguments
        target banks branches traffic
        residency result report
        tracing compiling watching
        ordering times
        pictures arrays
        profiling
        datasheet
        magics trial
        check port
        cli
        __main__
    """,
    "hundredfold": """
        paths setup.workspace classroom.seats.rmm hub_page lens machine plot
        setup.packages setup.environments data
        setup.doctor start
        toolkit
        toolkit.record learning.messages
        learning.problems learning.cards
        learning.checking learning.progress learning.questions learning.reporting
        notebook.replay notebook.workspace
        notebook.dashboard notebook.panel
        notebook.extension
        classroom.seats classroom.syllabi
        classroom.assignment classroom.links classroom.preflight
        publish.drawings
        publish.browser publish.build publish.pages
        publish.site
        setup.lab
        cli __main__
    """,
}
RANK = {
    f"{package}.{name}": rank
    for package, lines in RANKS.items()
    for rank, names in enumerate(lines.split("\n"))
    for name in names.split()
}
# Arrows between modules of one line or back, each with its reason.
ALLOWED = {
    ("kernellens.result", "kernellens.report"): "a trace shows itself in words; `report` takes only its type from it",
    ("kernellens.report", "kernellens.result"): "as above",
    (
        "kernellens.ordering",
        "kernellens.pictures",
    ): "schedules show themselves; pictures are drawn when they are looked at",
}

MODULES = sorted(path for source in SOURCES.values() for path in source.rglob("*.py"))


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def dotted(path: Path) -> str:
    source = SOURCES[path.relative_to(ROOT / "packages").parts[0]]
    parts = (source.name, *path.relative_to(source).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {dotted(path) for path in MODULES}


def imports(path: Path):
    """Yield ``(line, absolute dotted name of a module)`` for every import in a file, those inside functions included."""
    for node in ast.walk(tree(path)):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from ((node.lineno, name) for name, _ in imported(path, node))


def imported(path: Path, node: ast.Import | ast.ImportFrom):
    """Yield ``(absolute dotted name of a module, whether the module itself is meant and not a name in it)``."""
    if isinstance(node, ast.Import):
        yield from ((alias.name, True) for alias in node.names)
        return
    here = dotted(path).split(".")
    package = here if path.name == "__init__.py" else here[:-1]
    base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
    name = ".".join(filter(None, [base, node.module]))
    full = (f"{name}.{alias.name}" for alias in node.names)
    yield from ((each, True) if each in NAMES else (name, False) for each in full)


def group(module: str) -> str:
    """The ranked name that a module falls under; the package's own for its ``__init__``."""
    name = module
    while name and name not in RANK:
        name = name.rpartition(".")[0]
    return name or module


def arrows():
    """Yield ``(file:line, importing group, imported group, imported module)`` for imports of our own packages."""
    for path in MODULES:
        for line, name in imports(path):
            if name.partition(".")[0] in PACKAGES:
                yield f"{path.relative_to(ROOT / 'packages')}:{line}", group(dotted(path)), group(name), name


def test_packages_import_only_those_before_them():
    wrong = [
        f"{where} imports {name}"
        for where, mine, other, name in arrows()
        if PACKAGES.index(other.partition(".")[0]) > PACKAGES.index(mine.partition(".")[0])
    ]
    assert not wrong, "\n".join(wrong)


def test_groups_import_only_those_above_them():
    wrong, used = [], set()
    for where, mine, other, name in arrows():
        if mine.partition(".")[0] != other.partition(".")[0] or mine == other or not {mine, other} <= set(RANK):
            continue
        used.add((mine, other))
        if RANK[other] >= RANK[mine] and (mine, other) not in ALLOWED:
            wrong.append(f"{where} imports {name}: {mine} may not import {other}")
    assert not wrong, "\n".join(wrong)
    assert set(ALLOWED) <= used, "an arrow that is gone needs no leave"


def loaded_by(module: str, within: str) -> set[str]:
    """The modules of our own that importing one loads, while the packages that hold `within` are being imported."""
    seen: set[str] = set()
    left = [module]
    while left:
        name = left.pop()
        if name not in seen and not f"{within}.".startswith(f"{name}."):
            seen.add(name)
            left += loads(name)
    return seen


@functools.cache
def loads(module: str) -> set[str]:
    """The package that holds a module, and what its own imports name."""
    found = {module.rpartition(".")[0]} - {""}
    for node in top(PATHS[module]) if module in NAMES else ():
        found.update(name for name, _ in imported(PATHS[module], node) if name in NAMES)
    return found


def top(path: Path) -> list[ast.Import | ast.ImportFrom]:
    """The imports that run when a module is imported."""
    found, left = [], list(tree(path).body)
    while left:
        node = left.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found.append(node)
        elif (
            isinstance(node, (ast.If, ast.Try, ast.With, ast.ClassDef))
            and "TYPE_CHECKING" not in ast.unparse(node).split("\n")[0]
        ):
            left += [each for each in ast.iter_child_nodes(node) if isinstance(each, (ast.stmt, ast.ExceptHandler))]
        elif isinstance(node, ast.ExceptHandler):
            left += node.body
    return found


PATHS = {dotted(path): path for path in MODULES}


def test_an_import_within_a_function_has_a_reason():
    """A circle, or something that is not loaded otherwise: a start would take longer.

    What a `__getattr__` brings is not loaded yet, and what a package defines around its modules is not there yet.
    """
    without = []
    for path in MODULES:
        here, mine = dotted(path), None
        for node in within_functions(path):
            wanted = [(name, whole) for name, whole in imported(path, node) if name in NAMES]
            if not wanted or any(
                not whole and (defers(PATHS[name]) or here.startswith(f"{name}.")) for name, whole in wanted
            ):
                continue
            mine = mine or set().union(*(loaded_by(name, here) for name in loads(here)))
            more = set().union(*(loaded_by(name, here) for name, _ in wanted))
            if more <= mine and not any(here in loads(name) for name in more):
                without.append(f"{path.relative_to(ROOT / 'packages')}:{node.lineno}: {ast.unparse(node)}")
    assert not without, "to be written at the top:\n" + "\n".join(without)


def within_functions(path: Path) -> list[ast.Import | ast.ImportFrom]:
    functions = (each for each in ast.walk(tree(path)) if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)))
    found = {id(node): node for each in functions for node in ast.walk(each)}
    return [node for node in found.values() if isinstance(node, (ast.Import, ast.ImportFrom))]


def defers(path: Path) -> bool:
    """Whether names of the module are brought by a `__getattr__` of its own."""
    return any(isinstance(node, ast.FunctionDef) and node.name == "__getattr__" for node in tree(path).body)


def test_every_module_is_in_a_group():
    faces = {*PACKAGES, *(f"hundredfold.{name}" for name in ("setup", "learning", "notebook", "classroom", "publish"))}
    outside = sorted(name for name in NAMES - faces if group(name) not in RANK)
    assert not outside
    assert not sorted(name for name in RANK if name not in NAMES), "a group that is gone"


def test_the_simulated_libraries_know_only_the_simulator():
    found = {group(name) for where, _, _, name in arrows() if where.startswith("gpusim/src/gpusim/libraries/")}
    assert found <= {
        f"gpusim.{name}"
        for name in ("libraries", "importing", "importing.errors", "kernels", "device", "own", "variables")
    }


def test_the_graph_of_a_kernel_knows_no_backend():
    found = {name for path in (SOURCES["gpusim"] / "kernels/ir").glob("*.py") for _, name in imports(path)}
    assert "gpusim.kernels.ir.graph" in found
    assert not {name for name in found if name.startswith("gpusim.kernels.backends")}


def test_a_bare_python_can_ask_the_machine():
    """lab.py does, before anything is installed: no site-packages, no environment."""
    inside = {f"hundredfold.setup.lab.{name}" for name in ("start", "start_page", "server", "panel_routes")}
    names = sorted(
        name
        for name in NAMES
        if name.startswith(("gpusim.hardware", "hundredfold.setup"))
        and not name.endswith(("probe_child", "__main__"))
        and name not in inside  # these run in the environment that the others make
    )
    assert {"gpusim.hardware", "hundredfold.setup.doctor", "hundredfold.setup.lab.commands"} <= set(names)
    places = [str(source.parent) for source in SOURCES.values()]
    code = f"import sys; sys.path[:0] = {places!r}\nfor name in {names!r}: __import__(name)\n"
    code += "from hundredfold.setup import doctor; doctor.examine()"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_what_a_wheel_has_imports_nothing_that_it_leaves_out():
    left_out, seen = [], 0
    for name, source in SOURCES.items():
        settings = tomllib.loads((ROOT / "packages" / name / "pyproject.toml").read_text(encoding="utf-8"))
        excluded = settings["tool"]["hatch"]["build"]["targets"]["wheel"].get("exclude", [])
        left_out += [source.parents[1] / path for path in excluded if path.startswith("src/")]
    assert len(left_out) == 3 and all(path.exists() for path in left_out)

    def is_left_out(path: Path) -> bool:
        return any(path == each or each in path.parents for each in left_out)

    for path in MODULES:
        if not is_left_out(path):
            wrong = [f"{path}:{line}: {name}" for line, name in imports(path) if is_left_out(PATHS.get(name, ROOT))]
            assert not wrong
            seen += 1
    assert 500 < seen < len(MODULES) - 30


def test_importing_a_package_is_light():
    """Each makes its names known and does nothing: what it is made of is imported with the first of them."""
    for name in PACKAGES:
        code = f"import sys; before = set(sys.modules); import {name}; print(*sorted(set(sys.modules) - before))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
        assert done.stdout.split() == [name]


@pytest.mark.parametrize("name", FACES)
def test_every_public_name_is_there(name):
    """They are looked up when they are first used, so that importing a package misses none of them."""
    code = (
        f"import {name} as face\n"
        "for name in {*face.__all__, *getattr(face, '_HOMES', ())}: getattr(face, name)\n"
        "assert set(getattr(face, '_HOMES', ())) <= set(face.__all__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


IMPORTED = re.compile(
    r"\bfrom ((?:gpusim|kernellens|hundredfold)[\w.]*) import (?:\(\s*)?(\w+(?: as \w+)?(?:,\s*\w+(?: as \w+)?)*)"
)
MODULE = re.compile(r"(?:\bimport|-m\"?,? ?\"?) ?((?:gpusim|kernellens|hundredfold)(?:\.\w+)+)")
WRITTEN = {".py", ".md", ".ipynb", ".sh", ".toml", ".yaml", ".yml", ".cfg", ".def", ".service"}


@functools.cache
def _names_of(module: str) -> set[str] | None:
    """What can be imported from a module of ours; None where another module or its `__getattr__` decides."""
    (path,) = [path for path in MODULES if dotted(path) == module]
    if "sys.modules[__name__] =" in _text(path):
        return None
    found = {name.rpartition(".")[2] for name in NAMES if name.rpartition(".")[0] == module}
    for node in ast.walk(tree(path)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return None if found & {"__getattr__", "*"} else found


def test_imports_in_texts_name_what_is_there():
    """In the code that tests, pages, notebooks and servers carry as text, too: nothing else looks at it when a name changes."""
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    wrong, seen = [], 0
    for file in map(ROOT.joinpath, files.split("\0")):
        if (
            file.name.startswith("CHANGELOG")
            or (file.suffix not in WRITTEN and file.name != "Dockerfile")
            or not file.exists()
        ):
            continue
        text = _text(file)
        for module in MODULE.findall(text):
            seen += 1
            if module not in NAMES:
                wrong.append(f"{file.relative_to(ROOT)}: {module}")
        for module, names in IMPORTED.findall(text):
            seen += 1
            there = _names_of(module) if module in NAMES else set()
            gone = [name for name in re.findall(r"(\w+)(?: as \w+)?", names) if there is not None and name not in there]
            wrong += [f"{file.relative_to(ROOT)}: {name} of {module}" for name in gone]
    assert seen > 1000
    assert not wrong, "\n".join(wrong)


def test_a_long_module_gives_a_reason():
    """A module is one idea, as long as that idea is; tables of data are in JSON."""
    unexplained = []
    for path in MODULES:
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > 800 and "Over 800 lines: " not in (ast.get_docstring(tree(path)) or ""):
            unexplained.append(str(path.relative_to(ROOT)))
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
        f"{name} of {path.relative_to(ROOT)} is a part of {heir} of {there.relative_to(ROOT)}"
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
