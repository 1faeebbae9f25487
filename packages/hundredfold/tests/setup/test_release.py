"""`make release`: one version everywhere, notes from the changelogs, and sentences where it cannot go on."""

import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hundredfold.setup.lab import Stop, release

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def copy(tmp_path):
    """The files that repeat the version, and no others."""
    for file in [*release.PLACES, *release.LOGS.values()]:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    return tmp_path


def test_all_places_have_the_version_of_the_root():
    assert release.VERSION.fullmatch(release.source(ROOT))


def test_a_version_is_written_to_all_places(copy):
    assert set(release.put(copy, "9.8.7")) == set(release.PLACES)
    assert release.source(copy) == "9.8.7"
    course = (copy / "packages/hundredfold/pyproject.toml").read_text()
    assert '"gpusim[all]>=9.8,<9.9"' in course and '"kernellens>=9.8,<9.9"' in course
    assert release.put(copy, "9.8.7") == []


@pytest.mark.parametrize("file", [file for file in release.PLACES if file != "pyproject.toml"])
def test_a_place_that_was_forgotten_is_named(copy, file):
    text = (copy / file).read_text()
    (copy / file).write_text(text.replace(release.source(copy), "9.8.7"))
    with pytest.raises(Stop, match=f"{file}: not at version"):
        release.source(copy)


def test_notes_are_the_changelogs_sections(copy, tmp_path):
    archive = tmp_path / "a.whl"
    archive.write_bytes(b"a")
    for file in release.LOGS.values():
        (copy / file).write_text(f"# Changelog\n\n## 1.1.0, 2027-01-01\n\nNew in {file}.\n\n## 1.0.0\n\nOld.\n")
    text = release.notes(copy, "1.1.0", [archive], ["3.12"])
    assert all(f"New in {file}." in text for file in release.LOGS.values()) and "Old." not in text
    assert "under Python 3.12 on Linux" in text
    assert "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb` a.whl" in text  # sha256 of "a"
    with pytest.raises(Stop, match="says nothing about 2.0.0"):
        release.notes(copy, "2.0.0", [], [])


def test_a_changelog_without_a_date_is_no_release(copy, monkeypatch):
    monkeypatch.setattr(release, "ROOT", copy)
    for number, file in enumerate(release.LOGS.values()):
        when = "2027-01-01" if number else "not released yet"
        (copy / file).write_text(f"# Changelog\n\n## 1.1.0, {when}\n\nNew.\n\n## 1.0.0, not released yet\n\nOld.\n")
    release._begin("1.1.0", rehearsal=True)
    with pytest.raises(Stop, match=r"^CHANGELOG\.md: `## 1\.1\.0, not released yet` waits for a date"):
        release._begin("1.1.0", rehearsal=False)


def test_a_rehearsal_leaves_what_is_to_be_uploaded_alone(copy, monkeypatch):
    places = []

    def written(_, place):
        places.append(place.relative_to(copy).as_posix())
        place.mkdir(parents=True)
        return []

    monkeypatch.setattr(release, "ROOT", copy)
    monkeypatch.setattr(release.environment, "ready", lambda **_: None)
    monkeypatch.setattr(release, "commit", lambda: "")
    monkeypatch.setattr(release.beside, "checks", lambda: copy / "bin" / "python")
    monkeypatch.setattr(release, "_do", lambda *_: None)
    monkeypatch.setattr(release, "tried_in", lambda *_: False)
    monkeypatch.setattr(release, "archives", written)
    monkeypatch.setattr(release, "site", lambda version, place: written(version, place) or place)
    assert release.command(["--rehearse"]) == 0
    version = release.source(copy)
    assert places == [f"dist/rehearsal/{version}", "dist/rehearsal/site"]
    assert [file.parent for file in copy.rglob("notes.md")] == [copy / places[0]]


def test_the_switch_has_the_newest_first_and_whole_paths():
    found = release.versions(["0.9.0", "0.10.0"], "/course")
    assert [(each["version"], each["url"], each["preferred"]) for each in found] == [
        ("0.10.0", "/course/0.10.0/", True),
        ("0.9.0", "/course/0.9.0/", False),
    ]
    assert release.versions(["0.9.0"], "/")[0]["url"] == "/0.9.0/"


def test_the_tag_is_on_the_commit_that_was_built_and_keeps_the_notes_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(release, "ROOT", tmp_path)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for each in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "one"]):
        subprocess.run([*git, *each], cwd=tmp_path, check=True)
    for name, value in (("NAME", "a"), ("EMAIL", "a@example.org")):
        monkeypatch.setenv(f"GIT_COMMITTER_{name}", value)
    built = release.commit()
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "two"], cwd=tmp_path, check=True)
    notes = tmp_path / "notes.md"
    notes.write_text("# Hundredfold 1.1.0\n\n## gpusim\n\n### Fixed\n\n- A hole.\n")
    release.tag("1.1.0", built, notes)
    asked = ["git", "for-each-ref", "--format=%(*objectname) %(contents)", "refs/tags/v1.1.0"]
    said = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert said.split(" ", 1) == [built, notes.read_text() + "\n"]


def test_a_python_that_pyenv_keeps_is_found_behind_its_shim(tmp_path):
    installer = release.uv.find() or release.uv.bring(release.environment.LOG)
    name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    shim = tmp_path / "shims" / name
    kept = tmp_path / "versions" / platform.python_version() / "bin" / name
    for each in (shim, kept):
        each.parent.mkdir(parents=True)
    shim.write_text("#!/bin/sh\necho pyenv: command not found >&2\nexit 127\n")
    shim.chmod(0o755)
    kept.symlink_to(sys._base_executable)
    env = {"PATH": str(shim.parent), "PYENV_ROOT": str(tmp_path), "HOME": str(tmp_path)}
    assert Path(release.interpreter(installer, name.removeprefix("python"), env)) == kept
    assert release.interpreter(installer, "3.99", env) == ""


def test_without_git_it_ends_in_a_sentence(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(Stop, match="git is needed"):
        release.commit()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["--set"], "three numbers"), (["--set", "1.0"], "three numbers"), (["--upload"], "no option")],
)
def test_bad_arguments_end_in_a_sentence(arguments, said):
    with pytest.raises(Stop, match=said):
        release.command(arguments)
