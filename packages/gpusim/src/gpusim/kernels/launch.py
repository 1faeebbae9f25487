"""A kernel, and what happens when it is launched: checked, compiled, traced the first time, queued."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from types import FunctionType
from typing import Any, TextIO

import numpy as np

from gpusim.device import interrupt, queue, shapes

from . import limits, operands, reported
from .faults import KernelError, TraceError, UncompilableError, miscounted
from .frontend.python import resolve
from .frontend.python.resolve import Function
from .sanitizer import blocks as sample
from .sanitizer import findings
from .sanitizer.log import Log, Recorder

WAY_SETTING = "GPUSIM_KERNELS"
ENOUGH = 1 << 20
"""Accesses that the check of a first launch logs, about: looking at them must not take longer than compiling."""


class Kernel:
    """A Python function that can be launched over a grid of threads.

    Parameters
    ----------
    pyfunc : function
        Its source must be readable.
    debug, opt, fastmath, lineinfo, max_registers
        As ``cuda.jit`` takes them.
    name : str, optional
        What it is called in the account and in errors.
    branches : bool
        Whether traces log which way threads go at conditionals (compiled kernels only).
    beyond : bool
        Whether traces go on past the end of an array. Those of compiled kernels have each such access in `Log.outside`.
    within : int
        If not 0, elements are known to be inside of their arrays and to be one thread's each: nothing is checked or logged. So
        many levels of loops are known to end.
    """

    def __init__(
        self,
        pyfunc: FunctionType,
        *,
        debug: bool = False,
        opt: bool = True,
        fastmath: bool = False,
        max_registers: int | None = None,
        lineinfo: bool = False,
        name: str | None = None,
        branches: bool = False,
        beyond: bool = False,
        within: int = 0,
    ):
        self.pyfunc = pyfunc
        self.name = name or pyfunc.__name__
        self.debug, self.opt, self.fastmath = bool(debug), bool(opt), bool(fastmath)
        self.max_registers, self.lineinfo, self.branches = max_registers, lineinfo, bool(branches)
        self.beyond, self.within = bool(beyond), within
        self._lock = threading.RLock()
        self._function: Function | None = None
        self._compiled: dict[tuple, Any] = {}
        self._traced: set[tuple] = set()
        self.limits = limits.DEVICE  # more where the driver was asked for more shared memory

    def function(self) -> Function:
        """The kernel with its names resolved.

        Raises
        ------
        UncompilableError
        """
        if self._function is None:
            with self._lock:
                try:
                    self._function = resolve.function(self.pyfunc)
                except UncompilableError as error:
                    from .backends import numpy as interpreted

                    raise interpreted.as_numbas(error) from None
        return self._function

    def compiled(self, args: tuple) -> Any | None:
        """The kernel compiled for the types of some arguments; None where only the interpreter can run it.

        Raises
        ------
        UncompilableError
        """
        return self._for(_key(args), args)

    def inspect_types(self, args: tuple, file: TextIO | None = None) -> None:
        """Print the kernel's lines with the types that Numba finds in them, for arguments of some types."""
        compiled: Any = self.compiled(args)
        if compiled is None:
            raise KernelError(f"{self.name} is interpreted, not compiled: its types are not known beforehand.")
        from .backends.numba import annotation

        compiled = compiled if compiled.thread.overloads else self._compile(annotation.kinds(compiled), anew=True)
        print(annotation.text(compiled, self.function()), file=file)

    def launch(
        self,
        griddim: Any,
        blockdim: Any,
        args: tuple,
        *,
        sharedmem: int = 0,
        cooperative: bool = False,
        trace: str | None = None,
    ) -> None:
        """Launch over a grid.

        Parameters
        ----------
        griddim, blockdim : int or tuple of up to 3 int
            Blocks of the grid and threads of a block.
        args : tuple
            NumPy arrays that are views of device memory, scalars, tuples, records.
        sharedmem : int
            Bytes of dynamic shared memory of a block.
        cooperative : bool
            Whether blocks wait for each other; known from the kernel where it uses ``cg.this_grid``.
        trace : str, optional
            ``"warn"``, ``"first"``, ``"all"``, ``"report"`` or ``"off"`` instead of ``GPUSIM_TRACE``.

        Raises
        ------
        KernelError
            At once, for what the device refuses, what cannot be compiled and, where that is asked for, what the check of the
            first launch finds; what goes wrong later is raised where the program synchronises.
        """
        function = self.function()
        if len(args) != len(function.params):
            missing = len(function.params) - len(args)
            if not 0 < missing <= len(function.defaults):
                raise TypeError(miscounted(self.name, function.params, len(args), len(function.defaults)))
            args = (*args, *function.defaults[-missing:])
        # Numba takes such a number for a uint64, but not when it stands in a tuple, as it will.
        args = tuple([np.uint64(value) if type(value) is int and value >= 2**63 else value for value in args])
        griddim, blockdim = limits.normalize(griddim, blockdim)
        cooperative = cooperative or "cg.this_grid" in function.intrinsics
        key = _key(args)
        compiled = self._compiled.get((*key, reported.goes_on()))
        if compiled is None:
            # Before it is compiled: what it needs of shared memory is not known then.
            limits.check(griddim, blockdim, sharedmem, device=self.limits, cooperative=cooperative, kernel=self.name)
            compiled = self._for(key, args)
        if compiled is not None:
            static = compiled.shared.nbytes
            limits.check(
                *(griddim, blockdim, sharedmem, static, self.limits), cooperative=cooperative, kernel=self.name
            )
        reads, writes = operands.declared(function, args)
        trace = trace or reported.tracing()
        # Who asks for a report wants to hear of a launch of another shape too.
        seen = (key, griddim, blockdim) if trace == "report" else key
        captured = queue.capturing()  # into a CUDA graph: nothing runs yet, so nothing is checked
        first = seen not in self._traced
        if not captured:
            self._traced.add(seen)
        run = _Run(self, function, compiled, griddim, blockdim, args, sharedmem, cooperative)
        if shapes.on or not captured and (trace == "all" or (trace != "off" and first and not self.within)):
            rest: list[tuple[int, int]] = []
            if not shapes.on:
                # Now, not when the program synchronises: what is found is found at the launch that does it.
                queue.run()
                rest = _checked(run, trace == "all", not reported.raises(trace))
            queue.count(self.name, queue.nbytes(reads), queue.nbytes(writes), by=run, reads=reads, writes=writes)
            if rest:
                queue.submit_uncounted(self.name, run.plain, (rest,))
        else:
            queue.submit(self.name, run.plain, (None,), reads, writes)
        queue.tell_at_exit()

    def trace(
        self, griddim, blockdim, args, *, sharedmem=0, cooperative=False, order=None, blocks=None
    ) -> tuple[Log, KernelError | None]:
        """Run blocks at once with every access logged.

        Parameters
        ----------
        blocks : numpy.ndarray, int64, optional
            Linear ids, ascending, of the blocks to run; all if left out.
        order : numpy.ndarray, optional
            In which order a block's threads go on where they wait for each other.

        Returns
        -------
        log : Log
        fault : KernelError or None
            What stopped it; of a kernel that goes on past the end of an array, the first such access.
        """
        function = self.function()
        griddim, blockdim = limits.normalize(griddim, blockdim)
        cooperative = cooperative or "cg.this_grid" in function.intrinsics
        compiled = self._for(_key(args), args)
        static = compiled.shared.nbytes if compiled is not None else 0
        limits.check(griddim, blockdim, sharedmem, static, self.limits, cooperative=cooperative, kernel=self.name)
        run = _Run(self, function, compiled, griddim, blockdim, args, sharedmem, cooperative, order)
        if blocks is None:
            blocks = np.arange(griddim[0] * griddim[1] * griddim[2])
        recorder = Recorder(griddim, blockdim, blocks, kernel=self.name, function=function)
        queue.run()
        past = None
        try:
            if compiled is None:
                past = run.interpret(blocks, recorder)
            else:
                run.traced(blocks, recorder)
        except KernelError as fault:
            return recorder.log(), fault
        return recorder.log(), past[0] if past else None

    def ordered(self, griddim, blockdim, args, order, *, sharedmem=0) -> KernelError | None:
        """Run at once with the threads in another order; returns what stopped it, if something did.

        Parameters
        ----------
        order : interpreted.orders.Order
            Which warp goes on after each access of memory, and which block begins: a seed decides.
        """
        from .backends import numpy as interpreted

        function = self.function()
        griddim, blockdim = limits.normalize(griddim, blockdim)
        cooperative = "cg.this_grid" in function.intrinsics
        limits.check(griddim, blockdim, sharedmem, device=self.limits, cooperative=cooperative, kernel=self.name)
        options = {"sharedmem": sharedmem, "should_stop": _stop, "debug": self.debug, "order": order}
        try:
            interpreted.run(function, griddim, blockdim, args, **options)
        except KernelError as fault:
            return fault
        return None

    def _for(self, key: tuple, args: tuple) -> Any | None:
        key = (*key, reported.goes_on())  # a setting that a cell changes counts from the next launch on
        try:
            return self._compiled[key]
        except KeyError:
            pass
        if not _can_compile():
            return None
        with _uninterrupted():
            from numba import typeof

            with self._lock:
                if key not in self._compiled:
                    # Numba has no float16 on a CPU.
                    halves = any(_half(value) for value in args)
                    self._compiled[key] = None if halves else self._compile(tuple(typeof(value) for value in args))
                return self._compiled[key]

    def _compile(self, kinds: tuple, *, anew: bool = False) -> Any | None:
        with _uninterrupted(), self._lock:
            from .backends.numba import compile as compiler
            from .backends.numba.waiting import CannotCompile

            try:
                beyond = "log" if self.beyond else "tell" if reported.goes_on() else "stop"
                options = compiler.Options(self.debug, self.fastmath, self.opt, self.branches, beyond, self.within)
                return compiler.compile_for(compiler.prepare(self.function(), options), kinds, anew=anew)
            except (CannotCompile, NotImplementedError):  # the second is Numba's, of what it has no code for
                return None


