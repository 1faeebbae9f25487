"""`compile`: what the real compiler makes of a kernel, for a GPU that need not be here."""

from __future__ import annotations

import hashlib
import pickle
import re
import threading
from collections import OrderedDict
from types import FunctionType
from typing import Any

from gpusim.hardware import capabilities, gpus, packages
from gpusim.kernels import Kernel, limits
from gpusim.kernels.driver_errors import LinkerError
from gpusim.kernels.faults import KernelError, UncompilableError, miscounted
from gpusim.kernels.sanitizer import findings
from kernellens.target import resolve

from . import argument_types, cubin, diagnostics, ptxas
from .argument_types import Description
from .helper import CompilerError, Helper, helper
from .kernel_data import Carried, options_of
from .result import Compiled

_KEPT = 64
_STATIC = (
    "{} bytes of static shared memory are more than the {} that CUDA's documentation allows a block without asking the driver "
    "for more. This assembler accepts them; a launch may be refused."
)
_kept: OrderedDict[bytes, dict] = OrderedDict()
_lock = threading.Lock()


def compile(
    kernel: Any,
    *args: Any,
    gpu: str | gpus.GPU | tuple[int, int] | None = None,
    blockdim: int | tuple[int, ...] | None = None,
    sharedmem: int = 0,
    raise_on_error: bool = False,
) -> Compiled:
    """Compile a kernel as a launch on a GPU would, without one.

    The real numba-cuda does it, in a process of its own: registers, local and shared memory are those that such a GPU would
    give it, with these versions of the packages.  Where the packages are missing (extra ``compiler``), the types are checked
    all the same, and the result says what is missing.

    Parameters
    ----------
    kernel : function
        Decorated with ``@cuda.jit``, or the plain Python function.
    *args
        What it is launched with: arrays of CuPy, Numba or NumPy, of which only type and layout are looked at, and numbers.
        Or their types: ``"float32[:, ::1]"``, ``numba.float32[::1]``, ``np.float32`` for a number.  A kernel that was
        declared with one signature, or launched with one, needs none.
    gpu : str, GPU or tuple of int, optional
        Its name, or a compute capability such as ``(9, 0)`` or ``"9.0"``; the chosen one (`use_gpu`) if left out.
    blockdim : int or tuple of up to 3 int, optional
        Threads of a block, for occupancy.
    sharedmem : int
        Bytes of dynamic shared memory of a block, for occupancy.
    raise_on_error : bool
        Raise what the compiler refuses instead of listing it.

    Returns
    -------
    Compiled

    Raises
    ------
    UnknownGpuError
        With the nearest known names.
    TypeError
        For arguments that no kernel takes, or not as many as it has.
    CompilerError
        If the compiler crashed twice over this kernel, or took too long (``KERNELLENS_COMPILER_SECONDS``).
    UncompilableError
        With `raise_on_error`.

    Examples
    --------
    >>> compile(stencil, "int8[:, ::1]", "int8[:, ::1]", gpu="T4", blockdim=(16, 16))    # doctest: +SKIP
    stencil(int8[:, ::1], int8[:, ::1]) for T4, compute capability 7.5
      registers      20 a thread
      ...
    """
    function = _function(kernel)
    name = function.__name__
    cc, gpu_name = _target(gpu)
    kinds = _arguments(kernel, function, args)
    result = Compiled(
        kernel=name,
        signature=", ".join(map(argument_types.text, kinds)),
        gpu=gpu_name,
        cc=cc,
        blockdim=blockdim,
        sharedmem=sharedmem,
    )
    fault = None
    if not _missing(result, helper):
        carried = Carried(function)
        request = {
            "functions": carried.functions,
            "kernel": 0,
            "arguments": kinds,
            "cc": cc,
            "options": {**options_of(kernel), "device": False},
        }
        answer = _asked(request, name)
        result.warnings = answer["warnings"]
        if answer["ok"]:
            _fill(result, answer)
        elif _lacks(answer):
            result.missing = _sentence(
                f"of the real CUDA compiler something is missing ({answer['text'].splitlines()[0]})."
            )
        else:
            fault = _better(_refused_here(function, kinds), diagnostics.explain(carried, name, answer))
    else:
        fault = _refused_here(function, kinds)
    if fault is not None:
        if raise_on_error:
            raise fault
        result.errors = [findings.of_fault(fault)]
    return result


