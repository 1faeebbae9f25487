"""Warnings that one thread ignores, while others run: the order of the threads is set by events."""

import copy
import pickle
import threading
import warnings

import pytest

from gpusim.device.thread_warnings import ignored

WAIT = 60


def in_thread(function):
    """Start a function in a thread; the returned call waits for it and raises what it raised."""
    trouble = []

    def run():
        try:
            function()
        except BaseException as error:
            trouble.append(error)

    thread = threading.Thread(target=run)
    thread.start()

    def end():
        thread.join(WAIT)
        assert not thread.is_alive()
        if trouble:
            raise trouble[0]

    return end


def test_of_two_threads_the_first_that_ends_leaves_the_other_one_quiet_and_the_process_as_it_was():
    quiet = ignored(UserWarning)
    first_in, second_in, first_out = threading.Event(), threading.Event(), threading.Event()

    def first():
        with quiet:
            first_in.set()
            assert second_in.wait(WAIT)
        first_out.set()

    def second():
        assert first_in.wait(WAIT)
        with quiet:
            second_in.set()
            assert first_out.wait(WAIT)
            warnings.warn("not to be seen", UserWarning, stacklevel=1)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ends = in_thread(first), in_thread(second)
        for end in ends:
            end()
        with pytest.raises(UserWarning):
            warnings.warn("seen", UserWarning, stacklevel=1)


def test_another_thread_is_warned_meanwhile():
    quiet = ignored(UserWarning)
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        def other():
            with pytest.raises(UserWarning):
                warnings.warn("seen", UserWarning, stacklevel=1)

        with quiet:
            in_thread(other)()
            warnings.warn("not to be seen", UserWarning, stacklevel=1)


def test_only_what_is_named_is_ignored_however_deep_and_whatever_was_filtered_before():
    some, all_of_them = ignored(UserWarning, message="not .*"), ignored()
    with warnings.catch_warnings():
        with some:
            pass
        warnings.simplefilter("error")
        with some, some:
            warnings.warn("not this one", UserWarning, stacklevel=1)
            with pytest.raises(UserWarning):
                warnings.warn("this one", UserWarning, stacklevel=1)
            with pytest.raises(FutureWarning):
                warnings.warn("not of this kind", FutureWarning, stacklevel=1)
            with all_of_them:
                warnings.warn("this one", UserWarning, stacklevel=1)
                warnings.warn("not of this kind", FutureWarning, stacklevel=1)
        with pytest.raises(UserWarning):
            warnings.warn("not this one", UserWarning, stacklevel=1)


def by_pattern(filters):
    """Set filters anew as scikit-learn does for its workers (`sklearn.utils.parallel`)."""
    warnings.resetwarnings()
    for action, message, category, module, line in filters:
        texts = {"message": message and message.pattern, "module": getattr(module, "pattern", module)}
        warnings.filterwarnings(
            action, category=category, lineno=line, append=True, **{k: v for k, v in texts.items() if v}
        )


def as_they_are(filters):
    warnings.filters[:] = filters


@pytest.mark.parametrize(
    "clone",
    [
        by_pattern,
        lambda filters: as_they_are(pickle.loads(pickle.dumps(filters))),
        lambda filters: as_they_are(copy.deepcopy(filters)),
    ],
)
def test_a_copy_of_the_filters_ignores_what_this_thread_ignored_when_it_was_made(clone):
    quiet = ignored(UserWarning, message="not .*")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with quiet:
            inside = list(warnings.filters)
            clone(inside)
            warnings.warn("not to be seen", UserWarning, stacklevel=1)
            with pytest.raises(UserWarning):
                warnings.warn("seen", UserWarning, stacklevel=1)
        as_they_are(inside)
        clone(inside)
        with pytest.raises(UserWarning):
            warnings.warn("not to be seen", UserWarning, stacklevel=1)