class _Run:
    """One launch, with all it needs."""

    def __init__(self, kernel, function, compiled: Any, griddim, blockdim, args, sharedmem, cooperative, order=None):
        self.kernel, self.function, self.compiled, self.args = kernel, function, compiled, args
        self.griddim, self.blockdim = griddim, blockdim
        self.sharedmem, self.cooperative, self.order = sharedmem, cooperative, order
        self.blocks = griddim[0] * griddim[1] * griddim[2]

    def plain(self, ranges: list[tuple[int, int]] | None) -> None:
        if self.compiled is None:
            picked = None if ranges is None else np.concatenate([np.arange(*part) for part in ranges])
            self.tell(self.interpret(picked, None))
            return
        from .backends.numba import workers

        workers.run(
            *(self.compiled, self.function, self.griddim, self.blockdim, self.args),
            sharedmem=self.sharedmem,
            cooperative=self.cooperative,
            ranges=ranges,
            order=self.order,
        )

    def traced(self, blocks: np.ndarray, recorder: Recorder, budget: int | None = None) -> np.ndarray:
        """Run blocks traced; returns those that were."""
        if self.compiled is None:
            self.tell(self.interpret(blocks, recorder))
            return blocks
        from .backends.numba import traced

        return traced.run(
            *(self.compiled, self.function, self.griddim, self.blockdim, self.args, blocks, recorder),
            sharedmem=self.sharedmem,
            cooperative=self.cooperative,
            order=self.order,
            budget=budget,
        )

    def tell(self, past: tuple[Any, int] | None) -> None:
        if past is not None:
            reported.past_the_end(self.function.name, *past)

    def interpret(self, blocks: np.ndarray | None, recorder: Recorder | None) -> tuple[KernelError, int] | None:
        """Run blocks interpreted; returns the first access past the end of an array and how many there were, if it goes on."""
        from .backends import numpy as interpreted

        return interpreted.run(
            *(self.function, self.griddim, self.blockdim, self.args),
            sharedmem=self.sharedmem,
            log=recorder,
            blocks=blocks,
            should_stop=_stop,
            debug=self.kernel.debug,
            beyond=self.kernel.beyond or reported.goes_on(),
        )


