"""`kernellens port` from outside: the same output, and an account that a person could have made by hand."""

import json
import os
import re
import subprocess
import sys

import nbformat
import pytest

from gpusim.hardware import gpus
from kernellens.port import estimate

CLEAN = {
    name: value for name, value in os.environ.items() if not name.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_"))
}


def command(*arguments, cwd):
    line = [sys.executable, "-c", "from kernellens.cli import main; main()", "port", *map(str, arguments)]
    return subprocess.run(line, env=CLEAN, cwd=cwd, capture_output=True, text=True, check=False, timeout=280)


def ported(path, *arguments):
    done = command("--json", path.name, *arguments, cwd=path.parent)
    assert done.stdout, done.stderr
    report = json.loads(done.stdout)
    report["by"] = {line["where"]: line for line in report["lines"]}
    return done, report


def plainly(path, *arguments):
    return subprocess.run(
        [sys.executable, path.name, *arguments], cwd=path.parent, env=CLEAN, capture_output=True, text=True, check=False
    )


LOOP = """\
import sys
import numpy as np
import numpy.linalg as la
from numpy import sqrt
import helper

def step(u):
    return 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])

u = np.zeros((100, 100))
u[0] = 1.0
for i in range(5):
    new = step(u)
    if np.abs(new - u[1:-1, 1:-1]).max() < 1e-9:
        break
    u[1:-1, 1:-1] = new
print(u.mean(), u[:2, :3], repr(u[0, :2]), type(u).__name__, isinstance(u, np.ndarray), sys.argv[1:])
x = np.random.default_rng(0).normal(size=1000)
y = x[x > 0.5]
print(len(y), sqrt(y).std(), x.tolist()[:2], [float(v) for v in x[:2]], f"{x.sum():.3f}")
a = np.arange(16.0).reshape(4, 4) + 4 * np.eye(4)
print(la.solve(a, np.ones(4)), a @ a, helper.double(a)[0])
words = np.array(["b", "a"])
words.sort()
print(words, np.apply_along_axis(lambda r: r.sum() + 1, 1, a))
total = 0.0
for v in range(1000):
    total += x[v]
print(total)
"""


@pytest.fixture(scope="module")
def loop(tmp_path_factory):
    script = tmp_path_factory.mktemp("loop") / "loop.py"
    script.write_text(LOOP)
    script.with_name("helper.py").write_text("import numpy as np\n\ndef double(a):\n    return np.multiply(a, 2)\n")
    return script, *ported(script, "--size", "3")


def test_the_output_is_the_same(loop):
    script, done, _ = loop
    assert done.returncode == 0
    assert plainly(script, "--size", "3").stdout == done.stderr


def test_kernels_and_bytes_of_a_line(loop):
    line = loop[2]["by"]["line 8"]
    inner = 98 * 98 * 8
    # Three additions and a product in each of five rounds; views cost nothing.
    assert line["kernels"] == 5 * 4
    assert line["moved"] == 5 * (3 * 3 * inner + 2 * inner)
    assert line["temporaries"] >= 5 * 3


def test_a_test_in_a_loop_reads_a_number_back_each_time(loop):
    line = loop[2]["by"]["line 14"]
    assert (line["d2h"], line["d2h_count"]) == (5 * 8, 5)


def test_single_elements_are_all_counted(loop):
    line = loop[2]["by"]["line 28"]
    assert (line["d2h"], line["d2h_count"], line["calls"]) == (8000, 1000, 1000)


def test_printing_brings_an_array_back_and_reuse_does_not_send_it_again(loop):
    assert loop[2]["by"]["line 17"]["d2h"] >= 6 * 8
    assert loop[2]["by"]["line 8"]["h2d"] == 0


def test_matrix_products_have_operations(loop):
    assert loop[2]["by"]["line 22"]["flops"] == 2 * 4**3 + 2 / 3 * 4**3


def test_modules_beside_the_program_are_part_of_it(loop):
    assert loop[2]["by"]["helper.py, line 4"]["kernels"] == 1


