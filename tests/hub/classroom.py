"""A class on a hub: learners who come, work, save, leave and come back while things break around them; and what became of it.

For the short class of test_class.py and the long one of benchmarks/hub_class.py.
"""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import queue
import random
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import hubs
import requests
import websocket

UNIT = "notebooks/01_arrays.ipynb"
FIRST = 6
"""So many code cells are the unit's first ones: imports, arrays on the device, copies."""
BACK = 60.0
"""Seconds within which everyone has to be back after a proxy or a hub was started again."""
OWED = 400.0
"""Seconds within which what a learner was told to do has to work once, whatever breaks meanwhile."""
TROUBLE = (AssertionError, OSError, requests.RequestException, websocket.WebSocketException, ValueError, KeyError)
"""What a learner sees when something broke: an error page, a line that ends, an answer that is none."""


class Homes:
    """Home folders that are small file systems of their own: when one is full, it is full for its owner alone."""

    def __init__(self, megabytes: int = 48) -> None:
        self.megabytes = megabytes
        self.made: list[str] = []

    def make(self, name: str) -> None:
        """Put a file system where a user's home folder is."""
        user = pwd.getpwnam(name)
        options = f"size={self.megabytes}m,mode=700,uid={user.pw_uid},gid={user.pw_gid}"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", user.pw_dir], check=True)
        self.made.append(user.pw_dir)

    def close(self) -> None:
        while self.made:
            subprocess.run(["umount", "--lazy", self.made.pop()], check=False)


