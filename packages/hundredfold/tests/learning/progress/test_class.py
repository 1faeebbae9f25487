"""Sharing with a class, and what the instructor sees of it."""

import errno
import gc
import json
import os
import re
import stat
import subprocess
import sys
import tracemalloc

import pytest
from click.testing import CliRunner

from hundredfold.learning.problems import progress, sharing
from hundredfold.learning.problems.verdict import Verdict
from hundredfold.learning.progress import catalogue, classroom, histogram, watching
from hundredfold.learning.progress.command import command

RIGHT = Verdict("arrays.port", "right")
GUESS = next(key for key in catalogue.predictions("arrays") if key.endswith("/my_guess"))


def run(*arguments):
    return CliRunner().invoke(command, arguments, env={"COLUMNS": "160"})


def put(room, name, *lines):
    (room / "answers" / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def verdict(problem, outcome, reason=None, minute=0):
    return {
        "time": f"2026-11-22T10:{minute:02d}:00+00:00", "problem": problem, "outcome": outcome, "reason": reason,
    }  # fmt: skip


def guess(value, minute=0, key=GUESS):
    return {"time": f"2026-11-22T10:{minute:02d}:00+00:00", "prediction": key, "value": value}


def files(room):
    return sorted((room / "answers").glob("*.jsonl"))


# --- who shares, and who does not


def test_nothing_is_shared_by_itself(room):
    progress.record(RIGHT)
    assert sharing.folder() is None and not sharing.share(problem="arrays.port") and files(room) == []


def test_a_learner_shares_and_takes_it_back(room):
    said = run("--share", str(room))
    assert said.exit_code == 0 and "without your name; never your code" in " ".join(said.output.split())
    progress.record(RIGHT)
    (mine,) = files(room)
    assert len(mine.stem) == 32 and stat.S_IMODE(mine.stat().st_mode) == 0o600
    (line,) = map(json.loads, mine.read_text().splitlines())
    assert set(line) == {"time", "problem", "outcome", "reason"}, "nothing of the learner's is in it"
    assert f"Shared with the class in {room}" in " ".join(run().output.split())
    gone = run("--no-share")
    assert "What you shared is removed" in gone.output and files(room) == []
    progress.record(RIGHT)
    assert files(room) == [] and len(progress.read()) == 2, "the learner's own file is whole"


def test_the_hub_shares_and_a_learner_says_no(room, monkeypatch):
    monkeypatch.setenv("HUNDREDFOLD_CLASS", str(room))
    progress.record(RIGHT)
    assert len(files(room)) == 1
    run("--no-share")
    progress.record(RIGHT)
    assert files(room) == [] and sharing.folder() is None
    run("--share", str(room))
    progress.record(RIGHT)
    assert len(files(room)) == 1


def test_a_folder_that_is_not_there_changes_nothing(room, tmp_path):
    run("--share", str(room))
    done = run("--share", str(tmp_path / "none"))
    assert done.exit_code == 2 and "ask your instructor" in done.output
    assert sharing.folder() == room


def test_a_folder_that_went_away_harms_nothing(room):
    run("--share", str(room))
    for file in files(room):
        file.unlink()
    (room / "answers").rmdir()
    room.rmdir()
    assert progress.record(RIGHT) and len(progress.read()) == 1


def test_nobody_is_led_through_a_link(room, tmp_path):
    """Whoever guessed a learner's file name must not make them append to a file of theirs."""
    run("--share", str(room))
    (mine,) = files(room)
    mine.unlink()
    victim = tmp_path / "victim"
    victim.write_text("")
    mine.symlink_to(victim)
    assert progress.record(RIGHT) and victim.read_text() == ""


@pytest.mark.parametrize("why", [errno.ENOSPC, errno.EDQUOT])
def test_what_finds_no_room_waits_and_comes_before_the_next(room, monkeypatch, why):
    run("--share", str(room))
    (mine,) = files(room)

    def no_room(handle, data):
        raise OSError(why, os.strerror(why))

    with monkeypatch.context() as full:
        full.setattr(sharing, "append", no_room)
        assert not sharing.share(problem="first") and not sharing.share(problem="second") and sharing.full
    assert mine.read_text() == ""
    assert sharing.share(problem="third") and not sharing.full
    assert [json.loads(line)["problem"] for line in mine.read_text().splitlines()] == ["first", "second", "third"]
    assert sharing.share(problem="fourth") and len(mine.read_text().splitlines()) == 4, "nothing is sent twice"


def test_who_shares_no_more_sends_nothing_that_waited(room, monkeypatch):
    run("--share", str(room))
    with monkeypatch.context() as full:
        full.setattr(sharing, "append", lambda handle, data: False)
        assert not sharing.share(problem="first") and sharing.full
    run("--no-share")
    run("--share", str(room))
    assert sharing.share(problem="second")
    (mine,) = files(room)
    assert "first" not in mine.read_text()


def test_notebooks_at_once_lose_nothing_and_make_one_file(room):
    code = (
        "from hundredfold.learning.problems import progress\n"
        "from hundredfold.learning.problems.verdict import Verdict\n"
        "assert all(progress.record(Verdict('arrays.port', 'right')) for _ in range(40))\n"
    )
    env = {**os.environ, "HUNDREDFOLD_CLASS": str(room)}
    several = [subprocess.Popen([sys.executable, "-c", code], env=env) for _ in range(3)]
    assert [each.wait() for each in several] == [0, 0, 0]
    (mine,) = files(room)
    assert len([json.loads(line) for line in mine.read_text().splitlines()]) == 120


# --- what the instructor sees


def test_counts_reasons_and_predictions(room):
    put(
        room, "a", verdict("arrays.port", "wrong", "device"), verdict("arrays.port", "wrong", "device", 1),
        verdict("arrays.port", "right", minute=4), guess(25),
    )  # fmt: skip
    put(room, "b", verdict("arrays.port", "wrong", "device"), verdict("arrays.port", "wrong", "dtype"), guess(3))
    put(room, "c", verdict("arrays.port", "untouched"), guess(1000), guess(25, 5))
    put(room, "d", guess(catalogue.predictions()[GUESS].given))
    told = classroom.summary(room)
    (port,) = told["problems"]
    assert told["count"] == 4 and told["learners"] is None
    assert (port["solved"], port["trying"], port["seen"], port["minutes"]) == (1, 1, 1, 4.0)
    assert [(row["reason"], row["learners"], row["answers"]) for row in port["reasons"]] == [
        ("device", 2, 3), ("dtype", 1, 1),
    ]  # fmt: skip
    (asked,) = told["predictions"]
    assert [(bar["label"], bar["count"]) for bar in asked["bars"]] == [("3", 1), ("25", 2)]
    assert asked["left"] == 1 and asked["answers"] == 3 and "How many times faster" in asked["question"]
    shown = " ".join(run("--class", str(room)).output.split())
    assert "4 learners share" in shown and "1 of 4" in shown and "25 ████" in shown
    assert json.loads(run("--class", str(room), "--json").output) == told


def test_what_the_course_does_not_know_is_not_shown(room):
    evil = "<img src=x onerror=alert(1)>"
    put(
        room, "a", verdict(evil, "right"), verdict("arrays.port", "wrong", evil), guess(1, key=evil), guess([evil] * 20),
        guess(float("1e999")), guess({"a": 1}), guess("one" + "\u202e" + "two" * 50), 7, None,
    )  # fmt: skip
    told = json.dumps(classroom.summary(room))
    assert evil not in told and "img" not in told and "\\u202e" not in told
    (asked,) = classroom.summary(room)["predictions"]
    assert len(asked["bars"][0]["label"]) == watching.LONGEST


NOT_FROM_THE_COURSE = ["[/]", "\x1b]0;x\x07", "\u202e", "\ud800", "x" * 30, "2026-11-22\x1b10:00:00+00:00"]


@pytest.mark.parametrize(
    "value",
    [10**400, -(10**400), [10**400], 1.7e308, -1.7e308, 5e-324, "\ud800", "\x1b[2J", json.loads("[" * 600 + "]" * 600)],
    ids=lambda value: ascii(value)[:9],
)
def test_whatever_one_learner_writes_the_others_are_shown(room, value):
    """One line with a number that no processor holds once ended the page for all, as did lists in lists; on the terminal, a time in brackets did."""
    (room / "settings.json").write_text(json.dumps({"names": True}))
    for i in range(20):
        put(room, f"honest{i}", guess(i), verdict("arrays.port", "right", minute=1))
    for i, when in enumerate(NOT_FROM_THE_COURSE):
        put(
            room,
            f"mallory{i}",
            guess(value) | {"time": when},
            verdict("arrays.port", "wrong", "device") | {"time": when},
        )
        put(room, f"malvina{i}", guess(value))
    told = classroom.summary(room)
    (port,), (asked,) = told["problems"], told["predictions"]
    assert port["solved"] == 20 and asked["answers"] >= 20
    shown = run("--class", str(room))
    assert shown.exit_code == 0, shown.output
    assert "20 of " in shown.output and not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800]|\\[/", shown.output)


def test_links_pipes_and_endless_files_are_not_followed(room, tmp_path):
    secret = tmp_path / "secret.jsonl"
    secret.write_text(json.dumps(verdict("arrays.port", "right")) + "\n")
    (room / "answers" / "link.jsonl").symlink_to(secret)
    os.link(secret, room / "answers" / "hard.jsonl")
    os.mkfifo(room / "answers" / "pipe.jsonl")
    (room / "answers" / "folder.jsonl").mkdir()
    (room / "answers" / "deep.jsonl").write_text("[" * 100_000 + "\n")
    with open(room / "answers" / "long.jsonl", "w") as out:
        out.write(json.dumps(verdict("arrays.port", "right")) + "\n")
        out.seek(1 << 32)  # sparse: four gigabytes that take no room
        out.write("\n" + json.dumps(verdict("arrays.count", "right")) + "\n")
    told = classroom.summary(room)
    assert told["count"] == 1 and [row["problem"] for row in told["problems"]] == ["arrays.count"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a file somebody else's")
@pytest.mark.parametrize("settings", [{"per": "owner"}, {}], ids=["per owner", "per file"])
def test_a_thousand_files_of_one_learner_hide_nobody_elses(room, settings):
    (room / "settings.json").write_text(json.dumps(settings))
    for i in range(classroom.MOST + 100):
        put(room, f"{i:032x}", verdict("arrays.count", "right"))
    flood = files(room)
    put(room, "f" * 32, verdict("arrays.port", "right"))
    for file in flood:
        os.chown(file, 65534, 65534)  # nobody, an account of every Linux
    assert {row["problem"] for row in classroom.summary(room)["problems"]} == {"arrays.count", "arrays.port"}


def test_of_one_owner_so_many_files_and_bytes_are_read_the_newest_first(room):
    (room / "settings.json").write_text(json.dumps({"per": "owner"}))
    names = list(catalogue.problems())[: classroom.OF_ONE + 2]
    for i, name in enumerate(names):
        put(room, f"{len(names) - i:02d}", verdict(name, "right"))
        os.utime(room / "answers" / f"{len(names) - i:02d}.jsonl", (1_000_000 + i, 1_000_000 + i))
    assert {row["problem"] for row in classroom.summary(room)["problems"]} == set(names[2:])
    newest = files(room)[0]
    newest.write_text(newest.read_text().ljust(classroom.LONGEST))
    os.utime(newest, (2_000_000, 2_000_000))
    assert [row["problem"] for row in classroom.summary(room)["problems"]] == names[-1:], (
        "its bytes are all that she has"
    )


def test_where_an_owner_is_a_learner_a_number_without_an_account_is_none(room, monkeypatch):
    """A learner's containers write files as 65 536 users that have no account. The page took each for a learner, and read 1 MiB of each."""
    import pwd

    (room / "settings.json").write_text(json.dumps({"per": "owner"}))
    put(room, "mine", verdict("arrays.port", "right"))
    assert classroom.summary(room)["count"] == 1

    def no_account(number):
        raise KeyError(number)

    monkeypatch.setattr(pwd, "getpwuid", no_account)
    assert classroom.summary(room)["count"] == 0


def test_of_two_files_of_one_learner_the_later_prediction_counts(room):
    (room / "settings.json").write_text(json.dumps({"per": "owner"}))
    for name, value, minute in (("a", 1000, 1), ("b", 25, 2), ("c", 3, 0)):
        put(room, name, guess(value, minute))
        os.utime(room / "answers" / f"{name}.jsonl", (1_000_000 - minute, 1_000_000 - minute))
    (asked,) = classroom.summary(room)["predictions"]
    assert [bar["label"] for bar in asked["bars"]] == ["25"]


@pytest.mark.parametrize("settings", [{"per": "owner"}, {}], ids=["per owner", "per file"])
@pytest.mark.parametrize(
    "line",
    [{}, [[]] * 20_000, {"problem": "arrays.port", "time": "x" * 30_000}, verdict("arrays.port", "wrong", "device")],
    ids=["empty", "wide", "long", "verdicts"],
)
def test_files_that_are_made_to_fill_the_memory_do_not(room, line, settings, monkeypatch):
    """20 files of `{}` once took 569 MB. Here all is an eighth of that, since counting memory is slow."""
    monkeypatch.setattr(classroom, "LONGEST", classroom.LONGEST // 8)
    monkeypatch.setattr(classroom, "LINES", classroom.LINES // 8)
    text = json.dumps(line, separators=(",", ":")) + "\n"
    (room / "settings.json").write_text(json.dumps(settings))
    for i in range(20):
        (room / "answers" / f"{i}.jsonl").write_text(text * (classroom.LONGEST // len(text) + 1))
    catalogue.problems(), catalogue.predictions()
    gc.collect()  # what earlier tests have left may be collected meanwhile, and its finalizers allocate
    tracemalloc.start()
    try:
        classroom.summary(room)
        assert tracemalloc.get_traced_memory()[1] < 5e6  # an eighth of 569 MB would be 71 MB
    finally:
        tracemalloc.stop()


def test_names_are_the_systems_and_only_if_switched_on(room):
    put(room, "a", verdict("arrays.port", "right"))
    put(room, "b", verdict("arrays.port", "right"))
    assert classroom.summary(room)["learners"] is None
    (room / "settings.json").write_text(json.dumps({"names": True, "per": "owner"}))
    import pwd

    me = pwd.getpwuid(os.getuid()).pw_name
    told = classroom.summary(room)
    assert [(row["name"], row["solved"]) for row in told["learners"]] == [(me, 1)] and told["count"] == 1
    assert "with your name" in " ".join(run("--share", str(room)).output.split())
    assert me in run("--class", str(room)).output


def test_settings_where_others_may_write_count_for_nothing(room):
    put(room, "a", verdict("arrays.port", "right"))
    (room / "settings.json").write_text(json.dumps({"names": True}))
    assert classroom.summary(room)["learners"] is not None
    room.chmod(0o1777)
    assert classroom.summary(room)["learners"] is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a file somebody else's")
def test_a_learner_cannot_switch_names_on(room):
    put(room, "a", verdict("arrays.port", "right"))
    (room / "settings.json").write_text(json.dumps({"names": True}))
    os.chown(room / "settings.json", 65534, 65534)
    assert classroom.summary(room)["learners"] is None


def test_a_class_that_is_none(room, tmp_path):
    for place in (tmp_path / "none", tmp_path):
        done = run("--class", str(place))
        assert done.exit_code == 2 and "is no class's folder" in done.output
    assert "Nobody has shared anything" in run("--class", str(room)).output
    assert run("--class", "a", "--no-share").exit_code == 2


# --- predictions, as they are typed


def test_every_prediction_of_the_lectures_has_a_question():
    known = catalogue.predictions()
    assert len(known) > 60
    assert all(each.unit and each.question for each in known.values())
    assert sum("predict" in each.question.lower() or "?" in each.question for each in known.values()) > len(known) / 2


def test_a_prediction_is_shared_as_it_is_typed(room, monkeypatch):
    """A real kernel, driven as JupyterLab drives it: requests name their cells."""
    from jupyter_client.manager import start_new_kernel

    monkeypatch.setenv("HUNDREDFOLD_CLASS", str(room))
    cell = GUESS.split("/")[0]
    manager, client = start_new_kernel(kernel_name="python3", startup_timeout=300)
    try:
        for code, name in [
            ("%load_ext hundredfold", "arrays-03"),
            ("my_guess = 5 * 8", cell),
            ("my_guess = 41", "arrays-01"),  # no prediction's cell
            ("my_guess = 42; print(my_guess)", cell),  # it does more than to predict
        ]:
            content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False}
            asked = client.session.msg("execute_request", content, metadata={"cellId": name})
            client.shell_channel.send(asked)
            while (reply := client.get_shell_msg(timeout=300))["parent_header"].get("msg_id") != asked["msg_id"]:
                pass
            assert reply["content"]["status"] == "ok", reply["content"]
        printed = ""
        while client.iopub_channel.msg_ready():
            message = client.get_iopub_msg(timeout=300)
            printed += message["content"].get("text", "") if message["msg_type"] == "stream" else ""
        assert "without your name and never your code" in " ".join(printed.split()), "a learner is told"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    (mine,) = files(room)
    assert [(line["prediction"], line["value"]) for line in map(json.loads, mine.read_text().splitlines())] == [
        (GUESS, 40.0)
    ]


@pytest.mark.parametrize(
    ("value", "kept"),
    [(3, 3.0), (True, "True"), (" H200 ", "H200"), ([0, 1], "0, 1"), (float("nan"), None), (object(), None), ("", None), (10**400, None), (1e200, None), (-1e200, None), ([1, 10**400], None),
     ({3}, "3"), ([], "none"), (range(3), None)],
)  # fmt: skip
def test_what_counts_as_a_prediction(value, kept):
    assert watching.plain(value) == kept


def test_bars():
    assert histogram.bars([3, 1, 3, "b", "a", "a"]) == [
        histogram.Bar("1", 1), histogram.Bar("3", 2), histogram.Bar("a", 2), histogram.Bar("b", 1),
    ]  # fmt: skip
    even = histogram.bars([float(i) for i in range(100)])
    assert sum(bar.count for bar in even) == 100 and 8 <= len(even) <= 14
    wide = histogram.bars([10.0**i for i in range(-3, 20)])
    assert sum(bar.count for bar in wide) == 23 and len(wide) <= 32
    for odd in (
        [1e300, -1e300, *range(20)],
        [0.0] * 30 + [10.0**i for i in range(-8, 8)],
        [-(10.0**i) for i in range(20)],
    ):
        bars = histogram.bars([float(value) for value in odd])
        assert sum(bar.count for bar in bars) == len(odd) and len({bar.label for bar in bars}) == len(bars)
