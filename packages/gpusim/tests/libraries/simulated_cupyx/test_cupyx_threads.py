"""What `cupyx.errstate` sets is the thread's that sets it, as in CuPy."""

import threading

WAIT = 60


def test_the_error_state_of_one_thread_is_not_that_of_another(cupyx):
    inside, looked = threading.Event(), threading.Event()
    seen = []

    def strict():
        with cupyx.errstate(linalg="raise"):
            inside.set()
            looked.wait(WAIT)
            seen.append(cupyx.geterr()["linalg"])

    thread = threading.Thread(target=strict)
    thread.start()
    assert inside.wait(WAIT)
    here = cupyx.geterr()["linalg"]
    with cupyx.errstate(linalg="ignore"):
        looked.set()
        thread.join(WAIT)
    assert (here, seen) == ("ignore", ["raise"])
