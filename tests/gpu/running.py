"""A stage's parts, one after the other or several at once, each asked of a process that may crash or hang."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .environment import PATH, ROOT
from .results_file import MOST_ATTEMPTS, ResultsFile

#: Seconds that a stage may take to say which parts it has; the imports of a cold disk are in it.
LISTING = 180.0
#: Seconds a part may take where it does not say, and about what it takes.
PATIENCE, TAKES = 120.0, 3.0


@dataclass
class Clock:
    """How much of this slice is left."""

    until: float
    now: Callable[[], float] = time.monotonic

    @property
    def left(self) -> float:
        return self.until - self.now()


@dataclass
class Stage:
    """What is asked of which Python: a stage's name, its title, how many processes at once, and how they are started."""

    name: str
    title: str
    workers: int
    python: str
    about: dict[str, Any]
    env: dict[str, str] = field(default_factory=dict)
    #: Patience is so many times a part's own: in simulation, on a busy CPU, what takes a GPU a second takes a minute.
    slack: float = 1.0

    def start(self) -> Child:
        """A process that is ready: what it imports first is no part's time."""
        child = Child(self)
        try:
            child.ask({"ready": True}, LISTING * self.slack)
        except Ended:
            child.close()
            raise
        return child


class Ended(Exception):
    """The process ended without an answer: "crashed" (and how), or "hung"."""

    def __init__(self, status: str, why: str, tail: str) -> None:
        super().__init__(why)
        self.status, self.why, self.tail = status, why, tail


class Child:
    """A process of `working`, with a process group of its own that ends with it."""

    def __init__(self, stage: Stage) -> None:
        self.log = tempfile.TemporaryFile()
        env = {
            **os.environ,
            "PYTHONPATH": PATH,
            "PYTHONUNBUFFERED": "1",
            **stage.env,
        }
        self.process = subprocess.Popen(
            [stage.python, "-W", "ignore", "-m", "gpu.working", stage.name, json.dumps(stage.about)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            env=env,
            cwd=ROOT,
            start_new_session=True,
        )
        self._rest = b""

    def ask(self, question: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Raises Ended where no answer comes within so many seconds, or the process ends."""
        until = time.monotonic() + seconds
        try:
            self.process.stdin.write((json.dumps(question) + "\n").encode())
            self.process.stdin.flush()
        except (BrokenPipeError, OSError):
            raise Ended("crashed", self._how(), self._tail()) from None
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                if not selector.select(max(0.0, until - time.monotonic())):
                    tail = self._tail()
                    self.close()
                    raise Ended("hung", f"no answer in {seconds:.0f} s", tail)
                piece = os.read(self.process.stdout.fileno(), 1 << 20)
                if not piece:
                    raise Ended("crashed", self._how(), self._tail())
                self._rest += piece
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line)

    def _how(self) -> str:
        try:
            code = self.process.wait(10)
        except subprocess.TimeoutExpired:
            return "its answers ended"
        if code < 0:
            return (
                f"ended by {signal.Signals(-code).name}" if -code in set(signal.Signals) else f"ended by signal {-code}"
            )
        return f"ended with status {code}"

    def _tail(self) -> str:
        """The end of what it said."""
        size = self.log.seek(0, os.SEEK_END)
        self.log.seek(max(0, size - 3000))
        return self.log.read().decode(errors="replace")

    def close(self) -> None:
        """End it and all that it started."""
        if self.log.closed:
            return
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                pipe.close()
            except BrokenPipeError:
                pass
        self.log.close()


def run(
    stage: Stage, results_file: ResultsFile, clock: Clock, have: set[str], say: Callable[[str], None]
) -> dict[str, int]:
    """Do what is left of a stage while there is time; return how many parts ended how, and how many are left or wait for packages."""
    try:
        child = stage.start()
        listed = child.ask({"list": True}, LISTING * stage.slack)
        parts = listed["parts"]
    except KeyError:
        say(f"  {stage.title}: its parts could not be listed: {listed.get('why')}")
        child.close()
        return {"unlisted": 1}
    except Ended as why:
        say(f"  {stage.title}: its parts could not be listed ({why}); {why.tail[-300:].strip()}")
        return {"unlisted": 1}
    done, attempts = results_file.results(stage.name), results_file.attempts(stage.name)
    counts: dict[str, int] = {"before": sum(part["name"] in done for part in parts)}
    todo = [part for part in parts if part["name"] not in done]
    waiting = [part for part in todo if set(part.get("needs", ())) - have]
    if waiting:
        counts["waiting"] = len(waiting)
        lacking = sorted({need for part in waiting for need in part["needs"]} - have)
        say(f"  {stage.title}: {len(waiting)} parts wait for {', '.join(lacking)}")
    for part in [part for part in todo if attempts.get(part["name"], 0) >= MOST_ATTEMPTS]:
        why = f"begun {attempts[part['name']]} times and never ended: give it longer slices, or look at the machine"
        results_file.append(stage=stage.name, part=part["name"], status="abandoned", why=why)
        counts["abandoned"] = counts.get("abandoned", 0) + 1
    ready = [part for part in todo if part not in waiting and attempts.get(part["name"], 0) < MOST_ATTEMPTS]
    # What did not end the last time goes last: it may cost the slice.
    ready.sort(key=lambda part: attempts.get(part["name"], 0))
    lock = threading.Lock()
    children = {0: child}

    def one(number: int) -> None:
        mine = children.get(number)
        while True:
            with lock:
                part = next((each for each in ready if each.get("takes", TAKES) < clock.left), None)
                if part is None:
                    break
                ready.remove(part)
                results_file.append(stage=stage.name, part=part["name"], status="begun")
            mine = children[number] = _one(stage, part, mine, results_file, clock, counts, lock, say)
        if mine is not None:
            mine.close()

    threads = [threading.Thread(target=one, args=(n,)) for n in range(max(1, min(stage.workers, len(ready))))]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        for each in children.values():
            if each is not None:
                each.close()
    counts["left"] = len(ready)
    return counts


def _one(stage, part, child: Child | None, results_file: ResultsFile, clock: Clock, counts, lock, say) -> Child | None:
    """Do one part, in a new process where there is none; return the process if it can go on."""
    began = time.monotonic()
    cut, going = False, None
    try:
        child = child or stage.start()
        began, patience = time.monotonic(), part.get("patience", PATIENCE) * stage.slack
        cut = clock.left < patience
        reply = child.ask({"part": part["name"]}, max(1.0, min(patience, clock.left)))
        going = child
    except Ended as end:
        if child is not None:
            child.close()
        if end.status == "hung" and cut:
            # The slice ended first: it was begun, and is begun again the next time.
            reply = {"status": "interrupted", "why": "the slice ended"}
        else:
            reply = {"status": end.status, "why": end.why, "trace": end.tail}
    line = {"stage": stage.name, "part": part["name"], "seconds": round(time.monotonic() - began, 3), **reply}
    with lock:
        results_file.append(**line)
        results_file.share()
        counts[reply["status"]] = counts.get(reply["status"], 0) + 1
        if reply["status"] != "done":
            say(f"  {stage.name} {part['name']}: {reply['status']}, {reply.get('why', '')[:200]}")
    if part.get("alone") and going is not None:
        going.close()
        going = None
    return going
