"""The command `kernellens check`."""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from kernellens.trial.command import programs_under, words


@click.command()
@click.argument("programs", nargs=-1, required=True, metavar="NOTEBOOK|SCRIPT|FOLDER…")
@click.option(
    "--timeout", type=click.FloatRange(min=1), default=300.0, show_default=True, help="Seconds for each cell."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--sarif", type=click.Path(dir_okay=False), metavar="FILE", help="Write the findings as SARIF too.")
@click.option("--arguments", default="", callback=words, metavar="TEXT", help="Command-line arguments for scripts.")
@click.option("--root", type=click.Path(file_okay=False, exists=True), help="Folder to copy, if not the program's own.")
@click.pass_context
def command(
    ctx: click.Context,
    programs: tuple[str, ...],
    timeout: float,
    as_json: bool,
    sarif: str | None,
    arguments: list[str],
    root: str | None,
) -> None:
    """Run a program's kernels here and report each launch: what is wrong with it, and what it moves.

    No GPU is needed, and none is used. Each kernel is looked at the first time that it is launched with arguments of some types
    over some grid, on a sample of its blocks; out-of-bounds accesses are found in all of them. The exit status is 1 if
    an error was found, or a program did not run to its end.
    """
    from kernellens.trial.running import attempt_each

    from .sarif import log

    outcomes = attempt_each(
        programs_under(ctx, programs, root),
        timeout=timeout,
        root=Path(root) if root else None,
        out_of_bounds=True,
        races=True,
        lens=True,
        arguments=arguments,
    )
    if sarif:
        try:
            Path(sarif).write_text(json.dumps(log(outcomes), indent=1), encoding="utf-8")
        except OSError as error:
            raise click.UsageError(f"{sarif} cannot be written: {error.strerror}.", ctx) from None
    if as_json:
        click.echo(json.dumps([asdict(outcome) for outcome in outcomes], indent=1))
    else:
        for outcome in outcomes:
            click.echo(report(outcome))
    wrong = any(each["severity"] == "error" for outcome in outcomes for each in outcome.findings)
    ctx.exit(1 if wrong or any(outcome.status != "ran" for outcome in outcomes) else 0)


def report(outcome: Any) -> str:
    """Return what is to be said of one program, as text with colours: first what is wrong, then what each launch moves."""
    parts = [click.style(outcome.path, bold=True)]
    if outcome.status != "ran":
        where = f" at {outcome.where()}" if outcome.where() else ""
        said = f"{outcome.error}: {outcome.message}" if outcome.error else outcome.message
        first = said.splitlines()[0] if said else ""
        told = any(first and each["sentence"].startswith(outcome.message.splitlines()[0]) for each in outcome.findings)
        status = click.style(f"did not run to its end ({outcome.status}{where})", fg="red")
        parts.append(f"  {status}" + ("" if told else f": {first}"))
    if not outcome.launches and not outcome.findings:
        parts.append("  launched no kernel: there is nothing to look at")
    parts += [
        _finding(outcome, each) for each in sorted(outcome.findings, key=lambda each: each["severity"] != "error")
    ]
    parts += [_launch(launch) for launch in outcome.launches]
    return "\n".join(parts)


def _finding(outcome: Any, each: dict[str, Any]) -> str:
    place = f"line {each['line']}" if each["line"] else "at its launch"
    if each.get("cell") and each.get("file_line"):
        place += f" (cell {each['cell']}, line {each['file_line']})"
    elif each.get("file_line") and (each.get("path") or not outcome.path.endswith(".ipynb")):
        place += f" ({each.get('path') or outcome.path}:{each['file_line']})"
    sentence = textwrap.indent(each["sentence"], "    ").strip()
    severity = click.style(f"{each['severity']}:", fg="red" if each["severity"] == "error" else "yellow")
    return f"  {severity} {each['kind']} in {each['kernel']}, {place}: {sentence}"


def _launch(launch: dict[str, Any]) -> str:
    total = launch["griddim"][0] * launch["griddim"][1] * launch["griddim"][2]
    rows = [
        f"  {launch['kernel']}: {_dims(launch['griddim'])} blocks of {_dims(launch['blockdim'])} threads, "
        f"{launch['blocks']:,} of {total:,} looked at"
    ]
    if launch["moved"]:
        rows[0] += f"; {launch['asked'] / launch['moved']:.0%} of the bytes that move were asked for"
    for line in launch["lines"]:
        useful = line["asked"] / (line["sectors"] * 32)
        if useful < 0.9:
            rows.append(
                f"    line {line['line']}: {_sectors(line['sectors'] / line['requests'])} a request, {useful:.0%} of them "
                f"useful: {line['kind']} {', '.join(line['arrays'])}: {line['text'].strip()[:70]}"
            )
    for item in launch["conflicts"]:
        rows.append(
            f"    line {item['line']}: {item['extra']:,} cycles lost to bank conflicts, up to {item['worst']}-way: "
            f"{item['text'].strip()[:70]}"
        )
    return "\n".join(rows)


def _sectors(number: float) -> str:
    return f"{number:.3g} sector" + "s" * (f"{number:.3g}" != "1")


def _dims(dims: list[int]) -> str:
    shown = dims[:]
    while len(shown) > 1 and shown[-1] == 1:
        shown.pop()
    return " × ".join(f"{n:,}" for n in shown)
