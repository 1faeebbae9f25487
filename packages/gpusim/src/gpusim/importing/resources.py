"""What `importlib.resources` finds in a package that is a line in a table and has no folder: its modules, and nothing else."""

from __future__ import annotations

import io
import zipfile
from importlib.resources.abc import TraversableResources

from . import finder


class Modules(TraversableResources):
    """Reads the sources of a package and of the modules in it."""

    def __init__(self, package: str) -> None:
        self.package = package

    def files(self) -> zipfile.Path:
        """Return a folder in an archive in memory, which has all that `importlib.resources.files` promises."""
        entries = finder.reexports(finder.owner(self.package) or "")
        folder = self.package.rpartition(".")[2]
        archive = zipfile.ZipFile(io.BytesIO(), "w")
        archive.writestr(f"{folder}/__init__.py", finder._source(self.package, entries[self.package]))
        for name, entry in finder.children(self.package).items():
            file = f"{name}/__init__.py" if entry.get("package") else f"{name}.py"
            archive.writestr(f"{folder}/{file}", finder._source(f"{self.package}.{name}", entry))
        return zipfile.Path(archive, f"{folder}/")
