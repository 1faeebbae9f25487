"""Every right kernel of the set through `lens.trace`, and every broken variant compiled.

A right kernel gets no error and no warning, but for those of `packages/kernellens/tests/broken/deserved.py`.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parents[1] / "gpusim" / "tests"  # where the kernels are
sys.path[:0] = [str(TESTS), str(HERE)]
from broken.all_variants import VARIANTS, kind_and_module  # noqa: E402
from broken.deserved import DESERVED  # noqa: E402
from kernels_set import registry  # noqa: E402

SCRIPT = """
import json, os, sys
sys.path[:0] = [{tests!r}, {lens!r}]
import gpusim
gpusim.activate()
from kernels_set import registry
from broken import variant
from broken.all_variants import VARIANTS
from broken.checking import check
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
entries = registry.load()
variants = {{broken.name: broken for broken in VARIANTS}}
for line in sys.stdin:
    kind, _, name = line.strip().partition(" ")
    try:
        if kind == "broken":
            check(variants[name], entries)
            told = []
        else:
            with variant.traced(stop=False) as seen:
                for case in entries[name].cases(registry.seeded(name)):
                    registry.run(entries[name], case)
            told = sorted({{(f.kind, f.severity) for trace in seen for f in trace.errors}})
        reply = {{"found": told, "launches": 1 if kind == "broken" else len(seen)}}
    except BaseException as error:
        reply = {{"error": f"{{type(error).__name__}}: {{error}}"}}
    print(json.dumps(reply), file=answers, flush=True)
"""


@pytest.fixture(scope="module")
def ask():
    import json

    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GPUSIM_SIM", "GPUSIM_KERN", "NUMBA_"))}
    script = SCRIPT.format(tests=str(TESTS), lens=str(HERE))
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=clean,
    )

    def ask(question: str) -> dict:
        process.stdin.write(f"{question}\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        assert answer, f"the process ended at {question}"
        return json.loads(answer)

    yield ask
    process.kill()
    process.communicate()


@pytest.mark.large("name", by=registry.module_of)
@pytest.mark.parametrize("name", registry.names())
def test_a_right_kernel_raises_no_alarm(name, ask):
    answer = ask(f"right {name}")
    assert "error" not in answer, answer["error"]
    assert answer["launches"]
    assert {tuple(found) for found in answer["found"]} == DESERVED.get(name, set())


@pytest.mark.large("broken", by=kind_and_module)
@pytest.mark.parametrize("broken", VARIANTS, ids=lambda broken: broken.name)
def test_a_broken_variant_is_found_compiled(broken, ask):
    assert "error" not in (answer := ask(f"broken {broken.name}")), answer["error"]
