"""cuML's estimators: answers, types, parameters and refusals."""

import pytest

SETTINGS = {"GPUSIM_GPU_MEMORY": "512MiB"}
IMPORTS = """
import pickle, warnings
import cupy, numpy as np, pandas as pd, pytest
import cuml, cuml.cluster, cuml.covariance, cuml.manifold, cuml.naive_bayes, cuml.preprocessing
from gpusim import NotSimulatedError
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
X, y = cuml.make_blobs(n_samples=200, n_features=4, centers=3, cluster_std=0.5, random_state=1)
N = y.get().astype("int32")
"""

# Constructor → (method, shape of its result for 200 samples of 4 features in 3 classes)
ESTIMATORS = {
    "cuml.KMeans(n_clusters=3)": ("predict", (200,)),
    "cuml.PCA(n_components=2)": ("transform", (200, 2)),
    "cuml.IncrementalPCA(n_components=2)": ("transform", (200, 2)),
    "cuml.TruncatedSVD(n_components=2)": ("transform", (200, 2)),
    "cuml.LinearRegression()": ("predict", (200,)),
    "cuml.Ridge()": ("predict", (200,)),
    "cuml.Lasso()": ("predict", (200,)),
    "cuml.ElasticNet()": ("predict", (200,)),
    "cuml.Lars()": ("predict", (200,)),
    "cuml.LogisticRegression()": ("predict_proba", (200, 3)),
    "cuml.MBSGDClassifier()": ("predict", (200,)),
    "cuml.MBSGDRegressor()": ("predict", (200,)),
    "cuml.RandomForestClassifier(n_estimators=5)": ("predict_proba", (200, 3)),
    "cuml.RandomForestRegressor(n_estimators=5)": ("predict", (200,)),
    "cuml.IsolationForest(n_estimators=5)": ("predict", (200,)),
    "cuml.KNeighborsClassifier()": ("predict_proba", (200, 3)),
    "cuml.KNeighborsRegressor()": ("predict", (200,)),
    "cuml.KernelDensity()": ("score_samples", (200,)),
    "cuml.SVC()": ("predict", (200,)),
    "cuml.SVR()": ("predict", (200,)),
    "cuml.LinearSVC()": ("predict", (200,)),
    "cuml.LinearSVR()": ("predict", (200,)),
    "cuml.KernelRidge()": ("predict", (200,)),
    "cuml.CD()": ("predict", (200,)),
    "cuml.SGD()": ("predict", (200,)),
    "cuml.QN(loss='softmax')": ("predict", (200,)),
    "cuml.GaussianRandomProjection(n_components=2)": ("transform", (200, 2)),
    "cuml.naive_bayes.GaussianNB()": ("predict_proba", (200, 3)),
    "cuml.preprocessing.StandardScaler()": ("transform", (200, 4)),
    "cuml.preprocessing.MinMaxScaler()": ("transform", (200, 4)),
    "cuml.preprocessing.RobustScaler()": ("transform", (200, 4)),
    "cuml.preprocessing.Normalizer()": ("transform", (200, 4)),
    "cuml.preprocessing.PolynomialFeatures()": ("transform", (200, 15)),
}


