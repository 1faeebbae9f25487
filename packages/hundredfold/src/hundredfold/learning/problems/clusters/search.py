"""``clusters.search``: a search that goes where results lead, and leaves out what they rule out."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..differences import pair
from ..guard import article, require_callable
from ..problem import Problem
from ..verdict import Verified, in_case, refuse
from .running import Diary, again, note, on_workers, run, wait

Node = tuple[int, ...]
_WAIT = 3.5  # seconds that the part which takes long waits for the other one to get on


class Tree:
    """A tree of boxes. `expand(node)` gives the cost of a solution in the box, and its parts, each with a bound.

    Parameters
    ----------
    depth, width : int
        Generations below the root, and parts of each box.
    seed : int
        Of the costs, which are the same for the same node and seed.
    slow : bool
        The first part of the root takes until somebody has got three generations down in another one.
    solved : bool
        Whether there is a solution at all; without one all costs are infinite, and nothing can be ruled out.
    """

    def __init__(self, depth: int, width: int, seed: int, slow: bool = False, solved: bool = True):
        self.depth, self.width, self.seed, self.slow, self.solved = depth, width, seed, slow, solved
        self.number = -1  # of the diary
        self.root, self.counted = (), True

    def bound(self, node: Node) -> float:
        """No solution in the node's box costs less."""
        return sum(self._step(node[: level + 1]) for level in range(len(node)))

    def _step(self, node: Node) -> float:
        return round(random.Random(f"{self.seed}{node}").random() ** 2 * 10, 3)

    def cost(self, node: Node) -> float:
        """What a solution in the box costs, if one is found."""
        if not self.solved:
            return float("inf")
        below = self.depth - len(node)
        return round(self.bound(node) + 2.5 * below, 3)

    def children(self, node: Node) -> list[tuple[float, Node]]:
        """The parts of a box, each with its bound; none of the smallest boxes."""
        if len(node) == self.depth:
            return []
        return [(round(self.bound((*node, part)), 3), (*node, part)) for part in range(self.width)]

    def __call__(self, node: Node) -> tuple[float, list[tuple[float, Node]]]:
        diary, _ = note(self.number, node)
        if diary is not None and self.slow:
            if node == (0,):
                wait(diary, "deep", _WAIT)
            elif len(node) >= 3:
                diary.event("deep").set()
        return self.cost(node), self.children(node)

    def nodes(self) -> int:
        """How many boxes there are."""
        return sum(self.width**level for level in range(self.depth + 1))


class Listed:
    """Boxes by their names, each with its cost and its parts; what else a `Tree` has."""

    slow, solved, counted, depth = False, True, False, 1

    def __init__(self, boxes: Mapping[str, tuple[float, list[tuple[float, str]]]]):
        self.boxes, self.root = dict(boxes), next(iter(boxes))
        self.number = -1

    def cost(self, node: str) -> float:
        return self.boxes[node][0]

    def children(self, node: str) -> list[tuple[float, str]]:
        return list(self.boxes[node][1])

    def nodes(self) -> int:
        return len(self.boxes)

    def __call__(self, node: str) -> tuple[float, list[tuple[float, str]]]:
        note(self.number, node)
        return self.cost(node), self.children(node)


def close(known: float, least: float, winner: int, parts: int = 5) -> Listed:
    """A root with a solution for `known`, and one part of it with one for `least`, whose bound is the highest of all parts.
    What is left out before its bound says so, or for being one of many, is left out here with the best."""
    step = (known - least) / 2
    bounds = [least if part == winner else least - step * (part + 1) for part in range(parts)]
    named = [(bound, f"part {part}") for part, bound in enumerate(bounds)]
    boxes = {"all": (known, named)}
    for part, (_, name) in enumerate(named):
        boxes[name] = (least, [(known, "rest")]) if part == winner else (math.inf, [])
    return Listed({**boxes, "rest": (known, [])})


def deep(levels: int) -> Listed:
    """Boxes in one another, and a solution in the smallest of them only."""
    boxes = {f"level {level}": (math.inf, [(1.0, f"level {level + 1}")]) for level in range(levels)}
    return Listed({**boxes, f"level {levels}": (1.5, [])})


def wide(parts: int) -> Listed:
    """Parts none of which is ruled out; the last one has the only solution."""
    boxes = [(float(part), f"part {part}") for part in range(parts)]
    return Listed(
        {"all": (math.inf, boxes), **{name: (math.inf, []) for _, name in boxes}, boxes[-1][1]: (float(parts), [])}
    )


def equal(parts: int) -> Listed:
    """Parts that all have the same bound; each has a solution, the first one the cheapest."""
    boxes = {f"part {part}": (2.0 + part, []) for part in range(parts)}
    return Listed({"all": (math.inf, [(1.0, name) for name in boxes]), **boxes})


def specification(expand: Tree, root: Node = ()) -> float:
    """The least cost of all boxes, every one of them looked at."""
    best, waiting = float("inf"), [root]
    while waiting:
        node = waiting.pop()
        best = min(best, expand.cost(node))
        waiting += [child for _, child in expand.children(node)]
    return best


