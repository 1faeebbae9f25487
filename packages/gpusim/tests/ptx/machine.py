"""Runs PTX on arrays of lanes: every register is an array with an item for each thread.

All threads of a grid (or of as many blocks as fit) go together as far as their ways do.  Threads that stand at the same basic
block are a group, and the group at the first block of the text goes on: so what a branch has parted meets again where
the ways join.  A group that others have passed for long goes on too, since a thread may wait for it in a loop.

Threads wait at barriers, and at warp instructions until those named in the mask are there, as from compute capability 7.0 on.

All memory is one array of bytes.  An address is a place in it, whatever its state space, so that `cvta` has nothing to
do; each access is checked against what was allocated.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import opcodes
from .opcodes import TYPES
from .parse import Address, Function, Group, Instruction, Module, Number, PtxError, Register, Symbol, Variable

LANES = 1 << 16
"""Threads that go together, about; where blocks wait for each other, all do."""
GUARD = 256
"""Bytes that nobody may touch between two allocations."""
PATIENCE = 4096
"""Steps that a group may be passed by others; half as many each time, where threads wait for each other in a loop."""
ARENA = 1 << 28
"""Bytes of address space for the stacks of called functions and what a kernel allocates."""


class Fault(PtxError):
    """What stops a kernel: an access to nothing, a trap, threads that wait for ever."""


class TooLong(PtxError):
    """A kernel took more steps than it was given."""


class Memory:
    """Bytes with a note of which are allocated."""

    def __init__(self, size: int):
        self.bytes = np.zeros(-(-size // 16) * 16, np.uint8)
        self.allocated = np.zeros(self.bytes.size, bool)
        self.views = {n: self.bytes.view(f"u{n}") for n in (1, 2, 4, 8)}
        self.end = 4096  # nothing lies at address zero

    def allocate(self, size: int, align: int = 256) -> int:
        """Set bytes apart; returns their address."""
        start = -(-self.end // max(align, 16)) * max(align, 16)
        if start + size + GUARD > self.bytes.size:
            raise Fault("the kernel needs more memory than was set apart for it")
        self.allocated[start : start + size] = True
        self.end = start + size + GUARD
        return start

    def free(self, start: int) -> None:
        """Take back all that was set apart from an address on."""
        self.allocated[start : self.end] = False
        self.end = start

    def places(self, addresses: np.ndarray, width: int) -> np.ndarray:
        """Addresses as places of `views[width]`.

        Raises
        ------
        Fault
        """
        wrong = (addresses & np.uint64(width - 1)) != 0
        if wrong.any():
            raise Fault(f"a misaligned address: {int(addresses[wrong.argmax()]):#x} for {width} bytes")
        if int(addresses.max(initial=0)) + width > self.bytes.size:
            raise Fault(f"an access outside of memory: {int(addresses.max()):#x}")
        at = addresses.astype(np.int64)
        there = self.allocated[at] & self.allocated[at + (width - 1)]
        if not there.all():
            raise Fault(
                f"an access outside of what is allocated: {int(addresses[(~there).argmax()]):#x}, {width} bytes"
            )
        return at // width

    def load(self, addresses: np.ndarray, width: int) -> np.ndarray:
        return self.views[width][self.places(addresses, width)]

    def store(self, addresses: np.ndarray, width: int, values: np.ndarray) -> None:
        """Of threads that write to one place the last wins."""
        self.views[width][self.places(addresses, width)] = values


@dataclass
class Block:
    """A basic block: steps to take, and how it ends."""

    steps: list[Callable[[Env], None]] = field(default_factory=list)
    ending: Callable | None = None  # (frame, lanes, env) -> [(next block, lanes)]; None falls through
    sync: Sync | None = None
    written: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)
    kept: tuple[str, ...] = ()
    products: set[str] = field(default_factory=set)  # registers that an unmodified product was last put in


@dataclass(frozen=True)
class Sync:
    """A wait: for all threads of a block (``barrier``), or for those in a mask (``warp``)."""

    instruction: Instruction
    scope: str
    mask: Callable | None = None  # env -> mask of each lane
    number: Callable | None = None
    run: Callable | None = None  # (frame, lanes, env)
    anywhere: bool = False  # whether threads may wait at different places of the code


class Env(dict):
    """The registers of one group while it goes through a block: gathered when first read."""

    def __init__(self, frame: Frame, lanes: np.ndarray | None):
        self.frame, self.lanes = frame, lanes
        self.count = frame.count if lanes is None else len(lanes)

    def __missing__(self, name: str) -> np.ndarray:
        value = self.frame.registers[name]
        if self.lanes is not None and len(value) != 1:
            value = value[self.lanes]
        self[name] = value
        return value

    def all(self, value: np.ndarray) -> np.ndarray:
        """A value for each lane."""
        return value if len(value) == self.count else np.broadcast_to(value, (self.count,))


class Program:
    """A function made ready: blocks of steps."""

    def __init__(self, function: Function, machine: Machine):
        self.function, self.machine = function, machine
        _Translator(self).translate()


class Frame:
    """A function that some lanes are in: their registers, and the addresses of its variables."""

    def __init__(self, machine: Machine, program: Program, threads: Threads):
        self.machine, self.program, self.threads = machine, program, threads
        self.count = threads.count
        function = program.function
        self.registers: dict[str, np.ndarray] = dict(threads.special)
        for name, bits in function.registers.items():
            self.registers[name] = np.zeros(1, bool if bits == 1 else f"u{max(bits, 8) // 8}" if bits <= 64 else "V16")
        self.registers["%cc"] = np.zeros(1, bool)
        self.symbols: dict[str, np.ndarray] = {}
        self.params: dict[tuple[str, int], np.ndarray] = {}
        for each in function.variables:
            if each.space == "local":
                size = -(-max(each.size, 1) // 16) * 16
                start = machine.memory.allocate(size * self.count, 256)
                self.symbols[each.name] = np.uint64(start) + np.uint64(size) * np.arange(self.count, dtype=np.uint64)

    def run(self) -> None:
        """Run all lanes to the end of the function."""
        _Scheduler(self).run()


@dataclass
class Threads:
    """The lanes of a frame: for each its block, its warp, its place in the warp, and the special registers."""

    count: int
    block: np.ndarray
    warp: np.ndarray
    lane: np.ndarray
    special: dict[str, np.ndarray]
    shared: dict[str, np.ndarray]

    def part(self, lanes: np.ndarray | None) -> Threads:
        if lanes is None:
            return self
        pick = lambda d: {k: v if len(v) == 1 else v[lanes] for k, v in d.items()}  # noqa: E731
        return Threads(
            len(lanes), self.block[lanes], self.warp[lanes], self.lane[lanes], pick(self.special), pick(self.shared)
        )


class _Scheduler:
    """Which group goes on."""

    def __init__(self, frame: Frame):
        self.frame, self.blocks = frame, frame.program.blocks
        self.groups: dict[int, tuple[np.ndarray | None, int]] = {0: (None, 0)}  # by block: lanes (None: all), last step
        self.waiting: dict[int, np.ndarray] = {}
        self.alive = np.ones(frame.count, bool)
        self.patience = PATIENCE

    def run(self) -> None:
        step = 0
        while self.groups or self.waiting:
            if not self.groups:
                if not self.release():
                    place = self.blocks[next(iter(self.waiting))].sync.instruction
                    raise Fault(f"threads wait for ever at line {place.line}: {place.text}")
                continue
            step += 1
            at = min(self.groups)
            if len(self.groups) > 1:
                oldest = min(self.groups, key=lambda k: self.groups[k][1])
                if step - self.groups[oldest][1] > self.patience:
                    at, self.patience = oldest, max(self.patience // 2, 8)
            lanes, _ = self.groups.pop(at)
            self.frame.machine.step(at)
            self.go(at, lanes, step)

    def go(self, at: int, lanes: np.ndarray | None, step: int) -> None:
        block = self.blocks[at]
        env = Env(self.frame, lanes)
        for each in block.steps:
            each(env)
        if block.sync is None:
            ways = block.ending(self.frame, lanes, env) if block.ending is not None else [(at + 1, lanes)]
            self.keep(block, env, lanes)
            for target, some in ways:
                self.arrive(target, some, step)
            return
        self.keep(block, env, lanes)
        here = np.arange(self.frame.count) if lanes is None else lanes
        before = self.waiting.get(at)
        self.waiting[at] = here if before is None else np.sort(np.concatenate([before, here]))
        self.release()

    def keep(self, block: Block, env: Env, lanes: np.ndarray | None) -> None:
        """Write back what later blocks read."""
        registers = self.frame.registers
        for name in block.kept:
            if name not in env:
                continue
            value = env[name]
            if lanes is None:
                registers[name] = value
            else:
                old = registers[name]
                new = np.repeat(old, self.frame.count) if len(old) == 1 else old.copy()
                new[lanes] = value
                registers[name] = new

    def arrive(self, target: int, lanes: np.ndarray | None, step: int) -> None:
        if target < 0 or target >= len(self.blocks):
            self.alive[slice(None) if lanes is None else lanes] = False
            if self.waiting:
                self.release()
            return
        there = self.groups.get(target)
        if there is None:
            self.groups[target] = (lanes, step)
            return
        merged = np.sort(np.concatenate([there[0], lanes]))
        self.groups[target] = (None if len(merged) == self.frame.count else merged, there[1])

    def release(self) -> bool:
        """Let go who has waited for all that he waits for; whether somebody has."""
        gone = False
        for at in list(self.waiting):
            if at not in self.waiting:
                continue
            sync = self.blocks[at].sync
            free = self._complete(at, sync)
            for place in [k for k in self.waiting if k == at or (sync.anywhere and self._same(k, sync))]:
                lanes = self.waiting[place]
                ready = free[lanes]
                if not ready.any():
                    continue
                gone = True
                going, staying = lanes[ready], lanes[~ready]
                if len(staying):
                    self.waiting[place] = staying
                else:
                    del self.waiting[place]
                self._pass(place, going)
        return gone

    def _same(self, place: int, sync: Sync) -> bool:
        return self.blocks[place].sync.anywhere and self.blocks[place].sync.scope == sync.scope

    def _pass(self, place: int, lanes: np.ndarray) -> None:
        every = None if len(lanes) == self.frame.count else lanes
        block = self.blocks[place]
        env = Env(self.frame, every)
        if block.sync.run is not None:
            block.sync.run(self.frame, lanes, env)
            self.keep(block, env, every)
        self.arrive(place + 1, every, 0)

    def _complete(self, at: int, sync: Sync) -> np.ndarray:
        """Of all lanes, which have waited long enough if they wait here."""
        threads = self.frame.threads
        together = [k for k in self.waiting if k == at or (sync.anywhere and self._same(k, sync))]
        arrived = np.zeros(self.frame.count, bool)
        for place in together:
            arrived[self.waiting[place]] = True
        if sync.scope == "grid":
            return np.full(self.frame.count, bool((arrived | ~self.alive).all()))
        if sync.scope == "barrier":
            missing = np.bincount(threads.block[self.alive & ~arrived], minlength=int(threads.block.max()) + 1)
            return missing[threads.block] == 0
        bits = np.uint32(1) << threads.lane.astype(np.uint32)
        missing = np.zeros(int(threads.warp.max()) + 1, np.uint32)
        late = self.alive & ~arrived
        np.bitwise_or.at(missing, threads.warp[late], bits[late])
        complete = np.zeros(self.frame.count, bool)
        for place in together:
            lanes = self.waiting[place]
            env = Env(self.frame, None if len(lanes) == self.frame.count else lanes)
            mask = env.all(self.blocks[place].sync.mask(env))
            complete[lanes] = (missing[threads.warp[lanes]] & mask) == 0
        # One goes when all that its mask names may go.
        return complete


class Machine:
    """Runs kernels of a module.

    Parameters
    ----------
    module : Module
    buffers : sequence of numpy.ndarray, uint8
        Device memory; `addresses` says where each lies, and after a launch they hold what the kernel left.
    steps : int
        How many blocks may be gone through, in all; any number if it is zero.
    fuse : bool
        Whether an unmodified product and sum are done as one fused instruction, as the assembler may do it (9.7.3).

    Attributes
    ----------
    addresses : list of int
    printed : list of str
        What kernels printed.
    """

    def __init__(self, module: Module, buffers: Sequence[np.ndarray] = (), steps: int = 0, fuse: bool = False):
        self.module, self.buffers, self.most, self.fuse = module, list(buffers), steps, fuse
        self.printed: list[str] = []
        self.programs: dict[str, Program] = {}
        self.taken = 0
        self.addresses: list[int] = []

    def step(self, at: int) -> None:
        self.taken += 1
        if self.most and self.taken > self.most:
            raise TooLong(f"more than {self.most} steps")

    def program(self, name: str) -> Program:
        if name not in self.programs:
            self.programs[name] = Program(self.module.functions[name], self)
        return self.programs[name]

    def prepare(self, shared: int, blocks: int, threads: int) -> None:
        """Set memory apart for variables, buffers and blocks."""
        total = 1 << 16
        for each in self.module.variables.values():
            total += each.size + 2 * GUARD
        total += sum(b.nbytes + 2 * GUARD + 256 for b in self.buffers) + blocks * (shared + 2 * GUARD + 256)
        self.memory = Memory(total + ARENA)
        self.symbols: dict[str, np.ndarray] = {}
        self._shared = [v for v in self.module.variables.values() if v.space == "shared"]
        for each in self.module.variables.values():
            if each.space != "shared":
                self.symbols[each.name] = np.array([self.memory.allocate(max(each.size, 1), each.align)], np.uint64)
        for each in self.module.variables.values():
            if each.space != "shared":
                self._initialise(each)
        self.addresses = []
        for each in self.buffers:
            start = self.memory.allocate(each.nbytes)
            self.memory.bytes[start : start + each.nbytes] = each
            self.addresses.append(start)

    def _initialise(self, variable: Variable) -> None:
        start = int(self.symbols[variable.name][0])
        for place, value in variable.initial:
            if isinstance(value, str):
                value = int(self.symbols[value][0]).to_bytes(8, "little")
            self.memory.bytes[start + place : start + place + len(value)] = np.frombuffer(value, np.uint8)

    def launch(
        self,
        name: str,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        arguments: Sequence[bytes] | Callable[[list[int]], Sequence[bytes]],
        shared: int = 0,
        together: bool = False,
    ) -> None:
        """Run a kernel over a grid.

        Parameters
        ----------
        arguments
            The bytes of each parameter; or a function that makes them, given the buffers' addresses.
        shared : int
            Bytes of dynamic shared memory.
        together : bool
            Whether blocks wait for each other.

        Raises
        ------
        PtxError
            For an instruction that is not known, with its line; and for what would stop a GPU.
        """
        function = self.module.functions[name]
        static = [v for v in (*self._module_shared(), *function.variables) if v.space == "shared"]
        per_block = sum(-(-v.size // max(v.align, 16)) * max(v.align, 16) + 16 for v in static) + shared + 64
        blocks, size = grid[0] * grid[1] * grid[2], block[0] * block[1] * block[2]
        at_once = blocks if together else max(1, min(blocks, LANES // size))
        self.prepare(per_block, at_once, size)
        values = arguments(self.addresses) if callable(arguments) else arguments
        if len(values) != len(function.params):
            raise PtxError(f"{name} takes {len(function.params)} parameters, {len(values)} were given")
        program = self.program(name)
        for param, value in zip(function.params, values, strict=True):
            start = self.memory.allocate(max(param.size, len(value)), max(param.align, 8))
            self.memory.bytes[start : start + len(value)] = np.frombuffer(value, np.uint8)
            self.symbols[param.name] = np.array([start], np.uint64)
        bottom = self.memory.end
        with np.errstate(all="ignore"):
            for first in range(0, blocks, at_once):
                chosen = np.arange(first, min(first + at_once, blocks))
                self.memory.free(bottom)
                threads = self._threads(chosen, grid, block, static, shared)
                Frame(self, program, threads).run()
        for each, start in zip(self.buffers, self.addresses, strict=True):
            each[...] = self.memory.bytes[start : start + each.nbytes]

    def _module_shared(self) -> list[Variable]:
        return [v for v in self.module.variables.values() if v.space == "shared"]

    def _threads(self, blocks: np.ndarray, grid: tuple, block: tuple, static: list[Variable], dynamic: int) -> Threads:
        size = block[0] * block[1] * block[2]
        linear = np.tile(np.arange(size, dtype=np.uint32), len(blocks))
        number = np.repeat(np.arange(len(blocks)), size)
        special = {}
        for axis, stride in zip("xyz", (1, block[0], block[0] * block[1]), strict=True):
            extent = block["xyz".index(axis)]
            special[f"%tid.{axis}"] = (
                linear // np.uint32(stride) % np.uint32(extent) if extent > 1 else np.zeros(1, np.uint32)
            )
            special[f"%ntid.{axis}"] = np.array([extent], np.uint32)
        where = np.repeat(blocks.astype(np.uint32), size)
        for axis, stride in zip("xyz", (1, grid[0], grid[0] * grid[1]), strict=True):
            extent = grid["xyz".index(axis)]
            at = where // np.uint32(stride) % np.uint32(extent) if extent > 1 else np.zeros(1, np.uint32)
            special[f"%ctaid.{axis}"] = at
            special[f"%nctaid.{axis}"] = np.array([extent], np.uint32)
        lane = linear % np.uint32(32)
        special["%laneid"] = lane
        special["%warpid"] = linear // np.uint32(32)
        special["%nwarpid"] = np.array([64], np.uint32)
        special["%WARP_SZ"] = np.array([32], np.uint32)
        bit = np.uint32(1) << lane
        special["%lanemask_eq"], special["%lanemask_lt"] = bit, bit - np.uint32(1)
        special["%lanemask_le"] = bit | (bit - np.uint32(1))
        special["%lanemask_gt"], special["%lanemask_ge"] = ~special["%lanemask_le"], ~(bit - np.uint32(1))
        special["%smid"] = (where % np.uint32(108)).astype(np.uint32)
        special["%nsmid"] = np.array([108], np.uint32)
        special["%gridid"] = np.array([1], np.uint64)
        for name, dtype in (("%clock", "u4"), ("%clock64", "u8"), ("%globaltimer", "u8"), ("%clock_hi", "u4")):
            special[name] = np.zeros(1, dtype)
        special["%dynamic_smem_size"] = np.array([dynamic], np.uint32)
        special["%total_smem_size"] = np.array([dynamic + sum(v.size for v in static)], np.uint32)
        for k in range(32):
            special[f"%envreg{k}"] = np.zeros(1, np.uint32)
        warps = -(-size // 32)
        shared = self._share(len(blocks), number, static, dynamic)
        return Threads(len(linear), number, number * warps + (linear // 32).astype(np.int64), lane, special, shared)

    def _share(self, count: int, number: np.ndarray, static: list[Variable], dynamic: int) -> dict[str, np.ndarray]:
        """Shared memory of each block, filled with what means nothing; the dynamic part lies behind the rest."""
        places, end = {}, 0
        for each in sorted(static, key=lambda v: v.size == 0):
            align = max(each.align, 16)
            end = -(-end // align) * align
            places[each.name] = end
            end += each.size
        size = -(-(end + dynamic) // 256) * 256 or 256
        made: dict[str, np.ndarray] = {}
        if static or dynamic:
            starts = np.empty(count, np.uint64)
            for k in range(count):
                start = self.memory.allocate(end + dynamic, 256)
                self.memory.bytes[start : start + end + dynamic] = 0xA5
                starts[k] = start
            made = {name: starts[number] + np.uint64(place) for name, place in places.items()}
        self.shared_size = size
        return made


class _Translator:
    """Makes blocks of steps of a function's instructions."""

    def __init__(self, program: Program):
        self.program, self.function, self.machine = program, program.function, program.machine
        self.registers = self.function.registers

    def translate(self) -> None:
        code = self.function.code
        starts = {0, *self.function.labels.values()}
        for k, each in enumerate(code):
            if _ends(each) or _apart(each):
                starts |= {k + 1}
            if _apart(each) or _syncs(each):
                starts |= {k}
        starts = sorted(k for k in starts if k <= len(code))
        self.index: dict[int, int] = {}
        blocks: list[Block] = []
        pieces: list[tuple[Block, int, int]] = []
        for start, end in zip(starts, [*starts[1:], len(code)], strict=True):
            self.index[start] = len(blocks)
            if end > start and code[start].guard is not None and _apart(code[start]) and code[start].root != "bra":
                # A guarded instruction that is more than a function of registers is one that some go around.
                around = Block()
                blocks.append(around)
                pieces.append((around, start, -1))
            block = Block()
            blocks.append(block)
            pieces.append((block, start, end))
        self.count = len(blocks)
        for number, (block, start, end) in enumerate(pieces):
            if end < 0:
                guard = code[start].guard
                block.read.add(guard.name)
                block.ending = _branch(guard, number + 2, number + 1, around=True)
                continue
            for each in code[start:end]:
                self.instruction(each, block, number)
        exposed = set().union(*(b.read for b in blocks)) if blocks else set()
        for block in blocks:
            block.kept = tuple(block.written & exposed)
        self.program.blocks = blocks

    def target(self, label: str) -> int:
        return self.index[self.function.labels[label]]

    # Operands

    def value(self, operand: Any, kind: str, block: Block, where: Instruction) -> Callable[[Env], np.ndarray]:
        """How to get an operand as an array of a PTX type."""
        dtype = TYPES[kind]
        if isinstance(operand, Register):
            name = operand.name
            if name == "_":
                return lambda env: np.zeros(1, dtype)
            self.reads(block, name)
            bits = self.bits(name, where)
            if kind == "pred":
                return (lambda env: ~env[name]) if operand.negated else (lambda env: env[name])
            if bits == 8 * dtype.itemsize:
                return lambda env: env[name].view(dtype)
            narrow = np.dtype(f"u{dtype.itemsize}")
            return lambda env: env[name].astype(narrow).view(dtype)
        if isinstance(operand, Number):
            made = constant(operand, kind)
            return lambda env: made
        if isinstance(operand, Symbol):
            return self.symbol(operand, dtype, where)
        raise where.wrong("an operand of an unknown form")

    def symbol(self, operand: Symbol, dtype: np.dtype, where: Instruction) -> Callable[[Env], np.ndarray]:
        name, offset = operand.name, np.uint64(operand.offset % (1 << 64))
        unsigned = np.dtype(f"u{dtype.itemsize}")

        def get(env: Env) -> np.ndarray:
            frame = env.frame
            for table in (frame.symbols, frame.threads.shared, frame.machine.symbols):
                if name in table:
                    found = table[name]
                    if env.lanes is not None and len(found) != 1:
                        found = found[env.lanes]
                    return (found + offset).astype(unsigned).view(dtype)
            raise where.wrong(f"no variable {name}")

        return get

    def bits(self, name: str, where: Instruction) -> int:
        if name in self.registers:
            return self.registers[name]
        if name in ("%clock64", "%globaltimer", "%gridid"):
            return 64
        if re.match(
            r"%(n?tid|n?ctaid)\.[xyz]\Z|%(laneid|n?warpid|lanemask_\w\w|n?smid|clock|clock_hi|envreg\d+|\w+_smem_size)\Z",
            name,
        ):
            return 32
        raise where.wrong(f"no register {name}")

    def reads(self, block: Block, name: str) -> None:
        if name not in block.written:
            block.read.add(name)

    def setter(self, operand: Any, kind: str, block: Block, where: Instruction) -> Callable[[Env, np.ndarray], None]:
        """How to put an array of a PTX type into a register: extended by its sign or zeros to the register's width."""
        if not isinstance(operand, Register):
            raise where.wrong("a result of an unknown form")
        name = operand.name
        if name == "_":
            return lambda env, value: None
        block.written.add(name)
        block.products.discard(name)
        if kind == "pred":
            return lambda env, value: env.__setitem__(name, value)
        bits, dtype = self.bits(name, where), TYPES[kind]
        unsigned = np.dtype(f"u{bits // 8}")
        if bits == 8 * dtype.itemsize:
            return lambda env, value: env.__setitem__(name, value.view(unsigned))
        signed = np.dtype(f"i{bits // 8}" if dtype.kind == "i" else f"u{bits // 8}")
        if dtype.kind == "f":  # a half in a wider register
            return lambda env, value: env.__setitem__(name, value.view(f"u{dtype.itemsize}").astype(unsigned))
        return lambda env, value: env.__setitem__(name, value.astype(signed).view(unsigned))

    # Instructions

    def instruction(self, each: Instruction, block: Block, number: int) -> None:
        try:
            if (special := getattr(self, f"do_{each.root}", None)) is not None:
                special(each, block, number)
            else:
                self.pure(each, block)
        except PtxError:
            raise
        except (opcodes.UnknownError, KeyError, IndexError, ValueError) as error:
            raise each.wrong("an instruction that is not known here") from error

    def pure(self, each: Instruction, block: Block) -> None:
        """A function of registers."""
        first = each.operands[0] if each.operands else None
        root = each.root + ("|" if isinstance(first, Group) and each.root == "setp" else "")
        make = opcodes.TABLE.get(root)
        if make is None:
            raise each.wrong("an instruction that is not known here")
        op = make(each.modifiers)
        targets = first.items if isinstance(first, Group) else (first,)
        gets = [self.value(o, kind, block, each) for o, kind in zip(each.operands[1:], op.reads, strict=True)]
        if self.machine.fuse and each.modifiers in (("f32",), ("f64",)):
            if each.root in ("add", "sub"):
                op, gets = self.fused(each, block, op, gets)
            elif each.root == "mul" and each.guard is None:
                self.keep_factors(each, block, gets)
        for target in targets:
            block.products.discard(target.name)
        self.finish(each, block, op, gets, targets)
        if self.machine.fuse and each.root == "mul" and each.modifiers in (("f32",), ("f64",)) and each.guard is None:
            block.products.add(first.name)

    def keep_factors(self, each: Instruction, block: Block, gets: list) -> None:
        """Keep what a product is made of: the assembler may make one instruction of it and a sum."""
        name = f"{each.operands[0].name} factors"
        block.steps.append(lambda env: env.__setitem__(name, tuple(get(env) for get in gets)))

    def fused(self, each: Instruction, block: Block, op: opcodes.Op, gets: list) -> tuple[opcodes.Op, list]:
        """A sum of which one part is a product of this block, as one fused instruction."""
        kind = each.modifiers[0]
        for k, operand in enumerate(each.operands[1:]):
            if isinstance(operand, Register) and operand.name in block.products:
                name, other, less = f"{operand.name} factors", gets[1 - k], each.root == "sub"

                def whole(a, b, c, k=k, less=less):
                    if not less:
                        return opcodes.fma(a, b, c)
                    return opcodes.fma(a, b, -c) if k == 0 else opcodes.fma(-a, b, c)

                parts = [lambda env, n=n, name=name: env[name][n] for n in (0, 1)]
                return opcodes.Op(whole, (kind,) * 3, (kind,)), [*parts, other]
        return op, gets

    def finish(self, each: Instruction, block: Block, op: opcodes.Op, gets: list, targets: tuple) -> None:
        if "r" in op.carry:
            self.reads(block, "%cc")
            gets = [*gets, lambda env: env["%cc"]]
        guard = self.guard(each, block)
        olds = [self.value(t, k, block, each) for t, k in zip(targets, op.writes, strict=True)] if guard else []
        puts = [self.setter(t, kind, block, each) for t, kind in zip(targets, op.writes, strict=True)]
        if "w" in op.carry:
            block.written.add("%cc")
            puts.append(lambda env, value: env.__setitem__("%cc", value))
        function = op.function
        many = len(puts) > 1

        def step(env: Env) -> None:
            made = function(*[get(env) for get in gets])
            if guard is None and not many:
                puts[0](env, made)
                return
            values = made if many else (made,)
            if guard is not None:
                allowed = guard(env)
                values = [np.where(allowed, new, old(env)) for new, old in zip(values, olds, strict=False)]
            for put, value in zip(puts, values, strict=True):
                put(env, value)

        block.steps.append(step)

    def guard(self, each: Instruction, block: Block) -> Callable | None:
        return None if each.guard is None else self.value(each.guard, "pred", block, each)

    def do_mov(self, each: Instruction, block: Block, number: int) -> None:
        kind = each.modifiers[-1]
        target, source = each.operands
        if isinstance(source, Group):  # packed
            count = len(source.items)
            part = _part(each, kind, count)
            gets = [self.value(o, part, block, each) for o in source.items]

            def pack(*values):
                whole, dtype = np.zeros(1, TYPES[kind]), TYPES[kind].type
                for k, value in enumerate(values):
                    whole = whole | (value.astype(TYPES[kind]) << dtype(8 * TYPES[part].itemsize * k))
                return whole

            self.finish(each, block, opcodes.Op(pack, (), (kind,)), gets, (target,))
        elif isinstance(target, Group):
            count = len(target.items)
            part = _part(each, kind, count)
            bits = 8 * TYPES[part].itemsize

            def unpack(value):
                return tuple((value >> value.dtype.type(bits * k)).astype(TYPES[part]) for k in range(count))

            get = self.value(source, kind, block, each)
            op = opcodes.Op((lambda v: unpack(v)[0]) if count == 1 else unpack, (), (part,) * count)
            self.finish(each, block, op, [get], target.items)
        else:
            if kind == "b128":
                raise each.wrong("an instruction that is not known here")
            get = self.value(source, kind, block, each)
            self.finish(each, block, opcodes.Op(lambda v: v, (), (kind,)), [get], (target,))

    def do_cvt(self, each: Instruction, block: Block, number: int) -> None:
        # An integer's type may be narrower than the register it is read from, never than the one it is put in.
        self.pure(each, block)

    def do_cvta(self, each: Instruction, block: Block, number: int) -> None:
        kind = each.modifiers[-1]
        get = self.value(each.operands[1], kind, block, each)
        self.finish(each, block, opcodes.Op(lambda v: v, (), (kind,)), [get], (each.operands[0],))

    def do_isspacep(self, each: Instruction, block: Block, number: int) -> None:
        space = each.modifiers[0]
        get = self.value(each.operands[1], "u64", block, each)

        def test(env: Env) -> np.ndarray:
            frame, address = env.frame, get(env)
            tables = {"shared": frame.threads.shared, "local": frame.symbols, "const": {}, "param": {}}
            if space != "global":
                return self._within(frame, tables.get(space, {}), address, env)
            inside = [self._within(frame, table, address, env) for table in (frame.threads.shared, frame.symbols)]
            return ~(inside[0] | inside[1])

        self.finish(each, block, opcodes.Op(lambda v: v, (), ("pred",)), [test], (each.operands[0],))

    def _within(self, frame: Frame, table: dict[str, np.ndarray], address: np.ndarray, env: Env) -> np.ndarray:
        found = np.zeros(len(address), bool)
        for start in table.values():
            low = np.uint64(start.min())
            found |= (address >= low) & (address < np.uint64(int(start.max()) + frame.machine.shared_size + (1 << 16)))
        return found

    def do_nop(self, each: Instruction, block: Block, number: int) -> None:
        """Fences and hints: one group's accesses are done before another's begin."""

    do_membar = do_fence = do_prefetch = do_prefetchu = do_nanosleep = do_applypriority = do_discard = do_pmevent = (
        do_nop
    )
    do_griddepcontrol = do_setmaxnreg = do_nop

    # Memory

    def address(self, operand: Address, block: Block, each: Instruction) -> Callable[[Env], np.ndarray]:
        offset = np.uint64(operand.offset % (1 << 64))
        base = operand.base
        if isinstance(base, Register):
            wide = self.bits(base.name, each) == 64
            get = self.value(base, "u64" if wide else "u32", block, each)
            if wide:
                return lambda env: get(env) + offset
            return lambda env: (get(env) + offset.astype(np.uint32)).astype(np.uint64)
        get = self.value(base, "u64", block, each)
        return lambda env: get(env) + offset

    def own_param(self, operand: Address, each: Instruction) -> tuple[str, int] | None:
        """The key of a parameter of a call, which lies in no memory; None for a kernel's own."""
        if not isinstance(operand.base, Symbol):
            return None
        kernels = {p.name for p in self.function.params} if self.function.kernel else set()
        return None if operand.base.name in kernels else (operand.base.name, operand.base.offset + operand.offset)

    def do_ld(self, each: Instruction, block: Block, number: int) -> None:
        kind = each.modifiers[-1]
        targets = each.operands[0].items if isinstance(each.operands[0], Group) else (each.operands[0],)
        if "param" in each.modifiers and (key := self.own_param(each.operands[1], each)) is not None:
            for k, target in enumerate(targets):
                self._load_param(each, block, (key[0], key[1] + k * TYPES[kind].itemsize), kind, target)
            return
        get, width = self.address(each.operands[1], block, each), TYPES[kind].itemsize
        puts = [self.setter(target, kind, block, each) for target in targets]
        dtype = TYPES[kind]

        def step(env: Env) -> None:
            addresses = get(env)
            memory = env.frame.machine.memory
            try:
                for k, put in enumerate(puts):
                    put(env, memory.load(addresses + np.uint64(k * width), width).view(dtype))
            except Fault as fault:
                raise Fault(str(fault), each.line, each.text) from None

        block.steps.append(step)

    do_ldu = do_ld

    def _load_param(self, each: Instruction, block: Block, key: tuple[str, int], kind: str, target: Register) -> None:
        put, dtype = self.setter(target, kind, block, each), TYPES[kind]

        def step(env: Env) -> None:
            value = env.frame.params.get(key)
            if value is None or value.dtype.itemsize != dtype.itemsize:
                raise each.wrong(f"a parameter of a call that is read in other pieces than it was written in, {key}")
            if env.lanes is not None and len(value) != 1:
                value = value[env.lanes]
            put(env, value.view(dtype))

        block.steps.append(step)

    def do_st(self, each: Instruction, block: Block, number: int) -> None:
        kind = each.modifiers[-1]
        sources = each.operands[1].items if isinstance(each.operands[1], Group) else (each.operands[1],)
        gets = [self.value(source, kind, block, each) for source in sources]
        width, unsigned = TYPES[kind].itemsize, np.dtype(f"u{TYPES[kind].itemsize}")
        if "param" in each.modifiers and (key := self.own_param(each.operands[0], each)) is not None:

            def put_param(env: Env) -> None:
                params, lanes, count = env.frame.params, env.lanes, env.frame.count
                for k, get in enumerate(gets):
                    one, value = (key[0], key[1] + k * width), get(env)
                    if lanes is not None:
                        old = params.get(one)
                        kept = (
                            np.zeros(count, value.dtype)
                            if old is None or old.dtype != value.dtype
                            else env_full(old, count)
                        )
                        kept[lanes] = value
                        value = kept
                    params[one] = value

            block.steps.append(put_param)
            return
        address = self.address(each.operands[0], block, each)

        def step(env: Env) -> None:
            at, memory = address(env), env.frame.machine.memory
            try:
                for k, get in enumerate(gets):
                    value = get(env).view(unsigned)
                    place = at + np.uint64(k * width)
                    if len(place) == 1 and len(value) > 1:
                        value = value[-1:]
                    memory.store(place, width, value)
            except Fault as fault:
                raise Fault(str(fault), each.line, each.text) from None

        block.steps.append(step)

    def do_atom(self, each: Instruction, block: Block, number: int) -> None:
        reduced = each.root == "red"
        operands = each.operands if reduced else each.operands[1:]
        kind = each.modifiers[-1]
        name = next(m for m in each.modifiers if m in _ATOMICS)
        address = self.address(operands[0], block, each)
        gets = [self.value(o, kind, block, each) for o in operands[1:]]
        needed = not reduced and not (isinstance(each.operands[0], Register) and each.operands[0].name == "_")
        put = self.setter(each.operands[0], kind, block, each) if needed else None
        dtype = TYPES[kind]
        combine = _ATOMICS[name]

        def step(env: Env) -> None:
            memory = env.frame.machine.memory
            try:
                places = memory.places(env.all(address(env)), dtype.itemsize)
            except Fault as fault:
                raise Fault(str(fault), each.line, each.text) from None
            old = _atomic(memory.views[dtype.itemsize].view(dtype), places, combine, [env.all(g(env)) for g in gets])
            if put is not None:
                put(env, old)

        block.steps.append(step)

    do_red = do_atom

    # Control

    def do_bra(self, each: Instruction, block: Block, number: int) -> None:
        target = self.target(each.operands[0].name)
        if each.guard is None:
            block.ending = lambda frame, lanes, env: [(target, lanes)]
            return
        self.reads(block, each.guard.name)
        block.ending = _branch(each.guard, target, number + 1)

    def do_brx(self, each: Instruction, block: Block, number: int) -> None:
        get = self.value(each.operands[0], "u32", block, each)
        targets = [self.target(label) for label in self.function.targets[each.operands[1].name]]

        def ending(frame, lanes, env):
            chosen = env.all(get(env))
            here = np.arange(frame.count) if lanes is None else lanes
            ways = [(targets[k], here[chosen == k]) for k in np.unique(chosen)]
            return [(t, None if len(some) == frame.count else some) for t, some in ways]

        block.ending = ending

    def do_ret(self, each: Instruction, block: Block, number: int) -> None:
        block.ending = lambda frame, lanes, env: [(-1, lanes)]

    def do_exit(self, each: Instruction, block: Block, number: int) -> None:
        if not self.function.kernel:
            raise each.wrong("an exit in a function that is called")
        self.do_ret(each, block, number)

    def do_trap(self, each: Instruction, block: Block, number: int) -> None:
        def step(env: Env) -> None:
            raise Fault("a trap", each.line, each.text)

        block.steps.append(step)

    do_brkpt = do_trap

    def do_call(self, each: Instruction, block: Block, number: int) -> None:
        operands = list(each.operands)
        returned = operands.pop(0).items if isinstance(operands[0], Group) else ()
        callee = operands.pop(0).name
        given = operands[0].items if operands and isinstance(operands[0], Group) else ()
        if callee == "cudaCGSynchronize":  # all blocks of the grid wait for each other
            block.sync = Sync(
                each, "grid", run=lambda frame, lanes, env: _zero(env, each, [], [p.name for p in returned])
            )
            return
        if callee in self.machine.module.functions:

            def step(env: Env) -> None:
                self._call(env, callee, [p.name for p in given], [p.name for p in returned])

        elif callee in _SYSTEM:

            def step(env: Env) -> None:
                _SYSTEM[callee](env, each, [p.name for p in given], [p.name for p in returned])

        else:
            raise each.wrong(f"a call of {callee}, which is not here")
        block.steps.append(step)

    def _call(self, env: Env, callee: str, given: list[str], returned: list[str]) -> None:
        machine, frame = env.frame.machine, env.frame
        program = machine.program(callee)
        bottom = machine.memory.end
        inner = Frame(machine, program, frame.threads.part(env.lanes))
        for mine, param in zip(given, program.function.params, strict=True):
            for (name, offset), value in list(frame.params.items()):
                if name == mine:
                    part = value if env.lanes is None or len(value) == 1 else value[env.lanes]
                    inner.params[param.name, offset] = part
        inner.run()
        for mine, param in zip(returned, program.function.returns, strict=True):
            for (name, offset), value in list(inner.params.items()):
                if name == param.name:
                    _put_param(env, (mine, offset), value)
        machine.memory.free(bottom)

    # Threads together

    def do_bar(self, each: Instruction, block: Block, number: int) -> None:
        if "warp" in each.modifiers:
            mask = self.value(each.operands[0], "b32", block, each)
            block.sync = Sync(each, "warp", mask, anywhere=True)
            return
        if "arrive" in each.modifiers:
            raise each.wrong("an instruction that is not known here")
        if "red" not in each.modifiers:
            if len(each.operands) > 1:
                raise each.wrong("a barrier for a part of a block, which is not known here")
            block.sync = Sync(each, "barrier", anywhere=True)
            return
        put = self.setter(each.operands[0], each.modifiers[-1], block, each)
        get = self.value(each.operands[-1], "pred", block, each)
        name = next(m for m in each.modifiers if m in ("popc", "and", "or"))

        def run(frame: Frame, lanes: np.ndarray, env: Env) -> None:
            of = frame.threads.block[lanes]
            some = np.bincount(of[env.all(get(env))], minlength=int(frame.threads.block.max()) + 1)
            count = np.bincount(of, minlength=len(some))
            made = {"popc": some.astype(np.uint32), "and": some == count, "or": some > 0}[name]
            put(env, made[of])

        block.sync = Sync(each, "barrier", run=run)

    do_barrier = do_bar

    def do_shfl(self, each: Instruction, block: Block, number: int) -> None:
        target, source, shift, clamp, mask = each.operands
        valid = None
        if isinstance(target, Group):
            target, second = target.items
            valid = self.setter(second, "pred", block, each)
        put = self.setter(target, "b32", block, each)
        gets = [self.value(o, "b32", block, each) for o in (source, shift, clamp)]
        way = next(m for m in each.modifiers if m in ("up", "down", "bfly", "idx"))

        def run(frame: Frame, lanes: np.ndarray, env: Env) -> None:
            a, b, c = (env.all(get(env)) for get in gets)
            lane = frame.threads.lane[lanes].astype(np.int64)
            b, limit, segment = b.astype(np.int64) & 31, c.astype(np.int64) & 31, (c.astype(np.int64) >> 8) & 31
            last, first = (lane & segment) | (limit & ~segment), lane & segment
            place = {"up": lane - b, "down": lane + b, "bfly": lane ^ b, "idx": first | (b & ~segment)}[way]
            inside = place >= last if way == "up" else place <= last
            place = np.where(inside, place, lane)
            # What each lane gives, by its warp and its place there; of one that is not there, nothing is defined.
            table = np.zeros((int(frame.threads.warp.max()) + 1) * 32, np.uint32)
            at = frame.threads.warp[lanes].astype(np.int64) * 32
            table[at + lane] = a
            put(env, table[at + place])
            if valid is not None:
                valid(env, inside)

        block.sync = Sync(each, "warp", self.value(mask, "b32", block, each), run=run)

    def _warp(self, each: Instruction, block: Block, mask: Any, run: Callable) -> None:
        """An instruction of those lanes that name each other: ``run(warp numbers, lanes' bits, env)`` gives results."""
        block.sync = Sync(each, "warp", self.value(mask, "b32", block, each), run=run)

    def do_vote(self, each: Instruction, block: Block, number: int) -> None:
        kind = each.modifiers[-1]
        put = self.setter(each.operands[0], kind, block, each)
        get = self.value(each.operands[1], "pred", block, each)
        mask = self.value(each.operands[2], "b32", block, each)
        way = next(m for m in each.modifiers if m in ("all", "any", "uni", "ballot"))

        def run(frame: Frame, lanes: np.ndarray, env: Env) -> None:
            yes = env.all(get(env))
            voted, there = (
                _ballot(frame, lanes, some) & env.all(mask(env)) for some in (yes, np.ones(len(lanes), bool))
            )
            if way == "ballot":
                put(env, voted)
            else:
                put(env, {"all": voted == there, "any": voted != 0, "uni": (voted == 0) | (voted == there)}[way])

        block.sync = Sync(each, "warp", mask, run=run)

    def do_activemask(self, each: Instruction, block: Block, number: int) -> None:
        put = self.setter(each.operands[0], "b32", block, each)

        def step(env: Env) -> None:
            lanes = np.arange(env.frame.count) if env.lanes is None else env.lanes
            put(env, _ballot(env.frame, lanes, np.ones(len(lanes), bool)))

        block.steps.append(step)

    def do_match(self, each: Instruction, block: Block, number: int) -> None:
        kind = each.modifiers[-1]
        target, same = each.operands[0].items if isinstance(each.operands[0], Group) else (each.operands[0], None)
        put = self.setter(target, "b32", block, each)
        put_same = self.setter(same, "pred", block, each) if same is not None else None
        get = self.value(each.operands[1], kind, block, each)
        mask = self.value(each.operands[2], "b32", block, each)

        def run(frame: Frame, lanes: np.ndarray, env: Env) -> None:
            values, named = env.all(get(env)), env.all(mask(env))
            warp = frame.threads.warp[lanes]
            bits = np.uint32(1) << frame.threads.lane[lanes].astype(np.uint32)
            _, group = np.unique(
                np.stack([warp.astype(np.uint64), values.astype(np.uint64)]), axis=1, return_inverse=True
            )
            sums = np.zeros(int(group.max()) + 1, np.uint32)
            np.bitwise_or.at(sums, group.reshape(-1), bits)
            matched = sums[group.reshape(-1)] & named
            if "any" in each.modifiers:
                put(env, matched)
                return
            all_same = matched == (_ballot(frame, lanes, np.ones(len(lanes), bool)) & named)
            put(env, np.where(all_same, matched, np.uint32(0)))
            if put_same is not None:
                put_same(env, all_same)

        block.sync = Sync(each, "warp", mask, run=run)

    def do_redux(self, each: Instruction, block: Block, number: int) -> None:
        kind = each.modifiers[-1]
        put = self.setter(each.operands[0], kind, block, each)
        get = self.value(each.operands[1], kind, block, each)
        mask = self.value(each.operands[2], "b32", block, each)
        name = next(m for m in each.modifiers if m in _REDUCTIONS)

        def run(frame: Frame, lanes: np.ndarray, env: Env) -> None:
            values, named = env.all(get(env)), env.all(mask(env))
            key = frame.threads.warp[lanes].astype(np.int64) << 32 | named.astype(np.int64)
            made = np.empty(len(lanes), TYPES[kind])
            for one in np.unique(key):
                made[key == one] = _REDUCTIONS[name].reduce(values[key == one], dtype=TYPES[kind])
            put(env, made)

        block.sync = Sync(each, "warp", mask, run=run)

    def do_elect(self, each: Instruction, block: Block, number: int) -> None:
        raise each.wrong("an instruction that is not known here")


