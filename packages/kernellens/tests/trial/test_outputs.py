"""What a notebook prints here beside what is stored in it: each rule with small notebooks, and the command from outside."""

import json
import os
import subprocess
import sys
import types

import nbformat
import pytest

from kernellens.trial import outputs
from kernellens.trial.command import show
from kernellens.trial.outcome import Outcome

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("GPUSIM_", "KERNELLENS_"))}


def tried(*arguments):
    line = [sys.executable, "-c", "from kernellens.cli import main; main()", "try", *map(str, arguments)]
    return subprocess.run(line, env=CLEAN, capture_output=True, text=True, check=True, timeout=1200).stdout


def notebook(path, *cells):
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def cell(source, printed="", kind="stream"):
    made = nbformat.v4.new_code_cell(source)
    if kind == "error":
        made.outputs = [nbformat.v4.new_output("error", ename=printed, evalue="", traceback=[])]
    elif kind != "stream":
        made.outputs = [nbformat.v4.new_output(kind, data={"text/plain": printed})]
    elif printed:
        made.outputs = [nbformat.v4.new_output("stream", name="stdout", text=printed)]
    return made


def compared(stored, here, again=None, source="f()", kind="stream", ran=True):
    cells = (cell(source, stored, kind), cell(source, here, kind), None if again is None else cell(source, again, kind))
    return outputs.compare_cell(1, *cells, ran)


@pytest.mark.parametrize(
    ("stored", "here"),
    [
        ("[1. 2. 3.]", "[1.  2.  3.]"),
        ("0.3333", "0.33333334"),
        ("0.3333", "0.3334"),  # one in the last digit
        ("0.20", "0.21"),
        ("2.220446049250313e-16", "0.0"),
        ("3.14159274", "3.1415925"),  # float32: the last digits depend on the order of a sum
        ("1.5e-05", "1.500e-5"),
        ("array([1, 2])", "array([1, 2], shape=(2,))"),
        ("3.0", "np.float64(3.0)"),
        ("[1.+2.5j]", "[1.+2.4999999j]"),
        ("0    <NA>\n1    2", "0    None\n1    2"),
        ("nan", "<NA>"),
        ("Hello, World", "hello world"),
    ],
)
def test_what_agrees(stored, here):
    assert compared(stored, here).verdict == "agrees"
    assert compared(here, stored).verdict == "agrees"


@pytest.mark.parametrize(
    ("stored", "here"),
    [
        ("7", "6"),
        ("1000000", "1000001"),  # whole numbers have to be equal
        ("[1 2]", "[1. 2.]"),  # integers and floats
        ("0    19900", "0    19900.0"),
        ("0.3333", "0.3336"),
        ("[0.5 1.5]", "[0.6 1.5]"),  # all that there is of the number
        ("0.0", "0.1"),
        ("1e-05", "2e-05"),
        ("3.14159", "3.14169"),
        ("[1 2 3]", "[1 2]"),
        ("[1 2]", "[2 1]"),
        ("True", "False"),
        ("1.0", "nan"),
        ("1.0", "-1.0"),
        ("[1. 2.]", "[2. 3.]"),  # NumPy leaves out zeros only
        ("3 rows", "3 columns"),
        ("a b", "a c"),
        ("dtype('float32')", "dtype('float64')"),
        ("x1 5", "x2 5"),
        ("(1+2j)", "(1+3j)"),
        ("2", "2j"),
        ("std  0.1\nmin  1.0", "std  0.3\nmin  1.0"),  # the label of the next row is no unit of time
        ("a    1\nh    2\ns    3", "a    1\nh    5\ns    3"),
        ("fare 8.05 S", "fare 9.05 S"),  # a port, no seconds
        ("ran 3 times = 5", "ran 4 times = 5"),
        ("version A: 3 rows", "version A: 4 rows"),  # no version of a library
        ("1", ""),
        ("", "1"),
    ],
)
def test_what_differs(stored, here):
    found = compared(stored, here) if stored else compared(here, stored)
    assert found.verdict == "differs"
    assert {found.stored, found.here} == {stored, here}


