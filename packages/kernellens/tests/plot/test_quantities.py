import re

import pytest

from kernellens.plot import quantities


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.186, "186 ms"),
        (0.000746, "746 µs"),
        (0.0008889, "889 µs"),
        (0.9996e-3, "1 ms"),  # rounds up into the next unit, not to 1000 µs
        (3.06e-9, "3.06 ns"),
        (4.2e-10, "0.42 ns"),
        (97, "97 s"),
        (119.4, "119 s"),
        (690, "11.5 min"),
        (9540, "2.65 h"),
        (1e6, "278 h"),
        (0.0, "0 ns"),
        (float("nan"), "unknown"),
    ],
)
def test_times(value, written):
    assert quantities.seconds(value) == written


def test_times_keep_three_digits_over_sixteen_decades():
    for power in range(-9, 7):
        for digits in (1.0, 1.2345, 9.994, 9.9999):
            value = digits * 10.0**power
            number, unit = quantities.seconds(value).split(" ")
            size = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}[unit]
            assert float(number) * size == pytest.approx(value, rel=5e-3), (value, number, unit)
            assert len(number.replace(".", "").lstrip("0")) <= 4 and "e" not in number


@pytest.mark.parametrize(
    ("said", "written"),
    [
        (quantities.ratio(538.9), "539×"),
        (quantities.ratio(0.2437), "0.244×"),
        (quantities.ratio(1514), "1510×"),
        (quantities.share(0.523), "52 %"),
        (quantities.share(0.00551), "0.55 %"),
        (quantities.share(1.0), "100 %"),
        (quantities.byte_rate(4.3e9), "4.3 GB/s"),
        (quantities.byte_rate(999.7e9), "1 TB/s"),
        (quantities.byte_rate(2e17), "200000 TB/s"),
        (quantities.byte_rate(12.0), "0.012 kB/s"),
        (quantities.flop_rate(2.48e11), "248 GFLOP/s"),
        (quantities.flop_rate(1e6), "0.001 GFLOP/s"),
        (quantities.flop_rate(7.8e12), "7.8 TFLOP/s"),
        (quantities.size(8e8), "800 MB"),
        (quantities.size(12), "12 B"),
        (quantities.count(100_000_000), "100 000 000"),
        (quantities.plain(1e6), "10⁶"),
        (quantities.plain(0.01), "0.01"),
        (quantities.plain(1e-5), "10⁻⁵"),
        (quantities.plain(5000), "5 000"),
        (quantities.plain(2e6), "2·10⁶"),
        (quantities.plain(5e7), "5·10⁷"),
    ],
)
def test_the_other_shapes(said, written):
    assert said == written


def test_every_shape_is_sanitised():
    """What the words print, the notebooks' comparison takes as a measurement: the two must not drift apart."""
    from pathlib import Path

    pytest.importorskip("hundredfold", reason="the course's own part in it")
    from hundredfold.publish.build.normalise import patterns, sanitise

    rules = patterns(Path(__file__).parents[4] / "tests" / "sanitize.cfg")
    for power in range(-8, 13):
        for digits in (1.0, 3.14159, 9.99):
            value = digits * 10.0**power
            for write in (
                quantities.seconds,
                quantities.ratio,
                quantities.share,
                quantities.byte_rate,
                quantities.flop_rate,
            ):
                assert not re.search(r"\d", sanitise(f"took {write(value)} here", rules)), write(value)
