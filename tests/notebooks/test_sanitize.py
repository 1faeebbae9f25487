"""The sanitising patterns: few, named, and not so broad that the comparison means nothing."""

import re
from pathlib import Path

import nbformat
import pytest
from nbval.plugin import get_sanitize_patterns

from hundredfold.publish.build.normalise import compared, sanitise

ROOT = Path(__file__).parents[2]
FILE = ROOT / "tests" / "sanitize.cfg"
EXECUTED = [path for folder in ("notebooks", "solutions") for path in sorted((ROOT / folder).glob("*.ipynb"))]


def replaced(text: str, rules) -> int:
    """How many characters of `text` the patterns replace, one after the other."""
    count = 0
    for _, regex, replacement in rules:
        count += sum(len(match[0]) for match in re.finditer(regex, text))
        text = re.sub(regex, replacement, text)
    return count


def texts(path: Path) -> list[str]:
    cells = nbformat.read(path, as_version=4).cells
    return [text for cell in cells if cell.cell_type == "code" for _, text in compared(cell.outputs)]


def test_there_are_at_most_twelve_and_nbval_reads_the_same_ones(rules):
    assert 0 < len(rules) <= 12
    assert len({name for name, _, _ in rules}) == len(rules)
    assert get_sanitize_patterns(FILE.read_text(encoding="utf-8")) == [(r, s) for _, r, s in rules]


@pytest.mark.parametrize("path", EXECUTED, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_at_most_a_quarter_of_what_is_compared_is_replaced(path, rules):
    found = texts(path)
    share = sum(replaced(text, rules) for text in found) / sum(len(text) for text in found)
    assert share <= 0.25, f"the patterns replace {share:.0%} of what this notebook says; let it say more that is known"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "NumPy: 186 ms ± 3.1 ms (median of 7, first call 240 ms)",
            "NumPy: TIME (median of N, first call TIME)",
        ),
        ("NumPy: 240 ms (median of 1, first call 240 ms)", "NumPy: TIME (median of N, first call TIME)"),
        (
            "estimates. Taken from shapes alone, in a process of its own: read it with lens.nsys_report.",
            "estimates.",
        ),
        ("here    3 ms, impossible", "here    TIME"),
        ("4.3 GB/s, 52 % of the limit (simulated on this CPU)", "RATE, SHARE of the limit (PLACE)"),
        ("14 GB/s, 104 % of the limit (fits in cache) (simulated on this CPU)", "RATE, SHARE of the limit (PLACE)"),
        ("12.5 GFLOP/s (on NVIDIA H100 PCIe)", "RATE (PLACE)"),
        ("1 s (on this CPU) ⚠ the samples differ by 30 % of their median; measure again", "TIME (PLACE)"),
        ("48× faster, 1,200× slower", "RATIO faster, RATIO slower"),
        ("1.2e-05 s; 3 min; 2 h; 20 µs; 20 μs", "TIME; TIME; TIME; TIME; TIME"),
        (
            "DuckDB  90 % of the limit, 1.2× the strongest CPU way, 30× the naive one",
            "DuckDB  SHARE of the limit, RATIO the naive one",
        ),
        ("DuckDB  90 % of the limit, 30× the naive one", "DuckDB  SHARE of the limit, RATIO the naive one"),
        ("here: copied    10 ms, impossible\nx", "here: copied    TIME\nx"),
        ("published: CuPy (V100)   746 µs, impossible", "published: CuPy (V100)   TIME, impossible"),
        ("Hundredfold: no GPU found\nnext", "Hundredfold: MACHINE\nnext"),
        ("needs 800 MB of 31 GB", "needs MEMORY of MEMORY"),
        ("<object at 0x7f2b091da090> tcp://127.0.0.1:8786", "<object at ADDRESS> ADDRESS"),
    ],
)
def test_what_is_measured_is_replaced(text, wanted, rules):
    assert sanitise(text, rules) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "True",
        "[[ 1.  3.  5.]\n [ 7.  9. 11.]]",
        "shape (10, 3), 120 elements",
        "10 000 × 10 000",
        "3 samples",
        "x[2] = 0.5 should be 0.25",
        "float64",
        "12 hours",
    ],
)
def test_what_is_known_is_compared(text, rules):
    assert sanitise(text, rules) == text