@pytest.mark.large(smoke=3)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_types_mirror_the_input(simulating, estimator):
    """CuPy in, CuPy out; NumPy in, NumPy out; pandas in, pandas out with its index; float32 stays; pickled, it is the same."""
    method, shape = ESTIMATORS[estimator]
    simulating(f"""
        answers = []
        index = pd.Index(range(1000, 1200))
        for kind, module, data in (
            ("cupy", "cupy", X), ("numpy", "numpy", X.get()),
            ("pandas", "pandas", pd.DataFrame(X.get(), columns=list("abcd"), index=index)),
        ):
            model = {estimator}
            if getattr(model, "random_state", 0) is None:
                model.set_params(random_state=0)
            model.fit(data, N) if model._kind in ("classifier", "regressor") or "QN" in {estimator!r} else model.fit(data)
            result = model.{method}(data)
            assert type(result).__module__.partition(".")[0] == module, (kind, type(result))
            if kind == "pandas":
                assert result.index.equals(index)
            assert result.shape == {shape}, (kind, result.shape)
            values = result.get() if kind == "cupy" else np.asarray(result)
            assert values.dtype.kind == "i" or values.dtype == "f4", values.dtype
            answers.append(values)
            again = pickle.loads(pickle.dumps(model)).{method}(data)
            assert np.array_equal(again.get() if kind == "cupy" else np.asarray(again), values)
        assert np.allclose(answers[0], answers[1], atol=1e-4) and np.allclose(answers[0], answers[2], atol=1e-4)
        assert type(clone(model)) is type(model) and repr(model).startswith(type(model).__name__)
        with pytest.raises(NotFittedError, match="instance is not fitted yet"):
            {estimator}.{method}(X) if {method!r} != "transform" or "Normalizer" not in {estimator!r} else clone(model)._model
        with pytest.raises(ValueError, match="X has 2 features, but .* is expecting 4 features as input"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.{method}(X[:, :2])
    """)


@pytest.mark.large
def test_answers(simulating):
    simulating("""
        km = cuml.KMeans(n_clusters=3, random_state=0).fit(X)
        assert cuml.adjusted_rand_score(y, km.labels_) == 1.0 and km.labels_.dtype == "i4"
        distances = cupy.sqrt(((X[:, None] - km.cluster_centers_[None]) ** 2).sum(-1))
        assert (km.predict(X) == distances.argmin(1)).all() and cupy.allclose(km.transform(X), distances, atol=1e-3)
        assert abs(km.inertia_ - float((distances.min(1) ** 2).sum())) < 1e-2 * km.inertia_

        pca = cuml.PCA(n_components=4).fit(X)
        assert cupy.allclose(pca.inverse_transform(pca.transform(X)), X, atol=1e-3)
        assert abs(float(pca.explained_variance_ratio_.sum()) - 1) < 1e-5
        svd = np.linalg.svd(X.get().astype("f8"), compute_uv=False)
        assert np.allclose(cuml.TruncatedSVD(n_components=3).fit(X).singular_values_.get(), svd[:3], rtol=1e-4)

        A, b, w = cuml.make_regression(n_samples=300, n_features=5, n_informative=5, coef=True, bias=2.0, random_state=0)
        lr = cuml.LinearRegression().fit(A, b)
        assert cupy.allclose(lr.coef_, w.ravel(), atol=1e-2) and abs(lr.intercept_ - 2) < 1e-2 and lr.score(A, b) > 0.9999
        assert isinstance(lr.intercept_, float) and lr.coef_.dtype == "f4"
        assert cuml.LinearSVR(C=100.0).fit(A, b).score(A, b) > 0.99

        nn = cuml.NearestNeighbors(n_neighbors=3).fit(X)
        near, which = nn.kneighbors(X)
        brute = ((X[:, None] - X[None]) ** 2).sum(-1)
        assert (which[:, 0] == cupy.arange(200)).all() and which.dtype == "i8"
        assert cupy.allclose(near, cupy.sqrt(cupy.sort(brute, axis=1)[:, :3]), atol=2e-2)
        graph = nn.kneighbors_graph(X)
        assert type(graph).__module__.startswith("cupyx") and graph.shape == (200, 200) and graph.nnz == 600

        assert cuml.DBSCAN(eps=2.0).fit(X).labels_.max() == 2
        assert cuml.adjusted_rand_score(y, cuml.HDBSCAN(min_cluster_size=20).fit_predict(X)) > 0.9
        assert cuml.adjusted_rand_score(y, cuml.AgglomerativeClustering(n_clusters=3).fit_predict(X)) == 1.0
        for model in (cuml.LogisticRegression(), cuml.RandomForestClassifier(n_estimators=9), cuml.SVC(), cuml.LinearSVC()):
            assert model.fit(X, N).score(X, N) == 1.0
            assert np.array_equal(model.classes_, [0, 1, 2])
        embedded = cuml.TSNE(perplexity=20, random_state=0).fit_transform(X)
        assert embedded.shape == (200, 2) and cuml.metrics.trustworthiness(X, embedded) > 0.9
    """)


