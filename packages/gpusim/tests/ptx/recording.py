"""Launches of the simulator's engine, recorded as data: the kernel, its arguments, and device memory before and after.

Whatever launches a kernel (`numba.cuda`, `cupy.RawKernel`, an `ElementwiseKernel`) comes to `gpusim.kernels.Kernel.launch`.
There each launch is done at once, so that what lies in memory before and after it is known.

A process records to a folder where ``RECORD_LAUNCHES`` names one and `hook` is on its path, its children too.
"""

from __future__ import annotations

import contextlib
import ctypes
import enum
import hashlib
import os
import pickle
import re
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

FOLDER = "RECORD_LAUNCHES"
EACH = 3
"""Launches that are kept of one kernel for arguments of the same types."""
MOST = 1 << 25
"""Bytes of a launch's device memory, at most."""


class View(NamedTuple):
    """An array among the arguments: where it lies, and what it is."""

    region: int
    offset: int
    dtype: np.dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def of(self, regions: list[np.ndarray]) -> np.ndarray:
        return np.ndarray(self.shape, self.dtype, regions[self.region], self.offset, self.strides)


@dataclass
class Launch:
    """One launch.

    Attributes
    ----------
    source : str
        What launched it: a test, a notebook, an entry of the kernel set.
    name : str
    request : dict
        What `compiler` is asked for.
    grid, block, shared, cooperative
    params : list
        For each parameter of the driver its bytes, or ``(region, offset)`` of a pointer.
    views : list of View
    before, after : list of numpy.ndarray, uint8
        Device memory that arguments lie in, by regions.
    found : tuple of str
        The kinds of mistakes that the sanitizer found: after one, nothing is defined.
    lines : tuple of functions.Line
        What a kernel of `functions` is made of: each line's results are judged by themselves.
    """

    source: str
    name: str
    request: dict
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    cooperative: bool
    params: list
    views: list[View]
    before: list[np.ndarray]
    after: list[np.ndarray]
    found: tuple[str, ...] = ()
    lines: tuple = ()

    @property
    def key(self) -> str:
        """The same for launches of one kernel with arguments of the same types."""
        return identity(self.request)

    def values(self, addresses: list[int]) -> list[bytes]:
        """The parameters' bytes, given where the regions lie."""
        return [p if isinstance(p, bytes) else _word(addresses[p[0]] + p[1] if p[0] >= 0 else 0) for p in self.params]


def identity(request: dict) -> str:
    """A hash of what the compiler is asked for."""
    return hashlib.sha256(pickle.dumps(request)).hexdigest()[:16]


def _word(value: int) -> bytes:
    return int(value).to_bytes(8, "little", signed=value < 0)


class _Arguments:
    """A launch's arguments as the driver passes them: numba-cuda's ``_Kernel._prepare_args`` is the rule; C++ takes pointers."""

    def __init__(self, args: tuple, cpp: bool):
        self.cpp = cpp
        self.bounds = _regions(args)
        self.before = _copied(self.bounds)
        self.params: list = []
        self.views: list[View] = []
        for value in args:
            self.append(value)

    def append(self, value: Any) -> None:
        add = self.params.append
        if isinstance(value, np.ndarray):
            place = self.place(value)
            head = [place] if self.cpp else [*map(_word, (0, 0, value.size, value.itemsize)), place]
            rest = () if self.cpp else (*value.shape, *value.strides)
            self.params += [*head, *map(_word, rest)]
        elif isinstance(value, tuple):
            for each in value:
                self.append(each)
        elif isinstance(value, np.void):  # a record lies in memory of its own
            add((len(self.before), 0))
            self.before.append(np.frombuffer(value.tobytes(), np.uint8).copy())
        elif isinstance(value, enum.Enum):
            self.append(value.value)
        elif isinstance(value, (bool, np.bool_)):
            add(bytes([bool(value)]))
        elif isinstance(value, (complex, np.complexfloating)):
            part = np.float32 if getattr(value, "dtype", None) == np.complex64 else np.float64
            both = [part(value.real).tobytes(), part(value.imag).tobytes()]
            self.params += [b"".join(both)] if self.cpp else both
        elif isinstance(value, np.generic):
            add(value.tobytes())
        elif isinstance(value, int):
            add(_word(value))
        elif isinstance(value, float):
            add(np.float64(value).tobytes())
        else:
            raise TypeError(f"no argument of a kernel: {type(value).__name__}")

    def place(self, array: np.ndarray) -> tuple[int, int]:
        if not array.size:
            return -1, 0
        address = array.ctypes.data
        region = next(k for k, (low, high) in enumerate(self.bounds) if low <= address < high)
        offset = address - self.bounds[region][0]
        self.views.append(View(region, offset, array.dtype, array.shape, array.strides))
        return region, offset


