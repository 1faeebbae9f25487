"""Which calls ran on the GPU and which fell back, by function and by line."""

from __future__ import annotations

import inspect
import linecache
import operator
import pickle
import sys
import time
from collections import defaultdict
from typing import Any

from . import fast_slow_proxy

TEMPLATE = """\
from cudf.pandas import Profiler
with Profiler() as profiler:
{lines}

profiler._results = {{(lineno - 2, file, line): times for (lineno, file, line), times in profiler._results.items()}}
profiler.print_per_line_stats()
{more}
"""
CPU_TEXT = """\
Not all pandas operations ran on the GPU. The following functions required CPU fallback:

{functions}
"""


def lines_with_profiling(lines: list[str], print_function_profile: bool = False) -> str:
    """Return lines of code inside a profiler that prints its table."""
    body = "\n".join("    " + line.rstrip("\n").replace("\t", "    ") for line in lines)
    return TEMPLATE.format(lines=body, more="profiler.print_per_function_stats()" if print_function_profile else "")


class Profiler:
    """Counts and times calls: ``with Profiler() as p: …; p.print_per_function_stats()``."""

    _IGNORE_LIST = ("Profiler()", "settrace(None)")

    def __init__(self) -> None:
        self._results: dict[tuple, dict[str, float]] = {}
        self._per_func_results: Any = defaultdict(lambda: defaultdict(list))
        self._depth = 0
        self._currkey: tuple | None = None
        self._currfile: str | None = None
        self.start_time = self.end_time = None

    def __enter__(self) -> Profiler:
        self.start_time = time.perf_counter()
        self._oldtrace = sys.gettrace()
        frame = inspect.currentframe().f_back
        self._currfile = frame.f_code.co_filename
        self._outer = frame, frame.f_trace
        sys.settrace(self._trace)
        frame.f_trace = self._trace
        fast_slow_proxy.observers.append(self)
        return self

    def __exit__(self, *exception: object) -> None:
        sys.settrace(self._oldtrace)
        frame, before = self._outer
        frame.f_trace = before
        self._outer = None
        fast_slow_proxy.observers.remove(self)
        self.end_time = time.perf_counter()

    def _trace(self, frame: Any, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename != self._currfile:
            return None
        if event == "line":
            line = linecache.getline(self._currfile, frame.f_lineno)
            if not any(word in line for word in self._IGNORE_LIST):
                self._currkey = (frame.f_lineno, self._currfile, line)
                self._results.setdefault(self._currkey, {})
        return self._trace

    def began(self, name: str) -> None:
        """A call begins."""
        self._depth += 1

    def ended(self, name: str, fast: bool, seconds: float) -> None:
        """A call has ended."""
        self._depth -= 1
        self._per_func_results[name]["gpu" if fast else "cpu"].append(seconds)
        if self._depth == 0 and self._currkey is not None:
            times = self._results[self._currkey]
            key = "gpu_time" if fast else "cpu_time"
            times[key] = times.get(key, 0) + seconds

    @property
    def per_line_stats(self) -> list[list]:
        """[line number, line, seconds on the GPU, seconds on the CPU], in order."""
        rows = [
            [number, line, times.get("gpu_time", 0), times.get("cpu_time", 0)]
            for (number, _, line), times in self._results.items()
        ]
        return sorted(rows, key=operator.itemgetter(0))

    @property
    def per_function_stats(self) -> Any:
        """Name → {"gpu": seconds of each call, "cpu": …}."""
        return self._per_func_results

    def print_per_line_stats(self) -> None:
        """Print the table of lines."""
        from rich.console import Console
        from rich.syntax import Syntax
        from rich.table import Table

        table = Table()
        for name in ("Line no.", "Line", "GPU TIME(s)", "CPU TIME(s)"):
            table.add_column(name)
        for number, line, gpu, cpu in self.per_line_stats:
            table.add_row(
                str(number), Syntax(str(line), "python"), f"{gpu:.9f}" if gpu else "", f"{cpu:.9f}" if cpu else ""
            )
        elapsed = self.end_time - self.start_time
        table.title = f"\n\n        Total time elapsed: {elapsed:.3f} seconds\n\n        Stats\n        "
        Console().print(table)

    def print_per_function_stats(self) -> None:
        """Print the table of functions."""
        from rich.console import Console
        from rich.table import Table

        table = Table()
        for name in (
            "Function", "GPU ncalls", "GPU cumtime", "GPU percall", "CPU ncalls", "CPU cumtime", "CPU percall",
        ):  # fmt: skip
            table.add_column(name)
        calls, total, fallen = {"gpu": 0, "cpu": 0}, {"gpu": 0.0, "cpu": 0.0}, []
        for name, times in self.per_function_stats.items():
            row = [name]
            for kind in ("gpu", "cpu"):
                seconds = times[kind]
                calls[kind] += len(seconds)
                total[kind] += sum(seconds)
                row += [f"{len(seconds)}", f"{sum(seconds):.3f}", f"{sum(seconds) / max(len(seconds), 1):.3f}"]
            table.add_row(*row)
            if times["cpu"]:
                fallen.append(name)
        elapsed = self.end_time - self.start_time
        table.title = (
            f"\n\n        Total time elapsed: {elapsed:.3f} seconds\n"
            f"        {calls['gpu']} GPU function calls in {total['gpu']:.3f} seconds\n"
            f"        {calls['cpu']} CPU function calls in {total['cpu']:.3f} seconds\n\n        Stats\n        "
        )
        console = Console()
        console.print(table)
        if fallen:
            console.print(CPU_TEXT.format(functions="\n".join(f"- {name}" for name in fallen)))
            console.print(
                "To request GPU support for any of these functions, please file a Github issue here: "
                "https://github.com/NVIDIA/cudf/issues/new/choose."
            )

    def __getstate__(self) -> dict:
        stats = {
            name: {kind: list(one) for kind, one in times.items()} for name, times in self._per_func_results.items()
        }
        return {
            "_results": self._results,
            "_per_func_results": stats,
            "start_time": self.start_time,
            "end_time": self.end_time,
        }

    def dump_stats(self, file_name: str) -> None:
        """Write what was counted to a file."""
        with open(file_name, "wb") as file:
            pickle.dump(self, file)


def load_stats(file_name: str) -> Profiler:
    """Read what `Profiler.dump_stats` wrote."""
    with open(file_name, "rb") as file:
        return pickle.load(file)