def test_labels_of_text(simulating):
    simulating("""
        words = np.array(["red", "green", "blue"])[N]
        model = cuml.KNeighborsClassifier().fit(X.get(), words)
        assert (model.predict(X.get()) == words).all()
        assert (model.predict(pd.DataFrame(X.get())) == words).all()
        with pytest.raises(TypeError, match="output_type='cupy' doesn't support outputs of dtype object"):
            model.predict(X)
    """)


def test_output_types_are_set_for_all_for_a_block_and_for_one(simulating):
    simulating("""
        model = cuml.KMeans(n_clusters=3, random_state=0, output_type="numpy").fit(X)
        assert type(model.predict(X)) is np.ndarray and type(model.labels_) is np.ndarray
        model = cuml.KMeans(n_clusters=3, random_state=0).fit(X)
        with cuml.using_output_type("pandas"):
            assert type(model.predict(X)) is pd.Series and type(model.cluster_centers_) is pd.DataFrame
            assert type(cuml.make_blobs(n_samples=10)[0]) is pd.DataFrame
        assert type(model.predict(X)) is cupy.ndarray and type(model.cluster_centers_) is cupy.ndarray
        cuml.set_global_output_type("numpy")
        assert cuml.global_settings.output_type == "numpy" and type(model.transform(X)) is np.ndarray
        cuml.set_global_output_type("input")
        assert type(model.transform(X.get())) is np.ndarray and type(model.transform(X)) is cupy.ndarray
        cuml.set_global_output_type(None)
        with pytest.raises(ValueError, match="`output_type='list'` is not supported. Expected one of 'input', 'numpy'"):
            cuml.set_global_output_type("list")
    """)


def test_float64_stays_float64_and_integers_become_float32(simulating):
    simulating("""
        assert cuml.PCA(n_components=2).fit_transform(X.astype("f8")).dtype == "f8"
        assert cuml.PCA(n_components=2).fit_transform((X * 100).astype("i8")).dtype == "f4"
        model = cuml.Ridge().fit(X, y)
        assert model.predict(X.astype("f8")).dtype == "f4", "as it was fitted"
    """)


