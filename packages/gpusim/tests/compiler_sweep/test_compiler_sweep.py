"""The simulator refuses what numba-cuda refuses, and takes what that takes: asked of both, for each line of `kernels`.

It needs numba-cuda and NVIDIA's compiler, which need no GPU: `make test-all ARGS=compiler`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import kernels  # noqa: E402

REAL = os.environ.get("KERNELLENS_COMPILER")
SHARE = {"compiled": 0.99, "interpreted": 0.99}
"""Of the lines, for how many they have to agree.  The interpreter runs what cannot be compiled here, and everything in a browser."""


def answers(python, program, module, types, **environ):
    """What one of the two says: a dict of numbers to words, empty ones where it takes the kernel."""
    command = [python, str(HERE / program), str(module), str(types)]
    told = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environ})
    assert told.returncode == 0, told.stderr
    parts = (line.partition(" ") for line in told.stdout.splitlines())
    return {int(number): json.loads(words) for number, _, words in parts}


@pytest.mark.large
@pytest.mark.skipif(not REAL, reason="needs NVIDIA's compiler: KERNELLENS_COMPILER=/a/python/that/has/it")
def test_the_simulator_agrees_with_the_compiler(tmp_path):
    lines = kernels.lines()
    module, types = tmp_path / "swept.py", tmp_path / "types.json"
    module.write_text(kernels.module(lines))
    types.write_text(json.dumps([[n, line.v, line.w] for n, line in enumerate(lines)]))
    real = answers(REAL, "real.py", module, types)
    assert len(lines) >= 1000 and set(real) == set(range(len(lines)))
    accepted = sum(not words for words in real.values())
    assert 0.25 < accepted / len(lines) < 0.9  # a sweep that is always answered alike shows nothing
    for way, share in SHARE.items():
        ours = answers(sys.executable, "ours.py", module, types, GPUSIM_KERNELS=way, NUMBA_OPT="0")
        assert set(ours) == set(real)
        apart = [n for n in real if bool(real[n]) != bool(ours[n])]
        told = [f"{lines[n]}: {'refused at work' if real[n] else 'refused here'}" for n in apart]
        assert len(apart) <= (1 - share) * len(lines), "\n".join([way, *told])


def test_no_line_is_there_twice_and_each_is_python():
    lines = kernels.lines()
    assert len(set(lines)) == len(lines)
    compile(kernels.module(lines), "swept.py", "exec")