def constant(number: Number, kind: str) -> np.ndarray:
    """An immediate as an array of one item."""
    dtype = TYPES[kind]
    if kind == "pred":
        return np.array([number.value != 0])
    bits = number.value
    if number.bits == 64 and kind == "f32":
        return np.array([bits], np.uint64).view(np.float64).astype(np.float32)
    if dtype.kind == "f" and not number.bits:
        return np.array([bits], dtype)
    return np.array([bits % (1 << (8 * dtype.itemsize))], f"u{dtype.itemsize}").view(dtype)


def env_full(value: np.ndarray, count: int) -> np.ndarray:
    """A copy with an item for each lane."""
    return np.repeat(value, count) if len(value) == 1 else value.copy()


def _put_param(env: Env, key: tuple[str, int], value: np.ndarray) -> None:
    params = env.frame.params
    if env.lanes is not None:
        old = params.get(key)
        kept = (
            np.zeros(env.frame.count, value.dtype) if old is None else env_full(old, env.frame.count).view(value.dtype)
        )
        kept[env.lanes] = value
        value = kept
    params[key] = value


def _part(each: Instruction, kind: str, count: int) -> str:
    bits = 8 * TYPES[kind].itemsize // count
    if f"b{bits}" not in TYPES:
        raise each.wrong("an instruction that is not known here")
    return f"b{bits}"


