import ast
import linecache
import re

import numpy as np
import pytest

from gpusim.kernels.faults import OutOfBoundsError, UncompilableError
from gpusim.kernels.frontend.python import resolve

FACTOR = 3


def names(function):
    return {n.id for n in ast.walk(function.node) if isinstance(n, ast.Name)}


def test_an_intrinsic_is_found_whatever_it_is_called(cuda):
    where, barrier, c = cuda.grid, cuda.syncthreads, cuda

    def kernel(x):
        i = where(1)
        barrier()
        x[i] = c.threadIdx.x + cuda.blockDim.y

    function = resolve.function(kernel)
    assert function.intrinsics == {"grid", "syncthreads", "threadIdx.x", "blockDim.y"}
    assert {"_hf__grid", "_hf__syncthreads", "_hf__threadIdx__x", "_hf__blockDim__y"} <= names(function)


def test_a_local_name_hides_a_global_one(cuda):
    def kernel(x):
        grid = 4
        x[0] = grid

    assert resolve.function(kernel).intrinsics == frozenset()


def test_only_the_globals_that_are_used_are_kept(cuda):
    def kernel(x):
        x[0] = FACTOR * np.float32(2)

    assert resolve.function(kernel).env == {"FACTOR": 3, "np": np}


def test_device_functions_bring_their_intrinsics(cuda, device_function):
    @device_function
    def deepest():
        return cuda.laneid

    @device_function
    def middle(a):
        return deepest() + a

    def kernel(x):
        x[0] = middle(1) + middle(2)

    function = resolve.function(kernel)
    assert [f.name for f in function.functions.values()] == ["middle"]
    assert function.intrinsics == {"laneid"}


def test_a_numba_function_is_a_device_function():
    import numba

    @numba.njit
    def square(a):
        return a * a

    def kernel(x):
        x[0] = square(x[0])

    (callee,) = resolve.function(kernel).functions.values()
    assert callee.name == "square"


@pytest.mark.parametrize("through_another", [False, True])
def test_recursion_is_refused_with_its_line(device_function, through_another):
    @device_function
    def second(a):
        return first(a)

    @device_function
    def first(a):
        return second(a - 1) if through_another else first(a - 1)

    def kernel(x):
        x[0] = first(3)

    with pytest.raises(UncompilableError, match="cannot recurse") as caught:
        resolve.function(kernel)
    assert "first(" in caught.value.source_line


def test_an_undefined_name_is_told_with_its_line():
    def kernel(x):
        x[0] = 1
        x[1] = undefined_anywhere  # noqa: F821

    with pytest.raises(UncompilableError, match="undefined_anywhere") as caught:
        resolve.function(kernel)
    assert caught.value.line == 3


def test_a_name_that_the_module_does_not_have(cuda):
    def kernel(x):
        x[0] = cuda.gird(1)

    with pytest.raises(UncompilableError, match=r"cuda has no gird"):
        resolve.function(kernel)


def test_star_arguments_are_refused():
    def kernel(*x):
        pass

    with pytest.raises(UncompilableError, match="plain arguments"):
        resolve.function(kernel)


def test_functions_are_passed_to_device_functions(cuda, device_function):
    @device_function
    def twice(v):
        return 2 * v

    @device_function
    def apply(array, operation, change, value):
        operation(array, 0, change(value))

    def kernel(x):
        apply(x, cuda.atomic.add, twice, 3)
        apply(x, cuda.atomic.max, change=twice, value=100)

    function = resolve.function(kernel)
    assert {"atomic.add", "atomic.max"} <= function.intrinsics
    special = [f for f in function.functions.values() if f.params == ("array", "value")]
    assert len(special) == 2


BY_NAME = {
    # Asked of numba-cuda 0.30.4 with `cuda.compile_ptx`, after `from numba.cuda import grid` and so on.
    True: (
        *("grid(1)", "gridsize(1)", "syncthreads()", "syncthreads_count(1)", "shfl_sync(1, 2, 0)", "ballot_sync(1, 1)"),
        *("all_sync(1, 1)", "float32x2(1, 2)", "fp16.hadd(x[0], x[0])", "cg.this_grid()"),
    ),
    False: (
        *("atomic.add(x, 0, 1)", "shared.array(8, 'f4')", "local.array(8, 'f4')", "const.array_like(x)", "blockIdx.x"),
        *("threadIdx.x", "laneid", "syncwarp()", "threadfence()", "match_any_sync(1, 1)", "activemask()", "popc(3)"),
        *("fma(1.0, 2.0, 3.0)", "clz(3)", "cbrt(2.0)", "selp(True, 1, 2)", "nanosleep(2)", "brev(3)", "lanemask_lt()"),
    ),
}


def made_of(source, **names):
    name = f"<resolve {source}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    exec(compile(source, name, "exec"), names)
    return names["kernel"]


@pytest.mark.parametrize(("taken", "text"), [(taken, text) for taken, texts in BY_NAME.items() for text in texts])
def test_what_can_be_used_by_its_own_name(cuda, taken, text):
    name = re.match(r"\w+", text)[0]
    source = f"def kernel(x):\n    {text}\n"
    kernel = made_of(source, **{name: getattr(cuda, name)})
    if taken:
        assert resolve.function(kernel).intrinsics
    else:
        with pytest.raises(UncompilableError, match=rf"{name} was imported by its name.* as cuda\.{name}") as error:
            resolve.function(kernel)
        assert error.value.line == 2
    assert resolve.function(made_of(source.replace(text, "cuda." + text), cuda=cuda)).intrinsics