def test_parameters_are_cumls(simulating):
    simulating("""
        defaults = cuml.RandomForestClassifier().get_params()
        assert (defaults["n_bins"], defaults["split_criterion"], defaults["n_streams"]) == (128, "gini", 4)
        assert cuml.SVC().decision_function_shape == "ovo" and cuml.PCA().tol == 1e-7 and cuml.TruncatedSVD().n_components == 1
        assert repr(cuml.KMeans(n_clusters=3, tol=1e-4)) == "KMeans(n_clusters=3)"
        for wrong, error in (
            (lambda: cuml.KMeans(3), "takes 1 positional argument but 2 were given"),
            (lambda: cuml.KMeans(clusters=3), "unexpected keyword argument 'clusters'"),
            (lambda: cuml.SVC(probability=True), "unexpected keyword argument 'probability'"),
            (lambda: cuml.RandomForestClassifier(n_jobs=2), "unexpected keyword argument 'n_jobs'"),
            (lambda: cuml.PCA(2), "takes 1 positional argument but 2 were given"),
        ):
            with pytest.raises(TypeError, match=error):
                wrong()
        with pytest.raises(ValueError, match="Invalid parameter 'n_jobs' for `KMeans`"):
            cuml.KMeans().set_params(n_jobs=2)
        assert cuml.Ridge(2.0).set_params(alpha=3.0).alpha == 3.0
    """)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("cuml.PCA(n_components=9).fit(X)", r"`n_components` \(9\) must be <= than the number of features in X \(4\)"),
        ("cuml.PCA(svd_solver='arpack').fit(X)", r"Expected `svd_solver` to be one of \['auto', 'full', 'jacobi'\]"),
        ("cuml.LogisticRegression(solver='lbfgs').fit(X, N)", "Only solver='qn' is supported, got 'lbfgs'"),
        (
            "cuml.LogisticRegression(penalty='elasticnet').fit(X, N)",
            "l1_ratio must be specified when penalty is elasticnet",
        ),
        (
            "cuml.AgglomerativeClustering(linkage='ward').fit(X)",
            "Only single linkage clustering is supported currently",
        ),
        ("cuml.DBSCAN(metric='l1').fit(X)", "Invalid value for metric: l1"),
        ("cuml.Ridge(alpha=-1.0).fit(X, y)", "alpha must be non-negative, got -1.0"),
        ("cuml.ElasticNet(l1_ratio=2.0).fit(X, y)", "Expected 0.0 <= l1_ratio <= 1.0, got 2.0"),
        ("cuml.RandomForestClassifier(max_depth=0).fit(X, N)", "max_depth must be a positive integer or None"),
        ("cuml.KMeans().fit(X[0])", "Expected 2D array, got 1D array instead. Reshape your data"),
        ("cuml.KMeans().fit(pd.Series([1.0, 2.0]))", "Expected a 2-dimensional container but got <class 'pandas"),
        ("cuml.KMeans().fit(X * cupy.nan)", "Input X contains NaN."),
        ("cuml.Ridge().fit(X, y[:9])", r"Found input variables with inconsistent number of samples: \[9, 200\]"),
        ("cuml.KMeans().fit(X.astype('c8'))", "Complex data not supported"),
        ("cuml.NearestNeighbors().fit(X).kneighbors(X, 300)", "Expected n_neighbors <= n_samples_fit"),
        ("cuml.metrics.roc_auc_score(y, y)", "Only binary classification is supported"),
    ],
)
def test_what_cuml_refuses(simulating, call, message):
    simulating(f"""
        with pytest.raises(ValueError, match={message!r}):
            {call}
    """)


def test_what_is_not_simulated_says_so(simulating):
    simulating("""
        import cuml.explainer, cuml.tsa
        for call in (
            lambda: cuml.ARIMA([1.0]), lambda: cuml.AutoARIMA([1.0]), lambda: cuml.make_arima(),
            lambda: cuml.KernelExplainer(model=None, data=None),
            lambda: cuml.RandomForestClassifier().as_treelite(), lambda: cuml.UMAP(callback=print).fit(X),
        ):
            with pytest.raises(NotSimulatedError, match="needs a GPU: it is not simulated"):
                call()
        model = cuml.HDBSCAN().fit(X)
        assert not hasattr(model, "condensed_tree_")
        with pytest.raises(AttributeError, match="module 'cuml' has no attribute 'KMeanz'"):
            cuml.KMeanz
    """)


def test_names_of_columns_are_compared(simulating):
    simulating("""
        frame = pd.DataFrame(X.get(), columns=list("abcd"))
        model = cuml.PCA(n_components=2).fit(frame)
        assert list(model.feature_names_in_) == list("abcd") and list(model.transform(frame).columns) == ["pca0", "pca1"]
        with pytest.raises(ValueError, match="Feature names must be in the same order as they were in fit."):
            model.transform(frame[list("dcba")])
        with pytest.raises(ValueError, match="Feature names unseen at fit time:\\n- e"):
            model.transform(frame.rename(columns={"a": "e"}))
        with pytest.warns(UserWarning, match="X does not have valid feature names, but PCA was fitted with feature names"):
            model.transform(X)
        with pytest.raises(TypeError, match="Feature names are only supported if all input features have string names"):
            cuml.PCA().fit(frame.rename(columns={"a": 1}))
    """)


