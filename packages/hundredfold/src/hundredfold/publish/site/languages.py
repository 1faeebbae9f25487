"""Translations of the site's pages: Sphinx's gettext catalogues in `docs/locale/LANGUAGE/LC_MESSAGES/`, one for each page.

A page without a catalogue, and a sentence without a translation, is shown in English. What a catalogue says of a sentence that the page
no longer has is out of date, and so is one that lacks a sentence: `python -m hundredfold.publish.site.languages` lists both.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path("docs") / "locale"
MESSAGES = "LC_MESSAGES"


def catalogues(root: Path) -> list[tuple[str, str, Path]]:
    """Each catalogue as (language, page without ending, file)."""
    found = []
    for file in sorted((root / FOLDER).glob(f"*/{MESSAGES}/**/*.po")):
        language = file.relative_to(root / FOLDER).parts[0]
        page = file.relative_to(root / FOLDER / language / MESSAGES).with_suffix("").as_posix()
        found.append((language, page, file))
    return found


def sentences(root: Path, page: str) -> list[str]:
    """What there is to be translated on a page of `docs/`, in order, as Sphinx cuts it."""
    with tempfile.TemporaryDirectory() as folder:
        _sphinx(root, page, "gettext", Path(folder), "en")
        return _ids(_read(Path(folder) / "out" / f"{page}.pot"))


def translated(root: Path, page: str, language: str) -> str:
    """The page as HTML in a language."""
    with tempfile.TemporaryDirectory() as folder:
        _sphinx(root, page, "html", Path(folder), language)
        return (Path(folder) / "out" / f"{page}.html").read_text(encoding="utf-8")


def outdated(file: Path, there: list[str]) -> list[str]:
    """What is wrong with a catalogue, a line each, given the sentences that the page has now."""
    read = _read(file)
    entries = {each.id: each for each in read if each.id}
    return [
        *(f"the page no longer says: {each}" for each in entries if each not in there),
        *(f"not translated: {each}" for each in there if each not in entries or not entries[each].string),
        *(f"to be looked at (fuzzy): {each}" for each, entry in entries.items() if each in there and entry.fuzzy),
    ]


def begin(root: Path, page: str, language: str) -> Path:
    """Write or renew the catalogue of a page: what is translated stays, what changed is marked as fuzzy."""
    from babel.messages.pofile import write_po

    file = root / FOLDER / language / MESSAGES / f"{page}.po"
    with tempfile.TemporaryDirectory() as folder:
        _sphinx(root, page, "gettext", Path(folder), "en")
        new = _read(Path(folder) / "out" / f"{page}.pot")
    old = _read(file) if file.exists() else None
    if old is not None:
        old.update(new)
        new = old
    new.header_comment = f"# The page docs/{page}.md in another language: docs/contributing/translating.md."
    new.fuzzy = False
    for each in new:
        each.locations, each.auto_comments = [], []
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "wb") as out:
        write_po(out, new, width=110, omit_header=False, ignore_obsolete=True)
    return file


def _sphinx(root: Path, page: str, builder: str, folder: Path, language: str) -> None:
    """Run Sphinx over one page, with the site's own settings; links to other pages lead nowhere there."""
    source = folder / "source"
    (source / page).parent.mkdir(parents=True)
    for name in (f"{page}.md", "glossary.md", "conf.py"):  # tooltips need the glossary
        shutil.copyfile(root / "docs" / name, source / name)
    shutil.copytree(root / "docs" / "_static", source / "_static")
    shutil.copytree(root / FOLDER, source / "locale", ignore=shutil.ignore_patterns("*.mo"))
    run = [sys.executable, "-m", "sphinx", "-q", "-b", builder, "-D", f"root_doc={page}", "-D", f"language={language}"]
    run += ["-D", "suppress_warnings=myst.xref_missing", str(source), str(folder / "out")]
    subprocess.run(run, check=True, env={**os.environ, "HUNDREDFOLD_LANGUAGE": language})


def _read(file: Path) -> Any:
    from babel.messages.pofile import read_po

    with open(file, "rb") as text:
        return read_po(text)


def _ids(catalogue: Any) -> list[str]:
    return [each.id for each in catalogue if each.id]


def main(arguments: list[str]) -> int:
    from hundredfold import paths

    root = paths.repository()
    assert root is not None, "it runs in a checkout"
    if arguments:
        language, *pages = arguments
        unknown = [page for page in pages if not (root / "docs" / f"{page}.md").is_file()]
        if unknown or not pages:
            what = f"there is no docs/{unknown[0]}.md" if unknown else "no page is named"
            print(
                f"{what}: give a language and pages of docs/ without ending, as in: de contributing/translating",
                file=sys.stderr,
            )
            return 2
        for page in pages:
            print(begin(root, page, language).relative_to(root))
        return 0
    faults = [
        f"{file.relative_to(root)}: {fault}"
        for _, page, file in catalogues(root)
        for fault in outdated(file, sentences(root, page))
    ]
    print("\n".join(faults) or "Every translation is up to date.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
