"""Which way to share GPUs, and what each learner gets.

In this order, the first that seats everybody: a GPU each; a MIG slice each (memory and faults kept apart by the hardware); MPS (memory kept apart by the driver); time-slicing (nothing kept
apart, so that only the limits within each process hold). Where memory does not suffice for all, the others simulate: the same cells run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from .shared_gpus import GB, Board, slice_memory

Mechanism = Literal["one each", "MIG", "MPS", "time-slicing", "simulated"]

#: Device memory that a process takes before it has an array of its own: context, libraries, kernels (bytes). A practitioners'
#: figure for CuPy and cuDF together; `nvidia-smi` shows it for a given machine.
CONTEXT = 500_000_000
#: With less device memory than this a learner would wait for errors, not for answers (bytes, without the context).
LEAST = 2 * GB
#: Client processes that one GPU's MPS server admits from Volta on (NVIDIA's MPS documentation; remembered, not read again).
CLIENTS = 48


class Impossible(ValueError):
    """The mechanism that was asked for does not seat this class; the message says why."""


@dataclass(frozen=True)
class Seat:
    """What one learner gets.

    Attributes
    ----------
    board : int or None
        The number of the GPU; None for a simulated one.
    memory : int
        Bytes of device memory for arrays, without what the context takes; 0 for a simulated one, which has what its host lets it.
    profile : str or None
        The MIG profile.
    share : int
        How many learners use the GPU together (1: alone, or alone in a slice).
    """

    board: int | None
    memory: int
    profile: str | None = None
    share: int = 1


@dataclass(frozen=True)
class Plan:
    """Seats for a class: `mechanism` for those that have a GPU, and a `Seat` for each learner, those without a GPU last."""

    mechanism: Mechanism
    boards: tuple[Board, ...]
    seats: tuple[Seat, ...]

    @property
    def simulated(self) -> int:
        """How many learners have a simulated GPU."""
        return sum(seat.board is None for seat in self.seats)

    @property
    def least(self) -> int:
        """Bytes of the smallest seat on a GPU; 0 where there is none."""
        return min((seat.memory for seat in self.seats if seat.board is not None), default=0)

    def cuts(self) -> dict[int, str]:
        """For MIG: the profile that each GPU is cut into."""
        return {seat.board: seat.profile for seat in self.seats if seat.board is not None and seat.profile}

    def shares(self) -> dict[int, int]:
        """How many learners use each GPU."""
        return dict(sorted(Counter(seat.board for seat in self.seats if seat.board is not None).items()))


def plan(learners: int, boards: Sequence[Board], mechanism: Mechanism | None = None) -> Plan:
    """Seat learners.

    Parameters
    ----------
    learners : how many, at least one.
    boards : the GPUs; none means that all simulate.
    mechanism : this one and no other; None takes the first that seats everybody.

    Raises
    ------
    ValueError
        If there are no learners, or the mechanism's name is none.
    Impossible
        If the mechanism does not seat this class, with the reason.
    """
    if not isinstance(learners, int) or isinstance(learners, bool) or learners < 1:
        raise ValueError(f"A class has at least one learner; this says {learners!r}.")
    if mechanism is not None and mechanism not in get_args(Mechanism):
        raise ValueError(f"There is no mechanism {mechanism!r}; there are: {', '.join(get_args(Mechanism))}.")
    if mechanism == "simulated" or (not boards and mechanism is None):
        return Plan("simulated", tuple(boards), (Seat(None, 0),) * learners)
    if not boards:
        raise Impossible(f"There is no GPU for {mechanism}: leave --mechanism out, and all simulate.")
    if mechanism is not None:
        seats, why = _WAYS[mechanism](learners, boards)
        if not seats:
            raise Impossible(why)
        return _filled(mechanism, boards, seats, learners)
    for way, seating in _WAYS.items():
        seats, _ = seating(learners, boards)
        if len(seats) >= learners:
            return _filled(way, boards, seats, learners)
    # Nobody's way seats all: the one that seats most, and of those the one that keeps them apart best.
    best = max(_WAYS, key=lambda way: len(_WAYS[way](learners, boards)[0]))
    return _filled(best, boards, _WAYS[best](learners, boards)[0], learners)


def _filled(mechanism: Mechanism, boards: Sequence[Board], seats: list[Seat], learners: int) -> Plan:
    """The plan of these seats: the largest first, and GPU after GPU, so that none stands idle while another is full."""
    before: Counter[int | None] = Counter()
    ranked = []
    for seat in seats:
        ranked.append((-seat.memory, before[seat.board], seat.board, seat))
        before[seat.board] += 1
    taken = [seat for *_, seat in sorted(ranked, key=lambda each: each[:3])[:learners]]
    if not taken:
        mechanism = "simulated"
    return Plan(mechanism, tuple(boards), (*taken, *((Seat(None, 0),) * (learners - len(taken)))))


def _alone(learners: int, boards: Sequence[Board]) -> tuple[list[Seat], str]:
    seats = [Seat(i, board.memory - CONTEXT) for i, board in enumerate(boards) if board.memory - CONTEXT >= LEAST]
    return seats[:learners], f"None of these GPUs has {(LEAST + CONTEXT) / GB:g} GB of memory."


def _slices(learners: int, boards: Sequence[Board]) -> tuple[list[Seat], str]:
    """Cut the GPUs that can be into slices as large as seat everybody; one that cannot be cut seats one learner."""
    if not any(board.slices for board in boards):
        return [], f"No {boards[0].name} can be cut by MIG: leave --mechanism out, or choose MPS or time-slicing."
    sizes = sorted({size(name) for board in boards for name in board.slices}, reverse=True)
    seats: list[Seat] = []
    for least in sizes:
        if least[0] - CONTEXT < LEAST:
            break
        seats = []
        for i, board in enumerate(boards):
            fitting = [name for name in board.slices if all(a >= b for a, b in zip(size(name), least, strict=True))]
            if fitting:
                name = max(fitting, key=lambda name: (board.slices[name], size(name)))
                seats += [Seat(i, slice_memory(name) - CONTEXT, name)] * board.slices[name]
            elif board.memory - CONTEXT >= LEAST:
                seats.append(Seat(i, board.memory - CONTEXT))
        if len(seats) >= learners:
            break
    return seats, f"No MIG profile of these GPUs leaves {LEAST / GB:g} GB."


def size(profile: str) -> tuple[int, int]:
    """A MIG profile's memory in bytes and its share of the GPU's cores, in slices: (18·10⁹, 1) for ``1g.18gb``."""
    return slice_memory(profile), int(profile.split("g.")[0])


def _together(most: int | None):
    """Seat so many learners on each GPU as its part of all memory is; at most `most` on one."""

    def seating(learners: int, boards: Sequence[Board]) -> tuple[list[Seat], str]:
        if most is not None and any(board.wsl or (board.cc or (7, 0)) < (7, 0) for board in boards):
            return [], "MPS needs Linux and a GPU from compute capability 7.0 (Volta) on: choose time-slicing."
        room = [min(board.memory // (LEAST + CONTEXT), most or board.memory) for board in boards]
        counts = [0] * len(boards)
        for _ in range(min(learners, sum(room))):  # the next learner sits where the share stays largest
            free = [i for i in range(len(boards)) if counts[i] < room[i]]
            counts[max(free, key=lambda i: boards[i].memory / (counts[i] + 1))] += 1
        seats = [
            Seat(i, boards[i].memory // count - CONTEXT, share=count)
            for i, count in enumerate(counts)
            for _ in range(count)
        ]
        return seats, f"None of these GPUs has {(LEAST + CONTEXT) / GB:g} GB of memory for a seat."

    return seating


_WAYS = {"one each": _alone, "MIG": _slices, "MPS": _together(CLIENTS), "time-slicing": _together(None)}
