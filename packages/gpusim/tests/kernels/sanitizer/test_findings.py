"""Negative indices, barriers at which a block parts, and how findings are put in order and into errors."""

import pickle

import pytest

from gpusim.kernels import driver_errors, faults
from gpusim.kernels.sanitizer import findings
from gpusim.kernels.sanitizer.log import NEGATIVE, NEGATIVE_AXIS
from gpusim.kernels.sanitizer.records import FROM_THE_END


def test_a_negative_index_is_a_warning_that_says_which_element_it_is(hand):
    made = hand(lines={3: "y[i] = x[i - 1]"})
    x = made.array(shape=64)
    made.run(lambda t, x: t.read(x, (t.i - 1) % 64, 3, flags=NEGATIVE * (t.i == 0)), x)
    (finding,) = made.examine()
    assert (finding.kind, finding.severity, finding.index, finding.line) == ("negative-index", "warning", (-1,), 3)
    assert "asks for x[-1] and reads x[63] in line 3 (`y[i] = x[i - 1]`)" in finding.sentence


def test_no_flag_no_finding(hand):
    made = hand()
    assert not made.run(lambda t, x: t.read(x, 63 - t.i, 3), made.array(shape=64)).examine()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x[-1]", 0),
        ("x[-2, i]", 0),
        ("if x[-1]:", 0),
        ("elif x[-1] < (x[-2]", 0),
        ("x[a[i], -1]", 0),
        ("x[-1] + x[i - 1]", 1),
        ("x[i - 1]", 1),
        ("x[-i]", 1),
        ("y[-1] + x[i]", 1),
        ("x[0] = x[-1]", 0),
        ("x[0, i] = x[-1, i]", 1),
    ],
)
def test_a_negative_number_is_meant(hand, text, found):
    made = hand(lines={3: text})
    made.run(lambda t, x: t.read(x, 63, 3, flags=NEGATIVE) if t.i == 0 else None, made.array(shape=64))
    assert len(made.examine()) == found


def test_a_backend_may_say_that_a_negative_index_is_meant(hand):
    for operation, found in (("", 1), (FROM_THE_END, 0)):
        made = hand(lines={3: "x[i] = x[k] + x[i - 1]"})
        made.run(lambda t, x, how=operation: t.read(x, 63, 3, flags=NEGATIVE, operation=how), made.array(shape=64))
        assert len(made.examine()) == found


def test_along_which_axis(hand):
    for flags, index in (
        (NEGATIVE | NEGATIVE_AXIS << 1, (2, -1)),
        (NEGATIVE | NEGATIVE_AXIS, (-2, 7)),
        (NEGATIVE, (2, 7)),
    ):
        made = hand((1,), (1,))
        made.run(lambda t, x, flags=flags: t.write(x, (2, 7), 3, flags=flags), made.array(shape=(4, 8)))
        (finding,) = made.examine()
        assert finding.index == index and "writes x[2, 7]" in finding.sentence


def arrivals(made, *rows):
    one, two = made.recorder.sync(4), made.recorder.sync(9)
    for thread, which, interval in rows:
        made.recorder.arrived(thread, {4: one, 9: two, None: -1}[which], interval)
    return [f for f in made.examine() if f.kind == "barrier-divergence"]


def test_a_block_that_parts_at_a_barrier(hand):
    (finding,) = arrivals(hand((2,)), *((k, 4 if k < 100 else 9, 0) for k in range(64, 128)))
    assert (finding.severity, finding.line, finding.other_line) == ("error", 4, 9)
    assert finding.threads[0].block == (1, 0, 0) and finding.threads[1].thread == (36, 0, 0)


def test_different_barriers_in_different_intervals_or_blocks(hand):
    assert not arrivals(hand((2,)), (0, 4, 0), (1, 9, 1), (64, 9, 0))


def test_a_thread_that_has_ended_is_not_waited_for(hand):
    """Since Volta a barrier counts only those threads that have not."""
    assert not arrivals(hand(), (0, 4, 0), (1, 4, 0), (2, None, 0))
    assert len(arrivals(hand(), (0, 4, 0), (1, 9, 0), (2, None, 0))) == 1


def test_one_finding_for_each_pair_of_lines(hand):
    assert len(arrivals(hand((2,)), (0, 4, 0), (1, 9, 0), (0, 4, 1), (1, 9, 1), (64, 4, 0), (65, 9, 0))) == 1


def test_errors_first_and_not_more_than_anybody_reads():
    def finding(severity, line):
        return findings.Finding("race", severity, "x", (0,), line, (), f"in line {line}")

    made = findings.arrange([finding("warning", 1)] + [finding("error", k) for k in range(2, 40)])
    assert len(made) == findings.MOST and all(f.severity == "error" for f in made)
    made = findings.arrange([finding("warning", 1), finding("error", 7), finding("error", 3)])
    assert [f.line for f in made] == [3, 7, 1]


def test_an_out_of_bounds_error_is_a_finding_too():
    error = faults.OutOfBoundsError(
        kernel="blur", line=5, source_line="s += x[i + 1]", thread=(3, 0, 0), block=(1, 0, 0),
        array="x", index=(64,), axis=0, shape=(64,),
    )  # fmt: skip
    finding = findings.of_fault(error)
    assert (finding.kind, finding.severity, finding.array, finding.index) == ("out-of-bounds", "error", "x", (64,))
    assert finding.line == 5 and finding.threads == (((3, 0, 0), (1, 0, 0)),)
    assert finding.cure == "Let only threads whose index is inside do this, as with `if index < x.shape[0]`."
    assert f"{finding.diagnosis} {finding.cure}" == finding.sentence == str(error)


def test_what_is_wrong_is_told_apart_from_what_mends_it(hand):
    """For a check that leaves the second to the learner."""
    made = hand(lines={3: "y[i] = x[i - 1]", 4: "y[0] = i"})
    x, y = made.array(), made.array("y")
    made.run(lambda t, x, y: (t.read(x, (t.i - 1) % 64, 3, flags=NEGATIVE * (t.i == 0)), t.write(y, 0, 4)), x, y)
    by_kind = {each.kind: each for each in made.examine()}
    assert set(by_kind) == {"race", "negative-index"}
    for each, word in ((by_kind["race"], "atomic"), (by_kind["negative-index"], "begin later")):
        assert each.sentence == f"{each.diagnosis} {each.cure}" and each.cure.endswith(".")
        assert word in each.cure and word not in each.diagnosis


def test_what_nobody_can_mend_has_no_cure():
    finding = findings.of_fault(faults.OutOfBoundsError("its own words", array="x", index=(9,), axis=0, shape=(9,)))
    assert finding.cure == "" and finding.diagnosis == finding.sentence


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (faults.DeadlockError(kernel="k"), "barrier-divergence"),
        (driver_errors.LaunchError(code=1, error="CUDA_ERROR_INVALID_VALUE"), "launch"),
        (faults.UncompilableError("no", kernel="k"), "uncompilable"),
    ],
)
def test_the_kind_of_other_faults(error, kind):
    assert findings.of_fault(error).kind == kind


def test_a_trace_error_carries_its_findings(hand):
    made = hand()
    found = made.run(lambda t, x, y: (t.write(x, 0, 4), t.write(y, 0, 5)), made.array(), made.array("y")).examine()
    error = faults.TraceError(findings=tuple(found), kernel="kernel")
    assert str(error).startswith(found[0].sentence) and "(1 more" in str(error)
    assert "GPUSIM_TRACE=off" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert again.findings == error.findings and str(again) == str(error)
