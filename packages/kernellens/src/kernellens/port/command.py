"""The command `kernellens port`."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import click


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("program", metavar="NOTEBOOK|SCRIPT")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option("--json", "as_json", is_flag=True, help="Print JSON; what the program prints goes to stderr.")
@click.option("--explain", is_flag=True, help="Say also what was assumed, and what is not seen.")
@click.pass_context
def command(ctx: click.Context, program: str, arguments: tuple[str, ...], as_json: bool, explain: bool) -> None:
    """Say what your own NumPy and pandas code would be on a GPU: what it takes at best, what is refused, what it moves.

    The program runs where it stands, as `python PROGRAM ARGUMENTS…` would run it, with the same results. The report comes
    after its output. The exit status is 1 if the program ends with an error.
    """
    from kernellens.trial import programs, running

    try:
        (path, *others) = programs.find([program])
        if others or Path(program).is_dir():
            raise programs.NoProgramError(f"{program} is a folder: name one notebook or script.")
        if path.suffix == ".ipynb":
            running.read(path)
    except programs.NoProgramError as error:
        told = str(error)
        raise click.UsageError(told if program in told else f"{program} {told}.", ctx) from None
    with tempfile.TemporaryDirectory(prefix="kernellens-port-") as folder:
        report = Path(folder) / "report.json"
        # SciPy's array interface would refuse what it takes without us. SciPy takes "0" for a yes.
        environment = {**os.environ, "GPUSIM_SIMULATE": "1", "SCIPY_ARRAY_API": ""}
        child = [sys.executable, "-m", "kernellens.port", str(path), str(report), *arguments]
        sys.stdout.flush()
        done = subprocess.run(child, env=environment, stdout=sys.stderr if as_json else None, check=False)
        if not report.exists():
            raise click.ClickException(f"{program} ended without a report (exit status {done.returncode}).")
        found = json.loads(report.read_text(encoding="utf-8"))
    if as_json:
        from . import estimate

        known = [dataclasses.asdict(each) | {"seconds": each.seconds} for each in estimate.estimates(found)]
        cpu = sum(line["seconds"] for line in found["lines"])
        said = [estimate.sentence(each, found["largest"], cpu) for each in estimate.estimates(found)]
        click.echo(
            json.dumps({**found, "gpus": known, "sentences": said, "assumptions": estimate.ASSUMPTIONS}, indent=1)
        )
    else:
        from .report import show

        click.echo(f"\n─── {program} under CuPy's and cuDF's names ───\n")
        show(found, explain)
    ctx.exit(1 if found["status"] or done.returncode else 0)
