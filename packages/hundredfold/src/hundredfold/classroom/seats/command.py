"""``hundredfold seats``: sharing GPUs among learners; ``hundredfold hub``: the hub they sit at."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from gpusim import hardware

from . import describing, shared_gpus
from .plan import Impossible, Mechanism, Plan, plan

if TYPE_CHECKING:
    from .hub_client import Site


class _OfTheHub(click.Command):
    """A command that needs the hub's packages, which a learner's or an instructor's own Python does not have."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] in ("jupyterhub", "pydantic"):
                raise click.UsageError(
                    f"{sys.executable} has no {error.name}: use the Python in which the hub is installed "
                    "(`/opt/hundredfold/bin/hundredfold` where it is set up as deploy/hub/README.md says)."
                ) from None
            raise


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Share GPUs among the learners of a class."""


@command.command("plan", short_help="Say how a class shares GPUs, and what to type.")
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
        these = shared_gpus.named(named) if named else shared_gpus.found(hardware.probe())
        made = plan(learners, these, mechanism)
    except (shared_gpus.UnreadableGpus, Impossible) as error:
        wrong = click.UsageError if named else click.ClickException
        raise wrong(str(error)) from error
    if as_json:
        click.echo(json.dumps(as_data(made), indent=1))
    else:
        _show(made)


_settings = click.option(
    "--settings", type=click.Path(), help="The hub's hub.toml; /etc/hundredfold/hub.toml if not given."
)


@command.command(
    "status", cls=_OfTheHub, short_help="Say who sits where on this machine's hub and what they use. For root."
)
@_settings
@click.option("--json", "as_json", is_flag=True, help="Print the seats as JSON, memory in bytes.")
@click.option("--watch", is_flag=True, help="Print them again every five seconds, until Ctrl-C.")
def status_command(settings: str | None, as_json: bool, watch: bool) -> None:
    """Say who sits where on this machine's hub and what they use: memory, processes, kernels. For root."""
    from . import hub_client, status

    try:
        while True:
            found = status.rows(hub_client.Site.found(settings))
            if as_json:
                click.echo(json.dumps(status.as_data(found), indent=1))
            else:
                _show_seats(found)
            if not watch:
                return
            time.sleep(5)
    except hub_client.NoAnswer as error:
        raise click.ClickException(str(error)) from error


@command.command("reclaim", cls=_OfTheHub, short_help="Free the memory of idle kernels. For root.")
@_settings
@click.option("--idle", type=click.FloatRange(0), default=30, show_default=True, help="Minutes without work.")
@click.option(
    "--grace", type=click.FloatRange(0.5), default=5, show_default=True, help="Minutes between warning and end."
)
@click.option("--learner", "learners", multiple=True, help="Only this learner's kernels; may be given more than once.")
@click.option("--dry-run", is_flag=True, help="Only say which kernels it would be.")
def reclaim_command(settings: str | None, idle: float, grace: float, learners: tuple[str, ...], dry_run: bool) -> None:
    """Free the memory of idle kernels: warn their owners in their lab, wait, and end those that nobody used. For root.

    A kernel that computes is never ended, nor one whose owner could not be warned; notebooks stay as they are.
    """
    from . import hub_client, reclaim, status

    try:
        site = hub_client.Site.found(settings)
        _known(site, learners)
        if dry_run:
            these = reclaim.idle(status.rows(site), 60 * idle, learners)
            for owner, kernel in these:
                click.echo(f"{owner}: {kernel.path}, idle for {kernel.idle / 60:.0f} minutes")
            click.echo(f"{len(these)} kernels would be warned of.")
            return
        done = reclaim.reclaim(site, 60 * idle, 60 * grace, learners, click.echo)
    except hub_client.NoAnswer as error:
        raise click.ClickException(str(error)) from error
    for freed in done:
        click.echo(f"{freed.owner}: {freed.path}: {freed.how}")
    if not done:
        click.echo(f"No kernel has been idle for {idle:g} minutes.")