@pytest.mark.parametrize(
    ("rule", "stored", "here", "wrong"),
    [
        ("times", "sum 3 in 12.5 ms", "sum 3 in 7 s", "sum 4 in 7 s"),
        ("times", "CPU times: user 1 s, sys: 2 s\nWall time: 3 s\n5", "CPU times: user 9 s\nWall time: 9 s\n5", "6"),
        ("times", "1.2 ms ± 3 µs per loop (mean ± std. dev. of 7 runs)\n5", "3 s ± 0 ns per loop\n5", "4"),
        ("times", "Elapsed time: 0.123\n5", "Elapsed time: 4.5\n5", "Elapsed time: 4.5\n6"),
        ("times", "reached 512.3 GB/s for 10", "reached 7.1 GB/s for 10", "reached 7.1 GB/s for 11"),
        ("addresses", "<f at 0x7f12ab> 1", "<f at 0x7fffff> 1", "<f at 0x7fffff> 2"),
        (
            "addresses",
            "<module 'm' from '/opt/m.py'> 1",
            "<module 'm' from '/usr/lib/m.py'> 1",
            "<module 'm' from '/m.py'> 2",
        ),
    ],
)
def test_a_piece_that_is_set_apart_leaves_the_rest(rule, stored, here, wrong):
    found = compared(stored, here)
    assert (found.verdict, found.apart) == ("agrees", [rule])
    assert compared(stored, wrong).verdict == "differs"


@pytest.mark.parametrize(
    ("rule", "source", "stored", "here"),
    [
        ("times", "t = perf_counter()", "0.123", "4.5"),
        ("versions", "print(cupy.__version__)", "12.0.0", "13.6.0"),
        ("devices", "cuda.detect()", "Found 1 CUDA devices", "Found 1 simulated"),
        ("commands", "!nvidia-smi", "Tesla T4", "not run"),
    ],
)
def test_a_cell_that_is_set_apart_for_what_it_asks(rule, source, stored, here):
    found = compared(stored, here, source=source)
    assert (found.verdict, found.apart[-1]) == ("set apart", rule)
    assert compared(stored, here).verdict == "differs"


def test_what_changes_from_run_to_run_is_set_apart_and_the_rest_compared():
    assert compared("0.1 0.2", "0.3 0.4", "0.5 0.6").apart == ["random numbers"]
    assert compared("0.1 0.2", "0.3 0.4", "0.5 0.6").verdict == "set apart"
    assert compared("0.1 7", "0.3 7", "0.5 7").verdict == "agrees"
    assert compared("0.1 7", "0.3 8", "0.5 8").verdict == "set apart"
    assert compared("0.1 7", "0.3 8", "0.3 8").verdict == "differs"
    assert compared("[0.1 7]", "[0.3]", "[0.5 0.6]").verdict == "set apart"  # as many as the draw says


def test_a_few_numbers_of_a_random_draw_make_no_cell_that_agrees():
    assert compared("0 0.1\n1 0.2", "0 0.3\n1 0.4", "0 0.5\n1 0.6").verdict == "agrees"
    assert compared("0 0.1 0.2", "0 0.3 0.4", "0 0.5 0.6").verdict == "set apart"


def test_a_coin_that_falls_alike_in_both_runs_is_random_all_the_same():
    sources = ["a[0] = np.random.randint(2)", "b = a + 1", "print(b)", "print(1)", "b = 3", "print(b)"]
    stored = [cell(source, "1" if "print" in source else "") for source in sources]
    here = [cell(source, "2" if "print" in source else "") for source in sources]
    whole = set(range(1, 7))
    assert [each.verdict for each in outputs.compare(stored, here, whole, here)][2:] == [
        *("set apart", "differs", "set apart", "differs")
    ]
    stored[0].source = here[0].source = "np.random.seed(1)\na[0] = np.random.randint(2)"
    assert outputs.compare(stored, here, whole, here)[2].verdict == "differs"


@pytest.mark.parametrize(
    ("stored", "here", "wrong"),
    [
        ("0    a\ndtype: object", "0    a\ndtype: str", "0    a\ndtype: int64"),
        ("dtype: datetime64[ns] 1", "dtype: datetime64[us] 1", "dtype: datetime64[us] 2"),
        ("<class 'pandas.core.frame.DataFrame'>", "<class 'pandas.DataFrame'>", "<class 'pandas.Series'>"),
        ("StringIndex(['a'], dtype='object')", "Index(['a'], dtype='str')", "Index(['b'], dtype='str')"),
        ("0 2012-01-01 00:00:00.000000", "0 2012-01-01", "0 2012-01-02"),
        (
            "<xarray.DataArray (t: 2)>\n[0 1]",
            "<xarray.DataArray (t: 2)> Size: 16B\n[0 1]",
            "<xarray.DataArray (t: 2)>\n[0 2]",
        ),
        ("a 0 x 1\na 1 x 2\nb 0 x 3", "a 0 x 1\n  1 x 2\nb 0 x 3", "a 0 x 1\n  1 x 3\nb 0 x 3"),
        ("Categories (1, object): ['a']", "Categories (1, str): ['a']", "Categories (1, int64): ['a']"),
    ],
)
def test_what_a_newer_version_prints_otherwise(stored, here, wrong):
    assert (compared(stored, here).verdict, compared(stored, here).apart) == ("agrees", ["versions"])
    assert compared(stored, wrong).verdict == "differs"


