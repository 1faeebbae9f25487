"""A whole class on one hub, as an administrator would run it: the proxy by itself, homes of their own, and somebody who looks on."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from pathlib import Path
from statistics import median
from typing import Any

import hubs
from classroom import BACK, TROUBLE, Homes, Pupil, together

from hundredfold.classroom.seats import status

#: What learners do in a lesson, and how often.
DOES = {"work": 0.8, "away": 0.1, "kernel_dies": 0.1}


class Class:
    """So many learners, an instructor, a hub and its proxy: `with Class(folder, 30) as lesson`."""

    def __init__(self, folder: Path, learners: int, seed: int = 0, home: int = 48, **seats: Any) -> None:
        self.folder, self.count, self.seed, self.home = folder, learners, seed, home
        self.seats = {"learners": learners, "memory": "1500M", "cores": 2, **seats}
        self._open = contextlib.ExitStack()

    def __enter__(self) -> Class:
        with contextlib.ExitStack() as opened:
            people = opened.enter_context(hubs.people())
            homes = Homes(self.home)
            opened.callback(homes.close)
            self.hub = hubs.Hub(self.folder, people, **self.seats)
            opened.callback(self.hub.close)
            self.pupils = []
            for i in range(self.count):
                name = people.add(f"p{i}")
                homes.make(name)
                self.pupils.append(Pupil(self.hub, name, self.seed + i))
            teacher = people.add("tea", teacher=True)
            self.hub.start()
            self.watch = Watch(self.hub, teacher, self.pupils)
            self._open = opened.pop_all()
        return self

    def __exit__(self, *what: object) -> None:
        self._open.close()

    def at_once(self) -> dict:
        """All log in and press the button at the same moment; then what a server weighs, then all begin with unit 01."""
        came = together(self.pupils, lambda pupil: pupil.arrive())
        record = {"failed": _errors(came), "last in, seconds": _round(max(each["seconds"] for each in came))}
        record["seconds"] = _sorted(each["seconds"] for each in came)
        record |= self.weigh()
        began = together(self.pupils, lambda pupil: pupil.begin())
        record |= {
            "failed to begin": _errors(began),
            "last has saved, seconds": _round(max(e["seconds"] for e in began)),
        }
        return record

    def arriving(self, within: float) -> dict:
        """One after the other within so many seconds; each begins at once, while others still come."""
        gap = within / len(self.pupils)

        def come(pupil: Pupil) -> float:
            seconds = pupil.arrive()
            pupil.begin()
            return seconds

        came = together(self.pupils, come, lambda i: i * gap)
        spawned = _sorted(each["result"] for each in came if "result" in each)
        record = {"failed": _errors(came), "within, seconds": within, "spawn, seconds": spawned}
        return record | {
            "spawn p50": _round(median(spawned)),
            "spawn p95": spawned[max(0, -(-95 * len(spawned) // 100) - 1)],
        }

    def weigh(self) -> dict:
        """Megabytes (10⁶) that a server without a kernel takes, and what loading Dask would add to each."""
        servers = {pupil: server(pupil.name) for pupil in self.pupils}
        weights = _sorted(status.pss(process) / 1e6 for process in servers.values() if process)
        one = self.pupils[0]
        before = status.pss(servers[one])
        headers = {"X-XSRFToken": one.xsrf(f"/user/{one.name}/")}
        made = one.session.put(f"{one.base}dask/clusters", headers=headers, timeout=hubs.PATIENCE)
        assert made.ok, hubs.words(made.text)[:300]
        gone = f"{one.base}dask/clusters/{made.json()['id']}"
        one.session.delete(gone, headers=headers, timeout=hubs.PATIENCE)
        return {
            "a server without a kernel, MB": {"median": _round(median(weights)), "most": weights[-1]},
            "more once the Dask panel has started a cluster, MB": _round((status.pss(servers[one]) - before) / 1e6),
        }

    def soak(self, seconds: float, pace: tuple[float, float] = (3.0, 15.0), full: int = 2) -> dict:
        """A lesson of so many seconds: a full disk, then the proxy is killed, then the hub is restarted, in the middle of all else.

        The learners are to have begun. Returns what was done, what did not work and for how long, and what was lost.
        """
        stop, events = threading.Event(), []
        lessons = [threading.Thread(target=pupil.lesson, args=(stop, pace, DOES), daemon=True) for pupil in self.pupils]
        self.watch.start()
        began = time.monotonic()
        for each in lessons:
            each.start()
        for part, what in ((0.05, "full disk"), (0.35, "proxy"), (0.65, "hub")):
            time.sleep(max(0.0, began + part * seconds - time.monotonic()))
            events.append({"what": what, "at": time.monotonic()})
            if what == "full disk":
                for pupil in self.pupils[:full]:
                    pupil.orders.put("fill")
            elif what == "proxy":
                self.hub.proxy.kill()
            else:
                self.hub.stop(signal.SIGTERM)
                self.hub.start()
            events[-1]["over"] = time.monotonic()
        time.sleep(max(0.0, began + seconds - time.monotonic()))
        stop.set()
        for each in lessons:
            each.join(600)
        hanging = [pupil.name for pupil, each in zip(self.pupils, lessons, strict=True) if each.is_alive()]
        self.watch.stop()
        return _told(self.pupils, self.watch, events, began) | {"hanging": hanging}


class Watch:
    """An instructor with the seats page open, who notes whom it does not show although they were there all the time."""

    def __init__(self, hub: hubs.Hub, name: str, pupils: list[Pupil], every: float = 3.0) -> None:
        self.learner, self.pupils, self.every = hubs.Learner(hub, name), pupils, every
        self.url = self.learner.service("seats")
        self.looks, self.shown, self.missing, self.blind = 0, 0, [], []
        self._end, self._thread = threading.Event(), None

    def start(self) -> None:
        self.learner.log_in()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._end.set()
        self._thread.join(60)

    def _look(self) -> None:
        blind = None
        while not self._end.is_set():
            before = {p.name for p in self.pupils if p.here_since is not None and time.monotonic() - p.here_since > 2}
            try:
                page = self.learner.session.get(f"{self.url}api/status", timeout=30)
                if page.status_code in (401, 403) or "/hub/login" in page.url:
                    self.learner.log_in()
                    self.learner.session.get(self.url, timeout=30)
                shown = {row["owner"] for row in page.json()["seats"]}
            except TROUBLE as error:
                blind = blind or {"since": time.monotonic(), "said": f"{type(error).__name__}: {error}"[:200]}
            else:
                if blind:
                    self.blind.append({**blind, "seconds": time.monotonic() - blind["since"]})
                    blind = None
                after = {p.name for p in self.pupils if p.here_since is not None}
                self.looks, self.shown = self.looks + 1, max(self.shown, len(shown))
                gone = sorted((before & after) - shown)
                self.missing += [{"at": time.monotonic(), "who": gone}] if gone else []
            self._end.wait(self.every)
        if blind:
            self.blind.append({**blind, "seconds": None})


def server(name: str) -> int | None:
    """The process of a learner's server."""
    for process in hubs.of_user(name):
        with contextlib.suppress(OSError):
            if "hundredfold.classroom.seats.server" in Path(f"/proc/{process}/cmdline").read_text():
                return process
    return None


