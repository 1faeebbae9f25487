"""The command `kernellens try`."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .outcome import STATUSES, Outcome

_COLOURS = {"ran": "green", "finding": "yellow", "not simulated": "magenta", "lacked": "blue", "refused": "yellow"}


def words(ctx: click.Context, param: click.Parameter, value: str) -> list[str]:
    """The arguments that a shell would make of a text, for `--arguments`."""
    try:
        return shlex.split(value)
    except ValueError as error:
        raise click.BadParameter(f"{value}: {error}.", ctx, param) from None


def programs_under(ctx: click.Context, named: tuple[str, ...], root: str | None) -> list[Path]:
    """The notebooks and scripts that are named, each of them below `root` if there is one; a usage error where there is none."""
    from . import programs

    try:
        found = programs.find(list(named))
        if root is not None:
            outside = [path for path in found if not path.resolve().is_relative_to(Path(root).resolve())]
            if outside:
                raise programs.NoProgramError(f"{outside[0]} is not under {root}.")
    except programs.NoProgramError as error:
        raise click.UsageError(str(error), ctx) from None
    return found


@click.command()
@click.argument("programs", nargs=-1, required=True, metavar="NOTEBOOK|SCRIPT|FOLDER…")
@click.option(
    "--timeout", type=click.FloatRange(min=1), default=300.0, show_default=True, help="Seconds for each cell."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--allow-out-of-bounds", is_flag=True, help="Let kernels that go past the end of an array go on, as a GPU would."
)
@click.option("--allow-races", is_flag=True, help="Let kernels whose threads race go on, as a GPU would.")
@click.option("--arguments", default="", callback=words, metavar="TEXT", help="Command-line arguments for scripts.")
@click.option("--root", type=click.Path(file_okay=False, exists=True), help="Folder to copy, if not the program's own.")
@click.option("--keep", type=click.Path(file_okay=False), help="Folder for the notebooks with what they printed here.")
@click.option("--go-on", is_flag=True, help="Run a notebook's cells after one that fails too, and name each that does.")
@click.pass_context
def command(
    ctx: click.Context,
    programs: tuple[str, ...],
    timeout: float,
    as_json: bool,
    allow_out_of_bounds: bool,
    allow_races: bool,
    arguments: list[str],
    root: str | None,
    keep: str | None,
    go_on: bool,
) -> None:
    """Run somebody's GPU code here on the simulator: how far does it come, and does it print what it did on a GPU?

    What a notebook prints is compared with the outputs stored in it. Numbers agree within the digits that are printed. Times,
    addresses, names of GPUs, versions and random numbers are set apart. Where cells differ, the notebook is run a second time
    with other seeds, up to the last of them.

    Each program runs in a process of its own, in a copy of its folder. That is no sandbox: it may read, write and send whatever
    you may, so try only what you would run. Shell commands (`!pip`, `%%bash`) are not run. The exit status is 0 if all ran to the
    end, else 1; a cell that differs does not change it.
    """
    from .running import attempt_each

    outcomes = attempt_each(
        programs_under(ctx, programs, root),
        timeout=timeout,
        root=Path(root) if root else None,
        out_of_bounds=allow_out_of_bounds,
        races=allow_races,
        arguments=arguments,
        keep=Path(keep) if keep else None,
        go_on=go_on,
    )
    if as_json:
        click.echo(json.dumps([asdict(outcome) for outcome in outcomes], indent=1))
    else:
        show(outcomes)
    ctx.exit(0 if all(outcome.status == "ran" for outcome in outcomes) else 1)


def show(outcomes: list[Outcome]) -> None:
    """Print a table of what came of each program, and below it what else was noticed."""
    console = Console(highlight=False, soft_wrap=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("program", "outcome", "where", "what"):
        table.add_column(name, overflow="fold")
    for outcome in outcomes:
        colour = _COLOURS.get(outcome.status, "red")
        by = f" by {outcome.by}" if outcome.by and outcome.status == "refused" else ""
        table.add_row(
            escape(outcome.path), f"[{colour}]{outcome.status}{by}[/]", outcome.where(), escape(_what(outcome))
        )
    console.print(table)
    for outcome in outcomes:
        lines = _more(outcome)
        if lines:
            console.print(f"\n[bold]{escape(outcome.path)}[/]")
            for line in lines:
                console.print(f"  {escape(line)}")
    _show_compared(console, [outcome for outcome in outcomes if any(_stored(each) for each in outcome.compared)])
    ran = sum(outcome.status == "ran" for outcome in outcomes)
    if len(outcomes) > 1:
        console.print(f"\n{ran} of {len(outcomes)} ran to the end.")


def _stored(each: dict) -> bool:
    return each["apart"] != ["not stored"]


def _show_compared(console: Console, outcomes: list[Outcome]) -> None:
    """Print how what notebooks print compares with what is stored in them, and each difference."""
    if not outcomes:
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("outputs stored in", overflow="fold")
    for name in ("cells", "agree", "differ"):
        table.add_column(name, justify="right")
    table.add_column("set apart", overflow="fold")
    for outcome in outcomes:
        stored = [each for each in outcome.compared if _stored(each)]
        verdicts = Counter(each["verdict"] for each in stored)
        rules = Counter(each["apart"][-1] for each in stored if each["verdict"] == "set apart")
        why = ", ".join(f"{rule} {count}" for rule, count in rules.most_common())
        apart = f"{verdicts['set apart']}: {why}" if why else "0"
        table.add_row(escape(outcome.path), str(len(stored)), str(verdicts["agrees"]), str(verdicts["differs"]), apart)
    console.print()
    console.print(table)
    for outcome in outcomes:
        for each in outcome.compared:
            if each["verdict"] == "differs":
                console.print(f"\n[bold]{escape(outcome.path)}, cell {each['cell']}[/] prints something else")
                for name in ("stored", "here"):
                    for line in _lines(each[name]):
                        console.print(f"  {name:6s}  {escape(line)}")
                        name = ""


def _lines(text: str, most: int = 8) -> list[str]:
    lines = text.splitlines() or ["(nothing)"]
    more = [f"… {len(lines) - most} more lines"] if len(lines) > most else []
    return [_short(line, 200) for line in lines[:most]] + more


def _what(outcome: Outcome) -> str:
    if outcome.status == "ran":
        cells = f"{outcome.cells_run} cells, " if outcome.cells else ""
        return f"{cells}{outcome.seconds:.1f} s on this CPU"
    first = (outcome.message.splitlines() or [""])[0]
    if outcome.missing and outcome.status == "lacked":
        return f"{outcome.missing} ({outcome.error}: {_short(first)})"
    said = f"{outcome.error}: {first}" if outcome.error else first or STATUSES[outcome.status]
    return _short(said, 300)


def _more(outcome: Outcome) -> list[str]:
    lines = [f"`{outcome.source}`"] if outcome.source else []
    for finding in outcome.findings:
        times = f" ({finding['times']} times)" if finding["times"] > 1 else ""
        where = f"{finding['kernel']}, line {finding['line']}"
        lines.append(f"{finding['kind']} in {where}{times}: {_short(finding['sentence'].splitlines()[0], 300)}")
    for later in outcome.failed_later:
        said = _short(f"{later['error']}: {(later['message'].splitlines() or [''])[0]}", 300)
        lines.append(f"cell {later['cell']} too: {said}")
    if outcome.raised_as_stored:
        cells = ", ".join(map(str, outcome.raised_as_stored))
        lines.append(f"raises in cell {cells}, as it did for its author")
    if outcome.skipped:
        commands = "; ".join(command.splitlines()[0] for command in outcome.skipped[:4])
        lines.append(f"not run ({len(outcome.skipped)}): {_short(commands, 200)}")
    return lines + outcome.notes


def _short(text: str, most: int = 160) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
