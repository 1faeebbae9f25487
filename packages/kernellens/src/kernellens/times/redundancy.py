"""What no compiler can leave out of a kernel, or carry out less often.

A bound may count too little, never too much.  So of each value of the kernel's single-assignment form: is it needed; is it
the same as another; and how often at least must it be made anew, given how often what it is made of is new.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpusim.kernels.ir.graph import Block, Graph, Value
from gpusim.kernels.ir.infer import INPLACE
from gpusim.kernels.ir.types import Array, Scalar

ROUNDS = 12


def live(graph: Graph) -> set[Value]:
    """The values that what a kernel stores, waits for or decides by is made of; their `uses` are counted."""
    seen = _needed(graph, lambda v: v.args)
    for v in seen:
        v.uses = 0
    for v in seen:
        for arg in v.args:
            arg.uses += 1
    return seen


def data(graph: Graph) -> set[Value]:
    """Those that are not only made for an index, whose arithmetic a compiler may put into the access."""

    def without_index(v: Value) -> list[Value]:
        if v.op in ("getitem", "setitem") or (v.op == "icall" and v.extra.startswith("atomic.")):
            return [v.args[0], *v.args[2:]]
        return v.args

    return _needed(graph, without_index)


def _needed(graph: Graph, args) -> set[Value]:
    todo: list[Value] = []
    for block in graph.blocks:
        todo += [v for v in block.body if _effect(v)]
        todo += [v for v in (block.sync, block.cond) if v is not None]
    seen: set[Value] = set()
    while todo:
        v = todo.pop()
        if v not in seen:
            seen.add(v)
            todo += args(v)
    return seen


def _effect(v: Value) -> bool:
    if v.op in ("setitem", "setattr", "raise"):
        return True
    if v.op == "icall":
        return v.extra.startswith(("atomic.", "threadfence"))
    return v.op == "call" and str(v.type) == "None"


def narrowed(graph: Graph, wanted: set[Value]) -> set[Value]:
    """Operations in float64 that a compiler may carry out in float32, as LLVM does: one alone, between numbers that were
    float32 (or constants) before and a float32 array in which the result is stored.  Twice rounded is once rounded there
    [S. Figueroa, "When is double rounding innocuous?", 1995].
    """
    users: dict[Value, list[Value]] = {}
    for v in wanted:
        for arg in v.args:
            users.setdefault(arg, []).append(v)

    def single(v: Value) -> bool:
        array = v.args[0].type if v.op == "setitem" else None
        return isinstance(array, Array) and isinstance(array.item, Scalar) and array.item.letter == "f"

    def wide(arg: Value) -> bool:
        return arg.op != "const" and isinstance(arg.type, Scalar) and arg.type.letter == "d"

    return {
        v
        for v in wanted
        if v.op == "binary"
        and isinstance(v.type, Scalar)
        and v.type.letter == "d"
        and users.get(v)
        and all(single(user) for user in users[v])
        and not any(map(wide, v.args))
    }


def loaded(v: Value) -> bool:
    """Whether a value depends on one that was loaded from memory."""
    todo, seen = [v], set()
    while todo:
        each = todo.pop()
        if each in seen:
            continue
        seen.add(each)
        if each.op == "getitem" and not isinstance(each.type, Array) and isinstance(each.args[0].type, Array):
            return True
        todo += each.args
    return False


def least(graph: Graph, times: dict[Value, np.ndarray], start: np.ndarray) -> dict[Value, np.ndarray]:
    """How often at least each value must be made, in each block.

    Parameters
    ----------
    times : dict
        How often the source makes it, in each block.
    start : numpy.ndarray
        Threads of each block.
    """
    heads = _heads(graph)
    comes = {block: _comes(block, times, start) for block in graph.blocks}
    # `new`: values that differ, so that elements at them differ.  `made`: values that cannot be known beforehand.
    new: dict[Value, np.ndarray] = {}
    made: dict[Value, np.ndarray] = {}
    none = np.zeros_like(start)
    for _ in range(ROUNDS):
        changed = False
        for block in graph.blocks:
            for v in (*block.phis, *([block.sync] if block.sync is not None else ()), *block.body):
                n = times.get(v, comes[block])
                if v.op == "phi":
                    fresh = comes[block]
                    built = _largest(v.args, made, none)
                    built = (
                        comes[block]
                        if block in heads and built.any() and _recurs(v)
                        else np.minimum(built, comes[block])
                    )
                elif v.op in ("const", "undefined", "parameter"):
                    fresh = built = none
                elif v.op == "wait" or (v.op == "icall" and v.extra.startswith("atomic.")):
                    fresh = built = n
                elif v.op == "intrinsic" or (v.op == "icall" and v.extra in ("grid", "laneid")):
                    fresh = built = np.minimum(n, start)
                elif v.op == "getitem" and isinstance(v.args[0].type, Array):
                    fresh = built = np.minimum(n, np.maximum(_largest(v.args[1:], new, none), start))
                else:
                    fresh = np.minimum(n, _largest(v.args, new, none))
                    built = np.minimum(n, _largest(v.args, made, none))
                if v not in made or (made[v] != built).any() or (new[v] != fresh).any():
                    new[v], made[v], changed = fresh, built, True
        if not changed:
            break
    return made


def distinct(graph: Graph, wanted: set[Value], made: dict[Value, np.ndarray]) -> dict[Value, np.ndarray]:
    """The needed values, each one that is made in several places only once, and how often at least."""
    same: dict[Value, Value] = {}
    first: dict[object, Value] = {}
    found: dict[Value, np.ndarray] = {}
    for block in graph.blocks:
        for v in block.body:
            same[v] = before = first.setdefault(_same(v, same), v)
            if v in wanted and v in made:
                found[before] = made[v] if before not in found else np.maximum(found[before], made[v])
    return found


_COMMUTE = {"add", "mul", "iadd", "imul", "eq", "ne"}


def _same(v: Value, same: dict[Value, Value]) -> object:
    """What two values have in common exactly if a compiler may take one for the other."""
    if v.op in ("setitem", "setattr", "wait", "phi", "raise") or (v.op == "icall" and "." in str(v.extra)):
        return v
    if v.op == "const":
        return ("const", repr(v.extra), str(v.type))
    args = [id(same.get(a, a)) for a in v.args]
    if v.op == "binary" and v.extra in _COMMUTE:
        args.sort()
    extra: Any = v.extra if isinstance(v.extra, str | int | tuple) else id(v.extra)
    if v.op == "binary":
        extra = INPLACE.get(extra, extra)
    return (v.op, extra, str(v.type), tuple(args))


def _largest(args: list[Value], table: dict[Value, np.ndarray], none: np.ndarray) -> np.ndarray:
    out = none
    for a in args:
        if a in table:
            out = np.maximum(out, table[a])
    return out


def _heads(graph: Graph) -> set[Block]:
    """Blocks that a loop comes back to."""
    return {s for block in graph.blocks if block.loop is not None for s in block.successors}


def _comes(block: Block, times: dict[Value, np.ndarray], start: np.ndarray) -> np.ndarray:
    """How often threads come to a block: as often as to its first instruction; as little as can be, where it has none."""
    found = [times[v] for v in block.body if v in times and v.op not in ("undefined", "const")]
    if block.cond is not None and block.cond in times:
        found.append(times[block.cond])
    return found[0] if found else np.minimum(start, start)


def _recurs(phi: Value) -> bool:
    """Whether a loop's variable is made from what it was a turn before."""
    todo, seen = [a for a in phi.args if a is not phi], set()
    while todo:
        v = todo.pop()
        if v is phi:
            return True
        if v not in seen:
            seen.add(v)
            todo += v.args
    return False
