"""An image built for real with buildah, and containers made of it with namespaces of Linux alone: no daemon is needed, only root.

A container has a root file system that is mounted read-only, processes, a network and temporary files of its own, a home volume, and the
image's user, environment and entry point as they stand in the image.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "docker" / "Dockerfile"
PROGRAMS = {"buildah": "buildah", "debootstrap": "debootstrap", "unshare": "util-linux", "ip": "iproute2"}
#: For what hangs: a busy machine may take ten times as long as a quiet one (seconds).
PATIENCE = 600.0


def until(what, ask, patience=PATIENCE, pause=0.25):
    """Ask until the answer is true, and return it; give up with `what` was waited for."""
    end = time.monotonic() + patience
    while not (answer := ask()):
        assert time.monotonic() < end, f"{what}: not within {patience:g} s"
        time.sleep(pause)
    return answer


class Store:
    """Images in a folder. HUNDREDFOLD_IMAGES names one that is kept, so that what is built stays between runs."""

    def __init__(self):
        missing = [package for program, package in PROGRAMS.items() if shutil.which(program) is None]
        assert not missing, f"apt-get install --no-install-recommends {' '.join(missing)}"
        assert os.geteuid() == 0, "the images' tests make namespaces and change owners: run them as root"
        kept = os.environ.get("HUNDREDFOLD_IMAGES")
        self._own = None if kept else tempfile.mkdtemp(prefix="hundredfold-images-", dir="/var/tmp")
        self.folder = Path(kept or self._own)
        self.containers = []

    def buildah(self, *arguments, **more):
        where = ["--root", self.folder / "store", "--runroot", self.folder / "run", "--storage-driver", "vfs"]
        done = subprocess.run(
            ["buildah", *map(str, where), *map(str, arguments)], capture_output=True, text=True, check=False, **more
        )
        assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
        return done.stdout.strip()

    def has(self, name):
        return name in self.buildah("images", "--format", "{{.Name}}:{{.Tag}}").splitlines()

    def base(self):
        """What the Dockerfile's FROM names, made of Debian's packages where no registry can be asked for it."""
        name = re.search(r"^ARG BASE=(\S+)", DOCKERFILE.read_text(), re.M)[1]
        if self.has(name):
            return name
        suite = name.rpartition("-slim-")[2]
        folder = self.folder / "base"
        shutil.rmtree(folder, ignore_errors=True)
        make = [
            "debootstrap",
            "--variant=minbase",
            "--include=python3,python3-venv,ca-certificates",
            suite,
            str(folder),
        ]
        done = subprocess.run(make, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:]
        # As in the image of that name: Python in /usr/local, nothing of apt's left, no manuals and translations.
        for link in ("python", "python3"):
            (folder / "usr/local/bin" / link).symlink_to("/usr/bin/python3")
        for place in ("var/cache/apt", "var/lib/apt/lists", "usr/share/doc", "usr/share/man", "usr/share/locale"):
            for each in (folder / place).iterdir():
                shutil.rmtree(each) if each.is_dir() and not each.is_symlink() else each.unlink()
        wanted = re.search(r"python:(\d+\.\d+)-", name)[1]
        assert (folder / f"usr/bin/python{wanted}").exists(), f"{suite} has another Python than {name}"
        container = self.buildah("from", "scratch")
        self.buildah("add", container, folder, "/")
        self.buildah("commit", "--rm", "--quiet", container, name)
        shutil.rmtree(folder)
        return name

    def build(self, target, *options):
        """The image of this target, from the Dockerfile as it stands; returns how many seconds that took (None: it was there)."""
        self.base()
        name = f"localhost/hundredfold:{target}"
        if self.has(name):
            return None
        secrets = {"ca": authority(), "pip": "/dev/null", "uv": "/dev/null"}
        asked = [f"--secret=id={name},src={source}" for name, source in secrets.items()]
        began = time.monotonic()
        with tempfile.NamedTemporaryFile("w", suffix=".Dockerfile") as file:
            file.write(only(DOCKERFILE.read_text(), target))
            file.flush()
            ignored = f"--ignorefile={DOCKERFILE}.dockerignore"
            # Labels are in Docker's format, health checks are in it alone.
            told = ["--isolation=chroot", "--pull-never", "--format=docker", ignored, f"--target={target}", *asked]
            labels = [
                "--build-arg=REVISION=0123456789abcdef0123456789abcdef01234567",
                "--build-arg=SOURCE=https://example.org/it",
            ]
            self.buildah("bud", *told, *labels, *options, "-f", file.name, "-t", name, ".", cwd=ROOT)
        return time.monotonic() - began

    def image(self, target):
        name = f"localhost/hundredfold:{target}"
        container = f"hundredfold-tests-{target}"
        if container not in self.buildah("containers", "--format", "{{.ContainerName}}").splitlines():
            self.buildah("from", "--pull-never", "--name", container, name)
        if self._own:
            self.containers.append(container)  # else it is there for the next run: it is never written to
        told = json.loads(self.buildah("inspect", "--type", "image", name))["Docker"]["config"]
        return Image(Path(self.buildah("mount", container)), told)

    def close(self):
        for container in self.containers:
            self.buildah("rm", container)
        if self._own:
            shutil.rmtree(self._own, ignore_errors=True)


def authority():
    """The file with whom this machine trusts on the network, for what is built on it; /dev/null where there is none."""
    file = os.environ.get("SSL_CERT_FILE") or "/etc/ssl/certs/ca-certificates.crt"
    return file if Path(file).exists() else "/dev/null"


def stages(dockerfile):
    """The stages of a Dockerfile: what stands before the first, and a list of (name, text)."""
    parts = re.split(r"(?m)^(?=FROM )", dockerfile)
    named = [(re.match(r"FROM \S+(?: AS (\S+))?", part)[1], part) for part in parts[1:]]
    return parts[0], named


def only(dockerfile, target):
    """The Dockerfile without stages that the target does without: older buildahs would build them."""
    before, named = stages(dockerfile)
    texts = {name: text for name, text in named if name}
    wanted, look = set(), [target]
    while look:
        name = look.pop()
        if name in texts and name not in wanted:
            wanted.add(name)
            look += re.findall(r"(?:^FROM |--from=|from=)([\w-]+)", texts[name], re.M)
    return before + "".join(text for name, text in named if name in wanted)


class Image:
    """An image's file system and what is written on it."""

    def __init__(self, folder, config):
        self.folder = folder
        self.environment = dict(each.split("=", 1) for each in config["Env"])
        self.user, self.workdir = config["User"], config["WorkingDir"]
        self.entrypoint, self.cmd = config["Entrypoint"], config.get("Cmd") or []
        self.labels, self.health = config["Labels"], config.get("Healthcheck", {}).get("Test", [])

    def size(self):
        """Bytes of all files, hard links once: what the layers hold, uncompressed."""
        seen, total = set(), 0
        for folder, _, files in os.walk(self.folder):
            for name in files:
                found = os.lstat(os.path.join(folder, name))
                if (found.st_dev, found.st_ino) not in seen:
                    seen.add((found.st_dev, found.st_ino))
                    total += found.st_size
        return total

    def container(self, home, **more):
        return Container(self, home, **more)


