"""Which file of the checkout becomes which page of the site."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

#: Single files, by their path in the checkout.
PAGES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing/guide.md",
    "sources/README.md": "contributing/sources.md",
    "docs/architecture.md": "contributing/architecture.md",
    "deploy/ci/README.md": "reference/ci.md",
    "deploy/hub/README.md": "administrators/hub.md",
    "deploy/clusters/README.md": "administrators/clusters.md",
    "docker/README.md": "administrators/image.md",
    "binder/README.md": "administrators/binder.md",
    "docs/lens.md": "reference/lens.md",
    "docs/times.md": "reference/times.md",
    "docs/found.md": "reference/found.md",
    "docs/simulated.md": "reference/simulated.md",
    "docs/differs.md": "reference/differs.md",
    "recordings/README.md": "reference/recordings.md",
    "data/README.md": "reference/data.md",
}

#: Folders that are taken whole, by their path in the checkout.
FOLDERS = {
    "docs": "",
    "notebooks": "notebooks",
    "exercises": "exercises",
    "solutions": "solutions",
    "syllabi": "syllabi",
}

KINDS = (".md", ".ipynb", ".png", ".svg", ".css", ".js", ".html", ".txt")


def pages(root: Path) -> dict[str, str]:
    """Each file of the checkout that becomes a page or a picture of the site, and its place there (both POSIX paths)."""
    found = {}
    for folder, place in FOLDERS.items():
        for file in sorted((root / folder).rglob("*")):
            inside = file.relative_to(root / folder)
            if file.suffix in KINDS and not any(part.startswith(".") for part in inside.parts):
                found[f"{folder}/{inside.as_posix()}"] = str(PurePosixPath(place) / inside.as_posix())
    found |= {file: place for file, place in PAGES.items() if (root / file).is_file()}
    return {file: place for file, place in found.items() if not _waits(root, file)}


def anchor(term: str) -> str:
    """What Sphinx calls the place of a term in the glossary: ``term-Amdahl-s-law``."""
    return "term-" + re.sub(r"[^a-zA-Z0-9._]+", "-", term).strip("-")


def _waits(root: Path, file: str) -> bool:
    """Whether this is an instructor's page of a unit that is not there yet."""
    page = PurePosixPath(file)
    return (
        file.startswith("docs/instructors/")
        and page.stem[0].isdigit()
        and not (root / "notebooks" / f"{page.stem}.ipynb").is_file()
    )
