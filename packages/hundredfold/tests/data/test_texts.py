"""Texts of installed libraries: enough of each, in the lengths that are promised, the same in each call."""

import numpy as np

from hundredfold.data.texts import LONGEST, SHORTEST, documentation


def test_each_library_has_texts_of_its_own():
    texts, authors, libraries = documentation()
    assert libraries == ["numpy", "scipy", "pandas", "sklearn"]
    assert len(texts) == len(authors) and np.bincount(authors).min() > 300
    assert all(SHORTEST < len(text) <= LONGEST for text in texts)
    of = {
        name: [text for text, author in zip(texts, authors, strict=True) if author == k]
        for k, name in enumerate(libraries)
    }
    assert any("Return evenly spaced values" in text for text in of["numpy"])  # numpy.arange
    assert any(text.startswith("K-Means clustering") for text in of["sklearn"])
    assert all(len(set(each)) == len(each) for each in of.values())


def test_two_calls_give_the_same_texts_in_the_same_order():
    first, second = documentation(), documentation()
    assert first[0] == second[0] and (first[1] == second[1]).all()
