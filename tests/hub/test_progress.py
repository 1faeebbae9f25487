"""The class's page: what learners on a real hub share, as an instructor sees it, and who sees nothing."""

from __future__ import annotations

import json
import re
import shutil
import signal
import stat
import subprocess
import uuid
from pathlib import Path

import hubs
import pytest
import requests

from hundredfold.learning.progress import catalogue, classroom

CHECK = "from hundredfold.learning.problems import progress, sharing\nfrom hundredfold.learning.problems.verdict import Verdict\n"


@pytest.fixture(scope="module")
def room():
    """Where every user can enter: pytest's own folders are root's alone."""
    folder = Path(f"/var/lib/hundredfold-class-{uuid.uuid4().hex[:6]}")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def class_hub(people, room, tmp_path_factory):
    made = hubs.Hub(tmp_path_factory.mktemp("class"), people, port=hubs.free_port())
    text = made.settings.read_text()
    assert text.count('\nfolder = ""') == 1
    made.settings.write_text(text.replace('\nfolder = ""', f'\nfolder = "{room}"'))
    try:
        made.start()
        yield made
    finally:
        made.close()


def learner(hub, people, who, teacher=False):
    made = hubs.Learner(hub, people.add(who, teacher))
    assert made.log_in().ok
    return made


def test_a_class_from_its_kernels_to_the_page(class_hub, people, room):
    teacher = learner(class_hub, people, "pte", teacher=True)
    anna, ben = learner(class_hub, people, "pan"), learner(class_hub, people, "pbe")
    kernels = {}
    for who, verdicts in ((anna, [("wrong", "device"), ("right", None)]), (ben, [("wrong", "device")])):
        who.open()
        kernels[who] = who.kernel()
        code = "".join(f"progress.record(Verdict('arrays.port', {outcome!r}, {why!r}))\n" for outcome, why in verdicts)
        who.run(kernels[who], CHECK + code)
    assert stat.S_IMODE((room / "answers").stat().st_mode) == 0o1733 and stat.S_IMODE(room.stat().st_mode) == 0o755
    assert classroom.summary(room)["count"] == 2

    url = teacher.service("class")
    page = teacher.session.get(url, timeout=hubs.PATIENCE)
    assert page.status_code == 200 and "<h1>The class</h1>" in page.text

    def told():
        return teacher.session.get(f"{url}api/summary", timeout=hubs.PATIENCE).json()

    (port,) = told()["problems"]
    assert (told()["count"], port["solved"], port["trying"]) == (2, 1, 1)
    assert [(row["reason"], row["learners"]) for row in port["reasons"]] == [("device", 2)]
    said = json.dumps(told())
    assert told()["learners"] is None and anna.name not in said and ben.name not in said
    for part in ("page.js", "page.css"):
        assert teacher.session.get(url + part, timeout=hubs.PATIENCE).ok

    # Nobody else sees it: neither a learner, nor a stranger, nor whoever goes past the proxy.
    for path in ("", "api/summary", "page.js"):
        assert anna.session.get(url + path, timeout=hubs.PATIENCE).status_code == 403
        stranger = requests.get(url + path, timeout=hubs.PATIENCE)
        assert stranger.status_code == 403 or "/hub/login" in stranger.url
    number = re.search(r"(?m)^port = (\d+)", class_hub.settings.read_text())[1]
    direct = requests.get(f"http://127.0.0.1:{number}/services/class/api/summary", timeout=60, allow_redirects=False)
    assert direct.status_code in (302, 403)

    # Ben finds Anna's file no more than her name: he cannot list the folder, read or remove what is hers, switch names on.
    (hers,) = [file for file in (room / "answers").glob("*.jsonl") if file.owner() == anna.name]
    settings = room / "settings.json"
    code = (
        "import os\n"
        "def tried(what, *arguments):\n"
        "    try: what(*arguments)\n"
        "    except OSError as error: return type(error).__name__\n"
        "    return 'done'\n"
        f"room, hers, settings = {str(room / 'answers')!r}, {str(hers)!r}, {str(settings)!r}\n"
        "print(tried(os.listdir, room), tried(open, hers), tried(os.unlink, hers), tried(open, settings, 'w'), tried(open, settings))"
    )
    assert ben.run(kernels[ben], code).split() == ["PermissionError"] * 4 + ["done"]

    # Live: what comes next is there at once; with names switched on, the system's names, whatever a learner claims.
    guess = next(key for key in catalogue.predictions("arrays") if key.endswith("/my_guess"))
    ben.run(kernels[ben], f"sharing.share(time='', prediction={guess!r}, value=7, name={anna.name!r})")
    assert [bar["label"] for bar in told()["predictions"][0]["bars"]] == ["7"]
    settings.write_text(json.dumps({"names": True, "per": "owner"}))
    assert {row["name"]: row["solved"] for row in told()["learners"]} == {anna.name: 1, ben.name: 0}


def test_a_class_folder_that_one_learner_fills_costs_nobody_anything(class_hub, people, room):
    """A file system of its own, as the guide has it. What others share meanwhile waits with them, and they are told."""
    filler, anna = learner(class_hub, people, "pfi"), learner(class_hub, people, "pfa")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k,mode=1733", "tmpfs", str(room / "answers")], check=True)
    try:
        kernels = {}
        for who in (filler, anna):
            who.open()
            kernels[who] = who.kernel()
        anna.run(kernels[anna], CHECK)
        told = filler.run(
            kernels[filler],
            "import errno\n"
            "try:\n"
            f"    with open({str(room / 'answers' / 'much')!r}, 'wb', buffering=0) as file:\n"
            "        while True: file.write(bytes(1 << 12))\n"
            "except OSError as error: print(errno.errorcode[error.errno])",
        )
        assert told.strip() == "ENOSPC"
        check = "from hundredfold import check\ncheck('arrays.possible', 5e9, 0.00556, 0.000444)"
        said = anna.run(kernels[anna], check)
        assert "no room in the class's folder: tell your instructor" in " ".join(said.split()), said
        filler.run(kernels[filler], f"import os; os.unlink({str(room / 'answers' / 'much')!r})")
        anna.run(kernels[anna], "progress.record(Verdict('arrays.port', 'right'))")
        (hers,) = [file for file in (room / "answers").glob("*.jsonl") if file.owner() == anna.name]
        problems = [json.loads(line)["problem"] for line in hers.read_text().splitlines()]
        assert problems == ["arrays.possible", "arrays.port"]
    finally:
        for who in (filler, anna):
            who.leave()
        subprocess.run(["umount", "--lazy", str(room / "answers")], check=True)


def test_pages_end_with_a_hub_that_is_killed_and_the_next_hub_has_its_own(class_hub, people):
    """An old page would keep its port, and ask with a token that the new hub does not know."""
    teacher = learner(class_hub, people, "pkt", teacher=True)

    def pages():
        told = {process: Path(f"/proc/{process}/cmdline").read_bytes().decode() for process in class_hub.left()}
        return {process for process, line in told.items() if line.rstrip("\0").endswith(".page")}

    before = pages()
    assert len(before) == 2
    class_hub.stop(signal.SIGKILL)
    hubs.until("the pages end", lambda: not pages(), 30)
    class_hub.start()
    for service, path in (("seats", "api/status"), ("class", "api/summary")):
        url = teacher.service(service)
        hubs.until(f"{service} answers", lambda url=url: teacher.session.get(url, timeout=60).ok, pause=0.5)
        assert teacher.session.get(url + path, timeout=hubs.PATIENCE).ok
    assert len(pages()) == 2 and not pages() & before
