"""What `make release` builds: archives that twine accepts and that install, and a conda recipe that asks for what they ask for."""

import json
import os
import re
import zipfile

import pytest

from hundredfold.setup import workspace
from hundredfold.setup.lab import release

from .conftest import ROOT

CONDA = {"duckdb": "python-duckdb"}
"""Packages with another name there."""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    place = tmp_path_factory.mktemp("dist") / "archives"
    return place, release.archives(ROOT, place)


def test_archives_are_accepted_by_twine(built, program):
    place, files = built
    assert len(files) == 6
    done = program("twine", "check", "--strict", *files)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_wheel_from_the_source_archive_has_what_one_from_the_checkout_has(built, tmp_path):
    place, files = built
    for name in workspace.PACKAGES:
        made = release._built("wheel", workspace.folder(ROOT, name), tmp_path, dict(os.environ))
        lists = [set(zipfile.ZipFile(file).namelist()) for file in (made, place / made.name)]
        assert lists[0] == lists[1]


def test_the_same_commit_gives_the_same_bytes(built, tmp_path):
    _, files = built
    again = release.archives(ROOT, tmp_path / "again")
    assert [file.read_bytes() for file in again] == [file.read_bytes() for file in files]


@pytest.mark.large
@pytest.mark.parametrize("python", release.PYTHONS)
def test_archives_install_in_a_bare_environment(built, python):
    place, _ = built
    if not release.tried_in(python, release.source(ROOT), place):
        pytest.skip(f"this machine has no Python {python}")


def test_the_conda_recipe_is_read_and_asks_for_what_pyproject_asks_for(program):
    code = (
        "import json; from rattler_build import Stage0Recipe\n"
        "made = [v.recipe.to_dict() for v in Stage0Recipe.from_file('deploy/conda/recipe.yaml').render()]\n"
        "print(json.dumps([[r['package'], r['requirements']['run']] for r in made]))"
    )
    done = program("python", "-c", code)
    assert done.returncode == 0, done.stderr
    rendered = {package["name"]: (package["version"], run) for package, run in json.loads(done.stdout)}
    assert set(rendered) == set(workspace.PACKAGES)
    projects = {name: workspace.settings(ROOT, name)["project"] for name in workspace.PACKAGES}
    for name, (version, run) in rendered.items():
        assert version == release.source(ROOT)
        asked = workspace.flattened("gpusim[all]", projects) if name == "gpusim" else projects[name]["dependencies"]
        wanted = {_conda(each) for each in asked if not each.startswith(workspace.PACKAGES)}
        theirs = [each for each in run if isinstance(each, str)]
        assert set(theirs) == {*wanted, f"python {projects[name]['requires-python']}"}
        assert len(run) - len(theirs) == workspace.PACKAGES.index(name), "those of our own before it, pinned"


def _conda(requirement):
    name, bounds = re.match(r"([\w.-]+)(?:\[[^]]*\])?(.*)", requirement).groups()
    return f"{CONDA.get(name, name)} {bounds}".strip()
