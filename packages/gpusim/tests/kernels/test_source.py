import ast
import linecache
import pickle
import subprocess
import sys
import textwrap

import pytest

from gpusim.kernels.faults import UncompilableError
from gpusim.kernels.frontend.python import source


def decorated(f):
    return f


def test_a_function_comes_with_its_decorators_and_lines_counted_from_the_first():
    @decorated
    def kernel(x):
        x[0] = 1

    found, node = source.of(kernel)
    assert found.text.splitlines()[0] == "@decorated"
    assert found.text.splitlines()[node.body[0].lineno - 1].strip() == "x[0] = 1"
    assert found.firstlineno == kernel.__code__.co_firstlineno
    assert found.filename == __file__


def test_lambdas_in_one_line_are_told_apart():
    pair = (lambda a, b: a + b, lambda a, b: a * b)  # fmt: skip
    operators = [source.of(f)[1].body[0].value.op for f in pair]
    assert [type(op) for op in operators] == [ast.Add, ast.Mult]


def test_lambdas_that_differ_in_a_constant_only():
    pair = (lambda a: a + 1, lambda a: a + 2)
    assert [source.of(f)[1].body[0].value.right.value for f in pair] == [1, 2]


def test_a_notebook_cell():
    text = "def kernel(x):\n    x[0] = 5\n"
    name = "<ipython-input-7-abc>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {}
    exec(compile(text, name, "exec"), space)
    assert source.of(space["kernel"])[0] == (text, name, 1)


def test_lines_of_a_file_that_is_seen_whole_are_the_files(monkeypatch):
    text = "import math\n\ndef kernel(x):\n    x[0] = 5\n\nif True:\n    def other(x):\n        x[0] = 6\n\nlast = 1\n"
    name = "<a program>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    monkeypatch.setattr(source, "whole", {name})
    space = {}
    exec(compile(text, name, "exec"), space)
    for function, line in (("kernel", 4), ("other", 8)):
        found, node = source.of(space[function])
        assert found.firstlineno == 1 and node.body[0].lineno == line
        assert ast.get_source_segment(found.text, node.body[0]) == text.splitlines()[line - 1].strip()
        source.remember(space[function])
        assert source.of(space[function])[1].body[0].lineno == line  # as it is kept for another process, too


def test_what_exec_made_cannot_be_read_and_says_what_to_do():
    space = {}
    exec("def kernel(x):\n    x[0] = 5\n", space)
    with pytest.raises(UncompilableError, match="notebook cell"):
        source.of(space["kernel"])


def test_a_remembered_source_travels_where_the_file_does_not(tmp_path):
    """As with Dask: the worker gets the function by value and has no file of the client's."""
    client = tmp_path / "client.py"
    client.write_text(
        textwrap.dedent("""
            import sys, pickle
            import cloudpickle
            from gpusim.kernels.frontend.python import source

            @staticmethod
            def decorated(f): return f

            def kernel(x):
                y = 3
                x[0] = y

            source.remember(kernel)
            sys.stdout.buffer.write(cloudpickle.dumps(kernel))
        """)
    )
    sent = subprocess.run([sys.executable, client], check=True, capture_output=True).stdout
    client.unlink()
    function = pickle.loads(sent)
    found, node = source.of(function)
    assert [type(s) for s in node.body] == [ast.Assign, ast.Assign]
    assert found.filename.endswith("client.py")
