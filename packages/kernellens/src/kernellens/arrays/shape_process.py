"""A simulated device in a process of its own, where no GPU is touched: for accounts of shapes, with nothing calculated, and for code
that runs there with copies of the data."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpusim.device.shapes import ValuesNeededError
from gpusim.hardware import gpus

from . import pickled

MEMORY = str(1 << 45)
"""Bytes of the device there, more than any has: what does not fit is said in the account, and is no error."""


ACCOUNT = ("kernellens.arrays.entry", "kernellens.arrays.running")
"""The modules whose `taken` looks at a call, and whose `run` at a cell."""


def call(
    function: Callable,
    args: tuple,
    kwargs: Mapping[str, Any],
    fraction: float | None,
    gpu: gpus.GPU,
    by: tuple[str, str] = ACCOUNT,
    data: bool = False,
) -> Any:
    """The account of a function's call; see `entry.account`.  With `data`, arrays have their values there."""
    packing = pickled.Packing()

    def one(value: Any, what: str) -> bytes:
        try:
            return packing.pack(value, data)
        except pickled.CannotShipError as error:
            raise pickled.CannotShipError(f"{what} {error}.") from None

    packed: dict[str, Any] = {"function": one(function, "The function")}
    packed["args"] = [one(arg, f"Argument {number}") for number, arg in enumerate(args, start=1)]
    packed["kwargs"] = {key: one(value, f"The argument {key}") for key, value in kwargs.items()}
    told = {"fraction": fraction, "gpu": gpu.name, "by": by, "data": data, "pool": pickled.pool()}
    return _run({"kind": "call", **packed, **told})[0]


@dataclass(frozen=True)
class CapturedNames:
    """What the code of a cell takes along of the names around it, as it was when this was made.

    Attributes
    ----------
    packed : dict of str to bytes
    missing : dict of str to str
        What cannot be taken along, and why.
    empty : dict of str to str
        What is taken along without the data of its arrays, and why.
    pool : int
        Bytes that CuPy's pool keeps.
    """

    packed: dict[str, bytes]
    missing: dict[str, str]
    empty: dict[str, str]
    pool: int


def captured_names(source: str, filename: str, names: Mapping[str, Any], data: bool = False) -> CapturedNames:
    """Pack what a cell's code uses of the notebook's names; with `data`, also what its arrays hold."""
    found = CapturedNames({}, {}, {}, pickled.pool())
    packing = pickled.Packing()
    for name, value in pickled.used(compile(source, filename, "exec"), names).items():
        if name == "get_ipython":
            found.missing[name] = "magics and shell commands are not run in the other process: leave them out."
            continue
        try:
            if data:
                try:
                    found.packed[name] = packing.pack(value, data)
                    continue
                except pickled.CannotShipError as error:
                    found.empty[name] = f"{name} {error}."
            found.packed[name] = packing.pack(value)
        except pickled.CannotShipError as error:
            found.missing[name] = f"{name} {error}."
    return found


def cell(
    source: str,
    filename: str,
    along: CapturedNames,
    fraction: float | None,
    gpu: gpus.GPU,
    offset: int = 0,
    by: tuple[str, str] = ACCOUNT,
    data: bool = False,
) -> tuple[Any, str]:
    """The account of a cell's code, and what it printed.

    Parameters
    ----------
    source : str
        Python; IPython's own syntax is transformed already.
    filename : str
        What tracebacks call it.
    along : CapturedNames
        What it uses of the notebook's names.
    offset : int
        Added to the numbers of its lines.
    by : tuple of str
        The modules that look at a call and at a cell; by default those of an account.
    data : bool
        Whether the arrays have their values there, if they were packed with them.
    """
    __tracebackhide__ = True
    empty = along.empty if data else {}
    task = {
        "kind": "cell",
        "source": source,
        "filename": filename,
        "names": {name: packed for name, packed in along.packed.items() if name not in empty},
        "missing": along.missing | empty,
        "offset": offset,
        "data": data,
        "pool": along.pool,
    }
    return _run({**task, "fraction": fraction, "gpu": gpu.name, "by": by})


def _run(task: dict[str, Any]) -> tuple[Any, str]:
    __tracebackhide__ = True
    task |= {"sources": pickled.sources(), "path": sys.path, "folder": os.getcwd()}
    environment = {key: value for key, value in os.environ.items() if key not in ("GPUSIM_PROBE", "GPUSIM_TRACE")}
    environment |= {"GPUSIM_SIMULATE": "1"} | ({} if task["data"] else {"GPUSIM_GPU_MEMORY": MEMORY})
    with tempfile.TemporaryDirectory(prefix="kernellens-") as folder:
        question, answer = Path(folder, "task"), Path(folder, "answer")
        question.write_bytes(pickle.dumps(task))
        done = subprocess.run(
            [sys.executable, "-m", "kernellens.arrays", str(question), str(answer)],
            capture_output=True,
            text=True,
            env=environment,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        if not answer.exists():
            last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise RuntimeError(f"The other process ended with status {done.returncode}: {last}")
        found = pickle.loads(answer.read_bytes())  # noqa: S301 - our own, from this machine
    if "error" in found:
        raise _error(found)
    return found["account"], done.stdout


def _error(found: dict[str, Any]) -> Exception:
    if found["values"]:
        return ValuesNeededError(found["error"])
    error = None
    if found["pickled"] is not None:
        try:
            error = pickle.loads(found["pickled"])  # noqa: S301
        except Exception:  # a class that only the other process has
            error = None
    if error is None:
        return RuntimeError(found["error"])
    error.add_note(found["where"])
    return error
