"""A kernel ready to run for arguments of given types: each basic block a Python function over a group of lanes."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

from ...ir.graph import Block, Graph, Value
from ...ir.infer import Inference, NeedsBranch, error_of
from ...ir.lower import Lowering
from ...ir.types import NONE, Array, Thing, Type, TypingError
from . import arrays, atomics, bits, functions, lanes, scalars, warps

RUNTIME = SimpleNamespace(
    arrays=arrays, atomics=atomics, bits=bits, functions=functions, lanes=lanes, scalars=scalars, warps=warps
)
END = 1 << 30
"""The number of the block that is not there: threads that come to it have ended."""
EARLY, LOOPED = END + 1, END + 2
"""The same, for threads that return in the middle of the source, and that do so out of a loop."""


class Step:
    """One basic block.

    Attributes
    ----------
    run : callable
        ``run(group)`` carries it out, and returns the condition if it has two successors.
    wait : Value or None
        What its lanes wait for first; its arguments are in the group's variables under `wait_keys` or constants.
    targets : tuple of int
    edges : tuple of callable or None
        Give the target's variables their values: ``edge(group)``.
    live : tuple of int
        Variables that the block or a later one reads.
    loop : Loop or None
        Of which the jump to the target is a back-edge.
    end : int
        `END`, `EARLY` or `LOOPED`, for the last block of a thread.
    """

    __slots__ = ("run", "wait", "wait_args", "targets", "edges", "live", "loop", "phis", "busy", "end")


class Program:
    """The steps of a kernel, in the order of its source."""

    def __init__(self, function, argtypes: tuple[Type, ...], debug: bool, cut: Callable[[Graph], None] | None = None):
        self.function = function
        parting: set = set()
        while True:
            lowered = Lowering(function, argtypes, debug, parting)
            try:
                self.typed = Inference(lowered.graph, debug, RUNTIME)
                break
            except NeedsBranch as found:
                parting.add(found.args[0])
        self.graph = lowered.graph
        if cut is not None:
            cut(self.graph)
        self.parameters = [(k, v.id) for k, v in enumerate(lowered.parameters) if v.op == "parameter"]
        self._mark()
        self.waits = any(b.sync is not None for b in self.graph.blocks)
        self.grid_wide = any(b.sync is not None and b.sync.extra == "grid.sync" for b in self.graph.blocks)
        self._liveness()
        self.edge_live = self._edge_live()
        self.source: list[str] = []
        self.steps = self._emit()

    # Which values are wanted

    def _mark(self) -> None:
        todo = []
        for block in self.graph.blocks:
            todo += [v for v in block.body if _matters(v)]
            if block.sync is not None:
                todo.append(block.sync)
            if block.cond is not None:
                todo.append(block.cond)
        seen = set()
        while todo:
            value = todo.pop()
            if value in seen:
                continue
            seen.add(value)
            todo += value.args
        self.wanted = seen
        for value in seen:
            value.uses = 0
        for value in seen:
            for arg in value.args:
                arg.uses += 1
        for block in self.graph.blocks:
            if block.cond is not None:
                block.cond.uses += 1

    def _variable(self, v: Value) -> bool:
        """Whether a value is kept in a variable, not written out where it is used."""
        return (
            v.op not in ("const", "undefined") and v in self.wanted and not isinstance(v.type, Thing) and v.type != NONE
        )

    def _liveness(self) -> None:
        blocks = self.graph.blocks
        uses, defs = {}, {}
        for b in blocks:
            defined = {v.id for v in b.body if self._variable(v)} | {p.id for p in b.phis}
            used = set()
            if b.sync is not None:
                defined.add(b.sync.id)
                used |= {a.id for a in b.sync.args if self._variable(a)}
            inside = {v.id for v in b.phis} | ({b.sync.id} if b.sync is not None else set())
            for v in b.body:
                if v in self.wanted:
                    used |= {a.id for a in v.args if self._variable(a)} - inside
                    inside.add(v.id)
            if b.cond is not None and self._variable(b.cond):
                used |= {b.cond.id} - inside
            uses[b], defs[b] = used, defined
        self.live_in = {b: set(uses[b]) for b in blocks}
        self.live_out: dict[Block, set] = {b: set() for b in blocks}
        changed = True
        while changed:
            changed = False
            for b in reversed(blocks):
                out = set()
                for s in b.successors:
                    out |= self.live_in[s] - {p.id for p in s.phis}
                    out |= self._edge_uses(b, s)
                new = uses[b] | (out - defs[b])
                new |= {p.id for p in b.phis if p in self.wanted}
                if out != self.live_out[b] or new != self.live_in[b]:
                    self.live_out[b], self.live_in[b] = out, new
                    changed = True

    def _edge_uses(self, b: Block, s: Block) -> set[int]:
        ids = set()
        for k, p in enumerate(s.predecessors):
            if p is b:
                ids |= {phi.args[k].id for phi in s.phis if phi in self.wanted and self._variable(phi.args[k])}
        return ids

    def _edge_live(self) -> list[tuple]:
        """For each block and each of its successors the variables to take along when lanes part."""
        found = []
        for b in self.graph.blocks:
            sides = []
            for s in b.successors:
                sides.append(tuple((self.live_in[s] - {p.id for p in s.phis}) | self._edge_uses(b, s)))
            found.append(tuple(sides))
        return found

    # Code

    def _emit(self) -> list[Step]:
        steps = []
        for block in self.graph.blocks:
            step = Step()
            step.wait = block.sync
            step.wait_args = [] if block.sync is None else [self._wait_arg(a) for a in block.sync.args]
            step.loop = block.loop
            step.end = {"": END, "early": EARLY, "looped": LOOPED}[block.left]
            step.live = tuple(sorted(self.live_in[block]))
            step.phis = tuple(p.id for p in block.phis if p in self.wanted)
            step.targets = tuple(s.number for s in block.successors)
            name = f"block_{block.number}"
            lines = self._body(block)
            step.busy = len(lines) > lines.count("E = g.E")
            self._function(name, lines)
            edges = []
            for j, s in enumerate(block.successors):
                lines = self._edge(block, s, j)
                edges.append(f"edge_{block.number}_{j}" if lines else None)
                if lines:
                    self._function(edges[-1], ["E = g.E", *lines])
            step.run, step.edges = name, edges
            steps.append(step)
        space = dict(self.typed.constants)
        text = "\n".join(self.source)
        exec(compile(text, f"<{self.function.name}, interpreted>", "exec"), space)
        for step in steps:
            step.run = space[step.run]
            step.edges = tuple(space[e] if e else None for e in step.edges)
        for step in steps:
            step.targets = tuple(self._onward(steps, t) for t in step.targets)
        return steps

    def _onward(self, steps: list[Step], at: int) -> int:
        """Where a jump leads that goes through blocks in which nothing is done; `END` and so on where the thread ends there."""
        while not steps[at].busy and steps[at].wait is None and steps[at].loop is None:
            if not steps[at].targets:
                return steps[at].end
            if len(steps[at].targets) > 1 or steps[at].edges[0] is not None:
                return at
            at = steps[at].targets[0]
            if at >= END:
                return at
        return at

    def _function(self, name: str, lines: list[str]) -> None:
        self.source += [f"def {name}(g):", *("    " + line for line in lines or ["pass"])]

    def _wait_arg(self, a: Value):
        """A waiting operation's operand: the number of a variable, or a constant."""
        if self._variable(a):
            return a.id, None
        if isinstance(a.type, Thing):
            return None, None
        return None, eval(a.emit([]), dict(self.typed.constants))

    def _text(self, v: Value) -> str:
        if self._variable(v):
            return f"v{v.id}"
        if v.op == "undefined":
            return "None"
        return v.emit([self._text(a) for a in v.args]) if v.op in ("const", "tuple", "unary") else "None"

    def _body(self, block: Block) -> list[str]:
        inside = {v.id for v in block.body}
        wanted = [v for v in block.body if v in self.wanted and v.op not in ("const", "undefined", "parameter")]
        outside = set()
        last: dict[int, int] = {}
        for k, v in enumerate(wanted):
            for a in v.args:
                if self._variable(a):
                    last[a.id] = k
                    if a.id not in inside:
                        outside.add(a.id)
        if block.cond is not None and self._variable(block.cond):
            last[block.cond.id] = len(wanted)
            if block.cond.id not in inside:
                outside.add(block.cond.id)
        parameters = {v.id for v in block.body if v.op == "parameter"}
        outside |= {i for i in last if i in parameters}
        lines = ["E = g.E"] if outside or self.live_out[block] else []
        lines += [f"v{i} = E[{i}]" for i in sorted(outside)]
        ending: dict[int, list[int]] = {}
        for i, k in last.items():
            ending.setdefault(k, []).append(i)
        for k, v in enumerate(wanted):
            try:
                text = v.emit([self._text(a) for a in v.args])
            except TypingError as refused:  # a conversion that is impossible
                raise error_of(v, refused) from None
            if self._variable(v):
                lines.append(f"v{v.id} = {text}")
                if v.id in self.live_out[block]:
                    lines.append(f"E[{v.id}] = v{v.id}")
                if v.id not in last:
                    lines.append(f"del v{v.id}")
            elif text != "None":
                lines.append(text)
            gone = ending.get(k)
            if gone:
                lines.append("del " + ", ".join(f"v{i}" for i in gone))
        if block.cond is not None:
            lines.append(f"return {self._text(block.cond)}")
        return lines

    def _edge(self, b: Block, s: Block, j: int) -> list[str]:
        places = [k for k, p in enumerate(s.predecessors) if p is b]
        if not places:
            return []
        k = places[min(j, len(places) - 1)] if len(places) > 1 else places[0]
        left, right = [], []
        for phi in s.phis:
            if phi not in self.wanted:
                continue
            arg = phi.args[k]
            source = f"E[{arg.id}]" if self._variable(arg) else self._text(arg)
            if arg.op == "undefined":
                source = self.typed.zero(phi.type) if phi.type is not None else "None"
            elif arg.type != phi.type:
                source = self.typed.cast(source, arg.type, phi.type)
            left.append(f"E[{phi.id}]")
            right.append(source)
        return [f"{', '.join(left)} = {', '.join(right)}"] if left else []


def _matters(v: Value) -> bool:
    """Whether an instruction is carried out even though nobody wants its result."""
    if v.op in ("setitem", "setattr", "raise"):
        return True
    if v.op == "getitem":
        return isinstance(v.args[0].type, Array)
    if v.op == "icall":
        return v.extra.startswith(("atomic.", "threadfence"))
    if getattr(v.extra, "formats", False):
        return True
    return v.op in ("call", "method") and v.type == NONE  # print, fill, and functions of whole arrays


__all__ = ["Program", "Step"]