def test_scikit_learn_takes_them_and_gives_them(simulating):
    simulating("""
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import GridSearchCV, cross_val_score
        from sklearn.pipeline import make_pipeline
        host = X.get()
        pipeline = make_pipeline(cuml.preprocessing.StandardScaler(), cuml.LogisticRegression())
        assert cross_val_score(pipeline, host, N, cv=3).mean() == 1.0
        search = GridSearchCV(cuml.KNeighborsClassifier(), {"n_neighbors": [1, 3]}, cv=2).fit(host, N)
        assert search.best_score_ == 1.0
        there = cuml.LogisticRegression.from_sklearn(LogisticRegression(C=2.0).fit(host, N))
        assert there.C == 2.0 and (there.predict(X).get() == N).all()
        back = there.as_sklearn()
        assert type(back) is LogisticRegression and (back.predict(host) == N).all()
    """)


def test_steps_over_texts_know_whether_they_are_fitted(simulating):
    """As scikit-learn's pipelines ask. Hashing learns nothing, and needs no fit."""
    simulating("""
        import cudf
        from cuml.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer
        from sklearn.pipeline import make_pipeline
        texts = cudf.Series(["one two two", "three", "two three"])
        hashed = HashingVectorizer(n_features=64, norm=None, alternate_sign=False).transform(texts)
        assert hashed.shape == (3, 64) and hashed.sum() == 6
        for unfitted in (CountVectorizer(), make_pipeline(HashingVectorizer(n_features=64), TfidfTransformer())):
            with pytest.raises(NotFittedError):
                unfitted.transform(texts)
        with pytest.raises(NotFittedError):
            TfidfTransformer().transform(hashed)
        both = make_pipeline(CountVectorizer(), TfidfTransformer()).fit(texts)
        lengths = both.transform(texts).power(2).sum(axis=1)
        assert np.allclose(lengths.get(), 1)
        idf = both[-1].idf_
        assert isinstance(idf, cupy.ndarray) and np.allclose(idf.get(), np.log(4 / np.array([2, 3, 3])) + 1)
    """)


def test_logistic_regression_keeps_to_one_thread_of_blas(simulating):
    """Its vectors are short: several threads wait for each other, and on a busy machine a fit took 15 s instead of 1 s."""
    simulating("""
        import threadpoolctl
        from sklearn.linear_model import LogisticRegression as Model
        threads, fit = [], Model.fit
        def watched(self, *arguments, **options):
            threads.extend(pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas")
            return fit(self, *arguments, **options)
        Model.fit = watched
        with threadpoolctl.threadpool_limits(2, user_api="blas"):
            cuml.LogisticRegression().fit(X, N)
        assert threads and set(threads) == {1}, threads
    """)


def test_memory_and_launches_are_counted(simulating):
    simulating("""
        from gpusim.device import queue
        import rmm
        before = queue.counters()
        cuml.PCA(n_components=2).fit(X.get())
        sent = queue.counters() - before
        assert sent.h2d_bytes >= X.nbytes and sent.kernels >= 1
        # Importing cuML hands CuPy's memory to RMM, errors included.
        with pytest.raises(MemoryError, match="std::bad_alloc: out_of_memory"):
            cupy.zeros(10**9)
    """)


def test_forests_split_at_quantiles(simulating):
    """Of 0 … 999 in four bins the ends are 249, 499, 749 and 999; a split nearest to 300 is one of them, as on a GPU."""
    simulating("""
        X, y = np.arange(1000, dtype="f4")[::-1].reshape(-1, 1).copy(), (np.arange(1000)[::-1] > 300).astype("i4")
        model = cuml.RandomForestClassifier(n_estimators=3, n_bins=4, max_depth=1, bootstrap=False).fit(X, y)
        trees = [tree.tree_ for tree in model.as_sklearn().estimators_]
        assert [tree.threshold[0] for tree in trees] == [249.0] * 3 and [len(tree.threshold) for tree in trees] == [3] * 3
        assert model.predict(np.array([[249.0], [249.5]], "f4")).tolist() == [0, 1], "where a split is, the left side ends"
        assert model.score(X, y) == 0.949, "51 of 1000 lie between the split and 300"
        deep = cuml.RandomForestRegressor(n_estimators=1, n_bins=1000, bootstrap=False).fit(X, X[:, 0])
        assert np.array_equal(deep.predict(X), X[:, 0]), "a bin for each value: every one is told apart"
        tied = cuml.RandomForestClassifier(n_estimators=1, n_bins=8, bootstrap=False).fit(X // 500, y)
        assert set(tied.as_sklearn().estimators_[0].tree_.threshold) == {0.0, -2.0}, "two values have one split"

        first, again = (cuml.RandomForestClassifier(n_estimators=4, max_features=1).fit(X % 7 + X / 9 % 5, y) for _ in "12")
        assert np.array_equal(first.predict_proba(X), again.predict_proba(X)), "without random_state the seed is 0"
        with pytest.warns(UserWarning, match="The number of bins, `n_bins` is greater than the number of samples"):
            cuml.RandomForestRegressor(n_estimators=1).fit(X[:5], X[:5, 0])
        with pytest.raises(ValueError, match="n_streams must be a positive integer; got 0"):
            cuml.RandomForestRegressor(n_streams=0).fit(X, X[:, 0])
    """)


