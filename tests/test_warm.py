"""A warm start (`warm.py`) is the same from outside as a new process of Python."""

import signal
import subprocess
import sys

import pytest

PYTHON = sys.executable  # the real one
pytestmark = pytest.mark.usefixtures("warm")


@pytest.mark.parametrize(
    "arguments",
    [
        ["-c", "import sys; print(sys.argv, __name__, input()); sys.exit(3)", "a", "b c"],
        ["-c", "1 / 0"],
        ["-c", "import sys; sys.exit('why')"],
        ["-c", "raise KeyboardInterrupt"],
        ["-c", "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"],
        ["-c", "import os; print(os.getcwd(), os.environ['WORD'], os.environ.get('HOME'))"],
        ["-c", "import os, atexit; atexit.register(print, 'end'); open('kept', 'w').write('x'); f = open('open', 'w'); f.write('y')"],
        ["-c", "import sys; print('numba.cuda' in sys.modules, 'cupy' in sys.modules)"],
        ["-m", "hundredfold.cli", "--version"],
        ["-m", "no_such_module"],
        ["-I", "-S", "-c", "import sys; print(sys.flags.isolated, sys.flags.no_site)"],
    ],
)  # fmt: skip
def test_it_says_and_ends_as_a_new_process(arguments, tmp_path, monkeypatch):
    monkeypatch.setenv("WORD", "there")

    def run(python):
        options = {"cwd": tmp_path, "input": "typed\n", "capture_output": True, "text": True, "check": False}
        done = subprocess.run([python, *arguments], **options)
        return done.returncode, done.stdout, done.stderr.replace(sys.executable, PYTHON)

    assert sys.executable != PYTHON
    assert run(sys.executable) == run(PYTHON)
    assert all(file.stat().st_size == 1 for file in tmp_path.iterdir())


def test_whoever_is_killed_takes_the_child_along_and_ctrl_c_reaches_it():
    code = "import os, time\ntry:\n    print(os.getpid(), flush=True)\n    time.sleep(600)\nexcept KeyboardInterrupt:\n    print('heard')"
    for number, says in ((signal.SIGINT, "heard\n"), (signal.SIGKILL, "")):
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        child = int(process.stdout.readline())
        assert child != process.pid
        process.send_signal(number)
        assert process.communicate(timeout=60)[0] == says  # the end of its output is the end of the child
        assert process.returncode == (0 if says else -signal.SIGKILL)


@pytest.mark.parametrize(("name", "warm"), [("GPUSIM_GPU_MEMORY", True), ("NUMBA_NUM_THREADS", False)])
def test_a_setting_that_a_library_has_read_is_a_new_process(name, warm, monkeypatch):
    monkeypatch.setenv(name, "1")
    code = "import sys, os; print('numba' in sys.modules, len(os.listdir('/proc/self/task')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(warm), "1"], "a fork, and then with one thread only, or a new process"
