"""Compile a kernel as numba-cuda does for a launch, for a GPU that need not be there."""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
# It runs in an environment of its own, where numba-cuda is: what pyright finds here is Numba's older numba.cuda.

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import shutil
import subprocess
import sys
import tempfile
import threading
import warnings
from pathlib import Path
from typing import Any

import numba_cuda  # noqa: F401  (numba's own numba.cuda is another, older one)
from numba import cuda
from numba.cuda import dispatcher
from numba.cuda.cudadrv import devices, driver, nvrtc
from unpacking import Functions, kind

PACKAGES = ("numba-cuda", "nvidia-nvvm", "nvidia-nvjitlink", "nvidia-cuda-nvcc", "nvidia-cuda-nvrtc")
_told = threading.local()


class _Device:
    """The device that numba-cuda is told is current: it asks for nothing but this."""

    name = b"the GPU that is compiled for"
    id = 0

    @property
    def compute_capability(self) -> tuple[int, int]:
        return _told.cc


class _Context:
    device = _Device()


def _pretend() -> None:
    # Whoever asks for the current device, a kernel that calls device functions among them, ends up here.
    devices._runtime.get_or_create_context = lambda number=None: _Context
    plain = driver._Linker._get_linker_options

    def verbose(self, ptx):
        options = plain(self, ptx)
        options.ptxas_options, options.verbose = ["-v"], True
        return options

    driver._Linker._get_linker_options = verbose


def about() -> dict:
    """What this process can do: compute capabilities it compiles for, versions, and what is missing."""
    answer: dict[str, Any] = {"ready": True, "magic": importlib.util.MAGIC_NUMBER, "versions": {}, "ccs": [], "why": ""}
    for package in PACKAGES:
        for name in (package, f"{package}-cu12"):
            with contextlib.suppress(importlib.metadata.PackageNotFoundError):
                answer["versions"].setdefault(package, importlib.metadata.version(name))
    try:
        answer["ccs"] = sorted(nvrtc.get_supported_ccs())
        from numba.cuda.cudadrv.nvvm import NVVM

        NVVM()
    except Exception as error:
        answer["ready"], answer["why"] = False, f"{type(error).__name__}: {error}"
    answer["linker"] = bool(driver._have_nvjitlink())
    answer["ptxas"] = _tool("ptxas")
    answer["disassembler"] = _tool("nvdisasm")
    if answer["ready"] and not answer["linker"] and not answer["ptxas"]:
        answer["ready"], answer["why"] = False, "neither nvJitLink nor ptxas is there"
    _pretend()
    return answer


def answer(request: dict) -> dict:
    """Compile what a request asks for; refusals are answers too."""
    _told.cc = tuple(request["cc"])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            made = _of_source(request) if "source" in request else _compiled(request)
        except BaseException as error:
            names = [each.__name__ for each in type(error).__mro__]
            made = {"ok": False, "types": names, "text": str(error), "places": _places(error)}
    made["warnings"] = [f"{each.category.__name__}: {each.message}" for each in said]
    return made


def _places(error: BaseException | None) -> list[tuple[str, int]]:
    """The files and lines that an error and those it came from are about, innermost last, as far as Numba knows them.

    Its words often do not say; what it was looking at when it gave up does.
    """
    found = []
    for _ in range(20):
        if error is None:
            break
        candidates = [error]
        step = error.__traceback__
        while step is not None:
            candidates += [step.tb_frame.f_locals.get("self"), step.tb_frame.f_locals.get("inst")]
            step = step.tb_next
        for each in candidates:
            place = getattr(each, "loc", None)
            filename, line = getattr(place, "filename", None), getattr(place, "line", None)
            if isinstance(filename, str) and isinstance(line, int):
                found.append((filename, line))
        error = error.__cause__ or error.__context__
    return found


def _compiled(request: dict) -> dict:
    functions = Functions(request["functions"])
    kernel = cuda.jit(**request["options"])(functions.function(request["kernel"]))
    arguments = tuple(map(kind, request["arguments"]))
    # `kernel.compile` would go on to load it; this is what it does before.
    made = dispatcher._Kernel(kernel.py_func, arguments, **kernel.targetoptions)
    library = made._codelibrary
    answer = {
        "ok": True,
        "ptx": library.get_asm_str(),
        "llvm": library.get_llvm_str(),
        "entry": made.entry_name,
        "signature": str(made.signature),
        "cooperative": bool(made.cooperative),
    }
    if driver._have_nvjitlink():
        # With link-time optimisation, the default, ptxas is given other PTX than the above: what nvJitLink makes.
        answer["cubin"] = bytes(library.get_cubin().code)
        cc = library._ensure_cc(None)
        answer["log"], answer["by"] = library.get_linkerinfo(cc), "nvJitLink"
    else:
        answer["cubin"], answer["log"] = _assembled(answer["ptx"], kernel.targetoptions)
        answer["by"] = "ptxas"
    return answer


def _of_source(request: dict) -> dict:
    """What ptxas says of CUDA C++, compiled by NVRTC as CuPy compiles it [cupy/cuda/compiler.py]."""
    from cuda.bindings import nvrtc as library

    headers = [f"-I{folder}" for base in sys.path for folder in sorted(Path(base).glob("nvidia/cu*/include*"))]
    major, minor = request["cc"]
    options = [
        *request["options"],
        f"--gpu-architecture=sm_{major}{minor}",
        "-ftz=true",
        "--ptxas-options=-v",
        *headers,
    ]
    if not any(each.startswith(("-std", "--std")) for each in options):
        options.append("-std=c++17")
    _, program = library.nvrtcCreateProgram(request["source"].encode(), b"kernel.cu", 0, [], [])
    (status,) = library.nvrtcCompileProgram(program, len(options), [each.encode() for each in options])
    _, size = library.nvrtcGetProgramLogSize(program)
    log = bytearray(size)
    library.nvrtcGetProgramLog(program, log)
    library.nvrtcDestroyProgram(program)
    text = log.decode(errors="replace").rstrip("\0 \n")
    if status != library.nvrtcResult.NVRTC_SUCCESS:
        return {"ok": False, "types": ["CompileException"], "text": text, "places": []}
    return {"ok": True, "log": text}


def _assembled(ptx: str, options: dict) -> tuple[bytes, str]:
    """Machine code and what ``ptxas -v`` says, where there is no nvJitLink."""
    from numba.cuda.cudadrv.driver import LinkerError

    target = next(line.split()[1].rstrip(",") for line in ptx.splitlines() if line.startswith(".target"))
    with tempfile.TemporaryDirectory(prefix="kernellens-ptxas-") as folder:
        source, made = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(ptx)
        command = [_tool("ptxas"), "-v", f"-arch={target}", str(source), "-o", str(made)]
        if options.get("max_registers"):
            command.insert(1, f"-maxrregcount={options['max_registers']}")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise LinkerError(done.stderr + done.stdout)
        return made.read_bytes(), done.stderr + done.stdout


def _tool(name: str) -> str | None:
    """One of the toolkit's programs, from a wheel or the system."""
    with contextlib.suppress(Exception):
        from cuda import pathfinder

        found = pathfinder.find_nvidia_binary_utility(name)
        if found:
            return str(found)
    for folder in map(Path, sys.path):
        for found in sorted(folder.glob(f"nvidia/*/bin/{name}")):
            return str(found)
    return shutil.which(name)