def test_models_keep_what_they_were_fitted_to(simulating):
    """Neighbours of 0 … 9 after the arrays on the device are gone, and after the caller wrote over his own."""
    simulating("""
        where = np.arange(10.0, dtype="f4").reshape(-1, 1)
        ask = np.array([[2.25], [7.9]], "f4")
        def models(X, y):
            return [
                cuml.NearestNeighbors(n_neighbors=1).fit(X), cuml.KNeighborsRegressor(n_neighbors=1).fit(X, y),
                cuml.KNeighborsClassifier(n_neighbors=1).fit(X, y.astype("i4")), cuml.KernelRidge(alpha=1e-6, kernel="rbf").fit(X, y),
            ]
        def answers(found):
            distances, numbers = found[0].kneighbors(ask)
            return [distances, numbers] + [model.predict(ask) for model in found[1:]]
        X, y = cupy.asarray(where), cupy.asarray(2 * where[:, 0])
        fitted = models(X, y)
        expected = [cupy.asnumpy(one).copy() for one in answers(fitted)]
        assert expected[0].ravel().tolist() == [0.25, np.float32(8) - np.float32(7.9)] and expected[1].ravel().tolist() == [2, 8]
        assert expected[2].tolist() == [4.0, 16.0] and expected[3].tolist() == [4, 16]
        del X, y
        filling = [cupy.full(shape, 99.0, "f4") for shape in ((10, 1), (10,)) for _ in range(8)]
        cupy.cuda.Device().synchronize()
        assert all(np.array_equal(cupy.asnumpy(a), b) for a, b in zip(answers(fitted), expected))
        mine, target = where.copy(), 2 * where[:, 0]
        fitted = models(mine, target)
        mine[:] = target[:] = 99.0
        assert all(np.allclose(cupy.asnumpy(a), b) for a, b in zip(answers(fitted), expected))
    """)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    ("estimator", "method"),
    [
        ("KMeans(n_clusters=3, random_state=0)", "predict"), ("PCA(n_components=2)", "transform"),
        ("LogisticRegression()", "predict"), ("Ridge()", "predict"), ("KNeighborsClassifier()", "predict"),
        ("RandomForestClassifier(n_estimators=5)", "predict"), ("SVC()", "predict"),
    ],
)  # fmt: skip
def test_a_model_comes_back_from_scikit_learn(simulating, estimator, method, dtype):
    """Fitted in single precision, pickled as scikit-learn's and taken back, it answers the same."""
    simulating(f"""
        samples = X.astype({dtype!r})
        model = cuml.{estimator}
        model = model.fit(samples) if {estimator!r}.startswith(("KMeans", "PCA")) else model.fit(samples, N)
        back = type(model).from_sklearn(pickle.loads(pickle.dumps(model.as_sklearn())))
        ours, theirs = model.{method}(samples), back.{method}(samples)
        assert type(theirs) is cupy.ndarray and theirs.dtype == ours.dtype and cupy.allclose(ours, theirs, atol=1e-5)
    """)