def _told(pupils: list[Pupil], watch: Watch, events: list[dict], began: float) -> dict:
    outages = [outage for pupil in pupils for outage in pupil.outages]
    for outage in outages:
        since = outage.pop("since")
        near = [
            e["what"]
            for e in events
            if e["what"] != "full disk" and outage["began"] - BACK < e["over"] and e["at"] <= since
        ]
        outage["because of"] = near[-1] if near else None
        outage["at"] = _round(since - began)
        outage["began"] = _round(outage["began"] - began)
        outage["seconds"] = _round(outage["seconds"])
    done: dict[str, int] = {}
    for pupil in pupils:
        for what, count in pupil.done.items():
            done[what] = done.get(what, 0) + count
    longest = [outage["seconds"] for outage in outages if outage["seconds"] is not None]
    return {
        "done": done,
        "events": [{"what": e["what"], "at": _round(e["at"] - began), "over": _round(e["over"] - began)} for e in events],
        "lost": [line for pupil in pupils for line in pupil.lost],
        "longest outage, seconds": max(longest, default=0.0),
        "never back": [outage for outage in outages if outage["seconds"] is None],
        "for no reason": [outage for outage in outages if outage["because of"] is None],
        "outages": outages,
        "page": {
            "looks": watch.looks, "most shown": watch.shown, "not shown": watch.missing,
            "blind": [{**each, "since": _round(each["since"] - began), "seconds": _round(each["seconds"])} for each in watch.blind],
        },
    }  # fmt: skip


def _errors(found: list[dict]) -> list[str]:
    return [each["error"] for each in found if "error" in each]


def _sorted(seconds: Any) -> list[float]:
    return sorted(_round(each) for each in seconds)


def _round(number: float | None) -> float | None:
    return None if number is None else round(number, 1)
