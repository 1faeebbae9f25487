"""cuDF in several threads at once, as dask_cudf runs it: the order of the threads is set by events, not by time."""

SETTINGS = {"GPUSIM_GPU_MEMORY": "1GB"}
IMPORTS = """
import threading, warnings
import numpy as np, pandas as pd, cudf
from concurrent.futures import ThreadPoolExecutor
from cudf.core.guard import kept

WAIT = 60
OPTION = "future.distinguish_nan_and_na"

def overlap(first, second):
    "Run two functions in threads: the second begins inside of the first, which ends inside of the second."
    first_in, second_in, first_out = threading.Event(), threading.Event(), threading.Event()
    def one():
        first(lambda: (first_in.set(), second_in.wait(WAIT)))
        first_out.set()
    def other():
        assert first_in.wait(WAIT)
        return second(lambda: (second_in.set(), first_out.wait(WAIT)))
    with ThreadPoolExecutor(2) as pool:
        ends = pool.submit(one), pool.submit(other)
        return [end.result(WAIT) for end in ends][1]
"""


def test_a_method_that_outlasts_the_one_it_began_in_still_tells_nan_from_null(simulating):
    simulating("""
        frame = cudf.DataFrame({"key": [0, 0], "x": cudf.Series([1.0, np.nan], nan_as_null=False)})

        def apply(pause):
            def part(group):
                pause()
                return group
            return frame.groupby("key").apply(part)

        seen = []
        def look(pause):
            @kept
            def method():
                pause()
                seen.append(pd.get_option(OPTION))
                warnings.warn("not cuDF's to say", FutureWarning)
            method()

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            overlap(apply, look)
            assert seen == [True]
            assert pd.get_option(OPTION) is False
            try:
                warnings.warn("somebody else's", FutureWarning)
            except FutureWarning:
                pass
            else:
                raise AssertionError("the filters of cuDF's methods were left behind")
        assert overlap(apply, apply)["x"].null_count == 0
    """)


def test_pandas_in_another_thread_stays_as_it_is(simulating):
    simulating("""
        def other():
            return pd.get_option(OPTION), pd.Series([1.0, np.nan], dtype="Float64").isna().tolist()

        outside = other()
        @kept
        def method():
            with ThreadPoolExecutor(1) as pool:
                return pool.submit(other).result(WAIT), pd.get_option(OPTION)

        assert method() == (outside, True), method()
    """)


def test_an_option_that_is_set_inside_a_method_is_this_threads_and_one_that_is_set_outside_everybodys(simulating):
    simulating("""
        @kept
        def method():
            with pd.option_context(OPTION, False):
                inner = pd.get_option(OPTION)
            return inner, pd.get_option(OPTION)

        assert method() == (False, True)
        assert pd.get_option(OPTION) is False
        pd.set_option(OPTION, True)
        try:
            assert method() == (False, True)
            with ThreadPoolExecutor(1) as pool:
                assert pool.submit(pd.get_option, OPTION).result(WAIT) is True
        finally:
            pd.reset_option(OPTION)
        assert pd.get_option(OPTION) is False
    """)


def test_pandas_rules_for_one_thread_are_not_put_away_by_another(simulating):
    simulating("""
        from cudf.options import compatible
        MODE = "mode.pandas_compatible"

        def block(pause):
            with compatible():
                pause()
                return cudf.get_option(MODE)

        assert overlap(block, block) is True
        assert cudf.get_option(MODE) is False
        def plain(pause):
            pause()
            return cudf.get_option(MODE)
        assert overlap(block, lambda pause: cudf.get_option(MODE) or plain(pause)) is False
    """)
