"""Open JupyterLab on the learner's copies: `python -m hundredfold.setup.lab [--syllabus=NAME] [arguments for JupyterLab]`."""

from __future__ import annotations

import getpass
import logging
import os
import secrets
import socket
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from hundredfold import paths

from . import Stop, WrongUse, disk_full, is_full

FIRST_PORT, PORTS = 8888, 100
ADDRESS = "127.0.0.1"
HELP = """\
Usage: hundredfold lab [OPTIONS]

  Open JupyterLab on your own copies of the notebooks.

Options:
  --syllabus=NAME  Open a plan, such as half-day; `hundredfold syllabus` lists
                   them.
  --no-browser     Print the address, and open no browser.
  --port=NUMBER    Listen on this port; by default the first free one from
                   8888 on.
  --help-all       Show the options of JupyterLab, which can be given, too.
  -h, --help       Show this message and exit."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Refresh the copies, start JupyterLab and stay until it ends; return the exit status."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _start(arguments)
    except Stop as stop:
        print(f"Hundredfold: {stop}", file=sys.stderr)
        return 2 if isinstance(stop, WrongUse) else 1
    except KeyboardInterrupt:
        print("\nHundredfold: stopped before the lab was open; `make lab` opens it.", file=sys.stderr)
        return 130


def _start(arguments: list[str]) -> int:
    _redirect_jupyter_folders()
    paths.own_lab()
    from jupyterlab.labapp import LabApp

    if {"-h", "--help"} & {*arguments}:
        print(HELP)
        return 0
    if {"--help-all", "--version", "--generate-config"} & {*arguments}:
        LabApp.launch_instance(argv=arguments)
        return 0
    from hundredfold.notebook import workspace

    page, arguments = _page(arguments)
    # What is wrong with the arguments is said before anything is written.
    options = [*arguments, *_defaults(arguments, workspace.folder(), page)]
    work = _copies()
    logging.getLogger("ServerApp").addFilter(_worth_reading)
    server = LabApp.initialize_server(argv=options)
    server.io_loop.add_callback(_announce, server, work)
    server.start()
    print("The lab is closed; what you did is in", work, flush=True)
    return 0


def _redirect_jupyter_folders() -> None:
    """Where the home folder cannot be written to, or there is none, keep what Jupyter and IPython put there with the copies.

    What runs now (addresses of kernels) is for this user's eyes: Jupyter makes those files so, wherever they are.
    """
    from jupyter_core import paths as jupyter

    from hundredfold.notebook import workspace

    elsewhere = workspace.folder() / ".hundredfold" / "home"
    usual = {
        "JUPYTER_CONFIG_DIR": jupyter.jupyter_config_dir(),
        "JUPYTER_DATA_DIR": jupyter.jupyter_data_dir(),
        "JUPYTER_RUNTIME_DIR": jupyter.jupyter_runtime_dir(),
        "IPYTHONDIR": os.environ.get("IPYTHONDIR") or os.path.expanduser("~/.ipython"),
    }
    for variable, folder in usual.items():
        if not _can_hold_files(Path(folder)):
            os.environ[variable] = str(elsewhere / variable.partition("DIR")[0].strip("_").lower())


def _can_hold_files(folder: Path) -> bool:
    """Whether this user can write into a folder, or could once it is made."""
    there = next((place for place in (folder, *folder.parents) if os.path.exists(place)), folder)
    return os.path.isdir(there) and os.access(there, os.W_OK | os.X_OK)


def _copies() -> Path:
    from hundredfold.notebook import workspace

    work = workspace.folder()
    try:
        said = str(workspace.refresh())
    except OSError as error:
        if is_full(error):
            raise disk_full() from None
        raise Stop(
            f"Your copies cannot be put into {work} ({error.strerror}): name a folder of your own for them, "
            "as in `HUNDREDFOLD_WORK=~/hundredfold make lab`."
        ) from None
    if said:
        print(said, flush=True)
    return work


def _page(arguments: list[str]) -> tuple[str | None, list[str]]:
    """The address of the syllabus that the arguments name, if they do, and what is left for JupyterLab."""
    asked = _given(arguments, "syllabus")
    if asked is None:
        return None, arguments
    from hundredfold.classroom import syllabi

    try:
        name = syllabi.find(asked).name
    except syllabi.UnknownSyllabusError as error:
        raise WrongUse(str(error)) from None
    at = next(i for i, argument in enumerate(arguments) if argument.partition("=")[0] == "--syllabus")
    taken = 1 if "=" in arguments[at] else 2
    return f"/lab/workspaces/{name}", [*arguments[:at], *arguments[at + taken :]]


def _defaults(arguments: list[str], work: Path, page: str | None = None) -> list[str]:
    """Our options for JupyterLab, less those that the arguments set: told twice, Jupyter takes neither."""
    ours = {
        "--ServerApp.ip": ADDRESS,
        "--ServerApp.port": str(port(arguments)),
        "--ServerApp.port_retries": "0" if _given(arguments, "port") else str(PORTS),
        "--ServerApp.root_dir": str(work),
        "--ServerApp.answer_yes": "True",  # Ctrl-C stops at once; notebooks are saved as they change
        "--ServerApp.log_level": "WARN",
        "--LabApp.log_level": "WARN",
        "--LabApp.default_url": page or "/lab/tree/start.md",
        "--LabApp.workspaces_dir": str(work / ".hundredfold" / "workspaces"),
        # On a machine that several learners share, what a kernel says is not for the others.
        "--KernelManager.transport_encryption": "auto",
        "--IdentityProvider.token": os.environ.get("JUPYTER_TOKEN") or secrets.token_hex(24),
    }
    if hasattr(os, "geteuid") and os.geteuid() == 0 and "--allow-root" not in arguments:
        ours["--ServerApp.allow_root"] = (
            "True"  # in containers one is root; the lab listens only to this machine, with a token
        )
    if not any(argument in ("--no-browser", "--browser") or "open_browser" in argument for argument in arguments):
        ours["--ServerApp.open_browser"] = str(has_browser())
    return [f"{name}={value}" for name, value in ours.items() if not _given(arguments, name.rpartition(".")[2])]


def _given(arguments: list[str], name: str) -> str | None:
    """The value that the arguments give an option: `--port=1`, `--port 1`, `--ServerApp.port=1`; None if they do not."""
    names = {name, name.replace("_", "-"), {"root_dir": "notebook-dir"}.get(name, name)}
    for argument, following in zip(arguments, [*arguments[1:], ""], strict=False):
        option, equals, value = argument.partition("=")
        if option.startswith("--") and option[2:].rpartition(".")[2] in names:
            return value if equals else following
    return None


def port(arguments: list[str]) -> int:
    """The port to listen on: the one asked for, which has to be free, else the first free one from 8888 on."""
    asked = _given(arguments, "port")
    free = next((number for number in range(FIRST_PORT, FIRST_PORT + PORTS) if is_free(number)), 0)
    if asked is None:
        return free
    if not asked.isascii() or not asked.isdigit() or not 0 <= int(asked) <= 65535:
        raise WrongUse(f"--port={asked} is no port: give a number up to 65535, such as --port={free}.")
    if not is_free(int(asked)):
        why = "taken, perhaps by a lab that is still running" if int(asked) > 1023 else "not yours to use"
        raise Stop(f"Port {asked} is {why}: use a free one (`make lab ARGS='--port={free}'`), or leave --port out.")
    return int(asked)


def is_free(number: int) -> bool:
    """Whether this machine lets us listen on a port."""
    with socket.socket() as probe:
        if os.name == "posix":  # as Jupyter does: a port that was in use a moment ago is free
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ADDRESS, number))
        except OSError:
            return False
        return True


def has_browser() -> bool:
    """Whether there is a browser with a window: over ssh there is none, and a text browser is of no use."""
    if sys.platform.startswith("linux") and not any(
        os.environ.get(v) for v in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    ):
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def _worth_reading(record: logging.LogRecord) -> bool:
    """Leave out what Jupyter remarks about packages that the learner cannot change."""
    return "_jupyter_server_extension_points" not in record.getMessage()


def _announce(server: object, work: Path) -> None:
    """Print the address on a line of its own, so that it can be copied, and read by programs."""
    print(f"The lab is open. Your copies are in {work}; Ctrl-C here closes it. Its address:\n")
    token = server.identity_provider.token
    print(server.local_url.partition("?")[0] + (f"?token={token}" if token else ""))
    if os.environ.get("SSH_CONNECTION") and not has_browser():
        here = os.environ["SSH_CONNECTION"].split()[2]
        tunnel = f"ssh -N -L {server.port}:{ADDRESS}:{server.port} {getpass.getuser()}@{here}"
        print(f"\nIt is open on this machine only. On your own, run this first, then open the address there:\n{tunnel}")
    print(flush=True)