def _ends(each: Instruction) -> bool:
    """Whether a basic block ends behind an instruction."""
    return each.root in ("bra", "brx", "ret", "exit") or _syncs(each)


_SYNCING = ("shfl", "vote", "match", "redux", "elect")


def _syncs(each: Instruction) -> bool:
    return each.root in ("bar", "barrier") or (each.root in _SYNCING and "sync" in each.modifiers)


_IMPURE = (
    "ld",
    "ldu",
    "st",
    "atom",
    "red",
    "trap",
    "brkpt",
    "call",
    "activemask",
    "ret",
    "exit",
    "bar",
    "barrier",
    *_SYNCING,
)


def _apart(each: Instruction) -> bool:
    """Whether an instruction has a guard and is more than a function of registers."""
    return (each.guard is not None and each.root in _IMPURE) or (each.root == "call")


def _branch(guard: Register, target: int, following: int, around: bool = False) -> Callable:
    """The ending of a block that a predicate decides; `around`: those go to the target that it does not let on."""
    negated = guard.negated != around

    def ending(frame: Frame, lanes: np.ndarray | None, env: Env) -> list:
        taken = env[guard.name]
        if negated:
            taken = ~taken
        if len(taken) == 1 or taken.all() or not taken.any():
            return [(target if taken[0] else following, lanes)]
        here = np.flatnonzero(taken) if lanes is None else lanes[taken]
        rest = np.flatnonzero(~taken) if lanes is None else lanes[~taken]
        return [(target, here), (following, rest)]

    return ending


