"""``python -m gpu.working STAGE``: the process in which a stage's parts are done; it may crash or hang, and costs one part then.

It reads a line of JSON for each part, ``{"part": …}``, and answers each with one; ``{"list": true}`` asks for the parts there are, ``{"ready": true}`` whether all is imported.
What the parts print goes to stderr. When the runner goes, so does everything here: nothing that measures is left behind on the GPU.
"""

from __future__ import annotations

import importlib
import json
import os
import queue
import signal
import sys
import threading
import traceback
from pathlib import Path


def main(stage: str, about: dict) -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    asked: queue.Queue = queue.Queue()
    threading.Thread(target=_listen, args=(asked,), daemon=True).start()
    module = importlib.import_module(f"gpu.stages.{stage}")
    about["folder"] = Path(about["folder"])
    while (question := asked.get()) is not None:
        if question.get("ready"):
            reply = {}
        elif question.get("list"):
            reply = _list(module, about)
        else:
            reply = _answer(module, question["part"], about)
        answers.write(json.dumps(reply, default=_plain) + "\n")
        answers.flush()
    os._exit(0)  # no library's last words, which may hang


def _listen(asked: queue.Queue) -> None:
    for line in sys.stdin:
        question = json.loads(line)
        asked.put(None if question.get("end") else question)
    # The runner is gone without a word.
    os.killpg(os.getpgid(0), signal.SIGKILL)


def _list(module, about: dict) -> dict:
    try:
        return {"parts": module.parts(about)}
    except BaseException as error:
        return {"why": "".join(traceback.format_exception(error))[-1500:]}


def _answer(module, part: str, about: dict) -> dict:
    try:
        return {"status": "done", "result": module.do(part, about)}
    except BaseException as error:  # pytest's outcomes and SystemExit too: all are results
        said = "".join(traceback.format_exception(error))
        return {"status": "failed", "why": f"{type(error).__name__}: {error}"[:1000], "trace": said[-3000:]}


def _plain(value):
    """NumPy's numbers and paths as JSON has them."""
    if hasattr(value, "item"):
        return value.item()
    if isinstance(value, (set, tuple)):
        return list(value)
    return str(value)


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))
