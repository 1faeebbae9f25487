"""The finder that owns the names of the simulated libraries.

It sits first in ``sys.meta_path`` and answers for every module under a name in `SIMULATED` or `REFUSED`; nothing under
them is ever passed on, so a library that is really installed cannot mix with its simulated version.  To add a library, add a line
to the table.  Modules are loaded from the folders of ``gpusim/libraries`` under their real names (``__name__ == "cupy"``).  A module of which
the simulated library has nothing but names that live elsewhere is a line in its library's ``reexports.json`` and no file.

Imported at the start of every simulating process, so only what an interpreter has loaded anyway is imported here.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader

from gpusim import texts
from gpusim.variables import RenamedVariableError, refuse_renamed

from .errors import NotSimulatedError, NotSimulatedImport

HERE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "libraries")

# Name → its folder (a package) or file, relative to `libraries` or absolute. A longer name wins over its parent, and a name
# may stand alone: `numba` stays real and `numba.cuda` is ours; `distributed` stays real, but where it looks for how CuPy
# arrays travel between processes, it finds ours.
SIMULATED: dict[str, str] = {
    "cupy": "cupy",
    "cupyx": "cupyx",
    "cudf": "cudf",
    "dask_cudf": "dask_cudf",
    "pylibcudf": "pylibcudf",
    "cuml": "cuml",
    "rmm": "rmm",
    "dask_cuda": "dask_cuda",
    "numba.cuda": "numba_cuda",
    "numba_cuda_mlir": "numba_cuda_mlir",
    "pynvml": "pynvml.py",
    "nvtx": "nvtx",
    "kvikio": "kvikio",
    # The rest of cudf_polars is the real one: it is Python, and what it asks of pylibcudf is answered.
    "cudf_polars.callback": os.path.join("cudf_polars", "callback.py"),
    "cudf_polars.dsl.tracing": os.path.join("cudf_polars", "tracing.py"),
    "distributed.protocol.cupy": os.path.join("cupy", "_dask.py"),
}

# Names whose real module may have been imported before: `distributed` imports pynvml wherever it is installed. It has told its
# importer at most that there is no driver, which is true, so it is put aside here and everyone who asks from then on gets ours.
REPLACED_LATE = frozenset({"pynvml"})
displaced: dict[str, object] = {}

# Name → what to use instead. These need a GPU.
REFUSED: dict[str, str] = {
    "cupy_backends": "It is the inside of CuPy; import cupy instead.",
    "rapidsmpf": 'It moves tables between GPUs; a Polars query runs with collect(engine="gpu").',
    "cudf_streaming": 'It is the inside of Polars\' engine for GPUs; a query runs with collect(engine="gpu").',
    "ucxx": "It will not be: a simulated bandwidth would be no bandwidth.",
}


def without_numba() -> None:
    """Simulate ``numba`` itself too, where there is none and can be none: in a browser."""
    SIMULATED["numba"] = "numba_absent"


def owner(fullname: str) -> str | None:
    """Return the name in the tables that a module falls under, the longest that fits, or None if we do not own it."""
    name = fullname
    while name:
        if name in SIMULATED or name in REFUSED:
            return name
        name = name.rpartition(".")[0]
    return None


class SimulatedFinder:
    """A meta path finder for the names in the tables (see `importlib.abc.MetaPathFinder`)."""

    def find_spec(self, fullname: str, path=None, target=None) -> ModuleSpec | None:
        """Return the spec of a simulated library, None for names that are not ours.

        Raises
        ------
        NotSimulatedImport
            For a submodule that the simulated library does not have and the real library has.
        ModuleNotFoundError
            For one that only older versions of the library had.
        """
        name = owner(fullname)
        if name is None:
            return None
        if name in REFUSED:
            if fullname != name:
                raise NotSimulatedImport(fullname, note=REFUSED[name])
            # Asking whether there is a cuDF is harmless, and many libraries do; importing it is what needs an answer.
            return ModuleSpec(fullname, _Refusal(REFUSED[name]))  # pyright: ignore[reportArgumentType]
        place = os.path.join(HERE, SIMULATED[name], *fullname[len(name) :].split(".")[1:])
        spec = _simulated_spec(name, fullname, place)
        if spec is not None:
            return spec
        error = _refuse(fullname, place)
        if error is None:  # the real library has none either, and Python says so
            return None
        raise error

    def find_distributions(self, context=None):
        """Return what `importlib.metadata` is to know of the simulated libraries: the command `dask cuda`."""
        from importlib.metadata import DistributionFinder

        from .commands import distributions

        return distributions(DistributionFinder.Context() if context is None else context)

    def invalidate_caches(self) -> None:
        """Nothing is cached: a simulated library is looked for anew each time."""


class SimulatedLoader(SourceFileLoader):
    """Loads a simulated library's module; a class of its own so that a module's spec tells whether it is one."""

    def exec_module(self, module) -> None:
        super().exec_module(module)
        # What the real module has and this one has not is refused by name, whether its author thought of it or not.
        if "__getattr__" not in vars(module):
            from .names import refuser

            vars(module)["__getattr__"] = refuser(module.__name__)


class ReexportLoader(SimulatedLoader):
    """Loads a module from its library's ``reexports.json``: the source is written here, and looks like a file's to all who ask."""

    def get_data(self, path: str) -> bytes:
        name = self.name or ""
        entry = reexports(owner(name) or name).get(name)
        if entry is None or path != self.path:
            return super().get_data(path)
        return _source(name, entry).encode()

    def get_resource_reader(self, name: str | None = None):  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return what `importlib.resources` reads: the folder, or where there is none, the modules that would be in it."""
        folder = os.path.dirname(self.path)
        if os.path.isdir(folder) and any(entry.is_file() for entry in os.scandir(folder)):
            return super().get_resource_reader(self.name)
        from .resources import Modules

        return Modules(self.name)


