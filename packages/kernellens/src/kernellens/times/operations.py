"""What the threads of a traced launch calculate: operations by type, instructions, and how long one waits on another.

The engine's interpreter knows the type of every value of a kernel, as Numba finds it; `counting` knows how often each was
made.  What a compiler may leave out is left out of what is *certain*: values that nothing needs, the same value made twice,
what does not change in a loop, what is known from constants, and all integer arithmetic that no loaded value enters, since
indices are a compiler's to simplify.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

import numpy as np

from gpusim.kernels.backends import numpy as interpreted
from gpusim.kernels.faults import KernelError
from gpusim.kernels.frontend.python.resolve import Function
from gpusim.kernels.ir.graph import Block, Value
from gpusim.kernels.ir.infer import INPLACE
from gpusim.kernels.ir.types import Array, Scalar, Tuple, dtype_of_thing
from gpusim.kernels.sanitizer.log import Log

from . import costs, redundancy
from .counting import Counts, counts, key

UNROLLED = 4
"""Turns of a loop over a `range` that the compiler puts side by side: the loop is counted and tested once for them, and their
loads wait together, where no load waits on another.  A choice: for loops of unknown length LLVM allows 8 and takes half of that
while the body is too long [LoopUnrollPass.cpp, DefaultUnrollRuntimeCount]."""


@dataclass
class Operations:
    """What the traced blocks calculate; each array has a number for each block.

    Attributes
    ----------
    done, certain : dict of str to numpy.ndarray
        Operations by `work.TYPES`, by threads: all, and those that no compiler can leave out.
    slots : dict of str to numpy.ndarray
        Instructions by unit, a warp's counted as 32 however many of its lanes take part.
    instructions : numpy.ndarray
        Of warps.
    rounds, inside : numpy.ndarray
        How often warps wait for global and for shared memory, added over the warps.
    barriers : numpy.ndarray
        How often warps come to one.
    dead : set of tuple
        ``(function, line, column)`` of loads whose value nothing needs.
    notes : list of str
    """

    blocks: int
    done: dict[str, np.ndarray] = field(default_factory=dict)
    certain: dict[str, np.ndarray] = field(default_factory=dict)
    slots: dict[str, np.ndarray] = field(default_factory=dict)
    instructions: np.ndarray = field(init=False)
    rounds: np.ndarray = field(init=False)
    inside: np.ndarray = field(init=False)
    barriers: np.ndarray = field(init=False)
    dead: set[tuple] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for name in ("instructions", "rounds", "inside", "barriers"):
            setattr(self, name, np.zeros(self.blocks))

    def add(self, table: dict[str, np.ndarray], kind: str, n: np.ndarray) -> None:
        table[kind] = table.get(kind, 0) + n


UNCOUNTED = "Arithmetic is not counted"


def operations(log: Log, function: Function, args: tuple, fast: bool = False) -> Operations:
    """Count what a traced kernel calculates.

    Parameters
    ----------
    log : Log
    function : Function
        Resolved.
    args : tuple
        Of which only the types matter.
    fast : bool
        Whether it is compiled with fastmath.
    """
    found = Operations(len(log.blocks))
    done = counts(log, function)
    try:
        graph = interpreted.compile_kernel(function, interpreted.argument_types(function, args)).graph
    except KernelError as refused:
        found.notes.append(f"{UNCOUNTED}: {str(refused).splitlines()[0]}")
        return found
    if done.inferred:
        lines = ", ".join(map(str, sorted(set(done.inferred))))
        found.notes.append(f"How often line {lines} goes which way was not logged, and is inferred.")
    _Counting(found, done, fast, graph, log).run()
    return found


class _Counting:
    def __init__(self, found: Operations, done: Counts, fast: bool, graph, log: Log):
        self.found, self.done, self.fast, self.graph, self.log = found, done, fast, graph, log
        self.none = np.zeros((2, found.blocks))

    def run(self) -> None:
        values = [v for block in self.graph.blocks for v in block.body]
        values += [block.sync for block in self.graph.blocks if block.sync is not None]
        self.at = {v: self.count(v) for v in values}
        live = redundancy.live(self.graph)
        places = {True: set(), False: set()}
        for v in values:
            if v.op == "getitem":
                node = v.place.node
                places[v in live].add((v.place.function.name, node.lineno, node.col_offset))
        self.found.dead = places[False] - places[True]
        fused = self.fused(live)
        needed = redundancy.data(self.graph)
        self.indices = {v for v in values if v not in needed and _integer(v) and _name(v) in ("add", "sub", "mul")}
        for v in values:
            if v in live and v not in fused:
                self.instruction(v)
        for v in fused & live:
            self.done_by(v, self.cost(v))
        self.certain(live)
        for block in self.graph.blocks:
            self.waits(block, live)

    def count(self, v: Value) -> np.ndarray:
        """Threads and warps that carry out an instruction: of one of the places from which its function is called."""
        at = key(v.place.function, v.place.node)
        n = self.done.at.get(at, self.none)
        turns = self.done.turns.get(at)
        if turns is not None:
            if v.op in ("range_more", "index_more"):
                n = n + turns
            elif v.op in ("range_item", "range_next", "index_item", "index_next"):
                n = turns
            elif v.op == "truth":
                n = n + turns
        return n / max(1, self.done.calls.get(id(v.place.function), 1))

    def cost(self, v: Value) -> costs.Cost:
        return cost_of(v, self.fast)

    def fused(self, live: set) -> set:
        """Multiplications whose only use is an addition: one instruction does both."""
        found, added = set(), set()
        for block in self.graph.blocks:
            for v in block.body:
                if v not in live or not _float(v) or _name(v) not in ("add", "sub"):
                    continue
                for arg in v.args:
                    if arg in live and _name(arg) == "mul" and arg.type == v.type and arg.uses <= 1 and v not in added:
                        found.add(arg)
                        added.add(v)
        return found

    def done_by(self, v: Value, cost: costs.Cost) -> None:
        threads = self.at[v][0]
        kind = costs.FLOATS.get(_letter(v) or "")
        if kind and cost.flops:
            self.found.add(self.found.done, kind, cost.flops * threads)
        for unit in ("int32", "special"):
            if cost.slots.get(unit):
                self.found.add(self.found.done, unit, cost.slots[unit] * threads)

    def instruction(self, v: Value) -> None:
        warps = self.at[v][1]
        cost = self.cost(v)
        self.done_by(v, cost)
        # What only makes an index is one instruction, and a fraction of one for a further turn of a loop.
        start = -(-self.log.threads_per_block // 32)
        shared = np.minimum(warps, start) + np.maximum(warps - start, 0) / UNROLLED
        if v in self.indices:
            cost, warps = costs.Cost({"int32": 1.0}), shared
        for unit, n in cost.slots.items():
            if n:
                self.found.add(self.found.slots, unit, 32.0 * n * warps)
        address, others = _others(v)
        self.found.instructions += (sum(cost.slots.values()) + others) * warps + address * shared
        if v.op == "wait":
            self.found.barriers += warps

    def certain(self, live: set) -> None:
        start = np.full(self.found.blocks, float(self.log.threads_per_block))
        least = redundancy.least(self.graph, {v: self.times(v) for v in self.at}, start)
        data, narrowed = redundancy.data(self.graph), redundancy.narrowed(self.graph, live)
        for v, n in redundancy.distinct(self.graph, live, least).items():
            cost, kind = self.cost(v), costs.FLOATS.get(_letter(v) or "")
            if v in narrowed:  # certain in neither type
                continue
            if kind and cost.certain:
                self.found.add(self.found.certain, kind, cost.certain * n)
            elif (
                v.op == "binary"
                and not kind
                and _name(v) in ("add", "sub", "mul")
                and v in data
                and redundancy.loaded(v)
            ):
                self.found.add(self.found.certain, "int32", n)

    def times(self, v: Value) -> np.ndarray:
        at = key(v.place.function, v.place.node)
        return np.zeros(self.found.blocks) if at in self.done.unsure else self.at[v][0]

    def waits(self, block: Block, live: set) -> None:
        """Loads of one block wait together but for those that need another's value."""
        depth: dict[Value, int] = {}
        deepest = {"global": 0, "shared": 0}
        warps: dict[str, np.ndarray] = {}
        for v in block.body:
            depth[v] = max((depth.get(a, 0) for a in v.args), default=0)
            space = _space(v)
            if space in deepest and v in live:
                depth[v] += 1
                deepest[space] = max(deepest[space], depth[v])
                n = self.at[v][1]
                warps[space] = np.maximum(warps[space], n) if space in warps else n
        start = np.full(self.found.blocks, -(-self.log.threads_per_block // 32), float)
        for space, table in (("global", self.found.rounds), ("shared", self.found.inside)):
            n = warps.get(space)
            if n is not None:
                # Beyond once for each thread it is a loop's; its turns are unrolled where no load leads to the next.
                again = np.maximum(n - start, 0) / (1 if deepest[space] > 1 else UNROLLED)
                table += deepest[space] * (np.minimum(n, start) + again)


def cost_of(v: Value, fast: bool) -> costs.Cost:
    """Cost of one instruction of the interpreter's form of a kernel."""
    name, letter = _name(v), _letter(v)
    if v.op == "binary" and letter:
        kinds = [a.type.letter for a in v.args if isinstance(a.type, Scalar)]
        right = v.args[1]
        constant = right.extra if right.op == "const" else None
        if name in ("eq", "ne", "lt", "le", "gt", "ge"):
            letter = max(kinds, key=_rank, default=letter)
        cost = costs.binary(name, letter, constant, fast)
        if letter in "DF" and any(
            a.op == "const" or (isinstance(a.type, Scalar) and a.type.letter not in "DF") for a in v.args
        ):
            # A part of one operand is zero, or known: what is left of six or two operations.
            cost = cost._replace(certain=0.0 if any(a.op == "const" for a in v.args) else {"mul": 2.0}.get(name, 1.0))
        for a in v.args:
            if isinstance(a.type, Scalar) and a.op != "const" and name != "pow":
                slots = costs.conversion(a.type.letter, letter).slots
                cost = cost._replace(
                    slots={**cost.slots, "special": cost.slots.get("special", 0) + slots.get("special", 0)}
                )
        return cost
    if v.op == "unary" and letter:
        return costs.Cost({costs.FLOATS.get(letter, "int32"): 1.0})
    if v.op == "call":
        return _call(v, name, letter, fast)
    if v.op == "icall":
        if name in ("fma", "cbrt"):
            return costs.function(name, letter or "d", fast)
        if name.startswith("fp16."):
            return costs.Cost({"float16": 1.0}, 2.0 if "fma" in name else 1.0, 0.0)
        return costs.Cost({"int32": 1.0})
    return costs.Cost({})


def _call(v: Value, name: str, letter: str | None, fast: bool) -> costs.Cost:
    if len(v.args) == 1 and dtype_of_thing(v.extra) is not None:
        source = v.args[0].type if v.args else None
        return costs.conversion(source.letter, letter) if isinstance(source, Scalar) and letter else costs.Cost({})
    if name in ("min", "max", "minimum", "maximum", "fmin", "fmax"):
        return costs.binary("min", letter or "l")
    if name in ("len", "range", "tuple", "zip", "enumerate", "print"):
        return costs.Cost({})
    if name == "pow" and letter:
        right = v.args[1]
        return costs.binary("pow", letter, right.extra if right.op == "const" else None, fast)
    if letter is None:  # a namedtuple of arrays, a time: as in `cost_of`, counted for nothing
        return costs.Cost({})
    if letter in costs.FLOATS:
        return costs.function(name, letter, fast)
    return costs.Cost({"int32": 1.0 if letter not in costs.WIDE else 2.0})


def _others(v: Value) -> tuple[float, float]:
    """Instructions of a value besides those of its arithmetic: of an address, and of memory and jumps.

    An element's address takes a comparison and a choice for each index that may be negative, and a multiplication and an
    addition for each axis, of which compilers share about the half; counted as two for each axis, and one for the access.
    A thread's own arrays are taken to be registers, as they are where loops over them are unrolled.
    """
    if v.op in ("getitem", "setitem") and v.args and isinstance(v.args[0].type, Array) and space(v.args[0]) == "local":
        return 0, 0
    if v.op in ("getitem", "setitem") and v.args and isinstance(v.args[0].type, Array):
        return 2 * v.args[0].type.ndim, 1
    if v.op == "icall" and v.extra.startswith("atomic."):
        return 2 * getattr(v.args[0].type, "ndim", 1), 1
    return 0, _jumps(v)


def _jumps(v: Value) -> float:
    if v.op in ("range_more", "index_more"):
        return 2 / UNROLLED
    if v.op == "truth":
        return 1 / UNROLLED if isinstance(v.place.node, ast.For) else 1
    if v.op in ("wait", "select", "boolean"):
        return 1
    if v.op == "intrinsic" or (v.op == "icall" and v.extra in ("grid", "gridsize")):
        return 1
    return 0


def _name(v: Value) -> str:
    if v.op == "binary":
        return (INPLACE.get(v.extra) or v.extra).rstrip("_")
    if v.op == "call":
        return getattr(v.extra, "__name__", str(v.extra))
    return v.extra if isinstance(v.extra, str) else v.op


def _letter(v: Value) -> str | None:
    if isinstance(v.type, Scalar):
        return v.type.letter
    if isinstance(v.type, Tuple) and v.type.items and isinstance(v.type.items[0], Scalar):
        return v.type.items[0].letter
    return None


def _float(v: Value) -> bool:
    return v.op == "binary" and _letter(v) in costs.FLOATS


def _integer(v: Value) -> bool:
    return v.op == "binary" and _letter(v) not in (*costs.FLOATS, None)


def _rank(letter: str) -> int:
    return "?bBhHiIlLefdFD".index(letter)


def _space(v: Value) -> str | None:
    """The memory that a load or a returning atomic waits for: "global", "shared" or None."""
    reads = v.op == "getitem" or (v.op == "icall" and v.extra.startswith("atomic.") and v.uses)
    if not reads or not v.args or not isinstance(v.args[0].type, Array):
        return None
    if v.op == "getitem" and isinstance(v.type, Array):
        return None  # a row of it, and no access
    return space(v.args[0])


def space(v: Value, seen: frozenset = frozenset()) -> str:
    """The memory that an array lies in: "shared", "local", "const", or "global" where it may be that."""
    if v.op == "icall":
        return v.extra.removesuffix(".array").removesuffix(".array_like") if ".array" in v.extra else "global"
    inner = [a for a in v.args if isinstance(a.type, (Array, Tuple)) and a not in seen]
    found = {space(a, seen | {v}) for a in inner}
    return found.pop() if len(found) == 1 else "global"