def of_source(code: str, name: str, options: tuple[str, ...]) -> dict:
    """What NVRTC answers for CUDA C++, for the chosen GPU: whether it takes it (``ok``), and what it and ptxas say (``log``, else ``text``)."""
    cc, gpu = _target(None)
    result = Compiled(kernel=name, signature="", gpu=gpu, cc=cc, blockdim=None, sharedmem=0)
    if why := _missing(result, helper):
        return {"ok": False, "text": why}
    return _asked({"source": code, "options": list(options), "cc": cc}, name)


def _missing(result: Compiled, process: Helper) -> str:
    """Why the real compiler cannot be asked, noted in the result; empty if it can."""
    why = process.missing()
    if why:
        result.missing = _sentence(why)
    elif result.cc not in process.about["ccs"]:
        result.missing = _unsupported(result, process.about)
    return result.missing


def _sentence(why: str) -> str:
    return (
        "Registers, shared and local memory, spills, PTX and occupancy come from NVIDIA's compiler, which needs no GPU: "
        f"{why} `{packages.setup_command('compiler')}` installs it (260 MB more to download)."
    )


def _unsupported(result: Compiled, about: dict) -> str:
    """That this compiler has no code for a GPU, and which is the nearest it has some for."""
    there = {tuple(cc) for cc in about["ccs"]}
    known = [gpu for gpu in gpus.known() if gpu.cc in there]
    nearest = min(known, key=lambda gpu: abs(_number(gpu.cc) - _number(result.cc)), default=None)
    version = about["versions"].get("nvidia-nvvm") or about["versions"].get("nvidia-cuda-nvrtc") or ""
    which = f"CUDA {'.'.join(version.split('.')[:2])}" if version else "This CUDA"
    first, last = min(there), max(there)
    hint = f" The nearest GPU it compiles for: gpu={nearest.name!r} ({_dotted(nearest.cc)})." if nearest else ""
    older = (
        " CUDA 12 compiles for it (packages of the extra cu12)." if result.cc < first and result.cc >= (5, 0) else ""
    )
    return (
        f"{which} compiles for compute capabilities from {_dotted(first)} to {_dotted(last)}, and {result.gpu} has "
        f"{_dotted(result.cc)}.{hint}{older}"
    )


def _asked(request: dict, name: str) -> dict:
    """The helper's answer; the same request is sent once."""
    key = hashlib.sha256(pickle.dumps(request)).digest()
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    answer = helper.ask(request, name)
    with _lock:
        _kept[key] = answer
        while len(_kept) > _KEPT:
            _kept.popitem(last=False)
    return answer


def _fill(result: Compiled, answer: dict) -> None:
    used = ptxas.usage(answer["log"], answer["entry"])
    if used is None:
        raise CompilerError(
            f"What {answer['by']} says of {result.kernel} cannot be read; please report it with this text:\n{answer['log']}"
        )
    result.available = True
    result.registers, result.stack = used.registers, used.stack
    result.spill_stores, result.spill_loads = used.spill_stores, used.spill_loads
    result.shared = ptxas.declared_shared(answer["ptx"]) if used.shared is None else used.shared
    result.constant = cubin.sections(answer["cubin"]).get(cubin.CONSTANTS, 0)
    if result.shared > capabilities.of(result.cc).shared_per_block:
        result.warnings = [*result.warnings, _STATIC.format(result.shared, capabilities.of(result.cc).shared_per_block)]
    result.ptx, result.llvm = answer["ptx"], answer["llvm"]
    result.log, result.cooperative = answer["log"], answer["cooperative"]
    result.by = _by(answer["by"], helper.about["versions"])
    result._entry, result._cubin = answer["entry"], answer["cubin"]
    result._disassembler = helper.about["disassembler"]


def _by(program: str, versions: dict[str, str]) -> str:
    package = {"nvJitLink": "nvidia-nvjitlink", "ptxas": "nvidia-cuda-nvcc"}[program]
    said = [("numba-cuda", "numba-cuda"), ("NVVM", "nvidia-nvvm"), (program, package)]
    return ", ".join(f"{name} {versions[key]}" if key in versions else name for name, key in said)


def _lacks(answer: dict) -> bool:
    """Whether the helper did not refuse the kernel but found a library of the toolkit missing."""
    return "DynamicLibNotFoundError" in answer["types"] or "CudaSupportError" in answer["types"]


