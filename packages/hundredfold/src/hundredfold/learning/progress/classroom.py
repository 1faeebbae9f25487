"""A class's folder in numbers: how many solved what, why answers were wrong, what was predicted.

Learners can write into that folder whatever they like, so nothing in it is believed further than it has to be: links, pipes and
files that are too long are not read, a line counts only if it names a problem, a reason or a prediction of the course.  How many
files and bytes are read is limited for each owner, so nobody can hide another's.  A learner can make up their own answers, and nobody else's.
"""

from __future__ import annotations

import heapq
import io
import json
import os
import re
import stat
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

from hundredfold.learning.problems import sharing
from hundredfold.learning.problems.reasons import REASONS

from . import catalogue, own
from .histogram import bars, number
from .watching import plain

#: Of a longer file only the end is read (bytes); a learner who solves everything at the tenth try writes a tenth of it. Where an
#: owner is one learner, this is for all of their files together.
LONGEST = 1 << 20
#: A longer line is left out (bytes), and so is what comes after so many lines: a line that `sharing` writes has 80 to 250 bytes.
LINE, LINES = 2000, LONGEST // 80
#: A time as `sharing`'s callers write it. Another counts for nothing: it is a learner's, and root's terminal shows it.
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,15}\+00:00")
#: Files that are looked at where an owner is one learner, of each: a new one is made where the learner's state folder was lost.
OF_ONE = 8
#: Files that are looked at where each is a learner: the newest of each owner, then the second newest, and so on.
MOST = 1000


class NoClass(RuntimeError):
    """A folder that is no class's, or not for this user; the message says what to do."""


@dataclass
class Member:
    """One learner: their standing by problem, their last value for each prediction with its time; `name` only where names are switched on."""

    name: str | None
    standings: dict[str, own.Standing]
    predictions: dict[str, tuple[float | str, str]]
    last: str = ""


def members(folder: Path) -> list[Member]:
    """The learners who share with the class in this folder.

    Whoever made the folder decides in its ``settings.json``: ``{"names": true}`` switches names on (a file's owner, as the system
    knows them: nobody can write another's), ``{"per": "owner"}`` takes all files of a user for one learner.

    Raises
    ------
    NoClass
        If there is no such folder, or this user may not list it.
    """
    settings = sharing.settings(folder) if folder.is_dir() else {}
    with_names = settings.get("names") is True
    made = (
        _member(_login(owner) or f"user {owner}" if with_names else None, lines)
        for owner, lines in _learners(folder, settings.get("per") == "owner")
    )
    return [member for member in made if member.standings or member.predictions]


def summary(folder: Path) -> dict[str, Any]:
    """What ``hundredfold progress --class DIR --json`` prints and the page shows.

    ``problems``: those that somebody has begun, with how many solved them, are at them, and the reasons for wrong answers, each
    counted once for a learner, the most common first; ``predictions``: bars (`histogram.bars`), and how many left the value that
    the notebook comes with; ``learners``: with names switched on, who has solved how many, else null.
    """
    there = members(folder)
    named = any(member.name is not None for member in there)
    return {
        "count": len(there),
        "of": len(catalogue.problems()),
        "problems": [row for name in catalogue.problems() if (row := _problem(name, there))],
        "predictions": [row for each in catalogue.predictions().values() if (row := _prediction(each, there))],
        "learners": sorted((_learner(member) for member in there), key=lambda row: row["name"]) if named else None,
    }


def _problem(name: str, there: list[Member]) -> dict[str, Any] | None:
    begun = [member.standings[name] for member in there if name in member.standings]
    if not begun:
        return None
    unit, problem = catalogue.problems()[name]
    solved = [each for each in begun if each.solved]
    reasons = Counter(reason for each in begun for reason in dict.fromkeys(each.reasons))
    answers = Counter(reason for each in begun for reason in each.reasons)
    return {
        "problem": name,
        "title": problem.title,
        "unit": unit.number,
        "solved": len(solved),
        "trying": sum(1 for each in begun if not each.solved and each.tries),
        "seen": sum(1 for each in begun if not each.solved and not each.tries),
        "minutes": round(statistics.median(each.seconds / 60 for each in solved), 1) if solved else None,
        "reasons": [
            {"reason": reason, "means": REASONS[reason], "learners": count, "answers": answers[reason]}
            for reason, count in sorted(reasons.items(), key=lambda each: (-each[1], -answers[each[0]], each[0]))
        ],
    }