class Container:
    """One container: `run` for a command that ends, `start` for a server, `exec` for a command beside it."""

    def __init__(self, image, home, environment=None, mounts=None, user="1000:100"):
        self.image, self.home, self.user = image, Path(home), user
        self.environment = {**image.environment, **(environment or {})}
        self.mounts = mounts or {}
        self.process, self.log = None, None

    def _command(self, words):
        """The command line that makes the namespaces and then becomes these words, as the image's user."""
        root = self.image.folder
        script = ["set -e", "ip link set lo up", f"mount --bind {root} {root}", f"mount -t proc proc {root}/proc"]
        script += [f"mount --rbind /dev {root}/dev", f"mount -t tmpfs -o mode=1777 tmp {root}/tmp"]
        for inside, outside in {"/home/jovyan": self.home, **self.mounts}.items():
            script.append(f"mount --bind {shlex.quote(str(outside))} {root}{inside}")
        script.append(f"mount -o remount,bind,ro {root}")
        script.append(f"exec {shlex.join(self._enter(words))}")
        return [
            "unshare",
            "--mount",
            "--net",
            "--pid",
            "--fork",
            "--kill-child",
            "--propagation=private",
            "sh",
            "-c",
            "\n".join(script),
        ]

    def _enter(self, words):
        pairs = [f"{name}={value}" for name, value in self.environment.items()]
        return [
            "chroot",
            f"--userspec={self.user}",
            "--groups=",
            str(self.image.folder),
            "/usr/bin/env",
            "-i",
            "-C",
            self.image.workdir,
            *pairs,
            *words,
        ]

    def run(self, *words, timeout=PATIENCE, **more):
        """What `docker run IMAGE WORDS` would do."""
        line = self._command([*self.image.entrypoint, *(words or self.image.cmd)])
        return subprocess.run(line, capture_output=True, text=True, timeout=timeout, check=False, **more)

    @contextlib.contextmanager
    def start(self, *words):
        """What `docker run -d` and, at the end, `docker stop` would do."""
        with tempfile.NamedTemporaryFile("w+", suffix=".log") as log:
            self.log = log.name
            line = self._command([*self.image.entrypoint, *(words or self.image.cmd)])
            self.process = subprocess.Popen(line, stdout=log, stderr=log)
            try:
                yield self
            finally:
                self.stop()

    def first(self):
        """The process, as this machine numbers it, that is the container's first; it is waited for."""
        asked = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")

        def look():
            assert self.process.poll() is None, self.said()
            return asked.read_text().split()

        return int(until("the container's first process", look, 120)[0])

    def stop(self):
        """Ask the container's first process to end, and wait; return the exit status."""
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError, AssertionError):
                os.kill(self.first(), signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(60)
                raise
        return self.process.returncode

    def said(self):
        return Path(self.log).read_text()

    def exec(self, *words, timeout=PATIENCE, **more):
        """What `docker exec CONTAINER WORDS` would do."""
        line = ["nsenter", "-t", str(self.first()), "-m", "-n", "-p", *self._enter(words)]
        return subprocess.run(line, capture_output=True, text=True, timeout=timeout, check=False, **more)

    def healthy(self):
        """Ask as Docker does; return whether the exit status is 0."""
        assert self.process.poll() is None, self.said()
        return self.exec(*self.image.health[1:]).returncode == 0
