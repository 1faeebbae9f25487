"""``svd.images``: images of several workers, shown elsewhere to a given error, with few bytes moved. Open-ended.

Four functions play a decomposition over a network: what each worker says of its images, what is made of that and sent to all, what each worker sends
of its images then, and what is rebuilt of it. The judge counts every byte between them, and wipes the workers' images before the last step.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from types import CodeType, ModuleType
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from .. import devices, guard
from ..cases import normal
from ..devices import cp
from ..guard import article, require_callable
from ..problem import Problem
from ..untouched import missing
from ..verdict import NotAttempted, Refusal, Verified, in_case, refuse

SIDE = 8  # pixels of a tile


@dataclass(frozen=True)
class Case:
    """Blocks of images, one for each worker; the error allowed; and whether the bytes count."""

    name: str
    make: Callable[[], Sequence[np.ndarray]]
    error: float
    counted: bool = True


def tiles(number: int, rows: slice = slice(None)) -> np.ndarray:
    """The 8 × 8 tiles of one of scikit-learn's two photographs, in grey, a row of 64 float64 for each."""
    from sklearn.datasets import load_sample_images

    grey = load_sample_images().images[number].mean(axis=2)[:424, :640]
    return np.round(grey.reshape(53, SIDE, 80, SIDE).swapaxes(1, 2).reshape(-1, SIDE**2)[rows])


def _digits() -> np.ndarray:
    from sklearn.datasets import load_digits

    return load_digits().data


def _in_blocks(images: np.ndarray, workers: int) -> list[np.ndarray]:
    return [part.copy() for part in np.array_split(images, workers)]


CASES = (
    Case("workers that see different things", lambda: [_apart(0), _apart(1)], 0.05, False),
    Case("a flower in 4 240 tiles on 4 workers, to 5 %", lambda: _in_blocks(tiles(1), 4), 0.05),
    Case("1 797 digits on 3 workers, to 40 %", lambda: _in_blocks(_digits(), 3), 0.4),
    Case("a worker with 3 tiles beside one with 997", lambda: [tiles(1)[:3], tiles(1)[3:1000]], 0.05, False),
    Case("one worker", lambda: [tiles(0)[:700]], 0.1, False),
    Case("a worker whose tiles are black", lambda: [np.zeros((50, 64)), tiles(1)[:400]], 0.05, False),
)
_UNLISTED = Case("a palace on 5 workers", lambda: _in_blocks(tiles(0), 5), 0.1)
_MORE = (
    Case("a worker with one tile beside others", lambda: [tiles(0)[:1], tiles(0)[1:300], tiles(1)[:200]], 0.08, False),
    Case("workers in another order", lambda: [_apart(1), _apart(0)], 0.05, False),
)


def _apart(which: int) -> np.ndarray:
    """Images in a plane of their own for each worker, of which the other has none."""
    base = np.zeros((2, 64))
    base[0, 10 * which : 10 * which + 5] = 1
    base[1, 10 * which + 5 : 10 * which + 10] = 1
    return 100 * abs(normal(80, 2, seed=which)) @ base


def least_rank(images: np.ndarray, error: float) -> int:
    """The least number of eigen-images of which all can be mixed to this error (Eckart and Young, 1936)."""
    s = np.linalg.svd(images, compute_uv=False)
    left = 1 - np.cumsum(s**2) / max((s**2).sum(), 1e-300)
    return int(np.argmax(left <= error**2)) + 1


@threadpool_limits.wrap(limits=1)  # the matrices are small: threads would mostly wait for one another
def judge(problem: Problem, answers: tuple[Any, ...]) -> Verified:
    """Judge ``sketch(block, error)``, ``combine(sketches, error)``, ``pack(block, basis)``, ``unpack(packed, basis)``."""
    for function, name in zip(answers, problem.answers, strict=True):
        if missing(function):
            raise NotAttempted(f"{name} is not written yet")
        require_callable(function, name)
    devices.need_cupy()
    near = []
    for case in (*CASES, _UNLISTED, *_MORE):
        with in_case(case.name):
            near.append(_judge(problem, answers, case))
    _once_more(problem, answers, CASES[0], CASES[3])
    return Verified(
        f"{len(CASES)} sets ({'; '.join(case.name for case in CASES)}): within the error, and with fewer bytes than the pixels have.",
        f"How near to the limit: {100 * min(near[1], 1):.0f} % (the limit: one byte for each number of the images in the best basis for this error, and nothing for the basis).",
    )


