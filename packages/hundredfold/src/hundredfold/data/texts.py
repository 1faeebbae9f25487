"""Texts that every installation has: what NumPy, SciPy, pandas and scikit-learn say of their own functions.

    from hundredfold.data.texts import documentation

    texts, authors, libraries = documentation()

Nothing is copied and nothing is fetched: which texts there are depends on the versions that are installed.
"""

from __future__ import annotations

import importlib
import inspect

import numpy as np

SOURCES = {
    "numpy": ["numpy", *(f"numpy.{name}" for name in "linalg fft random ma polynomial".split())],
    "scipy": [f"scipy.{name}" for name in "signal ndimage linalg optimize special stats interpolate sparse".split()],
    "pandas": ["pandas"],
    "sklearn": [
        f"sklearn.{name}"
        for name in "cluster linear_model ensemble neighbors preprocessing metrics model_selection svm tree".split()
    ],
}
SHORTEST, LONGEST = 100, 400  #: letters of a text: shorter ones are left out, longer ones are cut


def documentation() -> tuple[list[str], np.ndarray, list[str]]:
    """Return texts, the number of each one's library, and the libraries' names.

    A text is the beginning of the documentation of a public function, class or method. A text that several of them share
    is there once for each library.
    """
    texts: list[str] = []
    authors: list[int] = []
    for number, modules in enumerate(SOURCES.values()):
        found = sorted(_said(modules))
        texts += found
        authors += [number] * len(found)
    return texts, np.asarray(authors), list(SOURCES)


def _said(modules: list[str]) -> set[str]:
    found = set()
    for module in map(importlib.import_module, modules):
        things = [each for name, each in vars(module).items() if name[0] != "_" and not inspect.ismodule(each)]
        for each in list(things):
            if inspect.isclass(each):
                things += [member for name, member in inspect.getmembers(each) if name[0] != "_"]
        said = [getattr(each, "__doc__", None) for each in things]
        found |= {inspect.cleandoc(text)[:LONGEST] for text in said if isinstance(text, str)}
    return {text for text in found if len(text) > SHORTEST}
