#!/opt/hundredfold/bin/python
"""What the image does when it starts.

    (nothing), or options of JupyterLab     the lab, with a token, on HUNDREDFOLD_ADDRESS and port 8888
    jupyterhub-singleuser [options]         a learner's server of a hub; so, too, where a hub's token is in the environment
    anything else                           that command: bash, hundredfold-nbval, hundredfold doctor, jupyter lab …

Before a server, the learner's copies of the course are brought up to date in the home volume; what the learner changed stays. What
would make the server fail, or lose what is done in it, is said first, in a sentence for whoever can fix it.
"""

import errno
import json
import os
import pwd
import sys
import tempfile
import time
import urllib.error
import urllib.request
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from hundredfold import paths
from hundredfold.classroom.seats.home import home_full, redirect_jupyter_folders

PORT = "8888"
#: A clock that differs by more (seconds) makes logins and certificates fail.
SKEW = 120.0
SERVERS = ("jupyterhub-singleuser", "jupyter", "jupyter-lab", "jupyter-notebook", "jupyter-server")


def main(arguments):
    """Become what the arguments ask for. Returns only with an exit status."""
    if arguments and not arguments[0].startswith("-") and arguments[0] not in SERVERS:
        return become(*arguments)
    hub = arguments[:1] == ["jupyterhub-singleuser"] or not arguments and bool(os.environ.get("JUPYTERHUB_API_TOKEN"))
    hub = hub or bool(os.environ.get("JUPYTERHUB_API_TOKEN")) and arguments[0].startswith("-")
    home = Path(os.environ.get("HOME") or pwd.getpwuid(os.getuid()).pw_dir)
    if closed := home_closed(home):
        say(closed)
        return serve_sentence(closed, home) if hub else 78  # EX_CONFIG
    told = [home_full(home), clock(), driver()]
    if hub:
        told += [about_the_hub()]
    told = [sentence for sentence in told if sentence]
    for sentence in told:
        say(sentence)
    # The lab shows these to the learner, too (hundredfold.classroom.seats.notice).
    os.environ["HUNDREDFOLD_NOTICES"] = json.dumps(told)
    if home_full(home):
        redirect_jupyter_folders()
    paths.own_lab()
    if hub:
        return hub_server(arguments[1:] if arguments[:1] == ["jupyterhub-singleuser"] else arguments, home)
    if arguments and arguments[0] in SERVERS:  # Binder's own words
        refresh()
        return become(*arguments)
    os.environ.pop("JUPYTER_PORT", None)
    ours = [f"--ServerApp.ip={os.environ.get('HUNDREDFOLD_ADDRESS') or '127.0.0.1'}"]
    if not any(argument.partition("=")[0] in ("--port", "--ServerApp.port") for argument in arguments):
        ours.append(f"--ServerApp.port={PORT}")
    if home_full(
        home
    ):  # `hundredfold.setup.lab` would rightly refuse to make copies; a plain lab is there to make room with
        work = Path(os.environ.get("HUNDREDFOLD_WORK") or home / "hundredfold")
        ours.append(f"--ServerApp.root_dir={work if work.is_dir() else home}")
        return become(sys.executable, "-m", "jupyterlab", "--no-browser", *ours, *arguments)
    return become(sys.executable, "-m", "hundredfold.setup.lab", "--no-browser", *ours, *arguments)


def become(*command):
    """Run a command in this process's place."""
    sys.stdout.flush()
    try:
        os.execvp(command[0], list(command))
    except OSError as error:
        say(f"{command[0]} cannot be run in this image ({error.strerror}).")
        return 127


def say(sentence):
    """To the container's log, which whoever started it reads."""
    print(f"Hundredfold: {sentence}", file=sys.stderr, flush=True)


def refresh():
    """Bring the learner's copies up to date."""
    from hundredfold.notebook import workspace

    try:
        if said := str(workspace.refresh()):
            print(said, flush=True)
    except (OSError, TimeoutError) as error:
        say(f"{workspace.folder()} could not be brought up to date ({error}); the server starts as it is.")


def hub_server(arguments, home):
    """Become `jupyterhub-singleuser`, on the copies, which `hundredfold.classroom.seats.server` refreshes."""
    work = os.environ.get("JUPYTERHUB_ROOT_DIR") or os.environ.get("HUNDREDFOLD_WORK") or str(home / "hundredfold")
    os.environ["JUPYTERHUB_ROOT_DIR"] = work
    os.environ.setdefault("JUPYTERHUB_DEFAULT_URL", "/lab/tree/start.md")
    return become(sys.executable, "-m", "hundredfold.classroom.seats.server", *arguments)


# ---- The home volume.


