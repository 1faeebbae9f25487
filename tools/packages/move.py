#!/usr/bin/env python3
"""One distribution becomes three: the move and the names, by rules, so that it can be run again on a newer commit.

    python3 move.py CHECKOUT            two commits on the branch that is checked out there: the move, then the names
    python3 move.py CHECKOUT --dry      only say what would move where

Files are moved by prefix (PLACES), modules named by prefix (MODULES). Everything else follows: imports, absolute and
relative, by the syntax tree; dotted names, paths and variables in all other text by patterns.
"""

import argparse
import ast
import re
import subprocess
import sys
from pathlib import Path

OLD = "hundredfold"

# Module → module; the longest prefix wins. What is not named here stays where it is, below hundredfold.
MODULES = {
    # gpusim
    "machine": "gpusim.hardware",
    "engine": "gpusim.device",
    "engine.kernels": "gpusim.kernels",
    "engine.kernels.compiled": "gpusim.kernels.backends.numba",
    "engine.kernels.interpreted": "gpusim.kernels.backends.numpy",
    "engine.kernels.trace": "gpusim.kernels.sanitizer",
    "engine.kernels.source": "gpusim.kernels.frontend.source",
    "engine.kernels.resolve": "gpusim.kernels.frontend.resolve",
    "engine.kernels.desugar": "gpusim.kernels.frontend.desugar",
    "engine.kernels.intrinsics": "gpusim.kernels.frontend.intrinsics",
    "engine.kernels.nested": "gpusim.kernels.frontend.nested",
    "simulate": "gpusim.importing",
    **{
        f"simulate.{library}": f"gpusim.libraries.{library}"
        for library in ("cudf cuml cupy cupyx dask_cuda dask_cudf numba_absent numba_cuda pylibcudf pynvml rmm").split()
    },
    # kernellens
    "lens": "kernellens",
    "lens.occupancy": "kernellens.residency",
    "plot": "kernellens.plot",
    "lint": "kernellens.check",
    "trial": "kernellens.trial",
    "port": "kernellens.port",
    # the course
    "machine.doctor": "hundredfold.setup.doctor",
    "machine.environments": "hundredfold.setup.environments",
    "machine.paths": "hundredfold.paths",
    "lab": "hundredfold.setup.lab",
    "server": "hundredfold.setup.lab.server",
    "panel_routes": "hundredfold.setup.lab.panel_routes",
    "problems": "hundredfold.learning.problems",
    "checking": "hundredfold.learning.checking",
    "progress": "hundredfold.learning.progress",
    "reporting": "hundredfold.learning.reporting",
    "record": "hundredfold.toolkit.record",
    "extension": "hundredfold.notebook.extension",
    "workspace": "hundredfold.notebook.workspace",
    "dashboard": "hundredfold.notebook.dashboard",
    "panel": "hundredfold.notebook.panel",
    "replay": "hundredfold.notebook.replay",
    "seats": "hundredfold.classroom.seats",
    "preflight": "hundredfold.classroom.preflight",
    "assignment": "hundredfold.classroom.assignment",
    "syllabi": "hundredfold.classroom.syllabi",
    "links": "hundredfold.classroom.links",
    "build": "hundredfold.publish.build",
    "site": "hundredfold.publish.site",
    "pages": "hundredfold.publish.pages",
    "browser": "hundredfold.publish.browser",
}
# The same module means another one where the course is not: each has its own.
BELOW_THE_COURSE = {
    "machine.paths": "gpusim.hardware.paths",
    "start": "gpusim.start",
    "__main__": "gpusim.running",
}

SRC = {name: f"packages/{name}/src/{name}" for name in ("gpusim", "kernellens", "hundredfold")}