class _Machine:
    """A worker, or the other machine: its functions, and what they have put into modules and into the environment.

    The machines are one process, and a process has one of each module. So what is put there is taken away after each call.
    """

    def __init__(self, functions: tuple[Any, ...]):
        self.functions = functions
        self._places: list[MutableMapping[str, Any]] = [os.environ, *map(vars, _modules(functions))]
        self._put: list[dict[str, Any]] = [{} for _ in self._places]

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """The block finds in modules what this machine has put there, and nothing of the others'."""
        before = [dict(place) for place in self._places]
        for place, put in zip(self._places, self._put, strict=True):
            place.update(put)
        try:
            yield
        finally:
            for place, old, put in zip(self._places, before, self._put, strict=True):
                for name, value in list(place.items()):
                    # Functions and modules come when something is imported: they are no images.
                    if name in old and (old[name] is value or isinstance(value, str) and old[name] == value):
                        continue
                    if not callable(value) and not isinstance(value, ModuleType):
                        put[name] = value
                        place.pop(name)
                        place.update({name: old[name]} if name in old else {})


def _modules(functions: Iterable[Any]) -> list[ModuleType]:
    """The modules that functions name, or functions of theirs, and the modules in these."""
    waiting: list[Any] = list(functions)
    looked: list[Any] = []
    named: set[str] = set()
    found: dict[str, ModuleType] = {}
    while waiting:
        one = waiting.pop()
        code = getattr(one, "__code__", one)
        if not isinstance(code, CodeType) or any(code is each for each in looked):
            continue
        looked.append(code)
        names, values = set(code.co_names), getattr(one, "__globals__", {})
        named |= names
        used = [*_closed_over(one), *(values[name] for name in names if name in values)]
        waiting += [*code.co_consts, *used]
        modules = [*used, *map(sys.modules.get, names)]
        found |= {each.__name__: each for each in modules if isinstance(each, ModuleType)}
    fresh = list(found.values())
    while fresh:
        parts = [vars(module).get(name) for module in fresh for name in named]
        fresh = [each for each in parts if isinstance(each, ModuleType) and each.__name__ not in found]
        found |= {each.__name__: each for each in fresh}
    return list(found.values())


def _closed_over(function: Any) -> list[Any]:
    try:
        return [cell.cell_contents for cell in function.__closure__ or ()]
    except (AttributeError, ValueError):  # no function, or a variable that has no value yet
        return []


def _apart_from_one_another(answers: tuple[Any, ...], workers: int) -> list[_Machine]:
    """The functions as each worker, and last the other machine, gets them: through pickle, with globals of their own."""
    import cloudpickle

    try:
        return [_Machine(cloudpickle.loads(cloudpickle.dumps(answers))) for _ in range(workers + 1)]
    except Exception:  # what does not pickle is judged where it is
        return [_Machine(answers)] * (workers + 1)


def _judge(problem: Problem, answers: tuple[Any, ...], case: Case) -> float:
    workers = len(case.make())
    try:
        return _pipeline(problem, case, _apart_from_one_another(answers, workers))
    except Refusal:
        _pipeline(problem, case, [_Machine(answers)] * (workers + 1))
        refuse(
            "state",
            "it is right only where all four functions share their variables: sketch and pack run on each worker, combine and unpack "
            "on another machine. Only what is returned gets there.",
        )