def _checked(run: _Run, all_blocks: bool, only_report: bool) -> list[tuple[int, int]]:
    """Run a sample of the blocks traced; returns the ranges of those left, and raises what was found, or warns of it."""
    if all_blocks or run.cooperative:
        picked = np.arange(run.blocks)
    else:
        picked = np.sort(sample.choose(run.griddim))
    recorder = Recorder(run.griddim, run.blockdim, picked, kernel=run.kernel.name, function=run.function)
    try:
        picked = run.traced(picked, recorder, None if all_blocks else ENOUGH)
    except KernelError as fault:
        for watch in reported.stopped:
            log = recorder.log()
            watch(run, log, findings.with_fault(fault, findings.examine(log)))
        raise
    found = findings.examine(recorder.log())
    reported.findings(run.function, found)
    for watch in reported.watchers:
        watch(run, recorder.log(), found)
    if any(finding.severity == "error" for finding in found):
        error = TraceError(kernel=run.kernel.name, filename=run.function.filename, findings=tuple(found))
        if not only_report:
            raise error
        reported.tell(run.kernel.name, error.told())
    if len(picked) == run.blocks:
        return []
    edges = [-1, *(int(b) for b in picked), run.blocks]
    return [(a + 1, b) for a, b in zip(edges, edges[1:], strict=False) if b > a + 1]


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let ``Ctrl-C`` wait for the compiler: Numba left in the middle of itself refuses every later kernel."""

    held = interrupt.hold()
    try:
        yield
    finally:
        if held is not None:
            interrupt.release(held)


def _stop() -> None:
    if interrupt.arrived is not None:
        raise KeyboardInterrupt("The kernel was stopped: what it writes is incomplete.")


def _can_compile() -> bool:
    way = os.environ.get(WAY_SETTING) or ""
    if way not in ("", "compiled", "interpreted"):
        raise ValueError(f"{WAY_SETTING} must be compiled or interpreted, not {way!r}.")
    if way == "interpreted":
        return False
    try:
        import numba  # noqa: F401
    except ImportError:
        return False
    return True


def _key(args: tuple) -> tuple:
    """What decides for which types a kernel is compiled."""
    return tuple([_kind(value) for value in args])


def _kind(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        flags = value.flags
        # As Numba has it: a picture of one row lies in both orders, and has the type of any other.
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return value.dtype, value.ndim, layout, flags.writeable, flags.aligned
    if isinstance(value, tuple):
        return (type(value), *[_kind(item) for item in value])
    if isinstance(value, np.generic):  # the unit of a time is part of its dtype
        return np.generic, value.dtype
    return type(value)


def _half(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(_half(item) for item in value)
    kind = getattr(value, "dtype", None)
    return kind is not None and any(
        np.dtype(field).base == np.float16
        for field in ([k for k, *_ in kind.fields.values()] if kind.fields else [kind])
    )
