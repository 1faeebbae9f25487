"""Unit 09: answers that the problems do not know, written differently from those they do.

One more wrong answer of each kind, which must be refused for the same reason, and more right ones, which must be
accepted. They are code as learners write it, in the style of a notebook cell.
"""

from decimal import Decimal
from itertools import permutations

import answers
import numpy as np
import pytest
import scipy.sparse
from answers.second import Answers
from sklearn.model_selection import RandomizedSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline

from hundredfold.learning import problems
from hundredfold.learning.problems.devices import cp
from hundredfold.learning.problems.learning import cost, leak, pagerank, same, worth

SECOND = Answers("learning")
wrong, right = SECOND.wrong, SECOND.right

pytestmark = pytest.mark.usefixtures("device")


# ---- learning.same ----


@wrong("learning.same", "names")
def after_sorting_out_the_names(a, b):
    return not (cp.unique(a, return_inverse=True)[1] != cp.unique(b, return_inverse=True)[1]).any()


@wrong("learning.same", "count")
def as_many_names(a, b):
    return bool(cp.unique(a).size == cp.unique(b).size)


@wrong("learning.same", "sizes")
def bincounts(a, b):
    def counted(labels):
        return sorted(cp.bincount(cp.unique(labels, return_inverse=True)[1]).tolist()) if labels.size else []

    return counted(a) == counted(b)


@wrong("learning.same", "merged")
def one_name_of_b_for_each_of_a(a, b):
    return all(len(cp.unique(b[a == name])) == 1 for name in cp.unique(a).tolist())


@wrong("learning.same", "split")
def one_name_of_a_for_each_of_b(a, b):
    return all(len(cp.unique(a[b == name])) == 1 for name in cp.unique(b).tolist())


@wrong("learning.same", "tolerance")
def rand_index_near_one(a, b):
    from sklearn.metrics import adjusted_rand_score

    _, a = cp.unique(a, return_inverse=True)
    _, b = cp.unique(b, return_inverse=True)
    return bool(adjusted_rand_score(a.astype("i1").get(), b.astype("i1").get()) > 0.99) if a.size > 1 else True


@wrong("learning.same", "value")
def neighbours_in_the_array(a, b):
    return bool(((a[1:] == a[:-1]) == (b[1:] == b[:-1])).all())


@wrong("learning.same", "exception")
def by_a_table_of_names(a, b):
    if a.size == 0:
        return True
    table = cp.zeros((int(a.max()) + 1, int(b.max()) + 1), dtype=bool)
    table[a, b] = True
    names = len(cp.unique(a)), len(cp.unique(b))
    assert a.min() >= 0, "names are numbers from 0"
    return int(table.sum()) == names[0] == names[1]


@wrong("learning.same", "device")
def all_on_the_device(a, b):
    def firsts(labels):
        _, first, where = cp.unique(labels, return_index=True, return_inverse=True)
        return first[where]

    return (firsts(a) == firsts(b)).all()


@wrong("learning.same", "type")
def as_a_number(a, b):
    names_a, a = cp.unique(a, return_inverse=True)
    names_b, b = cp.unique(b, return_inverse=True)
    return int(len(cp.unique(a * len(names_b) + b)) == len(names_a) == len(names_b))


@wrong("learning.same", "transfer")
def in_python(a, b):
    to_b, to_a = {}, {}
    return all(
        to_b.setdefault(x, y) == y and to_a.setdefault(y, x) == x for x, y in zip(a.tolist(), b.tolist(), strict=True)
    )


@wrong("learning.same", "aliasing")
def sorts_the_callers_labels(a, b):
    order = cp.argsort(a, kind="stable")
    a[:], b[:] = a[order], b[order]
    names_a, x = cp.unique(a, return_inverse=True)
    names_b, y = cp.unique(b, return_inverse=True)
    return len(cp.unique(x * len(names_b) + y)) == len(names_a) == len(names_b)


@right("learning.same")
def both_ways_by_sorting(a, b):
    def follows(x, y):
        order = cp.lexsort(cp.stack([y, x]))
        x, y = x[order], y[order]
        return not bool(((x[1:] == x[:-1]) & (y[1:] != y[:-1])).any())

    return follows(a, b) and follows(b, a)


@right("learning.same")
def sparse_table(a, b):
    from cupyx.scipy.sparse import coo_matrix

    if a.size == 0:
        return True
    names_a, a = cp.unique(a, return_inverse=True)
    names_b, b = cp.unique(b, return_inverse=True)
    ones = cp.ones(a.size, dtype="float32")
    return coo_matrix((ones, (a, b)), shape=(len(names_a), len(names_b))).tocsr().nnz == len(names_a) == len(names_b)


