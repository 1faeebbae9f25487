"""Ask the NVIDIA driver what is here and print the answer as JSON. Run as a script in a child process, never imported.

A child, because libcuda may crash or hang on a broken machine and its answer must not cost the asker its life; `-I -S`
and the standard library alone, because it is run before anything is installed and must start in milliseconds. It calls
`cuInit` and reads attributes; it makes no context, so it takes no GPU memory and works on a GPU that is full.
Names and numbers are those of the CUDA driver API and of NVML.
"""

import ctypes
import json
import os
import sys

CU_ERRORS = {
    1: "CUDA_ERROR_INVALID_VALUE",
    2: "CUDA_ERROR_OUT_OF_MEMORY",
    3: "CUDA_ERROR_NOT_INITIALIZED",
    34: "CUDA_ERROR_STUB_LIBRARY",
    46: "CUDA_ERROR_DEVICE_UNAVAILABLE",
    100: "CUDA_ERROR_NO_DEVICE",
    101: "CUDA_ERROR_INVALID_DEVICE",
    304: "CUDA_ERROR_OPERATING_SYSTEM",
    802: "CUDA_ERROR_SYSTEM_NOT_READY",
    803: "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
    804: "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
    999: "CUDA_ERROR_UNKNOWN",
}
COMPUTE_MODES = {0: "default", 1: "exclusive", 2: "prohibited", 3: "exclusive"}
ATTRIBUTES = {"sms": 16, "integrated": 18, "compute_mode": 20, "l2": 38, "major": 75, "minor": 76}


