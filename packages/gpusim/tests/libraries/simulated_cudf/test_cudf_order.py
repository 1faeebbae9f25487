"""What has no order: the same one in every run of a program, and another at each call where that is asked for."""

import pytest

from gpusim.device import unordered


@pytest.mark.parametrize("n", [3, 4096, 4097, 20_000])
def test_all_rows_come_once_and_none_in_the_order_of_the_table(cudf, n):
    from cudf.core.order import RUN, shuffled

    order = shuffled(n)
    assert sorted(order) == list(range(n)) and order.tolist() == shuffled(n).tolist() != sorted(order)
    assert len(set(order[:RUN] // RUN)) == 1  # what lies together stays together, and so in a cache
    assert n < RUN or (abs(order[1:] - order[:-1]) > 1).mean() > 0.99


@pytest.fixture
def carriers(cudf):
    table = cudf.DataFrame({"carrier": list("ABCDEFGHIJKL") * 3, "delay": range(36)})
    return lambda: table.groupby("carrier")["delay"].mean().index.to_arrow().to_pylist()


def test_groups_come_in_the_same_order_at_each_call(carriers):
    assert carriers() == carriers() != sorted(carriers())


def test_groups_come_in_another_order_at_each_call_where_that_is_asked_for(carriers):
    with unordered.varying():
        first, second = carriers(), carriers()
    assert first != second
    assert sorted(first) == sorted(second)


def test_orders_that_vary_do_so_in_the_same_way_each_time(carriers):
    with unordered.varying():
        first = [carriers(), carriers()]
    with unordered.varying():
        assert [carriers(), carriers()] == first
    assert carriers() == carriers()
