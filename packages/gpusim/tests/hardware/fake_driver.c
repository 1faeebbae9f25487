/* A made-up NVIDIA driver for the tests: libcuda and libnvidia-ml in one source, as much of them as the probe asks.
   The build chooses the story: -DCUINIT=<result>, -DCRASH, -DHANG, -DNO_NVML_DEVICES ...  Signatures and structure layouts
   are those of cuda.h and nvml.h; one test reads the NVML half with nvidia-ml-py, which knows them independently. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef CUINIT
#define CUINIT 0
#endif
#ifndef VERSION
#define VERSION 13000
#endif

typedef struct { unsigned char bytes[16]; } uuid_t16;

/* Two devices; CUDA counts the fast one first, NVML the slow one, as on a real machine with two different GPUs. */
static const char *names[2] = {"NVIDIA Made-Up 9000", "NVIDIA Made-Up 7000"};
static const unsigned long long total[2] = {80ull << 30, 16ull << 30};
static const int cc[2][2] = {{9, 0}, {7, 5}};

int cuDriverGetVersion(int *version) { *version = VERSION; return 0; }
int cuInit(unsigned flags) {
    (void)flags;
#ifdef CRASH
    raise(SIGSEGV);
#endif
#ifdef HANG
    for (;;) pause();
#endif
    return CUINIT;
}
int cuDeviceGetCount(int *count) { *count = 2; return 0; }
int cuDeviceGet(int *device, int index) { *device = index; return 0; }
int cuDeviceGetName(char *name, int length, int device) { snprintf(name, length, "%s", names[device]); return 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { *bytes = total[device]; return 0; }
int cuDeviceGetUuid_v2(uuid_t16 *uuid, int device) { memset(uuid, 0xa0 + device, 16); return 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
    switch (attribute) {
    case 16: *value = device ? 40 : 132; return 0;
    case 18: *value = 0; return 0;
    case 20: *value = 0; return 0;
    case 38: *value = device ? 4 << 20 : 50 << 20; return 0;
    case 75: *value = cc[device][0]; return 0;
    case 76: *value = cc[device][1]; return 0;
    }
    return 1;
}
/* Anything that makes a context ends the process with a status of its own, so that a test sees it. */
int cuCtxCreate_v2(void *context, unsigned flags, int device) { (void)context, (void)flags, (void)device; _exit(77); }
int cuDevicePrimaryCtxRetain(void *context, int device) { (void)context, (void)device; _exit(77); }

#ifdef NVML
typedef struct { unsigned long long total, free, used; } memory_t;
typedef struct { unsigned pid; unsigned long long used; unsigned gpu, compute; } process_t;
/* Handles are indices in NVML's order plus 1; 100 is the MIG instance. */
static int device_of(void *handle) { return 2 - (int)(long)handle; }

int nvmlInit_v2(void) { return 0; }
int nvmlInitWithFlags(unsigned flags) { (void)flags; return 0; }
int nvmlShutdown(void) { return 0; }
const char *nvmlErrorString(int result) { (void)result; return "made up"; }
int nvmlSystemGetDriverVersion(char *text, unsigned length) { snprintf(text, length, "580.65.06"); return 0; }
int nvmlDeviceGetCount_v2(unsigned *count) { *count = 2; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **handle) { *handle = (void *)(long)(index + 1); return 0; }
int nvmlDeviceGetName(void *handle, char *text, unsigned length) {
    snprintf(text, length, "%s", (long)handle == 100 ? "NVIDIA Made-Up 9000 MIG 1g.10gb" : names[device_of(handle)]);
    return 0;
}
int nvmlDeviceGetUUID(void *handle, char *text, unsigned length) {
    int byte = (long)handle == 100 ? 0xa0 : 0xa0 + device_of(handle);
#ifdef MIG
    if ((long)handle == 2) byte = 0xbb; /* the board's own identity differs from its instance's */
#endif
    snprintf(text, length, "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             (long)handle == 100 ? "MIG" : "GPU", byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte,
             byte, byte, byte, byte);
    return 0;
}
int nvmlDeviceGetMemoryInfo(void *handle, memory_t *memory) {
    unsigned long long all = (long)handle == 100 ? 10ull << 30 : total[device_of(handle)];
    memory->total = all, memory->free = all - (3ull << 30), memory->used = 3ull << 30;
    return 0;
}
int nvmlDeviceGetComputeMode(void *handle, unsigned *mode) { (void)handle; *mode = 0; return 0; }
int nvmlDeviceGetMigMode(void *handle, unsigned *current, unsigned *pending) {
    if ((long)handle == 1) return 3; /* the older board knows no MIG: not supported */
#ifdef MIG
    *current = *pending = 1;
#else
    *current = *pending = 0;
#endif
    return 0;
}
int nvmlDeviceGetMaxMigDeviceCount(void *handle, unsigned *count) { (void)handle; *count = 7; return 0; }
int nvmlDeviceGetMigDeviceHandleByIndex(void *parent, unsigned index, void **handle) {
    (void)parent;
    if (index != 0) return 6; /* not found */
    *handle = (void *)100l;
    return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void *handle, unsigned *count, process_t *processes) {
    if ((long)handle != 2) { *count = 0; return 0; }
    if (processes == 0 || *count < 2) { *count = 2; return 7; } /* insufficient size */
    *count = 2;
    processes[0] = (process_t){4242, 2ull << 30, 0, 0};
    processes[1] = (process_t){4343, ~0ull, 0, 0}; /* NVML may not tell */
    return 0;
}
#endif
