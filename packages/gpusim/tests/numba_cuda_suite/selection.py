"""Which of numba-cuda's tests say something about results, and why the others are left out.

A test is left out by the first rule that fits: its file, its name (``file::Class::test``), or what its source asks for.  A
rule gives a category and a reason; the report counts them, so that nothing is left out in silence.
"""

from __future__ import annotations

import re

CATEGORIES = {
    "driver": "the CUDA driver, its contexts and its memory",
    "code": "generated code: PTX, LLVM IR, SASS, debug information, linking",
    "compiler": "the insides of Numba's compiler: passes, typing tables, lowering, extensions in LLVM",
    "cache": "the cache of compiled kernels on disk",
    "machine": "the machine: several GPUs, processes that share one, other packages",
}

# file → (category, reason)
FILES: dict[str, tuple[str, str]] = {
    "cudadrv/test_cuda_driver": ("driver", "calls the driver's own functions on modules of PTX"),
    "cudadrv/test_cuda_libraries": ("driver", "looks for the toolkit's libraries"),
    "cudadrv/test_cuda_memory": ("driver", "allocates through contexts and reads raw pointers of the driver"),
    "cudadrv/test_deallocations": ("driver", "counts the driver's deferred deallocations"),
    "cudadrv/test_detect": ("driver", "prints what the driver finds"),
    "cudadrv/test_emm_plugins": ("driver", "memory managers that replace the driver's"),
    "cudadrv/test_events": ("machine", "needs the package cuda.core"),
    "cudadrv/test_init": ("driver", "fakes errors of the driver's start"),
    "cudadrv/test_inline_ptx": ("code", "inline PTX"),
    "cudadrv/test_is_fp16": ("driver", "asks the toolkit"),
    "cudadrv/test_linkable_code": ("code", "linking"),
    "cudadrv/test_linker": ("code", "linking, registers and local memory as ptxas counts them"),
    "cudadrv/test_module_callbacks": ("code", "modules loaded by the driver"),
    "cudadrv/test_mvc": ("code", "linking across toolkit versions"),
    "cudadrv/test_nvjitlink": ("code", "linking"),
    "cudadrv/test_nvrtc": ("code", "compiling CUDA C++"),
    "cudadrv/test_nvvm_driver": ("code", "the NVVM library"),
    "cudadrv/test_profiler": ("driver", "the CUDA profiler"),
    "cudadrv/test_ptds": ("driver", "streams of threads, seen in the driver's calls"),
    "cudadrv/test_runtime": ("driver", "the toolkit's version"),
    "cudapy/test_analysis": ("compiler", "passes over Numba's IR"),
    "cudapy/test_bfloat16_bindings": ("code", "bindings to CUDA's header"),
    "cudapy/test_byteflow": ("compiler", "bytecode analysis"),
    "cudapy/test_cache_hints": ("code", "cache hints in PTX"),
    "cudapy/test_caching": ("cache", "files of the on-disk cache"),
    "cudapy/test_cffi": ("code", "links C"),
    "cudapy/test_compiler": ("code", "compiles to PTX"),
    "cudapy/test_copy_propagate": ("compiler", "passes over Numba's IR"),
    "cudapy/test_cupy_bfloat16_interop": ("machine", "needs CuPy's bfloat16"),
    "cudapy/test_debuginfo": ("code", "debug information"),
    "cudapy/test_debuginfo_types": ("code", "debug information"),
    "cudapy/test_extending": ("compiler", "types and lowering in LLVM written by the test"),
    "cudapy/test_extending_types": ("compiler", "types and lowering in LLVM written by the test"),
    "cudapy/test_fp8_bindings": ("code", "bindings to CUDA's header"),
    "cudapy/test_inline": ("compiler", "Numba's IR after inlining"),
    "cudapy/test_inspect": ("code", "the text of generated code"),
    "cudapy/test_bfloat16": ("machine", "needs ml_dtypes"),
    "cudapy/test_ipc": ("machine", "memory shared between processes"),
    "cudapy/test_ir": ("compiler", "Numba's IR"),
    "cudapy/test_ir_utils": ("compiler", "Numba's IR"),
    "cudapy/test_launch_config_sensitive": ("cache", "what the cache keys on"),
    "cudapy/test_lineinfo": ("code", "line information in PTX"),
    "cudapy/test_make_function_to_jit_function": ("compiler", "a compiler pass"),
    "cudapy/test_multigpu": ("machine", "several GPUs"),
    "cudapy/test_multiprocessing": ("machine", "forked contexts"),
    "cudapy/test_numba_interop": ("compiler", "lowering shared with Numba's CPU target"),
    "cudapy/test_overload": ("compiler", "overloads for one of the compiler's targets"),
    "cudapy/test_sm_creation": ("code", "what LLVM says about shared arrays"),
    "cudapy/test_ssa": ("compiler", "a compiler pass"),
    "cudapy/test_tracing": ("compiler", "the compiler's event log"),
    "cudapy/test_typeconv": ("compiler", "conversion tables"),
    "cudapy/test_typeinfer": ("compiler", "typing tables"),
    "doc_examples/test_cpointer": ("code", "raw pointers"),
    "doc_examples/test_ffi": ("code", "links CUDA C++"),
}
# The folders of the suite that hold no results at all.
FOLDERS: dict[str, tuple[str, str]] = {
    "benchmarks": ("machine", "timings"),
    "core": ("compiler", "serialisation and mangling inside the compiler"),
    "cudasim": ("machine", "Numba's own simulator"),
    "nocuda": ("machine", "Numba without a GPU"),
    "nrt": ("code", "the run-time of reference counts, in C"),
}

