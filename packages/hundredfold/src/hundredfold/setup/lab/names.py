"""`make names`: the public names of the real GPU libraries, at their locked versions, as data for the simulated libraries.

The libraries import without a GPU, so this works on any Linux machine with the room for them.  The file also runs as a
script in a Python that has them (and need not have this project): then it prints what it finds as JSON.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import inspect
import json
import os
import pkgutil
import subprocess
import sys
import types
import warnings
from pathlib import Path

LIBRARIES = ("cupy", "cupyx", "cudf", "dask_cudf", "pylibcudf", "kvikio", "cuml", "rmm", "dask_cuda", "numba_cuda_mlir")
INNER = {
    "cupy": ("_core", "cuda.cudnn", "_environment"),
    "cudf": (
        "tests",
        "_lib",
        "benchmarks",
        "pandas.fast_slow_proxy",
        *(
            f"core.{name}"
            for name in (
                "_internals",
                "abc",
                "buffer",
                "column",
                "copy_types",
                "dask",
                "join",
                "mixins",
                "scan",
                "udf",
                "window",
            )
        ),
        "utils.cudautils",
        "utils.applyutils",
        "utils.queryutils",
        "utils.utils",
        "utils.ioutils",
        "utils.docutils",
    ),
    "pylibcudf": ("tests",),
    "cuml": ("tests", "testing", "benchmark", "_thirdparty", "internals"),
    "dask_cuda": ("tests", "benchmarks"),
    "rmm": ("tests",),
    # The compiler: what a program imports is in `cuda`, and in what this makes public itself.
    "numba_cuda_mlir": (
        *(
            "annotations",
            "ast_transforms",
            "caching",
            "codegen",
            "decorators",
            "descriptor",
            "device_declarations",
            "install_registry",
        ),
        *(
            "linker",
            "logging",
            "lowering",
            "lowering_registry",
            "lowering_utilities",
            "memory_management",
            "mlir",
            "mlir_compiler",
        ),
        *(
            "mlir_debuginfo",
            "mlir_lowering",
            "mlir_optimization",
            "models",
            "nrt_context",
            "numba_cuda",
            "numbair_transforms",
        ),
        *("optimization", "runtime", "struct_pointees", "testing", "tools", "type_defs", "typing", "ufunc_db"),
    ),
}
"""Modules that are the inside of a library, or its tests, beside those whose name begins with an underscore."""


def collect(library: str) -> dict[str, str]:
    """Return the public names of every public module of a library, and the public members of its public classes.

    Returns
    -------
    dict
        ``{"cudf": "DataFrame Index …", "cudf.DataFrame": "abs add …"}``, all sorted.
    """
    found: dict[str, str] = {}
    for name in _modules(library):
        module = _import(name)
        if module is None:
            continue
        names = _public(module, library)
        if names:
            found[name] = " ".join(names)
        for short in names:
            thing = _get(module, short)
            full = f"{name}.{short}"
            # Under the shortest of its names only: `cudf.Series` stands there, `cudf.core.series.Series` does not.
            if inspect.isclass(thing) and _is_of(thing, library) and full not in found and id(thing) not in _SEEN:
                _SEEN[id(thing)] = thing
                members = sorted(m for m in dir(thing) if not m.startswith("_"))
                if members:
                    found[full] = " ".join(members)
    return dict(sorted(found.items()))


def parameters(listed: dict[str, str]) -> dict[str, list[str]]:
    """The names of the parameters of each listed function that says them, ``*`` and ``**`` before those that gather."""
    found: dict[str, list[str]] = {}
    for owner, members in listed.items():
        module = _import(owner.rpartition(".")[0]) if owner.rpartition(".")[2][0].isupper() else _import(owner)
        thing = module if module and module.__name__ == owner else _get(module, owner.rpartition(".")[2])
        for short in members.split():
            try:
                taken = inspect.signature(_get(thing, short)).parameters.values()
            except Exception:  # also what a foreign object raises when it is asked to show itself
                continue
            stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
            found[f"{owner}.{short}"] = [stars.get(each.kind, "") + each.name for each in taken]
    return found


def files(library: str) -> list[str]:
    """The names of all modules of a library, private ones too, by its files: nothing is imported."""
    found = []
    for top in importlib.util.find_spec(library).submodule_search_locations:
        for folder, inner, entries in os.walk(top):
            inner[:] = sorted(name for name in inner if name.isidentifier() and name != "__pycache__")
            name = ".".join((library, *Path(folder).relative_to(top).parts))
            found.append(name)
            endings = tuple(importlib.machinery.all_suffixes())
            stems = {entry.partition(".")[0] for entry in entries if entry.endswith(endings)}
            found += [f"{name}.{stem}" for stem in stems if stem.isidentifier() and stem != "__init__"]
    return sorted(set(found))


_UNSEEN = object()
_SEEN: dict[int, type] = {}
"""The classes listed already, kept alive so that no other gets their id."""


def _modules(library: str) -> list[str]:
    """The names of the public modules, the shorter (in dots) first."""
    top = _import(library)
    names = [library]
    inner = tuple(f"{library}.{name}" for name in INNER.get(library, ()))
    for info in pkgutil.walk_packages(top.__path__, f"{library}.", onerror=lambda name: None):
        if any(part.startswith("_") for part in info.name.split(".")) or info.name.startswith(inner):
            continue
        names.append(info.name)
    return sorted(names, key=lambda name: (name.count("."), name))


def _import(name: str) -> types.ModuleType | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except Exception as error:  # a module that wants a GPU, or a library that is not there, when it is imported
        print(f"  {name}: {type(error).__name__}: {error}"[:150], file=sys.stderr)
        return None


def _public(module: types.ModuleType, library: str) -> list[str]:
    """What a module offers: its ``__all__``, else what it defines or takes from its own library."""
    listed = getattr(module, "__all__", None)
    if listed is not None and module.__name__ != library:
        return sorted(set(listed))
    names = []
    for name in {*vars(module), *dir(module), *_lazy(module)}:
        value = _UNSEEN if name.startswith("_") else _get(module, name)
        if value is _UNSEEN:
            continue
        if isinstance(value, types.ModuleType):
            if value.__name__.split(".")[0] not in (library, f"{library}_backends") or any(
                p.startswith("_") for p in value.__name__.split(".")
            ):
                continue
        elif callable(value) and _of(value) in sys.stdlib_module_names and _of(value) != "builtins":
            continue
        elif type(value).__module__ in ("__future__", "typing"):
            continue
        names.append(name)
    return sorted({*names, *(listed or ())})


def _lazy(module: types.ModuleType) -> set[str]:
    """Names that a module's ``__getattr__`` compares with and answers: they are imported at first use."""
    constants = getattr(getattr(vars(module).get("__getattr__"), "__code__", None), "co_consts", ())
    flat = {n for c in constants for n in (c if isinstance(c, (tuple, frozenset)) else (c,)) if isinstance(n, str)}
    return {name for name in flat if name.isidentifier() and _get(module, name) is not _UNSEEN}


