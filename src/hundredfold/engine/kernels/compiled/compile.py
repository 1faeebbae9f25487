"""From a resolved kernel and the types of its arguments to machine code."""

from __future__ import annotations

import ast
import threading
from dataclasses import dataclass, field

import numba
from numba.core import errors, types
from numba.core.compiler_lock import global_compiler_lock

from ..faults import UncompilableError
from ..resolve import Function
from ..trace.log import Site
from . import beyond, driver, refuse
from .arrays import Layout, Layouts
from .helpers import ENVIRONMENT
from .inline import every, inline
from .low import INNER
from .rewrite import rewrite
from .waiting import only_barriers, waits

_lock = threading.RLock()


@dataclass
class Compiled:
    """A kernel compiled for one set of argument types.

    Attributes
    ----------
    run : callable
        The driver's compiled entry, see :mod:`.driver`.
    generator : bool
        Whether it is a scheduled driver.
    sites : list of Site
        What the numbers of accesses, loops and barriers in the machine's cells and records mean.
    shared, local : Layout
    loops : bool
        Whether it has loops; without any it cannot run for ever.
    functions : dict
        The kernel and the device functions it calls, by name.
    thread : numba dispatcher
        The rewritten kernel.
    beyond : str
        What it does at the end of an array: ``"stop"``, or go on and ``"tell"`` or ``"log"`` it.
    """

    run: object
    generator: bool
    sites: list[Site]
    shared: Layout
    local: Layout
    loops: bool
    functions: dict[str, Function]
    thread: object
    beyond: beyond.Way = "stop"


@dataclass
class Options:
    """What ``cuda.jit`` was told that matters here, whether a traced launch logs which way threads go, and what happens at
    the end of an array."""

    debug: bool = False
    fastmath: bool = False
    opt: bool = True
    branches: bool = False
    beyond: beyond.Way = "stop"


@dataclass
class Rewritten:
    """A kernel's functions as Numba dispatchers, before their types are known."""

    function: Function
    options: Options
    sites: list[Site] = field(default_factory=list)
    generator: bool = False
    loops: bool = False
    functions: dict[str, Function] = field(default_factory=dict)
    thread: object = None
    driver: object = None
    dispatchers: list[tuple[Function, object]] = field(default_factory=list)


def prepare(function: Function, options: Options) -> Rewritten:
    """Rewrite a kernel and all it calls, and make Numba dispatchers of them.  Nothing is compiled yet.

    Raises
    ------
    UncompilableError, rewrite.CannotCompile
    """
    inlined = inline(function)
    made = Rewritten(function, options)
    for callee in every(function):
        made.functions[callee.name] = callee
    made.generator = waits(inlined)
    settings = {
        **INNER,
        "error_model": "python" if options.debug else "numpy",
        "fastmath": bool(options.fastmath),
    }
    made.thread = _dispatcher(inlined, made, {}, settings, kernel=True)
    made.loops = any(site.kind == "loop" for site in made.sites)
    plain = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    if made.generator:
        barriers_only = "syncthreads" in function.intrinsics and only_barriers(inlined)
        made.driver = driver.scheduled(made.thread, barriers_only, plain)
    else:
        made.driver = driver.plain(made.thread, made.loops, plain)
    return made


def _dispatcher(function: Function, made: Rewritten, known: dict, settings: dict, *, kernel: bool) -> object:
    if id(function) in known:
        return known[id(function)]
    made.functions.setdefault(function.name, function)
    env = dict(ENVIRONMENT)
    env["__builtins__"] = __builtins__
    env.update(function.env)
    for name, callee in function.functions.items():
        env[name] = _dispatcher(callee, made, known, settings, kernel=False)
    node = rewrite(
        function,
        made.sites,
        kernel=kernel,
        debug=made.options.debug,
        generator=kernel and made.generator,
        branches=made.options.branches,
    )
    module = ast.Module([node], [])
    exec(compile(module, function.filename, "exec"), env)
    python = env[node.name]
    python.__defaults__ = function.defaults or None
    python.__module__ = function.pyfunc.__module__
    known[id(function)] = numba.njit(python, **settings)
    made.dispatchers.append((function, known[id(function)]))
    return known[id(function)]


def compile_for(made: Rewritten, kinds: tuple[types.Type, ...]) -> Compiled:
    """Compile a kernel for arguments of some Numba types.

    Raises
    ------
    UncompilableError
        With Numba's words, about the learner's own lines.
    """
    with _lock, global_compiler_lock, beyond.compiling(made.options.beyond):
        shared, local = Layouts.begin(made.sites)
        words = types.int64
        arguments = types.Tuple(kinds)
        dims = types.UniTuple(words, 6)
        if made.generator:
            rows = types.Array(words, 2, "C")
            order = types.Array(words, 1, "C")
            signature = (words, words, words, dims, types.boolean, rows, words, order, words, words, arguments)
        else:
            signature = (words, words, words, dims, types.boolean, arguments)
        try:
            made.driver.compile(signature)
        except errors.NumbaError as error:
            raise refuse.explain(made.functions, made.function, error) from None
        # Other types are another kernel, with a layout of its own: never compiled in passing, by a call.
        made.driver.disable_compile()
        refuse.check(made)
        # The dispatcher itself: it unpacks arguments faster than any way around it.
        return Compiled(
            *(made.driver, made.generator, made.sites, shared, local, made.loops, made.functions, made.thread),
            beyond=made.options.beyond,
        )


__all__ = ["Compiled", "Options", "Rewritten", "UncompilableError", "compile_for", "prepare"]
