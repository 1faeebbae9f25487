"""A Python that starts warm: each start is a fork of one process that has imported the expensive libraries already.

    python warm.py serve SOCKET      the template: it imports (`IMPORTS`), then forks a child for every start
    python -I -S warm.py start SOCKET PYTHON NAME [argument …]      what NAME runs, started in the place of PYTHON

The started process hands its arguments, folder, environment and first three files to the template. It passes signals on to
the child and ends as the child ends. If it is killed, so is the child.

Some starts cannot be had this way: Python's own options, other open files, other resource limits, or an environment that
differs in a variable that an import has read. They become a new process of the real Python.

Tests of the start itself (the `.pth`, the order of imports, `-I -S`, what is not imported) must not use this.
"""

import os
import sys

IMPORTS = (
    "click rich.console rich.table numpy pandas numba nbformat nbclient jupytext ipykernel.kernelapp ipykernel.ipkernel "
    "IPython.core.interactiveshell asyncio multiprocessing.pool concurrent.futures.thread "
    "hundredfold.cli hundredfold.start gpusim.hardware.packages gpusim.hardware.cpu gpusim.device.queue "
    "gpusim.kernels.launch gpusim.kernels.backends.numpy gpusim.kernels.backends.numba.traced "
    "kernellens.trial.command kernellens.trial.running kernellens.trial.verdicts kernellens.port.command "
    "hundredfold.publish.build.execute kernellens.check.sarif kernellens.check.command gpusim.hardware.gpus kernellens.plot.quantities "
    "kernellens.tracing kernellens.arrays kernellens.times kernellens.pictures kernellens.ordering kernellens.compiling "
    "kernellens.residency kernellens.watching gpusim.device.memory gpusim.device.empty gpusim.device.oom psutil"
).split()
"""None of these is a simulated library, or decides whether there is a GPU: each child decides that itself."""

SETTINGS = ("PYTHON", "NUMBA_", "DASK_", "OMP_", "OPENBLAS_", "MKL_", "ARROW_", "LD_", "LC_", "LANG", "TZ")
"""Variables that libraries read in C, or all of them in a loop."""
APPLIED = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "JPY_PARENT_PID", "JUPYTER_PLATFORM_DIRS")
"""Those that `_become` applies, and two that a kernel is given: whose child it is, and that Jupyter need not warn."""


def inherited() -> list:
    """What a new process would have of its parent's, besides files, folder and environment."""
    import resource
    import signal

    limits = [getattr(resource, name) for name in sorted(dir(resource)) if name.startswith("RLIMIT_")]
    return [
        [list(resource.getrlimit(limit)) for limit in limits],
        sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [],
        os.nice(0),
        signal.getsignal(signal.SIGINT) is signal.SIG_IGN,
    ]


# ---- the started process -------------------------------------------------------------------------------------------


def start(address: str, python: str, me: str, arguments: list[str]) -> None:
    """Let the template fork, pass signals on, and end as the child ends; or become a new process of `python`."""
    if not _ask(address, me, arguments):
        import signal

        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.execv(python, [python, *arguments])


