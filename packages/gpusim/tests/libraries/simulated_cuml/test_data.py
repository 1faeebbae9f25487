"""cuML's preparing, splitting, making and measuring of data, and its texts."""

import pytest

SETTINGS = {"GPUSIM_GPU_MEMORY": "512MiB"}
IMPORTS = """
import cupy, numpy as np, pandas as pd, pytest
import cuml, cudf
from cuml import metrics
from cuml.metrics import cluster
from cuml.model_selection import KFold, StratifiedKFold, train_test_split
from cuml import preprocessing as pp
"""


def test_made_data_is_on_the_device(simulating):
    simulating("""
        X, y, centers = cuml.make_blobs(n_samples=50, n_features=3, centers=4, return_centers=True, random_state=1)
        assert type(X) is cupy.ndarray and X.dtype == y.dtype == centers.dtype == "f4" and X.flags.f_contiguous
        assert X.shape == (50, 3) and y.shape == (50,) and centers.shape == (4, 3)
        again, _ = cuml.make_blobs(n_samples=50, n_features=3, centers=4, random_state=1)
        assert (again == X).all()
        X, y = cuml.make_classification(n_samples=60, n_features=6, n_classes=3, n_informative=4, random_state=0)
        assert X.dtype == "f4" and y.dtype == "i8" and set(y.tolist()) == {0, 1, 2}
        X, y, w = cuml.make_regression(n_samples=40, n_features=5, n_targets=2, coef=True, dtype="float64", random_state=0)
        assert y.shape == (40, 2) and cupy.allclose(X @ w, y) and X.dtype == "f8"
        with pytest.raises(ValueError, match=r"Expected dtype in \\['float32', 'float64'\\], got `int32`"):
            cuml.make_regression(dtype="int32")
    """)


def test_splitting_keeps_types_rows_and_shares(simulating):
    simulating("""
        X, y = cupy.arange(40).reshape(20, 2), np.arange(20)
        frame = pd.DataFrame({"a": y}, index=y + 100)
        series = cudf.Series(np.arange(20) * 10)
        out = train_test_split(X, y, frame, series, test_size=0.25, random_state=3)
        kinds = [cupy.ndarray, cupy.ndarray, np.ndarray, np.ndarray, pd.DataFrame, pd.DataFrame, cudf.Series, cudf.Series]
        assert [type(part) for part in out] == kinds and [len(part) for part in out] == [15, 5] * 4
        assert (out[0][:, 0].get() == 2 * out[2]).all() and (out[4]["a"].to_numpy() == out[2]).all()
        assert out[6].to_pandas().tolist() == (10 * out[2]).tolist() and out[4].index.tolist() == (out[2] + 100).tolist()
        from sklearn.model_selection import train_test_split as theirs
        assert (theirs(y, test_size=0.25, random_state=3)[1] == out[3]).all()
        labels = np.repeat([0, 1], 10)
        assert train_test_split(labels, test_size=0.2, stratify=labels, random_state=0)[1].sum() == 2
        assert train_test_split(y, shuffle=False)[1].tolist() == [15, 16, 17, 18, 19]
        with pytest.raises(ValueError, match="At least one array required as input"):
            train_test_split()
        with pytest.raises(ValueError, match=r"inconsistent number of samples: \\[3, 20\\]"):
            train_test_split(y, y[:3])

        folds = list(KFold(4).split(X))
        assert type(folds[0][0]) is cupy.ndarray and cupy.concatenate([test for _, test in folds]).tolist() == list(range(20))
        assert all(int(labels[test.get()].sum()) == 5 for _, test in StratifiedKFold(2).split(X, cupy.asarray(labels)))
        with pytest.raises(ValueError, match="Expected an integral n_splits >= 2, got n_splits=1"):
            KFold(1)
        with pytest.raises(ValueError, match="n_splits=11 cannot be greater than the number of members in each class"):
            list(StratifiedKFold(11).split(X, labels))
    """)


