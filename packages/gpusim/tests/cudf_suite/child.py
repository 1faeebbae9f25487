"""A pytest plugin for one process of `run.py`: the simulated libraries in place, the results of each test written as a line of JSON.

Loaded with ``-p child``; CUDF_SUITE names the ``cudf`` folder of the checkout, CUDF_RESULTS the file to write to, CUDF_EACH
how many cases of each test function to run (0: all).
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import warnings
from pathlib import Path

os.environ.setdefault("NO_EXTERNAL_ONLY_APIS", "1")
import gpusim  # noqa: E402

gpusim.activate()
import cudf  # noqa: E402,F401
import cudf.testing  # noqa: E402
import cudf.utils.dtypes  # noqa: E402


def _helpers() -> None:
    """The suite's own helpers, which live in the package, come from the checkout; where they need a part of cuDF that is
    not simulated, they are left out and the tests that need them count as not simulated."""
    import types

    temporal = types.ModuleType("cudf.utils.temporal")
    temporal.unit_to_nanoseconds_conversion = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000,
                                               "m": 60_000_000_000, "h": 3_600_000_000_000, "D": 86_400_000_000_000}  # fmt: skip
    sys.modules.setdefault("cudf.utils.temporal", temporal)
    compat = Path(os.environ["CUDF_SUITE"])
    for name in ("_utils", "dataset_generator"):
        file = compat / "testing" / f"{name}.py"
        spec = importlib.util.spec_from_file_location(f"cudf.testing.{name}", file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        try:
            spec.loader.exec_module(module)
            setattr(cudf.testing, name, module)
        except Exception as error:
            del sys.modules[spec.name]
            warnings.warn(f"{name}: {error!r}", stacklevel=1)


_helpers()
_results = open(os.environ["CUDF_RESULTS"], "a", encoding="utf-8")


def _write(**entry) -> None:
    _results.write(json.dumps(entry) + "\n")
    _results.flush()


def pytest_collection_modifyitems(config, items):
    each = int(os.environ.get("CUDF_EACH", "0"))
    if each:
        groups: dict[str, list] = {}
        for item in items:
            groups.setdefault(item.nodeid.partition("[")[0], []).append(item)
        kept = []
        for group in groups.values():
            step = max(len(group) / each, 1)
            kept += [group[int(i * step)] for i in range(min(each, len(group)))]
        items[:] = kept
    _write(collected=len(items))


def pytest_collectreport(report):
    if report.failed:
        _write(test=report.nodeid, outcome="unimportable", detail=str(report.longrepr)[-1500:])


def pytest_runtest_logreport(report):
    if report.when == "call" or report.when == "setup" and report.outcome != "passed":
        text = str(report.longrepr) if report.longrepr else ""
        outcome = report.outcome
        if outcome == "failed":
            outcome = "not simulated" if "NotSimulated" in text else "fail"
        elif hasattr(report, "wasxfail"):
            outcome = "xfail" if outcome == "skipped" else "pass"
        elif outcome == "passed":
            outcome = "pass"
        else:
            outcome = "skip"
        _write(test=report.nodeid, outcome=outcome, detail=text[-2500:] if outcome in ("fail", "not simulated") else "")
