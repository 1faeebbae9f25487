"""The compilation cache: what is found in it again, what never is, and what becomes of damage."""

import enum
import hashlib
import itertools
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import textwrap
import types as python_types
from collections import namedtuple
from pathlib import Path

import numba
import numpy as np
import pytest
from numba import extending
from numba.core import config, types
from numba.core.bytecode import FunctionIdentity
from numba.core.registry import cpu_target
from numba.core.typing import templates

import gpusim
from gpusim.device import fingerprint
from gpusim.kernels.backends.numba import cache, cache_key, logcall
from gpusim.kernels.backends.numba import compile as compiler
from gpusim.kernels.launch import Kernel

INTEGERS = (types.Array(types.int64, 1, "C"),)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A cache of the test's own; the folder is made by the first kernel that is kept."""
    logcall.function()  # kept, too: elsewhere
    monkeypatch.setenv("GPUSIM_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "_written", None)
    return tmp_path / "kernels"


@pytest.fixture
def compilations(monkeypatch):
    """Counts what Numba really compiles of kernels."""
    done = []
    check = compiler.diagnostics.check

    def counted(dispatchers, kernel):
        done.append(kernel)
        return check(dispatchers, kernel)

    monkeypatch.setattr(compiler.diagnostics, "check", counted)
    return done


def written(source: str, name: str = "kernel", **scope):
    """A function of its own from source, as a file or a cell would define it."""
    from gpusim.kernels.frontend.python import source as sources

    source = textwrap.dedent(source)
    exec(compile(source, "made.py", "exec"), scope)
    setattr(scope[name], sources.ATTRIBUTE, (source, "made.py", 1))
    return scope[name]


def key_of(function, kinds=INTEGERS, **options) -> str:
    made = compiler.prepare(Kernel(function).function(), compiler.Options(**options))
    return compiler._key(made, kinds)


SOURCE = """
def kernel(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = helper(i) + N
"""


def simple(cuda, device_function, *, source=SOURCE, helper="def helper(i):\n    return 2 * i", n=3):
    return written(source, cuda=cuda, N=n, helper=device_function(written(helper, "helper")))


# It is found again


def test_a_kernel_is_compiled_once_and_gives_the_same_results(launch, cuda, device_function, compilations, folder):
    for _ in range(3):
        out = np.zeros(50, np.int64)
        launch(simple(cuda, device_function), 1, 64, out)
        assert np.array_equal(out, 2 * np.arange(50) + 3)
    assert len(compilations) == 1
    assert len(list(folder.glob("*.kernel"))) == 1


def test_a_kernel_with_barriers_shared_and_local_memory_is_the_same_from_disk(launch, cuda, compilations):
    def make():
        def kernel(x, out):
            tile = cuda.shared.array(64, numba.float64)
            own = cuda.local.array(2, numba.int64)
            i = cuda.threadIdx.x
            own[0], own[1] = i, 63 - i
            tile[i] = x[i]
            cuda.syncthreads()
            out[i] = tile[own[1]] + own[0]

        return kernel

    x, results = np.random.default_rng(1).random(64), []
    for trace in (None, "all", "off"):
        out = np.zeros(64)
        kernel = launch(make(), 1, 64, x, out, trace=trace)
        results.append(out)
        assert kernel.compiled((x, out)).shared.nbytes == 512 and kernel.compiled((x, out)).local.nbytes == 16
    assert len(compilations) == 1
    assert all(np.array_equal(out, x[::-1] + np.arange(64)) for out in results)


def test_a_trace_of_a_kernel_from_disk_says_the_same(cuda, compilations):
    point = np.dtype([("x", np.float32), ("y", np.float64)])

    def make():
        def kernel(points, out):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = points[i].y + points[i].x

        return kernel

    logs = []
    for _ in range(2):
        points, out = np.zeros(8, point), np.zeros(8)
        log, fault = Kernel(make(), branches=True).trace(1, 8, (points, out))
        assert fault is None
        logs.append(([site._replace(column=0) for site in log.sites], log.records.tolist()))
    assert len(compilations) == 1
    assert logs[0] == logs[1]
    assert any(site.nbytes for site in logs[1][0])  # fields of records, which Numba found while it compiled


def test_lines_of_errors_are_those_of_the_kernel_that_is_launched(launch, cuda, compilations):
    lines = []
    for above in ("", "\n\n\n"):
        source = above + "def kernel(out):\n    out[cuda.grid(1) + 1] = 1\n"
        with pytest.raises(IndexError) as caught:
            launch(written(source, cuda=cuda), 1, 4, np.zeros(4, np.int64))
        lines.append(caught.value.file_line)
    assert len(compilations) == 1
    assert lines == [2, 5]


def test_types_are_printed_of_a_kernel_from_disk(launch, cuda, device_function, capsys):
    told = []
    for _ in range(2):
        out = np.zeros(4, np.int64)
        launch(simple(cuda, device_function), 1, 4, out).inspect_types((out,))
        told.append(capsys.readouterr().out)
    assert "i :: int64" in told[0] and told[0] == told[1]


def test_what_is_refused_is_refused_each_time(launch, cuda, folder):
    for _ in range(2):
        with pytest.raises(Exception, match="makes a new array"):
            launch(written("def kernel(x):\n    y = x + x\n    x[0] = y[0]\n"), 1, 1, np.zeros(4))
    assert not list(folder.glob("*.kernel"))


PROGRAM = """
import json, sys
import numpy as np
import gpusim
gpusim.activate()
from numba import cuda
from gpusim.kernels.backends.numba import compile as compiler
done, check = [], compiler.diagnostics.check
compiler.diagnostics.check = lambda *made: (done.append(0), check(*made))[1]

@cuda.jit(device=True)
def helper(i):
    return HELPER

@cuda.jit
def kernel(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = helper(i) + N

@cuda.jit
def sums(out):
    tile = cuda.shared.array(32, np.int64)
    t = cuda.threadIdx.x
    tile[t] = t
    cuda.syncthreads()
    out[t] = tile[31 - t] + N

N = 3
out, more = np.zeros(8, np.int64), np.zeros(32, np.int64)
kernel[1, 8](out)
sums[1, 32](more)
print(json.dumps([len(done), out.tolist(), more.tolist()]))
"""


def program(tmp_path, *, helper="2 * i", path=None):
    """What a process of its own compiles and computes."""
    file = tmp_path / "program.py"
    file.write_text(PROGRAM.replace("HELPER", helper))
    environment = {**os.environ, **({"PYTHONPATH": str(path)} if path else {})}
    done = subprocess.run([sys.executable, file], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_another_process_finds_it_and_compiles_only_what_was_changed(tmp_path):
    expected = [(2 * np.arange(8) + 3).tolist(), (np.arange(32)[::-1] + 3).tolist()]
    assert program(tmp_path) == [2, *expected]
    assert program(tmp_path) == [0, *expected]
    assert program(tmp_path, helper="3 * i")[:2] == [1, (3 * np.arange(8) + 3).tolist()]


@pytest.mark.large
def test_an_engine_whose_source_was_changed_finds_nothing(tmp_path):
    package = Path(gpusim.__file__).parent
    copied = tmp_path / "copy" / "gpusim"
    shutil.copytree(package, copied, ignore=shutil.ignore_patterns("__pycache__"))
    assert program(tmp_path, path=copied.parent)[0] == 2
    assert program(tmp_path, path=copied.parent)[0] == 0
    with open(copied / "kernels/sanitizer/records.py", "a") as file:
        file.write("\n# changed\n")
    assert program(tmp_path, path=copied.parent)[0] == 2


def test_each_file_of_the_engine_counts(tmp_path, monkeypatch):
    copied = tmp_path / "gpusim"
    for name in fingerprint._FOLDERS:
        shutil.copytree(fingerprint._ROOT / name, copied / name, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(fingerprint, "_ROOT", copied)
    files, before = fingerprint._read.__wrapped__()
    assert {path.relative_to(copied).as_posix() for path in files} >= {
        "device/memory.py",
        "kernels/backends/numba/llvm.py",
    }
    assert len(files) == sum(1 for path in copied.rglob("*") if path.is_file())
    seen = {before}
    for path in files:
        content = path.read_bytes()
        path.write_bytes(content + b"\n")
        seen.add(fingerprint._read.__wrapped__()[1])
        path.write_bytes(content)
    assert len(seen) == 1 + len(files)
    assert fingerprint._read.__wrapped__()[1] == before
    files[0].rename(copied / "renamed.py")
    assert fingerprint._read.__wrapped__()[1] not in seen


def test_an_engine_that_is_edited_while_it_runs_keeps_and_takes_nothing(
    monkeypatch, launch, cuda, device_function, folder
):
    monkeypatch.setattr(fingerprint, "_BEGAN", 0.0)
    assert fingerprint.fingerprint() is None
    launch(simple(cuda, device_function), 1, 4, np.zeros(4, np.int64))
    assert not folder.exists()


# It is not found where anything differs


def test_each_part_of_a_kernel_changes_its_key(cuda, device_function):
    base = key_of(simple(cuda, device_function))
    assert base == key_of(simple(cuda, device_function))
    others = {
        "line of the kernel": simple(cuda, device_function, source=SOURCE.replace("+ N", "- N")),
        "constant in the kernel": simple(cuda, device_function, source=SOURCE.replace("grid(1)", "grid(1) + 0")),
        "device function": simple(cuda, device_function, helper="def helper(i):\n    return 3 * i"),
        "constant in it": simple(cuda, device_function, helper="def helper(i):\n    return 2.0 * i"),
        "its default": simple(cuda, device_function, helper="def helper(i, k=1):\n    return 2 * i"),
        "another default": simple(cuda, device_function, helper="def helper(i, k=2):\n    return 2 * i"),
        "global": simple(cuda, device_function, n=4),
        "type of a global": simple(cuda, device_function, n=3.0),
        "truth": simple(cuda, device_function, n=True),
        "NumPy's": simple(cuda, device_function, n=np.int64(3)),
        "narrow": simple(cuda, device_function, n=np.int32(3)),
        "zero": simple(cuda, device_function, n=0.0),
        "negative zero": simple(cuda, device_function, n=-0.0),
    }
    keys = {name: key_of(kernel) for name, kernel in others.items()}
    assert None not in keys.values() and len({base, *keys.values()}) == 1 + len(keys)


def test_options_change_the_key(cuda, device_function):
    kernel = simple(cuda, device_function)
    ways = [{}, {"fastmath": True}, {"opt": False}, {"branches": True}, {"beyond": "tell"}, {"beyond": "log"}]
    assert len({key_of(kernel, **way) for way in ways}) == len(ways)


def test_types_of_the_arguments_change_the_key(cuda, device_function):
    record = np.dtype([("x", np.float32), ("y", np.int32)])
    moved = np.dtype({"names": ["x", "y"], "formats": [np.float32, np.int32], "offsets": [4, 0]})
    kinds = [
        *(types.Array(types.int64, 1, layout, readonly=fixed) for layout in "CA" for fixed in (False, True)),
        types.Array(types.int64, 2, "C"),
        types.Array(types.int64, 2, "F"),
        types.Array(types.int32, 1, "C"),
        types.Array(types.int64, 1, "C", aligned=False),
        types.Array(types.NPDatetime("s"), 1, "C"),
        types.Array(types.NPDatetime("ms"), 1, "C"),
        *(types.Array(numba.from_dtype(of), 1, "C") for of in (record, moved)),
    ]
    kernel = simple(cuda, device_function)
    assert len({key_of(kernel, (kind,)) for kind in kinds}) == len(kinds)


def test_values_that_differ_are_described_differently():
    class Colour(enum.IntEnum):
        RED = 1

    class Other(enum.IntEnum):
        RED = 2

    array = np.arange(6.0).reshape(2, 3)
    fixed = array.copy()
    fixed.flags.writeable = False
    values = [
        *(None, 0, False, 0.0, -0.0, 0j, -0j, "", b"", (), (0,), (0.0,), ((0,),), float("nan"), float("inf")),
        *(np.float32(0), np.float64(0), np.int8(0), np.bool_(0), np.datetime64(0, "s"), np.datetime64(0, "ms")),
        *(array, array + 1, array.T, np.asfortranarray(array), fixed, array.reshape(3, 2), array.astype("f4")),
        *(np.dtype("f4"), np.dtype("f8"), np.dtype([("a", "f4")]), np.dtype([("b", "f4")])),
        *(numba.float32, numba.float64, np.float32, np.float64, np.sin, np.cos, np.where, abs, max, range, int),
        *(np, Colour, Other, Colour.RED, Other.RED),
    ]
    described = [repr(cache_key.value(value)) for value in values]
    assert len(set(described)) == len(values)
    # Once more, from copies: what is the same is described in the same way.
    assert repr(cache_key.value(array.copy())) == repr(cache_key.value(array))


def mine(x):
    return x


Point = namedtuple("Point", "x y")


@pytest.mark.parametrize(
    "value",
    [
        *([1, 2], {}, {1}, object(), mine, Point, Point(1, 2), np.array([None]), np.ma.zeros(2), (1, [2])),
        *(python_types.ModuleType("numpy"), python_types.SimpleNamespace(x=1), numba.njit(mine)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_may_change_or_does_not_say_what_it_is_has_no_key(value):
    with pytest.raises(cache_key.NoKey):
        cache_key.value(value)


def test_a_function_put_in_the_place_of_numpys_has_no_key(monkeypatch):
    kept = np.where
    monkeypatch.setattr(np, "where", mine)
    for value in (np.where, kept):
        with pytest.raises(cache_key.NoKey):
            cache_key.value(value)


def test_attributes_of_modules_count(cuda):
    constants = python_types.ModuleType("constants")
    constants.inner = python_types.ModuleType("constants.inner")
    source = "def kernel(out):\n    out[cuda.grid(1)] = constants.inner.N\n"
    keys = []
    for constants.inner.N in (1, 2):
        keys.append(key_of(written(source, cuda=cuda, constants=constants)))
    assert None not in keys and keys[0] != keys[1]
    constants.inner.N = [1]
    assert key_of(written(source, cuda=cuda, constants=constants)) is None


def test_an_address_is_never_kept(cuda):
    import ctypes

    function = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(abs)
    assert key_of(written("def kernel(out):\n    out[0] = f(1.0)\n", f=function)) is None


def test_exceptions_name_their_file_and_are_not_kept(cuda, device_function):
    assert key_of(simple(cuda, device_function), debug=True) is None
    helper = "def helper(i):\n    if i < 0:\n        raise ValueError\n    return i"
    assert key_of(simple(cuda, device_function, helper=helper)) is None


VERSIONS = [
    (numba, "__version__"),
    (cache_key.llvmlite, "__version__"),
    (np, "__version__"),
    (sys, "version"),
    *((config, name) for name in ("OPT", "CPU_FEATURES", "LOOP_VECTORIZE", "BOUNDSCHECK", "ENABLE_AVX")),
]


@pytest.mark.parametrize(("where", "name"), VERSIONS, ids=lambda value: getattr(value, "__name__", value))
def test_versions_and_numbas_settings_change_the_key(where, name, monkeypatch, cuda, device_function):
    before = key_of(simple(cuda, device_function))
    # The module that has it, for the key's eyes only: Numba itself must not see another NumPy.
    seen = python_types.SimpleNamespace(**vars(where))
    setattr(seen, name, "other")
    monkeypatch.setattr(
        cache_key,
        {"numba.core.config": "config"}.get(where.__name__, where.__name__.split(".")[-1].replace("numpy", "np")),
        seen,
    )
    now = cache_key.environment()
    monkeypatch.undo()
    assert now != cache_key.environment()
    assert key_of(simple(cuda, device_function)) == before


@pytest.mark.parametrize("number", range(3))
def test_another_processor_changes_the_key(number, monkeypatch):
    """Its architecture, its name, what it can do: the three parts of the tuple by which Numba's own cache knows it."""
    before = cache_key.environment()
    parts = list(cpu_target.target_context.codegen().magic_tuple())
    parts[number] += "+other"
    monkeypatch.setattr(type(cpu_target.target_context.codegen()), "magic_tuple", lambda self: tuple(parts))
    assert cache_key.environment() != before


@pytest.mark.parametrize(
    "extend",
    [
        lambda: extending.overload(np.busday_count)(lambda x: lambda x: 1),
        lambda: extending.overload_method(types.Array, "thrice")(lambda x: lambda x: 1),
        lambda: extending.overload_attribute(types.Array, "third")(lambda x: lambda x: 1),
        lambda: extending.lower_builtin(np.busday_count, types.int64)(lambda *args: None),
        lambda: extending.lower_cast(types.int64, types.boolean)(lambda *args: None),
        lambda: extending.type_callable(np.busday_count)(lambda context: lambda x: types.int64),
        lambda: templates.infer_global(np.busday_count)(Template),
    ],
    ids=["overload", "method", "attribute", "lowering", "cast", "type_callable", "template"],
)
def test_nothing_is_kept_once_somebody_else_extends_numba(extend, monkeypatch, cuda, device_function):
    """A learner may tell Numba how to compile a function that NumPy has: then names do not say any more what they mean."""
    assert key_of(simple(cuda, device_function))
    # What is entered here is taken out again before Numba looks at it.
    for registry, name in cache_key._REGISTRIES:
        monkeypatch.setattr(registry, name, list(getattr(registry, name)))
    for name in ("_outside", "_looked_at", "_templates"):
        monkeypatch.setattr(cache_key, name, type(getattr(cache_key, name))(getattr(cache_key, name)))
    extend()
    with pytest.raises(cache_key.NoKey, match="test_compilation_cache extended Numba"):
        cache_key.environment()
    assert key_of(simple(cuda, device_function)) is None
    monkeypatch.undo()
    assert key_of(simple(cuda, device_function))


class Template(templates.AbstractTemplate):
    def generic(self, args, kws): ...


def test_symbols_of_another_process_cannot_be_taken_for_others(launch, cuda, device_function, folder):
    """The first symbol of a name wins in a process, so what is exported must have a name of its own."""
    mark = "0123456789abcdef"
    closure = "_ZN5numba2np8arrayobj11ol_np_empty12_3clocals_3e4implB2v5B54c8t"
    of_address = "_ZN6module3red4nextE305int64_20generator_28func_3d_3cfunction_20red_20at_200x7f344475d4e0_3e"
    assert not cache_key.unmistakable([closure], mark)
    assert not cache_key.unmistakable([of_address], mark)
    assert not cache_key.unmistakable(["_ZN8learners6kernelB2v7"], mark)
    assert cache_key.unmistakable([closure.replace("B2v5", f"B20v{next(FunctionIdentity._unique_ids)}")], mark)
    # Of a helper that another process compiled and Numba kept: that process began to count at a place of its own, too.
    assert cache_key.unmistakable([closure.replace("B2v5", f"B20v{(1 << 60) + 5}")], mark)
    assert cache_key.unmistakable([of_address.replace("3red", f"3red_{mark}"), "NRT_decref"], mark)
    assert cache_key.unmistakable(["_ZN5numba2np8arrayobj15_call_allocatorB2v6"], mark)
    launch(simple(cuda, device_function), 1, 4, np.zeros(4, np.int64))
    assert len(list(folder.glob("*.kernel"))) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_numbers_what_it_compiles_from_a_place_of_its_own():
    def number(send):
        send.send(next(FunctionIdentity._unique_ids))

    receive, send = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=number, args=(send,))
    child.start()
    child.join()
    # Both count on by ones; two random numbers of 60 bits are not this close.
    assert abs(receive.recv() - next(FunctionIdentity._unique_ids)) > 1 << 20


# Damage


@pytest.mark.large
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:20],
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: data + b"x",
        lambda data: data[:1000] + bytes([data[1000] ^ 1]) + data[1001:],
        lambda data: bytes([data[0] ^ 1]) + data[1:],
        lambda data: hashlib.sha256(b"no pickle").digest() + b"no pickle",
        lambda data: hashlib.sha256(b"N.").digest() + b"N.",
    ],
)
def test_a_damaged_file_is_compiled_again_and_written_anew(damage, launch, cuda, device_function, compilations, folder):
    launch(simple(cuda, device_function), 1, 8, np.zeros(8, np.int64))
    (file,) = folder.glob("*.kernel")
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    out = np.zeros(8, np.int64)
    for times in (2, 2):
        launch(simple(cuda, device_function), 1, 8, out)
        assert len(compilations) == times
    assert np.array_equal(out, 2 * np.arange(8) + 3)
    assert len(file.read_bytes()) == pytest.approx(len(whole), rel=0.1)


def test_machine_code_that_could_not_be_linked_is_not_taken(launch, cuda, device_function, compilations, monkeypatch):
    """LLVM ends the process where a symbol is missing: what is called is looked up before."""
    loaded = []
    symbols = cache.binding.address_of_symbol

    def seen(symbol):
        loaded.append(symbol)
        return symbols(symbol)

    monkeypatch.setattr(cache.binding, "address_of_symbol", seen)
    for times in (1, 1):
        launch(simple(cuda, device_function), 1, 8, np.zeros(8, np.int64))
        assert len(compilations) == times
    assert loaded and all(map(symbols, loaded))
    missing = loaded[0]
    monkeypatch.setattr(cache.binding, "address_of_symbol", lambda symbol: symbol != missing and symbols(symbol))
    launch(simple(cuda, device_function), 1, 8, np.zeros(8, np.int64))
    assert len(compilations) == 2


def test_a_file_under_another_kernels_name_is_not_taken(launch, cuda, device_function, compilations, folder):
    launch(simple(cuda, device_function), 1, 8, np.zeros(8, np.int64))
    (file,) = folder.glob("*.kernel")
    launch(simple(cuda, device_function, n=4), 1, 8, np.zeros(8, np.int64))
    (other,) = set(folder.glob("*.kernel")) - {file}
    shutil.copy(file, other)
    out = np.zeros(8, np.int64)
    launch(simple(cuda, device_function, n=4), 1, 8, out)
    assert len(compilations) == 3 and np.array_equal(out, 2 * np.arange(8) + 4)


@pytest.mark.large
def test_processes_that_write_at_once_leave_whole_files(tmp_path, folder):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM.replace("HELPER", "2 * i"))
    running = [subprocess.Popen([sys.executable, file], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    answers = [json.loads(each.communicate(timeout=300)[0].splitlines()[-1]) for each in running]
    assert all(answer[1:] == answers[0][1:] for answer in answers)
    files = sorted(folder.iterdir())
    assert len(files) == 3 and all(
        file.suffix == ".kernel" for file in files
    )  # two kernels, and what a traced launch calls
    assert program(tmp_path)[0] == 0


def test_a_reader_never_sees_a_part(folder):
    """A file comes into its place in one step."""
    with cache._folder() as opened:
        seen, replace = [], os.replace

        def watched(*args, **options):
            seen.extend(path.suffix for path in folder.iterdir())
            replace(*args, **options)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cache.os, "replace", watched)
            cache._write(opened, "a.kernel", b"whole")
    assert seen == [".draft"] and (folder / "a.kernel").read_bytes() == b"whole"


# Folders that cannot serve


def runs_without(launch, cuda, device_function, compilations):
    for times in (1, 2):
        out = np.zeros(8, np.int64)
        launch(simple(cuda, device_function), 1, 8, out)
        assert np.array_equal(out, 2 * np.arange(8) + 3) and len(compilations) == times


def test_a_full_disk_is_no_matter(launch, cuda, device_function, compilations, folder, monkeypatch):
    opened = open

    def full(file, mode="r", *args, **options):
        made = opened(file, mode, *args, **options)
        if mode == "wb" and isinstance(file, int):
            made.close()
            raise OSError(28, "No space left on device")
        return made

    monkeypatch.setattr(cache, "open", full, raising=False)
    runs_without(launch, cuda, device_function, compilations)
    assert not list(folder.iterdir())


def test_a_disk_that_is_really_full_is_no_matter(launch, cuda, device_function, compilations, folder):
    """Not a made-up failure: a limit of the system's own on the size of a file."""
    resource = pytest.importorskip("resource")
    import signal

    before, told = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        runs_without(launch, cuda, device_function, compilations)
        assert not list(folder.iterdir())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, told)


def test_a_folder_that_cannot_be_written_is_no_matter(launch, cuda, device_function, compilations, folder, monkeypatch):
    opening = os.open

    def readonly(path, flags, *args, **options):
        if flags & os.O_CREAT:
            raise PermissionError(30, "Read-only file system")
        return opening(path, flags, *args, **options)

    monkeypatch.setattr(cache.os, "open", readonly)
    runs_without(launch, cuda, device_function, compilations)


def test_a_cache_that_cannot_be_made_is_no_matter(launch, cuda, device_function, compilations, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GPUSIM_CACHE", str(tmp_path / "file" / "below"))
    runs_without(launch, cuda, device_function, compilations)


@pytest.mark.large(smoke=1)
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o755, 0o702, 0o720])
def test_a_folder_that_others_can_enter_is_not_used(mode, launch, cuda, device_function, compilations, folder):
    folder.mkdir()
    folder.chmod(mode)
    runs_without(launch, cuda, device_function, compilations)
    assert not list(folder.iterdir())