def test_labels_as_numbers(simulating):
    simulating("""
        words = ["red", "green", "red", "blue"]
        for make in (pd.Series, cudf.Series, np.array):
            encoder = pp.LabelEncoder()
            codes = encoder.fit_transform(make(words))
            assert type(codes) is type(make(words)) and np.asarray(
                codes.to_pandas() if hasattr(codes, "to_pandas") else codes).tolist() == [2, 1, 2, 0]
            assert encoder.classes_.tolist() == ["blue", "green", "red"]
            back = encoder.inverse_transform(codes)
            assert np.asarray(back.to_pandas() if hasattr(back, "to_pandas") else back).tolist() == words
            with pytest.raises(ValueError, match=r"y contains previously unseen labels: \\['pink'\\]"):
                encoder.transform(make(["pink", "red"]))
        assert pp.LabelEncoder(handle_unknown="ignore").fit(pd.Series(words)).transform(pd.Series(["pink"])).tolist() == [-1]
        with pytest.raises(ValueError, match="handle_unknown should be either 'error' or 'ignore', got x."):
            pp.LabelEncoder(handle_unknown="x").fit(pd.Series(words))
        numbers = pp.LabelEncoder().fit_transform(cupy.array([30, 10, 30]))
        assert type(numbers) is cupy.ndarray and numbers.tolist() == [1, 0, 1]
        columns = pp.LabelBinarizer().fit_transform(cupy.array([3, 1, 2]))
        assert columns.tolist() == [[0, 0, 1], [1, 0, 0], [0, 1, 0]] and type(columns) is cupy.ndarray
    """)


def test_categories_as_columns_and_numbers(simulating):
    simulating("""
        frame = cudf.DataFrame({"c": ["x", "y", "x"], "n": [3, 3, 4]})
        encoder = pp.OneHotEncoder(sparse_output=False)
        columns = encoder.fit_transform(frame)
        assert type(columns) is cudf.DataFrame and list(columns.columns) == ["c_x", "c_y", "n_3", "n_4"]
        assert columns.to_pandas().to_numpy().tolist() == [[1, 0, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]]
        assert str(columns.dtypes.iloc[0]) == "float32"
        assert encoder.inverse_transform(columns).to_pandas().astype(str).equals(frame.to_pandas().astype(str))
        sparse = pp.OneHotEncoder().fit_transform(frame)
        assert type(sparse).__module__.startswith("cupyx") and sparse.shape == (3, 4) and sparse.nnz == 6
        with pytest.raises(KeyError, match="Found unknown categories"):
            encoder.transform(cudf.DataFrame({"c": ["z"], "n": [3]}))
        ignoring = pp.OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(frame)
        assert ignoring.transform(cudf.DataFrame({"c": ["z"], "n": [3]})).to_pandas().to_numpy().tolist() == [[0, 0, 1, 0]]
        with pytest.raises(ValueError, match="`handle_unknown` must be 'error' when the drop parameter is specified"):
            pp.OneHotEncoder(handle_unknown="ignore", drop="first").fit(frame)
        numbers = pp.OrdinalEncoder().fit_transform(cupy.array([[5.0], [1.0], [5.0]]))
        assert type(numbers) is cupy.ndarray and numbers.ravel().tolist() == [1, 0, 1]
    """)


def test_the_target_of_a_sample_does_not_encode_itself(simulating):
    simulating("""
        keys, target = pd.Series(["a", "a", "b", "b", "a", "b"]), pd.Series([1.0, 2, 3, 4, 6, 8])
        encoder = pp.TargetEncoder(n_folds=2)  # interleaved: rows 0, 2, 4 and 1, 3, 5
        encoded = np.asarray(encoder.fit_transform(keys, target)).ravel()
        assert encoded.tolist() == [2, 3.5, 6, 3, 2, 3], encoded
        assert np.asarray(encoder.transform(pd.Series(["a", "b", "new"]))).ravel().tolist() == [3, 5, 4]
    """)


def test_scalers_know_nan_and_sparse_data(simulating):
    simulating("""
        x = cupy.array([[1.0, 10.0], [3.0, cupy.nan], [5.0, 30.0]])
        scaled = pp.MinMaxScaler().fit_transform(x)
        assert scaled[:, 0].tolist() == [0, 0.5, 1] and bool(cupy.isnan(scaled[1, 1]))
        assert pp.SimpleImputer(strategy="mean").fit_transform(x)[1, 1] == 20
        scaler = pp.StandardScaler().fit(x[:, :1])
        assert type(scaler.mean_) is cupy.ndarray and scaler.mean_.tolist() == [3.0]
        assert cupy.allclose(scaler.inverse_transform(scaler.transform(x[:, :1])), x[:, :1])
        assert type(pp.normalize(np.ones((2, 2)))) is np.ndarray
        binned = pp.KBinsDiscretizer(2, encode="ordinal", strategy="uniform").fit_transform(x[:, :1])
        assert binned.ravel().tolist() == [0, 1, 1]
        import cupyx.scipy.sparse as sparse
        assert type(pp.MaxAbsScaler().fit_transform(sparse.csr_matrix(cupy.eye(3) * 4))).__module__.startswith("cupyx")
        with pytest.raises(TypeError, match="Sparse data was passed"):
            pp.MinMaxScaler().fit(sparse.csr_matrix(cupy.eye(3)))
    """)