def _ballot(frame: Frame, lanes: np.ndarray, yes: np.ndarray) -> np.ndarray:
    """For each lane, the bits of those lanes of its warp that say yes."""
    warps = frame.threads.warp[lanes]
    made = np.zeros(int(frame.threads.warp.max()) + 1, np.uint32)
    np.bitwise_or.at(made, warps[yes], np.uint32(1) << frame.threads.lane[lanes][yes].astype(np.uint32))
    return made[warps]


_REDUCTIONS: dict[str, np.ufunc] = {
    "add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
}  # fmt: skip

_ATOMICS: dict[str, Callable] = {
    "add": lambda old, b: old + b,
    "min": lambda old, b: opcodes._lesser(old, b) if old.dtype.kind == "f" else np.minimum(old, b),
    "max": lambda old, b: opcodes._greater(old, b) if old.dtype.kind == "f" else np.maximum(old, b),
    "and": lambda old, b: old & b,
    "or": lambda old, b: old | b,
    "xor": lambda old, b: old ^ b,
    "exch": lambda old, b: b,
    "cas": lambda old, b, c: np.where(old == b, c, old),
    "inc": lambda old, b: np.where(old >= b, old.dtype.type(0), old + old.dtype.type(1)),
    "dec": lambda old, b: np.where((old == 0) | (old > b), b, old - old.dtype.type(1)),
}
"""Atomic functions of the old value (9.7.13.5)."""