def home_closed(home):
    """A sentence if this user can write nothing to the home folder, else None."""
    uid, gid = os.getuid(), os.getgid()
    fix = f"chown -R {uid}:{gid} on the volume fixes it (on Kubernetes, `fsGid: {gid}`)"
    try:
        owner = home.stat().st_uid
    except OSError:
        return f"There is no home folder {home}: mount the learner's volume there. An administrator can fix that."
    try:
        with tempfile.TemporaryFile(dir=home):
            return None
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return None  # full, and not closed
        if error.errno == errno.EROFS:
            return f"The home volume {home} is mounted read-only, so nothing could be saved: mount it writable."
        whose = "root" if owner == 0 else f"user {owner}"
        return (
            f"The home volume {home} belongs to {whose} and the lab runs as user {uid}, so nothing could be saved and the lab did "
            f"not start; what is on the volume is as it was. An administrator can fix it: {fix}."
        )


def serve_sentence(sentence, home):
    """Be a page with that sentence where the hub expects the server, so that the learner reads it, until the volume is fixed."""
    told = urlsplit(os.environ.get("JUPYTERHUB_SERVICE_URL") or f"http://0.0.0.0:{PORT}/")
    server = HTTPServer((told.hostname or "0.0.0.0", told.port or int(PORT)), page(sentence))
    server.timeout = 5
    while home_closed(home):
        server.handle_request()
    say("The home volume can be written to now: start the server again.")
    return 0


def page(sentence):
    """A handler that answers everything with the sentence, for whoever is a guest of the hub; it holds nothing of the learner's."""
    text = sentence.replace("&", "&amp;").replace("<", "&lt;")
    body = (
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        "<meta http-equiv=refresh content=15><title>The lab cannot start</title>"
        "<style>:root{color-scheme:light dark}body{font:1.1rem/1.5 system-ui;max-width:40rem;margin:4rem auto;padding:0 1rem}</style>"
        f"<h1>The lab cannot start yet</h1><p>{text}</p><p>Tell your instructor. When it is fixed, this page says that the server "
        "has stopped: start it again.</p>"
    ).encode()

    class Sentence(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        do_HEAD = do_GET

        def log_message(self, *said):
            pass

    return Sentence


# ---- The clock, the driver, the hub.


def clock(built=Path(sys.prefix) / "share" / "hundredfold" / "built", now=None):
    """A sentence if it is earlier here than when the image was made, else None."""
    now = time.time() if now is None else now
    try:
        made = datetime.fromisoformat(built.read_text().strip()).timestamp()
    except (OSError, ValueError):
        return None
    if now > made - 86400:
        return None
    return (
        f"This machine's clock says {day(now)}, and this image was made on {day(made)}: logins and certificates will be refused as not "
        "yet valid. An administrator sets the host's clock (`timedatectl set-ntp true`)."
    )


def driver(image=None, probe=None):
    """A sentence if the host's driver cannot run this image's CUDA, else None; a GPU is then simulated."""
    image = os.environ.get("HUNDREDFOLD_IMAGE", "") if image is None else image
    if image not in ("cu12", "cu13"):
        return None
    from gpusim import hardware
    from gpusim.hardware import packages

    found = hardware.probe() if probe is None else probe
    need = next(each for each in packages.NEEDS if each.extra == image)
    allowed = packages.driver_allows(found)
    if not found.present or allowed is None or allowed >= need.cuda:
        return None
    os.environ.setdefault("GPUSIM_SIMULATE", "1")
    other = "the image cu12 works with it" if image == "cu13" and allowed >= (12, 0) else "the image cpu does without"
    named = f"driver {found.driver or found.kernel_driver}" if found.driver or found.kernel_driver else "driver"
    return (
        f"The host's {named} allows CUDA {allowed[0]}.{allowed[1]} and this image ({image}) needs driver {need.driver} or newer, so GPUs "
        f"are simulated. An administrator updates the host's driver, or starts another image: {other}."
    )


def about_the_hub(now=None):
    """A sentence if the hub is of another major version or its clock is another, else None."""
    address = os.environ.get("JUPYTERHUB_API_URL")
    if not address or not address.startswith("http") or "+unix" in address:
        return None
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(address.rstrip("/") + "/", timeout=10) as answer:
            told, theirs = answer.headers.get("Date"), json.load(answer).get("version", "")
    except (OSError, ValueError, AttributeError) as error:
        return f"The hub does not answer at {address} ({error}), so this server could not be used: the hub's network policy must let it in."
    from importlib.metadata import version

    mine, sentences = version("jupyterhub"), []
    if theirs and theirs.split(".")[0] != mine.split(".")[0]:
        sentences.append(
            f"The hub is JupyterHub {theirs} and this image has {mine}: logging in may fail. An administrator builds the image with "
            f"`--build-arg JUPYTERHUB_VERSION={theirs}`, or updates the hub."
        )
    try:
        off = (time.time() if now is None else now) - parsedate_to_datetime(told).timestamp()
    except (TypeError, ValueError):
        off = 0.0
    if abs(off) > SKEW:
        sentences.append(
            f"This machine's clock is {abs(off):.0f} s {'ahead of' if off > 0 else 'behind'} the hub's: logins and certificates will be "
            "refused. An administrator sets both clocks (`timedatectl set-ntp true`)."
        )
    return " ".join(sentences) or None


def day(seconds):
    return datetime.fromtimestamp(seconds, UTC).strftime("%-d %B %Y")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