def test_metrics_are_plain_numbers_and_device_arrays(simulating):
    simulating("""
        truth, guess = cupy.array([0, 1, 1, 0]), cupy.array([0, 1, 0, 0])
        assert metrics.accuracy_score(truth, guess) == 0.75 and type(metrics.accuracy_score(truth, guess)) is float
        assert metrics.accuracy_score(cudf.Series([0, 1]), cudf.Series([1, 1]), normalize=False) == 1.0
        matrix = metrics.confusion_matrix(truth, guess)
        assert type(matrix) is cupy.ndarray and matrix.tolist() == [[2, 0], [1, 1]]
        assert metrics.roc_auc_score(truth, cupy.array([0.1, 0.9, 0.4, 0.2])) == 1.0
        assert abs(metrics.log_loss(truth, cupy.array([0.5] * 4)) - np.log(2)) < 1e-6
        a, b = cupy.array([1.0, 2.0, 4.0]), cupy.array([1.0, 3.0, 2.0])
        assert metrics.mean_squared_error(a, b) == 5 / 3 and metrics.mean_absolute_error(a, b) == 1.0
        assert metrics.mean_squared_error(a, b, squared=False) == (5 / 3) ** 0.5
        assert abs(metrics.r2_score(a, a) - 1) < 1e-12
        assert metrics.median_absolute_error(a, b) == 1.0
        d = metrics.pairwise_distances(a[:, None], b[:, None], metric="l1")
        assert type(d) is cupy.ndarray and d.tolist() == [[0, 2, 1], [1, 1, 0], [3, 1, 2]]
        with pytest.raises(ValueError, match="Unknown metric"):
            metrics.pairwise_distances(a[:, None], metric="far")
        assert abs(cluster.entropy(cupy.array([0, 0, 1, 1])) - np.log(2)) < 1e-9
        assert cluster.silhouette_score(cupy.array([[0.0], [0.1], [9.0], [9.1]]), cupy.array([0, 0, 1, 1])) > 0.9
        assert metrics.pairwise_kernels(a[:, None], metric="linear").tolist() == [[1, 2, 4], [2, 4, 8], [4, 8, 16]]
    """)


def test_texts(simulating):
    simulating("""
        from cuml.feature_extraction.text import CountVectorizer, TfidfVectorizer
        texts = cudf.Series(["the cat sat", "the dog"])
        counts = CountVectorizer()
        matrix = counts.fit_transform(texts)
        assert type(matrix).__module__.startswith("cupyx") and matrix.dtype == "f4"
        assert matrix.toarray().tolist() == [[1, 0, 1, 1], [0, 1, 0, 1]]
        assert counts.get_feature_names_out().tolist() == ["cat", "dog", "sat", "the"]
        weights = TfidfVectorizer().fit_transform(texts)
        assert cupy.allclose((weights.toarray() ** 2).sum(axis=1), 1.0)
        with pytest.raises(TypeError):
            CountVectorizer().fit("one text")
    """)


@pytest.mark.parametrize(
    "estimator", ["KMeans(n_clusters=2, random_state=0)", "RandomForestClassifier(n_estimators=3)"]
)
def test_cudf_in_cudf_out(simulating, estimator):
    simulating(f"""
        frame = cudf.DataFrame({{"a": [1.0, 2, 3, 9, 10, 11], "b": [1.0, 1.5, 1.2, 8, 8.5, 8.2]}})
        frame.index = cudf.Index([5, 6, 7, 8, 9, 10])
        model = cuml.{estimator}
        model = model.fit(frame, cudf.Series([0, 0, 0, 1, 1, 1])) if "Forest" in {estimator!r} else model.fit(frame)
        found = model.predict(frame)
        assert type(found) is cudf.Series and found.index.to_pandas().tolist() == [5, 6, 7, 8, 9, 10]
        labels = found.to_pandas().tolist()
        assert len(set(labels[:3])) == len(set(labels[3:])) == 1 and labels[0] != labels[3]
        assert list(model.feature_names_in_) == ["a", "b"]
    """)


def test_classes_are_shifted_and_scaled_by_arrays_on_the_device(simulating):
    """As cuML, which adds them to the samples; a public notebook does so."""
    simulating("""
        options = {"n_features": 4, "random_state": 3, "shuffle": False}  # which would move the columns
        plain, _ = cuml.make_classification(**options)
        moved, _ = cuml.make_classification(shift=cupy.arange(4.0), scale=cupy.full(4, 2.0), **options)
        assert cupy.allclose(moved, (plain + cupy.arange(4.0)) * 2, atol=1e-5)
    """)
