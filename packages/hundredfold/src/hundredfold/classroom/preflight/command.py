"""``hundredfold preflight``: the day before a class."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--learners", type=click.IntRange(1, 10_000), help="How many seats there are.  [default: 1]")
@click.option(
    "--settings",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Take the seats from a hub's hub.toml instead (/etc/hundredfold/hub.toml).",
)
@click.option("--memory", default="2G", show_default=True, help="Main memory of a seat.")
@click.option("--cores", type=float, default=1.0, show_default=True, help="Cores' worth of time of a seat.")
@click.option(
    "--gpus", type=click.Choice(["auto", "none"]), default="auto", show_default=True, help="none: simulated ones."
)
@click.option("--units", metavar="01,arrays", help="Only these units.  [default: all]")
@click.option("--seats", "which", metavar="1,4-6", help="Only these seats; kinds: one on each GPU or slice.")
@click.option(
    "--what",
    default="lectures,exercises,solutions",
    show_default=True,
    help="What of a unit: exercises are run as they are given out, solutions with their checks.",
)
@click.option(
    "--at-once",
    type=click.IntRange(1, 256),
    help="Notebooks at a time.  [default: as many as there is memory and cores for]",
)
@click.option("--cell-time", type=click.FloatRange(1), default=300, show_default=True, help="Seconds for one cell.")
@click.option("--again", is_flag=True, help="Run what went well before, too.")
@click.option("--json", "as_json", is_flag=True, help="Print every run as JSON.")
@click.option("--course", type=click.Path(path_type=Path, file_okay=False), hidden=True)
@click.pass_context
def command(ctx: click.Context, **options: Any) -> None:
    """Run every unit on every seat of a class, held to the seat's limits, and print a table.

    What fails is named: unit, cell, seat. The exit status is 1 if anything failed. Ended half-way, it goes on where it was when it
    is called again; what went well is not run twice unless its notebook, the seat or Hundredfold changed. As root it can hold
    seats to their main memory and cores; as somebody else it says that it cannot.
    """
    from hundredfold import paths

    from . import jobs, results, running

    try:
        seats = jobs.chosen_seats(jobs.seats(_class(options)), options["which"])
        kinds = _kinds(options["what"])
        units = [unit.strip() for unit in (options["units"] or "").split(",") if unit.strip()]
        todo = jobs.jobs(jobs.notebooks(units, kinds, options["course"]), seats)
    except (jobs.NothingToRun, paths.UnknownUnit) as error:
        raise click.UsageError(str(error), ctx) from None
    if not todo:
        raise click.UsageError("There are no notebooks of that kind.", ctx)
    before = {} if options["again"] else results.passed(todo)
    left = [job for job in todo if job not in before]
    most = min(options["at_once"] or running.at_once(left), len(seats))
    click.echo(
        f"{_count(len(todo), 'run')}: {_count(len(todo) // len(seats), 'notebook')} on {_count(len(seats), 'seat')}, {most} at a time."
        + (f" {_count(len(before), 'run')} went well before." if before else ""),
        err=True,
    )
    if left and not running.has_certificates() and hasattr(os, "geteuid") and os.geteuid() == 0:
        click.echo(
            "While notebooks with a Dask cluster run, other users of this machine can have it run what they send, as root: the package "
            "cryptography is missing, which a hub has. Install it, or stop this where others work.",
            err=True,
        )
    outcomes = dict(before)
    by_place = {(job.kind, job.stem, job.seat.number): job for job in left}
    try:
        for outcome in running.everything(left, most, options["cell_time"]):
            job = by_place[outcome.kind, outcome.stem, outcome.seat]
            outcomes[job] = outcome
            results.note(job, outcome)
            click.echo(f"{len(outcomes):4d}/{len(todo)} {_line(outcome)}", err=True)
    except KeyboardInterrupt:
        click.echo(f"Stopped after {len(outcomes)} of {len(todo)}; the same command goes on from here.", err=True)
        ctx.exit(130)
    found = [outcomes[job] for job in todo]
    if options["as_json"]:
        click.echo(json.dumps([asdict(each) for each in found], indent=1))
    else:
        _show(found, seats)
    ctx.exit(0 if all(outcome.ok for outcome in found) else 1)


def _class(options: dict[str, Any]) -> Any:
    """The class's seats, by the hub's settings or by the options."""
    import tempfile

    from hundredfold.classroom.seats.hook import Seats
    from hundredfold.classroom.seats.limits import WrongLimit
    from hundredfold.classroom.seats.plan import Impossible
    from hundredfold.classroom.seats.shared_gpus import UnreadableGpus

    given = {"learners": options["learners"] or 1, **{name: options[name] for name in ("memory", "cores", "gpus")}}
    if options["settings"] is not None:
        try:
            given = tomllib.loads(options["settings"].read_text(encoding="utf-8"))["seats"]
        except (OSError, ValueError, KeyError) as error:
            raise click.UsageError(f"{options['settings']} cannot be read as a hub's settings: {error}.") from None
        if options["learners"]:
            given["learners"] = options["learners"]
    try:
        return Seats(tempfile.gettempdir(), **given)
    except (WrongLimit, Impossible, UnreadableGpus) as error:
        raise click.UsageError(str(error)) from None
    except TypeError as error:
        raise click.UsageError(f"{options['settings']}, [seats]: {error}.") from None


def _kinds(text: str) -> list[str]:
    from .jobs import KINDS, NothingToRun

    named = [kind.strip() for kind in text.split(",") if kind.strip()]
    for kind in named:
        if kind not in KINDS:
            raise NothingToRun(f"--what {kind}: there are {', '.join(KINDS)}.")
    return [kind for kind in KINDS if kind in named]


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _size(amount: int | None) -> str:
    return "–" if amount is None else f"{amount / 1e9:.2f} GB"


def _line(outcome: Any) -> str:
    how = "✔" if outcome.ok else f"✘ {_where(outcome)}: {outcome.said}"
    return f"{outcome.stem} {outcome.kind}, seat {outcome.seat}, {outcome.seconds:.0f} s, {_size(outcome.memory)} {how}"


def _where(outcome: Any) -> str:
    return f"cell {outcome.cell} ({outcome.id})" if outcome.cell else "before its first cell"


def _show(found: Sequence[Any], seats: Sequence[Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    table = Table("unit", "", "seats", "slowest", "most memory", "", box=None)
    for kind, stem in dict.fromkeys((each.kind, each.stem) for each in found):
        these = [each for each in found if (each.kind, each.stem) == (kind, stem)]
        fine = [each for each in these if each.ok]
        memory = max((each.memory for each in these if each.memory is not None), default=None)
        of = f" of {seats[0].memory / 1e9:.1f}" if memory is not None else ""
        table.add_row(
            stem,
            kind,
            f"{len(fine)} of {len(these)}",
            f"{max(each.seconds for each in these):.0f} s",
            _size(memory) + of,
            "✔" if len(fine) == len(these) else "✘",
        )
    console.print(table)
    failed = [each for each in found if not each.ok]
    for each in failed:
        console.print(
            f"\n✘ {each.stem}, {each.kind}, {_where(each)}, on seat {each.seat} ({each.place}):", markup=False
        )
        if each.source:
            console.print(f"    {each.source}", markup=False)
        console.print(f"  {each.said}", markup=False)
    unlimited = sorted({name for each in found for name in each.unlimited})
    if unlimited:
        names = {"memory": "main memory", "cpu": "cores", "pids": "processes"}
        console.print(f"\nNot held to their {' and '.join(names[name] for name in unlimited)}: that takes root (sudo).")
    said = (
        f"{_count(len(failed), 'run')} of {len(found)} failed"
        if failed
        else f"All {_count(len(found), 'run')} went well"
    )
    console.print(f"\n{said}, on {_count(len(seats), 'seat')}.")
