"""The process in which an account of shapes, or of copies of the data, is taken: ``python -m kernellens.arrays TASK ANSWER``."""

from __future__ import annotations

import ast
import importlib
import linecache
import os
import pickle
import sys
import traceback
import types
from typing import Any

import gpusim
from gpusim.device import shapes
from gpusim.device.shapes import ValuesNeededError
from gpusim.hardware import gpus

from .pickled import fill_pool, unpack


def main(question: str, answer: str) -> None:
    """Take the account that a task asks for and write it down, or the error that ended it."""
    with open(question, "rb") as file:
        task = pickle.load(file)  # noqa: S301 - our own, from this machine
    sys.path[:] = task["path"]
    os.chdir(task["folder"])
    linecache.cache.update(task["sources"])

    gpusim.activate()
    if not task["data"]:
        shapes.begin(task["fraction"])
    gpu = gpus.find(task["gpu"])
    try:
        found = {"account": _call(task, gpu) if task["kind"] == "call" else _cell(task, gpu)}
    except BaseException as error:
        found = _failed(error, task)
    sys.stdout.flush()
    with open(answer, "wb") as file:
        file.write(pickle.dumps(found))


def _call(task: dict[str, Any], gpu: Any) -> Any:
    taken = importlib.import_module(task["by"][0]).taken
    function = unpack(task["function"])
    args = tuple(unpack(arg) for arg in task["args"])
    kwargs = {key: unpack(value) for key, value in task["kwargs"].items()}
    code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
    task["filename"] = code.co_filename if code is not None else None
    fill_pool(task["pool"])
    return taken(function, args, kwargs, gpu)


def _cell(task: dict[str, Any], gpu: Any) -> Any:
    run = importlib.import_module(task["by"][1]).run
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    names = vars(module)
    for name, data in task["names"].items():
        try:
            names[name] = unpack(data)
        except Exception as error:
            said = str(error).splitlines()[0] if str(error) else type(error).__name__
            task["missing"][name] = f"{name} cannot be taken along ({said})."
    tree = ast.parse(task["source"])
    fill_pool(task["pool"])
    return run(tree, task["source"], task["filename"], names, gpu, task["offset"])[0]


def _failed(error: BaseException, task: dict[str, Any]) -> dict[str, Any]:
    """What stopped it, in a sentence that names the line."""

    line, text = _place(error, task)
    where = f"in line {line}: {text}" if line is not None else "in the code that was accounted for"
    said = str(error)
    if isinstance(error, NameError) and getattr(error, "name", None) in task.get("missing", {}):
        return {"error": f"Line {line}: {task['missing'][error.name]}", "values": True, "where": where, "pickled": None}
    values = isinstance(error, ValuesNeededError)
    if values and line is not None:
        said = f"Line {line}, {text}: {said[0].lower()}{said[1:]}"
    try:
        pickled = None if values else pickle.dumps(error)
        if pickled is not None:
            pickle.loads(pickled)  # noqa: S301
    except Exception:
        pickled = None
    if not values:
        said = f"{type(error).__name__} {where}: {said}"
    return {"error": said, "values": values, "where": where, "pickled": pickled}


def _place(error: BaseException, task: dict[str, Any]) -> tuple[int | None, str]:
    """The last line of the code that the error went through."""
    filename = task.get("filename") or ""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == filename]
    if not frames:
        return None, ""
    line = frames[-1].lineno or 0
    text = (linecache.getline(filename, line) or frames[-1].line or "").strip().rstrip(":")
    return line + task.get("offset", 0), text


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
