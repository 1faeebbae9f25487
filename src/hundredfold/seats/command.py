"""``hundredfold seats``: sharing GPUs among learners."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import get_args

import click

from hundredfold import machine

from . import boards, words
from .plan import Impossible, Mechanism, Plan, plan


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Share GPUs among the learners of a class."""


@command.command("plan")
@click.option("--learners", type=click.IntRange(1, 100_000), required=True, help="How many sit down at the same time.")
@click.option(
    "--gpus",
    "named",
    metavar="4xH200",
    help="Plan for these GPUs instead of this machine's; 8xL40S:48GB names their memory.",
)
@click.option(
    "--mechanism", type=click.Choice(get_args(Mechanism)), help="Use this way of sharing, or say why it cannot be."
)
@click.option("--json", "as_json", is_flag=True, help="Print the plan as JSON.")
def plan_command(learners: int, named: str | None, mechanism: Mechanism | None, as_json: bool) -> None:
    """Say how a class shares GPUs: the mechanism, each learner's memory, what of the course fits in it, and what to type."""
    try:
        these = boards.named(named) if named else boards.found(machine.probe())
        made = plan(learners, these, mechanism)
    except (boards.UnreadableGpus, Impossible) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps(as_data(made), indent=1))
    else:
        _show(made)


def as_data(made: Plan) -> dict:
    """The plan as JSON has it; memory in bytes."""
    return {
        "mechanism": made.mechanism,
        "gpus": [
            {"name": board.name, "memory": board.memory, "cut": made.cuts().get(i)}
            for i, board in enumerate(made.boards)
        ],
        "seats": [asdict(seat) for seat in made.seats],
        "environment": words.settings(made),
        "commands": words.commands(made),
        "units": [dict(zip(("unit", "published", "fits"), row, strict=True)) for row in words.units(made)],
    }


def _show(made: Plan) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, soft_wrap=False)
    console.print(f"[bold]{words.summary(made)}[/bold]")
    console.print(words.WHY[made.mechanism], "\n")
    if made.boards:
        table = Table("GPU", "learners", "cut into", "memory for each", box=None)
        for row in words.gpus(made):
            table.add_row(*row)
        console.print(table, "")
    table = Table("unit", "arrays, at published sizes", "runs in the smallest seat", box=None)
    for row in words.units(made):
        table.add_row(*row)
    console.print(table, "")
    for title, lines in (
        ("To set it up", words.commands(made)),
        ("In each learner's environment", [f"{name}={value}" for name, value in words.settings(made).items()]),
    ):
        if lines:
            console.print(f"[bold]{title}[/bold]")
            for line in lines:
                console.print(f"  {line}", soft_wrap=True)
            console.print()