# Files that go elsewhere than their module, and the tests.
PLACES = {
    "packages/hundredfold/src/hundredfold": SRC["hundredfold"],
    "packages/gpusim/src/gpusim/start.py": f"{SRC['gpusim']}/start.py",
    "packages/gpusim/src/gpusim/running.py": f"{SRC['gpusim']}/running.py",
    "packages/gpusim/src/gpusim/importing/gpusim.pth": f"{SRC['gpusim']}/importing/gpusim.pth",
    "packages/hundredfold/src/hundredfold/classroom/seats/hundredfold_seat.pth": f"{SRC['hundredfold']}/classroom/seats/hundredfold_seat.pth",
    "packages/gpusim/src/gpusim/testing.py": f"{SRC['gpusim']}/testing.py",
    # gpusim
    "packages/gpusim/tests/device": "packages/gpusim/tests/device",
    "packages/gpusim/tests/kernels": "packages/gpusim/tests/kernels",
    "packages/gpusim/tests/kernels/sanitizer": "packages/gpusim/tests/kernels/sanitizer",
    "packages/gpusim/tests/libraries": "packages/gpusim/tests/libraries",
    "packages/gpusim/tests/conftest.py": "packages/gpusim/tests/conftest.py",
    **{
        f"packages/gpusim/tests/libraries/test_{name}.py": f"packages/gpusim/tests/importing/test_{name}.py"
        for name in ("finder", "gone", "local_cluster", "pth", "reexports")
    },
    **{
        f"tests/{name}": f"packages/gpusim/tests/{name}"
        for name in "conformance kernels_set cupy_suite cudf_suite numba_cuda_suite dask_cuda_suite".split()
    },
    "packages/gpusim/tests/hardware": "packages/gpusim/tests/hardware",
    # kernellens
    "packages/kernellens/tests": "packages/kernellens/tests",
    "packages/kernellens/tests/test_kernels_set_seen.py": "packages/kernellens/tests/test_kernels_set_seen.py",
    "packages/kernellens/tests/plot": "packages/kernellens/tests/plot",
    "packages/kernellens/tests/port": "packages/kernellens/tests/port",
    "packages/kernellens/tests/trial": "packages/kernellens/tests/trial",
    "packages/kernellens/tests/check": "packages/kernellens/tests/check",
    "packages/kernellens/tests/public_notebooks": "packages/kernellens/tests/public_notebooks",
    # the course
    "tests/notebooks/test_notebook_names.py": "tests/notebooks/test_notebook_names.py",
    "packages/hundredfold/tests/setup/test_doctor.py": "packages/hundredfold/tests/setup/test_doctor.py",
    "packages/hundredfold/tests/setup/test_environments.py": "packages/hundredfold/tests/setup/test_environments.py",
    "packages/hundredfold/tests/setup/test_packages.py": "packages/hundredfold/tests/setup/test_packages.py",
    "packages/hundredfold/tests/setup/test_paths.py": "packages/hundredfold/tests/setup/test_paths.py",
    **{
        f"tests/test_{name}.py": f"packages/hundredfold/tests/setup/test_{name}.py"
        for name in "lab_setup lab_start lock parts server".split()
    },
    **{f"tests/{name}": f"packages/hundredfold/tests/learning/{name}" for name in "problems progress report".split()},
    "packages/hundredfold/tests/learning/test_check.py": "packages/hundredfold/tests/learning/test_check.py",
    "packages/hundredfold/tests/toolkit": "packages/hundredfold/tests/toolkit",
    "packages/hundredfold/tests/toolkit/record": "packages/hundredfold/tests/toolkit/record",
    **{
        f"tests/test_{name}.py": f"packages/hundredfold/tests/notebook/test_{name}.py"
        for name in "extension workspace dashboard panel".split()
    },
    **{
        f"tests/{name}": f"packages/hundredfold/tests/classroom/{name}"
        for name in "seats preflight assignment syllabi links".split()
    },
    "packages/hundredfold/tests/publish/build": "packages/hundredfold/tests/publish/build",
    "packages/hundredfold/tests/publish/browser": "packages/hundredfold/tests/publish/browser",
    "packages/hundredfold/tests/publish/test_pages.py": "packages/hundredfold/tests/publish/test_pages.py",
    "packages/hundredfold/tests/data": "packages/hundredfold/tests/data",
    "packages/hundredfold/tests/recordings": "packages/hundredfold/tests/recordings",
    "packages/hundredfold/tests/test_cli.py": "packages/hundredfold/tests/test_cli.py",
    "packages/hundredfold/tests/test_main.py": "packages/hundredfold/tests/test_main.py",
}

