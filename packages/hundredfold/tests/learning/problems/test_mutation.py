"""The mutator of right answers."""

import mutation
import numpy as np


def _shared(x, n):
    if n > 1:
        x = x + _other(n)
    return x


def _other(n):
    return 2 * n


def _made(most=1000):
    return {mutant.name: mutant for mutant in mutation.mutants({"plain": _shared}, most)}


def test_each_mutant_is_another_program_and_all_have_names():
    made = _made()
    assert len({mutant.source for mutant in made.values()}) == len(made) > 10
    assert {name.split(":")[3] for name in made} >= {"comparison", "arithmetic", "constant", "guard", "host", "kept"}


def test_a_function_that_the_answer_calls_is_changed_for_this_mutant_alone():
    changed = next(m for name, m in _made().items() if ":_other:" in name and name.endswith("arithmetic:0"))
    assert changed.answer(0, 4) == 0.5 and _shared(0, 4) == 8  # 2 / n for 2 * n


def test_they_are_drawn_the_same_each_time_and_no_more_than_asked_for():
    assert list(_made(7)) == list(_made(7)) and len(_made(7)) == 7


def test_the_first_result_is_kept():
    kept = next(m for name, m in _made().items() if name.endswith("kept:0"))
    assert kept.answer(0, 4) == kept.answer(5, 5) == 8


def test_what_has_no_array_to_move_is_no_mutant(device):
    import cupy as cp

    host = next(m for name, m in _made().items() if name.endswith("host:0"))
    assert host.answer(0, 4) == 8 and mutation.changes_nothing(host.answer)
    assert np.array_equal(cp.asnumpy(host.answer(cp.zeros(2), 4)), [8, 8]) and not mutation.changes_nothing(host.answer)


def test_a_row_of_the_score_is_put_where_its_problem_is_in_the_course_and_added_up():
    page = "before\n\n| problem | mutants |\n|---|---|\n| a.b | 60 | 3 | 100% |\n| gone | 9 | 9 | 100% |\n| c.d | 10 | 0 | 50% |\n| all | 7 | 7 | 7% |\n"
    new = mutation.with_row(page, "| b.c | 40 | 10 | 100% |", ["a.b", "b.c", "c.d"])
    begin = "before\n\n| problem | mutants |\n|---|---|\n| a.b | 60 | 3 | 100% |\n"
    assert new == f"{begin}| b.c | 40 | 10 | 100% |\n| c.d | 10 | 0 | 50% |\n| all | 110 | 13 | 95% |\n"
    again = mutation.with_row(new, "| b.c | 41 | 10 | 100% |", ["a.b", "b.c", "c.d"])
    assert again == new.replace("b.c | 40", "b.c | 41").replace("all | 110", "all | 111")