CASES = {
    "a tree of 121 boxes": Tree(4, 3, seed=5),
    "another one": Tree(4, 3, seed=9),
    "one part that takes long": Tree(4, 2, seed=17, slow=True),
    "a single box": Tree(0, 3, seed=1),
    "no solution": Tree(2, 3, seed=3, solved=False),
}
UNLISTED = {
    "a solution a little cheaper than the one known": close(10.0, 10.0 - 1e-6, winner=4),
    "a solution much cheaper than the one known": close(1000.0, 100.0, winner=2),
    "costs of about 1e-9": close(1e-9, 0.9e-9, winner=0),
    "costs of about 1e12": close(1e12, 0.99e12, winner=3),
    "costs below zero": close(-10.0, -10.5, winner=1),
    "a solution that costs nothing": close(2.0, 0.0, winner=3),
    "a solution in the smallest box only": deep(60),
    "a solution in the last of 120 parts": wide(120),
    "parts with equal bounds": equal(4),
}


def judge(problem: Problem, answers: tuple[Any, ...]) -> Verified:
    function = answers[0]
    require_callable(function, problem.answers[0])
    shares = []
    for number, (name, tree) in enumerate({**CASES, **UNLISTED}.items()):
        with in_case(name):
            shares.append(_judge(problem, function, tree, first=number == 0))
    with in_case("a second call with the same client"):
        _judge(problem, again(function, Tree(1, 3, seed=2), ()), Tree(2, 3, seed=4), first=False)
    return Verified(
        f"{len(CASES)} cases ({'; '.join(CASES)}); on both workers; no more than half of the boxes were opened.",
        f"Opened in the first: {100 * shares[0]:.0f} % of the boxes.",
    )


def _judge(problem: Problem, function: Callable[..., Any], tree: Tree | Listed, first: bool) -> float:
    # The root is alone; of its parts several can be opened at a time.
    diary = Diary(held=1 if tree.counted and tree.depth else None)
    tree.number = diary.number
    try:
        got, seen, printed = run(problem, function, tree, tree.root, first=first)
        if isinstance(got, bool) or not isinstance(got, (int, float, np.floating)):
            refuse("type", f"the result should be the least cost, a number; it is {article(got)}.", printed=printed)
        expected = specification(tree, tree.root)
        if not (got == expected or math.isclose(got, expected, rel_tol=1e-9)):
            _value(float(got), expected, tree, diary, printed)
        opened = {node for node, _ in diary.notes}
        if "deep" in diary.late and len(opened) > 1:
            refuse(
                "waited",
                "the result is right, but while one part took long, nobody went on where the others led: all of a generation was "
                "waited for. `as_completed` gives back each result when it is there, and `.add` takes new tasks in.",
            )
        if tree.solved:
            on_workers(diary, seen, "`expand`") if tree.depth and tree.counted else _not_local(diary)
        if tree.counted and tree.solved and not tree.slow and len(opened) > max(tree.nodes() / 2, 1):
            refuse(
                "exhaustive",
                f"the result is right, but {len(opened)} of {tree.nodes()} boxes were opened. Where the bound of a box is no less "
                "than the least cost that is known by then, nothing in it can be better.",
            )
        return len(opened) / tree.nodes()
    finally:
        diary.close()


def _bounds(tree: Tree | Listed) -> list[float]:
    """The bounds of all boxes."""
    bounds, waiting = [], [tree.root]
    while waiting:
        for bound, node in tree.children(waiting.pop()):  # type: ignore[arg-type]
            bounds.append(bound)
            waiting.append(node)
    return bounds


def _not_local(diary: Diary) -> None:
    if diary.local:
        refuse("local", "the box was opened in the notebook's own process: `client.submit` calls `expand` on a worker.")


def _value(got: float, expected: float, tree: Tree | Listed, diary: Diary, printed: str) -> None:
    a, b = pair(got, expected)
    opened = {node for node, _ in diary.notes}
    if got > expected:
        found = f"the least cost found is {a}, but there is a solution for {b}"
        if any(tree.cost(node) == expected for node in opened):  # type: ignore[arg-type]
            refuse("value", f"{found}, and its box was opened. Compare the cost of every box with the least one known.")
        boxes = "1 box was opened" if len(opened) == 1 else f"{len(opened)} boxes were opened"
        refuse(
            "pruned",
            f"{found}: {boxes}, and the one with the best was left out. A box may be left out only when its bound is no less than "
            "the least cost known.",
            printed=printed,
        )
    if not any(math.isclose(got, bound, rel_tol=1e-9) for bound in _bounds(tree)):
        refuse(
            "value",
            f"the result is {a}, and the cheapest solution costs {b}. No box has a cost or a bound of {a}. With which number does the least cost "
            "known begin? Before a solution is known, it is infinite.",
            printed=printed,
        )
    refuse(
        "bound",
        f"the result is {a}, and the cheapest solution costs {b}. Is that a bound? A bound says what no solution "
        "can be below, not that there is one.",
        printed=printed,
    )


SEARCH = Problem(
    id="clusters.search",
    title="Where the results lead",
    kind="write",
    answers=("search",),
    lines=9,
    judge=judge,
    specification=specification,
    hints=(
        "Begin with one future, `client.submit(expand, root)`, in `pending = as_completed([…])`. The loop over `pending` goes on as "
        "long as there are futures in it.",
        "In the loop: take the result, lower the least cost known, and for each part that its bound does not rule out "
        "`pending.add(client.submit(expand, part))`.",
        "A part is ruled out if `bound >= best`. Do not collect a generation first: then the slowest of its tasks holds up all.",
    ),
)
