"""Questions within a lecture that are answered with a letter, and the answer to each letter, at once.

The question and its choices are in the lecture; the replies are in a JSON file for each unit, ``UNIT.json``: for each question the right
letter and for each letter the reply. Nothing is recorded: they are there to think, not to be marked.

>>> from hundredfold import quiz
>>> quiz("arrays.waits", "b")                                      # doctest: +SKIP
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from hundredfold.learning import cards
from hundredfold.learning.cards import Card

__all__ = ["questions", "quiz"]

_FOLDER = Path(__file__).parent


def quiz(question: str, answer: Any = None) -> None:
    """Show whether an answer is right, and why.

    Parameters
    ----------
    question : str
        Its name, such as ``"arrays.waits"``.
    answer : str
        A letter. As long as it is none, as in ``"?"``, the question counts as open.
    """
    unit, _, name = question.partition(".")
    known = questions(unit).get(name)
    if known is None:
        print(f"There is no question {question!r}: run the cell as the lecture has it.")
        return
    replies = known["replies"]
    letter = answer.strip().lower() if isinstance(answer, str) else ""
    if letter not in replies:
        *most, last = replies
        how = f"put {', '.join(most)} or {last} in place of the question mark, and run the cell again."
        cards.show(Card(cards.OPEN, f"Open: {how}"))
        return
    mark, said = (cards.RIGHT, f"{letter} is right.") if letter == known["right"] else (cards.WRONG, f"Not {letter}.")
    cards.show(Card(mark, f"{said} {replies[letter]}"))


@cache
def questions(unit: str) -> dict[str, dict[str, Any]]:
    """The questions of a unit by their names; none where the unit has none."""
    file = _FOLDER / f"{unit}.json"
    return json.loads(file.read_text(encoding="utf-8")) if re.fullmatch(r"[\w-]+", unit) and file.is_file() else {}