def _atomic(memory: np.ndarray, places: np.ndarray, combine: Callable, values: list[np.ndarray]) -> np.ndarray:
    """Combine in the order of the lanes; returns what each found."""
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    rank = np.arange(len(places)) - np.repeat(first, np.diff(np.append(first, len(places))))
    old = np.empty(len(places), memory.dtype)
    if combine is _ATOMICS["add"] and memory.dtype.kind in "iu" and len(first) < len(places):
        given = values[0][order].astype(memory.dtype)
        before = np.cumsum(given, dtype=memory.dtype) - given
        starts = np.repeat(first, np.diff(np.append(first, len(places))))
        old[order] = memory[ordered] + before - before[starts]
        np.add.at(memory, places, values[0].astype(memory.dtype))
        return old
    turns = np.argsort(rank, kind="stable")
    bounds = np.flatnonzero(np.diff(rank[turns], prepend=-1, append=-2))
    for start, end in itertools.pairwise(bounds):
        lanes = order[turns[start:end]]
        at = places[lanes]
        found = memory[at]
        old[lanes] = found
        memory[at] = combine(found, *(v[lanes] for v in values))
    return old


# What the driver's library does for kernels


def _printf(env: Env, each: Instruction, given: list[str], returned: list[str]) -> None:
    frame, memory = env.frame, env.frame.machine.memory
    places = []
    for name in given:
        value = frame.params[name, 0]
        places.append(env.all(value if env.lanes is None or len(value) == 1 else value[env.lanes]))
    for form, data in zip(*places, strict=True):
        frame.machine.printed.append(_formatted(memory, int(form), int(data)))
    _put_param(env, (returned[0], 0), np.zeros(1, np.uint32))