def ask_cuda(answer):
    """Fill in what libcuda says: its path, the CUDA version it speaks, and the devices it shows."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        answer["status"], answer["error"] = "no libcuda", str(error)
        return
    answer["libcuda"] = loaded_from("libcuda.so")
    value = ctypes.c_int()
    # Answers even when cuInit does not, and says which CUDA the driver speaks (13000 for 13.0).
    if cuda.cuDriverGetVersion(ctypes.byref(value)) == 0 and value.value:
        answer["cuda"] = [value.value // 1000, value.value % 1000 // 10]
    # What is known so far must survive a crash in cuInit: the asker reads the last whole line.
    print(json.dumps(answer), flush=True)
    status = cuda.cuInit(0)
    if status != 0:
        answer["status"], answer["code"] = "error", status
        answer["error"] = f"cuInit answers {status} ({CU_ERRORS.get(status, 'see the CUDA driver API')})"
        return
    answer["status"] = "ok"
    cuda.cuDeviceGetCount(ctypes.byref(value))
    answer["gpus"] = [describe(cuda, index) for index in range(value.value)]


def describe(cuda, index):
    """Return what the driver API says of the device with this index; it stands in the order CUDA counts."""
    device, value = ctypes.c_int(), ctypes.c_int()
    cuda.cuDeviceGet(ctypes.byref(device), index)
    name, uuid, total = ctypes.create_string_buffer(256), (ctypes.c_ubyte * 16)(), ctypes.c_size_t()
    cuda.cuDeviceGetName(name, 256, device)
    cuda.cuDeviceTotalMem_v2(ctypes.byref(total), device)
    # The second form answers with the MIG instance's own identity where the device is one.
    get_uuid = getattr(cuda, "cuDeviceGetUuid_v2", None) or getattr(cuda, "cuDeviceGetUuid", None)
    known = get_uuid is not None and get_uuid(ctypes.byref(uuid), device) == 0
    got = {}
    for key, number in ATTRIBUTES.items():
        got[key] = value.value if cuda.cuDeviceGetAttribute(ctypes.byref(value), number, device) == 0 else None
    return {
        "index": index,
        "name": name.value.decode(errors="replace"),
        "uuid": bytes(uuid).hex() if known else None,
        "memory_total": total.value,
        "cc": [got["major"] or 0, got["minor"] or 0],
        "sms": got["sms"],
        "l2": got["l2"],
        "integrated": bool(got["integrated"]),
        "compute_mode": COMPUTE_MODES.get(got["compute_mode"], "default"),
    }


class Memory(ctypes.Structure):
    """`nvmlMemory_t`."""

    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class Process(ctypes.Structure):
    """`nvmlProcessInfo_t` as version 3 of the call fills it."""

    _fields_ = [
        ("pid", ctypes.c_uint),
        ("used", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    ]


def ask_nvml(answer):
    """Fill in what NVML says and the driver API cannot tell without a context: free memory, MIG mode, processes."""
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError as error:
        answer["nvml"] = str(error)
        return
    status = nvml.nvmlInit_v2()
    if status != 0:
        nvml.nvmlErrorString.restype = ctypes.c_char_p
        text = (nvml.nvmlErrorString(status) or b"").decode(errors="replace")
        answer["nvml"] = f"nvmlInit answers {status} ({text})"
        return
    answer["nvml"] = "ok"
    text, count = ctypes.create_string_buffer(96), ctypes.c_uint()
    if nvml.nvmlSystemGetDriverVersion(text, 96) == 0:
        answer["driver"] = text.value.decode(errors="replace")
    nvml.nvmlDeviceGetCount_v2(ctypes.byref(count))
    answer["boards"] = []
    for index in range(count.value):
        handle = ctypes.c_void_p()
        if nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handle)) != 0:
            continue
        board = device_of_nvml(nvml, handle)
        current, pending = ctypes.c_uint(), ctypes.c_uint()
        if nvml.nvmlDeviceGetMigMode(handle, ctypes.byref(current), ctypes.byref(pending)) == 0:
            board["mig"] = bool(current.value)
        if board.get("mig"):
            board["instances"] = instances(nvml, handle)
        answer["boards"].append(board)
    nvml.nvmlShutdown()


def instances(nvml, parent):
    """Return the MIG instances of a board."""
    found, most = [], ctypes.c_uint()
    nvml.nvmlDeviceGetMaxMigDeviceCount(parent, ctypes.byref(most))
    for index in range(most.value):
        handle = ctypes.c_void_p()
        if nvml.nvmlDeviceGetMigDeviceHandleByIndex(parent, index, ctypes.byref(handle)) == 0:
            found.append(device_of_nvml(nvml, handle))
    return found


def device_of_nvml(nvml, handle):
    """Return name, identity, memory, mode and processes of a board or a MIG instance; what NVML refuses is left out."""
    text, memory, mode = ctypes.create_string_buffer(96), Memory(), ctypes.c_uint()
    out = {}
    if nvml.nvmlDeviceGetName(handle, text, 96) == 0:
        out["name"] = text.value.decode(errors="replace")
    if nvml.nvmlDeviceGetUUID(handle, text, 96) == 0:
        # "GPU-8f3c…" or "MIG-8f3c…": the hexadecimal digits are what the driver API answers.
        out["uuid"] = text.value.decode(errors="replace").partition("-")[2].replace("-", "").lower()
    if nvml.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory)) == 0:
        out["memory_total"], out["memory_free"] = memory.total, memory.free
    if nvml.nvmlDeviceGetComputeMode(handle, ctypes.byref(mode)) == 0:
        out["compute_mode"] = COMPUTE_MODES.get(mode.value, "default")
    running = getattr(nvml, "nvmlDeviceGetComputeRunningProcesses_v3", None)
    count, processes = ctypes.c_uint(64), (Process * 64)()
    if running is not None and running(handle, ctypes.byref(count), processes) == 0:
        unknown = 2**64 - 1  # what NVML answers where it may not tell
        out["processes"] = [
            {"pid": p.pid, "used": None if p.used == unknown else p.used} for p in processes[: min(count.value, 64)]
        ]
    return out


def loaded_from(fragment):
    """Return the file that a library was loaded from, by this process's own map; None where it cannot be read."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            for line in maps:
                path = line.split(maxsplit=5)[-1].strip()
                if fragment in os.path.basename(path):
                    return os.path.realpath(path)
    except OSError:
        pass
    return None


def main():
    """NVML first: it does not initialise CUDA, so what it says is on paper if libcuda then crashes or hangs."""
    answer = {"status": "asking", "asking": "NVML", "nvml": "not asked", "gpus": []}
    print(json.dumps(answer), flush=True)
    ask_nvml(answer)
    answer["asking"] = "libcuda"
    print(json.dumps(answer), flush=True)
    ask_cuda(answer)
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    sys.exit(main())
