"""``clusters.search``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from typing import Any

from hundredfold.learning.problems.clusters.search import Node

from ..edits import Wrong


def _everything(client: Any, expand: Any, root: Node) -> float:
    from distributed import as_completed

    best, pending = float("inf"), as_completed([client.submit(expand, root)])
    for future in pending:
        cost, children = future.result()
        best = min(best, cost)
        for _, child in children:
            pending.add(client.submit(expand, child))
    return best


def _by_generation(client: Any, expand: Any, root: Node) -> float:
    best, boxes = float("inf"), [root]
    while boxes:
        opened = client.gather(client.map(expand, boxes))
        best = min([best, *(cost for cost, _ in opened)])
        boxes = [child for _, children in opened for bound, child in children if bound < best]
    return best


def _greedy(client: Any, expand: Any, root: Node) -> float:
    from distributed import as_completed

    best, pending = float("inf"), as_completed([client.submit(expand, root)])
    for future in pending:
        cost, children = future.result()
        best = min(best, cost)
        if children:
            pending.add(client.submit(expand, min(children)[1]))
    return best


def _too_early(client: Any, expand: Any, root: Node) -> float:
    from distributed import as_completed

    best, pending = float("inf"), as_completed([client.submit(expand, root)])
    for future in pending:
        cost, children = future.result()
        best = min(best, cost)
        for bound, child in children:
            if bound < best - 1e-3:
                pending.add(client.submit(expand, child))
    return best


def _best_two(client: Any, expand: Any, root: Node) -> float:
    from distributed import as_completed

    best, pending = float("inf"), as_completed([client.submit(expand, root)])
    for future in pending:
        cost, children = future.result()
        best = min(best, cost)
        for bound, child in sorted(children)[:2]:
            if bound < best:
                pending.add(client.submit(expand, child))
    return best


def _one_at_a_time(client: Any, expand: Any, root: Node) -> float:
    import heapq

    best, boxes = float("inf"), [(0.0, root)]
    while boxes:
        bound, box = heapq.heappop(boxes)
        if bound < best:
            cost, children = client.submit(expand, box).result()
            best = min(best, cost)
            for child in children:
                heapq.heappush(boxes, child)
    return best


def _in_the_notebook(client: Any, expand: Any, root: Node) -> float:
    best, boxes = float("inf"), [(0.0, root)]
    while boxes:
        bound, box = boxes.pop()
        if bound < best:
            cost, children = expand(box)
            best = min(best, cost)
            boxes += sorted(children, reverse=True)
    return best


def _bounds(client: Any, expand: Any, root: Node) -> float:
    from distributed import as_completed

    best, pending = float("inf"), as_completed([client.submit(expand, root)])
    for future in pending:
        cost, children = future.result()
        best = min([best, cost, *(bound for bound, _ in children)])
        for bound, child in children:
            if bound < best:
                pending.add(client.submit(expand, child))
    return best


def _promise(client: Any, expand: Any, root: Node) -> Any:
    return client.submit(expand, root)


def _follow(client: Any, expand: Any, root: Node) -> float:
    from distributed import as_completed

    best, pending = float("inf"), as_completed([client.submit(expand, root)])
    for future in pending:
        cost, children = future.result()
        best = min(best, cost)
        for bound, child in children:
            if bound < best:
                pending.add(client.submit(expand, child))
    return best


def _best_first(client: Any, expand: Any, root: Node) -> float:
    """A few at a time, the most promising boxes first."""
    import heapq

    from distributed import as_completed

    best, boxes, running, pending = float("inf"), [(0.0, root)], 0, as_completed()
    while boxes or running:
        while boxes and running < 4:
            bound, box = heapq.heappop(boxes)
            if bound < best:
                pending.add(client.submit(expand, box))
                running += 1
        if running:
            cost, children = next(pending).result()
            running -= 1
            best = min(best, cost)
            for child in children:
                heapq.heappush(boxes, child)
    return best


def _in_batches(client: Any, expand: Any, root: Node) -> float:
    """The parts of a box whose bounds allow it, as one `map`; each of them is followed when it is there."""
    from distributed import as_completed

    best, pending = float("inf"), as_completed(client.map(expand, [root]), with_results=True)
    for _, (cost, children) in pending:
        best = min(best, cost)
        pending.update(client.map(expand, [box for bound, box in sorted(children) if bound < best]))
    return best


def _a_hundred(client: Any, expand: Any, root: Node) -> float:
    from distributed import as_completed

    best, pending, opened = float("inf"), as_completed([client.submit(expand, root)]), 0
    for future in pending:
        cost, children = future.result()
        best, opened = min(best, cost), opened + 1
        for bound, child in children:
            if bound < best and opened + pending.count() < 100:
                pending.add(client.submit(expand, child))
    return best


def _two_at_a_time(client: Any, expand: Any, root: Node) -> float:
    """No more than two boxes are open, the most promising ones."""
    import heapq

    from distributed import wait

    best, boxes, running = float("inf"), [(float("-inf"), root)], set()
    while boxes or running:
        while boxes and len(running) < 2:
            bound, box = heapq.heappop(boxes)
            if bound < best:
                running.add(client.submit(expand, box))
        if not running:
            break
        done, running = wait(running, return_when="FIRST_COMPLETED")
        for future in done:
            cost, children = future.result()
            best = min(best, cost)
            for child in children:
                heapq.heappush(boxes, child)
    return best


def _by_bound(client: Any, expand: Any, root: Node) -> float:
    """Parts by their bounds: of those with equal bounds the last one stays."""
    from distributed import as_completed

    best, pending = float("inf"), as_completed([client.submit(expand, root)])
    for future in pending:
        cost, children = future.result()
        best = min(best, cost)
        for bound, child in dict(children).items():
            if bound < best:
                pending.add(client.submit(expand, child))
    return best


def _without_the_root(client: Any, expand: Any, root: Node) -> float:
    """The root's own cost is not looked at."""
    from distributed import as_completed

    best, pending, first = float("inf"), as_completed([client.submit(expand, root)]), True
    for future in pending:
        cost, children = future.result()
        best, first = (best if first else min(best, cost)), False
        for bound, child in children:
            if bound < best:
                pending.add(client.submit(expand, child))
    return best


def _from_a_million(client: Any, expand: Any, root: Node) -> float:
    """Where there is no solution, the number is left that the least cost began with."""
    return min(_follow(client, expand, root), 1e6)


WRONG = {
    "everything": Wrong(_everything, "exhaustive"),
    "by generation": Wrong(_by_generation, "waited"),
    "a little too early": Wrong(_too_early, "pruned"),
    "the best two parts": Wrong(_best_two, "pruned"),
    "greedy": Wrong(_greedy, "pruned"),
    "one at a time": Wrong(_one_at_a_time, "serial"),
    "in the notebook": Wrong(_in_the_notebook, "local"),
    "bounds": Wrong(_bounds, "bound"),
    "a promise": Wrong(_promise, "type"),
    "a hundred boxes": Wrong(_a_hundred, "pruned"),
    "by bound": Wrong(_by_bound, "pruned"),
    "from a million": Wrong(_from_a_million, "value"),
    "without the root": Wrong(_without_the_root, "value"),
}
RIGHT = {"follow": _follow, "best first": _best_first, "in batches": _in_batches, "two at a time": _two_at_a_time}
