"""What is stored of an output, and when a fresh one counts as the same."""

from nbformat.v4 import new_output

from hundredfold.publish.build.normalise import outputs, patterns, same, sanitise


def stream(text, name="stdout"):
    return new_output("stream", name=name, text=text)


def test_streams_are_joined_however_they_arrived():
    assert outputs([stream("a"), stream("b\n")]) == outputs([stream("ab\n")])


def test_stderr_between_two_prints_leaves_no_trace():
    assert outputs([stream("a"), stream("/tmp/ipykernel_77/1.py: warned", "stderr"), stream("b")]) == [stream("ab")]


def test_a_stream_does_not_jump_over_a_display():
    shown = new_output("display_data", data={"text/plain": "figure"})
    assert [o.output_type for o in outputs([stream("a"), shown, stream("b")])] == ["stream", "display_data", "stream"]


def test_a_traceback_keeps_the_cells_frame_and_no_path():
    raw = new_output(
        "error",
        ename="ValueError",
        evalue="no",
        traceback=[
            "\x1b[31m-----\x1b[39m",
            "ValueError   Traceback (most recent call last)",
            "\x1b[36mCell\x1b[39m\x1b[36m \x1b[39m\x1b[32mIn[7]\x1b[39m, line 2\n----> 2 f(x)",
            "File /home/someone/lib/python3.11/site-packages/cupy/a.py:8, in f(x)",
            "\x1b[31mValueError\x1b[39m: no",
        ],
    )
    (kept,) = outputs([raw])
    assert kept.traceback == ["Cell In, line 2\n----> 2 f(x)", "ValueError: no"]


def test_measured_text_is_the_same_and_other_text_is_not(checkout):
    rules = patterns(checkout.root / "tests" / "sanitize.cfg")
    one = [stream("NumPy: 186 ms ± 3.1 ms (median of 7), 4.3 GB/s, 52 % of the limit (simulated on this CPU)\n")]
    two = [stream("NumPy: 98.1 µs ± 1 ns (median of 12), 812 MB/s, 9.1 % of the limit (on NVIDIA H100 PCIe)\n")]
    assert same(one, two, rules)
    for wrong in ("CuPy", "median of seven", "of the maximum"):
        other = [stream(one[0].text.replace({"C": "NumPy", "m": "median of 7", "o": "of the limit"}[wrong[0]], wrong))]
        assert other != one and not same(one, other, rules)


def test_a_figure_is_compared_with_the_picture_made_of_it_by_its_text():
    drawn = [new_output("display_data", data={"image/png": "AAAA", "text/plain": "Two bars"})]
    figure = "application/vnd.hundredfold.figure+json"
    assert same(drawn, [new_output("display_data", data={figure: {"item": {}}, "text/plain": "Two bars"})], [])
    assert not same(drawn, [new_output("display_data", data={figure: {"item": {}}, "text/plain": "Three bars"})], [])
    assert not same(drawn, [new_output("display_data", data={"text/plain": "Two bars"})], [])


def test_patterns_apply_in_their_order():
    assert sanitise("3 GB/s", [("a", r"\d GB/s", "RATE"), ("b", "RATE", "X")]) == "X"
