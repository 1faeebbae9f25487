"""`make test-all`: every test there is, one part after another.

A part that has passed is not run again while the checkout stays as it is, unless it is named.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from . import ROOT, Stop, WrongUse, beside, environment, hub

CACHE = ROOT / ".cache" / "tests"
PASSED = CACHE / "passed.json"
REPEATED = CACHE / "repeated.json"
FAILED = ROOT / ".cache" / "pytest" / "v" / "cache" / "lastfailed"
"""Where pytest names the tests that failed."""

SMALL = ("-m", "not large or smoke")
"""All but the large sets, and of these the smoke set."""

APART = (
    "tests/lab",
    "packages/gpusim/tests/kernels_set",
    "packages/gpusim/tests/compiler_sweep",
    "packages/gpusim/tests/ptx/test_ptx.py",
    "packages/kernellens/tests/test_kernels_set_seen.py",
    "tests/interop",
    "tests/hub",
    "tests/site",
    "tests/clusters",
    "tests/grading",
    "tests/answers",
    "tests/deploy/test_packages.py",
    "tests/deploy/test_gateway_hub.py",
    "tests/images",
    "tests/metadata",
    "tests/planted/test_planted.py",
    "tests/test_wheels.py",
)
"""What is a part of its own, because it takes minutes or packages that `.venv` lacks."""


SWEEP = "packages/gpusim/tests/compiler_sweep"
"""Where the simulator and the real compiler are asked about the same kernels."""

KERNELS = ("packages/gpusim/tests/kernels_set", "packages/kernellens/tests/test_kernels_set_seen.py")
"""Where the kernels of the set are compiled, interpreted and traced."""


@dataclass(frozen=True)
class Run:
    """What a part runs: a Python of ours with these arguments, and with these variables in its environment."""

    arguments: tuple[str, ...]
    python: Path = environment.PYTHON
    environ: Mapping[str, str] = field(default_factory=dict)


class LeftOut(Exception):
    """Why a part cannot run here."""


def own() -> Run:
    """every notebook and each part's own tests, the large sets whole"""
    return Run((*_pytest(), "--dist", "loadscope", *(f"--ignore={path}" for path in APART)))


def kernels() -> Run:
    """every kernel of the kernel set, compiled, interpreted and traced"""
    # Dealt kernel by kernel: by file one worker would have nearly all of it, by test each would run what the other ran.
    return Run((*_pytest(), "--dist", "loadgroup", *KERNELS))


def compiler() -> Run:
    """the lens and the simulator beside the real CUDA compiler (some 300 MB, no GPU needed)"""
    found = {"KERNELLENS_COMPILER": str(beside.compiler())}
    # Tests that do not depend on each other.
    tests = ("packages/kernellens/tests/test_compile_extra.py", SWEEP)
    return Run((*_pytest(), "--dist", "worksteal", *tests), environ=found)


def ptx() -> Run:
    """kernels as the simulator runs them, beside NVIDIA's own compiled code, run on the CPU (no GPU needed)"""
    found = {"KERNELLENS_COMPILER": str(beside.compiler())}
    # By test: each has a process of its own for the engine and one for the compilers.
    return Run((*_pytest(), "--dist", "worksteal", "packages/gpusim/tests/ptx/test_ptx.py"), environ=found)


def interop() -> Run:
    """the notebooks that use JAX or Xarray, where they are installed, and what passes between them and CuPy"""
    notebooks = [str(file.relative_to(ROOT)) for file in _notebooks() if _uses(file, "jax", "xarray")]
    return Run((*_pytest(), "--dist", "loadscope", "tests/interop", *notebooks), beside.interop())


def real_hub() -> Run:
    """a real JupyterHub with its proxy and real users (as root)"""
    _as_root()
    # By file: the tests of a file share a hub and its users.
    return Run((*_pytest(), "--dist", "loadscope", "tests/deploy/hub", "tests/hub"), hub.ready())


def clusters() -> Run:
    """a real Slurm, SSH, Kubernetes' and Gateway's files, hosts with nodes that die (as root)"""
    _as_root()
    python = beside.clusters()
    # One process: each file's hosts take what the machine has.
    tests = ("tests/deploy/test_packages.py", "tests/deploy/test_gateway_hub.py", "tests/clusters")
    return Run((*_pytest(workers=False), *tests), python, {"HUNDREDFOLD_DEPLOY": str(python)})


def lab() -> Run:
    """the real lab in a browser, lectures on one core with 2 GB"""
    # By file: the browser's tests share one lab.
    return Run((*_pytest(), "--dist", "loadscope", "tests/lab"))


def site() -> Run:
    """the site, built, and each of its pages in a browser"""
    return Run((*_pytest(workers=False), "tests/site"), beside.docs())


