"""Translations: gettext catalogues of the site's pages, and of the verdicts and hints of the lab, one for each page or module.

Those of pages are in `docs/locale/LANGUAGE/LC_MESSAGES/`, as Sphinx wants them, those of verdicts beside the code (`hundredfold.learning.messages`).
Here a page is named by its place in `docs/`, a module by ``verdicts/`` and its place in `hundredfold.learning`.

What has no catalogue, and a sentence without a translation, is shown in English. What a catalogue says of a sentence that the page
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

from hundredfold.learning import messages

FOLDER = Path("docs") / "locale"
LEARNING = Path("packages/hundredfold/src/hundredfold/learning/locale")
MESSAGES = "LC_MESSAGES"
VERDICTS = "verdicts/"


def catalogues(root: Path) -> list[tuple[str, str, Path]]:
    """Each catalogue as (language, page without ending, file)."""
    found = []
    for folder, prefix in ((root / FOLDER, ""), (root / LEARNING, VERDICTS)):
        for file in sorted(folder.glob(f"*/{MESSAGES}/**/*.po")):
            language = file.relative_to(folder).parts[0]
            name = file.relative_to(folder / language / MESSAGES).with_suffix("").as_posix()
            found.append((language, prefix + name, file))
    return found


def sentences(root: Path, page: str) -> list[str]:
    """What there is to be translated on a page of `docs/`, in order, as Sphinx cuts it, or in a module."""
    if page.startswith(VERDICTS):
        return messages.sentences(page.removeprefix(VERDICTS))
    with tempfile.TemporaryDirectory() as folder:
        _sphinx(root, page, "gettext", Path(folder), "en")
        return _ids(_read(Path(folder) / "out" / f"{page}.pot"))


def translated(root: Path, page: str, language: str) -> str:
    """The page as HTML in a language."""
    with tempfile.TemporaryDirectory() as folder:
        _sphinx(root, page, "html", Path(folder), language)
        return (Path(folder) / "out" / f"{page}.html").read_text(encoding="utf-8")


def outdated(file: Path, there: list[str]) -> list[str]:
    """What is wrong with a catalogue, a line each, given the sentences that the page or module has now."""
    read = _read(file)
    module = LEARNING.as_posix() in file.as_posix()
    entries = {each.id: each for each in read if each.id}
    return [
        *(f"the page no longer says: {each}" for each in entries if each not in there),
        *(f"not translated: {each}" for each in there if each not in entries or not entries[each].string),
        *(f"to be looked at (fuzzy): {each}" for each, entry in entries.items() if each in there and entry.fuzzy),
        *(f"other names in braces: {each}" for each, entry in entries.items() if module and not _same_places(entry)),
    ]


def begin(root: Path, page: str, language: str) -> Path:
    """Write or renew the catalogue of a page or module: what is translated stays, what changed is marked as fuzzy."""
    from babel.messages.catalog import Catalog
    from babel.messages.pofile import write_po

    module = page.removeprefix(VERDICTS) if page.startswith(VERDICTS) else None
    file = root / (FOLDER if module is None else LEARNING) / language / MESSAGES / f"{module or page}.po"
    new = Catalog(
        language, project="Hundredfold", version="", msgid_bugs_address="", last_translator="the Hundredfold developers"
    )
    for each in sentences(root, page):
        new.add(each)
    old = _read(file) if file.exists() else None
    if old is not None:
        old.update(new)
        new = old
    what = f"The page docs/{page}.md" if module is None else f"What hundredfold/learning/{module}.py says,"
    new.header_comment = f"# {what} in another language: docs/contributing/translating.md."
    new.fuzzy = False
    for each in new:
        each.locations, each.auto_comments = [], []
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "wb") as out:
        write_po(out, new, width=110, omit_header=False, ignore_obsolete=True)
    return file


def _is_there(root: Path, page: str) -> bool:
    if page.startswith(VERDICTS):
        return page.removeprefix(VERDICTS) in messages.modules()
    return (root / "docs" / f"{page}.md").is_file()


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


def _same_places(entry: Any) -> bool:
    try:
        return not entry.string or messages.places(entry.string) == messages.places(entry.id)
    except ValueError:
        return False


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
        unknown = [page for page in pages if not _is_there(root, page)]
        if unknown or not pages:
            what = f"there is no {unknown[0]}" if unknown else "no page is named"
            print(
                f"{what}: give a language, and pages of docs/ or modules, without ending, as in: de contributing/translating {VERDICTS}checking",
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
