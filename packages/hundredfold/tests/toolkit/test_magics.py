"""`%measure` and `%%measure` in a shell."""

import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from hundredfold.toolkit import Measurement
from hundredfold.toolkit.magics import register


@pytest.fixture
def shell():
    shell = InteractiveShell()
    register(shell)
    shell.run_cell("import numpy as np; x = np.arange(1000.0)")
    return shell


def line(shell, text):
    return shell.run_line_magic("measure", text)


def test_a_line(shell):
    result = line(shell, "-r 3 x.sum()")
    assert isinstance(result, Measurement)
    assert result.value == 499500 and result.name == "x.sum()" and len(result.times) == 3


def test_the_result_is_the_cells_value(shell):
    ran = shell.run_cell("%measure -r 3 x.sum()")
    assert isinstance(ran.result, Measurement)
    shell.run_cell("kept = %measure -r 3 x.sum()")
    assert isinstance(shell.user_ns["kept"], Measurement)


def test_options_are_expressions_and_quotes_in_the_code_stay(shell, rates):
    result = line(shell, """--bytes 2*x.nbytes --flops x.size --name "two words" -r 3 -o kept 'a b'.split(" ")""")
    assert (result.bytes, result.flops, result.name) == (16000.0, 1000.0, "two words")
    assert result.value == ["a", "b"] and shell.user_ns["kept"] is result
    assert line(shell, "--bytes=x.nbytes -r 3 x.sum()").bytes == 8000.0
    assert len(line(shell, "-r3 x.sum()").times) == 3


def test_code_that_begins_with_a_minus(shell):
    assert line(shell, "-r 3 -- -x.sum()").value == -499500


def test_a_cell(shell):
    result = shell.run_cell_magic(
        "measure", "-r 3 --name both y = x + 1", "total = y.sum()\nif total > 0:\n    total += 1\ntotal"
    )
    assert result.value == 500501 and result.name == "both"
    assert "total" not in shell.user_ns  # local to the cell, as with %%timeit
    assert "y" in shell.user_ns  # the first line is setup, run once
    assert shell.run_cell_magic("measure", "-r 3", "z = 1\n").value is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "needs something to measure"),
        ("-r 3", "needs something to measure"),
        ("--bytes y.nbytes x.sum()", "--bytes y.nbytes: NameError"),
        ("1 +", "cannot read this as Python"),
        ("-o 3 -r 3 x.sum()", "name of a variable"),
        ("--bogus 3 x", "unrecognized"),
        ("-r three x", "invalid int"),
        ("--help", "%measure. shows"),
        ("# nothing", "only a comment"),
    ],
)
def test_mistakes_end_in_one_sentence(shell, text, says):
    with pytest.raises(UsageError, match=says):
        line(shell, text)


def test_errors_of_the_code_are_its_own(shell):
    with pytest.raises(ZeroDivisionError):
        line(shell, "1 / 0")
    with pytest.raises(ValueError, match="bytes must be a positive number"):
        line(shell, "--bytes -8 x.sum()")
