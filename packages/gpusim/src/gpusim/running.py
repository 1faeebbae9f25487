"""Run a program as ``python`` would, in the place of ``__main__``: what is behind ``python -m gpusim SCRIPT``, and the course's."""

from __future__ import annotations

import importlib.util
import os
import sys
import types
import zipfile
from collections.abc import Callable
from typing import Any

_name = "gpusim"  # the package after -m: what is said is said in its name
_commands: tuple[str, ...] = ()
_caller = __file__


def main(arguments: list[str], start: Callable[[], str], name: str, usage: str, commands: tuple[str, ...] = ()) -> None:
    """Get ready and run the program that the arguments name, in the place of ``__main__``.

    Parameters
    ----------
    arguments : list of str
        As they come after ``python -m NAME``.
    start : callable
        Gets the process ready and returns the line that is said on stderr; raises `gpusim.start.CannotStartError`.
    name : str
        The package after ``-m``.
    usage : str
        What ``--help`` prints.
    commands : tuple of str
        The sub-commands of a command of that name, which somebody may have meant.
    """
    global _name, _commands, _caller
    _name, _commands, _caller = name, commands, sys._getframe(1).f_code.co_filename
    if not arguments or arguments[0] in ("-h", "--help"):
        print(usage, file=sys.stdout if arguments else sys.stderr)
        sys.exit(0 if arguments else 2)
    option, rest = arguments[0], arguments[1:]
    if option in ("-m", "-c") and not rest:
        sys.exit(_fail(f"{option} needs {'a module' if option == '-m' else 'code'} to run"))
    if option.startswith("-") and option not in ("-m", "-c", "-"):
        sys.exit(_fail(f"unknown option {option}: Python's own options go before -m {name}"))
    from .start import CannotStartError

    try:
        line = start()
    except CannotStartError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
    # Asked for first, so that a program which cannot be found is told in one line, not under the banner's promise.
    program = {"-m": _module, "-c": _code}.get(option, _script)(rest[0] if option in ("-m", "-c") else option)
    print(line, file=sys.stderr, flush=True)
    sys.argv = [sys.argv[0], *(rest[1:] if option in ("-m", "-c") else rest)]
    hook = sys.excepthook
    try:
        program()
    except BaseException:
        # Let the interpreter end as it always does (exit status, Ctrl-C, the program's own hook), but show what the
        # program did and not how it was started.
        if sys.excepthook is not hook:
            hook = sys.excepthook
        sys.excepthook = lambda kind, error, trace: hook(kind, error.with_traceback(_theirs(trace)), _theirs(trace))
        raise


Program = Callable[[], object]


def _script(name: str) -> Program:
    if name != "-" and (os.path.isdir(name) or zipfile.is_zipfile(name)):
        import runpy

        _search_first(name)
        return lambda: _with_argv0(name, lambda: runpy.run_path(name, run_name="__main__"))
    try:
        if name == "-":
            source = sys.stdin.read().encode()
        else:
            with open(name, "rb") as file:
                source = file.read()
    except OSError as error:
        also = f" (did you mean `{_name} {name}`?)" if name in _commands else ""
        sys.exit(_fail(f"can't open file {os.path.abspath(name)!r}: {error.strerror}{also}"))
    if name != "-":
        _search_first(os.path.dirname(os.path.realpath(name)))
        file = os.path.abspath(name)
        return lambda: _with_argv0(name, lambda: _run(source, file, __file__=file))
    return lambda: _with_argv0(name, lambda: _run(source, "<stdin>"))


def _module(name: str) -> Program:
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            package, spec = spec, importlib.util.find_spec(f"{name}.__main__")
            if spec is None:
                sys.exit(
                    _fail(f"No module named {name}.__main__; {package.name!r} is a package and cannot be run itself")
                )
    except (ImportError, ValueError) as error:
        sys.exit(_fail(f"Error while finding module specification for {name!r} ({type(error).__name__}: {error})"))
    made: Any = spec
    code = getattr(made, "loader", None) and made.loader.get_code(made.name)
    if code is None:
        sys.exit(_fail(f"No module named {name}"))
    names = {"__file__": made.origin, "__cached__": made.cached, "__spec__": made, "__loader__": made.loader}
    return lambda: _with_argv0(made.origin, lambda: _run(code, made.origin, __package__=made.parent, **names))


def _code(text: str) -> Program:
    if not sys.flags.safe_path:
        sys.path[0] = ""
    return lambda: _with_argv0("-c", lambda: _run(text, "<string>"))


def _run(code: str | bytes | types.CodeType, file: str, **names: object) -> None:
    """Execute code as the module ``__main__``, which stays in place: threads and exit handlers outlive this call."""
    module = types.ModuleType("__main__")
    module.__dict__.update({"__builtins__": __builtins__, "__annotations__": {}, **names})
    sys.modules["__main__"] = module
    exec(code if isinstance(code, types.CodeType) else compile(code, file, "exec", dont_inherit=True), module.__dict__)


def _with_argv0(name: str, program: Program) -> None:
    sys.argv[0] = name
    program()


def _search_first(folder: str) -> None:
    # What stands there is the current folder, which `python -m` searches first; under -P or -I nothing of ours does.
    if not sys.flags.safe_path:
        sys.path[0] = folder


def _theirs(trace: types.TracebackType | None) -> types.TracebackType | None:
    """Return the part of a traceback that begins after the last frame of this file, of runpy, and of who called it."""
    rest, step = trace, trace
    while step is not None and step.tb_frame.f_code.co_filename in (__file__, "<frozen runpy>", _caller):
        rest = step = step.tb_next
    return rest


def _fail(message: str) -> int:
    print(f"python -m {_name}: {message}", file=sys.stderr)
    return 2