def test_rows_come_in_any_order_where_cudf_promises_none():
    stored, here, wrong = "a 1\nb 2\nc 3", "c 3\na 1\nb 2", "c 3\na 2\nb 1"
    assert compared(stored, here, source="df.groupby('x').sum()").apart == ["order"]
    assert compared(stored, here, source="df.groupby('x').sum().sort_values('y')").verdict == "differs"
    assert compared(stored, wrong, source="df.groupby('x').sum()").verdict == "differs"
    assert compared(stored, here, source="df.sort_values('x')").verdict == "differs"
    numbered = ("   k\n0  a\n1  b", "   k\n0  b\n1  a")  # a merge numbers its rows anew
    assert compared(*numbered, source="a.merge(b)").apart == ["order"]
    assert compared("   k\n0  a\n1  b", "   k\n0  b\n1  c", source="a.merge(b)").verdict == "differs"


def test_with_pandas_3_a_missing_string_is_no_match():
    stored, here = "0 True\n1 <NA>\ndtype: bool", "0 True\n1 False\ndtype: bool"
    assert compared(stored, here, source="s.str.match('a')").apart == ["versions"]
    assert compared(here, stored, source="s.str.match('a')").verdict == "differs"
    assert compared(stored, here, source="s > 1").verdict == "differs"
    objects = "0 True\n1 None\ndtype: object"  # pandas' own, which has no bool with a missing value
    assert compared(objects, here, source="s.str.match('a')").apart == ["versions"]
    assert compared(objects, here, source="s > 1").verdict == "differs"


def test_strings_have_a_type_of_their_own_in_lists_of_types():
    stored, here = "a object\nb int64\ndtypes: int64(1), object(1)", "a str\nb int64\ndtypes: int64(1), str(1)"
    for source in ("df.info()", "df.dtypes"):
        assert compared(stored, here, source=source).apart == ["versions"]
        assert compared(stored, here.replace("b int64", "b str"), source=source).verdict == "differs"
    assert compared(stored, here).verdict == "differs"


def test_findall_made_columns_where_it_makes_lists_now():
    stored, here = "0 1\n0 a <NA>\n1 a b", "0 [a]\n1 [a, b]\ndtype: list"
    found = compared(stored, here, source="s.str.findall('[ab]')")
    assert (found.verdict, found.apart) == ("set apart", ["versions"])
    assert compared(stored, here, source="s.str.split()").verdict == "differs"
    assert compared(here, here.replace("b", "c"), source="s.str.findall('[ab]')").verdict == "differs"


def test_the_memory_of_the_index_comes_first_now():
    stored, here = "a 80\nb 4\nIndex 0\ndtype: int64", "Index 0\na 80\nb 4\ndtype: int64"
    assert compared(stored, here, source="df.memory_usage()").apart == ["versions"]
    assert compared(stored, here.replace("80", "81"), source="df.memory_usage()").verdict == "differs"
    assert compared(stored, "b 4\nIndex 0\na 80\ndtype: int64", source="df.memory_usage()").verdict == "differs"


def test_codes_of_categories_have_become_signed():
    assert compared("1\ndtype: uint8", "1\ndtype: int8", source="s.cat.codes").apart == ["versions"]
    assert compared("1\ndtype: uint8", "1\ndtype: int8", source="s.codes").verdict == "differs"


def test_pandas_2_did_not_name_counts():
    stored, here = "0    5\nName: a, dtype: int32", "a\n0    5\nName: count, dtype: int64"
    assert compared(stored, here, source="df.a.value_counts()").apart == ["versions"]
    assert compared(stored, here).verdict == "differs"


def test_behind_a_cell_that_did_not_run_what_agrees_counts_and_what_differs_does_not():
    stored = [cell("x = f()"), cell("print(x)", "1"), cell("print(2)", "2"), cell("print(y)", "3")]
    here = [cell("x = f()"), cell("print(x)"), cell("print(2)", "2"), cell("print(y)", "4")]
    found = outputs.compare(stored, here, {3, 4})
    assert [each.apart for each in found] == [["not stored"], ["not run"], [], ["not run"]]
    assert [each.verdict for each in outputs.compare(stored, here, {1, 2, 3, 4})][2:] == ["agrees", "differs"]


def test_what_is_not_stored_or_did_not_run():
    assert compared("", "5").apart == ["not stored"]
    assert compared("<Figure size 640x480 with 1 Axes>", "", kind="display_data").apart == ["not stored"]
    assert compared("5", "", ran=False).apart == ["not run"]


