"""``python -m hundredfold.publish.pages``: write the generated pages; with ``--check``, only say whether they are up to date."""

from __future__ import annotations

import sys
from pathlib import Path

import gpusim
from hundredfold import paths
from hundredfold.classroom import syllabi
from hundredfold.classroom.syllabi.page import page as plan

from . import coverage, differs, simulated


def pages(root: Path) -> dict[Path, str]:
    """Return the text of each page by its path; the simulated libraries are put in place in this process."""
    gpusim.activate()
    tests = root / "packages" / "gpusim" / "tests"
    spaces = {library: coverage.namespaces(library, tests) for library in coverage.LIBRARIES}
    return {
        root / "docs" / "simulated.md": simulated.page(spaces),
        **{root / "syllabi" / f"{name}.md": plan(syllabus) for name, syllabus in syllabi.every().items()},
        root / "docs" / "differs.md": differs.page(tests / "conformance", Path(gpusim.__file__).parent / "libraries"),
    }


def main(arguments: list[str]) -> int:
    root = paths.repository()
    if root is None:
        print("The pages are made in a checkout of the course; this is an installed package.", file=sys.stderr)
        return 2
    stale = [(path, text) for path, text in pages(root).items() if not path.exists() or path.read_text() != text]
    for path, text in stale:
        if "--check" in arguments:
            print(f"{path.relative_to(root)} is out of date: run `make pages`.", file=sys.stderr)
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"  {path.relative_to(root)}")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