def _leaves(args: Any) -> Iterator[Any]:
    for each in args:
        if isinstance(each, tuple):
            yield from _leaves(each)
        else:
            yield each


def _regions(args: tuple) -> list[tuple[int, int]]:
    """The ranges of addresses that arrays lie in, those that overlap as one."""
    bounds = sorted(np.lib.array_utils.byte_bounds(v) for v in _leaves(args) if isinstance(v, np.ndarray) and v.size)
    made: list[tuple[int, int]] = []
    for low, high in bounds:
        if made and low < made[-1][1]:
            made[-1] = made[-1][0], max(high, made[-1][1])
        else:
            made.append((low, high))
    return made


def _copied(bounds: list[tuple[int, int]]) -> list[np.ndarray]:
    return [np.ctypeslib.as_array((ctypes.c_uint8 * (high - low)).from_address(low)).copy() for low, high in bounds]


class Recorder:
    """Records launches while it is installed, and hands each to `tell`."""

    def __init__(self, tell: Callable[[Launch], None], source: Callable[[], str]):
        self.tell, self.source = tell, source
        self.seen: Counter[str] = Counter()
        self.texts: dict[Any, dict] = {}
        self.left_out: Counter[str] = Counter()
        self.undo: list[Callable[[], None]] = []
        self.busy = False

    def install(self) -> None:
        from gpusim.kernels import Kernel
        from gpusim.kernels.frontend.cuda_cpp.module import Module

        recorder, plain = self, Kernel.launch

        def launch(self, griddim, blockdim, args, **told):
            if recorder.busy:
                return plain(self, griddim, blockdim, args, **told)
            recorder.busy = True
            try:
                return recorder.record(plain, self, griddim, blockdim, args, told)
            finally:
                recorder.busy = False

        first, translate, named = Module.__init__, Module.kernel, Module.named

        def init(self, code, defines=(), *rest, **more):
            self.told = code, tuple(defines), {}
            first(self, code, defines, *rest, **more)

        def kernel(self, name, raw=None):
            made = translate(self, name, raw)
            code, defines, instances = self.told
            if made.variables:  # which the engine passes as more arguments
                recorder.texts[made.python] = {}
                return made
            recorder.texts[made.python] = {
                "kind": "cpp",
                "code": _with_carrays(code.text, raw or {}),
                "name": name,
                "options": [f"-D{each}" for each in defines],
                "names": [instances[name]] if name in instances else [],
            }
            return made

        def of_expression(self, expression):
            name = named(self, expression)
            self.told[2][name] = expression
            return name

        Kernel.launch, Module.__init__, Module.kernel, Module.named = launch, init, kernel, of_expression

        def undo():
            Kernel.launch, Module.__init__, Module.kernel, Module.named = plain, first, translate, named

        self.undo.append(undo)

    def remove(self) -> None:
        while self.undo:
            self.undo.pop()()

    def record(self, plain: Callable, kernel: Any, griddim: Any, blockdim: Any, args: tuple, told: dict) -> None:
        """Do a launch at once, and keep what went in and came out, if it is one of the first of its kernel."""
        from gpusim.device import queue
        from gpusim.kernels import limits, reported

        function = kernel.function()
        missing = len(function.params) - len(args)
        whole = (*args, *function.defaults[-missing:]) if missing > 0 else tuple(args)
        request = self.request(kernel, whole)
        key = identity(request) if request else ""
        bounds = _regions(whole) if request else []
        if not request or self.seen[key] >= EACH or sum(high - low for low, high in bounds) > MOST:
            self.left_out["seen" if request and self.seen[key] >= EACH else "no data, or too much of it"] += 1
            plain(kernel, griddim, blockdim, args, **told)
            return
        self.seen[key] += 1
        queue.run()
        arguments = _Arguments(whole, request["kind"] == "cpp")
        found: list[str] = []
        watch = lambda run, log, what: found.extend(each.kind for each in what if each.severity == "error")  # noqa: E731
        reported.watchers.append(watch)
        try:
            plain(kernel, griddim, blockdim, args, **told)
            queue.run()
        finally:
            reported.watchers.remove(watch)
        grid, block = limits.normalize(griddim, blockdim)
        after = [*_copied(arguments.bounds), *arguments.before[len(arguments.bounds) :]]
        cooperative = bool(told.get("cooperative")) or "cg.this_grid" in function.intrinsics
        self.tell(
            Launch(
                self.source(), kernel.name, request, grid, block, told.get("sharedmem", 0), cooperative,
                arguments.params, arguments.views, arguments.before, after, tuple(found),
            )
        )  # fmt: skip

    def request(self, kernel: Any, args: tuple) -> dict:
        """What the compiler is to be asked for; empty for a kernel that it cannot be told of."""
        if kernel.pyfunc in self.texts:
            return self.texts[kernel.pyfunc]
        from kernellens.compiling import argument_types
        from kernellens.compiling.kernel_data import Carried

        options = {"device": False}
        options |= {name: True for name in ("debug", "fastmath") if getattr(kernel, name)}
        if kernel.debug or not kernel.opt:
            options["opt"] = False
        try:
            kinds = tuple(map(argument_types.describe, args))
            return {
                "kind": "python",
                "functions": Carried(kernel.pyfunc).functions,
                "kernel": 0,
                "arguments": kinds,
                "options": options,
                "name": kernel.name,
            }
        except Exception:
            return {}