class _Folder:
    """Tells `pkgutil` the modules of a package: those with a file, and those in the table."""

    def __init__(self, place: str, package: str) -> None:
        self.place, self.package = place, package

    def find_spec(self, fullname: str, target=None) -> None:
        """Return None: the finder above, which is asked first, knows all there is."""

    def iter_modules(self, prefix: str = ""):
        from importlib.machinery import FileFinder
        from pkgutil import iter_importer_modules  # pyright: ignore[reportAttributeAccessIssue]

        yield from iter_importer_modules(FileFinder(self.place, (SourceFileLoader, [".py"])), prefix)
        for name, entry in children(self.package).items():
            yield prefix + name, bool(entry.get("package"))


_tables: dict[str, dict[str, dict]] = {}


def reexports(name: str) -> dict[str, dict]:
    """Return a library's modules that have no file: ``{"cuml.cluster.dbscan": {"from": {"cuml.cluster._classes": "DBSCAN"}}}``.

    Besides ``from``, an entry may have ``unlisted`` (the same for names that are not in ``__all__``), ``as`` (other names for the
    same), ``doc`` and ``package``; ``refused``: names that exist and cannot be used, each with the nearest one that can (and a
    ``note`` for all); or ``is``, the module that this is another name of.
    """
    if name not in _tables:
        import json

        try:
            with open(os.path.join(HERE, SIMULATED.get(name, ""), "reexports.json"), encoding="utf-8") as file:
                _tables[name] = json.load(file)
        except OSError:
            _tables[name] = {}
    return _tables[name]


def children(package: str) -> dict[str, dict]:
    """Return the modules in a package that have no file, by the last part of their names."""
    found = {name.rpartition(".")[::2]: entry for name, entry in reexports(owner(package) or "").items()}
    return {name: entry for (parent, name), entry in found.items() if parent == package}


def _source(fullname: str, entry: dict) -> str:
    if "is" in entry:
        return f"import importlib, sys\n\nsys.modules[__name__] = importlib.import_module({entry['is']!r})\n"
    homes, same, refused = entry.get("from", {}), entry.get("as", {}), entry.get("refused", {})
    names = sorted([*" ".join(homes.values()).split(), *same, *refused])
    unlisted = entry.get("unlisted", {})
    lines = [f"from {home} import {', '.join(theirs.split())}" for home, theirs in [*homes.items(), *unlisted.items()]]
    lines += [f"{name} = {other}" for name, other in same.items()]
    lines += ["from gpusim.importing import names as _names"] if refused else []
    for name, nearest in refused.items():
        maker = "refused" if name.islower() else "refused_class"
        lines.append(f"{name} = _names.{maker}({f'{fullname}.{name}'!r}, {nearest!r}, {entry.get('note')!r})")
    doc = entry.get("doc") or f"Where {fullname.partition('.')[0]} has {' and '.join(names)}."
    lines += [f"__all__ = {names!r}"] if names else []
    return "\n".join([f'"""{doc}"""', "", *lines, ""])


def has(fullname: str) -> bool:
    """Whether there is a simulated library of a module, imported or not."""
    name = owner(fullname)
    if name is None or name in REFUSED:
        return False
    place = os.path.join(HERE, SIMULATED[name], *fullname[len(name) :].split(".")[1:])
    return _simulated_spec(name, fullname, place) is not None


def is_simulated(module: object) -> bool:
    """Whether a module was loaded by this finder."""
    return isinstance(getattr(getattr(module, "__spec__", None), "loader", None), SimulatedLoader)


def _simulated_spec(name: str, fullname: str, place: str) -> ModuleSpec | None:
    if place.endswith(".py"):
        return _spec(fullname, place, None)
    if os.path.isfile(os.path.join(place, "__init__.py")):
        return _spec(fullname, os.path.join(place, "__init__.py"), [place])
    if os.path.isfile(place + ".py"):
        return _spec(fullname, place + ".py", None)
    entry = reexports(name).get(fullname)
    if entry is not None and entry.get("package"):
        return _spec(fullname, os.path.join(place, "__init__.py"), [place], ReexportLoader)
    if entry is not None:
        return _spec(fullname, place + ".py", None, ReexportLoader)
    return None