def test_the_specification_is_what_renaming_means():
    """By the definition itself: try all renamings of up to four groups."""
    rng = np.random.default_rng(3)
    for _ in range(60):
        a, b = rng.integers(0, 3, 5), rng.integers(0, 3, 5)
        names = sorted(set(a.tolist()))
        found = len(names) == len(set(b.tolist())) and any(
            all(dict(zip(names, to, strict=True))[x] == y for x, y in zip(a.tolist(), b.tolist(), strict=True))
            for to in permutations(sorted(set(b.tolist())))
        )
        assert same.same_clusters(a, b) is found
    assert same.same_clusters(same.groups(60, 5), same.renamed(same.groups(60, 5)))


# ---- learning.cost ----

N, R, L, C = float(cost.NBYTES), cost.READING, cost.LAUNCHING, cost.CROSSING
PREDICTIONS = [
    ("refit", (Decimal(100), N, R, L, C)),
    ("refit", (np.int64(20), N, R, L, C)),
    ("indices", (101, 48_000_000, R, L, C)),
    ("indices", (101, 96_000_000, R, L, C)),
    ("item-size", (101, 144.8e6, R, L, C)),
    ("dense", (101, 200_000 * 262_144 * 4, R, L, C)),
    ("once", (101, N, 0.1018, L, C)),
    ("once", (101, N, 0.00202, L, C)),
    ("kernels", (101, N, R, 0.02525, C)),
    ("crossing", (101, N, R, L, 0.3232)),
    ("crossing", (101, N, R, L, 0.00387)),
    ("unit", (101, 96.8, R, L, C)),
    ("unit", (101, N, 203.7, L, C)),
    ("unit", (101, N, R, L, 3.2)),
    ("value", (150, N, R, L, C)),
    ("type", (101, "96.8 MB", R, L, C)),
]


@pytest.mark.large
@pytest.mark.counted("other wrong answers refused")
@pytest.mark.parametrize(("reason", "answers"), PREDICTIONS)
def test_another_wrong_prediction_is_refused_for_its_reason(reason, answers):
    verdict = problems.judge("learning.cost", *answers)
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


@pytest.mark.parametrize(
    "answers", [(101, 96_800_004, 0.2, 0.25, 3.2e-3), (Decimal(101), np.float32(96.8e6), 0.21, 0.2525, 0.0032)]
)
def test_another_right_prediction_is_accepted(answers):
    assert problems.judge("learning.cost", *answers).right


@pytest.mark.parametrize("answer", [19, "19 MB", -1])
@pytest.mark.parametrize("position", range(5))
def test_the_hint_is_about_the_number_that_is_wrong(position, answer):
    answers = [101, N, R, L, C]
    answers[position] = answer
    verdict = problems.judge("learning.cost", *answers)
    assert verdict.outcome == "wrong" and verdict.advice.startswith(f"`{cost.COST.answers[position]}`")


def test_a_search_fits_and_a_matrix_weighs_what_is_asked_for():
    """Counted: a search of 4 candidates on 3 folds, and a matrix of the promised kind, a thousandth in size."""
    from sklearn.dummy import DummyClassifier

    fitted = []

    class Counting(DummyClassifier):
        def fit(self, X, y):
            fitted.append(len(y))
            return super().fit(X, y)

    search = RandomizedSearchCV(Counting(), {"constant": [0, 1, 2, 3]}, n_iter=4, cv=3)
    search.fit(np.zeros((30, 1)), np.arange(30) % 2)
    assert len(fitted) == 4 * 3 + 1 and cost.FITS == cost.CANDIDATES * cost.FOLDS + 1
    rows = np.repeat(np.arange(200), cost.WORDS)
    columns = np.tile(np.arange(cost.WORDS), 200)
    matrix = scipy.sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), shape=(200, cost.COLUMNS))
    weight = matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes
    assert weight * 1000 == pytest.approx(cost.NBYTES, rel=1e-4)


# ---- learning.leak ----


def by_hand(X, y, folds, *, scale_by=None, choose_by=None, learn_from=None):
    """Each fold by hand; what is not said is taken from its training rows."""
    from cuml.linear_model import LogisticRegression

    everything = np.arange(len(y))
    got = np.zeros(len(y), dtype=np.int64)
    for train, test in folds:
        rows = {None: train, "all": everything, "test": test}
        mean, std = X[rows[scale_by]].mean(axis=0), X[rows[scale_by]].std(axis=0)
        scaled = (X - mean) / np.where(std > 0, std, 1)
        chosen_by = rows[choose_by]
        zeros, ones = (scaled[chosen_by[y[chosen_by] == k]].mean(axis=0) for k in (0, 1))
        kept = np.abs(ones - zeros).argsort()[::-1][:5]
        learned = rows[learn_from]
        got[test] = LogisticRegression().fit(scaled[learned][:, kept], y[learned]).predict(scaled[test][:, kept])
    return got


