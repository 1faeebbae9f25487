"""What a check says, as text and as a card: the same sentences in both."""

import html
import re

import pytest

from hundredfold.learning import cards
from hundredfold.learning.cards import Card, Line

WHY = "with NaN in it: `a < b` gave <b>1 & 2</b>; it should be 3."


def words(of_html: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", of_html)).split())


@pytest.mark.parametrize("mark", [cards.RIGHT, cards.WRONG, cards.OPEN])
def test_card_and_text_say_the_same(mark):
    lines = [Line("It is 12 GB/s."), Line("x = 1\ny = '<script>'", "code"), Line("How near: 33 %", "measured")]
    card = Card(mark, WHY, "arrays.port", lines)
    assert words(card.html()).replace(" .", ".") == " ".join(card.text().replace("`", "").split())


@pytest.mark.parametrize(("mark", "word"), [(cards.RIGHT, "Right"), (cards.WRONG, "Wrong"), (cards.OPEN, "Open")])
def test_a_screen_reader_says_a_word_for_the_mark(mark, word):
    assert f'<span role="img" aria-label="{word}">{mark}</span>' in Card(mark, WHY).html()


def test_what_an_answer_printed_is_no_markup():
    card = Card(cards.WRONG, WHY, "arrays.port", [Line("<img src=x onerror=alert(1)>", "code")])
    assert not re.findall(r"<(?:img|b|script)", card.html())


def test_hints_are_folded_one_inside_the_other():
    card = Card(cards.WRONG, "no.", "arrays.port", hints=["second", "third"], total=3, more='More: hint("arrays.port")')
    said = card.html()
    assert said.index("Show hint 2 of 3") < said.index("second") < said.index("Show hint 3 of 3") < said.index("third")
    assert said.count("<details") == said.count("</details>") == 2
    assert card.text() == '✘ arrays.port: no.\n  More: hint("arrays.port")'


def test_no_hint_is_left():
    assert Card(cards.WRONG, "no.", "arrays.port", more="More").text() == "✘ arrays.port: no."


def test_elsewhere_it_is_printed(capfd):
    cards.show(Card(cards.RIGHT, "right.", "arrays.port"))
    assert capfd.readouterr().out == "✔ arrays.port: right.\n"
