"""cuml.dask on a simulated cluster, and cuml.accel."""

import os
import subprocess
import sys
import textwrap

import pytest

SETTINGS = {"GPUSIM_GPUS": "2", "GPUSIM_GPU_MEMORY": "128MiB"}
IMPORTS = "import cupy, dask, dask.array as da, numpy as np, pytest"


@pytest.mark.large
def test_models_over_all_parts(simulating):
    simulating("""
        import cuml
        from dask.distributed import Client
        from dask_cuda import LocalCUDACluster
        from cuml.dask.cluster import KMeans
        from cuml.dask.datasets import make_blobs, make_classification, make_regression
        from cuml.dask.decomposition import PCA
        from cuml.dask.ensemble import RandomForestClassifier
        from cuml.dask.linear_model import LinearRegression
        from cuml.dask.metrics import confusion_matrix
        from cuml.dask.neighbors import NearestNeighbors
        from sklearn.exceptions import NotFittedError
        with LocalCUDACluster(dashboard_address=None) as cluster, Client(cluster) as client:
            X, y, centers = make_blobs(n_samples=400, n_features=3, centers=3, n_parts=4, random_state=3, return_centers=True)
            assert X.numblocks == (4, 1) and type(X._meta) is cupy.ndarray and centers.shape == (3, 3)
            host = X.compute()

            model = KMeans(n_clusters=3, random_state=0).fit(X)
            labels = model.predict(X)
            assert isinstance(labels, da.Array) and labels.chunks == y.chunks and labels.dtype == "i4"
            assert cuml.metrics.adjusted_rand_score(y.compute(), labels.compute()) == 1.0
            whole = cuml.KMeans(n_clusters=3, random_state=0).fit(host)
            assert cupy.allclose(model.cluster_centers_, whole.cluster_centers_, atol=1e-4), "that of the whole data"
            assert type(model.get_combined_model()) is cuml.KMeans

            pca = PCA(n_components=2).fit(X)
            assert cupy.allclose(pca.transform(X).compute(), cuml.PCA(n_components=2).fit_transform(host), atol=1e-3)

            A, b, w = make_regression(n_samples=300, n_features=4, n_informative=4, n_parts=3, coef=True, random_state=0)
            assert cupy.allclose(LinearRegression().fit(A, b).coef_, w.ravel(), atol=1e-2)

            far, which = NearestNeighbors(n_neighbors=2).fit(X).kneighbors(X)
            assert (which.compute()[:, 0] == cupy.arange(400)).all() and far.shape == (400, 2)

            classes = y.astype("int32")
            forest = RandomForestClassifier(n_estimators=5).fit(X, classes)
            assert forest.predict_proba(X).shape == (400, 3) and forest.score(X, classes) == 1.0
            assert int(confusion_matrix(classes, forest.predict(X)).trace()) == 400
            assert list(forest.rfs) == forest.workers == list(client.has_what()) and len(forest.rfs) == 2
            assert all(one.result().n_estimators == 5 and one.done() for one in forest.rfs.values())
            with pytest.warns(FutureWarning, match="n_streams has no effect on distributed training"):
                RandomForestClassifier(n_streams=8)

            import dask.dataframe as dd, pandas as pd
            frame = dd.from_pandas(pd.DataFrame(host.get(), columns=list("abc")), npartitions=3)
            parts = KMeans(n_clusters=3, random_state=0).fit(frame).predict(frame)
            assert parts.npartitions == 3 and cuml.metrics.adjusted_rand_score(y.compute(), parts.compute()) == 1.0

            with pytest.raises(NotFittedError):
                PCA(n_components=2).transform(X)
            with pytest.raises(TypeError, match="unexpected keyword argument 'clusters'"):
                KMeans(clusters=3)
            with pytest.raises(ValueError, match="must be <= than the number of features"):
                PCA(n_components=9).fit(X)
    """)


def in_python(*arguments, **settings):
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_", "CUML_"))
    }
    environment |= {"GPUSIM_SIMULATE": "1", "GPUSIM_GPU_MEMORY": "64MiB", **settings}
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_accel_leaves_scikit_learn_alone_and_says_so(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
            import sys
            from sklearn.cluster import KMeans
            import numpy as np, cuml.accel
            X = np.array([[0.0], [1.0], [10.0], [11.0]])
            print(KMeans(n_clusters=2, random_state=0, n_init=1).fit(X).inertia_, sys.argv[1:], __name__)
            print(cuml.accel.enabled(), cuml.accel.is_proxy(KMeans), type(cuml.PCA().fit(X).mean_).__module__)
        """)
    )
    said = in_python("-m", "cuml.accel", "-v", str(script), "--profile", "more").splitlines()
    assert said[0] == "[cuml.accel] Accelerator installed." and "simulated" in said[1]
    assert said[2:] == ["1.0 ['--profile', 'more'] __main__", "True False numpy"]
    assert in_python("-m", "cuml.accel", "-c", "import cuml.accel; print(cuml.accel.enabled())") == "True\n"


def test_accel_as_an_extension_of_ipython():
    said = in_python(
        "-c",
        textwrap.dedent("""
            from IPython.core.interactiveshell import InteractiveShell
            ip = InteractiveShell.instance()
            ip.run_line_magic("load_ext", "cuml.accel")
            ip.run_line_magic("cuml.accel.log_level", "debug")
            print(ip.run_line_magic("cuml.accel.log_level", ""))
            ip.run_cell_magic("cuml.accel.profile", "", "x = 6 * 7")
            print(ip.user_ns["x"])
        """),
    ).splitlines()
    assert said[0] == "debug" and said[-1] == "42" and any("simulated" in line for line in said)
