"""``capstone.days``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from hundredfold.learning.problems.capstone.days import DAYS, OPTIONS, _decomposed, days
from hundredfold.learning.problems.devices import cp

from ..edits import Wrong


def _on_device(profile, k, **options):
    """The same on the device."""
    gaps = cp.isnan(profile)
    means = cp.nanmean(profile, axis=0)
    x = cp.where(gaps, means, profile) - means if not options.get("raw") else cp.where(gaps, means, profile)
    _, s, vt = cp.linalg.svd(x, full_matrices=False)
    shapes = vt[:k]
    shapes = shapes * cp.where(shapes.sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
    return shapes, s[:k] ** 2 / (s**2).sum()


def _through(**options):
    """An answer with a mistake, by the way of the host: only its values are looked at."""

    def answer(profile, k):
        return tuple(cp.asarray(part) for part in _decomposed(profile.get(), k, **options))

    return answer


def _by_eigenvalues(profile, k):
    """The eigenvectors of the covariance: half of the digits, which is enough here."""
    means = cp.nanmean(profile, axis=0)
    x = cp.nan_to_num(profile - means)
    values, vectors = cp.linalg.eigh(x.T @ x)
    shapes = vectors[:, ::-1][:, :k].T
    shapes = cp.where(shapes.sum(axis=1, keepdims=True) < 0, -shapes, shapes)
    return shapes, values[::-1][:k] / values.sum()


def _on_host(profile, k):
    return days(profile.get(), k)


def _one(profile, k):
    return _on_device(profile, k)[0]


def _all_of_them(profile, k):
    return _on_device(profile, min(profile.shape))


def _single(profile, k):
    return tuple(part.astype("float32") for part in _on_device(profile, k))


def _fills_the_argument(profile, k):
    means = cp.nanmean(profile, axis=0)
    profile[...] = cp.where(cp.isnan(profile), means, profile)
    return _on_device(profile, k)


WRONG = {
    "uncentred": Wrong(_through(centre=None), "centring"),
    "centred-by-days": Wrong(_through(centre="days"), "axis"),
    "centred-by-one-number": Wrong(_through(centre="overall"), "centring"),
    "gaps-as-zero": Wrong(_through(fill="zero"), "nulls"),
    "gaps-by-days": Wrong(_through(fill="days"), "nulls"),
    "not-squared": Wrong(_through(squared=False), "squared"),
    "of-the-first-k": Wrong(_through(of="some"), "divisor"),
    "any-sign": Wrong(_through(signed=False), "sign"),
    "left": Wrong(_through(left=True), "shape"),
    "all-of-them": Wrong(_all_of_them, "shape"),
    "host": Wrong(_on_host, "host"),
    "one": Wrong(_one, "type"),
    "single": Wrong(_single, "dtype"),
    "aliasing": Wrong(_fills_the_argument, "aliasing"),
    **{
        f"{name} + any-sign": Wrong(_through(**options, signed=False), DAYS.mistakes[name].reason)
        for name, options in OPTIONS.items()
    },
}
RIGHT = {"by svd": _on_device, "by eigenvalues": _by_eigenvalues}