def test_a_folder_of_somebody_else_is_not_used(launch, cuda, device_function, compilations, folder, monkeypatch):
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(cache.os, "geteuid", lambda: os.getuid() + 1)
    runs_without(launch, cuda, device_function, compilations)
    assert not list(folder.iterdir())


def test_a_link_to_a_folder_is_not_followed(launch, cuda, device_function, compilations, folder, tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to(tmp_path / "elsewhere")
    runs_without(launch, cuda, device_function, compilations)
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_link_to_a_file_is_not_followed(launch, cuda, device_function, compilations, folder, tmp_path):
    launch(simple(cuda, device_function), 1, 8, np.zeros(8, np.int64))
    (file,) = folder.glob("*.kernel")
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    launch(simple(cuda, device_function), 1, 8, np.zeros(8, np.int64))
    assert len(compilations) == 2 and not file.is_symlink()


def test_nothing_is_kept_under_a_name_that_can_be_guessed(
    launch, cuda, device_function, compilations, tmp_path, monkeypatch
):
    """Without a home the cache is among everybody's temporary files."""
    monkeypatch.delenv("GPUSIM_CACHE")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("gpusim.hardware.paths.user_folder", lambda kind, name: None)
    runs_without(launch, cuda, device_function, compilations)
    assert not list(tmp_path.rglob("*.kernel"))


def test_what_is_made_is_the_users_own(launch, cuda, device_function, folder):
    before = os.umask(0)
    try:
        launch(simple(cuda, device_function), 1, 8, np.zeros(8, np.int64))
    finally:
        os.umask(before)
    (file,) = folder.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700 and file.stat().st_mode & 0o777 == 0o600


# Its size


def test_what_was_used_longest_ago_goes_first(folder, monkeypatch):
    with cache._folder() as opened:
        for age, name in enumerate("edcba"):
            cache._write(opened, f"{name}.kernel", b"x" * 100)
            os.utime(folder / f"{name}.kernel", (1e9 - age, 1e9 - age))
        (folder / "left.draft").write_bytes(b"x" * 1000)
        os.utime(folder / "left.draft", (1e9, 1e9))
        (folder / "other").write_text("somebody else's")
        cache.trim(opened, 320)
    assert sorted(path.name for path in folder.iterdir()) == ["c.kernel", "d.kernel", "e.kernel", "other"]


def test_the_folder_stays_within_its_bound(folder, monkeypatch):
    monkeypatch.setattr(cache, "BYTES", 16_000)
    with cache._folder() as opened:
        for number in itertools.count():
            cache._write(opened, f"{number}.kernel", b"x" * 500)
            os.utime(folder / f"{number}.kernel", (1e9 + number, 1e9 + number))
            held = list(folder.iterdir())
            assert sum(path.stat().st_size for path in held) <= 18_000
            if number == 100:
                break
    assert (folder / "100.kernel").exists() and not (folder / "0.kernel").exists()


def test_what_is_used_counts_as_new(launch, cuda, device_function, compilations, folder):
    launch(simple(cuda, device_function), 1, 8, np.zeros(8, np.int64))
    (file,) = folder.glob("*.kernel")
    os.utime(file, (1e9, 1e9))
    launch(simple(cuda, device_function), 1, 8, np.zeros(8, np.int64))
    assert len(compilations) == 1 and file.stat().st_mtime > 1.7e9