def _refused_here(function: FunctionType, kinds: tuple[Description, ...]) -> KernelError | None:
    """What this process's own Numba has against the kernel, for a CPU; None if nothing, or if it cannot tell."""
    try:
        made: Any = Kernel(function).compiled(tuple(map(argument_types.example, kinds)))
        if made is not None:
            limits.check_static(made.shared.nbytes, kernel=function.__name__)
    except LinkerError as fault:
        return fault
    except UncompilableError as fault:
        if fault.line is None and re.match("The source of", fault.sentence or ""):
            return None  # not the kernel's fault
        return fault
    return None


def _better(ours: KernelError | None, theirs: UncompilableError) -> KernelError:
    """Our own words where we refuse the same: they are about what was written, Numba's about what it made of it."""
    if ours is None:
        return theirs
    same = theirs.line is None or (ours.function, ours.line) == (theirs.function, theirs.line)
    return ours if same else theirs


def _function(kernel: Any) -> FunctionType:
    function = getattr(kernel, "py_func", kernel)
    if not isinstance(function, FunctionType):
        raise TypeError(
            f"compile takes a kernel decorated with @cuda.jit, or its Python function, not {type(kernel).__name__}: leave the "
            "launch configuration out of the brackets, compile(kernel, *args, blockdim=256)."
        )
    return function


def _arguments(kernel: Any, function: FunctionType, args: tuple) -> tuple[Description, ...]:
    code = function.__code__
    names, defaults = code.co_varnames[: code.co_argcount], function.__defaults__ or ()
    if not args and names and len(defaults) < len(names):
        return _declared(kernel, function.__name__, names)
    if len(args) == 1 and isinstance(args[0], str) and "(" in args[0]:
        args = tuple(_split(args[0]))
    variadic = bool(code.co_flags & 0x04)  # *args
    if (len(args) > len(names) and not variadic) or len(args) + len(defaults) < len(names):
        raise TypeError(miscounted(function.__name__, names, len(args), len(defaults)))
    args = (*args, *defaults[len(defaults) - max(len(names) - len(args), 0) :]) if len(args) < len(names) else args
    kinds = tuple(map(argument_types.describe, args))
    declared = _signatures(kernel)
    if declared and not getattr(kernel, "_can_compile", True) and kinds not in declared and len(declared) == 1:
        return declared[0]  # as a launch converts numbers to what the kernel was declared with
    return kinds


def _declared(kernel: Any, name: str, parameters: tuple[str, ...]) -> tuple[Description, ...]:
    """The types that a kernel was declared with, or launched with."""
    known = _signatures(kernel)
    if len(known) == 1:
        return known[0]
    listed = "".join(f"\n  {', '.join(map(argument_types.text, kinds))}" for kinds in known)
    said = f" It is compiled for several already; say which:{listed}" if known else ""
    raise TypeError(
        f"{name} takes {len(parameters)} argument{'s' * (len(parameters) > 1)} ({', '.join(parameters)}): pass them as in a launch, or their types, as "
        f'in compile({name}, {", ".join(["..."] * len(parameters))}) with "float32[::1]" for an array.{said}'
    )


def _signatures(kernel: Any) -> list[tuple[Description, ...]]:
    found = []
    for kinds in getattr(kernel, "overloads", None) or ():
        try:
            found.append(tuple(map(argument_types.describe, kinds)))
        except TypeError:  # a type that has no description
            continue
    return found


def _split(signature: str) -> list[str]:
    """``"void(float32[:, ::1], int64)"`` by its arguments."""
    match = re.fullmatch(r"\s*(?:void|none)?\s*\((.*)\)\s*", signature)
    if match is None:
        raise TypeError(f'{signature!r} is no signature of a kernel: write it as "void(float32[:, ::1], int64)".')
    return [part.strip() for part in re.split(r",(?![^\[]*\])", match[1]) if part.strip()]


def _target(gpu: Any) -> tuple[tuple[int, int], str]:
    if isinstance(gpu, str):
        gpu = capabilities.named(gpu) or gpu
    if isinstance(gpu, (tuple, list)):
        if len(gpu) != 2 or not all(isinstance(part, int) for part in gpu):
            raise ValueError(f"A compute capability is two whole numbers, such as (9, 0), not {gpu!r}.")
        return (gpu[0], gpu[1]), f"compute capability {gpu[0]}.{gpu[1]}"
    found = resolve(gpu)
    return found.cc, found.name


def _number(cc: tuple[int, int]) -> int:
    return 10 * cc[0] + cc[1]


def _dotted(cc: tuple[int, int]) -> str:
    return f"{cc[0]}.{cc[1]}"
