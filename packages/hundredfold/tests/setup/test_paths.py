"""Folders: the checkout's, the user's, and what happens where there is no home to write to."""

import os
import sys

import pytest

from gpusim.hardware import paths as simulators
from hundredfold import paths


def test_this_checkout(request):
    assert paths.repository() == request.config.rootpath


def test_variables_decide(tmp_path, monkeypatch):
    for variable, function in [("GPUSIM_CACHE", simulators.cache_dir), ("HUNDREDFOLD_STATE", paths.state_dir)]:
        monkeypatch.setenv(variable, str(tmp_path / "deep" / variable))
        assert function() == tmp_path / "deep" / variable and function().is_dir()


def test_a_variable_that_cannot_be_obeyed_is_heard(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("HUNDREDFOLD_STATE", str(tmp_path / "file" / "below"))
    with pytest.raises(OSError):
        paths.state_dir()


@pytest.mark.skipif(sys.platform != "linux", reason="the XDG rules are Linux's")
def test_user_folders(tmp_path, monkeypatch):
    monkeypatch.delenv("GPUSIM_CACHE"), monkeypatch.delenv("HUNDREDFOLD_STATE")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative, which the rules say to ignore")
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    assert simulators.cache_dir() == tmp_path / ".cache/gpusim"
    assert paths.state_dir() == tmp_path / ".local/state/hundredfold"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "kept"))
    assert paths.state_dir() == tmp_path / "kept/hundredfold"


@pytest.mark.skipif(sys.platform != "linux", reason="the XDG rules are Linux's")
def test_a_home_that_cannot_be_written(tmp_path, monkeypatch):
    monkeypatch.delenv("HUNDREDFOLD_STATE")
    (tmp_path / "home").touch()  # a file: nothing can be made below it, not even by root
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "tmp"))
    spare = paths.state_dir()
    assert spare.is_dir() and spare.is_relative_to(tmp_path / "tmp") and os.access(spare, os.W_OK)


@pytest.mark.skipif(sys.platform != "linux", reason="the XDG rules are Linux's")
@pytest.mark.parametrize("mode", [0o700, 0o755], ids=["their own", "one that others may read"])
def test_progress_of_an_older_version_without_a_home_is_found(tmp_path, monkeypatch, mode):
    """Until gpusim was a package of its own, the folder among the temporary files had the course's name."""
    monkeypatch.delenv("HUNDREDFOLD_STATE")
    (tmp_path / "home").touch()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    before = tmp_path / f"hundredfold-{os.getuid()}/state"
    before.mkdir(parents=True)
    (before / "progress.jsonl").write_text("{}\n")
    before.parent.chmod(mode)
    assert (paths.state_dir() / "progress.jsonl").exists() is (mode == 0o700)
    (paths.state_dir() / "progress.jsonl").write_text("{}\n{}\n")
    before.mkdir(exist_ok=True)
    assert (paths.state_dir() / "progress.jsonl").read_text() == "{}\n{}\n", "what is newer stays"


@pytest.mark.skipif(
    not hasattr(os, "getuid"), reason="Windows gives each user a folder for temporary files of their own"
)
def test_a_temporary_folder_that_others_can_write_or_that_is_a_link_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(simulators, "_unguessable", simulators._unguessable.__wrapped__)
    usual = tmp_path / f"gpusim-{os.getuid()}"
    assert paths.private_temporary() == usual == paths.private_temporary(), "it is found again"
    usual.chmod(0o770)
    assert paths.private_temporary() != usual
    usual.rename(tmp_path / "theirs")
    usual.symlink_to(tmp_path / "theirs")
    made = paths.private_temporary()
    assert made != usual and made.stat().st_mode & 0o777 == 0o700 and not any(made.iterdir())


def test_data_of_the_package_wins_over_the_checkout_s(tmp_path, monkeypatch):
    package, root = tmp_path / "packages/hundredfold/src/hundredfold", tmp_path
    package.mkdir(parents=True)
    (root / "packages/hundredfold/pyproject.toml").write_text('name = "hundredfold"\n')
    monkeypatch.setattr(paths, "_PACKAGE", package)
    with pytest.raises(FileNotFoundError, match="has no 'recordings'"):
        paths.data_dir("recordings")
    (root / "recordings").mkdir()
    assert paths.data_dir("recordings") == root / "recordings"
    (package / "_recordings").mkdir()
    assert paths.data_dir("recordings") == package / "_recordings"


def test_a_wheel_has_no_repository(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path / "lib/python3/site-packages/hundredfold")
    assert paths.repository() is None
    # A neighbour's project file does not make it ours.
    (tmp_path / "packages/hundredfold").mkdir(parents=True)
    (tmp_path / "packages/hundredfold/pyproject.toml").write_text('name = "hundredfold"\n')
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path / "lib" / "python3" / "site" / "hundredfold")
    assert paths.repository() is None


def test_a_package_in_a_folder_near_the_root_has_no_repository(monkeypatch):
    monkeypatch.setattr(paths, "_PACKAGE", type(paths._PACKAGE)("/app/hundredfold"))
    assert paths.repository() is None


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ([], ["00_onboarding", "07_dataframes", "13_dask-dataframes"]),
        (["0"], ["00_onboarding"]),
        (["07_dataframes", "7", "07", "dataframes"], ["07_dataframes"]),
        (["13", "7"], ["13_dask-dataframes", "07_dataframes"]),
    ],
)
def test_a_unit_has_many_names(named, found):
    stems = ["00_onboarding", "07_dataframes", "07_dataframes", "13_dask-dataframes"]
    assert paths.units(named, stems) == found


@pytest.mark.parametrize("name", ["", "3", "007", "frames"])
def test_an_unknown_unit_is_said_beside_those_there_are(name):
    with pytest.raises(paths.UnknownUnit, match=f"There is no unit '{name}'. There are: 01_arrays, 07_dataframes."):
        paths.units(["1", name], ["01_arrays", "07_dataframes"])


@pytest.mark.skipif(os.name == "nt", reason="Windows has no umask")
def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    file = tmp_path / "deep" / "a.json"
    before = os.umask(0o027)
    try:
        paths.write_whole(file, b"old")
    finally:
        assert os.umask(before) == 0o027, "the umask is as it was"
    assert file.read_bytes() == b"old" and file.stat().st_mode & 0o777 == 0o640
    paths.write_whole(file, b"new", 0o604, sync=True)
    assert file.read_bytes() == b"new" and file.stat().st_mode & 0o777 == 0o604

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="no space"):
        paths.write_whole(file, b"newer")
    assert file.read_bytes() == b"new" and os.listdir(file.parent) == ["a.json"]
