"""``%load_ext cudf.pandas`` and the magics ``%%cudf.pandas.profile`` and ``%%cudf.pandas.line_profile``."""

from __future__ import annotations

from typing import Any


def load_ipython_extension(ip: Any) -> None:
    """Install the proxies, register the magics."""
    from . import install
    from .profiler import Profiler, lines_with_profiling

    install()

    def profile(line: str, cell: str) -> None:
        """Run a cell and tell which calls ran on the GPU."""
        with Profiler() as profiler:
            ip.run_cell(cell)
        profiler.print_per_function_stats()

    def line_profile(line: str, cell: str) -> None:
        """Run a cell and tell how long each line was on the GPU and on the CPU."""
        ip.run_cell(lines_with_profiling(cell.split("\n")))

    ip.register_magic_function(profile, "cell", "cudf.pandas.profile")
    ip.register_magic_function(line_profile, "cell", "cudf.pandas.line_profile")
