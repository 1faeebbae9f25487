"""Cell ids: what keeps its id, and what gets a new one."""

import pytest

from hundredfold.publish.build.identity import ids, match

OLD = [
    ("markdown", "# One"),
    ("code", "x = 1"),
    ("code", "y = x + 1\nprint(y)"),
    ("markdown", "end"),
    ("code", "z = 3"),
]
NAMES = ["s-01", "s-02", "s-03", "s-04", "s-05"]


def named(new):
    return ids(match(new, OLD), NAMES, "s")


def test_a_first_build_numbers_the_cells():
    assert ids(match(OLD, []), [], "s") == NAMES


def test_unchanged_cells_keep_their_ids():
    assert named(OLD) == NAMES


@pytest.mark.parametrize("k", range(len(OLD)))
def test_an_edited_cell_keeps_its_id_and_so_do_all_others(k):
    new = list(OLD)
    new[k] = (OLD[k][0], "something else entirely")
    assert named(new) == NAMES


@pytest.mark.parametrize("k", range(len(OLD) + 1))
def test_an_inserted_cell_renames_nothing(k):
    new = [*OLD[:k], ("code", "inserted = 1"), *OLD[k:]]
    assert named(new) == [*NAMES[:k], "s-06", *NAMES[k:]]


@pytest.mark.parametrize("k", range(len(OLD)))
def test_a_removed_cell_renames_nothing(k):
    assert named(OLD[:k] + OLD[k + 1 :]) == NAMES[:k] + NAMES[k + 1 :]


def test_a_moved_cell_takes_its_id_along():
    new = [OLD[1], OLD[0], *OLD[2:]]
    assert named(new) == ["s-02", "s-01", "s-03", "s-04", "s-05"]


def test_a_cell_edited_beside_an_inserted_one_is_recognised():
    new = [OLD[0], OLD[1], ("code", "new = 1"), ("code", "y = x + 2\nprint(y)"), *OLD[3:]]
    assert named(new) == ["s-01", "s-02", "s-06", "s-03", "s-04", "s-05"]


def test_several_edits_beside_an_insertion_keep_their_order():
    old = [("code", "alpha = 1"), ("code", "beta = 2"), ("code", "gamma = 3")]
    new = [("code", "alpha = 10"), ("code", "import os"), ("code", "beta = 20"), ("code", "gamma = 30")]
    assert match(new, old) == [0, None, 1, 2]


def test_two_cells_like_one_do_not_both_continue_it():
    old = [("code", "alpha = 1"), ("markdown", "words")]
    new = [("code", "alpha = 10"), ("code", "alpha = 11"), ("markdown", "other words")]
    assert match(new, old) == [0, None, 1]


def test_missing_and_double_ids_are_mended():
    new = ids(match(OLD, OLD), ["s-01", "", "s-01", "not valid!", "kept-9"], "s")
    assert new[0] == "s-01" and new[4] == "kept-9"
    assert len(set(new)) == 5 and all(new)


def test_equal_cells_stay_apart():
    old = [("code", "step()"), ("code", "step()")]
    assert ids(match([*old, ("code", "step()")], old), ["s-01", "s-02"], "s") == ["s-01", "s-02", "s-03"]
