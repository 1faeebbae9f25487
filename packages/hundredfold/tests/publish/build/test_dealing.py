"""Tests on several workers: the longest file first, and how much is left."""

from types import SimpleNamespace

from hundredfold.publish.build import dealing


def config(seconds):
    kept = {dealing.RECORD: seconds}
    cache = SimpleNamespace(get=kept.get, set=kept.__setitem__, kept=kept)
    return SimpleNamespace(cache=cache)


def report(name, when, duration):
    return SimpleNamespace(nodeid=name, when=when, duration=duration)


def test_the_longest_file_goes_first_and_without_a_record_the_notebooks():
    def order(seconds):
        scopes = dealing.Scopes(seconds)
        scopes |= {
            "a.py": {"a.py::1": False, "a.py::2": False},
            "b.ipynb": {"b.ipynb::1": False},
            "c.py": {"c.py::1": False},
        }
        return [scopes.popitem(last=False)[0] for _ in range(3)]

    assert order({}) == ["b.ipynb", "a.py", "c.py"]
    assert order({"a.py::1": 2.0, "a.py::2": 2.0, "b.ipynb::1": 3.0, "c.py::1": 5.0}) == ["c.py", "a.py", "b.ipynb"]


def test_what_is_left_goes_by_what_each_test_took_before():
    dealt = dealing.Dealing(config({"a::1": 30.0, "a::2": 60.0, "a::3": 90.0}))
    for _ in "two workers":
        dealt.pytest_xdist_node_collection_finished(None, ["a::1", "a::2", "a::3", "a::new"])
    assert dealt.line(10) == " 0:10  0 of 4 tests"
    for when in ("setup", "call", "teardown"):
        dealt.pytest_runtest_logreport(report("a::2", when, 7.0))
    # 60 of 240 s of work, the new test taken for one like the others, are done after 40 s.
    assert dealt.line(40) == " 0:40  1 of 4 tests, about  2:00 left"


def test_without_a_record_no_end_is_foretold_and_a_record_is_kept():
    settings = config({"b::gone": 1.0})
    dealt = dealing.Dealing(settings)
    dealt.pytest_xdist_node_collection_finished(None, ["a::1", "a::2", "b::1"])
    dealt.pytest_runtest_logreport(report("a::1", "call", 2.0))
    dealt.pytest_runtest_logreport(report("a::1", "teardown", 0.5))
    assert dealt.line(70) == " 1:10  1 of 3 tests"
    dealt.pytest_sessionfinish()
    assert settings.cache.kept[dealing.RECORD] == {"b::gone": 1.0, "a::1": 2.5}
