"""Puts the course's notebooks and data, which lie at the root of the repository, into the wheel and into the source archive.

An editable installation gets none: it reads them where they are.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDERS = ("data", "recordings", "notebooks", "exercises", "solutions", "syllabi")
PAGES = ("docs/glossary.md", "docs/found.md")  # what notebooks link to


class Materials(BuildHookInterface):
    """The hook."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add each file by force, since they are not below this folder, or are in a source archive's own."""
        if version == "editable":
            return
        here = Path(self.root)
        # In a source archive they lie beside pyproject.toml.
        root = here if (here / FOLDERS[0]).is_dir() else here.parents[1]
        into = "hundredfold/_" if self.target_name == "wheel" else ""
        files = [root / page for page in PAGES]
        for folder in FOLDERS:
            files.extend(file for file in sorted((root / folder).rglob("*")) if file.is_file())
        for file in files:
            name = file.relative_to(root).as_posix()
            if not _left_out(name):
                build_data["force_include"][str(file)] = into + name


def _left_out(name: str) -> bool:
    parts = name.split("/")
    return (
        name.startswith("recordings/raw/")
        or (parts[0] == "data" and name.endswith(".py"))
        or any(part.startswith(".") or part == "__pycache__" for part in parts)
    )
