"""Import what the lab, a kernel and a hub's server import when they start, so that Python keeps it compiled. And try it."""

import importlib
import sys

NAMES = """
numpy numpy.testing scipy.linalg scipy.sparse.linalg scipy.fft scipy.signal scipy.stats scipy.optimize scipy.special scipy.ndimage
scipy.interpolate scipy.spatial pandas pandas.testing pyarrow.parquet pyarrow.compute pyarrow.dataset polars duckdb numexpr fastavro
sklearn.cluster sklearn.decomposition sklearn.ensemble sklearn.linear_model sklearn.neighbors sklearn.manifold sklearn.metrics
numba llvmlite.binding dask.array dask.dataframe dask.diagnostics distributed distributed.cli.dask_worker distributed.cli.dask_scheduler
distributed.dashboard.scheduler bokeh.plotting bokeh.models bokeh.server.server ipykernel.ipkernel ipykernel.kernelapp ipykernel.inprocess
IPython.terminal.interactiveshell jedi debugpy jupyterlab.labapp jupyter_server.serverapp jupyter_server_proxy dask_labextension nbgitpuller
jupyter_lsp jupyterlab_server notebook_shim jupyterhub.singleuser.extension jupyterhub.singleuser nbclient nbconvert nbformat.v4 nbval.plugin
pytest jupytext jsonschema click rich.console rich.table filelock cloudpickle pycparser pcpp pynvml
"""


def main() -> None:
    for name in NAMES.split():
        importlib.import_module(name)
    # A compiler, a query engine and a table, each used once: a library that was cut down too far shows here, and not in class.
    import numba
    import pandas
    import polars
    import pyarrow.parquet

    assert numba.njit(lambda number: number + 1)(41) == 42
    assert polars.DataFrame({"a": [1, 2]}).group_by("a").len().height == 2
    table = pyarrow.Table.from_pandas(pandas.DataFrame({"a": ["x", "y"]}))
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(table, sink)
    assert pyarrow.parquet.read_table(pyarrow.BufferReader(sink.getvalue())).equals(table)


if __name__ == "__main__":
    sys.exit(main())