class Pupil(hubs.Learner):
    """A learner of the class, in a thread of their own from `lesson` on.

    Attributes
    ----------
    saved : str or None
        The mark that the server last said it had saved; `maybe` are those that it was sent and did not answer for.
    outages : list of dict
        Each time that something did not work: `what`, `said`, `since` (of `time.monotonic`), `seconds` until all worked again.
    lost : list of str
        Saved work that was not there any more.
    """

    def __init__(self, hub: hubs.Hub, name: str, seed: int = 0) -> None:
        super().__init__(hub, name)
        self.dice = random.Random(seed)
        self.saved: str | None = None
        self.maybe: set[str] = set()
        self.kernel_id = self.said = ""
        self.marks = 0
        self.here_since: float | None = None
        self.outages: list[dict] = []
        self.lost: list[str] = []
        self.done: dict[str, int] = {}
        self.orders: queue.Queue[str] = queue.Queue()
        self.filled: Path | None = None

    # --- What a learner does.

    def arrive(self) -> float:
        """Log in if need be, open the server, and return how many seconds that took from the button on."""
        if not any(cookie.name == "jupyterhub-session-id" for cookie in self.session.cookies) or not self._known():
            assert self.log_in().ok, "no login"
        began = time.monotonic()
        self.open()
        self.here_since = time.monotonic()
        return self.here_since - began

    def _known(self) -> bool:
        return self.session.get(f"{self.hub.address}/hub/home", timeout=hubs.PATIENCE).url.endswith("/hub/home")

    def notebook(self) -> dict:
        answer = self.api("GET", f"contents/{UNIT}")
        assert answer.ok, f"{answer.status_code} to opening unit 01: {hubs.words(answer.text)[:200]}"
        return answer.json()["content"]

    def start_kernel(self) -> None:
        """A kernel for unit 01, as the lab asks for it."""
        body = {"path": UNIT, "name": "01_arrays.ipynb", "type": "notebook", "kernel": {"name": "python3"}}
        answer = self.api("POST", "sessions", json=body)
        assert answer.status_code == 201, f"{answer.status_code}: {hubs.words(answer.text)[:200]}"
        self.kernel_id = answer.json()["kernel"]["id"]

    def first_cells(self) -> str:
        """Run the unit's first cells, and return what they said."""
        cells = [cell for cell in self.notebook()["cells"] if cell["cell_type"] == "code"][:FIRST]
        self.said = "\n".join(self.run(self.kernel_id, "".join(cell["source"])) for cell in cells)
        assert "simulat" in self.said.lower(), self.said
        return self.said

    def save(self) -> None:
        """Write a new mark into the notebook, as an output of its first cell, and save it."""
        notebook = self.notebook()
        self.marks += 1
        mark = f"{self.name} {self.marks}"
        cell = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": f"{mark}\n"}]
        self.maybe.add(mark)
        body = {"type": "notebook", "format": "json", "content": notebook}
        answer = self.api("PUT", f"contents/{UNIT}", data=json.dumps(body))
        assert answer.status_code == 200, f"{answer.status_code} to saving: {hubs.words(answer.text)[:200]}"
        self.saved, self.maybe = mark, set()

    def check(self) -> None:
        """What was saved last is what is there, or something newer that was sent and never answered for."""
        if self.saved is None:
            return
        cell = next(cell for cell in self.notebook()["cells"] if cell["cell_type"] == "code")
        there = "".join("".join(output.get("text", "")) for output in cell["outputs"]).strip()
        if there != self.saved and there not in self.maybe:
            self.lost.append(f"{self.name}: saved {self.saved!r}, found {there!r}")
        self.saved, self.maybe = there, set()

    def begin(self) -> None:
        """Open unit 01, run its first cells, save."""
        self.start_kernel()
        self.first_cells()
        self.save()

    def work(self) -> None:
        """A cell, and save."""
        number = self.dice.randrange(1000)
        # With the first line, since the kernel may be a new one after something broke.
        said = self.run(self.kernel_id, f"%load_ext hundredfold\nimport cupy; print(int(cupy.arange({number}).sum()))")
        assert said.split()[-1] == str(number * (number - 1) // 2), said
        self.save()

    def away(self) -> None:
        """Leave, and come back: the work is there."""
        self.here_since = None
        self.leave()
        time.sleep(self.dice.uniform(0.0, 3.0))
        self.arrive()
        self.check()
        self.begin()

    def kernel_dies(self) -> None:
        """The kernel is killed from outside; the server starts it anew, and the cells run again."""
        process = int(self.run(self.kernel_id, "import os; print(os.getpid())").strip().splitlines()[-1])
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)

        def anew() -> bool:
            with contextlib.suppress(websocket.WebSocketException, OSError, AssertionError):
                return (
                    int(self.run(self.kernel_id, "import os; print(os.getpid())", 10).strip().splitlines()[-1])
                    != process
                )
            return False

        hubs.until("the kernel is there again", anew, 120, 0.5)
        self.check()
        self.first_cells()

    def fill(self) -> None:
        """The disk is full: saving is refused and says so, what was saved stays, even over a new start; then there is room again."""
        self.save()
        home = pwd.getpwnam(self.name).pw_dir
        filled = Path(home, "too-much")
        with contextlib.suppress(OSError), open(filled, "wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 16))
        os.chown(filled, pwd.getpwnam(self.name).pw_uid, -1)
        try:
            saved = self.saved
            body = self.notebook()
            body["cells"][0]["source"] = "x" * (1 << 20)
            sent = json.dumps({"type": "notebook", "format": "json", "content": body})
            answer = self.api("PUT", f"contents/{UNIT}", data=sent)
            if answer.ok:
                self.lost.append(f"{self.name}: saving to a full disk was said to have worked")
            elif "space" not in answer.text.lower():
                self.lost.append(f"{self.name}: a full disk is not named: {hubs.words(answer.text)[:200]}")
            self.check()
            self.here_since = None
            self.leave()
            self.arrive()  # a server starts on a full disk: without one, nobody could make room there
            self.check()
            assert self.saved == saved
        finally:
            filled.unlink()
        self.begin()

    # --- The lesson.

    def present(self) -> None:
        """Be in the server again, with a kernel that answers, whatever it takes."""
        answer = self.session.get(f"{self.base}api/contents/{UNIT}?content=0", timeout=20)
        if not answer.ok or not answer.url.startswith(self.base):
            self.arrive()
        there = self.api("GET", f"kernels/{self.kernel_id}") if self.kernel_id else None
        if there is None or not there.ok:
            self.start_kernel()
        assert self.run(self.kernel_id, "print(6 * 7)", 30).strip().endswith("42")
        self.here_since = self.here_since or time.monotonic()

    def lesson(self, stop: threading.Event, pace: tuple[float, float], weights: dict[str, float]) -> None:
        """Do one thing after another, with pauses of `pace` seconds, until `stop`; what goes wrong is noted, and fixed."""
        first = None
        while not stop.wait(self.dice.uniform(*pace)) or not self.orders.empty():
            ordered = not self.orders.empty()
            if ordered:
                what = self.orders.get()
                first = first or time.monotonic()
            else:
                what = self.dice.choices(list(weights), list(weights.values()))[0]
            began = time.monotonic()
            try:
                getattr(self, what)()
            except TROUBLE as error:
                self._recover(what, error, began)
                if ordered and time.monotonic() - first < OWED:
                    self.orders.put(what)  # when all works again, however often that was
            else:
                self.done[what] = self.done.get(what, 0) + 1
        with contextlib.suppress(*TROUBLE):
            self.check()

    def _recover(self, what: str, error: BaseException, began: float) -> None:
        note = {"who": self.name, "what": what, "said": f"{type(error).__name__}: {error}"[:300]}
        note |= {"began": began, "since": time.monotonic()}
        self.here_since = None
        while True:
            try:
                self.present()
                self.check()
                break
            except TROUBLE as still:
                note["then"] = f"{type(still).__name__}: {still}"[:300]
                if time.monotonic() - note["since"] > 300:
                    note["seconds"] = None
                    self.outages.append(note)
                    return
                time.sleep(1)
        note["seconds"] = time.monotonic() - note["since"]
        self.outages.append(note)


def together(
    pupils: Iterable[Pupil], what: Callable[[Pupil], Any], after: Callable[[int], float] = lambda i: 0.0
) -> list[dict]:
    """Each pupil does the same, in threads, the i-th `after(i)` seconds; a dict for each: `seconds`, and `error` if there was one."""
    found: list[dict] = [{} for _ in pupils]

    def one(i: int, pupil: Pupil) -> None:
        time.sleep(after(i))
        began = time.monotonic()
        try:
            found[i]["result"] = what(pupil)
        except TROUBLE as error:
            found[i]["error"] = f"{type(error).__name__}: {error}"[:400]
        found[i]["seconds"] = time.monotonic() - began

    threads = [threading.Thread(target=one, args=(i, pupil), daemon=True) for i, pupil in enumerate(pupils)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found
