"""``hundredfold record``: measure the headline workloads here and keep them as data."""

from __future__ import annotations

import re
import time
from pathlib import Path

import click

from gpusim.hardware import cpu
from hundredfold import paths

from . import duration, here, panel, recording_file, running, workloads
from .workload import Workload
from .workloads import clusters


@click.command()
@click.option("--name", help="What to call this machine; by default its GPU's or its processor's name.")
@click.option("--only", multiple=True, help="Only workloads whose id begins so, such as 'memory' (may be given again).")
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="The file; by default recordings/NAME.json."
)
@click.option("--again", is_flag=True, help="Measure rows anew that the file has already.")
@click.option(
    "--panel",
    "only_panel",
    is_flag=True,
    help="Only a run of a cluster, its task stream and memory, for the Dask panel to replay; --output names the file.",
)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    help="Begin no workload that would not end in so many minutes.",
)
@click.option(
    "--list", "listed", is_flag=True, help="Say which workloads there are and how long they take; measure nothing."
)
def command(
    name: str | None,
    only: tuple[str, ...],
    output: Path | None,
    again: bool,
    only_panel: bool,
    minutes: float | None,
    listed: bool,
) -> None:
    """Measure the course's headline workloads on this machine and keep them in a file, row by row.

    Interrupted, it goes on where it was when it is started again. Without a GPU only the ways of a CPU are recorded. With GPUs a
    run of a cluster is kept too, which the lab's Dask panel replays (panels/ beside the file).
    """
    if only_panel:
        _panel(output, again=True)
        return
    chosen = [each for each in workloads.every() if not only or each.id.startswith(only)]
    if not chosen:
        families = sorted({each.id.rpartition(".")[0].partition(".")[0] for each in workloads.every()})
        raise click.UsageError(f"No workload begins with {' or '.join(only)}: there are {', '.join(families)}.")
    if listed:
        _list(chosen)
        return
    machine = here.describe(name or "")
    machine["name"] = name or machine.get("gpu") or f"{machine['cpu']}, {cpu.cores()} cores"
    file = output or _folder() / f"{_slug(machine['name'])}.json"
    try:
        recording = recording_file.begin(file, machine, here.source(f"Recorded on {machine['name']}"))
    except recording_file.CannotKeepError as error:
        if not again:
            raise click.ClickException(str(error)) from None
        file.unlink()
        recording = recording_file.begin(file, machine, here.source(f"Recorded on {machine['name']}"))
    ended = _measure(chosen, recording, file, again, None if minutes is None else time.monotonic() + 60 * minutes)
    if ended and here.has_gpu() and any(each.id == clusters.ID for each in chosen):
        _panel(file.parent / "panels" / file.name, again)


def _list(chosen: list[Workload]) -> None:
    """Print the workloads, and about how long each takes, without a GPU and with one."""
    for each in chosen:
        minutes = [f"{duration.seconds(each, gpu) / 60:4.1f}" for gpu in (False, True)]
        click.echo(f"{each.id:28} {' '.join(minutes)} min  {each.what}: {', '.join(way.name for way in each.ways)}")
    cpu_alone, with_gpu = (sum(duration.seconds(each, gpu) for each in chosen) / 60 for gpu in (False, True))
    click.echo(
        f"\nAbout {cpu_alone:.0f} minutes without a GPU, {with_gpu:.0f} with one (the two numbers above). The first is what the "
        f"slowest recording took. The second adds {duration.GPU:.0f} s for each way of a GPU, which is a guess."
    )


def _panel(file: Path | None, again: bool) -> None:
    """Record a run of a cluster; on simulated GPUs only into a file that was named, and never among the recordings."""
    simulated = not here.has_gpu()
    if simulated and (file is None or file.resolve().is_relative_to(_folder().resolve())):
        raise click.UsageError(
            "There is no GPU here, and no simulated run is kept among the recordings: name a file elsewhere with --output."
        )
    if file is None:
        file = _folder() / "panels" / f"{_slug(here.describe('')['gpu'])}.json"
    if file.exists() and not again:
        return
    click.echo(f"Recording a run of a cluster{', simulated, and labelled so' if simulated else ''}.")
    try:
        run = panel.record(simulated)
        panel.write(file, run)
    except (RuntimeError, ValueError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"{len(run['tasks'])} pieces of work of {len(run['workers'])} workers are in {file}.")


def _measure(chosen: list[Workload], recording: dict, file: Path, again: bool, until: float | None) -> bool:
    """Measure what is missing, and say what was left out; False where time ran out."""
    there = {row["id"] for row in recording["rows"]}
    if not here.has_gpu():
        click.echo("There is no GPU here: the ways of the CPU are recorded, and no simulated GPU's.")
    missing = [each for each in chosen if again or each.id not in there]
    if len(missing) < len(chosen):
        click.echo(f"{len(chosen) - len(missing)} rows are in {file} already (--again measures them anew).")
    late = []
    with click.progressbar(missing, label="Recording", item_show_func=lambda each: each.id if each else "") as bar:
        for workload in bar:
            if until is not None and time.monotonic() + duration.seconds(workload, here.has_gpu()) > until:
                late.append(workload.id)
                continue
            try:
                row = running.row(workload, lambda said: click.echo(f"\n  {said}", err=True))
            except running.Left as reason:
                click.echo(f"\n  {reason}", err=True)
                continue
            recording["rows"] = [each for each in recording["rows"] if each["id"] != workload.id] + [row]
            recording_file.write(file, recording)
    if late:
        onwards = "name them by --only" if again else "the same command goes on with these"
        click.echo(f"No time was left for {', '.join(late)}: {onwards}.")
    if recording["rows"]:
        click.echo(f"{len(recording['rows'])} rows are in {file}.")
    elif not late:
        raise click.ClickException("Nothing could be recorded here; the reasons stand above.")
    return not late


def _folder() -> Path:
    root = paths.repository()
    return root / "recordings" if root is not None else Path.cwd()


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