VARIABLES = {
    "GPUSIM": "SIMULATE GPUS GPU_MEMORY TRACE OUT_OF_BOUNDS KERNELS THREAD_SECONDS LAUNCH_SECONDS PROBE CACHE"
    " SIM K T KERN GPU".split(),
    "KERNELLENS": "COMPILER COMPILER_SECONDS TRIAL_REPORT TRIAL_PROCESS TRIAL_LENS FIGURES BASE_URL".split(),
}

# Words in code that name a part of the old whole: (where, pattern, what stands there now).
TEXTS = [
    ("", r'\+hundredfold(?=")', "+gpusim"),
    ("", r"__hundredfold_(?=(?:source|tree|device|written)__)", "__gpusim_"),
    (
        "",
        r'startswith\("HUNDREDFOLD_"\)',
        'startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_", "GPUSIM_", "KERNELLENS_"))',
    ),
    (
        "",
        r'startswith\(\("HUNDREDFOLD_", ',
        'startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_", "GPUSIM_", "KERNELLENS_", ',
    ),
    *((f"packages/{each}/tests/", r'"-m", "hundredfold"', '"-m", "gpusim"') for each in ("gpusim", "kernellens")),
    *((f"packages/{each}/tests/", r"python -m hundredfold", "python -m gpusim") for each in ("gpusim", "kernellens")),
    ("packages/kernellens/tests/", r"from hundredfold\.cli import main", "from kernellens.cli import main"),
    ("packages/gpusim/", r"11hundredfold", "6gpusim"),
    ("packages/gpusim/", r"by Hundredfold\b", "by gpusim"),
    ("packages/gpusim/", r"/simulate/cudf/", "/libraries/cudf/"),
    ("packages/gpusim/", r"simulate\.local_cluster", "gpusim.importing.local_cluster"),
    ("packages/gpusim/src/gpusim/kernels/ir/", r'"hundredfold"', '"gpusim"'),
    ("packages/gpusim/src/gpusim/kernels/", r'"hundredfold([-_])', r'"gpusim\1'),
    ("packages/gpusim/src/gpusim/libraries/", r"<hundredfold ", "<gpusim "),
    ("packages/gpusim/src/gpusim/libraries/", r"Hundredfold simulates", "gpusim simulates"),
    ("packages/kernellens/", r"\bhundredfold lens\b", "kernellens check"),
    ("packages/kernellens/", r"\bhundredfold (try|port)\b", r"kernellens \1"),
    ("packages/kernellens/", r'prefix="hundredfold-', 'prefix="kernellens-'),
    ("packages/kernellens/src", r'"_hundredfold_trial"', '"_kernellens_trial"'),
]

# What a learner writes goes on working: these are looked up by `from hundredfold import …`.
FACADE = set("check compare data hint lens limit machine measure plot report toolkit __version__".split())
# Functions of a package that are called like a module of it.
FUNCTIONS = {("kernellens", "occupancy"), ("gpusim.importing", "activate")}
# What gpusim offers itself.
OFFERED = {"activate", "active", "TooLateError", "NotSimulatedError", "NotSimulatedAttribute", "NotSimulatedImport"}
# A module's new name would hide another thing where it is used.
ALIAS = {"numba", "numpy", "residency"}

LEFT_ALONE = re.compile(
    r"^(CHANGELOG\.md|CHECKLIST\.md|LICENSE|requirements/|recordings/raw/|packages/hundredfold/src/hundredfold/publish/site/pyodide\.json)"
)
TEXT_ONLY = re.compile(r"^sources/(lectures|exercises)/")


def git(root, *arguments, **more):
    return subprocess.run(["git", *arguments], cwd=root, check=True, text=True, stdout=subprocess.PIPE, **more).stdout