def _ask(address: str, me: str, arguments: list[str]) -> bool:
    import json
    import signal
    import socket

    if arguments[:1] == ["-Xfrozen_modules=off"]:  # for a debugger: ipykernel's own way to start a kernel
        del arguments[0]
    if not arguments or arguments[0] not in ("-c", "-m") and not os.path.isfile(arguments[0]):
        return False
    if any(os.path.exists(f"/dev/fd/{number}") for number in range(3, 64)):
        return False
    passed = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
    signal.pthread_sigmask(signal.SIG_BLOCK, passed)  # until there is a child that they can be passed on to
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(address)
        asked = {
            "python": me,
            "arguments": arguments,
            "folder": os.getcwd(),
            "environment": dict(os.environ),
            "umask": os.umask(0),
            "inherited": inherited(),
        }
        os.umask(asked["umask"])
        text = json.dumps(asked).encode()
        socket.send_fds(connection, [len(text).to_bytes(8, "big")], [0, 1, 2])
        connection.sendall(text)
        answers = connection.makefile("r")
        child = int(answers.readline() or 0)
    except OSError:
        return False
    if not child:
        return False
    for each in passed:
        signal.signal(each, lambda number, _: os.kill(child, number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, passed)
    status = int(answers.readline() or -signal.SIGKILL)
    if status < 0:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -status != signal.SIGKILL:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


# ---- the template --------------------------------------------------------------------------------------------------


def serve(address: str) -> None:
    """Import, then fork for whoever connects, until standard input ends."""
    import gc
    import json
    import selectors
    import signal
    import socket

    read = _warm()
    mine, at_start = inherited(), dict(os.environ)
    selector = selectors.DefaultSelector()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(address)
    listening.listen(64)
    wake, woken = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(woken, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    for each in (0, wake, listening):
        selector.register(each, selectors.EVENT_READ)
    children: dict[int, socket.socket] = {}
    print("ready", flush=True)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    gc.collect()
    gc.freeze()
    while True:
        for key, _ in selector.select():
            if key.fileobj == 0:
                for child in children:
                    _kill(child)
                return
            if key.fileobj == wake:
                os.read(wake, 4096)
                for child in list(children):
                    done, status = os.waitpid(child, os.WNOHANG)
                    if done:
                        connection = children.pop(child)
                        selector.unregister(connection)
                        _tell(connection, os.waitstatus_to_exitcode(status))
                        connection.close()
            elif key.fileobj is listening:
                connection, _ = listening.accept()
                try:
                    length, files, _, _ = socket.recv_fds(connection, 8, 3)
                    asked = json.loads(_receive(connection, int.from_bytes(length, "big")))
                except (OSError, EOFError):
                    connection.close()
                    continue
                child = 0
                if asked["inherited"] == mine and not _cold(asked["environment"], at_start, read):
                    child = os.fork()
                    if not child:
                        signal.set_wakeup_fd(-1)
                        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                        for other in (*children.values(), connection, listening, selector):
                            other.close()
                        os.close(wake)
                        os.close(woken)
                        return _become(asked, files, at_start)
                    selector.register(connection, selectors.EVENT_READ)
                    children[child] = connection
                for file in files:
                    os.close(file)
                _tell(connection, child)
                if not child:
                    connection.close()
            else:  # whoever asked for this child has ended without a word
                child = next(child for child, connection in children.items() if connection is key.fileobj)
                selector.unregister(key.fileobj)
                children.pop(child).close()
                _kill(child)
                os.waitpid(child, 0)


def _warm() -> set[str]:
    """Import what is expensive; return the names of the environment variables that were read meanwhile."""
    import importlib

    read = set()

    class Watched(os._Environ):
        def __getitem__(self, name):
            read.add(name)
            return super().__getitem__(name)

        def items(self):  # a loop over all of them looks for names of its own: SETTINGS
            return [(name, os._Environ.__getitem__(self, name)) for name in self]

        def copy(self):
            return dict(self.items())

    os.environ.__class__ = Watched
    for name in IMPORTS:
        importlib.import_module(name)
    os.environ.__class__ = os._Environ
    _compile()
    # Numba looks whether there is SciPy's BLAS. What SciPy reads from the environment, it is to read in each child.
    for name in [name for name in sys.modules if name.partition(".")[0] == "scipy"]:
        del sys.modules[name]
    decided = ("cupy", "numba.cuda", "cudf", "cuml", "rmm", "scipy._lib._array_api")
    early = [name for name in sys.modules if name.startswith(decided)]
    assert not early, f"the program decides what these are: {early}"
    return read


def _compile() -> None:
    """Compile a first kernel, with which Numba and the engine fill their tables; nothing is launched."""
    from types import ModuleType

    import numpy as np

    from gpusim.kernels import Kernel
    from gpusim.kernels.frontend import intrinsics

    cuda = ModuleType("numba.cuda")
    vars(cuda).update(intrinsics.TOP)

    def kernel(x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] = x[i] + 1

    Kernel(kernel).compiled((np.zeros(1), np.zeros(1)))


def _cold(environment: dict, at_start: dict, read: set[str]) -> bool:
    """Whether an environment differs in something that was read at the start."""
    differ = {name for name in {*environment, *at_start} if environment.get(name, "") != at_start.get(name, "")}
    return any(name in read or name.startswith(SETTINGS) for name in differ.difference(APPLIED))


def _receive(connection, length: int) -> bytes:
    found = b""
    while len(found) < length:
        more = connection.recv(length - len(found))
        if not more:
            raise EOFError
        found += more
    return found


def _tell(connection, number: int) -> None:
    try:
        connection.sendall(b"%d\n" % number)
    except OSError:
        pass


def _kill(child: int) -> None:
    import signal

    for kill in (os.killpg, os.kill):  # it may not yet have a group of its own
        try:
            kill(child, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


# ---- the child -----------------------------------------------------------------------------------------------------


def _become(asked: dict, files: list[int], at_start: dict) -> None:
    """Be a Python that has just started with these arguments."""
    import random
    import types

    import numpy as np

    os.setsid()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(asked["folder"])
    os.umask(asked["umask"])
    environment = asked["environment"]
    os.environ.clear()
    os.environ.update(environment)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=stream.isatty() or stream is sys.stderr)
    random.seed()
    np.random.seed()
    sys.dont_write_bytecode = bool(environment.get("PYTHONDONTWRITEBYTECODE"))
    before = at_start.get("PYTHONPATH", "").split(os.pathsep)
    added = [each for each in environment.get("PYTHONPATH", "").split(os.pathsep) if each and each not in before]
    option, *rest = asked["arguments"]
    sys.executable = asked["python"]  # what this process starts in its turn is warm too
    sys.orig_argv = [sys.executable, option, *rest]
    first = {"-c": "", "-m": os.getcwd()}.get(option, os.path.dirname(os.path.realpath(option)))
    sys.path[:0] = [first, *added]
    _startup(bool(added))
    sys.argv = [option, *rest[option in ("-c", "-m") :]]
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__dict__.update(__builtins__=__builtins__, __annotations__={})
    try:
        if option == "-m":
            import runpy

            sys.modules.pop(rest[0], None)
            runpy._run_module_as_main(rest[0])
        elif option == "-c":
            exec(compile(rest[0], "<string>", "exec", dont_inherit=True), main.__dict__)
        else:
            with open(option, "rb") as file:
                code = file.read()
            main.__file__ = os.path.abspath(option)
            exec(compile(code, main.__file__, "exec", dont_inherit=True), main.__dict__)
        _end(0)
    except SystemExit as ended:
        if not isinstance(ended.code, (int, type(None))):
            print(ended.code, file=sys.stderr)
        _end(ended.code if isinstance(ended.code, int) else int(ended.code is not None))
    except BaseException as error:
        trace = error.__traceback__.tb_next  # without this function's frame
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        _end(-2 if isinstance(error, KeyboardInterrupt) else 1)


def _startup(customised: bool) -> None:
    """Do what the course has every Python do at its start, and what the folders of PYTHONPATH have it do."""
    import sysconfig
    from pathlib import Path

    site = Path(sysconfig.get_path("purelib"))
    for file in sorted([*site.glob("gpusim.pth"), *site.glob("hundredfold*.pth")]):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("import "):
                exec(line)
    if customised:
        sys.modules.pop("sitecustomize", None)
        try:
            import sitecustomize  # noqa: F401
        except ModuleNotFoundError:
            pass


def _end(status: int) -> None:
    """End as Python does, but for the modules: to take thousands apart takes longer than most programs."""
    import atexit
    import signal
    import threading

    threading._shutdown()
    atexit._run_exitfuncs()
    sys.modules["__main__"].__dict__.clear()  # files of the program's are closed
    sys.stdout.flush()
    sys.stderr.flush()
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status & 255)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        del sys.path[0]
        serve(sys.argv[2])
    else:
        start(*sys.argv[2:5], sys.argv[5:])