def _prediction(asked: catalogue.Prediction, there: list[Member]) -> dict[str, Any] | None:
    dated = [member.predictions[asked.key] for member in there if asked.key in member.predictions]
    if not dated:
        return None
    said = [value for value, _ in dated]
    given = plain(asked.given)
    own_words = [value for value in said if value != given]
    return {
        "key": asked.key,
        "unit": asked.unit,
        "name": asked.name,
        "question": asked.question,
        "answers": len(own_words),
        "left": len(said) - len(own_words),
        "given": number(given) if isinstance(given, float) else given,
        "last": max(when for _, when in dated),
        "bars": [{"label": bar.label, "count": bar.count} for bar in bars(own_words)],
    }


def _learner(member: Member) -> dict[str, Any]:
    solved = [name for name, each in member.standings.items() if each.solved]
    return {"name": member.name, "solved": len(solved), "begun": len(member.standings), "last": member.last}


def _member(name: str | None, lines: Iterable[dict[str, Any]]) -> Member:
    verdicts, predictions, last = [], {}, ""
    for line in lines:
        when = line.get("time")
        when = when if isinstance(when, str) and TIME.fullmatch(when) else ""
        last = max(last, when)
        key, value = line.get("prediction"), line.get("value")
        if isinstance(key, str) and key in catalogue.predictions():
            if (said := plain(value)) is not None and when >= predictions.get(key, ("", ""))[1]:
                predictions[key] = (said, when)
        elif isinstance(line.get("problem"), str) and line["problem"] in catalogue.problems():
            reason = line.get("reason")
            known = reason if isinstance(reason, str) and reason in REASONS else None
            verdicts.append({"time": when, "problem": line["problem"], "outcome": line.get("outcome"), "reason": known})
    return Member(name, own.standings(verdicts), predictions, last)


def _learners(folder: Path, per_owner: bool) -> Iterator[tuple[int, Iterator[dict[str, Any]]]]:
    """Each learner's owner's number and lines. They are read as they are asked for: at most one learner's are in memory."""
    folder = folder / sharing.ANSWERS
    try:
        newest = _newest(folder, OF_ONE if per_owner else MOST)
        handle = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        raise NoClass(f"There is no folder {folder}: {folder.parent} is no class's folder.") from None
    except OSError as error:
        raise NoClass(
            f"{folder} cannot be read ({error.strerror}): a class's folder is for whoever made it, on a hub for root (sudo)."
        ) from None
    try:
        if per_owner:
            for owner, names in sorted(newest.items()):
                if _login(owner) is not None:
                    yield owner, _lines(handle, owner, names)
        else:
            turns = zip_longest(*([(owner, name) for name in names] for owner, names in sorted(newest.items())))
            for owner, name in islice((each for turn in turns for each in turn if each), MOST):
                yield owner, _lines(handle, owner, [name])
    finally:
        os.close(handle)


def _newest(folder: Path, most: int) -> dict[int, list[str]]:
    """The names of the newest files of each owner, the newest first."""
    found: dict[int, list[tuple[int, str]]] = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.endswith(".jsonl"):
                continue
            try:
                told = entry.stat(follow_symlinks=False)
            except OSError:
                continue  # taken back just now
            theirs = found.setdefault(told.st_uid, [])
            keep = heapq.heappushpop if len(theirs) >= most else heapq.heappush
            keep(theirs, (told.st_mtime_ns, entry.name))
    return {owner: [name for _, name in sorted(theirs, reverse=True)] for owner, theirs in found.items()}


def _lines(folder: int, owner: int, names: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The lines of these files that are JSON objects, as far as their owner's share of bytes and lines goes."""
    left, lines = LONGEST, 0
    for name in names:
        try:
            text = _read(folder, owner, name, left)
        except OSError:
            continue  # taken back just now, a link, or not for us
        left -= len(text)
        for line in io.BytesIO(text):
            lines += 1
            if lines > LINES:
                return
            if len(line) > LINE:
                continue
            try:
                told = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(told, dict):
                yield told


def _read(folder: int, owner: int, name: str, most: int) -> bytes:
    """The last `most` bytes of a file; OSError if it is no plain file of this owner's with one name."""
    handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    with open(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1 or found.st_uid != owner:
            raise OSError("no plain file of theirs")
        file.seek(max(0, found.st_size - most))
        return file.read(most)


def _login(owner: int) -> str | None:
    """An owner's name; None where no account has the number. A user has 65 536 of those for containers (subuid(5)), and is one learner."""
    import pwd

    try:
        return pwd.getpwuid(owner).pw_name
    except KeyError:
        return None