def test_html_is_compared_by_its_text_wherever_it_stands():
    made = nbformat.v4.new_code_cell("f()")
    made.outputs = [
        nbformat.v4.new_output("stream", text="a\n"),
        nbformat.v4.new_output(
            "display_data",
            data={"text/plain": "<IPython.core.display.HTML object>", "text/html": "<style>b 1</style><b>0.5</b>"},
        ),
        nbformat.v4.new_output("stream", text="b\n"),
    ]
    assert outputs.text(made).split() == ["a", "b", "0.5"]


def test_an_error_is_compared_by_its_name():
    assert compared("ValueError", "ValueError", kind="error").verdict == "agrees"
    assert compared("ValueError", "TypeError", kind="error").verdict == "differs"


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    """A notebook with outputs: two that agree, four that do not, random numbers, a time and a cell without output."""
    path = notebook(
        tmp_path_factory.mktemp("outputs") / "theirs.ipynb",
        cell("import cupy as cp, time\ncount = iter(range(2))"),
        cell("cp.arange(3) / 7", "array([0.        , 0.14285714, 0.28571429])", "execute_result"),
        cell("print(cp.arange(4).sum())", "7\n"),
        cell("cp.random.seed(1)\ncp.random.rand(2)", "array([0.12345, 0.54321])", "execute_result"),
        cell("began = time.perf_counter()\nprint('took', time.perf_counter() - began)\nprint(3)", "took 0.013\n3\n"),
        cell("from cuml.datasets import make_blobs\nprint(make_blobs(3, random_state=1)[0][0])", "[1.2345 6.789]\n"),
        cell("print(cp.ones(3).shape)", "(4,)\n"),
        *[cell("print(next(count))", "9\n") for _ in range(2)],
    )
    older = json.loads(path.read_text())  # without names of cells, so that the last two are equal
    for each in older["cells"]:
        del each["id"]
    path.write_text(json.dumps(older | {"nbformat_minor": 4}))
    return path


def test_try_compares_and_runs_again_what_differs(theirs):
    (found,) = json.loads(tried("--json", theirs))
    assert [(each["cell"], each["verdict"], each["apart"]) for each in found["compared"]] == [
        (1, "set apart", ["not stored"]),
        (2, "agrees", []),
        (3, "differs", []),
        (4, "set apart", ["random numbers"]),
        (5, "agrees", ["times"]),
        (6, "set apart", ["random numbers"]),
        *[(number, "differs", []) for number in (7, 8, 9)],
    ]


def test_the_table_names_the_rules_and_shows_both_texts(capsys):
    compared = [
        {"cell": 1, "verdict": "set apart", "apart": ["not stored"], "stored": "", "here": ""},
        {"cell": 2, "verdict": "agrees", "apart": ["times"], "stored": "", "here": ""},
        {"cell": 3, "verdict": "differs", "apart": [], "stored": "[7]", "here": ""},
        {"cell": 4, "verdict": "set apart", "apart": ["times", "random numbers"], "stored": "", "here": ""},
    ]
    show([Outcome("theirs.ipynb", compared=compared)])
    said = capsys.readouterr().out
    (row,) = [line for line in said.splitlines() if "random numbers" in line]
    assert row.split() == "theirs.ipynb 3 1 1 1: random numbers 1".split()
    after = said[said.index("theirs.ipynb, cell 3 prints something else") :].split()
    assert after[after.index("stored") + 1] == "[7]"
    assert after[after.index("here") + 1] == "(nothing)"


def test_a_notebook_without_outputs_is_not_compared(capsys):
    show([Outcome("new.ipynb", compared=[{"cell": 1, "verdict": "set apart", "apart": ["not stored"]}])])
    assert "set apart" not in capsys.readouterr().out


def test_what_the_simulator_shows_of_a_finding_is_nothing_that_the_notebook_prints(monkeypatch):
    """A kernel that reads past an array goes on, as on a GPU, and a card says so."""
    import IPython
    import IPython.display

    from gpusim.kernels import reported

    shown = []
    monkeypatch.setattr(IPython, "get_ipython", lambda: types.SimpleNamespace(kernel=True))
    monkeypatch.setattr(IPython.display, "display", lambda data, *, metadata, raw: shown.append((data, metadata)))
    reported.tell("double", "out[3] does not exist.")
    ((data, metadata),) = shown
    here = cell("double[1, 4](x)\nx", "[0. 2.]", "execute_result")
    here.outputs.insert(0, nbformat.v4.new_output("display_data", data=data, metadata=metadata))
    assert outputs.text(here) == "[0. 2.]"
    assert outputs.compare_cell(1, cell("x", "[0. 2.]", "execute_result"), here, None, True).verdict == "agrees"


def test_a_second_run_that_did_not_come_so_far_makes_no_number_random():
    assert compared("5", "6", again="7").verdict == "set apart"
    assert compared("5", "6", again="").verdict == "differs"
