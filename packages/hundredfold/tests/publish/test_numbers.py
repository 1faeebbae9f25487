"""A number of the site's prose is not divided between two lines, and no other words are kept together."""

import re

from hundredfold.publish.site.numbers import kept

TIMES = "\N{MULTIPLICATION SIGN}"


def test_a_number_keeps_its_groups_and_its_unit():
    for plain in (f"10 000 {TIMES} 10 000", "0.746 ms", "5 105 039 links", "80 GB", "900 GB/s", "16 MiB,", "93 % of"):
        assert not re.search(r"\d [\dmGM%]", kept(plain)), plain
        assert kept(plain).replace("\N{NO-BREAK SPACE}", " ") == plain
    for other in ("unit 05 2018", f"3 {TIMES} 3", "2 samples", "8 minutes", "17 December 2018", "1 1000", "4 stages"):
        assert kept(other) == other
