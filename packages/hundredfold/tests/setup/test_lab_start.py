"""Opening the lab: what it makes of arguments, ports, browsers and folders. (That it opens is in test_server.py.)"""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hundredfold.setup.lab import Stop, start


@pytest.fixture
def listening():
    """A port that another program holds."""
    with socket.socket() as taken:
        taken.bind((start.ADDRESS, 0))
        taken.listen()
        yield taken.getsockname()[1]


def test_without_a_wish_it_is_the_first_free_port(monkeypatch):
    monkeypatch.setattr(start, "is_free", lambda number: number > 8890)
    assert start.port([]) == 8891


@pytest.mark.parametrize("arguments", [["--port=8899"], ["--port", "8899"], ["--ServerApp.port=8899"]])
def test_a_wish_is_heard_however_it_is_written(monkeypatch, arguments):
    monkeypatch.setattr(start, "is_free", lambda number: True)
    assert start.port(arguments) == 8899
    ours = start._defaults(arguments, Path("/work"))
    assert not [option for option in ours if option.startswith("--ServerApp.port=")], (
        "told twice, Jupyter takes neither"
    )


def test_a_port_is_free_or_not(listening):
    assert not start.is_free(listening)


@pytest.mark.parametrize("wish", ["eight", "-1", "65536", "", "8888x", "８８８８"])
def test_no_port_at_all(wish):
    with pytest.raises(Stop, match=r"no port.*--port=\d+"):
        start.port([f"--port={wish}"])


def test_a_taken_port_names_a_free_one(listening):
    with pytest.raises(Stop, match=rf"Port {listening} is taken.*--port=\d+"):
        start.port([f"--port={listening}"])


def test_no_browser_means_no_browser():
    asked = start._defaults(["--no-browser"], Path("/work"))
    assert not [option for option in asked if "browser" in option]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has sessions without a display")
def test_over_ssh_there_is_no_browser_to_open(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    assert not start.has_browser()
    assert "--ServerApp.open_browser=False" in start._defaults([], Path("/work"))


def test_over_ssh_the_tunnel_is_spelled_out(monkeypatch, capsys):
    class Server:
        port = 8890
        local_url = "http://127.0.0.1:8890/lab/tree/start.md?token=..."
        identity_provider = type("", (), {"token": "5ec3e7"})

    monkeypatch.setenv("SSH_CONNECTION", "192.0.2.7 50000 192.0.2.1 22")
    monkeypatch.setattr(start, "has_browser", lambda: False)
    monkeypatch.setattr(start.getpass, "getuser", lambda: "ada")
    start._announce(Server, Path("/work"))
    lines = capsys.readouterr().out.splitlines()
    assert "http://127.0.0.1:8890/lab/tree/start.md?token=5ec3e7" in lines
    assert "ssh -N -L 8890:127.0.0.1:8890 ada@192.0.2.1" in lines


def test_the_lab_opens_its_start_page_unless_a_syllabus_is_named():
    assert "--LabApp.default_url=/lab/tree/start.md" in start._defaults([], Path("/work"))
    assert "--LabApp.default_url=/lab/workspaces/half-day" in start._defaults(
        [], Path("/work"), "/lab/workspaces/half-day"
    )


def test_help_is_ours_and_a_wrong_port_is_refused_before_anything_is_written(tmp_path, monkeypatch, capsys):
    work = tmp_path / "work"
    monkeypatch.setenv("HUNDREDFOLD_WORK", str(work))
    assert start.main(["--help"]) == 0
    assert "--syllabus=NAME" in capsys.readouterr().out
    assert start.main(["--port=x"]) == 2
    assert "no port" in capsys.readouterr().err and not work.exists()


def test_jupyters_own_options_are_passed_on():
    said = subprocess.run([sys.executable, "-m", "hundredfold.setup.lab", "--version"], capture_output=True, text=True)
    assert said.returncode == 0 and said.stdout.startswith("4.")


@pytest.mark.parametrize("fault", ["a file", "a read-only folder"])
def test_copies_that_cannot_be_made(tmp_path, fault, monkeypatch):
    work = tmp_path / "shelf" / "work"
    work.parent.mkdir()
    if fault == "a file":
        work.write_text("not a folder")
    else:
        real = os.access
        monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != work.parent and real(path, mode))
        monkeypatch.setattr(Path, "mkdir", lambda *a, **k: (_ for _ in ()).throw(OSError(30, "Read-only", str(work))))
    monkeypatch.setenv("HUNDREDFOLD_WORK", str(work))
    with pytest.raises(Stop, match=f"{work}.*HUNDREDFOLD_WORK=~/hundredfold"):
        start._copies()


def test_a_full_disk_ends_in_its_sentence(tmp_path, monkeypatch):
    from hundredfold.notebook import workspace

    def full(*paths):
        raise OSError(28, "No space left on device", str(tmp_path))

    monkeypatch.setenv("HUNDREDFOLD_WORK", str(tmp_path / "work"))
    monkeypatch.setattr(workspace, "refresh", full)
    assert start.main(["--no-browser"]) == 1
    with pytest.raises(Stop, match="disk is full"):
        start._copies()


@pytest.mark.parametrize("home", ["none", "a file", "closed"])
def test_without_a_home_to_write_to_jupyters_files_lie_with_the_copies(tmp_path, monkeypatch, home):
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    place = tmp_path / "home"
    if home == "a file":
        place.write_text("")
    else:
        real = os.access
        shut = tmp_path if home == "none" else place
        monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != shut and real(path, mode))
        if home == "closed":
            place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("HUNDREDFOLD_WORK", str(tmp_path / "work"))
    before = dict(os.environ)
    start._redirect_jupyter_folders()
    new = {name: Path(value) for name, value in os.environ.items() if before.get(name) != value}
    for name in new:
        monkeypatch.setenv(name, os.environ[name])  # so that it is taken away again
    assert set(new) == {"JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"}
    assert len(set(new.values())) == 4 and all(tmp_path / "work" in folder.parents for folder in new.values())


def test_a_home_is_used_where_there_is_one(tmp_path, monkeypatch):
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "new"))
    before = dict(os.environ)
    start._redirect_jupyter_folders()
    assert dict(os.environ) == before and list(tmp_path.iterdir()) == []


def test_ctrl_c_while_the_lab_is_still_being_imported_ends_in_a_sentence(tmp_path):
    code = (
        "import runpy, sys\n"
        "class Slow:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == {!r}: raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Slow())\n"
        "sys.modules.pop('socket', None)\n"
        "runpy.run_module('hundredfold.setup.lab', run_name='__main__')"
    )
    for module in ("hundredfold.setup.lab.start", "socket", "jupyterlab.labapp"):
        env = {**os.environ, "HUNDREDFOLD_WORK": str(tmp_path)}
        said = subprocess.run([sys.executable, "-c", code.format(module)], env=env, capture_output=True, text=True)
        assert said.returncode == 130 and "stopped before the lab was open" in said.stderr, module
        assert "Traceback" not in said.stderr
