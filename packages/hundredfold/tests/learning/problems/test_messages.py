"""Verdicts and hints in another language: recognised as they are said, up to date with the code, in English where there is nothing."""

import sys
from pathlib import Path

import pytest

from hundredfold.learning import messages
from hundredfold.learning.checking import check, hint
from hundredfold.publish.site import languages

checking = sys.modules[check.__module__]  # `hundredfold.check` hides it
ROOT = Path(__file__).resolve().parents[5]
VERDICTS = [each for each in languages.catalogues(ROOT) if each[1].startswith(languages.VERDICTS)]


def whole(x):
    return (x - x.mean()) / x.std()


@pytest.fixture
def german(monkeypatch):
    monkeypatch.setenv("HUNDREDFOLD_LANGUAGE", "de")


def test_a_verdict_and_a_hint_are_said_in_the_learner_s_language(device, german, capsys, monkeypatch):
    monkeypatch.setattr(checking, "_seen", {})
    check("arrays.port", whole)
    said = " ".join(capsys.readouterr().out.split())
    assert "es wurde als Ganzes standardisiert: Gefragt sind Mittelwert und Standardabweichung jeder Spalte." in said
    assert "a square of 6 × 6 numbers" in said, "what no catalogue has stays in English"
    hint("arrays.port")
    assert capsys.readouterr().out.startswith("Hinweis 1 von 3: CuPy hat NumPys Namen")
    check("arrays.port", None)
    assert capsys.readouterr().out.endswith("noch nicht versucht. Etwa 3 Zeilen.\n")


def test_without_a_language_and_in_one_that_nobody_translated_it_is_english(device, monkeypatch, capsys):
    said = []
    for language in ("", "en", "tlh"):
        monkeypatch.setenv("HUNDREDFOLD_LANGUAGE", language)
        check("arrays.port", whole)
        said.append(capsys.readouterr().out)
    assert "it was standardised as a whole" in said[0] and said[0] == said[1] == said[2]


@pytest.mark.parametrize(("page", "file"), [each[1:] for each in VERDICTS], ids=[each[1] for each in VERDICTS])
def test_each_catalogue_of_verdicts_is_up_to_date(page, file):
    assert languages.outdated(file, languages.sentences(ROOT, page)) == []


@pytest.fixture
def catalogue(tmp_path, monkeypatch, german):
    """Write a catalogue in place of those there are."""
    monkeypatch.setattr(messages, "FOLDER", tmp_path / "locale")
    messages._patterns.cache_clear()
    file = tmp_path / languages.LEARNING / "de" / languages.MESSAGES / "some.po"

    def write(pairs, more=""):
        for place in (file, tmp_path / "locale" / "de" / languages.MESSAGES / "some.po"):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("\n".join(f'{more}msgid "{mine}"\nmsgstr "{theirs}"\n' for mine, theirs in pairs.items()))
        messages._patterns.cache_clear()
        return file

    yield write
    messages._patterns.cache_clear()


def test_numbers_are_put_where_the_translation_wants_them(catalogue):
    catalogue({"{1} of {whole} counts are wrong.": "Von {whole} Anzahlen sind {1} falsch."})
    assert messages.translated("3 of 40 counts are wrong.") == "Von 40 Anzahlen sind 3 falsch."
    assert messages.translated("3 of 40 counts are wrong, by 1.") == "3 of 40 counts are wrong, by 1."


def test_a_sentence_within_another_is_translated_and_the_more_particular_one_counts(catalogue):
    catalogue({"with {1}: {2}": "mit {1}: {2}", "it is {a}; expected was {b}.": "es ist {a}; erwartet war {b}."})
    assert messages.translated("with no rows: it is 1; expected was 2.") == "mit no rows: es ist 1; erwartet war 2."
    catalogue({"{a} is wrong.": "{a} ist falsch.", "the sign of {a} is wrong.": "das Vorzeichen von {a} ist falsch."})
    assert messages.translated("the sign of x is wrong.") == "das Vorzeichen von x ist falsch."


def test_a_name_that_stands_twice_is_one_value_and_doubled_braces_are_braces(catalogue):
    catalogue({"{x} is {x}, as in {{1}}.": "{x} gleich {x}, wie in {{1}}."})
    assert messages.translated("5 is 5, as in {1}.") == "5 gleich 5, wie in {1}."
    assert messages.translated("5 is 6, as in {1}.") == "5 is 6, as in {1}."


def test_what_is_not_finished_is_said_in_english(catalogue):
    catalogue({"it is {a}.": ""})
    assert messages.translated("it is 1.") == "it is 1."
    catalogue({"it is {a}.": "es ist {a}."}, more="#, fuzzy\n")
    assert messages.translated("it is 1.") == "it is 1."


@pytest.mark.parametrize("theirs", ["es ist {b}.", "es ist.", "es ist {a.", "es ist {a} {a} {b}."])
def test_a_translation_with_other_names_in_braces_is_named(catalogue, theirs):
    file = catalogue({"it is {a}.": theirs})
    assert languages.outdated(file, ["it is {a}."]) == ["other names in braces: it is {a}."]


def test_a_module_that_went_on_leaves_its_catalogue_behind(catalogue):
    file = catalogue({"it was so.": "so war es."})
    assert languages.outdated(file, ["it is so."]) == [
        "the page no longer says: it was so.",
        "not translated: it is so.",
    ]


def test_what_each_module_says_is_found_and_can_be_told_again():
    found = {module: messages.sentences(module) for module in messages.modules()}
    assert (
        "it was standardised as a whole: mean and standard deviation are wanted of each column."
        in found["problems/arrays/port"]
    )
    assert not [each for said in found.values() for each in said if not isinstance(messages.places(each), set)]
