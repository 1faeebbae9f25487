"""The command `hundredfold build`."""

from pathlib import Path

import click

from .errors import BuildError, WrongUse


@click.command("build")
@click.argument("units", nargs=-1, metavar="[UNIT]...")
@click.option("--refresh", is_flag=True, help="Run every cell and renew every output, measured ones too.")
@click.option("--check", is_flag=True, help="Only say whether the notebooks match their sources; run nothing.")
@click.option(
    "--from",
    "edited",
    type=click.Path(path_type=Path),
    metavar="NOTEBOOK",
    help="Take an edit made in JupyterLab back into the source.",
)
@click.option("--root", type=click.Path(path_type=Path), hidden=True, help="The checkout, if not this one.")
def build(units, refresh, check, edited, root):
    """Make the notebooks of UNITs (1, 01, arrays or 01_arrays; all if none is given) from sources/."""
    if sum([bool(refresh), check, edited is not None]) > 1:
        raise click.UsageError("--refresh, --check and --from exclude each other")
    try:
        root = checkout(root)
        if edited is not None:
            _take_back(edited, root)
        elif check:
            _check(units, root)
        else:
            _build(units, root, refresh)
    except WrongUse as error:
        raise click.UsageError(str(error)) from None
    except BuildError as error:
        raise click.ClickException(str(error)) from None


def checkout(given: Path | None = None) -> Path:
    """The checkout that is built: `given`, else the first folder upwards with sources, else the one we run from."""
    from hundredfold import paths

    if given is not None:
        candidates = [given]
    else:
        candidates = [folder for folder in [Path.cwd(), *Path.cwd().parents] if (folder / "pyproject.toml").exists()]
        candidates += filter(None, [paths.repository()])
    for folder in candidates:
        if (folder / "sources").is_dir():
            return folder.resolve()
    raise WrongUse("there is no sources/ folder here; run the command in a checkout of the course")


def select(units: tuple[str, ...], root: Path) -> list[Path]:
    """The source files of the units asked for.

    Raises
    ------
    WrongUse
        If a unit has none.
    """
    from hundredfold import paths

    from .sources import find

    files = find(root)
    if not files:
        raise BuildError(f"{root / 'sources'} holds no source")
    _unique(files, root)
    named = [Path(unit).stem if unit.endswith((".py", ".ipynb")) else unit for unit in units]
    try:
        chosen = paths.units(named, [path.stem for path in files])
    except paths.UnknownUnit as error:
        raise WrongUse(str(error)) from None
    return [path for path in files if path.stem in chosen]


def _unique(files: list[Path], root: Path) -> None:
    """Refuse two units of one number or of one slug: cell ids and problems are named after them."""
    from .sources import FILE_NAME

    seen: dict[tuple, Path] = {}
    for path in files:
        for part in FILE_NAME.match(path.name).groups() if FILE_NAME.match(path.name) else ():
            other = seen.setdefault((path.parent.name, part), path)
            if other != path:
                raise BuildError(f"{other.relative_to(root)} and {path.relative_to(root)} are both {part}; rename one")


def _build(units, root: Path, refresh: bool) -> None:
    from . import assembling, drawn, figures
    from .products import products
    from .sources import read

    # All sources are read before anything is run: a mistake in the last should not cost the time of the first.
    todo = [product for path in select(units, root) for product in products(read(path))]
    for path in drawn.write(root):
        click.echo(f"{path.relative_to(root)}: {'written' if path.exists() else 'removed'}")
    for product in todo:
        done = assembling.build(product, root, refresh=refresh)
        said = f"{done.renewed} outputs renewed" if done.ran else "nothing to run"
        click.echo(f"{done.path.relative_to(root)}: {'written' if done.changed else 'unchanged'} ({said})")
        for name in done.missing:
            click.echo(f"  cell {name} shows its output once it is built on a machine with a GPU")
    figures.prune(root)


def _check(units, root: Path) -> None:
    from . import drawn
    from .in_sync import differences, orphans
    from .products import products
    from .sources import read

    found = [line for path in select(units, root) for p in products(read(path)) for line in differences(p, root)]
    found += [*orphans(root), *drawn.differences(root)] if not units else []
    if found:
        raise BuildError("\n".join([*found, "run `hundredfold build`"]))
    click.echo("the notebooks match their sources")


def _take_back(notebook: Path, root: Path) -> None:
    from . import roundtrip

    path, changed = roundtrip.take_back(notebook, root)
    shown = path.relative_to(root)
    if changed:
        click.echo(f"{shown}: {changed} cell{'s' if changed != 1 else ''} taken over; now run `hundredfold build`")
    else:
        click.echo(f"{shown}: the notebook says what the source says; nothing to take over")
