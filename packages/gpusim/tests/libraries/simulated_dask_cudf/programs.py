"""A LocalCluster of worker processes whose partitions are cuDF objects; prints a JSON object of what came out."""

import json
import tempfile
import warnings


def main():
    """Run the computations."""
    from gpusim.importing import activate

    activate()
    warnings.simplefilter("ignore")
    import cudf
    import dask
    import dask.dataframe as dd
    import dask_cudf
    import numpy as np
    from distributed import Client, LocalCluster

    frame = cudf.DataFrame({"a": np.arange(100) % 5, "b": np.arange(100.0), "s": ["x", "y"] * 50})
    out = {}
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        ddf = dask_cudf.from_cudf(frame, npartitions=4)
        out["sum"] = float(ddf.b.sum().compute())
        out["groups"] = ddf.groupby("a").b.sum().compute().sort_index().to_pandas().tolist()
        out["merged"] = len(ddf.merge(ddf, on="a"))
        out["sorted"] = ddf.sort_values("b", ascending=False).b.compute().to_pandas().tolist()[:3]
        out["indexed"] = ddf.set_index("b").a.compute().to_pandas().tolist()[:3]
        shuffled = ddf.shuffle("a")
        kinds = shuffled.map_partitions(lambda part: part.a.nunique(), meta=("n", "int64")).compute()
        out["keys_kept_together"] = int(sum(kinds.to_pandas() if hasattr(kinds, "to_pandas") else kinds))
        scattered = ddf.persist()
        out["type"] = type(scattered.compute()).__module__
        out["strings"] = ddf.s.str.upper().value_counts().compute().sort_index().to_pandas().to_dict()
        with tempfile.TemporaryDirectory() as folder:
            ddf.to_parquet(folder)
            out["parquet"] = float(dask_cudf.read_parquet(folder).b.sum().compute())
            by_arrow = dask_cudf.read_parquet(folder, filesystem="arrow")
            out["by_arrow"] = float(by_arrow[by_arrow.a == 1].b.sum().compute())
            with dask.config.set({"dataframe.backend": "cudf"}):
                again = dd.read_parquet(folder)
            out["backend"] = type(again._meta).__module__
        host = dd.from_pandas(frame.to_pandas(), npartitions=3)
        out["to_cudf"] = type(host.to_backend("cudf").compute()).__module__
        out["to_pandas"] = type(ddf.to_backend("pandas").compute()).__module__.partition(".")[0]
    print(json.dumps(out))


if __name__ == "__main__":
    main()
