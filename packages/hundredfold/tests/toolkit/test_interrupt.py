"""`Ctrl-C` in a measurement: one clear sentence, what was measured so far, and "Run all" stops."""

import signal
import subprocess
import sys
import textwrap

import pytest

from hundredfold.toolkit import MeasurementInterrupted, measure

SCRIPT = """
import sys, time
from hundredfold import measure

def slow():
    global calls
    calls += 1
    if calls == {after}:
        print("now", flush=True)
        time.sleep(30)
    time.sleep(0.06)

calls = 0
try:
    measure(slow)
except KeyboardInterrupt as error:
    print(type(error).__name__)
    print(error)
    print(None if error.partial is None else len(error.partial.times))
    print("traceback:", error._render_traceback_())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send to a child")
@pytest.mark.parametrize(("after", "samples"), [(1, "None"), (6, "3")])
def test_ctrl_c_ends_in_one_sentence_with_what_was_measured(after, samples):
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(after=after)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "now\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    kind, sentence, taken, traceback = out.splitlines()
    assert kind == "MeasurementInterrupted" and taken == samples and err == ""
    assert sentence.startswith("The measurement of slow was interrupted: ")
    if samples == "None":
        assert "no sample was complete" in sentence
    else:
        assert "median of 3, first call" in sentence
    assert sentence.endswith("Run it again for the whole of it.") and sentence in traceback


def test_run_all_stops_and_shows_only_the_sentence():
    """In a real kernel: the cell ends in an error (which stops "Run all"), without a stack of frames that are not the learner's."""
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    interrupting = textwrap.dedent("""
        import _thread, time
        from hundredfold import measure

        def f():
            f.calls = getattr(f, "calls", 0) + 1
            if f.calls == 5:
                _thread.interrupt_main()
            time.sleep(0.05)

        measure(f)
    """)
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(interrupting), nbformat.v4.new_code_cell("print('ran on')")]
    with pytest.raises(CellExecutionError):
        NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    (error,) = [output for output in notebook.cells[0].outputs if output.output_type == "error"]
    assert error.ename == "MeasurementInterrupted"
    assert error.evalue.startswith("The measurement of f was interrupted: so far ")
    assert error.traceback == [error.evalue]
    assert notebook.cells[1].outputs == []


def test_it_is_a_keyboard_interrupt():
    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        measure(stop, name="stop")
    assert isinstance(caught.value, MeasurementInterrupted) and caught.value.partial is None