def test_a_member_that_has_a_name_of_its_own(cuda):
    kernel = made_of("def kernel(x):\n    add(x, 0, 1)\n", add=cuda.atomic.add)
    with pytest.raises(UncompilableError, match=r"add was imported by its name.* as cuda\.atomic\.add: write that"):
        resolve.function(kernel)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("x[0] = [lambda a: a + 1][0](2)", "A lambda in a kernel is simulated only where it is called"),
        (
            "y = 1\n    f = lambda a: a + y\n    g = f\n    x[0] = g(2)",
            "f uses variables of the kernel and is more than",
        ),
        ("def f(a):\n        return f(a - 1)\n    x[0] = f(2)", "f calls itself: a kernel cannot recurse"),
        ("def f(*a):\n        return 1\n    x[0] = f(2)", "f takes more than plain arguments"),
        ("def f(a=x):\n        return 1\n    x[0] = f()", "A default value of f is no plain constant"),
        (
            "if x[0]:\n        f = lambda: 1\n    else:\n        f = lambda: 2\n    x[0] = f()",
            "f is a function here and",
        ),
        ("y = 1\n    def f():\n        nonlocal y\n        y = 2\n    f()", "A kernel cannot change y"),
        ("global G\n    G = 2", "A kernel cannot change G"),
        ("match x:\n        case [a, b]:\n            x[0] = a", "match compares with plain values"),
        ("a = x[0]\n    del a", "del cannot be used in a kernel"),
    ],
)
def test_syntax_that_is_not_simulated_says_so(body, says):
    with pytest.raises(UncompilableError, match=says):
        resolve.function(made_of(f"def kernel(x):\n    {body}\n"))


MATCH = """
def kernel(x, out):
    i = cuda.grid(1)
    match x[i]:
        case 0:
            out[i] = 10
        case 1 | 2 as low if i != 1:
            out[i] = 20 + low
        case n if n > 5:
            out[i] = n
        case 3 if x[0] == 0:
            out[i] = 30
        case np.pi | 4:
            out[i] = 40
        case _:
            out[i] = -1
"""


@pytest.mark.parametrize("backend", ["compiled", "interpreted"])
def test_match_and_global_are_what_they_are_in_python(cuda, launch, monkeypatch, backend):
    x, out = np.array([0, 1, 2, 3, 4, 5, 6, 7]), np.zeros(8, np.int64)
    monkeypatch.setenv("GPUSIM_KERNELS", backend)
    launch(made_of(MATCH, cuda=cuda, np=np), 1, 8, x, out)
    assert out.tolist() == [10, -1, 22, 30, 40, -1, 6, 7]


NESTED = """
def kernel(x, out):
    i = cuda.grid(1)
    scale = 10
    twice = lambda a: 2 * a

    def inside(a, low=1):
        here = twice(a) + SHIFT
        return scale + here if a > low else -1

    scale = 100
    if i < x.size:
        out[i] = inside(x[i])
        x[i] = inside(x[i], 3) + inside(low=5, a=x[i])
"""


@pytest.mark.parametrize("backend", ["compiled", "interpreted"])
def test_functions_in_a_kernel_see_its_variables_as_in_python(cuda, launch, monkeypatch, backend):
    """numba-cuda compiles them; here both were refused."""
    monkeypatch.setenv("GPUSIM_KERNELS", backend)
    x, out = np.array([0, 1, 2, 4, 6]), np.zeros(5, np.int64)
    launch(made_of(NESTED, cuda=cuda, SHIFT=0.25 * 4), 1, 8, x, out)
    assert out.tolist() == [-1, -1, 105, 109, 113]
    assert x.tolist() == [-2, -2, -2, 108, 226]


def test_a_function_in_a_kernel_is_told_of_by_the_kernel_s_lines(cuda, launch):
    source = "def kernel(x):\n    i = cuda.grid(1)\n    get = lambda at: x[at + 1]\n    x[0] = get(i)\n"
    with pytest.raises(OutOfBoundsError) as error:
        launch(made_of(source, cuda=cuda), 1, 1, np.zeros(1))
    assert (error.value.kernel, error.value.line, error.value.source_line) == (
        "kernel",
        3,
        "get = lambda at: x[at + 1]",
    )


def test_a_variable_of_an_enclosing_function_is_a_name_without_its_module(cuda):
    """numba-cuda refuses it as it does one that was imported so; here it was taken."""
    plus = cuda.atomic.add

    def kernel(x):
        plus(x, 0, 1)

    with pytest.raises(UncompilableError, match=r"plus was imported by its name.* as cuda\.atomic\.add"):
        resolve.function(kernel)


def test_a_global_that_is_only_read(cuda, launch):
    out = np.zeros(2)
    launch(made_of("def kernel(out):\n    global G\n    out[cuda.grid(1)] = G\n", cuda=cuda, G=2.5), 1, 2, out)
    assert out.tolist() == [2.5, 2.5]