# "file::Class::test" as a pattern → (category, reason)
NAMES: list[tuple[str, tuple[str, str]]] = [
    (r"cudadrv/test_context_stack::.*(push_pop|Attached|attached)", ("driver", "contexts of the driver")),
    (
        r"cudadrv/test_cuda_ndarray::.*test_.*(devicearray_no_copy_context|_context)",
        ("driver", "contexts of the driver"),
    ),
    (r"cudadrv/test_host_alloc::.*_driver", ("driver", "pointers of the driver")),
    (r"cudadrv/test_managed_alloc::", ("driver", "managed memory larger than a GPU's, pages moved by the driver")),
    (
        r"cudapy/test_dispatcher::TestDispatcherKernelProperties::",
        ("code", "registers and memory as ptxas counts them"),
    ),
    (r"cudapy/test_multithreads::.*spawn", ("machine", "spawned processes, which do not find the suite")),
    (r"cudapy/test_enums::.*no_conversion", ("compiler", "conversion tables")),
    (r"cudapy/test_cooperative_groups::.*cudadevrt", ("code", "linking")),
    (r"cudapy/test_print::.*too_many", ("code", "the limit of the device's printf")),
    (r"cudapy/test_flow_control::TestCFGraph", ("compiler", "control-flow graphs")),
    (r"cudapy/test_warning::.*(debug|lineinfo|nvvm|ptx)", ("code", "options of the PTX compiler")),
]

# What a test's own source asks for → (category, reason)
SOURCES: list[tuple[str, tuple[str, str]]] = [
    (
        r"inspect_(asm|llvm|sass|lto_ptx|disasm)|compile_(ptx|for_current_device|all)|\bcompile\(|assertFileCheck|\.ptx\b|"
        r"get_asm_str|get_llvm_str|libdevice_path|nvvm|assertIn\(['\"](fma|rsqrt|div|sqrt|ex2|lg2|sin|cos|tanh)\.",
        ("code", "reads generated code"),
    ),
    (r"\blink=|_cu\b|CUSource|declare_device|cffi|CPointer", ("code", "links CUDA C++")),
    (
        r"MyStruct|struct_model_type|launchconfig|cuda\.core|overload_attribute",
        ("compiler", "extends Numba's compiler"),
    ),
    (r"DUMP_(ASSEMBLY|LLVM|IR|BYTECODE|CFG)|_type_annotation", ("code", "reads generated code")),
    (r"memory_manager", ("driver", "memory managers of the driver")),
    (r"get_regs_per_thread|get_local_mem_per_thread|get_const_mem_size|max_registers", ("code", "what ptxas counts")),
    (r"ctypes|cuMem|driver\.driver|devices\.get_context\(\)\.mem", ("driver", "calls the driver")),
    (r"len\(cuda\.gpus\)\s*<\s*2|cuda\.gpus\[1\]|multi_gpu", ("machine", "several GPUs")),
]


# Errors of the simulated library that say the same once a test has come to that point.
ENDINGS: list[tuple[str, tuple[str, str]]] = [
    (r"NotSimulatedError: inspect_(asm|llvm|sass|lto_ptx)", ("code", "reads generated code")),
    (r"NotSimulatedError: cuda\.declare_device", ("code", "links CUDA C++")),
    (r"NotSimulatedError: a pointer ", ("code", "raw pointers")),
    (r"NotSimulatedAttribute: numba\.cuda\.descriptor", ("compiler", "compiles by hand")),
]


def reason(file: str, name: str, source: str) -> tuple[str, str] | None:
    """Why a test is left out, as (category, reason), or None where it counts.

    Parameters
    ----------
    file : str
        ``cudapy/test_atomics``.
    name : str
        ``Class::test``.
    source : str
        The test's source text, decorators included.
    """
    folder = file.partition("/")[0]
    if folder in FOLDERS:
        return FOLDERS[folder]
    if file in FILES:
        return FILES[file]
    for pattern, why in NAMES:
        if re.search(pattern, f"{file}::{name}"):
            return why
    for pattern, why in SOURCES:
        if re.search(pattern, source):
            return why
    return None
