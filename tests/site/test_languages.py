"""Translations of pages: those there are say what the page says, and what is out of date is found."""

import shutil
from pathlib import Path

import pytest

from hundredfold.publish.site import languages

ROOT = Path(__file__).resolve().parents[2]
PAGE = "contributing/translating"


@pytest.mark.parametrize(
    ("page", "file"),
    [(page, file) for _, page, file in languages.catalogues(ROOT) if not page.startswith(languages.VERDICTS)],
    ids=lambda value: str(value)[-40:],
)
def test_each_catalogue_is_up_to_date(page, file):
    assert languages.outdated(file, languages.sentences(ROOT, page)) == []


def test_the_page_is_shown_in_its_language_and_its_code_stays():
    german, english = (languages.translated(ROOT, PAGE, language) for language in ("de", "en"))
    assert '<html lang="de"' in german and '<html lang="en"' in english
    assert "Noch ist keine Lektion übersetzt" in german and "No unit is translated yet" not in german
    assert '<span class="pre">HUNDREDFOLD_LANGUAGE=de</span>' in german
    assert "No unit is translated yet" in english and "Lektion" not in english


def test_a_page_that_went_on_leaves_its_catalogue_behind(tmp_path):
    for name in ("conf.py", "glossary.md", f"{PAGE}.md"):
        (tmp_path / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "docs" / name, tmp_path / "docs" / name)
    for name in ("_static", "locale"):
        shutil.copytree(ROOT / "docs" / name, tmp_path / "docs" / name)
    page = tmp_path / "docs" / f"{PAGE}.md"
    page.write_text(page.read_text().replace("No unit is translated yet.", "Two units are translated."))
    ((_, _, file),) = languages.catalogues(tmp_path)
    first, second = languages.outdated(file, languages.sentences(tmp_path, PAGE))
    assert first.startswith("the page no longer says: No unit is") and second.startswith("not translated: Two units")
    languages.begin(tmp_path, PAGE, "de")
    said = languages.outdated(file, languages.sentences(tmp_path, PAGE))
    assert [each.partition(":")[0] for each in said] == ["to be looked at (fuzzy)"]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["de"], "no page is named"),
        (["de", "no/page"], "there is no no/page"),
        (["de", "verdicts/no"], "there is no verdicts/no"),
    ],
)
def test_what_cannot_be_translated_is_said(typed, said, capsys):
    assert languages.main(typed) == 2
    assert capsys.readouterr().err.startswith(f"{said}: ")
