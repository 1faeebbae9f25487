"""The kernel engine beside Numba's own simulator, in one run, with the targets it was given.

    python benchmarks/kernel_engine.py [--repeats 7] [--json FILE] [--only stencil,traced,sizes,compile,import,wrong]

The simulated library's ways of running a kernel and Numba's simulator (``NUMBA_ENABLE_CUDASIM=1``) each live in a process of their
own; what is compared is measured in turns (one repeat of each way, then the next), so that the load of the machine hits
all alike.  Figures are medians with the smallest and largest; a launch is timed to the end of its synchronisation, on
arrays that are on the device already.  Compilation is measured in fresh processes: with empty caches (the very first
kernel on a machine), with the engine's own helpers cached (a kernel that is new), and with the kernel cached too.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

ME = Path(__file__).resolve()
WAYS = {
    "compiled": {"GPUSIM_KERNELS": "compiled", "GPUSIM_TRACE": "off"},
    "default": {},
    "interpreted": {"GPUSIM_KERNELS": "interpreted", "GPUSIM_TRACE": "off"},
    "traced": {"GPUSIM_KERNELS": "compiled", "GPUSIM_TRACE": "all"},
    "simulator": {"NUMBA_ENABLE_CUDASIM": "1"},
}


# --- in a child: the kernels and what is timed

# Set in a child once its way is: Numba's simulator looks for `cuda` among a kernel's globals.
cuda = np = float32 = float64 = None


def child(way: str) -> None:
    """Answer commands: ``NAME`` prepares once and then measures; a line of JSON for each."""
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if way != "simulator":
        import gpusim

        gpusim.activate()
    global cuda, np, float32, float64
    import numpy as np
    from numba import cuda, float32, float64

    work: dict[str, object] = {}
    for line in sys.stdin:
        name, _, argument = line.strip().partition(" ")
        if name not in work:
            work[name] = PREPARE[name](way)
        channel.write(json.dumps(work[name](argument)) + "\n")
        channel.flush()


def timed(launch) -> float:
    began = perf_counter()
    launch()
    cuda.synchronize()
    return perf_counter() - began


def stencil(size: int):
    """A 3 x 3 mean of int8, as unit 06 writes it; returns its launch."""

    @cuda.jit
    def smooth(x, out):
        i, j = cuda.grid(2)
        n, m = x.shape
        if 1 <= i < n - 1 and 1 <= j < m - 1:
            out[i, j] = (
                x[i - 1, j - 1]
                + x[i - 1, j]
                + x[i - 1, j + 1]
                + x[i, j - 1]
                + x[i, j]
                + x[i, j + 1]
                + x[i + 1, j - 1]
                + x[i + 1, j]
                + x[i + 1, j + 1]
            ) // 9

    x = cuda.to_device(np.ones((size, size), "i1"))
    out = cuda.to_device(np.zeros((size, size), "i1"))
    blocks = (-(-size // 16), -(-size // 16))

    def check():
        inner = out[size // 2 - 8 : size // 2 + 8].copy_to_host()[:, 1:-1]
        assert (inner == 1).all()

    return lambda: smooth[blocks, (16, 16)](x, out), check


def prepare_stencil(way: str):
    launch, check = stencil(128)

    def measure(many: str) -> float:
        """Seconds a launch: of one, or of a hundred that wait for each other only at the end."""
        count = int(many or 1)

        def go():
            for _ in range(count):
                launch()

        return timed(go) / count

    if way != "simulator":  # it has nothing to compile, and a launch of it takes a second
        timed(launch)
        timed(launch)
        check()
    return measure


def prepare_traced(way: str):
    from gpusim.kernels import launch as launching

    launch, check = stencil(1024)
    logs = []
    examine = launching.findings.examine

    def look(log):
        logs[:] = [(len(log.records), log.records.nbytes + log.values.nbytes)]
        return examine(log)

    launching.findings.examine = look
    timed(launch)
    check()

    def measure(_: str):
        seconds = timed(launch)
        return {"seconds": seconds, "accesses": logs[0][0], "bytes": logs[0][1]}

    return measure


def prepare_large(way: str):
    launch, check = stencil(10_000)
    timed(launch)
    check()
    return lambda _: timed(launch)


def prepare_matmul(way: str):
    tile = 16

    @cuda.jit
    def multiply(a, b, c):
        left = cuda.shared.array((tile, tile), float32)
        right = cuda.shared.array((tile, tile), float32)
        x, y = cuda.grid(2)
        tx = cuda.threadIdx.x
        ty = cuda.threadIdx.y
        total = float32(0)
        for k in range(a.shape[1] // tile):
            left[ty, tx] = a[y, k * tile + tx]
            right[ty, tx] = b[k * tile + ty, x]
            cuda.syncthreads()
            for n in range(tile):
                total += left[ty, n] * right[n, tx]
            cuda.syncthreads()
        c[y, x] = total

    rng = np.random.default_rng(0)
    a, b = rng.integers(-4, 5, (2, 256, 256)).astype("f4")
    da, db, dc = cuda.to_device(a), cuda.to_device(b), cuda.to_device(np.zeros_like(a))
    launch = lambda: multiply[(16, 16), (16, 16)](da, db, dc)  # noqa: E731
    timed(launch)
    timed(launch)
    assert (dc.copy_to_host() == a @ b).all()
    return lambda _: timed(launch)


def prepare_reduction(way: str):
    @cuda.jit
    def reduce(x, out):
        shared = cuda.shared.array(256, float64)
        i = cuda.grid(1)
        t = cuda.threadIdx.x
        shared[t] = x[i] if i < x.size else 0.0
        cuda.syncthreads()
        s = 128
        while s > 0:
            if t < s:
                shared[t] += shared[t + s]
            cuda.syncthreads()
            s //= 2
        if t == 0:
            cuda.atomic.add(out, 0, shared[0])

    n = 10**7
    x, out = cuda.to_device(np.ones(n)), cuda.to_device(np.zeros(1))
    launch = lambda: reduce[-(-n // 256), 256](x, out)  # noqa: E731
    timed(launch)
    assert out.copy_to_host()[0] == n
    return lambda _: timed(launch)


def prepare_compile(way: str):
    """The first kernel of this process and another one; each: seconds of its first launch less those of its second."""

    def measure(_: str):
        x = cuda.to_device(np.zeros(64))

        @cuda.jit
        def first(x):
            i = cuda.grid(1)
            if i < x.size:
                x[i] = x[i] * 2 + 1

        @cuda.jit
        def second(x):
            i = cuda.grid(1)
            if i < x.size:
                x[i] = x[i] ** 2 - 3 * x[i]

        found = {}
        for name, kernel in (("first", first), ("second", second)):
            cold = timed(lambda kernel=kernel: kernel[1, 64](x))
            warm = timed(lambda kernel=kernel: kernel[1, 64](x))
            found[name] = cold - warm
        return found

    return measure


def prepare_endless(way: str):
    @cuda.jit
    def endless(x):
        while x[0] == 0:
            pass

    @cuda.jit
    def deadlock(x):
        flag = cuda.shared.array(1, "int32")
        t = cuda.threadIdx.x
        if t == 0:
            flag[0] = 0
        cuda.syncthreads()
        if t == 0:
            while cuda.atomic.add(flag, 0, 0) == 0:
                pass
        cuda.syncthreads()
        if t == 1:
            flag[0] = 1

    kernels = {"endless": endless, "deadlock": deadlock}

    def measure(which: str) -> float:
        x = cuda.to_device(np.zeros(4))
        began = perf_counter()
        try:
            kernels[which][1, 32](x)
            cuda.synchronize()
        except Exception:
            return perf_counter() - began
        raise AssertionError(f"{which} was not told")

    return measure


PREPARE = {
    "stencil": prepare_stencil,
    "traced": prepare_traced,
    "large": prepare_large,
    "matmul": prepare_matmul,
    "reduction": prepare_reduction,
    "compile": prepare_compile,
    "wrong": prepare_endless,
}


# --- in the parent


class Child:
    """A process that runs kernels one way."""

    def __init__(self, way: str, **more: str) -> None:
        kept = {
            k: v
            for k, v in os.environ.items()
            if not k.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_", "NUMBA_"))
        }
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", str(ME), "--child", way],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**kept, **WAYS[way], **more},
        )

    def ask(self, command: str):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"the process ended at {command!r}")
        return json.loads(line)

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


ROWS: list[dict] = []


def row(what: str, values: list[float], unit: str, target: str = "", met: bool | None = None) -> float:
    middle = statistics.median(values)
    ROWS.append(
        {
            "what": what,
            "median": middle,
            "low": min(values),
            "high": max(values),
            "unit": unit,
            "target": target,
            "met": met,
        }
    )
    print(f"  … {what}: {middle:.4g} {unit}", file=sys.stderr, flush=True)
    return middle


def judged(what: str, values: list[float], unit: str, target: str, limit: float, *, least: bool = False) -> None:
    middle = statistics.median(values)
    row(what, values, unit, target, middle >= limit if least else middle <= limit)


def measure_stencil(repeats: int) -> None:
    threads = 128 * 128
    ways = ("compiled", "interpreted", "simulator")
    children = {way: Child(way) for way in ways}
    found: dict[str, list[float]] = {way: [] for way in (*ways, "queued")}
    for _ in range(repeats):
        for way in ways:
            # The fast ones are measured often in a turn, and a turn counts with its median.
            times = [children[way].ask("stencil") for _ in range({"compiled": 50, "interpreted": 5}.get(way, 1))]
            found[way].append(threads / statistics.median(times))
        found["queued"].append(threads / children["compiled"].ask("stencil 100"))
    for each in children.values():
        each.__exit__()
    slow = row("3x3 stencil 128², Numba's simulator", found["simulator"], "threads/s")
    row("3x3 stencil 128², compiled", found["compiled"], "threads/s")
    row("3x3 stencil 128², compiled, 100 launches queued", found["queued"], "threads/s")
    row("3x3 stencil 128², interpreted", found["interpreted"], "threads/s")
    for way, factor in (("compiled", 10_000), ("queued", 10_000), ("interpreted", 20)):
        ratios = [mine / other for mine, other in zip(found[way], found["simulator"], strict=True)]
        name = {"queued": "compiled, 100 launches queued"}.get(way, way)
        if way == "queued":
            row(f"    {name} / simulator", ratios, "times")
        else:
            judged(f"    {name} / simulator", ratios, "times", f"≥ {factor}", factor, least=True)
    assert slow > 0


def measure_traced(repeats: int) -> None:
    with Child("traced") as traced:
        answers = [traced.ask("traced") for _ in range(repeats)]
    judged("stencil 1024², every access traced and examined", [a["seconds"] for a in answers], "s", "< 1", 1.0)
    judged("    log", [a["bytes"] / a["accesses"] for a in answers], "bytes/access", "≤ 32", 32.0)
    row("    accesses", [a["accesses"] for a in answers], "")


def measure_sizes(repeats: int) -> None:
    with Child("default") as default:
        for name, what in (
            ("large", "stencil 10 000², int8, compiled before"),
            ("matmul", "tiled matmul 256², compiled before"),
            ("reduction", "tree reduction of 10^7, compiled before"),
        ):
            judged(what, [default.ask(name) for _ in range(repeats)], "s", "< 1", 1.0)


def measure_compile(repeats: int) -> None:
    found: dict[str, list[float]] = {name: [] for name in ("never", "first", "second", "kept", "next")}
    with tempfile.TemporaryDirectory() as filled:
        for turn in range(max(2, repeats // 2) + 1):
            with tempfile.TemporaryDirectory() as empty:
                with Child("default", NUMBA_CACHE_DIR=empty, GPUSIM_CACHE=empty) as fresh:
                    found["never"].append(fresh.ask("compile")["first"])
            with tempfile.TemporaryDirectory() as empty:
                with Child("default", NUMBA_CACHE_DIR=filled, GPUSIM_CACHE=empty) as later:
                    answer = later.ask("compile")
                with Child("default", NUMBA_CACHE_DIR=filled, GPUSIM_CACHE=empty) as again:
                    kept = again.ask("compile")
            if turn:  # the first fills the cache
                found["first"].append(answer["first"])
                found["second"].append(answer["second"])
                found["kept"].append(kept["first"])
                found["next"].append(kept["second"])
    row("first kernel ever on a machine (empty cache)", found["never"], "s")
    judged("first kernel of a process", found["first"], "s", "< 1.5", 1.5)
    row("second kernel of a process", found["second"], "s")
    row("first kernel of a process, compiled by an earlier one", found["kept"], "s")
    row("second kernel of a process, compiled by an earlier one", found["next"], "s")


def measure_import(repeats: int) -> None:
    programs = {
        "python alone": "pass",
        "import hundredfold, activate": "import gpusim; gpusim.activate()",
        "import numba": "import numba",
        "from numba import cuda (the simulated library)": "import gpusim; gpusim.activate()\nfrom numba import cuda",
        "    and a kernel that is never launched": (
            "import gpusim; gpusim.activate()\nfrom numba import cuda\n"
            "@cuda.jit\ndef kernel(x):\n    x[cuda.grid(1)] = 1"
        ),
    }
    found: dict[str, list[float]] = {name: [] for name in programs}
    kept = {
        k: v for k, v in os.environ.items() if not k.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_", "NUMBA_"))
    }
    with tempfile.TemporaryDirectory() as folder:
        files = {name: Path(folder, f"program{k}.py") for k, name in enumerate(programs)}
        for name, text in programs.items():
            files[name].write_text(text)
        for _ in range(repeats):
            for name in programs:
                began = perf_counter()
                subprocess.run([sys.executable, str(files[name])], check=True, env=kept)
                found[name].append(perf_counter() - began)
        check = (
            "import sys\nimport gpusim; gpusim.activate()\nimport gpusim.kernels\n"
            "raise SystemExit('numba' in sys.modules)"
        )
        pays = subprocess.run([sys.executable, "-c", check], env=kept).returncode
    for name, times in found.items():
        row(name, times, "s")
    over = [a - b for a, b in zip(found["import hundredfold, activate"], found["python alone"], strict=True)]
    row("    what a process that never launches pays", over, "s")
    row("    Numba is loaded by it", [float(pays)], "", "0", pays == 0)


def measure_wrong(repeats: int) -> None:
    for way in ("default", "interpreted"):
        with Child(way) as each:
            for which in ("endless", "deadlock"):
                times = [each.ask(f"wrong {which}") for _ in range(min(2, repeats))]
                judged(f"a kernel that never ends ({which}, {way}): to the error", times, "s", "< 5", 5.0)


MEASURES = {
    "stencil": measure_stencil,
    "traced": measure_traced,
    "sizes": measure_sizes,
    "compile": measure_compile,
    "import": measure_import,
    "wrong": measure_wrong,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--only", default=",".join(MEASURES), help="what to measure, with commas")
    parser.add_argument("--json", type=Path, help="write the figures there")
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.child)
        return
    for name in arguments.only.split(","):
        MEASURES[name](arguments.repeats)
    width = max(len(entry["what"]) for entry in ROWS)
    print(f"{'':{width}} {'median':>11} {'smallest':>11} {'largest':>11} {'':13} target")
    for entry in ROWS:
        verdict = {None: "", True: "reached", False: "MISSED"}[entry["met"]]
        figures = " ".join(f"{entry[key]:11.4g}" for key in ("median", "low", "high"))
        print(f"{entry['what']:{width}} {figures} {entry['unit']:13} {entry['target']:9} {verdict}")
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {load:.1f}, Python {platform.python_version()}"
    )
    if arguments.json:
        arguments.json.write_text(json.dumps({"load": load, "rows": ROWS}, indent=1) + "\n")


if __name__ == "__main__":
    main()