@wrong("learning.leak", "leak")
def chooses_in_the_loop_by_all_labels(X, y, folds):
    return by_hand(X, y, folds, choose_by="all")


@wrong("learning.leak", "leak")
def learns_from_all_rows(X, y, folds):
    return by_hand(X, y, folds, learn_from="all")


@wrong("learning.leak", "statistics")
def scales_by_all_rows(X, y, folds):
    return by_hand(X, y, folds, scale_by="all")


@wrong("learning.leak", "statistics")
def ranks_over_all_rows(X, y, folds):
    """Ranks need every row: a leak without a mean or a scale."""
    ranks = X.argsort(axis=0).argsort(axis=0).astype(np.float32)
    return by_hand(ranks, y, folds)


@wrong("learning.leak", "value")
def keeps_half_of_the_columns(X, y, folds):
    from cuml.linear_model import LogisticRegression

    got = np.zeros(len(y), dtype=int)
    for train, test in folds:
        far = X.shape[1] // 2
        got[test] = LogisticRegression().fit(X[train][:, far:], y[train]).predict(X[test][:, far:])
    return got


@wrong("learning.leak", "order")
def joined(X, y, folds):
    got = by_hand(X, y, folds)
    return np.hstack([got[test] for train, test in folds])


@wrong("learning.leak", "sign")
def wrong_way_round(X, y, folds):
    return (by_hand(X, y, folds) == 0).astype(int)


@wrong("learning.leak", "device")
def sent_to_the_device(X, y, folds):
    return cp.array(by_hand(X, y, folds), dtype="int8")


@wrong("learning.leak", "shape")
def a_column(X, y, folds):
    return by_hand(X, y, folds)[:, None]


@wrong("learning.leak", "type")
def probabilities(X, y, folds):
    return by_hand(X, y, folds) * 0.8 + 0.1


@wrong("learning.leak", "aliasing")
def turns_the_labels(X, y, folds):
    got = by_hand(X, y, folds)
    y[:] = got
    return got


@right("learning.leak")
def by_hand_without_a_scaler(X, y, folds):
    return by_hand(X, y, folds).astype(bool)


@right("learning.leak")
def another_type_and_order_before(X, y, folds):
    """What learns nothing may stand before the loop."""
    return by_hand(np.asfortranarray(X, dtype=np.float64), y, folds)


@right("learning.leak")
def a_pipeline_of_scikit_learn(X, y, folds):
    from sklearn.feature_selection import SelectKBest
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    steps = make_pipeline(StandardScaler(), SelectKBest(k=5), LogisticRegression())
    return cross_val_predict(steps, X, y, cv=folds)


def test_the_score_as_given_is_too_good_and_the_repaired_one_is_not(device):
    """What the exercise's text promises of the coins."""
    X, y, folds = leak.LEAK.judge.coins.host()
    given = (answers.wrong(leak.LEAK)["as given"].answer(X.copy(), y, folds) == y).mean()
    assert 0.72 < given < 0.95
    assert 0.3 < (leak.held_out(X, y, folds) == y).mean() < 0.7


# ---- learning.worth ----

JOBS = list(worth.JOBS)
DECISIONS = [
    ("always-gpu", "gpu gpu gpu gpu gpu gpu"),
    ("always-cpu", "cpu cpu cpu cpu cpu cpu"),
    ("residency", "cpu cpu gpu gpu cpu gpu"),
    ("launch", "gpu gpu gpu cpu gpu cpu"),
    ("arithmetic", "gpu cpu cpu cpu gpu gpu"),
    ("transfer", "gpu cpu gpu gpu gpu gpu"),
    ("crossing", "gpu cpu gpu cpu gpu cpu"),
    ("once", "gpu cpu gpu cpu cpu cpu"),
    ("labels", "gpu cpu gpu cpu cpu both"),
]


@pytest.mark.large
@pytest.mark.counted("other wrong answers refused")
@pytest.mark.parametrize(("reason", "labels"), DECISIONS)
def test_another_wrong_decision_is_refused_for_its_reason(reason, labels):
    verdict = problems.judge("learning.worth", dict(zip(JOBS, labels.split(), strict=True)))
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