def _get(module: types.ModuleType, name: str) -> object:
    try:
        return getattr(module, name)
    except Exception:  # also what is imported at first use and needs a GPU's library
        return _UNSEEN


def _of(value: object) -> str:
    return str(getattr(value, "__module__", None) or "").split(".")[0]


def _is_of(value: object, library: str) -> bool:
    return _of(value) == library


def command(arguments: list[str]) -> int:
    """read the public names of the real GPU libraries anew (PYTHON_WITH=…, a Python that has them; else installs cu13)"""
    from . import ROOT, environment

    chosen = arguments or list(LIBRARIES)
    unknown = sorted(set(chosen) - set(LIBRARIES))
    if unknown:
        print(
            f"There is no simulated version for {', '.join(unknown)}; there are {', '.join(LIBRARIES)}.",
            file=sys.stderr,
        )
        return 2
    python = os.environ.get("PYTHON_WITH")
    if not python:
        print("Installing the real libraries into .names/ (the packages of cu13, several GB) ...", flush=True)
        python = str(environment.apart(ROOT / ".names", ["-r", str(ROOT / "requirements" / "cu13.txt")]))
    for library in chosen:
        done = subprocess.run([python, "-I", __file__, library], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            print(f"  {library}: not read ({python} has it not?); its list stays as it is.", file=sys.stderr)
            continue
        found = json.loads(done.stdout)
        for what in ("names", "modules"):
            target = ROOT / "packages" / "gpusim" / "src" / "gpusim" / "libraries" / library / f"{what}.json"
            target.write_text(json.dumps(found[what], indent=0) + "\n")
        if library == "pylibcudf":
            script = Path(__file__).with_name("pylibcudf_answers.py")
            asked = subprocess.run([python, "-I", script], stdout=subprocess.PIPE, text=True, check=True)
            target.with_name("answers.json").write_text(asked.stdout)
        print(f"  {library}: {len(found['names'])} public modules and classes, {len(found['modules'])} modules")
    return 0


if __name__ == "__main__":
    listed = collect(sys.argv[1])
    entered = {name for name in sys.modules if name.startswith(f"{sys.argv[1]}.")}  # also without a file of that name
    modules = sorted(entered.union(files(sys.argv[1])))
    print(json.dumps({"names": listed, "modules": modules, "parameters": parameters(listed)}))
