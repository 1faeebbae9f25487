"""The process that holds NVIDIA's compilers: kernels of numba-cuda and CUDA C++ become PTX, and no GPU is needed.

Run as ``python FOLDER FD PARENT``, as `kernellens.compiling.helper` runs its own child.  It takes the same description of a
kernel, and leaves out what costs time there: no machine code is made.
"""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
# It runs in an environment of its own, where numba-cuda is.

import contextlib
import ctypes
import importlib.util
import os
import signal
import sys
import threading
import time
import warnings
from multiprocessing.connection import Connection
from pathlib import Path

LENS = Path(__file__).parents[4] / "kernellens" / "src" / "kernellens" / "compiling" / "child"


def end_with(parent: int) -> None:
    """End when the parent has."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)


def of_python(request: dict) -> dict:
    """PTX of a Python kernel, as numba-cuda makes it for a launch; `fma` says whether products and sums are contracted."""
    import building
    from numba import cuda
    from numba.cuda import dispatcher
    from unpacking import Functions, kind

    building._told.cc = tuple(request["cc"])
    functions = Functions(request["functions"])
    kernel = cuda.jit(**request["options"])(functions.function(request["kernel"]))
    arguments = tuple(map(kind, request["arguments"]))
    contracting.on = request["fma"]
    made = dispatcher._Kernel(kernel.py_func, arguments, **kernel.targetoptions)
    ptx = made._codelibrary.get_asm_str()
    linked = []
    for name, text in library_functions().items():
        if f" {name}" in ptx:
            linked.append(of_cpp({"code": text, "options": [], "names": [], "cc": request["cc"], "fma": True})["ptx"])
    return {"ptx": ptx, "entry": made.entry_name, "linked": linked}


def library_functions() -> dict[str, str]:
    """What numba-cuda links to a kernel that calls it, by a name that stands for the file."""
    from numba.cuda import dispatcher

    folder = Path(dispatcher.__file__).parent
    return {"numba_attempt_nocopy_reshape": (folder / "reshape_funcs.cu").read_text()}


class contracting:
    """Whether NVVM may make one instruction of a product and a sum."""

    on = True


def contract_on_demand() -> None:
    """Let `contracting` decide what NVVM is told."""
    from numba.cuda.cudadrv import nvvm

    plain = nvvm.compile_ir

    def compile_ir(llvmir, **options):
        if not contracting.on:
            options["fma"] = False
        return plain(llvmir, **options)

    nvvm.compile_ir = compile_ir


def of_cpp(request: dict) -> dict:
    """PTX of CUDA C++, as NVRTC makes it, and the names that the given name expressions have in it."""
    from cuda.bindings import nvrtc

    def checked(answer):
        status, *values = answer
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            log = b""
            if program is not None:
                size = nvrtc.nvrtcGetProgramLogSize(program)[1]
                log = b" " * size
                nvrtc.nvrtcGetProgramLog(program, log)
            raise RuntimeError(f"{status.name}: {log.decode().strip(chr(0))}")
        return values[0] if values else None

    program = None
    program = checked(nvrtc.nvrtcCreateProgram(request["code"].encode(), b"kernel.cu", 0, [], []))
    for name in request["names"]:
        checked(nvrtc.nvrtcAddNameExpression(program, name.encode()))
    major, minor = request["cc"]
    options = [
        f"--gpu-architecture=compute_{major}{minor}",
        f"--fmad={'true' if request['fma'] else 'false'}",
        "--device-as-default-execution-space",
        *(f"-I{folder}" for folder in includes()),
        *request["options"],
    ]
    checked(nvrtc.nvrtcCompileProgram(program, len(options), [each.encode() for each in options]))
    ptx = b" " * checked(nvrtc.nvrtcGetPTXSize(program))
    checked(nvrtc.nvrtcGetPTX(program, ptx))
    mapped = {name: checked(nvrtc.nvrtcGetLoweredName(program, name.encode())).decode() for name in request["names"]}
    return {"ptx": ptx.decode().strip("\0"), "names": mapped}


def includes() -> list[Path]:
    """The folders of CUDA's headers."""
    (spec,) = importlib.util.find_spec("nvidia").submodule_search_locations
    return [found for found in (Path(spec, "cu13", "include"), Path(spec, "cu13", "include", "cccl")) if found.is_dir()]


def load_builtins() -> None:
    """NVRTC finds its builtins only where they are loaded already: a wheel's folder is not where it looks."""
    (spec,) = importlib.util.find_spec("nvidia").submodule_search_locations
    for found in sorted(Path(spec).glob("*/lib/libnvrtc-builtins.so*")):
        ctypes.CDLL(str(found), mode=ctypes.RTLD_GLOBAL)


def answered(request: dict) -> dict:
    """The answer to a request; a refusal is one, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return {"ok": True} | {"python": of_python, "cpp": of_cpp}[request["kind"]](request)
        except BaseException as error:
            return {"ok": False, "text": f"{type(error).__name__}: {error}"}


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    descriptor, parent = int(sys.argv[1]), int(sys.argv[2])
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()
    connection = Connection(descriptor)
    sys.path.insert(0, str(LENS))
    import building

    load_builtins()
    about = building.about()
    contract_on_demand()
    connection.send(about)
    while True:
        with contextlib.suppress(EOFError):
            connection.send(answered(connection.recv()))
            continue
        return


main()