def grading() -> Run:
    """the exercises handed out, handed in and graded with nbgrader, and pulled with nbgitpuller"""
    return Run((*_pytest(workers=False), "tests/grading"), beside.grading())


def answers() -> Run:
    """6 700 answers by writers who had not seen the checks, each judged as its label says"""
    # By unit: each has a kernel of its own.
    return Run((*_pytest(), "--dist", "loadgroup", "tests/answers"))


def images() -> Run:
    """the image for computers without a GPU, built and tried, answers graded in it (as root, with buildah, debootstrap, Docker and Podman)"""
    _as_root()
    if missing := [name for name in ("buildah", "debootstrap", "dockerd", "podman", "runc") if not shutil.which(name)]:
        raise LeftOut(f"needs {' and '.join(missing)}")
    return Run((*_pytest(workers=False), "tests/images"))


def wheels() -> Run:
    """each package from its own wheel, in an environment that has nothing else"""
    # One process: what is installed is installed once.
    return Run((*_pytest(workers=False), "tests/test_wheels.py"))


def metadata() -> Run:
    """licences, the citation, the archives of a release and the conda recipe, each by the tool for it"""
    return Run((*_pytest(workers=False), "tests/metadata"), environ={"HUNDREDFOLD_CHECKS": str(beside.checks())})


def numba() -> Run:
    """the CUDA tests that Numba carries, under the simulator"""
    return Run(("packages/gpusim/tests/numba_cuda_suite/run.py", "--installed"))


def suite(runner: str, repository: str) -> Callable[[], Run]:
    """A part for a library's own tests, from a checkout below the folder that CHECKOUTS names."""

    def part() -> Run:
        return Run((f"packages/gpusim/tests/{runner}/run.py", "--checkout", str(_checkout(repository))))

    part.__doc__ = f"the tests of {repository}, under the simulator (from CHECKOUTS/{repository.replace('/', '+')})"
    return part


def public_notebooks() -> Run:
    """other people's notebooks, under the simulator (from CHECKOUTS/OWNER+NAME)"""
    results = ("--results", str(CACHE / "public-notebooks.json"), "--again")
    return Run(("packages/kernellens/tests/public_notebooks/run.py", "--checkouts", str(_checkout("")), *results))


def public_outputs() -> Run:
    """what other people's notebooks print here, beside what a GPU printed (from CHECKOUTS/OWNER+NAME)"""
    runner = "packages/kernellens/tests/public_notebooks/outputs.py"
    return Run((runner, "--checkouts", str(_checkout(""))), beside.public_notebooks())


def planted() -> Run:
    """mistakes planted one at a time: which of the comparisons with real GPUs finds each (from CHECKOUTS/rapidsai+cudf)"""
    checkouts = str(_checkout("rapidsai/cudf").parent)
    environ = {"KERNELLENS_COMPILER": str(beside.compiler()), "CHECKOUTS": checkouts}
    # By test: each has its own copy of the packages.
    return Run((*_pytest(), "--dist", "worksteal", "tests/planted"), beside.public_notebooks(), environ)


def public_packages() -> Run:
    """the GPU tests of public packages by `pytest --gpusim` (from CHECKOUTS/OWNER+NAME)"""
    checkouts = str(_checkout(""))
    return Run(("tests/public_packages/run.py", "--checkouts", checkouts), beside.public_packages())


PARTS: dict[str, Callable[[], Run]] = {
    "own": own,
    "kernels": kernels,
    "compiler": compiler,
    "ptx": ptx,
    "interop": interop,
    "hub": real_hub,
    "clusters": clusters,
    "lab": lab,
    "site": site,
    "grading": grading,
    "answers": answers,
    "images": images,
    "wheels": wheels,
    "metadata": metadata,
    "numba": numba,
    "numba-cuda": suite("numba_cuda_suite", "NVIDIA/numba-cuda"),
    "cupy": suite("cupy_suite", "cupy/cupy"),
    "cudf": suite("cudf_suite", "rapidsai/cudf"),
    "dask-cuda": suite("dask_cuda_suite", "rapidsai/dask-cuda"),
    "public-notebooks": public_notebooks,
    "public-outputs": public_outputs,
    "planted": planted,
    "public-packages": public_packages,
}