def _with_carrays(code: str, raw: dict) -> str:
    """CuPy's raw parameters as it passes them: a pointer with sizes and strides."""
    for name, kind in raw.items():
        code = re.sub(rf"([\w ]+?)\s*\*\s*{name}\b", rf"CArray<\1, {kind.ndim}> {name}", code, count=1)
    return code


@contextlib.contextmanager
def recorded(tell: Callable[[Launch], None], source: str = "") -> Iterator[Recorder]:
    """Call `tell` with each launch that is done meanwhile."""
    recorder = Recorder(tell, lambda: source)
    recorder.install()
    try:
        yield recorder
    finally:
        recorder.remove()


def to_folder(folder: Path) -> None:
    """Record all launches of this process to files."""

    def tell(launch: Launch) -> None:
        name = f"{os.getpid()}-{uuid.uuid4().hex[:12]}"
        partly = folder / f"{name}.partly"
        partly.write_bytes(pickle.dumps(launch))
        partly.rename(folder / f"{name}.launch")

    Recorder(tell, _who).install()


def _who() -> str:
    """The test that is running, as pytest says it; a child of one has its parent's name."""
    return (os.environ.get("PYTEST_CURRENT_TEST") or os.environ.get(f"{FOLDER}_SOURCE") or "").partition(" ")[0]


def read(folder: Path) -> Iterator[Launch]:
    """The launches in a folder, in one order."""
    for each in sorted(folder.glob("*.launch")):
        yield pickle.loads(each.read_bytes())
