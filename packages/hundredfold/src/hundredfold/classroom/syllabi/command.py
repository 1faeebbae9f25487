"""``hundredfold syllabus``: the plan of a class in the terminal."""

from __future__ import annotations

import json

import click

from . import UnknownSyllabusError, every, find
from .page import page


@click.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def command(name: str | None, as_json: bool) -> None:
    """Show the plan called NAME, or without it the plans there are.

    In the lab each is a workspace: `make lab ARGS=--syllabus=half-day` opens it, as does the address /lab/workspaces/half-day.
    """
    try:
        chosen = [find(name)] if name else list(every().values())
    except UnknownSyllabusError as error:
        raise click.UsageError(str(error)) from None
    if as_json:
        click.echo(json.dumps([_plain(each) for each in chosen], indent=1))
    elif name:
        click.echo(page(chosen[0]), nl=False)
    else:
        for each in chosen:
            click.echo(f"{each.name:12} {each.minutes:4d} min  {each.audience}")


def _plain(syllabus) -> dict:
    days = [
        [
            {"unit": part.unit.slug, "lecture": part.lecture, "exercises": part.exercises, "minutes": part.minutes}
            if part.unit
            else {"break": part.minutes}
            for part in day
        ]
        for day in syllabus.days
    ]
    return {"name": syllabus.name, "title": syllabus.title, "minutes": syllabus.minutes, "days": days}