def _once_more(problem: Problem, answers: tuple[Any, ...], first: Case, second: Case) -> None:
    """Refuse functions that are right with the first images that a machine has, and not with the next."""
    machines = _apart_from_one_another(answers, len(first.make()))
    with in_case(f"{second.name}, after others on the same machines"):
        _pipeline(problem, first, machines)
        try:
            _pipeline(problem, second, machines)
        except Refusal as refusal:
            refuse(
                "state",
                f"the first images came out right, and then {refusal.why} What a function keeps is there at the next call.",
            )


def _pipeline(problem: Problem, case: Case, machines: list[_Machine]) -> float:
    *workers, elsewhere = machines
    limit = problem.time_limit
    host = case.make()
    blocks = [cp.asarray(block) for block in host]

    written: dict[str, str] = {}

    def called(name: str, machine: _Machine, *args: Any) -> Any:
        function = machine.functions[problem.answers.index(name)]
        with _files() as files, machine.at_work():
            value = guard.call(function, *args, limit=limit).value
        by = next((written[path] for path, writes in files if not writes and path in written), None)
        if by is not None:
            refuse(
                "state",
                f"{name} reads a file that {by} wrote. What one function needs from another has to be returned and sent.",
                advice="Return what the other function needs.",
            )
        written.update((path, name) for path, writes in files if writes)
        if value is None:
            raise NotAttempted(f"{name} returns nothing yet")
        return value

    def sent_by(name: str, values: list[Any]) -> tuple[list[Any], int]:
        nbytes = sum(_nbytes(name, each) for each in values)
        return [_copied(each) for each in values], nbytes

    sketches, up = sent_by(
        "sketch",
        [called("sketch", own, block, case.error) for own, block in zip(workers, blocks, strict=True)],
    )
    (basis,), down = sent_by("combine", [called("combine", elsewhere, sketches, case.error)])
    down *= len(blocks)
    packed, sent = sent_by(
        "pack", [called("pack", own, block, basis) for own, block in zip(workers, blocks, strict=True)]
    )
    for block, before in zip(blocks, host, strict=True):
        if not np.array_equal(block.get(), before):
            refuse("aliasing", "a worker's images were changed: they are still wanted there.")
        block.fill(0)  # what is rebuilt elsewhere cannot look at them
    got = [called("unpack", elsewhere, each, basis) for each in packed]
    _error(got, host, case.error)
    images = np.concatenate(host)
    moved, pixels = up + down + sent, images.size
    if case.counted and moved > pixels:
        refuse(
            "traffic",
            f"the images are right to {case.error:.0%}, but {moved} bytes were moved ({up} in the sketches, {down} for the basis, "
            f"{sent} in the packed images), and the pixels themselves, a byte each, are {pixels}.",
        )
    return len(images) * least_rank(images, case.error) / moved


_OPENED: list[list[tuple[str, bool]]] = []  # of each watch that is on, the innermost last: paths, and whether to write


def _hear(event: str, args: tuple[Any, ...]) -> None:
    if event != "open" or not _OPENED or not isinstance(args[0], (str, bytes)):
        return
    path, mode, flags = args
    if os.path.exists(path) and not os.path.isfile(path):
        return  # the null device, say, keeps nothing
    writes = bool(set(mode) & set("wax+")) if mode else bool(flags & (os.O_WRONLY | os.O_RDWR))
    _OPENED[-1].append((os.path.abspath(os.fsdecode(path)), writes))


@contextlib.contextmanager
def _files() -> Iterator[list[tuple[str, bool]]]:
    """The files that are opened in the block. Python keeps an audit hook for good, so there is one, which mostly does nothing."""
    if not getattr(_files, "hears", False):
        _files.hears = True  # type: ignore[attr-defined]
        sys.addaudithook(_hear)
    _OPENED.append([])
    try:
        yield _OPENED[-1]
    finally:
        _OPENED.pop()


def _copied(value: Any) -> Any:
    """What arrives of a value that is sent: arrays of their own, which are no views of larger ones."""
    if isinstance(value, np.ndarray) or devices.is_device(value):
        return value.copy()
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        make = getattr(value, "_make", type(value))  # of a named tuple
        return make([_copied(each) for each in value])
    return value