def test_what_cupy_lacks_is_said_with_what_to_write(loop):
    found = {(refusal["where"], refusal["what"]): refusal for refusal in loop[2]["refusals"]}
    normal = found["line 18", "numpy.random.default_rng.normal"]
    assert normal["kind"] == "missing" and "standard_normal" in normal["instead"]
    text = found["line 23", "numpy.array"]
    assert text["by"] == "CuPy" and "numbers" in text["instead"]


def test_the_estimate_follows_from_the_account(loop):
    report = loop[2]
    gpu = gpus.find("A100")
    (mine,) = [each for each in report["gpus"] if each["gpu"] == "A100"]
    assert mine["launches"] == pytest.approx(sum(line["kernels"] for line in report["lines"]) * gpu.launch)
    assert mine["memory"] == pytest.approx(sum(line["moved"] for line in report["lines"]) / gpu.bandwidth)
    assert len(report["sentences"]) == 3 and all(
        re.search("too short a run|bound by .*; at best", sentence) for sentence in report["sentences"]
    )


FRAME = """\
import numpy as np
import pandas as pd

n = 3000
orders = pd.DataFrame({"customer": np.arange(n) % 50, "amount": np.arange(n) * 0.5})
customers = pd.DataFrame({"customer": np.arange(50), "region": ["north", "south"] * 25})
print(type(orders).__name__, isinstance(orders, pd.DataFrame), orders.shape)
merged = orders.merge(customers, on="customer")
print(merged.groupby("region")["amount"].agg(["mean", "sum", "count"]))
merged["vat"] = merged["amount"] * 0.2
big = merged[merged["vat"] > 15]
print(len(big), big.amount.max(), big.sort_values("amount").head(3), merged.iloc[:2, -2:])
for _, row in merged.head(3).iterrows():
    print(row["amount"])
seen = []
merged["amount"].head(4).apply(lambda a: seen.append(a))
print(len(seen), merged["region"].str.upper().value_counts())
merged.to_csv("out.csv", index=False)
print(open("out.csv").readline(), pd.read_csv("out.csv").shape)
"""


@pytest.fixture(scope="module")
def frame(tmp_path_factory):
    script = tmp_path_factory.mktemp("frame") / "frame.py"
    script.write_text(FRAME)
    return script, *ported(script)


def test_frames_print_the_same(frame):
    script, done, _ = frame
    assert done.returncode == 0
    assert plainly(script).stdout == done.stderr


def test_a_merge_is_done_on_the_device(frame):
    line = frame[2]["by"]["line 8"]
    assert line["kernels"] >= 1 and line["host_seconds"] == 0
    assert line["moved"] > 0


def test_groups_are_made_on_the_device_and_nothing_crosses_the_bus_on_the_way(tmp_path):
    script = tmp_path / "groups.py"
    script.write_text(
        "import numpy as np\nimport pandas as pd\n"
        "x = np.arange(100_000) * 1.0\n"
        "frame = pd.DataFrame({'k': np.arange(100_000) % 50, 'x': x})\n"
        "a = frame.groupby('k')['x'].mean()\n"
        "b = frame.groupby('k').x.sum()\n"
        "for value in a:\n    pass\n"
    )
    done, report = ported(script)
    for where in ("line 5", "line 6"):
        line = report["by"][where]
        assert line["kernels"] >= 1 and line["host_seconds"] == 0
    assert sum(report["by"][f"line {n}"]["d2h"] for n in (3, 4, 5, 6)) == 0
    (loop,) = [refusal for refusal in report["refusals"] if refusal["what"] == "Series.__iter__"]
    assert loop["where"] == "line 7" and loop["by"] == "cuDF" and "not iterable" in loop["message"]


def test_rows_one_by_one_are_refused(frame):
    refusals = frame[2]["refusals"]
    (rows,) = [refusal for refusal in refusals if refusal["what"] == "DataFrame.iterrows"]
    assert rows["by"] == "cuDF" and rows["where"] == "line 13" and "to_pandas" in rows["instead"]


def test_functions_with_side_effects_run_once(frame):
    (apply,) = [refusal for refusal in frame[2]["refusals"] if refusal["what"] == "Series.apply"]
    assert "more than return a value" in apply["message"]
    assert "\n4 region" in frame[1].stderr.replace("  ", " ") or "4 " in frame[1].stderr


