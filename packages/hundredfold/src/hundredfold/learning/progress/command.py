"""``hundredfold progress``: what is solved."""

from __future__ import annotations

import json
import math
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from hundredfold import paths
from hundredfold.learning.problems import progress, sharing


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("units", nargs=-1, metavar="[UNIT]...")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON; times in seconds and in UTC.")
@click.option("--share", metavar="DIR", help="From now on share your verdicts and predictions with the class in DIR.")
@click.option("--no-share", is_flag=True, help="Share no longer, and take back what you shared.")
@click.option(
    "--class", "of_class", metavar="DIR", help="Show what the class in DIR has solved and predicted, without names."
)
@click.pass_context
def command(
    ctx: click.Context, units: tuple[str, ...], as_json: bool, share: str | None, no_share: bool, of_class: str | None
) -> None:
    """Show what you have solved, and how long it took, in all units or in UNIT (07, 7 or dataframes).

    A line is kept for each check in a file of yours on this machine. It stays there unless you share it, or your hub says so.
    """
    if sum([share is not None, no_share, of_class is not None]) > 1:
        raise click.UsageError("--share, --no-share and --class exclude each other.", ctx)
    if share is not None or no_share:
        _choose(share)
        return
    if of_class is not None:
        from . import classroom

        try:
            told = classroom.summary(Path(of_class).expanduser())
        except classroom.NoClass as error:
            raise click.UsageError(str(error)) from None
        told["problems"] = [row for row in told["problems"] if not units or row["unit"] in _numbers(units)]
        click.echo(json.dumps(told, indent=1)) if as_json else _show_class(told)
        return
    from . import own

    told = own.as_data(own.standings(progress.read()))
    told["shared_with"] = str(where) if (where := sharing.folder()) else None
    if units:
        told["units"] = [unit for unit in told["units"] if unit["unit"] in _numbers(units)]
    click.echo(json.dumps(told, indent=1)) if as_json else _show(told, bool(units))


def _numbers(units: tuple[str, ...]) -> set[int]:
    """The numbers of the units that are named."""
    from . import catalogue

    numbers = {f"{unit.number:02d}_{unit.slug}": unit.number for unit in catalogue.units()}
    try:
        return {numbers[stem] for stem in paths.units(units, numbers)}
    except paths.UnknownUnit as error:
        raise click.UsageError(str(error)) from None


def _choose(share: str | None) -> None:
    try:
        removed = sharing.choose(share)
    except sharing.CannotShare as error:
        raise click.UsageError(str(error)) from None
    if share is None:
        click.echo("You share with nobody." + (" What you shared is removed." if removed else ""))
        return
    where = sharing.folder()
    whose = "with your name" if sharing.with_names(where) else "without your name"
    click.echo(
        f"From now on each check's verdict and each prediction is shared with the class in {where}, {whose}; never your code. "
        "`hundredfold progress --no-share` ends it and takes back what you shared."
    )


def _span(seconds: float) -> str:
    return (
        f"{seconds:.0f} s"
        if seconds < 90
        else f"{seconds / 60:.0f} min"
        if seconds < 5400
        else f"{seconds / 3600:.1f} h"
    )


def _show(told: dict[str, Any], in_full: bool) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    marks = {"solved": "✔", "tried": "✘", "seen": "○", "new": "·"}
    console.print(f"[bold]{told['solved']} of {told['of']} problems are solved.[/bold]")
    begun = [unit for unit in told["units"] if in_full or any(row["state"] != "new" for row in unit["problems"])]
    for unit in begun:
        spent = sum(row["seconds"] for row in unit["problems"])
        time = f", {_span(spent)} so far; planned {unit['minutes']} min" if spent else ""
        console.print(
            f"\n[bold]{unit['unit']:02d} {unit['title']}[/bold]: {unit['solved']} of {unit['of']}{time}", soft_wrap=True
        )
        table = Table("", "problem", "", "tries", "time", "solved", box=None, show_header=True, padding=(0, 1))
        for row in unit["problems"]:
            when = datetime.fromisoformat(row["solved_at"]).astimezone() if row["solved_at"] else None
            table.add_row(
                marks[row["state"]],
                row["problem"],
                row["title"],
                str(row["tries"] or ""),
                _span(row["seconds"]) if row["seconds"] else "",
                f"{when:%Y-%m-%d %H:%M}" if when else "",
            )
        console.print(table)
    rest = [f"{unit['unit']:02d} {unit['slug']} ({unit['of']})" for unit in told["units"] if unit not in begun]
    if rest:
        console.print(f"\nNot begun: {', '.join(rest)}.", soft_wrap=True)
    if told["shared_with"]:
        console.print(
            f"\nShared with the class in {told['shared_with']}; `hundredfold progress --no-share` ends it.",
            soft_wrap=True,
        )


def _show_class(told: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    count = told["count"]
    if not count:
        console.print("Nobody has shared anything with this class yet.")
        return
    console.print(f"[bold]{count} {'learner shares' if count == 1 else 'learners share'} with this class.[/bold]\n")
    if told["problems"]:
        table = Table("problem", "solved", "at it", "minutes", "most common reasons for wrong answers", box=None)
        for row in told["problems"]:
            reasons = "\n".join(f"{each['learners']} × {each['means']}" for each in row["reasons"][:3])
            minutes = "" if row["minutes"] is None else f"{row['minutes']:.0f}"
            table.add_row(row["problem"], f"{row['solved']} of {count}", str(row["trying"]), minutes, reasons)
        console.print(table)
    for row in told["predictions"]:
        left = f", {row['left']} left it at {row['given']}" if row["left"] else ""
        answers = f"{row['answers']} {'answer' if row['answers'] == 1 else 'answers'}"
        console.print(f"\n[bold]{row['unit']}: {row['name']}[/bold] ({answers}{left})", soft_wrap=True)
        console.print(row["question"], markup=False)
        width = max((len(bar["label"]) for bar in row["bars"]), default=0)
        most = max((bar["count"] for bar in row["bars"]), default=1)
        for bar in row["bars"]:
            console.print(
                f"  {bar['label']:>{width}}  {'█' * math.ceil(30 * bar['count'] / most)} {bar['count']}",
                markup=False,
            )
    if told["learners"] is not None:
        table = Table("learner", "solved", "begun", "last (UTC)", box=None)
        for row in told["learners"]:
            table.add_row(row["name"], str(row["solved"]), str(row["begun"]), row["last"][:16].replace("T", " "))
        console.print("")
        console.print(table)
