"""What an exception says about a program: whose rule it met, or what it lacked."""

from __future__ import annotations

import os
import socket
import traceback
from types import TracebackType

import gpusim

HERE = os.path.dirname(os.path.abspath(gpusim.__file__))
LIBRARIES = {
    "cupy": "CuPy",
    "cupyx": "CuPy",
    "cudf": "cuDF",
    "dask_cudf": "Dask-cuDF",
    "pylibcudf": "cuDF",
    "cuml": "cuML",
    "rmm": "RMM",
    "dask_cuda": "Dask-CUDA",
    "numba_cuda": "Numba",
    "numba": "Numba",
}
_NETWORK_MODULES = ("urllib", "urllib3", "http", "requests", "aiohttp", "botocore", "httpx", "gcsfs", "s3fs", "ftplib")
_NETWORK_WORDS = (
    "name or service not known",
    "temporary failure in name resolution",
    "nodename nor servname",
    "max retries exceeded",
    "network is unreachable",
    "cannot connect to host",
    "could not resolve host",
    "could not connect to the endpoint",
    "tunnel connection failed",
    "unable to locate credentials",
    "connection aborted",
)


def judge(error: BaseException) -> dict:
    """What stopped a program.

    Returns
    -------
    dict
        `status`, `by`, `error`, `message` and `missing` of an `Outcome`.
    """
    from gpusim.importing import removed_names
    from gpusim.importing.errors import NotSimulatedError
    from gpusim.kernels.faults import KernelError, UncompilableError

    message, by = str(error).strip(), _library(error)
    became = removed_names.note_for(error, by)
    if became is not None:
        message = f"{message} ({became})"
    told = {"status": "failed", "by": by, "error": type(error).__name__, "message": message, "missing": ""}
    chain = _chain(error)
    if isinstance(error, NotSimulatedError):
        return {**told, "status": "not simulated", "missing": error.what}
    if became is not None:
        return {**told, "status": "refused", "by": by or became.partition(" ")[0]}
    if _network(chain):
        return {**told, "status": "lacked", "missing": "the network"}
    if isinstance(error, ModuleNotFoundError) and error.name:
        package, inner, _ = error.name.partition(".")
        if inner and package in LIBRARIES:
            return {**told, "status": "refused", "by": LIBRARIES[package]}  # the real one lacks it too
        if not told["by"]:
            return {**told, "status": "lacked", "missing": f"module {package}"}
    if isinstance(error, FileNotFoundError):
        name = error.filename if error.filename is not None else message
        name = os.fsdecode(name) if isinstance(name, (str, bytes, os.PathLike)) else str(name)
        return {**told, "status": "lacked", "missing": f"file {name}"}
    if type(error).__name__ == "UsageError" and "not found" in message:
        return {**told, "status": "lacked", "missing": message.partition("not found")[0].strip().rstrip("`") + "`"}
    if isinstance(error, KernelError):
        refused = isinstance(error, UncompilableError) or type(error).__name__ in ("LaunchError", "LinkerError")
        return {**told, "status": "refused" if refused else "finding", "by": told["by"] or "CUDA"}
    if told["by"]:
        return {**told, "status": "refused"}
    return told


def place(error: BaseException, is_theirs, cell: str = "") -> tuple[int | None, str]:
    """The last line of the program that an exception came through, and its text.

    Parameters
    ----------
    is_theirs : callable
        Whether a file name is the program's.
    cell : str
        The text of the cell, if there is one: what `%%time` runs is found in it.
    """
    if isinstance(error, SyntaxError) and error.filename and is_theirs(error.filename):
        return error.lineno, (error.text or "").strip()
    frames = traceback.extract_tb(error.__traceback__)
    timed = [frame.lineno or 0 for frame in frames if frame.filename in ("<timed exec>", "<timed eval>")]
    lines = cell.splitlines()
    blank = next((k for k, line in enumerate(lines[1:]) if line.strip()), 0)  # which IPython leaves out
    if timed and timed[-1] + blank < len(lines):
        return timed[-1] + blank + 1, lines[timed[-1] + blank].strip()
    frames = [frame for frame in frames if is_theirs(frame.filename)]
    return (frames[-1].lineno, (frames[-1].line or "").strip()) if frames else (None, "")


def _library(error: BaseException) -> str:
    """Whose code raised: the innermost of ours on the way, or the exception's own module."""
    found = ""
    for file in _files(error.__traceback__):
        if file.startswith(os.path.join(HERE, "libraries") + os.sep):
            rest = os.path.relpath(file, os.path.join(HERE, "libraries")).split(os.sep)
            found = LIBRARIES.get(rest[0].removesuffix(".py"), found)
        elif file.startswith(os.path.join(HERE, "kernels") + os.sep):
            found = "Numba" if not found else found
    return found or LIBRARIES.get(type(error).__module__.partition(".")[0], "")


def _files(trace: TracebackType | None):
    while trace is not None:
        yield trace.tb_frame.f_code.co_filename
        trace = trace.tb_next


def _chain(error: BaseException) -> list[BaseException]:
    found, at = [], error
    while at is not None and all(at is not other for other in found):
        found.append(at)
        at = at.__cause__ or at.__context__
    return found


def _network(chain: list[BaseException]) -> bool:
    for error in chain:
        module = type(error).__module__.partition(".")[0]
        if isinstance(error, (socket.gaierror, ConnectionError)) or module in _NETWORK_MODULES:
            return True
        if any(word in str(error).lower() for word in _NETWORK_WORDS):
            return True
    return False
