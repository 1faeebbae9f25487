"""Ways in from the web, made from one setting."""

import importlib.metadata
import importlib.util
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import nbformat
import pytest
from click.testing import CliRunner

from hundredfold import paths
from hundredfold.classroom import links
from hundredfold.classroom.links import colab
from hundredfold.classroom.links.command import command
from hundredfold.setup import workspace

ROOT = Path(__file__).parents[5]
PUBLIC = links.given("https://github.com/owner/course.git")


def run(*arguments):
    return CliRunner().invoke(command, arguments)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A checkout with this pyproject.toml."""

    def write(text):
        file = tmp_path / "packages" / "hundredfold" / "pyproject.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text('[project]\nname = "hundredfold"\n' + text)
        monkeypatch.setattr(paths, "repository", lambda: tmp_path)

    return write


def test_without_an_address_there_is_nothing(project):
    project("")
    assert links.address() is None and links.ways("01_arrays") == [] and links.badges("01_arrays") == ""
    done = run()
    assert done.exit_code == 2 and "no public address yet" in done.output


def test_the_one_setting(project):
    project(
        '[project.urls]\nRepository = "https://github.com/owner/course"\n[tool.hundredfold]\nbranch = "stable-2026"\n'
    )
    assert links.address() == links.Address("https://github.com/owner/course", "stable-2026")
    assert [way.title for way in links.ways("01_arrays")] == ["Binder", "Colab"]
    assert links.badges("01_arrays").count("[![Open in ") == 2


def test_the_sites_pages_show_the_ways_only_if_there_are_any(project):
    from hundredfold.publish.site import units

    def row(file):
        notebook = {"cells": [{"source": "# Title"}], "metadata": {}}
        units.add_navigation(notebook, file, {})
        return notebook["cells"][1]["source"]

    project("")
    assert "Binder" not in row("notebooks/01_arrays.ipynb")
    project('[project.urls]\nRepository = "https://github.com/owner/course"\n')
    for folder, stem in (("notebooks", "01_arrays"), ("exercises", "01_arrays_exercises")):
        said = row(f"{folder}/01_arrays.ipynb")
        assert (
            f"[Binder](https://mybinder.org/v2/gh/owner/course/main?urlpath=lab%2Ftree%2Fhundredfold%2F{folder}" in said
        )
        assert f"[Colab](https://colab.research.google.com/github/owner/course/blob/main/colab/{stem}.ipynb)" in said


def test_an_installed_copy_reads_its_metadata(monkeypatch):
    told = {"Project-URL": ["Documentation, https://docs.example.org", "Repository, https://github.com/owner/course"]}
    monkeypatch.setattr(paths, "repository", lambda: None)
    monkeypatch.setattr(links.importlib.metadata, "metadata", lambda name: type("M", (), {"get_all": told.get}))
    assert links.address() == links.Address("https://github.com/owner/course")


def test_nbgitpullers_link():
    parts = urlsplit(PUBLIC.nbgitpuller("https://hub.example.org/", "notebooks/01_arrays.ipynb"))
    assert (parts.netloc, parts.path) == ("hub.example.org", "/hub/user-redirect/git-pull")
    assert parse_qs(parts.query) == {
        "repo": ["https://github.com/owner/course"],
        "branch": ["main"],
        "urlpath": ["lab/tree/course/notebooks/01_arrays.ipynb"],
    }


@pytest.mark.parametrize(
    ("url", "where"),
    [
        ("https://github.com/owner/course", "gh/owner/course/main"),
        ("https://gitlab.com/group/sub/course.git", "gl/group%2Fsub%2Fcourse/main"),
        ("https://git.example.org/course", "git/https%3A%2F%2Fgit.example.org%2Fcourse/main"),
    ],
)
def test_binders_link(url, where):
    link = links.given(url).binder("notebooks/01_arrays.ipynb")
    assert link == f"https://mybinder.org/v2/{where}?urlpath=lab%2Ftree%2Fhundredfold%2Fnotebooks%2F01_arrays.ipynb"


def test_colab_knows_github_alone():
    assert PUBLIC.colab("01_arrays") == (
        "https://colab.research.google.com/github/owner/course/blob/main/colab/01_arrays.ipynb"
    )
    elsewhere = links.given("https://gitlab.com/group/course")
    assert elsewhere.colab("01_arrays") is None
    assert [way.title for way in links.ways("01_arrays", where=elsewhere)] == ["Binder"]


@pytest.mark.parametrize(
    "url",
    [
        "github.com/owner/course", "git@github.com:owner/course.git", "https://name:secret@github.com/owner/course", "https://x.org/a?b",
        'https://x.org/"><script>', "javascript:alert(1)", "https:///nothing", "file:", "https://x.org/a b",
    ],
)  # fmt: skip
def test_what_is_no_address(url):
    with pytest.raises(links.WrongAddress, match="is no address"):
        links.given(url)


def test_what_is_no_branch():
    for branch in ("--upload-pack=x", "a b", "", "x;y"):
        with pytest.raises(links.WrongAddress, match="no name of a branch"):
            links.given("https://github.com/owner/course", branch)


def test_the_command():
    done = run("arrays", "--address", "https://github.com/a/b", "--hub", "https://hub.org", "--json")
    (row,) = json.loads(done.output)
    assert set(row) == {"unit", "binder", "colab", "hub"} and row["unit"] == "01_arrays"
    assert "/a/b/" in row["binder"] and "a%2Fb" in row["hub"]
    assert "[![Open in Binder]" in run("1", "--address", "https://github.com/a/b", "--badges").output
    assert "colab: https" in run("1", "--address", "https://github.com/a/b").output
    assert run("77", "--address", "https://github.com/a/b").exit_code == 2
    assert run("--address", "nonsense").exit_code == 2


# --- Colab


@pytest.fixture(scope="module")
def made():
    return colab.notebooks(PUBLIC, ROOT)


def test_every_lecture_and_exercise_has_its_own(made):
    lectures = {file.name for file in (ROOT / "notebooks").glob("*.ipynb")}
    exercises = {f"{file.stem}_exercises.ipynb" for file in (ROOT / "exercises").glob("*.ipynb")}
    assert set(made) == lectures | exercises | {colab.RECORD} and len(lectures) > 5
    for name, notebook in made.items():
        if name == colab.RECORD:
            continue
        first, *rest = notebook["cells"]
        compile(first["source"], name, "exec")
        folder = "exercises" if name.endswith("_exercises.ipynb") else "notebooks"
        original = json.loads((ROOT / folder / name.replace("_exercises", "")).read_text())
        assert [cell["id"] for cell in rest] == [cell["id"] for cell in original["cells"]]
        for cell, same in zip(rest, original["cells"], strict=True):
            if cell["cell_type"] == "code":
                assert "".join(cell["source"]) == "".join(same["source"]) and not cell["outputs"]
            else:
                assert "](../" not in cell["source"], (name, cell["source"])


def test_links_lead_to_the_neighbour_in_colab(made):
    last = json.dumps(made["01_arrays.ipynb"])
    assert PUBLIC.colab("01_arrays_exercises") in last
    assert colab._absolute("[a](../docs/times.md) [b](https://x.org/) [c](#here)", PUBLIC, "notebooks") == (
        "[a](https://github.com/owner/course/blob/main/docs/times.md) [b](https://x.org/) [c](#here)"
    )
    for name in ("boxes.svg", "screenshot.png"):
        assert colab._absolute(f"![Two boxes.](drawings/{name})", PUBLIC, "notebooks") == (
            f"![Two boxes.](https://github.com/owner/course/raw/main/notebooks/drawings/{name})"
        )


def test_the_first_cell_leaves_colabs_own_server_alone():
    needed = workspace.dependencies(ROOT)
    names = {colab._name(each) for each in needed}
    assert names > colab.LEFT_OUT, "what is left out is among the dependencies"
    code = colab.cell(PUBLIC, needed, workspace.dependencies(ROOT, "cu12"), workspace.dependencies(ROOT, "cu13"))
    for name in workspace.PACKAGES:
        assert f"git+https://github.com/owner/course@main#subdirectory=packages/{name}" in code
    assert '"--no-deps"' in code
    for name in colab.LEFT_OUT:
        assert f'"{name}' not in code
    for name in names - colab.LEFT_OUT:
        assert f'"{name}' in code, name
    assert '"cudf-cu12' in code and "sys_platform" not in code


@pytest.mark.parametrize(
    ("driver", "has", "installs", "says"),
    [
        ("580.65.06", [], "cupy-cuda13x", "CUDA 13"),
        ("580.65.06", ["cupy-cuda12x"], "cupy-cuda12x", "CUDA 12"),
        ("550.54.15", [], "cupy-cuda12x", "CUDA 12"),
        ("550.54.15", ["cupy-cuda13x"], "cupy-cuda12x", "CUDA 12"),
        ("470.10", ["cupy-cuda12x"], None, "Driver 470 is older than 525"),
        ("NVIDIA-SMI has failed because it couldn't communicate with the driver", [], None, "No GPU"),
        (None, [], None, "Change runtime type > T4 GPU"),
    ],
)
def test_the_first_cell_takes_the_libraries_that_fit_the_driver(monkeypatch, capsys, driver, has, installs, says):
    code = colab.cell(
        PUBLIC, workspace.dependencies(ROOT), *(workspace.dependencies(ROOT, e) for e in ("cu12", "cu13"))
    )
    calls = []

    def ran(command, **_):
        calls.append(command)
        asked = driver if "--query-gpu=driver_version" in command and driver else ""
        return subprocess.CompletedProcess(command, 0, stdout=f"{asked}\n", stderr="")

    monkeypatch.setattr(subprocess, "run", ran)
    monkeypatch.setattr(shutil, "which", lambda name: driver and f"/usr/bin/{name}")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    there = [type("Distribution", (), {"metadata": {"Name": name}}) for name in ("numpy", *has)]
    monkeypatch.setattr(importlib.metadata, "distributions", lambda: there)
    for name in colab._WATCHED:
        monkeypatch.delitem(sys.modules, name, raising=False)
    exec(compile(code, "first cell", "exec"), {})
    assert says in capsys.readouterr().out
    *asked, libraries, ours = calls
    assert len(asked) == (driver is not None)
    assert [each.partition("[")[0] for each in libraries if each.startswith("cupy")] == ([installs] if installs else [])
    assert "--no-deps" in ours and "--no-deps" not in libraries


def test_the_notebook_that_records_a_gpu_hands_its_file_to_the_form(made):
    first, *rest = made[colab.RECORD]["cells"]
    assert "pip" in first["source"] and made[colab.RECORD]["metadata"]["accelerator"] == "GPU"
    text = "\n".join(cell["source"] for cell in rest)
    (command,) = re.findall(r"(?m)^!hundredfold (record .*)$", text)
    from hundredfold.toolkit.record.command import command as record

    context = record.make_context("record", shlex.split(command)[1:], resilient_parsing=False)
    assert context.params["minutes"] == 20
    file = str(context.params["output"])
    assert text.count(file) == 2
    form = re.search(r"\((https://github.com/owner/course/issues/new\?template=(\w+\.yml))\)", text)
    assert (ROOT / ".github" / "ISSUE_TEMPLATE" / form[2]).is_file()
    nbformat.validate(nbformat.from_dict(made[colab.RECORD]))


def test_it_is_written_and_what_is_gone_is_removed(tmp_path):
    for folder in ("notebooks", "exercises"):
        (tmp_path / folder).mkdir()
        text = (ROOT / folder / "01_arrays.ipynb").read_text()
        (tmp_path / folder / "01_arrays.ipynb").write_text(text)
    for name in workspace.PACKAGES:
        (tmp_path / "packages" / name).mkdir(parents=True)
        shutil.copy(ROOT / "packages" / name / "pyproject.toml", tmp_path / "packages" / name)
    assert len(colab.write(PUBLIC, tmp_path)) == 3 and colab.write(PUBLIC, tmp_path) == []
    (tmp_path / "exercises/01_arrays.ipynb").unlink()
    assert [file.name for file in colab.write(PUBLIC, tmp_path)] == ["01_arrays_exercises.ipynb"]
    assert unquote(colab.root().name) == ROOT.name


@pytest.mark.parametrize(
    ("hub", "own_network", "works"),
    [
        ("https://hub.example.org", "true", False),
        ("https://anna.hub.example.org", "true", False),
        ("http://127.0.0.1:888", "true", False),
        ("https://hub.example.org", "false", True),
        ("https://other.example.org", "true", True),
    ],
)
def test_links_for_a_hub_whose_servers_reach_no_repository_are_refused(tmp_path, monkeypatch, hub, own_network, works):
    settings = tmp_path / "hub.toml"
    settings.write_text(
        f'[hub]\naddress = "http://127.0.0.1:888"\nsubdomains = "https://hub.example.org"\nown_network = {own_network}\n'
    )
    monkeypatch.setenv("HUNDREDFOLD_HUB", str(settings))
    done = CliRunner().invoke(command, ["1", "--address", "https://github.com/o/n", "--hub", hub])
    assert (done.exit_code == 0) is works, done.output
    assert ("git-pull" in done.output) is works
    if not works:
        assert "own_network = true" in done.output and "set own_network = false" in " ".join(done.output.split())