@command.command("stop", cls=_OfTheHub)
@_settings
@click.argument("learners", nargs=-1, required=True)
def stop_command(settings: str | None, learners: tuple[str, ...]) -> None:
    """Stop the servers of these learners and free their seats. What they saved stays; their kernels' variables are gone. For root."""
    from . import hub_client

    try:
        site = hub_client.Site.found(settings)
        _known(site, learners)
        for learner in learners:
            site.stop(learner)
            click.echo(f"{learner}: the server stops")
    except hub_client.NoAnswer as error:
        raise click.ClickException(str(error)) from error


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def hub() -> None:
    """A hub for a class on this machine, as deploy/hub/README.md sets it up."""


@hub.command(
    "check", cls=_OfTheHub, short_help="Look at all that the guide sets up, and print what is wrong. For root."
)
@_settings
def check_command(settings: str | None) -> None:
    """Look at all that the guide sets up, and print what is wrong and how to fix it. For root.

    The exit status is 1 if the hub would not work. It starts no hub and no learner's server, and makes what the hub makes when it starts: its folders and secrets.
    """
    from . import first_run, hub_client

    count = 0
    for each in first_run.findings(Path(settings or os.environ.get("HUNDREDFOLD_HUB") or hub_client.SETTINGS)):
        sign = "✗" if each.bad else "·" if each.fix else "✓"
        click.echo(f"{sign} {each.what.rstrip('.')}.")
        if each.fix:
            click.echo(f"    {each.fix}")
        count += each.bad
    if count:
        click.echo(f"\n{count} {'thing is' if count == 1 else 'things are'} to be fixed; then check again.")
        raise SystemExit(1)
    click.echo("\nThe hub can be used.")


def _known(site: Site, learners: Iterable[str]) -> None:
    """ClickException if one of them has no seat."""
    from .allocations import Allocations

    seats = {seat.owner for seat in Allocations(site.state / "seats.json").seats()}
    if unknown := sorted(set(learners) - seats):
        raise click.ClickException(
            f"No seat for {', '.join(unknown)}. Seats in use: {', '.join(sorted(seats)) or 'none'}."
        )


def _show_seats(found: list) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    def size(amount: int | None) -> str:
        return "–" if amount is None else f"{amount / 1e9:.2f} GB"

    console = Console(highlight=False)
    if not found:
        console.print("No seat is taken.")
        return
    table = Table("learner", "place", "since (UTC)", "main memory", "device memory", "processes", "kernels", box=None)
    for row in found:
        kernels = [
            f"{each.path} ({f'idle for {each.idle / 60:.0f} min' if each.state == 'idle' else each.state})"
            for each in row.kernels
        ]
        of = f" of {row.limit / 1e9:.1f}" if row.limit else ""
        table.add_row(
            row.owner, row.place, row.since[:16].replace("T", " "), size(row.memory) + of, size(row.device),
            str(row.processes), Text(row.silent or "\n".join(kernels) or "none"),  # a learner's words: no markup
        )  # fmt: skip
    console.print(table)


def as_data(made: Plan) -> dict:
    """The plan as JSON has it; memory in bytes."""
    return {
        "mechanism": made.mechanism,
        "gpus": [
            {"name": board.name, "memory": board.memory, "cut": made.cuts().get(i)}
            for i, board in enumerate(made.boards)
        ],
        "seats": [asdict(seat) for seat in made.seats],
        "environment": describing.settings(made),
        "commands": describing.commands(made),
        "units": [dict(zip(("unit", "published", "fits"), row, strict=True)) for row in describing.units(made)],
    }


def _show(made: Plan) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, soft_wrap=False)
    console.print(f"[bold]{describing.summary(made)}[/bold]")
    console.print(describing.WHY[made.mechanism], "\n")
    if made.boards:
        table = Table("GPU", "learners", "cut into", "memory for each", box=None)
        for row in describing.gpus(made):
            table.add_row(*row)
        console.print(table, "")
    table = Table("unit", "arrays, at published sizes", "runs in the smallest seat", box=None)
    for row in describing.units(made):
        table.add_row(*row)
    console.print(table, "")
    for title, lines in (
        ("To set it up", describing.commands(made)),
        ("In each learner's environment", [f"{name}={value}" for name, value in describing.settings(made).items()]),
    ):
        if lines:
            console.print(f"[bold]{title}[/bold]")
            for line in lines:
                console.print(f"  {line}", soft_wrap=True)
            console.print()