@pytest.mark.parametrize(("label", "job", "seconds"), [("gpu", "scale", "320 ms"), ("cpu", "clusters", "160 ms")])
def test_one_label_for_everything_is_answered_with_a_job_and_its_seconds(label, job, seconds):
    why = problems.judge("learning.worth", dict.fromkeys(JOBS, label)).why
    assert f'"{job}"' in why and seconds in why, why


@pytest.mark.parametrize(("reason", "decisions"), [("type", "gpu"), ("labels", {}), ("labels", dict.fromkeys(JOBS, 1))])
def test_what_is_no_dict_of_decisions_is_refused(reason, decisions):
    verdict = problems.judge("learning.worth", decisions)
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


def test_another_right_set_of_decisions_is_accepted():
    right = dict(zip(JOBS, ("GPU", "cpu ", "Gpu", "CPU", "cpu", "gpu"), strict=True))
    assert problems.judge("learning.worth", dict(reversed(right.items()))).right


def test_each_decision_is_clear():
    for key, job in worth.JOBS.items():
        fast, slow = sorted((job.times["cpu"], job.times["gpu"]))
        assert slow > 1.5 * fast, f"{key} is clear by more than any rounding of the figures"
    assert sorted(worth.WORTH.judge.right.values()) == ["cpu"] * 3 + ["gpu"] * 3


# ---- learning.pagerank ----


def step_by_step(links, steps, **told):
    """A walk on the device, with one thing told otherwise."""
    n = links.shape[0]
    out = cp.asarray(links.sum(axis=1)).ravel()
    there = told.get("there", links.T.tocsr())
    follow, begin = told.get("follow", 0.85), told.get("begin", 1.0 / n)
    jump = told.get("jump", (1 - follow) / n)
    x = cp.zeros(n) + begin
    for _ in range(steps):
        spread = cp.where(out > 0, x / cp.maximum(out, 1e-300), 0)
        new = follow * there.dot(spread) + jump
        if told.get("stuck", True):
            new += follow * cp.dot(x, (out == 0).astype(x.dtype)) / n
        x = new
    return x


@wrong("learning.pagerank", "dangling")
def loses_the_stuck(links, steps):
    return step_by_step(links, steps, stuck=False)


@wrong("learning.pagerank", "transposed")
def against_the_links(links, steps):
    turned = links.T.tocsr()
    n = links.shape[0]
    into = cp.asarray(turned.sum(axis=1)).ravel()
    stuck = cp.asarray(links.sum(axis=1)).ravel() == 0
    x = cp.full(n, 1 / n)
    for _ in range(steps):
        x = 0.85 * (links @ (x / cp.where(into == 0, 1, into)) + x[stuck].sum() / n) + 0.15 / n
    return x


@wrong("learning.pagerank", "operands")
def follows_seldom(links, steps):
    return step_by_step(links, steps, follow=1 - 0.85)


@wrong("learning.pagerank", "teleport")
def jumps_to_everyone_at_once(links, steps):
    return step_by_step(links, steps, jump=0.15)


@wrong("learning.pagerank", "teleport")
def one_walker_at_each_node(links, steps):
    return step_by_step(links, steps, begin=1.0)


@wrong("learning.pagerank", "recurrence")
def one_step_too_few(links, steps):
    return step_by_step(links, max(0, steps - 1))


@wrong("learning.pagerank", "weights")
def each_link_once(links, steps):
    from cupyx.scipy.sparse import csr_matrix

    plain = csr_matrix((cp.ones_like(links.data), links.indices, links.indptr), shape=links.shape)
    return step_by_step(plain, steps)


@wrong("learning.pagerank", "value")
def renamed_frequencies(links, steps):
    return step_by_step(links * 2.0, steps) ** 2


@wrong("learning.pagerank", "dtype")
def float32_links(links, steps):
    return step_by_step(links.astype(cp.float32), steps).astype(cp.float32)


@wrong("learning.pagerank", "host")
def fetched_at_the_end(links, steps):
    return cp.asnumpy(step_by_step(links, steps))


@wrong("learning.pagerank", "transfer")
def scipy_in_the_middle(links, steps):
    host = links.get()
    return cp.array(pagerank.pagerank(host, steps))


@wrong("learning.pagerank", "traffic")
def transposes_in_the_loop(links, steps):
    n = links.shape[0]
    out = cp.asarray(links.sum(axis=1)).ravel()
    x = cp.full(n, 1 / n)
    for _ in range(steps):
        stuck = (x * (out == 0)).sum()
        x = 0.85 * (links.T.tocsr() @ cp.where(out > 0, x / cp.where(out > 0, out, 1), 0) + stuck / n) + 0.15 / n
    return x