def _nbytes(name: str, value: Any) -> int:
    """The bytes of what is sent: arrays, numbers, and tuples, lists and dicts of them."""
    if isinstance(value, np.ndarray) or devices.is_device(value):
        if value.dtype.kind == "O":
            refuse("type", f"{name} returned an array of objects: what is sent must be numbers.")
        return int(value.nbytes)
    if isinstance(value, (bytes, bytearray)):
        return len(value)
    if isinstance(value, (bool, float, np.generic)):
        return 8
    if isinstance(value, int):
        return max(8, (value.bit_length() + 7) // 8)
    if isinstance(value, dict):
        keys = sum(len(key) if isinstance(key, str) else _nbytes(name, key) for key in value)
        return keys + sum(_nbytes(name, each) for each in value.values())
    if isinstance(value, (tuple, list)):
        return sum(_nbytes(name, each) for each in value)
    refuse(
        "type",
        f"{name} returned {article(value)}: what is sent must be arrays, numbers, or tuples, lists and dicts of them.",
    )


def _error(got: list[Any], host: Sequence[np.ndarray], error: float) -> None:
    for each, block in zip(got, host, strict=True):
        if not devices.is_device(each):
            side = "host" if isinstance(each, np.ndarray) else "type"
            refuse(side, f"unpack should return a CuPy array; it returned {article(each)}.")
        if tuple(each.shape) != block.shape:
            if tuple(each.shape) == block.shape[::-1]:
                refuse(
                    "transposed",
                    f"unpack returned {tuple(each.shape)}, the images as columns; each should be a row: {block.shape}.",
                )
            refuse("shape", f"unpack returned an array of shape {tuple(each.shape)}; the block has {block.shape}.")
    rebuilt = np.concatenate([each.get().astype(float) for each in got])
    images = np.concatenate(host)
    norm = np.linalg.norm(images)
    if not np.isfinite(rebuilt).all():
        refuse(
            "overflow",
            "there are NaN or infinite pixels: a number was too large for the type it was sent in, or divided by zero.",
        )
    off = np.linalg.norm(rebuilt - images) / norm
    if off <= error * (1 + 1e-6):
        return
    offs = [
        np.linalg.norm(each.get() - block) / max(np.linalg.norm(block), 1e-300)
        for each, block in zip(got, host, strict=True)
    ]
    good = [each <= error for each in offs]
    if len(good) > 1 and any(good) and not all(good) and max(offs) > 3 * error:
        worst = int(np.argmax(offs))
        refuse(
            "local",
            f"the error over all is {off:.1%}, {error:.0%} is allowed. Worker {worst}'s images alone are off by {offs[worst]:.0%}. "
            "Does the basis know others' images, and not theirs?",
            advice="combine has to look at all sketches, and each by how much it weighs.",
        )
    refuse("error", f"the error is {off:.1%} of the images, and {error:.0%} is allowed.")


IMAGES = Problem(
    id="svd.images",
    title="Pictures for few bytes",
    kind="open",
    answers=("sketch", "combine", "pack", "unpack"),
    lines=14,
    judge=judge,
    hints=(
        "Three things move: the sketches, the basis to each worker, the packed images. In the version given, which is the largest? Of a block with many rows, "
        "all that a basis needs is its triangle: n × n, or the few rows of S Vᵀ that matter.",
        "The images themselves move as `block @ basis.T`: k numbers for each instead of 64. How many bytes does such a number need, if the pictures may be wrong by 5 %?",
        "float16 halves float32. And `cp.round(x / scale).astype(cp.int8)` with one scale for each column, `abs(x).max(axis=0) / 127`, sent along, needs one byte. "
        "Leave some of the error for the rounding: cut at 0.9 of it.",
    ),
    advice={
        "traffic": "Which of the three is the largest? Has all of it to be sent, and with so many bytes for a number?",
        "error": "Two things add up: the singular values that are left out (their squares, over all squares), and the rounding of what is sent. "
        "A number that its type cannot hold, such as 200 in int8 or -1 in uint8, becomes another one.",
    },

    time_limit=60.0,
)  # fmt: skip