def _text(memory: Memory, at: int) -> str:
    end = at + int(np.argmin(memory.bytes[at : at + 4096] != 0))
    return memory.bytes[at:end].tobytes().decode(errors="replace")


def _formatted(memory: Memory, form: int, data: int) -> str:
    """A line of ``printf``: the arguments lie one behind the other, each aligned to its size."""
    at = data

    def replace(match: re.Match) -> str:
        nonlocal at
        kind, long = match[3], "l" in match[2]
        if kind == "%":
            return "%"
        size = 8 if kind in "feEgGsp" or long else 4
        at = -(-at // size) * size
        raw = memory.bytes[at : at + size].tobytes()
        at += size
        if kind in "feEgG":
            return f"%{match[1]}{kind}" % np.frombuffer(raw, "f8")[0]
        number = int.from_bytes(raw, "little", signed=kind in "di")
        if kind == "s":
            return f"%{match[1]}s" % _text(memory, number)
        if kind == "p":
            return hex(number)
        return chr(number & 255) if kind == "c" else f"%{match[1]}{'d' if kind == 'u' else kind}" % number

    return re.sub(r"%([-+ #0]*\d*(?:\.\d+)?)((?:ll|l|h|z)?)([diuxXofeEgGcsp%])", replace, _text(memory, form))


def _assertion(env: Env, each: Instruction, given: list[str], returned: list[str]) -> None:
    raise Fault("an assertion that does not hold", each.line, each.text)


def _zero(env: Env, each: Instruction, given: list[str], returned: list[str]) -> None:
    for name in returned:
        bits = 64 if "Handle" in each.text else 32
        _put_param(env, (name, 0), np.zeros(1, f"u{bits // 8}"))


def _allocate(env: Env, each: Instruction, given: list[str], returned: list[str]) -> None:
    value = env.frame.params[given[0], 0]
    sizes = env.all(value if env.lanes is None or len(value) == 1 else value[env.lanes])
    memory = env.frame.machine.memory
    _put_param(env, (returned[0], 0), np.array([memory.allocate(int(size), 16) for size in sizes], np.uint64))


_SYSTEM: dict[str, Callable] = {
    "vprintf": _printf,
    "__assertfail": _assertion,
    "cudaCGGetIntrinsicHandle": _zero,
    "malloc": _allocate,
    "free": _zero,
}
"""Functions that no PTX has."""