class Tree:
    """The old tree: what modules there are, and where each file goes."""

    def __init__(self, root):
        self.root = root
        self.files = git(root, "ls-files").splitlines()
        self.modules = set()
        self.places = dict(PLACES)
        for file in self.files:
            if file.startswith("packages/hundredfold/src/hundredfold/") and file.endswith(".py"):
                parts = file.removeprefix("src/").removesuffix(".py").split("/")
                self.modules.add(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
        for old, new in MODULES.items():
            if f"{OLD}.{old}" not in self.modules and not (root / "src" / OLD / old.replace(".", "/")).is_dir():
                sys.exit(f"MODULES names {old}, and there is no such module")
            package = new.split(".")[0]
            inside = "/".join(new.split(".")[1:])
            target = "/".join(filter(None, [SRC[package], inside]))
            folder, file = f"src/{OLD}/{old.replace('.', '/')}", f"src/{OLD}/{old.replace('.', '/')}.py"
            if (root / folder).is_dir():
                self.places[folder] = target
            else:
                self.places[file] = f"{target}.py"

    def place(self, file):
        """The new path of an old one, file or folder."""
        parts = file.split("/")
        for n in range(len(parts), 0, -1):
            prefix = "/".join(parts[:n])
            if prefix in self.places:
                return "/".join([self.places[prefix], *parts[n:]])
        return file

    def module(self, name, into):
        """The new name of an old dotted name, as the package `into` knows it; names of things inside are kept."""
        if name == OLD:
            return OLD
        parts = name.split(".")[1:]
        for n in range(len(parts), 0, -1):
            prefix = ".".join(parts[:n])
            if into != "hundredfold" and prefix in BELOW_THE_COURSE:
                return ".".join([BELOW_THE_COURSE[prefix], *parts[n:]])
            if prefix in MODULES:
                return ".".join([MODULES[prefix], *parts[n:]])
        return name


def dotted_of(path, src=f"src/{OLD}/"):
    parts = [OLD, *path.removeprefix(src).removesuffix(".py").split("/")]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_of(new_path):
    """Which of the three a file belongs to, for what it means by a name; the course for all that is beside them."""
    found = re.match(r"packages/(\w+)/", new_path)
    return found[1] if found else "hundredfold"


def dotted_new(path):
    found = re.match(r"packages/\w+/src/(.*)\.py$", path)
    if not found:
        return None
    parts = found[1].split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


class Rewriter:
    def __init__(self, tree):
        self.tree = tree
        self.notes = []

    # Python, by its syntax tree

    def python(self, text, old, new):
        try:
            module = ast.parse(text)
        except SyntaxError:
            return text
        inside = old.startswith(f"src/{OLD}/")
        here = dotted_of(old) if inside else None
        package = None
        if here:
            package = here if old.endswith("/__init__.py") else here.rpartition(".")[0]
        into = package_of(new)
        mine = dotted_new(new)
        mine_package = mine if mine and new.endswith("/__init__.py") else (mine or "").rpartition(".")[0]
        edits, renames = [], {}
        bound, self.stored = self._bound(module), self._bound(module, imports=False)
        for node in ast.walk(module):
            if isinstance(node, ast.ImportFrom):
                if node.level and not inside:
                    continue
                base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
                source = ".".join([*base, *filter(None, [node.module])])
                if source != OLD and not source.startswith(OLD + "."):
                    continue
                homes = {}
                for alias in node.names:
                    home, name, asname = self._import(source, alias, into, bound, renames)
                    homes.setdefault(home, []).append((name, asname))
                lines = [self._statement(home, names, node.level, mine, mine_package) for home, names in homes.items()]
                edits.append((node, lines))
            elif isinstance(node, ast.Import) and any(a.name.startswith(OLD + ".") for a in node.names):
                parts = []
                for alias in node.names:
                    if alias.name == f"{OLD}.simulate" and alias.asname == "simulate":
                        renames["simulate"] = "gpusim"
                        parts.append("gpusim")
                        continue
                    name = self.tree.module(alias.name, into) if alias.name.startswith(OLD) else alias.name
                    parts.append(name + (f" as {alias.asname}" if alias.asname else ""))
                edits.append((node, [f"import {', '.join(parts)}"]))
        lines = text.splitlines(keepends=True)
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line.encode()))
        data = text.encode()
        changes = []
        for node, statements in edits:
            begin = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            before = data[starts[node.lineno - 1] : begin]
            joint = "\n" + before.decode() if not before.strip() else "; "
            old_text = data[begin:end].decode()
            if ";" in data[end:].split(b"\n", 1)[0].decode() or before.strip():
                joint = "; "
            new_text = joint.join(statements)
            if " ".join(old_text.replace("(", "").replace(")", "").replace(",\n", "\n").split()) != new_text:
                changes.append((begin, end, new_text))
        if renames:
            for node in ast.walk(module):
                if isinstance(node, ast.JoinedStr):
                    begin = starts[node.lineno - 1] + node.col_offset
                    end = starts[node.end_lineno - 1] + node.end_col_offset
                    segment = data[begin:end].decode()
                    for was, now in renames.items():
                        segment = re.sub(rf"(?<=[{{(\s\[,]){was}(?=[.])", now, segment)
                    if segment != data[begin:end].decode():
                        changes.append((begin, end, segment))
            strings = [
                (starts[n.lineno - 1] + n.col_offset, starts[n.end_lineno - 1] + n.end_col_offset)
                for n in ast.walk(module)
                if isinstance(n, ast.JoinedStr)
            ]
            for node in ast.walk(module):
                if isinstance(node, ast.Name) and node.id in renames:
                    begin = starts[node.lineno - 1] + node.col_offset
                    if any(a <= begin < b for a, b in strings):
                        continue
                    changes.append((begin, begin + len(node.id.encode()), renames[node.id]))
        done = set()
        for begin, end, new_text in sorted(changes, reverse=True):
            if (begin, end) in done:
                continue
            done.add((begin, end))
            data = data[:begin] + new_text.encode() + data[end:]
        return data.decode()

    @staticmethod
    def _bound(module, imports=True):
        """All names that a file binds, by imports too or otherwise only."""
        found = set()
        for node in ast.walk(module):
            if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
                found.add(node.id)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
                found.add(node.name)
            elif isinstance(node, ast.ExceptHandler) and node.name:
                found.add(node.name)
            elif imports and isinstance(node, (ast.Import, ast.ImportFrom)):
                found.update(a.asname or a.name.split(".")[0] for a in node.names)
            elif isinstance(node, (ast.Global, ast.Nonlocal)):
                found.update(node.names)
        return found

    def _import(self, source, alias, into, bound, renames):
        """Where a name is imported from now: (module, name, asname); module "" for a plain `import name`."""
        full = f"{source}.{alias.name}"
        if source == f"{OLD}.simulate" and alias.name in OFFERED and into != "gpusim":
            return "gpusim", alias.name, alias.asname
        if full not in self.tree.modules or (source, alias.name) in FUNCTIONS:
            return self.tree.module(source, into), alias.name, alias.asname
        if full == f"{OLD}.simulate":
            now, home, name = "gpusim", "", "gpusim"
        else:
            now = self.tree.module(full, into)
            home, _, name = now.rpartition(".")
        asname = alias.asname
        if asname is None and name != alias.name:
            if name in ALIAS or name in bound or alias.name in self.stored:
                asname = alias.name
            else:
                renames[alias.name] = name
        return home, name, asname

    stored = frozenset()

    @staticmethod
    def _statement(home, names, level, mine, mine_package):
        if home == "":
            return "import " + ", ".join(n + (f" as {a}" if a and a != n else "") for n, a in names)
        said = home
        if level and mine and home.split(".")[0] == mine.split(".")[0]:
            ours, theirs = mine_package.split("."), home.split(".")
            shared = 0
            while shared < min(len(ours), len(theirs)) and ours[shared] == theirs[shared]:
                shared += 1
            up = len(ours) - shared
            # Within one group by relative names, as before; from group to group by the whole name.
            if (shared >= 2 or len(ours) == shared) and up < 3:
                said = "." * (up + 1) + ".".join(theirs[shared:])
        if len(names) == 1 and names[0][0] == "*":
            return f"from {said} import *"
        text = ", ".join(n + (f" as {a}" if a else "") for n, a in names)
        line = f"from {said} import {text}"
        if len(line) > 110:
            line = f"from {said} import (" + text + ")"
        return line

    # All other text, by patterns

    def text(self, text, old, new):
        into = package_of(new)

        def imports(found):
            lead, source, names = found["lead"], found["source"], found["names"]
            homes = {}
            for name in re.split(r"\s*,\s*", names.strip()):
                name, _, asname = name.partition(" as ")
                name, asname = name.strip(), asname.strip() or None
                if source == OLD and name in FACADE and into == "hundredfold":
                    homes.setdefault(OLD, []).append((name, asname))
                    continue
                full = f"{source}.{name}"
                if full == f"{OLD}.simulate":
                    homes.setdefault("", []).append(("gpusim", asname))
                    continue
                if source == f"{OLD}.simulate" and name in OFFERED:
                    homes.setdefault("gpusim", []).append((name, asname))
                    continue
                if full == f"{OLD}.lens":
                    homes.setdefault("", []).append(("kernellens", asname or "lens"))
                    continue
                if full in self.tree.modules and (source, name) not in FUNCTIONS:
                    home, _, now = self.tree.module(full, into).rpartition(".")
                    homes.setdefault(home, []).append((now, asname or (name if now != name else None)))
                else:
                    homes.setdefault(self.tree.module(source, into), []).append((name, asname))
            return lead + "; ".join(self._statement(home, names, 0, None, "") for home, names in homes.items())

        text = (
            re.sub(
                rf"(?P<lead>^|(?<=[^\w.])|(?<=\\n))from (?P<source>{OLD}(?:\.\w+)*) import (?P<names>\w+(?: as \w+)?(?:, ?\w+(?: as \w+)?)*)",
                imports,
                text,
                flags=re.M,
            )
            if not text.startswith("\0")
            else text
        )
        for place, pattern, now in TEXTS:
            if new.startswith(place):
                text = re.sub(pattern, now, text)
        text = re.sub(r"(?<![\w.])simulate\.(activate|active|TooLateError|NotSimulated\w+)\b", r"gpusim.\1", text)

        def dotted(found):
            name = found[0]
            if name == f"{OLD}.simulate.activate":
                return "gpusim.activate"
            if not any(name == m or name.startswith(m + ".") for m in self._tops):
                return name
            if name.startswith(f"{OLD}.lens.occupancy"):
                return "kernellens" + name.removeprefix(f"{OLD}.lens")
            return self.tree.module(name, into)

        text = re.sub(rf"(?<![\w/.@-]){OLD}(?:\.[A-Za-z_]\w*)+", dotted, text)
        for prefix, names in VARIABLES.items():
            text = re.sub(rf"\b{OLD.upper()}_({'|'.join(names)})\b", rf"{prefix}_\1", text)
        text = re.sub(rf"src/{OLD}(?:/[\w./<>*{{}}-]*)?", lambda f: self._path(f[0]), text)
        text = re.sub(r"(?<![\w/.-])tests/[\w./<>*-]+", lambda f: self._path(f[0]), text)

        def chain(found):
            parts = re.findall(r'"([^"]+)"', found["chain"])
            moved = self._path("/".join(parts))
            if moved == "/".join(parts):
                return found[0]
            return found["root"] + "".join(f' / "{part}"' for part in moved.split("/"))

        text = re.sub(
            r'(?P<root>\b(?:ROOT|REPOSITORY|root|parents\[\d\]))(?P<chain>(?: / "(?:src|tests)")(?: / "[\w.*-]+")+)',
            chain,
            text,
        )
        return text

    @property
    def _tops(self):
        return {f"{OLD}.{m.split('.')[1]}" for m in self.tree.modules if "." in m} - {f"{OLD}.__main__"}

    def _path(self, path):
        bare = path.rstrip("/.")
        tail = path[len(bare) :]
        moved = self.tree.place(bare)
        return moved + tail

    def parents(self, text, old, new):
        """`Path(__file__).parents[2]` where the file lies deeper or less deep than before."""

        def fix(found):
            lead, n = found["lead"], int(found["n"])
            shift = 1 if "HERE" in lead else 0
            was, now = old.split("/"), new.split("/")
            folder = was[: len(was) - 1 - n - shift]
            if len(was) - 1 - n - shift < 0:
                return found[0]
            target = "/".join(folder)
            moved = self.tree.place(target) if target else ""
            if moved and not new.startswith(moved + "/"):
                self.notes.append(f"{new}: parents[{n}] was {target}, which is no folder above it now")
                return found[0]
            depth = len(moved.split("/")) if moved else 0
            k = len(now) - 1 - depth - shift
            if k < 0:
                self.notes.append(f"{new}: parents[{n}] was {target or 'the root'}")
                return found[0]
            return f"{lead}.parents[{k}]"

        return re.sub(r"(?P<lead>Path\(__file__\)(?:\.resolve\(\))?|HERE)\.parents\[(?P<n>\d+)\]", fix, text)