def test_what_can_be_read_once_is_the_programs(tmp_path):
    script = tmp_path / "once.py"
    script.write_text(
        "import io, numpy as np, pandas as pd\n"
        "print(pd.read_csv(io.StringIO('a,b\\n1,2\\n')).shape)\n"
        "print(pd.DataFrame({'a': (v for v in [1, 2])}).shape, pd.Series(map(int, '123')).sum())\n"
        "print(np.fromiter((v for v in range(4)), float).sum(), np.array(list(zip([1], [2]))).shape)\n"
    )
    done, report = ported(script)
    assert done.stderr == plainly(script).stdout == "(1, 2)\n(2, 1) 6\n6.0 (1, 2)\n"


def test_a_notebook_is_told_by_cell_and_line(tmp_path):
    path = tmp_path / "n.ipynb"
    cells = ["import numpy as np", "x = np.ones(1000)\ny = x * 2 + 1", "!pip install x", "float(y.sum())"]
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbformat.write(made, path)
    done, report = ported(path)
    assert done.returncode == 0, done.stderr
    assert report["by"]["cell 2, line 2"]["kernels"] == 2
    assert "3000.0" in done.stderr


def test_the_text_says_it_plainly(tmp_path):
    script = tmp_path / "small.py"
    script.write_text("import numpy as np\nfor i in range(20):\n    x = np.ones(10) + 1\nprint(x.sum())\n")
    done = command("small.py", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("20.0\n")
    said = " ".join(done.stdout.split())
    # What is said of N depends on how long the calls took, so it is tested with given times, below.
    assert re.search(r"T4: (bound by launches; at best|\S+ µ?m?s of work are too short a run to tell)", said)
    verdict, *others = (said.index(words) for words in ("T4: ", "No call would be refused.", "Line by line"))
    assert verdict < min(others) and "times as fast" not in said
    assert "Assumed" not in said and "Not seen" not in said
    explained = " ".join(command("--explain", "small.py", cwd=tmp_path).stdout.split())
    assert "Assumed" in explained and "Not seen" in explained


def test_an_error_of_the_program_is_its_own(tmp_path):
    script = tmp_path / "wrong.py"
    script.write_text("import numpy as np\nx = np.ones(3)\nx + np.ones(4)\n")
    done = command("wrong.py", cwd=tmp_path)
    assert done.returncode == 1
    assert "line 3" in done.stderr and "could not be broadcast" in done.stderr and "kernellens/port" not in done.stderr


@pytest.mark.parametrize("name", ["none.py", "folder", "x.txt"])
def test_what_is_no_program_is_refused(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "x.txt").write_text("")
    done = command(name, cwd=tmp_path)
    assert done.returncode == 2 and name in done.stderr


def account(**line):
    whole = {
        **dict.fromkeys(("calls", "kernels", "moved", "h2d", "h2d_count", "d2h", "d2h_count", "flops"), 0),
        **{"seconds": 0.0, "host_seconds": 0.0, **line},
    }
    return {"lines": [whole], "largest": 10**6, "peak": 0}


def test_from_which_size_it_pays_by_hand():
    gpu = gpus.find("A100")
    report = account(calls=0, kernels=100, moved=10**9, seconds=0.5)
    found = estimate.estimate(report, "A100")
    # 100 launches = N / 10⁶ (0.5 s - 10⁹ / bandwidth)
    assert found.worth_from == pytest.approx(10**6 * 100 * gpu.launch / (0.5 - 1e9 / gpu.bandwidth), rel=1e-6)
    said = f" Below N = {estimate.number(found.worth_from)} it cannot pay; here N = {estimate.number(10**6)}."
    assert estimate.sentence(found, 10**6, 0.5).endswith(said)


def test_what_crosses_the_bus_too_slowly_never_pays():
    report = account(calls=1, kernels=1, moved=10**6, seconds=0.001, h2d=10**9, h2d_count=1)
    assert estimate.estimate(report, "H200").worth_from is None
    assert "cannot pay at any N. Bound by transfers" in estimate.sentence(
        estimate.estimate(report, "H200"), 10**6, 0.001
    )


def test_small_operations_cost_their_calls():
    # 1 000 calls of 1 kB each in 3 ms: 0.25 ms of it is data.
    report = account(calls=1000, kernels=1000, moved=10**6, seconds=0.003)
    gpu = gpus.find("T4")
    worth = estimate.estimate(report, "T4").worth_from
    fixed, grows = 0.003 - 0.00025, 0.00025 - 1e6 / gpu.bandwidth
    assert worth == pytest.approx(10**6 * (1000 * gpu.launch - fixed) / grows, rel=1e-6)


def test_nothing_is_concluded_from_a_run_of_microseconds():
    line = {"calls": 2, "seconds": 2e-4, "host_seconds": 0.0, "kernels": 2, "moved": 56, "h2d": 0, "h2d_count": 0}
    report = {"lines": [line | {"d2h": 8, "d2h_count": 1, "flops": 0.0}], "largest": 3, "peak": 512}
    said = estimate.sentence(estimate.estimate(report, "T4"), 3, 2e-4)
    assert "too short a run to tell" in said and "at best" not in said


def test_what_binds_is_named():
    """The largest part, with arithmetic and memory side by side and so counted once."""
    for line, said in (
        ({"kernels": 1, "moved": 10**10}, "its memory"),
        ({"kernels": 1, "moved": 10**6, "flops": 1e12}, "its arithmetic"),
        ({"kernels": 10_000, "moved": 10**6}, "launches"),
        ({"kernels": 1, "moved": 10**6, "h2d": 10**9, "h2d_count": 1}, "transfers"),
        ({"kernels": 1, "moved": 10**6, "host_seconds": 0.4}, "what stays on the CPU"),
    ):
        found = estimate.estimate(account(calls=1, seconds=0.5, **line), "A100")
        assert found.bound_by == said
        assert f"A100: bound by {said}; at best " in estimate.sentence(found, 10**6, 0.5)


SCIPY = """\
import numpy as np
import scipy.linalg
from scipy import ndimage, optimize, stats
from scipy.sparse.linalg import norm
from scipy import sparse
from sklearn.linear_model import LinearRegression
a = np.random.default_rng(0).random((300, 300))
b = ndimage.gaussian_filter(a, 2)
root = optimize.brentq(lambda x: x**2 - 2, 0, 2)
c = scipy.linalg.solve_triangular(np.triu(a), b)
d = b.mean()
x = stats.norm(0, 1).cdf(0.0)
s = norm(sparse.csr_array(a))
print(d, root, c.sum(), x, s)
print(LinearRegression().fit(a, b[:, 0]).coef_[:2])
b.reshape(7, 7)
"""


@pytest.fixture(scope="module")
def with_scipy(tmp_path_factory):
    script = tmp_path_factory.mktemp("scipy") / "uses.py"
    script.write_text(SCIPY)
    return script, *ported(script)


def test_scipy_is_what_cupyx_has_of_it(with_scipy):
    script, done, report = with_scipy
    assert done.stderr.splitlines()[:2] == plainly(script).stdout.splitlines()
    by = report["by"]
    assert by["line 8"]["kernels"] and by["line 8"]["seconds"] and not by["line 8"]["host_seconds"]
    assert by["line 10"]["kernels"] and not by["line 11"]["h2d"]  # what ndimage made is still on the device
    missing = {refusal["where"]: refusal["message"] for refusal in report["refusals"]}
    assert missing == {"line 9": "cupyx.scipy has no optimize"}
    assert by["line 9"]["host_seconds"]


def test_an_error_of_the_programs_own_is_no_refusal(with_scipy):
    _, done, report = with_scipy
    assert done.returncode == 1 and "cannot reshape" in done.stderr
    assert not any(refusal["what"] == "ndarray.reshape" for refusal in report["refusals"])


def test_a_library_that_is_not_counted_is_named(with_scipy):
    script, _, report = with_scipy
    assert "sklearn" in report["imports"]
    assert "`python -m cuml.accel` runs such a program" in " ".join(
        command(script.name, cwd=script.parent).stdout.split()
    )
