"""``hundredfold links``: ways into the course from the web."""

from __future__ import annotations

import json

import click

import hundredfold.classroom.links as links
from hundredfold import paths


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("units", nargs=-1, metavar="[UNIT]...")
@click.option("--hub", metavar="URL", help="Make links for the learners of this JupyterHub (nbgitpuller), too.")
@click.option("--address", "url", metavar="URL", help="Of this repository, a fork's say, instead of the project's own.")
@click.option("--branch", metavar="NAME", default=None, help="Its branch.  [default: main]")
@click.option("--badges", is_flag=True, help="As Markdown with pictures, for a page.")
@click.option("--colab", "for_colab", is_flag=True, help="Write the folder colab/, whose notebooks install the course.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(
    units: tuple[str, ...],
    hub: str | None,
    url: str | None,
    branch: str | None,
    badges: bool,
    for_colab: bool,
    as_json: bool,
) -> None:
    """Print the links that open UNITs (1, 01 or arrays; all if none is given) on Binder, in Colab and on a hub.

    They are made from the repository's public address: `Repository` in [project.urls] of packages/hundredfold/pyproject.toml, or --address.
    """
    from hundredfold.classroom.syllabi import units as course

    if hub and (why := links.closed(hub)):
        raise click.UsageError(why)

    try:
        where = links.given(url, branch or links.BRANCH) if url else links.address()
        if where is None:
            raise click.UsageError(
                "The project has no public address yet: write it into packages/hundredfold/pyproject.toml, [project.urls], Repository, or give --address."
            )
        if branch and not url:
            where = links.given(where.url, branch)
        if for_colab:
            _write_colab(where)
            return
        by_stem = {unit.stem: unit for unit in course().values()}
        chosen = [by_stem[stem] for stem in paths.units(units, by_stem)]
        rows = [
            {
                "unit": unit.stem,
                **{way.title.lower(): way.url for way in links.ways(unit.stem, where=where)},
                **({"hub": where.nbgitpuller(hub, f"notebooks/{unit.stem}.ipynb")} if hub else {}),
            }
            for unit in chosen
        ]
    except (links.WrongAddress, paths.UnknownUnit) as error:
        raise click.UsageError(str(error)) from None
    if as_json:
        click.echo(json.dumps(rows, indent=1))
        return
    for unit, row in zip(chosen, rows, strict=True):
        if badges:
            click.echo(f"{unit.number:02d} {unit.title}: {links.badges(unit.stem, where=where)}")
            continue
        click.echo(f"{unit.number:02d} {unit.title}")
        for name, link in row.items():
            if name != "unit":
                click.echo(f"   {name}: {link}")
    if hub:
        click.echo(
            "The hub's servers need nbgitpuller, and a way to the repository (a hub of deploy/hub: own_network = false).",
            err=True,
        )


def _write_colab(where) -> None:
    from . import colab

    try:
        changed = colab.write(where, colab.root())
    except OSError as error:
        raise click.ClickException(str(error)) from None
    for file in changed:
        click.echo(f"{file.parent.name}/{file.name}: {'written' if file.exists() else 'removed'}")
    click.echo(f"{len(changed)} of colab/ changed.")
