"""Made-up data in parts on the workers: one of them makes it, all get their share."""

from __future__ import annotations

from typing import Any

import cuml.datasets
import dask
import dask.array as da
import numpy as np

from .._base import get_client


def _parts(n_samples: int, n_parts: int) -> list[int]:
    size, rest = divmod(n_samples, n_parts)
    return [size + (part < rest) for part in range(n_parts)]


def _made(
    name: str, options: dict, n_samples: int, n_parts: int, shapes: list[tuple], client: Any, dtypes: list
) -> Any:
    """Dask arrays of what a function of cuml.datasets makes, in parts of rows."""
    import cupy

    whole = dask.delayed(getattr(cuml.datasets, name), nout=3, pure=False)(n_samples=n_samples, **options)
    lengths = _parts(n_samples, n_parts)
    ends = np.cumsum([0, *lengths])
    arrays = []
    for which, (shape, dtype) in enumerate(zip(shapes, dtypes, strict=True)):
        blocks = [
            da.from_delayed(
                whole[which][int(ends[i]) : int(ends[i + 1])], (n, *shape), dtype=dtype,
                meta=cupy.empty((0,) * (1 + len(shape)), dtype),
            )
            for i, n in enumerate(lengths)
        ]  # fmt: skip
        arrays.append(da.concatenate(blocks))
    return client.persist(arrays), whole


def _count(client: Any, n_parts: int | None) -> int:
    return n_parts or max(1, len(client.scheduler_info(n_workers=-1)["workers"]))


def make_blobs(
    n_samples=100, n_features=2, centers=None, cluster_std=1.0, n_parts=None, center_box=(-10, 10), shuffle=True,
    random_state=None, return_centers=False, verbose=False, order="F", dtype="float32", client=None, workers=None,
) -> Any:  # fmt: skip
    """Samples around centres, and the number of the centre of each."""
    client = get_client(client)
    options = {
        "n_features": n_features, "centers": centers, "cluster_std": cluster_std, "center_box": center_box,
        "shuffle": shuffle, "random_state": random_state, "order": order, "dtype": dtype, "return_centers": True,
    }  # fmt: skip
    (X, y), whole = _made(
        "make_blobs", options, n_samples, _count(client, n_parts), [(n_features,), ()], client, [dtype, dtype]
    )
    return (X, y, client.compute(whole[2]).result()) if return_centers else (X, y)


def make_classification(
    n_samples=100, n_features=20, n_informative=2, n_redundant=2, n_repeated=0, n_classes=2, n_clusters_per_class=2,
    weights=None, flip_y=0.01, class_sep=1.0, hypercube=True, shift=0.0, scale=1.0, shuffle=True, random_state=None,
    order="F", dtype="float32", n_parts=None, client=None,
) -> Any:  # fmt: skip
    """Samples of classes, and their classes."""
    options = {key: value for key, value in locals().items() if key not in ("n_samples", "n_parts", "client")}
    client = get_client(client)
    count = _count(client, n_parts)
    return tuple(
        _made("make_classification", options, n_samples, count, [(n_features,), ()], client, [dtype, "int64"])[0]
    )


def make_regression(
    n_samples=100, n_features=100, n_informative=10, n_targets=1, bias=0.0, effective_rank=None, tail_strength=0.5,
    noise=0.0, shuffle=False, coef=False, random_state=None, n_parts=1, n_samples_per_part=None, order="F",
    dtype="float32", client=None, use_full_low_rank=True,
) -> Any:  # fmt: skip
    """Samples and their targets, and with ``coef=True`` the coefficients."""
    leave = ("n_samples", "n_parts", "client", "n_samples_per_part", "order", "use_full_low_rank", "coef")
    options = {key: value for key, value in locals().items() if key not in (*leave, "leave")} | {"coef": True}
    client = get_client(client)
    count = -(-n_samples // n_samples_per_part) if n_samples_per_part else n_parts
    target = () if n_targets == 1 else (n_targets,)
    (X, y), whole = _made("make_regression", options, n_samples, count, [(n_features,), target], client, [dtype, dtype])
    return (X, y, client.compute(whole[2]).result()) if coef else (X, y)
