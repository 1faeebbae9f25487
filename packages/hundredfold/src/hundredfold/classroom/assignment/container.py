"""nbgrader's kernels in containers: an answer then runs without the grader's rights.

`nbgrader autograde` runs learners' code as whoever calls it: it can read and write all that they can, other learners' work and the
gradebook among it. With `InContainer` as nbgrader's kernel manager, each notebook's kernel runs in a container of its own, which has
no network, no file of the machine's, and of its rights none. Kernel and nbgrader meet in one empty folder, by Unix sockets.

It does not make points honest: kernel and checks are one process, and whoever wants to can change it there.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from jupyter_client.manager import AsyncKernelManager
from traitlets import List, Unicode


class InContainer(AsyncKernelManager):
    """A kernel manager that starts its kernel by ``docker run``, or Podman's."""

    program = Unicode("docker", config=True, help="docker or podman.")
    image = Unicode(
        "hundredfold:cpu", config=True, help="An image with Hundredfold: docker/README.md says how it is built."
    )
    limits = List(
        Unicode(),
        ["--memory=4g", "--cpus=2", "--pids-limit=512"],
        config=True,
        help="What each container may use, as options.",
    )

    def __init__(self, **named: Any) -> None:
        super().__init__(**named)
        self.container = f"hundredfold-grading-{secrets.token_hex(6)}"
        self._folder = tempfile.mkdtemp(prefix="hf-grading-")  # of this user alone; sockets' names have to be short
        self.transport = "ipc"
        self.ip = os.path.join(self._folder, "kernel")
        self.connection_file = os.path.join(self._folder, "kernel.json")

    def format_kernel_cmd(self, extra_arguments: list[str] | None = None) -> list[str]:
        """The command that starts the kernel in its container."""
        kernel = ["/opt/hundredfold/bin/python", "-m", "ipykernel_launcher", "-f", self.connection_file]
        return [
            self.program, "run", "--rm", "--init", "--name", self.container,
            "--network=none", "--read-only", "--tmpfs=/tmp", "--cap-drop=ALL", "--security-opt=no-new-privileges",
            f"--user={os.getuid()}:{os.getgid()}", *self.limits,
            f"--volume={self._folder}:{self._folder}", "--workdir=/tmp", "--env=HOME=/tmp", "--env=NBGRADER_EXECUTION",
            "--entrypoint=", self.image, *kernel, *(extra_arguments or []),
        ]  # fmt: skip

    async def cleanup_resources(self, restart: bool = False) -> None:
        """End the container, also one whose client was killed, and remove the folder."""
        await super().cleanup_resources(restart)
        if not restart:
            subprocess.run([self.program, "rm", "--force", self.container], capture_output=True, check=False)
            # Not Python's own: an answer can make a tree there that is deeper than it can follow, and grading would end.
            subprocess.run(["rm", "-rf", "--one-file-system", "--", self._folder], check=False)

    @property
    def folder(self) -> Path:
        """Where kernel and nbgrader meet."""
        return Path(self._folder)
