"""Which memory cudf.pandas takes: by itself a pool of managed memory, or what CUDF_PANDAS_RMM_MODE says."""

from __future__ import annotations

import os
import warnings


def choose() -> None:
    """Set RMM's resource as cudf.pandas does when it is installed.

    Raises
    ------
    ValueError
        For a mode that there is none of, in cuDF's words.
    """
    if "RAPIDS_NO_INITIALIZE" in os.environ or "CUDF_NO_INITIALIZE" in os.environ:
        return
    import rmm

    asked = os.getenv("CUDF_PANDAS_RMM_MODE")
    rmm_mode = asked or "managed_pool"
    current = rmm.mr.get_current_device_resource()
    if not isinstance(current, rmm.mr.CudaMemoryResource):
        if asked is not None:
            warnings.warn(
                "cudf.pandas detected an already configured memory resource, ignoring "
                f"'CUDF_PANDAS_RMM_MODE={rmm_mode}'",
                UserWarning,
                stacklevel=3,
            )
        return
    free = int(round(float(rmm.mr.available_device_memory()[0]) * 0.80 / 256) * 256)
    if rmm_mode == "pool":
        new = rmm.mr.PoolMemoryResource(current, initial_pool_size=free)
    elif rmm_mode == "async":
        new = rmm.mr.CudaAsyncMemoryResource()
    elif rmm_mode == "managed":
        new = rmm.mr.PrefetchResourceAdaptor(rmm.mr.ManagedMemoryResource())
    elif rmm_mode == "managed_pool":
        pool = rmm.mr.PoolMemoryResource(rmm.mr.ManagedMemoryResource(), initial_pool_size=free)
        new = rmm.mr.PrefetchResourceAdaptor(pool)
    elif rmm_mode == "cuda":
        new = current
    else:
        raise ValueError(f"Unsupported {rmm_mode=}")
    rmm.mr.set_current_device_resource(new)
