"""A compiled kernel computes what ``numba.njit`` computes, to the bit, for every pair of number types and operator."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

#: One worker makes the table; dealt one by one, each would make it.
pytestmark = pytest.mark.xdist_group("arithmetic")

HERE = Path(__file__).parent
TYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]
PAIRS = list(itertools.combinations_with_replacement(TYPES, 2))


@pytest.fixture(scope="module")
def answers(request):
    asked = {item.callspec.params["pair"] for item in request.session.items if item.name.startswith("test_pair[")}
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GPUSIM_K", "GPUSIM_T", "NUMBA_"))}
    command = [sys.executable, "-W", "ignore", str(HERE / "arithmetic.py"), *map("-".join, sorted(asked))]
    env = {**kept, "GPUSIM_KERNELS": "compiled", "GPUSIM_TRACE": "off"}
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=1800)
    assert done.returncode == 0, done.stderr
    return {tuple(answer["pair"]): answer for answer in map(json.loads, done.stdout.splitlines())}


@pytest.mark.large("pair", by=lambda pair: pair[0])
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: "-".join(pair))
def test_pair(answers, pair):
    answer = answers[pair]
    assert not answer["wrong"], "\n".join(answer["wrong"])
    # Numba has all thirteen for whole numbers; for floats none of the bits, for truth values no shift.
    assert len(answer["operators"]) >= 8, answer["operators"]


@pytest.mark.large
def test_the_table_is_as_large_as_promised(answers):
    assert len(answers) >= 60
    assert sum(len(answer["operators"]) for answer in answers.values()) >= 60 * 8
