"""``%load_ext cuml.accel``."""

from __future__ import annotations

from typing import Any

from .core import install, logger
from .profilers import profile


def load_ipython_extension(ip: Any) -> None:
    """Switch it on and register its magics."""

    def log_level(line: str) -> str | None:
        """Get or set the log level."""
        if line.strip():
            logger.set_level(line.strip())
            return None
        return logger.level.name.lower()

    def run(line: str, cell: str) -> None:
        """Run a cell; nothing is profiled."""
        with profile():
            result = ip.run_cell(cell)
        result.raise_error()

    install()
    ip.register_magic_function(log_level, "line", "cuml.accel.log_level")
    ip.register_magic_function(run, "cell", "cuml.accel.profile")
    ip.register_magic_function(run, "cell", "cuml.accel.line_profile")
