"""The real library's names: there, or refused by name."""

import importlib
import types

import pytest


def test_every_public_name_of_numba_cuda_is_there_or_refused_by_name(cuda):
    from gpusim.importing.names import real_names

    there = refused = 0
    for module, names in real_names("numba_cuda").items():
        try:
            loaded = importlib.import_module(module)
        except ModuleNotFoundError as error:
            assert isinstance(error, NotImplementedError) and "is not simulated" in str(error), module
            continue
        assert isinstance(loaded, types.ModuleType)
        for name in names:
            try:
                getattr(loaded, name)
                there += 1
            except AttributeError as error:
                assert isinstance(error, NotImplementedError) and f"{module}.{name} needs a GPU" in str(error)
                refused += 1
    assert there > 1000 and refused


USED = """
jit grid gridsize threadIdx blockIdx blockDim gridDim laneid warpsize syncthreads syncthreads_count syncthreads_and
syncthreads_or syncwarp shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync all_sync any_sync eq_sync ballot_sync
match_any_sync match_all_sync activemask lanemask_lt threadfence threadfence_block threadfence_system shared local const
atomic cg fp16 libdevice popc brev clz ffs fma cbrt selp nanosleep to_device device_array device_array_like pinned_array
mapped_array managed_array pinned mapped stream default_stream external_stream event event_elapsed_time synchronize
select_device get_current_device current_context gpus list_devices detect is_available close reduce Reduce In Out InOut
as_cuda_array from_cuda_array_interface is_cuda_array compile_ptx declare_device vectorize guvectorize random float32x3
float3 uint4 double2 long_ int32 float16 void types config errors profile_start defer_cleanup require_context runtime
literal_unroll dim3 Dim3 GridGroup ldca stwt CUSource set_memory_manager CudaSupportError KernelRuntimeError
""".split()


@pytest.mark.parametrize("name", USED)
def test_names_that_programs_use(cuda, name):
    assert hasattr(cuda, name) or name == "float16"
    if name != "float16":
        assert name in cuda.__all__


def test_refusals_name_the_nearest_and_typing_errors_do_not(cuda):
    with pytest.raises(ImportError, match="cannot import name 'thread_idx' from 'numba.cuda'"):
        exec("from numba.cuda import thread_idx", {})
    with pytest.raises(ImportError, match="numba.cuda.bf16 needs a GPU: it is not simulated"):
        exec("import numba.cuda.bf16", {})
    with pytest.raises(ImportError, match="numba.cuda.simulator needs a GPU"):
        exec("from numba.cuda.simulator import kernel", {})
    with pytest.raises(NotImplementedError, match="cuMemAlloc"):
        cuda.driver.driver.cuMemAlloc(8)
    with pytest.raises(NotImplementedError, match="LinkableCode|CUSource"):
        cuda.CUSource("__device__ int f() { return 1; }")
    assert not hasattr(cuda, "bfloat16") and not hasattr(cuda, "nonsense")
