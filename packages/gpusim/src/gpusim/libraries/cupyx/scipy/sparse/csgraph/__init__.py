"""Graphs as sparse matrices.  The real module needs cuGraph for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse.csgraph as _scipy
from cupyx._bridge import convert, takes
from cupyx.scipy.sparse import _host, csr_matrix
from cupyx.scipy.sparse._base import issparse


@takes("cupyx.scipy.sparse.csgraph")
def connected_components(csgraph: Any, directed: bool, connection: str, return_labels: bool) -> Any:
    """The number of connected components, and a label for each node."""
    connection = connection.lower()
    if connection not in ("weak", "strong"):
        raise ValueError("connection must be 'weak' or 'strong'")
    if csgraph.ndim != 2:
        raise ValueError("graph should have two dimensions")
    csgraph = csgraph.tocsr() if issparse(csgraph) else csr_matrix(csgraph)
    if csgraph.shape[0] != csgraph.shape[1]:
        raise ValueError("graph should be a square array")
    count, labels = _scipy.connected_components(_host.host(csgraph), directed, connection)
    # numbered by the first node of each component
    _, first = np.unique(labels, return_index=True)
    rank = np.empty(count, np.int32)
    rank[np.argsort(first)] = np.arange(count, dtype=np.int32)
    return (count, convert.up(rank[labels])) if return_labels else count
