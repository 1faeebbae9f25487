"""The packages of this image: those of its variant, and no other's."""

import importlib
import os
from importlib import metadata

names = {each.metadata["Name"].lower().replace("_", "-") for each in metadata.distributions()}
image = os.environ["HUNDREDFOLD_IMAGE"]
for wanted in ("jupyterlab", "jupyterhub", "nbgitpuller", "nbval", "dask-labextension", "hundredfold"):
    assert wanted in names, wanted
for tool in ("ruff", "playwright", "pip", "kubernetes-asyncio", "batchspawner"):
    assert tool not in names, f"{tool} is for developers and hubs"
gpu = {f"cupy-cuda{n}x" for n in (12, 13)} | {f"cudf-cu{n}" for n in (12, 13)}
assert names & gpu == (set() if image == "cpu" else {f"cupy-cuda{image[2:]}x", f"cudf-{image}"}), names & gpu
assert image == "cpu" or not os.environ.get("NVIDIA_REQUIRE_CUDA")
for module in (
    "numpy",
    "pandas",
    "scipy",
    "numba",
    "dask.array",
    "dask.dataframe",
    "distributed",
    "bokeh.plotting",
    "polars",
    "duckdb",
):
    importlib.import_module(module)
if image != "cpu":
    assert os.environ["NVIDIA_DRIVER_CAPABILITIES"] == "compute,utility"
    for module in ("cupy", "numba_cuda", "rmm", "dask_cuda"):
        importlib.import_module(module)
