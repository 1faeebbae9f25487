"""nbgrader's kernels in containers: an answer then runs without the grader's rights.

`nbgrader autograde` runs learners' code as whoever calls it: it can read and write all that they can, other learners' work and the
gradebook among it. With `InContainer` as nbgrader's kernel manager, each notebook's kernel runs in a container of its own, which has
no network, no file of the machine's, and of its rights none. Kernel and nbgrader meet in two folders, by Unix sockets, and between
them is a process of ours (`contained.py`), which ends a notebook that says too much or takes too long.

It does not make points honest: kernel and checks are one process, and whoever wants to can change it there.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from typing import Any

from jupyter_client.manager import AsyncKernelManager
from traitlets import Integer, List, Unicode

#: Who the kernel is: not the grader, so that nothing of the grader's is its own. By the number, on every Linux.
NOBODY = 65534


class InContainer(AsyncKernelManager):
    """A kernel manager that starts its kernel by ``docker run``, or Podman's."""

    program = Unicode("docker", config=True, help="docker or podman.")
    image = Unicode(
        "hundredfold:cpu", config=True, help="An image with Hundredfold: docker/README.md says how it is built."
    )
    limits = List(
        Unicode(),
        ["--memory=4g", "--memory-swap=4g", "--cpus=2", "--pids-limit=512"],
        config=True,
        help="What each container may use, as options.",
    )
    seconds = Integer(3600, config=True, help="So long a notebook may take, with all of its cells.")
    most = Integer(
        16 << 20, config=True, help="So many bytes nbgrader and a notebook's kernel may say, outputs among them."
    )

    def __init__(self, **named: Any) -> None:
        super().__init__(**named)
        self.container = f"hundredfold-grading-{secrets.token_hex(6)}"
        self._folder = tempfile.mkdtemp(prefix="hf-grading-")  # of this user alone; sockets' names have to be short
        self._inside = os.path.join(self._folder, "inside")  # what the container sees as that folder
        os.mkdir(self._inside)
        os.chmod(self._inside, 0o777)  # the kernel is another user, and makes its sockets there
        self.transport = "ipc"
        self.ip = os.path.join(self._folder, "kernel")
        self.connection_file = os.path.join(self._folder, "kernel.json")

    def format_kernel_cmd(self, extra_arguments: list[str] | None = None) -> list[str]:
        """The command that starts the kernel in its container, and carries what the two say."""
        theirs = shutil.copyfile(self.connection_file, os.path.join(self._inside, "kernel.json"))
        os.chmod(theirs, 0o644)
        what = {
            "folder": self._folder,
            "inside": self._inside,
            "ports": [self.shell_port, self.iopub_port, self.stdin_port, self.hb_port, self.control_port],
            "seconds": self.seconds,
            "most": self.most,
            "end": self._end,
        }
        kernel = ["/opt/hundredfold/bin/python", "-m", "ipykernel_launcher", "-f", self.connection_file]
        return [
            # It is started where the notebook is, beside whatever was handed in with it: -P, else Python would import that.
            sys.executable, "-P", "-m", f"{__package__}.contained", json.dumps(what), "--",
            self.program, "run", "--rm", "--init", "--name", self.container, "--log-driver=none", "--no-healthcheck",
            "--network=none", "--read-only", "--tmpfs=/tmp", "--cap-drop=ALL", "--security-opt=no-new-privileges",
            f"--user={NOBODY}:{NOBODY}", *self.limits,
            f"--volume={self._inside}:{self._folder}", "--workdir=/tmp", "--env=HOME=/tmp", "--env=NBGRADER_EXECUTION",
            "--entrypoint=", self.image, "/bin/sh", "-c", 'umask 0; exec "$@"', "sh", *kernel, *(extra_arguments or []),
        ]  # fmt: skip

    @property
    def _end(self) -> list[str]:
        return [self.program, "rm", "--force", self.container]

    async def cleanup_resources(self, restart: bool = False) -> None:
        """End the container, also one whose client was killed, and remove the folder."""
        await super().cleanup_resources(restart)
        if not restart:
            subprocess.run(self._end, capture_output=True, check=False)
            shutil.rmtree(self._folder, ignore_errors=True)
