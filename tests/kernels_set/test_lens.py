"""Every right kernel of the set through `lens.trace`, and every broken variant compiled: `make test-kernels`.

A right kernel gets no error and no warning, but for those listed here, each with the reason why it deserves it.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "lens")]
from kernels_set import registry  # noqa: E402

DESERVED = {
    "atomics_two_dimensional": {("negative-index", "warning")},  # its groups are numbered from the end too, on purpose
    "gather_negative_indices": {("negative-index", "warning")},  # on purpose
    "ising_checkerboard": {("negative-index", "warning")},  # the lattice is a torus: -1 is the other side
    "wave_equation": {("negative-index", "warning")},  # the string is a ring
    "mutex": {("race", "warning")},  # ordered by a lock and its fences: whether always, a trace cannot tell
    "compare_and_swap_loop": {("race", "warning")},  # the first read is plain; the swap fails if it was stale
    # A level-synchronous search reads levels that others set: who sees the new one has nothing to do at it.
    "breadth_first_search": {("race", "error"), ("race", "warning")},
    "connected_components": {("race", "error")},  # reads roots that others are replacing by the same roots
    "numba_useful_syncwarp": {("race", "error")},  # lane 0 writes the element that all read, with the value it had
    # All threads write QT_out[0], thread 0 a passing value first; and element -1 is read where it does not count.
    "stumpy_matrix_profile": {("race", "error"), ("negative-index", "warning")},
    "stumpy_unnormalised_profile": {("race", "error"), ("negative-index", "warning")},
    "rnnt_alphas_atomic_locks": {("race", "error")},  # plain reads of what a neighbour wrote, with no fence between
}

SCRIPT = """
import json, os, sys
sys.path[:0] = [{tests!r}, {lens!r}]
from hundredfold import simulate
simulate.activate()
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

    clean = {k: v for k, v in os.environ.items() if not k.startswith(("HUNDREDFOLD_SIM", "HUNDREDFOLD_KERN", "NUMBA_"))}
    script = SCRIPT.format(tests=str(HERE.parent), lens=str(HERE.parent / "lens"))
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


@pytest.mark.parametrize("name", registry.names())
def test_a_right_kernel_raises_no_alarm(name, ask):
    answer = ask(f"right {name}")
    assert "error" not in answer, answer["error"]
    assert answer["launches"]
    assert {tuple(found) for found in answer["found"]} == DESERVED.get(name, set())


def _variants():
    from broken.all_variants import VARIANTS

    return [broken.name for broken in VARIANTS]


@pytest.mark.parametrize("name", _variants())
def test_a_broken_variant_is_found_compiled(name, ask):
    assert "error" not in (answer := ask(f"broken {name}")), answer["error"]
