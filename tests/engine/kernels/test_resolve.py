import ast

import numpy as np
import pytest

from hundredfold.engine.kernels import resolve
from hundredfold.engine.kernels.faults import UncompilableError

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
