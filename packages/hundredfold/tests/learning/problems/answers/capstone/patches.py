"""``capstone.patches``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from hundredfold.learning.problems.capstone.patches import _rebuilt, patches
from hundredfold.learning.problems.devices import cp

from ..edits import Wrong


def _on_device(picture, p, k):
    a, b = picture.shape[0] // p, picture.shape[1] // p
    tiles = picture[: a * p, : b * p].reshape(a, p, b, p).transpose(0, 2, 1, 3).reshape(a * b, p * p)
    mean = tiles.mean(axis=0)
    u, s, vt = cp.linalg.svd(tiles - mean, full_matrices=False)
    part = (u[:, :k] * s[:k]) @ vt[:k] + mean
    rebuilt = part.reshape(a, b, p, p).transpose(0, 2, 1, 3).reshape(a * p, b * p)
    return rebuilt, s[:k] ** 2 / (s**2).sum()


def _projected(picture, p, k):
    """Eigenvectors of the covariance of pixels, in float64; the tiles are projected onto them."""
    rows = [cp.hsplit(row, picture.shape[1] // p) for row in cp.vsplit(_whole(picture, p), picture.shape[0] // p)]
    tiles = cp.stack([tile.ravel() for row in rows for tile in row]).astype("float64")
    mean = tiles.mean(axis=0)
    values, vectors = cp.linalg.eigh((tiles - mean).T @ (tiles - mean))
    best = vectors[:, ::-1][:, :k]
    part = ((tiles - mean) @ best @ best.T + mean).reshape(-1, picture.shape[1] // p, p, p)
    rebuilt = cp.vstack([cp.hstack(list(row)) for row in part])
    return rebuilt.astype("float32"), (values[::-1][:k] / values.sum()).astype("float32")


def _whole(picture, p):
    return picture[: picture.shape[0] // p * p, : picture.shape[1] // p * p]


def _through(**options):
    return lambda picture, p, k: tuple(cp.asarray(part) for part in _rebuilt(picture.get(), p, k, **options))


def _on_host(picture, p, k):
    return patches(picture.get(), p, k)


def _double(picture, p, k):
    return tuple(part.astype("float64") for part in _on_device(picture, p, k))


def _padded(picture, p, k):
    """Rows and columns that fill no tile are kept, with zeros behind them."""
    n, m = picture.shape
    return _on_device(cp.pad(picture, ((0, -n % p), (0, -m % p))), p, k)


def _only_the_picture(picture, p, k):
    return _on_device(picture, p, k)[0]


def _in_place(picture, p, k):
    out = _on_device(picture, p, k)
    picture -= picture.mean()
    return out


WRONG = {
    "strips": Wrong(_through(cut="strips"), "paired"),
    "turned": Wrong(_through(turned=True), "transposed"),
    "mean-left-out": Wrong(_through(back=False), "offset"),
    "uncentred": Wrong(_through(centre=None), "centring"),
    "centred-by-pixels": Wrong(_through(centre="pixels"), "axis"),
    "not-squared": Wrong(_through(squared=False), "squared"),
    "of-the-first-k": Wrong(_through(of="some"), "divisor"),
    "weakest": Wrong(_through(last=True), "direction"),
    "padded": Wrong(_padded, "shape"),
    "host": Wrong(_on_host, "host"),
    "double": Wrong(_double, "dtype"),
    "only-the-picture": Wrong(_only_the_picture, "type"),
    "aliasing": Wrong(_in_place, "aliasing"),
}
RIGHT = {"by svd": _on_device, "projected": _projected}