def _spec(fullname: str, file: str, folders: list[str] | None, loader: type = SimulatedLoader) -> ModuleSpec:
    # As importlib.util.spec_from_file_location makes it, without the import of importlib.util in every process.
    spec = ModuleSpec(fullname, loader(fullname, file), origin=file, is_package=folders is not None)
    if folders is not None:
        spec.submodule_search_locations = folders
        sys.path_importer_cache[folders[0]] = _Folder(folders[0], fullname)
    spec.has_location = True
    return spec


def _refuse(fullname: str, place: str) -> ModuleNotFoundError | None:
    """Return the error for a submodule that is not there, in the simulated library's own words where its parent has some.

    None for one that the real library has not either, unless an older version had it.
    """
    import difflib

    from . import removed_names

    theirs = removed_names.modules(fullname.partition(".")[0])
    if theirs and fullname not in theirs:
        if removed_names.note(fullname) is None:
            return None
        return removed_names.noted(ModuleNotFoundError(f"No module named {fullname!r}", name=fullname), fullname)
    parent, _, child = fullname.rpartition(".")
    # `from cupy import x` comes here after cupy's own __getattr__ said no; only that one knows CuPy's names.
    lookup = getattr(sys.modules.get(parent), "__getattr__", None)
    unheard_of = False
    if lookup is not None:
        try:
            lookup(child)
        except NotSimulatedError as error:
            return NotSimulatedImport(error.what, error.nearest, error.note)
        except (AttributeError, ImportError):
            unheard_of = True
    folder = os.path.dirname(place)
    there = {entry.removesuffix(".py") for entry in os.listdir(folder)} if os.path.isdir(folder) else set()
    there |= set(children(parent))
    near = difflib.get_close_matches(child, sorted(name for name in there if not name.startswith("_")), n=1)
    error = NotSimulatedImport(fullname, nearest=f"{parent}.{near[0]}" if near and parent else None)
    if unheard_of:
        # A typing error, most likely. With its name set, `from cupy import zeroes` ends as it does with any other module:
        # "cannot import name 'zeroes' from 'cupy'".
        error.name = fullname
    return error


class _Refusal:
    """A loader for a library that has no simulated version."""

    def __init__(self, note: str) -> None:
        self.note = note

    def create_module(self, spec: ModuleSpec):
        raise NotSimulatedImport(spec.name, note=self.note)

    def exec_module(self, module) -> None:  # importlib wants it to exist
        raise NotSimulatedImport(module.__name__, note=self.note)


def installed() -> SimulatedFinder | None:
    """Return the finder of this process if it is in place, else None."""
    for finder in sys.meta_path:
        if isinstance(finder, SimulatedFinder):
            return finder
    return None


def install() -> None:
    """Put the finder first in ``sys.meta_path``; a second time, move it there."""
    finder = installed() or SimulatedFinder()
    if sys.meta_path[:1] != [finder]:
        sys.meta_path[:] = [finder, *(other for other in sys.meta_path if other is not finder)]
    texts.watch()
    watch_dask()


def start_up() -> None:
    """What the ``.pth`` file calls at the start of every simulating process.

    A variable under its old name ends the process: it would simulate otherwise than was asked for, or compute on a real GPU.
    """

    try:
        refuse_renamed()
    except RenamedVariableError as error:
        if sys.stderr:
            sys.stderr.write(f"gpusim: {error}\n")
            sys.stderr.flush()
        os._exit(2)  # an exception here would be shown as a fault of Python's start, with a long traceback
    install()
    texts.keep_standard_input()


class _DaskWatcher:
    """Finds nothing itself: it lets the import of `distributed` go on, and sees to its clusters when that is done."""

    def find_spec(self, fullname: str, path=None, target=None) -> ModuleSpec | None:
        if fullname != "distributed":
            return None
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module) -> None:
            execute(module)
            from .local_cluster import listen_on_localhost

            listen_on_localhost(module)

        spec.loader.exec_module = exec_module
        return spec


def watch_dask() -> None:
    """See to Dask's own clusters (`local_cluster`), now or when it is imported; also where a GPU works and nothing is simulated."""
    there = sys.modules.get("distributed")
    if there is not None and hasattr(there, "LocalCluster"):
        from .local_cluster import listen_on_localhost

        listen_on_localhost(there)
    elif not any(isinstance(each, _DaskWatcher) for each in sys.meta_path):
        place = sys.meta_path.index(PathFinder) if PathFinder in sys.meta_path else len(sys.meta_path)
        sys.meta_path.insert(place, _DaskWatcher())