def is_python(root, file):
    path = root / file
    if file.endswith(".py"):
        return True
    return "." not in path.name and path.is_file() and path.read_bytes()[:40].startswith(b"#!/usr/bin/env python")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--dry", action="store_true")
    parser.add_argument("--ruff", help="a ruff of the lock's version, which sorts and formats what was rewritten")
    asked = parser.parse_args()
    root = asked.checkout.resolve()
    if git(root, "status", "--porcelain").strip() and not asked.dry:
        sys.exit("the checkout has changes that are not committed")
    tree = Tree(root)
    moves = {file: tree.place(file) for file in tree.files}
    if len(set(moves.values())) != len(moves):
        seen = {}
        for old, new in moves.items():
            if new in seen:
                print("two files for", new, ":", seen[new], old)
            seen[new] = old
        sys.exit("two files would be one")
    if asked.dry:
        for old, new in moves.items():
            if old != new:
                print(old, "→", new)
        return
    texts = {}
    rewriter = Rewriter(tree)
    for old, new in moves.items():
        path = root / old
        if LEFT_ALONE.match(old) or path.is_symlink() or not path.is_file():
            continue
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError:
            continue
        if "\0" in text:
            continue
        after = text
        if is_python(root, old) and not TEXT_ONLY.match(old):
            after = rewriter.python(after, old, new)
            after = rewriter.parents(after, old, new)
        after = rewriter.text(after, old, new)
        if after != text:
            texts[new] = after
    for old, new in moves.items():
        if old != new:
            (root / new).parent.mkdir(parents=True, exist_ok=True)
            (root / old).rename(root / new)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--no-verify", "-m", MOVED)
    for new, text in texts.items():
        (root / new).write_bytes(text.encode())
    if asked.ruff:
        first = '["gpusim", "kernellens", "hundredfold"]'
        python = sorted({new for new in texts if new.endswith(".py")})
        options = ["--quiet", "--config", f"lint.isort.known-first-party={first}"]
        subprocess.run([asked.ruff, "check", *options, "--select", "I", "--fix", *python], cwd=root, check=False)
        subprocess.run([asked.ruff, "format", "--quiet", *python], cwd=root, check=False)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--no-verify", "-m", NAMED)
    print(f"{sum(a != b for a, b in moves.items())} files moved, {len(texts)} rewritten")
    for note in rewriter.notes:
        print("by hand:", note)


MOVED = """Three packages in one workspace: the files move, and nothing else changes

gpusim is the simulator, kernellens shows what kernels do, hundredfold is the course. Only `git mv` here, so that
history follows each file; the names follow in the next commit, and between the two nothing runs.
"""

NAMED = """Three packages in one workspace: imports, dotted names, paths and variables follow the files

Made by a script from the table of what moved. The simulator's variables are GPUSIM_*, the lens's KERNELLENS_*.
"""

if __name__ == "__main__":
    main()
