"""``hundredfold assignment``: the exercises for nbgrader."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.argument("units", nargs=-1, metavar="[UNIT]...")
@click.option("--replace", is_flag=True, help="Replace assignments that you changed, too.")
def command(folder: Path, units: tuple[str, ...], replace: bool) -> None:
    """Write the exercises of UNITs (1, 01 or arrays; all if none is given) into FOLDER as nbgrader assignments.

    FOLDER becomes an nbgrader course, or is one. Assignments that you changed stay as they are. Then, with nbgrader installed beside
    Hundredfold: `nbgrader generate_assignment arrays` makes what learners get, `nbgrader autograde arrays` grades what they hand in.

    Grading runs learners' code with your rights. The end of nbgrader_config.py has two lines that put it into containers.
    """
    from hundredfold import paths

    from . import course

    try:
        done = course.write(folder, units, replace)
    except paths.UnknownUnit as error:
        raise click.UsageError(str(error.args[0])) from None
    except OSError as error:
        raise click.ClickException(f"{folder} cannot be written to ({error.strerror}).") from None
    for file in done.written:
        click.echo(f"{file}: written")
    for file in done.kept:
        click.echo(f"{file}: you changed it, so it stays; --replace replaces it")
    click.echo(f"{len(done.written)} written, {len(done.same)} up to date, {len(done.kept)} kept.")
