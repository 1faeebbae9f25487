import ast
import code
import doctest
import linecache
import os
import pickle
import subprocess
import sys
import textwrap

import pytest

from gpusim import texts
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


KERNEL = "def kernel(x):\n    y = 5\n    x[0] = y\n"


@pytest.fixture
def watched():
    texts.watch()
    texts._texts.clear()


def executed(text, filename=None):
    space = {}
    exec(text if filename is None else compile(text, filename, "exec"), space)
    return space["kernel"]


@pytest.mark.parametrize("filename", [None, "<generated>", "generated.py", "/nowhere/generated.py"])
def test_what_exec_made(watched, filename):
    """A name of a file that is nowhere is a module's that was deleted; its text is not kept."""
    function = executed(KERNEL, filename)
    if filename == "/nowhere/generated.py":
        with pytest.raises(
            UncompilableError, match=r"kernel cannot be read \(/nowhere/generated.py\).*Write it into a file"
        ):
            source.of(function)
    else:
        assert source.of(function)[0] == (KERNEL, filename or "<string>", 1)


def test_texts_of_one_name_are_told_apart_by_their_code(watched):
    made = [
        executed(f"def kernel(x):\n    x[0] = {text}\n") for text in ("5", "6", "x[1]", "x[1] + 1", "y", "z", "5.0")
    ]
    assert [ast.unparse(source.of(f)[1].body[0].value) for f in made] == ["5", "6", "x[1]", "x[1] + 1", "y", "z", "5.0"]


def test_a_text_of_other_code_is_no_source(watched):
    function = executed(KERNEL.replace("5", "123456"))
    texts._texts.clear()
    executed(KERNEL)
    with pytest.raises(UncompilableError):
        source.of(function)


def test_a_kept_source_is_there_when_its_text_is_not(watched):
    function = executed(KERNEL)
    source.keep(function)
    texts._texts.clear()
    assert source.of(function)[0].text == KERNEL


def test_no_more_texts_are_kept_than_said(watched, monkeypatch):
    monkeypatch.setattr(texts, "LATEST", 20)
    for number in range(30):
        exec(f"def f(): return {number}", {})
    assert len(texts.latest()) == 20
    assert texts.latest()[0] == "def f(): return 29"
    monkeypatch.setattr(texts, "LARGEST", 10_000)
    exec("'def long'" + " " * 9900, {})
    assert 2 <= len(texts.latest()) < 20
    exec("'def too long'" + " " * 10_000, {})
    assert texts.latest() == []


def test_a_console_and_a_doctest(watched):
    console = code.InteractiveConsole()
    for line in [*KERNEL.splitlines(), ""]:
        console.push(line)
    assert source.of(console.locals["kernel"])[0].text == KERNEL
    example = doctest.Example(KERNEL, "")
    globs = {"of": source.of}
    read = doctest.Example("of(kernel)[0].text.splitlines()[2]", "'    x[0] = y'\n")
    test = doctest.DocTest([example, read], globs, "kernel", None, 0, None)
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


READ = "from gpusim.kernels.frontend.python import source\nprint(source.of(kernel)[0].text)\n"
NO_VARIABLE = {key: value for key, value in os.environ.items() if not key.startswith("GPUSIM_")}
SIMULATING = NO_VARIABLE | {"GPUSIM_SIMULATE": "1"}


def python(*arguments, **options):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=300, **options)


def test_a_program_after_c():
    """Also where the simulator is put in place by the program itself."""
    ran = python("-c", KERNEL + READ, env=NO_VARIABLE)
    assert ran.stdout == KERNEL + "\n", ran.stderr


@pytest.mark.skipif(os.name != "posix", reason="Windows has no pread")
@pytest.mark.parametrize("arguments", [("-",), ("-W", "ignore", "-u"), ("-", "-m", "c")])
def test_a_program_on_standard_input(tmp_path, arguments):
    ran = python(*arguments, env=SIMULATING, input=KERNEL + READ)
    assert ran.stdout == KERNEL + "\n", ran.stderr
    if arguments == ("-",):
        file = tmp_path / "program.txt"
        file.write_text(KERNEL + READ)
        with file.open() as stdin:
            ran = python("-", env=NO_VARIABLE, stdin=stdin)
        assert ran.stdout == KERNEL + "\n", ran.stderr


@pytest.mark.parametrize("arguments", [("-c", "print(input())"), ("FILE",), ("-X", "utf8", "FILE", "-")])
def test_standard_input_that_is_no_program_is_not_waited_for(tmp_path, arguments):
    file = tmp_path / "program.py"
    file.write_text("print(input())")
    arguments = [str(file) if each == "FILE" else each for each in arguments]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, *arguments], env=SIMULATING, **pipes) as process:
        process.stdin.write(b"a\n")
        process.stdin.flush()
        assert process.wait(timeout=300) == 0  # and the pipe is still open
        assert process.stdout.read() == b"a\n"


def test_a_program_in_a_pipe_that_came_before_the_simulator_ends_in_a_sentence():
    ran = python("-", env=NO_VARIABLE, input=KERNEL + READ)
    assert "kernel cannot be read (<stdin>)" in ran.stderr
    assert "set GPUSIM_SIMULATE=1 first" in ran.stderr


@pytest.mark.skipif(os.name != "posix", reason="Windows has no pseudo-terminals")
def test_a_plain_interpreter():
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-q"], stdin=theirs, stdout=theirs, stderr=theirs, env=NO_VARIABLE | {"TERM": "dumb"}
    )
    os.close(theirs)
    typed = (
        "import gpusim\n"
        + KERNEL
        + "\n"
        + READ.replace("print(", "print('<' + ").replace(")\n", " + '>')\n")
        + "exit()\n"
    )
    os.write(ours, typed.encode())
    shown = b""
    try:
        while piece := os.read(ours, 4096):
            shown += piece
    except OSError:  # Linux: the other end is closed
        pass
    os.close(ours)
    assert process.wait(timeout=300) == 0
    assert "<" + KERNEL.strip() in shown.decode().replace("\r\n", "\n"), shown.decode()


@pytest.mark.parametrize("environment", [SIMULATING, NO_VARIABLE], ids=["before", "after"])
def test_magics_of_ipython(environment):
    """The simulator is there before the cells, or comes after them and finds the cells in the history."""
    ran = python("-c", MAGICS, env=environment)
    assert ran.stdout.count("math.floor(y)\n") == 3, ran.stdout + ran.stderr


# Statements are compiled one by one, and a call of a method of what is imported beside it is other code then.
CELL = "import math\n" + KERNEL + "    x[1] = math.floor(y)\n" + READ

MAGICS = f"""
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for magic in ("%%time", "%%timeit -n1 -r1", "%%capture shown"):
    shell.run_cell(magic + "\\n" + {CELL!r}, store_history=True).raise_error()
shell.run_cell("print(shown.stdout)").raise_error()
"""


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
