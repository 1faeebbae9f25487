"""Thirty learners on a real JupyterHub: all at once, within two minutes, and through a lesson in which things break.

    sudo python benchmarks/hub_class.py                             all of it: about 40 minutes
    sudo python benchmarks/hub_class.py --phases at_once,arriving   without the soak: five
    sudo python benchmarks/hub_class.py --learners 5 --minutes 2 --json /tmp/short.json

The hub, its proxy, its spawner and its settings are those of deploy/hub; learners are system users with a home folder on a small
file system of its own, who log in, open unit 01, run its first cells in simulation, and save (tests/hub/{classroom,classes}.py).

- *at_once*: all press the button together; how long until the last is in; what a server without a kernel weighs (PSS).
- *arriving*: one after the other within two minutes, each beginning at once; how long from the button to the lab.
- *soak*: rounds of a lesson. Learners leave and come, kernels are killed, disks are full, and once in each round the proxy is killed
  and the hub restarted. Afterwards: is anything lost that was saved, was everyone back within a minute, did the seats page show them.

Needs root (it makes users, and removes them), and the environment of `make test-all ARGS=hub`, which it sets up. What is done stands in the
record beside this file, phase by phase and round by round; another call goes on where the last one ended, and `--again` begins anew.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PHASES = ("at_once", "arriving", "soak")
TARGETS = {
    "at_once": "none fails, the last is in within 90 s; a server without a kernel weighs less than 130 MB",
    "arriving": "within 120 s: p95 of a spawn under 10 s",
    "soak": "nothing lost that was saved, everyone back within 60 s, the page shows everyone who is there",
}


def verdicts(record: dict) -> dict[str, bool]:
    """Which of what it must reach it reached, by what is in the record."""
    phases, found = record["phases"], {}
    if at_once := phases.get("at_once"):
        found["all at once: none fails"] = not at_once["failed"] and not at_once["failed to begin"]
        found["all at once: the last is in within 90 s"] = at_once["last in, seconds"] <= 90
        found["a server under 130 MB"] = at_once["a server without a kernel, MB"]["most"] < 130
    if arriving := phases.get("arriving"):
        found["arriving: none fails"] = not arriving["failed"]
        found["arriving: p95 under 10 s"] = arriving["spawn p95"] < 10
    if rounds := record["rounds"]:
        told = soaked(rounds)
        found["soak: nothing lost"] = told["lost"] == 0
        found["soak: everyone back within a minute"] = not told["never back"] and told["longest outage, seconds"] <= 60
        found["soak: nothing fails for no reason"] = told["for no reason"] == 0
        found["soak: the page shows everyone"] = told["not shown"] == 0 and told["looks"] > 0
    return found


def soaked(rounds: list[dict]) -> dict:
    """All rounds of the soak together."""
    done: Counter[str] = Counter()
    for each in rounds:
        done.update(each["done"])
    page = [each["page"] for each in rounds]
    return {
        "minutes": round(sum(each["minutes"] for each in rounds), 1),
        "done": dict(done),
        "lost": sum(len(each["lost"]) for each in rounds),
        "never back": sum(len(each["never back"]) + len(each["hanging"]) for each in rounds),
        "longest outage, seconds": max(each["longest outage, seconds"] for each in rounds),
        "for no reason": sum(len(each["for no reason"]) for each in rounds),
        "looks": sum(each["looks"] for each in page),
        "most shown": max(each["most shown"] for each in page),
        "not shown": sum(len(each["not shown"]) for each in page),
        "page away, seconds": max((e["seconds"] or 1e9 for each in page for e in each["blind"]), default=0.0),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--learners", type=int, default=30)
    parser.add_argument("--phases", default=",".join(PHASES))
    parser.add_argument("--within", type=float, default=120, help="seconds within which they arrive")
    parser.add_argument("--minutes", type=float, default=30, help="of the soak, in all")
    parser.add_argument("--round", type=float, default=5, help="minutes of one round of the soak")
    parser.add_argument("--json", type=Path, default=Path(__file__).with_suffix(".json"))
    parser.add_argument("--again", action="store_true", help="begin the record anew")
    asked = parser.parse_args()
    wanted = [phase.strip() for phase in asked.phases.split(",")]
    if unknown := set(wanted) - set(PHASES):
        parser.error(f"there is no phase {', '.join(sorted(unknown))}; there are {', '.join(PHASES)}")
    python = _python()
    if python is not None:
        os.execv(python, [python, __file__, *sys.argv[1:]])
    sys.path.insert(0, str(ROOT / "tests" / "hub"))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # so that users and servers go, too

    record = json.loads(asked.json.read_text()) if asked.json.exists() and not asked.again else {}
    if record.get("learners", asked.learners) != asked.learners:
        parser.error(f"{asked.json} is of {record['learners']} learners: name another with --json, or begin --again")
    record = {"learners": asked.learners, "machine": _machine(), "phases": {}, "rounds": [], **record}
    for phase in ("at_once", "arriving"):
        if phase in wanted and phase not in record["phases"]:
            record["phases"][phase] = _run(asked, phase)
            _write(asked.json, record)
    while "soak" in wanted and sum(each["minutes"] for each in record["rounds"]) < asked.minutes - 0.01:
        record["rounds"].append(_run(asked, "soak", len(record["rounds"])))
        _write(asked.json, record)
    _write(asked.json, record)
    said = record["verdicts"]
    print(json.dumps({"soak": record.get("soak"), "verdicts": said}, indent=1))
    return int(not all(said.values()))


def _run(asked: argparse.Namespace, phase: str, number: int = 0) -> dict:
    """A phase with a hub and learners of its own."""
    from classes import Class

    folder = Path(tempfile.mkdtemp(prefix="hf-class-", dir="/var/tmp"))
    print(f"{phase}: making {asked.learners} learners and their hub", flush=True)
    load = os.getloadavg()[0]
    try:
        with Class(folder, asked.learners, seed=1000 * number) as lesson:
            if phase == "arriving":
                told = lesson.arriving(asked.within)
            elif phase == "at_once":
                told = lesson.at_once()
            else:
                entered = lesson.at_once()
                told = {"minutes": asked.round, "entered": {k: entered[k] for k in ("failed", "last in, seconds")}}
                told |= lesson.soak(60 * asked.round)
        told |= {"load before": round(load, 1), "load after": round(os.getloadavg()[0], 1)}
        shown = {key: value for key, value in told.items() if key not in ("seconds", "spawn, seconds", "outages")}
        print(json.dumps({phase: shown, "must": TARGETS[phase]}, indent=1), flush=True)
        return told
    except BaseException:
        for log in (folder / "hub.log", folder / "proxy.log"):
            if log.exists():
                print(f"--- {log.name}", log.read_text()[-3000:], sep="\n", file=sys.stderr)
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write(path: Path, record: dict) -> None:
    if record["rounds"]:
        record["soak"] = soaked(record["rounds"])
    record["verdicts"] = verdicts(record)
    after = path.with_suffix(".new")
    after.write_text(json.dumps(record, indent=1) + "\n")
    after.replace(path)


def _machine() -> dict:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    when = time.strftime("%Y-%m-%d", time.gmtime())
    return {"cores": os.cpu_count(), "memory, GB": round(memory / 1e9, 1), "linux": platform.release(), "when": when}


def _python() -> str | None:
    """The Python with a hub, if this one has none."""
    try:
        import jupyterhub  # noqa: F401
        import websocket  # noqa: F401
    except ImportError:
        for package in ("gpusim", "kernellens", "hundredfold"):
            sys.path.insert(0, str(ROOT / "packages" / package / "src"))
        from hundredfold.setup.lab import Stop, environment, hub

        try:
            environment.ready(groups=["test"])
            return str(hub.ready())
        except Stop as stop:
            sys.exit(str(stop))
    return None


if __name__ == "__main__":
    sys.exit(main())