def command(arguments: list[str]) -> int:
    """set up and run all tests, part by part, those that have passed left out (ARGS='NAME …' names parts, REPEAT=n looks for flaky ones)"""
    names = []
    while arguments and arguments[0] in PARTS:
        names.append(arguments.pop(0))
    if arguments and not names:
        raise WrongUse(
            f"{arguments[0]!r} is no part of the tests: name one of {', '.join(PARTS)}; what follows goes to what they run."
        )
    environment.ready(groups=["test"])
    CACHE.mkdir(parents=True, exist_ok=True)
    if times := int(os.environ.get("REPEAT") or 0):
        return _repeat(names or list(PARTS), times, arguments)
    tree = _tree()
    before = set() if names else _passed(tree)
    said, failed = [f"          {name}: passed before, on the same files" for name in PARTS if name in before], False
    left = [name for name in names or PARTS if name not in before]
    for place, name in enumerate(left, 1):
        print(f"\n=== {name}: {PARTS[name].__doc__}  [{place} of {len(left)}]", flush=True)
        began = time.monotonic()
        status, came = _run(name, arguments)
        said.append(f"{time.monotonic() - began:6.0f} s  {name}: {came}")
        failed = failed or bool(status)
        if status == 0 and tree and not arguments:
            kept = {"tree": tree, "parts": sorted({*_passed(tree), name})}
            PASSED.write_text(json.dumps(kept), encoding="utf-8")
    print("\n=== done", *said, sep="\n", flush=True)
    return 1 if failed else 0


def _run(name: str, more: list[str]) -> tuple[int | None, str]:
    """The exit status of a part, None where it cannot run, and in words what came of it."""
    try:
        run = PARTS[name]()
    except LeftOut as reason:
        return None, f"left out: {reason}"
    except Stop as stop:  # its environment could not be made; the other parts need not wait for that
        print(f"Hundredfold: {stop}", file=sys.stderr, flush=True)
        return 1, "failed: it could not be set up"
    if "pytest" in run.arguments:
        more = [word for each in more for word in (SMALL if each == "--smoke" else (each,))]
    elif "--smoke" in more:
        return None, "left out: it has no smoke set"
    env = {**environment.environ(run.python), **run.environ}
    status = subprocess.call([str(run.python), *run.arguments, *more], cwd=ROOT, env=env)
    return status, "passed" if status == 0 else f"failed (exit status {status})"


def _repeat(names: list[str], times: int, more: list[str]) -> int:
    """Run parts several times beside a busy process; list the tests that did not always pass, and keep the list."""
    record = json.loads(REPEATED.read_text(encoding="utf-8")) if REPEATED.exists() else {}
    said = []
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        for name in names:
            failures: Counter[str] = Counter()
            for run in range(1, times + 1):
                print(f"\n=== {name}: run {run} of {times}, beside a busy process", flush=True)
                FAILED.unlink(missing_ok=True)
                status, came = _run(name, more)
                if status is None:
                    said.append(f"{name}: {came}")
                    break
                if status:
                    failures.update(json.loads(FAILED.read_text(encoding="utf-8")) if FAILED.exists() else [came])
                record[name] = {"runs": run, "failures": dict(failures.most_common())}
                REPEATED.write_text(json.dumps(record, indent=1), encoding="utf-8")
            else:
                said.append(f"{name}: {len(failures)} tests failed at least once in {times} runs")
                said += [f"  {count} times  {test}" for test, count in failures.most_common()]
    finally:
        busy.kill()
        busy.wait()
    print(f"\n=== what did not always pass (kept in {REPEATED.relative_to(ROOT)})", *said, sep="\n", flush=True)
    return 1 if any(line.startswith("  ") for line in said) else 0


def _passed(tree: str | None) -> set[str]:
    """The parts that have passed with these files."""
    try:
        kept = json.loads(PASSED.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return set()
    return set(kept["parts"]) if tree and kept["tree"] == tree else set()


def _tree() -> str | None:
    """Git's name for all files as they are, those that it ignores left out; None where this is no checkout of Git's."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "GIT_INDEX_FILE": str(Path(folder) / "index")}
        try:
            for git in (["git", "add", "--all"], ["git", "write-tree"]):
                done = subprocess.run(git, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            return None
    return done.stdout.strip()


def _pytest(workers: bool = True) -> tuple[str, ...]:
    return ("-m", "pytest", *(("-n", environment.workers()) if workers else ("-p", "no:xdist")))


def _as_root() -> None:
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        raise LeftOut("needs root, on Linux")


def _checkout(repository: str) -> Path:
    """The checkout of a repository below the folder that CHECKOUTS names."""
    folder = os.environ.get("CHECKOUTS")
    if not folder or not (found := Path(folder, repository.replace("/", "+"))).is_dir():
        raise LeftOut(f"CHECKOUTS names no folder with {repository.replace('/', '+') or 'checkouts'}")
    return found.resolve()


def _notebooks() -> list[Path]:
    return [
        file for folder in ("notebooks", "solutions", "exercises") for file in sorted((ROOT / folder).glob("*.ipynb"))
    ]


def _uses(notebook: Path, *packages: str) -> bool:
    """Whether a notebook imports one of these packages."""
    text = notebook.read_text(encoding="utf-8")
    return re.search(rf"\b(import|from) ({'|'.join(packages)})\b", text) is not None
