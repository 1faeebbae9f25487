"""The helper process, with a compiler in place of the real one that crashes, hangs and tells its process id."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kernellens.compiling.helper import CHILD, CompilerError, CompilerTimeoutError, Helper

BUILDING = """
import importlib.util, os, signal, time
from pathlib import Path

def about():
    return {"ready": True, "magic": importlib.util.MAGIC_NUMBER, "versions": {}, "ccs": [(9, 0)], "why": ""}

def answer(request):
    print("working")
    if request["do"] == "crash" or request["do"] == "crash once" and not os.path.exists(request["mark"]):
        Path(request.get("mark", os.devnull)).touch()
        print("the compiler's last words", flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if request["do"] == "hang":
        time.sleep(600)
    return {"pid": os.getpid(), "session": os.getsid(0), "simulates": "GPUSIM_SIMULATE" in os.environ, **request}
"""


@pytest.fixture
def program(tmp_path):
    folder = tmp_path / "child"
    folder.mkdir()
    shutil.copy(CHILD / "__main__.py", folder)
    (folder / "building.py").write_text(BUILDING)
    return folder


@pytest.fixture
def helper(program):
    made = Helper(child=program)
    yield made
    made.stop()


def gone(pid, seconds=30):
    for _ in range(seconds * 10):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.1)
    return False


def test_it_starts_when_it_is_needed_and_only_once(helper, monkeypatch):
    monkeypatch.setenv("GPUSIM_SIMULATE", "1")
    assert helper.starts == 0
    assert helper.missing() == ""
    first, second = helper.ask({"do": "tell"}), helper.ask({"do": "tell"})
    assert first["pid"] == second["pid"] != os.getpid()
    assert helper.starts == 1
    assert not first["simulates"]  # there the real numba.cuda is wanted
    assert first["session"] != os.getsid(0)  # out of reach of the terminal's Ctrl-C


def test_it_is_restarted_after_a_crash_and_the_request_answered(helper, tmp_path):
    mark = str(tmp_path / "crashed")
    assert helper.ask({"do": "crash once", "mark": mark})["do"] == "crash once"
    assert os.path.exists(mark)
    assert helper.starts == 2


def test_a_request_that_always_crashes_it_is_an_error_and_the_next_one_is_answered(helper):
    with pytest.raises(CompilerError, match=r"twice over blur \(SIGSEGV\), saying: the compiler's last words"):
        helper.ask({"do": "crash"}, "blur")
    assert helper.ask({"do": "tell"})["pid"]
    assert helper.starts == 3


def test_it_is_replaced_when_somebody_ended_it(helper):
    first = helper.ask({"do": "tell"})["pid"]
    os.kill(first, signal.SIGKILL)
    assert gone(first)
    assert helper.ask({"do": "tell"})["pid"] != first


def test_a_compilation_that_takes_too_long_is_ended(helper, monkeypatch):
    first = helper.ask({"do": "tell"})["pid"]
    monkeypatch.setenv("KERNELLENS_COMPILER_SECONDS", "1")
    with pytest.raises(CompilerTimeoutError, match="for 1 seconds over blur.*KERNELLENS_COMPILER_SECONDS"):
        helper.ask({"do": "hang"}, "blur")
    monkeypatch.delenv("KERNELLENS_COMPILER_SECONDS")
    assert gone(first)
    assert helper.ask({"do": "tell"})["pid"] != first


def test_ctrl_c_leaves_it_usable(helper):
    helper.ask({"do": "tell"})
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        helper.ask({"do": "hang"})
    assert helper.ask({"do": "after", "number": 5})["number"] == 5


def test_several_threads_get_each_its_own_answer(helper):
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda number: helper.ask({"do": "tell", "number": number}), range(40)))
    assert [answer["number"] for answer in answers] == list(range(40))
    assert helper.starts == 1


PARENT = """
import os, sys
from pathlib import Path
from kernellens.compiling.helper import Helper
helper = Helper(child=Path(sys.argv[1]))
first = helper.ask({"do": "tell"})["pid"]
read, write = os.pipe()
if os.fork() == 0:
    # A fork has its parent's connection, and must not use it.
    os.write(write, str(helper.ask({"do": "tell"})["pid"]).encode())
    os._exit(0)
os.wait()
print(first, os.read(read, 100).decode(), helper.ask({"do": "tell"})["pid"], flush=True)
os._exit(0)  # in a hurry: nothing that Python does at its end is done
"""


def test_it_ends_with_its_parent_and_a_fork_has_its_own(program):
    done = subprocess.run(
        [sys.executable, "-c", PARENT, str(program)], capture_output=True, text=True, timeout=120, check=True
    )
    first, of_fork, again = map(int, done.stdout.split())
    assert first == again != of_fork
    assert gone(first) and gone(of_fork)


def test_what_is_missing_is_said(program, monkeypatch):
    (program / "building.py").write_text("import a_library_that_is_not_there")
    helper = Helper(child=program)
    assert "No module named 'a_library_that_is_not_there'" in helper.missing()
    (program / "building.py").write_text(BUILDING.replace("importlib.util.MAGIC_NUMBER", "b'another'"))
    assert "of another Python version" in Helper(child=program).missing()
    with pytest.raises(CompilerError, match="cannot be started with /no/such/python"):
        Helper("/no/such/python", child=program).missing()
    (program / "__main__.py").write_text("raise SystemExit('not today')")
    with pytest.raises(CompilerError, match=r"ended when it was started \(exit status 1\), saying: not today"):
        Helper(child=program).missing()
