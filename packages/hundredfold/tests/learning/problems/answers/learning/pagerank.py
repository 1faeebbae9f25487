"""``learning.pagerank``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from hundredfold.learning.problems.learning.pagerank import pagerank

from ..edits import Wrong


def _starter(links, steps):
    import cupy as cp

    n = links.shape[0]
    follow = links.toarray()
    out = follow.sum(axis=1, keepdims=True)
    follow = cp.where(out > 0, follow / cp.where(out > 0, out, 1), 1 / n)
    x = cp.full(n, 1 / n)
    for _ in range(steps):
        x = 0.15 / n + 0.85 * (follow.T @ x)
    return x


def _transposed_once(links, steps):
    import cupy as cp

    n = links.shape[0]
    out = cp.asarray(links.sum(axis=1)).ravel()
    stuck = out == 0
    arrive = links.T.tocsr()
    scale = 1 / cp.where(stuck, 1, out)
    x = cp.full(n, 1 / n)
    for _ in range(steps):
        x = arrive @ (x * scale) * 0.85 + (0.85 * (x * stuck).sum() + 0.15) / n
    return x


def _scaled_links(links, steps):
    import cupy as cp
    from cupyx.scipy.sparse import csr_matrix

    n = links.shape[0]
    out = cp.asarray(links.sum(axis=1)).ravel()
    stuck = (out == 0).astype(float)
    arrive = links.T.tocsr()
    arrive = csr_matrix((0.85 * arrive.data / out[arrive.indices], arrive.indices, arrive.indptr), shape=(n, n))
    x = cp.full(n, 1 / n)
    for _ in range(steps):
        x = arrive @ x + (0.15 + 0.85 * (stuck @ x)) / n
    return x


def _generic(change):
    """A walk with one thing changed, for the known mistakes."""

    def walk(links, steps):
        import cupy as cp

        n = links.shape[0]
        told = {"follow": 0.85, "out": cp.asarray(links.sum(axis=1)).ravel(), "arrive": links.T.tocsr(), "stuck": True}
        told |= {"start": 1 / max(n, 1), "jump": 1 / max(n, 1), "steps": steps}
        told |= change(cp, links, steps)
        scale = 1 / cp.where(told["out"] == 0, 1, told["out"])
        stuck = cp.asarray(links.sum(axis=1)).ravel() == 0
        x = cp.full(n, told["start"])
        for _ in range(told["steps"]):
            lost = told["follow"] * (x * stuck).sum() / n if told["stuck"] else 0
            x = told["follow"] * (told["arrive"] @ (x * scale)) + lost + (1 - told["follow"]) * told["jump"]
        return x

    return walk


_losing = _generic(lambda cp, links, steps: {"stuck": False})


_backwards = _generic(lambda cp, links, steps: {"arrive": links, "out": cp.asarray(links.sum(axis=0)).ravel()})


_exchanged = _generic(lambda cp, links, steps: {"follow": 0.15})


_jumps_to_each = _generic(lambda cp, links, steps: {"jump": 1.0})


_from_ones = _generic(lambda cp, links, steps: {"start": 1.0})


_one_less = _generic(lambda cp, links, steps: {"steps": steps - 1})


_not_divided = _generic(lambda cp, links, steps: {"out": cp.ones(links.shape[0])})


def _unweighted(links, steps):
    ones = links.copy()
    ones.data[:] = 1
    return _transposed_once(ones, steps)


def _one_more(links, steps):
    return _transposed_once(links, steps + 1)


def _single(links, steps):
    return _transposed_once(links.astype("float32"), steps).astype("float32")


def _by_scipy(links, steps):
    import cupy as cp

    return cp.asarray(pagerank(links.get(), steps))


def _on_the_host(links, steps):
    return _transposed_once(links, steps).get()


def _transposed_each_step(links, steps):
    import cupy as cp

    n = links.shape[0]
    x = cp.full(n, 1 / n)
    for _ in range(steps):
        out = cp.asarray(links.sum(axis=1)).ravel()
        stuck = out == 0
        x = links.T.tocsr() @ (x / cp.where(stuck, 1, out)) * 0.85 + (0.85 * (x * stuck).sum() + 0.15) / n
    return x


def _in_place(links, steps):
    got = _transposed_once(links, steps)
    links.data *= 2
    return got


def _ranks(links, steps):
    return _transposed_once(links, steps).argsort()


WRONG = {
    "dense": Wrong(_starter, "traffic"),
    "each step": Wrong(_transposed_each_step, "traffic"),
    "dangling": Wrong(_losing, "dangling"),
    "backwards": Wrong(_backwards, "transposed"),
    "exchanged": Wrong(_exchanged, "operands"),
    "teleport": Wrong(_jumps_to_each, "teleport"),
    "from ones": Wrong(_from_ones, "teleport"),
    "one less": Wrong(_one_less, "recurrence"),
    "one more": Wrong(_one_more, "recurrence"),
    "not divided": Wrong(_not_divided, "value"),
    "unweighted": Wrong(_unweighted, "weights"),
    "float32": Wrong(_single, "dtype"),
    "host": Wrong(_on_the_host, "host"),
    "transfer": Wrong(_by_scipy, "transfer"),
    "aliasing": Wrong(_in_place, "aliasing"),
    "order": Wrong(_ranks, "dtype"),
}
RIGHT = {"transposed once": _transposed_once, "with scaled links": _scaled_links}
