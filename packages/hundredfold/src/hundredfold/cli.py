"""The command `hundredfold`. Each sub-command is imported when it is called, so that `--help` answers at once."""

from __future__ import annotations

import sys
from pathlib import Path

import click

import hundredfold
from kernellens.cli import Commands
from kernellens.cli import run as run_command

# Who uses which sub-commands; where each is, and the line that `--help` shows for it without importing it.
PEOPLE = {
    "For learners": {
        "lab": ("hundredfold.cli:lab", "Open JupyterLab on your own copies of the notebooks."),
        "work": ("hundredfold.notebook.workspace:command", "Make or refresh your own copies of the notebooks."),
        "progress": (
            "hundredfold.learning.progress.command:command",
            "Show what you have solved, or what your class has.",
        ),
        "limits": ("hundredfold.toolkit.limits_command:limits", "Show how fast this machine is, beside known GPUs."),
        "doctor": ("hundredfold.cli:doctor", "Say whether the lab works here, and which command fixes what does not."),
    },
    "For teachers": {
        "syllabus": (
            "hundredfold.classroom.syllabi.command:command",
            "Show what a class of ninety minutes or two days does.",
        ),
        "links": (
            "hundredfold.classroom.links.command:command",
            "Print the links that open the course on Binder, in Colab, on a hub.",
        ),
        "assignment": (
            "hundredfold.classroom.assignment.command:command",
            "Write the exercises as nbgrader assignments.",
        ),
        "preflight": (
            "hundredfold.classroom.preflight.command:command",
            "Run every unit on every seat, the day before a class.",
        ),
    },
    "For administrators": {
        "environment": ("hundredfold.cli:environment", "Write an environment.yml that fits a driver and a GPU."),
        "seats": ("hundredfold.classroom.seats.command:command", "Share GPUs among the learners of a class."),
        "hub": ("hundredfold.classroom.seats.command:hub", "Check what a hub on this machine needs."),
    },
    "For authors": {
        "build": ("hundredfold.publish.build:command", "Make the notebooks from their sources."),
        "record": (
            "hundredfold.toolkit.record.command:command",
            "Measure the course's main workloads here and keep them as data.",
        ),
        "compare": (
            "hundredfold.toolkit.record.comparing:command",
            "Put two recordings side by side, beside their limits.",
        ),
    },
}
MOVED = {"lens": "kernellens check", "port": "kernellens port", "try": "kernellens try"}


@click.group(cls=Commands, sections=PEOPLE, moved=MOVED, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(hundredfold.__version__, prog_name="hundredfold")
def group() -> None:
    """Hundredfold: a course on GPU computing, and the lab it is taught in. `make lab` opens it."""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.option("--record", is_flag=True, help="Print what was looked at, to attach to a report of a fault.")
@click.pass_context
def doctor(ctx: click.Context, as_json: bool, record: bool) -> None:
    """Say whether the lab works here, and print the command that fixes each problem.

    The exit status is 1 if the lab would not work, else 0: having no GPU is no fault.
    """
    if as_json and record:
        raise click.UsageError("--json and --record cannot be combined.", ctx)
    from hundredfold.setup import doctor as examiner

    ctx.exit(examiner.main(["--json"] if as_json else ["--record"] if record else []))


@click.command()
@click.option("--driver", metavar="VERSION", help="The driver of another machine, such as 580.65.06.")
@click.option("--gpu", metavar="NAME", help="Its oldest GPU, such as V100, or a compute capability, such as 7.0.")
@click.option("--python", default="3.12", metavar="VERSION", show_default=True, help="The Python of the environment.")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, writable=True), help="The file; without it, the screen."
)
def environment(driver: str | None, gpu: str | None, python: str, output: str | None) -> None:
    """Write an environment.yml that fits a driver and a GPU: this machine's, or those that you name."""
    from gpusim.hardware import gpus
    from hundredfold.setup import environments

    asked = None
    if driver is None and gpu is not None:
        raise click.UsageError(
            "--gpu describes another machine, so say its --driver, too (`nvidia-smi` there shows it)."
        )
    try:
        if driver is not None:
            cc = gpu if gpu is None or gpu[0].isdigit() and "." in gpu else gpus.find(gpu).cc
            asked = environments.described(driver, "9.0" if cc is None else cc)
        text = environments.environment(asked, python)
    except (LookupError, ValueError) as error:
        raise click.UsageError(str(error.args[0] if error.args else error)) from None
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"{output} cannot be written: {error.strerror}.") from None
    click.echo(f"{output} is written: conda env create --file {output}")


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": []}, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def lab(ctx: click.Context, arguments: tuple[str, ...]) -> None:
    """Open JupyterLab on your own copies of the notebooks. Options are JupyterLab's, and --syllabus NAME."""
    from hundredfold.setup.lab import start

    ctx.exit(start.main(arguments))


def main(arguments: list[str] | None = None) -> None:
    """Run the command and end the process: 0 if it did what was asked, 1 if not, 2 for wrong use, 130 after Ctrl-C."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status; what goes wrong is said in a sentence (HUNDREDFOLD_DEBUG=1: as a traceback)."""
    return run_command(group, arguments, "hundredfold", "HUNDREDFOLD_DEBUG")


if __name__ == "__main__":
    main()
