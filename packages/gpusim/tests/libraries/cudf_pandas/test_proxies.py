"""cudf.pandas: the answers are pandas', and it is told what ran where.  Each program runs in a process of its own."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def run(*arguments, code=None, **environment):
    """Run Python with the simulated libraries in place; return what it printed."""
    environment = {**os.environ, "GPUSIM_SIMULATE": "1", "COLUMNS": "200", **environment}
    if code is not None:
        arguments = ("-c", "from gpusim import activate; activate()\n" + code)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


MAIN = """
import runpy, sys
sys.argv = ["python -m cudf.pandas", *{arguments!r}]
runpy.run_module("cudf.pandas.__main__", run_name="__main__")
"""


def command(*arguments, **environment):
    """Run ``python -m cudf.pandas``."""
    return run(code=MAIN.format(arguments=list(map(str, arguments))), **environment)


@pytest.fixture(scope="module")
def results():
    return [json.loads(line) for line in run(HERE / "programs.py").splitlines()]


def test_every_answer_is_pandas_own(results):
    assert len(results) > 180
    assert {one["code"]: one["problem"] for one in results if one["problem"]} == {}


def test_most_of_it_runs_on_the_simulated_cudf(results):
    share = sum(one["gpu"] for one in results) / len(results)
    assert share > 0.6, [one["code"] for one in results if not one["gpu"]]


INSTALL = "import cudf.pandas; cudf.pandas.install(); import pandas as pd\n"


def test_the_profiler_tells_gpu_and_cpu_calls():
    code = INSTALL + (
        "import json\n"
        "df = pd.DataFrame({'a': [1, 2, 1], 's': ['x', 'y', 'z']})\n"
        "with cudf.pandas.Profiler() as p:\n"
        "    df.groupby('a').sum(numeric_only=True)\n"
        "    df.a.apply(lambda x: [x])\n"
        "print(json.dumps({k: {w: len(t) for w, t in v.items()} for k, v in p.per_function_stats.items()}))\n"
        "print(json.dumps([[n, g > 0, c > 0] for n, _, g, c in p.per_line_stats]))\n"
        "p.print_per_function_stats()\n"
    )
    functions, lines, *table = run(code=code).splitlines()
    functions = json.loads(functions)
    assert functions["DataFrame.groupby"] == {"gpu": 1} and functions["Series.apply"] == {"cpu": 1}
    table = "\n".join(table)
    assert "GPU function calls in" in table and "- Series.apply" in table


@pytest.mark.large
def test_the_command_profiles_a_script(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import pandas as pd\ndf = pd.DataFrame({'a': [1, 2]})\nprint('sum', df.a.sum(), __file__)\n")
    assert command(script) == f"sum 3 {script}\n"
    out = command("--profile", script)
    assert "sum 3" in out and "Series.sum" in out and "0 CPU function calls" in out
    out = command("--line-profile", script)
    assert "GPU TIME(s)" in out and "df = pd.DataFrame({'a': [1, 2]})" in out and f"sum 3 {script}" in out
    assert command("-c", "import pandas as pd; print(type(pd.Series([1])).__module__)") == "pandas\n"
    assert command("-m", "json.tool", "--help").startswith("usage")


def test_proxies_are_pandas_objects_for_who_asks():
    code = INSTALL + (
        "import numpy as np, copy\n"
        "from cudf.pandas import is_proxy_object, as_proxy_object, is_proxy_instance\n"
        "df = pd.DataFrame({'a': [1, 2]})\n"
        "assert is_proxy_object(df) and is_proxy_instance(df, pd.DataFrame) and not is_proxy_object(1)\n"
        "assert isinstance(df, pd.DataFrame) and isinstance(df.a, pd.Series) and isinstance(df.index, pd.Index)\n"
        "assert isinstance(df.as_cpu_object(), pd.DataFrame) and not is_proxy_object(df.as_cpu_object())\n"
        "import cudf\n"
        "assert isinstance(df.as_gpu_object(), cudf.DataFrame)\n"
        "assert is_proxy_object(as_proxy_object(df.as_gpu_object()))\n"
        "assert type(np.asarray(df.a)) is np.ndarray and np.sqrt(df.a).sum() > 2\n"
        "assert copy.deepcopy(df).equals(df) and len(df) == 2 and list(df) == ['a'] and 'a' in df\n"
        "class Mine(pd.DataFrame): pass\n"
        "assert type(Mine({'a': [1]})) is Mine\n"
        "from pandas.testing import assert_frame_equal\n"
        "assert_frame_equal(df, df.copy())\n"
        "pd.set_option('display.max_rows', 7); assert pd.options.display.max_rows == 7\n"
        "df['b'] = df.a * 2; df.loc[0, 'b'] = 9; df.columns = ['x', 'y']; del df['x']\n"
        "assert df.y.tolist() == [9, 4]\n"
        "print('fine')\n"
    )
    assert run(code=code) == "fine\n"


def test_pickles_cross_processes(tmp_path):
    import pandas as pd

    path = tmp_path / "x.pickle"
    run(code=INSTALL + f"import pickle; pickle.dump(pd.DataFrame({{'a': [1, None]}}), open({str(path)!r}, 'wb'))")
    code = INSTALL + f"import pickle; df = pickle.load(open({str(path)!r}, 'rb')); print(type(df).__name__, df.a.sum())"
    assert run(code=code) == "DataFrame 1.0\n"
    host = tmp_path / "host.pickle"
    host.write_bytes(pickle.dumps(pd.DataFrame({"a": [5]})))
    code = (
        INSTALL
        + f"import pickle; df = pickle.load(open({str(host)!r}, 'rb')); print(cudf.pandas.is_proxy_object(df), df.a.sum())"
    )
    assert run(code=code) == "True 5\n"


def test_fallback_can_be_made_an_error_or_a_line_in_the_log():
    code = INSTALL + (
        "from cudf.pandas.fast_slow_proxy import FallbackError\n"
        "s = pd.Series(['a', 1])\n"
        "try:\n"
        "    s.map(str)\n"
        "except FallbackError as error:\n"
        "    print('refused')\n"
    )
    assert run(code=code, CUDF_PANDAS_FAIL_ON_FALLBACK="1") == "refused\n"


def test_with_a_fallback_mode_it_is_pandas_alone():
    code = INSTALL + "print(cudf.pandas.is_proxy_object(pd.Series([1])), pd.Series([1]).sum())"
    assert run(code=code, CUDF_PANDAS_FALLBACK_MODE="1") == "False 1\n"


def test_the_magics_of_a_notebook(tmp_path):
    code = (
        "from IPython.testing.globalipapp import start_ipython\n"
        "ip = start_ipython()\n"
        "ip.run_cell('%load_ext cudf.pandas\\nimport pandas as pd')\n"
        "ip.run_cell('%%cudf.pandas.profile\\ndf = pd.DataFrame({\"a\": [1, 2]})\\ndf.a.sum()')\n"
        "ip.run_cell('%%cudf.pandas.line_profile\\ndf = pd.DataFrame({\"a\": [1, 2]})\\ndf.a.sum()')\n"
    )
    out = run(code=code, IPYTHONDIR=str(tmp_path))
    assert "Series.sum" in out and "GPU TIME(s)" in out
