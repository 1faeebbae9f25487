"""From a resolved kernel and the types of its arguments to machine code."""

from __future__ import annotations

import ast
import threading
import weakref
from collections.abc import Callable
from dataclasses import astuple, dataclass, field
from typing import Any

import numba
from numba.core import errors, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.ir import FunctionIR

from ...faults import KernelError, UncompilableError
from ...frontend.python.resolve import Function, is_written
from ...sanitizer.log import Site
from . import access, arrays, atomics, cache, cache_key, diagnostics, driver, exchange, thread_intrinsics
from .arrays import Compilation, Layout, Way
from .inline import every, inline
from .llvm import INNER
from .rewrite import HELPER, rewrite
from .waiting import only_barriers, waits

_HELPERS = {
    access: (
        *("get", "part", "set", "step", "raising", "get_field", "set_field", "get_own", "set_own", "copied"),
        *("read_all", "wrote_all", "turned", "only"),
    ),
    arrays: ("shared_array", "local_array"),
    atomics: tuple(name for name in vars(atomics) if name.startswith("atomic_")),
    exchange: (
        "post",
        "post_shuffle",
        "post_vote",
        "post_predicate",
        "left",
        "take_value",
        "take_mask",
        "take_bool",
        "take_pair",
    ),
    thread_intrinsics: (
        *("dim3", "laneid", "warpsize", "lanemask_lt", "fence", "way", "drop", "nanosleep", "printed", "this_grid"),
        *("popc", "brev", "clz", "ffs", "fma", "cbrt", "selp", "math_fmod", "math_modf", "math_remainder"),
        *("math_floor", "math_ceil", "math_trunc", "math_exp2", "minimum", "maximum"),
    ),
}
"""What rewritten code calls, by the names it uses."""
ENVIRONMENT = {HELPER + name: getattr(module, name) for module, names in _HELPERS.items() for name in names}
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
    within : int
        Whether its elements are known to be inside.
    """

    run: Any
    generator: bool
    sites: list[Site]
    shared: Layout
    local: Layout
    loops: bool
    functions: dict[str, Function]
    thread: Any
    beyond: Way = "stop"
    within: int = 0


@dataclass
class Options:
    """What ``cuda.jit`` was told that matters here, whether a traced launch logs which way threads go, what happens at the end
    of an array, and whether elements are known to be inside."""

    debug: bool = False
    fastmath: bool = False
    opt: bool = True
    branches: bool = False
    beyond: Way = "stop"
    within: int = 0


@dataclass
class Rewritten:
    """A kernel's functions as Numba dispatchers, before their types are known."""

    function: Function
    options: Options
    sites: list[Site] = field(default_factory=list)
    generator: bool = False
    barriers_only: bool = False
    loops: bool = False
    functions: dict[str, Function] = field(default_factory=dict)
    thread: Any = None
    driver: Any = None
    compilation: Compilation = field(init=False)
    dispatchers: list[tuple[Function, ast.FunctionDef, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.compilation = Compilation(self.sites, self.options.beyond, self.options.within)


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
        made.barriers_only = "syncthreads" in function.intrinsics and only_barriers(inlined)
        made.driver = driver.scheduled(made.thread, made.barriers_only, plain)
    else:
        made.driver = driver.plain(made.thread, made.loops, plain)
    return made


def _dispatcher(function: Function, made: Rewritten, known: dict, settings: dict, *, kernel: bool) -> Any:
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
        own=made.options.within if kernel else 0,
    )
    module = ast.Module([node], [])
    exec(compile(module, function.filename, "exec"), env)
    python = env[node.name]
    python.__defaults__ = function.defaults or None
    python.__module__ = __name__  # one that every process can import: it comes along with the machine code
    look = _look(weakref.ref(function), weakref.ref(made.function)) if is_written(function.pyfunc) else None
    settings = settings | {"pipeline_class": made.compilation.pipeline(look)}
    # LLVM leaves a kernel out of the loop over threads where what is rare makes it long: a call with 30 arguments for each.
    known[id(function)] = numba.njit(python, **settings, forceinline=kernel and not made.generator)
    made.dispatchers.append((function, node, known[id(function)]))
    return known[id(function)]


def _look(function: weakref.ref[Function], kernel: weakref.ref[Function]) -> Callable[[FunctionIR], None]:
    """What looks at a function before it is compiled.

    Numba keeps its compilers for good, and a function keeps its globals: arrays on the device would never be freed.
    """

    def look(code: FunctionIR) -> None:
        mine, whole = function(), kernel()
        assert mine is not None and whole is not None  # they are being compiled
        diagnostics.look(mine, whole, code)

    return look


def compile_for(made: Rewritten, kinds: tuple[types.Type, ...], *, anew: bool = False) -> Compiled:
    """Compile a kernel for arguments of some Numba types, or take what an earlier process compiled from the same.

    Parameters
    ----------
    anew : bool
        Compile in any case: only then `Compiled.thread` knows the types of the kernel's variables.

    Raises
    ------
    UncompilableError
        With Numba's words, about the learner's own lines.
    """
    with _lock, global_compiler_lock:
        words = types.int64
        arguments = types.Tuple(kinds)
        dims = types.UniTuple(words, 6)
        if made.generator:
            rows = types.Array(words, 2, "C")
            order = types.Array(words, 1, "C")
            signature = (words, words, words, dims, types.boolean, rows, words, order, words, words, arguments)
        else:
            signature = (words, words, words, dims, types.boolean, arguments)
        key = _key(made, kinds)
        kept = cache.load(key, signature) if key and not anew else None
        if kept is not None:
            result, (shared, local, parts) = kept
            made.driver.add_overload(result)
            for site, (offset, nbytes) in parts.items():
                made.sites[site] = made.sites[site]._replace(offset=offset, nbytes=nbytes)
        else:
            before = list(made.sites)
            shared, local = made.compilation.shared, made.compilation.local
            if key:
                made.thread.py_func.__qualname__ += f"_{key[:16]}"  # for the names in its machine code
            try:
                made.driver.compile(signature)
            except KernelError:
                raise
            except diagnostics.Refused as refused:
                raise refused.args[0] from None
            except (errors.NumbaError, AssertionError, RuntimeError) as error:  # the last two where its compiler ends
                raise diagnostics.explain(made.functions, made.function, error) from None
            diagnostics.check(made.dispatchers, made.function)
            if key:
                after = enumerate(zip(before, made.sites, strict=True))
                parts = {site: (new.offset, new.nbytes) for site, (old, new) in after if new != old}
                cache.save(key, made.driver.overloads[signature], (shared, local, parts))
        # Other types are another kernel, with a layout of its own: never compiled in passing, by a call.
        made.driver.disable_compile()
        # The dispatcher itself: it unpacks arguments faster than any way around it.
        return Compiled(
            *(made.driver, made.generator, made.sites, shared, local, made.loops, made.functions, made.thread),
            beyond=made.options.beyond,
            within=made.options.within,
        )


def _key(made: Rewritten, kinds: tuple[types.Type, ...]) -> str | None:
    """The key under which its machine code is kept; None where it cannot be."""
    if made.options.debug:  # its exceptions name the file
        return None
    settings = (*astuple(made.options), made.generator, made.barriers_only, made.loops)
    try:
        return cache_key.key(made.dispatchers, settings, kinds)
    except cache_key.NoKey:
        return None


__all__ = ["Compiled", "Options", "Rewritten", "UncompilableError", "compile_for", "prepare"]
