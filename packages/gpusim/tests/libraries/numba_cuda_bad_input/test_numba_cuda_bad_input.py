"""Wrong programs, run as a learner runs them: one error each, with the line, and the machine is as it was."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from cases import HEAD, WRONG  # noqa: E402

GIVE_UP = 120  # seconds until a hang becomes a failure


def environment(**more: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GPUSIM_K", "GPUSIM_T", "NUMBA_"))}
    # How long a thread may go on is the program's own rule; a second is enough here. What is found is to stop it.
    return {
        **kept,
        "GPUSIM_SIMULATE": "1",
        "GPUSIM_THREAD_SECONDS": "1",
        "GPUSIM_TRACE": "first",
        **more,
    }


@pytest.fixture
def run(tmp_path):
    """``run(program, VARIABLE=...)`` runs it as a learner does, and returns how it ended."""

    def run(program: str, **more: str) -> subprocess.CompletedProcess:
        script = tmp_path / "program.py"
        script.write_text(program, encoding="utf-8")
        command = [sys.executable, "-m", "gpusim", str(script)]
        return subprocess.run(
            command, env=environment(**more), cwd=tmp_path, capture_output=True, text=True, timeout=GIVE_UP, check=False
        )

    return run


@pytest.mark.large(smoke=14)
@pytest.mark.parametrize("kernels", ["compiled", "interpreted"])
@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.name)
def test_one_error_with_the_line(run, wrong, kernels):
    program = HEAD + wrong.body
    done = run(program, GPUSIM_KERNELS=kernels)
    if kernels in wrong.gaps:
        assert done.returncode == 0, f"no gap any more: take it out of cases.py\n{done.stderr}"
        pytest.xfail(f"{kernels} kernels do not refuse this yet")
    assert done.returncode == 1, f"it ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    assert done.stderr.count("Traceback (most recent call last)") == 1, done.stderr
    # The traceback shows the learner's launch; what the error itself says begins after the last frame.
    said = re.split(r"\n(?=\S)", done.stderr.split("Traceback (most recent call last):")[1], maxsplit=1)[1]
    for piece in wrong.says:
        assert any(part in said.lower() for part in piece.lower().split(" || ")), f"not said: {piece!r}\n{done.stderr}"
    marked = [line.split("# HERE")[0].strip() for line in program.splitlines() if "# HERE" in line]
    for line in marked:
        assert line in done.stderr, f"not shown: {line!r}\n{done.stderr}"
    assert "site-packages" not in done.stderr and "_hf_" not in done.stderr, done.stderr


AFTERWARDS = """
@cuda.jit
def good(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] + 1

z = cuda.to_device(np.zeros(100))
good[4, 32](x, z)
assert (z.copy_to_host() == np.arange(100) + 1).all()
print("the next launch is right")
"""
AT_RUN_TIME = ["never ends", "a lock that is never given back", "out of bounds", "a race", "a block of 2048"]


@pytest.mark.large("kernels")
@pytest.mark.parametrize("kernels", ["compiled", "interpreted"])
@pytest.mark.parametrize("name", AT_RUN_TIME)
def test_the_next_launch_is_unaffected(run, name, kernels):
    body = next(wrong.body for wrong in WRONG if wrong.name == name)
    # The lock's kernel spoils x: what comes after has to begin from fresh values.
    program = (
        HEAD
        + "try:\n"
        + textwrap.indent(body, "    ")
        + "except Exception as error:\n    print('caught', type(error).__name__)\n"
        + "x = cuda.to_device(np.arange(100.0))\n"
        + AFTERWARDS
    )
    done = run(program, GPUSIM_KERNELS=kernels)
    assert done.returncode == 0, done.stderr
    assert "caught" in done.stdout and "the next launch is right" in done.stdout


LONG = (
    HEAD
    + """
import sys

@cuda.jit
def kernel(x, y):
    i = cuda.grid(1)
    total = 0.0
    for k in range(10**12):
        total += k
    y[i % 100] = total

print("launching", flush=True)
try:
    kernel[WHERE](x, y)
    cuda.synchronize()
except KeyboardInterrupt:
    print("interrupted", flush=True)
x = cuda.to_device(np.arange(100.0))
"""
    + AFTERWARDS
)


@pytest.mark.large("kernels")
@pytest.mark.parametrize("kernels", ["compiled", "interpreted"])
@pytest.mark.parametrize(("where", "after"), [("1, 1", 3), ("64, 256", 3), ("1, 1", 0.4)])
def test_ctrl_c_stops_a_long_launch(tmp_path, kernels, where, after):
    script = tmp_path / "program.py"
    script.write_text(LONG.replace("WHERE", where), encoding="utf-8")
    # No limit of ours may come first.
    env = environment(GPUSIM_KERNELS=kernels, GPUSIM_THREAD_SECONDS="1000", GPUSIM_TRACE="off")
    process = subprocess.Popen(
        [sys.executable, "-m", "gpusim", str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
        cwd=tmp_path,
    )
    try:
        assert process.stdout.readline() == "launching\n"
        # Into the run, or into the compilation, which has to come to its end first: what comes after must work either way.
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=GIVE_UP)
    finally:
        process.kill()
    assert process.returncode == 0, errors
    assert output.splitlines() == ["interrupted", "the next launch is right"], output + errors
