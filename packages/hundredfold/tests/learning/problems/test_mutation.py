"""The mutator of right answers."""

import answers
import cloudpickle
import mutation
import numpy as np
import pytest

from hundredfold.learning import problems
from hundredfold.learning.problems.merges import attach as merges


def _shared(x, n):
    if n > 1:
        x = x + _other(n)
    return x


def _other(n):
    return 2 * n


def _made(most=1000, answer=_shared):
    return {mutant.name: mutant for mutant in mutation.mutants({"plain": answer}, most)}


def test_each_mutant_is_another_program_and_all_have_names():
    made = _made()
    assert len({mutant.source for mutant in made.values()}) == len(made) > 10
    assert {name.split(":")[3] for name in made} >= {"comparison", "arithmetic", "constant", "guard", "host", "kept"}


def test_a_function_that_the_answer_calls_is_changed_for_this_mutant_alone():
    changed = next(m for name, m in _made().items() if ":_other:" in name and name.endswith("arithmetic:0"))
    assert changed.answer(0, 4) == 0.5 and _shared(0, 4) == 8  # 2 / n for 2 * n


def _nested(x, n):
    return sum(_other(each) for each in range(n)) + (lambda n: _other(n) - 2 * n)(n)


def test_a_function_that_is_called_within_a_lambda_or_a_comprehension_is_changed_too():
    changed = next(
        m for name, m in _made(answer=_nested).items() if ":_other:" in name and name.endswith("arithmetic:0")
    )
    assert _nested([], 2) == 2
    with pytest.raises(ZeroDivisionError):  # 2 / n for 2 * n
        changed.answer([], 2)


def test_a_function_of_another_module_of_problems_is_changed_with_its_own_names(device):
    right = answers.right(problems.find("merges.attach"))["group"]
    made = {name: m for name, m in _made(answer=right).items() if ":_joined:" in name}
    assert made and merges._joined is right.__globals__["_joined"], "the module's own function stays"
    for mutant in made.values():
        other = mutant.answer.__globals__["_joined"]
        assert other is not merges._joined and set(vars(merges)) <= set(other.__globals__)


def test_they_are_drawn_the_same_each_time_and_no_more_than_asked_for():
    assert list(_made(7)) == list(_made(7)) and len(_made(7)) == 7


def test_the_first_result_is_kept():
    kept = next(m for name, m in _made().items() if name.endswith("kept:0"))
    assert kept.answer(0, 4) == kept.answer(5, 5) == 8


def test_what_has_no_array_to_move_is_no_mutant(device):
    import cupy as cp

    host = next(m for name, m in _made().items() if name.endswith("host:0"))
    assert host.answer(0, 4) == 8 and mutation.changes_nothing(host)
    assert np.array_equal(cp.asnumpy(host.answer(cp.zeros(2), 4)), [8, 8]) and not mutation.changes_nothing(host)
    again = next(m for name, m in _made().items() if name.endswith("host:0"))
    assert mutation.changes_nothing(again), "another one of the same name"


def test_an_array_that_a_pickled_copy_has_moved_counts(device):
    import cupy as cp

    host = next(m for name, m in _made().items() if name.endswith("host:0"))
    cloudpickle.loads(cloudpickle.dumps(host.answer))(cp.zeros(2), 4)
    assert not mutation.changes_nothing(host)


def test_a_row_of_the_score_is_put_where_its_problem_is_in_the_course_and_added_up():
    page = "before\n\n| problem | mutants |\n|---|---|\n| a.b | 60 | 3 | 100% |\n| gone | 9 | 9 | 100% |\n| c.d | 10 | 0 | 50% |\n| all | 7 | 7 | 7% |\n"
    new = mutation.with_row(page, "| b.c | 40 | 10 | 100% |", ["a.b", "b.c", "c.d"])
    begin = "before\n\n| problem | mutants |\n|---|---|\n| a.b | 60 | 3 | 100% |\n"
    assert new == f"{begin}| b.c | 40 | 10 | 100% |\n| c.d | 10 | 0 | 50% |\n| all | 110 | 13 | 95% |\n"
    again = mutation.with_row(new, "| b.c | 41 | 10 | 100% |", ["a.b", "b.c", "c.d"])
    assert again == new.replace("b.c | 40", "b.c | 41").replace("all | 110", "all | 111")