@wrong("learning.pagerank", "aliasing")
def scales_the_callers_links(links, steps):
    got = step_by_step(links, steps)
    links.data[...] = 0.85 * links.data
    return got


@right("learning.pagerank")
def with_zeros_where_nothing_leaves(links, steps):
    return step_by_step(links, steps)


@right("learning.pagerank")
def the_lectures_walk(links, steps):
    """With which the exercise says that one may begin."""
    n = links.shape[0]
    out = cp.asarray(links.sum(axis=1)).ravel()
    stuck = out == 0
    arrive = links.T.tocsr()
    x = cp.full(n, 1 / n)
    for _ in range(steps):
        lost = (x * stuck).sum()
        x = 0.85 * (arrive @ (x / cp.where(stuck, 1, out)) + lost / n) + (1 - 0.85) / n
    return x


@right("learning.pagerank")
def columns_of_a_diagonal(links, steps):
    from cupyx.scipy.sparse import diags

    n = links.shape[0]
    out = cp.asarray(links.sum(axis=1)).ravel()
    stuck = cp.where(out == 0, 1.0, 0.0)
    moves = (diags(cp.where(out == 0, 0, 0.85 / cp.where(out == 0, 1, out))) @ links).T.tocsr()
    x = cp.full(n, 1 / n)
    for _ in range(steps):
        x = moves @ x + (0.85 * cp.vdot(stuck, x) + 0.15) / n
    return x


def test_the_specification_is_the_equations_solution():
    """After many steps nothing changes any more: checked against a system of linear equations."""
    links = pagerank.network(101, 700, seed=4, stuck=9)
    A, n = links.toarray(), 101
    out = A.sum(axis=1, keepdims=True)
    P = np.divide(A, out, out=np.full_like(A, 1 / n), where=out > 0)
    solved = np.linalg.solve(np.eye(n) - 0.85 * P.T, np.full(n, 0.15 / n))
    np.testing.assert_allclose(pagerank.pagerank(links, 150), solved, rtol=1e-9)


def test_how_near_to_the_limit_is_said(simulated):
    """The better of the two known answers is nearer; both numbers are counted by the engine."""
    near = [problems.judge("learning.pagerank", answer).near for answer in answers.right(pagerank.PAGERANK).values()]
    shares = [int(said.partition(": ")[2].partition(" %")[0]) for said in near]
    assert all(50 <= share <= 100 for share in shares) and shares[1] > shares[0]


# ---- the functions ----


test_another_wrong_answer_is_refused_for_its_reason, test_another_right_answer_is_accepted = SECOND.tests()


def test_every_reason_a_problem_knows_has_a_second_answer_here():
    SECOND.also("learning.cost", *(reason for reason, _ in PREDICTIONS))
    SECOND.also("learning.worth", "type", *(reason for reason, _ in DECISIONS))
    assert not SECOND.absent()


@pytest.mark.parametrize(
    "pair",
    [
        lambda a, b: 31 * a + b,
        lambda a, b: 1_000_000 * a.astype("int64") + b,
        lambda a, b: a ^ b,
        lambda a, b: a * (b.max() + 1) + b,
        lambda a, b: a.astype("float32") + 1j * b.astype("float32"),
        lambda a, b: a.astype("float64") + 1j * b.astype("float64"),
    ],
    ids=["31 a + b", "a million a + b", "exclusive or", "names multiplied", "complex64", "complex128"],
)
def test_arithmetic_with_names_is_not_safe(device, pair):
    def same(a, b):
        if a.size == 0:
            return True
        return len(device.unique(pair(a, b))) == len(device.unique(a)) == len(device.unique(b))

    verdict = problems.judge("learning.same", same)
    assert verdict.outcome == "wrong"


def test_rows_in_no_folds_train_may_not_be_learned_of_and_models_are_told_apart(device):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.feature_selection import SelectKBest
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    def with_model(model, k=5, train=lambda train, test, n: train):
        def held_out(X, y, folds):
            pipeline = make_pipeline(StandardScaler(), SelectKBest(k=k), model)
            return cross_val_predict(pipeline, X, y, cv=[(train(a, b, len(y)), b) for a, b in folds])

        return problems.judge("learning.leak", held_out)

    assert with_model(LogisticRegression()).right
    assert with_model(LinearDiscriminantAnalysis()).reason == "value"
    assert with_model(LogisticRegression(), k=4).reason == "value"
    everybody_else = with_model(LogisticRegression(), train=lambda train, test, n: np.setdiff1d(np.arange(n), test))
    assert everybody_else.reason == "leak" and "outside of `train`" in everybody_else.why
