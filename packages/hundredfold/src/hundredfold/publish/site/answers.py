"""What the pages' prose says in numbers: ``{{hours}}`` in a page of docs/ is put in here from where it is kept, so that it is not typed twice."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable

from gpusim.hardware import gpus
from hundredfold import paths
from hundredfold.classroom import syllabi
from hundredfold.classroom.seats import describing as seats
from hundredfold.classroom.seats import shared_gpus
from hundredfold.classroom.seats.plan import plan
from hundredfold.learning import questions
from hundredfold.toolkit import limit, recorded
from kernellens.plot import quantities

from . import counted

#: The classes of the table of capacities: how many learners, and on which GPUs.
CLASSES = [
    (learners, cards) for cards in ("1xA100", "1xH100", "2xA100", "4xA100", "4xH200", "8xH100") for learners in (20, 40)
]
#: The card of the example on the first page, and the question there.
CARD = "H200"
QUESTION = ("kernels", "coalesced")


def filled(text: str) -> str:
    """The text of a page with all of them put in.

    Raises
    ------
    LookupError
        If it asks for one that there is not.
    """

    def answer(match: re.Match[str]) -> str:
        if match[1] not in _ANSWERS:
            raise LookupError(f"No page can say {{{{{match[1]}}}}}: there are {', '.join(_ANSWERS)}.")
        return _ANSWERS[match[1]]()

    return re.sub(r"\{\{(\w+)\}\}", answer, text)


def _groupby() -> str:
    """How fast the flagship of dataframes is: as published, as recorded, and what the card allows."""
    rows = recorded.rows("dataframes.groupby")
    published = {time.device: time for time in recorded.published("dataframes.groupby").times}
    least = limit(bytes=rows[0].least_bytes, machine=CARD).seconds
    taken = [
        time
        for row in rows
        if row.kind == "recorded"
        for time in row.times
        if time.device == "gpu" and time.gpu and gpus.find(time.gpu).name == CARD
    ]
    here = (
        f"it was recorded at {quantities.seconds(min(time.seconds for time in taken))}"
        if taken
        else "nobody has recorded one yet"
    )
    gpu = published["gpu"]
    return (
        f"pandas took {quantities.seconds(published['cpu'].seconds)} and cuDF on a {gpu.gpu} {quantities.seconds(gpu.seconds)}, as published in "
        f"{gpu.year}; on an {CARD} its bytes alone take {quantities.seconds(least)}, and {here}"
    )


def _capacity() -> str:
    """A table: what each learner of a class has on these GPUs, as ``hundredfold seats plan`` says."""
    lines = [
        "| GPUs | learners | shared by | memory of each | units at less than their published sizes |",
        "|---|---:|---|---:|---|",
    ]
    for learners, named in CLASSES:
        made = plan(learners, shared_gpus.named(named))
        smaller = [unit for unit, _, fits in seats.units(made) if not fits.startswith("at the published")]
        without = f", {made.simulated} simulate" if made.simulated else ""
        count, _, name = named.partition("x")
        lines.append(
            f"| {count}\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}{name} | {learners} | {made.mechanism}{without} | {quantities.size(made.least)} | {', '.join(smaller) or 'none'} |"
        )
    return "\n".join(lines)


def _cards() -> str:
    """The options of a list of GPUs, each with the bytes per second of its memory."""
    return "".join(
        f'<option value="{gpu.bandwidth:.0f}" data-name="{html.escape(gpu.name)}">{html.escape(gpu.name)}</option>'
        for gpu in gpus.known()
    )


def _question() -> str:
    """A question of a lecture; its answers unfold to their replies."""
    unit, name = QUESTION
    (notebook,) = paths.data_dir("notebooks").glob(f"*_{unit}.ipynb")
    cells = ["".join(cell["source"]) for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]]
    asked = cells[next(at for at, text in enumerate(cells) if f'quiz("{unit}.{name}"' in text) - 1]
    text, _, answers = asked.partition("**Question.**")[2].partition("\n\n- ")
    known = questions.questions(unit)[name]
    lines = [text.strip(), ""]
    for letter, answer in re.findall(r"^(?:- )?\((\w)\) (.*)$", answers, re.MULTILINE):
        verdict = "**Right.**" if letter == known["right"] else "**Wrong.**"
        lines += [f":::{{dropdown}} ({letter}) {answer}", f"{verdict} {known['replies'][letter]}", ":::", ""]
    return "\n".join(lines)


_ANSWERS: dict[str, Callable[[], str]] = {
    "units": lambda: str(len(syllabi.units())),
    "hours": lambda: f"{sum(unit.teaching + unit.exercises for unit in syllabi.units().values()) / 60:.0f}",
    "groupby": _groupby,
    "capacity": _capacity,
    "cards": _cards,
    "question": _question,
    **counted.COUNTS,
}
